//! Static balance, with and without sufficient friction.

use super::{GROUND, STONE, Scene, SceneError, at, begin, cuboid, floor, free, sin_cos};
use crate::algebra::{Sym3, V3};
use crate::integrate::Method;
use crate::model::{Actuator, BodyId, BodySpec, Geom, Joint, Material, ModelBuilder, Shape};
use crate::spatial::{Pose, exp_so3};

/// The tangent of the slope angle of `incline`: the friction at which a block starts to slide.
const SLOPE: f64 = 0.5;

/// Two blocks on a slope: the friction of one is 1 % above the threshold, that of the other 1 % below.
pub fn incline() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("incline");
    let tilt = Pose { rot: exp_so3(V3::Y * SLOPE.atan()), pos: V3::ZERO };
    // the larger friction of two surfaces counts, which is the block's
    let slope = Geom::new(Shape::Plane { x: 5.0, y: 1.2 }).named("slope").pose(tilt).rgba(GROUND);
    b.geom(BodyId::WORLD, slope.material(Material::with_friction(0.1)));
    for (name, part, y) in [("holds", 1.01, -0.3), ("slides", 0.99, 0.3)] {
        let block = cuboid(0.2, 0.2, 0.2).material(Material::with_friction(part * SLOPE));
        free(&mut b, name, block, 1.0, tilt * at(-1.8, y, 0.1))?;
    }
    Ok(begin(b.build()?, 10.0, 2e-3))
}

/// Half the distance between the centres of a ladder's round ends, and their radius, m; and its angle with the floor.
const LADDER: (f64, f64, f64) = (1.0, 0.04, 1.1);

/// Two ladders against a smooth wall: the floor friction of one is 1 % above the required value, that of the other 1 % below.
///
/// With the half length a, the radius r of the ends and the angle θ, the floor carries the weight W, and wall force and friction balance:
/// `μ W (2 a sin θ + r) = W a cos θ`.
pub fn ladder() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("ladder");
    floor(&mut b, Material::with_friction(0.0));
    let (a, r, angle) = LADDER;
    let (sin, cos) = sin_cos(angle);
    let smooth = Material { condim: 1, priority: 1, ..Material::with_friction(0.0) };
    let upright =
        Pose { rot: exp_so3(V3::Y * -std::f64::consts::FRAC_PI_2), pos: V3::new(a * cos + r, 0.0, 1.5) };
    let wall = Geom::new(Shape::Plane { x: 3.0, y: 2.0 }).named("wall").pose(upright).rgba(STONE);
    b.geom(BodyId::WORLD, wall.material(smooth));
    let needed = a * cos / (2.0 * a * sin + r);
    // z along the ladder, which leans towards x
    let rot = exp_so3(V3::Y * (std::f64::consts::FRAC_PI_2 - angle));
    for (name, part, y) in [("holds", 1.01, -0.5), ("slides", 0.99, 0.5)] {
        let rod = Geom::new(Shape::Capsule { radius: r, length: 2.0 * a });
        let rod = rod.material(Material::with_friction(part * needed));
        free(&mut b, name, rod, 5.0, Pose { rot, pos: V3::new(0.0, y, a * sin + r) })?;
    }
    Ok(begin(b.build()?, 10.0, 2e-3))
}

/// A table on four legs with an eccentric weight: three legs would suffice, so the forces of four are not determined.
pub fn table() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("table");
    floor(&mut b, Material::default());
    let mut spec = BodySpec::new("table").at(V3::Z * 0.7).solid_geom(cuboid(1.0, 0.6, 0.04), 10.0)?;
    for (x, y) in [(-0.45, -0.25), (0.45, -0.25), (-0.45, 0.25), (0.45, 0.25)] {
        // feet with point contacts
        let leg = Geom::new(Shape::Capsule { radius: 0.025, length: 0.63 }).at(V3::new(x, y, -0.36));
        spec = spec.solid_geom(leg, 1.0)?;
    }
    let table = b.body(BodyId::WORLD, spec);
    b.joint(table, Joint::free().named("table"));
    free(&mut b, "weight", cuboid(0.1, 0.1, 0.1), 5.0, at(0.2, 0.1, 0.77))?;
    Ok(begin(b.build()?, 10.0, 2e-3))
}

/// Two fingers hold a capsule of 45 g with twenty times the necessary force; a servo holds the hand.
pub fn gripper() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("gripper");
    floor(&mut b, Material::default());
    let (mass, radius, friction) = (0.045, 0.015, 0.8);
    let palm = BodySpec::new("hand").at(V3::Z * 0.3).gravity_compensation(1.0);
    let hand = b.body(BodyId::WORLD, palm.solid_geom(cuboid(0.16, 0.05, 0.03).rgba(STONE), 0.5)?);
    let lift = b.joint(hand, Joint::prismatic(V3::Z).named("lift").limits(-0.15, 0.3));
    let mut fingers = Vec::new();
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let pad = cuboid(0.02, 0.03, 0.1).material(Material::with_friction(friction));
        let place = V3::new(side * (radius + 0.01), 0.0, -0.065);
        let spec = BodySpec::new(name).at(place).gravity_compensation(1.0).solid_geom(pad, 0.1)?;
        let finger = b.body(hand, spec);
        let slide = Joint::prismatic(V3::X * -side).limits(-0.05, 0.02).damping(5.0);
        fingers.push((name, b.joint(finger, slide.named(name))));
    }
    let capsule = Geom::new(Shape::Capsule { radius, length: 0.06 });
    free(&mut b, "capsule", capsule.material(Material::with_friction(friction)), mass, at(0.0, 0.0, 0.22))?;
    b.actuator(Actuator::position(lift, 2000.0).damping(80.0).named("lift").control_range(-0.15, 0.3));
    for (name, finger) in fingers {
        b.actuator(Actuator::motor(finger).named(name).control_range(-10.0, 10.0));
    }
    let squeeze = 20.0 * mass * 9.81 / (2.0 * friction);
    Ok(Scene { control: vec![0.0, squeeze, squeeze], ..begin(b.build()?, 10.0, 2e-3) })
}

/// Painlevé's rod: 1 kg, 1 m, at 60° to the ground with μ = 1.6, its lower end sliding so that friction turns it into the ground. No finite
/// force can prevent this, so the end stops at once, by an impulse without a collision, and the rod topples over it. A second rod slides
/// the other way, and friction lifts it.
pub fn painleve() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("painleve");
    let (mu, half, radius) = (1.6, 0.5, 0.01);
    floor(&mut b, Material::with_friction(mu));
    let angle = std::f64::consts::FRAC_PI_3;
    let (sin, cos) = sin_cos(angle);
    let mut rods = Vec::new();
    for (name, y) in [("jams", -0.4), ("slides", 0.4)] {
        let pose = Pose { rot: exp_so3(V3::Y * -angle), pos: V3::new(half * cos, y, half * sin + radius) };
        let inertia = 1.0 / 12.0;
        let body =
            crate::spatial::Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1e-3 * inertia, inertia, inertia))?;
        let rod = b.body(BodyId::WORLD, BodySpec::new(name).pose(pose).inertia(body));
        b.joint(rod, Joint::free().named(name));
        for x in [-half, half] {
            let tip = Geom::new(Shape::Sphere { radius }).at(V3::X * x);
            b.geom(rod, tip.material(Material::with_friction(mu)));
        }
        // only its ends touch; between them it is there to be seen
        let along = Pose { rot: exp_so3(V3::Y * std::f64::consts::FRAC_PI_2), pos: V3::ZERO };
        b.geom(rod, Geom::new(Shape::Capsule { radius, length: 2.0 * half }).pose(along).visual());
        rods.push(rod);
    }
    let scene = begin(b.build()?, 2.0, 1e-3);
    let scene = scene.thrown(rods[0], V3::X * -1.0, V3::ZERO).thrown(rods[1], V3::X, V3::ZERO);
    Ok(Scene { integrator: Method::Adaptive, ..scene })
}
