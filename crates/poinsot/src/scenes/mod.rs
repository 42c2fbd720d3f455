//! Ready-made scenes: a model, its initial state, and recommended settings.

mod andrews;
mod bars;
mod blocks;
mod chains;
mod contact;
mod free;
mod governor;
mod humanoid;
mod loops;
mod rolling;
mod soft;
mod stewart;
mod stops;

use crate::Contact;
use crate::constraint::{ConstraintError, Multipliers};
use crate::dynamics::{State, Workspace};
use crate::formats::{self, Description};
use crate::integrate::Method;
use crate::model::{Model, ModelError, ShapeError};
use crate::spatial::InertiaError;
use contact::{arch, balance, impacts, machines, piles, ragdoll, spinning};
use thiserror::Error;

/// A model with an initial state and good settings.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The model.
    pub model: Model,
    /// The initial state.
    pub state: State,
    /// The recommended duration of a run, s.
    pub duration: f64,
    /// The step size, s.
    pub dt: f64,
    /// The integrator.
    pub integrator: Method,
    /// The contents of the model file, for a scene from a file.
    pub description: Option<Box<Description>>,
    /// The initial control signals.
    pub control: Vec<f64>,
    /// The contact settings; `None`: bodies pass through one another.
    pub contact: Option<Contact>,
}

/// The name and a one-sentence description of every scene.
pub const SCENES: [(&str, &str); 53] = [
    ("dzhanibekov", "A free body spun about its middle axis turns over, again and again (default)."),
    (
        "lecture",
        "The simulation loop of the lecture notes with its data: a thrown, spinning body pushed by a force fixed in it.",
    ),
    ("heavy-top", "A fast top on a fixed point under gravity: a benchmark of the Lie group literature."),
    ("pendulum", "A point mass on a massless rod, released from the horizontal."),
    ("double-pendulum", "Two point masses on massless rods, released from the horizontal: chaos."),
    ("chain5", "Five uniform rods in a plane, released from the horizontal."),
    (
        "chain:N",
        "A hanging chain of N rods (default 20) on hinges with alternating axes, its free end pushed.",
    ),
    ("ball-chain", "A double pendulum in space, on ball joints."),
    (
        "two-blocks",
        "Two free blocks, thrown, with their corners joined by a point constraint: twelve coordinates.",
    ),
    (
        "planar-blocks",
        "Two blocks joined at a point in the plane, by the position and angle of both: six coordinates.",
    ),
    (
        "planar-blocks-reduced",
        "Two blocks joined at a point in the plane, by the position and angle of the first and the angle of the second: four coordinates.",
    ),
    ("humanoid", "A free-floating humanoid of 30 hinges thrown with all joints moving."),
    ("particle-drag", "A particle thrown up through air, with drag proportional to its speed."),
    (
        "rotors:N",
        "N free plates (default 1000) spun about their middle axes, each started slightly differently.",
    ),
    ("astronaut", "A person in free space with a servo on each joint."),
    ("ur5", "The robot arm UR5, held by servos."),
    ("tree", "A branching tree of rods on ball joints and hinges, hanging upside down, its trunk swung."),
    (
        "heavy-chain:N",
        "N rods (default 20) on hinges, the last carrying a load a million times its own mass.",
    ),
    ("four-bar", "A crank, a coupler and a rocker: the crank goes round, the rocker swings to and fro."),
    (
        "n-four-bar:N",
        "N parallelograms (default 2) in a row, which pass through positions where they could fold.",
    ),
    ("slider-crank", "A crank, a connecting rod and a piston."),
    (
        "six-r",
        "Bricard's linkage of six bars along the edges of a cube: it moves, although counting says it cannot.",
    ),
    ("andrews", "Andrews' squeezer: seven bodies in three loops, driven by a motor for 0.03 s."),
    ("stewart", "A platform on six legs with springs, oscillating in all six degrees of freedom."),
    ("governor", "A flyball governor whose arms are very stiff springs with dampers."),
    ("rolling", "A coin rolling on its rim, leaning into its curve."),
    ("soft-joint", "Two cubes of 1 kg on ball joints of 1e9 N/m at their corners, in steps of 1/60 s."),
    ("stops", "A ball bounces on a stop until it rests; dry friction stops a sled on a spring."),
    ("bounce", "Five balls fall on the floor, with e = 0, 0.3, 0.5, 0.7 and 1."),
    ("oblique", "Two balls in free space collide off the line of their centres, with friction."),
    ("cradle", "Newton's cradle; its balls collide one after the other (--contact exact: all at once)."),
    ("billiards", "A rack of fifteen balls is broken: they slide, roll, rebound and come to rest."),
    (
        "shot",
        "A pellet at 500 m/s strikes a plate of 1 mm that hangs on a hinge (--contact exact/discrete misses it).",
    ),
    (
        "penalty",
        "Balls of 10 g, 1 kg and 100 kg land on springs and dampers, and all sink in by the same millimetre.",
    ),
    ("dominoes:N", "N dominoes (default 12), of which the first is pushed."),
    ("incline", "Two blocks on a slope, with 1 % more and 1 % less friction than they need to hold."),
    (
        "ladder",
        "Two ladders against a smooth wall, with 1 % more and 1 % less friction than they need to stand.",
    ),
    (
        "table",
        "A table on four legs with an off-centre weight: three legs would do, so the forces on its feet are not determined.",
    ),
    (
        "painleve",
        "A rod slides with so much friction that no force keeps it out of the ground: it stops at once (--stepping events).",
    ),
    ("gripper", "Two fingers hold a capsule of 45 g, which does not creep."),
    ("pyramid:N", "A pyramid of boxes, N (default 7) in its lowest row."),
    ("wall:N", "A wall of N courses of bricks (default 6)."),
    ("mass-ratio:N", "Ten boxes, the top one N times (default 1000) as heavy as the others."),
    (
        "arch:N",
        "A semicircular arch of sixteen stones, N thousandths of its radius thick (default 113; 107.1 is the minimum).",
    ),
    ("pit:N", "N boxes, balls, capsules, cylinders and ellipsoids (default 20) fall into a pit."),
    ("euler-disk", "A heavy disc wobbles on its rim, ever flatter and ever faster."),
    ("tippe-top", "A top that turns over and spins on its stem, because of the friction where it slides."),
    ("rattleback", "A boat-shaped stone that, spun the wrong way, rattles and turns back."),
    ("ragdoll", "A limp figure falls on the floor."),
    ("ragdolls:N", "N limp figures (4 by default) fall on one another."),
    ("fallen-humanoid", "A humanoid with 30 hinges falls over and lies still."),
    ("arm-and-box", "A robot arm swings round and knocks a box away."),
    ("stepladder", "Two legs, a hinge and a bar form a closed loop and stand on a frictionless floor."),
];

/// Scenes from model files: name, text, and integrator; the one for the astronaut conserves momenta.
const FILES: [(&str, &str, Method); 2] = [
    ("astronaut", include_str!("../../models/astronaut.xml"), Method::Midpoint),
    ("ur5", include_str!("../../models/ur5.xml"), Method::Implicit),
];

/// Why a scene could not be created.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// No such scene.
    #[error("there is no scene \"{name}\"{}; `poinsot list` shows them all", suggest(name))]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// An invalid number of parts.
    #[error(
        "\"{name}\": give the number after the colon as a whole number from 1 to {most}, as in chain:100"
    )]
    BadCount {
        /// The requested name.
        name: String,
        /// The largest number.
        most: usize,
    },
    /// An invalid model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An invalid shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// An invalid inertia.
    #[error(transparent)]
    Inertia(#[from] InertiaError),
    /// A mechanism that cannot be assembled.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// An invalid file.
    #[error(transparent)]
    File(#[from] formats::LoadError),
}

fn suggest(name: &str) -> String {
    let known = SCENES.iter().map(|(n, _)| n.split(':').next().unwrap_or(n));
    let close = |n: &str| n.starts_with(name) || name.starts_with(n) || distance(n, name) <= 2;
    known.into_iter().find(|n| close(n)).map_or(String::new(), |n| format!(" (did you mean \"{n}\"?)"))
}

/// The edit distance from `a` to `b`.
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

/// A scene with a variable number of parts: name, default number, largest number, and constructor.
type Counted = (&'static str, usize, usize, fn(usize) -> Result<Scene, SceneError>);

const COUNTED: [Counted; 11] = [
    ("chain", 20, 1_000_000, chains::chain),
    ("rotors", 1000, 1_000_000, free::rotors),
    ("heavy-chain", 20, 1_000_000, chains::heavy_chain),
    // maximal coordinates solve the rows that close its loops as one dense system
    ("n-four-bar", 2, 200, loops::n_four_bar),
    ("dominoes", 12, 1000, piles::dominoes),
    ("pyramid", 7, 60, piles::pyramid),
    ("wall", 6, 100, piles::wall),
    ("mass-ratio", 1000, 1_000_000_000, piles::mass_ratio),
    ("arch", 113, 500, arch::arch),
    ("pit", 20, 10_000, piles::pit),
    ("ragdolls", 4, 100, ragdoll::ragdolls),
];

/// The scene of this name.
///
/// ```
/// let scene = poinsot::scenes::by_name("chain:100")?;
/// assert_eq!(scene.model.nv(), 100);
/// # Ok::<(), poinsot::scenes::SceneError>(())
/// ```
pub fn by_name(name: &str) -> Result<Scene, SceneError> {
    match name {
        "dzhanibekov" => free::dzhanibekov(),
        "lecture" => free::lecture(),
        "two-blocks" => blocks::in_space(),
        "planar-blocks" => blocks::in_the_plane(),
        "planar-blocks-reduced" => blocks::in_joint_coordinates(),
        "heavy-top" => free::heavy_top(),
        "pendulum" => chains::rods(&[1.0], 1.0, "pendulum"),
        "double-pendulum" => chains::rods(&[1.0, 1.0], 1.0, "double-pendulum"),
        "chain5" => chains::rods(&[0.5; 5], 0.5, "chain5"),
        "ball-chain" => chains::ball_chain(),
        "humanoid" => humanoid::humanoid(),
        "fallen-humanoid" => humanoid::fallen(),
        "particle-drag" => free::particle_drag(),
        "tree" => chains::tree(),
        "four-bar" => loops::four_bar(),
        "slider-crank" => loops::slider_crank(),
        "six-r" => loops::six_r(),
        "andrews" => andrews::andrews(),
        "stewart" => stewart::stewart(),
        "governor" => governor::governor(),
        "rolling" => rolling::rolling(),
        "soft-joint" => soft::soft_joint(),
        "stops" => stops::stops(),
        "bounce" => impacts::bounce(),
        "oblique" => impacts::oblique(),
        "cradle" => impacts::cradle(),
        "billiards" => impacts::billiards(),
        "shot" => impacts::shot(),
        "penalty" => impacts::penalty(),
        "incline" => balance::incline(),
        "ladder" => balance::ladder(),
        "table" => balance::table(),
        "gripper" => balance::gripper(),
        "painleve" => balance::painleve(),
        "euler-disk" => spinning::euler_disk(),
        "tippe-top" => spinning::tippe_top(),
        "rattleback" => spinning::rattleback(),
        "ragdoll" => ragdoll::ragdoll(),
        "arm-and-box" => machines::arm_and_box(),
        "stepladder" => machines::stepladder(),
        _ => match FILES.iter().find(|(n, _, _)| *n == name) {
            Some((_, text, integrator)) => from_file(name, text, *integrator),
            None => counted(name),
        },
    }
}

/// The scene `kind` or `kind:N`.
fn counted(name: &str) -> Result<Scene, SceneError> {
    let (kind, number) = name.split_once(':').map_or((name, None), |(kind, n)| (kind, Some(n)));
    let Some((_, usual, most, make)) = COUNTED.into_iter().find(|(k, ..)| *k == kind) else {
        return Err(SceneError::Unknown { name: name.to_string() });
    };
    match number.map_or(Ok(usual), str::parse) {
        Ok(n) if (1..=most).contains(&n) => make(n),
        _ => Err(SceneError::BadCount { name: name.to_string(), most }),
    }
}

/// A scene from a model file, at its first keyframe.
fn from_file(name: &str, text: &str, integrator: Method) -> Result<Scene, SceneError> {
    let loaded = formats::load_text(format!("{name}.xml"), text, &Default::default())?;
    let mut state = State::new(&loaded.model);
    let mut control = Vec::new();
    if let Some(key) = loaded.description.keyframes.first() {
        state.q.clone_from(&key.qpos);
        control.clone_from(&key.ctrl);
    }
    let (dt, description) = (loaded.description.options.timestep, Some(Box::new(loaded.description)));
    Ok(Scene {
        model: loaded.model,
        state,
        duration: 5.0,
        dt,
        integrator,
        description,
        control,
        contact: None,
    })
}

impl Scene {
    fn new(model: Model, state: State, duration: f64, dt: f64, integrator: Method) -> Scene {
        Scene {
            model,
            state,
            duration,
            dt,
            integrator,
            description: None,
            control: Vec::new(),
            contact: None,
        }
    }

    /// Projects the initial state onto the constraints to round-off.
    fn assembled(mut self) -> Result<Scene, SceneError> {
        let (mut ws, mut multipliers) = (Workspace::new(&self.model), Multipliers::new(&self.model));
        multipliers.project_configuration(&self.model, &mut ws, &mut self.state.q)?;
        multipliers.project_velocity(&self.model, &mut ws, &self.state.q, &mut self.state.v);
        Ok(self)
    }
}
