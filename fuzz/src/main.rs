//! Feeds broken files to the readers. Nothing may panic, hang, or fail without saying why.
//!
//! `cargo run --release -p poinsot-fuzz -- mjcf --inputs 1000000`; without a format: all of them.
#![forbid(unsafe_code)]

mod mutate;
mod random;
mod target;

use clap::{Parser, ValueEnum};
use random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use target::Target;

/// Broken files for the readers of Poinsot
#[derive(Parser)]
struct Cli {
    /// The format; all when not given
    target: Option<Target>,
    /// How many inputs of each format
    #[arg(long, default_value_t = 100_000)]
    inputs: u64,
    /// The same seed gives the same inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// An input that takes longer is a find.
const SLOW: Duration = Duration::from_secs(2);
/// An input that takes longer is not waited for.
const HANGING: Duration = Duration::from_secs(30);

/// The input at hand and since when, for the watch.
type Current = Arc<Mutex<(Instant, Vec<u8>)>>;

fn main() -> ExitCode {
    let cli = Cli::parse();
    std::panic::set_hook(Box::new(|_| {}));
    let current: Current = Arc::new(Mutex::new((Instant::now(), Vec::new())));
    let watched = current.clone();
    std::thread::spawn(move || watch(&watched));
    let targets = cli.target.map_or(Target::value_variants().to_vec(), |t| vec![t]);
    let mut finds = 0;
    for target in targets {
        finds += feed(target, cli.inputs, cli.seed, &current);
    }
    if finds == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Ends the program when an input hangs: the input is what matters.
fn watch(current: &Current) {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let Ok(now) = current.lock() else { continue };
        if !now.1.is_empty() && now.0.elapsed() > HANGING {
            tell("hangs", &now.1);
            std::process::exit(1);
        }
    }
}

/// Feeds the seeds and what is made of them; returns how many inputs were finds.
fn feed(target: Target, inputs: u64, seed: u64, current: &Current) -> usize {
    let seeds = target.seeds();
    let mut random = Random(seed);
    let (mut finds, mut accepted) = (0, 0u64);
    let begin = Instant::now();
    for (k, valid) in seeds.iter().enumerate() {
        if !target.run(valid) {
            println!("seed {k} of {target:?} is not accepted");
            finds += 1;
        }
    }
    for _ in 0..inputs {
        let whole: &Vec<u8> = random.pick(&seeds);
        let input = mutate::broken(&mut random, whole, &seeds);
        if let Ok(mut now) = current.lock() {
            *now = (Instant::now(), input.clone());
        }
        let outcome = outcome(target, &input);
        accepted += u64::from(outcome == Ok(true));
        if let Err(what) = outcome {
            tell(&what, &smallest(target, input, &what));
            finds += 1;
            if finds >= 5 {
                break;
            }
        }
    }
    if let Ok(mut now) = current.lock() {
        now.1.clear();
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{target:?}: {inputs} inputs, {accepted} accepted, {finds} finds, {:.0} a second",
        inputs as f64 / seconds
    );
    finds
}

/// Whether the input was accepted, or what went wrong.
fn outcome(target: Target, input: &[u8]) -> Result<bool, String> {
    let begin = Instant::now();
    let caught = catch_unwind(AssertUnwindSafe(|| target.run(input)));
    if begin.elapsed() > SLOW {
        return Err(format!("is slow ({} s)", begin.elapsed().as_secs()));
    }
    caught.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        format!("panics: {}", text.unwrap_or_default())
    })
}

/// The input without the lines that do not matter.
fn smallest(target: Target, input: Vec<u8>, what: &str) -> Vec<u8> {
    let kind = |what: &str| what.split(':').next().map(String::from);
    let mut lines: Vec<Vec<u8>> = input.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    let mut k = 0;
    while k < lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(k);
        match outcome(target, &fewer.concat()) {
            Err(still) if kind(&still) == kind(what) => lines = fewer,
            _ => k += 1,
        }
    }
    lines.concat()
}

fn tell(what: &str, input: &[u8]) {
    println!("FIND: {what}\n{}\n", String::from_utf8_lossy(input));
}
