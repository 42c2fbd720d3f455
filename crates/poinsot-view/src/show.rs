//! All there is to see: what stays, what changes from frame to frame, and the bytes in which a page gets it.
//!
//! A frame on the wire, little-endian (the page's `frame.ts` reads it):
//!
//! | bytes | |
//! |---|---|
//! | 4 × u32 | 1, the scene's number, the frame's number, flags (1: playing, 2: from history) |
//! | 4 × f64 | time; speed reached, s/s; begin and end of the history, s |
//! | f64 each | channels |
//! | 7 × f32 each | bodies: x y z, quaternion w x y z |
//! | 6 × f32 each | arrows: tail, tip |
//! | 3 × f32 each | traces: the point of now |
//! | 10 × f32 each | solids: x y z, w x y z, half axes |
//!
//! A mark that is not to be seen now is NaN.

use poinsot::algebra::V3;
use poinsot::model::Shape;
use poinsot::spatial::{Pose, Quat};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Layers that every scene may have, and that would hide what is special: they are not shown at first.
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

/// What stays the same.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Scenery {
    /// The name by which it was asked for.
    pub name: String,
    /// A heading.
    pub title: String,
    /// One sentence of physics.
    pub physics: String,
    /// What to try.
    #[serde(rename = "try")]
    pub try_this: String,
    /// What to look out for.
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
    /// The groups of channels that are plotted at first.
    pub plots: Vec<String>,
    /// The groups of channels whose logarithm is plotted at first.
    pub logarithmic: Vec<String>,
    /// The groups of channels that are the largest numbers since the moment before: where moments are left out theirs are kept.
    pub peaks: Vec<String>,
    /// The layers that are shown at first though they are among the [`QUIET`].
    pub shown: Vec<String>,
    /// The groups and layers that are read only while somebody wants to see them.
    pub asked: Vec<&'static str>,
    /// Where the camera is and where it looks.
    pub camera: Camera,
    /// How far models from files reach from the middle of the camera's picture at first: to the sides, and up and down; 1: to its edges. Of a
    /// picture 1.6 times as wide as high. Pages of another shape know by it how near the camera may be.
    pub fills: Option<[f64; 2]>,
    /// Something is pulled down.
    pub gravity: bool,
    /// The height of a floor that is drawn though nobody touches it; none: free space.
    pub floor: Option<f64>,
}

/// A model among those shown together.
#[derive(Clone, Debug, Serialize)]
pub struct TrackInfo {
    /// What distinguishes it.
    pub label: String,
    /// Red, green, blue.
    pub colour: [f64; 3],
    /// The integrator.
    pub integrator: String,
    /// The step, s.
    pub dt: f64,
    /// The integrators it can be run with in its own coordinates.
    pub integrators: Vec<String>,
    /// Likewise in maximal coordinates; none if the model has none.
    pub maximal: Vec<String>,
    /// Why maximal coordinates cannot serve it.
    pub refused: Option<String>,
    /// Its bodies may touch.
    pub touches: bool,
}

/// A body.
#[derive(Clone, Debug, Serialize)]
pub struct BodyInfo {
    /// The track it belongs to.
    pub track: usize,
    /// Its name.
    pub name: String,
    /// The body it hangs on; none for the world.
    pub parent: Option<usize>,
    /// Its mass, kg.
    pub mass: f64,
    /// Its centre of mass in its own frame.
    pub com: [f64; 3],
    /// Half axes of the homogeneous ellipsoid with its mass and moments.
    pub ellipsoid: [f64; 3],
    /// The attitude of that ellipsoid in the body's frame, w x y z.
    pub axes: [f64; 4],
    /// It moves and can be dragged.
    pub moves: bool,
    /// How large it is, m: half the diagonal of the box around its shapes, or of its ellipsoid where it has none.
    pub size: f64,
}

/// A shape fixed to a body. The page knows it by `form` (sphere, capsule, cylinder, ellipsoid, box, plane, mesh) and
/// `size`, see [`PartInfo::form`] and [`PartInfo::size`].
#[derive(Clone, Debug)]
pub struct PartInfo {
    /// The body, among all.
    pub body: usize,
    /// The shape.
    pub shape: Shape,
    /// The number in `meshes` of the triangles of a mesh or height field.
    pub mesh: Option<usize>,
    /// Its pose in the body's frame: x y z, w x y z.
    pub pose: [f64; 7],
    /// Red, green, blue, opacity.
    pub rgba: [f64; 4],
    /// visual or collision.
    pub layer: &'static str,
}

impl PartInfo {
    /// The word for its shape; mesh for all that is drawn as triangles.
    pub fn form(&self) -> &'static str {
        if self.mesh.is_some() { "mesh" } else { self.shape.word() }
    }
    /// sphere: radius; capsule, cylinder: radius, length; ellipsoid: half axes; box: edges; plane: edges (0: endless);
    /// mesh: its number in `meshes`.
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

/// The triangles of a mesh; the page asks for the bytes, of which [`Surface::bytes`](crate::surface::Surface::bytes) tells.
#[derive(Clone, Debug, Serialize)]
pub struct MeshInfo {
    /// How many corners.
    pub points: usize,
    /// How many triangles.
    pub triangles: usize,
    /// The mesh whose bytes end with the picture that is on this one.
    pub picture: Option<usize>,
    /// What it bends with: bodies, each with the inverse of its pose for which the mesh is given. Of a mesh that bends with none, empty.
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
    /// It has one coordinate and can be set by a slider.
    pub single: bool,
    /// The channel of its (first) coordinate, when it is sent.
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
    /// Its stiffness as it was given.
    pub stiffness: f64,
    /// N/m or N m/rad; empty for couplings, whose rows may be either.
    pub unit: &'static str,
    /// What it can be set to.
    pub range: (f64, f64),
}

/// An arrow.
#[derive(Clone, Debug, Serialize)]
pub struct ArrowInfo {
    /// What it stands for.
    pub name: String,
    /// Red, green, blue.
    pub colour: [f64; 3],
    /// The switch that shows it: momenta, reactions …
    pub layer: &'static str,
}

/// What a line is drawn on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum On {
    /// The world.
    World,
    /// A body, among all: points are in its frame.
    Body(usize),
    /// A solid: points are in its frame.
    Solid(usize),
}

/// A point that draws a line.
#[derive(Clone, Debug, Serialize)]
pub struct TraceInfo {
    /// What it stands for.
    pub name: String,
    /// Red, green, blue.
    pub colour: [f64; 3],
    /// The switch that shows it.
    pub layer: &'static str,
    /// What the line moves with.
    pub on: On,
    /// How long points stay, s; none: for ever.
    pub lasts: Option<f64>,
}

/// A solid that follows the motion.
#[derive(Clone, Debug, Serialize)]
pub struct SolidInfo {
    /// What it stands for.
    pub name: String,
    /// ellipsoid, disc (normal to its z), rod (along its z) or cone (its tip at its place, open along its z).
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
    /// The track it is of.
    pub track: usize,
}

/// A view.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Camera {
    /// Where it is.
    pub from: [f64; 3],
    /// What it looks at.
    pub to: [f64; 3],
    /// What is up.
    pub up: [f64; 3],
}

impl Default for Camera {
    fn default() -> Self {
        Camera { from: [3.0, -4.0, 2.0], to: [0.0; 3], up: [0.0, 0.0, 1.0] }
    }
}

/// What is seen at one moment. Lists are in the order of the scenery's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// s.
    pub time: f64,
    /// Numbers over time.
    pub channels: Vec<f64>,
    /// x y z, w x y z of each body.
    pub poses: Vec<[f32; 7]>,
    /// Tail and tip of each arrow.
    pub arrows: Vec<[f32; 6]>,
    /// Where each trace draws now.
    pub traces: Vec<[f32; 3]>,
    /// Position, attitude and half axes of each solid.
    pub solids: Vec<[f32; 10]>,
}

/// What a frame says of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stamp {
    /// The scene's number.
    pub scene: u32,
    /// The frame's number.
    pub number: u32,
    /// The simulation goes on.
    pub playing: bool,
    /// The frame is from history.
    pub past: bool,
    /// Simulated seconds per second.
    pub speed: f64,
    /// What can be gone back to, s.
    pub history: (f64, f64),
}

impl Frame {
    /// Takes all marks away, and keeps the room.
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

    /// The bytes for a page.
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

/// A scenery with the frames of a run, at equal intervals but perhaps the last.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// What stays.
    pub scenery: Scenery,
    /// The triangles of its meshes.
    pub surfaces: Vec<crate::surface::Surface>,
    /// What changes.
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
