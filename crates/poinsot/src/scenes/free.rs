//! Bodies that are free, or rotate about a fixed point.

use super::{Scene, SceneError};
use crate::algebra::{Sym3, V3};
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{Actuator, BodyId, BodySpec, Joint, ModelBuilder, Shape, Transmission};
use crate::spatial::{Inertia, Pose};

pub fn dzhanibekov() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("dzhanibekov");
    b.gravity(V3::ZERO);
    let inertia = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0))?;
    let body = b.body(BodyId::WORLD, BodySpec::new("body").inertia(inertia));
    b.joint(body, Joint::free());
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v[3..6].copy_from_slice(&[0.01, 2.0, 0.01]);
    Ok(Scene::new(model, state, 100.0, 0.01, Method::Exact))
}

/// The simulation loop of [NEWTONEULER] with its data, and values for what it leaves open: m = 1 kg, I = diag(1, 2, 3) kg m²,
/// F₁ = (0, 1, 0) N at r₁ = (0.1, 0, 0.2) m, both fixed in the body.
pub fn lecture() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("lecture");
    b.gravity(V3::new(0.0, -9.8, 0.0));
    let inertia = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0))?;
    let body = b.body(BodyId::WORLD, BodySpec::new("body").inertia(inertia));
    b.joint(body, Joint::free());
    let at = Transmission::Site { body, pose: Pose::translation(V3::new(0.1, 0.0, 0.2)) };
    b.actuator(Actuator::motor(at).gear([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]).named("F1"));
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v.copy_from_slice(&[10.0, 20.0, 10.0, 1.0, 2.0, 3.0]);
    let mut scene = Scene::new(model, state, 4.0, 0.01, Method::Lecture);
    scene.control = vec![1.0];
    Ok(scene)
}

pub fn heavy_top() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("heavy-top");
    let inertia = Inertia::new(15.0, V3::Y, Sym3::diagonal(0.234375, 0.46875, 0.234375))?;
    let top = b.body(BodyId::WORLD, BodySpec::new("top").inertia(inertia));
    b.joint(top, Joint::spherical());
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v.copy_from_slice(&[0.0, 150.0, -4.61538]);
    Ok(Scene::new(model, state, 2.0, 1e-4, Method::Exact))
}

/// A square grid of plates shaped like phones, each spun about its unstable axis.
pub fn rotors(n: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("rotors, {n}"));
    b.gravity(V3::ZERO);
    let plate = Shape::Box { size: V3::new(0.5, 0.3, 0.05) };
    let side = (n as f64).sqrt().ceil().max(1.0);
    for k in 0..n {
        let (row, column) = ((k as f64 / side).floor(), k as f64 % side);
        let at = V3::new(column - 0.5 * (side - 1.0), row - 0.5 * (side - 1.0), 0.0) * 0.8;
        let body = b.body(BodyId::WORLD, BodySpec::new(format!("plate{}", k + 1)).at(at).solid(&plate, 1.0)?);
        b.joint(body, Joint::free());
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    for k in 0..n {
        // multiples of the golden ratio vary the perturbations of the spins
        let part = (0.618_033_988_749_894_9 * (k + 1) as f64).fract();
        state.v[6 * k + 3..6 * k + 6].copy_from_slice(&[0.002 + 0.2 * part * part, 4.0, 0.002]);
    }
    Ok(Scene::new(model, state, 20.0, 0.01, Method::Exact))
}

pub fn particle_drag() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("particle-drag");
    b.gravity(V3::new(0.0, -9.8, 0.0));
    let point = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(0.0, 0.0, 0.0))?;
    let particle = b.body(BodyId::WORLD, BodySpec::new("particle").inertia(point));
    for (name, axis) in [("x", V3::X), ("y", V3::Y), ("z", V3::Z)] {
        b.joint(particle, Joint::prismatic(axis).named(name).damping(0.1));
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v.copy_from_slice(&[10.0, 20.0, 10.0]);
    Ok(Scene::new(model, state, 4.0, 1e-3, Method::Rkmk4))
}
