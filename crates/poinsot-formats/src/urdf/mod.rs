//! URDF, ROS's format, according to its XML specification; where real files depart from it, according to what
//! urdfdom and Pinocchio accept.
//!
//! Every link is a body with the frame of its parent joint, so that a body's pose is the origin of that joint. Elements
//! are read in the order of their dependences: materials, links, joints, the tree they form, and what refers to joints (`mimic`).

mod geometry;
mod hulls;
mod inertial;
mod joint;
mod link;
mod material;
mod merge;
mod mimic;
mod motor;
mod paths;
mod tree;
mod values;
mod words;
mod write;
mod write_shapes;

pub(crate) use paths::Paths;
pub use write::to_urdf;

use crate::description::{Body, Description, Format, Joint, JointType, push_exact};
use crate::diagnostic::{Place, Report};
use crate::load::LoadOptions;
use crate::xml::{ElementId, Tree};
use poinsot_core::model::Mesh;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The description of the file; `None`, with errors in the report, if it cannot be understood.
pub(crate) fn read(
    report: &mut Report,
    tree: &Tree,
    root: ElementId,
    paths: Paths,
    options: &LoadOptions,
) -> Option<Description> {
    words::check(report, tree, root, options.motors);
    let name = tree[root].text("name").unwrap_or_default();
    let mut reader = Reader {
        tree,
        report,
        paths,
        in_shape: false,
        d: Description::new(name, Format::Urdf),
        meshes: HashMap::new(),
        concave: HashSet::new(),
        materials: HashMap::new(),
    };
    reader.in_shape = true;
    reader.read_materials(root);
    reader.in_shape = false;
    let links = reader.read_links(root);
    let joints = reader.read_joints(root);
    if let Some(order) = tree::order(reader.report, tree[root].place, &links, &joints) {
        reader.grow(links, &joints, &order, options.floating_base);
        reader.touch_as_hulls();
        reader.couple(&joints);
        reader.add_motors(root, options.motors);
        if options.merge_fixed {
            merge::merge_fixed(&mut reader.d);
        }
    }
    let description = reader.d;
    (!report.has_errors()).then_some(description)
}

/// What has been read so far.
struct Reader<'t> {
    tree: &'t Tree,
    report: &'t mut Report,
    paths: Paths,
    /// True while a `<visual>`, a `<collision>` or a material is read.
    in_shape: bool,
    d: Description,
    /// Meshes, by the name in the file and the bits of their scale.
    meshes: HashMap<(String, [u64; 3]), Arc<Mesh>>,
    /// The places of `<collision>` elements that keep their triangles.
    concave: HashSet<Place>,
    /// Indices of materials that other elements can use, by name.
    materials: HashMap<String, usize>,
}

impl Reader<'_> {
    /// The bodies, in the order of the tree.
    fn grow(
        &mut self,
        links: Vec<link::Link>,
        joints: &[joint::UrdfJoint],
        order: &[tree::Place],
        floating: bool,
    ) {
        let mut links: Vec<Option<link::Link>> = links.into_iter().map(Some).collect();
        let mut number = vec![0; links.len()];
        for at in order {
            let Some(link) = links[at.link].take() else { continue };
            number[at.link] = self.d.bodies.len();
            let mut body = Body::new(link.name, 0, link.place);
            (body.inertia, body.geoms) = (link.inertia, link.geoms);
            match at.above {
                Some((joint, parent)) => {
                    body.parent = number[parent];
                    body.pose = joints[joint].origin;
                    if let Some(made) = &joints[joint].made {
                        push_exact(&mut body.joints, made.clone());
                    }
                }
                None if floating => {
                    body.joints.push(Joint::new(free_name(joints), JointType::Free, body.place));
                }
                None => {}
            }
            self.d.bodies.push(body);
        }
    }
}

/// The name of the joint of a floating base: Pinocchio's, unless the file has such a joint.
fn free_name(joints: &[joint::UrdfJoint]) -> String {
    let mut name = String::from("root_joint");
    while joints.iter().any(|j| j.name == name) {
        name.push('_');
    }
    name
}
