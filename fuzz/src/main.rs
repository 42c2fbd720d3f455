//! `cargo run --release -p poinsot-fuzz -- FORMAT --inputs 1000000 --seed 1`: see `docs/fuzzing.md`.
#![forbid(unsafe_code)]

use poinsot_fuzz::{Format, Progress, run};
use std::process::{ExitCode, exit};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const USAGE: &str =
    "usage: poinsot-fuzz all|mjcf|urdf|stl|obj|collada|msh [--inputs N] [--seed N] [--first N] [--trace]";
/// An input that does not return in this time hangs.
const HANG: Duration = Duration::from_secs(20);
/// More memory than this, in MiB, is a find.
const MOST_MEMORY: u64 = 2048;

struct Options {
    formats: Vec<Format>,
    inputs: u64,
    seed: u64,
    first: u64,
    /// Tells the number of each input before it is read: an overflow of the stack leaves nothing else.
    trace: bool,
}

fn options() -> Option<Options> {
    let mut words = std::env::args().skip(1);
    let name = words.next()?;
    let formats: Vec<Format> =
        Format::ALL.into_iter().filter(|f| name == "all" || name == f.name()).collect();
    let mut options = Options { formats, inputs: 1_000_000, seed: 1, first: 0, trace: false };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--inputs" => options.inputs = words.next()?.parse().ok()?,
            "--seed" => options.seed = words.next()?.parse().ok()?,
            "--first" => options.first = words.next()?.parse().ok()?,
            "--trace" => options.trace = true,
            _ => return None,
        }
    }
    (!options.formats.is_empty()).then_some(options)
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    for format in &options.formats {
        if !fuzz(*format, &options) {
            return ExitCode::from(1);
        }
    }
    ExitCode::SUCCESS
}

fn fuzz(format: Format, options: &Options) -> bool {
    let progress = Arc::new(Progress::default());
    watch(format, options.seed, progress.clone());
    let begin = Instant::now();
    let (mut inputs, mut good) = (0, 0);
    let step = if options.trace { 1 } else { 1000 };
    let end = options.first + options.inputs;
    for first in (options.first..end).step_by(step) {
        if options.trace {
            eprintln!("{} {first}", format.name());
        }
        match run(format, options.seed, first..(first + step as u64).min(end), &progress) {
            Ok(tally) => (inputs, good) = (inputs + tally.inputs, good + tally.good),
            Err(find) => {
                println!("{}: input {} of seed {}: {}", format.name(), find.number, options.seed, find.what);
                show(&find.input);
                return false;
            }
        }
        if let Some(memory) = peak_memory().filter(|m| *m > MOST_MEMORY) {
            println!(
                "{}: {memory} MiB by input {} of seed {}",
                format.name(),
                first + step as u64,
                options.seed
            );
            return false;
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{}: {inputs} inputs of seed {}, {good} of them good, nothing found; {:.0} a second, peak {} MiB",
        format.name(),
        options.seed,
        inputs as f64 / seconds,
        peak_memory().unwrap_or(0)
    );
    progress.number.store(0, Ordering::Relaxed);
    true
}

/// Prints the beginning of an input; all of it is made again by `--first NUMBER --inputs 1`.
fn show(input: &[u8]) {
    let most = &input[..input.len().min(5000)];
    println!("---- {} bytes\n{}\n----", input.len(), String::from_utf8_lossy(most));
    if most.iter().any(|b| !b.is_ascii()) {
        println!("\"{}\"", most.escape_ascii());
    }
}

/// Ends the program when an input hangs.
fn watch(format: Format, seed: u64, progress: Arc<Progress>) {
    std::thread::spawn(move || {
        let (mut last, mut since) = (0, Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let now = progress.number.load(Ordering::Relaxed);
            if now != last || now == 0 {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() > HANG + HANG {
                // twice the time: a slow input is being made smaller
                println!("{}: input {} of seed {seed} hangs", format.name(), now - 1);
                exit(1);
            }
        }
    });
}

/// The largest memory of this process so far, MiB (Linux).
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}
