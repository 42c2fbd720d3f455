//! Names of coordinates and velocities, and the layout of joints.

use crate::model::{Joint, JointKind, Model};

/// The kind of a vector of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Space {
    /// Coordinates: qpos.
    Position,
    /// Velocities, accelerations and forces: qvel.
    Velocity,
}

impl Space {
    /// The number of entries for a model.
    pub fn size(self, model: &Model) -> usize {
        match self {
            Space::Position => model.nq(),
            Space::Velocity => model.nv(),
        }
    }
    /// The letters used in the columns of a table.
    pub fn word(self) -> &'static str {
        match self {
            Space::Position => "qpos",
            Space::Velocity => "qvel",
        }
    }
}

/// The meaning of the entries of a joint.
pub fn parts(kind: JointKind, space: Space) -> &'static [&'static str] {
    const QUATERNION: [&str; 4] = ["qw", "qx", "qy", "qz"];
    const TURN: [&str; 3] = ["wx", "wy", "wz"];
    match (kind, space) {
        (JointKind::Fixed, _) => &[],
        (JointKind::Revolute { .. } | JointKind::Helical { .. }, _) => &["angle"],
        (JointKind::Prismatic { .. }, _) => &["distance"],
        (JointKind::Cylindrical { .. }, _) => &["distance", "angle"],
        (JointKind::Universal { .. }, _) => &["angle1", "angle2"],
        (JointKind::Planar { .. }, _) => &["x", "y", "angle"],
        (JointKind::Spherical, Space::Position) => &QUATERNION,
        (JointKind::Spherical, Space::Velocity) => &TURN,
        (JointKind::Free, Space::Position) => &["x", "y", "z", "qw", "qx", "qy", "qz"],
        (JointKind::Free, Space::Velocity) => &["vx", "vy", "vz", "wx", "wy", "wz"],
    }
}

/// The names of all entries of a vector, for people: the joint, and the entry if it has several.
pub fn labels(model: &Model, space: Space) -> Vec<String> {
    let of = |joint: &Joint| -> Vec<String> {
        match parts(joint.kind, space) {
            [_] => vec![joint.name.clone()],
            several => several.iter().map(|part| format!("{}.{part}", joint.name)).collect(),
        }
    };
    model.joints().iter().flat_map(of).collect()
}

/// The names of the columns of tables: `elbow.qpos`, `root.qpos3`.
pub fn columns(model: &Model, space: Space) -> Vec<String> {
    let word = space.word();
    let of = |joint: &Joint| -> Vec<String> {
        match parts(joint.kind, space).len() {
            1 => vec![format!("{}.{word}", joint.name)],
            n => (0..n).map(|k| format!("{}.{word}{k}", joint.name)).collect(),
        }
    };
    model.joints().iter().flat_map(of).collect()
}

/// "expected 8 numbers: joint "root" takes x y z qw qx qy qz, joint "hip" takes angle".
pub fn layout(model: &Model, space: Space) -> String {
    const MOST: usize = 12;
    let moving = |j: &&Joint| j.kind.nv() > 0;
    let takes = |j: &Joint| format!("joint \"{}\" takes {}", j.name, parts(j.kind, space).join(" "));
    let mut words: Vec<String> = model.joints().iter().filter(moving).take(MOST).map(takes).collect();
    let joints = model.joints().iter().filter(moving).count();
    if joints > MOST {
        words.push(format!("and {} more joints", joints - MOST));
    }
    let n = space.size(model);
    let numbers = format!("{n} {}", if n == 1 { "number" } else { "numbers" });
    if words.is_empty() {
        return format!("expected {numbers}: the model has no joint that moves");
    }
    format!("expected {numbers}: {}", words.join(", "))
}

/// The unit of an entry of a joint.
pub fn unit(kind: JointKind, space: Space, part: usize) -> &'static str {
    let length = match (kind, space) {
        (JointKind::Prismatic { .. }, _) => true,
        (JointKind::Cylindrical { .. }, _) => part == 0,
        (JointKind::Planar { .. }, _) => part < 2,
        (JointKind::Free, _) => part < 3,
        _ => false,
    };
    let quaternion =
        space == Space::Position && !length && matches!(kind, JointKind::Free | JointKind::Spherical);
    match (space, length, quaternion) {
        (Space::Position, _, true) => "–",
        (Space::Position, true, _) => "m",
        (Space::Position, false, _) => "rad",
        (Space::Velocity, true, _) => "m/s",
        (Space::Velocity, false, _) => "rad/s",
    }
}
