//! `./bench mujoco`: whole steps compared with MuJoCo's, on robots with limits, dampers and motors, without contact; then with contact.

use crate::peer::Peer;
use crate::table::replace_section;
use cpu_time::ThreadTime;
use miette::{IntoDiagnostic, Result, bail, miette};
use poinsot::dynamics::State;
use poinsot::formats::{self, Loaded};
use poinsot::integrate::Method;
use poinsot::{Contact, Simulation};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Steps of an episode; each control is held for ten of them.
const EPISODE: usize = 1000;
const HELD: usize = 10;

struct Robot {
    name: &'static str,
    path: PathBuf,
}

/// The robots: four from packages, four from here.
fn robots(build: &Path) -> Result<Vec<Robot>> {
    let mut all = vec![
        Robot { name: "humanoid (dm_control)", path: build.join("models/dm_control/suite/humanoid.xml") },
        Robot { name: "ant (gymnasium)", path: build.join("models/gymnasium/envs/mujoco/assets/ant.xml") },
        Robot {
            name: "Shadow hand (gymnasium_robotics)",
            path: build.join("models/gymnasium_robotics/envs/assets/hand/reach.xml"),
        },
    ];
    all.push(Robot {
        name: "quadruped (dm_control)",
        path: build.join("models/dm_control/suite/quadruped.xml"),
    });
    for (name, file, text) in [
        ("panda", "panda.xml", include_str!("../models/panda.xml")),
        ("cassie-like, four loops", "cassie-like.xml", include_str!("../models/cassie-like.xml")),
        ("planar four-bar", "four-bar.xml", include_str!("../models/four-bar.xml")),
        ("40 four-bars in a row", "n-four-bar-40.xml", include_str!("../models/n-four-bar-40.xml")),
    ] {
        let path = build.join(file);
        std::fs::write(&path, text).into_diagnostic()?;
        all.push(Robot { name, path });
    }
    Ok(all)
}

struct Row {
    name: &'static str,
    nv: usize,
    dt: f64,
    /// ns a step of ours with the integrator of MuJoCo's kind, and with that of files.
    like_ns: f64,
    ours_ns: f64,
    peer_ns: f64,
}

/// Times all robots; prints a table and writes it into BENCHMARKS.md.
pub fn run(build: &Path, rounds: usize, seconds: f64, only: Option<&str>, out: &Path) -> Result<()> {
    let mut rows = Vec::new();
    for robot in robots(build)? {
        if only.is_some_and(|o| !robot.name.contains(o)) {
            continue;
        }
        eprintln!("{}", robot.name);
        rows.push(compare(&robot, build, rounds, seconds)?);
    }
    let text = markdown(&rows);
    println!("{text}");
    if only.is_none() {
        replace_section(out, "## Steps beside MuJoCo", &text)?;
    }
    let mut rows = Vec::new();
    for robot in touching(build)? {
        if only.is_some_and(|o| !robot.name.contains(o)) {
            continue;
        }
        eprintln!("{}, with contact", robot.name);
        rows.push(compare_touching(&robot, build, rounds, seconds)?);
    }
    let text = markdown_touching(&rows);
    println!("{text}");
    if only.is_none() {
        replace_section(out, "## Contact beside MuJoCo", &text)?;
    }
    Ok(())
}

/// What touches: two robots from packages that fall, and a stack from here.
fn touching(build: &Path) -> Result<Vec<Robot>> {
    let stack = build.join("ten-boxes.xml");
    std::fs::write(&stack, include_str!("../models/ten-boxes.xml")).into_diagnostic()?;
    Ok(vec![
        Robot { name: "humanoid (dm_control)", path: build.join("models/dm_control/suite/humanoid.xml") },
        Robot {
            name: "humanoid (gymnasium)",
            path: build.join("models/gymnasium/envs/mujoco/assets/humanoid.xml"),
        },
        Robot { name: "ten boxes", path: stack },
    ])
}

/// Steps with contact: ns a step, and how well.
struct Touching {
    name: &'static str,
    nv: usize,
    dt: f64,
    /// With `implicit` and `leapfrog`, then MuJoCo's with the cone of the file and with elliptic ones.
    own_ns: [f64; 2],
    peer_ns: [f64; 2],
    /// Metres, of ours and MuJoCo's.
    depth: [f64; 2],
    residual: f64,
}

fn compare_touching(robot: &Robot, build: &Path, rounds: usize, seconds: f64) -> Result<Touching> {
    let loaded = formats::load(&robot.path).map_err(|e| miette!("{}: {e}", robot.name))?;
    let begin = inside_limits(&loaded);
    let controls: Vec<_> = controls(&loaded, 1).take(EPISODE).collect();
    let files = write_episode(build, &controls, &begin)?;
    let dt = loaded.description.options.timestep;
    let simulation = |method: Method| {
        let builder = Simulation::builder(&loaded.model).state(begin.clone()).integrator(method).dt(dt);
        builder.contact(Contact::default()).build().into_diagnostic()
    };
    let mut simulations = [simulation(Method::Implicit)?, simulation(Method::Leapfrog)?];
    let (mut own_ns, mut peer_ns) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
    let mut depth = [0.0; 2];
    for _ in 0..rounds {
        for (simulation, own_ns) in simulations.iter_mut().zip(&mut own_ns) {
            *own_ns = own_ns.min(episodes(simulation, &begin, &controls, dt, seconds)?);
        }
        for (cone, peer_ns) in ["file", "elliptic"].into_iter().zip(&mut peer_ns) {
            let arguments = [robot.path.clone(), files[0].clone(), files[1].clone(), cone.into()];
            let mut peer = Peer::start(build, "peer-mujoco", &arguments)?;
            if let Some(ns) = peer.time("step", seconds)? {
                *peer_ns = peer_ns.min(ns);
            }
            depth[1] = peer.numbers(&format!("values depth {EPISODE}"))?[0];
        }
    }
    let mut residual = 0.0f64;
    simulations[1].set_state(begin.clone()).into_diagnostic()?;
    for row in &controls {
        simulations[1].control_mut().copy_from_slice(row);
        simulations[1].advance(1, dt).into_diagnostic()?;
        let report = simulations[1].report();
        residual = residual.max(report.certificate.map_or(0.0, |c| c.residual));
        depth[0] = report.penetration.max(depth[0]);
    }
    Ok(Touching { name: robot.name, nv: loaded.model.nv(), dt, own_ns, peer_ns, depth, residual })
}

fn markdown_touching(rows: &[Touching]) -> String {
    let mut out = format!(
        "## Contact beside MuJoCo\n\n\
        Generated by `./bench mujoco`; do not edit by hand. As above, with contact: episodes of {EPISODE} steps in which robots fall under\n\
        random controls, and a stack stands. MuJoCo with the cone of the file and, in brackets, with elliptic cones. Poinsot with\n\
        its exact cone; the residual of its worst step is how far it is from Coulomb's law. Penetration is the largest of the episode.\n\n\
        | scene | degrees of freedom | step, ms | MuJoCo | `implicit` | ratio | `leapfrog` | ratio | residual, m/s | penetration, mm | MuJoCo's |\n\
        |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for Touching { name, nv, dt, own_ns, peer_ns, depth, residual } in rows {
        let [file, elliptic] = peer_ns;
        let cells = own_ns.map(|ns| format!("{:.0} | {:.2} ({:.2})", 1e9 / ns, file / ns, elliptic / ns));
        let (ms, [like, ours], [own, theirs]) = (dt * 1e3, cells, depth.map(|m| m * 1e3));
        let _ = writeln!(
            out,
            "| {name} | {nv} | {ms} | {:.0} ({:.0}) | {like} | {ours} | {residual:.0e} | {own:.2} | {theirs:.2} |",
            1e9 / file,
            1e9 / elliptic,
        );
    }
    out
}

fn markdown(rows: &[Row]) -> String {
    let mut out = format!(
        "## Steps beside MuJoCo\n\n\
        Generated by `./bench mujoco`; do not edit by hand. Steps a second of both on one core, in one run, taken in turn, the best\n\
        of many episodes of {EPISODE} steps from rest under the same random controls, each held for {HELD} steps; the step of the file;\n\
        limits, dampers, springs and equality constraints on, contact disabled in both. MuJoCo 4.0.0 from PyPI through its C\n\
        interface, with the integrator and solver of the file (the ant's is RK4). Poinsot with `implicit`, which is Euler's method\n\
        with implicit dampers as MuJoCo's is, and with `leapfrog`, its own for files: second order, and guarded against gaining\n\
        energy, for which it makes substeps where a step does not resolve the motion. Where MuJoCo holds limits and loops softly,\n\
        Poinsot holds them to round-off. A ratio above 1 means that Poinsot is faster.\n\n\
        | robot | degrees of freedom | step, ms | MuJoCo | `implicit` | ratio | `leapfrog` | ratio |\n\
        |---|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for Row { name, nv, dt, like_ns, ours_ns, peer_ns } in rows {
        let cells = [like_ns, ours_ns].map(|ns| match ns.is_finite() {
            true => format!("{:.0} | {:.2}", 1e9 / ns, peer_ns / ns),
            false => "does not finish | –".to_string(),
        });
        let (ms, theirs, [like, ours]) = (dt * 1e3, 1e9 / peer_ns, cells);
        let _ = writeln!(out, "| {name} | {nv} | {ms} | {theirs:.0} | {like} | {ours} |");
    }
    out
}

fn compare(robot: &Robot, build: &Path, rounds: usize, seconds: f64) -> Result<Row> {
    let loaded = formats::load(&robot.path).map_err(|e| miette!("{}: {e}", robot.name))?;
    let begin = inside_limits(&loaded);
    let controls: Vec<_> = controls(&loaded, 1).take(EPISODE).collect();
    let [controls_file, state_file] = write_episode(build, &controls, &begin)?;
    let arguments = [robot.path.clone(), controls_file, state_file];
    let dt = loaded.description.options.timestep;
    let simulation = |method: Method| Simulation::new(&loaded.model, begin.clone(), method).into_diagnostic();
    let mut simulations = [simulation(Method::Implicit)?, simulation(Method::Leapfrog)?];
    let (mut own_ns, mut peer_ns) = ([f64::INFINITY; 2], f64::INFINITY);
    for _ in 0..rounds {
        let mut peer = Peer::start(build, "peer-mujoco", &arguments)?;
        let size = [loaded.model.nq(), loaded.model.nv(), loaded.model.actuators().len()];
        let theirs = peer.numbers("size")?;
        if theirs[..3] != size.map(|n| n as f64) || theirs[3] != dt {
            bail!("{}: {size:?} numbers and steps of {dt} s, but MuJoCo has {theirs:?}", robot.name);
        }
        for (simulation, own_ns) in simulations.iter_mut().zip(&mut own_ns) {
            match episodes(simulation, &begin, &controls, dt, seconds) {
                Ok(ns) => *own_ns = own_ns.min(ns),
                Err(error) => eprintln!("{}: {error}", robot.name),
            }
        }
        if let Some(ns) = peer.time("step", seconds)? {
            peer_ns = peer_ns.min(ns);
        }
    }
    Ok(Row { name: robot.name, nv: loaded.model.nv(), dt, like_ns: own_ns[0], ours_ns: own_ns[1], peer_ns })
}

/// The files of controls and of the state to begin with.
fn write_episode(build: &Path, controls: &[Vec<f64>], begin: &State) -> Result<[PathBuf; 2]> {
    let write = |name: &str, numbers: &[f64]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let path = build.join(name);
        std::fs::write(&path, bytes).into_diagnostic().map(|()| path)
    };
    Ok([write("controls.bin", &controls.concat())?, write("state.bin", &begin.q)?])
}

/// The state of the file, with joints that are beyond a limit put at it.
pub fn inside_limits(loaded: &Loaded) -> State {
    let mut state = State::new(&loaded.model);
    for joint in loaded.model.joints() {
        if let (Some((lower, upper)), 1) = (joint.limits, joint.coordinates().len()) {
            let q = &mut state.q[joint.coordinates().start];
            *q = q.clamp(lower, upper);
        }
    }
    state
}

/// The signals of each step, random in the ranges of the actuators. The same numbers in every run.
pub fn controls(loaded: &Loaded, mut seed: u64) -> impl Iterator<Item = Vec<f64>> {
    let ranges = loaded.model.actuators().iter().map(|a| a.control_range.unwrap_or((-1.0, 1.0)));
    let ranges: Vec<(f64, f64)> = ranges.collect();
    let mut unit = move || {
        // [Steele14]
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let row = move || ranges.iter().map(|(a, b)| a + (b - a) * unit()).collect::<Vec<f64>>();
    std::iter::repeat_with(row).flat_map(|row| std::iter::repeat_n(row, HELD))
}

/// ns a step: the minimum over episodes.
fn episodes(
    simulation: &mut Simulation,
    begin: &State,
    controls: &[Vec<f64>],
    dt: f64,
    seconds: f64,
) -> Result<f64> {
    let (first, mut best) = (ThreadTime::now(), f64::INFINITY);
    let mut rounds = 0;
    while rounds < 3 || first.elapsed().as_secs_f64() < seconds {
        simulation.set_state(begin.clone()).into_diagnostic()?;
        let start = ThreadTime::now();
        for row in controls {
            simulation.control_mut().copy_from_slice(row);
            simulation.advance(1, dt).into_diagnostic()?;
        }
        best = best.min(start.elapsed().as_secs_f64() / controls.len() as f64 * 1e9);
        rounds += 1;
    }
    Ok(best)
}
