//! Restoration phase: if no step along the direction is accepted, reduces the violation alone.
//!
//! Takes Levenberg–Marquardt steps on ½ |c|² with the barrier of the bounds, using the same chain:
//! ```math
//! (1)  (ζ 1 + μ/(x − l)² + μ/(u − x)²) d + Aᵀ y = μ/(x − l) − μ/(u − x)
//! (2)  A d − y = − c
//! ```
//! If they converge with rows violated, no small change satisfies them: the problem has no motion nearby.

use super::Program;
use super::chain::Chain;
use super::interior::{Settings, Solver, Step, along, largest};

/// The outcome of a restoration.
pub(super) enum Restored {
    /// The current point is acceptable to the filter.
    Better,
    /// All rows hold to the tolerance, but the filter still does not accept the point: round-off.
    Feasible,
    /// Converged with rows violated.
    Stuck,
    Iterations,
    Interrupted,
}

pub(super) fn restore<P: Program + ?Sized>(
    solver: &mut Solver<P>,
    settings: &Settings,
    watch: &mut dyn FnMut(&Step) -> bool,
) -> Restored {
    let begin = solver.standing();
    solver.filter.add(begin);
    if largest(&solver.rows) <= settings.tolerance {
        solver.filter.clear();
        solver.settle();
        return Restored::Feasible;
    }
    let mut damping = 1e-6;
    let mut still = 0;
    loop {
        if solver.iteration >= settings.iterations {
            return Restored::Iterations;
        }
        solver.iteration += 1;
        let (moved, gained) = improve(solver, &mut damping);
        let step = Step {
            iteration: solver.iteration,
            cost: solver.cost / solver.scale,
            violation: largest(&solver.rows),
            slope: f64::NAN,
            barrier: solver.mu,
        };
        if !watch(&step) {
            return Restored::Interrupted;
        }
        let now = solver.standing();
        let admitted = now.violation <= 0.9 * begin.violation && solver.filter.admits(now);
        // continues while it makes good progress: with only slightly less violation it would soon be needed again
        let enough = now.violation <= 0.1 * begin.violation || !moved || gained < 0.1;
        if (admitted && enough) || largest(&solver.rows) <= 0.1 * settings.tolerance {
            solver.settle();
            return Restored::Better;
        }
        still = if moved && gained > 1e-8 { 0 } else { still + 1 };
        if still >= 6 || damping > 1e12 {
            return Restored::Stuck;
        }
    }
}

/// Takes one step: returns whether it was taken, and its relative reduction of ½ |c|² with the barrier.
fn improve<P: Program + ?Sized>(solver: &mut Solver<P>, damping: &mut f64) -> (bool, f64) {
    let (n, m) = (solver.x.len(), solver.rows.len());
    let mut entries = Vec::with_capacity(n + m + solver.jacobian.len());
    let mut right = Vec::with_capacity(n + m);
    // here the barrier only keeps the iterates inside: its force must be negligible relative to the rows
    let mu = solver.mu.min(1e-4 * solver.violation());
    for k in 0..n {
        let (l, u) = solver.gaps(&solver.x, k);
        entries.push((k, k, *damping + mu / (l * l) + mu / (u * u)));
        right.push(mu / l - mu / u);
    }
    entries.extend(solver.jacobian.iter().map(|(r, k, a)| (n + r, *k, *a)));
    entries.extend((0..m).map(|r| (n + r, n + r, -1.0)));
    right.extend(solver.rows.iter().map(|c| -c));
    let chain = Chain::factor(&solver.blocks, &entries);
    chain.solve(&mut right);
    let dx = &right[..n];
    let merit = |solver: &Solver<P>, x: &[f64], rows: &[f64]| {
        let barrier = if solver.mu > 0.0 { solver.barrier(x) * mu / solver.mu } else { 0.0 };
        0.5 * rows.iter().map(|c| c * c).sum::<f64>() + barrier
    };
    let before = merit(solver, &solver.x, &solver.rows);
    let size = 0.5 * solver.rows.iter().map(|c| c * c).sum::<f64>();
    let mut alpha = solver.longest(dx);
    let mut rows = vec![0.0; m];
    for _ in 0..12 {
        let x = along(&solver.x, dx, alpha);
        let cost = solver.program.values(&x, &mut rows);
        let after = merit(solver, &x, &rows);
        if cost.is_finite() && after < before {
            solver.x = x;
            solver.evaluate();
            *damping = (*damping * if alpha > 0.5 { 0.2 } else { 2.0 }).max(1e-12);
            return (true, (before - after) / size.max(f64::MIN_POSITIVE));
        }
        alpha *= 0.5;
    }
    *damping = (*damping * 100.0).max(1e-6);
    (false, 0.0)
}
