//! Joint reactions: the wrench that a parent exerts on its child through each joint.
//!
//! For link i and everything outboard of it, in world axes about the link's own origin,
//!
//! ```math
//! W_i = Σ_subtree [ d/dt (momentum) − gravity − forces from outside ]
//! ```
//! by Newton and Euler: force `m a + α × h + ω × (ω × h)`, moment `I α + ω × I ω + h × a`. W contains the joint's own forces along its axes
//! (less the inertial force of its rotor) and the reaction at right angles to them.

use super::Multipliers;
use crate::dynamics::{ExternalForces, Workspace};
use crate::model::{BodyId, JointId, Model};
use crate::spatial::{Force, Motion};

/// The wrenches of all joints of a model. No call allocates.
///
/// ```
/// use poinsot_core::{algebra::V3, constraint::Reactions, dynamics::Workspace, model::*};
/// let mut b = ModelBuilder::new("pendulum");
/// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 2.0)?);
/// let hinge = b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// let model = b.build()?;
/// let (mut ws, mut reactions) = (Workspace::new(&model), Reactions::new(&model));
/// reactions.find(&model, &mut ws, &[0.0], &[0.0], &[0.0], None, None);
/// let up = reactions.of(hinge);
/// assert!((up.force.z - 2.0 * 9.81).abs() < 1e-13 && up.moment.norm() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reactions {
    links: Vec<Force>,
    accelerations: Vec<Motion>,
    /// For each joint: its last link; `None` for a fixed joint.
    last: Vec<Option<usize>>,
}

impl Reactions {
    /// Room for the joints of `model`.
    pub fn new(model: &Model) -> Reactions {
        let n = model.tree.links();
        let mut link_of = vec![0; model.nv()];
        for link in 1..n {
            let first = model.tree.v[link];
            link_of[first..first + model.tree.kind[link].nv()].fill(link);
        }
        let last = model.joints().iter().map(|j| j.dofs().next_back().map(|dof| link_of[dof])).collect();
        Reactions { links: vec![Force::default(); n], accelerations: vec![Motion::default(); n], last }
    }

    /// Computes the wrenches while the model accelerates with `a` at (q, v). `multipliers` are its constraints with the multipliers of this
    /// acceleration, `outside` other forces on the bodies.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub fn find(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        multipliers: Option<&Multipliers>,
        outside: Option<&ExternalForces>,
    ) {
        ws.move_to(model, q, v);
        ws.link_accelerations(model, v, Some(a), &mut self.accelerations);
        // bodies fixed to the world have neither weight nor momentum in the sums of the model
        self.links[0] = Force::default();
        for link in 1..model.tree.links() {
            self.links[link] = needed(model, ws, link, self.accelerations[link]);
            if let Some(outside) = outside {
                self.links[link] = self.links[link] - outside.on_link(link);
            }
        }
        if let Some(multipliers) = multipliers {
            let rows = &multipliers.rows;
            for row in 0..rows.len() {
                let [a, b] = rows.links[row];
                self.links[a] = self.links[a] - rows.link_a[row] * multipliers.lambda[row];
                self.links[b] = self.links[b] - rows.link_b[row] * multipliers.lambda[row];
            }
            for term in &rows.measured {
                for (link, wrench) in term.wrenches() {
                    self.links[link] = self.links[link] - wrench * multipliers.lambda[term.row];
                }
            }
        }
        for link in (1..model.tree.links()).rev() {
            let parent = model.tree.parent[link];
            let arm = ws.link_pose(link).pos - ws.link_pose(parent).pos;
            self.links[parent] = self.links[parent] + self.links[link].about(-arm);
        }
    }

    /// The wrench that the joint transmits to its body, in world axes about the joint's anchor (the body's origin for a free joint); zero
    /// for a fixed joint, whose body is merged with its parent.
    pub fn of(&self, joint: JointId) -> Force {
        self.last[joint.index()].map_or(Force::default(), |link| self.links[link])
    }

    /// The total external force except gravity, if no other forces were given: in world axes about the world's origin.
    pub fn of_world(&self) -> Force {
        self.links[0]
    }

    /// The last computed acceleration of a body: angular, and linear at the origin of its frame, without gravity.
    pub fn acceleration(&self, model: &Model, ws: &Workspace, body: BodyId) -> Motion {
        ws.body_acceleration(model, body, &self.accelerations)
    }
}

/// The wrench that produces this motion of the link, less its weight.
fn needed(model: &Model, ws: &Workspace, link: usize, moved: Motion) -> Force {
    let (inertia, rot, w) = (model.tree.inertia_of(link), ws.link_pose(link).rot, ws.link_velocity(link).ang);
    let (i, h, m) = (inertia.rotational.rotated(rot), rot * inertia.first_moment, inertia.mass);
    let a = moved.lin - model.gravity();
    Force {
        moment: i * moved.ang + w.cross(i * w) + h.cross(a),
        force: a * m + moved.ang.cross(h) + w.cross(w.cross(h)),
    }
}
