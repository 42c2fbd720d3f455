//! Motion from energies: a bead on a turning hoop and a double pendulum by its atoms; nothing but K and U is written.

use poinsot::algebra::{Analytic, V3};
use poinsot::lagrange::{Atoms, EquationsOfMotion, FromAtoms, LagrangeMethod, Lagrangian, Rule};

/// A bead on a hoop that turns about its vertical diameter.
struct Bead {
    radius: f64,
    turning: f64,
}

impl Lagrangian for Bead {
    fn coordinates(&self) -> usize {
        1
    }
    fn kinetic<T: Analytic>(&self, q: &[T], v: &[T]) -> T {
        let (r, w) = (T::from_f64(self.radius), T::from_f64(self.turning));
        T::from_f64(0.5) * r * r * (v[0] * v[0] + w * w * q[0].sin().powi(2))
    }
    fn potential<T: Analytic>(&self, q: &[T]) -> T {
        T::from_f64(-9.81 * self.radius) * q[0].cos()
    }
}

/// Two points on rods of length 1.
struct Points;

impl Atoms for Points {
    fn coordinates(&self) -> usize {
        2
    }
    fn count(&self) -> usize {
        2
    }
    fn mass(&self, _: usize) -> f64 {
        1.0
    }
    fn position<T: Analytic>(&self, atom: usize, q: &[T]) -> V3<T> {
        q[..=atom].iter().fold(V3::zero(), |x, angle| x + V3::new(angle.sin(), T::zero(), -angle.cos()))
    }
    fn density<T: Analytic>(&self, _: usize, x: V3<T>) -> T {
        T::from_f64(9.81) * x.z
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut hoop = EquationsOfMotion::new(Bead { radius: 0.5, turning: 6.0 });
    let path = hoop.simulate(LagrangeMethod::Variational4, &[0.3], &[1.0], 5e-3, 4000)?;
    let energy: Vec<f64> = path.iter().map(|p| hoop.energy(&p.q, &p.v)).collect();
    let drift = energy.iter().fold(0.0f64, |m, e| m.max((e - energy[0]).abs()));
    println!("bead: p·q̇ − L = {:.6} J/kg, kept within {drift:.1e} for 20 s", energy[0]);
    assert!(drift < 1e-6);

    let mut pendulum = EquationsOfMotion::new(FromAtoms(Points));
    let h = 1e-2;
    let states = pendulum.simulate(LagrangeMethod::Midpoint, &[2.0, 2.5], &[0.0, 0.0], h, 300)?;
    let mut path: Vec<Vec<f64>> = states.into_iter().map(|p| p.q).collect();
    let greatest = |v: &[Vec<f64>]| v.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let along = greatest(&pendulum.first_variation(Rule::Midpoint, &path, h)?);
    path[150][0] += 0.01;
    let varied = greatest(&pendulum.first_variation(Rule::Midpoint, &path, h)?);
    println!(
        "double pendulum: first variation of the action {along:.1e} along the motion, {varied:.1e} next to it"
    );
    assert!(along < 1e-10 && varied > 0.1);
    Ok(())
}
