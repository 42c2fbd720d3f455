//! `poinsot figure`: pictures that need no model.

mod convergence;
mod drift;
mod poinsot;
mod study;

use crate::Screen;
use crate::failure::Outcome;
use clap::{Args, Subcommand};

/// Draw a figure of rigid body mechanics
#[derive(Args)]
pub struct Figure {
    #[command(subcommand)]
    which: Which,
}

#[derive(Subcommand)]
enum Which {
    /// Poinsot's construction: the ellipsoid that rolls on a plane, its polhode and herpolhode
    Poinsot(poinsot::Poinsot),
    /// Error against step, and against cost, for all integrators
    Convergence(convergence::Convergence),
    /// Errors of energy and momentum over time, for all integrators
    Drift(drift::Drift),
}

impl Figure {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        match self.which {
            Which::Poinsot(figure) => figure.execute(screen),
            Which::Convergence(figure) => figure.execute(screen),
            Which::Drift(figure) => figure.execute(screen),
        }
    }
}
