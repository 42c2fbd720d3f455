//! Drawings and plots in addition to the bodies. A new one implements [`Instrument`]; pages, replays and films show it.

mod anchors;
mod constraint_force;
mod contacts;
mod deviation;
mod drift;
mod energies;
mod exact_path;
mod joints;
mod ledger;
mod loads;
mod momenta;
mod naive_equation;
mod poinsot_motion;
mod raw_attitude;
mod separation;
mod trail;

pub use anchors::Anchors;
pub use constraint_force::ConstraintForce;
pub use contacts::{Contacts, Load, Mark, Touch, may_touch};
pub use deviation::Deviation;
pub use drift::Drift;
pub use energies::Energies;
pub use exact_path::ExactPath;
pub use joints::Joints;
pub use ledger::Ledger;
pub use loads::Loads;
pub use momenta::Momenta;
pub use naive_equation::NaiveEquation;
pub use poinsot_motion::PoinsotMotion;
pub use raw_attitude::RawAttitude;
pub use separation::Separation;
pub use trail::Trail;

use crate::show::{Frame, Scenery};
use crate::track_settings::EnergyAccount;
use poinsot::algebra::V3;
use poinsot::dynamics::{At, State};
use poinsot::model::{BodyId, Model};
use std::sync::Arc;

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
    /// Where its world is placed.
    pub offset: V3,
    /// Data from the simulation itself; `None` if it is not available, as in films.
    pub inside: Option<&'a Inside>,
    /// Which costly quantities are to be read.
    pub wants: &'a Watched,
}

/// Data that only the simulation of a track has.
#[derive(Clone, Debug, Default)]
pub struct Inside {
    /// The violation of the worst constraint, m or rad; NaN if it was not computed.
    pub drift: f64,
    /// The ledger, if one is kept.
    pub account: Option<EnergyAccount>,
    /// A hand that pulls: the body, the point in the world, the force.
    pub pull: Option<(BodyId, V3, V3)>,
    /// The contacts at this moment, if bodies can collide and a page shows them.
    pub touch: Option<Touch>,
}

/// The groups of channels and the layers that are being watched.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Watched {
    /// All of them.
    #[default]
    All,
    /// Only these.
    Only(Vec<String>),
}

impl Watched {
    /// Whether one of these is being watched.
    pub fn any(&self, names: &[&str]) -> bool {
        match self {
            Watched::All => true,
            Watched::Only(list) => list.iter().any(|w| names.contains(&w.as_str())),
        }
    }
}

/// The destination of an instrument's declarations.
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

/// Something that is drawn or plotted: it declares its marks and channels, and reads the same number in each frame, in the same order. When
/// more is requested, all instruments declare again.
pub trait Instrument: Send {
    /// Changes the model to one with the same bodies, joints and constraints.
    fn set_model(&mut self, _model: &Arc<Model>) {}
    /// Adds its arrows, traces, solids and channels to the scenery.
    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery);
    /// Adds their values.
    fn read(&mut self, now: &Moment, frame: &mut Frame);
    /// Requests this joint of the model: an instrument for joints declares it from now on.
    fn watch(&mut self, _joint: usize) {}
    /// The run starts again: comparisons with the beginning are reset.
    fn reset(&mut self) {}
}

/// The default instruments of every model.
pub fn standard() -> Vec<Box<dyn Instrument>> {
    vec![
        Box::new(Energies::default()),
        Box::new(Momenta::default()),
        Box::new(Joints::default()),
        Box::new(Drift::default()),
        Box::new(Loads::default()),
        Box::new(Anchors::default()),
    ]
}
