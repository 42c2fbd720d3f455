//! The configuration space: a product of real lines (scalar coordinates) and rotation groups (attitudes).
//!
//! `integrate(q, v, dt)` moves each joint along its one-parameter subgroup: lines by `q + v dt`, attitudes by
//! `q ⊗ exp(Ω dt)` with the body angular velocity Ω. `difference` is its inverse.

use super::{Joint, JointKind, Model};
use crate::algebra::V3;
use crate::algebra::lanes::{Eight, Isa, Kernel, dispatch, gather, scatter};
use crate::spatial::Quat;

/// The layout of a configuration, and which joints have springs, dampers and clamps: short lists for the inner loops.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Runs of lines: first in qpos, first in qvel, count.
    lines: Vec<[usize; 3]>,
    /// Attitudes: the start of each quaternion in qpos, and of its Ω in qvel.
    attitudes: [Vec<usize>; 2],
    /// Joints with a spring; with a damper.
    pub springs: Vec<usize>,
    pub dampers: Vec<usize>,
    /// Joints of one coordinate on which the sum of all actuators is clamped.
    pub force_limited: Vec<usize>,
}

impl Layout {
    pub fn new(joints: &[Joint]) -> Layout {
        let mut layout = Layout::default();
        for (k, joint) in joints.iter().enumerate() {
            let (lines, attitude) = parts(joint);
            let (q, v) = (joint.first_q, joint.first_v);
            match layout.lines.last_mut() {
                Some([q0, v0, n]) if *q0 + *n == q && *v0 + *n == v => *n += lines,
                _ => layout.lines.push([q, v, lines]),
            }
            for (list, first) in layout.attitudes.iter_mut().zip(attitude.into_iter().flatten()) {
                list.push(first);
            }
            if joint.stiffness > 0.0 {
                layout.springs.push(k);
            }
            if joint.damping > 0.0 {
                layout.dampers.push(k);
            }
            if joint.actuator_force_range.is_some() && joint.kind.nv() == 1 {
                layout.force_limited.push(k);
            }
        }
        layout
    }
}

/// The number of lines of a joint, and the first indices of its quaternion and of its Ω, if it has an attitude.
fn parts(joint: &Joint) -> (usize, Option<[usize; 2]>) {
    let (q, v) = (joint.first_q, joint.first_v);
    match joint.kind {
        JointKind::Spherical => (0, Some([q, v])),
        JointKind::Free => (3, Some([q + 3, v + 3])),
        other => (other.nv(), None),
    }
}

fn quat(q: &[f64], at: usize) -> Quat {
    Quat { w: q[at], x: q[at + 1], y: q[at + 2], z: q[at + 3] }
}

fn vector(v: &[f64], at: usize) -> V3 {
    V3::new(v[at], v[at + 1], v[at + 2])
}

/// [`Model::integrate`], compiled for each instruction set.
struct Integrate<'a> {
    layout: &'a Layout,
    q: &'a mut [f64],
    v: &'a [f64],
    dt: f64,
}

impl Kernel for Integrate<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Integrate { layout, q, v, dt } = self;
        for &[at, vat, n] in &layout.lines {
            for (x, rate) in q[at..at + n].iter_mut().zip(&v[vat..vat + n]) {
                *x = rate.mul_add(dt, *x);
            }
        }
        let [of_q, of_v] = &layout.attitudes;
        for (at, vat) in of_q.chunks(8).zip(of_v.chunks(8)) {
            if at.len() == 8 && turn_eight::<I::F64x8>(q, at, v, vat, dt) {
                continue;
            }
            for (&at, &vat) in at.iter().zip(vat) {
                let turned = (quat(q, at) * Quat::exp(vector(v, vat) * dt)).normalized();
                q[at..at + 4].copy_from_slice(&turned.array());
            }
        }
    }
}

/// Rotates eight attitudes side by side; false if one of the angles is too large.
#[inline(always)]
fn turn_eight<W: Eight>(q: &mut [f64], at: &[usize], v: &[f64], vat: &[usize], dt: f64) -> bool {
    let [vx, vy, vz, ..] = gather::<W, 3>(v, vat);
    let Some(turn) = Quat::exp_eight(V3::new(vx, vy, vz) * W::from_f64(dt)) else { return false };
    let [w, x, y, z, none, ..] = gather::<W, 4>(q, at);
    let Quat { w, x, y, z } = (Quat { w, x, y, z } * turn).normalized();
    scatter::<W, 4>([w, x, y, z, none, none, none, none], q, at);
    true
}

impl Model {
    /// For each attitude in the configuration: the first of its three velocities in qvel.
    pub(crate) fn attitudes(&self) -> impl Iterator<Item = usize> {
        self.layout.attitudes[1].iter().copied()
    }

    /// The configuration in which every body has the pose it was given.
    ///
    /// ```
    /// # use poinsot_core::{model::*, algebra::V3};
    /// # let mut b = ModelBuilder::new("ball");
    /// # let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&Shape::Sphere { radius: 1.0 }, 1.0)?);
    /// # b.joint(ball, Joint::spherical());
    /// # let model = b.build()?;
    /// assert_eq!(model.neutral(), [1.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn neutral(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.nq()];
        for body in &self.bodies {
            for joint in &self.joints[body.joints.clone()] {
                let at = joint.first_q;
                match joint.kind {
                    JointKind::Spherical => q[at] = 1.0,
                    JointKind::Free => {
                        q[at..at + 3].copy_from_slice(&body.pose.pos.array());
                        q[at + 3..at + 7].copy_from_slice(&Quat::from_matrix(body.pose.rot).array());
                    }
                    _ => q[joint.coordinates()].fill(joint.reference),
                }
            }
        }
        q
    }

    /// Moves the configuration `q` by the velocity `v` for the time `dt`.
    ///
    /// # Panics
    /// If the slices do not have the lengths nq and nv.
    pub fn integrate(&self, q: &mut [f64], v: &[f64], dt: f64) {
        assert!(q.len() == self.nq() && v.len() == self.nv(), "integrate: lengths of q and v");
        dispatch(Integrate { layout: &self.layout, q, v, dt });
    }

    /// The velocity that moves `from` to `to` in unit time.
    ///
    /// # Panics
    /// If the slices do not have the lengths nq, nq and nv.
    pub fn difference(&self, from: &[f64], to: &[f64], v: &mut [f64]) {
        let fits = from.len() == self.nq() && to.len() == self.nq() && v.len() == self.nv();
        assert!(fits, "difference: lengths of from, to and v");
        for &[at, vat, n] in &self.layout.lines {
            for k in 0..n {
                v[vat + k] = to[at + k] - from[at + k];
            }
        }
        for (&at, &vat) in self.layout.attitudes[0].iter().zip(&self.layout.attitudes[1]) {
            let turn = (quat(from, at).conjugate() * quat(to, at)).log();
            v[vat..vat + 3].copy_from_slice(&turn.array());
        }
    }

    /// A random configuration: lines in [−1, 1] (or within their limits), attitudes uniform on the rotation group.
    ///
    /// A seed determines the configuration, on every machine.
    pub fn random_configuration(&self, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let mut q = vec![0.0; self.nq()];
        for joint in &self.joints {
            let (lines, attitude) = parts(joint);
            for k in 0..lines {
                let (lower, upper) = joint.limits.unwrap_or((-1.0, 1.0));
                let (lower, upper) = (lower.max(-1e3), upper.min(1e3));
                q[joint.first_q + k] = lower + (upper - lower) * random.unit();
            }
            if let Some([at, _]) = attitude {
                q[at..at + 4].copy_from_slice(&random.attitude().array());
            }
        }
        q
    }

    /// A random velocity, force or acceleration vector with entries in [−1, 1].
    pub fn random_velocity(&self, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..self.nv()).map(|_| 2.0 * random.unit() - 1.0).collect()
    }
}

/// A small generator (splitmix64 [Steele14]): the same numbers everywhere, and no dependency.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }
    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Uniform on the rotations [Shoemake92].
    fn attitude(&mut self) -> Quat {
        let tau = std::f64::consts::TAU;
        let (u, a, b) = (self.unit(), tau * self.unit(), tau * self.unit());
        let (p, r) = ((1.0 - u).sqrt(), u.sqrt());
        Quat { w: r * libm::cos(b), x: p * libm::sin(a), y: p * libm::cos(a), z: r * libm::sin(b) }
    }
}
