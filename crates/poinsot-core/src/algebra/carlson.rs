//! Carlson's symmetric elliptic integral of the third kind, by duplication [Carlson95].
//!
//! ```math
//! R_J(x, y, z, p) = (3/2) ∫₀^∞ dt / ((t + p) √((t + x)(t + y)(t + z)))
//! ```
//! Each duplication maps every argument w to (w + λ)/4 with λ = √x√y + √y√z + √z√x, which brings them four times closer together at the
//! cost of one elementary term; the remainder is a Taylor series about their mean. There is no cancellation for positive arguments, and one
//! of x, y, z may be 0 (the complete integral).

/// Relative spread of the arguments below which the series to seventh order is exact to round-off.
const SPREAD: f64 = 0.01;

/// R_J(x, y, z, p) for x, y, z ≥ 0, at most one of them 0, and p ≥ max(x, y, z).
///
/// The last condition restricts the elementary terms to arctangents; it always holds for the rotor.
///
/// ```
/// use poinsot_core::algebra::carlson_rj;
/// assert!((carlson_rj(1.0, 1.0, 1.0, 1.0) - 1.0).abs() < 1e-15);
/// // [Carlson95]
/// assert!((carlson_rj(0.0, 1.0, 2.0, 3.0) - 0.7768862377858233).abs() < 1e-15);
/// ```
pub fn carlson_rj(mut x: f64, mut y: f64, mut z: f64, mut p: f64) -> f64 {
    let mean = 0.2 * (x + y + z + 2.0 * p);
    let smallest = x.min(y).min(z);
    let mut spread = (p - mean).max(mean - smallest);
    let mut product = (p - x) * (p - y) * (p - z);
    let (mut quarter, mut sum) = (1.0, 0.0);
    let mut a = mean;
    while spread > SPREAD * a {
        let (rx, ry, rz, rp) = (x.sqrt(), y.sqrt(), z.sqrt(), p.sqrt());
        let lambda = rx * ry + ry * rz + rz * rx;
        let d = (rp + rx) * (rp + ry) * (rp + rz);
        sum += quarter / d * arctan_ratio(product / (d * d));
        (x, y, z, p) = (0.25 * (x + lambda), 0.25 * (y + lambda), 0.25 * (z + lambda), 0.25 * (p + lambda));
        a = 0.25 * (a + lambda);
        quarter *= 0.25;
        spread *= 0.25;
        product *= 1.0 / 64.0;
    }
    quarter * series(x, y, z, p, a) / (a * a.sqrt()) + 6.0 * sum
}

/// R_J / a^(−3/2) near x = y = z = p = a, in the elementary symmetric functions of the five deviations
/// [DLMF, 19.36].
fn series(x: f64, y: f64, z: f64, p: f64, a: f64) -> f64 {
    let k = 1.0 / a;
    let (x, y, z, p) = ((a - x) * k, (a - y) * k, (a - z) * k, (a - p) * k);
    let (xyz, p2) = (x * y * z, p * p);
    let e2 = x * y + y * z + z * x - 3.0 * p2;
    let e3 = xyz + 2.0 * e2 * p + 4.0 * p2 * p;
    let e4 = (2.0 * xyz + e2 * p + 3.0 * p2 * p) * p;
    let e5 = xyz * p2;
    1.0 - 3.0 / 14.0 * e2 + e3 / 6.0 + 9.0 / 88.0 * e2 * e2 - 3.0 / 22.0 * e4 - 9.0 / 52.0 * e2 * e3
        + 3.0 / 26.0 * e5
        - e2 * e2 * e2 / 16.0
        + 3.0 / 40.0 * e3 * e3
        + 3.0 / 20.0 * e2 * e4
        + 45.0 / 272.0 * e2 * e2 * e3
        - 9.0 / 68.0 * (e3 * e4 + e2 * e5)
}

/// R_C(1, 1 + e) = arctan √e / √e for e ≥ 0.
fn arctan_ratio(e: f64) -> f64 {
    if e < 1e-2 {
        let odd = [1.0, -1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0, 1.0 / 13.0];
        odd.iter().rev().fold(-1.0 / 15.0, |acc, k| acc * e + k)
    } else {
        let root = e.sqrt();
        libm::atan(root) / root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // mpmath 1.3, 40 digits
        for (x, y, z, p, rj) in [
            (0.0, 1.0, 2.0, 3.0, 0.7768862377858233),
            (2.0, 3.0, 4.0, 5.0, 0.14297579667156754),
            (0.0, 1e-10, 1.0, 1.5, 24.05760015080958),
            (1e-08, 1e-08, 1.0, 2.0, 13.677134222619848),
            (0.9, 0.95, 1.0, 1.05, 1.0171034697261794),
            (0.0, 1e-300, 1.0, 1.2, 864.5842873741478),
        ] {
            let got = carlson_rj(x, y, z, p);
            assert!((got / rj - 1.0).abs() < 1e-15, "R_J({x}, {y}, {z}, {p}) = {got}, not {rj}");
        }
    }

    #[test]
    fn homogeneous_of_degree_minus_three_halves() {
        let (a, b) = (carlson_rj(0.2, 0.5, 1.0, 1.7), carlson_rj(0.8, 2.0, 4.0, 6.8));
        assert!((a - 8.0 * b).abs() < 1e-15 * a);
    }
}
