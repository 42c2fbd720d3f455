//! The contact properties of two materials: friction, restitution, and compliance.
//!
//! *Penalty*: every contact is a spring with a damper, `k_p = m/T²`, `k_d = 2m/T`, or with the user's gains. *Soft*: MJCF's `solref` and
//! `solimp`. MuJoCo prescribes the acceleration `g̈ = (1 − i) a₀ − i (b ġ + k i g)` for a gap g < 0, where a₀ is the acceleration without
//! the contact,
//!
//! ```math
//! k = 1/(d_max T ζ)²,  b = 2/(d_max T)    of a time constant T and a damping ratio ζ, both positive
//! k = K/d_max²,  b = B/d_max              of −K and −B, both negative
//! ```
//! and i increases from d_min at g = 0 to d_max at the width. In both, m is `m₁ m₂/(m₁ + m₂)`.

use super::{Contact, Penalty};
use crate::constraint::{ContactSoftness, Surface};
use crate::model::{BodyId, ContactPair, Material, Model, SolverParameters};
use std::cmp::Ordering;

/// In steps: the shortest time constant of explicit springs, and that of MuJoCo (`refsafe`).
const EXPLICIT: f64 = 16.0;
const SAFE: f64 = 2.0;

/// The compliance of contacts.
pub(super) struct ContactCompliance {
    penalty: Option<Penalty>,
    soft: bool,
    /// For each body.
    masses: Vec<f64>,
    /// The size of the current step, s.
    pub step: f64,
}

impl ContactCompliance {
    pub fn of(contact: Contact, model: &Model) -> ContactCompliance {
        ContactCompliance { penalty: contact.penalty, soft: contact.soft, masses: masses(model), step: 0.0 }
    }

    /// The surface of a contact between two materials with a gap.
    pub fn surface(
        &self,
        [a, b]: [&Material; 2],
        pair: Option<&ContactPair>,
        bodies: [BodyId; 2],
        gap: f64,
    ) -> Surface {
        let surface = surface(a, b, pair);
        let softness = match self.penalty {
            Some(penalty) => Some(self.spring(penalty, bodies)),
            None if self.soft && surface.softness.is_none() => {
                let solver = pair.and_then(|p| p.solver).unwrap_or_else(|| mixed(a, b));
                Some(self.reference(&solver, bodies, gap))
            }
            None => surface.softness,
        };
        Surface { softness, ..surface }
    }

    fn mass(&self, bodies: [BodyId; 2]) -> f64 {
        let [a, b] = bodies.map(|body| self.masses[body.index()]);
        if a.is_finite() && b.is_finite() { a * b / (a + b) } else { a.min(b) }
    }

    fn spring(&self, penalty: Penalty, bodies: [BodyId; 2]) -> ContactSoftness {
        let m = self.mass(bodies);
        let least = if penalty.explicit { EXPLICIT * self.step } else { 0.0 };
        let time = penalty.time_constant.max(least);
        let [stiffness, damping] = penalty.gains.unwrap_or_else(|| [m / (time * time), 2.0 * m / time]);
        if penalty.explicit {
            ContactSoftness::Explicit { stiffness, damping }
        } else {
            ContactSoftness::Implicit { stiffness, damping }
        }
    }

    fn reference(&self, solver: &SolverParameters, bodies: [BodyId; 2], gap: f64) -> ContactSoftness {
        let [a, b] = solver.reference;
        // one positive, the other not: MuJoCo uses the defaults
        let [a, b] = if (a > 0.0) == (b > 0.0) { [a, b] } else { SolverParameters::default().reference };
        let [_, most, ..] = solver.impedance.map(|d| d.clamp(LEAST, 1.0 - LEAST));
        let (k, damping) = if a > 0.0 {
            let time = a.max(SAFE * self.step);
            ((most * time * b).powi(-2), 2.0 / (most * time))
        } else {
            (-a / (most * most), -b / most)
        };
        let impedance = impedance(&solver.impedance, -gap);
        ContactSoftness::Reference { stiffness: k * impedance, damping, impedance, mass: self.mass(bodies) }
    }
}

/// The least impedance, and its least distance from 1.
const LEAST: f64 = 1e-4;

/// The impedance: from d_min on the surface to d_max at the depth `width`, by a curve of two powers that meet at `midpoint`.
fn impedance(solimp: &[f64; 5], depth: f64) -> f64 {
    let [least, most, width, middle, power] = *solimp;
    let [least, most] = [least, most].map(|d| d.clamp(LEAST, 1.0 - LEAST));
    if width <= 1e-15 || least == most {
        return 0.5 * (least + most);
    }
    let (x, middle, power) =
        ((depth.abs() / width).min(1.0), middle.clamp(LEAST, 1.0 - LEAST), power.max(1.0));
    let rise = if x <= middle {
        libm::pow(x, power) / libm::pow(middle, power - 1.0)
    } else {
        1.0 - libm::pow(1.0 - x, power) / libm::pow(1.0 - middle, power - 1.0)
    };
    rise.mul_add(most - least, least)
}

/// The combination of two materials, as in MJCF: the one of higher priority; for equal priorities the mean weighted by `mix`, or the
/// smaller one for negative references.
fn mixed(a: &Material, b: &Material) -> SolverParameters {
    match a.priority.cmp(&b.priority) {
        Ordering::Greater => return a.solver,
        Ordering::Less => return b.solver,
        Ordering::Equal => {}
    }
    let sum = a.mix + b.mix;
    let share = if sum > 0.0 { a.mix / sum } else { 0.5 };
    let mean = |x: f64, y: f64| share.mul_add(x, (1.0 - share) * y);
    let (x, y) = (a.solver, b.solver);
    let positive = x.reference[0] > 0.0 && y.reference[0] > 0.0;
    let of = |k: usize| {
        let (x, y) = (x.reference[k], y.reference[k]);
        if positive { mean(x, y) } else { x.min(y) }
    };
    SolverParameters {
        reference: [of(0), of(1)],
        impedance: std::array::from_fn(|k| mean(x.impedance[k], y.impedance[k])),
    }
}

/// The mass that moves with each body; infinite if it is fixed to the world.
fn masses(model: &Model) -> Vec<f64> {
    let moves = |body: BodyId| {
        let mut body = body;
        while body != BodyId::WORLD {
            if model[body].joints.clone().any(|j| model.joints()[j].kind.nv() > 0) {
                return true;
            }
            body = model[body].parent;
        }
        false
    };
    let mass = |body| if moves(body) { model[body].inertia.mass.max(1e-9) } else { f64::INFINITY };
    model.body_ids().map(mass).collect()
}

/// The contact properties of two materials. As in MJCF, the one of higher priority decides; for equal priorities, the larger friction, the
/// larger number of directions, and the larger restitution. Two compliant materials of equal priority are springs in series.
fn surface(a: &Material, b: &Material, pair: Option<&ContactPair>) -> Surface {
    let decided = a.priority.cmp(&b.priority);
    let pick = |x: f64, y: f64| match decided {
        Ordering::Greater => x,
        Ordering::Less => y,
        Ordering::Equal => x.max(y),
    };
    let yields = |x: Option<f64>, y: Option<f64>| match decided {
        Ordering::Greater => x,
        Ordering::Less => y,
        Ordering::Equal => series(x, y),
    };
    let [slide, twist, roll] = std::array::from_fn(|k| pick(a.friction[k], b.friction[k]));
    let condim = pick(f64::from(a.condim), f64::from(b.condim)) as u8;
    let friction = pair.and_then(|p| p.friction).unwrap_or([slide, slide, twist, roll, roll]);
    let condim = pair.and_then(|p| p.condim).unwrap_or(condim);
    let count = match condim {
        1 => 0,
        4 => 3,
        6 => 5,
        _ => 2,
    };
    let count = if friction[..count].iter().all(|mu| *mu == 0.0) { 0 } else { count };
    let stiffness = yields(a.stiffness, b.stiffness);
    let softness = stiffness.map(|stiffness| ContactSoftness::Implicit {
        stiffness,
        damping: yields(a.damping, b.damping).unwrap_or(0.0),
    });
    Surface { count, friction, restitution: pick(a.restitution, b.restitution), softness }
}

fn series(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a + b > 0.0 { a * b / (a + b) } else { 0.0 }),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Springs in series, unless one surface decides.
    #[test]
    fn the_surface_of_higher_priority_decides_how_a_contact_yields() {
        let mat = Material { stiffness: Some(2e4), damping: Some(10.0), ..Material::default() };
        let rigid = Material::default();
        let first = |m: &Material| Material { priority: 1, ..*m };
        let spring = |stiffness, damping| Some(ContactSoftness::Implicit { stiffness, damping });
        assert_eq!(surface(&mat, &mat, None).softness, spring(1e4, 5.0));
        assert_eq!(surface(&mat, &rigid, None).softness, spring(2e4, 10.0));
        assert_eq!(surface(&first(&mat), &mat, None).softness, spring(2e4, 10.0));
        assert_eq!(surface(&mat, &first(&rigid), None).softness, None);
    }
    /// MuJoCo's numbers for its defaults: dmin on the surface, dmax from the width on, 0.925 in the middle.
    #[test]
    fn impedance_follows_the_depth() {
        let usual = SolverParameters::default().impedance;
        for (depth, wanted) in [(0.0, 0.9), (0.0005, 0.925), (0.001, 0.95), (0.1, 0.95)] {
            assert!((impedance(&usual, depth) - wanted).abs() < 1e-15, "{depth}");
        }
        // a quarter of the way: 2 · 0.25² of the rise
        assert!((impedance(&usual, 0.00025) - (0.9 + 0.125 * 0.05)).abs() < 1e-15);
        assert!((impedance(&[0.9, 0.95, 0.0, 0.5, 2.0], 1.0) - 0.925).abs() < 1e-15);
    }
}
