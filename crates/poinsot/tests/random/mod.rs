//! Random numbers, shapes and rotations for tests: SplitMix64 [Steele14].
#![allow(dead_code)] // each test uses some

use poinsot::algebra::{M3, V3};
use poinsot::model::Shape;
use poinsot::spatial::exp_so3;

#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub fn within(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn unit(&mut self) -> V3 {
        loop {
            let v = V3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0));
            let n = v.norm();
            if n > 0.1 && n < 1.0 {
                return v * (1.0 / n);
            }
        }
    }
    pub fn rotation(&mut self) -> M3 {
        let axis = self.unit();
        exp_so3(axis * self.within(0.0, 3.0))
    }
    /// kg, from 0.01 to 100.
    pub fn mass(&mut self) -> f64 {
        10f64.powf(self.within(-2.0, 2.0))
    }
    pub fn shape(&mut self) -> Shape {
        let mut size = || self.within(0.05, 0.4);
        let (a, b, c) = (size(), size(), size());
        match self.below(5) {
            0 => Shape::Sphere { radius: a },
            1 => Shape::Box { size: V3::new(a, b, c) },
            2 => Shape::Capsule { radius: a, length: b },
            3 => Shape::Cylinder { radius: a, length: b },
            _ => Shape::Ellipsoid { radii: V3::new(a, b, c) },
        }
    }
}
