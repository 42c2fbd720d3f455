//! Mechanisms of thin bars, defined by their initial layout, in which all coordinates are 0.

use super::SceneError;
use crate::algebra::{M3, Sym3, V3};
use crate::model::{BodyId, BodySpec, Constraint, Joint, JointKind, ModelBuilder, Mount};
use crate::spatial::Inertia;

/// A body and its initial position, with the axes of the world.
#[derive(Clone, Copy)]
pub struct Placed {
    pub body: BodyId,
    pub origin: V3,
}

impl Placed {
    pub const WORLD: Placed = Placed { body: BodyId::WORLD, origin: V3::ZERO };

    /// The point of the body that is initially at `point`.
    pub fn mount(self, point: V3) -> Mount {
        Mount::new(self.body, point - self.origin)
    }
}

/// A uniform thin bar from the origin to `end`.
pub fn thin(mass: f64, end: V3) -> Result<Inertia, SceneError> {
    let l2 = end.dot(end);
    let square = M3::IDENTITY.scale(l2) - M3::outer(end, end);
    let about_middle: Sym3 = square.scale(mass / 12.0).symmetric_part();
    Ok(Inertia::new(mass, end * 0.5, about_middle)?)
}

/// A uniform thin bar from `from` to `to` that rotates about `axis` at `from`.
pub fn bar(
    b: &mut ModelBuilder,
    parent: Placed,
    name: &str,
    mass: f64,
    [from, to]: [V3; 2],
    axis: V3,
) -> Result<Placed, SceneError> {
    let spec = BodySpec::new(name).at(from - parent.origin).inertia(thin(mass, to - from)?);
    let body = b.body(parent.body, spec);
    b.joint(body, Joint::revolute(axis).named(format!("{name}_hinge")));
    Ok(Placed { body, origin: from })
}

/// A hinge that closes a loop.
pub fn close(b: &mut ModelBuilder, name: &str, one: Placed, other: Placed, at: V3, axis: V3) {
    let hinge = Constraint::joint(JointKind::Revolute { axis }, one.mount(at), other.mount(at));
    b.constraint(hinge.named(name));
}

/// The intersection of two circles in the x–z plane: r from one point, s from the other, to the left of the line from the first to the
/// second.
pub fn meeting(one: V3, r: f64, other: V3, s: f64) -> V3 {
    let way = other - one;
    let length = way.norm();
    let along = (length * length + r * r - s * s) / (2.0 * length);
    let up = (r * r - along * along).max(0.0).sqrt();
    let u = way * (1.0 / length);
    one + u * along + V3::new(-u.z, 0.0, u.x) * up
}
