//! A closed loop from MJCF: a linkage driven by a motor, stepped in both formulations.

use poinsot::formats::{LoadOptions, load_text};
use poinsot::prelude::*;

const LINKAGE: &str = r#"
<mujoco model="four-bar">
  <worldbody>
    <body name="crank">
      <joint name="crank" axis="0 1 0"/><geom type="capsule" fromto="0 0 0  0 0 0.1" size="0.01"/>
      <body name="coupler" pos="0 0 0.1">
        <joint name="coupler" axis="0 1 0"/><geom type="capsule" fromto="0 0 0  0.3 0 0.1" size="0.01"/>
      </body>
    </body>
    <body name="rocker" pos="0.3 0 0">
      <joint name="rocker" axis="0 1 0"/><geom type="capsule" fromto="0 0 0  0 0 0.2" size="0.01"/>
    </body>
  </worldbody>
  <equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.3 0 0.1"/></equality>
  <actuator><motor name="motor" joint="crank"/></actuator>
  <sensor><jointvel name="speed" joint="crank"/></sensor>
</mujoco>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_text("four-bar.xml", LINKAGE, &LoadOptions::default())?.model;
    let speed = model.sensor("speed").ok_or("the file has no such sensor")?;
    for formulation in [Formulation::Reduced, Formulation::Maximal] {
        let mut simulation = Simulation::builder(&model)
            .integrator(Method::Rkmk4)
            .formulation(formulation)
            .dt(1e-3)
            .ledger(true)
            .build()?;
        for _ in 0..2000 {
            // a governor: as much torque as it takes to turn at 6 rad/s
            let torque = 0.2 * (6.0 - simulation.sense(speed)[0]);
            simulation.set_control(&[torque])?;
            simulation.step()?;
        }
        let turned = simulation.state().q[0];
        let open = simulation.violation().map_or(0.0, |(_, size)| size);
        let total = simulation.ledger().ok_or("no ledger is kept")?.total();
        let (motor, imbalance) = (total.work(Line::Actuators), total.imbalance());
        println!("{formulation}: turned {turned:.6} rad; open by {open:.0e} m; the motor gave {motor:.4} J");
        assert!(open < 1e-12 && imbalance.abs() < 1e-12 && turned > 10.0);
    }
    Ok(())
}
