//! Which problems are solved, how exactly, and with how much work.

use crate::common::*;
use std::time::Instant;

#[derive(Default)]
struct Row {
    count: usize,
    solved: usize,
    worst: f64,
    iterations: usize,
    micros: Vec<f64>,
    stages: std::collections::BTreeMap<&'static str, usize>,
}

fn show(name: &str, problems: &[Owned]) {
    let mut row = Row::default();
    for p in problems {
        let begin = Instant::now();
        let a = p.exact();
        row.micros.push(begin.elapsed().as_secs_f64() * 1e6);
        row.count += 1;
        row.solved += a.certificate.status.is_solved() as usize;
        row.worst = row.worst.max(a.certificate.residual / p.q.amax());
        row.iterations = row.iterations.max(a.certificate.iterations());
        *row.stages.entry(a.certificate.stage.word()).or_default() += 1;
        if !a.certificate.status.is_solved() {
            println!(
                "    {:.1e} {:?}",
                a.certificate.residual,
                (
                    a.certificate.stage,
                    a.certificate.sweeps,
                    a.certificate.newton_steps,
                    a.certificate.interior_steps
                )
            );
        }
    }
    row.micros.sort_by(f64::total_cmp);
    println!(
        "{name:28} {:3}/{:3}  worst {:8.1e}  it {:5}  median {:9.0} µs  max {:9.0} µs  {:?}",
        row.solved,
        row.count,
        row.worst,
        row.iterations,
        row.micros[row.count / 2],
        row.micros[row.count - 1],
        row.stages
    );
}

#[test]
#[ignore]
fn table() {
    for top in [1.0, 1e3, 1e6] {
        let all: Vec<_> =
            (0..6).map(|k| stack(10, top, 0.3 + 0.1 * k as f64, 0.05 * k as f64).problem()).collect();
        show(&format!("stack of 10, top {top:e}"), &all);
    }
    let all: Vec<_> = (0..3).map(|k| stack(20, 1.0, 0.5, 0.05 * k as f64).problem()).collect();
    show("stack of 20", &all);
    let all: Vec<_> =
        [7, 13, 25].iter().flat_map(|n| [0.1, 0.12, 0.2].map(|t| arch(*n, t, 0.8).problem())).collect();
    show("arch", &all);
    for (count, mu) in [(1, (0.0, 2.0)), (3, (0.0, 2.0)), (8, (0.0, 2.0)), (15, (0.2, 1.0)), (30, (0.2, 1.0))]
    {
        for ratio in [1.0, 1e6] {
            for moving in [0.0, 1.0] {
                let all: Vec<_> =
                    (0..20).map(|seed| pile(count, ratio, mu, moving, seed).problem()).collect();
                show(&format!("pile {count} {ratio:e} {moving}"), &all);
            }
        }
    }
    for moving in [0.0, 1.0] {
        let all: Vec<_> = (0..3).map(|seed| pile(50, 10.0, (0.2, 1.0), moving, seed).problem()).collect();
        show(&format!("pile 50 {moving}"), &all);
    }
}
