//! Ragdolls.

use super::{Scene, SceneError, begin, floor};
use crate::algebra::V3;
use crate::model::{BodyId, BodySpec, Geom, Joint, Material, ModelBuilder, Shape};
use crate::spatial::{Pose, exp_so3};
use std::f64::consts::FRAC_PI_2;

/// A limb: its parent, its name, the position of its joint, its direction, its radius, mass and joint.
struct Limb<'a> {
    parent: BodyId,
    name: &'a str,
    joined: V3,
    along: V3,
    radius: f64,
    mass: f64,
    joint: Joint,
}

/// A ragdoll of ten capsules falls, leaning, from a metre up.
pub fn ragdoll() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("ragdoll");
    floor(&mut b, Material::with_friction(0.7));
    doll(&mut b, "", Pose { rot: exp_so3(V3::new(0.25, 0.4, 0.0)), pos: V3::Z * 2.0 })?;
    Ok(begin(b.build()?, 10.0, 2e-3))
}

/// `count` ragdolls fall on one another.
pub fn ragdolls(count: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("ragdolls");
    floor(&mut b, Material::with_friction(0.7));
    for k in 0..count {
        // horizontal, each rotated relative to the one below
        let turn = exp_so3(V3::Z * (1.1 * k as f64)) * exp_so3(V3::Y * FRAC_PI_2);
        let pos = V3::new(0.1 * (k % 3) as f64, 0.1 * (k % 2) as f64, 0.6 + 0.6 * k as f64);
        doll(&mut b, &format!("{}_", k + 1), Pose { rot: turn, pos })?;
    }
    Ok(begin(b.build()?, 10.0, 2e-3))
}

/// A ragdoll at a pose of the torso; names start with `prefix`.
fn doll(b: &mut ModelBuilder, prefix: &str, start: Pose) -> Result<(), SceneError> {
    let down = |l: f64| V3::Z * -l;
    let chest = Geom::new(Shape::Capsule { radius: 0.11, length: 0.2 });
    let torso = format!("{prefix}torso");
    let body = b.body(BodyId::WORLD, BodySpec::new(torso.as_str()).pose(start).solid_geom(chest, 30.0)?);
    b.joint(body, Joint::free().named(torso));
    let torso = body;
    let ball = || Joint::spherical().damping(1.0);
    let hinge = |lower: f64, upper: f64| Joint::revolute(V3::Y).limits(lower, upper).damping(0.5);
    let mut limb = |l: Limb| -> Result<BodyId, SceneError> {
        let length = l.along.norm();
        let rot = exp_so3(V3::Y * if l.along.x == 0.0 { 0.0 } else { FRAC_PI_2 });
        let skin = Geom::new(Shape::Capsule { radius: l.radius, length: length - 2.0 * l.radius });
        let spec = BodySpec::new(l.name).at(l.joined);
        let body = b.body(l.parent, spec.solid_geom(skin.pose(Pose { rot, pos: l.along * 0.5 }), l.mass)?);
        b.joint(body, l.joint.named(l.name));
        Ok(body)
    };
    limb(Limb {
        parent: torso,
        name: &format!("{prefix}head"),
        joined: V3::Z * 0.24,
        along: V3::Z * 0.26,
        radius: 0.09,
        mass: 5.0,
        joint: ball(),
    })?;
    for (side, y) in [("left", 1.0), ("right", -1.0)] {
        let name = |part: &str| format!("{prefix}{side}_{part}");
        let hip = V3::new(0.0, 0.11 * y, -0.24);
        let thigh = limb(Limb {
            parent: torso,
            name: &name("thigh"),
            joined: hip,
            along: down(0.44),
            radius: 0.065,
            mass: 9.0,
            joint: ball(),
        })?;
        limb(Limb {
            parent: thigh,
            name: &name("shin"),
            joined: down(0.45),
            along: down(0.44),
            radius: 0.05,
            mass: 4.5,
            joint: hinge(0.0, 2.4),
        })?;
        let shoulder = V3::new(0.0, 0.2 * y, 0.16);
        let arm = limb(Limb {
            parent: torso,
            name: &name("arm"),
            joined: shoulder,
            along: down(0.3),
            radius: 0.045,
            mass: 2.2,
            joint: ball(),
        })?;
        limb(Limb {
            parent: arm,
            name: &name("forearm"),
            joined: down(0.31),
            along: down(0.3),
            radius: 0.04,
            mass: 1.6,
            joint: hinge(-2.4, 0.0),
        })?;
    }
    Ok(())
}
