//! The command `poinsot`.
#![forbid(unsafe_code)]

mod list;
mod report;
mod run;
mod table;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Rigid and articulated body dynamics that keep what nature keeps.
#[derive(Parser)]
#[command(version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a scene and say how well energy and momentum were kept
    Run(run::Run),
    /// Show the built-in scenes and the integrators
    List(list::List),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(run) => run.execute(),
        Command::List(list) => list.execute(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}
