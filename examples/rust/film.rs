//! A film and a replay of a run.

use poinsot::scenes;
use poinsot_view::cast::{Actor, Show, TrackSetup};
use poinsot_view::film;
use poinsot_view::projector::Now;
use poinsot_view::raster::{Options, Painter};
use poinsot_view::show::{Frame, Recording};
use poinsot_view::{page, replay};
use std::path::Path;

const RATE: f64 = 20.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let show = Show::of("tree", vec![Actor::of_scene(scenes::by_name("tree")?)]);
    let (mut projector, roles) = show.begin();
    let [role]: &[TrackSetup; 1] = roles.as_slice().try_into()?;
    let mut simulation = role.simulation()?;
    let mut painter = Painter::new(projector.scenery(), projector.surfaces(), 320, 240, Options::default());
    let mut film = film::create(Path::new("tree.gif"), RATE)?;
    let mut recording = Recording {
        scenery: projector.scenery().clone(),
        surfaces: projector.surfaces().to_vec(),
        frames: Vec::new(),
    };
    let steps = (1.0 / (RATE * role.dt)).round() as usize;
    for _ in 0..40 {
        let mut frame = Frame::default();
        projector.project(&[Now { state: simulation.state(), control: simulation.control() }], &mut frame);
        film.frame(&painter.paint(&frame))?;
        recording.frames.push(frame);
        simulation.run(steps, role.dt)?;
    }
    film.finish()?;
    // one file that replays anywhere, where the page was built
    if let Some(template) = page::replay_template() {
        std::fs::write("tree.html", replay::page(&template, &recording, 1.0)?)?;
    }
    println!("wrote tree.gif: 2 s of {}", simulation.model().name());
    Ok(())
}
