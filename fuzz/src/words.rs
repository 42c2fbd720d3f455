//! The words of each format: tags, and the attributes each may have.

use std::collections::BTreeMap;

/// The vocabulary of a format.
#[derive(Clone, Debug)]
pub struct Words {
    /// All tags.
    pub tags: Vec<&'static str>,
    /// Tags that may stand within themselves.
    pub nesting: Vec<&'static str>,
    attributes: BTreeMap<&'static str, Vec<&'static str>>,
    all: Vec<&'static str>,
}

const MJCF: &str = include_str!("../../crates/poinsot-formats/src/mjcf/schema.txt");
/// Lines as those of MJCF's.
const URDF: &str = ". robot: name version
robot link: name type
robot joint: name type
robot material: name
robot gazebo: reference
robot transmission: name
link inertial:
link visual: name
link collision: name group mask concave
. origin: xyz rpy
. mass: value
. inertia: ixx ixy ixz iyy iyz izz
. geometry: name
. box: size
. cylinder: radius length
. capsule: radius length
. sphere: radius
. plane: normal
. mesh: filename scale
. color: rgba
. texture: filename
. parent: link
. child: link
. axis: xyz
. limit: lower upper effort velocity
. dynamics: damping friction
. mimic: joint multiplier offset";
const COLLADA: &str = ". COLLADA: version
. asset:
. unit: name meter
. up_axis:
. library_geometries:
. geometry: id
. mesh:
. source: id
. float_array: id count
. accessor: source count stride offset
. technique_common:
. vertices: id
. input: semantic source offset set
. triangles: count
. polylist: count
. polygons: count
. tristrips: count
. trifans: count
. p:
. ph:
. vcount:
. node: id
. matrix:
. translate:
. rotate:
. scale:
. instance_geometry: url
. instance_node: url
. instance_controller: url
. controller: id
. skin: source
. visual_scene: id
. instance_visual_scene: url";

impl Words {
    /// MJCF's.
    pub fn mjcf() -> Words {
        Words::from(MJCF, &["body", "frame", "replicate", "default", "mujoco"])
    }
    /// URDF's.
    pub fn urdf() -> Words {
        Words::from(URDF, &["link", "robot"])
    }
    /// Collada's.
    pub fn collada() -> Words {
        Words::from(COLLADA, &["node", "mesh"])
    }

    fn from(lines: &'static str, nesting: &[&'static str]) -> Words {
        let mut attributes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for line in lines.lines() {
            let Some((element, own)) = line.split_once(':') else { continue };
            let Some((_, tag)) = element.split_once(' ') else { continue };
            attributes.entry(tag).or_default().extend(own.split_whitespace());
        }
        let all = attributes.values().flatten().copied().collect();
        let mut tags: Vec<&str> = attributes.keys().copied().collect();
        tags.extend(["worldbody", "include", "xacro:macro"]);
        Words { tags, nesting: nesting.to_vec(), attributes, all }
    }

    /// The attributes that an element may have; those of all when it has none.
    pub fn attributes(&self, tag: &str) -> &[&'static str] {
        self.attributes.get(tag).filter(|list| !list.is_empty()).unwrap_or(&self.all)
    }
}
