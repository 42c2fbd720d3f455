//! Everything visible: the constant part, what changes from frame to frame, and the bytes sent to a page.
//!
//! A frame on the wire, little-endian (the page's `frame.ts` reads it):
//!
//! | bytes | |
//! |---|---|
//! | 4 × u32 | 1, the scenery's version, the frame's number, flags (1: playing, 2: from history) |
//! | 4 × f64 | time; speed reached, s/s; begin and end of the history, s |
//! | f64 each | channels |
//! | 7 × f32 each | bodies: x y z, quaternion w x y z |
//! | 6 × f32 each | arrows: tail, tip |
//! | 3 × f32 each | traces: the current point |
//! | 10 × f32 each | solids: x y z, w x y z, half axes |
//!
//! A hidden mark is NaN.

use poinsot::algebra::V3;
use poinsot::model::Shape;
use poinsot::spatial::{Pose, Quat};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Layers that every scene may have and that would hide what is special about it: not shown by default.
pub const QUIET: [&str; 9] = [
    "momenta",
    "momenta of bodies",
    "momentum ellipsoid",
    "joint reactions",
    "constraints",
    "contact points",
    "contact normals",
    "contact forces",
    "friction cones",
];

/// The constant part.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Scenery {
    /// The name by which it was requested.
    pub name: String,
    /// A heading.
    pub title: String,
    /// One sentence of physics.
    pub physics: String,
    /// What to try.
    #[serde(rename = "try")]
    pub try_this: String,
    /// What to watch.
    pub watch: String,
    /// Models shown together.
    pub tracks: Vec<TrackInfo>,
    /// The bodies of all tracks, one track after the other; each track begins with its world.
    pub bodies: Vec<BodyInfo>,
    /// Shapes fixed to bodies.
    pub parts: Vec<PartInfo>,
    /// The triangles of meshes.
    pub meshes: Vec<MeshInfo>,
    /// The joints of all tracks.
    pub joints: Vec<JointInfo>,
    /// The actuators of all tracks.
    pub actuators: Vec<ActuatorInfo>,
    /// The soft constraints of all tracks.
    pub softs: Vec<SoftInfo>,
    /// The names of keyframes.
    pub keyframes: Vec<String>,
    /// Arrows.
    pub arrows: Vec<ArrowInfo>,
    /// Points that draw lines.
    pub traces: Vec<TraceInfo>,
    /// Ellipsoids and discs.
    pub solids: Vec<SolidInfo>,
    /// Numbers over time.
    pub channels: Vec<ChannelInfo>,
    /// The groups of channels plotted by default.
    pub plots: Vec<String>,
    /// The groups of channels plotted on a logarithmic scale by default.
    pub logarithmic: Vec<String>,
    /// The groups of channels that contain the largest values since the previous moment: when moments are left out, their peaks are kept.
    pub peaks: Vec<String>,
    /// The layers shown by default although they are among the [`QUIET`].
    pub shown: Vec<String>,
    /// The groups and layers that are read only while a page shows them.
    pub on_demand: Vec<&'static str>,
    /// Where the camera is and where it looks.
    pub camera: Camera,
    /// How far models from files reach from the centre of the initial picture, horizontally and vertically; 1: to its edges. For a
    /// picture 1.6 times as wide as high. From this, pages of another shape decide how near the camera may be.
    pub fills: Option<[f64; 2]>,
    /// True if gravity acts.
    pub gravity: bool,
    /// The height of a floor that is drawn without contact; `None`: free space.
    pub floor: Option<f64>,
}

/// One of the models shown together.
#[derive(Clone, Debug, Serialize)]
pub struct TrackInfo {
    /// The label that distinguishes it.
    pub label: String,
    /// Red, green, blue.
    pub colour: [f64; 3],
    /// The integrator.
    pub integrator: String,
    /// The step, s.
    pub dt: f64,
    /// The integrators that can step it in its own coordinates.
    pub integrators: Vec<String>,
    /// The integrators that can step it in maximal coordinates; empty if it has none.
    pub maximal: Vec<String>,
    /// Why it cannot be run in maximal coordinates.
    pub refused: Option<String>,
    /// True if its bodies can collide.
    pub touches: bool,
}

/// A body.
#[derive(Clone, Debug, Serialize)]
pub struct BodyInfo {
    /// The track it belongs to.
    pub track: usize,
    /// Its name.
    pub name: String,
    /// Its parent; `None` for the world.
    pub parent: Option<usize>,
    /// Its mass, kg.
    pub mass: f64,
    /// Its centre of mass in its own frame.
    pub com: [f64; 3],
    /// Half axes of the homogeneous ellipsoid with its mass and moments.
    pub ellipsoid: [f64; 3],
    /// The attitude of that ellipsoid in the body's frame, w x y z.
    pub axes: [f64; 4],
    /// True if it can move and be dragged.
    pub moves: bool,
    /// Its size, m: half the diagonal of the box around its shapes, or of its ellipsoid if it has none.
    pub size: f64,
}

/// A shape fixed to a body. The page knows it by `form` (sphere, capsule, cylinder, ellipsoid, box, plane, mesh) and
/// `size`, see [`PartInfo::form`] and [`PartInfo::size`].
#[derive(Clone, Debug)]
pub struct PartInfo {
    /// The body, by its index over all tracks.
    pub body: usize,
    /// The shape.
    pub shape: Shape,
    /// The index in `meshes` of the triangles of a mesh or height field.
    pub mesh: Option<usize>,
    /// Its pose in the body's frame: x y z, w x y z.
    pub pose: [f64; 7],
    /// Red, green, blue, opacity.
    pub rgba: [f64; 4],
    /// visual or collision.
    pub layer: &'static str,
}

impl PartInfo {
    /// The word for its shape; mesh for everything drawn as triangles.
    pub fn form(&self) -> &'static str {
        if self.mesh.is_some() { "mesh" } else { self.shape.word() }
    }
    /// sphere: radius; capsule, cylinder: radius, length; ellipsoid: half axes; box: edges; plane: edges (0: infinite);
    /// mesh: its index in `meshes`.
    pub fn size(&self) -> Vec<f64> {
        self.mesh.map_or_else(|| self.shape.sizes(), |number| vec![number as f64])
    }
}

impl Serialize for PartInfo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut part = serializer.serialize_struct("PartInfo", 7)?;
        part.serialize_field("body", &self.body)?;
        part.serialize_field("form", self.form())?;
        part.serialize_field("size", &self.size())?;
        part.serialize_field("pose", &self.pose)?;
        part.serialize_field("rgba", &self.rgba)?;
        part.serialize_field("layer", self.layer)?;
        part.serialize_field("flat", &matches!(self.shape, Shape::Plane { .. }))?;
        part.end()
    }
}

/// The triangles of a mesh; the page requests its bytes, described at [`Surface::bytes`](crate::surface::Surface::bytes).
#[derive(Clone, Debug, Serialize)]
pub struct MeshInfo {
    /// The number of vertices.
    pub points: usize,
    /// The number of triangles.
    pub triangles: usize,
    /// The mesh whose bytes contain the picture of this one.
    pub picture: Option<usize>,
    /// The bodies it deforms with, each with its inverse bind pose; empty for a rigid mesh.
    pub bones: Vec<(usize, [f64; 7])>,
}

/// A joint.
#[derive(Clone, Debug, Serialize)]
pub struct JointInfo {
    /// The track it belongs to.
    pub track: usize,
    /// Its name.
    pub name: String,
    /// revolute, prismatic, spherical, free …
    pub kind: String,
    /// The body it moves, among all.
    pub body: usize,
    /// Its limits.
    pub range: Option<(f64, f64)>,
    /// True if it has one coordinate and can be set by a slider.
    pub single: bool,
    /// The channel of its (first) coordinate, if it is sent.
    pub channel: Option<usize>,
    /// rad or m.
    pub unit: &'static str,
}

/// An actuator.
#[derive(Clone, Debug, Serialize)]
pub struct ActuatorInfo {
    /// The track it belongs to.
    pub track: usize,
    /// Its name.
    pub name: String,
    /// Its control range.
    pub range: Option<(f64, f64)>,
}

/// A soft constraint.
#[derive(Clone, Debug, Serialize)]
pub struct SoftInfo {
    /// The track it belongs to.
    pub track: usize,
    /// Its name.
    pub name: String,
    /// Its original stiffness.
    pub stiffness: f64,
    /// N/m or N m/rad; empty for couplings, whose rows may be either.
    pub unit: &'static str,
    /// The range it can be set to.
    pub range: (f64, f64),
}

/// An arrow.
#[derive(Clone, Debug, Serialize)]
pub struct ArrowInfo {
    /// What it represents.
    pub name: String,
    /// Red, green, blue.
    pub colour: [f64; 3],
    /// The switch that shows it: momenta, reactions …
    pub layer: &'static str,
}

/// The frame in which a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum On {
    /// The world.
    World,
    /// A body, by its index over all tracks: points are in its frame.
    Body(usize),
    /// A solid: points are in its frame.
    Solid(usize),
}

/// A point that draws a line.
#[derive(Clone, Debug, Serialize)]
pub struct TraceInfo {
    /// What it represents.
    pub name: String,
    /// Red, green, blue.
    pub colour: [f64; 3],
    /// The switch that shows it.
    pub layer: &'static str,
    /// The frame in which the line is drawn.
    pub on: On,
    /// How long points stay, s; `None`: forever.
    pub lasts: Option<f64>,
}

/// A solid that follows the motion.
#[derive(Clone, Debug, Serialize)]
pub struct SolidInfo {
    /// What it represents.
    pub name: String,
    /// ellipsoid, disc (normal to its z), rod (along its z) or cone (its tip at its position, open along its z).
    pub form: &'static str,
    /// Red, green, blue, opacity.
    pub rgba: [f64; 4],
    /// The switch that shows it.
    pub layer: &'static str,
}

/// A number over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChannelInfo {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Channels of one group are plotted together.
    pub group: String,
    /// The track it belongs to.
    pub track: usize,
}

/// A view.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Camera {
    /// Where it is.
    pub from: [f64; 3],
    /// What it looks at.
    pub to: [f64; 3],
    /// The upward direction.
    pub up: [f64; 3],
}

impl Default for Camera {
    fn default() -> Self {
        Camera { from: [3.0, -4.0, 2.0], to: [0.0; 3], up: [0.0, 0.0, 1.0] }
    }
}

/// The picture at one moment. Lists are in the order of the scenery's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// s.
    pub time: f64,
    /// The values of the channels.
    pub channels: Vec<f64>,
    /// x y z, w x y z of each body.
    pub poses: Vec<[f32; 7]>,
    /// Tail and tip of each arrow.
    pub arrows: Vec<[f32; 6]>,
    /// The current point of each trace.
    pub traces: Vec<[f32; 3]>,
    /// Position, attitude and half axes of each solid.
    pub solids: Vec<[f32; 10]>,
}

/// The session's data in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stamp {
    /// The scenery's version.
    pub scene: u32,
    /// The frame's number.
    pub number: u32,
    /// True if the simulation is running.
    pub playing: bool,
    /// True if the frame is from history.
    pub past: bool,
    /// Simulated seconds per second.
    pub speed: f64,
    /// The beginning and end of the history, s.
    pub history: (f64, f64),
}

impl Frame {
    /// Removes all marks, and keeps the memory.
    pub fn clear(&mut self) {
        self.channels.clear();
        self.poses.clear();
        self.arrows.clear();
        self.traces.clear();
        self.solids.clear();
    }

    /// Adds a body.
    pub fn pose(&mut self, pose: Pose) {
        self.poses.push(seven(pose));
    }
    /// Adds an arrow from `tail` along `along`.
    pub fn arrow(&mut self, tail: V3, along: V3) {
        let [a, b, c] = single(tail);
        let [d, e, f] = single(tail + along);
        self.arrows.push([a, b, c, d, e, f]);
    }
    /// Adds the point of a trace.
    pub fn trace(&mut self, point: V3) {
        self.traces.push(single(point));
    }
    /// Adds a solid.
    pub fn solid(&mut self, pose: Pose, half_axes: V3) {
        let (mut all, radii) = ([0.0; 10], single(half_axes));
        all[..7].copy_from_slice(&seven(pose));
        all[7..].copy_from_slice(&radii);
        self.solids.push(all);
    }

    /// The encoding for a page.
    pub fn bytes(&self, stamp: &Stamp) -> Vec<u8> {
        let floats =
            7 * self.poses.len() + 6 * self.arrows.len() + 3 * self.traces.len() + 10 * self.solids.len();
        let mut out = Vec::with_capacity(48 + 8 * self.channels.len() + 4 * floats);
        let flags = u32::from(stamp.playing) | u32::from(stamp.past) << 1;
        [1, stamp.scene, stamp.number, flags].iter().for_each(|x| out.extend(x.to_le_bytes()));
        let times = [self.time, stamp.speed, stamp.history.0, stamp.history.1];
        times.iter().chain(&self.channels).for_each(|x| out.extend(x.to_le_bytes()));
        let mut put = |list: &[f32]| list.iter().for_each(|x| out.extend(x.to_le_bytes()));
        put(self.poses.as_flattened());
        put(self.arrows.as_flattened());
        put(self.traces.as_flattened());
        put(self.solids.as_flattened());
        out
    }
}

/// A scenery with the frames of a run, at equal intervals except perhaps the last.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The constant part.
    pub scenery: Scenery,
    /// The triangles of its meshes.
    pub surfaces: Vec<crate::surface::Surface>,
    /// The frames.
    pub frames: Vec<Frame>,
}

fn single(v: V3) -> [f32; 3] {
    v.array().map(|x| x as f32)
}

fn seven(pose: Pose) -> [f32; 7] {
    let ([x, y, z], [w, i, j, k]) = (single(pose.pos), Quat::from_matrix(pose.rot).array().map(|x| x as f32));
    [x, y, z, w, i, j, k]
}

/// A pose in double precision, for the scenery.
pub(crate) fn pose7(pose: Pose) -> [f64; 7] {
    let ([x, y, z], [w, i, j, k]) = (pose.pos.array(), Quat::from_matrix(pose.rot).array());
    [x, y, z, w, i, j, k]
}
