//! Nonlinear programs whose variables and rows form a chain in time: minimise f(x) subject to c(x) = 0 and bounds on x.

mod chain;
mod filter;
mod interior;
mod restore;

pub use chain::BORDER;
pub use interior::{Ending, Optimum, Settings, Step, solve};

/// A nonlinear program. Its variables and rows are in blocks, coupled to themselves, their neighbours and the border.
pub trait Program {
    /// The block of each variable.
    fn blocks_of_variables(&self) -> &[usize];
    /// The block of each row.
    fn blocks_of_rows(&self) -> &[usize];
    /// Lower and upper bound of each variable, lower < upper; infinite if there is none.
    fn bounds(&self) -> &[(f64, f64)];
    /// f, and c into `rows`.
    fn values(&self, x: &[f64], rows: &mut [f64]) -> f64;
    /// ∇f, and the entries (row, variable, ∂c/∂x).
    fn slopes(&self, x: &[f64], gradient: &mut [f64], jacobian: &mut Vec<(usize, usize, f64)>);
    /// The entries of the second derivatives of `scale` f + λ · c, each pair once.
    fn curvature(&self, x: &[f64], scale: f64, multipliers: &[f64], hessian: &mut Vec<(usize, usize, f64)>);
}
