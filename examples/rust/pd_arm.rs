//! A robot arm held by a PD law, and pushed: `cargo run --release -p poinsot-examples --bin pd_arm [ROBOT.urdf]`

use poinsot::control::{Pd, Target};
use poinsot::prelude::*;
use poinsot::spatial::Force;
use poinsot::{Load, formats};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = match std::env::args().nth(1) {
        Some(path) => formats::load(path)?.model,
        None => arm()?,
    };
    let home = Target::rest(&model.neutral());
    let mut hold = Pd::new(&model, 200.0, 20.0).carrying_weight();
    let mut simulation = Simulation::builder(&model).integrator(Method::Leapfrog).build()?;
    let hand = model.body_ids().last().ok_or("the model has no bodies")?;
    let mut farthest = 0.0_f64;
    for step in 0..4000 {
        // someone leans on the hand for half a second
        let push = if (1000..1500).contains(&step) { V3::new(0.0, 0.0, -30.0) } else { V3::ZERO };
        let wrench = Force { force: push, moment: V3::ZERO };
        simulation.clear_loads();
        simulation.apply_load(Load { body: hand, point: V3::ZERO, wrench })?;
        simulation.apply_forces(&hold.force(simulation.state(), &home))?;
        simulation.run(1, 1e-3)?;
        farthest = farthest.max(distance(&simulation, &home.q));
    }
    let left = distance(&simulation, &home.q);
    println!("pushed away by {farthest:.3} rad at most, and back to {left:.1e} rad");
    assert!(farthest > 1e-2 && left < 1e-3);
    Ok(())
}

fn distance(simulation: &Simulation, q: &[f64]) -> f64 {
    simulation.state().q.iter().zip(q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Three rods on hinges, stretched out.
fn arm() -> Result<Model, Box<dyn std::error::Error>> {
    let mut builder = ModelBuilder::new("arm");
    let rod = Shape::Box { size: V3::new(0.4, 0.05, 0.05) };
    let mut last = BodyId::WORLD;
    for (k, axis) in [V3::Z, V3::Y, V3::Y].into_iter().enumerate() {
        let middle = if k == 0 { V3::X * 0.2 } else { V3::X * 0.4 };
        last = builder.body(last, BodySpec::new(format!("rod{k}")).at(middle).solid(&rod, 1.0)?);
        builder.joint(last, Joint::revolute(axis).anchor(V3::X * -0.2));
    }
    Ok(builder.build()?)
}
