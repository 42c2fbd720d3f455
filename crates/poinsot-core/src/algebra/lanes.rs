//! Several `f64` side by side, and the choice of instruction set at run time.
//!
//! A kernel is written once, generic over [`Isa`]; [`dispatch`] runs it inside a function compiled for the best instruction set of this
//! processor (AVX-512, AVX2 + FMA, or whatever the target guarantees). Scalar code gains too: outside such a function `mul_add` is a
//! library call in a baseline build. Every operation is the same IEEE operation in each lane, so all instruction sets give the same bits.
//!
//! This is the only module with `unsafe`: (1) `dispatch` calls a function compiled for features it has just detected; (2) the intrinsics of
//! `x86` are reachable only through types that only `dispatch` names; (3) `flat` reads cells as the numbers they consist of.
#![allow(unsafe_code)]

use super::{Quadrants, REDUCTION_LIMIT, Real};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `N` numbers side by side, with lane-wise operations.
///
/// ```
/// use poinsot_core::algebra::{Lanes, Real};
/// let x = Lanes([1.0, 4.0, 9.0, 16.0]);
/// assert_eq!(x.sqrt() + Lanes::from_f64(1.0), Lanes([2.0, 3.0, 4.0, 5.0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes<const N: usize>(pub [f64; N]);

impl<const N: usize> Default for Lanes<N> {
    fn default() -> Self {
        Self([0.0; N])
    }
}

macro_rules! lane_operator {
    ($($trait:ident $method:ident),*) => {$(
        impl<const N: usize> $trait for Lanes<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self(std::array::from_fn(|k| self.0[k].$method(o.0[k])))
            }
        }
    )*};
}
lane_operator!(Add add, Sub sub, Mul mul, Div div);

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}
impl<const N: usize> AddAssign for Lanes<N> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<const N: usize> SubAssign for Lanes<N> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<const N: usize> Real for Lanes<N> {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k].mul_add(a.0[k], b.0[k])))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        crate::algebra::sin_cos(self)
    }
}

impl<const N: usize> Quadrants for Lanes<N> {
    #[inline(always)]
    fn select_quadrant(shifted: Self, sin_r: Self, cos_r: Self) -> (Self, Self) {
        let pairs: [(f64, f64); N] =
            std::array::from_fn(|k| f64::select_quadrant(shifted.0[k], sin_r.0[k], cos_r.0[k]));
        (Self(pairs.map(|p| p.0)), Self(pairs.map(|p| p.1)))
    }
    #[inline(always)]
    fn reduce_large(x: Self, pair: (Self, Self), exact: fn(f64) -> (f64, f64)) -> (Self, Self) {
        if x.0.iter().all(|x| x.abs() <= REDUCTION_LIMIT) { pair } else { mend_lanes(x, pair, exact) }
    }
}

#[cold]
#[inline(never)]
fn mend_lanes<const N: usize>(
    x: Lanes<N>,
    (mut s, mut c): (Lanes<N>, Lanes<N>),
    exact: fn(f64) -> (f64, f64),
) -> (Lanes<N>, Lanes<N>) {
    for k in 0..N {
        (s.0[k], c.0[k]) = f64::reduce_large(x.0[k], (s.0[k], c.0[k]), exact);
    }
    (s, c)
}

/// The entries of some cells as one slice.
pub fn flat(cells: &[Lanes<8>]) -> &[f64] {
    // SAFETY: a cell is eight numbers and nothing else: `repr(C)`, and its alignment is its size.
    unsafe { std::slice::from_raw_parts(cells.as_ptr().cast(), 8 * cells.len()) }
}

/// Eight lanes in registers while a kernel runs, stored as [`Lanes<8>`] in memory.
pub trait Eight: Quadrants {
    /// Reads eight numbers.
    fn load(from: &Lanes<8>) -> Self;
    /// Writes eight numbers.
    fn store(self, to: &mut Lanes<8>);
    /// The eight numbers given, without going through memory.
    fn from_array(x: [f64; 8]) -> Self;
    /// Replaces lane `lane` by `x`, without going through memory.
    fn with_lane(self, lane: usize, x: f64) -> Self;
    /// The number in lane `lane`.
    fn lane(self, lane: usize) -> f64;
    /// Broadcasts lane `lane` to all lanes, without going through memory.
    fn splat(self, lane: usize) -> Self;
    /// The lanes of `self` before `from`, and those of `tail` from there on.
    fn join(self, tail: Self, from: usize) -> Self;
    /// Reads the first eight numbers, or as many as there are; the rest are zeros.
    fn load_some(from: &[f64]) -> Self;
    /// Writes to the first eight places, or as many as there are.
    fn store_some(self, to: &mut [f64]);
    /// Lane j of row i becomes lane i of row j.
    fn transpose(rows: [Self; 8]) -> [Self; 8];
    /// True if every lane is at most `limit`; false for NaN.
    fn all_at_most(self, limit: f64) -> bool;
    /// The lanes of `below` where those of `self` are less than `limit`, and those of `otherwise` elsewhere.
    fn choose_below(self, limit: f64, below: Self, otherwise: Self) -> Self;
}

/// Gathers `N` ≤ 8 consecutive numbers from each of eight places: result k holds the k-th of all places; results beyond N are zeros.
#[inline(always)]
pub fn gather<W: Eight, const N: usize>(x: &[f64], at: &[usize]) -> [W; 8] {
    let row = |l: usize| W::load_some(&x[at[l]..at[l] + N]);
    W::transpose([row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)])
}

/// The inverse of [`gather`].
#[inline(always)]
pub fn scatter<W: Eight, const N: usize>(columns: [W; 8], x: &mut [f64], at: &[usize]) {
    let rows = W::transpose(columns);
    for l in 0..8 {
        rows[l].store_some(&mut x[at[l]..at[l] + N]);
    }
}

impl Eight for Lanes<8> {
    #[inline(always)]
    fn load(from: &Lanes<8>) -> Self {
        *from
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes<8>) {
        *to = self;
    }
    #[inline(always)]
    fn from_array(x: [f64; 8]) -> Self {
        Lanes(x)
    }
    #[inline(always)]
    fn with_lane(mut self, lane: usize, x: f64) -> Self {
        self.0[lane % 8] = x;
        self
    }
    #[inline(always)]
    fn lane(self, lane: usize) -> f64 {
        self.0[lane % 8]
    }
    #[inline(always)]
    fn splat(self, lane: usize) -> Self {
        Lanes([self.0[lane % 8]; 8])
    }
    #[inline(always)]
    fn join(mut self, tail: Self, from: usize) -> Self {
        for k in 0..8 {
            self.0[k] = if k < from { self.0[k] } else { tail.0[k] };
        }
        self
    }
    #[inline(always)]
    fn load_some(from: &[f64]) -> Self {
        let (mut out, n) = ([0.0; 8], from.len().min(8));
        out[..n].copy_from_slice(&from[..n]);
        Lanes(out)
    }
    #[inline(always)]
    fn store_some(self, to: &mut [f64]) {
        let n = to.len().min(8);
        to[..n].copy_from_slice(&self.0[..n]);
    }
    #[inline(always)]
    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        std::array::from_fn(|j| Lanes(std::array::from_fn(|i| rows[i].0[j])))
    }
    #[inline(always)]
    fn all_at_most(self, limit: f64) -> bool {
        self.0.iter().all(|x| *x <= limit)
    }
    #[inline(always)]
    fn choose_below(self, limit: f64, below: Self, otherwise: Self) -> Self {
        Lanes(std::array::from_fn(|k| if self.0[k] < limit { below.0[k] } else { otherwise.0[k] }))
    }
}

/// An instruction set: the register type for eight lanes.
pub trait Isa: Copy + 'static {
    /// Eight `f64` in registers.
    type F64x8: Eight;
    /// The number of such registers.
    const REGISTERS: usize;
}

/// Whatever the compilation target guarantees.
#[derive(Clone, Copy, Debug)]
pub struct Portable;
impl Isa for Portable {
    type F64x8 = Lanes<8>;
    const REGISTERS: usize = 8;
}

/// Work to be compiled once for each instruction set. `run` must be `#[inline(always)]`, and everything it calls too.
pub trait Kernel {
    /// The result type.
    type Output;
    /// Does the work.
    fn run<I: Isa>(self) -> Self::Output;
}

/// Runs `kernel` compiled for the best instruction set of this processor.
///
/// The choice affects the speed, but not a bit of the result.
#[inline]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        static LEVEL: std::sync::OnceLock<x86::Level> = std::sync::OnceLock::new();
        match LEVEL.get_or_init(x86::level) {
            // SAFETY: `level` has detected the features that `run_avx512` is compiled for.
            x86::Level::Avx512 => return unsafe { x86::run_avx512(kernel) },
            // SAFETY: `level` has detected the features that `run_avx2` is compiled for.
            x86::Level::Avx2 => return unsafe { x86::run_avx2(kernel) },
            x86::Level::Baseline => {}
        }
    }
    kernel.run::<Portable>()
}

/// True if `mul_add` is one instruction here, or [`dispatch`] makes it one. Otherwise it is emulated in software: the same bits, but a step
/// takes about fifty times as long.
pub fn has_fused_multiply_add() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        !matches!(x86::level(), x86::Level::Baseline)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        cfg!(any(target_arch = "aarch64", target_arch = "riscv64", target_feature = "fma"))
    }
}

/// Runs `kernel` compiled for AVX2, even if there is something better; `None` without AVX2.
#[cfg(test)]
pub(crate) fn run_on_avx2<K: Kernel>(kernel: K) -> Option<K::Output> {
    #[cfg(target_arch = "x86_64")]
    if x86::has_avx2() {
        // SAFETY: detected in the line above.
        return Some(unsafe { x86::run_avx2(kernel) });
    }
    let _ = kernel;
    None
}

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation of `Eight`, chained, on a few awkward numbers.
    struct Everything(Lanes<8>, Lanes<8>);
    impl Kernel for Everything {
        type Output = [Lanes<8>; 8];
        #[inline(always)]
        fn run<I: Isa>(self) -> Self::Output {
            let (a, b) = (I::F64x8::load(&self.0), I::F64x8::load(&self.1));
            let (s, c) = a.sin_cos();
            let mut out = [Lanes::default(); 8];
            for (x, o) in
                [a + b, a - b, a * b, a / b, a.mul_add(b, -a), (b * b).sqrt(), s, c].iter().zip(&mut out)
            {
                x.store(o);
            }
            out
        }
    }

    fn bits(out: [Lanes<8>; 8]) -> Vec<u64> {
        out.iter().flat_map(|l| l.0.map(f64::to_bits)).collect()
    }

    #[test]
    fn all_instruction_sets_give_the_same_bits() {
        let mut x = 1.0e-3;
        for round in 0..2000 {
            let next = |x: &mut f64| {
                *x = (*x * 1.7 + 0.3) % 97.0;
                if round % 50 == 7 { *x * 1e9 } else { *x - 40.0 }
            };
            let (a, b) = (Lanes([0.0; 8].map(|_| next(&mut x))), Lanes([0.0; 8].map(|_| next(&mut x))));
            let portable = bits(Everything(a, b).run::<Portable>());
            assert_eq!(portable, bits(dispatch(Everything(a, b))), "at {a:?} {b:?}");
            #[cfg(target_arch = "x86_64")]
            if x86::has_avx2() {
                // SAFETY: detected in the line above.
                assert_eq!(portable, bits(unsafe { x86::run_avx2(Everything(a, b)) }));
            }
            for (k, x) in a.0.iter().enumerate() {
                let (s, c) = crate::algebra::sin_cos(*x);
                assert_eq!((s.to_bits(), c.to_bits()), (portable[48 + k], portable[56 + k]));
            }
        }
    }

    /// The operations that permute lanes.
    struct Moves([Lanes<8>; 8]);
    impl Kernel for Moves {
        type Output = [Lanes<8>; 8];
        #[inline(always)]
        fn run<I: Isa>(self) -> Self::Output {
            let mut rows = I::F64x8::transpose(self.0.map(|r| I::F64x8::load(&r)));
            rows[1] = rows[1].with_lane(5, -1.0);
            rows[2] = I::F64x8::load_some(&self.0[2].0[..3]);
            rows[3] = I::F64x8::from_array(self.0[3].0);
            let mut some = [7.0; 6];
            rows[4].store_some(&mut some[..5]);
            rows[4] = I::F64x8::load_some(&some);
            rows[5] = rows[5].splat(6);
            rows[6] = rows[6].join(rows[0], 3).with_lane(7, rows[0].lane(5));
            rows[7] = rows[7].choose_below(35.0, rows[0], rows[7]);
            if !rows[0].all_at_most(56.0)
                || rows[0].all_at_most(55.0)
                || rows[0].splat(1).all_at_most(f64::NAN)
            {
                rows[0] = rows[1];
            }
            rows.map(|r| {
                let mut out = Lanes::default();
                r.store(&mut out);
                out
            })
        }
    }

    #[test]
    fn lanes_move_alike_on_all_instruction_sets() {
        let rows = std::array::from_fn(|i| Lanes(std::array::from_fn(|j| (8 * i + j) as f64)));
        let moved = Moves(rows).run::<Portable>();
        assert_eq!(moved[0].0, [0.0, 8.0, 16.0, 24.0, 32.0, 40.0, 48.0, 56.0]);
        assert_eq!(moved[7].0, [0.0, 8.0, 16.0, 24.0, 39.0, 47.0, 55.0, 63.0]);
        assert_eq!((moved[1].0[5], moved[1].0[6]), (-1.0, 49.0));
        assert_eq!(moved[2].0, [16.0, 17.0, 18.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(moved[4].0, [4.0, 12.0, 20.0, 28.0, 36.0, 7.0, 0.0, 0.0]);
        assert_eq!(moved[5].0, [53.0; 8]);
        assert_eq!(moved[6].0, [6.0, 14.0, 22.0, 24.0, 32.0, 40.0, 48.0, 40.0]);
        assert_eq!(bits(moved), bits(dispatch(Moves(rows))));
        #[cfg(target_arch = "x86_64")]
        if x86::has_avx2() {
            // SAFETY: detected in the line above.
            assert_eq!(bits(moved), bits(unsafe { x86::run_avx2(Moves(rows)) }));
        }
    }

    #[test]
    fn sine_and_cosine_are_libm_s_to_one_unit_in_the_last_place() {
        let mut worst = 0.0f64;
        for k in -200_000..200_000 {
            let x = k as f64 * 1.37e-3;
            let (s, c) = crate::algebra::sin_cos(x);
            worst = worst.max((s - libm::sin(x)).abs()).max((c - libm::cos(x)).abs());
        }
        assert!(worst <= 1.2e-16, "{worst:e}");
        assert!(crate::algebra::sin_cos(1e22).0 == libm::sin(1e22));
    }
}
