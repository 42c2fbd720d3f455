//! Recordings to be exported.
#![allow(clippy::unwrap_used, dead_code)] // a failed unwrap is a failed test; not every test uses all

use poinsot::Simulation;
use poinsot::algebra::V3;
use poinsot::scenes;
use poinsot_view::instrument::{Instrument, PoinsotMotion, Trail, standard};
use poinsot_view::look::{COLOURS, Look};
use poinsot_view::projector::{Now, Projector, Track};
use poinsot_view::show::{Frame, Recording, Scenery};
use std::sync::Arc;

/// A built-in scene for some frames of `interval` seconds, with all that can be drawn with it.
pub fn recording(name: &str, frames: usize, interval: f64) -> Recording {
    let scene = scenes::by_name(name).unwrap();
    let mut instruments: Vec<Box<dyn Instrument>> = standard();
    let last = scene.model.body_ids().last().unwrap();
    instruments.push(Box::new(Trail { body: last, point: V3::X, lasts: None, colour: None }));
    if name == "dzhanibekov" {
        instruments.push(Box::new(PoinsotMotion::new(last, V3::X * 3.0, 1.0)));
    }
    let model = Arc::new(scene.model);
    let track = Track {
        label: String::new(),
        colour: COLOURS[0],
        look: Look::of_model(&model),
        model: model.clone(),
        offset: V3::ZERO,
        instruments,
        integrator: scene.integrator,
        dt: scene.dt,
    };
    let scenery = Scenery { name: name.into(), floor: Some(-1.0), ..Scenery::default() };
    let mut projector = Projector::new(scenery, vec![track]);
    let mut simulation = Simulation::new(&model, scene.state, scene.integrator).unwrap();
    let mut list = Vec::new();
    for k in 0..frames {
        if k > 0 {
            simulation.run((interval / scene.dt).round() as usize, scene.dt).unwrap();
        }
        let mut frame = Frame::default();
        projector.project(&[Now { state: simulation.state(), control: &[] }], &mut frame);
        list.push(frame);
    }
    let (scenery, surfaces) = (projector.scenery().clone(), projector.surfaces().to_vec());
    Recording { scenery, surfaces, frames: list }
}
