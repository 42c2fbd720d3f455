//! Scenes at random, of everything at once: no panic, no number that is not finite, no step without an end, and whatever was not solved is
//! reported. Shots at a thin plate.
//!
//! A hundred by default; `POINSOT_STRESS=10000` makes so many scenes, and ten times as many shots; `POINSOT_STRESS_FROM=2000` begins with that
//! scene, to make them in pieces.
#![allow(clippy::unwrap_used)]

mod random;

use poinsot::contact::Status;
use poinsot::integrate::{Fallback, StepError};
use poinsot::model::{HeightField, Heights, JointKind, Mesh, TriangleMesh};
use poinsot::prelude::*;
use poinsot::spatial::{Pose, exp_so3};
use poinsot::{Formulation, SimulationError};
use random::Random;
use std::f64::consts::FRAC_PI_2;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn count(usual: usize, times: usize) -> usize {
    std::env::var("POINSOT_STRESS").ok().and_then(|n| n.parse().ok()).map_or(usual, |n: usize| times * n)
}

fn material(r: &mut Random) -> Material {
    let usual = Material::default();
    Material {
        restitution: [0.0, 0.0, 0.5, 1.0][r.below(4)],
        condim: [1, 3, 3, 4, 6][r.below(5)],
        friction: [r.within(0.0, 1.5), r.within(0.0, 0.02), r.within(0.0, 0.01)],
        stiffness: (r.below(8) == 0).then(|| 10f64.powf(r.within(1.0, 7.0))),
        damping: (r.below(8) == 0).then(|| 10f64.powf(r.within(-1.0, 3.0))),
        ..usual
    }
}

/// kg, from a gram to a thousand tons.
fn mass(r: &mut Random) -> f64 {
    10f64.powf(r.within(-3.0, 6.0))
}

fn place(r: &mut Random) -> Pose {
    let pos = V3::new(r.within(-0.5, 0.5), r.within(-0.5, 0.5), r.within(0.0, 1.0));
    Pose { rot: r.rotation(), pos }
}

/// Free bodies and trees above a floor, some overlapping, some tied into loops.
fn scene(r: &mut Random) -> Model {
    let mut b = ModelBuilder::new("stress");
    if r.below(4) == 0 {
        b.gravity(V3::ZERO);
    }
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).material(material(r)));
    if r.below(3) == 0 {
        let wall = Geom::new(Shape::Box { size: V3::new(2.0, 0.01, 2.0) }).material(material(r));
        b.geom(BodyId::WORLD, wall.pose(Pose::translation(V3::Y * 0.4)));
    }
    let (mut loose, mut places) = (Vec::new(), Vec::new());
    for k in 0..1 + r.below(6) {
        let pose = place(r);
        places.push(pose.pos);
        let spec = BodySpec::new(format!("free {k}")).pose(pose);
        let geom = Geom::new(r.shape()).material(material(r));
        let body = b.body(BodyId::WORLD, spec.solid_geom(geom, mass(r)).unwrap());
        b.joint(body, Joint::free());
        loose.push(body);
    }
    for k in 0..r.below(3) {
        let mut parent = BodyId::WORLD;
        for link in 0..1 + r.below(4) {
            let pose = if link == 0 { place(r) } else { Pose { rot: r.rotation(), pos: r.unit() * 0.3 } };
            let spec = BodySpec::new(format!("tree {k} {link}")).pose(pose);
            let geom = Geom::new(r.shape()).material(material(r));
            let body = b.body(parent, spec.solid_geom(geom, mass(r)).unwrap());
            let anchor = r.unit() * 0.2;
            b.joint(
                body,
                match r.below(5) {
                    0 if link == 0 => Joint::free(),
                    1 => Joint::spherical().anchor(anchor),
                    2 => Joint::prismatic(r.unit()).limits(-0.2, 0.2),
                    3 => Joint::revolute(r.unit())
                        .anchor(anchor)
                        .limits(-1.0, 1.0)
                        .friction_loss(r.within(0.0, 1.0)),
                    _ => Joint::revolute(r.unit()).anchor(anchor).damping(r.within(0.0, 0.1)),
                },
            );
            parent = body;
        }
    }
    if r.below(3) == 0 && loose.len() > 1 {
        let [a, c] = [loose[0], loose[1]].map(|body| Mount::new(body, V3::ZERO));
        let bar = Constraint::distance(a, c, (places[0] - places[1]).norm());
        b.constraint(if r.below(2) == 0 { bar } else { bar.soft(10f64.powf(r.within(1.0, 8.0)), 1.0) });
    }
    b.build().unwrap()
}

const CONTACTS: [&str; 12] = [
    "exact",
    "exact",
    "exact/poisson",
    "exact/discrete",
    "exact/soft",
    "lcp",
    "pgs",
    "impulse",
    "impulse/poisson",
    "penalty",
    "penalty/explicit",
    "exact/discrete/poisson",
];

/// What became of a scene: steps made, steps that were reported as not solved, and why it ended early.
#[derive(Default)]
struct Outcome {
    steps: usize,
    unsolved: usize,
    ended: Option<String>,
}

fn run(seed: u64) -> Outcome {
    let mut r = Random(seed);
    let model = scene(&mut r);
    let mut state = State::new(&model);
    let contact = CONTACTS[r.below(CONTACTS.len())];
    let method = [Method::Leapfrog, Method::SemiImplicit, Method::Implicit][r.below(3)];
    let formulation = if r.below(4) == 0 { Formulation::Maximal } else { Formulation::Reduced };
    let dt = [1.0 / 60.0, 0.01, 2e-3][r.below(3)];
    // no faster than half a radian in a step, where methods that take gyroscopic terms at its beginning diverge without any contact
    let speed = [0.0, 1.0, 10.0, 100.0][r.below(4)];
    for joint in model.joints() {
        for (k, dof) in joint.dofs().enumerate() {
            let flies = joint.kind == JointKind::Free && k < 3;
            let most = if flies { speed } else { f64::min(speed, 0.5 / dt) };
            state.v[dof] = r.within(-most, most);
        }
    }
    let what = format!("{contact} {method} {formulation} {dt}");
    let builder = Simulation::builder(&model).state(state).integrator(method).formulation(formulation).dt(dt);
    let mut s = builder.contact(contact.parse::<Contact>().unwrap()).ledger(r.below(3) == 0).build().unwrap();
    let mut outcome = Outcome::default();
    // no link turns by more than this in a step, in radians
    let turning = |s: &Simulation| {
        let rates = model.joints().iter().flat_map(|joint| {
            let slides = |k: usize| match joint.kind {
                JointKind::Free => k < 3,
                _ => matches!(joint.kind, JointKind::Prismatic { .. }),
            };
            joint.dofs().enumerate().filter(move |(k, _)| !slides(*k)).map(|(_, dof)| s.state().v[dof].abs())
        });
        rates.sum::<f64>() * dt
    };
    for _ in 0..20 {
        let turned = turning(&s);
        match s.step() {
            Ok(()) => {}
            Err(SimulationError::Step(e)) => {
                // a step that could not be made says why, and leaves the state as it was
                assert!(s.state().q.iter().chain(&s.state().v).all(|x| x.is_finite()), "{seed} {what}: {e}");
                let loud = matches!(e, StepError::NotFinite { .. }) && contact != "penalty/explicit";
                outcome.ended = Some(format!("{}{seed} {what}: {e}", if loud { "! " } else { "" }));
                break;
            }
            Err(e @ SimulationError::NotMetAtStart { .. }) => {
                outcome.ended = Some(format!("{seed} {what}: {e}"));
                break;
            }
            Err(e) => panic!("{seed} {what}: {e}"),
        }
        outcome.steps += 1;
        assert!(s.state().q.iter().chain(&s.state().v).all(|x| x.is_finite()), "{seed} {what}");
        let report = s.report();
        let said = report.fallbacks().any(|(f, _)| f == Fallback::Contact);
        let solved = report.certificate.is_none_or(|c| c.status.is_solved());
        assert_eq!(said, !solved, "{seed} {what}");
        outcome.unsolved += usize::from(said);
        for c in &report.contacts {
            let (p, n) = (c.impulse, c.point.normal);
            assert!(p.is_finite() && n.is_finite(), "{seed} {what}: {c:?}");
            // nothing glues; over the parts of a step normals turn, and a body that turns fast is followed in parts
            let whole = report.collisions.is_empty() && report.substeps <= 1 && turned.max(turning(&s)) < 0.2;
            assert!(!whole || n.dot(p) >= -1e-6 * p.norm() - 1e-12 || !solved, "{seed} {what}: {c:?}");
        }
        if let Some(c) = report.certificate {
            assert!(c.residual.is_finite() || c.status == Status::Unsolved, "{seed} {what}: {c:?}");
        }
    }
    outcome
}

#[test]
fn scenes_at_random() {
    let scenes = count(100, 1);
    let (mut steps, mut unsolved, mut ended, mut worst) = (0, 0, Vec::new(), (Duration::ZERO, 0));
    let from = std::env::var("POINSOT_STRESS_FROM").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    for seed in from..from + scenes as u64 {
        let begun = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| run(seed)));
        worst = worst.max((begun.elapsed(), seed));
        let outcome = outcome.unwrap_or_else(|_| panic!("scene {seed}"));
        (steps, unsolved) = (steps + outcome.steps, unsolved + outcome.unsolved);
        ended.extend(outcome.ended);
    }
    println!("{scenes} scenes, {steps} steps, {unsolved} not solved and said so, longest {worst:?}");
    ended.iter().for_each(|why| println!("  ended: {why}"));
    // `leapfrog` turns bodies without gaining energy; of the other two what an impact has spun by more than half a radian a step diverges
    let diverged = |why: &&String| why.starts_with('!') && why.contains("leapfrog");
    assert_eq!(ended.iter().find(diverged), None);
    // a step that cannot be made is reported as such; most can
    assert!(ended.len() * 4 < scenes, "{} of {scenes} ended early", ended.len());
}

/// What is shot at: all have a surface of a square metre near z = 0, and the same two sides.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    /// A box of 1 mm.
    Plate,
    /// An open mesh of two triangles, without an inside.
    Sheet,
    /// The bottom of a mesh with high walls, which has no lid.
    Trough,
    /// The valley of a landscape, 1 mm above its base, next to a hill.
    Field,
}

impl Target {
    fn shape(self) -> Shape {
        let square =
            |z: f64| [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(|(x, y)| V3::new(x, y, z));
        let mesh = |vertices: Vec<V3>, triangles: Vec<[usize; 3]>| {
            Shape::Mesh(Arc::new(Mesh::new("target", TriangleMesh { vertices, triangles })))
        };
        let bottom = vec![[0, 1, 2], [0, 2, 3]];
        match self {
            Target::Plate => Shape::Box { size: V3::new(1.0, 1.0, 1e-3) },
            Target::Sheet => mesh(square(0.0).into(), bottom),
            Target::Trough => {
                let walls = (0..4).flat_map(|k| {
                    let (a, b) = (k, (k + 1) % 4);
                    [[a, b, b + 4], [a, b + 4, a + 4]]
                });
                mesh([square(0.0), square(1.0)].concat(), bottom.into_iter().chain(walls).collect())
            }
            Target::Field => {
                let mut elevation = vec![0.0; 100];
                elevation[99] = 1.0;
                let heights = Heights { rows: 10, columns: 10, elevation };
                Shape::HeightField(Arc::new(HeightField::new("field", [0.5, 0.5, 0.3, 1e-3], heights)))
            }
        }
    }
}

/// One shot at a target: what went wrong, if anything.
fn shoot(seed: u64, spheres: bool, target: Target, formulation: Formulation) -> Option<String> {
    let mut r = Random(0xbeef + seed);
    let mut b = ModelBuilder::new("plate");
    b.gravity(V3::ZERO);
    let surface =
        Material { restitution: [0.0, 0.3, 1.0][r.below(3)], ..Material::with_friction(r.within(0.0, 1.0)) };
    let plate = Geom::new(target.shape()).named("plate").material(surface);
    let moves = r.below(2) == 0;
    let mass = r.within(1e-3, 1.0);
    let heavy = mass * 10f64.powf(r.within(2.0, 5.0));
    let body = if moves {
        let inertia = Target::Plate.shape().inertia(heavy).unwrap();
        let body = b.body(BodyId::WORLD, BodySpec::new("plate").inertia(inertia));
        b.joint(body, Joint::free());
        b.geom(body, plate);
        body
    } else {
        b.geom(BodyId::WORLD, plate);
        BodyId::WORLD
    };
    let size = r.within(2e-3, 2e-2);
    let shape = match r.below(3) {
        _ if spheres => Shape::Sphere { radius: size },
        0 => Shape::Sphere { radius: size },
        1 => Shape::Box { size: V3::new(size, 1.5 * size, 2.0 * size) },
        _ => Shape::Capsule { radius: 0.2 * size, length: 4.0 * size },
    };
    let side = if r.below(2) == 0 { 1.0 } else { -1.0 };
    let from = V3::new(r.within(-0.2, 0.2), r.within(-0.2, 0.2), side * r.within(0.08, 0.5));
    let aim = V3::new(r.within(-0.2, 0.2), r.within(-0.2, 0.2), 0.0);
    let pose = Pose { rot: r.rotation(), pos: from };
    let geom = Geom::new(shape).named("shot").material(surface);
    let shot = b.body(BodyId::WORLD, BodySpec::new("shot").pose(pose).solid_geom(geom, mass).unwrap());
    b.joint(shot, Joint::free());
    let model = b.build().unwrap();
    let speed = 10f64.powf(r.within(0.0, 5000f64.log10()));
    let mut state = State::new(&model);
    let at = state.v.len() - 6;
    let way = aim - from;
    state.v[at..at + 3].copy_from_slice(&(way * (speed / way.norm())).array());
    // somewhere between a fraction of the way and far beyond the plate in one step
    let flight = way.norm() / speed;
    let dt = flight * r.within(0.3, 6.0);
    // no more than half a radian in a step, which these methods can turn
    let spin = r.unit() * r.within(0.0, (0.5 / dt).min(300.0));
    state.v[at + 3..].copy_from_slice(&spin.array());
    let methods = [Method::Leapfrog, Method::SemiImplicit, Method::Implicit];
    let method = if spheres { Method::Leapfrog } else { methods[r.below(3)] };
    let builder = Simulation::builder(&model).state(state).integrator(method).dt(dt);
    let mut s = builder.formulation(formulation).contact(Contact::default()).build().unwrap();
    let before = s.at().momentum().force;
    let kinetic = s.energies().0;
    let mut hits = 0;
    for _ in 0..8 {
        if let Err(e) = s.step() {
            return Some(format!("{seed} {method}: {e}"));
        }
        let at = s.at();
        let (there, plate) = (at.pose(shot).pos, at.pose(body));
        let seen = plate.rot.transpose() * (there - plate.pos);
        let over = seen.x.abs() < 0.5 && seen.y.abs() < 0.5;
        if over && seen.z * side < 0.0 {
            return Some(format!("{seed} {method}: through at {seen:?}, {speed} m/s, step {dt}"));
        }
        let off = (at.momentum().force - before).norm();
        if moves && off > 1e-10 * before.norm() {
            return Some(format!("{seed} {method}: momentum off by {off} of {}", before.norm()));
        }
        hits += usize::from(hits > 0 || !s.report().collisions.is_empty());
        if hits > 1 || seen.norm() > 0.6 {
            break; // one step more, and not round the edge
        }
    }
    let gained = s.energies().0 - kinetic;
    // what turns bodies has errors of its own
    (method == Method::Leapfrog && gained > 0.05 * kinetic)
        .then(|| format!("{seed} {method}: {gained} J of {kinetic}"))
}

/// An arm of two links swings at plates of 1 mm next to its pivot, by up to three radians a step: what went wrong, if anything.
///
/// The plates cover y = 0 but for a slit of |x| < 0.1 about the pivot, and end farther away than the arm reaches. It comes from y < 0, and
/// its links are longer than the slit is wide: no way that does not lead through a plate brings any of it to y > 0 and |x| > 0.15.
fn swing(seed: u64, formulation: Formulation) -> Option<String> {
    let mut r = Random(0xace + seed);
    let mut b = ModelBuilder::new("arm");
    b.gravity(V3::ZERO);
    let surface =
        Material { restitution: [0.0, 0.3, 1.0][r.below(3)], ..Material::with_friction(r.within(0.0, 1.0)) };
    for (name, x) in [("right", 1.55), ("left", -1.55)] {
        let plate = Geom::new(Shape::Box { size: V3::new(2.9, 1e-3, 1.0) }).named(name).material(surface);
        b.geom(BodyId::WORLD, plate.pose(Pose::translation(V3::X * x)));
    }
    let (length, radius) = (0.5, r.within(2e-3, 1e-2));
    let turned = Pose { rot: exp_so3(V3::Y * FRAC_PI_2), pos: V3::X * (0.5 * length) };
    let mut parent = BodyId::WORLD;
    for (name, at) in [("upper", V3::ZERO), ("lower", V3::X * length)] {
        let link =
            Geom::new(Shape::Capsule { radius, length: length - 4.0 * radius }).named(name).material(surface);
        let spec = BodySpec::new(name).at(at).solid_geom(link.pose(turned), r.within(0.1, 1.0)).unwrap();
        parent = b.body(parent, spec);
        b.joint(parent, Joint::revolute(V3::Z));
    }
    let model = b.build().unwrap();
    let speed = 10f64.powf(r.within(0.0, 5000f64.log10()));
    let q = vec![-r.within(0.3, 1.5), r.within(-0.2, 0.2)];
    let v = vec![speed / (2.0 * length), speed * r.within(-0.1, 0.1)];
    let dt = r.within(0.02, 3.0) / v[0];
    let method = [Method::Leapfrog, Method::SemiImplicit, Method::Implicit][r.below(3)];
    let state = State { q, v, ..State::new(&model) };
    let builder = Simulation::builder(&model).state(state).integrator(method).dt(dt);
    let mut s = builder.formulation(formulation).contact(Contact::default()).build().unwrap();
    let kinetic = s.energies().0;
    let bodies = ["upper", "lower"].map(|name| model.body(name).unwrap());
    let what = format!("{seed} {method}, {:.2} rad a step", s.state().v[0] * dt);
    let mut hits = 0;
    for step in 0..100 {
        if let Err(e) = s.step() {
            let more = s.energies().0 / kinetic;
            return Some(format!("{what}, step {step}, {more:e} of its energy: {e}"));
        }
        for (body, pose) in bodies.map(|body| (body, s.at().pose(body))) {
            // the capsule's axis
            for k in 0..=20 {
                let along = (length - 4.0 * radius).mul_add(f64::from(k) / 20.0, 2.0 * radius);
                let p = pose.pos + pose.rot * (V3::X * along);
                if p.x.abs() > 0.15 && p.y > 0.0 {
                    let more = s.energies().0 / kinetic;
                    return Some(format!(
                        "{what}, step {step}: {} through at {p:?}, {more:e} of its energy",
                        model[body].name
                    ));
                }
            }
        }
        hits += usize::from(hits > 0 || !s.report().collisions.is_empty());
        if hits > 5 {
            break;
        }
    }
    let more = s.energies().0 / kinetic;
    if method == Method::Leapfrog && more > 1.0 + 1e-3 {
        return Some(format!("{what}: {more} of its energy"));
    }
    if more > 2.0 && s.tally().steps(Fallback::Turned) == 0 {
        return Some(format!("{what}: {more} of its energy, and nothing is said of it"));
    }
    (hits == 0).then(|| format!("{what}: never came to the plate"))
}

/// One in so many shots at other targets, and in other coordinates.
fn shots(part: usize, shoot: impl Fn(u64) -> Option<String>) {
    let shots = count(300, 10) / part;
    let begun = Instant::now();
    let wrong: Vec<String> = (0..shots as u64).filter_map(shoot).collect();
    println!("{shots} shots in {:?}, {} wrong", begun.elapsed(), wrong.len());
    wrong.iter().take(50).for_each(|why| println!("  {why}"));
    assert!(wrong.is_empty());
}

#[test]
fn balls_do_not_pass_through_a_plate() {
    shots(1, |seed| shoot(seed, true, Target::Plate, Formulation::Reduced));
}

#[test]
fn boxes_and_rods_do_not_pass_through_a_plate() {
    shots(1, |seed| shoot(seed, false, Target::Plate, Formulation::Reduced));
}

#[test]
fn nothing_passes_through_a_plate_in_maximal_coordinates() {
    shots(5, |seed| shoot(seed, false, Target::Plate, Formulation::Maximal));
}

#[test]
fn nothing_passes_through_a_sheet() {
    shots(5, |seed| shoot(seed, false, Target::Sheet, Formulation::Reduced));
}

#[test]
fn nothing_passes_through_the_bottom_of_a_trough() {
    shots(5, |seed| shoot(seed, false, Target::Trough, Formulation::Reduced));
}

#[test]
fn nothing_passes_through_a_landscape() {
    shots(5, |seed| shoot(seed, false, Target::Field, Formulation::Reduced));
}

#[test]
fn links_do_not_pass_through_a_plate() {
    shots(2, |seed| swing(seed, Formulation::Reduced));
}

#[test]
fn links_do_not_pass_through_a_plate_in_maximal_coordinates() {
    shots(5, |seed| swing(seed, Formulation::Maximal));
}
