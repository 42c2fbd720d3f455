//! A free planar chain: energy and momentum over 10 s, after the tests of T. Erez, Y. Tassa and E. Todorov (2015).

use crate::course::Course;
use crate::entry::{Ledger, Worst};
use poinsot_core::algebra::{Sym3, V3};
use poinsot_core::dynamics::State;
use poinsot_core::model::{BodyId, BodySpec, Joint, Model, ModelBuilder};
use poinsot_core::spatial::Inertia;

const LINK: f64 = 0.3;

fn chain() -> Model {
    let mut b = ModelBuilder::new("planar chain");
    b.gravity(V3::ZERO);
    let own = Inertia::new(1.0, V3::X * (0.5 * LINK), Sym3::diagonal(1e-3, 0.0078, 0.0078)).unwrap();
    let mut parent = BodyId::WORLD;
    for k in 0..5 {
        let at = if k == 0 { V3::ZERO } else { V3::X * LINK };
        let link = b.body(parent, BodySpec::new(format!("link {k}")).at(at).inertia(own));
        if k == 0 {
            b.joint(link, Joint::prismatic(V3::X).named("x"));
            b.joint(link, Joint::prismatic(V3::Z).named("z"));
        }
        b.joint(link, Joint::revolute(V3::Y).named(format!("hinge {k}")));
        parent = link;
    }
    b.build().unwrap()
}

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Energy and momentum of a free planar chain");
    ledger.problem(
        "mujoco_planar_chain",
        "invariants to 12 digits; MuJoCo 4.0.0 over 10 s: `rkmk4` is its RK4 here, to the digits it lists; the others keep within its \
         Euler's energy (10, 5, 1 ms: 5.5e-3, 2.2e-3, 6.2e-4) and momentum (0.2, 0.12, 0.02), but `leapfrog` at 10 ms, which \
         loses up to 1e-2 of the energy",
    );
    let model = chain();
    let start = State {
        q: vec![0.0, 0.0, 0.0, 0.4, -0.6, 0.5, -0.3],
        v: vec![0.2, -0.1, 1.0, -2.0, 3.0, -1.0, 2.0],
        ..State::new(&model)
    };
    let mut invariants = Worst::default();
    let energy = 1.8908026003371707;
    let momentum = [1.573909162619072, 0.0, -3.2328872431653553];
    let mut course = Course::new(&model, &start, "rkmk4");
    let at = course.at();
    invariants.absolute(&[at.kinetic_energy()], &[energy]);
    invariants.absolute(&at.momentum().force.array(), &momentum);
    invariants.absolute(&[at.momentum().moment.y], &[3.1224105493981473]);
    ledger.error("initial kinetic energy and momenta", invariants.0, 1e-12);
    let drift = |method: &str, steps: u32| {
        let mut course = Course::new(&model, &start, method);
        course.to(10.0, steps);
        let at = course.at();
        let linear = at.momentum().force - V3::from(momentum);
        [
            (at.kinetic_energy() / energy - 1.0).abs(),
            linear.array().into_iter().fold(0.0, |m, x| x.abs().max(m)),
        ]
    };
    let [off, linear] = drift("rkmk4", 1000);
    let mut same = Worst::default();
    same.relative(&[off, linear], &[1.4266090941905674e-7, 1.912523407421318e-6]);
    ledger.error(
        "`rkmk4` at 10 ms: energy and momentum lost, compared with MuJoCo's RK4, relative",
        same.0,
        1e-3,
    );
    for (method, steps, [most_energy, most_linear]) in [
        ("midpoint", 1000, [5.5e-3, 1e-11]),
        ("leapfrog", 1000, [1e-2, 0.2]),
        ("leapfrog", 2000, [2.2e-3, 0.12]),
        ("leapfrog", 10_000, [6.2e-4, 0.02]),
    ] {
        let ms = 10_000 / steps;
        let [off, linear] = drift(method, steps);
        ledger.error(format!("`{method}` at {ms} ms: energy, relative"), off, most_energy);
        ledger.error(format!("`{method}` at {ms} ms: linear momentum, N s"), linear, most_linear);
    }
}
