//! The contact properties of a surface.

/// MJCF's `solref` and `solimp`: the softness of a contact, limit or constraint when softness is requested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverParameters {
    /// Time constant and damping ratio, or (negative) stiffness and damping.
    pub reference: [f64; 2],
    /// Impedance: dmin, dmax, width, midpoint, power.
    pub impedance: [f64; 5],
}

impl Default for SolverParameters {
    fn default() -> Self {
        SolverParameters { reference: [0.02, 1.0], impedance: [0.9, 0.95, 0.001, 0.5, 2.0] }
    }
}

/// The contact properties of a surface, in SI units; the defaults are MJCF's, without restitution.
///
/// ```
/// use poinsot_core::model::Material;
/// let rubber = Material { restitution: 0.8, ..Material::with_friction(0.9) };
/// assert_eq!((rubber.friction[0], rubber.condim), (0.9, 3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coefficients of friction: sliding, torsional (m), rolling (m).
    pub friction: [f64; 3],
    /// The number of directions in which a contact acts. 1: normal; 3: also sliding; 4: also torsion; 6: also rolling.
    pub condim: u8,
    /// The coefficient of restitution, 0 to 1: the speed of rebound over that of approach (Newton's law).
    pub restitution: f64,
    /// The stiffness of a soft contact, N/m; `None` if rigid.
    pub stiffness: Option<f64>,
    /// The damping of a soft contact, N s/m.
    pub damping: Option<f64>,
    /// The distance below which a contact is considered, m.
    pub margin: f64,
    /// The part of the margin within which a contact does not yet exert a force, m.
    pub gap: f64,
    /// Of two surfaces in contact, the one of higher priority decides friction and softness.
    pub priority: i32,
    /// The weight of its softness in the mean of two surfaces of equal priority.
    pub mix: f64,
    /// MJCF's softness parameters.
    pub solver: SolverParameters,
}

impl Default for Material {
    fn default() -> Self {
        Material {
            friction: [1.0, 0.005, 0.0001],
            condim: 3,
            restitution: 0.0,
            stiffness: None,
            damping: None,
            margin: 0.0,
            gap: 0.0,
            priority: 0,
            mix: 1.0,
            solver: SolverParameters::default(),
        }
    }
}

impl Material {
    /// The default material with this coefficient of sliding friction.
    pub fn with_friction(sliding: f64) -> Material {
        let usual = Material::default();
        Material { friction: [sliding, usual.friction[1], usual.friction[2]], ..usual }
    }

    /// The first error in it, if any.
    pub(super) fn check(&self) -> Result<(), String> {
        let [sliding, torsional, rolling] = self.friction;
        let positive = [
            ("sliding friction", sliding),
            ("torsional friction", torsional),
            ("rolling friction", rolling),
            ("restitution", self.restitution),
            ("stiffness", self.stiffness.unwrap_or(0.0)),
            ("damping", self.damping.unwrap_or(0.0)),
            ("mix", self.mix),
        ];
        if let Some((what, value)) = positive.into_iter().find(|(_, x)| !(*x >= 0.0 && x.is_finite())) {
            return Err(format!("its {what} is {value}; give a finite number of 0 or more"));
        }
        if self.restitution > 1.0 {
            return Err(format!("its restitution is {}; give a number from 0 to 1", self.restitution));
        }
        check_distances(self.margin, self.gap)?;
        check_solver(&self.solver)?;
        check_condim(self.condim)
    }
}

pub(super) fn check_distances(margin: f64, gap: f64) -> Result<(), String> {
    match [("margin", margin), ("gap", gap)].into_iter().find(|(_, x)| !x.is_finite()) {
        Some((what, value)) => Err(format!("its {what} is {value}; give a finite distance in metres")),
        None => Ok(()),
    }
}

pub(super) fn check_solver(solver: &SolverParameters) -> Result<(), String> {
    let all = solver.reference.iter().chain(&solver.impedance);
    match all.copied().find(|x| !x.is_finite()) {
        Some(value) => Err(format!("its softness (solref, solimp) has {value}; give finite numbers")),
        None => Ok(()),
    }
}

pub(super) fn check_condim(condim: u8) -> Result<(), String> {
    match condim {
        1 | 3 | 4 | 6 => Ok(()),
        other => Err(format!("a contact acts in 1, 3, 4 or 6 directions (condim), not in {other}")),
    }
}
