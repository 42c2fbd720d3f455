//! The contacts of a step as those of [soft substeps](crate::contact::SoftSubsteps).

use super::{Touched, Touching, Warm};
use crate::algebra::V3;
use crate::contact::{Certificate, PileBody, PileContact, PileReport, Stage, Status};
use crate::model::Model;

impl Touching {
    /// The contacts of the list, with the forces that they ended the last step with. `centres` are the centres of mass of all links
    /// but the world. False where a contact is none that soft substeps know.
    pub(crate) fn fill_pile(
        &mut self,
        model: &Model,
        centres: &[V3],
        h: f64,
        out: &mut Vec<PileContact>,
    ) -> bool {
        out.clear();
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
            let impulse = self.warm_of(point).map_or(V3::ZERO, |warm| warm.impulse);
            out.push(PileContact {
                bodies,
                normal: point.normal.array(),
                arms,
                gap: point.gap,
                friction: if surface.count == 0 { 0.0 } else { surface.friction[0] },
                restitution: surface.restitution,
                force: (impulse * (1.0 / h)).array(),
                impulse: [0.0; 3],
            });
        }
        true
    }

    /// What the contacts have done, as that of any step. `before` and `after` are the velocities of the bodies.
    pub(crate) fn take_pile(
        &mut self,
        (before, after): (&[[f64; 6]], &[PileBody]),
        contacts: &[PileContact],
        (h, substeps): (f64, usize),
        report: PileReport,
    ) {
        self.warm.clear();
        self.touched.clear();
        for (point, one) in self.list.iter().zip(contacts) {
            let relative = |velocity: &dyn Fn(usize) -> [f64; 6]| {
                let at = |side: usize| {
                    let Some(body) = one.bodies[side] else { return V3::ZERO };
                    let [a, b, c, x, y, z] = velocity(body);
                    V3::new(a, b, c).cross_add(one.arms[side].into(), V3::new(x, y, z))
                };
                at(0) - at(1)
            };
            let velocity = [relative(&|k| before[k]), relative(&|k| after[k].velocity)];
            let impulse = V3::from(one.impulse);
            self.touched.push(Touched { impulse, velocity, held: true, ..Touched::at_rest(*point) });
            let impulse = V3::from(one.force) * h;
            self.warm.push((
                point.key,
                Warm { impulse, moment: V3::ZERO, response: 0.0, position: point.position },
            ));
            self.penetration = self.penetration.max(-point.gap);
        }
        let fastest = self.touched.iter().fold(0.0f64, |most, one| most.max(one.velocity[0].norm()));
        let solved = report.residual <= super::response::TOLERANCE * fastest;
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
