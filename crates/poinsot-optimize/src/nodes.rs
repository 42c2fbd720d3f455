//! Files of nodes that rotate, translate, scale, stretch and shear.

use crate::error::OptimizeError;
use poinsot::algebra::V3;
use poinsot::hierarchy::{
    Affine, AffineBuilder, AffineError, AffineModel, AffineState, Condition, NodeMotion,
};
use poinsot::model::{BodyId, Shape};
use poinsot::spatial::Pose;
use serde::Deserialize;
use std::collections::BTreeMap;

fn wrong(text: impl Into<String>) -> OptimizeError {
    OptimizeError::File(text.into())
}

fn told(error: AffineError) -> OptimizeError {
    wrong(error.to_string())
}

/// Initial coordinates and velocities.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeStart {
    /// q
    pub q: Vec<f64>,
    /// v
    pub v: Vec<f64>,
}

/// A hierarchy of stretching nodes, as described in a file.
///
/// ```
/// let nodes: poinsot_optimize::Nodes = toml::from_str(r#"
///     [[node]]
///     name = "jelly"
///     motions = ["slide z", "squash z"]
///     solids = [{ shape = "sphere", size = [0.2], mass = 1, at = [0, 0, 0.2] }]
/// "#)?;
/// let (model, start, names) = nodes.model()?;
/// assert_eq!((model.nv(), start.q, &*names[1]), (2, vec![0.0, 1.0], "jelly squash z"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nodes {
    gravity: Option<[f64; 3]>,
    node: Vec<Node>,
    #[serde(default)]
    constraint: Vec<Constraint>,
}

#[derive(Clone, Debug, Deserialize)]
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
    start: Option<NodeStart>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Solid {
    shape: String,
    size: Vec<f64>,
    mass: f64,
    #[serde(default)]
    at: [f64; 3],
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spring {
    dof: usize,
    stiffness: f64,
    #[serde(default)]
    damping: f64,
    #[serde(default)]
    rest: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Constraint {
    Point { a: String, x: [f64; 3], b: String, y: [f64; 3] },
    Distance { a: String, x: [f64; 3], b: String, y: [f64; 3], length: f64 },
    Plane { node: String, x: [f64; 3], normal: [f64; 3], offset: f64 },
    Volume { node: String, factor: f64 },
}

impl Nodes {
    /// The model, its initial state, and the names of its coordinates.
    ///
    /// # Errors
    /// If the nodes are invalid; says what is wrong.
    pub fn model(&self) -> Result<(AffineModel, AffineState, Vec<String>), OptimizeError> {
        let mut builder = AffineBuilder::new();
        if let Some(g) = self.gravity {
            builder.gravity(V3::from(g));
        }
        let (mut ids, mut names): (BTreeMap<&str, BodyId>, Vec<String>) = (BTreeMap::new(), Vec::new());
        ids.insert("world", BodyId::WORLD);
        for node in &self.node {
            let motions = node.motions.iter().map(|m| m.parse::<NodeMotion>());
            let motions: Vec<NodeMotion> = motions.collect::<Result<_, String>>().map_err(wrong)?;
            let parent = find(&ids, node.parent.as_deref().unwrap_or("world"))?;
            let id =
                builder.node(parent, &node.name, Affine::from(V3::from(node.at)), &motions).map_err(told)?;
            if ids.insert(&node.name, id).is_some() {
                return Err(wrong(format!("two nodes have the name {:?}", node.name)));
            }
            for solid in &node.solids {
                let pose = Pose { pos: V3::from(solid.at), ..Pose::IDENTITY };
                builder.solid(id, &solid.shape()?, solid.mass, pose).map_err(told)?;
            }
            for spring in &node.springs {
                let dof = builder.dof(id, spring.dof).map_err(told)?;
                builder.spring(dof, spring.stiffness, spring.damping, spring.rest).map_err(told)?;
            }
            for (motion, words) in motions.iter().zip(&node.motions) {
                let many = motion.nq() > 1;
                let number = |k: usize| if many { format!(" {k}") } else { String::new() };
                names.extend((0..motion.nq()).map(|k| format!("{} {words}{}", node.name, number(k))));
            }
        }
        for constraint in &self.constraint {
            builder.constraint(constraint.condition(&ids)?).map_err(told)?;
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
                return Err(wrong(format!(
                    "the start of {:?} needs {nq} numbers q and {nv} numbers v",
                    node.name
                )));
            }
        }
        Ok((model, AffineState { time: 0.0, q, v }, names))
    }
}

fn find(ids: &BTreeMap<&str, BodyId>, name: &str) -> Result<BodyId, OptimizeError> {
    ids.get(name).copied().ok_or_else(|| {
        wrong(format!(
            "there is no node {name:?} before it is used; a node stands in the file after its parent, the floor is \"world\""
        ))
    })
}

impl Solid {
    fn shape(&self) -> Result<Shape, OptimizeError> {
        match (&*self.shape, &self.size[..]) {
            ("sphere", [radius]) => Ok(Shape::Sphere { radius: *radius }),
            ("box", [x, y, z]) => Ok(Shape::Box { size: V3::new(*x, *y, *z) }),
            ("sphere" | "box", _) => {
                let (shape, sizes) = (&self.shape, self.size.len());
                Err(wrong(format!(
                    "a {shape} does not have {sizes} sizes; give size = [radius] of a sphere, [x, y, z] of a box, full edges"
                )))
            }
            (other, _) => Err(wrong(format!("there is no shape {other:?} here; give sphere or box"))),
        }
    }
}

impl Constraint {
    fn condition(&self, ids: &BTreeMap<&str, BodyId>) -> Result<Condition, OptimizeError> {
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
