//! What a file contains that is not simulated: one note for each kind, at its first occurrence, and one line for all, which is a
//! warning.

use crate::description::{Description, Format, JointType, Material, TendonPath};
use crate::diagnostic::{Place, Report};
use crate::mjcf::YIELDING;
use poinsot_core::model::SolverParameters;

/// Adds the notes for a model of either format, and the line.
pub(crate) fn tell(d: &Description, report: &mut Report) {
    report_limits_of_motors(d, report);
    report_unseen(d, report);
    report_rigid(d, report);
    report_rigid_limits(d, report);
    if report.unsimulated().is_empty() {
        return;
    }
    let all = report.unsimulated().join(", ");
    report.warning(Report::NOT_SIMULATED, format!("not simulated: {all}"));
}

/// The limits that URDF gives for motors while there are none.
fn report_limits_of_motors(d: &Description, report: &mut Report) {
    let limited = || d.joints().filter_map(|(_, j)| j.effort_and_velocity.map(|limits| (j, limits)));
    let efforts = limited().filter(|(_, (effort, _))| effort.is_finite() && d.actuators.is_empty());
    let velocities = limited().filter(|(_, (_, velocity))| velocity.is_finite());
    let efforts: Vec<_> = efforts.map(|(j, _)| j.place).collect();
    let velocities: Vec<_> = velocities.map(|(j, _)| j.place).collect();
    for (word, why, places) in [
        ("effort limits", "there are no motors", efforts),
        ("velocity limits", "joints move at any speed", velocities),
    ] {
        if let Some(first) = places.first() {
            let many = count(places.len(), "joint");
            let message = format!("{word} are read, but not used: {why} ({many})");
            report.not_simulated(d.format, format!("{word} ({many})"), message).at(*first);
        }
    }
}

/// What the viewer does not draw of an MJCF file: one note, since it changes no motion.
fn report_unseen(d: &Description, report: &mut Report) {
    if d.format != Format::Mjcf {
        return;
    }
    let lights = d.bodies.iter().flat_map(|b| &b.lights).count();
    let skies = d.textures.iter().filter(|t| t.kind == "skybox").count();
    let of = |differs: fn(&Material) -> bool| d.materials.iter().filter(|m| differs(m)).count();
    let all = [
        ("lights", lights),
        ("skyboxes", skies),
        ("reflectance", of(|m| m.reflectance != 0.0)),
        ("emission", of(|m| m.emission != 0.0)),
        ("specular and shininess", of(|m| m.specular != 0.5 || m.shininess != 0.5)),
    ];
    let said = all.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{word} ({n})"));
    let said: Vec<String> = said.collect();
    if !said.is_empty() {
        report.note("mjcf::not-drawn", format!("read, but not drawn: {}", said.join(", ")));
    }
}

/// Contacts of MJCF files are rigid, whatever softness they specify.
fn report_rigid(d: &Description, report: &mut Report) {
    let usual = SolverParameters::default();
    let geoms = d.geoms().filter(|(_, g)| g.geom.touches() && g.geom.material.solver != usual);
    let pairs = d.pairs.iter().filter(|p| p.solver.is_some_and(|s| s != usual)).map(|p| p.place);
    let places: Vec<Place> = geoms.map(|(_, g)| g.place).chain(pairs).collect();
    if let (Some(first), false) = (places.first(), d.options.no_contact()) {
        let many = places.len();
        let message =
            format!("contacts are rigid: `solref` and `solimp` of geoms and pairs are not used ({many})");
        report.note("mjcf::rigid-contact", message).at(*first).help(YIELDING);
    }
}

/// Limits and dry friction are rigid, whatever softness an MJCF file specifies, unless soft limits are requested.
fn report_rigid_limits(d: &Description, report: &mut Report) {
    let usual = SolverParameters::default();
    let soft = |solver: &SolverParameters, margin: f64| *solver != usual || margin != 0.0;
    let limited = |kind| matches!(kind, JointType::Hinge | JointType::Slide | JointType::Ball);
    let joints = d.joints().map(|(_, j)| j).filter(|j| limited(j.kind) && j.range.is_some());
    let joints =
        joints.filter(|j| j.soft_limit.is_none() && soft(&j.solver_limit, j.margin)).map(|j| j.place);
    let tendons = d.tendons.iter().filter(|t| t.range.is_some() && t.soft_limit.is_none());
    let tendons =
        tendons.filter(|t| matches!(t.path, TendonPath::Fixed(_)) && soft(&t.solver_limit, t.margin));
    let ends: Vec<Place> = joints.chain(tendons.map(|t| t.place)).collect();
    let rubbing = d.joints().filter(|(_, j)| j.friction_loss != 0.0 && j.solver_friction != usual);
    let rubbing: Vec<Place> = rubbing.map(|(_, j)| j.place).collect();
    let (limits, friction) = ("soft limits", "soft dry friction");
    for (word, off, attributes, places) in [
        (limits, d.options.no_limits(), "`solreflimit`, `solimplimit` and `margin` of ranges", ends),
        (friction, d.options.no_dry_friction(), "`solreffriction` and `solimpfriction`", rubbing),
    ] {
        let (Some(first), false) = (places.first(), off) else { continue };
        let many = places.len();
        let message = format!("{attributes} are read, but not used: they are rigid ({many})");
        let note = report.not_simulated(d.format, format!("{word} ({many})"), message).at(*first);
        if word == limits {
            note.help("--soft-limits, in Python soft_limits=True, makes limits soft");
        }
    }
}

fn count(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
