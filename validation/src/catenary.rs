//! A chain of rods between two supports at rest: Newton's method on the joint angles q and the force λ of the second
//! support,
//!
//! ```text
//! g(q) − Jᵀ λ = 0,   p(q) = support;      the derivative of Jᵀ f along q̇ = e_k is J̇(e_k)ᵀ f
//! ```
//! with p the free end, J its Jacobian; and g(q) = −Σ m J_cᵀ g, so that ∂g/∂q too comes from Jacobians' rates.

use crate::entry::{Ledger, Worst};
use crate::read::{number, read, source};
use nalgebra::{DMatrix, DVector};
use poinsot_core::algebra::{Sym3, V3};
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::model::{BodyId, BodySpec, Joint, Model, ModelBuilder};
use poinsot_core::spatial::Inertia;
use serde_json::Value;

/// Newton's method doubles the digits each time: more are not needed.
const ITERATIONS: usize = 8;

struct Chain {
    model: Model,
    links: Vec<BodyId>,
    /// The far end in the frame of each link.
    rod: V3,
}

/// Rods along x at q = 0, hinged about y at their first end.
fn chain(given: &Value) -> Chain {
    let (length, mass) = (number(&given["link_length"]), number(&given["link_mass"]));
    let across = mass * length * length / 12.0;
    let rod = V3::X * length;
    let inertia = Inertia::new(mass, rod * 0.5, Sym3::diagonal(0.0, across, across)).unwrap();
    let mut b = ModelBuilder::new("chain");
    b.gravity(V3::Z * -number(&given["g"]));
    let (mut parent, mut links) = (BodyId::WORLD, Vec::new());
    for k in 0..given["N"].as_u64().unwrap() {
        let at = if k == 0 { V3::ZERO } else { rod };
        parent = b.body(parent, BodySpec::new(format!("link{k}")).at(at).inertia(inertia));
        b.joint(parent, Joint::revolute(-V3::Y));
        links.push(parent);
    }
    Chain { model: b.build().unwrap(), links, rod }
}

/// The x and z rows of the linear part: the chain moves in that plane.
fn plane(jacobian: DMatrix<f64>) -> DMatrix<f64> {
    jacobian.select_rows(&[3, 5])
}

impl Chain {
    fn ends(&self, q: &[f64]) -> Vec<V3> {
        let mut w = Workspace::new(&self.model);
        let state = State { q: q.to_vec(), ..State::new(&self.model) };
        let at = w.at(&self.model, &state);
        self.links.iter().map(|b| at.pose(*b).point(self.rod)).collect()
    }

    /// The residual (g − Jᵀλ, p − support) and its derivative by (q, λ).
    fn balance(&self, q: &[f64], force: &[f64], support: V3) -> (DVector<f64>, DMatrix<f64>) {
        let (model, n) = (&self.model, self.links.len());
        let mut w = Workspace::new(model);
        let mut gravity = vec![0.0; n];
        w.gravity(model, q, &mut gravity);
        let tip = self.links[n - 1];
        let mut state = State { q: q.to_vec(), ..State::new(model) };
        let end = w.at(model, &state).pose(tip).point(self.rod);
        let j = plane(w.at(model, &state).jacobian_at(tip, end));
        let force = DVector::from_column_slice(force);
        let mut residual = DVector::from_vec(gravity) - j.transpose() * &force;
        residual = residual.push(end.x - support.x).push(end.z - support.z);
        let mut derivative = DMatrix::zeros(n + 2, n + 2);
        derivative.view_mut((n, 0), (2, n)).copy_from(&j);
        derivative.view_mut((0, n), (n, 2)).copy_from(&-j.transpose());
        for k in 0..n {
            state.v.fill(0.0);
            state.v[k] = 1.0;
            let at = w.at(model, &state);
            let mut column = -plane(at.jacobian_derivative_at(tip, end)).transpose() * &force;
            for link in &self.links {
                let inertia = &model.bodies()[link.index()].inertia;
                let com = at.pose(*link).point(inertia.com());
                let weight = model.gravity() * inertia.mass;
                let weight = DVector::from_vec(vec![weight.x, weight.z]);
                column -= plane(at.jacobian_derivative_at(*link, com)).transpose() * weight;
            }
            derivative.view_mut((0, k), (n, 1)).copy_from(&column);
        }
        (residual, derivative)
    }
}

pub fn enter(ledger: &mut Ledger) {
    let file = read("catenary_chain");
    let (given, expected) = (&file["parameters"], &file["reference"]);
    ledger.problem("catenary_chain", format!("{}. 20 digits; statics at round-off: 1e-12", source(&file)));
    let chain = chain(given);
    let n = chain.links.len();
    let support = V3::X * number(&given["span"]);
    // a first guess: an arc from 60° down to 60° up, held as gently as g ≈ Jᵀλ allows
    let step = 2.0 * std::f64::consts::FRAC_PI_3 / (n - 1) as f64;
    let mut q = vec![step; n];
    q[0] = -std::f64::consts::FRAC_PI_3;
    let (unheld, derivative) = chain.balance(&q, &[0.0; 2], support);
    let j = derivative.view((n, 0), (2, n));
    let gentle = (j * j.transpose()).lu().solve(&(j * unheld.rows(0, n))).unwrap();
    let mut force = gentle.as_slice().to_vec();
    for _ in 0..ITERATIONS {
        let (residual, derivative) = chain.balance(&q, &force, support);
        let correction = derivative.lu().solve(&residual).unwrap();
        q.iter_mut().zip(correction.iter()).for_each(|(q, d)| *q -= d);
        force.iter_mut().zip(correction.iter().skip(n)).for_each(|(f, d)| *f -= d);
    }
    let mut places = Worst::default();
    let joints = expected["joint_positions_xy"].as_array().unwrap();
    for (end, joint) in chain.ends(&q).iter().zip(&joints[1..]) {
        places.absolute(&[end.x, end.z], &[number(&joint[0]), number(&joint[1])]);
    }
    ledger.error("positions of the joints at rest", places.0, 1e-12);
    let (h, v) = (number(&expected["horizontal_force"]), number(&expected["end_vertical_force"]));
    let mut forces = Worst::default();
    forces.relative(&force, &[h, v]);
    let weight = chain.model.mass() * number(&given["g"]);
    forces.relative(&[-force[0], weight - force[1]], &[-h, v]);
    ledger.error("forces of both supports, relative", forces.0, 1e-12);
}
