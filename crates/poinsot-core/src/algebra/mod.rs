//! Numbers, small vectors and matrices used by all later chapters.

mod analytic;
mod carlson;
mod digits;
mod dual;
mod elliptic;
pub mod lanes;
mod least_norm;
mod m3;
mod real;
mod semidefinite;
mod skyline;
pub mod tree_kkt;
mod trig;
mod v3;

pub use analytic::Analytic;
pub use carlson::carlson_rj;
pub use digits::Digits;
pub use dual::Dual;
pub use elliptic::Jacobi;
pub use lanes::Lanes;
pub(crate) use least_norm::LeastNorm;
pub use m3::{M3, Sym3};
pub use real::Real;
pub(crate) use semidefinite::Semidefinite;
pub(crate) use skyline::Skyline;
pub use tree_kkt::TreeKkt;
pub use trig::{Quadrants, REDUCTION_LIMIT, sin_cos};
pub use v3::V3;
