//! Squash and stretch: a jelly with a head that hangs on it, both of nodes that deform, with energy kept and volume, too.

use poinsot::algebra::V3;
use poinsot::hierarchy::{Affine, AffineBuilder, AffineDynamics, AffineMethod, NodeMotion};
use poinsot::model::{BodyId, Shape};
use poinsot::spatial::Pose;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut b = AffineBuilder::new();
    let (squash, shear) =
        (NodeMotion::Squash { axis: V3::Z }, NodeMotion::Shear { along: V3::X, normal: V3::Z });
    let body = b.node(BodyId::WORLD, "body", Affine::identity(), &[squash, shear])?;
    b.solid(body, &Shape::Sphere { radius: 0.3 }, 4.0, Pose { pos: V3::Z * 0.3, ..Pose::IDENTITY })?;
    b.spring(b.dof(body, 0)?, 160.0, 0.0, 1.08)?;
    b.spring(b.dof(body, 1)?, 30.0, 0.0, 0.0)?;
    let motions = [NodeMotion::Turn { axis: V3::Y }, squash];
    let head = b.node(body, "head", Affine::from(V3::Z * 0.6), &motions)?;
    b.solid(head, &Shape::Sphere { radius: 0.18 }, 1.2, Pose { pos: V3::Z * 0.15, ..Pose::IDENTITY })?;
    b.spring(b.dof(head, 0)?, 12.0, 0.0, 0.0)?;
    b.spring(b.dof(head, 1)?, 40.0, 0.0, 1.05)?;

    let mut jelly = AffineDynamics::new(b.build());
    let mut state = jelly.rest();
    (state.q[0], state.q[1]) = (0.72, 0.25);
    let before = jelly.energy(&state.q, &state.v)?;
    let (mut flattest, mut longest) = (f64::INFINITY, 0.0f64);
    for _ in 0..5000 {
        jelly.step(AffineMethod::Rk4, &mut state, 1e-3)?;
        (flattest, longest) = (flattest.min(state.q[0]), longest.max(state.q[0]));
    }
    let drift = (jelly.energy(&state.q, &state.v)? - before).abs();
    let volume = jelly.transforms(&state.q)?[head.index()].linear.determinant();
    println!("the body is between {flattest:.2} and {longest:.2} times as high as it is made");
    println!(
        "in 5 s the energy of {before:.3} J has changed by {drift:.1e} J; the head has {volume:.15} times its volume"
    );
    // how the head must be pushed to go on without its springs: inverse dynamics of nodes that stretch
    let (mut a, mut tau) = (vec![0.0; 4], vec![0.0; 4]);
    jelly.forward_dynamics(&state.q, &state.v, &[0.0; 4], &[], &mut a)?;
    jelly.inverse_dynamics(&state.q, &state.v, &a, &[], &mut tau)?;
    println!("the springs give {tau:.3?}");
    assert!(drift < 1e-6 && (volume - 1.0).abs() < 1e-13 && longest > 1.0);
    Ok(())
}
