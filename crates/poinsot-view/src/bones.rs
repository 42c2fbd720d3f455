//! Surfaces that deform with several bodies: each vertex follows the weighted mean of the motions of its bodies, `p′ = Σ wᵢ Xᵢ Bᵢ⁻¹ p` with
//! the pose Xᵢ of a body and its bind pose Bᵢ, at which the surface is given.

use poinsot::algebra::{M3, V3};
use poinsot::spatial::{Pose, Quat};

/// The largest number of bodies that a vertex follows: those with the greatest weights.
const MOST: usize = 4;

/// The bodies that a surface follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bones {
    /// For each bone its body, and the inverse of the body's bind pose.
    pub bones: Vec<(usize, Pose)>,
    /// The bones of each vertex.
    pub joints: Vec<[u16; MOST]>,
    /// Their weights, whose sum is 1.
    pub weights: Vec<[f32; MOST]>,
}

impl Bones {
    /// Adds a vertex that follows these bones with these weights.
    pub fn push(&mut self, mut follows: Vec<(u16, f32)>) {
        follows.sort_by(|a, b| b.1.total_cmp(&a.1));
        follows.truncate(MOST);
        let sum: f32 = follows.iter().map(|f| f.1).sum();
        let (mut joints, mut weights) = ([0; MOST], [0.0; MOST]);
        for (k, (joint, weight)) in follows.iter().enumerate() {
            (joints[k], weights[k]) = (*joint, weight / sum);
        }
        // a vertex without bones follows the first
        if !(sum > 0.0 && sum.is_finite()) {
            (joints, weights) = ([0; MOST], [1.0, 0.0, 0.0, 0.0]);
        }
        self.joints.push(joints);
        self.weights.push(weights);
    }
}

/// A pose from x y z, w x y z of a frame; `None` if a number is not finite.
pub fn pose_of(seven: [f32; 7]) -> Option<Pose> {
    let [x, y, z, w, i, j, k] = seven.map(f64::from);
    let quat = Quat { w, x: i, y: j, z: k };
    let rot: M3 =
        (quat.norm() > 0.0 && seven.iter().all(|x| x.is_finite())).then(|| quat.normalized().matrix())?;
    Some(Pose { rot, pos: V3::new(x, y, z) })
}
