//! Sine and cosine of one number or of several side by side, with the same bits in every lane and on every machine.
//!
//! The argument is reduced by `x = n π/2 + r`, |r| ≤ π/4, with π/2 split in two doubles [CodyWaite80]; the
//! kernel polynomials on [-π/4, π/4] are those of fdlibm [fdlibm93], evaluated with fused multiply-adds; the
//! quadrant `n mod 4` then swaps and signs them. Beyond |x| = 2³⁰ the reduction of `libm` takes over.

use super::Real;

/// Lanes in which the quadrant can be undone: the requirement of [`sin_cos`] beyond [`Real`].
pub trait Quadrants: Real {
    /// Given `shifted = n + 1.5·2⁵²`, whose low mantissa bits are n, and (sin r, cos r): (sin x, cos x).
    fn select_quadrant(shifted: Self, sin_r: Self, cos_r: Self) -> (Self, Self);
    /// Calls `exact` for every lane of `x` beyond the range of the reduction and stores its result in `pair`.
    fn reduce_large(x: Self, pair: (Self, Self), exact: fn(f64) -> (f64, f64)) -> (Self, Self);
}

/// The largest argument reduced in two steps; n stays far below 2⁵¹ and n·(π/2 − P1 − P2) below 1e-23.
pub const REDUCTION_LIMIT: f64 = (1u64 << 30) as f64;

const SHIFT: f64 = 6755399441055744.0; // 1.5·2⁵²: adding it rounds to an integer
const P1: f64 = std::f64::consts::FRAC_PI_2;
const P2: f64 = 6.123_233_995_736_766e-17;

/// sin x and cos x to about one unit in the last place.
///
/// ```
/// let (s, c) = poinsot_core::algebra::sin_cos(0.5_f64);
/// assert!((s - 0.479_425_538_604_203).abs() < 1e-15 && (c - 0.877_582_561_890_372_7).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn sin_cos<T: Quadrants>(x: T) -> (T, T) {
    let shift = T::from_f64(SHIFT);
    let shifted = x.mul_add(T::from_f64(std::f64::consts::FRAC_2_PI), shift);
    let n = shifted - shift;
    let r = (-n).mul_add(T::from_f64(P2), (-n).mul_add(T::from_f64(P1), x));
    let z = r * r;
    let z2 = z * z;
    let sin_poly = polynomial(
        z,
        z2,
        [
            -1.666_666_666_666_663_2e-1,
            8.333_333_333_322_49e-3,
            -1.984_126_982_985_795e-4,
            2.755_731_370_707_006_8e-6,
            -2.505_076_025_340_686_4e-8,
            1.589_690_995_211_55e-10,
        ],
    );
    let cos_poly = polynomial(
        z,
        z2,
        [
            4.166_666_666_666_66e-2,
            -1.388_888_888_887_411e-3,
            2.480_158_728_947_673e-5,
            -2.755_731_435_139_066_3e-7,
            2.087_572_321_298_175e-9,
            -1.135_964_755_778_819_5e-11,
        ],
    );
    let sin_r = (r * z).mul_add(sin_poly, r);
    let cos_r = z2.mul_add(cos_poly, z.mul_add(T::from_f64(-0.5), T::one()));
    T::reduce_large(x, T::select_quadrant(shifted, sin_r, cos_r), libm::sincos)
}

/// c₀ + c₁ z + … + c₅ z⁵ in pairs (Estrin): as many operations as Horner's rule, at half the latency.
#[inline(always)]
fn polynomial<T: Real>(z: T, z2: T, c: [f64; 6]) -> T {
    let k = [T::from_f64(c[0]), T::from_f64(c[1]), T::from_f64(c[2])];
    let l = [T::from_f64(c[3]), T::from_f64(c[4]), T::from_f64(c[5])];
    let (low, middle, high) = (k[1].mul_add(z, k[0]), l[0].mul_add(z, k[2]), l[2].mul_add(z, l[1]));
    high.mul_add(z2, middle).mul_add(z2, low)
}

impl Quadrants for f64 {
    #[inline(always)]
    fn select_quadrant(shifted: f64, sin_r: f64, cos_r: f64) -> (f64, f64) {
        let n = shifted.to_bits();
        let (s, c) = if n & 1 == 0 { (sin_r, cos_r) } else { (cos_r, sin_r) };
        let (sign_s, sign_c) = ((n & 2) << 62, (n.wrapping_add(1) & 2) << 62);
        (f64::from_bits(s.to_bits() ^ sign_s), f64::from_bits(c.to_bits() ^ sign_c))
    }
    #[inline(always)]
    fn reduce_large(x: f64, pair: (f64, f64), exact: fn(f64) -> (f64, f64)) -> (f64, f64) {
        if x.abs() <= REDUCTION_LIMIT { pair } else { exact(x) }
    }
}
