//! Solves small problems by enumeration, and checks whether a solution is unique.
//!
//! Let α be the pairs with z > 0 and β those with z = w = 0. Solutions near z are z + d with `(M d)_α = 0` and, in β, `d ≥ 0`, `M d ≥ 0`
//! and one of each pair 0 [Cottle92, section 3.6]. Such a d is searched for in the null space of M_αα, with at most one entry of β at a
//! time. Distant solutions are found if all choices can be enumerated.

use super::super::certificate::Status;
use super::{FEW, Lcp, LcpSolution};

/// Entries below this count as 0, for problems scaled to 1.
const ZERO: f64 = 1e-10;

impl Lcp {
    /// Finds the first choice of basic variables that gives a solution.
    pub(super) fn try_all(&mut self, m: &[f64], q: &[f64], answer: &mut LcpSolution) {
        let n = q.len();
        for choice in 0..1usize << n {
            if self.try_choice(choice) {
                self.measure(m, q, answer);
                if answer.status.is_solved() {
                    return;
                }
            }
        }
        answer.status = Status::Unsolved;
    }

    /// Computes the unscaled z of a choice; false if there is none, or some z < 0.
    fn try_choice(&mut self, choice: usize) -> bool {
        for (i, basic) in self.basic.iter_mut().enumerate() {
            *basic = choice >> i & 1 == 1;
        }
        if !self.basis.solve(&self.scaled, &self.q, &self.basic, &mut self.z) {
            return false;
        }
        let most = self.z.iter().fold(0.0f64, |m, z| m.max(z.abs()));
        let fits = self.z.iter().all(|z| *z >= -ZERO * most);
        for (z, scale) in self.z.iter_mut().zip(&self.scale) {
            *z = (*z * scale).max(0.0);
        }
        fits
    }

    /// Returns the answer, with its status changed if there are other solutions.
    pub(super) fn look_for_others(&mut self, m: &[f64], q: &[f64], mut answer: LcpSolution) -> LcpSolution {
        if answer.status == Status::Solved && (self.has_near() || self.has_far(m, q, answer)) {
            answer.status = Status::NotUnique;
        }
        answer
    }

    fn has_far(&mut self, m: &[f64], q: &[f64], answer: LcpSolution) -> bool {
        let n = q.len();
        if n > FEW {
            return false;
        }
        let (z, w) = (self.z.clone(), self.w.clone());
        let most = z.iter().fold(0.0f64, |m, z| m.max(z.abs()));
        let mut found = false;
        for choice in 0..1usize << n {
            if self.try_choice(choice) {
                let mut other = answer;
                self.measure(m, q, &mut other);
                let size = self.z.iter().fold(most, |m, z| m.max(*z));
                let apart = z.iter().zip(&self.z).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                if other.status.is_solved() && apart > 1e-8 * size {
                    found = true;
                    break;
                }
            }
        }
        (self.z, self.w) = (z, w);
        found
    }

    fn has_near(&self) -> bool {
        let n = self.q.len();
        let z: Vec<f64> = (0..n).map(|i| self.z[i] / self.scale[i]).collect();
        let w: Vec<f64> = (0..n).map(|i| self.w[i] * self.scale[i]).collect();
        let (most, fast) = (greatest(&z), greatest(&w).max(greatest(&self.q)));
        let inside: Vec<usize> = (0..n).filter(|i| z[*i] > ZERO * most).collect();
        let edge: Vec<usize> =
            (0..n).filter(|i| z[*i] <= ZERO * most && w[*i].abs() <= ZERO * fast).collect();
        // M_αα alone, then with one more column
        let mut columns = inside.clone();
        if let Some(d) = null_vector(&self.scaled, n, &inside, &columns) {
            return [1.0, -1.0]
                .iter()
                .any(|sign| edge.iter().all(|&j| sign * self.moved(j, &columns, &d) >= -ZERO));
        }
        edge.iter().any(|&j| {
            columns.truncate(inside.len());
            columns.push(j);
            let Some(d) = null_vector(&self.scaled, n, &inside, &columns) else { return false };
            let sign = d[inside.len()].signum();
            let size = greatest(&d);
            let own = sign * self.moved(j, &columns, &d);
            d[inside.len()].abs() > ZERO * size
                && own.abs() <= ZERO * size
                && edge.iter().all(|&k| k == j || sign * self.moved(k, &columns, &d) >= -ZERO * size)
        })
    }

    /// Row i of M d.
    fn moved(&self, i: usize, columns: &[usize], d: &[f64]) -> f64 {
        columns.iter().zip(d).map(|(&j, d)| self.scaled[i * self.q.len() + j] * d).sum()
    }
}

fn greatest(x: &[f64]) -> f64 {
    x.iter().fold(0.0f64, |m, x| m.max(x.abs()))
}

/// Finds d ≠ 0 with M[rows, columns] d = 0, by elimination with full pivoting; `None` if there is none.
fn null_vector(m: &[f64], n: usize, rows: &[usize], columns: &[usize]) -> Option<Vec<f64>> {
    let (height, width) = (rows.len(), columns.len());
    let mut a: Vec<f64> = rows.iter().flat_map(|&i| columns.iter().map(move |&j| m[i * n + j])).collect();
    let mut order: Vec<usize> = (0..width).collect();
    let size = greatest(&a);
    let mut rank = 0;
    while rank < height.min(width) {
        let mut pivot = (rank, rank);
        for i in rank..height {
            for j in rank..width {
                if a[i * width + j].abs() > a[pivot.0 * width + pivot.1].abs() {
                    pivot = (i, j);
                }
            }
        }
        if a[pivot.0 * width + pivot.1].abs() <= ZERO * size {
            break;
        }
        for k in 0..width {
            a.swap(rank * width + k, pivot.0 * width + k);
        }
        for k in 0..height {
            a.swap(k * width + rank, k * width + pivot.1);
        }
        order.swap(rank, pivot.1);
        for i in rank + 1..height {
            let factor = a[i * width + rank] / a[rank * width + rank];
            for k in rank..width {
                a[i * width + k] -= factor * a[rank * width + k];
            }
        }
        rank += 1;
    }
    if rank == width {
        return None;
    }
    // the first free variable 1, the others 0
    let mut x = vec![0.0; width];
    x[rank] = 1.0;
    for i in (0..rank).rev() {
        let sum: f64 = (i + 1..=rank).map(|k| a[i * width + k] * x[k]).sum();
        x[i] = -sum / a[i * width + i];
    }
    let mut out = vec![0.0; width];
    order.iter().zip(&x).for_each(|(&k, x)| out[k] = *x);
    Some(out)
}
