//! The integrator that a model file asks for.

use crate::constraint::Multipliers;
use crate::formats::{Description, Report};
use crate::integrate::Method;
use crate::model::Model;
use poinsot_collide::some_may_touch;

/// The integrator for a model from a file: [`leapfrog`](crate::integrate::Leapfrog), which adds no energy to robots at the time steps that
/// files request; or `rkmk4` if the file names Runge–Kutta, nothing has limits or dry friction, and nothing may touch.
///
/// ```
/// let arm = r#"<mujoco><option integrator="RK4"/></mujoco>"#;
/// let loaded = poinsot::formats::load_text("arm.xml", arm, &Default::default())?;
/// assert_eq!(poinsot::nearest_integrator(&loaded.description, &loaded.model).word(), "rkmk4");
/// # Ok::<(), poinsot::formats::LoadError>(())
/// ```
pub fn nearest_integrator(description: &Description, model: &Model) -> Method {
    let smooth = || !Multipliers::new(model).any_inequality() && !some_may_touch(model);
    match description.options.integrator.as_str() {
        "RK4" if smooth() => Method::Rkmk4,
        _ => Method::Leapfrog,
    }
}

/// As [`nearest_integrator`], with a note in the report if the file names another one.
///
/// ```
/// let arm = r#"<mujoco><option integrator="implicitfast"/></mujoco>"#;
/// let mut loaded = poinsot::formats::load_text("arm.xml", arm, &Default::default())?;
/// poinsot::note_integrator(&loaded.description, &loaded.model, &mut loaded.report);
/// assert!(loaded.report.to_string().contains("the file asks for implicitfast, and is run by `leapfrog`"));
/// # Ok::<(), poinsot::formats::LoadError>(())
/// ```
pub fn note_integrator(description: &Description, model: &Model, report: &mut Report) -> Method {
    let (asked, method) = (description.options.integrator.as_str(), nearest_integrator(description, model));
    if !asked.is_empty() && method != Method::Rkmk4 {
        let why = if asked == "RK4" { ": it has limits, dry friction, or geoms that may touch" } else { "" };
        let note = format!("the file asks for {asked}, and is run by `{method}`{why}");
        report.note("run::integrator", note).help("give the simulation another integrator if you want one");
    }
    method
}
