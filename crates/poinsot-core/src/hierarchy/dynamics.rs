//! Equations (1) to (5) of [the trace form](super) for the nodes of a model.

use super::affine::{Matrix4x3, Tensor};
use super::{Affine, NodeMotion};
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::algebra::{Real, V3};
use crate::model::{BodyId, Kind, Model, Tree};
use crate::spatial::{MassTensor, Pose};
use nalgebra::DMatrix;

/// A force on a body: F in world axes at the point x of the body frame.
///
/// ```
/// use poinsot_core::{algebra::V3, hierarchy::{Hierarchy, PointForce}, model::*};
/// let mut b = ModelBuilder::new("slider");
/// let body = b.body(BodyId::WORLD, BodySpec::new("block").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(body, Joint::prismatic(V3::X));
/// let push = PointForce { body, point: V3::ZERO, force: V3::X * 3.0 };
/// let mut tau = [0.0];
/// Hierarchy::new(&b.build()?).inverse_dynamics(&[0.0], &[0.0], &[0.0], &[push], &mut tau);
/// assert_eq!(tau, [-3.0]); // the actuator must hold against the push
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointForce {
    /// The body it acts on.
    pub body: BodyId,
    /// The point, in the body frame.
    pub point: V3,
    /// The force, in world axes.
    pub force: V3,
}

/// The constant properties of a node of the hierarchy.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) parent: usize,
    pub(super) motion: NodeMotion,
    /// F: the frame of the joint on the parent.
    pub(super) frame: Affine,
    pub(super) mass: MassTensor,
    /// Its first index in qpos and in qvel.
    pub(super) q: usize,
    pub(super) v: usize,
}

/// The motion of a node at the current state; matrices map node axes to world axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved<T> {
    /// R: from node to parent.
    pub(super) local: Affine<T>,
    /// W, Ẇ, Ẅ.
    pub(super) world: Affine<T>,
    pub(super) rate: Affine<T>,
    pub(super) acceleration: Affine<T>,
    /// M̂̈, equation (4).
    pub(super) inertial: Matrix4x3<T>,
    /// ĉ, equation (3), and its fourth coordinate: the mass of the subtree.
    moment: V3<T>,
    weight: T,
    /// Σ R M Rᵀ of the subtree; by `mass_matrix` only.
    pub(super) composite: Tensor<T>,
}

/// A model as a hierarchy of 4×4 transforms: an independent check of [`crate::dynamics`]. No sweep allocates, except for the matrix that
/// `mass_matrix` returns.
///
/// ```
/// use poinsot_core::{algebra::V3, dynamics::Workspace, hierarchy::Hierarchy, model::*};
/// let mut b = ModelBuilder::new("pendulum");
/// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// let model = b.build()?;
/// let (mut twin, mut tau, mut other) = (Hierarchy::new(&model), [0.0], [0.0]);
/// twin.inverse_dynamics(&[0.3], &[0.5], &[2.0], &[], &mut tau);
/// Workspace::new(&model).inverse_dynamics(&model, &[0.3], &[0.5], &[2.0], &mut other);
/// assert!((tau[0] - other[0]).abs() < 1e-15 * other[0].abs().max(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hierarchy<T = f64> {
    pub(super) gravity: V3,
    pub(super) nodes: Vec<Node>,
    /// For each body: the node it is fixed to, and its pose there.
    pub(super) bodies: Vec<(usize, Pose)>,
    pub(super) armature: Vec<f64>,
    nq: usize,
    pub(super) moved: Vec<Moved<T>>,
    /// For each degree of freedom: ∂R/∂k, then ∂W/∂k.
    pub(super) along: Vec<Affine<T>>,
}

impl<T: Real> Hierarchy<T> {
    /// The hierarchy of a model's links.
    pub fn new(model: &Model) -> Self {
        let tree = &model.tree;
        let nodes: Vec<Node> = (0..tree.links()).map(|i| node(tree, i)).collect();
        let bodies = model.bodies.iter().map(|b| (b.link, b.pose_in_link)).collect();
        Hierarchy::of_nodes(model.gravity, nodes, bodies, tree.armature.clone(), tree.nq)
    }

    /// The hierarchy of these nodes, the first of which is the world; a rotor inertia for each degree of freedom.
    pub(super) fn of_nodes(
        gravity: V3,
        nodes: Vec<Node>,
        bodies: Vec<(usize, Pose)>,
        armature: Vec<f64>,
        nq: usize,
    ) -> Self {
        let zero = Affine::zero();
        let still = Moved {
            local: Affine::identity(),
            world: Affine::identity(),
            rate: zero,
            acceleration: zero,
            inertial: Matrix4x3::outer(V3::zero(), T::zero(), V3::zero()),
            moment: V3::zero(),
            weight: T::zero(),
            composite: Tensor::lift(&nodes[0].mass),
        };
        Hierarchy {
            gravity,
            bodies,
            nq,
            moved: vec![still; nodes.len()],
            along: vec![zero; armature.len()],
            armature,
            nodes,
        }
    }

    pub(super) fn check(&self, q: usize, tangent: &[usize]) {
        assert_eq!(q, self.nq, "the hierarchy has {} coordinates", self.nq);
        for n in tangent {
            assert_eq!(*n, self.along.len(), "the hierarchy has {} degrees of freedom", self.along.len());
        }
    }

    /// The generalised forces τ of equation (2), including rotor inertias.
    ///
    /// # Panics
    /// If a slice does not fit the model.
    pub fn inverse_dynamics(&mut self, q: &[T], v: &[T], a: &[T], forces: &[PointForce], tau: &mut [T]) {
        self.check(q.len(), &[v.len(), a.len(), tau.len()]);
        dispatch(Inverse { h: self, q, v, a, forces, tau });
    }

    /// The kinetic energy of equation (1), including that of the rotors.
    ///
    /// # Panics
    /// If a slice does not fit the model.
    pub fn kinetic_energy(&mut self, q: &[T], v: &[T]) -> T {
        self.check(q.len(), &[v.len()]);
        let half = T::from_f64(0.5);
        let mut twice = T::zero();
        for i in 1..self.nodes.len() {
            self.move_node(i, q, v, None);
            let rate = self.moved[i].rate;
            twice += Tensor::lift(&self.nodes[i].mass).times_transposed(rate).trace_with(rate);
        }
        for (armature, v) in self.armature.iter().zip(v) {
            twice += T::from_f64(*armature) * *v * *v;
        }
        twice * half
    }

    /// The mass matrix: `M_jk = tr(∂W_j/∂j X)` with `X = M̂_k (∂W_k/∂k)ᵀ` carried from node k up to node j, where
    /// `M̂_k` is the mass tensor of the whole subtree.
    ///
    /// # Panics
    /// If `q` does not fit the model.
    pub fn mass_matrix(&mut self, q: &[T]) -> DMatrix<T> {
        self.check(q.len(), &[]);
        let mut out = DMatrix::from_element(self.along.len(), self.along.len(), T::zero());
        for i in 0..self.nodes.len() {
            self.place_node(i, q);
            self.moved[i].composite = Tensor::lift(&self.nodes[i].mass);
        }
        for i in (1..self.nodes.len()).rev() {
            let carried = self.moved[i].composite.carried(self.moved[i].local);
            let above = &mut self.moved[self.nodes[i].parent].composite;
            *above = above.plus(carried);
        }
        for i in 1..self.nodes.len() {
            for k in self.dofs(i) {
                let mut x = self.moved[i].composite.times_transposed(self.along[k]);
                let mut node = i;
                while node != 0 {
                    for j in self.dofs(node) {
                        let entry = x.trace_with(self.along[j]);
                        (out[(j, k)], out[(k, j)]) = (entry, entry);
                    }
                    x = x.carried(self.moved[node].local);
                    node = self.nodes[node].parent;
                }
                out[(k, k)] += T::from_f64(self.armature[k]);
            }
        }
        out
    }

    #[inline(always)]
    pub(super) fn dofs(&self, i: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[i];
        node.v..node.v + node.motion.nv()
    }

    /// R, W and ∂W/∂k of node i.
    #[inline(always)]
    fn place_node(&mut self, i: usize, q: &[T]) {
        let Node { parent, motion, frame, q: at, .. } = self.nodes[i];
        let (q, frame) = (&q[at..at + motion.nq()], frame.lift());
        let local = frame * motion.transform(q);
        let w_p = self.moved[parent].world;
        self.moved[i].local = local;
        self.moved[i].world = w_p * local;
        for (k, dof) in self.dofs(i).enumerate() {
            self.along[dof] = w_p.on_derivative(frame.on_derivative(motion.along(q, k)));
        }
    }

    /// W = W_p R,  Ẇ = Ẇ_p R + W_p Ṙ,  Ẅ = Ẅ_p R + 2 Ẇ_p Ṙ + W_p R̈; the last only with accelerations.
    #[inline(always)]
    pub(super) fn move_node(&mut self, i: usize, q: &[T], v: &[T], a: Option<&[T]>) {
        self.place_node(i, q);
        let (above, dofs) = (self.moved[self.nodes[i].parent], self.dofs(i));
        // W_p Ṙ and W_p R̈ are sums over ∂W/∂k
        let mut rate = above.rate * self.moved[i].local;
        for dof in dofs.clone() {
            rate = rate + self.along[dof].scaled(v[dof]);
        }
        self.moved[i].rate = rate;
        if let Some(a) = a {
            let [coriolis, bias] = self.velocity_terms(i, q, v);
            let free = above.acceleration * self.moved[i].local + coriolis + bias;
            self.moved[i].acceleration = dofs.fold(free, |sum, dof| sum + self.along[dof].scaled(a[dof]));
        }
    }

    /// 2 Ẇ_p Ṙ and W_p Γ of a moved node, where R̈ = Γ + Σ ∂R/∂k a_k.
    #[inline(always)]
    fn velocity_terms(&self, i: usize, q: &[T], v: &[T]) -> [Affine<T>; 2] {
        let Node { parent, motion, frame, q: at, .. } = self.nodes[i];
        let (above, dofs) = (&self.moved[parent], self.dofs(i));
        let (frame, q) = (frame.lift::<T>(), &q[at..at + motion.nq()]);
        let mut rate = Affine::zero();
        for (k, dof) in dofs.clone().enumerate() {
            rate = rate + motion.along(q, k).scaled(v[dof]);
        }
        let coriolis = above.rate.on_derivative(frame.on_derivative(rate)).scaled(T::from_f64(2.0));
        let bias = frame.on_derivative(motion.bias(q, &v[dofs]));
        [coriolis, above.world.on_derivative(bias)]
    }

    /// `2 Ẇ_p Ṙ + W_p Γ`: the part of Ẅ of a moved node that comes neither from its parent nor from its own accelerations.
    pub(super) fn drift(&self, i: usize, q: &[T], v: &[T]) -> Affine<T> {
        let [coriolis, bias] = self.velocity_terms(i, q, v);
        coriolis + bias
    }

    /// Ẅ of a node with all accelerations 0: the sum of the velocity-dependent terms of its ancestors, carried to it.
    pub(super) fn drifting(&self, i: usize, q: &[T], v: &[T]) -> Affine<T> {
        let (mut sum, mut carried, mut node) = (Affine::zero(), Affine::identity(), i);
        while node != 0 {
            sum = sum + self.drift(node, q, v) * carried;
            carried = self.moved[node].local * carried;
            node = self.nodes[node].parent;
        }
        sum
    }

    /// Equations (3) to (5) of [the trace form](super).
    #[inline(always)]
    fn recursions(&mut self, q: &[T], v: &[T], a: &[T], forces: &[PointForce], tau: &mut [T]) {
        for i in 0..self.nodes.len() {
            if i > 0 {
                self.move_node(i, q, v, Some(a));
            }
            let (m, own) = (&self.nodes[i].mass, &mut self.moved[i]);
            own.inertial = Tensor::lift(m).times_transposed(own.acceleration); // (4): M Ẅᵀ
            (own.moment, own.weight) = (m.first_moment.lift(), T::from_f64(m.mass)); // (3): m c
        }
        for f in forces {
            let (node, pose) = self.bodies[f.body.index()];
            let inertial = &mut self.moved[node].inertial;
            let moment = Matrix4x3::outer(pose.point(f.point).lift(), T::one(), f.force.lift());
            *inertial = inertial.minus(moment); // (4): x Fᵀ
        }
        let gravity = self.gravity.lift();
        for i in (1..self.nodes.len()).rev() {
            let own = self.moved[i];
            for k in self.dofs(i) {
                let d = self.along[k];
                let lifted = d.linear.mul_add(own.moment, d.shift * own.weight);
                tau[k] = own.inertial.trace_with(d) - gravity.dot(lifted); // (5)
                tau[k] += T::from_f64(self.armature[k]) * a[k];
            }
            let above = &mut self.moved[self.nodes[i].parent];
            above.inertial = above.inertial.plus(own.inertial.carried(own.local)); // (4)
            above.moment += own.local.linear.mul_add(own.moment, own.local.shift * own.weight); // (3)
            above.weight += own.weight;
        }
    }
}

/// The link `i` of a compiled tree as a node.
fn node(tree: &Tree, i: usize) -> Node {
    let motion = match tree.kind[i] {
        Kind::World => NodeMotion::Fixed,
        Kind::Hinge | Kind::Screw => {
            let [turn, advance, reference] = tree.screw_of(i);
            NodeMotion::Screw { turn, advance, reference }
        }
        Kind::Ball => NodeMotion::Ball,
        Kind::Free => NodeMotion::Free,
    };
    Node {
        parent: tree.parent[i],
        motion,
        frame: tree.frame_of(i).into(),
        mass: tree.inertia_of(i).mass_tensor(),
        q: tree.q[i],
        v: tree.v[i],
    }
}

/// The whole of [`Hierarchy::inverse_dynamics`], compiled for the machine's fused multiply-add.
struct Inverse<'a, T> {
    h: &'a mut Hierarchy<T>,
    q: &'a [T],
    v: &'a [T],
    a: &'a [T],
    forces: &'a [PointForce],
    tau: &'a mut [T],
}

impl<T: Real> Kernel for Inverse<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.h.recursions(self.q, self.v, self.a, self.forces, self.tau);
    }
}
