//! The exact motion of a free rotor, sampled, and other motions of the same energy [LandauLifshitz76, section 37].
//!
//! ```math
//! energy      ωᵀ I ω = 2E          momentum    |I ω| = |L|          plane    ω · L = 2E                        (1)
//! ```

use poinsot::algebra::{M3, V3};
use poinsot::free::{FreeBody, FreeRotor};
use poinsot::spatial::Quat;

/// A motion in samples at equal intervals; the angular momentum points down, along −z.
pub struct Course {
    body: FreeBody,
    /// The period of ω in the body; none if there is none.
    pub period: Option<f64>,
    /// 2E, J.
    pub twice: f64,
    /// |L|, kg m²/s.
    pub momentum: f64,
    /// Body to world, of each sample.
    pub attitudes: Vec<M3>,
    /// ω in body axes, of each sample.
    pub spins: Vec<V3>,
}

/// This many periods are followed, since the herpolhode does not close.
const PERIODS: f64 = 4.0;
/// Radians from sample to sample.
const STEP: f64 = 0.03;
/// The eye cannot resolve more samples than these.
const MOST: usize = 20_000;

impl Course {
    pub fn new(body: &FreeBody, spin: V3) -> Course {
        let l = body.inertia() * spin;
        let (momentum, twice) = (l.norm(), spin.dot(l));
        let rot = down(l);
        let mut rotor = FreeRotor::new(body, rot, rot.matrix() * l);
        let period = rotor.period();
        let duration = period.map_or(40.0 / spin.norm(), |p| PERIODS * p);
        let count = ((duration * spin.norm() / STEP) as usize).clamp(400, MOST);
        let (mut attitudes, mut spins) = (Vec::with_capacity(count + 1), Vec::with_capacity(count + 1));
        for _ in 0..=count {
            attitudes.push(rotor.attitude().matrix());
            spins.push(body.body_spin(rotor.body_momentum()));
            rotor.advance(duration / count as f64);
        }
        Course { body: *body, period, twice, momentum, attitudes, spins }
    }

    /// The moments about x, y and z.
    pub fn moments(&self) -> V3 {
        let i = self.body.inertia();
        V3::new(i.xx, i.yy, i.zz)
    }

    /// The half axes of the energy ellipsoid.
    pub fn half_axes(&self) -> V3 {
        V3::from(self.moments().array().map(|i| (self.twice / i).sqrt()))
    }

    /// The axes of the smallest, the middle and the largest moment.
    pub fn axes(&self) -> [V3; 3] {
        let mut axes = [V3::X, V3::Y, V3::Z];
        axes.sort_by(|a, b| a.dot(self.moments()).total_cmp(&b.dot(self.moments())));
        axes
    }

    /// Where the separatrix leaves the plane of the smallest and the largest moment: ω from the axis of the smallest, on the
    /// ellipsoid, by the angle φ with I₁ cos²φ + I₃ sin²φ = I₂.
    fn separating_angle(&self) -> f64 {
        let [a, b, c] = self.axes().map(|axis| axis.dot(self.moments()));
        if c > a { ((b - a) / (c - a)).max(0.0).sqrt().min(1.0).asin() } else { 0.0 }
    }

    /// ω on the ellipsoid at this angle from the axis of the smallest moment, towards that of the largest.
    fn between(&self, angle: f64) -> V3 {
        let [a, _, c] = self.axes();
        let half = self.half_axes();
        a * (a.dot(half) * angle.cos()) + c * (c.dot(half) * angle.sin())
    }

    /// Closed polhodes of this energy, around the axes of the smallest and of the largest moment.
    pub fn closed(&self) -> Vec<Vec<V3>> {
        let (part, right) = (self.separating_angle(), std::f64::consts::FRAC_PI_2);
        let mut curves = Vec::new();
        for share in [0.2, 0.42, 0.64, 0.84] {
            for angle in [share * part, right - share * (right - part)] {
                for sign in [1.0, -1.0] {
                    let start = self.between(angle) * sign;
                    let rotor = FreeRotor::new(&self.body, Quat::IDENTITY, self.body.inertia() * start);
                    curves.extend(rotor.period().map(|period| self.polhode(start, 0.0, period)));
                }
            }
        }
        curves
    }

    /// The four arcs of the separatrix; none if two moments are equal.
    pub fn separatrix(&self) -> Vec<Vec<V3>> {
        let [a, b, c] = self.axes().map(|axis| axis.dot(self.moments()));
        let rate = ((b - a) * (c - b) / (a * c)).sqrt() * (self.twice / b).sqrt();
        if rate <= 1e-9 * (self.twice / c).sqrt() {
            return Vec::new();
        }
        let angle = self.separating_angle();
        let starts = [angle, -angle].map(|angle| self.between(angle));
        // by then it is indistinguishable from the intermediate axis
        let until = 9.0 / rate;
        starts.iter().flat_map(|s| [*s, *s * -1.0]).map(|s| self.polhode(s, -until, until)).collect()
    }

    fn polhode(&self, start: V3, from: f64, to: f64) -> Vec<V3> {
        let count = 240;
        let l = self.body.inertia() * start;
        let mut rotor = FreeRotor::new(&self.body, Quat::IDENTITY, l);
        rotor.advance(from);
        let mut points = Vec::with_capacity(count + 1);
        for _ in 0..=count {
            points.push(self.body.body_spin(rotor.body_momentum()));
            rotor.advance((to - from) / count as f64);
        }
        points
    }
}

/// An attitude that rotates `l` to −z.
fn down(l: V3) -> Quat {
    let u = l.unit().unwrap_or(V3::Z);
    let axis = u.cross(-V3::Z);
    let (s, c) = (axis.norm(), -u.z);
    match s > 1e-12 {
        true => Quat::exp(axis * (s.atan2(c) / s)),
        false if c > 0.0 => Quat::IDENTITY,
        false => Quat::exp(V3::X * std::f64::consts::PI),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use poinsot::algebra::Sym3;
    use poinsot::spatial::Inertia;

    fn course(moments: [f64; 3], spin: [f64; 3]) -> Course {
        let [a, b, c] = moments;
        let inertia = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(a, b, c)).unwrap();
        Course::new(&FreeBody::new(&inertia).unwrap(), V3::from(spin))
    }

    /// 2E and |L| of ω in body axes.
    fn of(course: &Course, omega: V3) -> (f64, f64) {
        let l = course.body.inertia() * omega;
        (omega.dot(l), l.norm())
    }

    #[test]
    fn polhodes_lie_on_both_ellipsoids_and_herpolhodes_on_the_plane() {
        for (moments, spin) in [
            ([1.0, 2.0, 3.0], [0.01, 2.0, 0.01]),
            ([3.0, 1.5, 2.0], [0.3, 2.0, -0.2]),
            ([2.0, 2.0, 3.0], [1.0, 0.0, 2.0]),
        ] {
            let course = course(moments, spin);
            for (omega, rot) in course.spins.iter().zip(&course.attitudes) {
                let (twice, momentum) = of(&course, *omega);
                assert!((twice / course.twice - 1.0).abs() < 1e-9);
                assert!((momentum / course.momentum - 1.0).abs() < 1e-9);
                let height = (*rot * *omega).z;
                assert!((height + course.twice / course.momentum).abs() < 1e-9 * omega.norm());
            }
        }
    }

    #[test]
    fn the_family_has_one_energy_and_each_member_one_momentum() {
        let course = course([1.0, 2.0, 3.0], [0.3, 2.0, 0.2]);
        let (closed, separatrix) = (course.closed(), course.separatrix());
        assert_eq!((closed.len(), separatrix.len()), (16, 4));
        for curve in closed.iter().chain(&separatrix) {
            let (_, first) = of(&course, curve[0]);
            for omega in curve {
                let (twice, momentum) = of(&course, *omega);
                assert!((twice / course.twice - 1.0).abs() < 1e-9 && (momentum / first - 1.0).abs() < 1e-9);
            }
        }
        for curve in &closed {
            assert!((*curve.last().unwrap() - curve[0]).norm() < 1e-8, "it closes");
        }
        for arc in &separatrix {
            let (y, end) = (course.half_axes().y, arc.last().unwrap().y.abs());
            assert!((end / y - 1.0).abs() < 1e-3, "it ends at the middle axis: {end} of {y}");
        }
    }
}
