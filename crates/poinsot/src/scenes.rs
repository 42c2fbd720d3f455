//! Ready-made scenes: a model, where it begins, and how it is best run.

use crate::algebra::{Sym3, V3};
use crate::dynamics::State;
use crate::formats::{self, Description};
use crate::model::{BodyId, BodySpec, Joint, Model, ModelBuilder, ModelError, Shape, ShapeError};
use crate::spatial::{Inertia, InertiaError, Pose, Quat};
use thiserror::Error;

/// A model with an initial state and good settings.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The model.
    pub model: Model,
    /// Where it begins.
    pub state: State,
    /// How long a run is, s.
    pub duration: f64,
    /// The step, s.
    pub dt: f64,
    /// The integrator.
    pub integrator: &'static str,
    /// All that the model file says, for a scene that is one.
    pub description: Option<Box<Description>>,
    /// The control signals at the beginning.
    pub control: Vec<f64>,
}

/// Name and one sentence of every scene.
pub const SCENES: [(&str, &str); 12] = [
    ("dzhanibekov", "A free body spun about its middle axis turns over, again and again (default)."),
    ("heavy-top", "A fast top on a fixed point under gravity: the benchmark of the Lie group literature."),
    ("pendulum", "A point mass on a massless rod, let go from the horizontal."),
    ("double-pendulum", "Two point masses on massless rods, let go from the horizontal: chaos."),
    ("chain5", "Five uniform rods in a plane, let go from the horizontal."),
    ("chain:N", "N rods (20 if not given) with alternating axes, hanging, its free end pushed."),
    ("ball-chain", "A double pendulum in space, on ball joints."),
    ("humanoid", "A free-floating humanoid of 30 hinges thrown with all joints moving."),
    ("particle-drag", "A particle thrown up through air whose drag grows with its speed."),
    ("rotors:N", "N free plates (1000 if not given) spun about their middle axes, each a little otherwise."),
    ("astronaut", "A person in free space with a servo on each joint."),
    ("ur5", "The robot arm UR5, held by servos."),
];

/// Scenes that are model files: name, text, and the integrator: of the astronaut one that keeps momenta.
const FILES: [(&str, &str, &str); 2] = [
    ("astronaut", include_str!("../models/astronaut.xml"), "midpoint"),
    ("ur5", include_str!("../models/ur5.xml"), "implicit"),
];

/// Why a scene could not be made.
#[derive(Debug, Error)]
pub enum SceneError {
    /// No such scene.
    #[error("there is no scene \"{name}\"{}; `poinsot list` shows them all", suggest(name))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// A wrong number of links.
    #[error(
        "\"{name}\": give the number after the colon as a whole number from 1 to 1000000, as in chain:100"
    )]
    BadCount {
        /// What was asked for.
        name: String,
    },
    /// A scene that does not hold together.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A shape that does not hold together.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// An inertia that does not hold together.
    #[error(transparent)]
    Inertia(#[from] InertiaError),
    /// A file that does not hold together.
    #[error(transparent)]
    File(#[from] formats::LoadError),
}

fn suggest(name: &str) -> String {
    let known = SCENES.iter().map(|(n, _)| n.split(':').next().unwrap_or(n));
    let close = |n: &str| n.starts_with(name) || name.starts_with(n) || distance(n, name) <= 2;
    known.into_iter().find(|n| close(n)).map_or(String::new(), |n| format!(" (did you mean \"{n}\"?)"))
}

/// How many letters must be added, dropped or changed to make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for j in 0..b.len() {
            let change = diagonal + usize::from(b[j] != x);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The scene of this name.
///
/// ```
/// let scene = poinsot::scenes::by_name("chain:100")?;
/// assert_eq!(scene.model.nv(), 100);
/// # Ok::<(), poinsot::scenes::SceneError>(())
/// ```
pub fn by_name(name: &str) -> Result<Scene, SceneError> {
    match name {
        "dzhanibekov" => dzhanibekov(),
        "heavy-top" => heavy_top(),
        "pendulum" => rods(&[1.0], 1.0, "pendulum"),
        "double-pendulum" => rods(&[1.0, 1.0], 1.0, "double-pendulum"),
        "chain5" => rods(&[0.5; 5], 0.5, "chain5"),
        "chain" => chain(20),
        "ball-chain" => ball_chain(),
        "humanoid" => humanoid(),
        "particle-drag" => particle_drag(),
        "rotors" => rotors(1000),
        _ => {
            if let Some((_, text, integrator)) = FILES.iter().find(|(n, _, _)| *n == name) {
                return from_file(name, text, integrator);
            }
            let Some((kind, n)) = name.split_once(':').filter(|(k, _)| ["chain", "rotors"].contains(k))
            else {
                return Err(SceneError::Unknown { name: name.to_string() });
            };
            match n.parse() {
                Ok(n @ 1..=1_000_000) if kind == "chain" => chain(n),
                Ok(n @ 1..=1_000_000) => rotors(n),
                _ => Err(SceneError::BadCount { name: name.to_string() }),
            }
        }
    }
}

/// A scene from a model file, at its first keyframe.
fn from_file(name: &str, text: &str, integrator: &'static str) -> Result<Scene, SceneError> {
    let loaded = formats::load_text(format!("{name}.xml"), text, &Default::default())?;
    let mut state = State::new(&loaded.model);
    let mut control = Vec::new();
    if let Some(key) = loaded.description.keyframes.first() {
        state.q.clone_from(&key.qpos);
        control.clone_from(&key.ctrl);
    }
    let (dt, description) = (loaded.description.options.timestep, Some(Box::new(loaded.description)));
    Ok(Scene { model: loaded.model, state, duration: 5.0, dt, integrator, description, control })
}

impl Scene {
    fn new(model: Model, state: State, duration: f64, dt: f64, integrator: &'static str) -> Scene {
        Scene { model, state, duration, dt, integrator, description: None, control: Vec::new() }
    }
}

fn dzhanibekov() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("dzhanibekov");
    b.gravity(V3::ZERO);
    let inertia = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0))?;
    let body = b.body(BodyId::WORLD, BodySpec::new("body").inertia(inertia));
    b.joint(body, Joint::free());
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v[3..6].copy_from_slice(&[0.01, 2.0, 0.01]);
    Ok(Scene::new(model, state, 100.0, 0.01, "exact"))
}

fn heavy_top() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("heavy-top");
    let inertia = Inertia::new(15.0, V3::Y, Sym3::diagonal(0.234375, 0.46875, 0.234375))?;
    let top = b.body(BodyId::WORLD, BodySpec::new("top").inertia(inertia));
    b.joint(top, Joint::spherical());
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v.copy_from_slice(&[0.0, 150.0, -4.61538]);
    Ok(Scene::new(model, state, 2.0, 1e-4, "exact"))
}

/// Rods in the x–z plane, each turning about y at its upper end, the whole straight along x at the start. The mass
/// of 1 kg is at `share` of the length: 1 for a point mass at the end, ½ for a uniform rod.
fn rods(lengths: &[f64], share: f64, name: &str) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(name);
    let mut parent = BodyId::WORLD;
    let mut at = V3::ZERO;
    for (k, &l) in lengths.iter().enumerate() {
        let across = if share < 1.0 { l * l / 12.0 } else { 0.0 };
        let inertia = Inertia::new(1.0, V3::new(0.0, 0.0, -share * l), Sym3::diagonal(across, across, 0.0))?;
        let rod = b.body(parent, BodySpec::new(format!("rod{}", k + 1)).at(at).inertia(inertia));
        b.joint(rod, Joint::revolute(-V3::Y).named(format!("hinge{}", k + 1)));
        (parent, at) = (rod, V3::new(0.0, 0.0, -l));
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    state.q[0] = std::f64::consts::FRAC_PI_2;
    Ok(Scene::new(model, state, 10.0, 1e-3, "midpoint"))
}

fn chain(n: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("chain of {n}"));
    let (length, mass) = (0.1, 1.0);
    let down = V3::new(0.0, 0.0, -length);
    let inertia =
        Shape::Cylinder { radius: 0.02, length }.inertia(mass)?.seen_from(Pose::translation(down * 0.5));
    let mut parent = BodyId::WORLD;
    for k in 0..n {
        let at = if k == 0 { V3::ZERO } else { down };
        let link = b.body(parent, BodySpec::new(format!("link{}", k + 1)).at(at).inertia(inertia));
        b.joint(
            link,
            Joint::revolute(if k % 2 == 0 { V3::Y } else { V3::X }).named(format!("hinge{}", k + 1)),
        );
        parent = link;
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v[n - 1] = 1.0;
    Ok(Scene::new(model, state, 5.0, 1e-3, "semi-implicit"))
}

fn ball_chain() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("ball-chain");
    let (half, end) = (V3::new(0.0, 0.0, -0.5), V3::new(0.0, 0.0, -1.0));
    let bar = Shape::Box { size: V3::new(0.1, 0.1, 1.0) }.inertia(1.0)?.seen_from(Pose::translation(half));
    let upper = b.body(BodyId::WORLD, BodySpec::new("upper").inertia(bar));
    b.joint(upper, Joint::spherical());
    let lower = b.body(upper, BodySpec::new("lower").at(end).inertia(bar));
    b.joint(lower, Joint::spherical());
    let model = b.build()?;
    let mut state = State::new(&model);
    // attitudes and spins in the world; the lower joint's are relative to the upper bar
    let (first, second) = (Quat::exp(V3::new(1.0, 0.4, 0.1)), Quat::exp(V3::new(0.5, -0.9, 0.3)));
    let (spin, other) = (V3::new(0.0, 0.0, 2.0), V3::new(0.0, 1.0, -1.0));
    let relative = first.conjugate() * second;
    state.q[..4].copy_from_slice(&first.array());
    state.q[4..].copy_from_slice(&relative.array());
    state.v[..3].copy_from_slice(&spin.array());
    state.v[3..].copy_from_slice(&(other - relative.matrix().tr_mul(spin)).array());
    Ok(Scene::new(model, state, 10.0, 1e-3, "midpoint"))
}

/// Plates as a phone is one, in a square, spun about the axis about which no spin lasts.
fn rotors(n: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("rotors, {n}"));
    b.gravity(V3::ZERO);
    let plate = Shape::Box { size: V3::new(0.5, 0.3, 0.05) };
    let side = (n as f64).sqrt().ceil().max(1.0);
    for k in 0..n {
        let (row, column) = ((k as f64 / side).floor(), k as f64 % side);
        let at = V3::new(column - 0.5 * (side - 1.0), row - 0.5 * (side - 1.0), 0.0) * 0.8;
        let body = b.body(BodyId::WORLD, BodySpec::new(format!("plate{}", k + 1)).at(at).solid(&plate, 1.0)?);
        b.joint(body, Joint::free());
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    for k in 0..n {
        // the golden ratio spreads what disturbs the spins
        let part = (0.618_033_988_749_894_9 * (k + 1) as f64).fract();
        state.v[6 * k + 3..6 * k + 6].copy_from_slice(&[0.002 + 0.2 * part * part, 4.0, 0.002]);
    }
    Ok(Scene::new(model, state, 20.0, 0.01, "exact"))
}

/// A humanoid of capsules and boxes, 36 degrees of freedom: six in space, and hinges as a person has them.
fn humanoid() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("humanoid");
    b.gravity(V3::ZERO);
    let trunk = Shape::Box { size: V3::new(0.2, 0.3, 0.2) };
    let pelvis =
        b.body(BodyId::WORLD, BodySpec::new("pelvis").at(V3::new(0.0, 0.0, 1.0)).solid(&trunk, 10.0)?);
    b.joint(pelvis, Joint::free());
    let mut segment = |parent: BodyId, name: &str, at: V3, down: V3, mass: f64, axes: &[V3]| {
        let length = down.norm();
        let bone = Shape::Capsule { radius: 0.25 * length.min(0.2), length };
        let middle = Pose { rot: z_along(down), pos: down * 0.5 };
        // one hinge after the other at the same place; only the last body has mass
        let spec = BodySpec::new(name).at(at).solid_at(&bone, mass, middle)?;
        let body = b.body(parent, spec);
        for (k, axis) in axes.iter().enumerate() {
            let joint = Joint::revolute(*axis).named(format!("{name}_{k}"));
            b.joint(body, joint);
        }
        Ok::<BodyId, SceneError>(body)
    };
    let up = |l: f64| V3::new(0.0, 0.0, l);
    let torso = segment(pelvis, "torso", up(0.1), up(0.5), 25.0, &[V3::Z, V3::Y, V3::X])?;
    segment(torso, "head", up(0.55), up(0.2), 4.0, &[V3::Z, V3::Y, V3::X])?;
    for (side, y) in [("left", 1.0), ("right", -1.0)] {
        let name = |part: &str| format!("{side}_{part}");
        let hip = V3::new(0.0, 0.1 * y, -0.1);
        let thigh = segment(pelvis, &name("thigh"), hip, up(-0.4), 8.0, &[V3::Z, V3::X, V3::Y])?;
        let shin = segment(thigh, &name("shin"), up(-0.4), up(-0.4), 4.0, &[V3::Y])?;
        segment(shin, &name("foot"), up(-0.4), V3::new(0.2, 0.0, 0.0), 1.0, &[V3::Y, V3::X])?;
        let shoulder = V3::new(0.0, 0.2 * y, 0.45);
        let arm = segment(torso, &name("upper_arm"), shoulder, up(-0.3), 2.0, &[V3::Y, V3::X, V3::Z])?;
        let forearm = segment(arm, &name("forearm"), up(-0.3), up(-0.25), 1.5, &[V3::Y])?;
        let wrist = [V3::Z, V3::Y];
        segment(forearm, &name("hand"), up(-0.25), up(-0.1), 0.5, &wrist)?;
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    for k in 0..model.nv() {
        state.v[k] = 0.5 * ((1 + 7 * k) % 5) as f64 - 1.0;
    }
    Ok(Scene::new(model, state, 5.0, 1e-3, "midpoint"))
}

/// A rotation that turns z to the direction of `v`, which is along one of the axes.
fn z_along(v: V3) -> crate::algebra::M3 {
    let quarter = std::f64::consts::FRAC_PI_2;
    let turn = if v.x != 0.0 { V3::Y * quarter } else { V3::ZERO };
    Quat::exp(turn).matrix()
}

fn particle_drag() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("particle-drag");
    b.gravity(V3::new(0.0, -9.8, 0.0));
    let point = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(0.0, 0.0, 0.0))?;
    let particle = b.body(BodyId::WORLD, BodySpec::new("particle").inertia(point));
    for (name, axis) in [("x", V3::X), ("y", V3::Y), ("z", V3::Z)] {
        b.joint(particle, Joint::prismatic(axis).named(name).damping(0.1));
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    state.v.copy_from_slice(&[10.0, 20.0, 10.0]);
    Ok(Scene::new(model, state, 4.0, 1e-3, "rkmk4"))
}
