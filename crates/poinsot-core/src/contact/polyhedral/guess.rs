//! A first guess at the unknowns, from the impulses of the step before: bodies at rest, and those that slide on as they did, are then solved
//! without a pivot.
//!
//! The tangential impulse of a contact that pushes lies between two neighbouring edges of its cone, or along one; where it is on the surface
//! of the cone, the sliding speed is positive. A contact that does not push but slips has a sliding speed too, with the edge that opposes
//! the slip most: there ρ vanishes.

use super::Column;

/// Parts of an impulse below this, relative to the largest that its cone allows, count as zero.
const LITTLE: f64 = 1e-9;
/// An unknown that may be positive, of which nothing else is known.
const SOME: f64 = f64::MIN_POSITIVE;

/// Writes the unknowns for impulses λ and their velocities u; `base` is the part of λ that the unknowns do not change.
pub(super) fn guess(columns: &[Column], base: &[f64], [lambda, u]: [&[f64]; 2], out: &mut Vec<f64>) {
    out.clear();
    out.resize(columns.len(), 0.0);
    for (at, column) in columns.iter().enumerate() {
        match *column {
            // a normal, or an interval
            Column::Impulse { first, direction, .. } if direction[0] != 0.0 => {
                out[at] = (direction[0] * (lambda[first] - base[first])).max(0.0);
            }
            Column::Impulse { .. } => {}
            Column::End { of, width } => {
                let Column::Impulse { first, .. } = columns[of] else { continue };
                out[at] = if lambda[first] - base[first] >= width { SOME } else { 0.0 };
            }
            Column::Sliding { normal, edges, mu } => {
                let Column::Impulse { first, .. } = columns[normal] else { continue };
                let (own, most) = (normal + 1..=normal + edges, mu * lambda[first]);
                let (edges, found) = (&columns[own.clone()], &mut out[own]);
                let slides = if most > 0.0 {
                    closed(edges, lambda, LITTLE * most, found) >= (1.0 - LITTLE) * most
                } else {
                    open(edges, u, found)
                };
                out[at] = if slides { SOME } else { 0.0 };
            }
        }
    }
}

/// The sum over the rows of an edge.
fn along(edge: &Column, x: &[f64]) -> f64 {
    let Column::Impulse { first, len, direction, .. } = edge else { return 0.0 };
    (0..*len).map(|k| direction[k] * x[first + k]).sum()
}

/// Marks the edge that opposes the slip of a contact that does not push; false if it does not slip.
fn open(edges: &[Column], u: &[f64], found: &mut [f64]) -> bool {
    let least = (0..edges.len()).min_by(|a, b| along(&edges[*a], u).total_cmp(&along(&edges[*b], u)));
    let slips = least.filter(|edge| along(&edges[*edge], u) < 0.0);
    slips.iter().for_each(|edge| found[*edge] = SOME);
    slips.is_some()
}

/// Marks the edges whose combination is the tangential impulse of a contact, and returns the sum of their parts.
fn closed(edges: &[Column], lambda: &[f64], little: f64, found: &mut [f64]) -> f64 {
    let direction = |k: usize| match edges[k] {
        Column::Impulse { first, direction, .. } => (first, direction),
        _ => (0, [0.0; super::MOST_ROWS]),
    };
    let is_flat = |k: &usize| {
        let (_, d) = direction(*k);
        d[1] != 0.0 || d[2] != 0.0
    };
    let (flat, mut sum) = ((0..edges.len()).filter(is_flat).count(), 0.0);
    let mut mark = |k: usize, part: f64| {
        if part > little {
            found[k] = part;
            sum += part;
        }
    };
    for k in 0..flat {
        let next = (k + 1) % flat;
        let ((first, a), (_, b)) = (direction(k), direction(next));
        let (x, y) = (lambda[first + 1], lambda[first + 2]);
        let across = a[1] * b[2] - a[2] * b[1];
        let parts = [(x * b[2] - y * b[1]) / across, (a[1] * y - a[2] * x) / across];
        // between these two; along one of them, this one alone
        if parts[0] > little && parts[1] >= -little {
            mark(k, parts[0]);
            mark(next, parts[1]);
            break;
        }
    }
    for k in flat..edges.len() {
        let (first, d) = direction(k);
        (1..d.len()).filter(|row| d[*row] != 0.0).for_each(|row| mark(k, lambda[first + row] / d[row]));
    }
    sum
}
