//! Contacts, and the forces that bodies exert on each other there.

use super::{Instrument, Moment, Place};
use crate::look::z_to;
use crate::show::{ArrowInfo, ChannelInfo, Frame, Scenery, SolidInfo};
use poinsot::Contact;
use poinsot::algebra::V3;
use poinsot::constraint::ContactResult;
use poinsot::integrate::Method;
use poinsot::model::Model;
use poinsot::spatial::Pose;

/// The contacts of the last step.
#[derive(Clone, Debug, Default)]
pub struct Touch {
    /// The contacts, with their impulses.
    pub contacts: Vec<ContactResult>,
    /// The length of the step, s.
    pub dt: f64,
    /// The largest depth to which surfaces overlapped, m.
    pub penetration: f64,
    /// The residual of the contact impulses, m/s.
    pub residual: f64,
}

/// Marks points of contact, with their normals, the forces on the second body of each, and friction cones; and plots forces, penetration
/// and the residual of the certificate.
///
/// Forces are drawn to one scale for the whole run: the mean weight of a body is a fifth of the size of the model, or without weight the
/// largest force so far. No arrow is longer than half the size of the model. If there are more contacts than can be drawn, those with the
/// largest forces are drawn.
#[derive(Default)]
pub struct Contacts {
    drawn: usize,
    size: f64,
    /// The force that is drawn with a fifth of the size.
    unit: Option<f64>,
    order: Vec<usize>,
}

/// More marks than this would hide the model.
const MOST: usize = 64;
const POINTS: &str = "contact points";
const NORMALS: &str = "contact normals";
const ARROWS: &str = "contact forces";
const CONES: &str = "friction cones";
const FORCE: &str = "contact force";
const PENETRATION: &str = "penetration";
const RESIDUAL: &str = "contact residual";
const ORANGE: [f64; 3] = [0.835, 0.369, 0.0];
const BLUE: [f64; 3] = [0.0, 0.447, 0.698];

impl Contacts {
    /// The layers and groups of channels that a step's report is read for.
    pub const GROUPS: [&str; 7] = [POINTS, NORMALS, ARROWS, CONES, FORCE, PENETRATION, RESIDUAL];
}

/// Whether bodies of the model may touch at all.
pub fn may_touch(model: &Model) -> bool {
    Contact::usual(model, Method::Leapfrog).is_some()
}

impl Instrument for Contacts {
    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery) {
        self.drawn = if may_touch(model) { MOST } else { 0 };
        if self.drawn == 0 {
            return;
        }
        let bodies = model.bodies().iter().filter(|b| b.inertia.mass > 0.0).count().max(1);
        let weight = model.mass() * model.gravity().norm() / bodies as f64;
        self.unit = self.unit.or((weight > 0.0).then_some(weight));
        self.size = place.size;
        for (layer, colour) in [(ARROWS, ORANGE), (NORMALS, BLUE)] {
            let arrow = |k| ArrowInfo { name: format!("{layer} {}", k + 1), colour, layer };
            scenery.arrows.extend((0..self.drawn).map(arrow));
        }
        for (layer, form, [r, g, b], opacity) in
            [(POINTS, "ellipsoid", ORANGE, 0.9), (CONES, "cone", BLUE, 0.35)]
        {
            let rgba = [r, g, b, opacity];
            let solid = |k| SolidInfo { name: format!("{layer} {}", k + 1), form, rgba, layer };
            scenery.solids.extend((0..self.drawn).map(solid));
        }
        for (name, unit, group) in
            [("all normal forces", "N", FORCE), ("deepest", "m", PENETRATION), ("residual", "m/s", RESIDUAL)]
        {
            let (name, group) = (name.to_string(), group.to_string());
            scenery.channels.push(ChannelInfo { name, unit, group, track: place.track });
        }
        scenery.asked.extend(Contacts::GROUPS);
        for group in [PENETRATION, RESIDUAL] {
            if !scenery.logarithmic.iter().any(|g| g == group) {
                scenery.logarithmic.push(group.to_string());
            }
        }
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        if self.drawn == 0 {
            return;
        }
        let touch = now.inside.and_then(|i| i.touch.as_ref()).filter(|_| now.wants.any(&Contacts::GROUPS));
        let none = Touch { penetration: f64::NAN, residual: f64::NAN, dt: f64::NAN, contacts: Vec::new() };
        let touch = touch.unwrap_or(&none);
        let force = |c: &ContactResult| c.impulse * (1.0 / touch.dt);
        self.choose(&touch.contacts);
        let largest = touch.contacts.iter().map(|c| force(c).norm()).fold(0.0, f64::max);
        if self.unit.is_none() && largest > 0.0 {
            self.unit = Some(largest);
        }
        let metres = self.unit.map_or(0.0, |unit| self.size / (5.0 * unit));
        let shown = |k: usize| self.order.get(k).map(|at| &touch.contacts[*at]);
        let place = |c: &ContactResult| now.offset + c.point.position;
        for k in 0..self.drawn {
            match shown(k) {
                Some(c) => {
                    let along = force(c) * metres;
                    frame.arrow(place(c), along * (0.5 * self.size / along.norm()).min(1.0));
                }
                None => frame.arrows.push([f32::NAN; 6]),
            }
        }
        for k in 0..self.drawn {
            match shown(k) {
                Some(c) => frame.arrow(place(c), c.point.normal * (0.1 * self.size)),
                None => frame.arrows.push([f32::NAN; 6]),
            }
        }
        let dot = 0.008 * self.size;
        for k in 0..self.drawn {
            match shown(k) {
                Some(c) => frame.solid(Pose::translation(place(c)), V3::new(dot, dot, dot)),
                None => frame.solids.push([f32::NAN; 10]),
            }
        }
        for k in 0..self.drawn {
            match shown(k).filter(|c| c.point.surface.count > 0) {
                Some(c) => frame.solid(cone(c, place(c)), flare(c, 0.1 * self.size)),
                None => frame.solids.push([f32::NAN; 10]),
            }
        }
        let normal: f64 = touch.contacts.iter().map(|c| force(c).dot(c.point.normal)).sum();
        let known = touch.dt.is_finite();
        frame.channels.push(if known { normal } else { f64::NAN });
        frame.channels.extend([touch.penetration, touch.residual]);
    }

    fn reset(&mut self) {
        self.order.clear();
    }
}

impl Contacts {
    /// The contacts that push, the strongest if there are too many to draw; in the order of the report.
    fn choose(&mut self, contacts: &[ContactResult]) {
        self.order.clear();
        self.order.extend((0..contacts.len()).filter(|k| contacts[*k].impulse != V3::ZERO));
        if self.order.len() > self.drawn {
            let size = |k: &usize| contacts[*k].impulse.norm();
            self.order.sort_by(|a, b| size(b).total_cmp(&size(a)));
            self.order.truncate(self.drawn);
            self.order.sort_unstable();
        }
    }
}

/// A cone with its tip at the contact, open along the normal.
fn cone(contact: &ContactResult, tip: V3) -> Pose {
    Pose { rot: z_to(contact.point.normal), pos: tip }
}

/// Its radii and its height, |F_T| ≤ μ F_N, for a slant that does not depend on friction.
fn flare(contact: &ContactResult, slant: f64) -> V3 {
    let [mu, other, ..] = contact.point.surface.friction;
    let mu = mu.max(other);
    let height = slant / mu.hypot(1.0);
    V3::new(mu * height, mu * height, height)
}
