//! Smoothing of sampled motions, and their rates.
//!
//! Whittaker's smoothing [Whittaker23] with third differences: x minimises Σ (x − y)² + λ Σ (Δ³x)². A sine of angular frequency ω, sampled
//! with the step h, is multiplied by 1/(1 + λ (2 sin ½ωh)⁶): λ is chosen so that this is ½ at the cut-off. Quadratic polynomials are not
//! changed, up to the ends.

/// Resamples values to equal steps: cubics through the four nearest points.
pub fn resample(time: &[f64], y: &[f64], first: f64, h: f64, count: usize) -> Vec<f64> {
    let n = time.len();
    let at = |t: f64| {
        let points = n.min(4);
        let begin = time.partition_point(|s| *s <= t).saturating_sub(2).min(n - points);
        let (time, y) = (&time[begin..begin + points], &y[begin..begin + points]);
        let basis = |i: usize| {
            (0..points).filter(|j| *j != i).map(|j| (t - time[j]) / (time[i] - time[j])).product::<f64>()
        };
        (0..points).map(|i| y[i] * basis(i)).sum()
    };
    (0..count).map(|k| at(first + h * k as f64)).collect()
}

/// Applies Whittaker's smoothing with this cut-off, Hz, to values at steps of h.
pub fn smooth(y: &mut [f64], cutoff: f64, h: f64) {
    let n = y.len();
    if n < 4 {
        return;
    }
    let gain = 2.0 * libm::sin(std::f64::consts::PI * (cutoff * h).min(0.5));
    let lambda = 1.0 / (gain * gain * gain * gain * gain * gain);
    // 1 + λ DᵀD: the diagonal and three bands below it
    let mut bands = vec![[0.0; 4]; n];
    bands.iter_mut().for_each(|b| b[0] = 1.0);
    const D: [f64; 4] = [-1.0, 3.0, -3.0, 1.0];
    for k in 0..n - 3 {
        for i in 0..4 {
            for j in 0..=i {
                bands[k + i][i - j] += lambda * D[i] * D[j];
            }
        }
    }
    // L D Lᵀ within the bands
    for i in 0..n {
        for b in (1..=3.min(i)).rev() {
            let j = i - b;
            let sum: f64 = (b + 1..=3)
                .filter(|c| *c <= i && c - b <= 3)
                .map(|c| bands[i][c] * bands[j][c - b] * bands[i - c][0])
                .sum();
            bands[i][b] = (bands[i][b] - sum) / bands[j][0];
        }
        let sum: f64 = (1..=3.min(i)).map(|b| bands[i][b] * bands[i][b] * bands[i - b][0]).sum();
        bands[i][0] -= sum;
    }
    for i in 0..n {
        y[i] -= (1..=3.min(i)).map(|b| bands[i][b] * y[i - b]).sum::<f64>();
    }
    for i in (0..n).rev() {
        let below: f64 = (1..=3).filter(|b| i + b < n).map(|b| bands[i + b][b] * y[i + b]).sum();
        y[i] = y[i] / bands[i][0] - below;
    }
}

/// First and second derivatives of values at steps of h: those of the fourth-degree polynomial through the five nearest.
pub fn rates(y: &[f64], h: f64) -> (Vec<f64>, Vec<f64>) {
    // weights of the derivatives at the first, second, … of five points
    const FIRST: [[f64; 5]; 5] = [
        [-25.0, 48.0, -36.0, 16.0, -3.0],
        [-3.0, -10.0, 18.0, -6.0, 1.0],
        [1.0, -8.0, 0.0, 8.0, -1.0],
        [-1.0, 6.0, -18.0, 10.0, 3.0],
        [3.0, -16.0, 36.0, -48.0, 25.0],
    ];
    const SECOND: [[f64; 5]; 5] = [
        [35.0, -104.0, 114.0, -56.0, 11.0],
        [11.0, -20.0, 6.0, 4.0, -1.0],
        [-1.0, 16.0, -30.0, 16.0, -1.0],
        [-1.0, 4.0, 6.0, -20.0, 11.0],
        [11.0, -56.0, 114.0, -104.0, 35.0],
    ];
    let n = y.len();
    let of = |table: &[[f64; 5]; 5], k: usize| {
        let begin = k.saturating_sub(2).min(n - 5);
        table[k - begin].iter().zip(&y[begin..]).map(|(w, y)| w * y).sum::<f64>() / 12.0
    };
    ((0..n).map(|k| of(&FIRST, k) / h).collect(), (0..n).map(|k| of(&SECOND, k) / (h * h)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_pass_and_sines_are_halved_at_the_cut_off() {
        let h = 0.01;
        let parabola: Vec<f64> =
            (0..200).map(|k| 1.0 + 2.0 * (h * k as f64) - 3.0 * (h * k as f64).powi(2)).collect();
        let mut y = parabola.clone();
        smooth(&mut y, 3.0, h);
        let worst = y.iter().zip(&parabola).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(worst < 1e-9, "{worst}");
        let sine = |f: f64| (0..2000).map(move |k| libm::sin(2.0 * std::f64::consts::PI * f * h * k as f64));
        let mut y: Vec<f64> = sine(3.0).collect();
        smooth(&mut y, 3.0, h);
        let off = y
            .iter()
            .zip(sine(3.0))
            .skip(500)
            .take(1000)
            .fold(0.0, |m: f64, (a, b)| m.max((a - 0.5 * b).abs()));
        assert!(off < 1e-6, "{off}");
        let (v, a) = rates(&parabola, h);
        let exact = |k: usize| (2.0 - 6.0 * h * k as f64, -6.0);
        assert!((0..200).all(|k| (v[k] - exact(k).0).abs() < 1e-9 && (a[k] - exact(k).1).abs() < 1e-7));
    }

    #[test]
    fn cubics_are_resampled_exactly() {
        let time: Vec<f64> = (0..30).map(|k| 0.1 * k as f64 + 0.03 * libm::sin(k as f64)).collect();
        let cubic = |t: f64| 1.0 - t + 0.5 * t * t * t;
        let y: Vec<f64> = time.iter().map(|t| cubic(*t)).collect();
        let found = resample(&time, &y, 0.0, 0.05, 57);
        assert!(found.iter().enumerate().all(|(k, x)| (x - cubic(0.05 * k as f64)).abs() < 1e-12));
    }
}
