//! Eight joints between bodies and their parents, evaluated side by side.
//!
//! Let x, y, z be the axes of the [table of joints](super::super::kinds) fixed in the parent a, x', y', z' the same fixed in the body b, d
//! the vector from mount a to mount b, and r that from the origin of a body to its mount. A joint has some of the rows
//! ```math
//! (1)  C = e·d,   e = x, y, z                       J_b = (r_b × e, e)      J_a = −((r_a + d) × e, e)
//! (2)  C = u·w,   u w = x z', y z', x y'            J_b = (w × u, 0)        J_a = −(w × u, 0)
//! ```
//! Fixed vectors rotate with their body, `ė = ω × e`, and `ë = ω × ė` at zero acceleration. For free bodies that means constant velocities
//! (linear in the world, angular in the body), so
//!
//! ```math
//! (3)  J̇v = ë·d + 2 ė·ḋ + e·d̈     J̇v = ü·w + 2 u̇·ẇ + u·ẅ
//! (4)  M (α, a) = (h × g − ω × I ω,  m g − ω × (ω × h)) + τ + Jᵀ λ
//! ```
#![allow(clippy::needless_range_loop)] // loops of known length keep lanes in registers

use super::super::kinds;
use super::super::rows::Rows;
use super::super::sparse::Sparse;
use crate::algebra::lanes::{Eight, Isa, Kernel, gather};
use crate::algebra::tree_kkt::{Block, Row};
use crate::algebra::{Lanes, M3, Real, Sym3, V3};
use crate::model::{ConstraintKind, JointKind, Model, Mount};
use crate::spatial::{Pose, Quat};

/// See the module page. Nodes are those of the tree of bodies, eight in a block; fewer in the last.
#[derive(Clone, Debug)]
pub(super) struct EightJoints {
    first: usize,
    count: usize,
    /// Where q and v of the parents and of the bodies start.
    q: [[usize; 8]; 2],
    v: [[usize; 8]; 2],
    /// x, y, z and the mount on the parent, and on the body, in the axes of their links.
    axes: [[Lanes<8>; 9]; 2],
    mount: [[Lanes<8>; 3]; 2],
    /// I, h and m of the body.
    inertia: [Lanes<8>; 10],
    /// For each of the six rows: 1 if a joint has it; and whether any joint does.
    has: [Lanes<8>; 6],
    any: [bool; 6],
    /// For each joint: the index of each of the six among its rows, and its number of rows.
    place: [[usize; 6]; 8],
    rows: [usize; 8],
    /// True if the rows of every joint are the first of the six.
    in_order: bool,
}

/// The rows of a joint among the six; `None` for joints with other rows.
fn rows_of(kind: &JointKind) -> Option<&'static [usize]> {
    Some(match kind {
        JointKind::Fixed => &[0, 1, 2, 3, 4, 5],
        JointKind::Revolute { .. } => &[0, 1, 2, 3, 4],
        JointKind::Spherical => &[0, 1, 2],
        JointKind::Prismatic { .. } => &[0, 1, 3, 4, 5],
        JointKind::Cylindrical { .. } => &[0, 1, 3, 4],
        JointKind::Planar { .. } => &[2, 3, 4],
        JointKind::Free => &[],
        JointKind::Universal { .. } | JointKind::Helical { .. } => return None,
    })
}

/// All nodes of the tree in blocks; `None` if some row is not that of a joint of the tree.
pub(super) fn blocks(model: &Model, rows: &Rows, sparse: &Sparse) -> Option<Vec<EightJoints>> {
    let nodes = sparse.nodes.len();
    let in_tree = |row: usize| sparse.place[row].is_some() || rows.kinds[row].terms.inertia() == Some(0.0);
    if sparse.is_degenerate() || !(0..rows.len()).all(in_tree) {
        return None;
    }
    let mut blocks = Vec::new();
    for first in (0..nodes).step_by(8) {
        let mut block = EightJoints::empty(model, first, (nodes - first).min(8));
        for l in 0..block.count {
            block.put(model, rows, sparse, l)?;
        }
        block.in_order = (0..block.count).all(|l| (0..block.rows[l]).all(|i| block.place[l][i] == i));
        blocks.push(block);
    }
    Some(blocks)
}

impl EightJoints {
    fn empty(model: &Model, first: usize, count: usize) -> EightJoints {
        let zero = Lanes([0.0; 8]);
        EightJoints {
            first,
            count,
            q: [[model.nq(); 8]; 2],
            v: [[model.nv(); 8]; 2],
            axes: [[zero; 9]; 2],
            mount: [[zero; 3]; 2],
            inertia: [zero; 10],
            has: [zero; 6],
            any: [false; 6],
            place: [[6; 6]; 8],
            rows: [0; 8],
            in_order: false,
        }
    }

    /// Fills lane l; `None` if these equations do not cover the joint.
    fn put(&mut self, model: &Model, rows: &Rows, sparse: &Sparse, l: usize) -> Option<()> {
        let node = &sparse.nodes[self.first + l];
        let (tree, link) = (&model.tree, node.link);
        if tree.frame_of(link) != Pose::IDENTITY {
            return None;
        }
        (self.q[1][l], self.v[1][l]) = (tree.q[link], tree.v[link]);
        let inertia = tree.inertia_of(link);
        let (Sym3 { xx, xy, xz, yy, yz, zz }, [hx, hy, hz]) =
            (inertia.rotational, inertia.first_moment.array());
        for (lanes, x) in self.inertia.iter_mut().zip([xx, yy, zz, xy, xz, yz, hx, hy, hz, inertia.mass]) {
            lanes.0[l] = x;
        }
        let Some(&row) = node.rows.first() else { return Some(()) };
        let constraint = &model.constraints()[rows.kinds[row].owner.constraint()?];
        let ConstraintKind::Joint { kind, a, b } = &constraint.kind else { return None };
        let own = rows_of(kind)?;
        let rigid = node.rows.iter().take(own.len()).all(|r| rows.kinds[*r].terms.constrains_position());
        let resting = node.rows.iter().skip(own.len()).all(|r| rows.kinds[*r].terms.inertia() == Some(0.0));
        let [parent, child] = rows.links[row];
        if !rigid || !resting || child != link {
            return None;
        }
        if parent != 0 {
            (self.q[0][l], self.v[0][l]) = (tree.q[parent], tree.v[parent]);
        }
        for (side, mount) in [a, b].into_iter().enumerate() {
            self.put_mount(model, side, l, kind, mount);
        }
        self.rows[l] = own.len();
        for (place, &i) in own.iter().enumerate() {
            (self.has[i].0[l], self.any[i], self.place[l][i]) = (1.0, true, place);
        }
        Some(())
    }

    fn put_mount(&mut self, model: &Model, side: usize, l: usize, kind: &JointKind, mount: &Mount) {
        let x = model.bodies()[mount.body.index()].pose_in_link * mount.pose;
        let M3 { x: e, y: f, z: g } = x.rot * kinds::joint_axes(kind);
        let numbers = [e, f, g].into_iter().flat_map(V3::array);
        self.axes[side].iter_mut().zip(numbers).for_each(|(lanes, n)| lanes.0[l] = n);
        self.mount[side].iter_mut().zip(x.pos.array()).for_each(|(lanes, n)| lanes.0[l] = n);
    }

    /// Writes the negatives of six values as targets of the rows that each joint has; forces are zero.
    #[inline(always)]
    fn write_targets<W: Eight>(&self, [a, b, c, d, e, f]: [W; 6], out: &mut [[f64; 6]]) {
        let out = &mut out[self.first..self.first + self.count];
        if self.in_order {
            return store_eight([-a, -b, -c, -d, -e, -f], out);
        }
        let mut all = [[0.0; 6]; 8];
        store_eight([-a, -b, -c, -d, -e, -f], &mut all);
        for l in 0..self.count {
            for i in 0..6 {
                if self.place[l][i] < 6 {
                    out[l][self.place[l][i]] = all[l][i];
                }
            }
        }
    }

    #[inline(always)]
    fn last(&self) -> usize {
        self.first + self.count - 1
    }
}

/// Stores six values of each lane at the place of that lane.
#[inline(always)]
fn store_eight<W: Eight>([a, b, c, d, e, f]: [W; 6], out: &mut [[f64; 6]]) {
    let by_lane = W::transpose([a, b, c, d, e, f, W::zero(), W::zero()]);
    if let Ok(eight) = <&mut [[f64; 6]; 8]>::try_from(&mut *out) {
        for l in 0..8 {
            by_lane[l].store_some(&mut eight[l]);
        }
    } else {
        for l in 0..out.len().min(8) {
            by_lane[l].store_some(&mut out[l]);
        }
    }
}

/// Eight pairs of bodies at a configuration.
struct Placed<W> {
    rot: [M3<W>; 2],
    /// x, y, z on both sides; from the origins of the bodies to their mounts; from mount to mount.
    axes: [M3<W>; 2],
    r: [V3<W>; 2],
    d: V3<W>,
}

#[inline(always)]
fn vector<W: Eight>(x: &[Lanes<8>]) -> V3<W> {
    V3::new(W::load(&x[0]), W::load(&x[1]), W::load(&x[2]))
}

#[inline(always)]
fn matrix<W: Eight>(x: &[Lanes<8>; 9]) -> M3<W> {
    M3::columns(vector(&x[..3]), vector(&x[3..6]), vector(&x[6..]))
}

/// One side of eight joints: the rotation of the body, its position, the axes of the joint, and the vector from the body to the mount. A
/// function and not a closure, which would not be compiled for the selected instruction set; likewise below.
#[inline(always)]
fn side<W: Eight>(block: &EightJoints, k: usize, q: &[f64]) -> (M3<W>, V3<W>, M3<W>, V3<W>) {
    let [px, py, pz, w, x, y, z, _] = gather::<W, 7>(q, &block.q[k]);
    let rot = Quat { w, x, y, z }.matrix();
    (rot, V3::new(px, py, pz), rot * matrix(&block.axes[k]), rot * vector::<W>(&block.mount[k]))
}

impl<W: Eight> Placed<W> {
    #[inline(always)]
    fn at(block: &EightJoints, q: &[f64]) -> Placed<W> {
        let (rot_a, p_a, axes_a, r_a) = side(block, 0, q);
        let (rot_b, p_b, axes_b, r_b) = side(block, 1, q);
        let d = (p_b - p_a) + (r_b - r_a);
        Placed { rot: [rot_a, rot_b], axes: [axes_a, axes_b], r: [r_a, r_b], d }
    }

    /// C of all six rows; beyond a quarter turn, u·w ∓ 2.
    #[inline(always)]
    fn values(&self) -> [W; 6] {
        let ([a, b], d) = (&self.axes, self.d);
        let (xz, yz, xy) = (a.x.dot(b.z), a.y.dot(b.z), a.x.dot(b.y));
        let (over, back) = (a.z.dot(b.z), a.x.dot(b.x));
        [
            a.x.dot(d),
            a.y.dot(d),
            a.z.dot(d),
            over.choose_below(0.0, beyond(xz), xz),
            over.choose_below(0.0, beyond(yz), yz),
            over.choose_below(0.0, xy, back.choose_below(0.0, beyond(xy), xy)),
        ]
    }

    /// The angular velocities in world axes, and ḋ.
    #[inline(always)]
    fn moving(&self, block: &EightJoints, v: &[f64]) -> Moving<W> {
        let [a, b, c, x, y, z, ..] = gather::<W, 6>(v, &block.v[0]);
        let spin_a = self.rot[0] * V3::new(x, y, z);
        let lin_a = V3::new(a, b, c) + spin_a.cross(self.r[0]);
        let [a, b, c, x, y, z, ..] = gather::<W, 6>(v, &block.v[1]);
        let spin_b = self.rot[1] * V3::new(x, y, z);
        let lin_b = V3::new(a, b, c) + spin_b.cross(self.r[1]);
        Moving { spin: [spin_a, spin_b], slip: lin_b - lin_a }
    }

    /// Ċ of all six rows.
    #[inline(always)]
    fn rates(&self, m: &Moving<W>) -> [W; 6] {
        let [a, b] = &self.axes;
        [
            self.rate_along(m, a.x),
            self.rate_along(m, a.y),
            self.rate_along(m, a.z),
            m.rate_across(a.x, b.z),
            m.rate_across(a.y, b.z),
            m.rate_across(a.x, b.y),
        ]
    }
    #[inline(always)]
    fn rate_along(&self, m: &Moving<W>, e: V3<W>) -> W {
        m.spin[0].cross(e).dot(self.d) + e.dot(m.slip)
    }

    /// (3) of all six rows.
    #[inline(always)]
    fn biases(&self, m: &Moving<W>) -> [W; 6] {
        let ([a, b], [w_a, w_b]) = (&self.axes, m.spin);
        let pulled = w_b.cross(w_b.cross(self.r[1])) - w_a.cross(w_a.cross(self.r[0]));
        [
            self.bias_along(m, pulled, a.x),
            self.bias_along(m, pulled, a.y),
            self.bias_along(m, pulled, a.z),
            m.bias_across(a.x, b.z),
            m.bias_across(a.y, b.z),
            m.bias_across(a.x, b.y),
        ]
    }
    #[inline(always)]
    fn bias_along(&self, m: &Moving<W>, pulled: V3<W>, e: V3<W>) -> W {
        let turned = m.spin[0].cross(e);
        let twice = (turned + turned).dot(m.slip);
        m.spin[0].cross(turned).dot(self.d) + twice + e.dot(pulled)
    }
}

/// C beyond a quarter turn.
#[inline(always)]
fn beyond<W: Eight>(c: W) -> W {
    let two = W::from_f64(2.0);
    c - c.choose_below(0.0, -two, two)
}

/// The velocities of eight pairs of bodies: ω of both, and ḋ.
struct Moving<W> {
    spin: [V3<W>; 2],
    slip: V3<W>,
}

impl<W: Eight> Moving<W> {
    #[inline(always)]
    fn rate_across(&self, u: V3<W>, w: V3<W>) -> W {
        self.spin[0].cross(u).dot(w) + u.dot(self.spin[1].cross(w))
    }
    #[inline(always)]
    fn bias_across(&self, u: V3<W>, w: V3<W>) -> W {
        let (du, dw) = (self.spin[0].cross(u), self.spin[1].cross(w));
        self.spin[0].cross(du).dot(w) + (du + du).dot(dw) + u.dot(self.spin[1].cross(dw))
    }
}

/// I, h and m of eight bodies in world axes.
#[inline(always)]
fn inertia<W: Eight>(block: &EightJoints, rot: M3<W>) -> (Sym3<W>, V3<W>, W) {
    let (diagonal, across): (V3<W>, V3<W>) = (vector(&block.inertia[..3]), vector(&block.inertia[3..6]));
    let i = Sym3 { xx: diagonal.x, yy: diagonal.y, zz: diagonal.z, xy: across.x, xz: across.y, yz: across.z };
    (i.rotated(rot), rot * vector::<W>(&block.inertia[6..9]), W::load(&block.inertia[9]))
}

/// Sets the targets −C; returns the largest norm of C of a joint, NaN if any is NaN.
pub(super) struct Values<'a> {
    pub blocks: &'a [EightJoints],
    pub q: &'a [f64],
    pub sparse: &'a mut Sparse,
}

impl Kernel for Values<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<I: Isa>(self) -> f64 {
        let mut largest = 0.0f64;
        for block in self.blocks {
            let c = Placed::<I::F64x8>::at(block, self.q).values();
            block.write_targets(c, &mut self.sparse.g);
            let mut square = I::F64x8::zero();
            for k in 0..6 {
                square = (c[k] * c[k]).mul_add(I::F64x8::load(&block.has[k]), square);
            }
            let mut squares = Lanes([0.0; 8]);
            square.store(&mut squares);
            for square in squares.0 {
                largest = if square <= largest { largest } else { square };
            }
            self.sparse.f[block.first..block.first + block.count].fill([0.0; 6]);
            if largest.is_nan() {
                break;
            }
        }
        largest.sqrt()
    }
}

/// Sets the targets that bring the joints to rest.
pub(super) struct Rates<'a> {
    pub blocks: &'a [EightJoints],
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub sparse: &'a mut Sparse,
}

impl Kernel for Rates<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for block in self.blocks {
            write_rest_targets(block, &Placed::<I::F64x8>::at(block, self.q), self.v, self.sparse);
        }
    }
}

#[inline(always)]
fn write_rest_targets<W: Eight>(block: &EightJoints, x: &Placed<W>, v: &[f64], sparse: &mut Sparse) {
    block.write_targets(x.rates(&x.moving(block, v)), &mut sparse.g);
    sparse.f[block.first..block.first + block.count].fill([0.0; 6]);
}

/// Writes wrenches and masses, and sets the targets that bring the joints to rest.
pub(super) struct Wrenches<'a> {
    pub blocks: &'a [EightJoints],
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub sparse: &'a mut Sparse,
}

impl Kernel for Wrenches<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for block in self.blocks {
            let x = Placed::<I::F64x8>::at(block, self.q);
            write_rest_targets(block, &x, self.v, self.sparse);
            write_wrenches(block, &x, self.sparse);
            write_masses(block, &x, self.sparse);
        }
    }
}

#[inline(always)]
fn write_wrenches<W: Eight>(block: &EightJoints, x: &Placed<W>, sparse: &mut Sparse) {
    let [a, b] = &x.axes;
    write_push::<W, 0>(block, x, a.x, sparse);
    write_push::<W, 1>(block, x, a.y, sparse);
    write_push::<W, 2>(block, x, a.z, sparse);
    write_turn::<W, 3>(block, a.x, b.z, sparse);
    write_turn::<W, 4>(block, a.y, b.z, sparse);
    write_turn::<W, 5>(block, a.x, b.y, sparse);
    // rates without resistance take no part
    for l in 0..block.count {
        let on = &mut sparse.nodes[block.first + l].on;
        for (k, row) in sparse.kkt.rows_mut(block.first + l).iter_mut().enumerate() {
            on[k] = k < block.rows[l];
            if !on[k] {
                *row = Row { child: [0.0; 6], parent: [0.0; 6], compliance: 1.0 };
            }
        }
    }
}

/// Writes a row of (1).
#[inline(always)]
fn write_push<W: Eight, const K: usize>(block: &EightJoints, x: &Placed<W>, e: V3<W>, sparse: &mut Sparse) {
    if block.any[K] {
        let (on_b, on_a) = (x.r[1].cross(e), e.cross(x.r[0] + x.d));
        write_row::<W, K>(block, (on_b, e), (on_a, -e), sparse);
    }
}

/// Writes a row of (2).
#[inline(always)]
fn write_turn<W: Eight, const K: usize>(block: &EightJoints, u: V3<W>, w: V3<W>, sparse: &mut Sparse) {
    if block.any[K] {
        let (n, none) = (w.cross(u), V3::zero());
        write_row::<W, K>(block, (n, none), (-n, none), sparse);
    }
}

#[inline(always)]
fn write_row<W: Eight, const K: usize>(
    block: &EightJoints,
    (n_b, f_b): (V3<W>, V3<W>),
    (n_a, f_a): (V3<W>, V3<W>),
    sparse: &mut Sparse,
) {
    let none = W::zero();
    let child = W::transpose([n_b.x, n_b.y, n_b.z, f_b.x, f_b.y, f_b.z, none, none]);
    let parent = W::transpose([n_a.x, n_a.y, n_a.z, f_a.x, f_a.y, f_a.z, none, none]);
    for l in 0..8 {
        if block.place[l][K] < 6 {
            let row = &mut sparse.kkt.rows_mut(block.first + l)[block.place[l][K]];
            child[l].store_some(&mut row.child);
            parent[l].store_some(&mut row.parent);
            row.compliance = 0.0;
        }
    }
}

/// Writes the masses, of which the upper halves are read.
#[inline(always)]
fn write_masses<W: Eight>(block: &EightJoints, x: &Placed<W>, sparse: &mut Sparse) {
    let (Sym3 { xx, xy, xz, yy, yz, zz }, h, m) = inertia(block, x.rot[1]);
    let (o, masses) = (W::zero(), &mut sparse.kkt.masses_mut()[block.first..block.first + block.count]);
    write_mass_row::<W, 0>([xx, xy, xz, o, -h.z, h.y], masses);
    write_mass_row::<W, 1>([xy, yy, yz, h.z, o, -h.x], masses);
    write_mass_row::<W, 2>([xz, yz, zz, -h.y, h.x, o], masses);
    write_mass_row::<W, 3>([o, h.z, -h.y, m, o, o], masses);
    write_mass_row::<W, 4>([-h.z, o, h.x, o, m, o], masses);
    write_mass_row::<W, 5>([h.y, -h.x, o, o, o, m], masses);
}

#[inline(always)]
fn write_mass_row<W: Eight, const K: usize>([a, b, c, d, e, f]: [W; 6], masses: &mut [Block]) {
    let by_body = W::transpose([a, b, c, d, e, f, W::zero(), W::zero()]);
    for l in 0..8 {
        if l < masses.len() {
            by_body[l].store_some(&mut masses[l][K]);
        }
    }
}

/// Writes the forces of (4), and the targets −J̇v.
pub(super) struct Biases<'a> {
    pub blocks: &'a [EightJoints],
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub tau: &'a [f64],
    pub gravity: V3,
    pub sparse: &'a mut Sparse,
}

impl Kernel for Biases<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let gravity: V3<I::F64x8> = self.gravity.lift();
        for block in self.blocks {
            let x = Placed::<I::F64x8>::at(block, self.q);
            let moving = x.moving(block, self.v);
            block.write_targets(x.biases(&moving), &mut self.sparse.g);
            let (i, h, m) = inertia(block, x.rot[1]);
            let [a, b, c, d, e, f, ..] = gather::<I::F64x8, 6>(self.tau, &block.v[1]);
            let (w, pushed, turned) = (moving.spin[1], V3::new(a, b, c), x.rot[1] * V3::new(d, e, f));
            let n = turned + h.cross(gravity) - w.cross(i * w);
            let f = gravity.mul_add(m, pushed) - w.cross(w.cross(h));
            let bodies = &mut self.sparse.f[block.first..block.first + block.count];
            store_eight([n.x, n.y, n.z, f.x, f.y, f.z], bodies);
        }
    }
}

/// Reads the solved motions, in the coordinates of the model.
pub(super) struct Motions<'a> {
    pub blocks: &'a [EightJoints],
    pub q: &'a [f64],
    pub sparse: &'a Sparse,
    pub x: &'a mut [f64],
}

impl Kernel for Motions<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for block in self.blocks {
            let [.., w, x, y, z, _] = gather::<I::F64x8, 7>(self.q, &block.q[1]);
            let rot = Quat { w, x, y, z }.matrix();
            let mut found = [I::F64x8::zero(); 8];
            for l in 0..8 {
                found[l] = I::F64x8::load_some(&self.sparse.f[(block.first + l).min(block.last())]);
            }
            let [a, b, c, d, e, f, o, _] = I::F64x8::transpose(found);
            let turns = rot.tr_mul(V3::new(a, b, c));
            let by_body = I::F64x8::transpose([d, e, f, turns.x, turns.y, turns.z, o, o]);
            for l in 0..8 {
                if l < block.count {
                    let at = block.v[1][l];
                    by_body[l].store_some(&mut self.x[at..at + 6]);
                }
            }
        }
    }
}
