//! The workspaces: scratch allocated once for a model, and the methods that run the sweeps on it.

use super::aba::{PrescribedAxes, aba, aba_hybrid};
use super::crba::{MassMatrix, crba};
use super::energy::{Energies, energies};
use super::free_roots::forward;
use super::kinematics::{At, fill_jacobians};
use super::lagrangian_force::lagrangian_force;
use super::outward::{bias_sweep, pose_sweep, velocity_sweep};
use super::rnea::rnea;
use super::sweep::*;
use super::transmit::transmit;
use super::{ExternalForces, State};
use crate::algebra::lanes::{Eight, Isa, Kernel, dispatch};
use crate::algebra::{Lanes, Real, V3};
use crate::model::{BodyId, Model, Tree};
use crate::spatial::{Motion, Pose};

/// Names the arguments of a sweep, so that [`dispatch`] can compile it for each instruction set.
macro_rules! kernel {
    ($name:ident { $($field:ident: $type:ty),* $(,)? } $(-> $output:ty)?, |$isa:ident| $body:expr) => {
        pub(super) struct $name<'a> { $(pub(super) $field: $type),* }
        impl<'a> Kernel for $name<'a> {
            type Output = kernel!(@output $($output)?);
            #[inline(always)]
            fn run<$isa: Isa>(self) -> Self::Output {
                let $name { $($field),* } = self;
                $body
            }
        }
    };
    (@output) => { () };
    (@output $output:ty) => { $output };
}

kernel!(Poses { m: &'a Model, s: &'a mut Scratch<Lanes<8>, f64>, q: &'a [f64] }, |I| {
    pose_sweep::<OneState<I>>(&m.tree, s, q)
});
kernel!(Velocities { m: &'a Model, s: &'a mut Scratch<Lanes<8>, f64>, q: &'a [f64], v: &'a [f64] }, |I| {
    velocity_sweep::<OneState<I>>(&m.tree, s, q, v)
});
kernel!(Jacobians { m: &'a Model, s: &'a mut Scratch<Lanes<8>, f64>, q: &'a [f64], out: &'a mut [Motion] }, |I| {
    pose_sweep::<OneState<I>>(&m.tree, s, q);
    fill_jacobians::<OneState<I>>(&m.tree, s, out)
});
kernel!(Inverse {
    tree: &'a Tree, s: &'a mut Scratch<Lanes<8>, f64>, q: &'a [f64], v: &'a [f64], a: Option<&'a [f64]>, gravity: V3,
    tau: &'a mut [f64],
}, |I| rnea::<OneState<I>>(tree, s, q, v, a, gravity, tau));
kernel!(Transmit {
    m: &'a Model, s: &'a mut Scratch<Lanes<8>, f64>, q: &'a [f64], forces: &'a [[Lanes<8>; 6]], scale: f64,
    tau: &'a mut [f64],
}, |I| transmit::<I>(&m.tree, s, q, forces, scale, tau));
kernel!(Forward {
    m: &'a Model, s: &'a mut Scratch<Lanes<8>, f64>, q: &'a [f64], v: &'a [f64], tau: &'a [f64],
    armature: &'a [f64], gravity: V3, forces: Option<&'a [[Lanes<8>; 6]]>, a: &'a mut [f64],
}, |I| forward::<I>(&m.tree, s, q, v, tau, armature, gravity, forces, a));
kernel!(ForwardHeld {
    m: &'a Model, s: &'a mut Scratch<Lanes<8>, f64>, at: Option<(&'a [f64], &'a [f64], V3)>, tau: &'a [f64],
    armature: &'a [f64], given: PrescribedAxes<'a>, a: &'a mut [f64],
}, |I| {
    let (mut given, all) = (given, m.tree.blocks());
    if let Some((q, v, gravity)) = at {
        bias_sweep::<OneState<I>>(&m.tree, s, &all, q, v, gravity);
    }
    aba_hybrid::<OneState<I>>(&m.tree, s, &all, tau, armature, &mut given, a)
});
kernel!(Composite {
    m: &'a Model, s: &'a mut Scratch<Lanes<8>, f64>, q: &'a [f64], out: &'a mut MassMatrix,
}, |I| crba::<I>(&m.tree, s, q, out));
kernel!(LagrangianForce {
    m: &'a Model, s: &'a mut Scratch<Lanes<8>, f64>, q: &'a [f64], v: &'a [f64], out: &'a mut [f64],
}, |I| lagrangian_force::<I>(&m.tree, s, q, v, m.gravity, out));
kernel!(Energy { m: &'a Model, s: &'a mut Scratch<Lanes<8>, f64>, q: &'a [f64], v: &'a [f64] } -> Energies, |I| {
    energies::<I>(&m.tree, s, (q, v), m.gravity)
});
kernel!(InverseBatch { m: &'a Model, b: &'a mut BatchWorkspace, q: &'a [f64], v: &'a [f64], a: &'a [f64],
    tau: &'a mut [f64],
}, |I| {
    b.take::<I>(q, v, a);
    rnea::<EightStates<I>>(&m.tree, &mut b.scratch, &b.q, &b.v, Some(&b.input), m.gravity, &mut b.output);
    from_lanes::<I>(&b.output, tau);
});
kernel!(ForwardBatch { m: &'a Model, b: &'a mut BatchWorkspace, q: &'a [f64], v: &'a [f64], tau: &'a [f64],
    a: &'a mut [f64],
}, |I| {
    b.take::<I>(q, v, tau);
    let (armature, gravity) = (&m.tree.armature, m.gravity);
    let BatchWorkspace { scratch, q, v, input, output } = b;
    aba::<EightStates<I>>(&m.tree, scratch, &[m.tree.blocks()], q, v, input, armature, gravity, None, output);
    from_lanes::<I>(output, a);
});

/// Scratch for one state of one model, and the dynamics computed on it. No call allocates.
///
/// ```
/// use poinsot_core::{algebra::V3, dynamics::{State, Workspace}, model::*};
/// let mut b = ModelBuilder::new("pendulum");
/// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// let model = b.build()?;
/// let (mut workspace, state) = (Workspace::new(&model), State::new(&model));
/// let (mut tau, mut acceleration) = ([0.0], [0.0]);
/// workspace.inverse_dynamics(&model, &state.q, &state.v, &[2.0], &mut tau);
/// workspace.forward_dynamics(&model, &state.q, &state.v, &tau, &mut acceleration);
/// assert!((acceleration[0] - 2.0).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) scratch: Scratch<Lanes<8>, f64>,
    /// For each degree of freedom: the sum of all actuators, or the gravity-compensation force.
    pub(super) actuation: Vec<f64>,
    /// The forces of the medium on the links; `None` if there is no medium.
    pub(super) medium: Option<ExternalForces>,
}

/// Checks that the slices fit the model: a wrong length is a bug of the caller, not an input error.
pub(super) fn check(model: &Model, q: usize, tangent: &[usize]) {
    assert_eq!(q, model.nq(), "qpos of \"{}\" has {} coordinates", model.name(), model.nq());
    for n in tangent {
        assert_eq!(*n, model.nv(), "\"{}\" has {} degrees of freedom", model.name(), model.nv());
    }
}

impl Workspace {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Workspace {
        Workspace {
            scratch: Scratch::new(model.tree.links(), model.nv(), 8),
            actuation: vec![0.0; model.nv()],
            medium: model.medium.map(|_| ExternalForces::new(model)),
        }
    }

    /// Poses, velocities and everything derived from them at `state`. The result borrows the state, so it cannot go stale:
    ///
    /// ```compile_fail
    /// # use poinsot_core::{dynamics::*, model::*};
    /// # fn stale(model: &Model, workspace: &mut Workspace, state: &mut State) {
    /// let at = workspace.at(model, state);
    /// state.q[0] += 1.0; // does not compile: `at` still shows the old configuration
    /// at.com();
    /// # }
    /// ```
    ///
    /// # Panics
    /// If the state, or this workspace, belongs to another model.
    pub fn at<'a>(&'a mut self, model: &'a Model, state: &'a State) -> At<'a> {
        check(model, state.q.len(), &[state.v.len()]);
        dispatch(Velocities { m: model, s: &mut self.scratch, q: &state.q, v: &state.v });
        At { model, scratch: &self.scratch, state }
    }

    /// Computes the world poses of all links, stored in the workspace.
    pub(crate) fn poses(&mut self, model: &Model, q: &[f64]) {
        check(model, q.len(), &[]);
        dispatch(Poses { m: model, s: &mut self.scratch, q });
    }

    /// Computes the world poses of all links, and for each degree of freedom the motion of everything outboard of it at unit rate, in world
    /// axes at the world's origin.
    pub fn jacobians(&mut self, model: &Model, q: &[f64], out: &mut [Motion]) {
        check(model, q.len(), &[out.len()]);
        dispatch(Jacobians { m: model, s: &mut self.scratch, q, out });
    }

    /// Computes the generalised forces τ for which the model at (q, v) accelerates with `a`.
    ///
    /// `τ = M(q) a + c(q, v) + g(q)`; rotor inertias are in M; springs, dampers and limits are not in τ.
    ///
    /// # Panics
    /// If a slice does not fit the model.
    pub fn inverse_dynamics(&mut self, model: &Model, q: &[f64], v: &[f64], a: &[f64], tau: &mut [f64]) {
        self.inverse_dynamics_with(model, q, v, a, None, tau);
    }

    /// As [`Workspace::inverse_dynamics`], with external forces on the bodies.
    pub fn inverse_dynamics_with(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        forces: Option<&ExternalForces>,
        tau: &mut [f64],
    ) {
        check(model, q.len(), &[v.len(), a.len(), tau.len()]);
        let gravity = model.gravity;
        dispatch(Inverse { tree: &model.tree, s: &mut self.scratch, q, v, a: Some(a), gravity, tau });
        if let Some(forces) = forces {
            self.add_external(model, q, forces, -1.0, tau);
        }
    }

    /// Adds `scale` times the generalised forces Jᵀ F of external forces to τ.
    pub fn add_external(
        &mut self,
        model: &Model,
        q: &[f64],
        forces: &ExternalForces,
        scale: f64,
        tau: &mut [f64],
    ) {
        check(model, q.len(), &[tau.len()]);
        dispatch(Transmit { m: model, s: &mut self.scratch, q, forces: forces.cells(), scale, tau });
    }

    /// The bias forces `c(q, v) + g(q)`: inverse dynamics with zero acceleration.
    pub fn bias(&mut self, model: &Model, q: &[f64], v: &[f64], tau: &mut [f64]) {
        check(model, q.len(), &[v.len(), tau.len()]);
        let gravity = model.gravity;
        dispatch(Inverse { tree: &model.tree, s: &mut self.scratch, q, v, a: None, gravity, tau });
    }

    /// `M(q) a`, without the matrix: the generalised momentum when `a` is a velocity.
    pub fn mass_times(&mut self, model: &Model, q: &[f64], a: &[f64], out: &mut [f64]) {
        check(model, q.len(), &[a.len(), out.len()]);
        dispatch(Inverse {
            tree: &model.tree,
            s: &mut self.scratch,
            q,
            v: &model.tree.rest,
            a: Some(a),
            gravity: V3::ZERO,
            tau: out,
        });
    }

    /// ∂L/∂q of the Lagrangian (kinetic energy minus potential energy of gravity) at fixed velocities, in O(n).
    pub fn lagrangian_force(&mut self, model: &Model, q: &[f64], v: &[f64], out: &mut [f64]) {
        check(model, q.len(), &[v.len(), out.len()]);
        dispatch(LagrangianForce { m: model, s: &mut self.scratch, q, v, out });
    }

    /// The kinetic and the gravitational energy at (q, v), from one sweep.
    pub(crate) fn energies(&mut self, model: &Model, q: &[f64], v: &[f64]) -> Energies {
        check(model, q.len(), &[v.len()]);
        dispatch(Energy { m: model, s: &mut self.scratch, q, v })
    }

    /// `M(q)⁻¹ f`, in O(n).
    pub fn mass_solve(&mut self, model: &Model, q: &[f64], f: &[f64], out: &mut [f64]) {
        self.mass_solve_with(model, q, f, &model.tree.armature, out);
    }

    /// As [`Workspace::mass_solve`], with `diagonal` in place of the rotor inertias on the diagonal of M.
    pub fn mass_solve_with(
        &mut self,
        model: &Model,
        q: &[f64],
        f: &[f64],
        diagonal: &[f64],
        out: &mut [f64],
    ) {
        check(model, q.len(), &[f.len(), diagonal.len(), out.len()]);
        dispatch(Forward {
            m: model,
            s: &mut self.scratch,
            q,
            v: &model.tree.rest,
            tau: f,
            armature: diagonal,
            gravity: V3::ZERO,
            forces: None,
            a: out,
        });
    }

    /// The gravity term g(q): the forces that hold the model at rest.
    pub fn gravity(&mut self, model: &Model, q: &[f64], tau: &mut [f64]) {
        check(model, q.len(), &[tau.len()]);
        let gravity = model.gravity;
        let v = &model.tree.rest;
        dispatch(Inverse { tree: &model.tree, s: &mut self.scratch, q, v, a: None, gravity, tau });
    }

    /// Adds the forces that support the weights of bodies with [gravity compensation](crate::model::Body::gravity_compensation): the
    /// gravity term of a tree with only the compensated masses.
    pub fn add_gravity_compensation(&mut self, model: &Model, q: &[f64], tau: &mut [f64]) {
        check(model, q.len(), &[tau.len()]);
        let Some(tree) = &model.carried else { return };
        let (gravity, v, s) = (model.gravity, &model.tree.rest, &mut self.scratch);
        dispatch(Inverse { tree, s, q, v, a: None, gravity, tau: &mut self.actuation });
        for (t, f) in tau.iter_mut().zip(&self.actuation) {
            *t += f;
        }
    }

    /// Computes the acceleration of the model at (q, v) under the generalised forces τ, in O(n).
    ///
    /// # Panics
    /// If a slice does not fit the model.
    pub fn forward_dynamics(&mut self, model: &Model, q: &[f64], v: &[f64], tau: &[f64], a: &mut [f64]) {
        self.forward_dynamics_with(model, q, v, tau, None, None, a);
    }

    /// As [`Workspace::forward_dynamics`], with external forces on the bodies, and with `diagonal`, if given, in place of the model's rotor
    /// inertias: an implicit integrator adds its terms on the diagonal of M there.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub fn forward_dynamics_with(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        diagonal: Option<&[f64]>,
        forces: Option<&ExternalForces>,
        a: &mut [f64],
    ) {
        let diagonal = diagonal.unwrap_or(&model.tree.armature);
        check(model, q.len(), &[v.len(), tau.len(), diagonal.len(), a.len()]);
        let forces = forces.map(ExternalForces::cells);
        let (gravity, armature) = (model.gravity, diagonal);
        dispatch(Forward { m: model, s: &mut self.scratch, q, v, tau, armature, gravity, forces, a });
    }

    /// As [`Workspace::forward_dynamics_with`] with some degrees of freedom locked: they have the accelerations `given`, which are replaced
    /// by the forces in addition to τ that produce them. Without `at`, (q, v) and gravity are those of the last such call.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub(crate) fn hybrid_dynamics(
        &mut self,
        model: &Model,
        at: Option<(&[f64], &[f64], V3)>,
        tau: &[f64],
        diagonal: &[f64],
        prescribed: &[bool],
        given: &mut [f64],
        a: &mut [f64],
    ) {
        check(model, model.nq(), &[tau.len(), diagonal.len(), prescribed.len(), given.len(), a.len()]);
        let given = PrescribedAxes { prescribed, given };
        dispatch(ForwardHeld { m: model, s: &mut self.scratch, at, tau, armature: diagonal, given, a });
    }

    /// Computes the mass matrix at q.
    ///
    /// # Panics
    /// If `out` belongs to another model.
    pub fn mass_matrix(&mut self, model: &Model, q: &[f64], out: &mut MassMatrix) {
        check(model, q.len(), &[out.size()]);
        dispatch(Composite { m: model, s: &mut self.scratch, q, out });
    }
}

/// Scratch for eight states of one model side by side. No call allocates.
///
/// States are given one after the other, `[state][coordinate]`; the calls transpose them into lanes and back.
///
/// ```
/// use poinsot_core::{algebra::V3, dynamics::{BatchWorkspace, Workspace}, model::*};
/// # let mut b = ModelBuilder::new("pendulum");
/// # let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// # b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// # let model = b.build()?;
/// let q: [f64; 8] = std::array::from_fn(|k| 0.1 * k as f64);
/// let (v, a, mut tau) = ([0.5; 8], [1.0; 8], [0.0; 8]);
/// BatchWorkspace::new(&model).inverse_dynamics(&model, &q, &v, &a, &mut tau);
/// let mut one = [0.0];
/// Workspace::new(&model).inverse_dynamics(&model, &q[3..4], &v[3..4], &a[3..4], &mut one);
/// assert_eq!(tau[3], one[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchWorkspace {
    scratch: Scratch<Lanes<8>, Lanes<8>>,
    q: Vec<Lanes<8>>,
    v: Vec<Lanes<8>>,
    input: Vec<Lanes<8>>,
    output: Vec<Lanes<8>>,
}

impl BatchWorkspace {
    /// Scratch for eight states of `model`.
    pub fn new(model: &Model) -> Self {
        let tangent = vec![Lanes([0.0; 8]); model.nv()];
        BatchWorkspace {
            scratch: Scratch::new(model.tree.links(), model.nv(), 1),
            q: vec![Lanes([0.0; 8]); model.nq()],
            v: tangent.clone(),
            input: tangent.clone(),
            output: tangent,
        }
    }

    #[inline(always)]
    fn take<I: Isa>(&mut self, q: &[f64], v: &[f64], input: &[f64]) {
        to_lanes::<I>(q, &mut self.q);
        to_lanes::<I>(v, &mut self.v);
        to_lanes::<I>(input, &mut self.input);
    }

    /// τ for eight states, bitwise equal to [`Workspace::inverse_dynamics`] in each.
    ///
    /// # Panics
    /// If a slice does not hold eight vectors of the model's size.
    pub fn inverse_dynamics(&mut self, model: &Model, q: &[f64], v: &[f64], a: &[f64], tau: &mut [f64]) {
        check_eight(model, q, [v, a, tau]);
        dispatch(InverseBatch { m: model, b: self, q, v, a, tau });
    }

    /// q̈ for eight states, bitwise equal to [`Workspace::forward_dynamics`] in each.
    ///
    /// # Panics
    /// If a slice does not hold eight vectors of the model's size.
    pub fn forward_dynamics(&mut self, model: &Model, q: &[f64], v: &[f64], tau: &[f64], a: &mut [f64]) {
        check_eight(model, q, [v, tau, a]);
        dispatch(ForwardBatch { m: model, b: self, q, v, tau, a });
    }
}

fn check_eight(model: &Model, q: &[f64], tangent: [&[f64]; 3]) {
    let eighth = |n: usize| if n.is_multiple_of(8) { n / 8 } else { usize::MAX };
    check(model, eighth(q.len()), &tangent.map(|t| eighth(t.len())));
}

/// Transposes `[state][coordinate]` to one cell per coordinate, eight coordinates at a time.
#[inline(always)]
fn to_lanes<I: Isa>(states: &[f64], lanes: &mut [Lanes<8>]) {
    let n = lanes.len();
    for (block, cells) in lanes.chunks_mut(8).enumerate() {
        let row = |l: usize| I::F64x8::load_some(&states[l * n + 8 * block..(l + 1) * n]);
        let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        for (cell, column) in cells.iter_mut().zip(I::F64x8::transpose(rows)) {
            column.store(cell);
        }
    }
}

/// The inverse of [`to_lanes`].
#[inline(always)]
fn from_lanes<I: Isa>(lanes: &[Lanes<8>], states: &mut [f64]) {
    let n = lanes.len();
    for (block, cells) in lanes.chunks(8).enumerate() {
        let mut columns = [I::F64x8::zero(); 8];
        for (column, cell) in columns.iter_mut().zip(cells) {
            *column = I::F64x8::load(cell);
        }
        for (l, row) in I::F64x8::transpose(columns).into_iter().enumerate() {
            row.store_some(&mut states[l * n + 8 * block..(l + 1) * n]);
        }
    }
}

/// Scratch for sweeps on any number type: dual numbers give exact derivatives of the dynamics.
///
/// ```
/// use poinsot_core::{algebra::{Dual, Real, V3}, dynamics::{GenericWorkspace, Workspace}, model::*};
/// # let mut b = ModelBuilder::new("pendulum");
/// # let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// # b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// # let model = b.build()?;
/// let (angle, zero) = (Dual::<1>::variable(0.3, 0), Dual::from_f64(0.0));
/// let mut tau = [zero];
/// GenericWorkspace::new(&model).inverse_dynamics(&model, &[angle], &[zero], &[zero], &mut tau);
/// assert!((tau[0].eps[0] - 9.81 * 0.3f64.cos()).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GenericWorkspace<T> {
    scratch: Scratch<T, T>,
}

impl<T: Real> GenericWorkspace<T> {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        GenericWorkspace { scratch: Scratch::new(model.tree.links(), model.nv(), 1) }
    }
    /// As [`Workspace::inverse_dynamics`].
    pub fn inverse_dynamics(&mut self, model: &Model, q: &[T], v: &[T], a: &[T], tau: &mut [T]) {
        check(model, q.len(), &[v.len(), a.len(), tau.len()]);
        rnea::<Plain<T>>(&model.tree, &mut self.scratch, q, v, Some(a), model.gravity, tau);
    }
    /// As [`Workspace::forward_dynamics`].
    pub fn forward_dynamics(&mut self, model: &Model, q: &[T], v: &[T], tau: &[T], a: &mut [T]) {
        check(model, q.len(), &[v.len(), tau.len(), a.len()]);
        let (tree, s, gravity) = (&model.tree, &mut self.scratch, model.gravity);
        aba::<Plain<T>>(tree, s, &[tree.blocks()], q, v, tau, &tree.armature, gravity, None, a);
    }
    /// As [`Workspace::jacobians`].
    pub fn jacobians(&mut self, model: &Model, q: &[T], out: &mut [Motion<T>]) {
        check(model, q.len(), &[out.len()]);
        pose_sweep::<Plain<T>>(&model.tree, &mut self.scratch, q);
        fill_jacobians::<Plain<T>>(&model.tree, &self.scratch, out);
    }
    /// The pose of a body in the world after [`GenericWorkspace::jacobians`].
    pub fn pose(&self, model: &Model, body: BodyId) -> Pose<T> {
        let b = &model.bodies()[body.index()];
        let m = link_at::<Plain<T>>(&self.scratch.moving, b.link);
        let link = Pose { rot: m.rot(), pos: m.p() };
        link * Pose { rot: b.pose_in_link.rot.lift(), pos: b.pose_in_link.pos.lift() }
    }
}
