//! The energy guard: substeps where a whole step would give energy that nobody has put in.
//!
//! ```math
//! ρ = (T + V)(q⁺, v⁺) − (T + V)(q, v) − ½ (v + v⁺) · P
//! ```
//! V is the energy of gravity and P holds the impulses of everything else: springs, dampers, motors, friction, limits and
//! loops. T is that about the centre of mass where a model floats: how fast it falls does not matter. For smooth motion ρ is of third order in the step, and what is lost by it is harmless; where it exceeds 1e-4 T the
//! motion is not resolved and would diverge. Then the substep is made again, and if that is no better with half the size, down to 1/64 of the step;
//! after eight good ones the size doubles. P is what the step itself has applied, so that motors, dampers and limits of any size leave ρ as
//! it is. Where a new impact falls into a substep ρ measures nothing, and is not looked at.

use crate::dynamics::Energies;
use crate::model::{Kind, Model};

/// A step is made of this many pieces at most.
pub(super) const PIECES: u32 = 64;
/// After so many good substeps the size doubles.
const PATIENCE: u32 = 8;
/// What a whole step may give, of the kinetic energy.
const ALLOWED: f64 = 1e-4;
/// What of the energies may be round-off.
const ROUND_OFF: f64 = 1e-13;

/// The size of substeps, in pieces, and how many were good since it changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub size: u32,
    pub good: u32,
}

impl Default for Guard {
    fn default() -> Guard {
        Guard { size: PIECES, good: 0 }
    }
}

impl Guard {
    /// The next substep is to have half the size of this one.
    pub fn halve(&mut self, pieces: u32) {
        (self.size, self.good) = (pieces / 2, 0);
    }
    /// A substep was good.
    pub fn go_on(&mut self) {
        self.good += 1;
        if self.good >= PATIENCE && self.size < PIECES {
            (self.size, self.good) = (2 * self.size, 0);
        }
    }
}

/// What a substep has given to T + V beyond the work `done`, where that is more than a part `fraction` of a step may: ρ.
/// `floats` is the mass of a model that nothing ties to the world.
pub(super) fn gained(
    before: Energies,
    after: Energies,
    done: f64,
    fraction: f64,
    floats: Option<f64>,
) -> Option<f64> {
    let rho = (after.kinetic - before.kinetic) + (after.gravity - before.gravity) - done;
    let falling = |e: Energies| floats.map_or(0.0, |mass| 0.5 * e.momentum.dot(e.momentum) / mass);
    let about_centre = |e: Energies| (e.kinetic - falling(e)).max(0.0);
    let kinetic = about_centre(before).max(about_centre(after));
    let largest = before.kinetic.max(after.kinetic) + before.size.max(after.size) + done.abs();
    (rho > (ALLOWED * fraction).mul_add(kinetic, ROUND_OFF * largest)).then_some(rho)
}

/// The mass of a model that is one tree on a free joint, without constraints.
pub(super) fn floating_mass(model: &Model) -> Option<f64> {
    let tree = &model.tree;
    let mut roots = (1..tree.links()).filter(|i| tree.parent[*i] == 0);
    let free = roots.next().is_some_and(|i| tree.kind[i] == Kind::Free) && roots.next().is_none();
    (free && model.constraints().is_empty()).then(|| model.mass())
}
