//! Which of our integrators a model file means.

use crate::formats::Description;
use crate::integrate::Method;
use crate::model::Model;

/// The integrator that is nearest to the one the file names. MuJoCo's Euler is implicit in joint dampers.
///
/// ```
/// let arm = r#"<mujoco><option integrator="RK4"/></mujoco>"#;
/// let loaded = poinsot::formats::load_text("arm.xml", arm, &Default::default())?;
/// assert_eq!(poinsot::nearest_integrator(&loaded.description, &loaded.model).word(), "rkmk4");
/// # Ok::<(), poinsot::formats::LoadError>(())
/// ```
pub fn nearest_integrator(description: &Description, model: &Model) -> Method {
    let damped = model.joints().iter().any(|j| j.damping > 0.0);
    match description.options.integrator.as_str() {
        "RK4" => Method::Rkmk4,
        "implicit" | "implicitfast" => Method::Implicit,
        _ if damped => Method::Implicit,
        _ => Method::SemiImplicit,
    }
}
