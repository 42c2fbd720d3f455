//! Stiff springs and dampers.

use super::*;

/// Joints far stiffer than the step can resolve.
fn stiff(gravity: V3) -> Sketch {
    let hard = |joint: Joint| joint.spring(1e9, 0.0).damping(1e6);
    let joints = vec![
        hard(Joint::revolute(V3::Y)),
        hard(Joint::prismatic(V3::X)),
        hard(Joint::universal(V3::X, V3::Y)),
        hard(Joint::revolute(V3::Z)),
    ];
    chain("stiff chain", gravity, joints)
}

#[test]
fn implicit_is_stable_and_never_gains_energy() {
    for gravity in [V3::ZERO, V3::Z * -9.81] {
        let model = stiff(gravity).build();
        let (mut system, mut state) = (System::new(&model), start(&model));
        let mut method = integrate::by_name("implicit", &model).unwrap();
        let mut before = system.energy(&state);
        let scale = before.abs();
        for _ in 0..600 {
            method.step(&mut system, &mut state, 1.0 / 60.0).unwrap();
            let now = system.energy(&state);
            assert!(now <= before + 1e-14 * scale, "gained {:e} at {} s", now - before, state.time);
            before = now;
        }
        // all but the sag under gravity has gone
        assert!(common::size(&state.q) < 1e-6 && common::size(&state.v) < 1e-6, "{state:?}");
    }
}

#[test]
fn springs_on_balls_settle_too() {
    let joint = || Joint::spherical().spring(1e9, 0.0).damping(1e6);
    let model = chain("stiff balls", V3::Z * -9.81, vec![joint(), joint(), joint()]).build();
    let (mut system, mut state) = (System::new(&model), start(&model));
    let before = system.energy(&state);
    let mut method = integrate::by_name("implicit", &model).unwrap();
    advance(&mut system, &mut *method, &mut state, 1.0 / 60.0, 600);
    assert!(system.energy(&state) < before && common::size(&state.v) < 1e-6, "{state:?}");
}

/// x'' = −k x − d x', against its solution.
#[test]
fn adaptive_follows_a_stiff_spring() {
    for (k, d) in [(1e4, 10.0), (1e6, 50.0), (1e4, 0.0)] {
        let mut sketch = chain("spring", V3::ZERO, vec![Joint::prismatic(V3::X).spring(k, 0.0).damping(d)]);
        sketch.bodies[0].inertia = Shape::Sphere { radius: 0.1 }.inertia(1.0).unwrap();
        let model = sketch.build();
        let start = State { q: vec![1.0], ..State::new(&model) };
        let t = 0.5;
        let end = after(&model, &start, "adaptive", t, 1);
        let (decay, w) = (0.5 * d, (k - 0.25 * d * d).sqrt());
        let (c, s) = (libm::cos(w * t), libm::sin(w * t));
        let x = libm::exp(-decay * t) * (c + decay / w * s);
        let error = (end.q[0] - x).abs();
        println!("k = {k:e}, d = {d}: error {error:.1e}");
        assert!(error <= 1e-11);
    }
}
