//! The scenery of a run: shapes, instruments, camera and text.

use crate::plan::Plan;
use crate::report::tell;
use crate::subject::{Origin, Subject};
use poinsot::dynamics::State;
use poinsot::integrate::Method;
use poinsot_view::cast::{Actor, Show};
use poinsot_view::gallery;
use poinsot_view::look::Look;
use poinsot_view::projector::Projector;

/// A projector for a run of `subject` from `state`: as in the gallery, if the gallery shows it alone.
pub fn projector(subject: &Subject, plan: &Plan, state: &State) -> Projector {
    let mut show = exhibited(subject).unwrap_or_else(|| plain(subject, state));
    for actor in &mut show.actors {
        (actor.label, actor.integrator) = (plan.integrator.to_string(), plan.integrator);
        actor.dt = plan.dt;
    }
    show.begin().0
}

fn exhibited(subject: &Subject) -> Option<Show> {
    let Origin::Scene { .. } = subject.origin else { return None };
    let show = gallery::by_name(&subject.name).ok()?;
    (show.actors.len() == 1).then_some(show)
}

fn plain(subject: &Subject, state: &State) -> Show {
    let model = subject.model.clone();
    let look = match subject.description() {
        Some(description) => Look::described(&model, description),
        None => Look::of_model(&model),
    };
    look.missing.iter().for_each(|what| tell(&format!("  warning: {what}\n")));
    let name = model.name().to_string();
    Show::of(&name, vec![Actor::new(model, look, state.clone(), Method::default(), 0.0)])
}
