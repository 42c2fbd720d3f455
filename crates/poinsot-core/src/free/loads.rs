//! Forces and torques on a free body.

use super::{FreeBody, Kinematics};
use crate::algebra::V3;
use crate::spatial::Force;

/// The load on a body: the force, and its moment about the centre of mass, in world axes.
///
/// Implemented for closures, and for pairs of loads, which act together.
///
/// ```
/// use poinsot_core::{algebra::V3, free::{FreeBody, Kinematics, Loads, UniformGravity}, spatial::Force};
/// let drag = |_: &FreeBody, at: &Kinematics| Force { force: at.vel * -0.1, moment: at.omega * -0.01 };
/// let both = (UniformGravity::EARTH, drag);
/// fn accepts(_: &impl Loads) {}
/// accepts(&both);
/// ```
pub trait Loads {
    /// The load on `body` with the motion `at`.
    fn load(&self, body: &FreeBody, at: &Kinematics) -> Force;
}

impl<F: Fn(&FreeBody, &Kinematics) -> Force> Loads for F {
    fn load(&self, body: &FreeBody, at: &Kinematics) -> Force {
        self(body, at)
    }
}

impl<A: Loads, B: Loads> Loads for (A, B) {
    fn load(&self, body: &FreeBody, at: &Kinematics) -> Force {
        self.0.load(body, at) + self.1.load(body, at)
    }
}

/// No load.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLoad;
impl Loads for NoLoad {
    fn load(&self, _: &FreeBody, _: &Kinematics) -> Force {
        Force { moment: V3::ZERO, force: V3::ZERO }
    }
}

/// The weight m g at the centre of mass.
#[derive(Clone, Copy, Debug)]
pub struct UniformGravity {
    /// g, world axes.
    pub acceleration: V3,
}

impl UniformGravity {
    /// 9.81 m/s² along −z.
    pub const EARTH: UniformGravity = UniformGravity { acceleration: V3::new(0.0, 0.0, -9.81) };

    /// U = −m g·x.
    pub fn potential(&self, body: &FreeBody, pos: V3) -> f64 {
        -body.mass() * self.acceleration.dot(pos)
    }
}
impl Loads for UniformGravity {
    fn load(&self, body: &FreeBody, _: &Kinematics) -> Force {
        Force { moment: V3::ZERO, force: self.acceleration * body.mass() }
    }
}

/// The direction of a [`PointForce`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForceAxes {
    /// The force turns with the body, like a thruster's.
    Body(V3),
    /// The force keeps its direction in the world, like a rope's to a far point.
    World(V3),
}

/// A force at a point of the body.
///
/// ```
/// use poinsot_core::{algebra::{Sym3, V3}, free::*, spatial::Inertia};
/// let body = FreeBody::new(&Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 1.0, 1.0))?)?;
/// let push = PointForce { point: V3::X, force: ForceAxes::World(V3::Y) };
/// let at = Kinematics::of(&body, &body.to_momentum(&VelocityState::AT_REST), 0.0);
/// assert_eq!(push.load(&body, &at).moment, V3::Z);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PointForce {
    /// Where it acts: body axes, from the centre of mass.
    pub point: V3,
    /// The force.
    pub force: ForceAxes,
}
impl Loads for PointForce {
    fn load(&self, _: &FreeBody, at: &Kinematics) -> Force {
        let force = match self.force {
            ForceAxes::Body(f) => at.rot * f,
            ForceAxes::World(f) => f,
        };
        Force::at_point(force, at.rot * self.point)
    }
}

/// The weight of a body on a pivot: its moment about the pivot, which takes the force.
#[derive(Clone, Copy, Debug)]
pub struct PivotWeight {
    /// The centre of mass: body axes, from the pivot.
    pub com: V3,
    /// m g, world axes.
    pub weight: V3,
}

impl PivotWeight {
    /// U = −m g·R c.
    pub fn potential(&self, rot: crate::algebra::M3) -> f64 {
        -self.weight.dot(rot * self.com)
    }
}
impl Loads for PivotWeight {
    fn load(&self, _: &FreeBody, at: &Kinematics) -> Force {
        Force { moment: (at.rot * self.com).cross(self.weight), force: V3::ZERO }
    }
}
