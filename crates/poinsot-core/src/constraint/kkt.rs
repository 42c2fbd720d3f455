//! The equations of all bodies and constraints as one matrix, for inspection [NEWTONEULER].
//!
//! Each body is free and has six velocities; its connections to others are rows of J:
//! ```math
//! ⎡ M  −Jᵀ ⎤ ⎡ v̇ ⎤   ⎡  f  ⎤         M: blocks of each body; f: gravity, gyroscopic terms, joint forces
//! ⎣ J   0  ⎦ ⎣ λ ⎦ = ⎣ −J̇v ⎦                                                                                  (1)
//! ```
//! λ acts in the direction of increasing C, so that Jᵀλ is the force on the bodies; the lecture notes have M v̇ + JᵀF = f, with F = −λ.
//! Steps never build this matrix: they eliminate along the tree of bodies ([`crate::algebra`]), in O(n).

use super::{Maximal, Multipliers};
use crate::dynamics::{MassMatrix, State, Workspace};
use crate::model::{Model, ModelError};
use nalgebra::{DMatrix, DVector};

/// Singular values below this fraction of the largest count as 0: their rows depend on others.
const DEPENDENT: f64 = 1e-12;

/// Equation (1) at one state.
///
/// ```
/// use poinsot_core::{algebra::V3, constraint::Kkt, dynamics::State, model::*};
/// let mut b = ModelBuilder::new("pendulum");
/// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(bob, Joint::spherical().anchor(V3::Z).named("hook"));
/// let model = b.build()?;
/// let kkt = Kkt::of(&model, &State::new(&model), &[0.0; 3])?;
/// assert_eq!((kkt.matrix.shape(), kkt.names[8].as_str()), ((9, 9), "hook z"));
/// assert!((kkt.solution[8] - 9.81).abs() < 1e-12); // the hook carries the weight
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Kkt {
    /// The matrix.
    pub matrix: DMatrix<f64>,
    /// The right-hand side.
    pub rhs: DVector<f64>,
    /// v̇ and λ; if rows depend on others, the λ of least norm.
    pub solution: DVector<f64>,
    /// Names of the unknowns: velocities of the free bodies, then rows of constraints.
    pub names: Vec<String>,
    /// How many of the unknowns are accelerations.
    pub accelerations: usize,
}

impl Kkt {
    /// Builds the system at a state, under the generalised forces τ of the joints; springs, dampers, actuators and soft constraints are not
    /// included.
    pub fn of(model: &Model, state: &State, tau: &[f64]) -> Result<Kkt, ModelError> {
        let maximal = Maximal::of(model)?;
        let (twin, there) = (maximal.model(), maximal.state(state));
        let (mut ws, mut multipliers) = (Workspace::new(twin), Multipliers::new(twin));
        let n = twin.nv();
        let mut mass = MassMatrix::new(twin);
        ws.mass_matrix(twin, &there.q, &mut mass);
        let (mut f, mut bias) = (vec![0.0; n], vec![0.0; n]);
        maximal.add_joint_forces(&there.q, tau, &mut f);
        ws.bias(twin, &there.q, &there.v, &mut bias);
        multipliers.evaluate(twin, &mut ws, &there.q, &there.v);
        let (names_of_rows, rows) = rigid_rows(twin, &multipliers);
        let j = multipliers.jacobian();
        let size = n + rows.len();
        let mut matrix = DMatrix::zeros(size, size);
        matrix.view_mut((0, 0), (n, n)).copy_from(&mass.dense());
        let mut rhs = DVector::from_fn(size, |k, _| if k < n { f[k] - bias[k] } else { 0.0 });
        for (k, &row) in rows.iter().enumerate() {
            for dof in 0..n {
                matrix[(n + k, dof)] = j[(row, dof)];
                matrix[(dof, n + k)] = -j[(row, dof)];
            }
            rhs[n + k] = -multipliers.bias()[row];
        }
        let svd = matrix.clone().svd(true, true);
        let least = DEPENDENT * svd.singular_values.max();
        let solution = svd.solve(&rhs, least).unwrap_or_else(|_| DVector::from_element(size, f64::NAN));
        let names = (0..n).map(|k| twin.dof_name(k)).chain(names_of_rows).collect();
        Ok(Kkt { matrix, rhs, solution, names, accelerations: n })
    }
}

/// The rigid rows of constraints, and their names.
fn rigid_rows(twin: &Model, multipliers: &Multipliers) -> (Vec<String>, Vec<usize>) {
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    for id in twin.constraint_ids().filter(|id| twin[*id].softness.is_none()) {
        let of = multipliers.rows_of(id);
        let axes = ["x", "y", "z"];
        for (k, row) in of.clone().enumerate() {
            let which = if of.len() == 3 { axes[k].to_string() } else { (k + 1).to_string() };
            names.push(format!("{} {which}", twin[id].name));
            rows.push(row);
        }
    }
    (names, rows)
}
