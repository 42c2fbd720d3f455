//! What is drawn and plotted beside the bodies. A new one implements [`Instrument`]; pages, replays and films show it.

mod energies;
mod exact_path;
mod joints;
mod momenta;
mod poinsot_motion;
mod separation;
mod trail;

pub use energies::Energies;
pub use exact_path::ExactPath;
pub use joints::Joints;
pub use momenta::Momenta;
pub use poinsot_motion::PoinsotMotion;
pub use separation::Separation;
pub use trail::Trail;

use crate::show::{Frame, Scenery};
use poinsot::algebra::V3;
use poinsot::dynamics::{At, State};
use poinsot::model::Model;

/// A track at one moment.
pub struct Moment<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its state.
    pub state: &'a State,
    /// Its poses, velocities, energies.
    pub at: At<'a>,
    /// Its control signals.
    pub control: &'a [f64],
    /// Where its world is shown.
    pub offset: V3,
}

/// Where an instrument's declarations go.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The number of the track.
    pub track: usize,
    /// The number of the track's world among all bodies.
    pub first_body: usize,
    /// The size of the model, m.
    pub size: f64,
    /// The track's colour.
    pub colour: [f64; 3],
}

/// Something that is drawn or plotted: it declares its marks and channels, and reads as many in each frame, in the same
/// order. When somebody wants to see more, all declare again.
pub trait Instrument: Send {
    /// Adds its arrows, traces, solids and channels to the scenery.
    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery);
    /// Adds their values.
    fn read(&mut self, now: &Moment, frame: &mut Frame);
    /// Somebody wants to see this joint of the model: who shows joints declares it from now on.
    fn watch(&mut self, _joint: usize) {}
    /// The run begins anew: what was compared with the beginning is forgotten.
    fn reset(&mut self) {}
}

/// The instruments every model gets.
pub fn standard() -> Vec<Box<dyn Instrument>> {
    vec![Box::new(Energies::default()), Box::new(Momenta::default()), Box::new(Joints::default())]
}
