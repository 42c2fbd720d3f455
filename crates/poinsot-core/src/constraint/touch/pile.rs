//! Converts the contacts of a step to those of [soft substeps](crate::contact::SoftSubsteps), and back.

use super::{ContactResult, ContactWorkspace, Warm};
use crate::algebra::V3;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::contact::{Certificate, PileBody, PileContact, PileReport, Stage, Status};
use crate::model::{GeomId, Model, Shape};

/// The radii of two geoms, if both are spheres.
fn spheres(model: &Model, geoms: [GeomId; 2]) -> Option<[f64; 2]> {
    match geoms.map(|geom| &model[geom].shape) {
        [Shape::Sphere { radius: a }, Shape::Sphere { radius: b }] => Some([*a, *b]),
        _ => None,
    }
}

impl ContactWorkspace {
    /// Fills in the listed contacts, with the forces they had at the end of the last step. `centres` are the centres of mass of all links
    /// except the world. False if soft substeps do not support some contact.
    pub(crate) fn fill_pile(
        &mut self,
        model: &Model,
        centres: &[V3],
        h: f64,
        out: &mut Vec<PileContact>,
    ) -> bool {
        out.clear();
        let mut from = 0;
        for point in &self.list {
            let surface = &point.surface;
            let plain =
                surface.count == 0 || surface.count == 2 && surface.friction[0] == surface.friction[1];
            if !plain || surface.softness.is_some() {
                return false;
            }
            // the normal of the pile is towards its first body
            let links = [point.bodies[1], point.bodies[0]].map(|body| model.bodies[body.index()].link);
            let bodies = links.map(|link| link.checked_sub(1));
            let arms = bodies.map(|body| (point.position - body.map_or(V3::ZERO, |k| centres[k])).array());
            let impulse = self.warm_from(&mut from, point).map_or(V3::ZERO, |warm| warm.impulse);
            out.push(PileContact {
                bodies,
                normal: point.normal.array(),
                arms,
                gap: point.gap,
                friction: if surface.count == 0 { 0.0 } else { surface.friction[0] },
                restitution: surface.restitution,
                spheres: spheres(model, [point.key.geoms[1], point.key.geoms[0]]),
                force: (impulse * (1.0 / h)).array(),
                impulse: [0.0; 3],
            });
        }
        true
    }

    /// Records the results of the contacts as for any step. `before` and `after` are the velocities of the bodies.
    pub(crate) fn take_pile(
        &mut self,
        (before, after): (&[[f64; 6]], &[PileBody]),
        contacts: &[PileContact],
        (h, substeps): (f64, usize),
        report: PileReport,
    ) {
        let fastest = dispatch(Take { touching: self, before, after, contacts, h });
        let solved = report.residual <= super::island::TOLERANCE * fastest;
        self.certificate = (!contacts.is_empty()).then(|| Certificate {
            residual: report.residual,
            residual_rms: report.residual_rms,
            sweeps: 2 * substeps,
            stage: Stage::Sweeps,
            status: if solved { Status::Solved } else { Status::Unsolved },
            reason: if solved { "" } else { "soft substeps are as exact as the residual says" },
            ..Certificate::default()
        });
    }
}

/// Collects the results of the contacts over a step h, and the largest velocity at its start.
struct Take<'a> {
    touching: &'a mut ContactWorkspace,
    before: &'a [[f64; 6]],
    after: &'a [PileBody],
    contacts: &'a [PileContact],
    h: f64,
}

impl Kernel for Take<'_> {
    type Output = f64;
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // the sides of several arrays at once
    fn run<I: Isa>(self) -> f64 {
        let Take { touching, before, after, contacts, h } = self;
        let ContactWorkspace { list, warm, touched, penetration, .. } = touching;
        warm.clear();
        touched.clear();
        let mut fastest = 0.0f64;
        for (point, one) in list.iter().zip(contacts) {
            let (mut begin, mut end) = ([V3::ZERO; 2], [V3::ZERO; 2]);
            for side in 0..2 {
                if let Some(body) = one.bodies[side] {
                    begin[side] = velocity_at(&before[body], one.arms[side]);
                    end[side] = velocity_at(&after[body].velocity, one.arms[side]);
                }
            }
            let velocity = [begin[0] - begin[1], end[0] - end[1]];
            fastest = fastest.max(velocity[0].dot(velocity[0]));
            *penetration = penetration.max(-point.gap);
            let (impulse, position) = (V3::from(one.impulse), point.position);
            touched.push(ContactResult { impulse, velocity, held: true, ..ContactResult::at_rest(*point) });
            let impulse = V3::from(one.force) * h;
            warm.push((point.key, Warm { impulse, moment: V3::ZERO, response: 0.0, position }));
        }
        fastest.sqrt()
    }
}

#[inline(always)]
fn velocity_at(&[a, b, c, x, y, z]: &[f64; 6], arm: [f64; 3]) -> V3 {
    V3::new(a, b, c).cross_add(arm.into(), V3::new(x, y, z))
}
