//! Points of contact as plain data, and who finds them.

use crate::algebra::V3;
use crate::contact::{Law, MOST_ROWS};
use crate::model::{BodyId, GeomId, Model};
use crate::spatial::{Force, Motion, Pose};

/// What a contact is known by from one step to the next: the geoms, a number for the feature of each that touches, and an
/// ordinal where these repeat.
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

/// What two surfaces are like where they touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// How many rows there are in addition to the normal: 0, 2 (sliding), 3 (and torsion) or 5 (and rolling).
    pub count: usize,
    /// μ of each: no unit for sliding, m for torsion and rolling.
    pub friction: [f64; MOST_ROWS - 1],
    /// e, Newton's or Poisson's: [`Restitution`](super::Restitution).
    pub restitution: f64,
    /// How it yields; none: it is rigid.
    pub softness: Option<ContactSoftness>,
}

/// How a contact yields: the force F along the normal for a gap g, negative where surfaces overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContactSoftness {
    /// F = −k g − d ġ at the end of the step, never negative; stable whatever k and d are.
    Implicit {
        /// k, N/m.
        stiffness: f64,
        /// d, N s/m.
        damping: f64,
    },
    /// The same from g and ġ at its beginning, with friction −d u_T up to μ F: as it is written down first, and it diverges where k and d
    /// are too large for the mass and the step.
    Explicit {
        /// k, N/m.
        stiffness: f64,
        /// d, N s/m.
        damping: f64,
    },
    /// MuJoCo's: g̈ = (1 − i) a₀ − i (b ġ + k g), where a₀ would be without the contact.
    Reference {
        /// k, 1/s².
        stiffness: f64,
        /// b, 1/s.
        damping: f64,
        /// i, the impedance at this gap, between 0 and 1.
        impedance: f64,
        /// The mass that the contact moves, kg.
        mass: f64,
    },
}

impl Surface {
    pub(super) fn rows(&self) -> usize {
        1 + self.count
    }
    /// True where its force is known from the state at the beginning of a step.
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
    /// What it is known by from step to step.
    pub key: ContactKey,
    /// The bodies of the geoms, in the same order.
    pub bodies: [BodyId; 2],
    /// In the world, m.
    pub position: V3,
    /// The unit vector from the first to the second, in the world.
    pub normal: V3,
    /// The distance of the surfaces along the normal, m; negative: how far they reach into each other.
    pub gap: f64,
    /// What the surfaces are like.
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

impl ContactPoint {
    /// One of which nothing is known but its key.
    pub(crate) fn of_key(key: ContactKey) -> ContactPoint {
        let surface = Surface { count: 0, friction: [0.0; MOST_ROWS - 1], restitution: 0.0, softness: None };
        let (bodies, position, normal) = ([BodyId::WORLD; 2], V3::ZERO, V3::Z);
        ContactPoint { key, bodies, position, normal, gap: 0.0, surface }
    }
    /// What the rows of the contact have, as a vector and, of torsion and rolling, another.
    pub(crate) fn in_world(&self, rows: &[f64]) -> (V3, V3) {
        let axes = self.frame();
        let sum = |rows: &[f64]| rows.iter().zip(axes).fold(V3::ZERO, |sum, (x, axis)| sum + axis * *x);
        (sum(&rows[..rows.len().min(3)]), sum(rows.get(3..).unwrap_or_default()))
    }
    /// What the world exerts on all that moves by an impulse on the second body: nothing between two that move.
    pub(super) fn push(&self, model: &Model, impulse: V3, moment: V3) -> Force {
        let on_second = Force { moment: self.position.cross(impulse) + moment, force: impulse };
        match self.bodies.map(|b| model.bodies[b.index()].link == 0) {
            [true, false] => on_second,
            [false, true] => on_second * -1.0,
            _ => Force::default(),
        }
    }
}

/// A contact as a step has found it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touched {
    /// Where.
    pub point: ContactPoint,
    /// The impulse on the second body over the step, N s, in the world; the first has the opposite.
    pub impulse: V3,
    /// The moment of impulse about the point in addition to it, of torsion and rolling, N m s.
    pub moment: V3,
    /// The velocity of the second body less that of the first at the point, at the beginning and at the end of the step, m/s, in
    /// the world.
    pub velocity: [V3; 2],
    /// It pushes at the end of the step, too; of a step in parts: in the last of them.
    pub pushes: bool,
    /// The work of torsion and rolling.
    pub(crate) turned: f64,
    /// It was left out of the step, to collide at its time.
    pub(crate) flies: bool,
    /// The step has held it.
    pub(crate) held: bool,
}

impl Touched {
    pub(super) fn at_rest(point: ContactPoint) -> Touched {
        let (impulse, moment, velocity) = (V3::ZERO, V3::ZERO, [V3::ZERO; 2]);
        let (pushes, flies, held) = (false, false, false);
        Touched { point, impulse, moment, velocity, pushes, turned: 0.0, flies, held }
    }
    /// One that pushes with this impulse.
    pub(crate) fn pushed(point: ContactPoint, impulse: V3, moment: V3, velocity: [V3; 2]) -> Touched {
        Touched { impulse, moment, velocity, pushes: true, held: true, ..Touched::at_rest(point) }
    }
    /// The work of its impulse over the step.
    pub(super) fn work(&self) -> f64 {
        self.impulse.dot(self.velocity[0] + self.velocity[1]) * 0.5 + self.turned
    }
    /// Goes on with the same contact in a later part of the step.
    pub(crate) fn join(&mut self, later: &Touched) {
        let (impulse, moment, before) = (self.impulse, self.moment, self.velocity[0]);
        *self = *later;
        (self.impulse, self.moment) = (impulse + later.impulse, moment + later.moment);
        self.velocity[0] = before;
    }
}

/// How two geoms are followed on their way through a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Following {
    /// At any speed; otherwise only where they come nearer by more than their [thickness](ContactSource::thickness).
    pub always: bool,
    /// The step has held them: of those that were apart only what overlaps matters.
    pub held: bool,
    /// By how much they may overlap then, or where they touch at the beginning, in parts of their thickness; infinite: by any depth.
    pub overlap: f64,
}

/// Where [`ContactSource::first_touch`] has come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstTouch {
    /// After the beginning, s.
    pub time: f64,
    /// The geoms.
    pub geoms: [GeomId; 2],
    /// They touched at the beginning, and overlap now.
    pub touching: bool,
}

/// Finds where bodies touch. [`crate::integrate::System::touch`] takes one.
pub trait ContactSource: Send {
    /// Writes all points at which bodies come within reach of one another, sorted by key: where bodies in these poses, the
    /// world's first, with these velocities of their frames, in world axes, may touch within `reach` seconds, gravity or
    /// motors having added no more than `extra` metres.
    fn detect(
        &mut self,
        poses: &[Pose],
        motions: &[Motion],
        reach: f64,
        extra: f64,
        out: &mut Vec<ContactPoint>,
    ) -> Result<(), String>;

    /// The first touch while bodies move from some poses to others in the time h, of geoms that are apart at the beginning; or the first time at which
    /// geoms that touch there overlap more than they may. `how` says of a pair how it is followed; nothing: not at all. `always`: a pair that
    /// is followed [at any speed](Following::always) may be among them; otherwise nothing that moves by less than the thinnest geom is thick matters.
    fn first_touch(
        &mut self,
        from: &[Pose],
        to: &[Pose],
        h: f64,
        always: bool,
        how: &dyn Fn([GeomId; 2]) -> Option<Following>,
    ) -> Result<Option<FirstTouch>, String>;

    /// The point at which two geoms touch or are nearest to each other.
    fn closest(&mut self, poses: &[Pose], geoms: [GeomId; 2]) -> Result<Option<ContactPoint>, String>;

    /// Writes all points of these pairs of geoms at which they are within `margin` metres of each other, pair by pair.
    fn points(
        &mut self,
        poses: &[Pose],
        pairs: &[[GeomId; 2]],
        margin: f64,
        out: &mut Vec<ContactPoint>,
    ) -> Result<(), String>;

    /// Contacts are asked for in a step of h seconds from now on.
    fn begin_step(&mut self, _h: f64) {}

    /// Writes what it goes on from, as numbers.
    fn memory(&self, _out: &mut Vec<f64>) {}
    /// Takes up what [`ContactSource::memory`] wrote, number by number.
    fn recall(&mut self, _next: &mut dyn FnMut() -> f64) {}

    /// Takes up what [`ContactSource::memory`] of a source for a model with other bodies wrote; `geoms` are, for each geom of that, the same of this.
    fn carry(&mut self, _memory: &[f64], _geoms: &[Option<GeomId>]) {}

    /// The distance by which two geoms may come nearer in a step without any risk of passing through one another, m.
    fn thickness(&self, geoms: [GeomId; 2]) -> f64;
    /// Half the width of the thinnest geom, m.
    fn thinnest(&self) -> f64;
    /// The sum of the least radii of curvature of two geoms, m; infinite where one is flat: what slides by as much turns its normal by 1.
    fn roundness(&self, geoms: [GeomId; 2]) -> f64;
}
