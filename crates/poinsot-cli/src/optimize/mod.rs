//! `poinsot optimize`: a motion that meets conditions and costs least.

mod files;
mod show;

use crate::Screen;
use crate::failure::{Outcome, failure};
use crate::output::FilmOptions;
use crate::plot;
use crate::report::{print, tell};
use crate::run::INTERRUPTED;
use crate::run::interrupt::Interrupt;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use poinsot_optimize::{Ending, Problem, Solution, Step};
use std::path::PathBuf;
use std::time::Duration;

/// Find the motion that meets conditions and costs least: spacetime constraints
///
/// PROBLEM.toml says what moves (a model file, a scene, or a system given by formulas), for how long, which conditions hold at which times
/// and throughout, and what is minimised; docs/optimize.md lists all its words. The motion is a local optimum near the guess.
#[derive(Args)]
pub struct Optimize {
    /// The problem: a TOML file, or JSON with the same keys
    problem: PathBuf,
    /// The number of intervals of each phase, instead of the file's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    intervals: Option<u64>,
    /// The collocation scheme, instead of the file's: trapezoidal, hermite-simpson or central-difference
    #[arg(long)]
    scheme: Option<String>,
    /// The residual of the optimality conditions below which the problem counts as solved [default: the file's; 1e-9]
    #[arg(long, value_name = "X", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// Write the motion to a .csv, .npz or .json file; of a model also a page that replays it (.html), an animation (.glb) or a film
    /// (.gif, .mp4) (may be given several times)
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Draw coordinates, velocities and controls over time into this .svg or .png file (may be given several times)
    #[arg(long, value_name = "FILE")]
    plot: Vec<PathBuf>,
    /// Write a moving picture of nodes that stretch, seen along y: an SVG file for the browser
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    film: FilmOptions,
}

fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite());
    number.ok_or_else(|| "give a positive number".into())
}

impl Optimize {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let mut problem = Problem::read(&self.problem)?;
        if let Some(n) = self.intervals {
            let n = usize::try_from(n).unwrap_or(usize::MAX);
            problem.phases.iter_mut().for_each(|phase| phase.intervals = n);
        }
        if let Some(word) = &self.scheme {
            problem.scheme = word.parse().map_err(|e: String| failure(e))?;
        }
        problem.settings.tolerance = self.tolerance.unwrap_or(problem.settings.tolerance);
        self.plot.iter().try_for_each(|path| plot::check_ending("--plot", path))?;
        let picture = self.picture.as_ref().map(|path| files::Picture::new(path, &problem)).transpose()?;
        let files = files::Files::new(&self.out, &self.film, &problem)?;
        let found = solve(&problem, screen)?;
        files.write(&found)?;
        picture.map_or(Ok(()), |picture| picture.write(&found))?;
        for path in &self.plot {
            plot::write(&show::sheet(&found, &self.problem), path)?;
        }
        print(&show::summary(&problem, &found, screen.json))?;
        Ok(match found.ending {
            Ending::Interrupted => INTERRUPTED,
            _ if found.is_solved() => 0,
            _ => 1,
        })
    }
}

fn solve(problem: &Problem, screen: Screen) -> Outcome<Solution> {
    let interrupt = Interrupt::listen();
    let bar = if screen.json { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
    let style = ProgressStyle::with_template("{spinner} {msg}");
    let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(100));
    let found = problem.solve(&mut |step: &Step| {
        let Step { iteration, cost, violation, slope, barrier } = step;
        let text =
            format!("iteration {iteration}: cost {cost:.9}, violation {violation:.1e}, slope {slope:.1e}");
        if screen.verbose {
            tell(&format!("{text}, barrier {barrier:.1e}\n"));
        }
        bar.set_message(text);
        !interrupt.came()
    });
    bar.finish_and_clear();
    Ok(found?)
}
