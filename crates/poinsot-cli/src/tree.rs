//! The tree of a model: drawn with lines, or as JSON.

use poinsot::algebra::V3;
use poinsot::model::{BodyId, Joint, JointKind, Model};
use poinsot::spatial::Quat;
use serde_json::{Value, json};

/// A number for display: at most five significant digits.
pub fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{x:.4e}").replace(".0000e", "e");
    }
    let digits = (4 - size.log10().floor() as i32).clamp(0, 7) as usize;
    let text = format!("{x:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    // rounding may leave "-0"
    if text == "-0" { "0".into() } else { text.into() }
}

/// "(0, 0, -9.81)".
pub fn vector(v: V3) -> String {
    format!("({}, {}, {})", short(v.x), short(v.y), short(v.z))
}

/// The bodies below each body.
fn children(model: &Model) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); model.bodies().len()];
    for (k, body) in model.bodies().iter().enumerate().skip(1) {
        children[body.parent.index()].push(k);
    }
    children
}

/// The tree with box characters: a line for every body and one for each of its joints.
pub fn drawn(model: &Model) -> String {
    let children = children(model);
    let mut out = format!("  {}\n", model.bodies()[BodyId::WORLD.index()].name);
    // a stack, not recursion: a chain may be a million links deep
    let mut stack: Vec<(usize, String, bool)> = Vec::new();
    push_children(&children[0], "  ", &mut stack);
    while let Some((k, indent, last)) = stack.pop() {
        let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let body = &model.bodies()[k];
        let joints = &model.joints()[body.joints.clone()];
        let fixed = if joints.is_empty() { ", fixed" } else { "" };
        let mass = short(body.inertia.mass);
        out.push_str(&format!("{indent}{branch}{}  {mass} kg{fixed}\n", body.name));
        let indent = deeper(&indent, below);
        let stem = if children[k].is_empty() { "   " } else { "│  " };
        for joint in joints {
            out.push_str(&format!("{indent}{stem}∙ {}\n", joint_line(joint)));
        }
        push_children(&children[k], &indent, &mut stack);
    }
    out
}

fn push_children(children: &[usize], indent: &str, stack: &mut Vec<(usize, String, bool)>) {
    for (n, child) in children.iter().enumerate().rev() {
        stack.push((*child, indent.to_string(), n + 1 == children.len()));
    }
}

/// The indent one level below; a very deep tree is not drawn any further to the right.
fn deeper(indent: &str, below: &str) -> String {
    const DEEPEST: usize = 300;
    if indent.chars().count() > DEEPEST { indent.to_string() } else { format!("{indent}{below}") }
}

fn joint_line(joint: &Joint) -> String {
    let mut line = format!("{}: {}", joint.name, joint.kind.word());
    match joint.kind {
        JointKind::Revolute { axis } => line += &format!(" about {}", vector(axis)),
        JointKind::Prismatic { axis } => line += &format!(" along {}", vector(axis)),
        JointKind::Cylindrical { axis } => line += &format!(" along and about {}", vector(axis)),
        JointKind::Helical { axis, pitch } => {
            line += &format!(" about {}, {} m/rad", vector(axis), short(pitch));
        }
        JointKind::Universal { first, second } => {
            line += &format!(" about {} and {}", vector(first), vector(second));
        }
        JointKind::Planar { normal } => line += &format!(" across {}", vector(normal)),
        JointKind::Fixed | JointKind::Spherical | JointKind::Free => {}
    }
    if let Some((lower, upper)) = joint.limits {
        line += &format!(", range {} … {}", short(lower), short(upper));
    }
    for (what, value) in
        [("stiffness", joint.stiffness), ("damping", joint.damping), ("armature", joint.armature)]
    {
        if value != 0.0 {
            line += &format!(", {what} {}", short(value));
        }
    }
    line
}

/// All bodies but the world, with their joints.
pub fn json(model: &Model) -> Value {
    let body = |b: &poinsot::model::Body| {
        let joints: Value = model.joints()[b.joints.clone()].iter().map(joint_json).collect();
        json!({
            "name": b.name,
            "parent": model.bodies()[b.parent.index()].name,
            "mass": b.inertia.mass,
            "com": b.inertia.com().array(),
            "position": b.pose.pos.array(),
            "quaternion": Quat::from_matrix(b.pose.rot).array(),
            "joints": joints,
        })
    };
    model.bodies().iter().skip(1).map(body).collect()
}

fn joint_json(joint: &Joint) -> Value {
    let axis = match joint.kind {
        JointKind::Revolute { axis }
        | JointKind::Prismatic { axis }
        | JointKind::Helical { axis, .. }
        | JointKind::Cylindrical { axis }
        | JointKind::Planar { normal: axis } => Some(axis.array()),
        _ => None,
    };
    json!({
        "name": joint.name,
        "kind": joint.kind.word(),
        "axis": axis,
        "range": joint.limits.map(|(l, u)| [l, u]),
        "stiffness": joint.stiffness,
        "damping": joint.damping,
        "armature": joint.armature,
        "qpos": [joint.coordinates().start, joint.coordinates().end],
        "qvel": [joint.dofs().start, joint.dofs().end],
    })
}
