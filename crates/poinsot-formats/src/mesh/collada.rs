//! Collada: the geometries of the visual scene, each placed by the nodes above it, in metres and with z up.

use super::effects::material;
use super::painted::PaintedMesh;
use super::primitives::{Geometry, triangles_of};
use crate::survey::survey;
use crate::xml::{MOST_NODES as MOST_XML_NODES, without_declaration};
use poinsot_core::algebra::{M3, V3};
use poinsot_core::spatial::{Pose, exp_so3};
use roxmltree::{Document, Node, NodeId, ParsingOptions};
use std::collections::HashMap;

/// The parser calls itself for each level of nesting.
const DEEPEST: usize = 1000;
/// A small file can place a geometry many times over, through nodes of nodes.
pub(super) const MOST_TRIANGLES: usize = 10_000_000;
const MOST_PARTS: usize = 10_000_000;

const CYCLE: &str = "its nodes contain one another";

/// `X_AB` that may also stretch: products and points are computed as for a pose.
type Affine = Pose;

/// The triangles; with their appearance if `paint`.
pub(super) fn read(bytes: &[u8], paint: bool) -> Result<PaintedMesh, String> {
    let text = without_declaration(&String::from_utf8_lossy(bytes));
    let found = survey(&text, DEEPEST).map_err(|refusal| refusal.message)?;
    if let Some(refusal) = found.cost.refusal() {
        return Err(refusal.message);
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST_XML_NODES };
    let document = Document::parse_with_options(&text, options).map_err(|error| error.to_string())?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(format!("its root element is <{}>, not <COLLADA>", root.tag_name().name()));
    }
    let mut file = File { ids: ids_of(root), geometries: HashMap::new(), materials: HashMap::new(), paint };
    let world = frame_of(root)?;
    match file.scene(root) {
        Some(scene) => file.place_all(scene, world),
        None => file.place_library(root, world),
    }
}

/// The element by the end of a reference such as `#shape`.
fn ids_of<'a>(root: Node<'a, 'a>) -> HashMap<&'a str, Node<'a, 'a>> {
    root.descendants().filter_map(|n| Some((n.attribute("id")?, n))).collect()
}

/// The children of this name.
pub(super) fn children<'a>(node: Node<'a, 'a>, tag: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |c| c.tag_name().name() == tag)
}

/// The first child of this name.
pub(super) fn child<'a>(node: Node<'a, 'a>, tag: &'a str) -> Option<Node<'a, 'a>> {
    children(node, tag).next()
}

/// All numbers of an element's text.
pub(super) fn numbers<T: std::str::FromStr>(node: Node) -> Result<Vec<T>, String> {
    let text = node.text().unwrap_or_default();
    let complain = |word: &str| {
        let at = node.document().text_pos_at(node.range().start);
        let tag = node.tag_name().name();
        format!("\"{word}\" in <{tag}> at {at} is not a number of the right kind")
    };
    let number = |word: &str| word.parse().map_err(|_| complain(word));
    text.split_ascii_whitespace().map(number).collect()
}

/// From the file's units to metres. The axes are those of the file: `<up_axis>` is ignored, as in RViz and the other tools of
/// ROS for which such files are made.
fn frame_of(root: Node) -> Result<Affine, String> {
    let asset = child(root, "asset");
    let unit = asset.and_then(|a| child(a, "unit")).and_then(|u| u.attribute("meter"));
    let metre: f64 = match unit {
        Some(text) => text.trim().parse().map_err(|_| format!("the unit \"{text}\" is not a number"))?,
        None => 1.0,
    };
    Ok(Pose { rot: M3::IDENTITY.scale(metre), pos: V3::ZERO })
}

struct File<'a> {
    ids: HashMap<&'a str, Node<'a, 'a>>,
    /// The geometries read so far.
    geometries: HashMap<NodeId, Geometry<'a>>,
    /// The indices of the materials read so far, by their ids.
    materials: HashMap<&'a str, usize>,
    paint: bool,
}

impl<'a> File<'a> {
    /// The target of a reference; for a controller, the geometry it deforms.
    fn target(&self, node: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
        let named = *self.ids.get(node.attribute("url")?.trim_start_matches('#'))?;
        match child(named, "skin").and_then(|skin| skin.attribute("source")) {
            Some(source) => self.ids.get(source.trim_start_matches('#')).copied(),
            None => Some(named),
        }
    }

    fn scene(&self, root: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
        self.target(child(child(root, "scene")?, "instance_visual_scene")?)
    }

    /// The children of a node, and the nodes it refers to.
    fn below(&self, node: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
        node.children().filter_map(|part| match part.tag_name().name() {
            "node" => Some(part),
            "instance_node" => self.target(part),
            _ => None,
        })
    }

    /// Refuses nodes that contain one another, and trees that are too large once every reference is expanded: each part of a node costs
    /// time at every reference. Each node is visited once.
    fn check_nodes(&self, scene: Node<'a, 'a>) -> Result<(), String> {
        // the number of parts of a node and all below it; `None` while they are being counted
        let mut parts: HashMap<NodeId, Option<usize>> = HashMap::new();
        let mut open = vec![(scene, false)];
        while let Some((node, counted)) = open.pop() {
            if counted {
                let own = node.children().map(|part| 1 + part.text().map_or(0, str::len)).sum::<usize>();
                let below = self.below(node).filter_map(|n| parts.get(&n.id()).copied().flatten());
                let sum = below.fold(1 + own, usize::saturating_add);
                if sum > MOST_PARTS {
                    return Err("its nodes are too many".into());
                }
                parts.insert(node.id(), Some(sum));
                continue;
            }
            match parts.get(&node.id()) {
                Some(Some(_)) => continue,
                Some(None) => return Err(CYCLE.into()),
                None => {}
            }
            parts.insert(node.id(), None);
            open.push((node, true));
            open.extend(self.below(node).map(|n| (n, false)));
        }
        Ok(())
    }

    /// Every geometry under the nodes of a scene.
    fn place_all(&mut self, scene: Node<'a, 'a>, world: Affine) -> Result<PaintedMesh, String> {
        self.check_nodes(scene)?;
        let mut all = PaintedMesh::default();
        // nodes to place, each with its parent's frame
        let mut open: Vec<(Node, Affine)> = children(scene, "node").map(|n| (n, world)).collect();
        open.reverse();
        while let Some((node, above)) = open.pop() {
            let here = above * local(node)?;
            for part in node.children() {
                match part.tag_name().name() {
                    "node" => open.push((part, here)),
                    "instance_node" => open.extend(self.target(part).map(|n| (n, here))),
                    "instance_geometry" | "instance_controller" => {
                        if let Some(geometry) = self.target(part) {
                            self.place(geometry, here, Some(part), &mut all)?;
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(all)
    }

    /// Without a scene: every geometry of the library, in its own frame.
    fn place_library(&mut self, root: Node<'a, 'a>, world: Affine) -> Result<PaintedMesh, String> {
        let mut all = PaintedMesh::default();
        for library in children(root, "library_geometries") {
            for geometry in children(library, "geometry") {
                self.place(geometry, world, None, &mut all)?;
            }
        }
        Ok(all)
    }

    /// Adds a geometry at the place of an instance.
    fn place(
        &mut self,
        geometry: Node<'a, 'a>,
        at: Affine,
        instance: Option<Node<'a, 'a>>,
        all: &mut PaintedMesh,
    ) -> Result<(), String> {
        let id = geometry.id();
        if !self.geometries.contains_key(&id) {
            let read = match child(geometry, "mesh").or_else(|| child(geometry, "convex_mesh")) {
                Some(mesh) => triangles_of(mesh, &self.ids, self.paint)?,
                None => Geometry::default(),
            };
            self.geometries.insert(id, read);
        }
        let bound = self.bind(id, instance, all)?;
        let Some(Geometry { painted, .. }) = self.geometries.get(&id) else { return Ok(()) };
        let (mesh, all_mesh) = (&painted.mesh, &mut all.mesh);
        let (triangles, vertices) = (mesh.triangles.len(), mesh.vertices.len());
        if all_mesh.triangles.len() + triangles > MOST_TRIANGLES
            || all_mesh.vertices.len() + vertices > MOST_TRIANGLES
        {
            return Err(format!("it has more than {MOST_TRIANGLES} triangles or vertices"));
        }
        let first = all_mesh.vertices.len();
        all_mesh.vertices.extend(mesh.vertices.iter().map(|v| at.point(*v)));
        // a mirror turns surfaces inside out
        let mirrored = at.rot.determinant() < 0.0;
        for (k, [a, b, c]) in mesh.triangles.iter().enumerate() {
            let mut look = painted.look(k);
            look.material = look.material.and_then(|symbol| bound.get(symbol).copied().flatten());
            if mirrored {
                all.push([first + a, first + c, first + b], &look.mirrored());
            } else {
                all.push([first + a, first + b, first + c], &look);
            }
        }
        Ok(())
    }

    /// For each symbol of a geometry, the number of the material that an instance binds to it; a symbol that is not bound may be
    /// the id of a material itself.
    fn bind(
        &mut self,
        geometry: NodeId,
        instance: Option<Node<'a, 'a>>,
        all: &mut PaintedMesh,
    ) -> Result<Vec<Option<usize>>, String> {
        let symbols = self.geometries.get(&geometry).map_or(Vec::new(), |g| g.symbols.clone());
        let bindings = instance.and_then(|i| child(child(i, "bind_material")?, "technique_common"));
        let target = |symbol: &'a str| {
            let bound = bindings.and_then(|b| {
                children(b, "instance_material").find(|m| m.attribute("symbol") == Some(symbol))
            });
            bound.and_then(|m| m.attribute("target")).map_or(symbol, |t| t.trim_start_matches('#'))
        };
        let mut numbers = Vec::with_capacity(symbols.len());
        for id in symbols.into_iter().map(target) {
            let known = self.materials.get(id).copied();
            numbers.push(match (known, material(id, &self.ids)?) {
                (Some(number), _) => Some(number),
                (None, None) => None,
                (None, Some(made)) => {
                    all.materials.push(made);
                    self.materials.insert(id, all.materials.len() - 1);
                    Some(all.materials.len() - 1)
                }
            });
        }
        Ok(numbers)
    }
}

/// The transformation of one node: the product of its parts in the order they are written.
fn local(node: Node) -> Result<Affine, String> {
    let mut all = Affine::IDENTITY;
    for part in node.children().filter(Node::is_element) {
        all = all * transform(part)?;
    }
    Ok(all)
}

fn transform(part: Node) -> Result<Affine, String> {
    let tag = part.tag_name().name();
    if !matches!(tag, "matrix" | "translate" | "rotate" | "scale") {
        return Ok(Affine::IDENTITY);
    }
    let n: Vec<f64> = numbers(part)?;
    match (tag, &n[..]) {
        ("translate", &[x, y, z]) => Ok(Pose::translation(V3::new(x, y, z))),
        ("scale", &[x, y, z]) => {
            Ok(Pose { rot: M3::columns(V3::X * x, V3::Y * y, V3::Z * z), pos: V3::ZERO })
        }
        ("rotate", &[x, y, z, degrees]) => {
            let axis = V3::new(x, y, z).unit().unwrap_or(V3::ZERO);
            Ok(Pose { rot: exp_so3(axis * degrees.to_radians()), pos: V3::ZERO })
        }
        ("matrix", m) if m.len() == 16 => {
            let row = |k: usize| [m[4 * k], m[4 * k + 1], m[4 * k + 2]];
            Ok(Pose { rot: M3::from_rows([row(0), row(1), row(2)]), pos: V3::new(m[3], m[7], m[11]) })
        }
        _ => Err(format!("<{tag}> has {} numbers", n.len())),
    }
}
