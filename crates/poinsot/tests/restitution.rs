//! Collisions give no energy, whatever e and μ are, and keep momentum; Poisson's law compared with its two phases by hand.
#![allow(clippy::unwrap_used)]

mod random;

use poinsot::algebra::Sym3;
use poinsot::collide::{Contacts, Scene, body_poses};
use poinsot::constraint::Restitution;
use poinsot::dynamics::Workspace;
use poinsot::integrate::Fallback;
use poinsot::prelude::*;
use poinsot::spatial::{Inertia, Pose};
use random::Random;

const BRIEF: f64 = 1e-8;

/// What strikes the floor.
#[derive(Clone, Copy, Debug)]
enum Subject {
    Body,
    Pendulum,
    Chain,
    FlatBox,
    Stack,
}

/// A model whose floor is at the height z, and with it everything at random but what `random` gave before.
fn subject(kind: Subject, mut r: Random, z: f64) -> Model {
    let mut b = ModelBuilder::new("collision");
    b.gravity(V3::ZERO);
    let mut material = || Material {
        restitution: if r.below(5) == 0 { [0.0, 1.0][r.below(2)] } else { r.within(0.0, 1.0) },
        ..Material::with_friction(if r.below(6) == 0 { 0.0 } else { r.within(0.0, 1.5) })
    };
    // one surface decides, so that e and μ are all there may be
    let floor = Material { priority: 1, ..material() };
    let others = [material(), material(), material()];
    let plane = Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor");
    b.geom(BodyId::WORLD, plane.pose(Pose::translation(V3::Z * z)).material(floor));
    let geom = |shape: Shape, k: usize| Geom::new(shape).material(others[k]);
    match kind {
        Subject::Body => {
            let spec = BodySpec::new("body").pose(Pose { rot: r.rotation(), pos: V3::Z });
            let body = b.body(BodyId::WORLD, spec.solid_geom(geom(r.shape(), 0), r.mass()).unwrap());
            b.joint(body, Joint::free());
        }
        Subject::FlatBox | Subject::Stack => {
            let cube = |size: f64| Shape::Box { size: V3::new(size, 0.7 * size, 0.2) };
            let count = if matches!(kind, Subject::Stack) { 3 } else { 1 };
            for k in 0..count {
                let spec = BodySpec::new(format!("b{k}")).at(V3::Z * (1.0 + 0.2 * k as f64));
                let size = r.within(0.2, 0.6);
                let body = b.body(BodyId::WORLD, spec.solid_geom(geom(cube(size), k), r.mass()).unwrap());
                b.joint(body, Joint::free());
            }
        }
        Subject::Pendulum | Subject::Chain => {
            let mut parent = BodyId::WORLD;
            for k in 0..if matches!(kind, Subject::Chain) { 3 } else { 1 } {
                let spec = BodySpec::new(format!("link {k}")).at(V3::Z * if k == 0 { 2.0 } else { -0.6 });
                let rod = Shape::Capsule { radius: 0.05, length: 0.5 };
                let body = b.body(parent, spec.solid_geom(geom(rod, k), r.mass()).unwrap());
                b.joint(body, Joint::revolute(r.unit()).anchor(V3::Z * 0.3));
                parent = body;
            }
        }
    }
    b.build().unwrap()
}

/// How far the lowest point is above the floor.
fn height(model: &Model, state: &State) -> Option<f64> {
    let (mut ws, mut poses, mut found) = (Workspace::new(model), Vec::new(), Contacts::new());
    body_poses(model, &ws.at(model, state), &mut poses);
    Scene::new(model).unwrap().detect(&poses, 100.0, &mut found).unwrap();
    let floor = model.geom("floor").unwrap();
    let on_floor = found.iter().filter(|c| c.key.geoms.contains(&floor)).map(|c| c.gap);
    on_floor.min_by(f64::total_cmp)
}

/// Kinetic energy before and after a collision, whether it was bounded, and whether its impulses were found.
struct Struck {
    before: f64,
    after: f64,
    bounded: bool,
    solved: bool,
}

/// One collision; none where nothing touched.
fn collide(kind: Subject, seed: u64, method: Method, contact: &str) -> Option<Struck> {
    let mut r = Random(seed);
    let shape = Random(r.next());
    let model = subject(kind, shape.clone(), 0.0);
    let mut state = State::new(&model);
    for q in state.q.iter_mut().filter(|_| matches!(kind, Subject::Chain | Subject::Pendulum)) {
        *q = r.within(-1.5, 1.5);
    }
    for v in &mut state.v {
        *v = r.within(-3.0, 3.0);
    }
    if !matches!(kind, Subject::Chain | Subject::Pendulum) {
        state.v[2] -= 4.0;
    }
    let model = subject(kind, shape, height(&model, &state)? - 0.1 * BRIEF);
    let builder = Simulation::builder(&model).state(state).integrator(method).dt(BRIEF);
    let mut s = builder.contact(contact.parse::<Contact>().unwrap()).build().unwrap();
    let before = s.energies().0;
    s.step().unwrap();
    let struck = s.report().contacts.iter().any(|c| c.impulse != V3::ZERO);
    let (after, steps) = (s.energies().0, |fallback| s.tally().steps(fallback));
    let (bounded, solved) = (steps(Fallback::Bounded) > 0, steps(Fallback::Contact) == 0);
    struck.then_some(Struck { before, after, bounded, solved })
}

/// No collision gives kinetic energy, by no law and in no way of stepping; Newton's would in some, and says so.
#[test]
fn collisions_give_no_energy() {
    let kinds = [Subject::Body, Subject::Pendulum, Subject::Chain, Subject::FlatBox, Subject::Stack];
    let ways = [
        (Method::Leapfrog, "exact"),
        (Method::Leapfrog, "exact/poisson"),
        (Method::Leapfrog, "impulse"),
        (Method::Leapfrog, "impulse/poisson"),
        (Method::Leapfrog, "exact/discrete"),
        (Method::SemiImplicit, "exact/discrete/poisson"),
        (Method::Implicit, "exact"),
        (Method::SemiImplicit, "exact/discrete"),
    ];
    for (w, (method, contact)) in ways.into_iter().enumerate() {
        let (mut struck, mut bounded, mut unsolved, mut worst) = (0, 0, 0, f64::NEG_INFINITY);
        for (k, kind) in kinds.into_iter().enumerate() {
            for seed in 0..100 {
                let seed = 1_000_000 * w as u64 + 10_000 * k as u64 + seed;
                let Some(Struck { before, after, bounded: less, solved }) =
                    collide(kind, seed, method, contact)
                else {
                    continue;
                };
                let gain = (after - before) / before;
                struck += 1;
                unsolved += usize::from(!solved);
                bounded += usize::from(less);
                // within a step that ends later M is that of its beginning: an error of the order of the step
                let off = if contact.contains("discrete") { 10.0 * BRIEF } else { 1e-12 };
                if solved {
                    assert!(gain < off, "{contact} {method} {kind:?} {seed}: {before} J → {after} J, {less}");
                    worst = worst.max(gain);
                }
            }
        }
        println!(
            "{contact} {method}: {struck} collisions, {bounded} bounded, {unsolved} not solved, worst gain {worst:.1e}"
        );
        // stacks of masses 1 : 10⁴ that strike with twelve contacts at once
        assert!(unsolved * 20 < struck, "{contact}: {unsolved} of {struck}");
        assert!(struck > 300);
    }
}

/// Two free bodies keep momentum and angular momentum, and give no energy.
#[test]
fn two_bodies_keep_momentum() {
    let mut struck = 0;
    for seed in 0..600 {
        let mut r = Random(77 + seed);
        let mut b = ModelBuilder::new("two bodies");
        b.gravity(V3::ZERO);
        let (e, mu) = (r.within(0.0, 1.0), r.within(0.0, 1.0));
        for (k, x) in [0.0, 2.0].into_iter().enumerate() {
            let material = Material { restitution: e, ..Material::with_friction(mu) };
            let spec = BodySpec::new(format!("b{k}")).pose(Pose { rot: r.rotation(), pos: V3::X * x });
            let geom = Geom::new(r.shape()).named(format!("g{k}")).material(material);
            let body = b.body(BodyId::WORLD, spec.solid_geom(geom, r.mass()).unwrap());
            b.joint(body, Joint::free());
        }
        let model = b.build().unwrap();
        let mut state = State::new(&model);
        state.v.iter_mut().for_each(|v| *v = r.within(-2.0, 2.0));
        [1, 2, 7, 8].into_iter().for_each(|k| state.v[k] *= 0.1);
        (state.v[0], state.v[6]) = (3.0, -3.0);
        let contact = if seed % 2 == 0 { "exact" } else { "exact/poisson" };
        let builder = Simulation::builder(&model).state(state).integrator(Method::Leapfrog).ledger(true);
        let mut s = builder.contact(contact.parse::<Contact>().unwrap()).dt(0.01).build().unwrap();
        let before = s.at().momentum();
        let size = before.moment.norm() + before.force.norm() + s.at().kinetic_energy() / 3.0;
        while s.state().time < 0.6 && s.report().collisions.is_empty() {
            s.step().unwrap();
        }
        struck += usize::from(!s.report().collisions.is_empty());
        // leapfrog turns bodies with an error of its own, which is not that of the collision
        let (off, given) = (s.at().momentum() - before, s.report().impact);
        assert!(off.force.norm() < 1e-12 * size, "{seed}: {off:?} of {size}");
        assert!(given.moment.norm().max(given.force.norm()) < 1e-12 * size, "{seed}: {given:?} of {size}");
        let works = s.report().contact_work + s.report().friction_work;
        assert!(works <= 1e-10 * size, "{seed}: {works}");
    }
    assert!(struck > 300, "{struck}");
}

/// A planar contact by cases: the impulse (N, T) that leaves u_N = `rate` or more, with Coulomb's friction, from the velocity u.
fn planar(g: [[f64; 2]; 2], u: [f64; 2], mu: f64, least: f64, target: Option<f64>) -> [f64; 2] {
    let along = |p: [f64; 2], k: usize| u[k] + g[k][0] * p[0] + g[k][1] * p[1];
    let normal = |t_of_n: f64, t: f64| match target {
        None => (-(u[0] + g[0][1] * t)) / (g[0][0] + g[0][1] * t_of_n),
        Some(n) => n,
    };
    // sticking
    let stuck = match target {
        None => {
            let det = g[0][0] * g[1][1] - g[0][1] * g[1][0];
            [(-u[0] * g[1][1] + u[1] * g[0][1]) / det, (-u[1] * g[0][0] + u[0] * g[1][0]) / det]
        }
        Some(n) => [n, -(u[1] + g[1][0] * n) / g[1][1]],
    };
    if stuck[1].abs() <= mu * stuck[0] && stuck[0] >= least {
        return stuck;
    }
    for side in [1.0, -1.0] {
        let n = normal(side * mu, 0.0);
        let p = [n, side * mu * n];
        if n >= least && along(p, 1) * side <= 1e-12 {
            return p;
        }
    }
    panic!("no case: {u:?}");
}

/// A rod strikes the floor with its end: Poisson's law by hand, and Newton's, which would give energy, gives way to it.
#[test]
fn a_rod_by_poissons_law() {
    let (length, mass, e) = (1.0, 1.0, 0.9);
    let mut newton_gave = 0;
    for (angle, mu, speed) in [
        (0.4, 0.2, 0.0),
        (0.8, 0.6, -1.0),
        (0.6, 0.3, 1.0),
        (0.8, 0.5, 1.0),
        (1.0, 0.3, 2.0),
        (1.1, 0.9, 0.5),
        (0.7, 0.5, -3.0),
    ] {
        let mut b = ModelBuilder::new("rod");
        b.gravity(V3::ZERO);
        let material = Material { restitution: e, ..Material::with_friction(mu) };
        b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).material(material));
        let tip = Geom::new(Shape::Sphere { radius: 1e-9 }).material(material);
        let arm = V3::new(-0.5 * length * f64::cos(angle), 0.0, -0.5 * length * f64::sin(angle));
        let inertia = mass * length * length / 12.0;
        let spec = BodySpec::new("rod")
            .at(-arm + V3::Z * 1e-9)
            .inertia(Inertia::new(mass, V3::ZERO, Sym3::diagonal(inertia, inertia, inertia)).unwrap());
        let rod = b.body(BodyId::WORLD, spec);
        b.geom(rod, tip.pose(Pose::translation(arm)));
        b.joint(rod, Joint::free());
        let model = b.build().unwrap();
        let v = vec![speed, 0.0, -2.0, 0.0, 0.0, 0.0];
        // u = v + ω × r, normal z, tangent x
        let (x, z) = (arm.x, arm.z);
        let g = [
            [1.0 / mass + x * x / inertia, -x * z / inertia],
            [-x * z / inertia, 1.0 / mass + z * z / inertia],
        ];
        let u = [-2.0, speed];
        let times = |p: [f64; 2]| [g[0][0] * p[0] + g[0][1] * p[1], g[1][0] * p[0] + g[1][1] * p[1]];
        let first = planar(g, u, mu, 0.0, None);
        let du = times(first);
        let compressed = [u[0] + du[0], u[1] + du[1]];
        let second = planar(g, compressed, mu, 0.0, Some(e * first[0]));
        let exact = [first[0] + second[0], first[1] + second[1]];
        for contact in ["exact/poisson", "impulse/poisson", "exact"] {
            let state = State { v: v.clone(), ..State::new(&model) };
            let builder = Simulation::builder(&model).state(state).integrator(Method::Leapfrog);
            let mut s = builder.contact(contact.parse::<Contact>().unwrap()).dt(1e-12).build().unwrap();
            s.step().unwrap();
            let found = s.report().collisions[0].impulse;
            let bounded = s.report().bounded > 0;
            newton_gave += usize::from(contact == "exact" && bounded);
            if contact != "exact" || bounded {
                let off = (found.z - exact[0]).abs() + (found.x - exact[1]).abs();
                // the tip has a radius of 1e-9 m
                assert!(off < 1e-8, "{contact} {angle} {mu}: {found:?} {exact:?}");
            } else {
                let after = s.report().collisions[0].velocity[1].z;
                assert!((after - e * 2.0).abs() < 1e-9, "{angle} {mu}: {after}");
            }
        }
    }
    // 0.6, 0.8 and 1.0 rad: by hand Newton's law gives 0.03, 0.20 and 0.13 J
    assert!(newton_gave >= 3, "{newton_gave}");
    assert_eq!("poisson".parse(), Ok(Restitution::Poisson));
}
