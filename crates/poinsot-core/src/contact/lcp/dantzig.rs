//! Principal pivoting [Dantzig67; Cottle92, section 4.2], applied to resting contact by Baraff [Baraff94].
//!
//! Of each pair (w, z), one variable is basic and expressed by the nonbasic ones, which are 0. While some basic variable is negative, the
//! first of them is driven up to 0 by raising its complement. A basic variable that would become negative on the way blocks the drive, and
//! is exchanged with its own complement; if its diagonal entry is 0, together with the driven pair. For M positive semidefinite or with
//! positive principal minors each drive ends, and no nonnegative variable becomes negative. The least-index rule prevents cycling in
//! degenerate pivots [CottleChang92]. With other M the pivot of an exchange may be 0, and the method is stuck.

use super::End;

const ZERO: f64 = 1e-11;
const TIE: f64 = 1e-12;

#[derive(Clone, Debug, Default)]
pub(super) struct Dantzig {
    n: usize,
    /// The basic variables in terms of the nonbasic ones, in row-major order.
    a: Vec<f64>,
    /// Their values.
    value: Vec<f64>,
    /// For each pair: whether z is basic.
    swapped: Vec<bool>,
    row: Vec<f64>,
    result: Vec<f64>,
}

/// The driven pair.
#[derive(Clone, Copy, Debug)]
struct Drive {
    pair: usize,
    /// The value of its nonbasic variable, the driving one.
    driver: f64,
    /// True if the driving variable is the one that was negative, on its way to 0.
    itself: bool,
}

impl Dantzig {
    /// Runs the method for `most` pivots; returns how it ended and the number of pivots. Writes which z are basic, and a ray if it ended on
    /// one.
    pub fn run(
        &mut self,
        m: &[f64],
        q: &[f64],
        most: usize,
        basic: &mut [bool],
        ray: &mut [f64],
    ) -> (End, usize) {
        let n = q.len();
        self.n = n;
        for (to, from) in [(&mut self.a, m), (&mut self.value, q)] {
            to.clear();
            to.extend_from_slice(from);
        }
        self.swapped.clear();
        self.swapped.resize(n, false);
        let size = q.iter().fold(0.0f64, |m, q| m.max(q.abs()));
        let negative = -1e-14 * size;
        let mut pivots = 0;
        while let Some(pair) = (0..n).find(|i| self.value[*i] < negative) {
            let mut drive = Drive { pair, driver: 0.0, itself: false };
            loop {
                let Some((blocking, length)) = self.reach(&drive, negative) else {
                    self.direction(pair, ray);
                    return (End::Ray, pivots);
                };
                for i in 0..n {
                    self.value[i] += length * self.a[i * n + pair];
                }
                drive.driver += length;
                let Some(done) = self.turn(&mut drive, blocking) else { return (End::Stuck, pivots) };
                pivots += 1;
                if done {
                    break;
                }
                if pivots >= most {
                    return (End::Stuck, pivots);
                }
            }
        }
        basic.copy_from_slice(&self.swapped);
        self.result.clear();
        self.result.extend((0..n).map(|i| if self.swapped[i] { self.value[i] } else { 0.0 }));
        (End::Found, pivots)
    }

    pub fn values(&self) -> &[f64] {
        &self.result
    }

    /// The blocking pair and the length of the drive; `None` if nothing blocks it. `None` in the pair means that the driving variable has
    /// reached 0.
    fn reach(&self, drive: &Drive, negative: f64) -> Option<(Option<usize>, f64)> {
        let (n, pair) = (self.n, drive.pair);
        let mut found = drive.itself.then_some((None, -drive.driver));
        for i in 0..n {
            let rate = self.a[i * n + pair];
            let length = if i == pair && !drive.itself {
                if rate > ZERO { -self.value[i] / rate } else { continue }
            } else if rate < -ZERO && self.value[i] >= negative {
                self.value[i].max(0.0) / -rate
            } else {
                continue;
            };
            // the driven variable has precedence, also if it is behind by rounding errors alone; then the least index
            let driven = |i: usize| i == pair && !drive.itself;
            let better = found.is_none_or(|(other, l): (Option<usize>, f64)| {
                if driven(i) {
                    length <= l * (1.0 + TIE)
                } else {
                    length < l * if other.is_some_and(driven) { 1.0 - TIE } else { 1.0 }
                }
            });
            if better {
                found = Some((Some(i), length));
            }
        }
        found
    }

    /// Makes the pivot for the blocking pair; true if the drive is finished, `None` if the pivot is 0.
    fn turn(&mut self, drive: &mut Drive, blocking: Option<usize>) -> Option<bool> {
        let n = self.n;
        let Some(s) = blocking else { return Some(true) };
        let r = drive.pair;
        self.value[s] = 0.0;
        if s == r {
            // driven variable: exchanged with its complement, and the drive is finished; driving variable: back to driving the other
            if self.a[r * n + r].abs() <= ZERO {
                return None;
            }
            self.exchange(r, r);
            self.swapped[r] = !self.swapped[r];
            self.value[r] = drive.driver;
            let done = !drive.itself;
            (drive.driver, drive.itself) = (0.0, false);
            return Some(done);
        }
        if self.a[s * n + s].abs() > ZERO {
            self.exchange(s, s);
            self.swapped[s] = !self.swapped[s];
            return Some(false);
        }
        // M positive semidefinite with a zero on its diagonal has a_rs = −a_sr
        if self.a[r * n + s].abs() <= ZERO {
            return None;
        }
        self.exchange(s, r);
        self.exchange(r, s);
        // each now takes the place of the other
        for k in 0..n {
            self.a.swap(s * n + k, r * n + k);
        }
        for k in 0..n {
            self.a.swap(k * n + s, k * n + r);
        }
        self.swapped[s] = !self.swapped[s];
        self.swapped[r] = !self.swapped[r];
        std::mem::swap(&mut self.value[r], &mut drive.driver);
        drive.itself = !drive.itself;
        Some(false)
    }

    /// Pivots the basic variable of `row` with the nonbasic one of `column`.
    fn exchange(&mut self, row: usize, column: usize) {
        let n = self.n;
        let mut own = std::mem::take(&mut self.row);
        own.clear();
        own.extend_from_slice(&self.a[row * n..(row + 1) * n]);
        let pivot = own[column];
        own.iter_mut().for_each(|x| *x /= -pivot);
        own[column] = 1.0 / pivot;
        for (i, other) in self.a.chunks_exact_mut(n).enumerate() {
            let factor = other[column];
            if i == row {
                other.copy_from_slice(&own);
            } else if factor != 0.0 {
                other[column] = 0.0;
                for (x, p) in other.iter_mut().zip(&own) {
                    *x += factor * p;
                }
            }
        }
        self.row = own;
    }

    /// How z changes as the driving variable grows.
    fn direction(&self, pair: usize, ray: &mut [f64]) {
        for (i, ray) in ray.iter_mut().enumerate() {
            *ray = if self.swapped[i] { self.a[i * self.n + pair] } else { 0.0 };
        }
        if !self.swapped[pair] {
            ray[pair] = 1.0;
        }
    }
}
