//! The command `poinsot`.
#![forbid(unsafe_code)]

mod check;
mod completions;
mod constraints;
mod convert;
mod doctor;
mod draw;
mod eval;
mod explain;
mod failure;
mod figure;
mod ik;
mod info;
mod lagrange;
mod list;
mod numbers;
mod optimize;
mod output;
mod plan;
mod plot;
mod probe;
mod report;
mod run;
mod subject;
mod tree;
mod view;

use clap::{Parser, Subcommand};
use failure::{Outcome, failure};
use poinsot::algebra::lanes::has_fused_multiply_add;
use std::process::ExitCode;

/// Rigid and articulated body dynamics that conserve what nature conserves.
///
/// MODEL is a built-in scene (`poinsot list`) or the path of an MJCF or URDF file.
#[derive(Parser)]
#[command(
    version,
    max_term_width = 110,
    after_help = "Exit codes: 0 done, 1 an error or a check that failed, 2 wrong usage, 130 interrupted."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    screen: Screen,
}

/// The form of a command's output.
#[derive(clap::Args, Clone, Copy)]
pub struct Screen {
    /// Print one JSON object, errors and diagnostics included
    #[arg(long, global = true, display_order = 900)]
    json: bool,
    /// Also show notes: what a file says that is not simulated
    #[arg(long, short, global = true, display_order = 901)]
    verbose: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a model and report how well energy and momentum were conserved
    Run(Box<run::Run>),
    /// Compare three formulations of the dynamics on one model
    Check(Box<check::Check>),
    /// View a model in the browser and interact with it
    View(Box<view::View>),
    /// Show what a model consists of
    Info(info::Info),
    /// Find physics that is wrong, suspicious or not simulated
    Doctor(doctor::Doctor),
    /// Compute forces, accelerations, matrices, energies or poses at one state
    Eval(Box<eval::Eval>),
    /// Inverse kinematics: find joint coordinates that put bodies where you want them
    Ik(Box<ik::Ik>),
    /// Find the motion that meets conditions and costs least: spacetime constraints
    Optimize(Box<optimize::Optimize>),
    /// Compute the forces that a given motion requires, and whether anything could exert them
    Explain(explain::Explain),
    /// Convert a model file to another format and report what that format cannot express
    Convert(convert::Convert),
    /// Simulate a system given by its energies, or a hierarchy of nodes that stretch
    Lagrange(lagrange::Lagrange),
    /// Draw a figure of rigid body mechanics
    Figure(figure::Figure),
    /// Show the built-in scenes, the gallery and the integrators
    List(list::List),
    /// Print a completion script for your shell
    Completions(completions::Completions),
}

impl Command {
    /// True for commands that spend their time in steps.
    fn steps(&self) -> bool {
        matches!(self, Command::Run(_) | Command::Check(_) | Command::View(_) | Command::Figure(_))
    }
}

/// The warning for a processor without fused multiply-add.
fn slow(fused: bool) -> Option<&'static str> {
    let note = "note: this processor has no fused multiply-add (FMA with AVX2): the results are the same to the last bit, but steps \
                take about fifty times as long\n";
    (!fused).then_some(note)
}

fn execute(command: Command, screen: Screen) -> Outcome<u8> {
    match command {
        Command::Run(run) => run.execute(screen),
        Command::Check(check) => check.execute(screen),
        Command::View(view) => view.execute(screen),
        Command::Info(info) => info.execute(screen),
        Command::Doctor(doctor) => doctor.execute(screen),
        Command::Eval(eval) => eval.execute(screen),
        Command::Ik(ik) => ik.execute(screen),
        Command::Optimize(optimize) => optimize.execute(screen),
        Command::Explain(explain) => explain.execute(screen),
        Command::Convert(convert) => convert.execute(screen),
        Command::Figure(figure) => figure.execute(screen),
        Command::Lagrange(lagrange) => lagrange.execute(screen),
        Command::List(list) => list.execute(screen),
        Command::Completions(completions) => completions.execute(),
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return wrong_usage(&error),
    };
    if let Some(note) = slow(has_fused_multiply_add()).filter(|_| cli.command.steps() && !cli.screen.json) {
        report::tell(note);
    }
    match execute(cli.command, cli.screen) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.show(cli.screen.json);
            ExitCode::FAILURE
        }
    }
}

/// The messages of clap, as JSON if requested.
fn wrong_usage(error: &clap::Error) -> ExitCode {
    let as_json = std::env::args_os().any(|a| a == "--json");
    if error.use_stderr() && as_json {
        let text = error.to_string();
        failure(text.trim().trim_start_matches("error: ")).show(true);
    } else if let Err(broken) = error.print() {
        // nobody reads the output: nothing more to do
        drop(broken);
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_processor_is_told_of_once() {
        assert!(slow(false).is_some_and(|note| note.lines().count() == 1 && note.contains("multiply-add")));
        assert_eq!(slow(true), None);
    }
}
