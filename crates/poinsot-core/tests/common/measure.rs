//! How an error is measured: the largest difference of two vectors over the largest entry of either, so that one
//! number is comparable over models of all sizes. Tolerances are written in each law before it is run.

use poinsot_core::algebra::{Dual, Real};
use poinsot_core::model::{JointKind, Model};
use poinsot_core::spatial::{Force, Motion, Quat};

/// A law while it is tried: keeps the worst error and prints it at the end (`cargo test -- --nocapture`).
pub struct Law {
    name: &'static str,
    tolerance: f64,
    worst: f64,
    place: String,
}

impl Law {
    pub fn new(name: &'static str, tolerance: f64) -> Law {
        Law { name, tolerance, worst: 0.0, place: String::new() }
    }
    /// Two vectors are equal, relative to their own size.
    pub fn equal(&mut self, place: &str, a: &[f64], b: &[f64]) {
        self.equal_at_scale(place, a, b, size(a).max(size(b)));
    }
    /// Two vectors are equal, relative to `scale`: where both are differences of larger numbers.
    pub fn equal_at_scale(&mut self, place: &str, a: &[f64], b: &[f64], scale: f64) {
        assert_eq!(a.len(), b.len());
        let difference = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, worse);
        let error = if difference == 0.0 { 0.0 } else { difference / scale };
        if worse(self.worst, error) != self.worst {
            (self.worst, self.place) = (error, place.into());
        }
        assert!(error <= self.tolerance, "{}: error {error:.1e} on {place}\n{a:?}\n{b:?}", self.name);
    }
}

/// The larger one; NaN is the worst of all.
fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() { b } else { a.max(b) }
}

impl Drop for Law {
    fn drop(&mut self) {
        println!("{:55} {:8.1e} of {:.0e}  {}", self.name, self.worst, self.tolerance, self.place);
    }
}

/// The largest magnitude.
pub fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Σ |aᵢ bᵢ|: the size of what a dot product sums.
pub fn dot_size(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum()
}

pub fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

pub fn of_motion(m: Motion) -> [f64; 6] {
    [m.ang.x, m.ang.y, m.ang.z, m.lin.x, m.lin.y, m.lin.z]
}

pub fn of_force(f: Force) -> [f64; 6] {
    [f.moment.x, f.moment.y, f.moment.z, f.force.x, f.force.y, f.force.z]
}

/// Random q, v, a and τ.
pub struct Sample {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub tau: Vec<f64>,
}

pub fn samples(model: &Model) -> impl Iterator<Item = Sample> {
    let sample = |k| Sample {
        q: model.random_configuration(k),
        v: model.random_velocity(k + 100),
        a: model.random_velocity(k + 200),
        tau: model.random_velocity(k + 300),
    };
    (0..3).map(sample)
}

/// Numbers without derivative.
pub fn lift<const N: usize>(x: &[f64]) -> Vec<Dual<N>> {
    x.iter().map(|x| Dual::from_f64(*x)).collect()
}

/// q + ε q̇ for the motion with velocity v: for attitudes q̇ = ½ q ⊗ (0, Ω).
pub fn flow(model: &Model, q: &[f64], v: &[f64]) -> Vec<Dual<1>> {
    let mut out = lift::<1>(q);
    for joint in model.joints() {
        let (at, k) = (joint.coordinates().start, joint.dofs().start);
        let (lines, attitude) = match joint.kind {
            JointKind::Spherical => (0, true),
            JointKind::Free => (3, true),
            other => (other.nv(), false),
        };
        for c in 0..lines {
            out[at + c].eps[0] = v[k + c];
        }
        if attitude {
            let (at, k) = (at + lines, k + lines);
            let here = Quat { w: q[at], x: q[at + 1], y: q[at + 2], z: q[at + 3] };
            let rate = here * Quat { w: 0.0, x: 0.5 * v[k], y: 0.5 * v[k + 1], z: 0.5 * v[k + 2] };
            for (c, x) in rate.array().into_iter().enumerate() {
                out[at + c].eps[0] = x;
            }
        }
    }
    out
}

/// df/ds at s = 0 by the central difference of order eight.
pub fn derivative(h: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let mut out = vec![0.0; f(0.0).len()];
    for (k, w) in weights.into_iter().enumerate() {
        let s = (k + 1) as f64 * h;
        let (plus, minus) = (f(s), f(-s));
        for (o, (p, m)) in out.iter_mut().zip(plus.iter().zip(&minus)) {
            *o += w * (p - m) / h;
        }
    }
    out
}
