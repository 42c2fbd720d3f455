//! `poinsot completions`.

use crate::failure::Outcome;
use crate::report::print;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print a completion script for your shell
#[derive(Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn execute(self) -> Outcome<u8> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::Cli::command(), "poinsot", &mut script);
        print(&String::from_utf8_lossy(&script))?;
        Ok(0)
    }
}
