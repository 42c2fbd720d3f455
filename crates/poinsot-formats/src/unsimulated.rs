//! What a file says that is not simulated: one note for each kind, at the first of its kind, and one line for all, which is a
//! warning, so that nobody waits for a robot to stand on a floor that nothing touches.

use crate::description::{Description, Format};
use crate::diagnostic::Report;
use poinsot_core::model::Role;

/// Says what a model of either format lacks, and the line.
pub(crate) fn tell(d: &Description, report: &mut Report) {
    tell_contact(d, report);
    tell_limits_of_motors(d, report);
    if report.unsimulated().is_empty() {
        return;
    }
    let mut all = report.unsimulated().to_vec();
    // what changes most comes first
    all.sort_by_key(|what| !what.starts_with("contact"));
    report.warning(Report::NOT_SIMULATED, format!("not simulated: {}", all.join(", ")));
}

/// Contact. This function goes when it is simulated.
fn tell_contact(d: &Description, report: &mut Report) {
    let touching = || d.geoms().filter(|(_, g)| g.geom.role != Role::Visual);
    let Some((_, first)) = touching().next().filter(|_| !d.options.no_contact()) else { return };
    let many = count(touching().count(), if d.format == Format::Mjcf { "geom" } else { "collision shape" });
    let message = format!("contact is not yet simulated: what touches passes through ({many})");
    report.not_simulated(d.format, format!("contact ({many})"), message).at(first.place);
}

/// What URDF says of motors while there are none.
fn tell_limits_of_motors(d: &Description, report: &mut Report) {
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

fn count(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
