//! Derivatives of inverse and forward dynamics, analytic, in O(n d) for n degrees of freedom and depth d [Singh22] [Carpentier18].
//!
//! Everything is in world axes about one origin, so that everything outboard of a joint moves as one: along q_k, every quantity of the
//! links outboard is carried by the screw S_k, and the remainder is the motion relative to the base b of joint k. With V and A the spatial
//! velocity and acceleration (A of the world is −g) after each degree of freedom,
//!
//! ```text
//! (1)  V_i = V_p + S_i q̇_i          A_i = A_p + S_i q̈_i + Ṡ_i q̇_i          Ṡ_k = V_k × S_k
//! (2)  Ψ̇_k = V_b × S_k               Ψ̈_k = A_b × S_k + V_b × Ψ̇_k            Φ_k = Ṡ_k + Ψ̇_k
//!      ∂V_i/∂q_k = S_k × V_i + Ψ̇_k   ∂A_i/∂q_k = S_k × A_i + Ψ̇_k × V_i + Ψ̈_k   ∂A_i/∂q̇_k = S_k × V_i + Φ_k
//! (3)  L_i = I_i V_i                 F_i = I_i A_i + V_i ×* L_i
//! (4)  B_i X = V_i ×* I_i X + X ×* L_i − I_i (V_i × X) = (D_i X_ω + X_ω × l_n; 2 X_ω × l_f)          D = dJ/dt
//!      ∂F_i/∂q_k = S_k ×* F_i + I_i Ψ̈_k + B_i Ψ̇_k                  ∂F_i/∂q̇_k = I_i Φ_k + B_i S_k
//! ```
//! for every link i outboard of joint k: three times six numbers instead of a 6×6 matrix B. With I, D, L and F summed over subtrees,
//!
//! ```text
//! (5)  P_k = I S_k          T_k = Bᵀ S_k = (D S_ω + l_n × S_ω + 2 l_f × S_u; 0)
//! (6)  Q_k = S_k ×* F + I Ψ̈_k + B Ψ̇_k          R_k = I Φ_k + B S_k
//! ```
//! and τ_j = S_j · F gives, for k on the path from the root to j, and for k outboard of j,
//!
//! ```text
//! (7)  ∂τ_j/∂q_k = P_j·Ψ̈_k + T_j·Ψ̇_k     ∂τ_j/∂q̇_k = P_j·Φ_k + T_j·S_k     M_jk = P_j·S_k
//! (8)  ∂τ_j/∂q_k = S_j·Q_k               ∂τ_j/∂q̇_k = S_j·R_k               M_jk = S_j·P_k
//! ```
//! In (7) S_j rotates with joint k and the term S_k ×* F drops out. The three axes of a ball rotate with one another: between them (7)
//! holds both ways, and Ṡ ≠ Ψ̇. All other entries are 0.
//!
//! A derivative with respect to q is along the velocity: that of τ(q ⊕ h e_k) by h at 0. For attitudes, this is a rotation about body axes.
//!
//! Since τ(q, q̇, q̈(q, q̇, τ)) = τ, forward dynamics has
//!
//! ```text
//! (9)  ∂q̈/∂q = −M⁻¹ ∂τ/∂q          ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇          ∂q̈/∂τ = M⁻¹
//! ```
//! M⁻¹ does not depend on q̈, and gives it: q̈ = M⁻¹ (τ − τ⁰), where τ⁰, F⁰, Ψ̈⁰ and Q⁰ are those of q̈ = 0. With A′ the part of A due to
//! q̈, I and P those of subtrees, and the sum over the subtree of k, q̈ adds
//!
//! ```text
//! (10) A′_i = A′_p + S_i q̈_i          F′_k = I A′_p + Σ P_m q̈_m
//!      Ψ̈_k = Ψ̈⁰_k + A′_b × S_k        Q_k = Q⁰_k + S_k ×* F′_k + I (A′_b × S_k)
//! ```

mod chain;
mod forward;
mod inverse;
mod kinematics;
mod product;
mod regressor;
mod substitute;

pub use forward::ForwardDynamicsDerivatives;
pub use kinematics::CentroidalDerivatives;
pub use regressor::Regressor;

use super::Workspace;
use super::sweep::Scratch;
use super::workspace::check;
use crate::algebra::lanes::{Isa, Kernel, dispatch, flat};
use crate::algebra::{Lanes, V3};
use crate::model::Model;
use chain::Chain;
use inverse::Work;
use nalgebra::{DMatrixView, Dyn};

/// A square matrix, rows and columns as qvel: a view that can be indexed by `(row, column)` and computed with.
pub type SquareView<'a> = DMatrixView<'a, f64, Dyn, Dyn>;

/// The result of [`Workspace::inverse_dynamics_derivatives`], and its scratch.
///
/// ```
/// use poinsot_core::{algebra::V3, dynamics::{InverseDynamicsDerivatives, Workspace}, model::*};
/// # let mut b = ModelBuilder::new("pendulum");
/// # let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// # b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// # let model = b.build()?;
/// let mut d = InverseDynamicsDerivatives::new(&model);
/// Workspace::new(&model).inverse_dynamics_derivatives(&model, &[0.3], &[0.0], &[0.0], &mut d);
/// assert!((d.by_position()[(0, 0)] - 9.81 * 0.3f64.cos()).abs() < 1e-14); // m g l cos q
/// assert_eq!(d.by_velocity()[(0, 0)], 0.0);
/// assert!((d.by_acceleration()[(0, 0)] - 1.004).abs() < 1e-14); // m l² + I
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct InverseDynamicsDerivatives {
    chain: Chain,
    work: Work,
    /// τ in depth-first order, in blocks.
    tau: Vec<Lanes<8>>,
    /// The three matrices, in depth-first order.
    rows: Rows,
    /// The matrices in the order of qvel, if that differs.
    ordered: Option<Rows>,
    /// τ in the order of qvel.
    ordered_tau: Vec<f64>,
}

/// Three matrices side by side, such as ∂τ/∂q, ∂τ/∂q̇ and M: row by row, each row of a matrix in whole blocks of eight. Structural zeros
/// are never written.
#[derive(Clone, Debug)]
struct Rows {
    blocks: usize,
    cells: Vec<Lanes<8>>,
}

impl Rows {
    fn new(n: usize) -> Rows {
        let blocks = n.div_ceil(8);
        Rows { blocks, cells: vec![Lanes([0.0; 8]); 3 * n * blocks] }
    }

    /// The number of cells in a row of all three.
    #[inline(always)]
    fn width(&self) -> usize {
        3 * self.blocks
    }

    #[inline(always)]
    fn row(&mut self, t: usize) -> [&mut [Lanes<8>]; 3] {
        let (width, blocks) = (self.width(), self.blocks);
        let (dq, rest) = self.cells[t * width..(t + 1) * width].split_at_mut(blocks);
        let (dv, mass) = rest.split_at_mut(blocks);
        [dq, dv, mass]
    }

    #[inline(always)]
    fn add_to_mass(&mut self, t: usize, armature: f64) {
        self.row(t)[2][t / 8].0[t % 8] += armature;
    }

    /// Reorders `from`, in depth-first order, to the order of qvel.
    fn take(&mut self, from: &Rows, dof: &[usize]) {
        for which in 0..3 {
            let from = from.view(which);
            for row in 0..from.nrows() {
                for column in 0..from.ncols() {
                    self.row(dof[row])[which][dof[column] / 8].0[dof[column] % 8] = from[(row, column)];
                }
            }
        }
    }

    fn view(&self, which: usize) -> SquareView<'_> {
        let (n, width) = (self.cells.len() / self.width().max(1), self.width());
        let data = flat(&self.cells[(which * self.blocks).min(self.cells.len())..]);
        DMatrixView::from_slice_with_strides_generic(data, Dyn(n), Dyn(n), Dyn(8 * width), Dyn(1))
    }
}

impl InverseDynamicsDerivatives {
    /// Allocates the derivatives of `model`.
    pub fn new(model: &Model) -> InverseDynamicsDerivatives {
        let (chain, n) = (Chain::new(&model.tree), model.nv());
        InverseDynamicsDerivatives {
            work: Work::new(&chain),
            tau: vec![Lanes([0.0; 8]); chain.blocks()],
            rows: Rows::new(n),
            ordered: (!chain.in_order).then(|| Rows::new(n)),
            ordered_tau: vec![0.0; n],
            chain,
        }
    }

    fn as_qvel(&self) -> &Rows {
        self.ordered.as_ref().unwrap_or(&self.rows)
    }

    /// ∂τ/∂q: column k is the derivative of τ(q ⊕ h e_k) by h, along the k-th velocity.
    pub fn by_position(&self) -> SquareView<'_> {
        self.as_qvel().view(0)
    }

    /// ∂τ/∂q̇.
    pub fn by_velocity(&self) -> SquareView<'_> {
        self.as_qvel().view(1)
    }

    /// ∂τ/∂q̈ = M(q), rotor inertias included.
    pub fn by_acceleration(&self) -> SquareView<'_> {
        self.as_qvel().view(2)
    }

    /// τ itself, a by-product.
    pub fn tau(&self) -> &[f64] {
        &self.ordered_tau
    }

    /// Reorders everything to the order of qvel.
    fn reorder(&mut self) {
        let n = self.ordered_tau.len();
        for (t, k) in self.chain.dof[..n].iter().enumerate() {
            self.ordered_tau[*k] = self.tau[t / 8].0[t % 8];
        }
        if let Some(ordered) = &mut self.ordered {
            ordered.take(&self.rows, &self.chain.dof);
        }
    }
}

struct Inverse<'a> {
    model: &'a Model,
    scratch: &'a mut Scratch<Lanes<8>, f64>,
    at: [&'a [f64]; 3],
    gravity: V3,
    out: &'a mut InverseDynamicsDerivatives,
}

impl Kernel for Inverse<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        inverse::derivatives::<I>(&self.model.tree, self.scratch, self.at, self.gravity, self.out);
    }
}

impl Workspace {
    /// Computes ∂τ/∂q, ∂τ/∂q̇ and M of [`Workspace::inverse_dynamics`] at (q, v, a), exact to round-off, and τ itself.
    ///
    /// As there, τ = M a + c + g: neither it nor its derivatives contain springs, dampers, actuators, limits or external forces.
    /// Derivatives with respect to q are along velocities, so all three matrices are nv × nv even if nq > nv.
    ///
    /// # Panics
    /// If a slice, or `out`, does not fit the model.
    pub fn inverse_dynamics_derivatives(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        out: &mut InverseDynamicsDerivatives,
    ) {
        check(model, q.len(), &[v.len(), a.len(), out.ordered_tau.len()]);
        let (scratch, gravity) = (&mut self.scratch, model.gravity);
        dispatch(Inverse { model, scratch, at: [q, v, a], gravity, out });
        out.reorder();
    }
}
