//! Soft limits, from `solreflimit` of MJCF files.
//!
//! At a limit exceeded by r > 0, MuJoCo requires the acceleration `r̈ = (1 − d) a₀ − d (b ṙ + k r)`, where a₀ is the acceleration
//! without it and d is the impedance `solimplimit`; b and k follow from `solreflimit` such that at d = dmax
//!
//! ```math
//! d k = 1 / (T ζ)²,  d b = 2 / T    of a time constant T and a damping ratio ζ, both positive
//! d k = K,  d b = B                 of −K and −B, both negative
//! ```
//! The force is this divided by the mobility of the coordinate in the reference configuration, `m = 1 / (Jᵀ M⁻¹ J)`, averaged over the degrees
//! of freedom of a ball joint. A spring with stiffness `m d k` and damping `m d b` has the same frequency and damping. What it lacks
//! is the fraction d of a₀ that MuJoCo removes as well: at rest under a load the spring yields 1/(1 − d) times as far. Nor does it
//! follow the impedance from dmin to dmax over its width, `margin`, or the mobility in other configurations.

use crate::description::{Description, JointType, TendonPath};
use crate::diagnostic::Report;
use crate::gains::{Direction, solve, trees};
use poinsot_core::model::{Model, SolverParameters};

/// Sets the stiffness and damping of the limits of joints and tendons; true if there are any.
pub(crate) fn resolve(description: &mut Description, model: &Model, report: &mut Report) -> bool {
    let directions = wanted(description, model);
    if directions.is_empty() {
        return false;
    }
    let Some(answers) = solve(&directions, &trees(description, model), model) else {
        let message = "so many joints of one tree are limited that the stiffness of their limits would take too long to find";
        report.error("model::too-many", message).help("leave the limits rigid");
        return false;
    };
    let options = &description.options;
    let shortest = if options.is_disabled("refsafe") { 0.0 } else { 2.0 * options.timestep };
    let mut answers = answers.into_iter();
    let mut made = model.joints().iter();
    for joint in description.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        let Some(made) = made.next() else { continue };
        if yields(joint.kind) && joint.range.is_some() {
            // settings in <custom> take precedence
            let given = joint.soft_limit;
            let count = made.dofs().len();
            let mobility = answers.by_ref().take(count).sum::<f64>() / count as f64;
            joint.soft_limit = given.or(Some(softness(&joint.solver_limit, mobility, shortest)));
        }
    }
    for tendon in description.tendons.iter_mut().filter(|t| t.range.is_some()) {
        if let (TendonPath::Fixed(_), Some(mobility)) = (&tendon.path, answers.next()) {
            tendon.soft_limit = Some(softness(&tendon.solver_limit, mobility, shortest));
        }
    }
    true
}

/// Whether the range of such a joint is simulated.
fn yields(kind: JointType) -> bool {
    matches!(kind, JointType::Hinge | JointType::Slide | JointType::Ball)
}

/// The degrees of freedom of limited joints, each by itself, then the directions of limited tendons.
fn wanted(description: &Description, model: &Model) -> Vec<Direction> {
    let limited = |(_, j): &(usize, &crate::description::Joint)| yields(j.kind) && j.range.is_some();
    let joints = description.joints().zip(model.joints()).filter(|(j, _)| limited(j));
    let joints = joints.flat_map(|(_, made)| made.dofs().map(|k| vec![(k, 1.0)]));
    let tendons = description.tendons.iter().filter(|t| t.range.is_some());
    let tendons = tendons.filter_map(|t| match &t.path {
        TendonPath::Fixed(terms) => {
            Some(terms.iter().map(|(joint, c)| (model.joints()[*joint].dofs().start, *c)).collect())
        }
        TendonPath::Spatial(_) => None,
    });
    joints.chain(tendons).collect()
}

/// Stiffness and damping of a limit or of a constraint to a mocap body; time constants are at least `shortest`.
pub(crate) fn softness(solver: &SolverParameters, mobility: f64, shortest: f64) -> (f64, f64) {
    let [a, b] = solver.reference;
    // only one positive: MuJoCo takes the defaults
    let [a, b] = if (a > 0.0) == (b > 0.0) { [a, b] } else { SolverParameters::default().reference };
    let (k, c) = if a > 0.0 {
        let time = a.max(shortest);
        ((time * b).powi(-2), 2.0 / time)
    } else {
        (-a, -b)
    };
    let m = 1.0 / mobility.max(1e-15);
    (m * k, m * c)
}
