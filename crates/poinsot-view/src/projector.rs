//! From states to frames: the tracks of a show and their instruments, combined into one frame.

mod bounds;
mod soft;

pub use bounds::{bounds, extent, landing, outline};
pub use soft::{soft_constraints, stiffened};

use crate::instrument::{Inside, Instrument, Joints, Moment, Place, Watched, may_touch};
use crate::look::{Layer, Look};
use crate::show::*;
use crate::surface::Surface;
use crate::track_settings::integrators_for;
use poinsot::algebra::V3;
use poinsot::constraint::Maximal;
use poinsot::dynamics::{State, Workspace};
use poinsot::integrate::Method;
use poinsot::model::Model;
use poinsot::spatial::{Inertia, Quat};
use std::collections::HashMap;
use std::sync::Arc;

/// A model to be shown.
pub struct Track {
    /// What distinguishes it from others next to it.
    pub label: String,
    /// Red, green, blue.
    pub colour: [f64; 3],
    /// The model.
    pub model: Arc<Model>,
    /// Its shapes.
    pub look: Look,
    /// Where its world is shown.
    pub offset: V3,
    /// What is drawn and plotted in addition to it.
    pub instruments: Vec<Box<dyn Instrument>>,
    /// Its integrator.
    pub integrator: Method,
    /// Its step, s.
    pub dt: f64,
}

/// Makes frames of the states of several tracks.
pub struct Projector {
    scenery: Scenery,
    surfaces: Vec<Surface>,
    tracks: Vec<Seen>,
    /// Which costly quantities are read; initially all.
    pub wants: Watched,
}

struct Seen {
    place: Place,
    /// The original model, by which instruments declare what they show.
    given: Arc<Model>,
    model: Arc<Model>,
    workspace: Workspace,
    instruments: Vec<Box<dyn Instrument>>,
    offset: V3,
}

/// A track at one moment.
#[derive(Clone, Copy)]
pub struct Now<'a> {
    /// Its state.
    pub state: &'a State,
    /// Its control signals.
    pub control: &'a [f64],
}

impl Projector {
    /// A projector for these tracks; `scenery` has the text and the camera, the rest is filled in here.
    pub fn new(scenery: Scenery, tracks: Vec<Track>) -> Projector {
        let mut projector =
            Projector { scenery, surfaces: Vec::new(), tracks: Vec::new(), wants: Watched::default() };
        tracks.into_iter().for_each(|track| projector.add(track));
        projector.declare();
        projector
    }

    fn add(&mut self, track: Track) {
        let Track { label, colour, model, mut look, offset, mut instruments, integrator, dt } = track;
        let (number, first_body, first_mesh) =
            (self.tracks.len(), self.scenery.bodies.len(), self.surfaces.len());
        look.number_bones(first_body);
        let place = Place { track: number, first_body, size: extent(&model, &look), colour };
        let scenery = &mut self.scenery;
        let words = |methods: &[Method]| methods.iter().map(Method::to_string).collect();
        let (integrator, integrators) = (integrator.to_string(), words(&integrators_for(&model)));
        let (maximal, refused) = match Maximal::of(&model) {
            Ok(_) => (words(&Method::TREE), None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        scenery.gravity |= model.gravity() != V3::ZERO;
        let touches = may_touch(&model);
        scenery.tracks.push(TrackInfo {
            label,
            colour,
            integrator,
            dt,
            integrators,
            maximal,
            refused,
            touches,
        });
        scenery.softs.extend(soft::softs(&model, number));
        scenery.bodies.extend(bodies(&model, &look, number, first_body));
        scenery.parts.extend(parts(&look, first_body, first_mesh));
        scenery.meshes.extend(meshes(&look, first_mesh));
        self.surfaces.extend(look.surfaces);
        scenery.actuators.extend(model.actuators().iter().map(|a| ActuatorInfo {
            track: number,
            name: a.name.clone(),
            range: a.control_range,
        }));
        instruments.iter_mut().for_each(|i| i.set_model(&model));
        let (workspace, given) = (Workspace::new(&model), model.clone());
        self.tracks.push(Seen { place, given, model, workspace, instruments, offset });
    }

    /// Lists what the instruments of all tracks show.
    fn declare(&mut self) {
        let scenery = &mut self.scenery;
        scenery.arrows.clear();
        scenery.traces.clear();
        scenery.solids.clear();
        scenery.channels.clear();
        scenery.joints.clear();
        scenery.on_demand.clear();
        for Seen { place, given, instruments, .. } in &mut self.tracks {
            instruments.iter_mut().for_each(|i| i.declare(given, *place, scenery));
            scenery.joints.extend(joints(given, *place, &scenery.channels));
        }
        scenery.on_demand.sort_unstable();
        scenery.on_demand.dedup();
    }

    /// From now on frames contain the coordinates and velocities of this joint of a track; later channels are renumbered.
    pub fn watch(&mut self, track: usize, joint: usize) {
        self.tracks[track].instruments.iter_mut().for_each(|i| i.watch(joint));
        self.declare();
    }

    /// The constant part.
    pub fn scenery(&self) -> &Scenery {
        &self.scenery
    }
    /// The constant part, to change its text and camera.
    pub fn scenery_mut(&mut self) -> &mut Scenery {
        &mut self.scenery
    }
    /// The triangles of meshes.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// Writes the picture of these states, one for each track, into `frame`.
    pub fn project(&mut self, now: &[Now], frame: &mut Frame) {
        self.project_live(now, &[], frame);
    }

    /// As [`Projector::project`], with data from the simulations themselves, one for each track.
    pub fn project_live(&mut self, now: &[Now], inside: &[Inside], frame: &mut Frame) {
        frame.clear();
        frame.time = now.first().map_or(0.0, |n| n.state.time);
        for (k, (track, now)) in self.tracks.iter_mut().zip(now).enumerate() {
            let at = track.workspace.at(&track.model, now.state);
            for id in track.model.body_ids() {
                let mut pose = at.pose(id);
                pose.pos += track.offset;
                frame.pose(pose);
            }
            let (model, offset) = (&*track.model, track.offset);
            let (state, control, inside, wants) = (now.state, now.control, inside.get(k), &self.wants);
            let moment = Moment { model, state, at, control, offset, inside, wants };
            track.instruments.iter_mut().for_each(|i| i.read(&moment, frame));
        }
    }

    /// Replaces a track's model with one that has the same bodies and joints.
    pub fn set_model(&mut self, track: usize, model: Arc<Model>) {
        self.tracks[track].instruments.iter_mut().for_each(|i| i.set_model(&model));
        self.tracks[track].model = model;
    }

    /// Resets for a new run.
    pub fn reset(&mut self) {
        self.tracks.iter_mut().flat_map(|t| &mut t.instruments).for_each(|i| i.reset());
    }
}

fn bodies<'a>(
    model: &'a Model,
    look: &Look,
    track: usize,
    first: usize,
) -> impl Iterator<Item = BodyInfo> + use<'a> {
    let (moves, reaches) = (moving(model), bounds::reaches(model, look));
    model.bodies().iter().enumerate().map(move |(k, body)| {
        let (ellipsoid, axes) = ellipsoid(&body.inertia);
        let size = if reaches[k] > 0.0 { reaches[k] } else { V3::from(ellipsoid).norm() };
        BodyInfo {
            track,
            name: body.name.clone(),
            parent: (k > 0).then(|| first + body.parent.index()),
            mass: body.inertia.mass,
            com: if body.inertia.mass > 0.0 { body.inertia.com().array() } else { [0.0; 3] },
            ellipsoid,
            axes,
            moves: moves[k],
            size,
        }
    })
}

/// Which bodies can move.
pub fn moving(model: &Model) -> Vec<bool> {
    let mut moves = vec![false; model.bodies().len()];
    for (k, body) in model.bodies().iter().enumerate().skip(1) {
        let free = model.joints()[body.joints.clone()].iter().any(|j| j.kind.nv() > 0);
        moves[k] = free || moves[body.parent.index()];
    }
    moves
}

/// Half axes and attitude of the homogeneous ellipsoid with this mass and these moments: m (y² + z²)/5 = I.
fn ellipsoid(inertia: &Inertia) -> ([f64; 3], [f64; 4]) {
    if inertia.mass <= 0.0 {
        return ([0.0; 3], Quat::IDENTITY.array());
    }
    let ([a, b, c], axes) = inertia.principal_axes();
    let half = |x: f64, y: f64, z: f64| (2.5 * (y + z - x) / inertia.mass).max(0.0).sqrt();
    ([half(a, b, c), half(b, c, a), half(c, a, b)], Quat::from_matrix(axes).array())
}

fn parts(look: &Look, first_body: usize, first_mesh: usize) -> impl Iterator<Item = PartInfo> + '_ {
    look.parts.iter().map(move |part| {
        let layer = match part.layer {
            Layer::Visual => "visual",
            Layer::Collision => "collision",
        };
        let (body, pose) = (first_body + part.body.index(), pose7(part.pose));
        let (shape, mesh) = (part.shape.clone(), part.surface.map(|k| first_mesh + k));
        PartInfo { body, shape, mesh, pose, rgba: part.rgba, layer }
    })
}

fn meshes(look: &Look, first: usize) -> impl Iterator<Item = MeshInfo> + '_ {
    let carriers = look.surfaces.iter().enumerate().filter(|(_, s)| s.carries);
    let carrier: HashMap<_, _> =
        carriers.filter_map(|(k, s)| Some((Arc::as_ptr(s.picture.as_ref()?), first + k))).collect();
    look.surfaces.iter().map(move |s| MeshInfo {
        points: s.points.len(),
        triangles: s.triangles.len(),
        picture: s.picture.as_ref().and_then(|p| carrier.get(&Arc::as_ptr(p)).copied()),
        bones: s
            .bones
            .iter()
            .flat_map(|b| b.bones.iter().map(|(body, back)| (*body, pose7(*back))))
            .collect(),
    })
}

fn joints(model: &Model, place: Place, channels: &[ChannelInfo]) -> Vec<JointInfo> {
    let Place { track, first_body, .. } = place;
    let mut bodies: Vec<usize> = vec![0; model.joints().len()];
    for (k, body) in model.bodies().iter().enumerate() {
        body.joints.clone().for_each(|j| bodies[j] = k);
    }
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (k, channel) in channels.iter().enumerate().filter(|(_, c)| c.track == track) {
        first.entry(&channel.group).or_insert(k);
    }
    let mut all = Vec::with_capacity(bodies.len());
    for (joint, body) in model.joints().iter().zip(bodies) {
        let channel = first.get(&*Joints::group(&joint.name)).copied();
        all.push(JointInfo {
            track,
            name: joint.name.clone(),
            kind: joint.kind.word().to_string(),
            body: first_body + body,
            range: joint.limits,
            single: joint.kind.nq() == 1,
            channel,
            unit: poinsot::names::unit(joint.kind, poinsot::names::Space::Position, 0),
        });
    }
    all
}
