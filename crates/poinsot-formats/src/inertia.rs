//! Inertias that no body can have, and the nearest that one can.

use poinsot_core::algebra::Sym3;
use poinsot_core::spatial::{Inertia, InertiaError};

/// What is wrong with an inertia about the centre of mass, and what to write instead; `None` when a body can have it.
///
/// The mass tensor `½ tr(I) 1 − I` holds the second moments of mass, which cannot be negative; a negative one is raised
/// to 0, which changes the inertia least.
pub(crate) fn fault(body: &str, mass: f64, about_com: Sym3) -> Option<(String, String)> {
    let own = Inertia { mass, first_moment: Default::default(), rotational: about_com };
    let moments = match own.check() {
        Err(InertiaError::TriangleInequality { moments, .. }) => moments,
        Err(InertiaError::MasslessInertia) => {
            let message = format!("body \"{body}\" has no mass, but the inertia {}", spell(about_com));
            return Some((message, "give it a mass, or set its inertia to 0".into()));
        }
        _ => return None,
    };
    let [a, b, c] = moments;
    let message = if a < 0.0 {
        format!("body \"{body}\": the principal moment of inertia {a} kg m² is negative")
    } else {
        format!(
            "body \"{body}\": the principal moments of inertia {a}, {b}, {c} kg m² break the triangle inequality \
             {c} ≤ {a} + {b}: no distribution of mass has them"
        )
    };
    let help = format!(
        "the nearest possible inertia is {}; check the units, and about which point it is given",
        spell(nearest(about_com))
    );
    Some((message, help))
}

/// The inertia whose mass tensor is that of `i` without its negative part.
fn nearest(i: Sym3) -> Sym3 {
    let (moments, axes) =
        Inertia { mass: 1.0, first_moment: Default::default(), rotational: i }.principal_axes();
    let half = 0.5 * (moments[0] + moments[1] + moments[2]);
    let second = moments.map(|m| (half - m).max(0.0));
    let total = second[0] + second[1] + second[2];
    Sym3::diagonal(total - second[0], total - second[1], total - second[2]).rotated(axes)
}

fn spell(i: Sym3) -> String {
    format!("ixx {} iyy {} izz {} ixy {} ixz {} iyz {}", i.xx, i.yy, i.zz, i.xy, i.xz, i.yz)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repair_is_possible() {
        let bad = Sym3 { xx: 1.0, yy: 2.0, zz: 4.0, xy: 0.3, xz: 0.0, yz: -0.2 };
        assert!(fault("b", 1.0, bad).is_some_and(|(m, _)| m.contains("triangle inequality")));
        assert!(fault("b", 1.0, nearest(bad)).is_none());
        assert!(fault("b", 1.0, Sym3::diagonal(-1.0, 2.0, 2.0)).is_some_and(|(m, _)| m.contains("negative")));
    }
}
