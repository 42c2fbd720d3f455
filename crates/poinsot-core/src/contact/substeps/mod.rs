//! Soft substeps: advances a pile of free bodies by many small steps with one or two sweeps each.
//!
//! A step h is divided into n substeps. In each of them the contacts are warm-started with the last impulses and solved once as stiff
//! damped springs, which also removes penetration. Then bodies move, and the contacts are solved once more as rigid, which removes the
//! velocity that the springs have added [Macklin19] [Catto24]. Continuing from one substep to the next is itself the iteration: a pile at
//! rest becomes more accurate with time at no cost, and the report gives the accuracy for one in motion.
//!
//! Each impulse acts on both bodies at one point of space, where they [are](follow) at that moment. So momentum and angular momentum of
//! bodies that collide are kept to round-off.
//!
//! A contact that begins to push in a substep, faster than the least speed of an impact, rebounds at its end: to e times the speed at which it
//! closed, but with no more than e² of the work that its normal impulses have taken in the substep. So no impact adds energy, whatever touches
//! at the same time.
//!
//! Contacts of two bodies with a common normal form a manifold. Manifolds are [coloured](colour) so that those of one colour share no
//! moving body; eight of a colour are solved at a time. The order of all work is that of the contacts given, so the result does not depend
//! on the number of threads.

mod colour;
mod follow;
mod overlaps;
mod pass;
mod residual;
mod rows;

use super::problem::ProblemError;
use crate::algebra::lanes::dispatch;
use colour::Colours;
use overlaps::Overlaps;
use pass::{Mode, Pass};
use residual::Residual;
use rows::Rows;

/// A free body of a pile. Velocities are angular, then linear at its centre of mass, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PileBody {
    /// 1/m; 0 for an immovable body.
    pub inverse_mass: f64,
    /// The inverse of its inertia about its centre: xx, xy, xz, yy, yz, zz.
    pub inverse_inertia: [f64; 6],
    /// Its velocity before, then after the step.
    pub velocity: [f64; 6],
    /// The acceleration due to gravity and all other forces except contacts.
    pub acceleration: [f64; 6],
    /// Its rotation and displacement in the step.
    pub displacement: [f64; 6],
}

impl PileBody {
    /// True if an impulse changes its velocity.
    fn yields(&self) -> bool {
        self.inverse_mass > 0.0 || self.inverse_inertia != [0.0; 6]
    }
}

/// A contact of a pile. The contacts of a manifold, with the same bodies and normal, must be consecutive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PileContact {
    /// The two bodies; `None` is the ground.
    pub bodies: [Option<usize>; 2],
    /// The unit normal, from the second body to the first.
    pub normal: [f64; 3],
    /// The lever arms: from the centres of the bodies to the contact point.
    pub arms: [[f64; 3]; 2],
    /// The gap, negative for penetration.
    pub gap: f64,
    /// μ.
    pub friction: f64,
    /// The coefficient of restitution.
    pub restitution: f64,
    /// The radii, if both surfaces are spheres: the normal of two that move is the line of their centres throughout the step.
    pub spheres: Option<[f64; 2]>,
    /// The initial guess of the force on the first body, then the final force, which is the guess for the same contact in the next step.
    pub force: [f64; 3],
    /// The impulse on the first body in this step.
    pub impulse: [f64; 3],
}

/// Contact stiffness and related parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// The frequency of the springs, relative to that of the substeps. Above a quarter, stacks shake. Lower values increase the sinkage: a
    /// body of weight F rests deeper by `F/(m ω²)`, with m the effective mass of its contact.
    pub frequency: f64,
    /// The damping ratio.
    pub damping: f64,
    /// Penetration that is not corrected, m.
    pub slop: f64,
    /// The largest velocity at which penetration is removed, m/s; divided by the number of manifolds in which a body is deep inside others.
    pub push: f64,
    /// Slower impacts have no restitution, m/s.
    pub least_impact: f64,
    /// Whether to measure the residual, which costs about as much as a sweep.
    pub measure: bool,
}

impl Default for Softness {
    fn default() -> Softness {
        Softness { frequency: 0.25, damping: 5.0, slop: 1e-3, push: 3.0, least_impact: 0.1, measure: true }
    }
}

/// The accuracy of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PileReport {
    /// The number of colours used.
    pub colours: usize,
    /// Groups of up to eight manifolds.
    pub groups: usize,
    /// The largest deviation from Coulomb's law in the last substep, m/s, not counting the removal of penetration; as that of a
    /// [`Certificate`](super::Certificate).
    pub residual: f64,
    /// The root mean square of these.
    pub residual_rms: f64,
}

/// The soft-substep solver. Reuses its memory between steps.
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
///     spheres: None,
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
    /// The stiffness.
    pub softness: Softness,
    colours: Colours,
    overlaps: Overlaps,
    rows: Rows,
}

impl SoftSubsteps {
    /// Advances by a step h of n substeps: updates velocities and displacements of the bodies, impulses and forces of the contacts.
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
        self.overlaps.count(&self.colours, bodies.len(), contacts, self.softness.slop);
        self.rows.fill(&self.colours, &self.overlaps, bodies, contacts, h, &self.softness);
        let bounces = contacts.iter().any(|c| c.restitution > 0.0);
        for _ in 0..substeps {
            if bounces {
                Pass { rows: &mut self.rows, mode: Mode::Approach }.run_all();
            }
            self.rows.accelerate(bodies, h);
            Pass { rows: &mut self.rows, mode: Mode::Warm }.run_all();
            Pass { rows: &mut self.rows, mode: Mode::Soft }.run_all();
            self.rows.displace(h);
            Pass { rows: &mut self.rows, mode: Mode::Rigid }.run_all();
            if bounces {
                Pass { rows: &mut self.rows, mode: Mode::Rebound }.run_all();
            }
        }
        self.rows.hand_over(bodies, contacts, h);
        let mut report = PileReport {
            colours: self.colours.count(),
            groups: self.rows.groups.len(),
            ..PileReport::default()
        };
        if self.softness.measure {
            let (most, squares) = dispatch(Residual { rows: &self.rows });
            (report.residual, report.residual_rms) = (most, (squares / contacts.len().max(1) as f64).sqrt());
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
            || c.arms.iter().flatten().chain(&c.force).chain(&c.normal).chain([&c.gap, &c.restitution]);
        // checks the sum, which avoids a branch for each number
        if !numbers().sum::<f64>().is_finite()
            && let Some(&value) = numbers().find(|x| !x.is_finite())
        {
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
        if let Some([a, b]) = c.spheres
            && !(a > 0.0 && b > 0.0 && (a + b).is_finite())
        {
            return Err(ProblemError::Radii { contact: row, radii: [a, b] });
        }
        if !(c.friction >= 0.0 && c.friction.is_finite()) {
            return Err(ProblemError::Friction { contact: row, value: c.friction });
        }
    }
    Ok(())
}
