//! Many free bodies: eight at a time, with the bits of one at a time, in memory that grows with their number.

use poinsot_core::algebra::{Sym3, V3};
use poinsot_core::dynamics::{ExternalForces, GenericWorkspace, State, Workspace};
use poinsot_core::model::{BodyId, BodySpec, Joint, Model, ModelBuilder};
use poinsot_core::spatial::{Force, Inertia, Pose, exp_so3};

/// Free bodies among pendulums, some of them on a crooked table, some with a body hinged to them. No two are alike.
fn crowd(bodies: usize) -> Model {
    let mut b = ModelBuilder::new("crowd");
    let crooked = Pose { rot: exp_so3(V3::new(0.3, -0.7, 0.2)), pos: V3::new(1.0, -2.0, 0.5) };
    let table = b.body(BodyId::WORLD, BodySpec::new("table").pose(crooked));
    for k in 0..bodies {
        let x = k as f64;
        let inertia = Inertia::new(
            1.0 + 0.1 * x,
            V3::new(0.01 * x, -0.2, 0.03),
            Sym3::diagonal(1.0, 1.2 + 0.001 * x, 0.9),
        )
        .unwrap();
        let parent = if (20..40).contains(&k) { table } else { BodyId::WORLD };
        let id = b.body(parent, BodySpec::new(format!("body{k}")).inertia(inertia));
        match k {
            11 => b.joint(id, Joint::revolute(V3::X)),
            _ => b.joint(id, Joint::free()),
        };
        if k == 30 {
            let arm = b.body(id, BodySpec::new("arm").at(V3::X).inertia(inertia));
            b.joint(arm, Joint::revolute(V3::Y));
        }
    }
    b.build().unwrap()
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn eight_at_a_time_have_the_bits_of_one_at_a_time() {
    let model = crowd(70);
    let (q, v, tau) = (model.random_configuration(1), model.random_velocity(2), model.random_velocity(3));
    let (mut together, mut alone) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
    Workspace::new(&model).forward_dynamics(&model, &q, &v, &tau, &mut together);
    GenericWorkspace::<f64>::new(&model).forward_dynamics(&model, &q, &v, &tau, &mut alone);
    assert_eq!(bits(&together), bits(&alone));
}

#[test]
fn forces_from_outside_and_rotors_reach_them() {
    let model = crowd(70);
    let (q, v, tau) = (model.random_configuration(1), model.random_velocity(2), model.random_velocity(3));
    let (mut workspace, mut forces) = (Workspace::new(&model), ExternalForces::new(&model));
    let state = State { q: q.clone(), v: v.clone(), ..State::new(&model) };
    let at = workspace.at(&model, &state);
    for (k, body) in model.body_ids().enumerate().skip(2) {
        let x = k as f64;
        forces.push(&at, body, Force { moment: V3::new(x, -1.0, 0.3), force: V3::new(2.0, 0.1 * x, -x) });
    }
    let mut with = |diagonal: Option<&[f64]>| {
        let mut a = vec![0.0; model.nv()];
        workspace.forward_dynamics_with(&model, &q, &v, &tau, diagonal, Some(&forces), &mut a);
        a
    };
    let together = with(None);
    let mut diagonal = vec![0.0; model.nv()];
    assert_eq!(bits(&together), bits(&with(Some(&diagonal))));
    // a rotor in one of them: all are taken one at a time, and the others do not feel it
    let last = model.joints().last().unwrap().dofs();
    diagonal[last.start] = 0.5;
    let alone = with(Some(&diagonal));
    assert_eq!(bits(&together[..last.start]), bits(&alone[..last.start]));
    assert_ne!(together[last.start], alone[last.start]);
    // what the accelerations ask for is what acts
    let mut asked = vec![0.0; model.nv()];
    workspace.inverse_dynamics_with(&model, &q, &v, &together, Some(&forces), &mut asked);
    let worst = asked.iter().zip(&tau).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-11, "{worst:e}");
}

#[test]
fn attitudes_turn_together_as_alone() {
    let (many, one) = (crowd(70), crowd(1));
    let (mut q, v) = (many.random_configuration(4), many.random_velocity(5));
    // one turns far, some hardly, some not at all
    let scale = |k: usize| [1.0, 200.0, 1e-5, 0.0, 0.1, 1e-9][k % 6];
    let v: Vec<f64> =
        v.chunks(6).enumerate().flat_map(|(k, v)| v.iter().map(move |v| v * scale(k / 5))).collect();
    let before = q.clone();
    many.integrate(&mut q, &v, 0.01);
    for joint in many.joints().iter().filter(|j| j.coordinates().len() == 7) {
        let mut alone = before[joint.coordinates()].to_vec();
        one.integrate(&mut alone, &v[joint.dofs()], 0.01);
        assert_eq!(bits(&alone), bits(&q[joint.coordinates()]), "{}", joint.name);
    }
}
