//! Andrews' squeezer: seven bodies in a plane, three loops closed at one point, a motor and a spring; no gravity [Schiehlen90]. The
//! coordinates are the angles of the test sets, parents first: β, Θ, γ, δ, Φ, ε, Ω, where Θ, Φ and Ω are relative to β, δ and ε.

use super::{Scene, SceneError};
use crate::algebra::{Sym3, V3};
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{Actuator, BodyId, BodySpec, Constraint, Joint, JointId, ModelBuilder, Mount};
use crate::spatial::Inertia;

const fn at(x: f64, y: f64) -> V3 {
    V3::new(x, y, 0.0)
}

/// A planar body: its name, the position of its hinge in its parent, mass, centre of mass and moment of inertia about it.
struct Plate(&'static str, V3, f64, V3, f64);

const CRANK: Plate = Plate("crank", V3::ZERO, 0.04325, at(0.00092, 0.0), 2.194e-6);
const ROD: Plate = Plate("rod", at(0.007, 0.0), 0.00365, at(-0.0115, 0.0), 4.41e-7);
const LEVER: Plate = Plate("lever", at(-0.03635, 0.03273), 0.02373, at(0.01043, -0.01874), 5.255e-6);
const LEFT: Plate = Plate("left", PIVOT, 0.0705, at(0.02308, 0.00916), 1.169e-5);
const LEFT_JAW: Plate = Plate("left_jaw", at(0.04, 0.0), 0.00706, at(0.0, -(0.02 - 0.01421)), 5.667e-7);
const RIGHT: Plate = Plate("right", PIVOT, 0.05498, at(-0.00449, -0.01228), 1.912e-5);
const RIGHT_JAW: Plate = Plate("right_jaw", at(0.0, -0.04), 0.00706, at(0.02 - 0.01421, 0.0), 5.667e-7);
/// The pivot of both arms.
const PIVOT: V3 = at(-0.06934, -0.00227);

/// The point shared by rod, lever and jaws, in each of them.
const IN_ROD: V3 = at(-0.028, 0.0);
const IN_LEVER: V3 = at(0.0, -0.035);
const IN_LEFT_JAW: V3 = at(0.0, -0.02);
const IN_RIGHT_JAW: V3 = at(0.02, 0.0);

/// The attachments of the spring, in the lever and in the world; its stiffness and its rest length.
const SPRING: (V3, V3, f64, f64) = (at(0.02, -0.018), at(0.014, 0.072), 4530.0, 0.07785);
/// The motor torque, N m.
const TORQUE: f64 = 0.033;

/// The initial coordinates, at rest.
const START: [f64; 7] = [
    -0.061_713_890_014_276_45,
    0.0,
    0.455_279_819_163_070_4,
    0.487_364_979_543_842_55,
    0.222_668_390_165_885_9,
    1.230_547_444_549_821_2,
    -0.222_668_390_165_885_9,
];

pub fn andrews() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("andrews");
    b.gravity(V3::ZERO);
    let (crank, motor) = plate(&mut b, BodyId::WORLD, CRANK, "beta")?;
    let (rod, _) = plate(&mut b, crank, ROD, "theta")?;
    let (lever, _) = plate(&mut b, BodyId::WORLD, LEVER, "gamma")?;
    let (left, _) = plate(&mut b, BodyId::WORLD, LEFT, "delta")?;
    let (left_jaw, _) = plate(&mut b, left, LEFT_JAW, "phi")?;
    let (right, _) = plate(&mut b, BodyId::WORLD, RIGHT, "epsilon")?;
    let (right_jaw, _) = plate(&mut b, right, RIGHT_JAW, "omega")?;
    b.actuator(Actuator::motor(motor).named("motor"));
    for (name, body, point) in
        [("lever", lever, IN_LEVER), ("left", left_jaw, IN_LEFT_JAW), ("right", right_jaw, IN_RIGHT_JAW)]
    {
        let (one, other) = (Mount::new(rod, IN_ROD), Mount::new(body, point));
        b.constraint(Constraint::point(one, other).named(format!("{name}_loop")));
    }
    let (held, fixed, stiffness, rest) = SPRING;
    let (held, fixed) = (Mount::new(lever, held), Mount::new(BodyId::WORLD, fixed));
    b.constraint(Constraint::distance(held, fixed, rest).soft(stiffness, 0.0).named("spring"));
    let model = b.build()?;
    let mut state = State::new(&model);
    state.q.copy_from_slice(&START);
    let mut scene = Scene::new(model, state, 0.03, 1e-5, Method::Midpoint).assembled()?;
    scene.control = vec![TORQUE];
    Ok(scene)
}

fn plate(
    b: &mut ModelBuilder,
    parent: BodyId,
    plate: Plate,
    angle: &str,
) -> Result<(BodyId, JointId), SceneError> {
    let Plate(name, hinge, mass, com, moment) = plate;
    // only the moment about z matters in a plane: the others are those of a thin disc
    let inertia = Inertia::new(mass, com, Sym3::diagonal(0.5 * moment, 0.5 * moment, moment))?;
    let body = b.body(parent, BodySpec::new(name).at(hinge).inertia(inertia));
    Ok((body, b.joint(body, Joint::revolute(V3::Z).named(angle))))
}
