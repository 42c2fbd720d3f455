//! Mechanisms with loops, for the tests.

use poinsot_core::algebra::V3;
use poinsot_core::constraint::Maximal;
use poinsot_core::dynamics::State;
use poinsot_core::model::*;
use poinsot_core::spatial::{Pose, Quat};

/// Every kind of constraint between two free bodies, and couplings between hinges, which are constraints themselves in
/// maximal coordinates: (what, model).
pub fn every_kind() -> Vec<(String, Model)> {
    let axis = V3::new(0.3, -0.5, 0.8);
    let kinds = [
        JointKind::Fixed,
        JointKind::Revolute { axis },
        JointKind::Prismatic { axis },
        JointKind::Helical { axis, pitch: 0.13 },
        JointKind::Cylindrical { axis },
        JointKind::Universal { first: V3::new(1.0, 0.2, 0.0), second: V3::new(0.1, 0.9, 0.4) },
        JointKind::Spherical,
        JointKind::Planar { normal: axis },
    ];
    let mounts = |a: BodyId, b: BodyId| {
        let one = Pose { rot: Quat::exp(V3::new(0.2, 0.3, -0.4)).matrix(), pos: V3::new(0.1, 0.2, -0.3) };
        let two = Pose { rot: Quat::exp(V3::new(-0.5, 0.1, 0.2)).matrix(), pos: V3::new(-0.2, 0.1, 0.25) };
        (Mount::framed(a, one), Mount::framed(b, two))
    };
    let mut out = Vec::new();
    let mut add = |what: String, make: &dyn Fn(Mount, Mount) -> Constraint| {
        for grounded in [false, true] {
            let mut b = ModelBuilder::new("pair");
            let shape = Shape::Box { size: V3::new(0.3, 0.4, 0.5) };
            let one = b.body(BodyId::WORLD, BodySpec::new("one").solid(&shape, 1.3).unwrap());
            b.joint(one, Joint::free());
            let two = b.body(BodyId::WORLD, BodySpec::new("two").solid(&shape, 0.7).unwrap());
            b.joint(two, Joint::free());
            let (mount_a, mount_b) = mounts(if grounded { BodyId::WORLD } else { one }, two);
            b.constraint(make(mount_a, mount_b));
            out.push((format!("{what}{}", if grounded { " to the world" } else { "" }), b.build().unwrap()));
        }
    };
    for kind in kinds {
        add(kind.word().into(), &|a, b| Constraint::joint(kind, a, b));
    }
    add("point".into(), &Constraint::point);
    add("distance".into(), &|a, b| Constraint::distance(a, b, 0.4));
    add("rope".into(), &|a, b| Constraint::rope(a, b, 0.4, 50.0, 0.0));
    add("plane".into(), &Constraint::plane);
    add("ball".into(), &|a, b| Constraint::rolling_ball(b, 0.3, a));
    add("disc".into(), &|a, b| Constraint::rolling_disc(b, 0.3, a));
    add("tyre".into(), &|a, b| {
        Constraint::new(ConstraintKind::Rolling { wheel: b, ring: 0.3, tube: 0.1, ground: a })
    });
    for (what, kind) in [("gear", 0), ("polynomial", 1), ("tendon", 2)] {
        let mut b = ModelBuilder::new(what);
        let shape = Shape::Box { size: V3::new(0.3, 0.4, 0.5) };
        let mut parent = BodyId::WORLD;
        let mut joints = Vec::new();
        for (k, axis) in [V3::X, V3::Y, V3::Z].into_iter().enumerate() {
            let body = b.body(parent, BodySpec::new(format!("b{k}")).at(V3::X).solid(&shape, 1.0).unwrap());
            joints.push(b.joint(body, Joint::revolute(axis)));
            parent = body;
        }
        let c = match kind {
            0 => Constraint::gear(joints[0], joints[2], -1.7, 0.2),
            1 => Constraint::new(ConstraintKind::Coupling {
                joint: joints[0],
                reference: 0.1,
                other: Some((joints[1], -0.2)),
                coefficients: [0.1, 0.5, -0.3, 0.7, 0.2],
            }),
            _ => {
                let one = b.tendon(FixedTendon::new([(joints[0], 0.5), (joints[1], -0.2)]));
                let two = b.tendon(FixedTendon::new([(joints[2], 0.3)]));
                Constraint::new(ConstraintKind::Tendon {
                    tendon: one,
                    reference: 0.0,
                    other: Some((two, 0.1)),
                    coefficients: [0.0, 1.0, 0.4, 0.0, 0.0],
                })
            }
        };
        b.constraint(c);
        let model = b.build().unwrap();
        out.push((format!("{what} in maximal coordinates"), Maximal::of(&model).unwrap().model().clone()));
        out.push((what.into(), model));
    }
    out
}

/// Uniform bars of 1 kg a metre in the x–z plane: crank, coupler, rocker, on hinges about y; the last hinge closes the
/// loop. Upright, the crank turning.
pub fn four_bar(crank: f64, coupler: f64, rocker: f64, ground: f64) -> (Model, State) {
    four_bar_at(Pose::IDENTITY, [crank, coupler, rocker, ground])
}

/// A four-bar linkage in the x–z plane of `frame`.
pub fn four_bar_at(frame: Pose, [crank, coupler, rocker, ground]: [f64; 4]) -> (Model, State) {
    let mut b = ModelBuilder::new("four-bar");
    let bar = |l: f64| {
        Shape::Box { size: V3::new(0.02, 0.02, l) }.inertia(l).unwrap().seen_from(Pose::translation(V3::new(
            0.0,
            0.0,
            0.5 * l,
        )))
    };
    let along_x = Pose { rot: Quat::exp(V3::Y * std::f64::consts::FRAC_PI_2).matrix(), pos: V3::ZERO };
    let one = b.body(BodyId::WORLD, BodySpec::new("crank").pose(frame).inertia(bar(crank)));
    b.joint(one, Joint::revolute(V3::Y).named("input"));
    let pose = Pose { pos: V3::Z * crank, ..along_x };
    let two = b.body(one, BodySpec::new("coupler").pose(pose).inertia(bar(coupler)));
    b.joint(two, Joint::revolute(V3::Y).named("first"));
    let end = frame * Pose::translation(V3::X * ground);
    let three = b.body(BodyId::WORLD, BodySpec::new("rocker").pose(end).inertia(bar(rocker)));
    b.joint(three, Joint::revolute(V3::Y).named("output"));
    let (a, c) = (Mount::new(two, V3::Z * coupler), Mount::new(three, V3::Z * rocker));
    b.constraint(Constraint::joint(JointKind::Revolute { axis: V3::Y }, a, c).named("loop"));
    let model = b.build().unwrap();
    let mut state = State::new(&model);
    state.v[0] = 1.0;
    (model, state)
}
