//! Eight lanes on x86-64: one register of AVX-512, or two of AVX2.

use super::*;
use std::arch::x86_64::*;

/// The instruction sets of this processor.
pub enum Level {
    Avx512,
    Avx2,
    Baseline,
}

pub fn level() -> Level {
    if has_avx512() {
        Level::Avx512
    } else if has_avx2() {
        Level::Avx2
    } else {
        Level::Baseline
    }
}

fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("fma")
}
pub fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma,bmi1,bmi2")]
pub fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}
#[target_feature(enable = "avx2,fma")]
pub fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

/// AVX-512: eight lanes in one register. Named by [`run_avx512`] and the tests only.
#[derive(Clone, Copy, Debug)]
pub struct Avx512;
impl Isa for Avx512 {
    type F64x8 = Zmm;
    const REGISTERS: usize = 32;
}
/// AVX2 with FMA: eight lanes in two registers. Named by [`run_avx2`] and the tests only.
#[derive(Clone, Copy, Debug)]
pub struct Avx2;
impl Isa for Avx2 {
    type F64x8 = YmmPair;
    const REGISTERS: usize = 8;
}

#[derive(Clone, Copy, Debug)]
pub struct Zmm(__m512d);
#[derive(Clone, Copy, Debug)]
pub struct YmmPair(__m256d, __m256d);

// SAFETY of every intrinsic below: a `Zmm` or `YmmPair` exists only while a kernel runs under the features
// that `dispatch` has detected, and all loads and stores go through references of the right size.

macro_rules! operator {
    ($($trait:ident $method:ident $wide:ident $half:ident),*) => {$(
        impl $trait for Zmm {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                unsafe { Zmm($wide(self.0, o.0)) }
            }
        }
        impl $trait for YmmPair {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                unsafe { YmmPair($half(self.0, o.0), $half(self.1, o.1)) }
            }
        }
    )*};
}
operator!(
    Add add _mm512_add_pd _mm256_add_pd,
    Sub sub _mm512_sub_pd _mm256_sub_pd,
    Mul mul _mm512_mul_pd _mm256_mul_pd,
    Div div _mm512_div_pd _mm256_div_pd
);

macro_rules! derived_operators {
    ($($type:ident),*) => {$(
        impl AddAssign for $type {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
        impl SubAssign for $type {
            #[inline(always)]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
        impl Default for $type {
            #[inline(always)]
            fn default() -> Self {
                Self::from_f64(0.0)
            }
        }
        impl PartialEq for $type {
            #[inline(always)]
            fn eq(&self, o: &Self) -> bool {
                self.lanes() == o.lanes()
            }
        }
        impl $type {
            #[inline(always)]
            fn lanes(self) -> Lanes<8> {
                let mut out = Lanes([0.0; 8]);
                self.store(&mut out);
                out
            }
        }
    )*};
}
derived_operators!(Zmm, YmmPair);

impl Neg for Zmm {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        unsafe { Zmm(_mm512_xor_pd(self.0, _mm512_set1_pd(-0.0))) }
    }
}
impl Neg for YmmPair {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            YmmPair(_mm256_xor_pd(self.0, sign), _mm256_xor_pd(self.1, sign))
        }
    }
}

impl Real for Zmm {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        unsafe { Zmm(_mm512_set1_pd(x)) }
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        unsafe { Zmm(_mm512_fmadd_pd(self.0, a.0, b.0)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { Zmm(_mm512_sqrt_pd(self.0)) }
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        crate::algebra::sin_cos(self)
    }
}
impl Real for YmmPair {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        unsafe { YmmPair(_mm256_set1_pd(x), _mm256_set1_pd(x)) }
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        unsafe { YmmPair(_mm256_fmadd_pd(self.0, a.0, b.0), _mm256_fmadd_pd(self.1, a.1, b.1)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { YmmPair(_mm256_sqrt_pd(self.0), _mm256_sqrt_pd(self.1)) }
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        crate::algebra::sin_cos(self)
    }
}

impl Eight for Zmm {
    #[inline(always)]
    fn load(from: &Lanes<8>) -> Self {
        unsafe { Zmm(_mm512_load_pd(from.0.as_ptr())) }
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes<8>) {
        unsafe { _mm512_store_pd(to.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn from_array(x: [f64; 8]) -> Self {
        unsafe { Zmm(_mm512_set_pd(x[7], x[6], x[5], x[4], x[3], x[2], x[1], x[0])) }
    }
    #[inline(always)]
    fn with_lane(self, lane: usize, x: f64) -> Self {
        unsafe { Zmm(_mm512_mask_broadcastsd_pd(self.0, 1 << (lane % 8), _mm_set_sd(x))) }
    }
    #[inline(always)]
    fn lane(self, lane: usize) -> f64 {
        unsafe { _mm512_cvtsd_f64(self.splat(lane).0) }
    }
    #[inline(always)]
    fn splat(self, lane: usize) -> Self {
        unsafe { Zmm(_mm512_permutexvar_pd(_mm512_set1_epi64(lane as i64 % 8), self.0)) }
    }
    #[inline(always)]
    fn join(self, tail: Self, from: usize) -> Self {
        unsafe { Zmm(_mm512_mask_blend_pd(!first_bits(from), self.0, tail.0)) }
    }
    #[inline(always)]
    fn load_some(from: &[f64]) -> Self {
        // a lane whose bit is 0 is not read
        unsafe { Zmm(_mm512_maskz_loadu_pd(first_bits(from.len()), from.as_ptr())) }
    }
    #[inline(always)]
    fn store_some(self, to: &mut [f64]) {
        // a lane whose bit is 0 is not written
        unsafe { _mm512_mask_storeu_pd(to.as_mut_ptr(), first_bits(to.len()), self.0) }
    }
    #[inline(always)]
    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        unsafe {
            let [a, b, c, d, e, f, g, h] =
                [rows[0].0, rows[1].0, rows[2].0, rows[3].0, rows[4].0, rows[5].0, rows[6].0, rows[7].0];
            // pairs of lanes, then pairs of pairs, then halves
            let (ab0, ab1) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            let (cd0, cd1) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
            let (ef0, ef1) = (_mm512_unpacklo_pd(e, f), _mm512_unpackhi_pd(e, f));
            let (gh0, gh1) = (_mm512_unpacklo_pd(g, h), _mm512_unpackhi_pd(g, h));
            let (ac0, ac2) = (_mm512_shuffle_f64x2::<0x88>(ab0, cd0), _mm512_shuffle_f64x2::<0xdd>(ab0, cd0));
            let (ac1, ac3) = (_mm512_shuffle_f64x2::<0x88>(ab1, cd1), _mm512_shuffle_f64x2::<0xdd>(ab1, cd1));
            let (eg0, eg2) = (_mm512_shuffle_f64x2::<0x88>(ef0, gh0), _mm512_shuffle_f64x2::<0xdd>(ef0, gh0));
            let (eg1, eg3) = (_mm512_shuffle_f64x2::<0x88>(ef1, gh1), _mm512_shuffle_f64x2::<0xdd>(ef1, gh1));
            [
                Zmm(_mm512_shuffle_f64x2::<0x88>(ac0, eg0)),
                Zmm(_mm512_shuffle_f64x2::<0x88>(ac1, eg1)),
                Zmm(_mm512_shuffle_f64x2::<0x88>(ac2, eg2)),
                Zmm(_mm512_shuffle_f64x2::<0x88>(ac3, eg3)),
                Zmm(_mm512_shuffle_f64x2::<0xdd>(ac0, eg0)),
                Zmm(_mm512_shuffle_f64x2::<0xdd>(ac1, eg1)),
                Zmm(_mm512_shuffle_f64x2::<0xdd>(ac2, eg2)),
                Zmm(_mm512_shuffle_f64x2::<0xdd>(ac3, eg3)),
            ]
        }
    }
    #[inline(always)]
    fn all_at_most(self, limit: f64) -> bool {
        unsafe { _mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, _mm512_set1_pd(limit)) == 0xff }
    }
    #[inline(always)]
    fn choose_below(self, limit: f64, below: Self, otherwise: Self) -> Self {
        unsafe {
            let less = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, _mm512_set1_pd(limit));
            Zmm(_mm512_mask_blend_pd(less, otherwise.0, below.0))
        }
    }
}

/// A mask with a bit for each of the first eight elements of a slice.
#[inline(always)]
fn first_bits(len: usize) -> u8 {
    if len >= 8 { 0xff } else { (1 << len) - 1 }
}
impl Eight for YmmPair {
    #[inline(always)]
    fn load(from: &Lanes<8>) -> Self {
        unsafe { YmmPair(_mm256_load_pd(from.0.as_ptr()), _mm256_load_pd(from.0.as_ptr().add(4))) }
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes<8>) {
        unsafe {
            _mm256_store_pd(to.0.as_mut_ptr(), self.0);
            _mm256_store_pd(to.0.as_mut_ptr().add(4), self.1);
        }
    }
    #[inline(always)]
    fn from_array(x: [f64; 8]) -> Self {
        unsafe { YmmPair(_mm256_set_pd(x[3], x[2], x[1], x[0]), _mm256_set_pd(x[7], x[6], x[5], x[4])) }
    }
    #[inline(always)]
    fn with_lane(self, lane: usize, x: f64) -> Self {
        let lane = lane % 8;
        let x = unsafe { _mm256_set1_pd(x) };
        YmmPair(with(self.0, lane, x), with(self.1, lane.wrapping_sub(4), x))
    }
    #[inline(always)]
    fn lane(self, lane: usize) -> f64 {
        unsafe { _mm256_cvtsd_f64(self.splat(lane).0) }
    }
    #[inline(always)]
    fn splat(self, lane: usize) -> Self {
        unsafe {
            let half = if lane % 8 < 4 { self.0 } else { self.1 };
            let x = match lane % 4 {
                0 => _mm256_permute4x64_pd::<0x00>(half),
                1 => _mm256_permute4x64_pd::<0x55>(half),
                2 => _mm256_permute4x64_pd::<0xaa>(half),
                _ => _mm256_permute4x64_pd::<0xff>(half),
            };
            YmmPair(x, x)
        }
    }
    #[inline(always)]
    fn join(self, tail: Self, from: usize) -> Self {
        #[inline(always)]
        unsafe fn half(a: __m256d, b: __m256d, from: usize) -> __m256d {
            unsafe {
                match from {
                    0 => b,
                    1 => _mm256_blend_pd::<0b1110>(a, b),
                    2 => _mm256_blend_pd::<0b1100>(a, b),
                    3 => _mm256_blend_pd::<0b1000>(a, b),
                    _ => a,
                }
            }
        }
        unsafe { YmmPair(half(self.0, tail.0, from), half(self.1, tail.1, from.saturating_sub(4))) }
    }
    #[inline(always)]
    fn load_some(from: &[f64]) -> Self {
        let (low, high) = from.split_at(from.len().min(4));
        YmmPair(load_half(low), load_half(high))
    }
    #[inline(always)]
    fn store_some(self, to: &mut [f64]) {
        let (low, high) = to.split_at_mut(to.len().min(4));
        store_half(self.0, low);
        store_half(self.1, high);
    }
    #[inline(always)]
    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        let [a, b, c, d, e, f, g, h] = rows;
        let (low_left, low_right) =
            (transpose_four([a.0, b.0, c.0, d.0]), transpose_four([e.0, f.0, g.0, h.0]));
        let (high_left, high_right) =
            (transpose_four([a.1, b.1, c.1, d.1]), transpose_four([e.1, f.1, g.1, h.1]));
        std::array::from_fn(|k| match k {
            0..4 => YmmPair(low_left[k], low_right[k]),
            _ => YmmPair(high_left[k - 4], high_right[k - 4]),
        })
    }
    #[inline(always)]
    fn all_at_most(self, limit: f64) -> bool {
        unsafe {
            let limit = _mm256_set1_pd(limit);
            let within = |four| _mm256_cmp_pd::<_CMP_LE_OQ>(four, limit);
            _mm256_movemask_pd(_mm256_and_pd(within(self.0), within(self.1))) == 0xf
        }
    }
    #[inline(always)]
    fn choose_below(self, limit: f64, below: Self, otherwise: Self) -> Self {
        #[inline(always)]
        unsafe fn half(x: __m256d, limit: f64, below: __m256d, otherwise: __m256d) -> __m256d {
            unsafe {
                let less = _mm256_cmp_pd::<_CMP_LT_OQ>(x, _mm256_set1_pd(limit));
                _mm256_blendv_pd(otherwise, below, less)
            }
        }
        unsafe {
            YmmPair(half(self.0, limit, below.0, otherwise.0), half(self.1, limit, below.1, otherwise.1))
        }
    }
}

/// `x` in lane `lane` of four; no change for other lane numbers.
#[inline(always)]
fn with(four: __m256d, lane: usize, x: __m256d) -> __m256d {
    unsafe {
        match lane {
            0 => _mm256_blend_pd::<0b0001>(four, x),
            1 => _mm256_blend_pd::<0b0010>(four, x),
            2 => _mm256_blend_pd::<0b0100>(four, x),
            3 => _mm256_blend_pd::<0b1000>(four, x),
            _ => four,
        }
    }
}

/// The first four numbers, or as many as there are; zeros after them.
#[inline(always)]
fn load_half(from: &[f64]) -> __m256d {
    let p = from.as_ptr();
    // what is read is in the slice; a lane whose mask is 0 is not read
    unsafe {
        match from.len() {
            0 => _mm256_setzero_pd(),
            1 => _mm256_zextpd128_pd256(_mm_load_sd(p)),
            2 => _mm256_zextpd128_pd256(_mm_loadu_pd(p)),
            3 => _mm256_maskload_pd(p, _mm256_set_epi64x(0, -1, -1, -1)),
            _ => _mm256_loadu_pd(p),
        }
    }
}

/// Stores the first four lanes, or as many as fit; in pieces, since masked stores are slow on some processors.
#[inline(always)]
fn store_half(four: __m256d, to: &mut [f64]) {
    let p = to.as_mut_ptr();
    // what is written is in the slice
    unsafe {
        let low = _mm256_castpd256_pd128(four);
        match to.len() {
            0 => {}
            1 => _mm_store_sd(p, low),
            2 => _mm_storeu_pd(p, low),
            3 => {
                _mm_storeu_pd(p, low);
                _mm_store_sd(p.add(2), _mm256_extractf128_pd::<1>(four));
            }
            _ => _mm256_storeu_pd(p, four),
        }
    }
}

#[inline(always)]
fn transpose_four([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    unsafe {
        let (ab0, ab1) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd0, cd1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(ab0, cd0),
            _mm256_permute2f128_pd::<0x20>(ab1, cd1),
            _mm256_permute2f128_pd::<0x31>(ab0, cd0),
            _mm256_permute2f128_pd::<0x31>(ab1, cd1),
        ]
    }
}

impl Quadrants for Zmm {
    #[inline(always)]
    fn select_quadrant(shifted: Self, sin_r: Self, cos_r: Self) -> (Self, Self) {
        unsafe {
            let n = _mm512_castpd_si512(shifted.0);
            let odd = _mm512_test_epi64_mask(n, _mm512_set1_epi64(1));
            let s = _mm512_mask_blend_pd(odd, sin_r.0, cos_r.0);
            let c = _mm512_mask_blend_pd(odd, cos_r.0, sin_r.0);
            let sign = |n: __m512i| {
                let bit = _mm512_and_si512(n, _mm512_set1_epi64(2));
                _mm512_castsi512_pd(_mm512_slli_epi64::<62>(bit))
            };
            let after = _mm512_add_epi64(n, _mm512_set1_epi64(1));
            (Zmm(_mm512_xor_pd(s, sign(n))), Zmm(_mm512_xor_pd(c, sign(after))))
        }
    }
    #[inline(always)]
    fn reduce_large(x: Self, pair: (Self, Self), exact: fn(f64) -> (f64, f64)) -> (Self, Self) {
        let within = unsafe {
            let limit = _mm512_set1_pd(REDUCTION_LIMIT);
            _mm512_cmp_pd_mask::<_CMP_LE_OQ>(_mm512_abs_pd(x.0), limit)
        };
        if within == 0xff {
            return pair;
        }
        let (s, c) = mend_lanes(x.lanes(), (pair.0.lanes(), pair.1.lanes()), exact);
        (Self::load(&s), Self::load(&c))
    }
}
impl Quadrants for YmmPair {
    #[inline(always)]
    fn select_quadrant(shifted: Self, sin_r: Self, cos_r: Self) -> (Self, Self) {
        #[inline(always)]
        unsafe fn half(n: __m256d, sin_r: __m256d, cos_r: __m256d) -> (__m256d, __m256d) {
            unsafe {
                let n = _mm256_castpd_si256(n);
                // blendv looks at the sign bit: move bit 0 there
                let odd = _mm256_castsi256_pd(_mm256_slli_epi64::<63>(n));
                let s = _mm256_blendv_pd(sin_r, cos_r, odd);
                let c = _mm256_blendv_pd(cos_r, sin_r, odd);
                let after = _mm256_add_epi64(n, _mm256_set1_epi64x(1));
                let bit = |n| _mm256_and_si256(n, _mm256_set1_epi64x(2));
                let sign = |n| _mm256_castsi256_pd(_mm256_slli_epi64::<62>(bit(n)));
                (_mm256_xor_pd(s, sign(n)), _mm256_xor_pd(c, sign(after)))
            }
        }
        unsafe {
            let (s0, c0) = half(shifted.0, sin_r.0, cos_r.0);
            let (s1, c1) = half(shifted.1, sin_r.1, cos_r.1);
            (YmmPair(s0, s1), YmmPair(c0, c1))
        }
    }
    #[inline(always)]
    fn reduce_large(x: Self, pair: (Self, Self), exact: fn(f64) -> (f64, f64)) -> (Self, Self) {
        let lanes = x.lanes();
        if lanes.0.iter().all(|x| x.abs() <= REDUCTION_LIMIT) {
            return pair;
        }
        let (s, c) = mend_lanes(lanes, (pair.0.lanes(), pair.1.lanes()), exact);
        (Self::load(&s), Self::load(&c))
    }
}
