//! The tree of links and joints: one root, no cycles, one parent joint for each link.

use super::joint::{Named, UrdfJoint};
use super::link::Link;
use crate::diagnostic::{self, Report};
use std::collections::HashMap;

/// A link in the order of the tree.
pub(super) struct Place {
    pub link: usize,
    /// Its parent joint and parent link; `None` for the root.
    pub above: Option<(usize, usize)>,
}

/// The links depth first, children in the order of the joints in the file; `None`, with errors, if they do not form a tree.
pub(super) fn order(
    report: &mut Report,
    robot: diagnostic::Place,
    links: &[Link],
    joints: &[UrdfJoint],
) -> Option<Vec<Place>> {
    let number: HashMap<&str, usize> = links.iter().enumerate().map(|(k, l)| (l.name.as_str(), k)).collect();
    let mut above: Vec<Option<(usize, usize)>> = vec![None; links.len()];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (k, joint) in joints.iter().enumerate() {
        let parent = find(report, &number, &joint.parent, "parent");
        let child = find(report, &number, &joint.child, "child");
        let (Some(parent), Some(child)) = (parent, child) else { continue };
        if let Some((first, _)) = above[child] {
            let message = format!(
                "link \"{}\" is the child of two joints, \"{}\" and \"{}\"",
                links[child].name, joints[first].name, joint.name
            );
            let help = "a URDF is a tree: close loops by other means";
            report.error("urdf::two-parents", message).at(joint.child.place).help(help);
            continue;
        }
        above[child] = Some((k, parent));
        below[parent].push(child);
    }
    if report.has_errors() {
        return None;
    }
    let root = the_root(report, robot, links, joints, &above)?;
    let mut order = Vec::with_capacity(links.len());
    let mut open = vec![root];
    while let Some(link) = open.pop() {
        order.push(Place { link, above: above[link] });
        open.extend(below[link].iter().rev());
    }
    if order.len() < links.len() {
        // not reached from the root, although all have a parent
        let mut reached = vec![false; links.len()];
        order.iter().for_each(|p| reached[p.link] = true);
        let lost = reached.iter().position(|r| !r).unwrap_or(root);
        report_cycle(report, links, joints, &above, lost);
        return None;
    }
    Some(order)
}

fn find(report: &mut Report, number: &HashMap<&str, usize>, link: &Named, role: &str) -> Option<usize> {
    let found = number.get(link.name.as_str()).copied();
    if found.is_none() {
        let message = format!("there is no link \"{}\" to be the {role}", link.name);
        let meant = report.meant(&link.name, number.keys().copied());
        let d = report.error("urdf::unknown-link", message).at(link.place);
        if let Some(meant) = meant {
            d.help(format!("did you mean \"{meant}\"?"));
        }
    }
    found
}

/// The link without a parent joint.
fn the_root(
    report: &mut Report,
    robot: diagnostic::Place,
    links: &[Link],
    joints: &[UrdfJoint],
    above: &[Option<(usize, usize)>],
) -> Option<usize> {
    let roots: Vec<usize> = (0..links.len()).filter(|k| above[*k].is_none()).collect();
    match roots[..] {
        [root] => Some(root),
        [] => {
            if links.is_empty() {
                report.error("urdf::no-link", "the robot has no link").at(robot);
            } else {
                report_cycle(report, links, joints, above, 0);
            }
            None
        }
        [_, second, ..] => {
            let names: Vec<String> =
                roots.iter().take(10).map(|k| format!("\"{}\"", links[*k].name)).collect();
            let more = if roots.len() > 10 { ", …" } else { "" };
            let count = roots.len();
            let message = format!(
                "{count} links have no joint above them, but one root is allowed: {}{more}",
                names.join(", ")
            );
            let help = "join them with (fixed) joints, or remove those that are not used";
            report.error("urdf::several-roots", message).at(links[second].place).help(help);
            None
        }
    }
}

/// Names the cycle that a link without a root leads to.
fn report_cycle(
    report: &mut Report,
    links: &[Link],
    joints: &[UrdfJoint],
    above: &[Option<(usize, usize)>],
    from: usize,
) {
    // after as many steps as there are links, the walk is in the cycle
    let parent = |link: usize| above[link].map_or(link, |(_, parent)| parent);
    let start = (0..links.len()).fold(from, |link, _| parent(link));
    let mut cycle = vec![start];
    let mut at = parent(start);
    while at != start && cycle.len() <= links.len() {
        cycle.push(at);
        at = parent(at);
    }
    cycle.push(start);
    cycle.reverse();
    let names: Vec<String> = cycle.iter().take(20).map(|k| format!("\"{}\"", links[*k].name)).collect();
    let message = format!("the joints make a cycle of links: {}", names.join(" → "));
    let place = above[start].map_or(links[start].place, |(joint, _)| joints[joint].place);
    report.error("urdf::cycle", message).at(place).help("a URDF is a tree: cut the cycle at one joint");
}
