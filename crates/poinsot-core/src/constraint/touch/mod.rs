//! Contact in a step: contact points as rows that exist for one step, solved together with limits and dry friction.
//!
//! A contact has a normal n, from the first body to the second, and the velocity u of the second at the point minus that of the first. Its
//! rows are u along n and two tangents, and, if the surfaces resist them, rotations about n and about the tangents. With `G = J M⁻¹ Jᵀ`,
//! subject to loops and joints, impulses λ over a step give
//!
//! ```math
//! (1)  u⁺ = G λ + J v_free          (2)  K ∋ λ ⟂ u⁺ + c n + μ‖u_T⁺‖ n ∈ K*
//! ```
//! and one of the [solvers](crate::contact) finds λ. The shift c prescribes the velocity at the end of the step. With r the time for which
//! v⁺ moves positions, g the gap and u⁻ the approach velocity:
//!
//! ```math
//! (3)  g > 0:  c = g/r, it may close          g ≤ 0:  c = e u⁻ where u⁻ < −γ, it rebounds; else 0
//! (4)  with stiffness k and damping d:  c = k g/(r k + d),  compliance 1/(h (r k + d))
//! (5)  as MuJoCo has it:  c = h k g − (1 − h b) u⁻,  compliance (1 − i)/(i m)
//! ```
//! (3) is Moreau's rule [Moreau88]; (4) is a spring and damper at the end of the step, so that rigid is the limit of soft; (5) is
//! `u⁺ = u⁻ + h (−b u⁻ − k g) − R λ`, by which the acceleration is a fraction i of the reference acceleration. Contacts that have closed
//! are brought to rest by an impact at the end of the step ([`collision`]) or, with rows of the start of a step, by the next one.
//! Penetration is pushed out without adding velocity ([`push_out`]).

mod collision;
mod inverse;
mod island;
mod live;
mod pile;
mod point;
mod push_out;
mod response;
mod resting;
mod restitution;
mod sensitivity;
mod settings;
mod step;
mod threads;
mod unchanged;

pub(crate) use collision::AT_IMPACT;
pub use collision::Collision;
pub(crate) use inverse::{InverseForces, RestThresholds};
pub use point::{
    ContactKey, ContactPoint, ContactResult, ContactSoftness, ContactSource, FirstTouch, Surface, SweepRule,
};
pub(crate) use resting::{Rest, RestProblem};
pub(crate) use sensitivity::AXES;
pub use settings::{ContactSettings, ContactSolver, Impacts, Restitution};
pub(crate) use step::ContactWork;

use super::Multipliers;
use super::unilateral::RESTING;
use crate::algebra::V3;
use crate::contact::{Certificate, Exact, Law, Pgs, Polyhedral, ProblemError};
use crate::dynamics::MassMatrix;
use crate::model::{GeomId, Model};
use island::IslandSolver;
use live::Live;
use response::Groups;
use restitution::Phases;
use threads::Threads;

/// A gap smaller than this counts as closed, in metres.
pub(crate) const CLOSED: f64 = 1e-10;

/// The workspace of contact rows from step to step. Does not allocate once it has grown.
#[derive(Clone, Debug)]
pub(crate) struct ContactWorkspace {
    pub settings: ContactSettings,
    /// The contacts of the current step.
    pub list: Vec<ContactPoint>,
    /// The frame of each.
    frames: Vec<[V3; 3]>,
    /// The result for each contact.
    pub touched: Vec<ContactResult>,
    /// Contacts that rebound are left to [`super::super::integrate`], which finds their time of impact.
    pub sweeping: bool,
    /// Bodies that rebound do so at the time of their collision; otherwise, since there are too many in this step, at its end.
    pub timed: bool,
    /// For each contact, in metres: if it has closed by more than this since the step began, it is deferred too.
    pub thickness: Vec<f64>,
    /// For each contact: true if one of its geoms is a half-space, which nothing passes, so that its rows hold at any speed.
    pub half_space: Vec<bool>,
    /// The size of the whole current step, in seconds.
    pub whole_step: f64,
    /// The number of contacts deferred.
    pub deferred: usize,
    /// Pairs that are deferred at any speed, because their time of impact is being searched for.
    pub followed: Vec<[GeomId; 2]>,
    /// Solve for impulses to round-off, for event-driven motion.
    pub precise: bool,
    /// The work of the current step: the number of solves that have used up all that they may do.
    pub spent: f64,
    /// The worst certificate of the step, and the largest penetration.
    pub certificate: Option<Certificate>,
    pub penetration: f64,
    /// In steps with rows of the midpoint, whose energy is guarded: the potential energy added by pushing out, in J.
    pub lifted: f64,
    /// Restitution was reduced below its law, which would have added energy.
    pub bounded: bool,
    /// Overlaps were not pushed out as far as a step may.
    pub overlapping: bool,
    /// All that is held rests, but not with the impulses of the last step.
    resting: bool,
    /// The impulses that hold the contacts at rest, if they were computed; and scratch for computing them.
    rest: Vec<f64>,
    room: [Vec<f64>; 2],
    /// The rows of the current step are those of its midpoint.
    midway: bool,
    /// Closed contacts may rebound within a step.
    rebounding: bool,
    phases: Phases,
    /// The certificate of the last solve.
    found: Option<Certificate>,
    /// The error of the last solve, if it failed.
    pub failed: Option<ProblemError>,
    /// Impulses by key at the end of the last step, in world axes.
    warm: Vec<(ContactKey, Warm)>,
    /// Forces of limits and dry friction at the end of the last step, and their responses; 0 if unknown.
    warm_bounds: Vec<f64>,
    warm_responses: Vec<f64>,
    mass: MassMatrix,
    /// What a collision adds to M: armature, and overdamped joints.
    diagonal: Vec<f64>,
    /// The tree of each degree of freedom.
    tree: Vec<usize>,
    /// M⁻¹ includes the equality rows.
    by_rows: bool,
    /// J of all contacts, and the active rows.
    all: Live,
    live: Live,
    /// J v of all contacts: at the start of the step, and at its end without impulses.
    all_before: Vec<f64>,
    all_free: Vec<f64>,
    /// For contacts that are explicit springs: the forces of their rows.
    pressed: Vec<f64>,
    groups: Groups,
    /// For each row: the velocity without impulses including the shift c, the solution, and E.
    free: Vec<f64>,
    before: Vec<f64>,
    shift: Vec<f64>,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    compliance: Vec<f64>,
    /// For the first row of each group: the mean response to its own impulses.
    response: Vec<f64>,
    laws: Vec<Law>,
    /// For each row of joints and each contact: true if it takes part.
    bounds_in: Vec<bool>,
    in_play: Vec<bool>,
    /// For each contact: the gap at the end of the step predicted from its velocity there.
    end_gap: Vec<f64>,
    free_velocity: Vec<f64>,
    change: Vec<f64>,
    /// Solves islands, for the first thread and the others; and the solver and index of each island's solution.
    lead: Box<IslandSolver>,
    others: Vec<IslandSolver>,
    threads: Option<Threads>,
    by_island: Vec<[usize; 2]>,
}

/// Metres a second: what is slower does not approach.
const APPROACHES: f64 = 1e-9;

/// The initial guess of a contact for the next step: impulse and moment of impulse on the second body, in the world, and its mean response
/// to its own impulses, 1/kg; 0 if not known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Warm {
    pub impulse: V3,
    pub moment: V3,
    pub response: f64,
    /// The position.
    pub position: V3,
}

/// The solvers and their scratch.
#[derive(Clone, Debug)]
struct Solvers {
    exact: Exact,
    pgs: Pgs,
    polyhedral: Option<Polyhedral>,
    /// The polyhedral solver, for retrying small problems.
    edges: Option<Box<Polyhedral>>,
    other: Vec<f64>,
    moves: Vec<f64>,
    /// No second attempts.
    hurried: bool,
}

impl ContactWorkspace {
    pub fn new(model: &Model, rows: &super::rows::Rows, settings: ContactSettings) -> ContactWorkspace {
        let mass = MassMatrix::new(model);
        let mut tree = vec![0; model.nv()];
        let (dofs, begin) = mass.trees();
        for (k, ends) in begin.windows(2).enumerate() {
            dofs[ends[0]..ends[1]].iter().for_each(|dof| tree[*dof] = k);
        }
        let places = begin.last().copied().unwrap_or(0);
        let groups = Groups::new(rows, &tree, begin.clone());
        let solver = || IslandSolver::new(&settings, begin.len().saturating_sub(1), places, model.nv());
        let zeros = || vec![0.0; model.nv()];
        ContactWorkspace {
            list: Vec::new(),
            frames: Vec::new(),
            touched: Vec::new(),
            sweeping: false,
            timed: true,
            thickness: Vec::new(),
            half_space: Vec::new(),
            whole_step: 0.0,
            deferred: 0,
            followed: Vec::new(),
            precise: false,
            spent: 0.0,
            certificate: None,
            found: None,
            failed: None,
            penetration: 0.0,
            lifted: 0.0,
            bounded: false,
            overlapping: false,
            resting: false,
            rest: Vec::new(),
            room: Default::default(),
            midway: false,
            rebounding: true,
            phases: Phases::default(),
            warm: Vec::new(),
            warm_bounds: vec![0.0; rows.len()],
            warm_responses: vec![0.0; rows.len()],
            mass,
            diagonal: Vec::new(),
            tree,
            by_rows: false,
            all: Live::new(model.nv()),
            live: Live::new(model.nv()),
            all_before: Vec::new(),
            all_free: Vec::new(),
            pressed: Vec::new(),
            groups,
            free: Vec::new(),
            before: Vec::new(),
            shift: Vec::new(),
            impulse: Vec::new(),
            velocity: Vec::new(),
            compliance: Vec::new(),
            response: Vec::new(),
            laws: Vec::new(),
            bounds_in: vec![false; rows.len()],
            in_play: Vec::new(),
            end_gap: Vec::new(),
            free_velocity: zeros(),
            change: zeros(),
            lead: Box::new(solver()),
            others: (1..settings.threads).map(|_| solver()).collect(),
            threads: Threads::new(settings.threads),
            by_island: Vec::new(),
            settings,
        }
    }

    /// Discards the warm start.
    pub fn forget_steps(&mut self) {
        self.warm.clear();
        self.warm_bounds.fill(0.0);
        self.warm_responses.fill(0.0);
    }

    /// The warm start for the next step, for the geoms that exist in another model, renumbered as there.
    pub fn warm_by(&self, geoms: &[Option<GeomId>]) -> Vec<(ContactKey, Warm)> {
        let of = |key: &ContactKey| match key.geoms.map(|g| geoms.get(g.index()).copied().flatten()) {
            [Some(a), Some(b)] => Some(ContactKey { geoms: [a, b], ..*key }),
            _ => None,
        };
        let mut warm: Vec<_> = self.warm.iter().filter_map(|(key, warm)| Some((of(key)?, *warm))).collect();
        warm.sort_unstable_by_key(|(key, _)| *key);
        warm
    }
    pub fn set_warm(&mut self, warm: Vec<(ContactKey, Warm)>) {
        self.warm = warm;
    }

    /// Clears the report of the last step.
    pub fn begin_step(&mut self) {
        (self.certificate, self.penetration, self.lifted) = (None, 0.0, 0.0);
        (self.bounded, self.overlapping) = (false, false);
    }
    /// How many contacts have been stopped that would have rebounded if they had approached faster than γ.
    pub fn rested(&self) -> usize {
        let rests = |one: &&ContactResult| {
            let (n, surface) = (one.point.normal, &one.point.surface);
            let approach = -n.dot(one.velocity[0]);
            let stopped =
                (APPROACHES..=self.settings.gamma()).contains(&approach) && n.dot(one.impulse) > 0.0;
            surface.restitution > 0.0 && surface.softness.is_none() && stopped
        };
        self.touched.iter().filter(rests).count()
    }
}

impl Multipliers {
    /// Enables contacts.
    pub(crate) fn touch(&mut self, model: &Model, settings: ContactSettings) {
        self.touching = Some(Box::new(ContactWorkspace::new(model, &self.rows, settings)));
    }
    /// Writes the warm start as numbers.
    pub(crate) fn touch_memory(&self, out: &mut Vec<f64>) {
        let Some(t) = &self.touching else { return };
        out.extend(t.warm_bounds.iter().chain(&t.warm_responses));
        out.push(t.warm.len() as f64);
        for (key, warm) in &t.warm {
            out.extend(key.numbers());
            out.extend(warm.numbers());
        }
    }
    /// Restores the warm start.
    pub(crate) fn restore_touch_memory(&mut self, next: &mut impl FnMut() -> f64) {
        let Some(t) = &mut self.touching else { return };
        t.warm_bounds.iter_mut().chain(&mut t.warm_responses).for_each(|x| *x = next());
        let count = next();
        t.warm.clear();
        // a corrupt count must not exhaust memory
        for _ in 0..(count.clamp(0.0, 1e7) as usize) {
            let key = ContactKey::of_numbers(std::array::from_fn(|_| next()));
            t.warm.push((key, Warm::of_numbers(std::array::from_fn(|_| next()))));
        }
    }
    /// True if an approaching contact has closed.
    pub(crate) fn any_struck(&self) -> bool {
        let struck = |one: &ContactResult| {
            one.point.normal.dot(one.impulse) > 0.0 && one.point.normal.dot(one.velocity[0]) < -RESTING
        };
        self.touching.as_ref().is_some_and(|t| t.touched.iter().any(struck))
    }
    /// The impulse of the world on everything that moves, through contacts.
    pub(crate) fn contact_push(&self, model: &Model) -> V3 {
        let push = |one: &ContactResult| one.point.push(model, one.impulse, one.moment).force;
        self.touching.iter().flat_map(|t| &t.touched).fold(V3::ZERO, |sum, one| sum + push(one))
    }
    /// The velocity at the end of the current step as it would be without contacts and limits; `None` if no contact was near, or if other
    /// rows take part.
    pub(crate) fn velocity_without_contacts(&self) -> Option<&Vec<f64>> {
        self.touching.as_ref().filter(|t| !t.list.is_empty() && !t.by_rows).map(|t| &t.free_velocity)
    }
    /// True if contacts take part in the current step.
    pub(crate) fn any_contact(&self) -> bool {
        self.touching.as_ref().is_some_and(|t| !t.list.is_empty())
    }
}
