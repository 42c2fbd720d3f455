//! Inertias that no body can have, and the nearest possible one.

use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::spatial::{Inertia, InertiaError};

/// The least second moment of a repaired inertia, relative to the largest.
const THIN: f64 = 1e-6;

/// A principal moment that is negative by less than this fraction of the largest counts as 0.
const ROUND_OFF: f64 = 1e-12;

/// m²: a body with moments smaller than this times its mass is a point.
const POINT: f64 = 1e-15;

/// What is wrong with an inertia, and what to write instead.
pub(crate) struct Fault {
    pub message: String,
    pub help: String,
}

/// What is wrong with an inertia about the centre of mass; `None` if a body can have it. `whose` begins the message.
pub(crate) fn fault(whose: &str, mass: f64, about_com: Sym3) -> Option<Fault> {
    let own = Inertia { mass, first_moment: V3::ZERO, rotational: about_com };
    let (message, help) = match own.check().err()? {
        InertiaError::MasslessInertia => (
            format!("{whose}: the mass is 0 but the inertia is not; no body is like this"),
            "give it a mass, or set its inertia to 0".to_string(),
        ),
        // no larger than the round-off of a computation about a point millimetres away
        InertiaError::TriangleInequality { moments, .. }
            if moments.iter().all(|m| m.abs() <= POINT * mass) =>
        {
            return None;
        }
        InertiaError::TriangleInequality { moments, .. } => {
            let [a, b, c] = shown(moments);
            let message = if moments[0] < -ROUND_OFF * moments[2].abs() {
                format!(
                    "{whose}: the principal moment of inertia {a} is negative (the three are {a}, {b}, {c} kg m²)"
                )
            } else {
                format!(
                    "{whose}: the principal moments of inertia {a}, {b}, {c} kg m² break the triangle inequality \
                     {c} ≤ {a} + {b}: no distribution of mass has them"
                )
            };
            (message, repair(about_com))
        }
        // numbers that are not finite and negative masses are reported elsewhere
        InertiaError::NotFinite { .. } | InertiaError::NegativeMass { .. } => return None,
    };
    Some(Fault { message, help })
}

fn repair(given: Sym3) -> String {
    let Sym3 { xx, xy, xz, yy, yz, zz } = nearest(given);
    format!(
        "the numbers are kept: check units, axes and signs. The nearest possible inertia is ixx=\"{xx:.7e}\" \
         ixy=\"{xy:.7e}\" ixz=\"{xz:.7e}\" iyy=\"{yy:.7e}\" iyz=\"{yz:.7e}\" izz=\"{zz:.7e}\""
    )
}

/// The nearest possible inertia. The mass tensor `½ tr(I) 1 − I` holds the second moments of mass, which cannot be negative: a
/// negative one is raised to that of a thin body.
fn nearest(given: Sym3) -> Sym3 {
    let own = Inertia { mass: 1.0, first_moment: V3::ZERO, rotational: given };
    let (moments, axes) = own.principal_axes();
    let half = 0.5 * moments.iter().sum::<f64>();
    let second = moments.map(|m| half - m);
    let largest = second.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let raised = second.map(|s| s.max(THIN * largest));
    let sum: f64 = raised.iter().sum();
    Sym3::diagonal(sum - raised[0], sum - raised[1], sum - raised[2]).rotated(rounded(axes))
}

/// Axes without the round-off that would show as products of inertia.
fn rounded(axes: M3) -> M3 {
    let near = |x: f64| if (x - x.round()).abs() < 1e-14 { x.round() } else { x };
    let column = |v: V3| V3::new(near(v.x), near(v.y), near(v.z));
    M3::columns(column(axes.x), column(axes.y), column(axes.z))
}

/// Principal moments to six digits, or to all where six would hide that they break the triangle inequality.
fn shown(moments: [f64; 3]) -> [String; 3] {
    let few = moments.map(|m| format!("{m:.5e}").parse().unwrap_or(m));
    let [a, b, c] = few;
    (if c > a + b { few } else { moments }).map(short)
}

/// A number without a long row of zeros: round-off can be as small as 1e-22.
fn short(x: f64) -> String {
    if x != 0.0 && x.abs() < 1e-4 { format!("{x:e}") } else { x.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repair_is_possible() {
        let said = |i: Sym3| fault("body \"b\"", 1.0, i).map(|f| f.message);
        let bad = Sym3 { xx: 1.0, yy: 2.0, zz: 4.0, xy: 0.3, xz: 0.0, yz: -0.2 };
        assert!(said(bad).is_some_and(|m| m.contains("triangle inequality")));
        assert!(said(nearest(bad)).is_none());
        assert!(said(Sym3::diagonal(-1.0, 2.0, 2.0)).is_some_and(|m| m.contains("negative")));
    }

    #[test]
    fn messages_have_the_digits_that_matter() {
        assert_eq!(shown([8.672316730232205e-6, 2.0 / 3.0, 1.0]), ["8.67232e-6", "0.666667", "1"]);
        assert_eq!(shown([1.0, 2.0, 3.00000001]), ["1", "2", "3.00000001"]);
        // the eigenvalues of a matrix of ones are 0, 0, 3, to round-off
        let ones = Sym3 { xx: 1e-3, yy: 1e-3, zz: 1e-3, xy: 1e-3, xz: 1e-3, yz: 1e-3 };
        assert!(fault("hatch", 1.0, ones).is_some_and(|f| f.message.contains("triangle inequality")));
    }
}
