//! Kinetic energy and the potential energy of gravity, from one outward sweep.
//!
//! With ω and u the velocities of a link at its origin p, m, h and I its inertia there,
//!
//! ```math
//! T = ½ Σ (m u·u + 2 u·(ω × h) + ω·I ω) + ½ Σ armature q̇²        V = −g · Σ (m p + h)        P = Σ (m u + ω × h)
//! ```
//! Instead of rotating h and I into world axes, links rotate ω and u into their own. R, p, ω and u are passed from parent to child;
//! everything else is local to a link and computed for eight at once.

use super::outward::*;
use super::sweep::*;
use crate::algebra::lanes::Isa;
use crate::algebra::{Lanes, M3, Real, V3};
use crate::model::{Kind, Tree};

/// Kinetic energy, gravitational energy and momentum; energies in J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Energies {
    /// T, including rotors.
    pub kinetic: f64,
    /// V of gravity, 0 if all mass is at the world's origin.
    pub gravity: f64,
    /// Σ |V| of the links: the scale of round-off, together with T.
    pub size: f64,
    /// P.
    pub momentum: V3,
}

/// The motion of a link, in the form that its children need.
#[derive(Clone, Copy)]
struct ParentMotion {
    rot: M3,
    p: V3,
    w: V3,
    u: V3,
}

impl ParentMotion {
    const WORLD: ParentMotion = ParentMotion { rot: M3::IDENTITY, p: V3::ZERO, w: V3::ZERO, u: V3::ZERO };

    #[inline(always)]
    fn of<A: Arithmetic<R = f64>>(moving: &[Moving<A::Cell>], i: usize) -> Self {
        let m = link_at::<A>(moving, i);
        ParentMotion { rot: m.rot(), p: m.p(), w: m.w(), u: m.u() }
    }
    #[inline(always)]
    fn keep<A: Arithmetic<R = f64>>(&self, m: &mut LinkMut<A>) {
        m.set_rot(self.rot);
        m.set_p(self.p);
        m.set_w(self.w);
        m.set_u(self.u);
    }
    /// The motion of a child at d, in axes of this link, whose joint rotates by `turn` and slides by `slide`.
    #[inline(always)]
    fn child(&self, rot: M3, d: V3, turn: V3, slide: V3) -> ParentMotion {
        let r = self.rot * d;
        ParentMotion { rot, p: self.p + r, w: self.w + turn, u: self.w.cross_add(r, self.u) + slide }
    }
}

/// T and V at (q, v).
#[inline(always)]
pub(crate) fn energies<I: Isa>(
    tree: &Tree,
    s: &mut Scratch<Lanes<8>, f64>,
    (q, v): (&[f64], &[f64]),
    gravity: V3,
) -> Energies {
    let mut last = ParentMotion::WORLD;
    let mut sums = [<OneState<I> as Arithmetic>::W::zero(); 5];
    let mut size = 0.0;
    for block in 0..s.moving.len() {
        place::<OneState<I>>(tree, &mut s.moving, block, q);
        for i in links_of::<OneState<I>>(tree, block) {
            let p = tree.parent[i];
            let above = if p + 1 == i { last } else { ParentMotion::of::<OneState<I>>(&s.moving, p) };
            let mut own = link_at_mut::<OneState<I>>(&mut s.moving, i);
            last = propagate(tree, &own, &above, i, q, v);
            last.keep(&mut own);
        }
        let parts = block_energies::<I>(tree, &s.moving[block], block, gravity);
        size += lanes::<I>(parts[1]).iter().map(|v| v.abs()).sum::<f64>();
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
    }
    let [links, weight, x, y, z] = sums.map(|sum| lanes::<I>(sum).iter().sum::<f64>());
    let rotors = tree.armature.iter().zip(v).fold(0.0, |sum, (a, v)| (a * v).mul_add(*v, sum));
    Energies { kinetic: 0.5 * (links + rotors), gravity: weight, size, momentum: V3::new(x, y, z) }
}

#[inline(always)]
fn lanes<I: Isa>(x: <OneState<I> as Arithmetic>::W) -> [f64; 8] {
    let mut cell = Lanes([0.0; 8]);
    <OneState<I> as Arithmetic>::store(&mut cell, x);
    cell.0
}

/// The motion of one link.
#[inline(always)]
fn propagate<I: Isa>(
    tree: &Tree,
    own: &LinkMut<OneState<I>>,
    above: &ParentMotion,
    i: usize,
    q: &[f64],
    v: &[f64],
) -> ParentMotion {
    let k = tree.v[i];
    let (x, d) = (own.rot(), own.r());
    match tree.kind[i] {
        Kind::World => *above,
        Kind::Hinge => {
            let rot = above.rot * x;
            above.child(rot, d, rot.z * v[k], V3::ZERO)
        }
        Kind::Screw => {
            let rot = above.rot * x;
            let ((turn, advance), rate) = (screw::<OneState<I>>(tree, i), rot.z * v[k]);
            above.child(rot, d, rate * turn, rate * advance)
        }
        Kind::Ball => {
            let rot = above.rot * (x * attitude::<OneState<I>>(q, tree.q[i]));
            above.child(rot, d, rot * three::<OneState<I>>(v, k), V3::ZERO)
        }
        Kind::Free => {
            let axes = above.rot * x;
            let rot = axes * attitude::<OneState<I>>(q, tree.q[i] + 3);
            let d = x.mul_add(three::<OneState<I>>(q, tree.q[i]), d);
            above.child(rot, d, rot * three::<OneState<I>>(v, k + 3), axes * three::<OneState<I>>(v, k))
        }
    }
}

/// Local: twice the kinetic energy, the energy of gravity, the momentum.
#[inline(always)]
fn block_energies<I: Isa>(
    tree: &Tree,
    m: &Moving<Lanes<8>>,
    block: usize,
    gravity: V3,
) -> [<OneState<I> as Arithmetic>::W; 5] {
    let (mass, h, i) = inertia_constants::<OneState<I>>(tree, block * 8);
    let rot = load_m3::<OneState<I>>(&m.rot);
    let w = rot.tr_mul(load_v3::<OneState<I>>(&m.w));
    let u = rot.tr_mul(load_v3::<OneState<I>>(&m.u));
    let momentum = w.cross_add(h, u * mass);
    let spin = h.cross_add(u, i * w);
    let place = (rot * h) + load_v3::<OneState<I>>(&m.p) * mass;
    let weight = -spread_v3::<OneState<I>>(gravity).dot(place);
    let p = rot * momentum;
    [u.dot(momentum) + w.dot(spin), weight, p.x, p.y, p.z]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failed unwrap is a failed test
mod tests {
    use super::super::{State, Workspace};
    use crate::algebra::V3;
    use crate::model::*;

    /// For a tree with every kind of joint the energies equal those of [`At`](super::super::At).
    #[test]
    fn they_are_those_of_the_kinematics() {
        let axis = V3::new(0.4, -0.5, 0.8);
        let kinds = [
            Joint::free(),
            Joint::revolute(axis).armature(0.3),
            Joint::spherical(),
            Joint::prismatic(axis),
            Joint::universal(V3::X, V3::Y),
            Joint::helical(V3::Z, 0.1),
            Joint::cylindrical(V3::Y),
            Joint::planar(axis),
            Joint::free(),
        ];
        let mut b = ModelBuilder::new("every joint");
        let mut parents = vec![BodyId::WORLD];
        for (k, joint) in kinds.into_iter().enumerate() {
            let shape = Shape::Box { size: V3::new(0.1, 0.2, 0.1 + 0.1 * k as f64) };
            let spec = BodySpec::new(format!("b{k}")).at(V3::new(0.3, 0.1, -0.2));
            let body = b.body(parents[k / 2], spec.solid(&shape, 1.0 + k as f64).unwrap());
            b.joint(body, joint.anchor(V3::new(0.1, -0.2, 0.05)));
            parents.push(body);
        }
        let model = b.build().unwrap();
        let mut ws = Workspace::new(&model);
        for seed in 0..8 {
            let mut state = State::new(&model);
            model.integrate(&mut state.q, &model.random_velocity(seed), 1.0);
            state.v = model.random_velocity(100 + seed);
            let found = ws.energies(&model, &state.q, &state.v);
            let at = ws.at(&model, &state);
            let (kinetic, gravity) = (at.kinetic_energy(), at.gravity_energy());
            assert!((found.kinetic - kinetic).abs() < 1e-13 * kinetic, "{found:?} beside {kinetic}");
            assert!((found.gravity - gravity).abs() < 1e-13 * found.size, "{found:?} beside {gravity}");
            let momentum = at.momentum().force;
            assert!((found.momentum - momentum).norm() < 1e-13 * momentum.norm(), "{found:?}");
        }
    }
}
