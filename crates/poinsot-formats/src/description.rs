//! The contents of a file, in one form for all formats: SI units, radians, every default filled in, names resolved to
//! indices. It contains more than is simulated: shapes for the viewer, sensors, contact parameters.
//!
//! Poses are relative to the body they belong to; a body's pose is in its parent's frame. Bodies are in
//! depth-first order; the first is the world.

use crate::diagnostic::Place;
use poinsot_core::algebra::V3;
use poinsot_core::model::{self, HeightField, Mesh, Shape, Softness, SolverParameters};
use poinsot_core::spatial::{Inertia, Pose};
use std::path::PathBuf;
use std::sync::Arc;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// MuJoCo's.
    Mjcf,
    /// ROS's.
    Urdf,
}

/// Everything in a model file.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // the names of the lists say what they contain
pub struct Description {
    pub name: String,
    pub format: Format,
    pub options: Options,
    /// The world, then all others, each after its parent.
    pub bodies: Vec<Body>,
    pub meshes: Vec<Arc<Mesh>>,
    pub height_fields: Vec<Arc<HeightField>>,
    pub textures: Vec<Texture>,
    pub materials: Vec<Material>,
    pub skins: Vec<Skin>,
    pub pairs: Vec<ContactPair>,
    pub excludes: Vec<Exclude>,
    pub equalities: Vec<Equality>,
    pub tendons: Vec<Tendon>,
    pub actuators: Vec<Actuator>,
    pub sensors: Vec<Sensor>,
    pub keyframes: Vec<Keyframe>,
}

impl Description {
    /// Nothing but the world.
    pub fn new(name: impl Into<String>, format: Format) -> Description {
        Description {
            name: name.into(),
            format,
            options: Options::default(),
            bodies: vec![Body::new("world", 0, Place::default())],
            meshes: Vec::new(),
            height_fields: Vec::new(),
            textures: Vec::new(),
            materials: Vec::new(),
            skins: Vec::new(),
            pairs: Vec::new(),
            excludes: Vec::new(),
            equalities: Vec::new(),
            tendons: Vec::new(),
            actuators: Vec::new(),
            sensors: Vec::new(),
            keyframes: Vec::new(),
        }
    }
    /// All joints with the number of their body, in the order of their coordinates.
    pub fn joints(&self) -> impl Iterator<Item = (usize, &Joint)> {
        self.bodies.iter().enumerate().flat_map(|(k, b)| b.joints.iter().map(move |j| (k, j)))
    }
    /// All geoms with the number of their body.
    pub fn geoms(&self) -> impl Iterator<Item = (usize, &Geom)> {
        self.bodies.iter().enumerate().flat_map(|(k, b)| b.geoms.iter().map(move |g| (k, g)))
    }
    /// All sites with the number of their body.
    pub fn sites(&self) -> impl Iterator<Item = (usize, &Site)> {
        self.bodies.iter().enumerate().flat_map(|(k, b)| b.sites.iter().map(move |s| (k, s)))
    }
}

/// Settings of the simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The time step, s.
    pub timestep: f64,
    /// The acceleration of gravity, m/s².
    pub gravity: V3,
    /// The integrator's name in the file (MJCF: Euler, RK4, implicit, implicitfast), empty when not given.
    pub integrator: String,
    /// The density of the medium, kg/m³.
    pub density: f64,
    /// The viscosity of the medium, Pa s.
    pub viscosity: f64,
    /// The velocity of the medium, m/s.
    pub wind: V3,
    /// MJCF flags that are switched off, by name (`gravity`, `contact`, …).
    pub disabled: Vec<String>,
    /// The margin of every contact, whatever geoms and pairs say, m: MJCF's `o_margin`, where the flag `override` is enabled.
    pub contact_margin: Option<f64>,
    /// The friction of every contact in the same way: MJCF's `o_friction`, two of sliding, torsion, two of rolling.
    pub contact_friction: Option<[f64; 5]>,
}

impl Options {
    /// True when the file switches this MJCF flag off.
    pub fn is_disabled(&self, flag: &str) -> bool {
        self.disabled.iter().any(|f| f == flag)
    }
    /// True when flags of an MJCF file switch all equality constraints off.
    pub fn without_equalities(&self) -> bool {
        self.is_disabled("equality") || self.is_disabled("constraint")
    }
    /// True when limits of joints and tendons are switched off.
    pub fn no_limits(&self) -> bool {
        self.is_disabled("limit") || self.is_disabled("constraint")
    }
    /// True when contact is switched off.
    pub fn no_contact(&self) -> bool {
        self.is_disabled("contact") || self.is_disabled("constraint")
    }
    /// True when dry friction of joints and tendons is switched off.
    pub fn no_dry_friction(&self) -> bool {
        self.is_disabled("frictionloss") || self.is_disabled("constraint")
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            timestep: 0.002,
            gravity: V3::new(0.0, 0.0, -9.81),
            integrator: String::new(),
            density: 0.0,
            viscosity: 0.0,
            wind: V3::ZERO,
            disabled: Vec::new(),
            contact_margin: None,
            contact_friction: None,
        }
    }
}

/// A body with everything that is fixed to it.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name; empty when the file gives none.
    pub name: String,
    /// The index of its parent.
    pub parent: usize,
    /// Its pose in the parent's frame, with all joints at their reference.
    pub pose: Pose,
    /// Its inertia in its own frame, whether given or computed from shapes.
    pub inertia: Inertia,
    /// The joints between it and its parent.
    pub joints: Vec<Joint>,
    /// Its shapes, for display and contact.
    pub geoms: Vec<Geom>,
    /// Points of interest.
    pub sites: Vec<Site>,
    /// Cameras.
    pub cameras: Vec<Camera>,
    /// Lights.
    pub lights: Vec<Light>,
    /// The fraction of its weight that is compensated.
    pub gravity_compensation: f64,
    /// A body moved by the user, not by forces.
    pub mocap: bool,
    /// Its place in the file.
    pub place: Place,
}

impl Body {
    /// A massless body at its parent's frame.
    pub fn new(name: impl Into<String>, parent: usize, place: Place) -> Body {
        Body {
            name: name.into(),
            parent,
            pose: Pose::IDENTITY,
            inertia: Inertia::ZERO,
            joints: Vec::new(),
            geoms: Vec::new(),
            sites: Vec::new(),
            cameras: Vec::new(),
            lights: Vec::new(),
            gravity_compensation: 0.0,
            mocap: false,
            place,
        }
    }
}

/// Adds to a list that usually has one element: `push` alone would reserve four from the start, which is kilobytes here.
pub(crate) fn push_exact<T>(list: &mut Vec<T>, item: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(item);
}

/// What a joint allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the usual words
pub enum JointType {
    Hinge,
    Slide,
    Ball,
    Free,
    /// URDF: two distances in the plane whose normal is the axis, and an angle about it.
    Planar,
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name; empty when the file gives none.
    pub name: String,
    /// What it allows.
    pub kind: JointType,
    /// The axis, in the body's frame (normal of a planar joint; unused for ball and free).
    pub axis: V3,
    /// The point it rotates about, in the body's frame.
    pub anchor: V3,
    /// The coordinate at which the body has its pose.
    pub reference: f64,
    /// The coordinate at which the spring rests.
    pub spring_reference: f64,
    /// Spring stiffness.
    pub stiffness: f64,
    /// Viscous damping.
    pub damping: f64,
    /// MJCF `springdamper`: time constant and damping ratio, from which stiffness and damping were found.
    pub spring_damper: Option<[f64; 2]>,
    /// Rotor inertia.
    pub armature: f64,
    /// Dry friction.
    pub friction_loss: f64,
    /// The range of the coordinate, when limited; for a ball, (0, largest angle).
    pub range: Option<(f64, f64)>,
    /// The distance at which the limit begins to act.
    pub margin: f64,
    /// The range of the sum of all actuator forces, when limited.
    pub actuator_force_range: Option<(f64, f64)>,
    /// URDF: the largest force of its motor and the largest speed.
    pub effort_and_velocity: Option<(f64, f64)>,
    /// Stiffness and damping of the limit, in the solver's terms.
    pub solver_limit: SolverParameters,
    /// Stiffness and damping of the limit, if soft limits were requested; otherwise it is rigid.
    pub soft_limit: Option<(f64, f64)>,
    /// Stiffness and damping of dry friction, in the solver's terms.
    pub solver_friction: SolverParameters,
    /// Its place in the file.
    pub place: Place,
}

impl Joint {
    /// A joint without friction, spring or limits.
    pub fn new(name: impl Into<String>, kind: JointType, place: Place) -> Joint {
        Joint {
            name: name.into(),
            kind,
            axis: V3::Z,
            anchor: V3::ZERO,
            reference: 0.0,
            spring_reference: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            spring_damper: None,
            armature: 0.0,
            friction_loss: 0.0,
            range: None,
            margin: 0.0,
            actuator_force_range: None,
            effort_and_velocity: None,
            solver_limit: SolverParameters::default(),
            soft_limit: None,
            solver_friction: SolverParameters::default(),
            place,
        }
    }
}

/// A shape fixed to a body, and where its mass comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Geom {
    /// Shape, pose, role, contact and colour, as the model has them; without a body.
    pub geom: model::Geom,
    /// Its mass; `None`: it comes from the density.
    pub mass: Option<f64>,
    /// Its density, kg/m³.
    pub density: f64,
    /// MJCF: the medium acts on it as on an ellipsoid (not simulated).
    pub fluid_ellipsoid: bool,
    /// All its mass is in its surface.
    pub shell: bool,
    /// A number in [`Description::materials`].
    pub material: Option<usize>,
    /// Its place in the file.
    pub place: Place,
}

impl Geom {
    /// The colour of a geom that has none.
    pub(crate) const GREY: [f64; 4] = [0.5, 0.5, 0.5, 1.0];
}

/// A frame on a body.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // as in Geom
pub struct Site {
    pub name: String,
    pub shape: Shape,
    pub pose: Pose,
    pub group: i32,
    pub rgba: [f64; 4],
    pub material: Option<usize>,
    pub place: Place,
}

/// A camera; it looks along −z of its frame.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the usual words
pub struct Camera {
    pub name: String,
    pub pose: Pose,
    /// Vertical field of view, radians.
    pub field_of_view: f64,
    /// MJCF: fixed, track, trackcom, targetbody, targetbodycom.
    pub mode: String,
    pub target: Option<String>,
    pub place: Place,
}

/// A light.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the usual words
pub struct Light {
    pub name: String,
    pub position: V3,
    pub direction: V3,
    pub directional: bool,
    pub diffuse: [f64; 3],
    pub ambient: [f64; 3],
    pub specular: [f64; 3],
    pub cast_shadow: bool,
    pub active: bool,
    pub place: Place,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the usual words
pub struct Texture {
    pub name: String,
    pub file: Option<PathBuf>,
    /// MJCF: none, gradient, checker, flat.
    pub builtin: String,
    /// MJCF: 2d, cube, skybox.
    pub kind: String,
    /// MJCF: how the faces of a cube lie in the file (`gridsize`, `gridlayout`); empty when not given.
    pub grid: (String, String),
    pub rgb1: [f64; 3],
    pub rgb2: [f64; 3],
    /// MJCF: what is drawn on a built-in texture (none, edge, cross, random), and its colour.
    pub mark: (String, [f64; 3]),
    pub place: Place,
}

/// The appearance of a surface.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the usual words
pub struct Material {
    pub name: String,
    pub rgba: [f64; 4],
    /// A number in [`Description::textures`].
    pub texture: Option<usize>,
    pub texrepeat: [f64; 2],
    /// MJCF: the texture repeats by length, not by the size of its geom.
    pub texuniform: bool,
    pub specular: f64,
    pub shininess: f64,
    pub reflectance: f64,
    pub emission: f64,
    pub place: Place,
}

/// MJCF: a surface that deforms with several bodies, for display only.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the usual words
pub struct Skin {
    pub name: String,
    pub file: PathBuf,
    /// A number in [`Description::materials`].
    pub material: Option<usize>,
    pub rgba: [f64; 4],
    pub group: i32,
    pub place: Place,
}

/// A contact pair with parameters of its own; `None`: those of the geoms.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // MJCF's words
pub struct ContactPair {
    pub name: String,
    pub geom1: String,
    pub geom2: String,
    pub condim: Option<u8>,
    pub friction: Option<[f64; 5]>,
    pub margin: Option<f64>,
    pub gap: Option<f64>,
    pub solver: Option<SolverParameters>,
    pub place: Place,
}

/// Two bodies without contact between them.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // numbers of bodies
pub struct Exclude {
    pub name: String,
    pub body1: usize,
    pub body2: usize,
    pub place: Place,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the usual words
pub struct Equality {
    pub name: String,
    pub kind: EqualityKind,
    pub active: bool,
    pub solver: SolverParameters,
    /// Softness of constraints to mocap bodies, or given in `<custom>`; all others are rigid.
    pub softness: Option<Softness>,
    pub place: Place,
}

/// The condition of a constraint. Indices are those of bodies, of joints (in the order of [`Description::joints`]) and of tendons.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the names of the fields say what they are
pub enum EqualityKind {
    /// A point of body1, given in its frame, stays on the point of body2 where it is in the reference configuration.
    Connect { body1: usize, body2: usize, anchor: V3 },
    /// A point of body2, given in its frame, and the axes of body2 stay in a pose relative to body1; `None`: the pose of
    /// the reference configuration.
    Weld { body1: usize, body2: usize, anchor: V3, relative: Option<Pose>, torque_scale: f64 },
    /// Two sites, given by their bodies and their poses there, coincide; if welded, their axes coincide too.
    Sites { sites: [(usize, Pose); 2], weld: bool, torque_scale: f64 },
    /// q1 = polynomial of q2 (about their references), or a constant.
    Joint { joint1: usize, joint2: Option<usize>, coefficients: [f64; 5] },
    /// length1 = polynomial of length2 (about their references), or a constant.
    Tendon { tendon1: usize, tendon2: Option<usize>, coefficients: [f64; 5] },
    /// Not resolved further: its keyword in the file.
    Other(String),
}

/// A tendon.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // MJCF's words
pub struct Tendon {
    pub name: String,
    pub path: TendonPath,
    pub range: Option<(f64, f64)>,
    pub stiffness: f64,
    pub damping: f64,
    pub armature: f64,
    pub friction_loss: f64,
    /// The lengths between which the spring rests; `None`: the length of the reference configuration.
    pub spring_length: Option<(f64, f64)>,
    pub margin: f64,
    /// Stiffness and damping of the limit, in the solver's terms.
    pub solver_limit: SolverParameters,
    /// Stiffness and damping of the limit, if soft limits were requested; otherwise it is rigid.
    pub soft_limit: Option<(f64, f64)>,
    pub width: f64,
    pub rgba: [f64; 4],
    pub place: Place,
}

/// What determines the length of a tendon.
#[derive(Clone, Debug, PartialEq)]
pub enum TendonPath {
    /// Σ coefficient · q over joints (numbers as in [`Description::joints`]).
    Fixed(Vec<(usize, f64)>),
    /// A path through space.
    Spatial(Vec<Waypoint>),
}

/// A point of a spatial tendon's path, by names.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // MJCF's words
pub enum Waypoint {
    Site(String),
    Geom { geom: String, side: Option<String> },
    Pulley { divisor: f64 },
}

/// A motor, in MJCF's general form.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // MJCF's words
pub struct Actuator {
    pub name: String,
    /// Its keyword in the file: motor, position, general…
    pub word: String,
    pub target: Target,
    pub gear: [f64; 6],
    pub control_range: Option<(f64, f64)>,
    pub force_range: Option<(f64, f64)>,
    pub activation_range: Option<(f64, f64)>,
    /// none, integrator, filter, filterexact, muscle, user.
    pub dynamics: String,
    pub dynamics_parameters: Vec<f64>,
    /// fixed, affine, muscle, user.
    pub gain: String,
    pub gain_parameters: Vec<f64>,
    /// none, affine, muscle, user.
    pub bias: String,
    pub bias_parameters: Vec<f64>,
    /// MJCF `dampratio`, from which the damping of a servo was found.
    pub damping_ratio: Option<f64>,
    pub place: Place,
}

/// What an actuator moves. Indices are those of joints, tendons and bodies.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // MJCF's words
pub enum Target {
    Joint {
        joint: usize,
        in_parent: bool,
    },
    Tendon(usize),
    /// A site, given by its body and its pose there; with a reference site the wrench is relative to that.
    Site {
        body: usize,
        pose: Pose,
        reference: Option<(usize, Pose)>,
    },
    SliderCrank {
        crank: String,
        slider: String,
        length: f64,
    },
    /// Adhesion.
    Body(usize),
}

/// A sensor, by its keyword and the names it refers to.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // MJCF's words
pub struct Sensor {
    pub name: String,
    pub word: String,
    /// Attributes that refer to other elements, as (attribute, name).
    pub names: Vec<(String, String)>,
    pub cutoff: f64,
    pub noise: f64,
    pub place: Place,
}

/// An initial state.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // MJCF's words
pub struct Keyframe {
    pub name: String,
    pub time: f64,
    pub qpos: Vec<f64>,
    pub qvel: Vec<f64>,
    pub act: Vec<f64>,
    pub ctrl: Vec<f64>,
    pub place: Place,
}
