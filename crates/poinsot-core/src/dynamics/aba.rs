//! Forward dynamics: the articulated-body algorithm [Featherstone08, chapter 7], in O(n).
//!
//! The accelerations are split as (those of the tree with q̈ = 0) + (α̂, â). The first part and its inertial forces (f, n) come from the
//! shared outward sweep, which is local to each link except for one vector recursion; so no bias acceleration enters the inward sweep. For
//! a joint axis S = (z; 0), from the leaves:
//!
//! ```math
//! (1)  U = I^A S = (I z; Hᵀ z)      D = z·U_n + armature      u = τ − z·n
//! (2)  I^a = I^A − U Uᵀ/D           (n; f)^a = (n; f) + U u/D
//! (3)  to the parent, r away:  M' = M,  H' = H + [r]× M,  I' = I + [r]× Hᵀ − H' [r]×,  n' = n + r × f
//! ```
//! and from the root, with U' = (U_n + r × U_f; U_f), which is U at the parent's origin:
//!
//! ```math
//! (4)  q̈ = u/D − (U'/D)·(α̂_p; â_p)      α̂ = α̂_p + z q̈      â = â_p + α̂_p × r
//! ```
//! (3) is linear, so it may come before (2): I^A and U are moved to the parent while the division by D is in progress.
//!
//! A floating body, on a free joint to the world and without rotors, needs no elimination: its acceleration is [I H; Hᵀ M]⁻¹ times the
//! force on it. Any other joint with several degrees of freedom applies (1) and (2) once for each, from the last to the first, and (4) once
//! for each, from the first to the last, all at its own origin.
//!
//! *Hybrid dynamics*: an axis with a prescribed acceleration and an unknown force [Featherstone08, section 9.2] is not eliminated: (2)
//! becomes `I^a = I^A`, `(n; f)^a = (n; f) + U q̈`, and the force in addition to τ follows in the outward sweep,
//!
//! ```math
//! (5)  λ = D q̈ − u + U'·(α̂_p; â_p)
//! ```

use super::outward::*;
use super::sweep::*;
use crate::algebra::{Lanes, M3, Real, Sym3, V3};
use crate::model::{Kind, Tree};
use std::ops::Range;

/// The joint axes whose accelerations are prescribed.
pub(crate) trait Prescribed<R> {
    /// Whether there are any.
    const ANY: bool;
    /// The acceleration of an axis, if it is prescribed.
    fn acceleration(&self, k: usize) -> Option<R>;
    /// Receives the force that produces it.
    fn react(&mut self, k: usize, force: R);
}

/// No axis is prescribed.
pub(crate) struct NonePrescribed;

impl<R> Prescribed<R> for NonePrescribed {
    const ANY: bool = false;
    #[inline(always)]
    fn acceleration(&self, _: usize) -> Option<R> {
        None
    }
    #[inline(always)]
    fn react(&mut self, _: usize, _: R) {}
}

/// For each axis: whether it is prescribed, and its acceleration, which is replaced by the force.
pub(crate) struct PrescribedAxes<'a> {
    pub prescribed: &'a [bool],
    pub given: &'a mut [f64],
}

impl Prescribed<f64> for PrescribedAxes<'_> {
    const ANY: bool = true;
    #[inline(always)]
    fn acceleration(&self, k: usize) -> Option<f64> {
        self.prescribed[k].then(|| self.given[k])
    }
    #[inline(always)]
    fn react(&mut self, k: usize, force: f64) {
        self.given[k] = force;
    }
}

/// Computes q̈ of the links in some runs of blocks, at (q, v) under the generalised forces τ and the external forces.
///
/// The parent of a link must be in the same run, or the world. `armature` is added to the diagonal of the mass matrix; an implicit
/// integrator adds its own terms there.
#[allow(clippy::too_many_arguments)] // each is a different physical quantity
#[inline(always)]
pub(crate) fn aba<A: Arithmetic>(
    tree: &Tree,
    s: &mut Scratch<A::Cell, A::In>,
    runs: &[Range<usize>],
    q: &[A::In],
    qvel: &[A::In],
    tau: &[A::In],
    armature: &[f64],
    gravity: V3,
    external: Option<&[[Lanes<8>; 6]]>,
    qacc: &mut [A::In],
) {
    for run in runs {
        bias_sweep::<A>(tree, s, run, q, qvel, gravity);
        if let Some(external) = external {
            push::<A>(&mut s.inertial, run, external);
        }
        inward_sweep::<A>(tree, s, links_of_run(tree, run), tau, armature, &NonePrescribed);
        outward_sweep::<A>(tree, s, links_of_run(tree, run), armature, &mut NonePrescribed, qacc);
    }
}

/// Hybrid dynamics [Featherstone08, section 9.2]: as [`aba`], with the accelerations of some joint axes prescribed. Call it after
/// [`bias_sweep`] at the same (q, v); that sweep stays valid if other axes are prescribed.
#[inline(always)]
pub(crate) fn aba_hybrid<A: Arithmetic>(
    tree: &Tree,
    s: &mut Scratch<A::Cell, A::In>,
    run: &Range<usize>,
    tau: &[A::In],
    armature: &[f64],
    given: &mut impl Prescribed<A::R>,
    qacc: &mut [A::In],
) {
    inward_sweep::<A>(tree, s, links_of_run(tree, run), tau, armature, given);
    outward_sweep::<A>(tree, s, links_of_run(tree, run), armature, given, qacc);
}

/// An articulated inertia [I H; Hᵀ M] with its bias force (n; f), in world axes about one origin.
#[derive(Clone, Copy)]
pub(super) struct ArticulatedInertia<T> {
    pub i: Sym3<T>,
    pub h: M3<T>,
    pub m: Sym3<T>,
    pub n: V3<T>,
    pub f: V3<T>,
}

/// Equation (1) for one axis: U, D and u.
#[derive(Clone, Copy)]
struct Axis<T> {
    u_n: V3<T>,
    u_f: V3<T>,
    d: T,
    u: T,
}

/// The solution for one axis: 1/D and u/D; or, if its acceleration is prescribed, 0 and this acceleration.
#[derive(Clone, Copy)]
struct AxisSolution<T> {
    by_d: T,
    acc: T,
}

impl<T: Real> Axis<T> {
    #[inline(always)]
    fn solution(&self, given: Option<T>) -> AxisSolution<T> {
        match given {
            None => {
                let by_d = T::one() / self.d;
                AxisSolution { by_d, acc: self.u * by_d }
            }
            Some(acc) => AxisSolution { by_d: T::zero(), acc },
        }
    }

    /// U/D and u/D for (4), or U and D q̈ − u for (5).
    #[inline(always)]
    fn gain(&self, solved: AxisSolution<T>, given: Option<T>) -> [T; 7] {
        if let Some(acc) = given {
            let (n, f) = (self.u_n, self.u_f);
            return [n.x, n.y, n.z, f.x, f.y, f.z, self.d.mul_add(acc, -self.u)];
        }
        let (n, f) = (self.u_n * solved.by_d, self.u_f * solved.by_d);
        [n.x, n.y, n.z, f.x, f.y, f.z, solved.acc]
    }

    /// U referred to the point −r.
    #[inline(always)]
    fn shifted(&self, r: V3<T>) -> Axis<T> {
        Axis { u_n: r.cross_add(self.u_f, self.u_n), ..*self }
    }
}

impl<T: Real> ArticulatedInertia<T> {
    /// Equation (2), also in its form for a prescribed acceleration.
    #[inline(always)]
    fn eliminate(&mut self, axis: Axis<T>, solved: AxisSolution<T>) {
        let (u_n, u_f) = (axis.u_n, axis.u_f);
        let (k_n, k_f, e) = (u_n * solved.by_d, u_f * solved.by_d, solved.acc);
        self.i = self.i.sub_outer(u_n, k_n);
        self.h = M3::columns(
            u_n.mul_add(-k_f.x, self.h.x),
            u_n.mul_add(-k_f.y, self.h.y),
            u_n.mul_add(-k_f.z, self.h.z),
        );
        self.m = self.m.sub_outer(u_f, k_f);
        self.n = u_n.mul_add(e, self.n);
        self.f = u_f.mul_add(e, self.f);
    }

    /// (1) for rotation about the unit vector z.
    #[inline(always)]
    fn hinge(&self, z: V3<T>, (tau, armature): (T, T)) -> Axis<T> {
        let (u_n, u_f) = (self.i * z, self.h.tr_mul(z));
        Axis { u_n, u_f, d: z.dot(u_n) + armature, u: tau - z.dot(self.n) }
    }

    /// (1) for translation along the unit vector z.
    #[inline(always)]
    fn slide(&self, z: V3<T>, (tau, armature): (T, T)) -> Axis<T> {
        let (u_n, u_f) = (self.h * z, self.m * z);
        Axis { u_n, u_f, d: z.dot(u_f) + armature, u: tau - z.dot(self.f) }
    }

    /// (1) for rotation by a and translation by b along the unit vector z.
    #[inline(always)]
    fn screw(&self, z: V3<T>, (a, b): (T, T), (tau, armature): (T, T)) -> Axis<T> {
        let (s_n, s_f) = (z * a, z * b);
        let (u_n, u_f) = (self.i * s_n + self.h * s_f, self.h.tr_mul(s_n) + self.m * s_f);
        let d = s_n.dot(u_n) + s_f.dot(u_f) + armature;
        Axis { u_n, u_f, d, u: tau - s_n.dot(self.n) - s_f.dot(self.f) }
    }

    /// The acceleration (α̂, â) of a floating body under a moment and a force in addition to its own (n; f):
    /// the block elimination of `[I H; Hᵀ M] (α̂; â) = (moment − n; force − f)`.
    #[inline(always)]
    pub fn floating_acceleration(&self, moment: V3<T>, force: V3<T>) -> (V3<T>, V3<T>) {
        let (n, f) = (moment - self.n, force - self.f);
        let by_m = self.m.cofactor_inverse();
        let k = self.h * by_m.full();
        let lower = self.h.transpose();
        let eliminated = k * lower;
        let i = Sym3 {
            xx: self.i.xx - eliminated.x.x,
            xy: self.i.xy - eliminated.x.y,
            xz: self.i.xz - eliminated.x.z,
            yy: self.i.yy - eliminated.y.y,
            yz: self.i.yz - eliminated.y.z,
            zz: self.i.zz - eliminated.z.z,
        };
        let alpha = i.cofactor_inverse() * (n - k * f);
        (alpha, by_m * (f - lower * alpha))
    }

    /// Equation (3): referred to the point −r.
    #[inline(always)]
    fn shifted(&self, r: V3<T>) -> ArticulatedInertia<T> {
        let m = self.m.full();
        let h = self.h;
        let h_new = M3::columns(r.cross_add(m.x, h.x), r.cross_add(m.y, h.y), r.cross_add(m.z, h.z));
        // rows of H are columns of Hᵀ: column j of [r]× Hᵀ is r × (row j of H); of −H'[r]×: H'(e_j × r)
        let rows = h.transpose();
        let (a, b, c) = (r.cross(rows.x), r.cross(rows.y), r.cross(rows.z));
        let (x, y, z) = (h_new.x, h_new.y, h_new.z);
        let i = Sym3 {
            xx: self.i.xx + z.x.mul_add(r.y, (-y.x).mul_add(r.z, a.x)),
            xy: self.i.xy + z.y.mul_add(r.y, (-y.y).mul_add(r.z, a.y)),
            xz: self.i.xz + z.z.mul_add(r.y, (-y.z).mul_add(r.z, a.z)),
            yy: self.i.yy + x.y.mul_add(r.z, (-z.y).mul_add(r.x, b.y)),
            yz: self.i.yz + x.z.mul_add(r.z, (-z.z).mul_add(r.x, b.z)),
            zz: self.i.zz + y.z.mul_add(r.x, (-x.z).mul_add(r.y, c.z)),
        };
        ArticulatedInertia { i, h: h_new, m: self.m, n: r.cross_add(self.f, self.n), f: self.f }
    }
}

impl<T: Real> std::ops::AddAssign for ArticulatedInertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        self.i = self.i + o.i;
        self.h = self.h + o.h;
        self.m = self.m + o.m;
        self.n += o.n;
        self.f += o.f;
    }
}

/// The articulated inertia of the link itself, which is rigid.
#[inline(always)]
fn rigid<A: Arithmetic>(w: Inertial<A>) -> ArticulatedInertia<A::R> {
    ArticulatedInertia { i: w.i(), h: M3::skew(w.h()), m: Sym3::scalar(w.m()), n: w.n(), f: w.f() }
}

/// Adds the link itself, which is rigid: its M = m 1 and H = [h]× are mostly zeros.
#[inline(always)]
fn add_rigid<A: Arithmetic>(to: &mut ArticulatedInertia<A::R>, w: Inertial<A>) {
    let (m, h) = (w.m(), w.h());
    to.i = to.i + w.i();
    (to.h.x.y, to.h.x.z) = (to.h.x.y + h.z, to.h.x.z - h.y);
    (to.h.y.x, to.h.y.z) = (to.h.y.x - h.z, to.h.y.z + h.x);
    (to.h.z.x, to.h.z.y) = (to.h.z.x + h.y, to.h.z.y - h.x);
    (to.m.xx, to.m.yy, to.m.zz) = (to.m.xx + m, to.m.yy + m, to.m.zz + m);
    to.n += w.n();
    to.f += w.f();
}

/// Equation (3) for the link itself, which is rigid: M = m 1 and H = [h]× shift like m and h.
#[inline(always)]
fn shifted_rigid<A: Arithmetic>(w: Inertial<A>, r: V3<A::R>) -> ArticulatedInertia<A::R> {
    let (m, h, f) = (w.m(), w.h(), w.f());
    let g = r.mul_add(m, h);
    let spread = Sym3::scalar(h.dot(r) + g.dot(r));
    ArticulatedInertia {
        i: (w.i() + spread).sub_outer(h, r).sub_outer(r, g),
        h: M3::skew(g),
        m: Sym3::scalar(m),
        n: r.cross_add(f, w.n()),
        f,
    }
}

/// The sum of the articulated inertias of those children of a link that do not come right after it.
#[inline(always)]
fn children<A: Arithmetic>(a: Subtree<A>) -> ArticulatedInertia<A::R> {
    ArticulatedInertia { i: a.i(), h: a.h(), m: a.m(), n: a.n(), f: a.f() }
}

#[inline(always)]
fn put_children<A: Arithmetic>(mut a: SubtreeMut<A>, h: ArticulatedInertia<A::R>) {
    a.set_i(h.i);
    a.set_h(h.h);
    a.set_m(h.m);
    a.set_n(h.n);
    a.set_f(h.f);
}

/// Equations (1) to (3), from the leaves to the root.
#[inline(always)]
fn inward_sweep<A: Arithmetic>(
    tree: &Tree,
    s: &mut Scratch<A::Cell, A::In>,
    links: Range<usize>,
    tau: &[A::In],
    armature: &[f64],
    given: &impl Prescribed<A::R>,
) {
    // the articulated inertia of the next link, in registers, if that is a child
    let mut carried: Option<ArticulatedInertia<A::R>> = None;
    for i in links.rev() {
        let (p, k) = (tree.parent[i], tree.v[i]);
        let leaf = carried.is_none() && !tree.fork[i];
        let mut own = match carried {
            Some(own) => own,
            None => rigid(inertial_at::<A>(&s.inertial, i)),
        };
        if tree.fork[i] {
            own += children(subtree_at::<A>(&s.articulated, i));
        }
        let moving = link_at::<A>(&s.moving, i);
        let r = moving.r();
        let passed = match tree.kind[i] {
            Kind::World => continue,
            Kind::Hinge | Kind::Screw => {
                let (z, drive) = (moving.z(), drive::<A>(tau, armature, k));
                let hinge = tree.kind[i] == Kind::Hinge;
                // (1)
                let axis = if hinge { own.hinge(z, drive) } else { own.screw(z, screw::<A>(tree, i), drive) };
                let acc = given.acceleration(k);
                let (solved, axis) = (axis.solution(acc), axis.shifted(r));
                put_gain::<A>(&mut s.gain[k], axis.gain(solved, acc));
                if p == 0 {
                    carried = None;
                    continue;
                }
                // (3), before (2)
                let mut passed =
                    if leaf { shifted_rigid(inertial_at::<A>(&s.inertial, i), r) } else { own.shifted(r) };
                if p + 1 == i {
                    // costs no time here, while the division by D is in progress
                    add_rigid(&mut passed, inertial_at::<A>(&s.inertial, p));
                }
                passed.eliminate(axis, solved); // (2)
                passed
            }
            Kind::Free if floats(tree, i, armature, given) => {
                let force = three::<A>(tau, k);
                let moment = moving.rot() * three::<A>(tau, k + 3);
                let (alpha, a) =
                    own.floating_acceleration(moment, free_axes::<A>(tree, &s.moving, i) * force);
                let mut own = subtree_at_mut::<A>(&mut s.articulated, i);
                own.set_d_alpha(alpha);
                own.set_d_a(a);
                carried = None;
                continue;
            }
            Kind::Ball | Kind::Free => {
                let (rot, mut first) = (moving.rot(), k);
                if tree.kind[i] == Kind::Free {
                    first += 3;
                }
                for (c, z) in [(2, rot.z), (1, rot.y), (0, rot.x)] {
                    let axis = own.hinge(z, drive::<A>(tau, armature, first + c)); // (1)
                    let acc = given.acceleration(first + c);
                    let solved = axis.solution(acc);
                    put_gain::<A>(&mut s.gain[first + c], axis.gain(solved, acc));
                    own.eliminate(axis, solved); // (2)
                }
                if tree.kind[i] == Kind::Free {
                    let axes = free_axes::<A>(tree, &s.moving, i);
                    for (c, z) in [(2, axes.z), (1, axes.y), (0, axes.x)] {
                        let axis = own.slide(z, drive::<A>(tau, armature, k + c));
                        let acc = given.acceleration(k + c);
                        let solved = axis.solution(acc);
                        put_gain::<A>(&mut s.gain[k + c], axis.gain(solved, acc));
                        own.eliminate(axis, solved);
                    }
                }
                let mut passed = own.shifted(r); // (3)
                if p + 1 == i {
                    add_rigid(&mut passed, inertial_at::<A>(&s.inertial, p));
                }
                passed
            }
        };
        carried = if p + 1 == i { Some(passed) } else { None };
        if p + 1 != i && p != 0 {
            let mut sum = passed;
            if !tree.opens[i] {
                sum += children(subtree_at::<A>(&s.articulated, p));
            }
            put_children(subtree_at_mut::<A>(&mut s.articulated, p), sum);
        }
    }
}

#[inline(always)]
fn drive<A: Arithmetic>(tau: &[A::In], armature: &[f64], k: usize) -> (A::R, A::R) {
    (A::read(&tau[k]), A::R::from_f64(armature[k]))
}

#[inline(always)]
fn put_gain<A: Arithmetic>(gain: &mut [A::In; 7], values: [A::R; 7]) {
    for k in 0..7 {
        A::write(&mut gain[k], values[k]);
    }
}

/// True for a floating body without prescribed axes.
#[inline(always)]
fn floats<R, G: Prescribed<R>>(tree: &Tree, i: usize, armature: &[f64], given: &G) -> bool {
    tree.floats(i, armature) && !(G::ANY && (0..6).any(|c| given.acceleration(tree.v[i] + c).is_some()))
}

/// q̈ of (4): u/D − (U/D)·(α; a); for a prescribed axis its acceleration, and (5).
#[inline(always)]
fn solve<A: Arithmetic>(
    g: &[A::In; 7],
    k: usize,
    given: &mut impl Prescribed<A::R>,
    alpha: V3<A::R>,
    a: V3<A::R>,
) -> A::R {
    let k_n = V3::new(A::read(&g[0]), A::read(&g[1]), A::read(&g[2]));
    let k_f = V3::new(A::read(&g[3]), A::read(&g[4]), A::read(&g[5]));
    if let Some(acc) = given.acceleration(k) {
        given.react(k, (A::read(&g[6]) + k_n.dot(alpha)) + k_f.dot(a)); // (5)
        return acc;
    }
    (A::read(&g[6]) - k_n.dot(alpha)) - k_f.dot(a) // (4)
}

/// Equation (4), from the root to the leaves.
#[inline(always)]
fn outward_sweep<A: Arithmetic>(
    tree: &Tree,
    s: &mut Scratch<A::Cell, A::In>,
    links: Range<usize>,
    armature: &[f64],
    given: &mut impl Prescribed<A::R>,
    qacc: &mut [A::In],
) {
    // the world does not accelerate
    let (mut alpha, mut a) = (V3::zero(), V3::zero());
    for i in links {
        let (p, k) = (tree.parent[i], tree.v[i]);
        if p + 1 != i {
            let above = subtree_at::<A>(&s.articulated, p);
            (alpha, a) = (above.d_alpha(), above.d_a());
        }
        let m = link_at::<A>(&s.moving, i);
        let at_parent = a;
        a = alpha.cross_add(m.r(), a); // (4): â_p + α̂_p × r
        match tree.kind[i] {
            Kind::World => {}
            Kind::Hinge => {
                let acc = solve::<A>(&s.gain[k], k, given, alpha, at_parent);
                A::write(&mut qacc[k], acc);
                alpha = m.z().mul_add(acc, alpha); // (4): α̂_p + z q̈
            }
            Kind::Screw => {
                let z = m.z();
                let (turn, advance) = screw::<A>(tree, i);
                let acc = solve::<A>(&s.gain[k], k, given, alpha, at_parent);
                A::write(&mut qacc[k], acc);
                alpha = z.mul_add(acc * turn, alpha);
                a = z.mul_add(acc * advance, a);
            }
            Kind::Free if floats(tree, i, armature, given) => {
                let own = subtree_at::<A>(&s.articulated, i);
                (alpha, a) = (own.d_alpha(), own.d_a());
                write_three::<A>(qacc, k, free_axes::<A>(tree, &s.moving, i).tr_mul(a));
                write_three::<A>(qacc, k + 3, m.rot().tr_mul(alpha));
            }
            Kind::Ball | Kind::Free => {
                let mut first = k;
                if tree.kind[i] == Kind::Free {
                    let axes = free_axes::<A>(tree, &s.moving, i);
                    for (c, axis) in [(0, axes.x), (1, axes.y), (2, axes.z)] {
                        let acc = solve::<A>(&s.gain[k + c], k + c, given, alpha, a);
                        A::write(&mut qacc[k + c], acc);
                        a = axis.mul_add(acc, a);
                    }
                    first += 3;
                }
                let rot = m.rot();
                for (c, axis) in [(0, rot.x), (1, rot.y), (2, rot.z)] {
                    let acc = solve::<A>(&s.gain[first + c], first + c, given, alpha, a);
                    A::write(&mut qacc[first + c], acc);
                    alpha = axis.mul_add(acc, alpha);
                }
            }
        }
        if tree.fork[i] {
            let mut own = subtree_at_mut::<A>(&mut s.articulated, i);
            own.set_d_alpha(alpha);
            own.set_d_a(a);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::algebra::V3;
    use crate::dynamics::Workspace;
    use crate::model::*;

    /// A floating body with an arm of a hinge, a slide and a ball joint.
    fn arm() -> Model {
        let mut b = ModelBuilder::new("arm");
        let mut parent = BodyId::WORLD;
        let joints = [Joint::free(), Joint::revolute(V3::Y), Joint::prismatic(V3::X), Joint::spherical()];
        for (k, joint) in joints.into_iter().enumerate() {
            let size = V3::new(0.1, 0.2, 0.3 + 0.05 * k as f64);
            let spec = BodySpec::new(format!("link{k}")).at(V3::new(0.1, 0.2, 0.3));
            let body = spec.solid(&Shape::Box { size }, 1.0 + k as f64).unwrap();
            parent = b.body(parent, body);
            b.joint(parent, joint);
        }
        b.build().unwrap()
    }

    /// The forces on prescribed axes are those of inverse dynamics minus τ; there are none on the other axes.
    #[test]
    fn held_axes_have_their_acceleration_and_the_force_that_gives_it() {
        let model = arm();
        let n = model.nv();
        let mut seed = 7u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut ws = Workspace::new(&model);
        for round in 0..20 {
            let mut q = model.neutral();
            let (v, step): (Vec<f64>, Vec<f64>) = (0..n).map(|_| (random(), random())).unzip();
            model.integrate(&mut q, &step, 1.0);
            let tau: Vec<f64> = (0..n).map(|_| random()).collect();
            let prescribed: Vec<bool> = (0..n).map(|k| (k + round) % 3 == 0 && k >= round % 7).collect();
            let asked: Vec<f64> = (0..n).map(|_| random()).collect();
            let (mut given, mut a, mut needed) = (asked.clone(), vec![0.0; n], vec![0.0; n]);
            let at = Some((&q[..], &v[..], model.gravity()));
            // twice: reusing the first call must not change the result
            for at in [at, None] {
                given.copy_from_slice(&asked);
                let armature = vec![0.1; n];
                ws.hybrid_dynamics(&model, at, &tau, &armature, &prescribed, &mut given, &mut a);
            }
            ws.inverse_dynamics(&model, &q, &v, &a, &mut needed);
            for k in 0..n {
                let force = if prescribed[k] { given[k] } else { 0.0 };
                let off = needed[k] + 0.1 * a[k] - tau[k] - force;
                assert!(off.abs() < 1e-11, "round {round}, axis {k}: {off:e}");
                assert!(!prescribed[k] || a[k] == asked[k]);
            }
        }
    }
}
