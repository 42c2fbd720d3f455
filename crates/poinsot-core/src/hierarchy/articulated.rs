//! Forward dynamics of a hierarchy of transforms in O(n): the articulated-body algorithm [Featherstone08, chapter 7] with
//! accelerations of twelve numbers.
//!
//! The acceleration of a node is Ẅ, as a vector w of its four columns; the force on it is a 4×3 matrix F with the power tr(Ẇ F), as a
//! vector of its four rows. A single node has `F = (M ⊗ 1₃) w + P`, and the parent sees it through `Ẅ = Ẅ_p R + …`, so
//!
//! ```math
//! w = X w_p + c + Σ_k D_k a_k        X = Rᵀ ⊗ 1₃,   c = 2 Ẇ_p Ṙ + W_p Γ,   D_k = ∂W/∂k
//! u = A D_k,   d = D_k·u,   e = τ_k − D_k·P                     one degree of freedom after another, the last first
//! A ← A − u uᵀ/d,   P ← P + u e/d
//! A_p += Xᵀ A X,    P_p += Xᵀ (P + A c)                          then to the parent
//! a_k = (e − u·w)/d,   w ← w + D_k a_k                           and back, the first first
//! ```
//! A, symmetric with twelve rows, is no longer of the form M ⊗ 1₃ once a degree of freedom has been eliminated.

use super::affine::Tensor;
use super::conditions::entries;
use super::{Affine, Hierarchy, PointForce};
use crate::algebra::V3;

type Twelve = [f64; 12];
type Articulated12 = [Twelve; 12];

/// Scratch for the sweeps.
#[derive(Clone, Debug)]
pub(super) struct Articulated {
    /// A, then the contribution to the parent, of each link.
    inertia: Vec<Articulated12>,
    /// P of each link.
    bias: Vec<Twelve>,
    /// c of each link.
    drift: Vec<Twelve>,
    /// w of each link.
    pub acceleration: Vec<Twelve>,
    /// u, D, d and e of each degree of freedom.
    u: Vec<Twelve>,
    along: Vec<Twelve>,
    pub pivot: Vec<f64>,
    /// d with only the next mass, and without the other degrees of freedom.
    pub alone: Vec<f64>,
    rest: Vec<f64>,
}

impl Articulated {
    pub fn new(links: usize, nv: usize) -> Self {
        let (link, dof) = (|| vec![[0.0; 12]; links], || vec![[0.0; 12]; nv]);
        Articulated {
            inertia: vec![[[0.0; 12]; 12]; links],
            bias: link(),
            drift: link(),
            acceleration: link(),
            u: dof(),
            along: dof(),
            pivot: vec![0.0; nv],
            alone: vec![0.0; nv],
            rest: vec![0.0; nv],
        }
    }

    /// a at (q, v), with forces τ along the degrees of freedom and others at points.
    pub fn forward_dynamics(
        &mut self,
        h: &mut Hierarchy,
        (q, v): (&[f64], &[f64]),
        tau: &[f64],
        forces: &[PointForce],
        a: &mut [f64],
    ) {
        for i in 0..h.nodes.len() {
            if i > 0 {
                h.move_node(i, q, v, None);
                self.drift[i] = entries(h.drift(i, q, v));
            }
            let m = &h.nodes[i].mass;
            put_mass(&mut self.inertia[i], Tensor::lift(m));
            h.moved[i].composite = Tensor::lift(m);
            // weight, −(h; m) gᵀ row by row
            let weights = m.first_moment.array().into_iter().chain([m.mass]);
            weights.enumerate().for_each(|(k, weight)| put(&mut self.bias[i], k, h.gravity * -weight));
        }
        for f in forces {
            let (link, pose) = h.bodies[f.body.index()];
            let weights = pose.point(f.point).array().into_iter().chain([1.0]);
            for (k, weight) in weights.enumerate() {
                let sum: [f64; 3] = std::array::from_fn(|r| self.bias[link][3 * k + r]);
                put(&mut self.bias[link], k, V3::from(sum) - f.force * weight);
            }
        }
        for (along, d) in self.along.iter_mut().zip(&h.along) {
            *along = entries(*d);
        }
        self.local_inertias(h);
        self.inward(h, tau, true);
        self.outward(h, a, true);
    }

    /// Computes the inertia of each degree of freedom with only the next mass, past massless links.
    fn local_inertias(&mut self, h: &mut Hierarchy) {
        for i in (1..h.nodes.len()).rev() {
            let next = h.moved[i].composite;
            for k in h.dofs(i) {
                let d = h.along[k];
                self.alone[k] = next.times_transposed(d).trace_with(d) + h.armature[k];
            }
            let (parent, carried) = (h.nodes[i].parent, next.carried(h.moved[i].local));
            if h.nodes[parent].mass.mass == 0.0 {
                h.moved[parent].composite = h.moved[parent].composite.plus(carried);
            }
        }
    }

    /// M⁻¹ τ with the factors of the last forward dynamics.
    pub fn apply_inverse(&mut self, h: &Hierarchy, tau: &[f64], a: &mut [f64]) {
        self.bias.fill([0.0; 12]);
        self.inward(h, tau, false);
        self.outward(h, a, false);
    }

    fn inward(&mut self, h: &Hierarchy, tau: &[f64], factor: bool) {
        for i in (1..h.nodes.len()).rev() {
            for k in h.dofs(i).rev() {
                let d = &self.along[k];
                if factor {
                    self.u[k] = times(&self.inertia[i], d);
                    self.pivot[k] = dot(d, &self.u[k]) + h.armature[k];
                }
                let (u, pivot) = (&self.u[k], self.pivot[k]);
                self.rest[k] = tau[k] - dot(d, &self.bias[i]);
                add(self.rest[k] / pivot, u, &mut self.bias[i]);
                if factor {
                    for (row, u_r) in self.inertia[i].iter_mut().zip(u) {
                        add(-u_r / pivot, u, row);
                    }
                }
            }
            let (parent, local) = (h.nodes[i].parent, h.moved[i].local);
            if factor {
                let drifting = times(&self.inertia[i], &self.drift[i]);
                add(1.0, &drifting, &mut self.bias[i]);
                let (above, own) = self.inertia.split_at_mut(i);
                carry_inertia(&own[0], local, &mut above[parent]);
            }
            let carried = carry_force(&self.bias[i], local);
            add(1.0, &carried, &mut self.bias[parent]);
        }
    }

    fn outward(&mut self, h: &Hierarchy, a: &mut [f64], drifting: bool) {
        self.acceleration[0] = [0.0; 12];
        for i in 1..h.nodes.len() {
            let mut w = carry_motion(&self.acceleration[h.nodes[i].parent], h.moved[i].local);
            if drifting {
                add(1.0, &self.drift[i], &mut w);
            }
            for k in h.dofs(i) {
                a[k] = (self.rest[k] - dot(&self.u[k], &w)) / self.pivot[k];
                add(a[k], &self.along[k], &mut w);
            }
            self.acceleration[i] = w;
        }
    }
}

fn put(x: &mut Twelve, column: usize, v: V3) {
    x[3 * column..3 * column + 3].copy_from_slice(&v.array());
}

/// M ⊗ 1₃.
fn put_mass(out: &mut Articulated12, tensor: Tensor<f64>) {
    *out = [[0.0; 12]; 12];
    for (b, (v, last)) in tensor.columns().into_iter().enumerate() {
        for (a, m) in v.array().into_iter().chain([last]).enumerate() {
            (0..3).for_each(|r| out[3 * a + r][3 * b + r] = m);
        }
    }
}

fn dot(a: &Twelve, b: &Twelve) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
}
fn add(k: f64, x: &Twelve, y: &mut Twelve) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = k.mul_add(*x, *y));
}
fn times(a: &Articulated12, x: &Twelve) -> Twelve {
    std::array::from_fn(|r| dot(&a[r], x))
}

/// The entry of the 4×4 matrix of R, without its last row.
fn rows(local: Affine) -> [[f64; 4]; 3] {
    let Affine { linear, shift } = local;
    let [x, y, z, t] = [linear.x, linear.y, linear.z, shift].map(V3::array);
    std::array::from_fn(|r| [x[r], y[r], z[r], t[r]])
}

/// X w: the columns of Ẅ_p R.
fn carry_motion(w: &Twelve, local: Affine) -> Twelve {
    let rows = rows(local);
    std::array::from_fn(|k| {
        let (b, r) = (k / 3, k % 3);
        let sum = if b == 3 { w[9 + r] } else { 0.0 };
        (0..3).fold(sum, |sum, a| rows[a][b].mul_add(w[3 * a + r], sum))
    })
}

/// Xᵀ f: the rows of R F.
fn carry_force(f: &Twelve, local: Affine) -> Twelve {
    let rows = rows(local);
    std::array::from_fn(|k| {
        let (a, r) = (k / 3, k % 3);
        if a == 3 { f[9 + r] } else { (0..4).fold(0.0, |sum, b| rows[a][b].mul_add(f[3 * b + r], sum)) }
    })
}

/// above += Xᵀ A X.
fn carry_inertia(a: &Articulated12, local: Affine, above: &mut Articulated12) {
    // (Xᵀ A)ᵀ row by row, as A is symmetric; then Xᵀ of its columns
    let half: Articulated12 = std::array::from_fn(|row| carry_force(&a[row], local));
    for column in 0..12 {
        let own: Twelve = std::array::from_fn(|row| half[row][column]);
        let carried = carry_force(&own, local);
        (0..12).for_each(|row| above[row][column] += carried[row]);
    }
}
