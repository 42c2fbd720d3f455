//! Systems given by formulas, from textbooks of optimal control.

use super::{Evaluation, Moment, Names, System};
use poinsot::algebra::Real;

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

fn named(q: &[&str], v: &[&str], u: &[&str]) -> Names {
    Names { q: words(q), v: words(v), u: words(u), ..Names::default() }
}

/// A particle with a jet: m ẍ = f + m g, in one to three dimensions [WitkinKass88].
#[derive(Clone, Debug, PartialEq)]
pub struct Particle {
    /// m
    pub mass: f64,
    /// g, with as many components as the space has dimensions.
    pub gravity: Vec<f64>,
}

impl System for Particle {
    fn names(&self) -> Names {
        let n = self.gravity.len().min(3);
        if n == 1 {
            return named(&["x"], &["v"], &["u"]);
        }
        named(&["x", "y", "z"][..n], &["vx", "vy", "vz"][..n], &["fx", "fy", "fz"][..n])
    }
    fn evaluate<T: Real>(&self, at: Moment<T>, out: Evaluation<T>) {
        for (k, g) in self.gravity.iter().enumerate().take(3) {
            out.rate[k] = at.v[k];
            out.balance[k] = (at.a[k] - T::from_f64(*g)) * T::from_f64(self.mass) - at.u[k];
        }
    }
}

/// A bead that slides without friction down a wire: ẋ = v sin θ, ẏ = v cos θ, v̇ = g cos θ, with y pointing down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brachistochrone {
    /// g
    pub gravity: f64,
}

impl System for Brachistochrone {
    fn names(&self) -> Names {
        named(&["x", "y", "v"], &[], &["angle"])
    }
    fn evaluate<T: Real>(&self, at: Moment<T>, out: Evaluation<T>) {
        let (s, c) = at.u[0].sin_cos();
        out.rate[0] = at.q[2] * s;
        out.rate[1] = at.q[2] * c;
        out.rate[2] = c * T::from_f64(self.gravity);
    }
}

/// A point mass on a rod, with θ measured from hanging down: m l² θ̈ + m g l sin θ = u.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pendulum {
    /// m
    pub mass: f64,
    /// l
    pub length: f64,
    /// g
    pub gravity: f64,
    /// The damping of the hinge, N m s.
    pub damping: f64,
}

impl System for Pendulum {
    fn names(&self) -> Names {
        named(&["theta"], &["omega"], &["torque"])
    }
    fn evaluate<T: Real>(&self, at: Moment<T>, out: Evaluation<T>) {
        let inertia = T::from_f64(self.mass * self.length * self.length);
        let weight = T::from_f64(self.mass * self.gravity * self.length);
        out.rate[0] = at.v[0];
        let sine = at.q[0].sin_cos().0;
        out.balance[0] = inertia * at.a[0] + weight * sine + T::from_f64(self.damping) * at.v[0] - at.u[0];
    }
}

/// A cart pushed along a rail by a force, and a point mass on a rod that hangs from it, with θ measured from hanging down [Kelly17, section
/// 6]: (m₁ + m₂) ẍ + m₂ l (θ̈ cos θ − θ̇² sin θ) = u,  l θ̈ + ẍ cos θ + g sin θ = 0, the second times m₂ l.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CartPole {
    /// m₁
    pub cart_mass: f64,
    /// m₂
    pub pole_mass: f64,
    /// l
    pub length: f64,
    /// g
    pub gravity: f64,
}

impl System for CartPole {
    fn names(&self) -> Names {
        named(&["x", "theta"], &["v", "omega"], &["force"])
    }
    fn evaluate<T: Real>(&self, at: Moment<T>, out: Evaluation<T>) {
        let (s, c) = at.q[1].sin_cos();
        let (m, ml) =
            (T::from_f64(self.cart_mass + self.pole_mass), T::from_f64(self.pole_mass * self.length));
        let (l, g) = (T::from_f64(self.length), T::from_f64(self.gravity));
        (out.rate[0], out.rate[1]) = (at.v[0], at.v[1]);
        out.balance[0] = m * at.a[0] + ml * (at.a[1] * c - at.v[1] * at.v[1] * s) - at.u[0];
        out.balance[1] = ml * (l * at.a[1] + at.a[0] * c + g * s);
    }
}
