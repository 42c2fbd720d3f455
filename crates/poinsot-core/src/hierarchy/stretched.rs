//! Tests that the recursions hold for frames that stretch and shear: inverse dynamics against Lagrange's equation, `τ = M a + Ṁ v − ∂T/∂q`
//! without gravity, with M and T from their own traces and derivatives by dual numbers.

use super::Hierarchy;
use crate::algebra::{Dual, M3, Real, V3};
use crate::model::{BodyId, BodySpec, Joint, Model, ModelBuilder, Shape};

fn chain() -> Model {
    let mut b = ModelBuilder::new("chain");
    b.gravity(V3::ZERO);
    let mut last = BodyId::WORLD;
    let axes = [V3::X, V3::Y, V3::new(1.0, 1.0, 0.0), V3::Z, V3::X, V3::new(0.0, 1.0, 2.0)];
    for (k, axis) in axes.into_iter().enumerate() {
        let solid = Shape::Box { size: V3::new(0.2, 0.3, 0.4) };
        let spec = BodySpec::new(format!("b{k}")).at(V3::new(0.1, 0.2, 0.3)).solid(&solid, 1.0).unwrap();
        last = b.body(last, spec);
        b.joint(
            last,
            if k % 3 == 2 { Joint::helical(axis, 0.2) } else { Joint::revolute(axis).armature(0.1) },
        );
    }
    b.build().unwrap()
}

/// Stretches and shears the frame of every joint: each node deforms everything below it.
fn deform<T>(mut h: Hierarchy<T>) -> Hierarchy<T> {
    let shear = M3::columns(V3::new(1.2, 0.1, 0.0), V3::new(0.3, 0.8, 0.0), V3::new(0.0, -0.2, 1.1));
    for node in &mut h.nodes[1..] {
        node.frame.linear = node.frame.linear * shear;
    }
    h
}

#[test]
fn lagranges_equation_holds_for_stretched_frames() {
    let model = chain();
    let n = model.nv();
    let (q, v, a) = (model.random_configuration(1), model.random_velocity(2), model.random_velocity(3));
    let mut tau = vec![0.0; n];
    deform(Hierarchy::new(&model)).inverse_dynamics(&q, &v, &a, &[], &mut tau);

    let mut dual = deform(Hierarchy::<Dual<1>>::new(&model));
    let moving: Vec<Dual<1>> = q.iter().zip(&v).map(|(q, v)| Dual { re: *q, eps: [*v] }).collect();
    let m = dual.mass_matrix(&moving);
    let constant = |x: &[f64]| x.iter().map(|x| Dual::from_f64(*x)).collect::<Vec<Dual<1>>>();
    for k in 0..n {
        let momentum_rate: f64 = (0..n).map(|j| m[(k, j)].re * a[j] + m[(k, j)].eps[0] * v[j]).sum();
        let mut q_k = constant(&q);
        q_k[k].eps[0] = 1.0;
        let gradient = dual.kinetic_energy(&q_k, &constant(&v)).eps[0];
        let expected = momentum_rate - gradient;
        assert!((tau[k] - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{k}: {} {expected}", tau[k]);
    }
}
