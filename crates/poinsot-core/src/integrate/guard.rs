//! The energy guard: divides a step into substeps if it would add unexplained energy.
//!
//! ```math
//! (1)  ρ = (T + V)(q⁺, v⁺) − (T + V)(q, v) − ½ (v + v⁺) · P
//! ```
//! V is the energy of gravity and P contains the impulses of everything else: springs, dampers, motors, friction, limits and loops. For
//! smooth motion ρ is of third order in the step, and harmless if negative. If it exceeds 1e-4 of T and of the energy that forces put in
//! and take out in the step, the motion is not resolved and would diverge. Then the substep is repeated, and if that does not help, halved,
//! down to 1/64 of the step; after eight accepted substeps the size doubles. P is what the step itself has applied, so motors, dampers and
//! limits of any size do not affect ρ. If a new impact falls into a substep, ρ is meaningless and ignored. If bodies touch, ρ is the
//! smaller of two: that of the whole motion, which is right while contacts last, and that of the motion without contacts and limits, which
//! is right when they change: their impulses only remove energy, and shortening a substep that ends with them does not improve it.
//!
//! For a floating model, the speed of its fall says nothing about how well its motion is resolved: T is taken about the centre of mass, V
//! is left out, and the root's translation is set to 0 before T is computed. With P₀ the impulse along the root's translational
//! coordinates, m the mass and p the momentum,
//!
//! ```math
//! (2)  T = T(q, v) − p²/2m          ρ = ΔT − ½ (v + v⁺) · P + ½ (p + p⁺) · P₀/m
//! ```
//!
//! A body that spins fast about a light axis gains and loses less than 1e-4 T in each step for hundreds of steps, which adds up to
//! percents. So the guard accumulates the gains of all steps:
//!
//! ```math
//! (3)  R ← max(0, R + ρ)
//! ```
//! If R exceeds 5e-4 of the largest T since the start of the motion, plus the energy that contacts, limits and friction have removed since,
//! a step may add no more than 1e-6 T.

use crate::algebra::V3;
use crate::dynamics::{Energies, State, Workspace};
use crate::model::{Kind, Model};

/// A step is divided into at most this many pieces.
pub(super) const PIECES: u32 = 64;
/// After this many accepted substeps the size doubles.
const PATIENCE: u32 = 8;
/// What a whole step may add, relative to the kinetic energy.
const ALLOWED: f64 = 1e-4;
/// What all steps together may add, relative to the largest kinetic energy.
const ALLOWED_IN_ALL: f64 = 5e-4;
/// What a whole step may add once that allowance is used up, relative to the kinetic energy.
const NO_MATTER: f64 = 1e-6;
/// Metres or radians a second: below this a motion is the round-off of a model at rest.
pub(super) const RESTING: f64 = 1e-9;
/// The fraction of the energies that may be round-off.
const ROUND_OFF: f64 = 1e-13;

/// The size of substeps, in pieces, and how many were accepted since it changed; R of (3), and the largest T.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub size: u32,
    pub good: u32,
    pub given: f64,
    pub largest: f64,
    /// The energy removed by contacts, limits and friction.
    pub lost: f64,
}

impl Default for Guard {
    fn default() -> Guard {
        Guard { size: PIECES, good: 0, given: 0.0, largest: 0.0, lost: 0.0 }
    }
}

/// ρ of a substep, with its kinetic energy and the part of ρ that may be round-off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gain {
    pub rho: f64,
    kinetic: f64,
    flow: f64,
    round_off: f64,
}

impl Guard {
    /// Makes the next substep half the size of this one.
    pub fn halve(&mut self, pieces: u32) {
        (self.size, self.good) = (pieces / 2, 0);
    }
    /// True if ρ exceeds a fraction of what a step may add.
    pub fn refuses(&self, gain: Gain, fraction: f64) -> bool {
        let Gain { rho, kinetic, flow, round_off } = gain;
        let spent = self.given + rho > ALLOWED_IN_ALL * (self.largest.max(kinetic) + self.lost);
        rho > if spent { NO_MATTER } else { ALLOWED } * fraction.mul_add(kinetic, flow) + round_off
    }
    /// Accepts a substep, which was good or cannot be improved; `gain` is `None` if an impact fell into it.
    pub fn go_on(&mut self, gain: Option<Gain>) {
        if let Some(gain) = gain {
            self.given = (self.given + gain.rho).max(0.0);
            self.largest = self.largest.max(gain.kinetic);
        }
        self.good += 1;
        if self.good >= PATIENCE && self.size < PIECES {
            (self.size, self.good) = (2 * self.size, 0);
        }
    }
}

/// The root of a model that is a single tree on a free joint and not attached to anything: its first degree of freedom, and the total mass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floating {
    first: usize,
    mass: f64,
}

impl Floating {
    pub fn of(model: &Model) -> Option<Floating> {
        let tree = &model.tree;
        let mut roots = (1..tree.links()).filter(|i| tree.parent[*i] == 0);
        let root = roots.next().filter(|i| tree.kind[*i] == Kind::Free && roots.next().is_none())?;
        let first = tree.v[root];
        let rubs = model.joints().iter().any(|j| j.dofs().contains(&first) && j.friction_loss > 0.0);
        (model.constraints().is_empty() && !rubs).then(|| Floating { first, mass: model.mass() })
    }

    /// The part of a vector along the translational coordinates of the root.
    pub fn of_root(self, x: impl Fn(usize) -> f64) -> V3 {
        V3::new(x(self.first), x(self.first + 1), x(self.first + 2))
    }
}

/// T and V of (1) or (2) at a state; `v` is scratch.
pub(super) fn energies(
    model: &Model,
    ws: &mut Workspace,
    state: &State,
    floats: Option<Floating>,
    v: &mut [f64],
) -> Energies {
    let Some(Floating { first, mass }) = floats else { return ws.energies(model, &state.q, &state.v) };
    v.copy_from_slice(&state.v);
    v[first..first + 3].fill(0.0);
    let found = ws.energies(model, &state.q, v);
    let (p, size) = (found.momentum, found.kinetic);
    Energies { kinetic: size - 0.5 * p.dot(p) / mass, gravity: 0.0, size, ..found }
}

/// The work of all forces except gravity in a substep: ½ (v + v⁺) · P, and P₀; for a floating model without the part of P₀.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    pub work: f64,
    pub push: V3,
    /// The energy that forces have put in and taken out along the individual coordinates.
    pub flow: f64,
    /// The work of all forces, including gravity, in the substep at a speed that counts as rest.
    pub rest: f64,
}

/// ρ of a substep.
pub(super) fn gained(before: Energies, after: Energies, done: Done, floats: Option<Floating>) -> Gain {
    let carried = floats.map_or(0.0, |f| 0.5 * (before.momentum + after.momentum).dot(done.push) / f.mass);
    let rho = (after.kinetic - before.kinetic) + (after.gravity - before.gravity) - (done.work - carried);
    let kinetic = before.kinetic.max(after.kinetic);
    let largest = kinetic + before.size.max(after.size) + done.work.abs();
    Gain { rho, kinetic, flow: done.flow, round_off: ROUND_OFF * largest + done.rest }
}
