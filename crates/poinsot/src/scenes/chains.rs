//! Pendulums, chains and trees.

use super::bars::thin;
use super::{Scene, SceneError};
use crate::algebra::{Sym3, V3};
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{BodyId, BodySpec, Geom, Joint, ModelBuilder, Shape};
use crate::spatial::{Inertia, Pose, Quat};

/// A massless rod from the origin to `end` on the z axis, to display a thin one or a string.
fn seen(radius: f64, end: V3) -> Geom {
    Geom::new(Shape::Cylinder { radius, length: end.norm() }).pose(Pose::translation(end * 0.5))
}

/// Rods in the x–z plane, each rotating about y at its upper end, initially straight along x. The mass of 1 kg is at `share` of the length:
/// 1 for a point mass at the end, ½ for a uniform rod.
pub fn rods(lengths: &[f64], share: f64, name: &str) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(name);
    let mut parent = BodyId::WORLD;
    let mut at = V3::ZERO;
    // thick enough to be seen in a picture of the whole chain
    let radius = 0.01 * lengths.iter().sum::<f64>().max(1.5);
    for (k, &l) in lengths.iter().enumerate() {
        let across = if share < 1.0 { l * l / 12.0 } else { 0.0 };
        let inertia = Inertia::new(1.0, V3::new(0.0, 0.0, -share * l), Sym3::diagonal(across, across, 0.0))?;
        let end = V3::new(0.0, 0.0, -l);
        let mut spec = BodySpec::new(format!("rod{}", k + 1)).at(at).inertia(inertia).geom(seen(radius, end));
        if share == 1.0 {
            spec = spec.geom(Geom::new(Shape::Sphere { radius: 0.06 * l }).pose(Pose::translation(end)));
        }
        let rod = b.body(parent, spec);
        b.joint(rod, Joint::revolute(-V3::Y).named(format!("hinge{}", k + 1)));
        (parent, at) = (rod, end);
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    state.q[0] = std::f64::consts::FRAC_PI_2;
    Ok(Scene::new(model, state, 10.0, 1e-3, Method::Midpoint))
}

pub fn chain(n: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("chain of {n}"));
    let (down, mass) = (V3::new(0.0, 0.0, -0.1), 1.0);
    let cylinder = seen(0.02, down);
    let mut parent = BodyId::WORLD;
    for k in 0..n {
        let at = if k == 0 { V3::ZERO } else { down };
        let spec = BodySpec::new(format!("link{}", k + 1)).at(at);
        let link = b.body(parent, spec.solid_geom(cylinder.clone(), mass)?);
        b.joint(
            link,
            Joint::revolute(if k % 2 == 0 { V3::Y } else { V3::X }).named(format!("hinge{}", k + 1)),
        );
        parent = link;
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v[n - 1] = 1.0;
    Ok(Scene::new(model, state, 5.0, 1e-3, Method::SemiImplicit))
}

pub fn ball_chain() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("ball-chain");
    let (half, end) = (V3::new(0.0, 0.0, -0.5), V3::new(0.0, 0.0, -1.0));
    let bar = Geom::new(Shape::Box { size: V3::new(0.1, 0.1, 1.0) }).pose(Pose::translation(half));
    let upper = b.body(BodyId::WORLD, BodySpec::new("upper").solid_geom(bar.clone(), 1.0)?);
    b.joint(upper, Joint::spherical());
    let lower = b.body(upper, BodySpec::new("lower").at(end).solid_geom(bar, 1.0)?);
    b.joint(lower, Joint::spherical());
    let model = b.build()?;
    let mut state = State::new(&model);
    // attitudes and spins in the world; those of the lower joint are relative to the upper bar
    let (first, second) = (Quat::exp(V3::new(1.0, 0.4, 0.1)), Quat::exp(V3::new(0.5, -0.9, 0.3)));
    let (spin, other) = (V3::new(0.0, 0.0, 2.0), V3::new(0.0, 1.0, -1.0));
    let relative = first.conjugate() * second;
    state.q[..4].copy_from_slice(&first.array());
    state.q[4..].copy_from_slice(&relative.array());
    state.v[..3].copy_from_slice(&spin.array());
    state.v[3..].copy_from_slice(&(other - relative.matrix().tr_mul(spin)).array());
    Ok(Scene::new(model, state, 10.0, 1e-3, Method::Midpoint))
}

/// Thin rods in a plane on hinges, released at 60° to the vertical; the load at the end has the mass of a million rods.
pub fn heavy_chain(n: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("heavy chain of {n}"));
    let (mass, down) = (0.1, V3::new(0.0, 0.0, -0.5));
    let rod = thin(mass, down)?;
    let load = Geom::new(Shape::Sphere { radius: 0.4 }).pose(Pose::translation(down));
    let mut parent = BodyId::WORLD;
    for k in 0..n {
        let at = if k == 0 { V3::ZERO } else { down };
        let mut spec = BodySpec::new(format!("link{}", k + 1)).at(at).inertia(rod).geom(seen(0.02, down));
        if k + 1 == n {
            spec = spec.solid_geom(load.clone(), 1e6 * mass)?;
        }
        let link = b.body(parent, spec);
        b.joint(link, Joint::revolute(-V3::Y).named(format!("hinge{}", k + 1)));
        parent = link;
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    state.q[0] = std::f64::consts::FRAC_PI_3;
    Ok(Scene::new(model, state, 10.0, 1e-4, Method::Midpoint))
}

/// A rod that branches in two, five times over, with alternating ball joints and hinges.
pub fn tree() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("tree");
    let mut tips = vec![(BodyId::WORLD, V3::ZERO, "branch".to_string())];
    let mut length = 0.5;
    for level in 0..5 {
        let down = V3::new(0.0, 0.0, -length);
        let wood = seen(0.12 * length, down);
        let inertia = wood.shape.inertia_from_density(700.0)?.seen_from(wood.pose);
        let mut next = Vec::new();
        for (parent, at, name) in tips {
            let twigs: &[f64] = if level == 0 { &[0.0] } else { &[-0.5, 0.5] };
            for (k, &lean) in twigs.iter().enumerate() {
                // branches spread in alternating planes
                let axis = if level % 2 == 0 { V3::X } else { V3::Y };
                let turn = Pose::rotation_vector(axis * lean);
                let name = if level == 0 { name.clone() } else { format!("{name}{k}") };
                let spec = BodySpec::new(&name).at(at).inertia(inertia.seen_from(turn));
                let body = b.body(parent, spec.geom(wood.clone().pose(turn * wood.pose)));
                let joint = if level % 2 == 0 { Joint::spherical() } else { Joint::revolute(axis) };
                b.joint(body, joint.named(format!("{name}_joint")));
                next.push((body, turn.point(down), name));
            }
        }
        (tips, length) = (next, 0.75 * length);
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v[..3].copy_from_slice(&[2.0, 3.0, 1.0]);
    Ok(Scene::new(model, state, 10.0, 1e-3, Method::Midpoint))
}
