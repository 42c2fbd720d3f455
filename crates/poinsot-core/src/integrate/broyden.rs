//! Broyden's method for `F(x) = 0`, given an approximate inverse of the derivative: superlinear convergence without derivatives.
//!
//! Only the steps taken are stored [Kelley95, section 7.3]: with d = B₀⁻¹(−F) the approximate correction at the current point and s_0 … s_k
//! the steps so far, the next step is
//!
//! ```math
//! for j < k:  d ← d + s_{j+1} (s_j·d)/|s_j|²          s_{k+1} = d / (1 − s_k·d/|s_k|²)
//! ```

/// The steps taken so far in one solve; after `CAPACITY` steps it restarts.
#[derive(Clone, Debug)]
pub(super) struct Broyden {
    steps: Vec<Vec<f64>>,
    squares: [f64; CAPACITY],
    count: usize,
}

const CAPACITY: usize = 24;

impl Broyden {
    pub fn new(n: usize) -> Self {
        Broyden { steps: vec![vec![0.0; n]; CAPACITY], squares: [0.0; CAPACITY], count: 0 }
    }

    /// Discards all steps, for a new problem.
    pub fn restart(&mut self) {
        self.count = 0;
    }

    /// Turns the approximate correction `d` into the next step.
    pub fn improve(&mut self, d: &mut [f64]) {
        if self.count == CAPACITY {
            self.restart();
        }
        for j in 0..self.count {
            let along = dot(&self.steps[j], d) / self.squares[j];
            if j + 1 < self.count {
                for (x, s) in d.iter_mut().zip(&self.steps[j + 1]) {
                    *x = along.mul_add(*s, *x);
                }
            } else if (1.0 - along).abs() > 1e-3 {
                let scale = 1.0 / (1.0 - along);
                d.iter_mut().for_each(|x| *x *= scale);
            }
        }
        let square = dot(d, d);
        if square > 0.0 && square.is_finite() {
            self.steps[self.count].copy_from_slice(d);
            self.squares[self.count] = square;
            self.count += 1;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| x.mul_add(*y, sum))
}
