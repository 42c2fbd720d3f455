//! The sweeps behind ∂τ/∂q, ∂τ/∂v and M; the equations are those of the [module](super).

use super::chain::{Chain, Piece, pieces};
use super::{InverseDynamicsDerivatives, Rows};
use crate::algebra::lanes::{Eight, Isa, Portable};
use crate::algebra::{Lanes, M3, Real, Sym3, V3};
use crate::dynamics::outward::{attitude, blocks_of, links_of, place, three};
use crate::dynamics::sweep::{OneState, Scratch, m3, put_m3, put_v3, put_z, v3};
use crate::model::{Kind, Tree};
use crate::spatial::{Force, Inertia, Motion, Pose};

/// The intermediate results of the sweeps.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// The rotation (by columns) and position of each degree of freedom's link, in world axes, from the origin of the tree's root; for a
    /// massless axis only the third column is set: the axis. In blocks, by [`poses`].
    pose: Vec<([Lanes<8>; 9], [Lanes<8>; 3])>,
    /// After each degree of freedom, the world first: V, and A with −g. One row each, by [`outward`].
    velocity: Vec<Lanes<8>>,
    acceleration: Vec<Lanes<8>>,
    /// After each degree of freedom, the world first: m, h, J; D; L; F of the link, and after [`gather`] of its subtree. By [`outward`].
    composite: Vec<[Lanes<8>; 4]>,
    /// S, Ψ̈, Φ and Ψ̇, in blocks, by [`velocities`] and [`outward`].
    axis: Vec<[Lanes<8>; 24]>,
    /// P, Q, R, T, in blocks, by [`inward`].
    force: Vec<[Lanes<8>; 21]>,
    /// After each degree of freedom, the world first: P q̈, then its sum over the subtree. By [`accelerate`].
    push: Vec<Lanes<8>>,
}

impl Work {
    pub fn new(chain: &Chain) -> Work {
        let (blocks, zero) = (chain.blocks(), Lanes([0.0; 8]));
        Work {
            pose: vec![([zero; 9], [zero; 3]); blocks],
            velocity: vec![zero; 8 * blocks + 1],
            acceleration: vec![zero; 8 * blocks + 1],
            composite: vec![[zero; 4]; 8 * blocks + 1],
            axis: vec![[zero; 24]; blocks],
            force: vec![[zero; 21]; blocks],
            push: vec![zero; 8 * blocks + 1],
        }
    }

    /// The pose of a link, given by its last degree of freedom, from the origin of its tree's root.
    pub fn link_pose(&self, t: usize) -> Pose {
        let (rot, pos) = &self.pose[t / 8];
        Pose { rot: m3::<OneState<Portable>>(rot, t), pos: v3::<OneState<Portable>>(pos, t) }
    }

    /// V and A after a degree of freedom.
    pub fn motion_after(&self, t: usize) -> (Motion, Motion) {
        let motion = |row: &Lanes<8>| {
            let [a, b, c, d, e, f, ..] = row.0;
            Motion { ang: V3::new(a, b, c), lin: V3::new(d, e, f) }
        };
        (motion(&self.velocity[t + 1]), motion(&self.acceleration[t + 1]))
    }

    /// S of a degree of freedom.
    pub fn screw(&self, t: usize) -> Motion {
        let x = |k: usize| self.axis[t / 8][k].0[t % 8];
        Motion { ang: V3::new(x(0), x(1), x(2)), lin: V3::new(x(3), x(4), x(5)) }
    }
}

/// Computes ∂τ/∂q, ∂τ/∂v, M and τ at (q, v, a), in depth-first order.
#[inline(always)]
pub(super) fn derivatives<I: Isa>(
    tree: &Tree,
    s: &mut Scratch<Lanes<8>, f64>,
    at: [&[f64]; 3],
    gravity: V3,
    out: &mut InverseDynamicsDerivatives,
) {
    let InverseDynamicsDerivatives { chain, work, tau, rows, .. } = out;
    motions::<I>(tree, s, at, gravity, chain, work);
    gather::<I>(chain, &mut work.composite);
    for (block, tau) in tau.iter_mut().enumerate().take(chain.blocks()) {
        inward::<I>(work, block, tau);
    }
    for t in 0..chain.end.len() {
        row::<I, true, true>(chain, work, t, rows);
        let armature = tree.armature[chain.dof[t]];
        if armature != 0.0 {
            rows.add_to_mass(t, armature);
            tau[t / 8].0[t % 8] = armature.mul_add(at[2][chain.dof[t]], tau[t / 8].0[t % 8]);
        }
    }
}

/// Computes M and everything else that does not depend on q̈; τ⁰ and Q⁰ are those of q̈ = 0, which is given as `rest`.
#[inline(always)]
pub(super) fn bias<I: Isa>(
    tree: &Tree,
    s: &mut Scratch<Lanes<8>, f64>,
    [q, v, rest]: [&[f64]; 3],
    gravity: V3,
    out: &mut InverseDynamicsDerivatives,
) {
    let InverseDynamicsDerivatives { chain, work, tau, rows, .. } = out;
    motions::<I>(tree, s, [q, v, rest], gravity, chain, work);
    gather::<I>(chain, &mut work.composite);
    for (block, tau) in tau.iter_mut().enumerate().take(chain.blocks()) {
        inward::<I>(work, block, tau);
    }
    for t in 0..chain.end.len() {
        row::<I, false, true>(chain, work, t, rows);
        let armature = tree.armature[chain.dof[t]];
        if armature != 0.0 {
            rows.add_to_mass(t, armature);
        }
    }
}

/// After [`bias`]: computes ∂τ/∂q, ∂τ/∂v and τ for q̈ by (10).
#[inline(always)]
pub(super) fn accelerate<I: Isa>(tree: &Tree, a: &[f64], out: &mut InverseDynamicsDerivatives) {
    let InverseDynamicsDerivatives { chain, work, tau, rows, .. } = out;
    work.acceleration[0] = Lanes([0.0; 8]);
    for block in 0..chain.blocks() {
        push::<I>(chain, work, block, a);
    }
    for t in (0..chain.end.len()).rev() {
        let (above, own) = (chain.parent[t], I::F64x8::load(&work.push[t + 1]));
        if above != 0 {
            (I::F64x8::load(&work.push[above]) + own).store(&mut work.push[above]);
        }
    }
    for (block, tau) in tau.iter_mut().enumerate().take(chain.blocks()) {
        turn::<I>(chain, work, block, tau);
    }
    for t in 0..chain.end.len() {
        row::<I, true, false>(chain, work, t, rows);
        let k = chain.dof[t];
        tau[t / 8].0[t % 8] = tree.armature[k].mul_add(a[k], tau[t / 8].0[t % 8]);
    }
}

/// Local: A′ after each of eight degrees of freedom, and P q̈.
#[inline(always)]
fn push<I: Isa>(chain: &Chain, work: &mut Work, block: usize, a: &[f64]) {
    let eight = 8 * block..8 * block + 8;
    let (acc, s) = (pick::<I>(a, &chain.dof[eight.clone()]), motion::<I>(&work.axis[block][..6]));
    accumulate::<I>(&chain.parent[eight], s * acc, &mut work.acceleration, 8 * block);
    let p = &work.force[block];
    let (n, f, none) = (load_v3::<I>(&p[..3]) * acc, load_v3::<I>(&p[3..6]) * acc, I::F64x8::zero());
    let rows = I::F64x8::transpose([n.x, n.y, n.z, f.x, f.y, f.z, none, none]);
    for (row, to) in rows.into_iter().zip(&mut work.push[8 * block + 1..]) {
        row.store(to);
    }
}

/// Local: Ψ̈, Q and τ of eight degrees of freedom.
#[inline(always)]
fn turn<I: Isa>(chain: &Chain, work: &mut Work, block: usize, tau: &mut Lanes<8>) {
    let eight = 8 * block..8 * block + 8;
    let before = after::<I>(&work.acceleration, &chain.parent[eight.clone()]);
    let base = if chain.balls[block] { after::<I>(&work.acceleration, &chain.base[eight]) } else { before };
    let beyond = after::<I>(&work.push, &own_rows(block));
    let rows = &work.composite[8 * block + 1..8 * block + 9];
    let inertia = inertia_of::<I>(fields::<I>(rows, 0), fields::<I>(rows, 1));
    let f = inertia.momentum(before) + Force { moment: beyond.ang, force: beyond.lin };
    let (axis, force) = (&mut work.axis[block], &mut work.force[block]);
    let (s, psi_ddot) = (motion::<I>(&axis[..6]), motion::<I>(&axis[6..12]));
    let gain = base.cross(s);
    put_motion::<I>(&mut axis[6..12], psi_ddot + gain);
    let q = Force { moment: load_v3::<I>(&force[6..9]), force: load_v3::<I>(&force[9..12]) };
    put_force::<I>(&mut force[6..12], q + s.cross_force(f) + inertia.momentum(gain));
    (I::F64x8::load(tau) + s.power(f)).store(tau);
}

/// Computes the poses and motions, and the inertial quantities of each link by itself.
#[inline(always)]
pub(super) fn motions<I: Isa>(
    tree: &Tree,
    s: &mut Scratch<Lanes<8>, f64>,
    [q, v, a]: [&[f64]; 3],
    gravity: V3,
    chain: &Chain,
    work: &mut Work,
) {
    poses::<I>(tree, chain, s, q, &mut work.pose);
    work.acceleration[0] = Lanes([0.0, 0.0, 0.0, -gravity.x, -gravity.y, -gravity.z, 0.0, 0.0]);
    for block in 0..chain.blocks() {
        velocities::<I>(chain, work, block, v);
    }
    for block in 0..chain.blocks() {
        outward::<I>(chain, work, block, v, a);
    }
}

/// Computes the poses of the links, from the origin of their tree's root.
#[inline(always)]
fn poses<I: Isa>(
    tree: &Tree,
    chain: &Chain,
    s: &mut Scratch<Lanes<8>, f64>,
    q: &[f64],
    pose: &mut [([Lanes<8>; 9], [Lanes<8>; 3])],
) {
    let mut above: (M3, V3) = (M3::IDENTITY, V3::ZERO);
    for block in blocks_of::<OneState<I>>(s.moving.len()) {
        place::<OneState<I>>(tree, &mut s.moving, block, q);
        for i in links_of::<OneState<I>>(tree, block) {
            let (p, tip) = (tree.parent[i], chain.of_link[i] - 1);
            if p == 0 {
                above = (M3::IDENTITY, V3::ZERO);
            } else if p + 1 != i {
                let t = chain.of_link[p] - 1;
                let (rot, pos) = &pose[t / 8];
                above = (m3::<OneState<I>>(rot, t), v3::<OneState<I>>(pos, t));
            }
            let moving = &s.moving[i / 8];
            let (x, d) = (m3::<OneState<I>>(&moving.rot, i), v3::<OneState<I>>(&moving.r, i));
            let (mut rot, at) = (above.0 * x, tree.q[i]);
            let pos = match tree.kind[i] {
                Kind::World => continue,
                Kind::Hinge | Kind::Screw => above.0.mul_add(d, above.1),
                Kind::Ball => {
                    rot = rot * attitude::<OneState<I>>(q, at);
                    above.0.mul_add(d, above.1)
                }
                Kind::Free => {
                    let d = x.mul_add(three::<OneState<I>>(q, at), d);
                    let pos = above.0.mul_add(d, above.1);
                    axis::<I>(pose, tip - 5, rot.x, pos);
                    axis::<I>(pose, tip - 4, rot.y, pos);
                    axis::<I>(pose, tip - 3, rot.z, pos);
                    rot = rot * attitude::<OneState<I>>(q, at + 3);
                    pos
                }
            };
            let pos = if p == 0 { V3::ZERO } else { pos };
            if matches!(tree.kind[i], Kind::Ball | Kind::Free) {
                axis::<I>(pose, tip - 2, rot.x, pos);
                axis::<I>(pose, tip - 1, rot.y, pos);
            }
            put_m3::<OneState<I>>(&mut pose[tip / 8].0, tip, rot);
            put_v3::<OneState<I>>(&mut pose[tip / 8].1, tip, pos);
            above = (rot, pos);
        }
    }
}

/// Stores a massless axis.
#[inline(always)]
fn axis<I: Isa>(pose: &mut [([Lanes<8>; 9], [Lanes<8>; 3])], t: usize, z: V3, p: V3) {
    put_z::<OneState<I>>(&mut pose[t / 8].0, t, z);
    put_v3::<OneState<I>>(&mut pose[t / 8].1, t, p);
}

/// Local: S of eight degrees of freedom, and V after each.
#[inline(always)]
fn velocities<I: Isa>(chain: &Chain, work: &mut Work, block: usize, v: &[f64]) {
    let eight = 8 * block..8 * block + 8;
    let ((rot, p), screw) = (&work.pose[block], &chain.screw[block]);
    let (z, p) = (load_v3::<I>(&rot[6..9]), load_v3::<I>(&p[..]));
    let s_w = z * I::F64x8::load(&screw[0]);
    let s = Motion { ang: s_w, lin: p.cross_add(s_w, z * I::F64x8::load(&screw[1])) };
    put_motion::<I>(&mut work.axis[block][..6], s);
    let rate = pick::<I>(v, &chain.dof[eight.clone()]);
    accumulate::<I>(&chain.parent[eight], s * rate, &mut work.velocity, 8 * block);
}

/// Local: Ψ̇, Ψ̈ and Φ of eight degrees of freedom, A after each, and I, D, L and F of its link: (1) to (4).
#[inline(always)]
fn outward<I: Isa>(chain: &Chain, work: &mut Work, block: usize, v: &[f64], a: &[f64]) {
    let eight = 8 * block..8 * block + 8;
    let s = motion::<I>(&work.axis[block][..6]);
    let (rate, acc) = (pick::<I>(v, &chain.dof[eight.clone()]), pick::<I>(a, &chain.dof[eight.clone()]));
    let v_base = after::<I>(&work.velocity, &chain.base[eight.clone()]);
    let psi_dot = v_base.cross(s);
    let (velocity, s_dot) = if chain.balls[block] {
        let v_own = after::<I>(&work.velocity, &own_rows(block));
        (v_own, after::<I>(&work.velocity, &chain.last[eight.clone()]).cross(s))
    } else {
        (v_base + s * rate, psi_dot)
    };
    let gain =
        Motion { ang: s_dot.ang.mul_add(rate, s.ang * acc), lin: s_dot.lin.mul_add(rate, s.lin * acc) };
    accumulate::<I>(&chain.parent[eight.clone()], gain, &mut work.acceleration, 8 * block);
    let a_base = after::<I>(&work.acceleration, &chain.base[eight]);
    let acceleration =
        if chain.balls[block] { after::<I>(&work.acceleration, &own_rows(block)) } else { a_base + gain };
    let psi_ddot = a_base.cross(s) + v_base.cross(psi_dot);
    let axis = &mut work.axis[block];
    put_motion::<I>(&mut axis[6..12], psi_ddot);
    put_motion::<I>(&mut axis[12..18], s_dot + psi_dot);
    put_motion::<I>(&mut axis[18..24], psi_dot);
    let (rot, p) = &work.pose[block];
    let (rot, p) = (load_m3::<I>(rot), load_v3::<I>(&p[..]));
    let inertia = inertia_at_origin::<I>(&chain.inertia[block], rot, p);
    block_inertial_forces::<I>(
        inertia,
        velocity,
        acceleration,
        &mut work.composite[8 * block + 1..8 * block + 9],
    );
}

/// I, D, L and F of eight links: (3) and (4).
#[inline(always)]
fn block_inertial_forces<I: Isa>(
    inertia: Inertia<I::F64x8>,
    v: Motion<I::F64x8>,
    a: Motion<I::F64x8>,
    rows: &mut [[Lanes<8>; 4]],
) {
    let (h, j) = (inertia.first_moment, inertia.rotational);
    let l = inertia.momentum(v);
    let f = inertia.momentum(a) + v.cross_force(l);
    let d = inertia_rate(j, h, v);
    let cells = [
        [inertia.mass, h.x, h.y, h.z, j.xx, j.xy, j.xz, j.yy],
        [j.yz, j.zz, d.xx, d.xy, d.xz, d.yy, d.yz, d.zz],
        [l.moment.x, l.moment.y, l.moment.z, l.force.x, l.force.y, l.force.z, f.moment.x, f.moment.y],
        [
            f.moment.z,
            f.force.x,
            f.force.y,
            f.force.z,
            I::F64x8::zero(),
            I::F64x8::zero(),
            I::F64x8::zero(),
            I::F64x8::zero(),
        ],
    ];
    for (k, columns) in cells.into_iter().enumerate() {
        for (row, x) in rows.iter_mut().zip(I::F64x8::transpose(columns)) {
            x.store(&mut row[k]);
        }
    }
}

/// D = dJ/dt = [ω]× J − J [ω]× − u hᵀ − h uᵀ + 2 (u·h) 1.
#[inline(always)]
fn inertia_rate<T: Real>(j: Sym3<T>, h: V3<T>, v: Motion<T>) -> Sym3<T> {
    let (full, w, u) = (j.full(), v.ang, v.lin);
    let k = M3::columns(w.cross(full.x), w.cross(full.y), w.cross(full.z));
    let spread = u.dot(h);
    let turned = Sym3 {
        xx: k.x.x + k.x.x,
        xy: k.x.y + k.y.x,
        xz: k.x.z + k.z.x,
        yy: k.y.y + k.y.y,
        yz: k.y.z + k.z.y,
        zz: k.z.z + k.z.z,
    };
    (turned + Sym3::scalar(spread + spread)).sub_outer(u, h).sub_outer(h, u)
}

/// m, h, J of eight links in world axes about the common origin.
#[inline(always)]
fn inertia_at_origin<I: Isa>(c: &[Lanes<8>; 10], rot: M3<I::F64x8>, p: V3<I::F64x8>) -> Inertia<I::F64x8> {
    let (mass, h) = (I::F64x8::load(&c[0]), rot * load_v3::<I>(&c[1..4]));
    let (x, y) = (load_v3::<I>(&c[4..7]), load_v3::<I>(&c[7..10]));
    let j = Sym3 { xx: x.x, xy: x.y, xz: x.z, yy: y.x, yz: y.y, zz: y.z }.rotated(rot);
    let moved = p.mul_add(mass, h);
    let spread = Sym3::scalar(h.dot(p) + moved.dot(p));
    Inertia { mass, first_moment: moved, rotational: (j + spread).sub_outer(h, p).sub_outer(p, moved) }
}

/// Sums over subtrees, from the leaves to the root.
#[inline(always)]
fn gather<I: Isa>(chain: &Chain, rows: &mut [[Lanes<8>; 4]]) {
    for t in (0..chain.end.len()).rev() {
        let (above, own) = (chain.parent[t], rows[t + 1]);
        if above == 0 {
            continue;
        }
        for (cell, x) in rows[above].iter_mut().zip(&own) {
            (I::F64x8::load(cell) + I::F64x8::load(x)).store(cell);
        }
    }
}

/// Local: P, Q, R and T of eight degrees of freedom, and τ: (5) and (6).
#[inline(always)]
fn inward<I: Isa>(work: &mut Work, block: usize, tau: &mut Lanes<8>) {
    let rows = &work.composite[8 * block + 1..8 * block + 9];
    let (first, second) = (fields::<I>(rows, 0), fields::<I>(rows, 1));
    let inertia = inertia_of::<I>(first, second);
    let [_, _, dxx, dxy, dxz, dyy, dyz, dzz] = second;
    let [lx, ly, lz, kx, ky, kz, nx, ny] = fields::<I>(rows, 2);
    let [nz, fx, fy, fz, ..] = fields::<I>(rows, 3);
    let d = Sym3 { xx: dxx, xy: dxy, xz: dxz, yy: dyy, yz: dyz, zz: dzz };
    let l = Force { moment: V3::new(lx, ly, lz), force: V3::new(kx, ky, kz) };
    let f = Force { moment: V3::new(nx, ny, nz), force: V3::new(fx, fy, fz) };
    let axis = &work.axis[block];
    let (s, psi_ddot) = (motion::<I>(&axis[..6]), motion::<I>(&axis[6..12]));
    let (phi, psi_dot) = (motion::<I>(&axis[12..18]), motion::<I>(&axis[18..24]));
    let twice = l.force + l.force;
    let p = inertia.momentum(s);
    let q = s.cross_force(f) + inertia.momentum(psi_ddot) + turned(d, l.moment, twice, psi_dot.ang);
    let r = inertia.momentum(phi) + turned(d, l.moment, twice, s.ang);
    let t = l.moment.cross_add(s.ang, twice.cross_add(s.lin, d * s.ang));
    let to = &mut work.force[block];
    put_force::<I>(&mut to[..6], p);
    put_force::<I>(&mut to[6..12], q);
    put_force::<I>(&mut to[12..18], r);
    store_v3::<I>(&mut to[18..], t);
    s.power(f).store(tau);
}

/// m, h and J in the layout of [`block_inertial_forces`].
#[inline(always)]
fn inertia_of<I: Isa>(first: [I::F64x8; 8], second: [I::F64x8; 8]) -> Inertia<I::F64x8> {
    let ([mass, hx, hy, hz, xx, xy, xz, yy], [yz, zz, ..]) = (first, second);
    Inertia { mass, first_moment: V3::new(hx, hy, hz), rotational: Sym3 { xx, xy, xz, yy, yz, zz } }
}

/// B X = (D X_ω + X_ω × l_n; 2 X_ω × l_f).
#[inline(always)]
fn turned<T: Real>(d: Sym3<T>, l_n: V3<T>, twice_l_f: V3<T>, x: V3<T>) -> Force<T> {
    Force { moment: x.cross_add(l_n, d * x), force: x.cross(twice_l_f) }
}

/// Cell k of eight rows, transposed into eight fields.
#[inline(always)]
fn fields<I: Isa>(rows: &[[Lanes<8>; 4]], k: usize) -> [I::F64x8; 8] {
    I::F64x8::transpose([
        I::F64x8::load(&rows[0][k]),
        I::F64x8::load(&rows[1][k]),
        I::F64x8::load(&rows[2][k]),
        I::F64x8::load(&rows[3][k]),
        I::F64x8::load(&rows[4][k]),
        I::F64x8::load(&rows[5][k]),
        I::F64x8::load(&rows[6][k]),
        I::F64x8::load(&rows[7][k]),
    ])
}

/// One row of ∂τ/∂q and ∂τ/∂q̇ if `RATES`, of M if `MASS`: (7) on the path to the root, (8) in the subtree.
#[inline(always)]
fn row<I: Isa, const RATES: bool, const MASS: bool>(chain: &Chain, work: &Work, t: usize, rows: &mut Rows) {
    let (own, force) = (&work.axis[t / 8], &work.force[t / 8]);
    let [dq, dv, mass] = rows.row(t);
    let p = [spread::<I>(&force[0..3], t), spread::<I>(&force[3..6], t)];
    let turn = spread::<I>(&force[18..21], t);
    for piece in &chain.path[chain.path_of[t]..chain.path_of[t + 1]] {
        let x = &work.axis[piece.block];
        if RATES {
            let by_q = turn.dot(load_v3::<I>(&x[18..21])) + dot::<I>(&p, &x[6..12]);
            let by_v = turn.dot(load_v3::<I>(&x[0..3])) + dot::<I>(&p, &x[12..18]);
            put(&mut dq[piece.block], by_q, *piece);
            put(&mut dv[piece.block], by_v, *piece);
        }
        if MASS {
            put(&mut mass[piece.block], dot::<I>(&p, &x[0..6]), *piece);
        }
    }
    let s = [spread::<I>(&own[0..3], t), spread::<I>(&own[3..6], t)];
    for piece in pieces(chain.last[t], chain.end[t]) {
        let x = &work.force[piece.block];
        if RATES {
            put(&mut dq[piece.block], dot::<I>(&s, &x[6..12]), piece);
            put(&mut dv[piece.block], dot::<I>(&s, &x[12..18]), piece);
        }
        if MASS {
            put(&mut mass[piece.block], dot::<I>(&s, &x[0..6]), piece);
        }
    }
}

#[inline(always)]
fn dot<I: Isa>(a: &[V3<I::F64x8>; 2], b: &[Lanes<8>]) -> I::F64x8 {
    a[0].dot(load_v3::<I>(&b[0..3])) + a[1].dot(load_v3::<I>(&b[3..6]))
}

/// Broadcasts three components of one degree of freedom to all lanes.
#[inline(always)]
fn spread<I: Isa>(c: &[Lanes<8>], t: usize) -> V3<I::F64x8> {
    V3::new(c[0].0[t % 8], c[1].0[t % 8], c[2].0[t % 8]).lift()
}

/// Writes some lanes of a cell.
#[inline(always)]
fn put<W: Eight>(cell: &mut Lanes<8>, x: W, piece: Piece) {
    if piece.from == 0 && piece.to == 8 {
        return x.store(cell);
    }
    let old = W::load(cell);
    old.join(x, piece.from).join(old, piece.to).store(cell);
}

/// Adds the increments of eight degrees of freedom to the motion before each.
#[inline(always)]
fn accumulate<I: Isa>(parent: &[usize], x: Motion<I::F64x8>, rows: &mut [Lanes<8>], first: usize) {
    let none = I::F64x8::zero();
    let columns = [x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z, none, none];
    for (l, row) in I::F64x8::transpose(columns).into_iter().enumerate() {
        let sum = I::F64x8::load(&rows[parent[l]]) + row;
        sum.store(&mut rows[first + l + 1]);
    }
}

/// The motions in some rows, side by side.
#[inline(always)]
fn after<I: Isa>(rows: &[Lanes<8>], at: &[usize]) -> Motion<I::F64x8> {
    let [a, b, c, d, e, f, ..] = I::F64x8::transpose([
        I::F64x8::load(&rows[at[0]]),
        I::F64x8::load(&rows[at[1]]),
        I::F64x8::load(&rows[at[2]]),
        I::F64x8::load(&rows[at[3]]),
        I::F64x8::load(&rows[at[4]]),
        I::F64x8::load(&rows[at[5]]),
        I::F64x8::load(&rows[at[6]]),
        I::F64x8::load(&rows[at[7]]),
    ]);
    Motion { ang: V3::new(a, b, c), lin: V3::new(d, e, f) }
}

#[inline(always)]
fn own_rows(block: usize) -> [usize; 8] {
    let first = 8 * block + 1;
    [first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6, first + 7]
}

#[inline(always)]
fn pick<I: Isa>(x: &[f64], n: &[usize]) -> I::F64x8 {
    I::F64x8::from_array([x[n[0]], x[n[1]], x[n[2]], x[n[3]], x[n[4]], x[n[5]], x[n[6]], x[n[7]]])
}

#[inline(always)]
fn load_v3<I: Isa>(c: &[Lanes<8>]) -> V3<I::F64x8> {
    V3::new(I::F64x8::load(&c[0]), I::F64x8::load(&c[1]), I::F64x8::load(&c[2]))
}

#[inline(always)]
fn store_v3<I: Isa>(c: &mut [Lanes<8>], v: V3<I::F64x8>) {
    v.x.store(&mut c[0]);
    v.y.store(&mut c[1]);
    v.z.store(&mut c[2]);
}

#[inline(always)]
fn motion<I: Isa>(c: &[Lanes<8>]) -> Motion<I::F64x8> {
    Motion { ang: load_v3::<I>(&c[..3]), lin: load_v3::<I>(&c[3..6]) }
}

#[inline(always)]
fn put_motion<I: Isa>(c: &mut [Lanes<8>], x: Motion<I::F64x8>) {
    store_v3::<I>(&mut c[..3], x.ang);
    store_v3::<I>(&mut c[3..6], x.lin);
}

#[inline(always)]
fn put_force<I: Isa>(c: &mut [Lanes<8>], x: Force<I::F64x8>) {
    store_v3::<I>(&mut c[..3], x.moment);
    store_v3::<I>(&mut c[3..6], x.force);
}

#[inline(always)]
fn load_m3<I: Isa>(c: &[Lanes<8>; 9]) -> M3<I::F64x8> {
    M3::columns(load_v3::<I>(&c[0..3]), load_v3::<I>(&c[3..6]), load_v3::<I>(&c[6..9]))
}
