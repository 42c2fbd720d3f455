//! What the tests are made of.

use poinsot::algebra::Sym3;
use poinsot::prelude::*;
use poinsot::spatial::Inertia;

pub const G: f64 = 9.81;

pub fn rubs(mu: f64) -> Material {
    Material::with_friction(mu)
}

pub fn bounces(restitution: f64) -> Material {
    Material { restitution, ..Material::with_friction(0.0) }
}

pub fn plane(b: &mut ModelBuilder, pose: Pose, material: Material) {
    b.geom(
        BodyId::WORLD,
        Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor").pose(pose).material(material),
    );
}

pub fn free(
    b: &mut ModelBuilder,
    name: &str,
    shape: Shape,
    mass: f64,
    at: Pose,
    material: Material,
) -> BodyId {
    let geom = Geom::new(shape).named(name).material(material);
    let body = b.body(BodyId::WORLD, BodySpec::new(name).pose(at).solid_geom(geom, mass).expect("a solid"));
    b.joint(body, Joint::free());
    body
}

/// A free body of given inertia about its centre.
pub fn heavy(b: &mut ModelBuilder, name: &str, mass: f64, inertia: [f64; 3], at: Pose) -> BodyId {
    let inertia =
        Inertia::new(mass, V3::ZERO, Sym3::diagonal(inertia[0], inertia[1], inertia[2])).expect("an inertia");
    let body = b.body(BodyId::WORLD, BodySpec::new(name).pose(at).inertia(inertia));
    b.joint(body, Joint::free());
    body
}

/// The radius of the ball that stands for a point; planes are lowered by as much.
pub const POINT: f64 = 1e-9;

/// A ball about a point of a body.
pub fn point(b: &mut ModelBuilder, body: BodyId, at: V3, name: &str, material: Material) {
    let ball = Geom::new(Shape::Sphere { radius: POINT }).named(name);
    b.geom(body, ball.pose(Pose::translation(at)).material(material));
}

pub fn begin(model: &Model, method: Method, dt: f64, v: Option<Vec<f64>>) -> Simulation<'_> {
    let mut state = State::new(model);
    state.v = v.unwrap_or(state.v);
    let builder = Simulation::builder(model).state(state).integrator(method).dt(dt);
    builder.contact(Contact::default()).ledger(true).build().expect("a simulation")
}

/// Runs to a time, in whole steps and a last part.
pub fn run_to(s: &mut Simulation, time: f64, dt: f64) {
    let steps = ((time - s.state().time) / dt * (1.0 - 1e-12)).floor() as usize;
    s.run(steps, dt).unwrap();
    let left = time - s.state().time;
    if left > 1e-13 {
        s.run(1, left).unwrap();
    }
}

pub fn linear(s: &Simulation) -> V3 {
    V3::new(s.state().v[0], s.state().v[1], s.state().v[2])
}

/// A plane that rises along −x by an angle, so that things slide down along +x.
pub fn incline(angle: f64) -> Pose {
    Pose::rotation_vector(V3::Y * angle)
}

#[track_caller]
pub fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b} to {tolerance}: off by {:e}", a - b);
}
