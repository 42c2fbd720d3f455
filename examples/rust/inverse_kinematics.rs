//! Inverse kinematics by the Jacobian: the tool of a UR5 to a point, by damped least squares.

use nalgebra::{Matrix3, Vector3};
use poinsot::prelude::*;

fn reach(model: &Model, tool: BodyId, place: V3) -> Result<(State, usize), Box<dyn std::error::Error>> {
    let mut workspace = Workspace::new(model);
    let mut state = State::new(model);
    for step in 0..100 {
        let at = workspace.at(model, &state);
        let error = place - at.pose(tool).pos;
        if error.norm() < 1e-12 {
            return Ok((state, step));
        }
        let j = at.jacobian(tool).rows(3, 3).into_owned(); // the linear part
        let damped = &j * j.transpose() + Matrix3::identity() * 1e-4;
        let solved = damped.lu().solve(&Vector3::new(error.x, error.y, error.z)).ok_or("singular")?;
        let dq = j.transpose() * solved;
        model.integrate(&mut state.q, dq.as_slice(), 1.0);
    }
    Err("out of reach".into())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = poinsot::scenes::by_name("ur5")?.model;
    let tool = model.body_ids().last().ok_or("the model has no bodies")?;
    for place in [V3::new(0.4, 0.2, 0.3), V3::new(-0.3, 0.4, 0.5), V3::new(0.2, -0.5, 0.1)] {
        let (state, steps) = reach(&model, tool, place)?;
        println!("{place:?}: after {steps} steps, q = {:.3?}", state.q);
    }
    Ok(())
}
