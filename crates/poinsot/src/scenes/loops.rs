//! Closed loops of bars.

use super::bars::{Placed, bar, close, meeting};
use super::{Scene, SceneError};
use crate::algebra::V3;
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{BodyId, BodySpec, Constraint, Joint, Model, ModelBuilder, Shape};

/// Bars of 1 kg per metre in a vertical plane. By Grashof's rule the shortest one, the crank, can make full turns.
pub fn four_bar() -> Result<Scene, SceneError> {
    let (crank, coupler, rocker, ground) = (0.3, 0.8, 0.6, 0.9);
    let mut b = ModelBuilder::new("four-bar");
    let (elbow, pivot) = (V3::Z * crank, V3::X * ground);
    let knee = meeting(elbow, coupler, pivot, rocker);
    let one = bar(&mut b, Placed::WORLD, "crank", crank, [V3::ZERO, elbow], V3::Y)?;
    let two = bar(&mut b, one, "coupler", coupler, [elbow, knee], V3::Y)?;
    let three = bar(&mut b, Placed::WORLD, "rocker", rocker, [pivot, knee], V3::Y)?;
    close(&mut b, "knee", two, three, knee, V3::Y);
    turning(b.build()?, 8.0, 10.0, 1e-3)
}

/// Sets the rate of the first joint, and those of the others accordingly.
fn turning(model: Model, rate: f64, duration: f64, dt: f64) -> Result<Scene, SceneError> {
    let mut state = State::new(&model);
    state.v[0] = rate;
    let mut scene = Scene::new(model, state, duration, dt, Method::Midpoint).assembled()?;
    // the projection reduces the rate: scale it back
    let scale = rate / scene.state.v[0];
    scene.state.v.iter_mut().for_each(|v| *v *= scale);
    scene.assembled()
}

/// N + 1 upright bars in a row, their tips connected by N couplers, all of 1 m and 1 kg.
///
/// If all bars lie flat the loops could fold: there N additional freedoms appear and vanish again.
pub fn n_four_bar(n: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("n-four-bar of {n}"));
    let foot = |k: usize| V3::X * k as f64;
    let mut uprights = Vec::new();
    for k in 0..=n {
        let ends = [foot(k), foot(k) + V3::Z];
        uprights.push(bar(&mut b, Placed::WORLD, &format!("upright{k}"), 1.0, ends, V3::Y)?);
    }
    for k in 0..n {
        let ends = [foot(k) + V3::Z, foot(k + 1) + V3::Z];
        let coupler = bar(&mut b, uprights[k], &format!("coupler{}", k + 1), 1.0, ends, V3::Y)?;
        // all axes are parallel: a ball joint closes the loop with fewer rows than a hinge
        let ball = Constraint::point(coupler.mount(ends[1]), uprights[k + 1].mount(ends[1]));
        b.constraint(ball.named(format!("loop{}", k + 1)));
    }
    turning(b.build()?, 1.0, 10.0, 1e-3)
}

/// A crank of 0.2 m, a rod of 0.6 m and a piston that slides along x.
pub fn slider_crank() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("slider-crank");
    let (crank, rod) = (0.2, 0.6f64);
    let (elbow, wrist) = (V3::Z * crank, V3::X * (rod * rod - crank * crank).sqrt());
    let one = bar(&mut b, Placed::WORLD, "crank", 1.0, [V3::ZERO, elbow], V3::Y)?;
    let two = bar(&mut b, one, "rod", 0.5, [elbow, wrist], V3::Y)?;
    let block = Shape::Box { size: V3::new(0.15, 0.1, 0.1) };
    let piston = b.body(BodyId::WORLD, BodySpec::new("piston").at(wrist).solid(&block, 1.0)?);
    b.joint(piston, Joint::prismatic(V3::X).named("slide"));
    close(&mut b, "wrist", two, Placed { body: piston, origin: wrist }, wrist, V3::Y);
    turning(b.build()?, 10.0, 10.0, 1e-3)
}

/// Six bars along edges of a cube, those that touch neither of two opposite corners, with each hinge perpendicular to the two bars that
/// meet in it [Bricard27]. Six freedoms minus six constraints leave none in general; this linkage has one.
pub fn six_r() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("six-r");
    let edges = [V3::Y, V3::Z, -V3::X, -V3::Y, -V3::Z];
    // the first edge, along x, is the ground link; it ends where the second starts
    let (mut at, mut axis, mut last) = (V3::X, V3::Z, Placed::WORLD);
    for (k, edge) in edges.into_iter().enumerate() {
        last = bar(&mut b, last, &format!("bar{}", k + 1), 1.0, [at, at + edge], axis)?;
        at += edge;
        axis = V3::new(axis.z, axis.x, axis.y);
    }
    close(&mut b, "last", last, Placed::WORLD, V3::ZERO, V3::Y);
    turning(b.build()?, 3.0, 10.0, 1e-3)
}
