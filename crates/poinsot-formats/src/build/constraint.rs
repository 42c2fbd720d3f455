//! Equalities of a file as constraints of the model.
//!
//! What a file leaves open is fixed by the reference configuration, where every body has its pose in its parent, so that
//! the pose of body k in the world is the product of those from the world to it:
//!
//! ```math
//! X_{Wk} = X_{Wp} X_{pk}, \qquad X_{12} = X_{W1}^{-1} X_{W2}
//! ```

use super::{Ids, Names, reference_length};
use crate::description::{Description, EqualityKind, TendonPath};
use crate::diagnostic::Report;
use poinsot_core::algebra::V3;
use poinsot_core::model::{Constraint, ConstraintKind, ModelBuilder, Mount, TendonId};
use poinsot_core::spatial::Pose;

/// Adds a constraint for each equality that is active and simulated; rigid, except for those to mocap bodies.
pub(super) fn add(
    builder: &mut ModelBuilder,
    description: &Description,
    names: &Names,
    ids: &Ids,
    tendons: &[Option<TendonId>],
    report: &mut Report,
) {
    if description.equalities.is_empty() || description.options.without_equalities() {
        return;
    }
    let reference = Reference::new(description, ids, tendons);
    for (k, equality) in description.equalities.iter().enumerate().filter(|(_, e)| e.active) {
        let name = &names.constraints[k];
        let Some(made) = reference.constraint(&equality.kind) else { continue };
        if let Some([a, b]) = made.bodies()
            && reference.carriers[a.index()] == reference.carriers[b.index()]
        {
            let [a, b] = [a, b].map(|body| &names.bodies[body.index()]);
            let message = format!(
                "constraint \"{name}\" is ignored: \"{a}\" and \"{b}\" cannot move against one another"
            );
            let help = "remove it, or let it tie bodies with joints between them";
            report.warning("model::idle-constraint", message).at(equality.place).help(help);
            continue;
        }
        builder.constraint(Constraint { softness: equality.softness, ..made.named(name.clone()) });
    }
}

/// The reference configuration, and the ids of its bodies and joints.
struct Reference<'a> {
    description: &'a Description,
    ids: &'a Ids,
    tendons: &'a [Option<TendonId>],
    /// The coordinate of each joint.
    coordinates: Vec<f64>,
    /// The pose of each body in the world.
    poses: Vec<Pose>,
    /// For each body, the first body with joints on the way to the world, itself included; or the world.
    carriers: Vec<usize>,
}

impl<'a> Reference<'a> {
    fn new(description: &'a Description, ids: &'a Ids, tendons: &'a [Option<TendonId>]) -> Reference<'a> {
        let (mut poses, mut carriers) = (vec![Pose::IDENTITY], vec![0]);
        for (k, body) in description.bodies.iter().enumerate().skip(1) {
            poses.push(poses[body.parent] * body.pose);
            carriers.push(if body.joints.is_empty() { carriers[body.parent] } else { k });
        }
        let coordinates = description.joints().map(|(_, j)| j.reference).collect();
        Reference { description, ids, tendons, coordinates, poses, carriers }
    }

    /// X_12, the pose of body 2 in body 1.
    fn between(&self, body1: usize, body2: usize) -> Pose {
        self.poses[body1].inverse() * self.poses[body2]
    }

    /// `None` if it is not simulated.
    fn constraint(&self, kind: &EqualityKind) -> Option<Constraint> {
        let point = |body: usize, at: V3| Mount::new(self.ids.bodies[body], at);
        let frame = |body: usize, pose: Pose| Mount::framed(self.ids.bodies[body], pose);
        Some(match *kind {
            EqualityKind::Connect { body1, body2, anchor } => {
                let there = self.between(body2, body1).point(anchor);
                Constraint::point(point(body1, anchor), point(body2, there))
            }
            EqualityKind::Weld { body1, body2, anchor, relative, .. } => {
                let there = || self.between(body1, body2) * Pose::translation(anchor);
                Constraint::weld(frame(body1, relative.unwrap_or_else(there)), point(body2, anchor))
            }
            EqualityKind::Sites { sites, weld, .. } => {
                let [a, b] = sites.map(|(body, pose)| frame(body, pose));
                if weld { Constraint::weld(a, b) } else { Constraint::point(a, b) }
            }
            EqualityKind::Joint { joint1, joint2, coefficients } => {
                let coupled = |k: usize| (self.ids.joints[k], self.coordinates[k]);
                let (joint, reference) = coupled(joint1);
                let other = joint2.map(coupled);
                let coefficients = polynomial(coefficients, other.is_some());
                Constraint::new(ConstraintKind::Coupling { joint, reference, other, coefficients })
            }
            EqualityKind::Tendon { tendon1, tendon2, coefficients } => {
                let (tendon, reference) = self.tendon(tendon1)?;
                let other = match tendon2 {
                    Some(k) => Some(self.tendon(k)?),
                    None => None,
                };
                let coefficients = polynomial(coefficients, other.is_some());
                Constraint::new(ConstraintKind::Tendon { tendon, reference, other, coefficients })
            }
            EqualityKind::Other(_) => return None,
        })
    }

    fn tendon(&self, k: usize) -> Option<(TendonId, f64)> {
        let TendonPath::Fixed(terms) = &self.description.tendons[k].path else { return None };
        Some((self.tendons[k]?, reference_length(terms, &self.coordinates)))
    }
}

/// Without another coordinate only the constant counts.
fn polynomial(coefficients: [f64; 5], other: bool) -> [f64; 5] {
    if other { coefficients } else { [coefficients[0], 0.0, 0.0, 0.0, 0.0] }
}
