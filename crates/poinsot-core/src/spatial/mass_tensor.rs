//! The 4×4 mass tensor `M = ∫ (x; 1)(x; 1)ᵀ dm = [Σ h; hᵀ m]` of a transformation hierarchy.
//!
//! Second moments Σ = ∫ x xᵀ dm, first moment h, mass m. Rotational inertia and Σ are equivalent: `I = tr(Σ) 1 − Σ`, `Σ = ½ tr(I) 1 − I`. A
//! body is realisable if M is positive semidefinite [Wensing18]; this implies that I is positive semidefinite, and the triangle inequality.

use super::{Inertia, InertiaError, Pose};
use crate::algebra::{M3, Sym3, V3};

/// The mass tensor; see the module page.
///
/// ```
/// use poinsot_core::{algebra::{Sym3, V3}, spatial::Inertia};
/// let body = Inertia::new(2.0, V3::new(0.1, 0.0, 0.0), Sym3::diagonal(0.1, 0.1, 0.1))?;
/// let tensor = body.mass_tensor();
/// assert!((tensor.second_moments.xx - (0.05 + 0.02)).abs() < 1e-15);
/// assert_eq!(tensor.inertia()?, body);
/// # Ok::<(), poinsot_core::spatial::InertiaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassTensor {
    /// Σ = ∫ x xᵀ dm.
    pub second_moments: Sym3,
    /// h = ∫ x dm.
    pub first_moment: V3,
    /// m = ∫ dm.
    pub mass: f64,
}

impl From<Inertia> for MassTensor {
    fn from(i: Inertia) -> Self {
        let second_moments = Sym3::scalar(0.5 * i.rotational.trace()) - i.rotational;
        Self { second_moments, first_moment: i.first_moment, mass: i.mass }
    }
}

impl MassTensor {
    /// Converts back to the ten parameters; fails if no mass distribution has this tensor.
    pub fn inertia(&self) -> Result<Inertia, InertiaError> {
        let rotational = Sym3::scalar(self.second_moments.trace()) - self.second_moments;
        let inertia = Inertia { mass: self.mass, first_moment: self.first_moment, rotational };
        inertia.check()?;
        Ok(inertia)
    }

    /// The rows of the 4×4 matrix.
    pub fn rows(&self) -> [[f64; 4]; 4] {
        let (s, h) = (self.second_moments, self.first_moment);
        [
            [s.xx, s.xy, s.xz, h.x],
            [s.xy, s.yy, s.yz, h.y],
            [s.xz, s.yz, s.zz, h.z],
            [h.x, h.y, h.z, self.mass],
        ]
    }

    /// The eigenvalues, ascending.
    pub fn eigenvalues(&self) -> [f64; 4] {
        let m = nalgebra::Matrix4::from_fn(|i, j| self.rows()[i][j]);
        let mut e: [f64; 4] = super::eigen::eigenvalues4(m).into();
        e.sort_by(f64::total_cmp);
        e
    }

    /// The mass tensor in frame A: `M_A = T M_B Tᵀ` with the 4×4 matrix T of `X_AB`.
    pub fn seen_from(&self, x: Pose) -> MassTensor {
        let h = x.rot * self.first_moment;
        let shift = (M3::outer(h, x.pos) + M3::outer(x.pos, h)).symmetric_part();
        let second_moments = self.second_moments.rotated(x.rot) + shift + Sym3::outer(x.pos, self.mass);
        MassTensor { second_moments, first_moment: x.pos.mul_add(self.mass, h), mass: self.mass }
    }
}
