//! Contact points as plain data, and the interface that detects them.

use crate::algebra::V3;
use crate::contact::{Law, MOST_ROWS};
use crate::model::{BodyId, GeomId, Model};
use crate::spatial::{Force, Motion, Pose};

/// The identity of a contact from one step to the next: the geoms, a number for the feature of each that touches, and an ordinal if these
/// repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // said above
pub struct ContactKey {
    pub geoms: [GeomId; 2],
    pub features: [u32; 2],
    pub ordinal: u32,
}

impl ContactKey {
    pub(crate) fn numbers(&self) -> [f64; 5] {
        let [a, b] = self.geoms.map(|g| g.index() as f64);
        let [f, g] = self.features.map(f64::from);
        [a, b, f, g, f64::from(self.ordinal)]
    }
    pub(crate) fn of_numbers(x: [f64; 5]) -> ContactKey {
        let geom = |x: f64| GeomId(x as usize);
        ContactKey {
            geoms: [geom(x[0]), geom(x[1])],
            features: [x[2] as u32, x[3] as u32],
            ordinal: x[4] as u32,
        }
    }
}

/// The properties of a contact between two surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// The number of rows in addition to the normal: 0, 2 (sliding), 3 (also torsion) or 5 (also rolling).
    pub count: usize,
    /// μ of each: no unit for sliding, m for torsion and rolling.
    pub friction: [f64; MOST_ROWS - 1],
    /// e, by Newton's or Poisson's law: [`Restitution`](super::Restitution).
    pub restitution: f64,
    /// The compliance; `None` if rigid.
    pub softness: Option<ContactSoftness>,
}

/// The compliance of a contact: the force F along the normal for a gap g, which is negative if the surfaces overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContactSoftness {
    /// F = −k g − d ġ at the end of the step, never negative; stable for any k and d.
    Implicit {
        /// k, N/m.
        stiffness: f64,
        /// d, N s/m.
        damping: f64,
    },
    /// The force from g and ġ at the start of the step, with friction −d u_T up to μ F: the textbook form, which diverges if k and d
    /// are too large for the mass and the step.
    Explicit {
        /// k, N/m.
        stiffness: f64,
        /// d, N s/m.
        damping: f64,
    },
    /// MuJoCo's: g̈ = (1 − i) a₀ − i (b ġ + k g), where a₀ is the acceleration without the contact.
    Reference {
        /// k, 1/s².
        stiffness: f64,
        /// b, 1/s.
        damping: f64,
        /// i, the impedance at this gap, between 0 and 1.
        impedance: f64,
        /// The effective mass of the contact, kg.
        mass: f64,
    },
}

impl Surface {
    pub(super) fn rows(&self) -> usize {
        1 + self.count
    }
    /// True if its force is known from the state at the start of a step.
    pub(super) fn is_explicit(&self) -> bool {
        matches!(self.softness, Some(ContactSoftness::Explicit { .. }))
    }
    pub(super) fn law(&self) -> Law {
        Law::elliptic(&self.friction[..self.count])
    }
}

/// A point where two bodies touch, or may touch before a step ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Its identity from step to step.
    pub key: ContactKey,
    /// The bodies of the geoms, in the same order.
    pub bodies: [BodyId; 2],
    /// The position in the world, m.
    pub position: V3,
    /// The unit vector from the first body to the second, in the world.
    pub normal: V3,
    /// The distance of the surfaces along the normal, m; negative: the depth of their overlap.
    pub gap: f64,
    /// The properties of the contact.
    pub surface: Surface,
}

impl ContactPoint {
    /// n, t₁ and t₂: a right-handed frame that depends on n alone.
    #[inline(always)]
    pub fn frame(&self) -> [V3; 3] {
        let n = self.normal;
        // at right angles to the axis along which n is smallest, so that the frame of a plane is that of the world
        let other = if n.x.abs() <= n.y.abs().min(n.z.abs()) {
            V3::X
        } else if n.y.abs() <= n.z.abs() {
            V3::Y
        } else {
            V3::Z
        };
        let across = other - n * n.dot(other);
        let t = across * (1.0 / across.norm());
        [n, t, n.cross(t)]
    }
}

/// [`ContactPoint::in_world`] in a known frame.
#[inline(always)]
pub(super) fn in_world(axes: &[V3; 3], rows: &[f64]) -> (V3, V3) {
    let sum = |rows: &[f64]| rows.iter().zip(axes).fold(V3::ZERO, |sum, (x, axis)| sum + *axis * *x);
    (sum(&rows[..rows.len().min(3)]), sum(rows.get(3..).unwrap_or_default()))
}

impl ContactPoint {
    /// A contact with this key and no other data.
    pub(crate) fn of_key(key: ContactKey) -> ContactPoint {
        let surface = Surface { count: 0, friction: [0.0; MOST_ROWS - 1], restitution: 0.0, softness: None };
        let (bodies, position, normal) = ([BodyId::WORLD; 2], V3::ZERO, V3::Z);
        ContactPoint { key, bodies, position, normal, gap: 0.0, surface }
    }
    /// The entries of the rows of the contact as a vector and, for torsion and rolling, a second one.
    pub(crate) fn in_world(&self, rows: &[f64]) -> (V3, V3) {
        in_world(&self.frame(), rows)
    }
    /// The force of the world on all moving bodies from an impulse on the second body: zero between two moving bodies.
    pub(super) fn push(&self, model: &Model, impulse: V3, moment: V3) -> Force {
        let on_second = Force { moment: self.position.cross(impulse) + moment, force: impulse };
        match self.bodies.map(|b| model.bodies[b.index()].link == 0) {
            [true, false] => on_second,
            [false, true] => on_second * -1.0,
            _ => Force::default(),
        }
    }
}

/// The result of a step for a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactResult {
    /// The point.
    pub point: ContactPoint,
    /// The impulse on the second body over the step, N s, in the world; the first has the opposite.
    pub impulse: V3,
    /// The additional moment of impulse about the point from torsion and rolling, N m s.
    pub moment: V3,
    /// The velocity of the second body minus that of the first at the point, at the start and at the end of the step, m/s, in the
    /// world.
    pub velocity: [V3; 2],
    /// Whether it still pushes at the end of the step; for a step in parts, in the last of them.
    pub pushes: bool,
    /// The work of torsional and rolling friction.
    pub(crate) turned: f64,
    /// It was deferred, to collide at its own time of impact.
    pub(crate) deferred: bool,
    /// The step has resolved it.
    pub(crate) held: bool,
}

impl ContactResult {
    pub(super) fn at_rest(point: ContactPoint) -> ContactResult {
        let (impulse, moment, velocity) = (V3::ZERO, V3::ZERO, [V3::ZERO; 2]);
        let (pushes, deferred, held) = (false, false, false);
        ContactResult { point, impulse, moment, velocity, pushes, turned: 0.0, deferred, held }
    }
    /// The result for a contact with this impulse.
    pub(crate) fn pushed(point: ContactPoint, impulse: V3, moment: V3, velocity: [V3; 2]) -> ContactResult {
        ContactResult { impulse, moment, velocity, pushes: true, held: true, ..ContactResult::at_rest(point) }
    }
    /// The work of its impulse over the step.
    pub(super) fn work(&self) -> f64 {
        self.impulse.dot(self.velocity[0] + self.velocity[1]) * 0.5 + self.turned
    }
    /// Continues the same contact in a later part of the step.
    pub(crate) fn join(&mut self, later: &ContactResult) {
        let (impulse, moment, before) = (self.impulse, self.moment, self.velocity[0]);
        *self = *later;
        (self.impulse, self.moment) = (impulse + later.impulse, moment + later.moment);
        self.velocity[0] = before;
    }
}

/// How two geoms are swept along their paths through a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepRule {
    /// Swept at any speed; otherwise only if they close by more than their [thickness](ContactSource::thickness).
    pub always: bool,
    /// The step has resolved them: if they were apart, only penetration matters.
    pub held: bool,
    /// The penetration that is then allowed, also if they touch at the start, relative to their thickness; infinite for any depth.
    pub overlap: f64,
}

/// The result of [`ContactSource::first_touch`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstTouch {
    /// The time from the start, in seconds.
    pub time: f64,
    /// The geoms.
    pub geoms: [GeomId; 2],
    /// They touched at the start, and penetrate now.
    pub touching: bool,
}

/// Finds contacts. [`crate::integrate::System::touch`] takes one.
pub trait ContactSource: Send {
    /// Writes all contact candidates, sorted by key: bodies at these poses (the world's first), with these velocities of their frames in
    /// world axes, that may touch within `reach` seconds if gravity and motors add no more than `extra` metres.
    fn detect(
        &mut self,
        poses: &[Pose],
        motions: &[Motion],
        reach: f64,
        extra: f64,
        out: &mut Vec<ContactPoint>,
    ) -> Result<(), String>;

    /// The time of impact of geoms that are apart at the start, while bodies move from one set of poses to another in the time h; or the
    /// first time at which geoms that touch at the start penetrate by more than is allowed. `how` is the rule for a pair; `None` skips it.
    /// `always` says that some pairs may be swept [at any speed](SweepRule::always); otherwise motions smaller than the thickness of the
    /// thinnest geom are ignored.
    fn first_touch(
        &mut self,
        from: &[Pose],
        to: &[Pose],
        h: f64,
        always: bool,
        how: &dyn Fn([GeomId; 2]) -> Option<SweepRule>,
    ) -> Result<Option<FirstTouch>, String>;

    /// The point at which two geoms touch or are closest to each other.
    fn closest(&mut self, poses: &[Pose], geoms: [GeomId; 2]) -> Result<Option<ContactPoint>, String>;

    /// Writes all points of these pairs of geoms at which they are within `margin` metres of each other, pair by pair.
    fn points(
        &mut self,
        poses: &[Pose],
        pairs: &[[GeomId; 2]],
        margin: f64,
        out: &mut Vec<ContactPoint>,
    ) -> Result<(), String>;

    /// A motion begins at these poses, which do not follow from the last. Returns the pairs that are left out in it because they overlap there; none if
    /// that does not depend on the poses.
    fn begin_at(&mut self, _poses: &[Pose]) -> Option<Vec<[GeomId; 2]>> {
        None
    }

    /// Contacts will be requested in a step of h seconds from now on.
    fn begin_step(&mut self, _h: f64) {}

    /// Writes what later calls depend on, as numbers.
    fn memory(&self, _out: &mut Vec<f64>) {}
    /// Restores what [`ContactSource::memory`] wrote, number by number.
    fn restore_memory(&mut self, _next: &mut dyn FnMut() -> f64) {}

    /// Restores what [`ContactSource::memory`] wrote for a model with other bodies; `geoms` gives, for each geom of that model, the
    /// corresponding geom of this one.
    fn remap(&mut self, _memory: &[f64], _geoms: &[Option<GeomId>]) {}

    /// The distance by which two geoms may close during a step without any risk of tunnelling, in metres.
    fn thickness(&self, geoms: [GeomId; 2]) -> f64;
    /// True if one of two geoms is a half-space. Its normal is the same everywhere, and nothing gets past it.
    fn is_half_space(&self, _geoms: [GeomId; 2]) -> bool {
        false
    }
    /// Half the width of the thinnest geom, m.
    fn thinnest(&self) -> f64;
    /// The sum of the least radii of curvature of two geoms, in metres; infinite if one is flat. Sliding by this distance turns the normal
    /// by 1 rad.
    fn roundness(&self, geoms: [GeomId; 2]) -> f64;
}
