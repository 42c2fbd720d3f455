//! Checks for shapes that overlap at the start. Exact for spheres, capsules and boxes among themselves and for anything on a plane; for
//! other shapes only the bounding boxes are compared, which is not conclusive.

use super::{Finding, Patient, With, finding, shapes, short};
use crate::dynamics::{State, Workspace};
use crate::formats::Severity;
use crate::model::{BodyId, Geom, GeomId, Model, Shape};
use crate::spatial::Pose;

/// Smaller overlaps count as touching, m.
const TOUCHING: f64 = 1e-4;
/// The most pairs that are listed.
const MOST: usize = 8;
/// Larger numbers of shapes are not compared: pairs cost n².
const MOST_SHAPES: usize = 3000;

struct Item<'a> {
    id: GeomId,
    geom: &'a Geom,
    /// The nearest ancestor that moves, or the world.
    group: BodyId,
    pose: Pose,
}

pub fn check(patient: &Patient) -> Vec<Finding> {
    let model = patient.model;
    if !model.has_contact() {
        return Vec::new();
    }
    let (items, meshes) = items(model);
    if items.len() > MOST_SHAPES {
        let message = format!("{} shapes are too many to compare: overlaps were not looked for", items.len());
        return vec![finding(Severity::Note, "doctor::overlap-not-looked-at", message)];
    }
    let (mut sure, mut maybe) = (Vec::new(), Vec::new());
    for (k, a) in items.iter().enumerate() {
        for b in &items[k + 1..] {
            if !may_touch(model, a, b) {
                continue;
            }
            match shapes::depth((&a.geom.shape, a.pose), (&b.geom.shape, b.pose)) {
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

/// Lists every shape with contact, and counts the meshes.
fn items(model: &Model) -> (Vec<Item<'_>>, usize) {
    let mut workspace = Workspace::new(model);
    let neutral = State::new(model);
    let at = workspace.at(model, &neutral);
    let poses: Vec<Pose> = model.body_ids().map(|id| at.pose(id)).collect();
    let all = model.geom_ids().zip(model.geoms()).filter(|(_, g)| g.touches());
    let meshed = |g: &Geom| matches!(g.shape, Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_));
    let (unknown, known): (Vec<_>, Vec<_>) = all.partition(|(_, g)| meshed(g));
    let items = known.into_iter().map(|(id, geom)| {
        let body = geom.body();
        Item { id, geom, group: group_of(model, body), pose: poses[body.index()] * geom.pose }
    });
    (items.collect(), unknown.len())
}

/// True if the two would touch in a simulation: their bodies move relative to one another, are not neighbours, and are not excluded.
fn may_touch(model: &Model, a: &Item, b: &Item) -> bool {
    let bodies = [a.geom.body(), b.geom.body()];
    let excluded = |pair: &[BodyId; 2]| *pair == bodies || *pair == [bodies[1], bodies[0]];
    if a.group == b.group
        || !a.geom.filter.meets(b.geom.filter)
        || model.contact_excludes().iter().any(excluded)
    {
        return false;
    }
    // a body attached to the floor itself is still compared with the floor
    let hangs_on = |child: &Item, parent: &Item| {
        let above = model.bodies()[child.group.index()].parent;
        parent.geom.body() != BodyId::WORLD && group_of(model, above) == parent.group
    };
    model.parents_touch() || !hangs_on(a, b) && !hangs_on(b, a)
}

fn group_of(model: &Model, mut body: BodyId) -> BodyId {
    while body != BodyId::WORLD && model.bodies()[body.index()].joints.is_empty() {
        body = model.bodies()[body.index()].parent;
    }
    body
}

/// The overlap of the bounding boxes of two shapes.
fn around(a: &Item, b: &Item) -> f64 {
    match (shapes::half_box(&a.geom.shape), shapes::half_box(&b.geom.shape)) {
        (Some(p), Some(q)) => shapes::boxes(p, a.pose, q, b.pose),
        _ => f64::NEG_INFINITY,
    }
}

fn spelled(patient: &Patient, item: &Item) -> String {
    let body = &patient.model.bodies()[item.geom.body().index()].name;
    match item.geom.name.as_str() {
        "" => format!("a shape of body \"{body}\" (geom {})", item.id.index()),
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
    let help = "start elsewhere, move or shrink a shape, or exclude the pair from contact; contact would push them apart \
                at once";
    finding(Severity::Warning, "doctor::overlap", message).with(patient.place_of_geom(b.id), help)
}

/// A single note for all pairs of which only the bounding boxes overlap.
fn perhaps(patient: &Patient, pairs: &[(&Item, &Item)]) -> Option<Finding> {
    let (a, b) = pairs.first()?;
    let first = format!("{} and {}", spelled(patient, a), spelled(patient, b));
    let message = match pairs.len() {
        1 => format!(
            "the bounding boxes of {first} overlap at the start; the shapes themselves may overlap too"
        ),
        n => format!(
            "the bounding boxes of {n} pairs of shapes overlap at the start ({first}, …); the shapes themselves may overlap too"
        ),
    };
    Some(
        finding(Severity::Note, "doctor::boxes-overlap", message)
            .with(patient.place_of_geom(b.id), "check the initial pose"),
    )
}
