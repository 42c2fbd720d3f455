//! Welds and connects to mocap bodies, which are soft according to `solref`.
//!
//! A mocap body is where the user puts it, possibly far from the body tied to it at the start: a rigid constraint could not be satisfied.
//! MuJoCo's constraints are soft, and pull the model there within the time constant of `solref`. So does a spring with a damper: stiffness and damping are
//! those of [limits](crate::soft_limits) with the mobility of the tied body in the reference configuration at its centre of mass,
//! the mean of three directions, `1/3 tr(J M⁻¹ Jᵀ)`, as MuJoCo's `body_invweight0`.

use crate::description::{Description, Equality, EqualityKind};
use crate::diagnostic::Report;
use crate::soft_limits::softness;
use poinsot_core::algebra::V3;
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::model::{Model, Softness};

/// Softens the constraints to mocap bodies; true if there are any.
pub(crate) fn resolve(description: &mut Description, model: &Model, report: &mut Report) -> bool {
    let options = &description.options;
    let shortest = if options.is_disabled("refsafe") { 0.0 } else { 2.0 * options.timestep };
    let found: Vec<(usize, usize)> = (description.equalities.iter().enumerate())
        .filter(|(_, e)| e.active && e.softness.is_none())
        .filter_map(|(k, e)| Some((k, tied(description, e)?)))
        .collect();
    let mut known: Vec<(usize, [f64; 2])> = Vec::new();
    for (k, body) in &found {
        let of_body = known.iter().find(|(b, _)| b == body).map(|(_, m)| *m);
        let [turning, sliding] = of_body.unwrap_or_else(|| mobility(model, *body));
        known.push((*body, [turning, sliding]));
        let equality = &mut description.equalities[*k];
        let (stiffness, damping) = softness(&equality.solver, sliding, shortest);
        let (turning_stiffness, turning_damping) = softness(&equality.solver, turning, shortest);
        equality.softness = Some(Softness { stiffness, damping, turning_stiffness, turning_damping });
    }
    let Some((first, _)) = found.first() else { return false };
    let what = if found.len() == 1 {
        "a constraint to a mocap body is a spring with a damper"
    } else {
        "constraints to mocap bodies are springs with dampers"
    };
    let message = format!(
        "{what}, with the time constant and damping ratio of `solref`: it need not be met where a run begins"
    );
    report.note("mjcf::soft-mocap", message).at(description.equalities[*first].place);
    true
}

/// The moving body of an equality with a mocap body or a body fixed to one.
pub(crate) fn tied(description: &Description, equality: &Equality) -> Option<usize> {
    let [a, b] = match equality.kind {
        EqualityKind::Connect { body1, body2, .. } | EqualityKind::Weld { body1, body2, .. } => {
            [body1, body2]
        }
        EqualityKind::Sites { sites, .. } => sites.map(|(body, _)| body),
        _ => return None,
    };
    match [a, b].map(|body| follows_mocap(description, body)) {
        [true, false] => Some(b),
        [false, true] => Some(a),
        _ => None,
    }
}

/// Whether a body is a mocap body or fixed to one.
fn follows_mocap(description: &Description, mut body: usize) -> bool {
    while body != 0 {
        let at = &description.bodies[body];
        if at.mocap {
            return true;
        }
        if !at.joints.is_empty() {
            return false;
        }
        body = at.parent;
    }
    false
}

/// Rotational and translational mobility: 1/3 tr(J M⁻¹ Jᵀ) at the centre of mass of a body.
fn mobility(model: &Model, body: usize) -> [f64; 2] {
    let (mut workspace, state) = (Workspace::new(model), State::new(model));
    let Some(id) = model.body_ids().nth(body) else { return [0.0; 2] };
    let inertia = &model.bodies()[body].inertia;
    let centre = if inertia.mass > 0.0 { inertia.first_moment * inertia.mass.recip() } else { V3::ZERO };
    let at = workspace.at(model, &state);
    let jacobian = at.jacobian_at(id, at.pose(id).point(centre));
    let mut answer = vec![0.0; model.nv()];
    let mut rows = [0.0; 6];
    for (k, mobility) in rows.iter_mut().enumerate() {
        let row: Vec<f64> = jacobian.row(k).iter().copied().collect();
        workspace.mass_solve(model, &state.q, &row, &mut answer);
        *mobility = row.iter().zip(&answer).map(|(j, a)| j * a).sum();
    }
    [0, 3].map(|first| rows[first..first + 3].iter().sum::<f64>() / 3.0)
}
