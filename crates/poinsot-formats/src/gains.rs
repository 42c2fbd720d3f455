//! Springs and dampers that a file gives by what they do to the inertia they move, in the reference configuration.
//!
//! - A joint with `springdamper` (T, ζ): with `m = 1 / mean (M⁻¹)_kk` over its degrees of freedom, stiffness `m / (T ζ)²`
//!   and damping `2 m / T`.
//! - A servo with `dampratio` ζ: with `m = 1 / (Jᵀ M⁻¹ J)`, J its moment arms, `kv = 2 ζ √(kp m)`.

use crate::description::{Actuator, Description, Target, TendonPath};
use poinsot_core::dynamics::Workspace;
use poinsot_core::model::{Joint, Model};

/// Fills in what depends on the inertia; true when anything did.
pub(crate) fn resolve(description: &mut Description, model: &Model) -> bool {
    let wanted = description.joints().any(|(_, j)| j.spring_damper.is_some())
        || description.actuators.iter().any(|a| a.damping_ratio.is_some());
    if !wanted {
        return false;
    }
    let mut inertias = Inertias::new(model);
    let mut joints = model.joints().iter();
    for joint in description.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        let Some(made) = joints.next() else { continue };
        if let Some([time, ratio]) = joint.spring_damper {
            let m = inertias.moved_by(made);
            (joint.stiffness, joint.damping) = (m / (time * ratio).powi(2), 2.0 * m / time);
        }
    }
    let tendons: Vec<TendonPath> = description.tendons.iter().map(|t| t.path.clone()).collect();
    for actuator in &mut description.actuators {
        if let Some(ratio) = actuator.damping_ratio {
            let m = reflected(actuator, &tendons, model, &mut inertias);
            let kp = actuator.gain_parameters[0];
            actuator.bias_parameters[2] = -2.0 * ratio * (kp * m).max(0.0).sqrt();
        }
    }
    true
}

/// The inertia that a servo feels.
fn reflected(actuator: &Actuator, tendons: &[TendonPath], model: &Model, inertias: &mut Inertias) -> f64 {
    let gear = actuator.gear[0];
    let terms = match &actuator.target {
        Target::Joint { joint, .. } => vec![(*joint, 1.0)],
        Target::Tendon(k) => match &tendons[*k] {
            TendonPath::Fixed(terms) => terms.clone(),
            TendonPath::Spatial(_) => Vec::new(),
        },
        _ => Vec::new(),
    };
    inertias.unit.fill(0.0);
    for (joint, c) in terms {
        inertias.unit[model.joints()[joint].dofs().start] += c * gear;
    }
    1.0 / inertias.solve().max(1e-15)
}

/// What moves how easily in the reference configuration.
struct Inertias<'m> {
    model: &'m Model,
    workspace: Workspace,
    q: Vec<f64>,
    /// A direction J.
    unit: Vec<f64>,
    answer: Vec<f64>,
}

impl<'m> Inertias<'m> {
    fn new(model: &'m Model) -> Inertias<'m> {
        let zeros = || vec![0.0; model.nv()];
        Inertias {
            model,
            workspace: Workspace::new(model),
            q: model.neutral(),
            unit: zeros(),
            answer: zeros(),
        }
    }
    /// `Jᵀ M⁻¹ J`.
    fn solve(&mut self) -> f64 {
        self.workspace.mass_solve(self.model, &self.q, &self.unit, &mut self.answer);
        self.unit.iter().zip(&self.answer).map(|(j, x)| j * x).sum()
    }
    /// The inertia that a joint moves: 1 over the mean of `(M⁻¹)_kk`.
    fn moved_by(&mut self, joint: &Joint) -> f64 {
        let mut sum = 0.0;
        for k in joint.dofs() {
            self.unit.fill(0.0);
            self.unit[k] = 1.0;
            sum += self.solve();
        }
        joint.dofs().len() as f64 / sum.max(1e-15)
    }
}
