//! Mechanism benchmarks of the multibody community: loops that pass singular positions, a stiff governor.

use crate::course::Course;
use crate::entry::{Ledger, Worst};
use crate::read::{number, numbers, read, source, states};
use poinsot::scenes::{self, Scene};
use poinsot_core::algebra::V3;
use poinsot_core::dynamics::{At, State};

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Mechanisms");
    crate::squeezer::enter(ledger);
    n_four_bar(ledger);
    more_four_bars(ledger);
    governor(ledger);
    crate::bicycle::enter(ledger);
}

/// The tip of the first upright.
fn tip(scene: &Scene, at: &At) -> (V3, V3) {
    let upright = scene.model.body("upright0").unwrap();
    let point = at.pose(upright).point(V3::Z);
    (point, at.velocity_at(upright, point).lin)
}

/// With N = 2. `adaptive` cannot pass the singular positions: no step is smooth enough there.
fn n_four_bar(ledger: &mut Ledger) {
    let file = read("n_four_bar_2");
    let scene = scenes::by_name("n-four-bar:2").unwrap();
    let digits = file["digits"].as_str().unwrap();
    ledger.problem(
        "n_four_bar_2",
        format!(
            "{}. {digits} digits; `rkmk4` at 1 ms leaves some 1e-10, in spite of ten singular positions on the way; the \
             library asks for an energy drift below 0.1 J",
            source(&file)
        ),
    );
    let mut course = Course::of_scene(&scene, "rkmk4");
    let expected = &file["reference"];
    let energy = course.energy();
    let whole = number(&expected["total_energy_zero_at_ground"]);
    ledger.error("energy at the start, relative", (energy / whole - 1.0).abs(), 1e-14);
    let (mut angles, mut rates, mut tips) = (Worst::default(), Worst::default(), Worst::default());
    let mut closure = 0.0f64;
    for s in states(&file) {
        let t = number(&s["t"]);
        let steps = ((t - course.state.time) / 1e-3).round() as u32;
        let state = course.to(t, steps).clone();
        angles.absolute(&state.q[..3], &[number(&s["theta"]); 3]);
        rates.relative(&state.v[..3], &[number(&s["theta_dot"]); 3]);
        let (place, velocity) = tip(&scene, &course.at());
        tips.absolute(&[place.x, place.z], &numbers(&s["B0_xy"]));
        tips.absolute(&[velocity.x, velocity.z], &numbers(&s["B0_velocity_xy"]));
        closure = closure.max(course.violation());
    }
    ledger.error("`rkmk4`: angles of all uprights up to 10 s, 1 ms", angles.0, 1e-9);
    ledger.error("`rkmk4`: rates of all uprights, relative", rates.0, 1e-9);
    ledger.error("`rkmk4`: position and velocity of the tip", tips.0, 1e-8);
    ledger.error("`rkmk4`: energy drift, J", (course.energy() - energy).abs(), 1e-9);
    ledger.error("`rkmk4`: gap of the loops, m", closure, 1e-10);
    let height = |at: &At| tip(&scene, at).0.z;
    let mut passages = Worst::default();
    for (t, before) in numbers(&expected["first_two_singular_passages"]).into_iter().zip([0.7, 1.2]) {
        let mut course = Course::of_scene(&scene, "rkmk4");
        course.to(before, (before / 1e-3).round() as u32);
        passages.absolute(&[course.next_zero(1e-3, height)], &[t]);
    }
    ledger.error("`rkmk4`: times of the first two singular positions, s", passages.0, 1e-10);
    let last = number(&states(&file)[4]["theta"]);
    let error = |n| (Course::of_scene(&scene, "midpoint").to(10.0, n).q[0] - last).abs();
    ledger.order("`midpoint`: order, through all singular positions", [2000, 4000].map(error), 2);
}

/// Longer rows have no listed states; as one body they are a pendulum, and their energy and loops tell.
fn more_four_bars(ledger: &mut Ledger) {
    ledger.problem(
        "n-four-bar",
        "the library's demand of the original with N = 40: 0.1 J; loops: the project's 1e-10 m",
    );
    for (n, time, dt) in [(5, 10.0, 2e-3), (40, 2.0, 4e-3)] {
        let scene = scenes::by_name(&format!("n-four-bar:{n}")).unwrap();
        let mut course = Course::of_scene(&scene, "midpoint");
        let energy = course.energy();
        let (mut drift, mut closure, mut apart) = (0.0f64, 0.0f64, 0.0f64);
        for k in 1..=20 {
            let state = course.to(time * f64::from(k) / 20.0, (time / dt / 20.0).round() as u32).clone();
            drift = drift.max((course.energy() - energy).abs());
            closure = closure.max(course.violation());
            let off = state.q[1..=n].iter().map(|q| (q - state.q[0]).abs()).fold(0.0, f64::max);
            apart = apart.max(off);
        }
        ledger.error(format!("N = {n}, `midpoint`, {dt} s, {time} s: energy, J"), drift, 0.1);
        ledger.error(format!("N = {n}: gap of the loops, m"), closure, 1e-10);
        ledger.error(format!("N = {n}: uprights parallel, rad"), apart, 1e-9);
    }
}

/// Its coordinates are the angle of the shaft, the height of the slider and the angles of the rods.
fn governor(ledger: &mut Ledger) {
    let file = read("flyball_governor");
    let scene = scenes::by_name("governor").unwrap();
    let digits = file["digits"].as_str().unwrap();
    ledger.problem(
        "flyball_governor",
        format!(
            "{}. {digits} digits. Rates up to 1e5 /s: `adaptive` is explicit and takes many small steps, `midpoint` and \
             `implicit` need not",
            source(&file)
        ),
    );
    let expected = &file["reference"];
    let mut course = Course::of_scene(&scene, "adaptive");
    let spin = number(&expected["Lz"]);
    let turning = |course: &mut Course| course.at().momentum().moment.z / spin - 1.0;
    ledger.error("angular momentum at the start, relative", turning(&mut course).abs(), 1e-12);
    let (mut places, mut rates) = (Worst::default(), Worst::default());
    let listed = |s: &serde_json::Value, names: [&str; 3]| {
        let [shaft, slider, rod] = names.map(|n| number(&s[n]));
        [shaft, slider, rod, rod]
    };
    for s in states(&file) {
        let t = number(&s["t"]);
        let state = course.to(t, 1).clone();
        places.absolute(&state.q, &listed(s, ["shaft_angle", "s", "alpha"]));
        rates.absolute(&state.v, &listed(s, ["omega", "s_dot", "alpha_dot"]));
    }
    ledger.error("`adaptive`: shaft, slider and rods up to 10 s", places.0, 1e-9);
    ledger.error("`adaptive`: their rates", rates.0, 1e-9);
    ledger.error("`adaptive`: angular momentum drift, relative", turning(&mut course).abs(), 1e-10);

    let steady = &expected["steady_state_if_damped"];
    let [s, alpha, omega] = ["s", "alpha", "omega"].map(|n| number(&steady[n]));
    let at =
        State { q: vec![0.0, s, alpha, alpha], v: vec![omega, 0.0, 0.0, 0.0], ..State::new(&scene.model) };
    let a = Course::new(&scene.model, &at, "implicit").acceleration();
    ledger.error("acceleration in the steady state", crate::common::size(&a), 1e-7);

    let last = &states(&file)[4];
    let [shaft, height] = ["shaft_angle", "s"].map(|n| number(&last[n]));
    let slider = |n| (Course::of_scene(&scene, "midpoint").to(10.0, n).q[1] - height).abs();
    ledger.order("`midpoint` at 1 ms: order, in the slider at 10 s", [10_000, 20_000].map(slider), 2);
    let angle = |n| (Course::of_scene(&scene, "implicit").to(10.0, n).q[0] - shaft).abs();
    ledger.order("`implicit` at 1 ms: order, in the angle at 10 s", [10_000, 20_000].map(angle), 1);
}
