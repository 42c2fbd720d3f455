//! How far the last substep is from Coulomb's law, eight manifolds at a time.
//!
//! ```math
//! r = d ‖λ − P_K(λ − û/d)‖      û = u + μ ‖u_T‖ n
//! ```
//! as in a [certificate](crate::contact::Certificate), where d is the mean diagonal of a contact's own G. A gap that is still open may
//! close within the substep.

#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::pass::{Motion, arms, cross, dot, load, number};
use super::rows::{Group, Point, Rows};
use crate::algebra::lanes::{Eight, Isa, Kernel};
use crate::algebra::{Lanes, Real};

/// Computes the largest residual of all contacts, and the sum of squares.
pub(super) struct Residual<'a> {
    pub rows: &'a Rows,
}

impl Kernel for Residual<'_> {
    type Output = (f64, f64);
    #[inline(always)]
    fn run<I: Isa>(self) -> (f64, f64) {
        let Rows { groups, points, velocity, settings, .. } = self.rows;
        let (mut most, mut sum) = (number::<I>(0.0), number::<I>(0.0));
        for group in groups.iter() {
            let motion = Motion::<I>::read(velocity, &group.at);
            for point in &points[group.points.clone()] {
                let square = square::<I>(group, point, &motion, settings.per_substep);
                most = (most - square).choose_below(0.0, square, most);
                sum += square;
            }
        }
        let (mut squares, mut sums) = (Lanes::default(), Lanes::default());
        most.store(&mut squares);
        sum.store(&mut sums);
        (squares.0.iter().fold(0.0f64, |m, x| m.max(*x)).sqrt(), sums.0.iter().sum())
    }
}

/// r² of one contact of each manifold; 0 in unused lanes.
#[inline(always)]
fn square<I: Isa>(group: &Group, point: &Point, motion: &Motion<I>, per_substep: f64) -> I::F64x8 {
    let (normal, along) = (load::<I>(&group.normal), load::<I>(&group.along));
    let other = cross::<I>(&normal, &along);
    let (zero, one, mu) = (number::<I>(0.0), number::<I>(1.0), I::F64x8::load(&group.friction));
    let arms = arms::<I>(group, point);
    let gap = I::F64x8::load(&point.gap_now);
    let open = gap.choose_below(0.0, zero, gap * number::<I>(per_substep));
    let u = motion.relative(&arms);
    let (a, b) = (dot::<I>(&u, &along), dot::<I>(&u, &other));
    let hat = dot::<I>(&u, &normal) + open + mu * (a * a + b * b).sqrt();
    let masses = load::<I>(&point.mass);
    let mut diagonal = zero;
    for m in masses {
        diagonal += (-m).choose_below(0.0, number::<I>(1.0 / 3.0) / m, zero);
    }
    let d = (-diagonal).choose_below(0.0, diagonal, one);
    let impulse = load::<I>(&point.impulse);
    let z = [impulse[0] - hat / d, impulse[1] - a / d, impulse[2] - b / d];
    // the nearest point of the cone: z itself, the apex, or a point on the side
    let tangent = (z[1] * z[1] + z[2] * z[2]).sqrt();
    let (outside, reach) = (mu * z[0] - tangent, mu * tangent + z[0]);
    let height = reach / (mu * mu + one);
    let shrink = mu * height / tangent;
    let side = [height, z[1] * shrink, z[2] * shrink];
    let mut square = zero;
    for k in 0..3 {
        let nearest = outside.choose_below(0.0, reach.choose_below(0.0, zero, side[k]), z[k]);
        let off = d * (impulse[k] - nearest);
        square += off * off;
    }
    (-diagonal).choose_below(0.0, square, zero)
}
