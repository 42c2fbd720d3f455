//! `./bench rapier`: piles, stacks and a chain compared with Rapier, in one run, on the same scenes, with quality next to speed.

use crate::peer::Peer;
use crate::table::replace_section;
use cpu_time::ThreadTime;
use miette::{IntoDiagnostic, Result, miette};
use poinsot::algebra::V3;
use poinsot::integrate::Method;
use poinsot::model::{BodyId, BodySpec, Geom, Joint, Material, Model, ModelBuilder, Shape};
use poinsot::spatial::{Pose, Quat};
use poinsot::{Contact, Simulation};
use poinsot_collide::{Contacts, Scene};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const DT: f64 = 1.0 / 60.0;
const FRICTION: f64 = 0.6;
/// What is called settled: so many steps at the end.
const LAST: usize = 60;
/// m: contacts are found up to this distance when finding them is timed, as Rapier does.
const MARGIN: f64 = 0.002;

/// A body as both engines read it.
struct Thing {
    fixed: bool,
    pos: V3,
    turn: Quat,
    mass: f64,
    shape: Shape,
}

struct Set {
    name: String,
    steps: usize,
    things: Vec<Thing>,
    /// Each moving thing is joined to the one before it, in the middle between the two.
    chained: bool,
    /// How we step it.
    ways: &'static [&'static str],
}

/// One engine on one scene.
struct Row {
    scene: String,
    engine: String,
    /// ms a step: all, the last, and finding contacts in the last.
    all: f64,
    settled: f64,
    finding: f64,
    contacts: usize,
    /// mm: the mean of contacts that overlap, and the largest.
    depth: [f64; 2],
    /// mm/s: how fast bodies moved on average in the last second.
    creep: f64,
    /// m: how far the body that sank most has done so since the beginning.
    sunk: f64,
    residual: Option<f64>,
}

/// Runs all scenes; prints a table and writes it into BENCHMARKS.md.
pub fn run(build: &Path, rounds: usize, only: Option<&str>, out: &Path) -> Result<()> {
    let mut rows = Vec::new();
    for set in sets() {
        if only.is_some_and(|o| !set.name.contains(o)) {
            continue;
        }
        rows.extend(compare(&set, build, rounds)?);
    }
    let text = markdown(&rows);
    println!("{text}");
    if only.is_none() {
        replace_section(out, "## Contact beside Rapier", &text)?;
    }
    Ok(())
}

fn sets() -> Vec<Set> {
    let mut all: Vec<Set> = [1000, 8000].map(pile).into();
    all.extend([1.0, 100.0, 1000.0].map(stack));
    all.push(chain(100));
    all
}

/// Numbers from a fixed sequence [Steele14].
struct Random(u64);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    fn turn(&mut self) -> Quat {
        Quat::exp(V3::new(self.between(-2.0, 2.0), self.between(-2.0, 2.0), self.between(-2.0, 2.0)))
    }
}

fn fixed(pos: V3, half: V3) -> Thing {
    Thing { fixed: true, pos, turn: Quat::exp(V3::ZERO), mass: 0.0, shape: Shape::Box { size: half * 2.0 } }
}

fn ground() -> Thing {
    fixed(V3::Z * -1.0, V3::new(100.0, 100.0, 1.0))
}

/// Boxes, balls and capsules, a third each, on a grid above a pit, into which they fall.
fn pile(count: usize) -> Set {
    let mut random = Random(42);
    let side = (count as f64).cbrt().round() as usize;
    let (wide, high) = (0.6 * side as f64 + 0.3, side as f64);
    let mut things = vec![ground()];
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = V3::new(1.0 + f64::abs(y) * (wide + 1.0), 1.0 + f64::abs(x) * (wide + 1.0), high);
        things.push(fixed(V3::new(x * (wide + 1.0), y * (wide + 1.0), high), half));
    }
    for k in 0..count {
        let cell = [k % side, k / side % side, k / side / side].map(|c| 1.2 * c as f64);
        let middle = 0.6 * (side - 1) as f64;
        let shape = match k % 3 {
            0 => {
                let mut size = || random.between(0.5, 0.9);
                Shape::Box { size: V3::new(size(), size(), size()) }
            }
            1 => Shape::Sphere { radius: random.between(0.3, 0.5) },
            _ => Shape::Capsule { length: random.between(0.3, 0.6), radius: random.between(0.2, 0.3) },
        };
        let pos = V3::new(cell[0] - middle, cell[1] - middle, 1.0 + cell[2]);
        things.push(Thing { fixed: false, pos, turn: random.turn(), mass: 1000.0 * volume(&shape), shape });
    }
    Set { name: format!("pile of {count}"), steps: 300, things, chained: false, ways: &["pgs"] }
}

fn volume(shape: &Shape) -> f64 {
    use std::f64::consts::PI;
    match shape {
        Shape::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
        Shape::Capsule { radius, length } => PI * radius.powi(2) * (length + 4.0 / 3.0 * radius),
        Shape::Box { size } => size.x * size.y * size.z,
        _ => 1.0,
    }
}

/// Ten boxes, the top one heavier.
fn stack(ratio: f64) -> Set {
    let mut things = vec![ground()];
    for k in 0..10 {
        let mass = if k == 9 { 1000.0 * ratio } else { 1000.0 };
        let (pos, shape) = (V3::Z * (0.5 + f64::from(k)), Shape::Box { size: V3::new(1.0, 1.0, 1.0) });
        things.push(Thing { fixed: false, pos, turn: Quat::exp(V3::ZERO), mass, shape });
    }
    let name = format!("ten boxes, the top one {ratio} times as heavy");
    Set { name, steps: 600, things, chained: false, ways: &["exact", "pgs"] }
}

/// Boxes joined by balls, in a row above the ground, onto which they fall.
fn chain(links: usize) -> Set {
    let mut things = vec![ground()];
    for k in 0..links {
        let pos = V3::new(0.2 * k as f64, 0.0, 0.1);
        let shape = Shape::Box { size: V3::new(0.16, 0.06, 0.06) };
        things.push(Thing { fixed: false, pos, turn: Quat::exp(V3::ZERO), mass: 1.0, shape });
    }
    let name = format!("chain of {links} links on the ground");
    Set { name, steps: LAST, things, chained: true, ways: &["exact"] }
}

fn compare(set: &Set, build: &Path, rounds: usize) -> Result<Vec<Row>> {
    let file = write(set, build)?;
    let model = model(set)?;
    let mut rows: Vec<Row> = Vec::new();
    for round in 0..rounds {
        let mut found = Vec::new();
        for way in set.ways {
            eprintln!("{}, {way}", set.name);
            found.push(ours(set, &model, way)?);
        }
        for numbers in ["f64", "f32"] {
            eprintln!("{}, Rapier {numbers}", set.name);
            found.push(theirs(set, &model, build, &file, numbers)?);
        }
        if round == 0 {
            rows = found;
            continue;
        }
        for (row, new) in rows.iter_mut().zip(found) {
            row.all = row.all.min(new.all);
            row.settled = row.settled.min(new.settled);
            row.finding = row.finding.min(new.finding);
        }
    }
    Ok(rows)
}

fn ours(set: &Set, model: &Model, way: &str) -> Result<Row> {
    let contact: Contact = way.parse().map_err(|e| miette!("{e}"))?;
    let builder = Simulation::builder(model).integrator(Method::SemiImplicit).dt(DT).contact(contact);
    let mut simulation = builder.build().into_diagnostic()?;
    let poses = |simulation: &mut Simulation| {
        let mut out = Vec::new();
        poinsot_collide::body_poses(model, &simulation.at(), &mut out);
        out
    };
    let begun = poses(&mut simulation);
    let (mut all, mut settled, mut residual) = (0.0, 0.0, 0.0f64);
    let mut last = vec![];
    for k in 0..set.steps {
        let start = ThreadTime::now();
        simulation.advance(1, DT).into_diagnostic()?;
        let spent = start.elapsed().as_secs_f64() * 1e3;
        all += spent;
        if k + LAST >= set.steps {
            settled += spent;
            residual = residual.max(simulation.report().certificate.map_or(0.0, |c| c.residual));
            last.push(poses(&mut simulation));
        }
    }
    let finding = finding(model, &last)?;
    let row = Row {
        scene: set.name.clone(),
        engine: format!("`{way}`"),
        all: all / set.steps as f64,
        settled: settled / LAST as f64,
        finding,
        contacts: simulation.report().contacts.len(),
        depth: [0.0; 2],
        creep: 0.0,
        sunk: 0.0,
        residual: Some(residual),
    };
    judged(row, model, [&begun, &last[0], &last[LAST - 1]])
}

/// ms a detection, at the poses of one step after the other.
fn finding(model: &Model, steps: &[Vec<Pose>]) -> Result<f64> {
    let (mut scene, mut contacts) = (Scene::new(model).into_diagnostic()?, Contacts::new());
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        scene.detect(&steps[0], MARGIN, &mut contacts).into_diagnostic()?;
        let start = ThreadTime::now();
        for poses in steps {
            scene.detect(poses, MARGIN, &mut contacts).into_diagnostic()?;
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e3 / steps.len() as f64);
    }
    Ok(best)
}

fn theirs(set: &Set, model: &Model, build: &Path, file: &Path, numbers: &str) -> Result<Row> {
    let mut peer = Peer::start(build, &format!("peer-rapier-{numbers}"), &[file.to_path_buf()])?;
    let found = peer.numbers(&format!("run {} {LAST}", set.steps))?;
    let [all, settled, finding, _, points] = found[..] else { return Err(miette!("{found:?}")) };
    let (state, before) = (peer.numbers("values state 0")?, peer.numbers("values before 0")?);
    let moving = |k: &usize| !set.things[*k].fixed;
    let order: Vec<usize> = (0..set.things.len()).filter(moving).collect();
    let now = order.iter().map(|k| {
        let s = &state[13 * k..];
        let rot = Quat { w: s[3], x: s[4], y: s[5], z: s[6] }.matrix();
        Pose { rot, pos: V3::new(s[0], s[1], s[2]) }
    });
    let place = |k: &usize| Pose::translation(V3::new(before[3 * k], before[3 * k + 1], before[3 * k + 2]));
    let earlier = order.iter().map(place);
    let begun = order.iter().map(|k| Pose::translation(set.things[*k].pos));
    let world = || std::iter::once(Pose::IDENTITY);
    let begun: Vec<Pose> = world().chain(begun).collect();
    let earlier: Vec<Pose> = world().chain(earlier).collect();
    let now: Vec<Pose> = world().chain(now).collect();
    let row = Row {
        scene: set.name.clone(),
        engine: format!("Rapier {numbers}"),
        all: all * 1e-6,
        settled: settled * 1e-6,
        finding: finding * 1e-6,
        contacts: points as usize,
        depth: [0.0; 2],
        creep: 0.0,
        sunk: 0.0,
        residual: None,
    };
    judged(row, model, [&begun, &earlier, &now])
}

/// Measures the last poses of either engine with the same detection.
fn judged(row: Row, model: &Model, [begun, before, now]: [&[Pose]; 3]) -> Result<Row> {
    let finite = |pose: &Pose| (pose.pos.norm() + pose.rot.x.norm()).is_finite();
    if !before.iter().chain(now).all(finite) {
        return Ok(Row { depth: [f64::NAN; 2], creep: f64::NAN, sunk: f64::NAN, ..row });
    }
    let mut contacts = Contacts::new();
    Scene::new(model).into_diagnostic()?.detect(now, 0.0, &mut contacts).into_diagnostic()?;
    let depths: Vec<f64> = contacts.iter().map(|c| -1e3 * c.gap).collect();
    let mean = depths.iter().sum::<f64>() / depths.len().max(1) as f64;
    let largest = depths.iter().fold(0.0, |m: f64, d| m.max(*d));
    let moved = before.iter().zip(now).map(|(a, b)| (b.pos - a.pos).norm()).sum::<f64>();
    let creep = 1e3 * moved / (now.len() - 1) as f64 / (LAST as f64 * DT);
    let sunk = begun.iter().zip(now).fold(0.0, |m: f64, (a, b)| m.max(a.pos.z - b.pos.z));
    Ok(Row { depth: [mean, largest], creep, sunk, ..row })
}

fn model(set: &Set) -> Result<Model> {
    let mut b = ModelBuilder::new(&*set.name);
    let (mut parent, mut last) = (BodyId::WORLD, V3::ZERO);
    for (k, thing) in set.things.iter().enumerate() {
        let geom = Geom::new(thing.shape.clone()).material(Material::with_friction(FRICTION));
        let pose = Pose { rot: thing.turn.matrix(), pos: thing.pos };
        if thing.fixed {
            b.geom(BodyId::WORLD, geom.pose(pose));
            continue;
        }
        let joined = set.chained && parent != BodyId::WORLD;
        let spec = BodySpec::new(format!("body{k}")).solid_geom(geom, thing.mass).into_diagnostic()?;
        if joined {
            let between = thing.pos - last;
            let body = b.body(parent, spec.at(between));
            b.joint(body, Joint::spherical().anchor(between * -0.5));
            parent = body;
        } else {
            let body = b.body(BodyId::WORLD, spec.pose(pose));
            b.joint(body, Joint::free());
            parent = if set.chained { body } else { BodyId::WORLD };
        }
        last = thing.pos;
    }
    b.build().into_diagnostic()
}

/// The scene as the peer reads it.
fn write(set: &Set, build: &Path) -> Result<PathBuf> {
    let mut out = format!("gravity 0 0 -9.81\ndt {DT}\njoints multibody\n");
    for Thing { fixed, pos, turn, mass, shape } in &set.things {
        let kind = if *fixed { "fixed" } else { "moving" };
        let shape = match shape {
            Shape::Sphere { radius } => format!("sphere {radius}"),
            Shape::Capsule { radius, length } => format!("capsule {} {radius}", 0.5 * length),
            Shape::Box { size } => format!("box {} {} {}", 0.5 * size.x, 0.5 * size.y, 0.5 * size.z),
            other => return Err(miette!("no {} beside Rapier", other.word())),
        };
        let (V3 { x, y, z }, Quat { w, x: i, y: j, z: k }) = (pos, turn);
        let _ = writeln!(out, "body {kind} {x} {y} {z} {w} {i} {j} {k} {mass} {FRICTION} {shape}");
    }
    if set.chained {
        for k in 2..set.things.len() {
            let V3 { x, y, z } = (set.things[k - 1].pos + set.things[k].pos) * 0.5;
            let _ = writeln!(out, "ball {} {k} {x} {y} {z}", k - 1);
        }
    }
    let path = build.join("scene.txt");
    std::fs::write(&path, out).into_diagnostic()?;
    Ok(path)
}

fn markdown(rows: &[Row]) -> String {
    let mut out = String::from(
        "## Contact beside Rapier\n\n\
        Generated by `./bench rapier`; do not edit by hand. Steps of 1/60 s on one core, in one run, taken in turn, the best of several runs from\n\
        the same beginning; ms a step, of all steps and of the last second. Rapier 0.36.1 from crates.io with its own settings, built for this\n\
        processor with optimisation across crates, no body asleep; its chain by multibody joints. Poinsot with `semi-implicit`; finding contacts\n\
        (of the last second): ours by `Scene::detect` at the poses of our run, Rapier's wall time by its own counters. The depths of both\n\
        at the end are measured by the same detection: the mean over contacts that overlap, and the largest. Creep: how fast bodies moved in\n\
        the last second, on average. Sunk: how far the body that sank most did so from beginning to end (pile: it falls). Residual: the largest of the last second, how far velocities are from\n\
        Coulomb's law; Rapier does not tell. Not finite: bodies ended at infinite places.\n\n\
        | scene | engine | ms, all | ms, last | finding contacts | contacts | mean depth, mm | largest | creep, mm/s | sunk, m | residual, m/s |\n\
        |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for r in rows {
        let residual = r.residual.map_or("–".into(), |x| format!("{x:.0e}"));
        let judged = if r.creep.is_nan() {
            "not finite | – | – | –".into()
        } else {
            format!("{:.2} | {:.2} | {:.2} | {:.3}", r.depth[0], r.depth[1], r.creep, r.sunk)
        };
        let _ = writeln!(
            out,
            "| {} | {} | {:.3} | {:.3} | {:.3} | {} | {judged} | {residual} |",
            r.scene, r.engine, r.all, r.settled, r.finding, r.contacts,
        );
    }
    out
}
