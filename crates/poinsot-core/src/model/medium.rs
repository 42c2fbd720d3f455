//! The medium that bodies move through, such as air or water.

use super::{Body, ModelError};
use crate::algebra::V3;
use crate::spatial::Pose;

/// A medium at rest or in uniform flow. Its forces on each body are those on the box of the same mass and inertia.
///
/// ```
/// use poinsot_core::{algebra::V3, model::*};
/// let mut b = ModelBuilder::new("leaf");
/// let size = V3::new(0.1, 0.1, 0.001);
/// let leaf = b.body(BodyId::WORLD, BodySpec::new("leaf").solid(&Shape::Box { size }, 0.002)?);
/// b.joint(leaf, Joint::free());
/// b.medium(Medium { density: 1.2, viscosity: 1.8e-5, wind: V3::X });
/// assert!(!b.build()?.is_conservative());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Medium {
    /// Density, kg/m³: forces proportional to the square of the speed.
    pub density: f64,
    /// Viscosity, Pa s: forces proportional to the speed.
    pub viscosity: f64,
    /// The velocity of the medium in the world, m/s.
    pub wind: V3,
}

impl Medium {
    pub(super) fn check(&self) -> Result<(), ModelError> {
        for (what, value) in [("density", self.density), ("viscosity", self.viscosity)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(ModelError::Medium { what, value });
            }
        }
        match self.wind.array().into_iter().find(|x| !x.is_finite()) {
            Some(value) => Err(ModelError::Medium { what: "wind", value }),
            None => Ok(()),
        }
    }
}

/// The equivalent box of a body in the medium: it has the mass and the principal moments of inertia of the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hull {
    /// The link the body is fixed to.
    pub link: usize,
    /// The box's frame, at the centre of mass along the principal axes, in the link.
    pub frame: Pose,
    /// The lengths of the box's edges.
    pub edges: V3,
}

impl Hull {
    /// From `I_x = m (b_y² + b_z²) / 12` and likewise for y and z: `b_x² = 6 (I_y + I_z − I_x) / m`. `None` for a body that has no mass or
    /// cannot move.
    pub fn new(body: &Body) -> Option<Hull> {
        let mass = body.inertia.mass;
        if body.link == 0 || mass < 1e-15 {
            return None;
        }
        let ([x, y, z], axes) = body.inertia.principal_axes();
        let edge = |i: f64| (6.0 * i.max(1e-15) / mass).sqrt();
        let frame = body.pose_in_link * Pose { rot: axes, pos: body.inertia.com() };
        Some(Hull {
            link: body.link,
            frame,
            edges: V3::new(edge(y + z - x), edge(x + z - y), edge(x + y - z)),
        })
    }
}
