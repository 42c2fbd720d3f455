//! The gallery: scenes that each make one law visible. To add one, write a function that makes a [`Show`], and an entry in [`EXHIBITS`].

mod balance;
mod chains;
mod constraints;
mod impacts;
mod loops;
mod machines;
mod particles;
mod piles;
mod rotors;
mod spinning;
mod tops;

use crate::cast::{Actor, Show};
use crate::look::{Look, Part, between};
use poinsot::algebra::V3;
use poinsot::model::{BodyId, Shape};
use poinsot::scenes::{self, SceneError};
use poinsot::spatial::Pose;

/// A show of the gallery.
pub struct Exhibit {
    /// The name by which it is opened.
    pub name: &'static str,
    /// A heading.
    pub title: &'static str,
    /// One sentence of physics.
    pub physics: &'static str,
    /// What to try.
    pub try_this: &'static str,
    /// What to look out for.
    pub watch: &'static str,
    /// The time that the thumbnail shows, s.
    pub thumbnail: f64,
    make: fn() -> Result<Show, SceneError>,
}

/// The least time that a scene plays for, s.
const SHORTEST: f64 = 3.0;

/// All exhibits, in the order in which they are shown.
pub const EXHIBITS: [Exhibit; 53] = [
    rotors::DZHANIBEKOV,
    rotors::RACE,
    rotors::FIELD,
    rotors::LECTURE,
    rotors::SHEAR,
    rotors::NAIVE,
    tops::TOP,
    particles::DRAG,
    chains::TWINS,
    chains::FIVE,
    chains::LONG,
    chains::RACE,
    machines::ASTRONAUT,
    machines::UR5,
    machines::HUMANOID,
    constraints::COORDINATES,
    constraints::BLOCKS,
    loops::FOUR_BAR,
    loops::PARALLELOGRAMS,
    loops::SIX_R,
    loops::SLIDER_CRANK,
    loops::STEWART,
    loops::DRIFT,
    constraints::GOVERNOR,
    constraints::ROLLING,
    constraints::HEAVY,
    constraints::SOFT,
    constraints::LIMIT,
    impacts::BOUNCE,
    impacts::CRADLE,
    impacts::OBLIQUE,
    impacts::BILLIARDS,
    impacts::SHOT,
    impacts::PENALTY,
    balance::INCLINE,
    balance::LADDER,
    balance::PAINLEVE,
    balance::GRIPPER,
    balance::TABLE,
    balance::STEPLADDER,
    piles::DOMINOES,
    piles::PYRAMID,
    piles::WALL,
    piles::MASS_RATIO,
    piles::ARCH,
    piles::PIT,
    spinning::DISK,
    spinning::TIPPE_TOP,
    spinning::RATTLEBACK,
    piles::RAGDOLL,
    piles::RAGDOLLS,
    piles::FALLEN,
    piles::ARM,
];

impl Exhibit {
    /// The show, ready to begin.
    pub fn show(&self) -> Result<Show, SceneError> {
        let mut show = (self.make)()?;
        let scenery = &mut show.scenery;
        scenery.name = self.name.to_string();
        scenery.title = self.title.to_string();
        scenery.physics = self.physics.to_string();
        scenery.try_this = self.try_this.to_string();
        scenery.watch = self.watch.to_string();
        Ok(show)
    }
}

/// The exhibit with this name, or else the scene with this name, as it stands.
///
/// ```
/// let show = poinsot_view::gallery::by_name("dzhanibekov")?;
/// assert_eq!(show.scenery.title, "The turn of a free body");
/// assert_eq!(poinsot_view::gallery::by_name("chain:7")?.actors.len(), 1);
/// # Ok::<(), poinsot::scenes::SceneError>(())
/// ```
pub fn by_name(name: &str) -> Result<Show, SceneError> {
    match EXHIBITS.iter().find(|e| e.name == name) {
        Some(exhibit) => exhibit.show(),
        None => {
            let scene = scenes::by_name(name)?;
            // what is over in a moment is played in slow motion
            let speed = (scene.duration / SHORTEST).clamp(0.01, 1.0);
            Ok(Show { speed, ..Show::of(name, vec![Actor::of_scene(scene)]) })
        }
    }
}

/// A scene in which bodies touch, with its contacts marked.
fn touching(name: &str, groups: &[&str]) -> Result<Show, SceneError> {
    let mut show = Show::of(name, vec![Actor::of_scene(scenes::by_name(name)?)]);
    show.scenery.plots = plots(groups);
    show.scenery.shown = plots(&["contact points", "contact forces"]);
    Ok(show)
}

/// Gives a track and all its bodies but the world one colour.
fn painted(actor: &mut Actor, colour: [f64; 3]) {
    actor.colour = colour;
    let own = actor.look.parts.iter_mut().filter(|part| part.body != BodyId::WORLD);
    own.for_each(|part| part.rgba[..3].copy_from_slice(&colour));
}

/// Long, thin rods are drawn thicker, so that they can be seen.
fn thicken(look: &mut Look, to: f64) {
    for part in &mut look.parts {
        if let Shape::Capsule { radius, .. } = &mut part.shape {
            *radius = to;
        }
    }
}

/// The colour of what does not move.
const GREY: [f64; 3] = [0.45, 0.47, 0.5];

/// Adds a rod between two points of a body.
fn rod(actor: &mut Actor, body: BodyId, [a, b]: [V3; 2], radius: f64, [r, g, blue]: [f64; 3]) {
    if let Some((length, pose)) = between(a, b) {
        let shape = Shape::Capsule { radius, length };
        actor.look.parts.push(Part::seen(body, shape, pose, [r, g, blue, 1.0]));
    }
}

/// Gives a body one shape, about a point of it, in place of what was made up for it.
fn shaped(actor: &mut Actor, body: BodyId, shape: Shape, at: V3) {
    let mine = |part: &&Part| part.body == body;
    let rgba = actor.look.parts.iter().find(mine).map_or([0.5, 0.5, 0.5, 1.0], |part| part.rgba);
    actor.look.parts.retain(|part| part.body != body);
    actor.look.parts.push(Part::seen(body, shape, Pose::translation(at), rgba));
}

fn plots(groups: &[&str]) -> Vec<String> {
    groups.iter().map(|g| g.to_string()).collect()
}
