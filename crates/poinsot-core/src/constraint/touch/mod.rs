//! Contact in a step: points where bodies touch, as rows that exist for one step, solved together with limits and dry friction.
//!
//! A contact has a normal n, from the first body to the second, and the velocity u of the second at the point minus that of the first. Its
//! rows are u along n and two tangents, and, if the surfaces resist them, rotations about n and about the tangents. With `G = J M⁻¹ Jᵀ`,
//! where loops and joints are kept, impulses λ over a step give
//!
//! ```math
//! (1)  u⁺ = G λ + J v_free          (2)  K ∋ λ ⟂ u⁺ + c n + μ‖u_T⁺‖ n ∈ K*
//! ```
//! and one of the [solvers](crate::contact) finds them. The shift c says what is asked for at the end of the step, which moves
//! positions for the time r with v⁺, by the gap g and the approach u⁻:
//!
//! ```math
//! (3)  g > 0:  c = g/r, it may close          g ≤ 0:  c = e u⁻ where u⁻ < −γ, it rebounds; else 0
//! (4)  with stiffness k and damping d:  c = k g/(r k + d),  compliance 1/(h (r k + d))
//! (5)  as MuJoCo has it:  c = h k g − (1 − h b) u⁻,  compliance (1 − i)/(i m)
//! ```
//! (3) is Moreau's rule [Moreau88]; (4) is a spring and damper at the end of the step, so that rigid is the limit of soft; (5) is
//! `u⁺ = u⁻ + h (−b u⁻ − k g) − R λ`, by which the acceleration is a share i of the one asked for. What has
//! closed is brought to rest by an impact at the end of the step ([`collision`]), or with rows of the beginning of a step by the next one; what has been passed is pushed
//! out without giving speed ([`push_out`]).

mod collision;
mod inverse;
mod live;
mod pile;
mod point;
mod push_out;
mod response;
mod resting;
mod restitution;
mod settings;
mod step;
mod unchanged;

pub(crate) use collision::AT_IMPACT;
pub use collision::Collision;
pub(crate) use inverse::{InverseForces, RestThresholds};
pub use point::{
    ContactKey, ContactPoint, ContactResult, ContactSoftness, ContactSource, FirstTouch, Surface, SweepRule,
};
pub(crate) use resting::{Rest, RestProblem};
pub use settings::{ContactSettings, ContactSolver, Impacts, Restitution};
pub(crate) use step::ContactWork;

use super::Multipliers;
use super::unilateral::RESTING;
use crate::algebra::V3;
use crate::contact::{Certificate, Exact, Law, Pgs, Polyhedral, ProblemError};
use crate::dynamics::MassMatrix;
use crate::model::{GeomId, Model};
use live::Live;
use response::Groups;
use restitution::Phases;

/// Metres: a smaller gap counts as none.
pub(crate) const CLOSED: f64 = 1e-10;

/// What the rows of contacts need from step to step. Nothing is allocated once it has grown.
#[derive(Clone, Debug)]
pub(crate) struct ContactWorkspace {
    pub settings: ContactSettings,
    /// The contacts of the current step.
    pub list: Vec<ContactPoint>,
    /// The frame of each.
    frames: Vec<[V3; 3]>,
    /// What was found of each.
    pub touched: Vec<ContactResult>,
    /// Contacts that rebound are left to [`super::super::integrate`], which finds their time.
    pub sweeping: bool,
    /// Nothing rebounds: there were too many rebounds in this step.
    pub plastic: bool,
    /// For each contact, metres: if it has closed in by more since the step began, it is deferred too.
    pub thickness: Vec<f64>,
    /// The size of the whole current step, s.
    pub whole_step: f64,
    /// The number of contacts deferred.
    pub deferred: usize,
    /// Pairs that are deferred whatever their speed, because their time of impact is sought.
    pub followed: Vec<[GeomId; 2]>,
    /// Impulses are found to round-off: for event-driven motion.
    pub precise: bool,
    /// The worst certificate of the step, and the deepest overlap.
    pub certificate: Option<Certificate>,
    pub penetration: f64,
    /// The potential energy that pushing out has added, J.
    pub lifted: f64,
    /// Restitution was less than its law requires, which would have added energy.
    pub bounded: bool,
    /// Overlaps were not pushed out as far as a step may.
    pub overlapping: bool,
    /// All that is held rests, but not with the impulses of the last step.
    resting: bool,
    /// The impulses that hold it at rest, where they were found; and room to find them.
    rest: Vec<f64>,
    room: [Vec<f64>; 2],
    /// The rows of the current step are those of its midpoint.
    midway: bool,
    /// Contacts that are closed may rebound within a step.
    rebounding: bool,
    phases: Phases,
    /// The certificate of the last solve.
    found: Option<Certificate>,
    /// Why the last solve was none.
    pub failed: Option<ProblemError>,
    /// Impulses by key at the end of the last step, in the world.
    warm: Vec<(ContactKey, Warm)>,
    /// Forces of limits and dry friction at the end of the last step, and how they respond; 0 if not known.
    warm_bounds: Vec<f64>,
    warm_responses: Vec<f64>,
    mass: MassMatrix,
    /// The tree of each degree of freedom.
    tree: Vec<usize>,
    /// M⁻¹ is that subject to the equality rows.
    by_rows: bool,
    /// J of all contacts, and the rows in play.
    all: Live,
    live: Live,
    /// J v of all contacts, before the step and without impulses.
    all_before: Vec<f64>,
    all_free: Vec<f64>,
    /// For contacts that are springs at the beginning of the step: the forces of their rows.
    pressed: Vec<f64>,
    groups: Groups,
    /// For each row: the velocity without impulses and with the shift c, what is found, and E.
    free: Vec<f64>,
    before: Vec<f64>,
    shift: Vec<f64>,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    compliance: Vec<f64>,
    /// Of the first row of each group: how it responds to its own impulses, in the mean.
    response: Vec<f64>,
    laws: Vec<Law>,
    /// For each row of joints and each contact: it takes part.
    bounds_in: Vec<bool>,
    in_play: Vec<bool>,
    /// For each contact: its gap at the end of the step, by its velocity there.
    end_gap: Vec<f64>,
    free_velocity: Vec<f64>,
    change: Vec<f64>,
    solvers: Solvers,
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

/// The solvers, each with its memory.
#[derive(Clone, Debug)]
struct Solvers {
    exact: Exact,
    pgs: Pgs,
    polyhedral: Option<Polyhedral>,
    /// For small problems that are tried again.
    edges: Option<Box<Polyhedral>>,
    other: Vec<f64>,
    moves: Vec<f64>,
}

impl ContactWorkspace {
    pub fn new(model: &Model, rows: &super::rows::Rows, settings: ContactSettings) -> ContactWorkspace {
        let mass = MassMatrix::new(model);
        let mut tree = vec![0; model.nv()];
        let (dofs, begin) = mass.trees();
        for (k, ends) in begin.windows(2).enumerate() {
            dofs[ends[0]..ends[1]].iter().for_each(|dof| tree[*dof] = k);
        }
        let groups = Groups::new(rows, &tree, begin);
        let zeros = || vec![0.0; model.nv()];
        ContactWorkspace {
            list: Vec::new(),
            frames: Vec::new(),
            touched: Vec::new(),
            sweeping: false,
            plastic: false,
            thickness: Vec::new(),
            whole_step: 0.0,
            deferred: 0,
            followed: Vec::new(),
            precise: false,
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
            solvers: Solvers::new(&settings),
            settings,
        }
    }

    /// Forgets the initial guesses for the next step.
    pub fn forget_steps(&mut self) {
        self.warm.clear();
        self.warm_bounds.fill(0.0);
        self.warm_responses.fill(0.0);
    }

    /// The impulses that the next step begins with, of the geoms that another model has, by their numbers there.
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
    /// Lets contacts take part from now on.
    pub(crate) fn touch(&mut self, model: &Model, settings: ContactSettings) {
        self.touching = Some(Box::new(ContactWorkspace::new(model, &self.rows, settings)));
    }
    /// Writes the initial guesses for the next step, as numbers.
    pub(crate) fn touch_memory(&self, out: &mut Vec<f64>) {
        let Some(t) = &self.touching else { return };
        out.extend(t.warm_bounds.iter().chain(&t.warm_responses));
        out.push(t.warm.len() as f64);
        for (key, warm) in &t.warm {
            out.extend(key.numbers());
            out.extend(warm.numbers());
        }
    }
    /// Restores them.
    pub(crate) fn restore_touch_memory(&mut self, next: &mut impl FnMut() -> f64) {
        let Some(t) = &mut self.touching else { return };
        t.warm_bounds.iter_mut().chain(&mut t.warm_responses).for_each(|x| *x = next());
        let count = next();
        t.warm.clear();
        // a damaged number must not request all memory
        for _ in 0..(count.clamp(0.0, 1e7) as usize) {
            let key = ContactKey::of_numbers(std::array::from_fn(|_| next()));
            t.warm.push((key, Warm::of_numbers(std::array::from_fn(|_| next()))));
        }
    }
    /// True when a contact that was approached has been met.
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
    /// The velocity at the end of the step at hand as it would be without contacts and limits; none where no contact was near, or where
    /// other rows take part.
    pub(crate) fn velocity_without_contacts(&self) -> Option<&Vec<f64>> {
        self.touching.as_ref().filter(|t| !t.list.is_empty() && !t.by_rows).map(|t| &t.free_velocity)
    }
    /// True when contacts take part in the step at hand.
    pub(crate) fn any_contact(&self) -> bool {
        self.touching.as_ref().is_some_and(|t| !t.list.is_empty())
    }
}
