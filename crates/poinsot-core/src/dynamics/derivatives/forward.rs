//! Derivatives of forward dynamics: equations (9) and (10) of the [module](super), by the factor `M = Lᵀ D L` [Featherstone05].

use super::chain::Chain;
use super::product::Product;
use super::substitute::{MostRows, Plan};
use super::{InverseDynamicsDerivatives, Rows, SquareView, inverse};
use crate::algebra::lanes::{Eight, Isa, Kernel, dispatch};
use crate::algebra::{Lanes, Real};
use crate::dynamics::Workspace;
use crate::dynamics::sweep::Scratch;
use crate::dynamics::workspace::check;
use crate::model::Model;

/// The result of [`Workspace::forward_dynamics_derivatives`], and its scratch.
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
    /// −L, and 1/D on the diagonal, stored like the rows of M.
    factor: Vec<Lanes<8>>,
    plan: Plan,
    product: Product,
    /// ∂q̈/∂q, ∂q̈/∂q̇ and M⁻¹, counted depth first.
    solutions: Rows,
    /// These in the order of qvel, if that differs.
    ordered: Option<Rows>,
}

impl ForwardDynamicsDerivatives {
    /// Allocates the derivatives of `model`.
    pub fn new(model: &Model) -> ForwardDynamicsDerivatives {
        let (inverse, n) = (InverseDynamicsDerivatives::new(model), model.nv());
        ForwardDynamicsDerivatives {
            acceleration: vec![0.0; n],
            factor: vec![Lanes([0.0; 8]); n * inverse.rows.blocks],
            product: Product::new(&inverse.chain),
            plan: Plan::new(&inverse.chain, dispatch(MostRows)),
            solutions: Rows::new(n),
            ordered: (!inverse.chain.in_order).then(|| Rows::new(n)),
            inverse,
        }
    }

    fn as_qvel(&self) -> &Rows {
        self.ordered.as_ref().unwrap_or(&self.solutions)
    }

    /// ∂q̈/∂q: column k is the derivative of q̈(q ⊕ h e_k) by h, along the k-th velocity.
    pub fn by_position(&self) -> SquareView<'_> {
        self.as_qvel().view(0)
    }

    /// ∂q̈/∂q̇.
    pub fn by_velocity(&self) -> SquareView<'_> {
        self.as_qvel().view(1)
    }

    /// ∂q̈/∂τ = M(q)⁻¹.
    pub fn by_force(&self) -> SquareView<'_> {
        self.as_qvel().view(2)
    }

    /// q̈ itself, a by-product: that of [`Workspace::forward_dynamics`] to round-off.
    pub fn acceleration(&self) -> &[f64] {
        &self.acceleration
    }

    /// The derivatives of inverse dynamics at (q, v, q̈), from which these follow.
    pub fn inverse(&self) -> &InverseDynamicsDerivatives {
        &self.inverse
    }
}

impl Workspace {
    /// Computes ∂q̈/∂q, ∂q̈/∂q̇ and M⁻¹ of [`Workspace::forward_dynamics`] at (q, v, τ), exact to round-off, and q̈ itself. τ is constant:
    /// the forces of springs, dampers and actuators and external forces in it are not differentiated.
    ///
    /// # Panics
    /// If a slice, or `out`, does not fit the model.
    pub fn forward_dynamics_derivatives(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        out: &mut ForwardDynamicsDerivatives,
    ) {
        check(model, q.len(), &[v.len(), tau.len(), out.acceleration.len()]);
        dispatch(Forward { model, scratch: &mut self.scratch, at: [q, v, tau], out });
        out.inverse.reorder();
        if let Some(ordered) = &mut out.ordered {
            ordered.take(&out.solutions, &out.inverse.chain.dof);
        }
    }
}

struct Forward<'a> {
    model: &'a Model,
    scratch: &'a mut Scratch<Lanes<8>, f64>,
    at: [&'a [f64]; 3],
    out: &'a mut ForwardDynamicsDerivatives,
}

impl Kernel for Forward<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (Model { tree, gravity, .. }, [q, v, tau]) = (self.model, self.at);
        let ForwardDynamicsDerivatives { inverse, acceleration, factor, plan, product, solutions, .. } =
            self.out;
        acceleration.fill(0.0);
        inverse::bias::<I>(tree, self.scratch, [q, v, acceleration], *gravity, inverse);
        factorise::<I>(&inverse.chain, &inverse.rows, factor);
        plan.invert::<I>(factor, solutions);
        accelerations::<I>(inverse, solutions, tau, acceleration);
        inverse::accelerate::<I>(tree, acceleration, inverse);
        product.solve::<I>(&inverse.rows, solutions);
    }
}

/// Factors `M = Lᵀ D L`: −L, and 1/D on the diagonal; entries of a row after its diagonal are never read.
#[inline(always)]
fn factorise<I: Isa>(chain: &Chain, mass: &Rows, rows: &mut [Lanes<8>]) {
    let (blocks, width) = (mass.blocks, mass.width());
    if blocks == 0 {
        return;
    }
    for (own, from) in rows.chunks_exact_mut(blocks).zip(mass.cells.chunks_exact(width)) {
        own.copy_from_slice(&from[2 * blocks..]);
    }
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
        let scale = I::F64x8::from_f64(-by_d);
        for cell in &mut own[first..=t / 8] {
            (I::F64x8::load(cell) * scale).store(cell);
        }
        own[t / 8].0[t % 8] = by_d;
    }
}

/// q̈ = M⁻¹ (τ − τ⁰).
#[inline(always)]
fn accelerations<I: Isa>(
    inverse: &InverseDynamicsDerivatives,
    solutions: &Rows,
    tau: &[f64],
    acceleration: &mut [f64],
) {
    let (blocks, width) = (solutions.blocks, solutions.width());
    for block in 0..blocks {
        let mut sum = [I::F64x8::zero(); 2];
        for (t, k) in inverse.chain.dof[..tau.len()].iter().enumerate() {
            let load = I::F64x8::from_f64(tau[*k] - inverse.tau[t / 8].0[t % 8]);
            sum[t % 2] =
                I::F64x8::load(&solutions.cells[t * width + 2 * blocks + block]).mul_add(load, sum[t % 2]);
        }
        let mut eight = Lanes([0.0; 8]);
        (sum[0] + sum[1]).store(&mut eight);
        for (k, x) in inverse.chain.dof[..tau.len()].iter().skip(8 * block).zip(eight.0) {
            acceleration[*k] = x;
        }
    }
}
