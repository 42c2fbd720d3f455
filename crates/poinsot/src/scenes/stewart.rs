//! The Gough–Stewart platform [Stewart65]: six legs, each of two telescoping tubes.

use super::{Scene, SceneError};
use crate::algebra::{M3, V3};
use crate::dynamics::State;
use crate::integrate::Method;
use crate::model::{BodyId, BodySpec, Constraint, Joint, ModelBuilder, Mount, Shape};
use crate::spatial::{Pose, Quat};

/// For the ground and for the platform: the radius of the circle of joints, m, and the angle of a joint from the middle of its pair, rad.
const GROUND: (f64, f64) = (1.0, 0.2);
const PLATFORM: (f64, f64) = (0.6, 0.8);
const HEIGHT: f64 = 1.2;
/// The stiffness of each leg, N/m.
const STIFFNESS: f64 = 2000.0;
const MASS: f64 = 40.0;

/// Each leg stands on a universal joint, its upper tube slides against a spring, and a ball joint holds the platform, which is otherwise a
/// free body.
pub fn stewart() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("stewart");
    let plate = Shape::Cylinder { radius: PLATFORM.0, length: 0.1 };
    let platform = b.body(BodyId::WORLD, BodySpec::new("platform").at(V3::Z * HEIGHT).solid(&plate, MASS)?);
    b.joint(platform, Joint::free().named("platform"));
    for k in 0..6 {
        let (foot, hand) = (corner(GROUND, k), corner(PLATFORM, k));
        leg(&mut b, k, foot, V3::Z * HEIGHT + hand, Mount::new(platform, hand))?;
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    // lifted, shifted, inclined and rotating; the legs follow
    for (q, shift) in state.q.iter_mut().zip([0.05, 0.03, 0.1]) {
        *q += shift;
    }
    state.q[3..7].copy_from_slice(&Quat::exp(V3::new(0.06, -0.04, 0.1)).array());
    state.v[5] = 1.0;
    Scene::new(model, state, 20.0, 1e-3, Method::Midpoint).assembled()
}

/// Joint k of six on a circle, in three pairs.
fn corner((radius, apart): (f64, f64), k: usize) -> V3 {
    let side = if k.is_multiple_of(2) { -1.0 } else { 1.0 };
    let angle = (k / 2) as f64 * std::f64::consts::TAU / 3.0 + side * apart;
    Quat::exp(V3::Z * angle).matrix() * (V3::X * radius)
}

fn leg(b: &mut ModelBuilder, k: usize, foot: V3, hand: V3, platform: Mount) -> Result<(), SceneError> {
    let way = hand - foot;
    let length = way.norm();
    let tube = |radius: f64, mass: f64, from: f64, to: f64| {
        let shape = Shape::Cylinder { radius, length: to - from };
        (shape, mass, Pose::translation(V3::Z * (0.5 * (from + to))))
    };
    let (shape, mass, middle) = tube(0.04, 2.0, 0.0, 0.6 * length);
    let pose = Pose { rot: z_along(way), pos: foot };
    let spec = BodySpec::new(format!("lower{}", k + 1)).pose(pose).solid_at(&shape, mass, middle)?;
    let lower = b.body(BodyId::WORLD, spec);
    b.joint(lower, Joint::universal(V3::X, V3::Y).named(format!("foot{}", k + 1)));
    let (shape, mass, middle) = tube(0.025, 1.0, 0.4 * length, length);
    let upper = b.body(lower, BodySpec::new(format!("upper{}", k + 1)).solid_at(&shape, mass, middle)?);
    // rest lengths at which the six legs carry the platform in its initial position
    let load = MASS * 9.81 / 6.0 * length / HEIGHT;
    let slide = Joint::prismatic(V3::Z).spring(STIFFNESS, load / STIFFNESS);
    b.joint(upper, slide.named(format!("slide{}", k + 1)));
    let hold = Constraint::point(Mount::new(upper, V3::Z * length), platform);
    b.constraint(hold.named(format!("hand{}", k + 1)));
    Ok(())
}

/// A rotation that maps z to the direction of `v`, which must not be along x.
fn z_along(v: V3) -> M3 {
    let z = v * (1.0 / v.norm());
    let across = z.cross(V3::X);
    let y = across * (1.0 / across.norm());
    M3::columns(y.cross(z), y, z)
}
