//! The mass matrix by the composite-rigid-body algorithm [Featherstone08, section 6.2], and its sparse factor.
//!
//! The composite inertia (m, h, I) of link i is that of its whole subtree, in world axes at its own origin. For a
//! degree of freedom with axis S = (s; t) on link i, F = I^c S is the momentum of the subtree at unit rate:
//!
//! ```math
//! (1)  to the parent, r away:  m' = m,  h' = h + m r,  I' = I + (h·r + h'·r) 1 − h rᵀ − r h'ᵀ
//! (2)  F = (n; f) about p_i:   n = I s + h × t,        f = s × h + m t
//! (3)  M_ij = S_j · F  =  s_j · (n + (p_i − p_j) × f) + t_j · f      for every j on the path from i to the root
//! ```
//! All other entries of the row are zero, so a row is stored along the path from the root to i, with one entry for each degree of freedom.
//! The path to an ancestor is a prefix of the path to i. In the factorisation `M = Lᵀ D L` [Featherstone05], which updates ancestors' rows
//! by multiples of row i, both rows are therefore contiguous in memory and are combined eight entries at a time.

use super::outward::{free_axes, inertia_in_world, pose_sweep, screw};
use super::sweep::*;
use crate::algebra::lanes::{Eight, Isa};
use crate::algebra::{Lanes, Real, Sym3, V3};
use crate::model::{Kind, Model, Tree};

/// The mass matrix of a model at one configuration, and its factor.
///
/// ```
/// # use poinsot_core::{model::*, dynamics::*, algebra::V3};
/// # let mut b = ModelBuilder::new("pendulum");
/// # let rod = b.body(BodyId::WORLD, BodySpec::new("rod").solid(&Shape::Sphere { radius: 1.0 }, 5.0)?);
/// # b.joint(rod, Joint::revolute(V3::Y));
/// # let model = b.build()?;
/// let mut workspace = Workspace::new(&model);
/// let mut mass = MassMatrix::new(&model);
/// workspace.mass_matrix(&model, &model.neutral(), &mut mass);
/// assert!((mass.dense()[(0, 0)] - 2.0).abs() < 1e-15);
/// mass.factor();
/// let mut x = [6.0];
/// mass.solve(&mut x);
/// assert!((x[0] - 3.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MassMatrix {
    /// For each degree of freedom in tree order: its index in qvel.
    dof: Vec<usize>,
    /// For each degree of freedom in tree order: the next one towards the root, if any.
    parent: Vec<Option<usize>>,
    /// The number of degrees of freedom on the path from the root.
    depth: Vec<usize>,
    /// Where each row starts in `rows` and `factor`.
    start: Vec<usize>,
    /// The entries M_ij along the path to i, rows padded to whole lanes.
    rows: Vec<Lanes<8>>,
    /// L along the path to i, with 1/D in place of the diagonal.
    factor: Vec<Lanes<8>>,
    /// L again, stored contiguously, for columns of a single degree of freedom.
    l: Vec<f64>,
    /// For each degree of freedom in tree order: the start of the longest contiguous run that ends with it and in which each is the parent
    /// of the next.
    stretch: Vec<usize>,
    /// True if the tree order is that of qvel.
    in_order: bool,
    factored: bool,
    /// The path from the root to the current link: s, p and t of each degree of freedom.
    way: Vec<[Lanes<8>; 9]>,
    /// For each block of the path: true if some axis slides, so that t is not zero.
    slides: Vec<bool>,
}

impl MassMatrix {
    /// Storage for the mass matrix of `model`: one entry for each pair of degrees of freedom on a common path to the root.
    pub fn new(model: &Model) -> MassMatrix {
        let tree = &model.tree;
        let mut m = MassMatrix {
            dof: Vec::with_capacity(tree.nv),
            parent: Vec::with_capacity(tree.nv),
            depth: Vec::with_capacity(tree.nv),
            start: Vec::with_capacity(tree.nv),
            rows: Vec::new(),
            factor: Vec::new(),
            l: Vec::new(),
            stretch: Vec::with_capacity(tree.nv),
            in_order: true,
            factored: false,
            way: Vec::new(),
            slides: Vec::new(),
        };
        let mut last_of_link: Vec<Option<usize>> = vec![None; tree.links()];
        let mut cells = 0;
        let mut sliding_depths = Vec::new();
        for i in 1..tree.links() {
            let mut above = last_of_link[tree.parent[i]];
            for k in 0..tree.kind[i].nv() {
                let depth = above.map_or(0, |a: usize| m.depth[a] + 1);
                if matches!(tree.kind[i], Kind::Screw | Kind::Free) {
                    sliding_depths.push(depth);
                }
                m.dof.push(tree.v[i] + k);
                m.parent.push(above);
                m.depth.push(depth);
                m.start.push(cells);
                let own = m.stretch.len();
                m.stretch.push(above.filter(|a| a + 1 == own).map_or(own, |a| m.stretch[a]));
                cells += (depth + 1).div_ceil(8);
                above = Some(m.dof.len() - 1);
            }
            last_of_link[i] = above;
        }
        m.in_order = m.dof.iter().enumerate().all(|(t, dof)| t == *dof);
        m.rows = vec![Lanes([0.0; 8]); cells];
        m.factor = m.rows.clone();
        m.l = vec![0.0; 8 * cells];
        m.slides = vec![false; m.depth.iter().max().map_or(0, |d| d + 1).div_ceil(8)];
        for depth in sliding_depths {
            m.slides[depth / 8] = true;
        }
        m.way = vec![[Lanes([0.0; 8]); 9]; m.depth.iter().max().map_or(0, |d| d + 1).div_ceil(8)];
        m
    }

    /// The number of degrees of freedom.
    pub fn size(&self) -> usize {
        self.dof.len()
    }

    /// The full symmetric matrix, in the order of qvel.
    pub fn dense(&self) -> nalgebra::DMatrix<f64> {
        let mut out = nalgebra::DMatrix::zeros(self.size(), self.size());
        for t in 0..self.size() {
            let mut other = Some(t);
            while let Some(j) = other {
                let x = at(&self.rows, self.start[t], self.depth[j]);
                (out[(self.dof[t], self.dof[j])], out[(self.dof[j], self.dof[t])]) = (x, x);
                other = self.parent[j];
            }
        }
        out
    }

    /// `M x`, for x in the order of qvel.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for t in 0..self.size() {
            let k = self.dof[t];
            out[k] = at(&self.rows, self.start[t], self.depth[t]).mul_add(x[k], out[k]);
            let mut other = self.parent[t];
            while let Some(j) = other {
                let (m, l) = (at(&self.rows, self.start[t], self.depth[j]), self.dof[j]);
                out[k] = m.mul_add(x[l], out[k]);
                out[l] = m.mul_add(x[k], out[l]);
                other = self.parent[j];
            }
        }
    }

    /// The mean number of entries in a row of a model's mass matrix.
    pub(crate) fn mean_row(model: &Model) -> f64 {
        let tree = &model.tree;
        let (mut passed, mut sum) = (vec![0usize; tree.links()], 0.0);
        for i in 1..tree.links() {
            let (above, own) = (passed[tree.parent[i]], tree.kind[i].nv());
            passed[i] = above + own;
            sum += (above + 1..=above + own).map(|k| k as f64).sum::<f64>();
        }
        sum / tree.nv.max(1) as f64
    }

    /// The pivots D by degree of freedom: the inertia that each moves if those between it and the root are held and those beyond it are
    /// free. To be called after [`MassMatrix::write_out`].
    pub(crate) fn pivots(&self, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.size(), 0.0);
        (0..self.size()).for_each(|t| out[self.dof[t]] = 1.0 / self.inverse_pivot(t));
    }

    /// Adds `extra(degree of freedom)` to the diagonal.
    pub(crate) fn add_diagonal(&mut self, extra: impl Fn(usize) -> f64) {
        for t in 0..self.size() {
            let depth = self.depth[t];
            self.rows[self.start[t] + depth / 8].0[depth % 8] += extra(self.dof[t]);
        }
    }

    /// The place of a degree of freedom in tree order.
    pub(crate) fn place_of(&self, dof: usize) -> usize {
        self.dof.iter().position(|k| *k == dof).unwrap_or_default()
    }

    /// Adds `AᵀA`, where A has a column for each degree of freedom on the path from the root to the place `end`, and zeros otherwise.
    #[inline(always)]
    pub(crate) fn add_gram<const N: usize>(
        &mut self,
        end: usize,
        column: impl Fn(usize) -> [f64; N],
        columns: &mut [[f64; N]],
    ) {
        let MassMatrix { dof, parent, depth, start, rows, factored, .. } = self;
        *factored = false;
        let way = |from: usize| std::iter::successors(Some(from), |t| parent[*t]);
        way(end).for_each(|t| columns[t] = column(dof[t]));
        for t in way(end) {
            for j in way(t) {
                let product = columns[t].iter().zip(&columns[j]).fold(0.0, |sum, (a, b)| sum + a * b);
                rows[start[t] + depth[j] / 8].0[depth[j] % 8] += product;
            }
        }
    }

    /// Factors `M = Lᵀ D L`, as needed for [`MassMatrix::solve`].
    pub fn factor(&mut self) {
        crate::algebra::lanes::dispatch(Factor(self));
    }

    /// An order of the degrees of freedom in which each tree is contiguous.
    #[inline(always)]
    pub(crate) fn order(&self) -> &[usize] {
        &self.dof
    }

    /// This order, and where the trees start.
    pub(crate) fn trees(&self) -> (&[usize], Vec<usize>) {
        let roots = (0..self.size()).filter(|t| self.parent[*t].is_none());
        (&self.dof, roots.chain([self.size()]).collect())
    }

    /// Copies the factor into `l`, which the substitution steps below read; to be called after [`MassMatrix::factor`].
    pub(crate) fn write_out(&mut self) {
        for (l, cell) in self.l.chunks_exact_mut(8).zip(&self.factor) {
            l.copy_from_slice(&cell.0);
        }
    }

    /// The places on the path from a place to the root, including itself.
    pub(crate) fn way(&self, place: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(place), |t| self.parent[*t])
    }

    /// 1/D at a place.
    #[inline(always)]
    pub(crate) fn inverse_pivot(&self, t: usize) -> f64 {
        self.l[8 * self.start[t] + self.depth[t]]
    }

    /// Visits the entries of L on the path from place t to the root, excluding itself, with their places.
    #[inline(always)]
    pub(crate) fn each_above(&self, t: usize, mut visit: impl FnMut(f64, usize)) {
        let row = &self.l[8 * self.start[t]..];
        let (mut first, mut end) = (self.stretch[t], t);
        loop {
            let depth = self.depth[first];
            let own = &row[depth..depth + end - first];
            for (l, above) in own.iter().zip(first..end) {
                visit(*l, above);
            }
            let Some(above) = self.parent[first] else { return };
            (first, end) = (self.stretch[above], above + 1);
        }
    }

    /// One step of `x ← L⁻ᵀ x`: updates the ancestors of place t.
    #[inline(always)]
    pub(crate) fn carry_toward_root(&self, t: usize, x_t: f64, x: &mut [f64]) {
        let row = &self.l[8 * self.start[t]..];
        let (mut first, mut end) = (self.stretch[t], t);
        loop {
            let depth = self.depth[first];
            for (l, x) in row[depth..depth + end - first].iter().zip(&mut x[first..end]) {
                *x = (-l).mul_add(x_t, *x);
            }
            let Some(above) = self.parent[first] else { return };
            (first, end) = (self.stretch[above], above + 1);
        }
    }

    /// One step of `x ← L⁻¹ x`: the sum over the path from the root to place t, excluding itself.
    #[inline(always)]
    pub(crate) fn carry_from_root(&self, t: usize, x: &[f64]) -> f64 {
        let row = &self.l[8 * self.start[t]..];
        let (mut first, mut end) = (self.stretch[t], t);
        let mut sums = [0.0; 4];
        loop {
            let depth = self.depth[first];
            let (l, x) = (&row[depth..depth + end - first], &x[first..end]);
            let (l4, x4) = (l.chunks_exact(4), x.chunks_exact(4));
            let rest = l4.remainder().iter().zip(x4.remainder());
            for (l, x) in l4.zip(x4) {
                for k in 0..4 {
                    sums[k] = l[k].mul_add(x[k], sums[k]);
                }
            }
            for ((l, x), sum) in rest.zip(&mut sums) {
                *sum = l.mul_add(*x, *sum);
            }
            let Some(above) = self.parent[first] else { break };
            (first, end) = (self.stretch[above], above + 1);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// `x ← M⁻¹ x`, in the order of qvel.
    ///
    /// # Panics
    /// If [`MassMatrix::factor`] has not been called since the matrix was computed.
    pub fn solve(&self, x: &mut [f64]) {
        assert!(self.factored, "call factor() before solve()");
        crate::algebra::lanes::dispatch(Solve(self, x));
    }
}

impl MassMatrix {
    /// `x ← M⁻¹ x` by contiguous runs of the paths; after [`MassMatrix::write_out`]. Differs from [`MassMatrix::solve`] only by rounding.
    pub(crate) fn solve_by_stretches(&self, x: &mut [f64]) {
        if self.in_order {
            crate::algebra::lanes::dispatch(SolveByStretches(self, x));
        } else {
            self.solve(x);
        }
    }
}

struct SolveByStretches<'a>(&'a MassMatrix, &'a mut [f64]);

impl crate::algebra::lanes::Kernel for SolveByStretches<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let SolveByStretches(mass, x) = self;
        for t in (0..x.len()).rev() {
            mass.carry_toward_root(t, x[t], x);
        }
        for t in 0..x.len() {
            let above = mass.carry_from_root(t, x);
            x[t] = x[t].mul_add(mass.inverse_pivot(t), -above);
        }
    }
}

/// The entry at `depth` of the row that starts at `start`.
#[inline(always)]
fn at(cells: &[Lanes<8>], start: usize, depth: usize) -> f64 {
    cells[start + depth / 8].0[depth % 8]
}

struct Solve<'a>(&'a MassMatrix, &'a mut [f64]);

impl crate::algebra::lanes::Kernel for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Solve(MassMatrix { dof, parent, depth, start, factor, .. }, x) = self;
        for t in (0..dof.len()).rev() {
            let x_t = x[dof[t]];
            let mut other = parent[t];
            while let Some(j) = other {
                let l = at(factor, start[t], depth[j]);
                x[dof[j]] = (-l).mul_add(x_t, x[dof[j]]);
                other = parent[j];
            }
        }
        for t in 0..dof.len() {
            let mut x_t = x[dof[t]] * at(factor, start[t], depth[t]);
            let mut other = parent[t];
            while let Some(j) = other {
                let l = at(factor, start[t], depth[j]);
                x_t = (-l).mul_add(x[dof[j]], x_t);
                other = parent[j];
            }
            x[dof[t]] = x_t;
        }
    }
}

struct Factor<'a>(&'a mut MassMatrix);

impl crate::algebra::lanes::Kernel for Factor<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let MassMatrix { parent, depth, start, rows, factor, factored, .. } = self.0;
        factor.copy_from_slice(rows);
        *factored = true;
        for t in (0..start.len()).rev() {
            let by_d = 1.0 / at(factor, start[t], depth[t]);
            // ancestors' rows come before row t
            let (above, own) = factor.split_at_mut(start[t]);
            let mut other = parent[t];
            while let Some(j) = other {
                let l = own[depth[j] / 8].0[depth[j] % 8] * by_d;
                let minus = I::F64x8::from_f64(-l);
                // the lanes past the end of row j are never read
                let blocks = depth[j] / 8 + 1;
                for (cell, x) in above[start[j]..start[j] + blocks].iter_mut().zip(&own[..blocks]) {
                    I::F64x8::load(x).mul_add(minus, I::F64x8::load(cell)).store(cell);
                }
                other = parent[j];
            }
            let scale = I::F64x8::from_f64(by_d);
            for cell in &mut own[..=depth[t] / 8] {
                (I::F64x8::load(cell) * scale).store(cell);
            }
            own[depth[t] / 8].0[depth[t] % 8] = by_d;
        }
    }
}

/// Computes the rows of the mass matrix at q, with rotor inertia on the diagonal.
#[inline(always)]
pub(crate) fn crba<I: Isa>(tree: &Tree, s: &mut Scratch<Lanes<8>, f64>, q: &[f64], out: &mut MassMatrix) {
    pose_sweep::<OneState<I>>(tree, s, q);
    for block in 0..s.moving.len() {
        let rot = load_m3::<OneState<I>>(&s.moving[block].rot);
        let (mass, h, i) = inertia_in_world::<OneState<I>>(tree, block * 8, rot);
        let composite = &mut s.weighing[block];
        store_sym3::<OneState<I>>(&mut composite.i, i);
        store_v3::<OneState<I>>(&mut composite.h, h);
        mass.store(&mut composite.m);
    }
    compose::<I>(tree, s);
    for block in 0..s.moving.len() {
        momenta::<I>(tree, s, block);
    }
    out.factored = false;
    let mut t = 0;
    for i in 1..tree.links() {
        let m = link_at::<OneState<I>>(&s.moving, i);
        match tree.kind[i] {
            Kind::World => {}
            Kind::Hinge | Kind::Screw => {
                let w = inertial_at::<OneState<I>>(&s.weighing, i);
                let (n, f) = (w.n(), w.f());
                let z = m.z();
                let (turn, advance) = screw::<OneState<I>>(tree, i);
                let p = m.p();
                let slides = tree.kind[i] == Kind::Screw;
                let (axis, t_axis) = if slides { (z * turn, z * advance) } else { (z, V3::zero()) };
                row::<I>(tree, Passed { s: axis, t: t_axis, p }, n, f, out, &mut t);
            }
            Kind::Ball | Kind::Free => {
                if tree.kind[i] == Kind::Free {
                    let axes = free_axes::<OneState<I>>(tree, &s.moving, i);
                    for axis in [axes.x, axes.y, axes.z] {
                        composite_row::<I>(tree, s, i, V3::zero(), axis, out, &mut t);
                    }
                }
                let rot = m.rot();
                for axis in [rot.x, rot.y, rot.z] {
                    composite_row::<I>(tree, s, i, axis, V3::zero(), out, &mut t);
                }
            }
        }
    }
}

/// Computes composite inertias by (1), from the leaves to the root.
#[inline(always)]
fn compose<I: Isa>(tree: &Tree, s: &mut Scratch<Lanes<8>, f64>) {
    // the composite of the next link, in registers
    let (mut m_c, mut h_c, mut i_c) = (0.0, V3::zero(), Sym3::zero());
    for k in (1..tree.links()).rev() {
        let (p, r) = (tree.parent[k], link_at::<OneState<I>>(&s.moving, k).r());
        let mut own = inertial_at_mut::<OneState<I>>(&mut s.weighing, k);
        let m = own.m() + m_c;
        let h = own.h() + h_c;
        let i = own.i() + i_c;
        own.set_m(m);
        own.set_h(h);
        own.set_i(i);
        // (1)
        (m_c, h_c) = (m, r.mul_add(m, h));
        i_c = (i + Sym3::scalar(h.dot(r) + h_c.dot(r))).sub_outer(h, r).sub_outer(r, h_c);
        if p + 1 != k {
            let mut above = inertial_at_mut::<OneState<I>>(&mut s.weighing, p);
            above.set_m(above.m() + m_c);
            let (h_p, i_p) = (above.h(), above.i());
            above.set_h(h_p + h_c);
            above.set_i(i_p + i_c);
            (m_c, h_c, i_c) = (0.0, V3::zero(), Sym3::zero());
        }
    }
}

/// Equation (2) for the links of a block with one degree of freedom.
#[inline(always)]
fn momenta<I: Isa>(tree: &Tree, s: &mut Scratch<Lanes<8>, f64>, block: usize) {
    let (rot, w) = (&s.moving[block].rot, &mut s.weighing[block]);
    let z = V3::new(I::F64x8::load(&rot[6]), I::F64x8::load(&rot[7]), I::F64x8::load(&rot[8]));
    let screw = &tree.screw[block];
    let (s, t) = (z * I::F64x8::load(&screw[0]), z * I::F64x8::load(&screw[1]));
    let i = Sym3 {
        xx: I::F64x8::load(&w.i[0]),
        xy: I::F64x8::load(&w.i[1]),
        xz: I::F64x8::load(&w.i[2]),
        yy: I::F64x8::load(&w.i[3]),
        yz: I::F64x8::load(&w.i[4]),
        zz: I::F64x8::load(&w.i[5]),
    };
    let (h, m) = (load_v3::<OneState<I>>(&w.h), I::F64x8::load(&w.m));
    store_v3::<OneState<I>>(&mut w.n, h.cross_add(t, i * s)); // (2): n
    store_v3::<OneState<I>>(&mut w.f, s.cross_add(h, t * m)); // (2): f
}

/// One degree of freedom on the path from the root: axis (s; t) at the point p.
#[derive(Clone, Copy)]
struct Passed {
    s: V3,
    t: V3,
    p: V3,
}

/// Computes a row of a link with several degrees of freedom: (2), then (3).
#[inline(always)]
fn composite_row<I: Isa>(
    tree: &Tree,
    scratch: &Scratch<Lanes<8>, f64>,
    i: usize,
    s: V3,
    t: V3,
    out: &mut MassMatrix,
    index: &mut usize,
) {
    let w = inertial_at::<OneState<I>>(&scratch.weighing, i);
    let (h, m) = (w.h(), w.m());
    let n = h.cross_add(t, w.i() * s);
    let p = link_at::<OneState<I>>(&scratch.moving, i).p();
    row::<I>(tree, Passed { s, t, p }, n, s.cross_add(h, t * m), out, index);
}

/// Equation (3), one row: the momentum (n; f) of a subtree along every axis on the path to the root.
#[inline(always)]
fn row<I: Isa>(tree: &Tree, own: Passed, n: V3, f: V3, out: &mut MassMatrix, index: &mut usize) {
    let (depth, start) = (out.depth[*index], out.start[*index]);
    let p = own.p.lift::<I::F64x8>();
    let (n, f) = (n.lift::<I::F64x8>(), f.lift::<I::F64x8>());
    put_step::<I>(&mut out.way[depth / 8][0..3], depth, own.s);
    put_step::<I>(&mut out.way[depth / 8][3..6], depth, own.p);
    if out.slides[depth / 8] {
        put_step::<I>(&mut out.way[depth / 8][6..9], depth, own.t);
    }
    let blocks = depth / 8 + 1;
    for ((w, row), slides) in out.way.iter().zip(&mut out.rows[start..start + blocks]).zip(&out.slides) {
        let s_j = V3::new(I::F64x8::load(&w[0]), I::F64x8::load(&w[1]), I::F64x8::load(&w[2]));
        let p_j = V3::new(I::F64x8::load(&w[3]), I::F64x8::load(&w[4]), I::F64x8::load(&w[5]));
        let mut m = s_j.dot((p - p_j).cross_add(f, n));
        if *slides {
            let t_j = V3::new(I::F64x8::load(&w[6]), I::F64x8::load(&w[7]), I::F64x8::load(&w[8]));
            m += t_j.dot(f);
        }
        m.store(row);
    }
    let armature = tree.armature[out.dof[*index]];
    if armature != 0.0 {
        out.rows[start + depth / 8].0[depth % 8] += armature;
    }
    *index += 1;
}

/// Writes a vector to the path from registers: storing a single lane would stall later loads of whole cells.
#[inline(always)]
fn put_step<I: Isa>(cells: &mut [Lanes<8>], depth: usize, v: V3) {
    let x = [v.x, v.y, v.z];
    for k in 0..3 {
        I::F64x8::load(&cells[k]).with_lane(depth, x[k]).store(&mut cells[k]);
    }
}
