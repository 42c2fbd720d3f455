//! Shapes that are inside one another at the start. Exact for spheres, capsules and boxes among themselves and anything
//! on a plane; of the others only the boxes around them are known, which proves nothing.

use super::{Finding, Patient, With, finding, shapes, short};
use crate::dynamics::{State, Workspace};
use crate::formats::{Description, Form, Geom, Role, Severity};
use crate::spatial::Pose;

/// Shapes that touch are not inside one another, m.
const TOUCHING: f64 = 1e-4;
/// No more than so many pairs are listed.
const MOST: usize = 8;
/// More shapes are not compared: pairs cost n².
const MOST_SHAPES: usize = 3000;

struct Item<'a> {
    geom: &'a Geom,
    number: usize,
    body: usize,
    /// The nearest body above that moves, or 0.
    group: usize,
    pose: Pose,
}

pub fn check(patient: &Patient) -> Vec<Finding> {
    let Some(description) = patient.description else { return Vec::new() };
    let no_contact = description.options.disabled.iter().any(|flag| flag == "contact");
    if no_contact || description.bodies.len() != patient.model.bodies().len() {
        return Vec::new();
    }
    let (items, meshes) = items(patient, description);
    if items.len() > MOST_SHAPES {
        let message = format!("{} shapes are too many to compare: overlaps were not looked for", items.len());
        return vec![finding(Severity::Note, "doctor::overlap-not-looked-at", message)];
    }
    let (mut sure, mut maybe) = (Vec::new(), Vec::new());
    for (k, a) in items.iter().enumerate() {
        for b in &items[k + 1..] {
            if !may_touch(patient, description, a, b) {
                continue;
            }
            match shapes::depth((&a.geom.form, a.pose), (&b.geom.form, b.pose)) {
                Some(depth) if depth > TOUCHING => sure.push((depth, a, b)),
                Some(_) => {}
                None if around(a, b) > TOUCHING => maybe.push((a, b)),
                None => {}
            }
        }
    }
    sure.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut found: Vec<Finding> =
        sure.iter().take(MOST).map(|(depth, a, b)| overlapping(patient, *depth, a, b)).collect();
    if sure.len() > MOST {
        let message = format!("{} more pairs of shapes overlap at the start", sure.len() - MOST);
        found.push(
            finding(Severity::Warning, "doctor::overlap", message).with(None, "the deepest are listed above"),
        );
    }
    found.extend(perhaps(patient, &maybe));
    if meshes > 0 {
        let message = format!("{meshes} mesh or landscape shapes were not looked at for overlaps");
        found.push(finding(Severity::Note, "doctor::overlap-not-looked-at", message));
    }
    found
}

/// Every shape that touches, and how many meshes there are.
fn items<'a>(patient: &Patient, description: &'a Description) -> (Vec<Item<'a>>, usize) {
    let model = patient.model;
    let mut workspace = Workspace::new(model);
    let neutral = State::new(model);
    let at = workspace.at(model, &neutral);
    let poses: Vec<Pose> = model.body_ids().map(|id| at.pose(id)).collect();
    let mut groups = vec![0; poses.len()];
    for (k, body) in model.bodies().iter().enumerate().skip(1) {
        groups[k] = if body.joints.is_empty() { groups[body.parent.index()] } else { k };
    }
    let touches = |g: &Geom| g.role != Role::Visual && (g.contact.contype != 0 || g.contact.conaffinity != 0);
    let all = description.geoms().enumerate().filter(|(_, (_, g))| touches(g));
    let (known, unknown): (Vec<_>, Vec<_>) =
        all.partition(|(_, (_, g))| !matches!(g.form, Form::Mesh { .. } | Form::HeightField { .. }));
    let item = |(number, (body, geom)): (usize, (usize, &'a Geom))| Item {
        geom,
        number,
        body,
        group: groups[body],
        pose: poses[body] * geom.pose,
    };
    (known.into_iter().map(item).collect(), unknown.len())
}

/// Whether the two would touch in a simulation: bodies that move against one another, not neighbours, not excluded.
fn may_touch(patient: &Patient, description: &Description, a: &Item, b: &Item) -> bool {
    if a.group == b.group {
        return false;
    }
    let (p, q) = (&a.geom.contact, &b.geom.contact);
    if p.contype & q.conaffinity == 0 && q.contype & p.conaffinity == 0 {
        return false;
    }
    let excluded = |e: &crate::formats::Exclude| {
        (e.body1, e.body2) == (a.body, b.body) || (e.body2, e.body1) == (a.body, b.body)
    };
    if description.excludes.iter().any(excluded) {
        return false;
    }
    // what hangs on the floor itself is still compared with the floor
    let hangs_on = |child: &Item, parent: &Item| {
        let above = patient.model.bodies()[child.group].parent.index();
        let above_group = group_of(patient, above);
        parent.body != 0 && above_group == parent.group
    };
    !hangs_on(a, b) && !hangs_on(b, a)
}

fn group_of(patient: &Patient, mut body: usize) -> usize {
    while body != 0 && patient.model.bodies()[body].joints.is_empty() {
        body = patient.model.bodies()[body].parent.index();
    }
    body
}

/// The overlap of the boxes around two shapes.
fn around(a: &Item, b: &Item) -> f64 {
    match (shapes::half_box(&a.geom.form), shapes::half_box(&b.geom.form)) {
        (Some(p), Some(q)) => shapes::boxes(p, a.pose, q, b.pose),
        _ => f64::NEG_INFINITY,
    }
}

fn spelled(patient: &Patient, item: &Item) -> String {
    let body = &patient.model.bodies()[item.body].name;
    match item.geom.name.as_str() {
        "" => format!("a shape of body \"{body}\" (geom {})", item.number),
        name => format!("\"{name}\" of body \"{body}\""),
    }
}

fn overlapping(patient: &Patient, depth: f64, a: &Item, b: &Item) -> Finding {
    let message = format!(
        "{} and {} overlap at the start, {} m deep",
        spelled(patient, a),
        spelled(patient, b),
        short(depth)
    );
    let help = "begin elsewhere, move or shrink a shape, or exclude the pair from contact; contact would push them apart \
                at once";
    finding(Severity::Warning, "doctor::overlap", message).with(Some(b.geom.place), help)
}

/// One note for all pairs of which only the boxes are known to overlap.
fn perhaps(patient: &Patient, pairs: &[(&Item, &Item)]) -> Option<Finding> {
    let (a, b) = pairs.first()?;
    let first = format!("{} and {}", spelled(patient, a), spelled(patient, b));
    let message = match pairs.len() {
        1 => format!("the bounding boxes of {first} overlap at the start; the shapes may"),
        n => format!(
            "the bounding boxes of {n} pairs of shapes overlap at the start ({first}, …); the shapes may"
        ),
    };
    Some(
        finding(Severity::Note, "doctor::boxes-overlap", message)
            .with(Some(b.geom.place), "look at the start pose"),
    )
}
