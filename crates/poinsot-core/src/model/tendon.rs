//! Tendons: linear combinations of joint coordinates, with springs and dampers of their own.

use super::{Joint, JointId, ModelError, Stop};

/// A fixed tendon: the length `L = Σ coefficient · q` over joints of one coordinate. It couples these joints: its spring and damper act on
/// all of them, and an [actuator](super::Actuator) may drive it.
///
/// The spring is at rest anywhere within `spring_range` and pulls only outside it:
/// `−k (L − upper)` above, `k (lower − L)` below.
///
/// ```
/// use poinsot_core::{algebra::V3, model::*};
/// let ball = Shape::Sphere { radius: 0.1 };
/// let mut b = ModelBuilder::new("finger");
/// let near = b.body(BodyId::WORLD, BodySpec::new("near").solid(&ball, 1.0)?);
/// let knuckle = b.joint(near, Joint::revolute(V3::Y));
/// let far = b.body(near, BodySpec::new("far").at(V3::X).solid(&ball, 1.0)?);
/// let tip = b.joint(far, Joint::revolute(V3::Y));
/// b.tendon(FixedTendon::new([(knuckle, 0.02), (tip, 0.01)]).named("flexor").spring(500.0, 0.0, 0.01));
/// let model = b.build()?;
/// assert!((model.tendons()[0].length(&model, &[0.5, 1.0]) - 0.02).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FixedTendon {
    /// The name, unique in the model; by default `tendon` and its number.
    pub name: String,
    /// The joints, of one coordinate each, with the change of length per unit of the coordinate.
    pub terms: Vec<(JointId, f64)>,
    /// Spring stiffness, N/m.
    pub stiffness: f64,
    /// Viscous damping, N s/m.
    pub damping: f64,
    /// The lengths between which the spring is at rest.
    pub spring_range: (f64, f64),
    /// The allowed range of the length.
    pub limits: Option<(f64, f64)>,
    /// The behaviour at the ends of the range.
    pub stop: Stop,
    /// Dry friction along the tendon, N.
    pub friction_loss: f64,
}

impl FixedTendon {
    /// A tendon over these joints, without spring, damper or limits.
    pub fn new(terms: impl IntoIterator<Item = (JointId, f64)>) -> FixedTendon {
        FixedTendon {
            name: String::new(),
            terms: terms.into_iter().collect(),
            stiffness: 0.0,
            damping: 0.0,
            spring_range: (0.0, 0.0),
            limits: None,
            stop: Stop::default(),
            friction_loss: 0.0,
        }
    }
    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> FixedTendon {
        self.name = name.into();
        self
    }
    /// Sets a spring of stiffness `k`, at rest between the lengths `lower` and `upper`.
    pub fn spring(mut self, k: f64, lower: f64, upper: f64) -> FixedTendon {
        self.stiffness = k;
        self.spring_range = (lower, upper);
        self
    }
    /// Sets the viscous damping.
    pub fn damping(mut self, d: f64) -> FixedTendon {
        self.damping = d;
        self
    }
    /// Sets the range of the length.
    pub fn limits(mut self, lower: f64, upper: f64) -> FixedTendon {
        self.limits = Some((lower, upper));
        self
    }

    /// Sets the dry friction.
    pub fn friction_loss(mut self, force: f64) -> FixedTendon {
        self.friction_loss = force;
        self
    }

    /// Checks it.
    pub(super) fn check(&self, joints: &[Joint]) -> Result<(), ModelError> {
        let wrong = |why: String| Err(ModelError::Tendon { tendon: self.name.clone(), why });
        for &(joint, coefficient) in &self.terms {
            let Some(joint) = joints.get(joint.0) else {
                return wrong(format!(
                    "there is no joint number {}; use the id returned by this builder's `joint`",
                    joint.0
                ));
            };
            if joint.kind.nv() != 1 {
                let (name, kind) = (&joint.name, joint.kind.word());
                return wrong(format!(
                    "joint \"{name}\" is {kind}; use joints of one coordinate (revolute, prismatic, helical)"
                ));
            }
            if !coefficient.is_finite() {
                let name = &joint.name;
                return wrong(format!(
                    "the coefficient of joint \"{name}\" is {coefficient}; give a finite number"
                ));
            }
        }
        if let Some(why) = self.stop.fault() {
            return wrong(why);
        }
        for (what, value) in
            [("stiffness", self.stiffness), ("damping", self.damping), ("dry friction", self.friction_loss)]
        {
            if !(value.is_finite() && value >= 0.0) {
                return wrong(format!("its {what} is {value}; give a finite number of 0 or more"));
            }
        }
        for (what, range) in [("spring range", Some(self.spring_range)), ("limits", self.limits)] {
            if let Some((lower, upper)) = range.filter(|r| !is_range(*r)) {
                return wrong(format!("its {what} run from {lower} to {upper}; {RANGE_WANTED}"));
            }
        }
        Ok(())
    }
}

/// The advice in errors about invalid ranges.
pub(super) const RANGE_WANTED: &str = "give two numbers, the lower one first";

/// True for two numbers in order; either may be infinite.
pub(super) fn is_range((lower, upper): (f64, f64)) -> bool {
    lower <= upper
}

impl FixedTendon {
    /// The length at the configuration q of the model.
    pub fn length(&self, model: &super::Model, q: &[f64]) -> f64 {
        self.terms.iter().map(|(joint, c)| c * q[model.joints[joint.0].first_q]).sum()
    }
    /// The rate of the length at the velocity v.
    pub fn rate(&self, model: &super::Model, v: &[f64]) -> f64 {
        self.terms.iter().map(|(joint, c)| c * v[model.joints[joint.0].first_v]).sum()
    }
    /// How far the length is beyond the range in which the spring is at rest: positive above, negative below.
    pub(crate) fn stretch(&self, length: f64) -> f64 {
        let (lower, upper) = self.spring_range;
        length - length.clamp(lower, upper)
    }
}
