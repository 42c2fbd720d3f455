//! Contacts, and the forces that bodies exert on each other there.

use super::{Instrument, Moment, Place};
use crate::look::z_to;
use crate::show::{ArrowInfo, ChannelInfo, Frame, Scenery, SolidInfo};
use poinsot::Contact;
use poinsot::algebra::V3;
use poinsot::constraint::ContactResult;
use poinsot::integrate::{Method, StepReport};
use poinsot::model::Model;
use poinsot::spatial::Pose;

/// The contacts of a track at one moment.
#[derive(Clone, Debug)]
pub struct Touch {
    /// The contacts of the last step that pushed: the strongest, if there are too many to draw.
    pub marks: Vec<Mark>,
    /// The largest forces of a step since the moment before.
    pub load: Load,
    /// The largest penetration, m.
    pub penetration: f64,
    /// The residual of the contact impulses, m/s.
    pub residual: f64,
}

/// The data with which a contact is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Where it is, m.
    pub position: V3,
    /// From the first body to the second.
    pub normal: V3,
    /// The force on the second body, N.
    pub force: V3,
    /// The coefficient of its friction; none without friction.
    pub friction: Option<f64>,
}

/// The forces of all contacts in one step: their impulses over its length. Impacts are included, so the length of the step determines how
/// large they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// The sum of all normal forces, N.
    pub normal: f64,
    /// The force on static bodies along gravity; without gravity the sum of the normal forces on them. N.
    pub world: f64,
}

impl Load {
    /// The loads of a step of length `dt` with these contacts; `moves` says which bodies can move.
    pub fn of(contacts: &[ContactResult], dt: f64, moves: &[bool], gravity: V3) -> Load {
        let down = gravity.unit();
        let mut load = Load::default();
        for contact in contacts {
            let (force, [first, second]) =
                (contact.impulse * (1.0 / dt), contact.point.bodies.map(|b| moves[b.index()]));
            let normal = force.dot(contact.point.normal);
            load.normal += normal;
            if first != second {
                let on_world = if second { -force } else { force };
                load.world += down.map_or(normal, |down| on_world.dot(down));
            }
        }
        load
    }

    /// The larger of each quantity.
    pub fn max(self, other: Load) -> Load {
        Load { normal: self.normal.max(other.normal), world: self.world.max(other.world) }
    }
}

impl Touch {
    /// After a step of length `dt`; `load` is the largest since the moment before.
    pub fn after(report: &StepReport, dt: f64, load: Load) -> Touch {
        let mut pushing: Vec<&ContactResult> =
            report.contacts.iter().filter(|c| c.impulse != V3::ZERO).collect();
        if pushing.len() > MOST {
            pushing.sort_by(|a, b| b.impulse.norm().total_cmp(&a.impulse.norm()));
            pushing.truncate(MOST);
            pushing.sort_unstable_by_key(|c| c.point.key);
        }
        let mark = |c: &&ContactResult| {
            let [mu, other, ..] = c.point.surface.friction;
            let friction = (c.point.surface.count > 0).then(|| mu.max(other));
            Mark {
                position: c.point.position,
                normal: c.point.normal,
                force: c.impulse * (1.0 / dt),
                friction,
            }
        };
        Touch {
            marks: pushing.iter().map(mark).collect(),
            load,
            penetration: report.penetration,
            residual: report.certificate.map_or(0.0, |c| c.residual),
        }
    }

    /// Its size in memory, bytes.
    pub fn bytes(&self) -> usize {
        std::mem::size_of::<Touch>() + self.marks.len() * std::mem::size_of::<Mark>()
    }
}

/// Marks points of contact, with their normals, the forces on the second body of each, and friction cones; and plots forces, penetration
/// and the residual of the certificate. Forces are plotted as the largest of a step since the moment before, with impacts: see [`Load`].
///
/// Forces are drawn to one scale for the whole run: the mean weight of a body is an arrow of a fifth of the model's size, or without weight the
/// largest force so far. No arrow is longer than half the size of the model. If there are more contacts than can be drawn, those with the
/// largest forces are drawn.
#[derive(Default)]
pub struct Contacts {
    drawn: usize,
    size: f64,
    /// The force drawn as an arrow of a fifth of the model's size.
    unit: Option<f64>,
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

/// Whether any bodies of the model can collide.
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
        for (name, unit, group) in [
            ("all normal forces, with impacts", "N", FORCE),
            ("on the world, with impacts", "N", FORCE),
            ("deepest", "m", PENETRATION),
            ("residual", "m/s", RESIDUAL),
        ] {
            let (name, group) = (name.to_string(), group.to_string());
            scenery.channels.push(ChannelInfo { name, unit, group, track: place.track });
        }
        scenery.on_demand.extend(Contacts::GROUPS);
        scenery.peaks = vec![FORCE.to_string()];
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
        let marks = touch.map_or(&[][..], |t| &t.marks);
        let largest = marks.iter().map(|m| m.force.norm()).fold(0.0, f64::max);
        if self.unit.is_none() && largest > 0.0 {
            self.unit = Some(largest);
        }
        self.draw(marks, now.offset, frame);
        frame.channels.extend(
            touch.map_or([f64::NAN; 4], |t| [t.load.normal, t.load.world, t.penetration, t.residual]),
        );
    }
}

impl Contacts {
    /// Arrows for forces and normals, points and cones.
    fn draw(&self, marks: &[Mark], offset: V3, frame: &mut Frame) {
        let metres = self.unit.map_or(0.0, |unit| self.size / (5.0 * unit));
        for k in 0..self.drawn {
            match marks.get(k) {
                Some(m) => {
                    let along = m.force * metres;
                    frame.arrow(offset + m.position, along * (0.5 * self.size / along.norm()).min(1.0));
                }
                None => frame.arrows.push([f32::NAN; 6]),
            }
        }
        for k in 0..self.drawn {
            match marks.get(k) {
                Some(m) => frame.arrow(offset + m.position, m.normal * (0.1 * self.size)),
                None => frame.arrows.push([f32::NAN; 6]),
            }
        }
        let dot = 0.008 * self.size;
        for k in 0..self.drawn {
            match marks.get(k) {
                Some(m) => frame.solid(Pose::translation(offset + m.position), V3::new(dot, dot, dot)),
                None => frame.solids.push([f32::NAN; 10]),
            }
        }
        for k in 0..self.drawn {
            match marks.get(k).and_then(|m| Some((m, m.friction?))) {
                Some((m, mu)) => {
                    // its tip is at the contact, and it opens along the normal
                    let cone = Pose { rot: z_to(m.normal), pos: offset + m.position };
                    frame.solid(cone, flare(mu, 0.1 * self.size));
                }
                None => frame.solids.push([f32::NAN; 10]),
            }
        }
    }
}

/// Radii and height of a cone, |F_T| ≤ μ F_N, for a slant that does not depend on friction.
fn flare(mu: f64, slant: f64) -> V3 {
    let height = slant / mu.hypot(1.0);
    V3::new(mu * height, mu * height, height)
}
