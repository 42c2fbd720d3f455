//! A force of one's own: the pull of a planet, under which a satellite goes round and comes back to where it was.

use poinsot::dynamics::ExternalForces;
use poinsot::prelude::*;
use std::f64::consts::TAU;
use std::sync::Mutex;

/// −GM m r/|r|³ at the centre of mass of one body.
struct Planet {
    gm: f64,
    satellite: BodyId,
    scratch: Mutex<(Workspace, State, ExternalForces)>,
}

impl ForceElement for Planet {
    fn add_forces(&self, model: &Model, _: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        let Ok(mut scratch) = self.scratch.lock() else { return };
        let (workspace, state, forces) = &mut *scratch;
        state.q.copy_from_slice(q);
        state.v.copy_from_slice(v);
        let at = workspace.at(model, state);
        let place = at.pose(self.satellite).point(model[self.satellite].inertia.com());
        let pull = place * (-self.gm * model[self.satellite].inertia.mass / place.norm().powi(3));
        forces.clear();
        forces.push_at(&at, self.satellite, pull, place);
        workspace.add_external(model, q, forces, 1.0, tau);
    }
    fn potential_energy(&self, model: &Model, _: f64, q: &[f64]) -> f64 {
        let distance = V3::new(q[0], q[1], q[2]).norm();
        -self.gm * model[self.satellite].inertia.mass / distance
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = ModelBuilder::new("satellite");
    builder.gravity(V3::ZERO);
    let body = BodySpec::new("satellite").solid(&Shape::Box { size: V3::new(1.0, 2.0, 3.0) }, 10.0)?;
    let satellite = builder.body(BodyId::WORLD, body);
    builder.joint(satellite, Joint::free());
    let model = builder.build()?;

    // an ellipse with the half axis 100 m and the eccentricity 0.5, begun where it is farthest out
    let (a, e, gm) = (100.0, 0.5, 1000.0_f64);
    let mut start = State::new(&model);
    start.q[0] = a * (1.0 + e);
    start.v[1] = (gm / a * (1.0 - e) / (1.0 + e)).sqrt();
    let period = TAU * (a.powi(3) / gm).sqrt();

    let mut simulation = Simulation::new(&model, start.clone(), Method::Midpoint)?;
    let scratch = Mutex::new((Workspace::new(&model), State::new(&model), ExternalForces::new(&model)));
    simulation.push(Planet { gm, satellite, scratch });
    let steps = 20_000;
    simulation.run(steps, period / steps as f64)?;
    let off = (V3::new(start.q[0], start.q[1], start.q[2]) - simulation.at().pose(satellite).pos).norm();
    let drift = simulation.drift().energy;
    println!(
        "after one turn of {period:.0} s it is {off:.1e} m from where it began; energy drift {drift:.1e}"
    );
    assert!(off < 1e-2 && drift < 1e-6);
    Ok(())
}
