//! The known elements and attributes; a warning is given for others, and known extensions are counted.

use crate::description::Format;
use crate::diagnostic::{Place, Report};
use crate::load::Motors;
use crate::xml::{Attribute, ElementId, Tree};
use std::collections::BTreeMap;

/// An element: its attributes and its children.
#[derive(Clone, Copy)]
struct Word {
    tag: &'static str,
    attributes: &'static [&'static str],
    children: &'static [Word],
}

const fn word(tag: &'static str, attributes: &'static [&'static str], children: &'static [Word]) -> Word {
    Word { tag, attributes, children }
}

/// An element without children.
const fn leaf(tag: &'static str, attributes: &'static [&'static str]) -> Word {
    word(tag, attributes, &[])
}

const ORIGIN: Word = leaf("origin", &["xyz", "rpy"]);
const MATERIAL: Word = word(
    "material",
    &["name"],
    &[leaf("color", &["rgba"]), leaf("texture", &["filename"]), leaf("specular", &["rgb"])],
);
const GEOMETRY: Word = word(
    "geometry",
    &["name"],
    &[
        leaf("box", &["size"]),
        leaf("cylinder", &["radius", "length"]),
        leaf("capsule", &["radius", "length"]),
        leaf("sphere", &["radius"]),
        leaf("plane", &["normal"]),
        leaf("mesh", &["filename", "scale"]),
    ],
);
const INERTIAL: Word = word(
    "inertial",
    &[],
    &[ORIGIN, leaf("mass", &["value"]), leaf("inertia", &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"])],
);
const LINK: Word = word(
    "link",
    &["name", "type"],
    &[
        INERTIAL,
        word("visual", &["name"], &[ORIGIN, GEOMETRY, MATERIAL]),
        word("collision", &["name", "group", "mask", "concave"], &[ORIGIN, GEOMETRY, MATERIAL]),
    ],
);
const JOINT: Word = word(
    "joint",
    &["name", "type"],
    &[
        ORIGIN,
        leaf("parent", &["link"]),
        leaf("child", &["link"]),
        leaf("axis", &["xyz"]),
        leaf("limit", &["lower", "upper", "effort", "velocity"]),
        leaf("dynamics", &["damping", "friction"]),
        leaf("mimic", &["joint", "multiplier", "offset"]),
    ],
);
const ROBOT: Word = word("robot", &["name", "version"], &[LINK, JOINT, MATERIAL]);

/// Elements of other programs and of URDF itself that are known to have no effect on the simulation.
const EXTENSIONS: [&str; 31] = [
    "gazebo",
    "transmission",
    "sensor",
    "ros2_control",
    "contact",
    "lateral_friction",
    "rolling_friction",
    "spinning_friction",
    "inertia_scaling",
    "safety_controller",
    "calibration",
    "joint_properties",
    "verbose",
    "self_filter",
    "self_collision_checking",
    "collision_checking",
    "surface",
    "kinematic",
    "gravity",
    "deformable",
    "mujoco",
    "drake",
    "sdf",
    "sensors",
    "loop_joint",
    "hardware",
    "contact_coefficients",
    "cdf",
    "visibility",
    "audio_source",
    "module",
];

/// Elements that may occur several times.
const MANY: [&str; 5] = ["link", "joint", "material", "visual", "collision"];

/// Warns of what is unknown and of what is not simulated; motors may come from transmissions.
pub(super) fn check(report: &mut Report, tree: &Tree, root: ElementId, motors: Motors) {
    let mut extensions: BTreeMap<&str, (usize, Place)> = BTreeMap::new();
    let mut unused: BTreeMap<(&str, &str), (usize, Place)> = BTreeMap::new();
    let mut open: Vec<(ElementId, Word)> = vec![(root, ROBOT)];
    while let Some((id, Word { attributes, children, .. })) = open.pop() {
        check_attributes(report, tree, id, attributes);
        for attribute in tree[id].attributes.iter().filter(|a| is_unused(&tree[id].tag, a)) {
            unused.entry((&tree[id].tag, &attribute.name)).or_insert((0, attribute.place)).0 += 1;
        }
        let mut known = Vec::new();
        for (child, element) in tree.children(id) {
            let tag = element.tag.as_str();
            if let Some(word) = children.iter().find(|w| w.tag == tag) {
                let again = || known.iter().any(|(_, w): &(ElementId, Word)| w.tag == tag);
                // there may be many links and joints: searching for duplicates would take too long
                if !MANY.contains(&tag) && again() {
                    let message = format!("<{}> has a second <{tag}>: it is not read", tree[id].tag);
                    report.warning("urdf::repeated-element", message).at(element.place);
                }
                known.push((child, *word));
            } else if tag == "transmission" && motors == Motors::Transmissions {
                // its joint has a motor
            } else if EXTENSIONS.contains(&tag) {
                extensions.entry(tag).or_insert((0, element.place)).0 += 1;
            } else {
                let message = format!("there is no element <{tag}> in <{}>: it is not read", tree[id].tag);
                let meant = report.meant(tag, children.iter().map(|w| w.tag));
                let d = report.warning("urdf::unknown-element", message).at(element.place);
                if let Some(meant) = meant {
                    d.help(format!("did you mean <{meant}>?"));
                }
            }
        }
        open.extend(known.into_iter().rev());
    }
    for (tag, (count, place)) in extensions {
        let elements = if count == 1 { "element".into() } else { format!("elements, {count} of them,") };
        let verb = if count == 1 { "is" } else { "are" };
        let message = format!("<{tag}> {elements} {verb} not simulated");
        report.not_simulated(Format::Urdf, format!("<{tag}> ({count})"), message).at(place);
    }
    for ((tag, name), (count, place)) in unused {
        let message = format!("`{name}` of <{tag}> is read, but not used ({count})");
        report.not_simulated(Format::Urdf, format!("`{name}` of <{tag}> ({count})"), message).at(place);
    }
}

/// Attributes of Bullet that change which shapes collide, and are not simulated.
fn is_unused(tag: &str, attribute: &Attribute) -> bool {
    match (tag, attribute.name.as_str()) {
        ("collision", "group" | "mask") => true,
        ("plane", "normal") => {
            let numbers: Option<Vec<f64>> =
                attribute.value.split_whitespace().map(|w| w.parse().ok()).collect();
            !matches!(numbers.as_deref(), Some([x, y, z]) if *x == 0.0 && *y == 0.0 && *z > 0.0)
        }
        _ => false,
    }
}

fn check_attributes(report: &mut Report, tree: &Tree, id: ElementId, known: &[&str]) {
    let element = &tree[id];
    for attribute in element.attributes.iter().filter(|a| !known.contains(&a.name.as_str())) {
        let message = format!("<{}> has no attribute `{}`: it is not read", element.tag, attribute.name);
        let meant = report.meant(&attribute.name, known.iter().copied());
        let d = report.warning("urdf::unknown-attribute", message).at(attribute.place);
        if let Some(meant) = meant {
            d.help(format!("did you mean `{meant}`?"));
        }
    }
}
