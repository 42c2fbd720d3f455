//! Energies given as text, as in Python and on the command line.

use super::atoms::energy_of;
use super::{Expression, ExpressionError, Lagrangian};
use crate::algebra::{Analytic, Dual, V3};

/// An atom given as text: its mass, and its coordinates x, y, z as formulas.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaAtom {
    mass: f64,
    position: [Expression; 3],
}

/// An error in energies given as text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormulaError {
    /// A formula cannot be parsed.
    #[error("{what}: {source}")]
    Formula {
        /// Which formula.
        what: String,
        /// Why.
        source: ExpressionError,
    },
    /// A name is invalid, or given twice.
    #[error("{name:?} cannot be a name here: {why}")]
    Name {
        /// The name.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// There are no coordinates, or no factors.
    #[error("a Lagrangian needs at least one coordinate, one on a group at least one factor")]
    Empty,
    /// A parameter or a mass is not a number.
    #[error("{name} is {value}; it must be finite, and a mass must not be negative")]
    Number {
        /// Of what.
        name: String,
        /// The number.
        value: f64,
    },
}

/// A [`Lagrangian`] given as text. The velocity of a coordinate `x` is `x_dot`.
///
/// ```
/// use poinsot_core::lagrange::{EquationsOfMotion, FormulaLagrangian};
/// let hoop = FormulaLagrangian::parse(
///     &["th"],
///     "0.5*m*R^2*(th_dot^2 + w^2*sin(th)^2)",
///     "-m*g*R*cos(th)",
///     &[("m", 0.2), ("R", 0.5), ("w", 6.0), ("g", 9.81)],
/// )?;
/// let mut a = [0.0];
/// EquationsOfMotion::new(hoop).acceleration(&[0.4], &[0.0], &mut a)?;
/// let (s, c) = 0.4f64.sin_cos();
/// assert!((a[0] - s * (36.0 * c - 9.81 / 0.5)).abs() < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaLagrangian {
    names: Vec<String>,
    parameters: Vec<(String, f64)>,
    kinetic: Expression,
    potential: Expression,
    atoms: Vec<FormulaAtom>,
    density: Expression,
    constraints: Vec<Expression>,
}

impl FormulaLagrangian {
    /// Coordinates and parameters by name, and no energies yet.
    pub fn new<S: AsRef<str>>(coordinates: &[S], parameters: &[(S, f64)]) -> Result<Self, FormulaError> {
        if coordinates.is_empty() {
            return Err(FormulaError::Empty);
        }
        let names: Vec<String> = coordinates.iter().map(|c| c.as_ref().to_string()).collect();
        let parameters = parameters_of(parameters)?;
        let rates: Vec<String> = names.iter().map(rate_of).collect();
        let mut named = Named::default();
        for name in names.iter().chain(&rates).chain(parameters.iter().map(|(name, _)| name)) {
            named.add(name)?;
        }
        let nothing = Expression::constant(0.0);
        Ok(FormulaLagrangian {
            names,
            parameters,
            kinetic: nothing.clone(),
            potential: nothing.clone(),
            atoms: Vec::new(),
            density: nothing,
            constraints: Vec::new(),
        })
    }

    /// Coordinates, both energies, and parameters.
    pub fn parse<S: AsRef<str>>(
        coordinates: &[S],
        kinetic: &str,
        potential: &str,
        parameters: &[(S, f64)],
    ) -> Result<Self, FormulaError> {
        FormulaLagrangian::new(coordinates, parameters)?.kinetic_energy(kinetic)?.potential_energy(potential)
    }

    /// K of coordinates, velocities and parameters.
    pub fn kinetic_energy(mut self, formula: &str) -> Result<Self, FormulaError> {
        let mut names = self.names.clone();
        names.extend(self.names.iter().map(rate_of));
        self.kinetic = self.read("the kinetic energy", formula, &names)?;
        Ok(self)
    }

    /// U of coordinates and parameters.
    pub fn potential_energy(mut self, formula: &str) -> Result<Self, FormulaError> {
        self.potential = self.read("the potential energy", formula, &self.names)?;
        Ok(self)
    }

    /// Adds an atom: its kinetic energy is added to K, and its part of the density to U.
    pub fn atom(mut self, mass: f64, position: [&str; 3]) -> Result<Self, FormulaError> {
        let number = self.atoms.len();
        if !(mass >= 0.0 && mass.is_finite()) {
            return Err(FormulaError::Number { name: format!("the mass of atom {number}"), value: mass });
        }
        let what = format!("the position of atom {number}");
        let [x, y, z] = position.map(|formula| self.read(&what, formula, &self.names));
        self.atoms.push(FormulaAtom { mass, position: [x?, y?, z?] });
        Ok(self)
    }

    /// u(x, y, z), the potential energy at a point of space for each kilogram there.
    pub fn density(mut self, formula: &str) -> Result<Self, FormulaError> {
        let names = ["x", "y", "z"].map(String::from);
        self.density = self.read("the density", formula, &names)?;
        Ok(self)
    }

    /// Adds a constraint C(q) = 0.
    pub fn constraint(mut self, formula: &str) -> Result<Self, FormulaError> {
        let what = format!("constraint {}", self.constraints.len());
        let constraint = self.read(&what, formula, &self.names)?;
        self.constraints.push(constraint);
        Ok(self)
    }

    /// The names of the coordinates.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn read(&self, what: &str, formula: &str, names: &[String]) -> Result<Expression, FormulaError> {
        let shadowed = |name: &String| !names.contains(name);
        let parameters: Vec<(String, f64)> =
            self.parameters.iter().filter(|(name, _)| shadowed(name)).cloned().collect();
        Expression::parse(formula, names, &parameters)
            .map_err(|source| FormulaError::Formula { what: what.to_string(), source })
    }
}

/// Names that are taken.
#[derive(Debug, Default)]
pub(super) struct Named<'a>(Vec<&'a str>);

impl<'a> Named<'a> {
    pub fn add(&mut self, name: &'a str) -> Result<(), FormulaError> {
        check_name(name)?;
        if self.0.contains(&name) {
            return Err(FormulaError::Name { name: name.to_string(), why: "it is given twice" });
        }
        self.0.push(name);
        Ok(())
    }
}

/// Parameters with finite values.
pub(super) fn parameters_of<S: AsRef<str>>(
    parameters: &[(S, f64)],
) -> Result<Vec<(String, f64)>, FormulaError> {
    if let Some((name, value)) = parameters.iter().find(|(_, x)| !x.is_finite()) {
        return Err(FormulaError::Number { name: name.as_ref().to_string(), value: *value });
    }
    Ok(parameters.iter().map(|(name, x)| (name.as_ref().to_string(), *x)).collect())
}

fn rate_of(name: impl AsRef<str>) -> String {
    format!("{}_dot", name.as_ref())
}

fn check_name(name: &str) -> Result<(), FormulaError> {
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let refused = |why| Err(FormulaError::Name { name: name.to_string(), why });
    if !starts || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return refused("names are letters, digits and _, and begin with no digit");
    }
    let functions = super::expression::Function::NAMES.iter().map(|(name, _)| *name);
    if functions.chain(["pi"]).any(|known| known == name) {
        return refused("it has a meaning already");
    }
    Ok(())
}

impl Lagrangian for FormulaLagrangian {
    fn coordinates(&self) -> usize {
        self.names.len()
    }

    fn kinetic<T: Analytic>(&self, q: &[T], v: &[T]) -> T {
        let n = q.len();
        let own = self.kinetic.evaluate_with(|k| if k < n { q[k] } else { v[k - n] });
        self.atoms.iter().fold(own, |sum, atom| {
            let moving = |k: usize| Dual { re: q[k], eps: [v[k]] };
            let [x, y, z] = &atom.position;
            let x = V3::new(x.evaluate_with(moving), y.evaluate_with(moving), z.evaluate_with(moving));
            energy_of(atom.mass, x, sum)
        })
    }

    fn potential<T: Analytic>(&self, q: &[T]) -> T {
        self.atoms.iter().fold(self.potential.evaluate(q), |sum, atom| {
            let [x, y, z] = &atom.position;
            let u = self.density.evaluate(&[x.evaluate(q), y.evaluate(q), z.evaluate(q)]);
            T::from_f64(atom.mass).mul_add(u, sum)
        })
    }

    fn constraints(&self) -> usize {
        self.constraints.len()
    }

    fn constrain<T: Analytic>(&self, q: &[T], c: &mut [T]) {
        c.iter_mut().zip(&self.constraints).for_each(|(c, formula)| *c = formula.evaluate(q));
    }
}
