//! Actuators: they convert a control signal to generalised forces, following MJCF.

use super::tendon::{RANGE_WANTED, is_range};
use super::{Body, BodyId, FixedTendon, Joint, JointId, ModelError, TendonId};
use crate::spatial::Pose;

/// What an actuator acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Transmission {
    /// A joint, with the gear g.
    ///
    /// | joint | length | moment |
    /// |---|---|---|
    /// | of scalar coordinates | Σ g_c q_c | g_c for each coordinate |
    /// | spherical | g · log of the attitude | g₀₁₂: a torque in body axes |
    /// | free | 0 | g₀₁₂: a force in parent axes; g₃₄₅: a torque in body axes |
    Joint {
        /// The joint.
        joint: JointId,
        /// The torque is given in the axes of the parent, not of the body. Only for attitudes.
        in_parent: bool,
    },
    /// A tendon: length g₀ L, moment g₀ times its coefficients.
    Tendon(TendonId),
    /// A frame on a body: the gear is a force (g₀₁₂) and a torque (g₃₄₅) in the axes of the site, at its origin. The length is 0.
    Site {
        /// The body the site is fixed to.
        body: BodyId,
        /// The pose of the site in the body's frame.
        pose: Pose,
    },
}

impl From<JointId> for Transmission {
    fn from(joint: JointId) -> Self {
        Transmission::Joint { joint, in_parent: false }
    }
}
impl From<TendonId> for Transmission {
    fn from(tendon: TendonId) -> Self {
        Transmission::Tendon(tendon)
    }
}

/// The dynamics of the activation `a` under the control signal `u`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum ActuatorDynamics {
    /// None: the force follows the control signal without delay.
    #[default]
    None,
    /// `ȧ = u`.
    Integrator,
    /// `ȧ = (u − a) / T`, by Euler's method.
    Filter {
        /// T, s.
        time_constant: f64,
    },
    /// As `Filter`, solved exactly for a control held constant over the step: `a⁺ = a + (u − a)(1 − exp(−h/T))`.
    FilterExact {
        /// T, s.
        time_constant: f64,
    },
}

/// The factor of the control signal or activation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the formula says it
pub enum Gain {
    /// A constant.
    Fixed(f64),
    /// `constant + length · l + velocity · l̇`.
    Affine { constant: f64, length: f64, velocity: f64 },
}

/// The part of the force that does not depend on the control signal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)] // the formula says it
pub enum Bias {
    /// Nothing.
    #[default]
    None,
    /// `constant + length · l + velocity · l̇`.
    Affine { constant: f64, length: f64, velocity: f64 },
}

impl Gain {
    /// The coefficients (constant, length, velocity).
    pub(crate) fn coefficients(self) -> [f64; 3] {
        match self {
            Gain::Fixed(constant) => [constant, 0.0, 0.0],
            Gain::Affine { constant, length, velocity } => [constant, length, velocity],
        }
    }
}

impl Bias {
    /// The coefficients (constant, length, velocity).
    pub(crate) fn coefficients(self) -> [f64; 3] {
        match self {
            Bias::None => [0.0; 3],
            Bias::Affine { constant, length, velocity } => [constant, length, velocity],
        }
    }
}

/// An actuator reads a length `l` and a velocity `l̇` through its transmission, whose *moment* is `m = ∂l̇/∂v`, and
/// delivers the scalar force
///
/// ```math
/// p = gain(l, l̇) · u + bias(l, l̇)        τ += m p
/// ```
/// where u is the control signal, or the activation that follows from it by the actuator's own dynamics.
///
/// ```
/// use poinsot_core::{algebra::V3, model::*};
/// let mut b = ModelBuilder::new("arm");
/// let arm = b.body(BodyId::WORLD, BodySpec::new("arm").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// let elbow = b.joint(arm, Joint::revolute(V3::Y).named("elbow"));
/// b.actuator(Actuator::position(elbow, 100.0).damping(5.0).named("servo").control_range(-1.5, 1.5));
/// b.actuator(Actuator::motor(elbow).gear_ratio(30.0).named("motor").force_range(-0.4, 0.4));
/// let model = b.build()?;
/// assert_eq!(model.actuator("motor").map(|id| id.index()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Actuator {
    /// The name, unique in the model; by default `actuator` and its number.
    pub name: String,
    /// What it acts on.
    pub transmission: Transmission,
    /// The gear: one number for tendons and joints of one coordinate, up to six otherwise.
    pub gear: [f64; 6],
    /// The control signal is clamped to this range before it is used: the `ctrllimited` of MJCF.
    pub control_range: Option<(f64, f64)>,
    /// The force p is clamped to this range.
    pub force_range: Option<(f64, f64)>,
    /// The activation is clamped to this range after each step.
    pub activation_range: Option<(f64, f64)>,
    /// How the activation follows the control signal.
    pub dynamics: ActuatorDynamics,
    /// The factor of the control signal or activation.
    pub gain: Gain,
    /// The term added to it.
    pub bias: Bias,
    /// The index of its activation among the activations of a system.
    pub(crate) activation: Option<usize>,
}

impl Actuator {
    /// The force is the control signal. Change `gain`, `bias` and `dynamics` for anything else.
    pub fn general(transmission: impl Into<Transmission>) -> Actuator {
        Actuator {
            name: String::new(),
            transmission: transmission.into(),
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            control_range: None,
            force_range: None,
            activation_range: None,
            dynamics: ActuatorDynamics::None,
            gain: Gain::Fixed(1.0),
            bias: Bias::None,
            activation: None,
        }
    }
    /// A motor: the force is the control signal.
    pub fn motor(transmission: impl Into<Transmission>) -> Actuator {
        Actuator::general(transmission)
    }
    /// A position servo: the control signal is the target length, `p = kp (u − l)`. Give it [`Actuator::damping`].
    pub fn position(transmission: impl Into<Transmission>, kp: f64) -> Actuator {
        let bias = Bias::Affine { constant: 0.0, length: -kp, velocity: 0.0 };
        Actuator::general(transmission).gain(Gain::Fixed(kp)).bias(bias)
    }
    /// A velocity servo: the control signal is the target velocity, `p = kv (u − l̇)`.
    pub fn velocity(transmission: impl Into<Transmission>, kv: f64) -> Actuator {
        Actuator::general(transmission).gain(Gain::Fixed(kv)).damping(kv)
    }
    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Actuator {
        self.name = name.into();
        self
    }
    /// Adds `−kv l̇` to the force.
    pub fn damping(mut self, kv: f64) -> Actuator {
        let [constant, length, velocity] = self.bias.coefficients();
        self.bias = Bias::Affine { constant, length, velocity: velocity - kv };
        self
    }
    /// Sets the gear.
    pub fn gear(mut self, gear: [f64; 6]) -> Actuator {
        self.gear = gear;
        self
    }
    /// Sets the gear of a transmission that needs one number: units of length per unit of q.
    pub fn gear_ratio(self, ratio: f64) -> Actuator {
        self.gear([ratio, 0.0, 0.0, 0.0, 0.0, 0.0])
    }
    /// Clamps the control signal.
    pub fn control_range(mut self, lower: f64, upper: f64) -> Actuator {
        self.control_range = Some((lower, upper));
        self
    }
    /// Clamps the force.
    pub fn force_range(mut self, lower: f64, upper: f64) -> Actuator {
        self.force_range = Some((lower, upper));
        self
    }
    /// Clamps the activation.
    pub fn activation_range(mut self, lower: f64, upper: f64) -> Actuator {
        self.activation_range = Some((lower, upper));
        self
    }
    /// Sets the dynamics of the activation.
    pub fn dynamics(mut self, dynamics: ActuatorDynamics) -> Actuator {
        self.dynamics = dynamics;
        self
    }
    /// Sets the factor of the control signal or activation.
    pub fn gain(mut self, gain: Gain) -> Actuator {
        self.gain = gain;
        self
    }
    /// Sets the term added to it.
    pub fn bias(mut self, bias: Bias) -> Actuator {
        self.bias = bias;
        self
    }
    /// The index of its activation among the activations of a system; `None` if it has no dynamics.
    pub fn activation(&self) -> Option<usize> {
        self.activation
    }

    /// Checks it; returns the first error.
    pub(super) fn check(
        &self,
        bodies: &[Body],
        joints: &[Joint],
        tendons: &[FixedTendon],
    ) -> Result<(), ModelError> {
        let wrong = |why: String| Err(ModelError::Actuator { actuator: self.name.clone(), why });
        let (what, index, known) = match self.transmission {
            Transmission::Joint { joint, .. } => ("joint", joint.0, joint.0 < joints.len()),
            Transmission::Tendon(tendon) => ("tendon", tendon.0, tendon.0 < tendons.len()),
            Transmission::Site { body, .. } => ("body", body.0, body.0 < bodies.len()),
        };
        if !known {
            return wrong(format!(
                "there is no {what} number {index}; use the id returned by this builder's `{what}`"
            ));
        }
        if let Transmission::Joint { joint, .. } = self.transmission
            && joints[joint.0].kind.nv() == 0
        {
            let name = &joints[joint.0].name;
            return wrong(format!("joint \"{name}\" is fixed; drive a joint that moves"));
        }
        if let Transmission::Site { pose, .. } = self.transmission
            && let Err(off) = pose_fault(pose)
        {
            return wrong(format!(
                "the pose of its site is not a rigid motion ({off}); give a unit rotation and a finite position"
            ));
        }
        let numbers = self.gear.into_iter().chain(self.gain.coefficients()).chain(self.bias.coefficients());
        if let Some(value) = numbers.into_iter().find(|x| !x.is_finite()) {
            return wrong(format!("its gear, gain or bias has the entry {value}; give finite numbers"));
        }
        if let ActuatorDynamics::Filter { time_constant: t }
        | ActuatorDynamics::FilterExact { time_constant: t } = self.dynamics
            && !(t.is_finite() && t > 0.0)
        {
            return wrong(format!("its time constant is {t} s; give a positive finite number of seconds"));
        }
        for (what, range) in [
            ("control", self.control_range),
            ("force", self.force_range),
            ("activation", self.activation_range),
        ] {
            if let Some((lower, upper)) = range.filter(|r| !is_range(*r)) {
                return wrong(format!("its {what} range is from {lower} to {upper}; {RANGE_WANTED}"));
            }
        }
        Ok(())
    }
}

/// Checks that a pose is a rigid motion.
pub(super) fn pose_fault(pose: Pose) -> Result<(), String> {
    let r = pose.rot;
    let off = (r.transpose() * r - crate::algebra::M3::IDENTITY).max_abs();
    if !pose.pos.is_finite() {
        Err("the position is not finite".to_string())
    } else if off.is_nan() || off >= 1e-9 {
        Err(format!("RᵀR differs from 1 by {off:.1e}"))
    } else if r.determinant() < 0.0 {
        Err("the rotation is a reflection".to_string())
    } else {
        Ok(())
    }
}
