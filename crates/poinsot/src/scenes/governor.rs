//! The flyball governor of the multibody benchmarks, with arms that are stiff spring-dampers [Gonzalez06, problem A05].

use super::{Scene, SceneError};
use crate::algebra::{Sym3, V3};
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{BodyId, BodySpec, Constraint, Geom, Joint, ModelBuilder, Mount, Shape};
use crate::spatial::{Inertia, Pose};
use std::f64::consts::{FRAC_PI_6, TAU};

/// In kg/m³; steel would have 7800.
const DENSITY: f64 = 3000.0;
const BALL: f64 = 5.0;
/// Stiffness, damping and length of an arm: N/m, N s/m and m.
const ARM: (f64, f64, f64) = (8e5, 4e4, 0.5);
/// The distance of the hinges from the axis.
const ASIDE: f64 = 0.05;

/// A shaft rotates about z; a block slides on it; two rods with balls hang from its upper end, each connected to the block. The coordinates
/// are the angle of the shaft, the height of the block, and the angles of the rods below the horizontal.
pub fn governor() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("governor");
    let solid = |x: f64, y: f64, z: f64, at: V3| {
        let block = Geom::new(Shape::Box { size: V3::new(x, y, z) }).pose(Pose::translation(at));
        let inertia = block.shape.inertia_from_density(DENSITY)?.seen_from(block.pose);
        Ok::<(Geom, Inertia), SceneError>((block, inertia))
    };
    let (block, inertia) = solid(0.01, 0.01, 1.0, V3::Z * 0.5)?;
    let shaft = b.body(BodyId::WORLD, BodySpec::new("shaft").inertia(inertia).geom(block));
    b.joint(shaft, Joint::revolute(V3::Z).named("shaft"));
    let (block, inertia) = solid(0.1, 0.1, 0.1, V3::ZERO)?;
    let slider = b.body(shaft, BodySpec::new("slider").inertia(inertia).geom(block));
    b.joint(slider, Joint::prismatic(V3::Z).named("slide"));
    for (name, side) in [("right", V3::X), ("left", -V3::X)] {
        let ball = Inertia::new(BALL, side, Sym3::diagonal(0.0, 0.0, 0.0))?;
        let (block, inertia) = solid(1.0, 0.01, 0.01, side * 0.5)?;
        // the inertia is that of a point; the displayed size is that of the same mass of material
        let shown = Geom::new(Shape::Sphere { radius: 0.0736 }).pose(Pose::translation(side));
        let spec = BodySpec::new(name).at(V3::Z + side * ASIDE).inertia(inertia + ball);
        let rod = b.body(shaft, spec.geom(block).geom(shown));
        b.joint(rod, Joint::revolute(V3::Z.cross(side)).named(name));
        let (one, other) = (Mount::new(slider, side * ASIDE), Mount::new(rod, side * 0.5));
        let (stiffness, damping, length) = ARM;
        b.constraint(
            Constraint::distance(one, other, length).soft(stiffness, damping).named(format!("{name}_arm")),
        );
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    state.q.copy_from_slice(&[0.0, 0.5, FRAC_PI_6, FRAC_PI_6]);
    state.v[0] = TAU;
    Ok(Scene::new(model, state, 10.0, 1e-3, Method::Midpoint))
}
