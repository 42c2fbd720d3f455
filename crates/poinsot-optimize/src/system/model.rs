//! A model as a system: inverse dynamics, with forces along joints as controls, and points that may be in contact with the ground.

use super::points::{Point, Points, Seen};
use super::{Evaluation, Moment, Names, System};
use crate::error::OptimizeError;
use poinsot::algebra::{Dual, Real, V3};
use poinsot::dynamics::GenericWorkspace;
use poinsot::model::{BodyId, JointKind, Model};
use poinsot::names::{Space, labels};
use poinsot::spatial::{Motion, Pose};

/// A model with controls, points and feet.
#[derive(Clone, Debug)]
pub struct ModelSystem {
    model: Model,
    /// The degrees of freedom with controls.
    actuated: Vec<usize>,
    points: Points,
    /// For each point, the degrees of freedom that move it.
    moving: Vec<Vec<usize>>,
}

impl ModelSystem {
    /// Creates a system from a model with joint forces at these degrees of freedom.
    ///
    /// # Errors
    /// If the model has features that inverse dynamics alone does not include: closed loops, tendons with forces, a medium, springs of
    /// attitudes.
    pub fn new(model: Model, actuated: Vec<usize>, points: Points) -> Result<ModelSystem, OptimizeError> {
        let attitude = |k: JointKind| matches!(k, JointKind::Spherical | JointKind::Free);
        let refused = if !model.constraints().is_empty() {
            Some("constraints between bodies")
        } else if model.tendons().iter().any(|t| t.stiffness != 0.0 || t.damping != 0.0) {
            Some("tendons with springs or dampers")
        } else if model.medium().is_some() {
            Some("a medium that resists")
        } else if model.joints().iter().any(|j| j.stiffness != 0.0 && attitude(j.kind)) {
            Some("springs of ball or free joints")
        } else {
            None
        };
        if let Some(what) = refused {
            return Err(OptimizeError::Model { model: model.name().into(), what });
        }
        let moving = points.points.iter().map(|p| dofs_of(&model, p.body)).collect();
        Ok(ModelSystem { model, actuated, points, moving })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// q̇ from v.
    fn rates<T: Real>(&self, q: &[T], v: &[T], out: &mut [T]) {
        for joint in self.model.joints() {
            let (at, k) = (joint.coordinates().start, joint.dofs().start);
            let lines = if joint.kind == JointKind::Free { 3 } else { joint.kind.nv() };
            match joint.kind {
                JointKind::Spherical => turn_rate(&q[at..at + 4], &v[k..k + 3], &mut out[at..at + 4]),
                JointKind::Free => {
                    out[at..at + lines].copy_from_slice(&v[k..k + lines]);
                    turn_rate(&q[at + 3..at + 7], &v[k + 3..k + 6], &mut out[at + 3..at + 7]);
                }
                _ => out[at..at + lines].copy_from_slice(&v[k..k + lines]),
            }
        }
    }

    /// Subtracts the forces of springs and dampers of joints from the residual.
    fn passive<T: Real>(&self, q: &[T], v: &[T], balance: &mut [T]) {
        for joint in self.model.joints() {
            let (at, dofs) = (joint.coordinates().start, joint.dofs());
            for (c, k) in dofs.enumerate() {
                if joint.damping != 0.0 {
                    balance[k] += T::from_f64(joint.damping) * v[k];
                }
                if joint.stiffness != 0.0 {
                    balance[k] +=
                        T::from_f64(joint.stiffness) * (q[at + c] - T::from_f64(joint.spring_reference));
                }
            }
        }
    }

    /// Positions, velocities and accelerations of points.
    fn see<T: Real>(&self, at: &Moment<T>, flow: &Flow<T>) -> Vec<Seen<T>> {
        let of = |(point, moving): (&Point, &Vec<usize>)| {
            let Pose { rot, pos } = flow.workspace.pose(&self.model, point.body);
            let p = rot * point.at.lift() + pos;
            // ṗ = J v along the motion, so its rate is J a + J̇ v
            let mut turned = V3::zero();
            let mut columns = Vec::new();
            for k in moving {
                let column = flow.columns[*k].at(p).lin;
                let pull = |c: Dual<1, T>| c.re * at.a[*k] + c.eps[0] * at.v[*k];
                turned += V3::new(pull(column.x), pull(column.y), pull(column.z));
                columns.push((*k, with_rate(column)[0]));
            }
            let [place, speed] = with_rate(p);
            Seen { motion: [place, speed, turned], columns }
        };
        self.points.points.iter().zip(&self.moving).map(of).collect()
    }

    fn centre<T: Real>(&self, flow: &Flow<T>) -> [V3<T>; 2] {
        let mass = self.model.mass().max(f64::MIN_POSITIVE);
        let mut sum = V3::zero();
        for (id, body) in self.model.body_ids().zip(self.model.bodies()) {
            if body.inertia.mass > 0.0 && !dofs_of(&self.model, id).is_empty() {
                let pose = flow.workspace.pose(&self.model, id);
                let moment = (body.inertia.first_moment * (1.0 / mass)).lift();
                sum += pose.pos * Dual::from_f64(body.inertia.mass / mass) + pose.rot * moment;
            }
        }
        with_rate(sum)
    }
}

impl System for ModelSystem {
    fn names(&self) -> Names {
        let v = labels(&self.model, Space::Velocity);
        let u = self.actuated.iter().map(|k| v[*k].clone()).collect();
        Names {
            q: labels(&self.model, Space::Position),
            v,
            u,
            f: self.points.forces(),
            outputs: self.points.outputs(),
        }
    }

    fn neutral(&self) -> Vec<f64> {
        self.model.neutral()
    }

    fn evaluate<T: Real>(&self, at: Moment<T>, mut out: Evaluation<T>) {
        self.rates(at.q, at.v, out.rate);
        GenericWorkspace::new(&self.model).inverse_dynamics(&self.model, at.q, at.v, at.a, out.balance);
        self.passive(at.q, at.v, out.balance);
        for (k, u) in self.actuated.iter().zip(at.u) {
            out.balance[*k] -= *u;
        }
        let flow = Flow::new(&self.model, at.q, out.rate);
        self.points.touch(self.centre(&flow), &self.see(&at, &flow), &at, &mut out);
    }
}

/// Poses, and the motions of the degrees of freedom, with their rates.
struct Flow<T> {
    workspace: GenericWorkspace<Dual<1, T>>,
    columns: Vec<Motion<Dual<1, T>>>,
}

impl<T: Real> Flow<T> {
    fn new(model: &Model, q: &[T], rates: &[T]) -> Flow<T> {
        let nothing = Motion { ang: V3::zero(), lin: V3::zero() };
        let mut flow = Flow { workspace: GenericWorkspace::new(model), columns: vec![nothing; model.nv()] };
        let q: Vec<Dual<1, T>> = q.iter().zip(rates).map(|(q, rate)| Dual { re: *q, eps: [*rate] }).collect();
        flow.workspace.jacobians(model, &q, &mut flow.columns);
        flow
    }
}

/// A vector and its rate.
fn with_rate<T: Real>(p: V3<Dual<1, T>>) -> [V3<T>; 2] {
    [V3::new(p.x.re, p.y.re, p.z.re), V3::new(p.x.eps[0], p.y.eps[0], p.z.eps[0])]
}

/// The degrees of freedom between the world and a body.
fn dofs_of(model: &Model, body: BodyId) -> Vec<usize> {
    let (mut dofs, mut at) = (Vec::new(), body);
    while at != BodyId::WORLD {
        let body = &model.bodies()[at.index()];
        dofs.extend(model.joints()[body.joints.clone()].iter().flat_map(|j| j.dofs()));
        at = body.parent;
    }
    dofs.sort_unstable();
    dofs
}

/// The rate of a quaternion with angular velocity Ω in body axes: ½ q (0, Ω).
fn turn_rate<T: Real>(q: &[T], w: &[T], out: &mut [T]) {
    let half = T::from_f64(0.5);
    out[0] = half * (-(q[1] * w[0]) - q[2] * w[1] - q[3] * w[2]);
    out[1] = half * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    out[2] = half * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    out[3] = half * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}
