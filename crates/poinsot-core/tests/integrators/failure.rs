//! When a step cannot be made, the state stays and the message says where.

use super::*;
use poinsot_core::integrate::{Method, StepError};
use poinsot_core::model::{BodyId, BodySpec, ModelBuilder};

fn bits(state: &State) -> Vec<u64> {
    state.q.iter().chain(&state.v).chain([&state.time]).map(|x| x.to_bits()).collect()
}

/// Makes a step that must fail; the state must stay and the message name `joint`.
fn must_fail(model: &Model, state: &State, method: &str, dt: f64, joint: &str) {
    let mut after = state.clone();
    let mut stepper = integrate::by_name(method, model).unwrap();
    let error = stepper.step(&mut System::new(model), &mut after, dt).unwrap_err();
    assert_eq!(bits(&after), bits(state), "{method}: the state is as it was");
    let message = error.to_string();
    assert!(message.contains(&format!("\"{joint}\"")), "{method}: {message}");
}

fn tumbling() -> Model {
    let mut b = ModelBuilder::new("two bodies");
    for name in ["first", "second"] {
        let spec = BodySpec::new(name).solid(&Shape::Box { size: V3::new(1.0, 2.0, 3.0) }, 1.0).unwrap();
        let body = b.body(BodyId::WORLD, spec);
        b.joint(body, Joint::free().named(format!("{name} joint")));
    }
    b.build().unwrap()
}

#[test]
fn a_number_that_is_not_one_is_found() {
    let model = tumbling();
    for method in Method::ALL.map(Method::word) {
        for k in [6, 10] {
            let mut state = start(&model);
            state.v[k] = f64::NAN;
            must_fail(&model, &state, method, 0.01, "second joint");
        }
        let mut state = start(&model);
        state.q[8] = f64::INFINITY;
        must_fail(&model, &state, method, 0.01, "second joint");
    }
    let model = damped().build();
    for method in TREE_METHODS {
        let mut state = start(&model);
        state.q[0] = f64::NAN;
        must_fail(&model, &state, method, 0.01, &model.joints()[0].name);
    }
}

#[test]
fn an_absurd_step_fails_or_gives_numbers() {
    for model in [double_pendulum().build(), ball_chain().build(), damped().build(), tumbling()] {
        for method in Method::ALL.map(Method::word) {
            let Ok(mut stepper) = integrate::by_name(method, &model) else { continue };
            for dt in [1e300, 1e9, f64::NAN, f64::INFINITY] {
                if method == "adaptive" && dt.is_finite() {
                    continue; // it would go all the way
                }
                let mut state = start(&model);
                let before = bits(&state);
                match stepper.step(&mut System::new(&model), &mut state, dt) {
                    Err(_) => assert_eq!(bits(&state), before, "{method} at {dt}"),
                    Ok(()) => assert_eq!(state.first_not_finite(&model), None, "{method} at {dt}"),
                }
                assert!(state.time.is_finite(), "{method} at {dt}");
            }
        }
    }
}

#[test]
fn midpoint_says_where_it_did_not_converge() {
    let model = double_pendulum().build();
    let mut state = start(&model);
    state.v = vec![30.0, -50.0];
    let before = bits(&state);
    let mut midpoint = integrate::by_name("midpoint", &model).unwrap();
    let error = midpoint.step(&mut System::new(&model), &mut state, 10.0).unwrap_err();
    assert!(matches!(error, StepError::NotConverged { .. }), "{error}");
    assert!(error.to_string().contains("_joint\""), "{error}");
    assert_eq!(bits(&state), before);
}

#[test]
fn adaptive_says_where_it_is_too_stiff() {
    struct Jump;
    impl integrate::ForceElement for Jump {
        fn add_forces(&self, _: &Model, time: f64, _: &[f64], _: &[f64], tau: &mut [f64]) {
            // too fast for any step
            tau[1] += 1e6 * libm::sin(1e18 * time);
        }
    }
    let model = double_pendulum().build();
    let (mut system, mut state) = (System::new(&model), start(&model));
    system.push(Jump);
    let before = bits(&state);
    let outcome = integrate::by_name("adaptive", &model).unwrap().step(&mut system, &mut state, 0.5);
    let message = outcome.unwrap_err().to_string();
    assert!(message.contains("_joint\"") && message.contains("implicit"), "{message}");
    assert_eq!(bits(&state), before);
}

/// A step of eleven days is refused after a while, and not worked on for ever.
#[test]
fn adaptive_has_a_limit_of_work() {
    let model = double_pendulum().build();
    let (mut system, mut state) = (System::new(&model), start(&model));
    let before = bits(&state);
    let mut adaptive = integrate::by_name("adaptive", &model).unwrap();
    let outcome = adaptive.step(&mut system, &mut state, 1e6);
    assert!(matches!(outcome, Err(StepError::TooMuchWork { .. })), "{outcome:?}");
    assert_eq!(bits(&state), before);
}

/// After a failure the same integrator goes on from a good state as if nothing had been.
#[test]
fn a_failed_step_leaves_no_trace() {
    let model = tumbling();
    for method in Method::ALL.map(Method::word) {
        let good = start(&model);
        let mut bad = good.clone();
        bad.v[0] = f64::NAN;
        let (mut system, mut stepper) = (System::new(&model), integrate::by_name(method, &model).unwrap());
        let mut state = good.clone();
        assert!(stepper.step(&mut system, &mut bad, 0.01).is_err());
        stepper.step(&mut system, &mut state, 0.01).unwrap();
        assert_eq!(bits(&state), bits(&after(&model, &good, method, 0.01, 1)), "{method}");
    }
}
