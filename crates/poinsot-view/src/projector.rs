//! From states to frames: the tracks of a show, their instruments, and one picture of them all.

use crate::instrument::{Instrument, Joints, Moment, Place};
use crate::look::{Form, Layer, Look};
use crate::show::*;
use crate::surface::Surface;
use poinsot::algebra::V3;
use poinsot::dynamics::{State, Workspace};
use poinsot::integrate::{self, INTEGRATORS};
use poinsot::model::{BodyId, Model};
use poinsot::spatial::{Inertia, Quat};
use std::collections::HashMap;
use std::sync::Arc;

/// A model to be shown.
pub struct Track {
    /// What distinguishes it from others beside it.
    pub label: String,
    /// Red, green, blue.
    pub colour: [f64; 3],
    /// The model.
    pub model: Arc<Model>,
    /// Its shapes.
    pub look: Look,
    /// Where its world is shown.
    pub offset: V3,
    /// What is drawn and plotted beside it.
    pub instruments: Vec<Box<dyn Instrument>>,
    /// The name of its integrator.
    pub integrator: String,
    /// Its step, s.
    pub dt: f64,
}

/// Makes frames of the states of several tracks.
pub struct Projector {
    scenery: Scenery,
    surfaces: Vec<Surface>,
    tracks: Vec<Seen>,
}

struct Seen {
    model: Arc<Model>,
    workspace: Workspace,
    instruments: Vec<Box<dyn Instrument>>,
    offset: V3,
}

/// What a track is at one moment.
#[derive(Clone, Copy)]
pub struct Now<'a> {
    /// Its state.
    pub state: &'a State,
    /// Its control signals.
    pub control: &'a [f64],
}

impl Projector {
    /// A projector for these tracks; `scenery` has the words and the camera, the rest is filled in here.
    pub fn new(scenery: Scenery, tracks: Vec<Track>) -> Projector {
        let mut projector = Projector { scenery, surfaces: Vec::new(), tracks: Vec::new() };
        tracks.into_iter().for_each(|track| projector.add(track));
        projector
    }

    fn add(&mut self, track: Track) {
        let Track { label, colour, model, look, offset, mut instruments, integrator, dt } = track;
        let (number, first_body, first_mesh) =
            (self.tracks.len(), self.scenery.bodies.len(), self.surfaces.len());
        let place = Place { track: number, first_body, size: extent(&model, &look), colour };
        let scenery = &mut self.scenery;
        let integrators = integrators_for(&model);
        scenery.gravity |= model.gravity() != V3::ZERO;
        scenery.tracks.push(TrackInfo { label, colour, integrator, dt, integrators });
        scenery.bodies.extend(bodies(&model, number, first_body));
        scenery.parts.extend(parts(&look, first_body, first_mesh));
        let sizes = |s: &Surface| MeshInfo { points: s.points.len(), triangles: s.triangles.len() };
        scenery.meshes.extend(look.surfaces.iter().map(sizes));
        self.surfaces.extend(look.surfaces);
        for instrument in &mut instruments {
            instrument.declare(&model, place, scenery);
        }
        scenery.joints.extend(joints(&model, number, first_body, &scenery.channels));
        scenery.actuators.extend(model.actuators().iter().map(|a| ActuatorInfo {
            track: number,
            name: a.name.clone(),
            range: a.control_range,
        }));
        self.tracks.push(Seen { workspace: Workspace::new(&model), model, instruments, offset });
    }

    /// What stays.
    pub fn scenery(&self) -> &Scenery {
        &self.scenery
    }
    /// What stays, to be changed: words and camera.
    pub fn scenery_mut(&mut self) -> &mut Scenery {
        &mut self.scenery
    }
    /// The triangles of meshes.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// What is seen of these states, one for each track, put into `frame`.
    pub fn project(&mut self, now: &[Now], frame: &mut Frame) {
        frame.clear();
        frame.time = now.first().map_or(0.0, |n| n.state.time);
        for (track, now) in self.tracks.iter_mut().zip(now) {
            let at = track.workspace.at(&track.model, now.state);
            for id in track.model.body_ids() {
                let mut pose = at.pose(id);
                pose.pos += track.offset;
                frame.pose(pose);
            }
            let (model, offset) = (&*track.model, track.offset);
            let moment = Moment { model, state: now.state, at, control: now.control, offset };
            track.instruments.iter_mut().for_each(|i| i.read(&moment, frame));
        }
    }

    /// Another model in the place of a track's, with the same bodies and joints.
    pub fn set_model(&mut self, track: usize, model: Arc<Model>) {
        self.tracks[track].model = model;
    }

    /// The run begins anew.
    pub fn reset(&mut self) {
        self.tracks.iter_mut().flat_map(|t| &mut t.instruments).for_each(|i| i.reset());
    }
}

/// The names of all integrators that can step this model.
pub fn integrators_for(model: &Model) -> Vec<String> {
    let names = INTEGRATORS.iter().map(|(name, _)| *name);
    names.filter(|n| integrate::by_name(n, model).is_ok()).map(str::to_string).collect()
}

fn bodies(model: &Model, track: usize, first: usize) -> impl Iterator<Item = BodyInfo> + '_ {
    let mut moves = vec![false; model.bodies().len()];
    model.bodies().iter().enumerate().map(move |(k, body)| {
        let tied = model.joints()[body.joints.clone()].iter().all(|j| j.kind.nv() == 0);
        moves[k] = k > 0 && (!tied || moves[body.parent.index()]);
        let (ellipsoid, axes) = ellipsoid(&body.inertia);
        BodyInfo {
            track,
            name: body.name.clone(),
            parent: (k > 0).then(|| first + body.parent.index()),
            mass: body.inertia.mass,
            com: if body.inertia.mass > 0.0 { body.inertia.com().array() } else { [0.0; 3] },
            ellipsoid,
            axes,
            moves: moves[k],
        }
    })
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
        let (form, size) = match &part.form {
            Form::Sphere { radius } => ("sphere", vec![*radius]),
            Form::Capsule { radius, length } => ("capsule", vec![*radius, *length]),
            Form::Cylinder { radius, length } => ("cylinder", vec![*radius, *length]),
            Form::Ellipsoid { radii } => ("ellipsoid", radii.array().to_vec()),
            Form::Box { size } => ("box", size.array().to_vec()),
            Form::Plane { x, y } => ("plane", vec![*x, *y]),
            Form::Mesh { surface } => ("mesh", vec![(first_mesh + surface) as f64]),
        };
        let layer = match part.layer {
            Layer::Visual => "visual",
            Layer::Collision => "collision",
        };
        let (body, pose) = (first_body + part.body.index(), pose7(part.pose));
        PartInfo { body, form, size, pose, rgba: part.rgba, layer }
    })
}

fn joints(model: &Model, track: usize, first_body: usize, channels: &[ChannelInfo]) -> Vec<JointInfo> {
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

/// How large a model is: from its look, as it stands at first.
pub fn extent(model: &Model, look: &Look) -> f64 {
    let (low, high) = bounds(model, &State::new(model), look);
    let size = (high - low).norm();
    if size > 0.0 && size.is_finite() { 0.5 * size } else { 1.0 }
}

/// The box around all shapes but planes without end, and around all centres of mass, at a state.
pub fn bounds(model: &Model, state: &State, look: &Look) -> (V3, V3) {
    let mut workspace = Workspace::new(model);
    let at = workspace.at(model, state);
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let mut empty = true;
    let mut take = |centre: V3, radius: f64| {
        for (k, x) in centre.array().into_iter().enumerate() {
            low[k] = low[k].min(x - radius);
            high[k] = high[k].max(x + radius);
        }
        empty = false;
    };
    for part in look.parts.iter().filter(|p| p.layer == Layer::Visual) {
        let radius = match &part.form {
            Form::Plane { .. } => continue,
            Form::Sphere { radius } => *radius,
            Form::Capsule { radius, length } | Form::Cylinder { radius, length } => radius + 0.5 * length,
            Form::Ellipsoid { radii } => radii.norm(),
            Form::Box { size } => 0.5 * size.norm(),
            Form::Mesh { surface } => {
                let far = |p: &[f32; 3]| V3::from(p.map(f64::from)).norm();
                look.surfaces[*surface].points.iter().map(far).fold(0.0, f64::max)
            }
        };
        // the ground and other furniture of the world is not the model
        if part.body != BodyId::WORLD {
            take(at.pose(part.body).point(part.pose.pos), radius);
        }
    }
    for (id, body) in model.body_ids().zip(model.bodies()).skip(1).filter(|(_, b)| b.inertia.mass > 0.0) {
        take(at.pose(id).point(body.inertia.com()), 0.0);
    }
    if empty {
        return (V3::new(-1.0, -1.0, -1.0), V3::new(1.0, 1.0, 1.0));
    }
    (V3::from(low), V3::from(high))
}
