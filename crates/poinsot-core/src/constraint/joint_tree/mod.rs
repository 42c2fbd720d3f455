//! The fast path for free bodies connected by the joints of a tree.
//!
//! If all active rows are those of joints, and these form a tree, a step in maximal coordinates needs neither J in the coordinates of the
//! model nor single rows: C, wrenches, rates, J̇v and forces of [eight bodies at a time](eight) go straight to the [block
//! elimination](crate::algebra::tree_kkt), and its solution back. One factor serves for a step:
//!
//! ```text
//! velocities are projected at q⁺ with the factor made there;    the next step finds accelerations at q⁺ with the same factor,
//! and projects positions with it: a chord, whose error shrinks by the part that J changes by in a step
//! ```

mod eight;

use super::law::RowSystem;
use super::rows::Rows;
use super::sparse::Sparse;
use super::{ConstraintError, Multipliers};
use crate::algebra::lanes::dispatch;
use crate::dynamics::Workspace;
use crate::model::Model;
use eight::{Biases, EightJoints, Motions, Rates, Wrenches};

/// The mass ratio above which solutions are refined.
const UNEVEN: f64 = 1e3;
/// If this many chord corrections do not converge, Newton's method takes over.
const MOST_CHORDS: usize = 6;
/// A chord correction that leaves more than this fraction of C is too slow.
const SLOW: f64 = 0.2;
/// Below this, C is round-off: in metres and radians, and relative to the distance from the origin.
const ROUND_OFF: f64 = 1e-14;
const ROUND_OFF_THERE: f64 = 2.0 * f64::EPSILON;

/// The joints, eight at a time, and the q of the current factor.
#[derive(Clone, Debug)]
pub(super) struct JointTree {
    blocks: Vec<EightJoints>,
    /// q followed by the pose of the world; v and τ followed by zeros.
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    /// True if mass ratios are so large that solutions need a correction by the residual.
    uneven: bool,
    /// The factor in the tree is that at the configuration `at`.
    known: bool,
    at: Vec<f64>,
    /// The factor may be used only at exactly that q.
    far: bool,
}

/// True if bodies differ by more than a factor of a thousand in mass or moment of inertia: elimination loses as many digits.
fn uneven(model: &Model) -> bool {
    let (mut least, mut most) = ([f64::INFINITY; 2], [0.0f64; 2]);
    for inertia in (1..model.tree.links()).map(|link| model.tree.inertia_of(link)) {
        for (k, x) in [inertia.mass, inertia.about_com().trace()].into_iter().enumerate() {
            (least[k], most[k]) = (least[k].min(x), most[k].max(x));
        }
    }
    (0..2).any(|k| most[k] > UNEVEN * least[k])
}

impl JointTree {
    /// `None` if some row does not belong to a joint of the tree that these equations cover.
    pub fn new(model: &Model, rows: &Rows, sparse: &Sparse) -> Option<JointTree> {
        let blocks = eight::blocks(model, rows, sparse)?;
        let (mut q, v) = (vec![0.0; model.nq() + 7], vec![0.0; model.nv() + 6]);
        q[model.nq() + 3] = 1.0;
        let at = vec![0.0; model.nq()];
        Some(JointTree { blocks, q, tau: v.clone(), v, uneven: uneven(model), known: false, at, far: false })
    }

    /// Marks the factor in the tree as overwritten.
    pub fn forget(&mut self) {
        self.known = false;
    }

    fn place(&mut self, q: &[f64]) {
        self.q[..q.len()].copy_from_slice(q);
    }

    /// Writes wrenches and masses at the last q placed, and factors them; the negatives of the rates of v become the targets of the rows.
    /// False if singular.
    fn factor(&mut self, sparse: &mut Sparse) -> bool {
        dispatch(Wrenches { blocks: &self.blocks, q: &self.q, v: &self.v, sparse });
        let at = self.at.len();
        self.at.copy_from_slice(&self.q[..at]);
        (self.known, self.far) = (sparse.factor_as_written(), false);
        self.known
    }
}

impl Multipliers {
    /// True if all active rows are those of joints of a tree.
    pub(crate) fn is_joint_tree(&self) -> bool {
        self.joint_tree.is_some()
    }

    /// Computes the acceleration at (q, v) under τ, as [`Multipliers::forward_dynamics`] without stabilisation.
    pub(crate) fn accelerate_joint_tree(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        a: &mut [f64],
    ) {
        let (Some(joint_tree), Some(sparse)) = (&mut self.joint_tree, &mut self.sparse) else { return };
        joint_tree.place(q);
        joint_tree.v[..v.len()].copy_from_slice(v);
        joint_tree.tau[..v.len()].copy_from_slice(tau);
        self.factored_system = RowSystem::Velocities;
        let at_hand = joint_tree.known && joint_tree.at == q;
        self.singular = !at_hand && !joint_tree.factor(sparse);
        if self.singular {
            a.fill(f64::NAN);
            return;
        }
        self.factor_at_hand = false;
        let JointTree { blocks, q, v, tau, uneven, .. } = &**joint_tree;
        dispatch(Biases { blocks, q, v, tau, gravity: model.gravity(), sparse });
        sparse.solve_written(*uneven);
        dispatch(Motions { blocks, q, sparse, x: a });
        sparse.read_multipliers(&mut self.lambda);
    }

    /// Marks all current factors as belonging to unrelated states, except for one at exactly the next q.
    pub(crate) fn forget_factors(&mut self) {
        self.forget_factor();
        self.joint_tree.iter_mut().for_each(|joint_tree| joint_tree.far = true);
    }

    /// Moves q onto the joints with the factor of the last acceleration, or that at q; false if this does not converge.
    fn chord(&mut self, model: &Model, q: &mut [f64]) -> bool {
        let (Some(joint_tree), Some(sparse)) = (&mut self.joint_tree, &mut self.sparse) else { return false };
        if !joint_tree.known || (joint_tree.far && joint_tree.at != *q) {
            self.factor_at_hand = false;
            joint_tree.place(q);
            if !joint_tree.factor(sparse) {
                return false;
            }
        }
        let farthest = q.iter().fold(0.0f64, |far, q| far.max(q.abs()));
        let round_off = ROUND_OFF.max(ROUND_OFF_THERE * farthest);
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CHORDS {
            joint_tree.place(q);
            let size = dispatch(eight::Values { blocks: &joint_tree.blocks, q: &joint_tree.q, sparse });
            if size <= round_off {
                return true;
            }
            if size.is_nan() || size > SLOW * last {
                return false;
            }
            last = size;
            sparse.solve_written(false);
            dispatch(Motions { blocks: &joint_tree.blocks, q: &joint_tree.q, sparse, x: &mut self.change });
            model.integrate(q, &self.change, 1.0);
        }
        false
    }

    /// Moves q onto the constraints, as [`Multipliers::project_configuration_near`] does, from the end of a step.
    pub(crate) fn settle_configuration(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &mut [f64],
    ) -> Result<(), ConstraintError> {
        if self.chord(model, q) {
            return Ok(());
        }
        self.project_configuration_near(model, ws, q).map(|_| ())
    }

    /// Changes v so that the constraints stay satisfied at q, which [`Multipliers::settle_configuration`] has projected.
    pub(crate) fn settle_velocity(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &mut [f64]) {
        let (Some(joint_tree), Some(sparse)) = (&mut self.joint_tree, &mut self.sparse) else {
            return self.project_velocity_near(model, ws, q, v);
        };
        joint_tree.place(q);
        joint_tree.v[..v.len()].copy_from_slice(v);
        self.factored_system = RowSystem::Velocities;
        if joint_tree.known && joint_tree.at == q {
            dispatch(Rates { blocks: &joint_tree.blocks, q: &joint_tree.q, v: &joint_tree.v, sparse });
            self.singular = false;
        } else {
            self.singular = !joint_tree.factor(sparse);
        }
        if self.singular {
            v.fill(f64::NAN);
            return;
        }
        self.factor_at_hand = false;
        sparse.solve_written(joint_tree.uneven);
        dispatch(Motions { blocks: &joint_tree.blocks, q: &joint_tree.q, sparse, x: &mut self.change });
        v.iter_mut().zip(&self.change).for_each(|(v, d)| *v += d);
        sparse.read_multipliers(&mut self.lambda);
    }
}
