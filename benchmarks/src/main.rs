//! `./bench PEER`: Poinsot compared with a peer, in one run, on one core, on the same models and states.
#![forbid(unsafe_code)]

mod collide;
#[cfg(feature = "faer")]
mod constraints;
mod contact;
mod convert;
#[cfg(feature = "faer")]
mod faer_ldl;
mod free;
mod load;
mod long;
mod maximal;
mod models;
mod mujoco;
mod ours;
mod peer;
mod rapier;
mod stream;
mod table;

use clap::{Parser, Subcommand};
use miette::{Result, bail, miette};
use models::Robot;
use ours::{Bench, Kind, WORKS, Work};
use peer::Peer;
use poinsot::integrate::Method;
use std::path::{Path, PathBuf};
use table::Row;

/// Poinsot compared with its peers
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    peer: Which,
}

#[derive(Subcommand)]
enum Which {
    /// Tree dynamics compared with Pinocchio, header-only, the better of clang and g++ for each function
    Pinocchio {
        /// Where peer-clang and peer-gcc have been built
        #[arg(long)]
        build: PathBuf,
        /// Also write the rows to this file
        #[arg(long)]
        json: Option<PathBuf>,
        /// Rounds: each measures ours, clang's and g++'s once for every work
        #[arg(long, default_value_t = 7)]
        rounds: usize,
        /// Seconds for each measurement
        #[arg(long, default_value_t = 0.05)]
        seconds: f64,
        /// Only models whose name contains this
        #[arg(long)]
        only: Option<String>,
        /// Where the table is written
        #[arg(long, default_value = "BENCHMARKS.md")]
        out: PathBuf,
    },
    /// Loading of models compared with MuJoCo
    Load {
        /// Where the venv with MuJoCo is
        #[arg(long)]
        build: PathBuf,
        /// Where the table is written
        #[arg(long, default_value = "BENCHMARKS.md")]
        out: PathBuf,
    },
    /// Maximal coordinates: the block elimination of a chain of hinges, compared with faer and our own forward dynamics
    #[cfg(feature = "faer")]
    Constraints {
        /// Seconds for each measurement
        #[arg(long, default_value_t = 1.0)]
        seconds: f64,
        /// Where the table is written
        #[arg(long, default_value = "BENCHMARKS.md")]
        out: PathBuf,
    },
    /// Collision detection compared with parry
    Collide {
        /// Seconds for each measurement
        #[arg(long, default_value_t = 0.3)]
        seconds: f64,
        /// Where the table is written
        #[arg(long, default_value = "BENCHMARKS.md")]
        out: PathBuf,
    },
    /// Contact solvers on bare problems
    Contact {
        /// Solves of each
        #[arg(long, default_value_t = 200)]
        rounds: usize,
        /// Only lines whose name contains this, and no table is written
        #[arg(long)]
        only: Option<String>,
        /// Where the table is written
        #[arg(long, default_value = "BENCHMARKS.md")]
        out: PathBuf,
    },
    /// A step of many free bodies
    Free {
        /// Seconds for each measurement
        #[arg(long, default_value_t = 1.0)]
        seconds: f64,
        /// Where the table is written
        #[arg(long, default_value = "BENCHMARKS.md")]
        out: PathBuf,
    },
    /// A step in maximal coordinates, compared with one in those of the joints
    Maximal {
        /// Runs of each
        #[arg(long, default_value_t = 100)]
        rounds: usize,
        /// Where the table is written
        #[arg(long, default_value = "BENCHMARKS.md")]
        out: PathBuf,
    },
    /// Whole steps of robots compared with MuJoCo
    Mujoco {
        /// Where peer-mujoco has been built
        #[arg(long)]
        build: PathBuf,
        /// Rounds: each starts the peer anew and measures both
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// Seconds for each measurement
        #[arg(long, default_value_t = 0.5)]
        seconds: f64,
        /// Only robots whose name contains this
        #[arg(long)]
        only: Option<String>,
        /// Where the table is written
        #[arg(long, default_value = "BENCHMARKS.md")]
        out: PathBuf,
    },
    /// A humanoid under random controls for very many steps: finite, and every step solved
    Long {
        /// Where the models have been put
        #[arg(long)]
        build: PathBuf,
        /// Whose humanoid: dm_control or gymnasium
        #[arg(long, default_value = "dm_control")]
        model: String,
        #[arg(long, default_value_t = 1_000_000)]
        steps: usize,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value = "implicit")]
        integrator: Method,
    },
    /// Piles, stacks and a chain compared with Rapier
    Rapier {
        /// Where peer-rapier-f32 and peer-rapier-f64 have been built
        #[arg(long)]
        build: PathBuf,
        /// Runs of each
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Only scenes whose name contains this, and no table is written
        #[arg(long)]
        only: Option<String>,
        /// Where the table is written
        #[arg(long, default_value = "BENCHMARKS.md")]
        out: PathBuf,
    },
    /// What the viewer costs in addition to the physics
    View {
        /// Where the table is written
        #[arg(long, default_value = "BENCHMARKS.md")]
        out: PathBuf,
    },
}

fn main() -> Result<()> {
    let (build, json, rounds, seconds, only, out) = match Cli::parse().peer {
        Which::Pinocchio { build, json, rounds, seconds, only, out } => {
            (build, json, rounds, seconds, only, out)
        }
        Which::Load { build, out } => return load::run(&build, &out),
        #[cfg(feature = "faer")]
        Which::Constraints { seconds, out } => return constraints::run(seconds, &out),
        Which::Collide { seconds, out } => return collide::run(seconds, &out),
        Which::Contact { rounds, only, out } => {
            let written = only.is_none().then_some(out);
            return contact::run(rounds, only.as_deref(), written.as_deref());
        }
        Which::Free { seconds, out } => return free::run(seconds, &out),
        Which::Maximal { rounds, out } => return maximal::run(rounds, &out),
        Which::Mujoco { build, rounds, seconds, only, out } => {
            return mujoco::run(&build, rounds, seconds, only.as_deref(), &out);
        }
        Which::Long { build, model, steps, seed, integrator } => {
            let file = match model.as_str() {
                "dm_control" => "models/dm_control/suite/humanoid.xml",
                "gymnasium" => "models/gymnasium/envs/mujoco/assets/humanoid.xml",
                _ => bail!("--model {model}: there are dm_control and gymnasium"),
            };
            return long::run(&build.join(file), integrator, steps, seed);
        }
        Which::Rapier { build, rounds, only, out } => {
            return rapier::run(&build, rounds, only.as_deref(), &out);
        }
        Which::View { out } => return stream::run(&out),
    };
    let mut rows = Vec::new();
    for robot in models::all()? {
        if only.as_ref().is_some_and(|o| !robot.name.contains(o.as_str())) {
            continue;
        }
        eprintln!("{}", robot.name);
        rows.extend(compare(&robot, &build, rounds, seconds)?);
    }
    rows.extend(models::linear_cost(seconds)?);
    println!("{}", table::text(&rows));
    if only.is_none() {
        table::write_markdown(&out, &rows)?;
    }
    if let Some(path) = json {
        table::write_json(&path, &rows)?;
    }
    Ok(())
}

/// All works on one robot: first the numbers must agree, then the times are taken in turn.
fn compare(robot: &Robot, build: &Path, rounds: usize, seconds: f64) -> Result<Vec<Row>> {
    let mut bench = Bench::new(robot);
    let files = bench.write_files(build)?;
    let start = || {
        Ok::<_, miette::Report>([
            Peer::start(build, "peer-clang", &files)?,
            Peer::start(build, "peer-gcc", &files)?,
        ])
    };
    let mut peers = start()?;
    // where the end of a long chain is wanted is no question of robots
    let works: Vec<Work> =
        WORKS.into_iter().filter(|w| w.kind != Kind::Reach || robot.model.nv() <= 60).collect();
    for work in works.clone() {
        for index in [0, 1, 17] {
            if let Some(theirs) = peers[0].values(work.peer_name, index)? {
                check(robot, work.name, &bench.values(work, index), &theirs)?;
            }
        }
    }
    let mut rows: Vec<Row> = works
        .iter()
        .map(|w| Row { work: w.name, model: robot.name.clone(), ours_ns: f64::INFINITY, peer_ns: None })
        .collect();
    for _ in 0..rounds {
        peers = start()?;
        for (work, row) in works.iter().copied().zip(&mut rows) {
            row.ours_ns = row.ours_ns.min(bench.time(work, seconds));
            for peer in &mut peers {
                if let Some(ns) = peer.time(work.peer_name, seconds)? {
                    row.peer_ns = Some(row.peer_ns.map_or(ns, |best| best.min(ns)));
                }
            }
        }
    }
    Ok(rows)
}

fn check(robot: &Robot, work: &str, ours: &[f64], theirs: &[f64]) -> Result<()> {
    if ours.len() != theirs.len() {
        bail!("{}: {work}: we give {} numbers, the peer {}", robot.name, ours.len(), theirs.len());
    }
    let scale = theirs.iter().fold(1e-300f64, |m, x| m.max(x.abs()));
    let worst = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / scale;
    // forward dynamics of a long chain amplifies round-off by the condition number of its mass matrix
    let tolerance = if robot.name.starts_with("chain") { 1e-7 } else { 1e-9 };
    if worst.is_nan() || worst > tolerance {
        return Err(miette!(
            "{}: {work}: the results differ by {worst:e} of their largest number",
            robot.name
        ));
    }
    Ok(())
}
