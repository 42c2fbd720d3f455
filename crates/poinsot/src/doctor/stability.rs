//! Checks springs, dampers and servos against the time step.
//!
//! Along one motion with the row J of rates, the effective inertia is `m = 1 / (J M⁻¹ Jᵀ)`. An explicit step of a spring
//! k is stable for `dt < 2 √(m / k)`, one of a damper d for `dt < 2 m / d`.

use super::{Finding, Patient, With, finding, short};
use crate::dynamics::Workspace;
use crate::formats::{Place, Severity};
use crate::model::{Actuator, Bias, Model, Transmission};

/// The most that are listed, the worst first.
const MOST: usize = 8;

/// A restoring element.
struct Element {
    what: String,
    row: Vec<(usize, f64)>,
    stiffness: f64,
    damping: f64,
    place: Option<Place>,
    /// True if the integrator `implicit` treats it implicitly.
    implicit: bool,
}

pub fn check(patient: &Patient) -> Vec<Finding> {
    let model = patient.model;
    if model.is_singular() {
        return Vec::new();
    }
    let (q, mut workspace) = (model.neutral(), Workspace::new(model));
    let mut unstable: Vec<(f64, Severity, Element)> = Vec::new();
    for element in elements(patient) {
        let [spring, damper] = largest_steps(&mut workspace, model, &q, &element);
        if patient.dt >= spring.min(damper) {
            // `implicit` is the default if joints are damped, so a damper alone causes no problem there
            let handled = element.implicit && patient.dt < spring;
            let severity = if handled { Severity::Note } else { Severity::Warning };
            let blamed = Element {
                stiffness: if patient.dt >= spring { element.stiffness } else { 0.0 },
                damping: if patient.dt >= damper { element.damping } else { 0.0 },
                ..element
            };
            unstable.push((spring.min(damper), severity, blamed));
        }
    }
    unstable.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
    let rest = unstable.len().saturating_sub(MOST);
    let of_rest = unstable.get(MOST).map_or(Severity::Note, |(_, severity, _)| *severity);
    let mut found: Vec<Finding> =
        unstable.iter().take(MOST).map(|(dt, severity, e)| told(patient, *dt, *severity, e)).collect();
    if rest > 0 {
        let message = format!("{rest} more springs, dampers or servos are too stiff for the step");
        let help = "the worst are listed above";
        found.push(finding(of_rest, "doctor::step-too-large", message).with(None, help));
    }
    found
}

fn told(patient: &Patient, limit: f64, severity: Severity, element: &Element) -> Finding {
    let words: Vec<String> = [("stiffness", element.stiffness), ("damping", element.damping)]
        .iter()
        .filter(|(_, x)| *x > 0.0)
        .map(|(word, x)| format!("{word} {}", short(*x)))
        .collect();
    let message = format!(
        "{}: {} too large for an explicit step of {} s; the largest stable one is {} s",
        element.what,
        if let [one] = &words[..] { format!("{one} is") } else { format!("{} are", words.join(" and ")) },
        patient.dt,
        short(limit)
    );
    let help = if element.implicit {
        "use the integrator `implicit`, which is stable here, or a smaller step"
    } else {
        "use a smaller step; `implicit` does not take this one implicitly"
    };
    finding(severity, "doctor::step-too-large", message).with(element.place, help)
}

/// The largest stable steps for the spring, and for the damper.
fn largest_steps(workspace: &mut Workspace, model: &Model, q: &[f64], element: &Element) -> [f64; 2] {
    let (mut f, mut a) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
    element.row.iter().for_each(|(dof, x)| f[*dof] += x);
    workspace.mass_solve(model, q, &f, &mut a);
    let inverse: f64 = f.iter().zip(&a).map(|(f, a)| f * a).sum();
    if !(inverse > 0.0 && inverse.is_finite()) {
        return [f64::INFINITY; 2];
    }
    [2.0 / (element.stiffness * inverse).sqrt(), 2.0 / (element.damping * inverse)]
}

fn elements(patient: &Patient) -> Vec<Element> {
    let model = patient.model;
    let mut list = Vec::new();
    for (k, joint) in model.joints().iter().enumerate() {
        if joint.stiffness > 0.0 || joint.damping > 0.0 {
            list.extend(joint.dofs().map(|dof| Element {
                what: model.dof_name(dof),
                row: vec![(dof, 1.0)],
                stiffness: joint.stiffness,
                damping: joint.damping,
                place: patient.place_of_joint(k),
                implicit: true,
            }));
        }
    }
    for (k, tendon) in model.tendons().iter().enumerate() {
        if tendon.stiffness > 0.0 || tendon.damping > 0.0 {
            let row =
                |(joint, c): &(crate::model::JointId, f64)| (model.joints()[joint.index()].dofs().start, *c);
            list.push(Element {
                what: format!("tendon \"{}\"", tendon.name),
                row: tendon.terms.iter().map(row).collect(),
                stiffness: tendon.stiffness,
                damping: tendon.damping,
                place: patient.description.and_then(|d| d.tendons.get(k)).map(|t| t.place),
                implicit: false,
            });
        }
    }
    list.extend(model.actuators().iter().enumerate().filter_map(|(k, a)| servo(patient, k, a)));
    list
}

/// An actuator with a restoring bias, on a joint of one coordinate or a tendon.
fn servo(patient: &Patient, number: usize, actuator: &Actuator) -> Option<Element> {
    let model = patient.model;
    let Bias::Affine { length, velocity, .. } = actuator.bias else { return None };
    let gear = actuator.gear[0];
    let (row, implicit) = match actuator.transmission {
        Transmission::Joint { joint, .. } => {
            let dofs = model.joints()[joint.index()].dofs();
            if dofs.len() != 1 {
                return None;
            }
            (vec![(dofs.start, gear)], true)
        }
        Transmission::Tendon(tendon) => {
            let terms = &model.tendons()[tendon.index()].terms;
            let row = terms.iter().map(|(j, c)| (model.joints()[j.index()].dofs().start, gear * c));
            (row.collect(), false)
        }
        _ => return None,
    };
    let (stiffness, damping) = ((-length).max(0.0), (-velocity).max(0.0));
    let place = patient.description.filter(|d| d.actuators.len() == model.actuators().len());
    let place = place.and_then(|d| d.actuators.get(number)).map(|a| a.place);
    let what = format!("actuator \"{}\"", actuator.name);
    (stiffness > 0.0 || damping > 0.0).then_some(Element { what, row, stiffness, damping, place, implicit })
}
