//! A sweep with a plot: how the period of a pendulum grows with its amplitude, next to the exact curve.

use kuva::backend::svg::SvgBackend;
use kuva::plot::{LinePlot, ScatterPlot};
use kuva::render::figure::Figure;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use poinsot::prelude::*;
use std::f64::consts::PI;

/// Four times the time from the amplitude to the lowest point.
fn period(model: &Model, amplitude: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let begin = State { q: vec![amplitude], ..State::new(model) };
    let mut simulation = Simulation::new(model, begin, Method::Rkmk4)?;
    let dt = 1e-3;
    loop {
        let before = simulation.state().q[0];
        simulation.run(1, dt)?;
        let after = simulation.state().q[0];
        if after <= 0.0 {
            // the crossing within the step, on a straight line
            return Ok(4.0 * (simulation.state().time - dt * after / (after - before)));
        }
    }
}

/// 2π √(l/g) / agm(1, cos(α/2)).
fn exact(amplitude: f64) -> f64 {
    let (mut a, mut g) = (1.0, (amplitude / 2.0).cos());
    for _ in 0..6 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    2.0 * PI * (1.0 / 9.81_f64).sqrt() / a
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = ModelBuilder::new("pendulum");
    let bob = BodySpec::new("bob").solid(&Shape::Sphere { radius: 1e-6 }, 1.0)?;
    let bob = builder.body(BodyId::WORLD, bob);
    builder.joint(bob, Joint::revolute(V3::Y).anchor(V3::Z));
    let model = builder.build()?;

    let amplitudes: Vec<f64> = (1..=16).map(|k| 0.18 * f64::from(k)).collect();
    let mut measured = Vec::new();
    for amplitude in &amplitudes {
        let found = period(&model, *amplitude)?;
        assert!((found - exact(*amplitude)).abs() < 1e-6, "at {amplitude}");
        measured.push((amplitude.to_degrees(), found));
    }
    let curve = (1..300).map(|k| 0.01 * f64::from(k)).map(|a| (a.to_degrees(), exact(a)));
    let plots: Vec<Plot> = vec![
        LinePlot::new().with_data(curve).with_color("grey").with_legend("exact").into(),
        ScatterPlot::new()
            .with_data(measured)
            .with_color("crimson")
            .with_size(4.0)
            .with_legend("simulated")
            .into(),
    ];
    let layout = Layout::auto_from_plots(&plots).with_x_label("amplitude, degrees").with_y_label("period, s");
    let figure = Figure::new(1, 1).with_plots(vec![plots]).with_layouts(vec![layout]);
    let svg = SvgBackend.render_scene(&figure.with_figure_size(700.0, 450.0).render());
    std::fs::write("period.svg", svg)?;
    println!("wrote period.svg: {} periods, each within 1e-6 s of the exact one", amplitudes.len());
    Ok(())
}
