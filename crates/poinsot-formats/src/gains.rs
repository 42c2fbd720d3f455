//! Springs and dampers that a file specifies by their effect on the inertia they move, in the reference configuration.
//!
//! - A joint with `springdamper` (T, ζ): with `m = 1 / mean (M⁻¹)_kk` over its degrees of freedom, stiffness `m / (T ζ)²`
//!   and damping `2 m / T`.
//! - A servo with `dampratio` ζ: with `m = 1 / (Jᵀ M⁻¹ J)`, J its moment arms, `kv = 2 ζ √(kp m)`.
//!
//! Each direction J takes a sweep over the whole model. Trees joined only by the world do not affect one another, so one
//! sweep serves one direction in each of them.

use crate::description::{Actuator, Description, Target, TendonPath};
use crate::diagnostic::Report;
use poinsot_core::dynamics::Workspace;
use poinsot_core::model::Model;

/// The largest number of sweeps times degrees of freedom; more would take minutes.
const MOST_WORK: usize = 100_000_000;

/// A direction J: degrees of freedom and their coefficients.
pub(crate) type Direction = Vec<(usize, f64)>;

/// Fills in what depends on the inertia; true if anything does.
pub(crate) fn resolve(description: &mut Description, model: &Model, report: &mut Report) -> bool {
    let directions = wanted(description, model);
    if directions.is_empty() {
        return false;
    }
    let Some(answers) = solve(&directions, &trees(description, model), model) else {
        let message = "so many springs and servos are given by `springdamper` and `dampratio` in one tree that their \
                       gains would take too long to find";
        let help = "give them by `stiffness` and `damping`, `kp` and `kv`";
        report.error("model::too-many", message).help(help);
        return false;
    };
    let mut answers = answers.into_iter();
    let mut made = model.joints().iter();
    for joint in description.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        let Some(made) = made.next() else { continue };
        if let Some([time, ratio]) = joint.spring_damper {
            let count = made.dofs().len();
            let sum: f64 = answers.by_ref().take(count).sum();
            let m = count as f64 / sum.max(1e-15);
            (joint.stiffness, joint.damping) = (m / (time * ratio).powi(2), 2.0 * m / time);
        }
    }
    for actuator in &mut description.actuators {
        if let Some(ratio) = actuator.damping_ratio
            && let Some(mobility) = answers.next()
        {
            let m = 1.0 / mobility.max(1e-15);
            let kp = actuator.gain_parameters[0];
            actuator.bias_parameters[2] = -2.0 * ratio * (kp * m).max(0.0).sqrt();
        }
    }
    true
}

/// The directions whose mobility `Jᵀ M⁻¹ J` is needed: each degree of freedom of joints, then those of servos.
fn wanted(description: &Description, model: &Model) -> Vec<Direction> {
    let made = model.joints().iter();
    let sprung = description.joints().zip(made).filter(|((_, j), _)| j.spring_damper.is_some());
    let joints = sprung.flat_map(|(_, made)| made.dofs().map(|k| vec![(k, 1.0)]));
    let servos = description.actuators.iter().filter(|a| a.damping_ratio.is_some());
    joints.chain(servos.map(|a| moment_arms(a, description, model))).collect()
}

fn moment_arms(actuator: &Actuator, description: &Description, model: &Model) -> Direction {
    let gear = actuator.gear[0];
    let arm = |joint: usize, c: f64| (model.joints()[joint].dofs().start, c * gear);
    match &actuator.target {
        Target::Joint { joint, .. } => vec![arm(*joint, 1.0)],
        Target::Tendon(k) => match &description.tendons[*k].path {
            TendonPath::Fixed(terms) => terms.iter().map(|(joint, c)| arm(*joint, *c)).collect(),
            TendonPath::Spatial(_) => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// For each degree of freedom the index of its tree: everything below one joint to the world.
pub(crate) fn trees(description: &Description, model: &Model) -> Vec<usize> {
    let mut count = 0;
    let mut of_body: Vec<Option<usize>> = Vec::with_capacity(description.bodies.len());
    let mut of_dof = Vec::with_capacity(model.nv());
    let mut made = model.joints().iter();
    for (k, body) in description.bodies.iter().enumerate() {
        let mut tree = if k == 0 { None } else { of_body[body.parent] };
        if tree.is_none() && !body.joints.is_empty() {
            tree = Some(count);
            count += 1;
        }
        for joint in made.by_ref().take(body.joints.len()) {
            of_dof.extend(joint.dofs().map(|_| tree.unwrap_or(0)));
        }
        of_body.push(tree);
    }
    of_dof
}

/// `Jᵀ M⁻¹ J` for each direction; `None` if it would take too long.
pub(crate) fn solve(directions: &[Direction], trees: &[usize], model: &Model) -> Option<Vec<f64>> {
    // the first round in which each tree is free; a direction through several trees waits for all of them
    let mut free = vec![0; model.nv() + 1];
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for (k, direction) in directions.iter().enumerate() {
        let own = |dof: &usize| trees.get(*dof).copied().unwrap_or(0);
        let round = direction.iter().map(|(dof, _)| free[own(dof)]).max().unwrap_or(0);
        direction.iter().for_each(|(dof, _)| free[own(dof)] = round + 1);
        if round == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[round].push(k);
    }
    if rounds.len().saturating_mul(model.nv()) > MOST_WORK {
        return None;
    }
    let (mut workspace, q) = (Workspace::new(model), model.neutral());
    let (mut unit, mut answer) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
    let mut all = vec![0.0; directions.len()];
    for round in rounds {
        unit.fill(0.0);
        for (dof, c) in round.iter().flat_map(|k| &directions[*k]) {
            unit[*dof] += c;
        }
        workspace.mass_solve(model, &q, &unit, &mut answer);
        for k in round {
            // a joint may be named twice
            all[k] = directions[k].iter().map(|(dof, c)| c * answer[*dof]).sum();
        }
    }
    Some(all)
}
