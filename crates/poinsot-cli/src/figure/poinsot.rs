//! `poinsot figure poinsot`.

use crate::Screen;
use crate::failure::{Outcome, failure};
use clap::Args;
use std::path::PathBuf;

/// Poinsot's construction: the ellipsoid that rolls on a plane, its polhode and herpolhode
#[derive(Args)]
pub struct Poinsot {
    /// Where the picture goes: a .png, .svg or .gif file
    #[arg(long, value_name = "FILE", default_value = "poinsot.png")]
    out: PathBuf,
}

impl Poinsot {
    pub fn execute(self, _: Screen) -> Outcome<u8> {
        Err(failure(format!("{}: this figure cannot be drawn yet", self.out.display())))
    }
}
