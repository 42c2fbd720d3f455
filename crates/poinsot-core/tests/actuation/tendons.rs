//! Tendons.

use super::*;
use crate::common::{Law, samples};

fn three(tendon: bool) -> Model {
    let mut b = ModelBuilder::new("three");
    let mut parent = BodyId::WORLD;
    for k in 0..3 {
        let spec = BodySpec::new(format!("b{k}")).at(V3::X * 0.3);
        parent = b.body(parent, spec.inertia(inertia(1.0, [0.1, 0.0, 0.05], [0.01, 0.02, 0.02])));
        let joint = Joint::revolute(V3::Y);
        let id = b.joint(parent, if tendon { joint } else { joint.spring(18.0, 0.1).damping(4.5) });
        if tendon {
            // k c² and d c², at rest at c q₀
            b.tendon(FixedTendon::new([(id, -3.0)]).spring(2.0, -0.3, -0.3).damping(0.5));
        }
    }
    b.build().unwrap()
}

#[test]
fn a_tendon_over_one_joint_is_its_spring_and_damper() {
    let (tendons, springs) = (three(true), three(false));
    let mut law = Law::new("tendon = joint spring", 1e-13);
    for s in samples(&springs) {
        let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
        tendons.add_tendon_forces(&s.q, &s.v, &mut a);
        springs.add_spring_forces(&s.q, &mut b);
        springs.add_damping_forces(&s.v, &mut b);
        law.equal("force", &a, &b);
        law.equal("energy", &[tendons.tendon_energy(&s.q)], &[springs.spring_energy(&s.q)]);
    }
}

#[test]
fn a_spring_is_at_rest_within_its_range() {
    let mut b = ModelBuilder::new("slack");
    let id = b.body(BodyId::WORLD, BodySpec::new("s").inertia(inertia(2.0, [0.0; 3], [0.1; 3])));
    let slide = b.joint(id, Joint::prismatic(V3::X));
    b.tendon(FixedTendon::new([(slide, 2.0)]).spring(10.0, -0.2, 0.4));
    let model = b.build().unwrap();
    for (q, force) in [(-0.3, 8.0), (-0.1, 0.0), (0.05, 0.0), (0.2, 0.0), (0.5, -12.0)] {
        let mut tau = [0.0];
        model.add_tendon_forces(&[q], &[0.0], &mut tau);
        assert!((tau[0] - force).abs() < 1e-14, "{q}: {tau:?}");
    }
}
