//! The initial state of a show: models with their appearance, states and settings, and the text about them.

use crate::instrument::{Contacts, Instrument, Ledger, standard};
use crate::look::{COLOURS, Look, Part};
use crate::projector::{Projector, Track, bounds, extent, landing, outline};
use crate::raster::{fit_camera, frame_points, reach};
use crate::show::{Camera, Scenery};
use crate::track_settings::TrackSettings;
use poinsot::algebra::V3;
use poinsot::constraint::Stabilisation;
use poinsot::dynamics::State;
use poinsot::formats::{Description, Keyframe};
use poinsot::integrate::Method;
use poinsot::model::{BodyId, Model, Shape};
use poinsot::nearest_integrator;
use poinsot::scenes::Scene;
use poinsot::{Contact, Formulation, Simulation, SimulationError};
use std::sync::Arc;

/// The initial state of a model, or an alternative to it.
#[derive(Clone, Debug)]
pub struct Start {
    /// Its name.
    pub name: String,
    /// Time, coordinates, velocities, activations.
    pub state: State,
    /// Control signals; one for each actuator.
    pub control: Vec<f64>,
}

impl Start {
    /// At `state`, with all controls 0.
    pub fn at(model: &Model, state: State) -> Start {
        Start { name: String::new(), state, control: vec![0.0; model.actuators().len()] }
    }

    fn of_keyframe(model: &Model, key: &Keyframe, number: usize) -> Start {
        let mut start = Start::at(model, State { time: key.time, ..State::new(model) });
        start.name = if key.name.is_empty() { format!("key {number}") } else { key.name.clone() };
        let lists = [
            (&key.qpos, &mut start.state.q),
            (&key.qvel, &mut start.state.v),
            (&key.ctrl, &mut start.control),
            (&key.act, &mut start.state.activation),
        ];
        // the reader has reported lists of the wrong length
        lists
            .into_iter()
            .filter(|(from, to)| from.len() == to.len())
            .for_each(|(from, to)| to.clone_from(from));
        start
    }
}

/// A model in a show.
pub struct Actor {
    /// What distinguishes it from its neighbours.
    pub label: String,
    /// Red, green, blue.
    pub colour: [f64; 3],
    /// The model.
    pub model: Arc<Model>,
    /// Its shapes.
    pub look: Look,
    /// The initial state.
    pub start: Start,
    /// Alternative initial states.
    pub keyframes: Vec<Start>,
    /// Its integrator.
    pub integrator: Method,
    /// The coordinates that are stepped.
    pub formulation: Formulation,
    /// How its constraints are kept from drifting.
    pub stabilisation: Stabilisation,
    /// How contact is solved; `None`: bodies pass through one another.
    pub contact: Option<Contact>,
    /// Its step, s.
    pub dt: f64,
    /// Where its world is placed in the show.
    pub offset: V3,
    /// The instruments drawn and plotted in addition to it.
    pub instruments: Vec<Box<dyn Instrument>>,
}

impl Actor {
    /// A model with its shapes, alone in a show.
    pub fn new(model: Model, look: Look, state: State, integrator: Method, dt: f64) -> Actor {
        let model = Arc::new(model);
        Actor {
            label: integrator.to_string(),
            colour: COLOURS[0],
            start: Start::at(&model, state),
            keyframes: Vec::new(),
            integrator,
            formulation: Formulation::default(),
            stabilisation: Stabilisation::default(),
            contact: None,
            dt,
            offset: V3::ZERO,
            instruments: standard(),
            look,
            model,
        }
    }

    /// A built-in scene.
    pub fn of_scene(scene: Scene) -> Actor {
        let Scene { model, state, dt, integrator, description, control, contact, .. } = scene;
        let mut actor = match description {
            Some(description) => Actor::described(model, &description, state, integrator, dt),
            None => {
                let look = Look::of_model(&model);
                Actor::new(model, look, state, integrator, dt)
            }
        };
        actor.contact = contact;
        if !control.is_empty() {
            actor.start.control.copy_from_slice(&control);
        }
        actor
    }

    /// The model of a file, run with the settings of the file, from its reference configuration.
    pub fn of_file(model: Model, description: &Description) -> Actor {
        let (state, integrator) = (State::new(&model), nearest_integrator(description, &model));
        let touches = !description.options.no_contact();
        // an integrator that steps no contact is reported, and another one may be chosen
        let stepped = if Contact::is_stepped_by(integrator) { integrator } else { Method::Leapfrog };
        let contact = Contact::usual(&model, stepped).filter(|_| touches);
        let actor = Actor::described(model, description, state, integrator, description.options.timestep);
        Actor { contact, ..actor }
    }

    fn described(
        model: Model,
        description: &Description,
        state: State,
        integrator: Method,
        dt: f64,
    ) -> Actor {
        let look = Look::described(&model, description);
        let keys = description.keyframes.iter().enumerate();
        let keyframes = keys.map(|(k, key)| Start::of_keyframe(&model, key, k)).collect();
        Actor { keyframes, ..Actor::new(model, look, state, integrator, dt) }
    }

    /// The body that was added last: the only one, or the end of a chain.
    pub fn last_body(&self) -> BodyId {
        self.model.body_ids().last().unwrap_or(BodyId::WORLD)
    }
    /// Adds an instrument.
    pub fn with(mut self, instrument: impl Instrument + 'static) -> Actor {
        self.instruments.push(Box::new(instrument));
        self
    }
    /// Places it elsewhere.
    pub fn at(mut self, offset: V3) -> Actor {
        self.offset = offset;
        self
    }
}

/// Models shown together, and the text about them.
pub struct Show {
    /// Text, plots and camera; the lists are filled when the show begins.
    pub scenery: Scenery,
    /// The models.
    pub actors: Vec<Actor>,
    /// The initial speed: simulated seconds per second.
    pub speed: f64,
}

impl Show {
    /// A show without text, with all of it in view.
    pub fn of(name: &str, actors: Vec<Actor>) -> Show {
        let mut scenery = Scenery {
            name: name.to_string(),
            title: actors.first().map_or(String::new(), |a| a.model.name().to_string()),
            plots: vec!["energy".into(), "energy change".into()],
            ..Scenery::default()
        };
        if let Some(actor) = actors.first() {
            scenery.keyframes = actor.keyframes.iter().map(|k| k.name.clone()).collect();
        }
        (scenery.camera, scenery.floor) = (camera(&actors), floor(&actors));
        Show { scenery, actors, speed: 1.0 }
    }

    /// Adds the settings that only a running simulation has.
    pub fn live(mut self) -> Show {
        for actor in &mut self.actors {
            actor.instruments.push(Box::new(Ledger::default()));
            actor.instruments.push(Box::new(Contacts::default()));
        }
        self
    }

    /// A projector for its frames, and the initial states of its models.
    pub fn begin(mut self) -> (Projector, Vec<TrackSetup>) {
        self.scenery.fills = fills(&self.actors, &self.scenery.camera);
        let (mut tracks, mut setups) = (Vec::new(), Vec::new());
        for actor in self.actors {
            let settings = TrackSettings {
                formulation: actor.formulation,
                integrator: actor.integrator,
                stabilisation: actor.stabilisation,
                contact: actor.contact,
            };
            let Actor { label, colour, model, look, start, keyframes, integrator, dt, offset, .. } = actor;
            setups.push(TrackSetup { model: model.clone(), start, keyframes, settings, dt, offset });
            let instruments = actor.instruments;
            tracks.push(Track { label, colour, model, look, offset, instruments, integrator, dt });
        }
        (Projector::new(self.scenery, tracks), setups)
    }
}

/// What a simulation needs of an actor.
pub struct TrackSetup {
    /// The model.
    pub model: Arc<Model>,
    /// Where it begins.
    pub start: Start,
    /// Alternative initial states.
    pub keyframes: Vec<Start>,
    /// How it is stepped.
    pub settings: TrackSettings,
    /// Its step, s.
    pub dt: f64,
    /// Where its world is shown.
    pub offset: V3,
}

impl TrackSetup {
    /// Its simulation, at the initial state.
    pub fn simulation(&self) -> Result<Simulation<'static>, SimulationError> {
        Ok(self.settings.simulation(&self.model, &self.start.state, &self.start.control)?.0)
    }
}

/// A camera with all of it in view.
fn camera(actors: &[Actor]) -> Camera {
    let up = up(actors);
    if actors.iter().all(|a| a.look.given)
        && let Some(camera) = frame_points(&framed(actors), up)
    {
        return camera;
    }
    let boxes = actors.iter().map(|a| {
        let (low, high) = bounds(&a.model, &a.start.state, &a.look);
        (low + a.offset, high + a.offset)
    });
    let pick = |a: V3, b: V3, f: fn(f64, f64) -> f64| V3::new(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z));
    let all = boxes.reduce(|(l, h), (low, high)| (pick(l, low, f64::min), pick(h, high, f64::max)));
    let Some((low, high)) = all else { return Camera::default() };
    fit_camera(low, high, up)
}

/// The points that must be in the picture: models from files in their initial states, and where they will land.
fn framed(actors: &[Actor]) -> Vec<V3> {
    [outlines(actors), landings(actors)].concat()
}

/// The fraction of the camera's picture that is filled, horizontally and vertically; `None` for models without geoms of their own.
fn fills(actors: &[Actor], camera: &Camera) -> Option<[f64; 2]> {
    let given = actors.iter().all(|a| a.look.given);
    given.then(|| reach(camera, &framed(actors))).flatten().filter(|[x, y]| x.max(*y) > 0.0)
}

/// Falls farther than this many times the size of a model are not framed with it: both would be small.
const FARTHEST_FALL: f64 = 4.0;

/// Where bodies land that fall freely onto level ground in their model.
fn landings(actors: &[Actor]) -> Vec<V3> {
    let of = |a: &Actor| {
        let Some(ground) = ground(a).filter(|_| a.model.gravity().z < 0.0) else { return Vec::new() };
        let lowest =
            outline(&a.model, &a.start.state, &a.look).iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        match lowest - ground < FARTHEST_FALL * extent(&a.model, &a.look) {
            true => landing(&a.model, &a.start.state, &a.look, ground),
            false => Vec::new(),
        }
    };
    actors.iter().flat_map(|a| of(a).into_iter().map(|p| p + a.offset).collect::<Vec<V3>>()).collect()
}

/// The height of the level ground of a model, if it has one.
fn ground(actor: &Actor) -> Option<f64> {
    let level = |p: &&Part| matches!(p.shape, Shape::Plane { .. }) && (p.pose.rot * V3::Z).z > 0.999;
    let world = actor.look.parts.iter().filter(|p| p.body == BodyId::WORLD);
    world.filter(level).map(|p| p.pose.pos.z).reduce(f64::max)
}

/// The height of a floor under models from files that gravity pulls along −z and that have no ground of their own.
fn floor(actors: &[Actor]) -> Option<f64> {
    let grounded = |a: &Actor| {
        let mut world = a.look.parts.iter().filter(|p| p.body == BodyId::WORLD && p.rgba[3] > 0.0);
        world.any(|p| matches!(p.shape, Shape::Plane { .. } | Shape::HeightField(_)))
    };
    let stands = |a: &Actor| a.look.given && a.model.gravity().z < 0.0 && !grounded(a);
    if actors.is_empty() || up(actors) != V3::Z || !actors.iter().all(stands) {
        return None;
    }
    let lowest = outlines(actors).iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    lowest.is_finite().then_some(lowest)
}

fn up(actors: &[Actor]) -> V3 {
    let gravity = actors.first().map_or(V3::ZERO, |a| a.model.gravity());
    if gravity.y.abs() > gravity.z.abs() { V3::Y } else { V3::Z }
}

fn outlines(actors: &[Actor]) -> Vec<V3> {
    let of =
        |a: &Actor| outline(&a.model, &a.start.state, &a.look).into_iter().map(|p| p + a.offset).collect();
    actors.iter().flat_map(|a| -> Vec<V3> { of(a) }).collect()
}
