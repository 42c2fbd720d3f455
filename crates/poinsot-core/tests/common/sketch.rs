//! A model as plain data: so that a law can build its mirror image, or the same one in a turned world.

use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::model::{BodyId, BodySpec, Joint, JointKind, Model, ModelBuilder};
use poinsot_core::spatial::{Inertia, Pose, exp_so3};

/// splitmix64: the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    /// Uniform in [−1, 1).
    pub fn sign(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * 0.5 * (self.sign() + 1.0)
    }
    pub fn vector(&mut self, size: f64) -> V3 {
        V3::new(self.sign(), self.sign(), self.sign()) * size
    }
    /// A unit vector; every third one a coordinate axis.
    pub fn axis(&mut self) -> V3 {
        match self.below(9) {
            0 => V3::X,
            1 => V3::Y,
            2 => V3::Z * -1.0,
            _ => self.vector(1.0).unit().unwrap_or(V3::X),
        }
    }
    pub fn rotation(&mut self) -> M3 {
        exp_so3(self.vector(2.0))
    }
    pub fn pose(&mut self, size: f64) -> Pose {
        Pose { rot: self.rotation(), pos: self.vector(size) }
    }
    pub fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.sign()).collect()
    }
    /// An inertia that some distribution of mass has: Σ = A Aᵀ + small, I = tr(Σ) 1 − Σ.
    pub fn inertia(&mut self) -> Inertia {
        let (mass, com) = (self.between(0.3, 3.0), self.vector(0.2));
        let a = M3::columns(self.vector(0.1), self.vector(0.1), self.vector(0.1));
        let sigma = (a * a.transpose()).symmetric_part() + Sym3::scalar(0.003);
        Inertia::new(mass, com, (Sym3::scalar(sigma.trace()) - sigma).scaled(mass)).unwrap()
    }
}

/// A body of a sketch; `parent` counts from 0 = world, the first body is 1.
#[derive(Clone)]
pub struct Draft {
    pub parent: usize,
    pub pose: Pose,
    pub inertia: Inertia,
    pub joints: Vec<Joint>,
}

#[derive(Clone)]
pub struct Sketch {
    pub name: String,
    pub gravity: V3,
    pub bodies: Vec<Draft>,
}

impl Sketch {
    pub fn build(&self) -> Model {
        let mut b = ModelBuilder::new(&self.name);
        b.gravity(self.gravity);
        let mut ids = vec![BodyId::WORLD];
        for (k, d) in self.bodies.iter().enumerate() {
            let spec = BodySpec::new(format!("b{}", k + 1)).pose(d.pose).inertia(d.inertia);
            let id = b.body(ids[d.parent], spec);
            for joint in &d.joints {
                b.joint(id, joint.clone());
            }
            ids.push(id);
        }
        b.build().unwrap()
    }

    pub fn without_gravity(&self) -> Sketch {
        Sketch { gravity: V3::ZERO, ..self.clone() }
    }

    /// The whole world moved by `x`, gravity with it.
    pub fn moved(&self, x: Pose) -> Sketch {
        let mut out = self.clone();
        out.gravity = x.rot * self.gravity;
        for b in out.bodies.iter_mut().filter(|b| b.parent == 0) {
            b.pose = x * b.pose;
        }
        out
    }

    /// Every point x of the world at −x. Turning axes (pseudovectors) stay; slides run backwards.
    pub fn inverted(&self) -> Sketch {
        let mut out = self.clone();
        out.gravity = -self.gravity;
        for b in &mut out.bodies {
            b.pose.pos = -b.pose.pos;
            b.inertia.first_moment = -b.inertia.first_moment;
            for j in &mut b.joints {
                j.anchor = -j.anchor;
                match &mut j.kind {
                    JointKind::Helical { pitch, .. } => *pitch = -*pitch,
                    JointKind::Prismatic { .. } => j.reference = -j.reference,
                    _ => {}
                }
            }
        }
        out
    }
}

/// The bodies of a model that a sketch made, without the world.
pub fn bodies(model: &Model) -> Vec<BodyId> {
    (1..model.bodies().len()).map(|k| model.body(&format!("b{k}")).unwrap()).collect()
}
