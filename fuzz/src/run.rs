//! Many inputs, one after another.

use crate::format::{Format, Maker};
use crate::minimise::minimise;
use crate::random::Random;
use crate::target;
use cpu_time::ThreadTime;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// An input that takes longer is a find.
fn slow(input: &[u8]) -> Duration {
    // a few words with this one make a model of a million bodies
    let many = input.windows(9).any(|w| w == b"replicate");
    Duration::from_secs(if many { 15 } else { 1 })
}

/// What came of the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many were read.
    pub inputs: u64,
    /// How many of them were models or meshes.
    pub good: u64,
}

/// An input that must not be.
#[derive(Clone, Debug)]
pub struct Find {
    /// Its number.
    pub number: u64,
    /// What is wrong.
    pub what: String,
    /// A smaller input with the same fault.
    pub input: Vec<u8>,
}

/// Where a run is: for a watcher in another thread, as a hang does not return.
#[derive(Debug, Default)]
pub struct Progress {
    /// The number of the input, plus 1.
    pub number: AtomicU64,
}

/// Reads the inputs of these numbers; ends with the first find.
pub fn run(
    format: Format,
    seed: u64,
    numbers: std::ops::Range<u64>,
    progress: &Progress,
) -> Result<Tally, Box<Find>> {
    let maker = Maker::new(format);
    let mut tally = Tally::default();
    for number in numbers {
        progress.number.store(number + 1, Ordering::Relaxed);
        let input = maker.input(seed, number);
        match judge(format, seed, number, &input) {
            Ok(good) => tally.good += u64::from(good),
            Err(what) => {
                let same = |smaller: &[u8]| {
                    judge(format, seed, number, smaller).is_err_and(|w| kind(&w) == kind(&what))
                };
                let input = minimise(input, same);
                return Err(Box::new(Find { number, what, input }));
            }
        }
        tally.inputs += 1;
    }
    Ok(tally)
}

/// What stays the same when an input gets smaller.
fn kind(what: &str) -> &str {
    what.split(": ").next().unwrap_or(what)
}

/// True when the input is good, or what is wrong with us.
fn judge(format: Format, seed: u64, number: u64, input: &[u8]) -> Result<bool, String> {
    let (outcome, mut took) = timed(format, seed, number, input);
    let slow = if took > Duration::from_secs(1) { slow(input) } else { took };
    if took > slow {
        // the first time may have met cold memory
        took = took.min(timed(format, seed, number, input).1);
    }
    if took > slow {
        return Err(format!("slow: it takes {:.1} s", took.as_secs_f64()));
    }
    outcome
}

fn timed(format: Format, seed: u64, number: u64, input: &[u8]) -> (Result<bool, String>, Duration) {
    remember_panics();
    // not the stream the input was made of
    let mut r = Random::of_input(!seed, number);
    // the time of this thread: the machine may be busy
    let begin = ThreadTime::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| target::run(format, input, &mut r)));
    let took = begin.elapsed();
    let outcome = outcome.unwrap_or_else(|_| Err(PANIC.with_borrow_mut(std::mem::take)));
    (outcome, took)
}

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics are kept, not printed: a find is told once.
fn remember_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let place =
                info.location().map(|l| format!("{} line {}", l.file(), l.line())).unwrap_or_default();
            let payload = info.payload();
            let owned = payload.downcast_ref::<String>().map(String::as_str);
            let message = owned.or(payload.downcast_ref::<&str>().copied()).unwrap_or("?");
            PANIC.with_borrow_mut(|p| *p = format!("panic in {place}: {message}"));
        }));
    });
}
