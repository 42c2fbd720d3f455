//! Limits, ropes and dry friction compared with exact solutions, with every integrator and in both formulations.
#![allow(clippy::unwrap_used)]

use poinsot_core::algebra::V3;
use poinsot_core::audit::{Ledger, Line};
use poinsot_core::constraint::Maximal;
use poinsot_core::dynamics::State;
use poinsot_core::integrate::{self, EventKind, Method, System};
use poinsot_core::model::*;
use poinsot_core::spatial::Pose;

/// Methods that step from event to event, and how well they follow the motion between.
const SMOOTH: [(&str, f64); 3] = [("rkmk4", 1e-9), ("adaptive", 1e-11), ("midpoint", 1e-5)];
/// Methods that see limits and friction at the end of a step.
const STEPPING: [&str; 4] = ["semi-implicit", "implicit", "leapfrog", "backward"];

struct Run<'m> {
    system: System<'m>,
    integrator: Box<dyn integrate::Integrator>,
    state: State,
}

impl<'m> Run<'m> {
    fn new(model: &'m Model, name: &str, q: &[f64], v: &[f64]) -> Run<'m> {
        let integrator = integrate::by_name(name, model).unwrap();
        let state = State { q: q.to_vec(), v: v.to_vec(), ..State::new(model) };
        Run { system: System::new(model), integrator, state }
    }
    fn step(&mut self, steps: usize, dt: f64) -> &State {
        for _ in 0..steps {
            self.system.step(&mut *self.integrator, &mut self.state, dt).unwrap();
            assert_eq!(self.system.report().pivots.unsolved, 0);
        }
        &self.state
    }
    fn beyond(&mut self) -> f64 {
        let model = self.system.model();
        let (ws, multipliers) = self.system.constraints();
        multipliers.unwrap().limit_violation(&model, ws, &self.state.q).map_or(0.0, |passed| passed.size)
    }
}

fn ball() -> Shape {
    Shape::Sphere { radius: 0.05 }
}

fn slider(mass: f64, joint: impl Fn(Joint) -> Joint) -> Model {
    let mut b = ModelBuilder::new("slider");
    let block = b.body(BodyId::WORLD, BodySpec::new("block").solid(&ball(), mass).unwrap());
    b.joint(block, joint(Joint::prismatic(V3::X)));
    b.gravity(V3::ZERO);
    b.build().unwrap()
}

fn pendulum(joint: impl Fn(Joint) -> Joint) -> Model {
    let mut b = ModelBuilder::new("pendulum");
    let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&ball(), 1.5).unwrap());
    b.joint(bob, joint(Joint::revolute(V3::Y).anchor(V3::Z)));
    b.build().unwrap()
}

/// A pendulum let go at 1 rad, whose stop is at 0.3 rad, rebounds to the angle that its energy allows.
#[test]
fn a_pendulum_rebounds_from_its_stop_as_energy_has_it() {
    for e in [0.0, 0.4, 1.0] {
        let model = pendulum(|j| j.limits(0.3, 2.0).restitution(e));
        let highest = (0.3f64.cos() - e * e * (0.3f64.cos() - 1f64.cos())).acos();
        for (name, accuracy) in SMOOTH {
            let mut run = Run::new(&model, name, &[1.0], &[0.0]);
            let (mut hit, mut apex, mut least) = (false, 0.3f64, 1.0f64);
            for _ in 0..1500 {
                let before = run.state.v[0];
                run.step(1, 1e-3);
                let q = run.state.q[0];
                hit |= run.system.report().events.iter().any(|e| e.kind == EventKind::Impact);
                if hit && before > 0.0 && apex == 0.3 && run.state.v[0] <= 0.0 {
                    // the vertex of the parabola through the last step
                    apex = q;
                }
                least = least.min(q);
            }
            assert!(hit && least >= 0.3 - 1e-12, "{name}, e = {e}: {least}");
            let off = (apex - highest).abs();
            assert!(off < 2e-6 + accuracy, "{name}, e = {e}: {apex} beside {highest}");
            if e == 0.0 {
                assert!((run.state.q[0] - 0.3).abs() < 1e-12 && run.state.v[0].abs() < 1e-12, "{name}");
            }
        }
        for name in STEPPING {
            let mut run = Run::new(&model, name, &[1.0], &[0.0]);
            let mut apex = 0.3f64;
            let mut hit = false;
            for _ in 0..12_000 {
                run.step(1, 1e-4);
                assert!(run.beyond() < 1e-12, "{name}: {:e}", run.beyond());
                // in the middle of a step it may be met and left
                hit |= run.state.q[0] < 0.3 + 1e-9 || !run.system.report().events.is_empty();
                if hit {
                    apex = apex.max(run.state.q[0]);
                }
            }
            assert!((apex - highest).abs() < 2e-3, "{name}, e = {e}: {apex} beside {highest}");
        }
    }
}

/// A block that dry friction brings to rest: x = m v²/2F after t = m v/F, and there it stays.
#[test]
fn dry_friction_stops_a_block_at_the_exact_place_and_holds_it() {
    let (mass, force, speed) = (2.0, 3.0, 1.7);
    let model = slider(mass, |j| j.friction_loss(force));
    let way = mass * speed * speed / (2.0 * force);
    for name in Method::TREE.map(Method::word) {
        let mut run = Run::new(&model, name, &[0.0], &[speed]);
        run.step(2000, 1e-3);
        let (rest, creep) = (run.state.q[0], run.state.v[0].abs());
        assert!(creep <= 1e-12, "{name}: {creep:e} m/s");
        let off = (rest - way).abs();
        let allowed = if STEPPING.contains(&name) { 1e-3 * speed } else { 1e-12 };
        assert!(off <= allowed, "{name}: {rest} beside {way}");
        run.step(2000, 1e-3);
        assert!((run.state.q[0] - rest).abs() <= 1e-12, "{name} creeps");
    }
}

/// On an incline friction holds a weight up to its greatest force, and not beyond.
#[test]
fn a_weight_sticks_below_the_threshold_and_slides_above_it() {
    for (weight, sticks) in [(0.99, true), (1.01, false)] {
        let mut b = ModelBuilder::new("weight");
        let block = b.body(BodyId::WORLD, BodySpec::new("block").solid(&ball(), 1.0).unwrap());
        b.joint(block, Joint::prismatic(V3::Z).friction_loss(9.81));
        b.gravity(V3::Z * (-9.81 * weight));
        let model = b.build().unwrap();
        for name in Method::TREE.map(Method::word) {
            let mut run = Run::new(&model, name, &[0.0], &[0.0]);
            run.step(1000, 1e-3);
            let fallen = -run.state.q[0];
            if sticks {
                assert!(fallen.abs() < 1e-12 && run.state.v[0].abs() < 1e-12, "{name}: {fallen:e}");
            } else {
                let exact = 0.5 * 9.81 * (weight - 1.0);
                assert!((fallen - exact).abs() < 2e-3 * exact, "{name}: {fallen} beside {exact}");
            }
        }
    }
}

/// A carriage that goes to and fro pushes a block forward; dry friction against the ground keeps it from coming back.
#[test]
fn a_ratchet_goes_forward_only() {
    let mut b = ModelBuilder::new("ratchet");
    let carriage = b.body(BodyId::WORLD, BodySpec::new("carriage").solid(&ball(), 5.0).unwrap());
    let drive = b.joint(carriage, Joint::prismatic(V3::X).spring(200.0, 0.0));
    let block = b.body(carriage, BodySpec::new("block").solid(&ball(), 0.5).unwrap());
    let lead = b.joint(block, Joint::prismatic(V3::X).limits(0.0, 10.0));
    b.tendon(FixedTendon::new([(drive, 1.0), (lead, 1.0)]).friction_loss(2.0));
    let model = b.build().unwrap();
    for name in ["rkmk4", "semi-implicit", "leapfrog", "backward"] {
        let mut run = Run::new(&model, name, &[-0.3, 0.1], &[0.0, 0.0]);
        let mut farthest = -0.2f64;
        for _ in 0..4000 {
            let before = run.state.q[0] + run.state.q[1];
            run.step(1, 1e-3);
            let now = run.state.q[0] + run.state.q[1];
            assert!(now >= before - 1e-11, "{name}: back by {:e}", before - now);
            farthest = farthest.max(run.state.q[0]);
        }
        let place = run.state.q[0] + run.state.q[1];
        assert!(place >= farthest - 1e-9 && place > 0.0, "{name}: {place} {farthest}");
    }
}

/// A horizontal chain sinks until limits carry it: each then bears the weight beyond it.
#[test]
fn a_chain_lies_against_its_limits() {
    let mut b = ModelBuilder::new("chain");
    let rod = Shape::Capsule { radius: 0.02, length: 0.2 };
    let across = poinsot_core::spatial::Pose { rot: axis_x(), pos: V3::X * 0.15 };
    let mut parent = BodyId::WORLD;
    for k in 0..8 {
        let at = if k == 0 { V3::ZERO } else { V3::X * 0.3 };
        let link = BodySpec::new(format!("link{k}")).at(at).solid_at(&rod, 0.4, across).unwrap();
        parent = b.body(parent, link);
        b.joint(parent, Joint::revolute(V3::Y).limits(-0.1, 0.08).damping(0.02));
    }
    let model = b.build().unwrap();
    let mut twin_q = Vec::new();
    for name in Method::TREE.map(Method::word) {
        let mut run = Run::new(&model, name, &[0.0; 8], &[0.0; 8]);
        run.step(1500, 1e-3);
        assert!(run.beyond() < 1e-11, "{name}: {:e}", run.beyond());
        assert!(run.state.q.iter().all(|q| (q - 0.08).abs() < 1e-11), "{name}: {:?}", run.state.q);
        assert!(run.state.v.iter().all(|v| v.abs() < 1e-11), "{name}: {:?}", run.state.v);
        run.step(1, 1e-3);
        let mut weight = vec![0.0; 8];
        run.system.workspace().gravity(&model, &run.state.q, &mut weight);
        for (k, weight) in weight.iter().enumerate() {
            // two ends a joint, the upper one second
            let borne = run.system.report().impulses[2 * k + 1] / 1e-3;
            assert!((borne + weight).abs() < 1e-8 * weight.abs(), "{name}: {borne} {weight}");
        }
        twin_q = run.state.q.clone();
    }
    let twin = Maximal::of(&model).unwrap();
    for name in ["semi-implicit", "implicit", "leapfrog", "backward", "rkmk4"] {
        let start = twin.state(&State::new(&model));
        let mut run = Run::new(twin.model(), name, &start.q, &start.v);
        run.step(1500, 1e-3);
        let there = twin.reduced(&run.state, &twin_q);
        assert!(there.q.iter().all(|q| (q - 0.08).abs() < 1e-9), "maximal {name}: {:?}", there.q);
        assert!(there.v.iter().all(|v| v.abs() < 1e-9), "maximal {name}: {:?}", there.v);
    }
}

fn axis_x() -> poinsot_core::algebra::M3 {
    poinsot_core::algebra::M3::columns(V3::Y, V3::Z, V3::X)
}

/// A ball on a rope falls freely, is caught, and swings: at the jerk the speed along the rope is lost.
#[test]
fn an_inextensible_rope_catches_a_ball() {
    let mut b = ModelBuilder::new("rope");
    let bob = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&ball(), 1.0).unwrap());
    b.joint(bob, Joint::free());
    let rope = (Mount::new(BodyId::WORLD, V3::ZERO), Mount::new(bob, V3::ZERO));
    b.constraint(Constraint::inextensible_rope(rope.0, rope.1, 1.0));
    let model = b.build().unwrap();
    let q = [0.6, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0];
    // free fall from (0.6, 0.3) meets the circle at (0.6, −0.8), with √(2g·1.1)
    let speed = (2.0 * 9.81 * 1.1f64).sqrt();
    let kept = 0.5 * (speed * 0.6) * (speed * 0.6);
    for name in Method::TREE.map(Method::word) {
        let stepping = STEPPING.contains(&name);
        let (steps, dt) = if stepping { (12_000, 1e-4) } else { (1200, 1e-3) };
        let mut run = Run::new(&model, name, &q, &[0.0; 6]);
        let mut longest = 0.0f64;
        for _ in 0..steps {
            let q = &run.step(1, dt).q;
            longest = longest.max((q[0] * q[0] + q[1] * q[1] + q[2] * q[2]).sqrt());
        }
        assert!(longest < 1.0 + 1e-11, "{name}: {longest}");
        let energy = run.system.energy(&run.state) + 9.81 * 0.8;
        let allowed = if stepping { 3e-2 } else { 1e-4 };
        assert!((energy - kept).abs() < allowed * kept, "{name}: {energy} beside {kept}");
    }
}

/// A spherical joint turns no further than its range, whichever way.
#[test]
fn a_spherical_joint_keeps_its_range() {
    let mut b = ModelBuilder::new("ball joint");
    let bob = b.body(
        BodyId::WORLD,
        BodySpec::new("bob").solid(&Shape::Box { size: V3::new(0.1, 0.2, 0.3) }, 1.0).unwrap(),
    );
    b.joint(bob, Joint::spherical().anchor(V3::Z * 0.5).limits(0.0, 0.7));
    let model = b.build().unwrap();
    let twin = Maximal::of(&model).unwrap();
    for name in Method::TREE.map(Method::word) {
        let mut run = Run::new(&model, name, &model.neutral(), &[2.0, 3.0, 1.5]);
        let mut energy = run.system.energy(&run.state);
        for _ in 0..1500 {
            run.step(1, 1e-3);
            assert!(run.beyond() < 1e-11, "{name}: {:e}", run.beyond());
            let now = run.system.energy(&run.state);
            assert!(now <= energy + 2e-3, "{name}: {now} after {energy}");
            energy = now;
        }
        let start = twin.state(&State { v: vec![2.0, 3.0, 1.5], ..State::new(&model) });
        let mut free = Run::new(twin.model(), name, &start.q, &start.v);
        free.step(300, 1e-3);
        assert!(free.beyond() < 1e-9, "maximal {name}: {:e}", free.beyond());
    }
}

/// A tendon that is at its limit couples its joints.
#[test]
fn a_tendon_keeps_its_range() {
    let mut b = ModelBuilder::new("tendon");
    let one = b.body(BodyId::WORLD, BodySpec::new("one").solid(&ball(), 1.0).unwrap());
    let j = b.joint(one, Joint::prismatic(V3::X));
    let two = b.body(BodyId::WORLD, BodySpec::new("two").solid(&ball(), 3.0).unwrap());
    let k = b.joint(two, Joint::prismatic(V3::X));
    b.tendon(FixedTendon::new([(j, 1.0), (k, 2.0)]).limits(-10.0, 1.0));
    let model = b.build().unwrap();
    for name in Method::TREE.map(Method::word) {
        let mut run = Run::new(&model, name, &[0.0, 0.0], &[1.0, 1.0]);
        run.step(1000, 1e-3);
        let State { q, v, .. } = &run.state;
        // inelastic: v⁺ = v − M⁻¹ J (J v)/(J M⁻¹ Jᵀ) with J M⁻¹ Jᵀ = 1 + 4/3
        let lost = 3.0 / (1.0 + 4.0 / 3.0);
        assert!((q[0] + 2.0 * q[1] - 1.0).abs() < 1e-11, "{name}: {q:?}");
        assert!(
            (v[0] - (1.0 - lost)).abs() < 1e-10 && (v[1] - (1.0 - 2.0 / 3.0 * lost)).abs() < 1e-10,
            "{name}: {v:?}"
        );
    }
}

/// Both formulations run the same motion into limits and friction.
#[test]
fn maximal_coordinates_agree() {
    let mut b = ModelBuilder::new("two links");
    let rod = Shape::Capsule { radius: 0.03, length: 0.5 };
    let one = b.body(BodyId::WORLD, BodySpec::new("one").solid(&rod, 1.0).unwrap());
    b.joint(
        one,
        Joint::revolute(V3::Y).anchor(V3::Z * 0.3).limits(-0.5, 0.6).restitution(0.5).friction_loss(0.2),
    );
    let two = b.body(one, BodySpec::new("two").at(V3::Z * -0.6).solid(&rod, 0.7).unwrap());
    b.joint(two, Joint::universal(V3::X, V3::Y).anchor(V3::Z * 0.3).limits(-0.4, 0.4).friction_loss(0.05));
    let model = b.build().unwrap();
    let twin = Maximal::of(&model).unwrap();
    let begin = State { v: vec![3.0, 2.0, -4.0], ..State::new(&model) };
    for (name, allowed) in
        [("adaptive", 1e-8), ("rkmk4", 1e-6), ("semi-implicit", 2e-2), ("implicit", 2e-2), ("leapfrog", 2e-2)]
    {
        let dt = if name == "adaptive" || name == "rkmk4" { 1e-3 } else { 1e-4 };
        let steps = (0.5 / dt) as usize;
        let mut run = Run::new(&model, name, &begin.q, &begin.v);
        run.step(steps, dt);
        let start = twin.state(&begin);
        let mut free = Run::new(twin.model(), name, &start.q, &start.v);
        free.step(steps, dt);
        let there = twin.reduced(&free.state, &run.state.q);
        for (a, b) in run.state.q.iter().zip(&there.q) {
            assert!((a - b).abs() < allowed, "{name}: {:?} beside {:?}", run.state.q, there.q);
        }
    }
}

/// The ledger closes, limits and friction take energy and never give any.
#[test]
fn the_ledger_has_lines_for_limits_and_friction() {
    let model = pendulum(|j| j.limits(0.3, 2.0).restitution(0.5).friction_loss(0.1));
    for name in Method::TREE.map(Method::word) {
        let mut run = Run::new(&model, name, &[1.5], &[0.0]);
        let mut ledger = Ledger::begin(&mut run.system, &run.state);
        for _ in 0..2000 {
            ledger.step(&mut run.system, &mut *run.integrator, &mut run.state, 1e-3).unwrap();
        }
        let total = ledger.total();
        assert!(total.imbalance().abs() < 1e-12 * ledger.scale(), "{name}");
        let (limits, friction) = (total.work(Line::Limits), total.work(Line::Friction));
        assert!(limits < -0.5 && friction < -0.05, "{name}: {limits} {friction}");
        let rest = total.work(Line::Integration).abs();
        let allowed = if STEPPING.contains(&name) { 5e-2 } else { 1e-4 };
        assert!(rest < allowed * ledger.scale(), "{name}: integration {rest}");
    }
}

/// Soft limits are springs.
#[test]
fn soft_limits_yield_and_give_back() {
    let model = slider(2.0, |j| j.limits(-1.0, 1.0).soft_limits(800.0, 0.0));
    for name in ["rkmk4", "midpoint"] {
        let mut run = Run::new(&model, name, &[0.0], &[1.0]);
        let mut deepest = 0.0f64;
        for _ in 0..1500 {
            run.step(1, 1e-3);
            deepest = deepest.max(run.state.q[0] - 1.0);
        }
        // v √(m/k)
        assert!((deepest - 0.05).abs() < 1e-4, "{name}: {deepest}");
        assert!((run.state.v[0] + 1.0).abs() < 2e-3, "{name}: {}", run.state.v[0]);
    }
}

/// A joint that begins beyond its range is put back to its end by the first step, and is not thrown.
#[test]
fn what_begins_beyond_its_range_comes_back_without_speed() {
    let model = slider(2.0, |j| j.limits(-1.0, 1.0).restitution(0.7));
    for name in Method::TREE.map(Method::word) {
        let mut run = Run::new(&model, name, &[1.3], &[0.0]);
        run.step(5, 1e-3);
        assert!(
            (run.state.q[0] - 1.0).abs() < 1e-11 && run.state.v[0].abs() < 1e-11,
            "{name}: {:?}",
            run.state
        );
    }
}

/// What rests on its stop, or is pressed into it by a motor, moves by round-off, which is no gain of energy.
#[test]
fn rest_on_a_stop_is_no_gain_of_energy() {
    for (k, dt) in [1e-3, 2e-3, 5e-3].into_iter().cycle().take(60).enumerate() {
        let mut b = ModelBuilder::new("a ball on a wire");
        let ball = BodySpec::new("ball").solid(&Shape::Sphere { radius: 0.1 }, 1.0).unwrap();
        let ball = b.body(BodyId::WORLD, ball);
        let slide = b.joint(ball, Joint::prismatic(V3::Z).limits(0.0, 2.0));
        b.actuator(Actuator::motor(slide));
        let model = b.build().unwrap();
        let mut system = System::new(&model);
        system.control_mut()[0] = -(k as f64);
        let mut state = State { q: vec![0.3 + 0.01 * k as f64], ..State::new(&model) };
        let mut leapfrog = integrate::by_name("leapfrog", &model).unwrap();
        for _ in 0..(1.0 / dt) as usize {
            system.step(&mut *leapfrog, &mut state, dt).unwrap();
            let report = system.report();
            assert!(report.gained == 0.0, "{k}, t = {}: {:e} J", state.time, report.gained);
        }
        assert!(state.q[0].abs() < 1e-12 && state.v[0].abs() < 1e-9);
    }
}

/// Dry friction that holds a joint at its end lets it drift by round-off between free bodies: no event comes of that.
#[test]
fn friction_at_an_end_makes_no_events_of_round_off() {
    let mut b = ModelBuilder::new("arm");
    let rod = Shape::Capsule { radius: 0.05, length: 0.5 };
    let mut parent = BodyId::WORLD;
    for (name, joint) in [
        ("upper", Joint::revolute(V3::Y).limits(-1.5, 1.5).damping(0.1)),
        ("lower", Joint::revolute(V3::Y).limits(0.0, 2.6).friction_loss(0.2)),
    ] {
        let spec = BodySpec::new(name).at(V3::Z * -0.5).solid_at(&rod, 1.0, Pose::translation(V3::Z * -0.25));
        parent = b.body(parent, spec.unwrap());
        b.joint(parent, joint);
    }
    let model = b.build().unwrap();
    let twin = Maximal::of(&model).unwrap();
    let start = State { q: vec![1.4, 0.5], ..State::new(&model) };
    for name in ["rkmk4", "midpoint"] {
        let mut integrator = integrate::by_name(name, twin.model()).unwrap();
        let (mut system, mut state) = (System::new(twin.model()), twin.state(&start));
        for step in 0..2500 {
            system.step(&mut *integrator, &mut state, 2e-3).unwrap();
            assert!(!system.report().accumulated, "{name}, step {step}");
        }
    }
}
