//! The gallery: scenes in which a law is seen. A new one is a function that makes a [`Show`] and an entry in [`EXHIBITS`].

mod chains;
mod constraints;
mod loops;
mod machines;
mod particles;
mod rotors;
mod tops;

use crate::cast::{Actor, Show};
use poinsot::scenes::{self, SceneError};

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
    /// At which time the thumbnail shows it, s.
    pub thumbnail: f64,
    make: fn() -> Result<Show, SceneError>,
}

/// All of them, in the order they are shown.
pub const EXHIBITS: [Exhibit; 23] = [
    rotors::DZHANIBEKOV,
    rotors::RACE,
    rotors::FIELD,
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

/// The exhibit of this name, or the scene of this name as it is.
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
        None => Ok(Show::of(name, vec![Actor::of_scene(scenes::by_name(name)?)])),
    }
}

/// Gives a track and all its bodies one colour.
fn painted(actor: &mut Actor, colour: [f64; 3]) {
    actor.colour = colour;
    actor.look.parts.iter_mut().for_each(|part| part.rgba[..3].copy_from_slice(&colour));
}

fn plots(groups: &[&str]) -> Vec<String> {
    groups.iter().map(|g| g.to_string()).collect()
}
