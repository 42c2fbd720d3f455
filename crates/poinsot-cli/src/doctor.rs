//! `poinsot doctor`.
use crate::Screen;
use crate::failure::Outcome;
use crate::subject::FileOptions;
use clap::Args;

/// Look for physics that is wrong, suspicious or not simulated
#[derive(Args)]
pub struct Doctor {
    /// A built-in scene, or the path of an MJCF or URDF file
    model: String,
    #[command(flatten)]
    files: FileOptions,
}
impl Doctor {
    pub fn execute(self, _screen: Screen) -> Outcome<u8> {
        Ok(0)
    }
}
