//! `poinsot figure`: pictures that need no model.

mod poinsot;

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
}

impl Figure {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        match self.which {
            Which::Poinsot(figure) => figure.execute(screen),
        }
    }
}
