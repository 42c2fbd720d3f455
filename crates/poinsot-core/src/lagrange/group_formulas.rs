//! Energies of rotations, poses and shifts, given as text.

use super::formulas::{Named, parameters_of};
use super::{Expression, Factor, FormulaError, GroupLagrangian};
use crate::algebra::{Analytic, V3};
use crate::spatial::{Motion, Pose};

/// One number of a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Entry {
    /// Of the rotation, by row and column.
    Rotation(usize, usize),
    Position(usize),
    Angular(usize),
    Linear(usize),
}

/// A [`GroupLagrangian`] given as text. The numbers of a factor named `a` are
///
/// | name | meaning | of |
/// |---|---|---|
/// | `a_wx` `a_wy` `a_wz` | angular velocity in body axes | rotations, poses |
/// | `a_vx` `a_vy` `a_vz` | velocity: of the origin in body axes, of a shift in world axes | poses, shifts |
/// | `a_rxx` `a_rxy` … `a_rzz` | the rotation matrix, body to world: row, column | rotations, poses |
/// | `a_x` `a_y` `a_z` | position in the world | poses, shifts |
///
/// ```
/// use poinsot_core::{lagrange::{Factor, FormulaOnGroup, OnGroup}, spatial::Pose};
/// let kinetic = "0.5*(body_wx^2 + 2*body_wy^2 + 3*body_wz^2)";
/// let mut top = OnGroup::new(FormulaOnGroup::parse(&[("body", Factor::Rotation)], kinetic, "0", &[])?);
/// let mut rate = [0.0; 3];
/// top.acceleration(&[Pose::IDENTITY], &[1.0, 2.0, 3.0], &mut rate)?;
/// assert_eq!(rate, [-6.0, 3.0, -2.0 / 3.0]); // Euler's equations
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaOnGroup {
    names: Vec<String>,
    factors: Vec<Factor>,
    /// What the variables of the formulas are: those of U first.
    entries: Vec<(usize, Entry)>,
    kinetic: Expression,
    potential: Expression,
}

impl FormulaOnGroup {
    /// Named factors, both energies, and parameters.
    pub fn parse<S: AsRef<str>>(
        factors: &[(S, Factor)],
        kinetic: &str,
        potential: &str,
        parameters: &[(S, f64)],
    ) -> Result<Self, FormulaError> {
        if factors.is_empty() {
            return Err(FormulaError::Empty);
        }
        let (mut variables, mut entries) = (Vec::new(), Vec::new());
        type Entries = fn(Factor) -> Vec<(String, Entry)>;
        for list in [places as Entries, rates] {
            for (k, (name, factor)) in factors.iter().enumerate() {
                for (end, entry) in list(*factor) {
                    variables.push(format!("{}_{end}", name.as_ref()));
                    entries.push((k, entry));
                }
            }
        }
        let of_potential = factors.iter().map(|(_, factor)| places(*factor).len()).sum();
        let parameters = parameters_of(parameters)?;
        let names: Vec<String> = factors.iter().map(|(name, _)| name.as_ref().to_string()).collect();
        let mut named = Named::default();
        for name in names.iter().chain(&variables).chain(parameters.iter().map(|(name, _)| name)) {
            named.add(name)?;
        }
        let read = |what: &str, formula: &str, variables: &[String]| {
            Expression::parse(formula, variables, &parameters)
                .map_err(|source| FormulaError::Formula { what: what.to_string(), source })
        };
        Ok(FormulaOnGroup {
            kinetic: read("the kinetic energy", kinetic, &variables)?,
            potential: read("the potential energy", potential, &variables[..of_potential])?,
            factors: factors.iter().map(|(_, factor)| *factor).collect(),
            names,
            entries,
        })
    }

    /// The names of the factors.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// The numbers of g, with the ends of their names.
fn places(factor: Factor) -> Vec<(String, Entry)> {
    let mut all = Vec::new();
    if factor != Factor::Shift {
        for (i, row) in AXES.iter().enumerate() {
            all.extend(
                AXES.iter().enumerate().map(|(k, column)| (format!("r{row}{column}"), Entry::Rotation(i, k))),
            );
        }
    }
    if factor != Factor::Rotation {
        all.extend(AXES.iter().enumerate().map(|(k, axis)| ((*axis).to_string(), Entry::Position(k))));
    }
    all
}

/// The velocities, with the ends of their names.
fn rates(factor: Factor) -> Vec<(String, Entry)> {
    let mut all = Vec::new();
    if factor != Factor::Shift {
        all.extend(AXES.iter().enumerate().map(|(k, axis)| (format!("w{axis}"), Entry::Angular(k))));
    }
    if factor != Factor::Rotation {
        all.extend(AXES.iter().enumerate().map(|(k, axis)| (format!("v{axis}"), Entry::Linear(k))));
    }
    all
}

fn component<T: Analytic>(v: V3<T>, k: usize) -> T {
    match k {
        0 => v.x,
        1 => v.y,
        _ => v.z,
    }
}

fn place<T: Analytic>(g: Pose<T>, entry: Entry) -> T {
    match entry {
        Entry::Rotation(row, 0) => component(g.rot.x, row),
        Entry::Rotation(row, 1) => component(g.rot.y, row),
        Entry::Rotation(row, _) => component(g.rot.z, row),
        Entry::Position(k) => component(g.pos, k),
        Entry::Angular(_) | Entry::Linear(_) => T::zero(),
    }
}

impl GroupLagrangian for FormulaOnGroup {
    fn factors(&self) -> &[Factor] {
        &self.factors
    }

    fn kinetic<T: Analytic>(&self, g: &[Pose<T>], xi: &[Motion<T>]) -> T {
        self.kinetic.evaluate_with(|k| match self.entries[k] {
            (factor, Entry::Angular(axis)) => component(xi[factor].ang, axis),
            (factor, Entry::Linear(axis)) => component(xi[factor].lin, axis),
            (factor, entry) => place(g[factor], entry),
        })
    }

    fn potential<T: Analytic>(&self, g: &[Pose<T>]) -> T {
        self.potential.evaluate_with(|k| place(g[self.entries[k].0], self.entries[k].1))
    }
}
