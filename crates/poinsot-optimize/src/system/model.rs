//! A model as a system: inverse dynamics, forces along joints as controls, points that may stand on the ground.

use super::{Given, Moment, Names, System};
use crate::error::OptimizeError;
use crate::number::Pair;
use poinsot::algebra::{Real, V3};
use poinsot::dynamics::GenericWorkspace;
use poinsot::model::{BodyId, JointKind, Model};
use poinsot::names::{Space, labels};
use poinsot::spatial::{Motion, Pose};

/// A point of a body that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// The body it is fixed to.
    pub body: BodyId,
    /// Where it is in the frame of the body.
    pub at: V3,
}

/// A point that may stand: a force acts on it along some axes of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Foot {
    /// The place of its point in the list of points.
    pub point: usize,
    /// The axes along which it is held: 0, 1, 2 for x, y, z; z is up.
    pub axes: Vec<usize>,
    /// The coefficient of friction.
    pub friction: f64,
}

/// A model with controls, points and feet.
#[derive(Clone, Debug)]
pub struct ModelSystem {
    model: Model,
    /// The degrees of freedom that controls push.
    actuated: Vec<usize>,
    points: Vec<Point>,
    feet: Vec<Foot>,
    /// For each point the degrees of freedom that move it.
    moving: Vec<Vec<usize>>,
}

/// The outputs of a point: place, velocity, acceleration.
const POINT: [&str; 9] = ["x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"];
/// The outputs of the centre of mass: place and velocity.
const COM: [&str; 6] = ["x", "y", "z", "vx", "vy", "vz"];
const AXES: [&str; 3] = ["x", "y", "z"];

impl ModelSystem {
    /// A model whose joints deliver forces at these degrees of freedom.
    ///
    /// # Errors
    /// Where the model has what inverse dynamics alone does not know: closed loops, tendons that pull, a medium, springs of attitudes.
    pub fn new(
        model: Model,
        actuated: Vec<usize>,
        points: Vec<Point>,
        feet: Vec<Foot>,
    ) -> Result<ModelSystem, OptimizeError> {
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
        let moving = points.iter().map(|p| dofs_of(&model, p.body)).collect();
        Ok(ModelSystem { model, actuated, points, feet, moving })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The first output of a point.
    pub fn output_of(point: usize) -> usize {
        COM.len() + POINT.len() * point
    }

    /// The first output of the friction of a foot: two in a plane, one in space; none along one axis.
    pub fn friction_of(&self, foot: usize) -> std::ops::Range<usize> {
        let first = Self::output_of(self.points.len());
        let count = |f: &Foot| match f.axes.len() {
            0 | 1 => 0,
            2 => 2,
            _ => 1,
        };
        let begin = first + self.feet[..foot].iter().map(count).sum::<usize>();
        begin..begin + count(&self.feet[foot])
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

    /// Takes the forces of springs and dampers of joints from the balance.
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

    /// Places, velocities and accelerations of points, and the forces on feet.
    fn touch<T: Real>(&self, at: Moment<T>, s: &mut Seen<T>, out: &mut Given<T>) {
        for ((q, rate), pair) in at.q.iter().zip(&*out.rate).zip(&mut s.q) {
            *pair = Pair { re: *q, eps: *rate };
        }
        s.workspace.jacobians(&self.model, &s.q, &mut s.columns);
        let (centre, rest) = out.outputs.split_at_mut(COM.len());
        self.centre(s, centre);
        let mut next = 0;
        for (point, moving) in self.points.iter().zip(&self.moving) {
            let p = place(&s.workspace, &self.model, point);
            // ṗ = J v along the motion, so its rate is J a + J̇ v
            let mut turned = V3::new(T::zero(), T::zero(), T::zero());
            for k in moving {
                let column = s.columns[*k].at(p).lin;
                let pull = |c: Pair<T>| c.re * at.a[*k] + c.eps * at.v[*k];
                turned += V3::new(pull(column.x), pull(column.y), pull(column.z));
            }
            let parts = [p.x.re, p.y.re, p.z.re, p.x.eps, p.y.eps, p.z.eps, turned.x, turned.y, turned.z];
            rest[next..next + POINT.len()].copy_from_slice(&parts);
            next += POINT.len();
        }
        let mut first = 0;
        for foot in &self.feet {
            let forces = &at.f[first..first + foot.axes.len()];
            first += foot.axes.len();
            let (point, p) = (foot.point, place(&s.workspace, &self.model, &self.points[foot.point]));
            for k in &self.moving[point] {
                let column = s.columns[*k].at(p).lin;
                let column = [column.x.re, column.y.re, column.z.re];
                for (axis, f) in foot.axes.iter().zip(forces) {
                    out.balance[*k] -= column[*axis] * *f;
                }
            }
            let (normal, sideways): (Vec<_>, Vec<_>) =
                foot.axes.iter().zip(forces).partition(|(axis, _)| **axis == 2);
            let mu = T::from_f64(foot.friction);
            match (&normal[..], &sideways[..]) {
                ([(_, n)], [(_, t)]) => {
                    (rest[next], rest[next + 1]) = (mu * **n - **t, mu * **n + **t);
                    next += 2;
                }
                ([(_, n)], [(_, t), (_, w)]) => {
                    rest[next] = mu * mu * **n * **n - **t * **t - **w * **w;
                    next += 1;
                }
                _ => {}
            }
        }
    }

    fn centre<T: Real>(&self, s: &Seen<T>, out: &mut [T]) {
        let mass = self.model.mass().max(f64::MIN_POSITIVE);
        let mut sum = V3::new(Pair::zero(), Pair::zero(), Pair::zero());
        for (id, body) in self.model.body_ids().zip(self.model.bodies()) {
            if body.inertia.mass > 0.0 && !dofs_of(&self.model, id).is_empty() {
                let pose = s.workspace.pose(&self.model, id);
                let moment = (body.inertia.first_moment * (1.0 / mass)).lift();
                sum += pose.pos * Pair::from_f64(body.inertia.mass / mass) + pose.rot * moment;
            }
        }
        out.copy_from_slice(&[sum.x.re, sum.y.re, sum.z.re, sum.x.eps, sum.y.eps, sum.z.eps]);
    }
}

impl System for ModelSystem {
    type Scratch<T: Real> = (GenericWorkspace<T>, Seen<T>);

    fn names(&self) -> Names {
        let v = labels(&self.model, Space::Velocity);
        let u = self.actuated.iter().map(|k| v[*k].clone()).collect();
        let foot = |f: &Foot| {
            f.axes.iter().map(|a| format!("{}.{}", self.points[f.point].name, AXES[*a])).collect::<Vec<_>>()
        };
        let mut outputs: Vec<String> = COM.iter().map(|part| format!("com.{part}")).collect();
        for point in &self.points {
            outputs.extend(POINT.iter().map(|part| format!("{}.{part}", point.name)));
        }
        for (k, foot) in self.feet.iter().enumerate() {
            let name = &self.points[foot.point].name;
            outputs.extend(self.friction_of(k).enumerate().map(|(c, _)| format!("{name}.friction{}", c + 1)));
        }
        let f = self.feet.iter().flat_map(foot).collect();
        Names { q: labels(&self.model, Space::Position), v, u, f, outputs }
    }

    fn neutral(&self) -> Vec<f64> {
        self.model.neutral()
    }

    fn scratch<T: Real>(&self) -> Self::Scratch<T> {
        (GenericWorkspace::new(&self.model), Seen::new(&self.model))
    }

    fn evaluate<T: Real>(&self, at: Moment<T>, scratch: &mut Self::Scratch<T>, mut out: Given<T>) {
        let (workspace, seen) = scratch;
        self.rates(at.q, at.v, out.rate);
        workspace.inverse_dynamics(&self.model, at.q, at.v, at.a, out.balance);
        self.passive(at.q, at.v, out.balance);
        for (k, u) in self.actuated.iter().zip(at.u) {
            out.balance[*k] -= *u;
        }
        self.touch(at, seen, &mut out);
    }
}

/// Scratch for points: coordinates with their rates, and what each degree of freedom does.
#[derive(Clone, Debug)]
pub struct Seen<T> {
    workspace: GenericWorkspace<Pair<T>>,
    q: Vec<Pair<T>>,
    columns: Vec<Motion<Pair<T>>>,
}

impl<T: Real> Seen<T> {
    fn new(model: &Model) -> Seen<T> {
        let nothing = V3::new(Pair::zero(), Pair::zero(), Pair::zero());
        Seen {
            workspace: GenericWorkspace::new(model),
            q: vec![Pair::zero(); model.nq()],
            columns: vec![Motion { ang: nothing, lin: nothing }; model.nv()],
        }
    }
}

/// Where a point is, after the Jacobians.
fn place<T: Real>(workspace: &GenericWorkspace<Pair<T>>, model: &Model, point: &Point) -> V3<Pair<T>> {
    let Pose { rot, pos } = workspace.pose(model, point.body);
    rot * point.at.lift() + pos
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

/// The rate of a quaternion that turns with Ω in body axes: ½ q (0, Ω).
fn turn_rate<T: Real>(q: &[T], w: &[T], out: &mut [T]) {
    let half = T::from_f64(0.5);
    out[0] = half * (-(q[1] * w[0]) - q[2] * w[1] - q[3] * w[2]);
    out[1] = half * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    out[2] = half * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    out[3] = half * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}
