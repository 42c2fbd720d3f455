//! Contact in the step compared with exact solutions.

use poinsot::algebra::Sym3;
use poinsot::constraint::{ContactPoint, ContactResult, Impacts};
use poinsot::prelude::*;
use poinsot::spatial::{Inertia, Pose, exp_so3};

const G: f64 = 9.81;
const STEPPING: [Method; 3] = [Method::Leapfrog, Method::SemiImplicit, Method::Implicit];

fn floor(b: &mut ModelBuilder, pose: Pose, material: Material) {
    b.geom(
        BodyId::WORLD,
        Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor").pose(pose).material(material),
    );
}

fn free(b: &mut ModelBuilder, name: &str, shape: Shape, mass: f64, at: Pose, material: Material) -> BodyId {
    let geom = Geom::new(shape).named(name).material(material);
    let body = b.body(BodyId::WORLD, BodySpec::new(name).pose(at).solid_geom(geom, mass).expect("a solid"));
    b.joint(body, Joint::free());
    body
}

fn begin<'a>(model: &'a Model, method: Method, dt: f64, v: Option<Vec<f64>>) -> Simulation<'a> {
    let mut state = State::new(model);
    state.v = v.unwrap_or(state.v);
    let builder = Simulation::builder(model).state(state).integrator(method).dt(dt);
    builder.contact(Contact::default()).ledger(true).build().expect("a simulation")
}

fn up(z: f64) -> Pose {
    Pose::translation(V3::Z * z)
}

fn rubber(restitution: f64) -> Material {
    Material { restitution, ..Material::default() }
}

fn linear(s: &Simulation) -> V3 {
    V3::new(s.state().v[0], s.state().v[1], s.state().v[2])
}

/// A block that is let go above the floor comes to rest on it, and stays; the ledger closes, and nothing is gained.
#[test]
fn a_block_comes_to_rest() {
    for method in STEPPING {
        let mut b = ModelBuilder::new("block");
        floor(&mut b, Pose::IDENTITY, Material::default());
        let cube =
            free(&mut b, "cube", Shape::Box { size: V3::new(0.2, 0.2, 0.2) }, 1.0, up(0.3), rubber(0.0));
        let model = b.build().unwrap();
        let mut s = begin(&model, method, 2e-3, None);
        s.run(1000, 2e-3).unwrap();
        assert!((s.at().pose(cube).pos.z - 0.1).abs() < 1e-9, "{method}");
        assert!(s.state().v.iter().all(|v| v.abs() < 1e-10), "{method}");
        let push: f64 = s.contacts().iter().map(|c| c.impulse.z).sum();
        assert!((push - 2e-3 * G).abs() < 1e-10, "{method}: {push}");
        let total = s.ledger().unwrap().total();
        assert!(total.imbalance().abs() < 1e-12 && total.work(Line::Contact) < -1.9, "{method}");
        assert!(s.report().certificate.unwrap().residual < 1e-10);
    }
}

/// e = 1: the energy after 110 bounces is that of the beginning.
#[test]
fn a_perfect_ball_keeps_its_apex() {
    let mut b = ModelBuilder::new("ball");
    floor(&mut b, Pose::IDENTITY, Material::default());
    free(&mut b, "ball", Shape::Sphere { radius: 0.1 }, 1.0, up(1.1), rubber(1.0));
    let model = b.build().unwrap();
    let mut s = begin(&model, Method::Leapfrog, 2e-3, None);
    let (start, mut bounces) = (s.energy(), 0);
    while bounces < 110 {
        s.step().unwrap();
        bounces += s.report().collisions.len();
    }
    assert!((s.energy() / start - 1.0).abs() < 1e-10);
}

/// A ball dropped from a metre, with the default method and step: e = 1 brings it back to its height, also the twentieth time; others to e² of it.
#[test]
fn a_ball_rises_to_its_apex() {
    for (e, times) in [(1.0, 20), (0.7, 1), (0.3, 1), (0.0, 1)] {
        let mut b = ModelBuilder::new("ball");
        floor(&mut b, Pose::IDENTITY, Material::default());
        let ball = free(&mut b, "ball", Shape::Sphere { radius: 0.1 }, 1.0, up(1.1), rubber(e));
        let model = b.build().unwrap();
        let mut s = Simulation::builder(&model).contact(Contact::default()).build().unwrap();
        let (mut bounces, mut apex) = (0, 0.0f64);
        while bounces <= times && s.state().time < 20.0 {
            s.step().unwrap();
            bounces += s.report().collisions.len();
            if bounces == times {
                apex = apex.max(s.at().pose(ball).pos.z - 0.1);
            }
        }
        assert!(bounces >= times && (apex - e * e).abs() < 1e-3 * (e * e).max(1e-6), "e = {e}: {apex}");
    }
}

/// The times of the first impacts, and that the ball has come to rest a little after their accumulation.
#[test]
fn bounces_accumulate_at_their_time() {
    let (e, fall) = (0.8, (2.0 / G).sqrt());
    let mut b = ModelBuilder::new("ball");
    floor(&mut b, Pose::IDENTITY, Material::default());
    let ball = free(&mut b, "ball", Shape::Sphere { radius: 0.1 }, 1.0, up(1.1), rubber(e));
    let model = b.build().unwrap();
    let mut s = begin(&model, Method::Leapfrog, 2e-3, None);
    let (mut times, mut speeds) = (Vec::new(), Vec::new());
    let zeno = fall * (1.0 + e) / (1.0 - e);
    while s.state().time < zeno + 0.01 {
        s.step().unwrap();
        times.extend(s.report().collisions.iter().map(|c| c.time));
        speeds.extend(s.report().collisions.iter().map(|c| c.velocity[1].z));
    }
    let mut exact = fall;
    for n in 0..10 {
        assert!((times[n] - exact).abs() < 1e-10, "impact {n}: {} {exact}", times[n]);
        assert!((speeds[n] - G * fall * e.powi(n as i32 + 1)).abs() < 1e-9);
        exact += 2.0 * fall * e.powi(n as i32 + 1);
    }
    assert!(linear(&s).norm() < 1e-9 && (s.at().pose(ball).pos.z - 0.1).abs() < 1e-6);
}

/// An ellipsoid strikes a plane obliquely: without friction and e = 0.5, and with enough friction to stick.
#[test]
fn an_ellipsoid_strikes_a_plane() {
    let shape = Shape::Ellipsoid { radii: V3::new(0.3, 0.2, 0.1) };
    let rot = exp_so3(V3::new(0.4, -0.3, 0.7));
    let start = Pose { rot, pos: V3::Z * 0.156_436_654_717_248_96 };
    let (velocity, spin) = ([0.5, -0.2, -3.0], rot.transpose() * V3::new(1.0, 2.0, -1.0));
    let slick = Material { restitution: 0.5, condim: 1, ..Material::default() };
    for (material, v, omega) in [
        (
            slick,
            [0.5, -0.2, -1.448_048_863_275_599_7],
            [-12.928_527_017_091_87, 8.759_595_598_964_342, -1.812_016_939_045_876],
        ),
        (
            Material::with_friction(0.7),
            [1.097_526_032_096_296_7, 0.638_898_038_557_660_9, -1.404_933_994_260_294_3],
            [-5.276_100_998_450_262, 5.482_921_218_239_65, -1.628_283_315_241_000_3],
        ),
    ] {
        let mut b = ModelBuilder::new("ellipsoid");
        b.gravity(V3::ZERO);
        floor(&mut b, Pose::IDENTITY, Material { restitution: 0.0, ..material });
        let body = free(&mut b, "egg", shape.clone(), 2.0, start, material);
        let model = b.build().unwrap();
        let mut s = begin(&model, Method::Leapfrog, 1e-9, Some([&velocity[..], &spin.array()].concat()));
        s.step().unwrap();
        let after = s.at().velocity(body);
        let off = (V3::from(v) - after.lin).norm() + (V3::from(omega) - after.ang).norm();
        // the spin turns by 1e-8 in the step
        assert!(off < 2e-6, "{off}");
        let collision = s.report().collisions[0];
        assert!((collision.point.position.z).abs() < 1e-12 && collision.effective_mass > 0.0);
    }
}

/// Newton's cradle by both laws.
#[test]
fn a_cradle_by_both_laws() {
    let simultaneous = [-0.6, 0.4, 0.4, 0.4, 0.4];
    let sequential = [0.0, 0.0, 0.0, 0.0, 1.0];
    for (impacts, after) in [(Impacts::Simultaneous, simultaneous), (Impacts::Sequential, sequential)] {
        let mut b = ModelBuilder::new("cradle");
        b.gravity(V3::ZERO);
        for k in 0..5 {
            let material = Material { restitution: 1.0, condim: 1, ..Material::default() };
            let at = Pose::translation(V3::X * (0.2 * f64::from(k)));
            free(&mut b, &format!("ball{k}"), Shape::Sphere { radius: 0.1 }, 1.0, at, material);
        }
        let model = b.build().unwrap();
        let mut state = State::new(&model);
        state.v[0] = 1.0;
        let mut contact = Contact::default();
        contact.settings.impacts = impacts;
        let builder = Simulation::builder(&model).state(state).integrator(Method::Leapfrog);
        let mut s = builder.contact(contact).build().unwrap();
        s.run(1, 1e-6).unwrap();
        for (k, v) in after.into_iter().enumerate() {
            assert!((s.state().v[6 * k] - v).abs() < 1e-9, "{impacts:?}: ball {k} {}", s.state().v[6 * k]);
        }
    }
}

/// A block holds 1 % below the threshold without creep, and slides as it should 1 % above.
#[test]
fn a_block_on_an_incline() {
    let angle = 0.5f64.atan();
    let tilt = Pose { rot: exp_so3(V3::Y * angle), pos: V3::ZERO };
    for (mu, slides) in [(0.505, false), (0.495, true)] {
        let mut b = ModelBuilder::new("incline");
        let material = Material::with_friction(mu);
        floor(&mut b, tilt, material);
        let start = tilt * up(0.1);
        let cube = Shape::Box { size: V3::new(0.2, 0.2, 0.2) };
        let block = free(&mut b, "block", cube, 1.0, start, material);
        let model = b.build().unwrap();
        for method in STEPPING {
            let mut s = begin(&model, method, 2e-3, None);
            s.run(1000, 2e-3).unwrap();
            let went = (s.at().pose(block).pos - start.pos).norm();
            let speed = linear(&s).norm();
            if slides {
                let a = G * (angle.sin() - mu * angle.cos());
                assert!((speed / (2.0 * a) - 1.0).abs() < 1e-9, "{method}");
                let part = if method == Method::Leapfrog { 1e-9 } else { 2e-3 };
                assert!((went / (2.0 * a) - 1.0).abs() < part, "{method}");
            } else {
                assert!(speed < 1e-10 && went < 1e-9, "{method}: {speed} {went}");
            }
        }
    }
}

/// A ball that slides comes to roll: 5/7 of its speed, after 2 v/(7 μ g).
#[test]
fn a_sliding_ball_comes_to_roll() {
    let (v, mu) = (5.0, 0.3);
    let mut b = ModelBuilder::new("ball");
    let material = Material::with_friction(mu);
    floor(&mut b, Pose::IDENTITY, material);
    let ball = free(&mut b, "ball", Shape::Sphere { radius: 0.1 }, 1.0, up(0.1), material);
    let model = b.build().unwrap();
    let mut s = begin(&model, Method::Leapfrog, 1e-3, Some(vec![v, 0.0, 0.0, 0.0, 0.0, 0.0]));
    let slip = 2.0 * v / (7.0 * mu * G);
    s.run(1000, 1e-3).unwrap();
    assert!(
        (s.state().v[0] - 5.0 / 7.0 * v).abs() < 1e-3 && (s.state().v[4] * 0.1 - s.state().v[0]).abs() < 1e-8
    );
    let exact = v * slip - 0.5 * mu * G * slip * slip + 5.0 / 7.0 * v * (1.0 - slip);
    assert!((s.at().pose(ball).pos.x - exact).abs() < 2e-3);
    let friction = s.ledger().unwrap().total().work(Line::Friction);
    assert!((friction + 3.571_428_571_428_571_6).abs() < 1e-2, "{friction}");
}

/// Ten boxes stand, with a top as heavy as the others, 10³ and 10⁶ times as heavy; at each interface the weight above.
#[test]
fn stacks_stand() {
    for ratio in [1.0, 1e3, 1e6] {
        let mut b = ModelBuilder::new("stack");
        floor(&mut b, Pose::IDENTITY, Material::default());
        for k in 0..10 {
            let mass = if k == 9 { ratio } else { 1.0 };
            let cube = Shape::Box { size: V3::new(0.2, 0.2, 0.2) };
            free(&mut b, &format!("b{k}"), cube, mass, up(0.1 + 0.2 * f64::from(k)), Material::default());
        }
        let model = b.build().unwrap();
        let dt = 1.0 / 60.0;
        let builder = Simulation::builder(&model).integrator(Method::Leapfrog);
        let mut s = builder.contact(Contact::default()).build().unwrap();
        let before = s.state().q.clone();
        s.run(600, dt).unwrap();
        let moved = s.state().q.iter().zip(&before).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(moved < 1e-6 && s.report().penetration < 1e-6, "{ratio}: {moved}");
        let mut above = ratio + 9.0;
        for k in 0..10 {
            let of = |c: &&ContactResult| c.point.key.geoms[1].index() == k + 1;
            let force: f64 = s.contacts().iter().filter(of).map(|c| c.impulse.z / dt).sum();
            assert!((force / (above * G) - 1.0).abs() < 1e-6, "{ratio}: interface {k} {force}");
            above -= 1.0;
        }
    }
}

/// Fast bodies do not pass through a plate of 1 mm; without sweeps they do.
#[test]
fn a_shot_does_not_pass_through_a_plate() {
    let mut b = ModelBuilder::new("plate");
    b.gravity(V3::ZERO);
    let plate = Geom::new(Shape::Box { size: V3::new(1.0, 1.0, 1e-3) }).named("plate");
    b.geom(BodyId::WORLD, plate);
    let shot = free(&mut b, "shot", Shape::Sphere { radius: 0.01 }, 0.1, up(0.5), Material::default());
    let model = b.build().unwrap();
    for (detection, passes) in [("exact", false), ("exact/discrete", true)] {
        let state = State { v: vec![0.0, 0.0, -5000.0, 3.0, 4.0, 5.0], ..State::new(&model) };
        let builder = Simulation::builder(&model).state(state).integrator(Method::Leapfrog);
        let mut s = builder.contact(detection.parse::<Contact>().unwrap()).build().unwrap();
        s.run(10, 1e-2).unwrap();
        assert_eq!(s.at().pose(shot).pos.z < 0.0, passes, "{detection}");
    }
}

/// An arm falls on the floor: the same in both formulations, and bit for bit from a snapshot.
#[test]
fn an_arm_falls_on_the_floor() {
    let mut b = ModelBuilder::new("arm");
    floor(&mut b, Pose::IDENTITY, Material::with_friction(0.6));
    let rod = |name: &str| Geom::new(Shape::Capsule { radius: 0.04, length: 0.5 }).named(name);
    let upper = BodySpec::new("upper").at(V3::new(0.0, 0.0, 0.5)).solid_geom(rod("upper"), 1.0).unwrap();
    let upper = b.body(BodyId::WORLD, upper);
    b.joint(upper, Joint::revolute(V3::Y).anchor(V3::Z * 0.25));
    let lower = BodySpec::new("lower").at(V3::new(0.0, 0.0, 0.5)).solid_geom(rod("lower"), 0.7).unwrap();
    let lower = b.body(upper, lower);
    b.joint(lower, Joint::revolute(V3::Y).anchor(V3::Z * -0.25));
    let model = b.build().unwrap();
    let start = State { q: vec![0.3, 0.5], ..State::new(&model) };
    let end = |formulation, dt: f64| {
        let builder = Simulation::builder(&model).state(start.clone()).integrator(Method::Leapfrog);
        let mut s = builder.formulation(formulation).contact(Contact::default()).dt(dt).build().unwrap();
        s.run((0.8 / dt) as usize, dt).unwrap();
        let half = s.snapshot();
        s.run(100, dt).unwrap();
        let end = s.state().clone();
        s.restore(&poinsot::Snapshot::from_json(&half.to_json()).unwrap()).unwrap();
        s.run(100, dt).unwrap();
        assert_eq!(s.state(), &end, "{formulation}");
        let unsolved = s.tally().steps(poinsot::integrate::Fallback::Contact);
        assert!(unsolved == 0, "{formulation}: {unsolved} of {:?}", s.report().certificate);
        end.q
    };
    let (reduced, maximal) = (end(Formulation::Reduced, 1e-3), end(Formulation::Maximal, 1e-3));
    let off = reduced.iter().zip(&maximal).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(off < 5e-3, "{reduced:?} {maximal:?}");
}

/// A contact that has gone does no more work, however contacts are looked for.
#[test]
fn contacts_that_are_gone_do_nothing() {
    for detection in ["exact", "exact/discrete"] {
        let mut b = ModelBuilder::new("ball");
        floor(&mut b, Pose::IDENTITY, Material::default());
        free(&mut b, "ball", Shape::Sphere { radius: 0.1 }, 1.0, up(1.1), rubber(0.8));
        let model = b.build().unwrap();
        let builder = Simulation::builder(&model).integrator(Method::Leapfrog).ledger(true);
        let mut s = builder.contact(detection.parse::<Contact>().unwrap()).build().unwrap();
        s.run(1000, 2e-3).unwrap();
        let total = s.ledger().unwrap().total();
        let (contact, integration) = (total.work(Line::Contact), total.work(Line::Integration));
        assert!(contact > -20.0 && integration.abs() < 0.5, "{detection}: {contact} {integration}");
        assert!(s.tally().steps(poinsot::integrate::Fallback::Gained) == 0, "{detection}");
        assert!(s.tally().number(poinsot::integrate::EventKind::Impact) < 10, "{detection}");
    }
}

/// What lies on the floor is resting: no impacts are reported, and a snapshot goes on bit for bit in a simulation made elsewhere.
#[test]
fn snapshots_of_what_rests_and_slides() {
    let mut b = ModelBuilder::new("slide");
    floor(&mut b, Pose::IDENTITY, Material::with_friction(0.3));
    let cube = Shape::Box { size: V3::new(0.2, 0.2, 0.2) };
    free(&mut b, "cube", cube, 1.0, up(0.1), Material::with_friction(0.3));
    let model = b.build().unwrap();
    let mut s = begin(&model, Method::Leapfrog, 2e-3, Some(vec![2.0, 0.5, 0.0, 0.0, 0.0, 1.0]));
    s.run(100, 2e-3).unwrap();
    assert!(s.tally().number(poinsot::integrate::EventKind::Impact) == 0);
    let saved = s.snapshot().to_json();
    s.run(100, 2e-3).unwrap();
    let mut other = begin(&model, Method::Leapfrog, 2e-3, None);
    other.restore(&poinsot::Snapshot::from_json(&saved).unwrap()).unwrap();
    other.run(100, 2e-3).unwrap();
    assert_eq!(s.state(), other.state());
}

/// With μ = 1 the line between the two contacts of a ball in a right-angled corner lies on the edges of both cones, and any squeeze is
/// allowed: the impulses are of the size of what strikes, as with a little less friction.
#[test]
fn a_ball_in_a_corner_is_not_squeezed_without_end() {
    let run = |mu: f64| {
        let mut b = ModelBuilder::new("corner");
        let rough = || Material::with_friction(mu);
        floor(&mut b, Pose::IDENTITY, rough());
        let wall = Geom::new(Shape::Box { size: V3::new(0.1, 2.0, 1.0) }).material(rough());
        b.geom(BodyId::WORLD, wall.pose(Pose::translation(V3::new(-0.8, 0.0, 0.5))));
        let at = |x, z| Pose::translation(V3::new(x, 0.0, z));
        free(&mut b, "ball", Shape::Sphere { radius: 0.1 }, 1.0, at(-0.649, 0.101), rough());
        let block = Shape::Box { size: V3::new(0.2, 0.15, 0.1) };
        free(&mut b, "box", block, 1.0, at(-0.53, 0.3), Material::with_friction(0.5));
        let model = b.build().unwrap();
        let v = vec![-0.5, 0.0, 0.0, 0.0, -3.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let mut s = begin(&model, Method::Leapfrog, 2e-3, Some(v));
        let mut largest = 0.0f64;
        for _ in 0..300 {
            s.run(1, 2e-3).unwrap();
            largest = s.contacts().iter().fold(largest, |most, c| most.max(c.impulse.norm()));
        }
        assert!(s.ledger().unwrap().total().work(Line::Friction) < 0.0, "μ = {mu}");
        largest
    };
    let [slippery, rough] = [run(0.9), run(1.0)];
    assert!(rough < 2.0 * slippery && slippery < 3.0, "{rough} beside {slippery} N s");
}

/// Links that fall together do not approach one another: their pairs are not listed as contacts to come, however fast they fall.
#[test]
fn what_falls_together_is_not_near() {
    let mut b = ModelBuilder::new("three balls on a stick");
    let ball = || Geom::new(Shape::Sphere { radius: 0.1 });
    let first = free(&mut b, "first", Shape::Sphere { radius: 0.1 }, 1.0, Pose::IDENTITY, rubber(0.0));
    let mut last = first;
    for name in ["second", "third"] {
        last = b.body(last, BodySpec::new(name).at(V3::X * 0.22).solid_geom(ball(), 1.0).unwrap());
        b.joint(last, Joint::revolute(V3::Y));
    }
    free(&mut b, "beside", Shape::Sphere { radius: 0.1 }, 1.0, Pose::translation(V3::Y * 0.23), rubber(0.0));
    let model = b.build().unwrap();
    let mut v = vec![0.0; model.nv()];
    (v[2], v[10]) = (-50.0, -50.0);
    let mut s = begin(&model, Method::Leapfrog, 2e-3, Some(v));
    s.run(50, 2e-3).unwrap();
    assert!(s.contacts().is_empty(), "{:?}", s.contacts().len());
}

/// A turntable without friction, with an arm that rests on it: nothing acts about the vertical axis.
#[test]
fn an_arm_at_rest_does_not_spin_up_its_turntable() {
    let mut b = ModelBuilder::new("turntable");
    let inertia = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(0.01, 0.01, 0.01)).unwrap();
    let table = b.body(BodyId::WORLD, BodySpec::new("table").at(V3::Z).inertia(inertia));
    b.joint(table, Joint::revolute(V3::Z));
    let stop = Geom::new(Shape::Sphere { radius: 0.1 }).named("stop").pose(up(-0.1));
    b.geom(table, stop);
    let inertia = Inertia::new(1.0, V3::new(0.16, -0.08, -0.01), Sym3::diagonal(0.01, 0.01, 0.01)).unwrap();
    let arm = b.body(table, BodySpec::new("arm").at(V3::new(-0.053, 0.0, 0.1)).inertia(inertia));
    b.joint(arm, Joint::revolute(V3::new(0.66, 0.88, -0.2)));
    let hand = Geom::new(Shape::Box { size: V3::new(0.1, 0.16, 0.12) }).named("hand");
    b.geom(arm, hand.pose(Pose::translation(V3::new(0.22, -0.15, 0.0))));
    b.contact_with_parents(true);
    let model = b.build().unwrap();
    for method in STEPPING {
        let mut state = State::new(&model);
        (state.q[1], state.v[0]) = (0.54927421, 0.5);
        let builder = Simulation::builder(&model).state(state).integrator(method).dt(2e-3);
        let mut s = builder.contact(Contact::default()).build().unwrap();
        s.run(5000, 2e-3).unwrap();
        assert!(s.contacts().iter().any(|c| c.impulse != V3::ZERO), "{method}: it rests");
        assert!((s.state().v[0] - 0.5).abs() < 1e-4, "{method}: {}", s.state().v[0]);
    }
}

/// Balls that pass each other within a step, a centimetre apart, do not touch.
#[test]
fn balls_that_pass_each_other_do_not_touch() {
    for dt in [0.02, 0.05, 0.1, 0.2, 0.5] {
        for method in STEPPING {
            let mut b = ModelBuilder::new("two balls");
            floor(&mut b, Pose::IDENTITY, rubber(0.0));
            free(&mut b, "rests", Shape::Sphere { radius: 0.1 }, 1.0, up(0.1), rubber(0.0));
            let beside = Pose::translation(V3::new(0.21, 0.0, 1.1));
            free(&mut b, "falls", Shape::Sphere { radius: 0.1 }, 1.0, beside, rubber(0.0));
            let model = b.build().unwrap();
            let mut s = begin(&model, method, dt, None);
            for _ in 0..(2.0 / dt) as usize {
                s.step().unwrap();
                let pair =
                    |c: &ContactResult| c.impulse != V3::ZERO && !c.point.bodies.contains(&BodyId::WORLD);
                assert!(!s.contacts().iter().any(pair), "{method} {dt}");
            }
            let off = [(7, 0.21), (8, 0.0), (9, 0.1)].map(|(k, to)| (s.state().q[k] - to).abs());
            assert!(off.iter().all(|off| *off < 1e-6), "{method} {dt}: {off:?}");
        }
    }
}

/// Soft substeps are for time stepping: an event-driven method refuses them, as it does contacts that yield.
#[test]
fn pgs_is_refused_by_event_driven_methods() {
    let mut b = ModelBuilder::new("ball");
    floor(&mut b, Pose::IDENTITY, Material::default());
    free(&mut b, "ball", Shape::Sphere { radius: 0.1 }, 1.0, up(0.5), Material::default());
    let model = b.build().unwrap();
    let pgs: Contact = "pgs".parse().unwrap();
    let error = Simulation::builder(&model).stepping(Stepping::Events).contact(pgs).build().err().unwrap();
    assert!(error.to_string().contains("`pgs` is for time stepping"), "{error}");
}

#[test]
fn control_signals_that_are_not_finite_are_refused_by_name() {
    let mut b = ModelBuilder::new("wheel");
    let inertia = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(0.1, 0.1, 0.1)).unwrap();
    let wheel = b.body(BodyId::WORLD, BodySpec::new("wheel").inertia(inertia));
    let axle = b.joint(wheel, Joint::revolute(V3::Y));
    b.actuator(Actuator::position(axle, 100.0).named("servo"));
    let model = b.build().unwrap();
    let mut s = Simulation::builder(&model).build().unwrap();
    let error = s.set_control(&[f64::NAN]).unwrap_err();
    assert!(error.to_string().contains("\"servo\" is NaN"), "{error}");
    s.set_control(&[0.5]).unwrap();
}

/// Friction without bound is great friction: a ball that strikes the floor askew sticks, and then rolls.
#[test]
fn friction_without_bound_is_great_friction() {
    for method in STEPPING {
        let after = |mu: f64| {
            let mut b = ModelBuilder::new("ball");
            floor(&mut b, Pose::IDENTITY, Material::with_friction(mu));
            let skin = Material::with_friction(mu);
            let ball = free(&mut b, "ball", Shape::Sphere { radius: 0.1 }, 2.0, up(0.2), skin);
            let model = b.build().unwrap();
            let mut s = begin(&model, method, 1e-3, Some(vec![1.0, -0.5, -3.0, 4.0, 3.0, 2.0]));
            s.run(200, 1e-3).unwrap();
            let v = s.at().velocity(ball);
            [v.lin, v.ang]
        };
        let ([v, w], [great, _]) = (after(1e9), after(1e3));
        assert!((v - great).norm() < 1e-9, "{method}: {v:?} {great:?}");
        // the point below rests
        assert!((v + w.cross(V3::Z * -0.1)).norm() < 1e-9, "{method}: {v:?} {w:?}");
    }
}

/// Stacks with a heavy top by polyhedral cones: every step is solved, and each box bears what is above. With a top a million times as heavy
/// some steps end above the tolerance, and say so (`exact` solves them).
#[test]
fn stacks_with_heavy_tops_by_pivoting() {
    for top in [1.0, 1e3] {
        let mut b = ModelBuilder::new("stack");
        floor(&mut b, Pose::IDENTITY, Material::with_friction(0.5));
        let masses: Vec<f64> = (0..10).map(|k| if k == 9 { top } else { 1.0 }).collect();
        for (k, m) in masses.iter().enumerate() {
            let cube = Shape::Box { size: V3::new(0.2, 0.2, 0.2) };
            free(
                &mut b,
                &format!("box {k}"),
                cube,
                *m,
                up(0.2 * k as f64 + 0.1),
                Material::with_friction(0.5),
            );
        }
        let model = b.build().unwrap();
        let dt = 1.0 / 60.0;
        let builder = Simulation::builder(&model).integrator(Method::Leapfrog).dt(dt);
        let mut s = builder.contact("lcp".parse::<Contact>().unwrap()).build().unwrap();
        s.run(30, dt).unwrap();
        let touched = s.contact_statistics().unwrap();
        assert_eq!(touched.unsolved, 0, "{top}: {:?}", s.report().certificate);
        for k in 0..10 {
            let of = s.contacts().iter().filter(|c| c.point.key.geoms[1].index() == k + 1);
            let bears: f64 = of.map(|c| c.impulse.z / dt).sum();
            let above = G * masses[k..].iter().sum::<f64>();
            assert!((bears / above - 1.0).abs() < 1e-8, "{top} {k}: {bears} {above}");
        }
        // and moves by no more than the residual and the rounding errors of its forces
        assert!(s.state().v.iter().all(|v| v.abs() < 1e-9), "{top}");
    }
}

/// A box that lands a little tilted: the points of its face lie in one plane at right angles to the normal, so that turning until it lies
/// flat moves none of them sideways more than another, which friction could not hold.
#[test]
fn the_points_of_a_face_lie_in_one_plane() {
    let mut b = ModelBuilder::new("tilted");
    floor(&mut b, Pose::IDENTITY, Material::default());
    let pose = Pose { rot: exp_so3(V3::new(2e-3, 1e-3, 0.0)), pos: V3::Z * 0.101 };
    free(&mut b, "box", Shape::Box { size: V3::new(0.3, 0.2, 0.2) }, 1.0, pose, Material::default());
    let model = b.build().unwrap();
    let mut s = begin(&model, Method::Leapfrog, 5e-3, Some(vec![0.0, 0.0, -0.5, 0.0, 0.0, 0.0]));
    s.step().unwrap();
    let points: Vec<_> = s.report().contacts.iter().map(|c| c.point).collect();
    assert_eq!(points.len(), 4);
    assert!(points.iter().any(|p| (p.gap - points[0].gap).abs() > 1e-4), "tilted: {points:?}");
    let off = |p: &ContactPoint| p.normal.dot(p.position - points[0].position).abs();
    assert!(points.iter().all(|p| off(p) < 1e-15), "{points:?}");
}
