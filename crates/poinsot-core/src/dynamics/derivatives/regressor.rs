//! The regressor: inverse dynamics is linear in the ten inertial parameters of every body [Siciliano09, section 7.2.2].
//!
//! ```math
//! τ_j = Σ_b S_j · F_b(π_b) + rotors = Σ Y_jb π_b + rotors          π = (m, h, I) about the body's origin, in body axes
//! ```
//! over the bodies b outboard of joint j, with F_b the inertial force of equation (3) of the [module](super).

use super::chain::Chain;
use super::inverse::{Work, motions};
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::algebra::{M3, V3};
use crate::dynamics::Workspace;
use crate::dynamics::sweep::Scratch;
use crate::dynamics::workspace::check;
use crate::model::{Body, Model};
use crate::spatial::{Force, Inertia, Motion, Pose};
use nalgebra::DMatrix;

/// The result of [`Workspace::regressor`], and its scratch.
///
/// ```
/// use poinsot_core::{algebra::V3, dynamics::{Regressor, Workspace}, model::*};
/// # let mut b = ModelBuilder::new("pendulum");
/// # let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// # b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// # let model = b.build()?;
/// let (mut workspace, mut y) = (Workspace::new(&model), Regressor::new(&model));
/// workspace.regressor(&model, &[0.3], &[0.5], &[1.0], &mut y);
/// let mut tau = [0.0];
/// workspace.inverse_dynamics(&model, &[0.3], &[0.5], &[1.0], &mut tau);
/// assert!(((y.matrix() * Regressor::parameters(&model))[0] - tau[0]).abs() < 1e-14);
/// assert_eq!(Regressor::base_parameters(&model), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Regressor {
    chain: Chain,
    work: Work,
    matrix: DMatrix<f64>,
}

impl Regressor {
    /// Allocates the regressor of `model`.
    pub fn new(model: &Model) -> Regressor {
        let chain = Chain::new(&model.tree);
        let matrix = DMatrix::zeros(model.nv(), 10 * (model.bodies().len() - 1));
        Regressor { work: Work::new(&chain), chain, matrix }
    }

    /// Y: a row for each degree of freedom, ten columns for each body except the world: m, h_x, h_y, h_z, I_xx, I_xy, I_xz, I_yy, I_yz,
    /// I_zz about the origin of the body frame, in its axes. Columns of bodies that cannot move are 0.
    pub fn matrix(&self) -> &DMatrix<f64> {
        &self.matrix
    }

    /// π: the ten parameters of every body except the world, in the order of the columns.
    pub fn parameters(model: &Model) -> nalgebra::DVector<f64> {
        let parameters = model.bodies().iter().skip(1).flat_map(|b| {
            let (h, i) = (b.inertia.first_moment.array(), b.inertia.rotational.array());
            [b.inertia.mass].into_iter().chain(h).chain(i)
        });
        let all: Vec<f64> = parameters.collect();
        nalgebra::DVector::from_vec(all)
    }

    /// The number of base parameters, the combinations of parameters that motions of the model can identify [Gautier90]: the rank of the
    /// stacked regressors of many random motions.
    pub fn base_parameters(model: &Model) -> usize {
        let (mut workspace, mut one) = (Workspace::new(model), Regressor::new(model));
        let (n, columns) = one.matrix.shape();
        if n == 0 || columns == 0 {
            return 0;
        }
        // half as many rows again as columns, so that the rank is reliable
        let states = (3 * columns).div_ceil(2 * n) + 4;
        let mut all = DMatrix::zeros(states * n, columns);
        for k in 0..states {
            let seed = 3 * k as u64;
            let q = model.random_configuration(seed + 1);
            let (v, a) = (model.random_velocity(seed + 2), model.random_velocity(seed + 3));
            workspace.regressor(model, &q, &v, &a, &mut one);
            all.rows_mut(k * n, n).copy_from(&one.matrix);
        }
        let diagonal = all.col_piv_qr().unpack_r().diagonal();
        let largest = diagonal.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        diagonal.iter().filter(|x| x.abs() > 1e-9 * largest).count()
    }

    /// The ten columns of a body.
    fn write(&mut self, first: usize, body: &Body) {
        let Some(tip) = self.chain.of_link[body.link].checked_sub(1) else { return };
        let pose = self.work.link_pose(tip) * body.pose_in_link;
        let (v, a) = self.work.motion_after(tip);
        let (v, a) = (seen_by(pose, v), seen_by(pose, a));
        for k in 0..10 {
            let mut unit = [0.0; 10];
            unit[k] = 1.0;
            let inertia = Inertia {
                mass: unit[0],
                first_moment: V3::new(unit[1], unit[2], unit[3]),
                rotational: [unit[4], unit[5], unit[6], unit[7], unit[8], unit[9]].into(),
            };
            let own = inertia.momentum(a) + v.cross_force(inertia.momentum(v));
            let force = pose.rot * own.force;
            let f = Force { moment: pose.pos.cross_add(force, pose.rot * own.moment), force };
            let mut next = Some(tip);
            while let Some(t) = next {
                self.matrix[(self.chain.dof[t], first + k)] = self.work.screw(t).power(f);
                next = self.chain.parent[t].checked_sub(1);
            }
        }
    }
}

/// A motion about the common origin, in the axes of a frame about its origin.
fn seen_by(frame: Pose, m: Motion) -> Motion {
    let moved = m.at(frame.pos);
    let turn = |r: M3, v: V3| r.tr_mul(v);
    Motion { ang: turn(frame.rot, moved.ang), lin: turn(frame.rot, moved.lin) }
}

struct Motions<'a> {
    model: &'a Model,
    scratch: &'a mut Scratch<crate::algebra::Lanes<8>, f64>,
    at: [&'a [f64]; 3],
    out: &'a mut Regressor,
}

impl Kernel for Motions<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (model, Regressor { chain, work, .. }) = (self.model, self.out);
        motions::<I>(&model.tree, self.scratch, self.at, model.gravity, chain, work);
    }
}

impl Workspace {
    /// Computes the regressor Y at (q, v, a): `τ = Y π + rotors` is [`Workspace::inverse_dynamics`], where π are the ten inertial
    /// parameters of every body and rotors (armature) add their inertia times a.
    ///
    /// # Panics
    /// If a slice, or `out`, does not fit the model.
    pub fn regressor(&mut self, model: &Model, q: &[f64], v: &[f64], a: &[f64], out: &mut Regressor) {
        check(model, q.len(), &[v.len(), a.len(), out.matrix.nrows()]);
        dispatch(Motions { model, scratch: &mut self.scratch, at: [q, v, a], out });
        for (k, body) in model.bodies().iter().enumerate().skip(1) {
            out.write(10 * (k - 1), body);
        }
    }
}
