//! The files of `poinsot lagrange`, and the systems that are built in.

use crate::failure::{Failure, Outcome, failure};
use poinsot::algebra::V3;
use poinsot::hierarchy::{Affine, AffineBuilder, AffineModel, AffineState, Condition, NodeMotion};
use poinsot::lagrange::Written;
use poinsot::model::{BodyId, Shape};
use poinsot::spatial::Pose;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

const BUILT_IN: [(&str, &str); 5] = [
    ("double-pendulum", include_str!("../../models/double-pendulum.toml")),
    ("hoop", include_str!("../../models/hoop.toml")),
    ("kepler", include_str!("../../models/kepler.toml")),
    ("spherical-pendulum", include_str!("../../models/spherical-pendulum.toml")),
    ("squash", include_str!("../../models/squash.toml")),
];

/// What a file has.
pub enum Content {
    Energies(Energies),
    Nodes(Nodes),
}

/// Coordinates and velocities at the beginning.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Energies {
    coordinates: Vec<String>,
    kinetic: Option<String>,
    potential: Option<String>,
    #[serde(default)]
    parameters: BTreeMap<String, f64>,
    #[serde(default)]
    atoms: Vec<Atom>,
    density: Option<String>,
    #[serde(default)]
    constraints: Vec<String>,
    pub start: Start,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Atom {
    mass: f64,
    at: [String; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nodes {
    gravity: Option<[f64; 3]>,
    node: Vec<Node>,
    #[serde(default)]
    constraint: Vec<Constraint>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    name: String,
    parent: Option<String>,
    #[serde(default)]
    at: [f64; 3],
    #[serde(default)]
    motions: Vec<String>,
    #[serde(default)]
    solids: Vec<Solid>,
    #[serde(default)]
    springs: Vec<Spring>,
    start: Option<Start>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Solid {
    shape: String,
    size: Vec<f64>,
    mass: f64,
    #[serde(default)]
    at: [f64; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spring {
    dof: usize,
    stiffness: f64,
    #[serde(default)]
    damping: f64,
    #[serde(default)]
    rest: f64,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Constraint {
    Point { a: String, x: [f64; 3], b: String, y: [f64; 3] },
    Distance { a: String, x: [f64; 3], b: String, y: [f64; 3], length: f64 },
    Plane { node: String, x: [f64; 3], normal: [f64; 3], offset: f64 },
    Volume { node: String, factor: f64 },
}

/// The name and the text of a file or of a built-in system.
pub fn text(file: &Path) -> Outcome<(String, String)> {
    let name = file.display().to_string();
    if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
        return Ok((name, (*text).to_string()));
    }
    match std::fs::read_to_string(file) {
        Ok(text) => Ok((name, text)),
        Err(error) => {
            let names = BUILT_IN.map(|(name, _)| name).join(", ");
            Err(failure(format!("{name}: {error}")).help(format!("give a TOML file, or one of {names}")))
        }
    }
}

/// What stands in a text.
pub fn read(name: &str, text: &str) -> Outcome<Content> {
    let table: toml::Table = toml::from_str(text).map_err(|e| wrong(name, &e))?;
    if table.contains_key("node") {
        toml::from_str(text).map(Content::Nodes).map_err(|e| wrong(name, &e))
    } else {
        toml::from_str(text).map(Content::Energies).map_err(|e| wrong(name, &e))
    }
}

fn wrong(name: &str, error: &toml::de::Error) -> Failure {
    failure(format!("{name}: {error}"))
        .help("`poinsot lagrange double-pendulum --show` and `… squash --show` print files to begin with")
}

impl Energies {
    pub fn written(&self) -> Outcome<Written> {
        let parameters: Vec<(String, f64)> = self.parameters.iter().map(|(n, x)| (n.clone(), *x)).collect();
        let nothing = "0".to_string();
        let of = |formula: &Option<String>| formula.clone().unwrap_or_else(|| nothing.clone());
        let mut written = Written::new(&self.coordinates, &parameters)?
            .kinetic_energy(&of(&self.kinetic))?
            .potential_energy(&of(&self.potential))?
            .density(&of(&self.density))?;
        for atom in &self.atoms {
            let [x, y, z] = &atom.at;
            written = written.atom(atom.mass, [x, y, z])?;
        }
        Ok(self.constraints.iter().try_fold(written, |w, c| w.constraint(c))?)
    }
}

impl Nodes {
    /// The model, its state at the beginning, and names of its coordinates.
    pub fn model(&self) -> Outcome<(AffineModel, AffineState, Vec<String>)> {
        let mut builder = AffineBuilder::new();
        if let Some(g) = self.gravity {
            builder.gravity(V3::from(g));
        }
        let (mut ids, mut names): (BTreeMap<&str, BodyId>, Vec<String>) = (BTreeMap::new(), Vec::new());
        ids.insert("world", BodyId::WORLD);
        for node in &self.node {
            let motions = node.motions.iter().map(|m| m.parse::<NodeMotion>());
            let motions: Vec<NodeMotion> = motions.collect::<Result<_, String>>().map_err(failure)?;
            let parent = find(&ids, node.parent.as_deref().unwrap_or("world"))?;
            let id = builder.node(parent, &node.name, Affine::from(V3::from(node.at)), &motions)?;
            if ids.insert(&node.name, id).is_some() {
                return Err(failure(format!("two nodes have the name {:?}", node.name)));
            }
            for solid in &node.solids {
                let pose = Pose { pos: V3::from(solid.at), ..Pose::IDENTITY };
                builder.solid(id, &solid.shape()?, solid.mass, pose)?;
            }
            for spring in &node.springs {
                let dof = builder.dof(id, spring.dof)?;
                builder.spring(dof, spring.stiffness, spring.damping, spring.rest)?;
            }
            for (motion, words) in motions.iter().zip(&node.motions) {
                let many = motion.nq() > 1;
                let number = |k: usize| if many { format!(" {k}") } else { String::new() };
                names.extend((0..motion.nq()).map(|k| format!("{} {words}{}", node.name, number(k))));
            }
        }
        for constraint in &self.constraint {
            builder.constraint(constraint.condition(&ids)?)?;
        }
        let model = builder.build();
        let (mut q, mut v) = (Vec::new(), Vec::new());
        let (rest, mut at) = (model.rest(), 0);
        for node in &self.node {
            let motions = node.motions.iter().filter_map(|m| m.parse::<NodeMotion>().ok());
            let (nq, nv) = motions.fold((0, 0), |(q, v), m| (q + m.nq(), v + m.nv()));
            let start = node.start.as_ref();
            q.extend(start.map_or(rest[at..at + nq].to_vec(), |s| s.q.clone()));
            v.extend(start.map_or(vec![0.0; nv], |s| s.v.clone()));
            at += nq;
            if q.len() != at || start.is_some_and(|s| s.v.len() != nv) {
                return Err(failure(format!(
                    "the start of {:?} needs {nq} numbers q and {nv} numbers v",
                    node.name
                )));
            }
        }
        Ok((model, AffineState { time: 0.0, q, v }, names))
    }
}

fn find(ids: &BTreeMap<&str, BodyId>, name: &str) -> Outcome<BodyId> {
    ids.get(name).copied().ok_or_else(|| {
        failure(format!("there is no node {name:?} before it is used"))
            .help("a node stands in the file after its parent; the floor is \"world\"")
    })
}

impl Solid {
    fn shape(&self) -> Outcome<Shape> {
        match (&*self.shape, &self.size[..]) {
            ("sphere", [radius]) => Ok(Shape::Sphere { radius: *radius }),
            ("box", [x, y, z]) => Ok(Shape::Box { size: V3::new(*x, *y, *z) }),
            ("sphere" | "box", _) => {
                Err(failure(format!("a {} does not have {} sizes", self.shape, self.size.len()))
                    .help("size = [radius] of a sphere, [x, y, z] of a box, full edges"))
            }
            (other, _) => {
                Err(failure(format!("there is no shape {other:?} here")).help("give sphere or box"))
            }
        }
    }
}

impl Constraint {
    fn condition(&self, ids: &BTreeMap<&str, BodyId>) -> Outcome<Condition> {
        Ok(match self {
            Constraint::Point { a, x, b, y } => {
                Condition::Point { a: find(ids, a)?, x: V3::from(*x), b: find(ids, b)?, y: V3::from(*y) }
            }
            Constraint::Distance { a, x, b, y, length } => Condition::Distance {
                a: find(ids, a)?,
                x: V3::from(*x),
                b: find(ids, b)?,
                y: V3::from(*y),
                length: *length,
            },
            Constraint::Plane { node, x, normal, offset } => Condition::Plane {
                node: find(ids, node)?,
                x: V3::from(*x),
                normal: V3::from(*normal),
                offset: *offset,
            },
            Constraint::Volume { node, factor } => {
                Condition::Volume { node: find(ids, node)?, factor: *factor }
            }
        })
    }
}
