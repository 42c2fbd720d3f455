//! The energy guard: substeps where a whole step would add unexplained energy.
//!
//! ```math
//! (1)  ρ = (T + V)(q⁺, v⁺) − (T + V)(q, v) − ½ (v + v⁺) · P
//! ```
//! V is the energy of gravity and P contains the impulses of everything else: springs, dampers, motors, friction, limits and loops. For
//! smooth motion ρ is of third order in the step, and harmless if negative; if it exceeds 1e-4 of T, and of the energy that forces put in
//! and take out in the step, the motion is not resolved and would diverge. Then the substep is repeated, and if that does not help, with
//! half the size, down to 1/64 of the step; after eight good ones the size doubles. P is what the step itself has applied, so that motors,
//! dampers and limits of any size leave ρ as it is. If a new impact falls into a substep, ρ means nothing and is ignored. If bodies touch,
//! ρ is that of the motion as it would be without contacts and limits: their impulses remove energy by themselves, and a substep that ends
//! with them is not improved by being shorter.
//!
//! For a floating model, the speed of its fall says nothing about how well its motion is resolved: T is taken about the centre of mass, V
//! is left out, and the root's translation is set to 0 before T is computed. With P₀ the impulse along the root's lines, m the mass and p
//! the momentum,
//!
//! ```math
//! (2)  T = T(q, v) − p²/2m          ρ = ΔT − ½ (v + v⁺) · P + ½ (p + p⁺) · P₀/m
//! ```
//!
//! A body that turns fast about a light axis gains and loses less than 1e-4 T in each step for hundreds of steps on end, which adds up to
//! percents. So the guard keeps an account of the gains of all steps:
//!
//! ```math
//! (3)  R ← max(0, R + ρ)
//! ```
//! If R exceeded 5e-4 of the largest T since the motion began, plus the energy that contacts, limits and friction have removed since, a
//! step may add no more than 1e-6 T.

use crate::algebra::V3;
use crate::dynamics::{Energies, State, Workspace};
use crate::model::{Kind, Model};

/// A step is divided into at most this many pieces.
pub(super) const PIECES: u32 = 64;
/// After this many good substeps the size doubles.
const PATIENCE: u32 = 8;
/// What a whole step may add, relative to the kinetic energy.
const ALLOWED: f64 = 1e-4;
/// What all steps together may add, relative to the largest kinetic energy.
const ALLOWED_IN_ALL: f64 = 5e-4;
/// What a whole step may add once that is used up, relative to the kinetic energy.
const NO_MATTER: f64 = 1e-6;
/// Metres or radians a second: below this a motion is the round-off of a model at rest.
pub(super) const RESTING: f64 = 1e-9;
/// The part of the energies that may be round-off.
const ROUND_OFF: f64 = 1e-13;

/// The size of substeps, in pieces, and how many were good since it changed; R of (3), and the largest T.
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
    /// The next substep is to have half the size of this one.
    pub fn halve(&mut self, pieces: u32) {
        (self.size, self.good) = (pieces / 2, 0);
    }
    /// True if ρ exceeds a fraction of what a step may add.
    pub fn refuses(&self, gain: Gain, fraction: f64) -> bool {
        let Gain { rho, kinetic, flow, round_off } = gain;
        let spent = self.given + rho > ALLOWED_IN_ALL * (self.largest.max(kinetic) + self.lost);
        rho > if spent { NO_MATTER } else { ALLOWED } * fraction.mul_add(kinetic, flow) + round_off
    }
    /// A substep was good, or cannot be improved; `gain` is given unless an impact fell into it.
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

/// The root of a model that is one tree on a free joint, not attached to anything: its first degree of freedom, and the total mass.
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

    /// The part of a vector along the lines of the root.
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

/// The work of everything but gravity in a substep: ½ (v + v⁺) · P and P₀; for a floating model without the part of P₀.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    pub work: f64,
    pub push: V3,
    /// The energy that forces have put in and taken out along the single coordinates.
    pub flow: f64,
    /// What all forces, gravity too, do in the substep at a speed that counts as rest.
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
