//! Soft substeps: a step of a pile of free bodies by many small steps with a sweep or two each.
//!
//! A step h is cut into n substeps. In each of them the contacts begin with the impulses they ended the last one with, are solved once
//! as stiff damped springs, which also takes out penetration, then bodies move, and then they are solved once more as rigid, which
//! takes out the velocity that the springs have given [Macklin19] [Catto24]. Going on from one substep to the next is itself the
//! iteration: a pile at rest becomes more exact with time at no cost, and one in motion is as exact as the report says.
//!
//! Contacts of two bodies with a common normal are a manifold. Manifolds are [coloured](colour) so that those of one colour share no body that moves;
//! eight of a colour are solved side by side. The order of all work is that of the contacts given, so that the result does not
//! depend on how many do it.

mod colour;
mod pass;
mod rows;

use super::problem::ProblemError;
use colour::Colours;
use pass::{Mode, Pass};
use rows::Rows;

/// A free body of a pile. Velocities are angular, then linear, of its centre of mass, in the axes of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PileBody {
    /// 1/m; 0 for a body that does not yield.
    pub inverse_mass: f64,
    /// The inverse of its inertia about its centre: xx, xy, xz, yy, yz, zz.
    pub inverse_inertia: [f64; 6],
    /// Before, then after the step.
    pub velocity: [f64; 6],
    /// What gravity and all other forces but contacts accelerate it by.
    pub acceleration: [f64; 6],
    /// By how much it turned and moved in the step.
    pub displacement: [f64; 6],
}

impl PileBody {
    /// True where an impulse changes its velocity.
    fn yields(&self) -> bool {
        self.inverse_mass > 0.0 || self.inverse_inertia != [0.0; 6]
    }
}

/// A contact of a pile. Those of a manifold, the same two bodies and the same normal, stand one after another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PileContact {
    /// The two bodies; None is the ground.
    pub bodies: [Option<usize>; 2],
    /// From the second body to the first, of length 1.
    pub normal: [f64; 3],
    /// From the centres of the bodies to the point of contact.
    pub arms: [[f64; 3]; 2],
    /// The distance there, negative where they overlap.
    pub gap: f64,
    /// μ.
    pub friction: f64,
    /// The part of the normal velocity that is given back.
    pub restitution: f64,
    /// The force on the first body to begin with, then that at the end: what the same contact of the next step begins with.
    pub force: [f64; 3],
    /// The impulse on the first body in this step.
    pub impulse: [f64; 3],
}

/// How stiff, and how exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// The frequency of the springs, Hz; at most a quarter of that of the substeps is used.
    pub frequency: f64,
    /// The same against what does not yield.
    pub frequency_fixed: f64,
    /// Their damping, of the critical.
    pub damping: f64,
    /// Overlap that is left as it is, m.
    pub slop: f64,
    /// The greatest velocity at which overlap is taken out, m/s.
    pub push: f64,
    /// Impacts slower than this give nothing back, m/s.
    pub least_impact: f64,
    /// Whether to measure the residual: about as much work as a sweep, one contact after another.
    pub measure: bool,
}

impl Default for Softness {
    fn default() -> Softness {
        Softness {
            frequency: 30.0,
            frequency_fixed: 60.0,
            damping: 5.0,
            slop: 1e-3,
            push: 3.0,
            least_impact: 0.1,
            measure: true,
        }
    }
}

/// What a step was worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PileReport {
    /// How many colours the manifolds needed.
    pub colours: usize,
    /// Groups of up to eight manifolds.
    pub groups: usize,
    /// The largest distance from Coulomb's law in the last substep, m/s, what takes out overlap left aside; as that of a
    /// [`Certificate`](super::Certificate).
    pub residual: f64,
    /// The root of the mean of its squares.
    pub residual_rms: f64,
}

/// The solver. Keeps its memory from one step to the next.
///
/// A box that comes to rest on the ground:
/// ```
/// use poinsot_core::contact::{PileBody, PileContact, SoftSubsteps};
/// let box_ = PileBody {
///     inverse_mass: 1.0,
///     inverse_inertia: [6.0, 0.0, 0.0, 6.0, 0.0, 6.0],
///     acceleration: [0.0, 0.0, 0.0, 0.0, 0.0, -9.81],
///     ..PileBody::default()
/// };
/// let contact = |x: f64, y: f64| PileContact {
///     bodies: [Some(0), None],
///     normal: [0.0, 0.0, 1.0],
///     arms: [[x, y, -0.5], [x, y, 0.0]],
///     gap: 0.0,
///     friction: 0.5,
///     restitution: 0.0,
///     force: [0.0; 3],
///     impulse: [0.0; 3],
/// };
/// let mut bodies = [box_];
/// let mut contacts = [contact(0.5, 0.5), contact(-0.5, 0.5), contact(-0.5, -0.5), contact(0.5, -0.5)];
/// let mut solver = SoftSubsteps::default();
/// for _ in 0..120 {
///     solver.step(&mut bodies, &mut contacts, 1.0 / 60.0, 4)?;
///     contacts.iter_mut().for_each(|c| c.gap += bodies[0].displacement[5]);
/// }
/// let weight: f64 = contacts.iter().map(|c| c.force[2]).sum();
/// assert!((weight - 9.81).abs() < 1e-2 && bodies[0].velocity[5].abs() < 1e-3);
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SoftSubsteps {
    /// How stiff.
    pub softness: Softness,
    colours: Colours,
    rows: Rows,
}

impl SoftSubsteps {
    /// Makes a step h of n substeps: new velocities and displacements of the bodies, impulses and forces of the contacts.
    pub fn step(
        &mut self,
        bodies: &mut [PileBody],
        contacts: &mut [PileContact],
        step: f64,
        substeps: usize,
    ) -> Result<PileReport, ProblemError> {
        check(bodies, contacts, step, substeps)?;
        let h = step / substeps as f64;
        self.colours.find(bodies, contacts);
        self.rows.fill(&self.colours, bodies, contacts, h, &self.softness);
        for _ in 0..substeps {
            self.rows.accelerate(bodies, h);
            for mode in [Mode::Warm, Mode::Soft] {
                Pass { rows: &mut self.rows, mode }.run_all();
            }
            self.rows.displace(h);
            Pass { rows: &mut self.rows, mode: Mode::Rigid }.run_all();
        }
        if contacts.iter().any(|c| c.restitution > 0.0) {
            Pass { rows: &mut self.rows, mode: Mode::Rebound }.run_all();
        }
        self.rows.hand_over(bodies, contacts, h);
        let mut report = PileReport {
            colours: self.colours.count(),
            groups: self.rows.groups.len(),
            ..PileReport::default()
        };
        if self.softness.measure {
            (report.residual, report.residual_rms) = self.rows.residual(contacts, h);
        }
        Ok(report)
    }
}

fn check(
    bodies: &[PileBody],
    contacts: &[PileContact],
    step: f64,
    substeps: usize,
) -> Result<(), ProblemError> {
    if !(step > 0.0 && step.is_finite() && substeps > 0) {
        return Err(ProblemError::Step { step, substeps });
    }
    for (body, b) in bodies.iter().enumerate() {
        let [xx, _, _, yy, _, zz] = b.inverse_inertia;
        let sum: f64 = b.velocity.iter().chain(&b.acceleration).chain(&b.inverse_inertia).sum();
        let sound =
            [b.inverse_mass, xx, yy, zz].iter().all(|x| *x >= 0.0) && (sum + b.inverse_mass).is_finite();
        if !sound {
            return Err(ProblemError::Mass { body });
        }
    }
    for (row, c) in contacts.iter().enumerate() {
        let count = bodies.len();
        if let Some(body) = c.bodies.into_iter().flatten().find(|body| *body >= count) {
            return Err(ProblemError::Body { row, body, count });
        }
        let numbers =
            c.arms.iter().flatten().chain(&c.force).chain(&c.normal).chain([&c.gap, &c.restitution]);
        if let Some(&value) = numbers.into_iter().find(|x| !x.is_finite()) {
            return Err(ProblemError::NotFinite { what: "the contact", row, value });
        }
        if let [Some(body), Some(other)] = c.bodies
            && body == other
        {
            return Err(ProblemError::Itself { contact: row, body });
        }
        let length = c.normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (length - 1.0).abs() > 1e-6 {
            return Err(ProblemError::Normal { contact: row, length });
        }
        if !(c.friction >= 0.0 && c.friction.is_finite()) {
            return Err(ProblemError::Friction { contact: row, value: c.friction });
        }
    }
    Ok(())
}
