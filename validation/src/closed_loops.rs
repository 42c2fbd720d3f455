//! Loops that stay closed, whatever the method and however long.

use crate::course::Course;
use crate::entry::Ledger;
use poinsot::scenes;
use poinsot_core::constraint::Stabilisation;

const DT: f64 = 1e-3;

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Closed loops");
    ledger.problem(
        "minute",
        "the project's demand: 1e-10 m over 60 s; energy by `midpoint` 1e-4 of what moves, at 1 ms",
    );
    let runs: Vec<(&str, &str)> = ["stewart", "six-r", "four-bar"]
        .into_iter()
        .flat_map(|scene| ["midpoint", "semi-implicit"].map(|method| (scene, method)))
        .collect();
    // each on a thread of its own: they take longest of all
    let minutes: Vec<(f64, f64)> = std::thread::scope(|scope| {
        let started: Vec<_> = runs.iter().map(|run| scope.spawn(|| minute(run.0, run.1))).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for ((scene, method), (closure, energy)) in runs.iter().zip(minutes) {
        ledger.error(format!("{scene}, `{method}`: gap of the loops over 60 s, m"), closure, 1e-10);
        if *method == "midpoint" {
            ledger.error(format!("{scene}, `{method}`: energy over 60 s, relative"), energy, 1e-4);
        }
    }
    ledger.problem(
        "million steps",
        "a four-bar: by projection drift stays at round-off, the project's 1e-10; by Baumgarte's method with T = 20 ms it \
         is bounded: the second half million is as good as the first, and neither worse than 1e-6 m",
    );
    let (projected, stabilised) = std::thread::scope(|scope| {
        let other = scope.spawn(|| million("rkmk4", Stabilisation::Baumgarte { time_constant: 0.02 }));
        (million("semi-implicit", Stabilisation::Projection), other.join().unwrap())
    });
    ledger.error(
        "`semi-implicit`, projection: drift over 1e6 steps, m",
        projected[0].max(projected[1]),
        1e-10,
    );
    ledger.error("`rkmk4`, Baumgarte: drift over 1e6 steps, m", stabilised[0].max(stabilised[1]), 1e-6);
    ledger.number(
        "`rkmk4`, Baumgarte: drift in the second half over that in the first",
        stabilised[1] / stabilised[0],
        1.0,
        0.5,
    );
}

/// The worst violation and change of energy, relative to the largest kinetic energy, over a minute.
fn minute(scene: &str, method: &str) -> (f64, f64) {
    let scene = scenes::by_name(scene).unwrap();
    let mut course = Course::of_scene(&scene, method);
    let first = course.energy();
    let (mut closure, mut energy, mut moving) = (0.0f64, 0.0f64, 0.0f64);
    for k in 1..=6000 {
        course.to(f64::from(k) * 10.0 * DT, 10);
        closure = closure.max(course.violation());
        energy = energy.max((course.energy() - first).abs());
        moving = moving.max(course.at().kinetic_energy());
    }
    (closure, energy / moving)
}

/// The worst violation in each half of a million steps.
fn million(method: &str, by: Stabilisation) -> [f64; 2] {
    let scene = scenes::by_name("four-bar").unwrap();
    let mut course = Course::of_scene(&scene, method);
    course.stabilise(by);
    let mut half = |first: u32| {
        let mut worst = 0.0f64;
        for k in first..first + 50_000 {
            course.to(f64::from(k + 1) * 10.0 * DT, 10);
            worst = worst.max(course.violation());
        }
        worst
    };
    [half(0), half(50_000)]
}
