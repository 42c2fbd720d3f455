//! The models every law is tried on: a small zoo with names, and random trees with every kind of joint.

use super::{Draft, Random, Sketch};
use poinsot_core::algebra::V3;
use poinsot_core::model::{Joint, Model, Shape};
use poinsot_core::spatial::{Inertia, Pose};

const G: V3 = V3::new(0.3, -0.2, -9.7);

/// A joint of the kind `which`, with random axes and anchor; 0 to 6 move along lines, 7 and 8 have attitudes.
fn joint(which: usize, r: &mut Random) -> Joint {
    let (axis, reference) = (r.axis(), 0.5 * r.sign());
    let joint = match which {
        0 => Joint::revolute(axis).reference(reference),
        1 => Joint::prismatic(axis).reference(reference),
        2 => Joint::helical(axis, 0.2 * r.sign()).reference(reference),
        3 => Joint::cylindrical(axis),
        4 => Joint::universal(axis, axis.cross(r.vector(1.0)).unit().unwrap() + axis * 0.3),
        5 => Joint::planar(axis),
        6 => Joint::new(poinsot_core::model::JointKind::Fixed),
        7 => Joint::spherical(),
        _ => return Joint::free(),
    };
    let armature = if r.below(3) == 0 { r.between(0.01, 0.3) } else { 0.0 };
    joint.anchor(r.vector(0.3)).armature(armature)
}

/// Several joints on one body, about different axes: parallel ones would make the mass matrix singular.
fn several(attitudes: bool, r: &mut Random) -> Vec<Joint> {
    let axes = r.rotation();
    let mut single = |axis: V3| {
        let joint = match r.below(3) {
            0 => Joint::revolute(axis),
            1 => Joint::prismatic(axis),
            _ => Joint::helical(axis, 0.2),
        };
        joint.anchor(r.vector(0.3)).reference(0.5 * r.sign())
    };
    let mut out = vec![single(axes.x), single(axes.y), single(axes.z)];
    if attitudes && r.below(2) == 0 {
        out = vec![Joint::prismatic(axes.x), Joint::spherical().anchor(r.vector(0.3))];
    }
    out
}

fn tree(name: String, seed: u64, bodies: usize, kinds: usize) -> Sketch {
    let mut r = Random(seed);
    let mut out = Sketch { name, gravity: G, bodies: Vec::with_capacity(bodies) };
    for k in 0..bodies {
        // half the bodies hang on the one before: deep trees with branches
        let parent = if r.below(2) == 0 { k } else { r.below(k + 1) };
        let joints = match r.below(8) {
            0 => vec![],
            1 => several(kinds > 7, &mut r),
            _ => vec![joint(r.below(kinds), &mut r)],
        };
        out.bodies.push(Draft { parent, pose: r.pose(0.4), inertia: r.inertia(), joints });
    }
    out
}

/// Every kind of joint, free ones below other bodies too.
pub fn random_tree(seed: u64, bodies: usize) -> Sketch {
    tree(format!("tree {seed} of {bodies}"), seed, bodies, 9)
}

/// Only joints whose velocities are rates of coordinates.
pub fn random_lines(seed: u64, bodies: usize) -> Sketch {
    tree(format!("lines {seed} of {bodies}"), seed, bodies, 7)
}

fn rod(length: f64) -> Inertia {
    Shape::Capsule { radius: 0.03, length }.inertia(1.0).unwrap()
}

fn draft(parent: usize, at: V3, inertia: Inertia, joint: Joint) -> Draft {
    Draft { parent, pose: Pose::translation(at), inertia, joints: vec![joint] }
}

fn sketch(name: &str, bodies: Vec<Draft>) -> Sketch {
    Sketch { name: name.into(), gravity: V3::new(0.0, 0.0, -9.81), bodies }
}

fn chain(name: &str, n: usize, joint: impl Fn() -> Joint) -> Sketch {
    let top = V3::new(0.0, 0.0, 0.5);
    let place = |k: usize| V3::new(0.0, 0.0, if k == 0 { -0.5 } else { -1.0 });
    sketch(name, (0..n).map(|k| draft(k, place(k), rod(1.0), joint().anchor(top))).collect())
}

/// A trunk that floats, a head, arms and legs: 27 degrees of freedom.
fn humanoid() -> Sketch {
    let up = V3::new(0.0, 0.0, 0.2);
    let part = |length: f64| Shape::Capsule { radius: 0.05, length }.inertia(5.0 * length).unwrap();
    let mut bodies = vec![draft(0, V3::new(0.0, 0.0, 1.2), part(0.5), Joint::free())];
    bodies.push(draft(1, V3::new(0.0, 0.0, 0.5), part(0.2), Joint::universal(V3::Y, V3::Z)));
    for side in [-1.0, 1.0] {
        let first = bodies.len() + 1;
        let shoulder = V3::new(0.0, 0.25 * side, 0.2);
        bodies.push(draft(1, shoulder, part(0.3), Joint::spherical().anchor(up).armature(0.01)));
        bodies.push(draft(first, -up * 2.0, part(0.3), Joint::revolute(V3::Y).anchor(up)));
        let hip = V3::new(0.0, 0.1 * side, -0.6);
        bodies.push(draft(1, hip, part(0.4), Joint::spherical().anchor(up)));
        bodies.push(draft(first + 2, -up * 2.0, part(0.4), Joint::revolute(V3::Y).anchor(up).armature(0.02)));
        bodies.push(draft(first + 3, -up * 1.5, part(0.1), Joint::universal(V3::Y, V3::X)));
    }
    sketch("humanoid", bodies)
}

/// The zoo, then the random trees.
pub fn sketches() -> Vec<Sketch> {
    let brick = Shape::Box { size: V3::new(0.3, 0.2, 0.1) }.inertia(2.0).unwrap();
    let mut out = vec![
        chain("pendulum", 1, || Joint::revolute(V3::Y)),
        chain("double pendulum", 2, || Joint::revolute(V3::Y)),
        chain("chain of five hinges", 5, || Joint::revolute(V3::Y)),
        chain("chain of five balls", 5, Joint::spherical),
        chain("heavy top", 1, || Joint::spherical().anchor(V3::new(0.0, 0.0, -0.5))),
        sketch("free body", vec![draft(0, V3::Z, brick, Joint::free())]),
        sketch(
            "cart and pole",
            vec![
                draft(0, V3::ZERO, brick, Joint::prismatic(V3::X)),
                draft(1, V3::new(0.0, 0.0, 0.5), rod(1.0), Joint::revolute(V3::Y).anchor(V3::Z * -0.5)),
            ],
        ),
        humanoid(),
    ];
    let sizes = [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 25, 33, 45, 60, 60];
    out.extend(sizes.iter().enumerate().map(|(k, n)| random_tree(100 + k as u64, *n)));
    out.retain(|s| s.build().nv() > 0);
    out
}

pub fn models() -> Vec<Model> {
    sketches().iter().map(Sketch::build).collect()
}
