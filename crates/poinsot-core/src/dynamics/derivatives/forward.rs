//! Derivatives of forward dynamics: equation (9) of the [module](super), by the factor `M = Lᵀ D L` [Featherstone05].
//!
//! L has numbers only on the ways to the root, and all right-hand sides are solved together, a row of them at a time:
//!
//! ```math
//! (1)  y_t = x_t − Σ L_st y_s   over the subtree of t, leaves first
//! (2)  z_t = y_t/D_t − Σ L_tj z_j   over the way to the root, root first
//! ```
//! The right-hand sides are −∂τ/∂q, −∂τ/∂q̇ and 1.

use super::chain::Chain;
use super::{InverseDynamicsDerivatives, Rows, SquareView, view};
use crate::algebra::lanes::{Eight, Isa, Kernel, dispatch};
use crate::algebra::{Lanes, Real};
use crate::dynamics::Workspace;
use crate::dynamics::workspace::check;
use crate::model::Model;

/// What [`Workspace::forward_dynamics_derivatives`] computes, and its scratch.
///
/// ```
/// use poinsot_core::{algebra::V3, dynamics::{ForwardDynamicsDerivatives, Workspace}, model::*};
/// # let mut b = ModelBuilder::new("pendulum");
/// # let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// # b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// # let model = b.build()?;
/// let mut d = ForwardDynamicsDerivatives::new(&model);
/// Workspace::new(&model).forward_dynamics_derivatives(&model, &[0.3], &[0.0], &[0.0], &mut d);
/// assert!((d.by_position()[(0, 0)] + 9.81 * 0.3f64.cos() / 1.004).abs() < 1e-14);
/// assert!((d.by_force()[(0, 0)] - 1.0 / 1.004).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ForwardDynamicsDerivatives {
    inverse: InverseDynamicsDerivatives,
    acceleration: Vec<f64>,
    /// L, and 1/D on the diagonal: rows as those of M.
    factor: Vec<Lanes<8>>,
    /// ∂q̈/∂q, ∂q̈/∂q̇ and M⁻¹ beside one another, row by row, counted depth first.
    solutions: Vec<Lanes<8>>,
    /// The same as qvel counts, where that is another order.
    ordered: Option<Rows>,
}

impl ForwardDynamicsDerivatives {
    /// Room for the derivatives of `model`.
    pub fn new(model: &Model) -> ForwardDynamicsDerivatives {
        let inverse = InverseDynamicsDerivatives::new(model);
        let (n, cells) = (model.nv(), inverse.rows.cells[0].len());
        ForwardDynamicsDerivatives {
            acceleration: vec![0.0; n],
            factor: vec![Lanes([0.0; 8]); cells],
            solutions: vec![Lanes([0.0; 8]); 3 * cells],
            ordered: (!inverse.chain.in_order).then(|| Rows::new(n)),
            inverse,
        }
    }

    fn view(&self, which: usize) -> SquareView<'_> {
        let blocks = self.inverse.rows.blocks;
        match &self.ordered {
            Some(rows) => rows.view(which),
            None => view(&self.solutions, self.acceleration.len(), which * blocks, 3 * blocks),
        }
    }

    /// ∂q̈/∂q: column k is the derivative along the k-th velocity, q̈(q ⊕ h e_k) by h.
    pub fn by_position(&self) -> SquareView<'_> {
        self.view(0)
    }

    /// ∂q̈/∂q̇.
    pub fn by_velocity(&self) -> SquareView<'_> {
        self.view(1)
    }

    /// ∂q̈/∂τ = M(q)⁻¹.
    pub fn by_force(&self) -> SquareView<'_> {
        self.view(2)
    }

    /// q̈ itself, which comes with them.
    pub fn acceleration(&self) -> &[f64] {
        &self.acceleration
    }

    /// The derivatives of inverse dynamics at (q, v, q̈), from which these follow.
    pub fn inverse(&self) -> &InverseDynamicsDerivatives {
        &self.inverse
    }

    fn reorder(&mut self) {
        let Some(ordered) = &mut self.ordered else { return };
        let blocks = self.inverse.rows.blocks;
        for which in 0..3 {
            let n = self.acceleration.len();
            ordered.take(
                which,
                view(&self.solutions, n, which * blocks, 3 * blocks),
                &self.inverse.chain.dof,
            );
        }
    }
}

impl Workspace {
    /// ∂q̈/∂q, ∂q̈/∂q̇ and M⁻¹ of [`Workspace::forward_dynamics`] at (q, v, τ), exact to round-off, and q̈ itself. τ is held while
    /// q and v change: springs, dampers, actuators and forces from outside are in it as the numbers they are.
    ///
    /// # Panics
    /// When a slice, or `out`, does not fit the model.
    pub fn forward_dynamics_derivatives(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        out: &mut ForwardDynamicsDerivatives,
    ) {
        check(model, q.len(), &[v.len(), tau.len(), out.acceleration.len()]);
        self.forward_dynamics(model, q, v, tau, &mut out.acceleration);
        self.inverse_dynamics_derivatives(model, q, v, &out.acceleration, &mut out.inverse);
        dispatch(Solve(out));
        out.reorder();
    }
}

struct Solve<'a>(&'a mut ForwardDynamicsDerivatives);

impl Kernel for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let ForwardDynamicsDerivatives { inverse, factor, solutions, .. } = self.0;
        let InverseDynamicsDerivatives { chain, rows, .. } = inverse;
        factor.copy_from_slice(&rows.cells[2]);
        factorise::<I>(chain, factor, rows.blocks);
        begin::<I>(rows, solutions);
        // a few columns of cells at a time: they stay in the first-level cache
        let (width, parts) = (3 * rows.blocks, (3 * rows.blocks).div_ceil(MOST));
        for part in 0..parts {
            let (first, end) = (part * width / parts, (part + 1) * width / parts);
            match end - first {
                1 => substitute::<I, 1>(chain, factor, solutions, rows.blocks, first),
                2 => substitute::<I, 2>(chain, factor, solutions, rows.blocks, first),
                3 => substitute::<I, 3>(chain, factor, solutions, rows.blocks, first),
                4 => substitute::<I, 4>(chain, factor, solutions, rows.blocks, first),
                5 => substitute::<I, 5>(chain, factor, solutions, rows.blocks, first),
                _ => substitute::<I, MOST>(chain, factor, solutions, rows.blocks, first),
            }
        }
    }
}

/// `M = Lᵀ D L` in place: what stands in a row after its diagonal is never read.
#[inline(always)]
fn factorise<I: Isa>(chain: &Chain, rows: &mut [Lanes<8>], blocks: usize) {
    for t in (0..chain.end.len()).rev() {
        let (above, own) = rows.split_at_mut(t * blocks);
        let by_d = 1.0 / own[t / 8].0[t % 8];
        let first = chain.root[t] / 8;
        let mut next = chain.parent[t];
        while let Some(j) = next.checked_sub(1) {
            let minus = I::F64x8::from_f64(-(own[j / 8].0[j % 8] * by_d));
            let row = &mut above[j * blocks..][first..=j / 8];
            for (cell, x) in row.iter_mut().zip(&own[first..]) {
                I::F64x8::load(x).mul_add(minus, I::F64x8::load(cell)).store(cell);
            }
            next = chain.parent[j];
        }
        let scale = I::F64x8::from_f64(by_d);
        for cell in &mut own[first..=t / 8] {
            (I::F64x8::load(cell) * scale).store(cell);
        }
        own[t / 8].0[t % 8] = by_d;
    }
}

/// The right-hand sides.
#[inline(always)]
fn begin<I: Isa>(rows: &Rows, x: &mut [Lanes<8>]) {
    let (blocks, [dq, dv, _]) = (rows.blocks, &rows.cells);
    if blocks == 0 {
        return;
    }
    let sources = dq.chunks_exact(blocks).zip(dv.chunks_exact(blocks));
    for (t, (own, (dq, dv))) in x.chunks_exact_mut(3 * blocks).zip(sources).enumerate() {
        for (to, from) in own.iter_mut().zip(dq.iter().chain(dv)) {
            (-I::F64x8::load(from)).store(to);
        }
        own[2 * blocks..].fill(Lanes([0.0; 8]));
        own[2 * blocks + t / 8].0[t % 8] = 1.0;
    }
}

/// How many cells of a row are solved at once: they are kept in registers.
const MOST: usize = 6;

/// Equations (1) and (2) for `N` cells of all rows.
#[inline(always)]
fn substitute<I: Isa, const N: usize>(
    chain: &Chain,
    l: &[Lanes<8>],
    x: &mut [Lanes<8>],
    blocks: usize,
    first: usize,
) {
    let width = 3 * blocks;
    for t in (0..chain.end.len()).rev() {
        let (head, below) = x.split_at_mut((t + 1) * width);
        let own = &mut head[t * width + first..][..N];
        let mut sum = load::<I, N>(own, 1.0);
        for s in t + 1..chain.end[t] {
            let row = &below[(s - t - 1) * width + first..][..N];
            subtract::<I, N>(&mut sum, row, l[s * blocks + t / 8].0[t % 8]);
        }
        store::<I, N>(sum, own);
    }
    for t in 0..chain.end.len() {
        let (above, rest) = x.split_at_mut(t * width);
        let (own, l) = (&mut rest[first..][..N], &l[t * blocks..(t + 1) * blocks]);
        let mut sum = load::<I, N>(own, l[t / 8].0[t % 8]);
        let mut next = chain.parent[t];
        while let Some(j) = next.checked_sub(1) {
            subtract::<I, N>(&mut sum, &above[j * width + first..][..N], l[j / 8].0[j % 8]);
            next = chain.parent[j];
        }
        store::<I, N>(sum, own);
    }
}

#[inline(always)]
fn load<I: Isa, const N: usize>(cells: &[Lanes<8>], scale: f64) -> [I::F64x8; N] {
    let (mut out, scale) = ([I::F64x8::zero(); N], I::F64x8::from_f64(scale));
    for k in 0..N {
        out[k] = I::F64x8::load(&cells[k]) * scale;
    }
    out
}

/// `sum ← sum − l row`.
#[inline(always)]
fn subtract<I: Isa, const N: usize>(sum: &mut [I::F64x8; N], row: &[Lanes<8>], l: f64) {
    let minus = I::F64x8::from_f64(-l);
    for k in 0..N {
        sum[k] = I::F64x8::load(&row[k]).mul_add(minus, sum[k]);
    }
}

#[inline(always)]
fn store<I: Isa, const N: usize>(sum: [I::F64x8; N], cells: &mut [Lanes<8>]) {
    for k in 0..N {
        sum[k].store(&mut cells[k]);
    }
}
