//! A stretching hierarchy as a [`Lagrangian`]: an independent way to compute its motion, and the variational methods for it.

use super::Lagrangian;
use crate::algebra::Analytic;
use crate::hierarchy::AffineModel;

/// The energies `½ tr(Ẇ M Ẇᵀ)` and U of an [`AffineModel`], and its constraints. Dampers are not included.
///
/// ```
/// use poinsot_core::{algebra::V3, hierarchy::*, lagrange::*, model::{BodyId, Shape}, spatial::Pose};
/// let mut b = AffineBuilder::new();
/// let jelly = b.node(BodyId::WORLD, "jelly", Affine::identity(), &[NodeMotion::Squash { axis: V3::Z }])?;
/// b.solid(jelly, &Shape::Sphere { radius: 0.2 }, 1.0, Pose { pos: V3::Z * 0.2, ..Pose::IDENTITY })?;
/// b.spring(b.dof(jelly, 0)?, 200.0, 0.0, 1.0)?;
/// let model = b.build();
/// let mut jelly = EquationsOfMotion::new(Stretching::new(&model).ok_or("it has quaternions")?);
/// let mut phase = Phase::new(&mut jelly, &[1.2], &[0.0])?;
/// let before = jelly.energy(&phase.q, &phase.v);
/// for _ in 0..1000 {
///     jelly.step(LagrangeMethod::Variational4, &mut phase, 1e-2)?;
/// }
/// assert!((jelly.energy(&phase.q, &phase.v) - before).abs() < 1e-5 * before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stretching<'a>(&'a AffineModel);

impl<'a> Stretching<'a> {
    /// The energies of a model; `None` if a ball or a free motion has rates that are not derivatives of coordinates.
    pub fn new(model: &'a AffineModel) -> Option<Self> {
        model.has_coordinate_rates().then_some(Stretching(model))
    }
}

impl Lagrangian for Stretching<'_> {
    fn coordinates(&self) -> usize {
        self.0.nv()
    }
    fn kinetic<T: Analytic>(&self, q: &[T], v: &[T]) -> T {
        self.0.kinetic(q, v)
    }
    fn potential<T: Analytic>(&self, q: &[T]) -> T {
        self.0.potential(q)
    }
    fn constraints(&self) -> usize {
        self.0.rows()
    }
    fn constrain<T: Analytic>(&self, q: &[T], c: &mut [T]) {
        self.0.constraint_values(q, c);
    }
}
