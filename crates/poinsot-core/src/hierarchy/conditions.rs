//! Constraints between nodes that stretch: C as a function of world transforms, and its derivatives.
//!
//! A row is a number C(W_a, W_b). With `∂C/∂W` as a 4×3 matrix G of each node,
//!
//! ```math
//! Ċ = Σ tr(Ẇ G)        C̈ = Σ tr(Ẅ G) + ∂²C[Ẇ, Ẇ]        J_j = tr(∂W_j/∂q_j Ĝ_j),   Ĝ_i = G_i + Σ_k R_k Ĝ_k
//! ```
//! G and the last term of C̈ are computed by dual numbers. λ acts in the direction of increasing C, as everywhere.

use super::affine::Matrix4x3;
use super::{Affine, AffineError, AffineModel};
use crate::algebra::{Dual, M3, Real, V3};
use crate::model::BodyId;

/// A constraint of an [`AffineModel`].
///
/// ```
/// use poinsot_core::{algebra::V3, hierarchy::*, model::{BodyId, Shape}, spatial::Pose};
/// // a ball that changes its shape in every affine way and keeps its volume
/// let mut b = AffineBuilder::new();
/// let drop = b.node(BodyId::WORLD, "drop", Affine::identity(), &[NodeMotion::Affine])?;
/// b.solid(drop, &Shape::Sphere { radius: 0.1 }, 1.0, Pose::IDENTITY)?;
/// b.constraint(Condition::Volume { node: drop, factor: 1.0 })?;
/// let mut motion = AffineDynamics::new(b.build());
/// let mut state = motion.rest();
/// state.v[0] = 1.0; // wider along x: the volume row takes a third of it back
/// motion.project(&mut state)?;
/// assert!((state.v[0] + state.v[4] + state.v[8]).abs() < 1e-12 && (state.v[0] - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), AffineError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The point x of node a lies at the point y of node b: three rows, `W_a x − W_b y`.
    Point {
        /// The first node.
        a: BodyId,
        /// A point of it.
        x: V3,
        /// The second node, or the world.
        b: BodyId,
        /// A point of it.
        y: V3,
    },
    /// Two points have this distance: `|W_a x − W_b y| − length`.
    Distance {
        /// The first node.
        a: BodyId,
        /// A point of it.
        x: V3,
        /// The second node, or the world.
        b: BodyId,
        /// A point of it.
        y: V3,
        /// The distance, more than 0.
        length: f64,
    },
    /// A point lies on a plane of the world: `n · W x − offset`.
    Plane {
        /// The node.
        node: BodyId,
        /// A point of it.
        x: V3,
        /// n.
        normal: V3,
        /// The distance of the plane from the origin, along n.
        offset: f64,
    },
    /// The volume of the node is this multiple of its original volume: `det W − factor`.
    Volume {
        /// The node.
        node: BodyId,
        /// The factor.
        factor: f64,
    },
    /// Coordinates are coupled: `Σ factor q − offset`.
    Coupling {
        /// Degrees of freedom with factors.
        terms: Vec<(usize, f64)>,
        /// The value of the sum.
        offset: f64,
    },
}

/// A row between nodes, evaluated: C, ∂²C[Ẇ, Ẇ], and G of the links.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub value: f64,
    pub curvature: f64,
    pub wrenches: [(usize, Matrix4x3<f64>); 2],
}

impl Condition {
    /// The number of its rows.
    pub fn rows(&self) -> usize {
        if matches!(self, Condition::Point { .. }) { 3 } else { 1 }
    }

    fn nodes(&self) -> [BodyId; 2] {
        match self {
            Condition::Point { a, b, .. } | Condition::Distance { a, b, .. } => [*a, *b],
            Condition::Plane { node, .. } | Condition::Volume { node, .. } => [*node, BodyId::WORLD],
            Condition::Coupling { .. } => [BodyId::WORLD; 2],
        }
    }

    pub(super) fn check(&self, model: &AffineModel) -> Result<(), AffineError> {
        if let Some(node) = self.nodes().into_iter().find(|n| n.index() >= model.nodes()) {
            return Err(model.missing(node));
        }
        let numbers: Vec<f64> = match self {
            Condition::Point { x, y, .. } => [x.array(), y.array()].concat(),
            Condition::Distance { x, y, length, .. } => [&x.array()[..], &y.array(), &[*length]].concat(),
            Condition::Plane { x, normal, offset, .. } => {
                [&x.array()[..], &normal.array(), &[*offset]].concat()
            }
            Condition::Volume { factor, .. } => vec![*factor],
            Condition::Coupling { terms, offset } => terms.iter().map(|(_, f)| *f).chain([*offset]).collect(),
        };
        let number = |value: f64, positive| {
            let what = "a number of the constraint".to_string();
            Err(AffineError::Number { what, value, positive })
        };
        if let Some(value) = numbers.into_iter().find(|x| !x.is_finite()) {
            return number(value, false);
        }
        match self {
            Condition::Distance { length: x, .. } | Condition::Volume { factor: x, .. } if *x <= 0.0 => {
                number(*x, true)
            }
            Condition::Plane { normal, .. } if normal.unit().is_none() => number(normal.norm(), true),
            Condition::Coupling { terms, .. } => {
                terms.iter().try_for_each(|(dof, _)| model.coordinate(*dof).map(|_| ()))
            }
            _ => Ok(()),
        }
    }

    /// C of a row between nodes.
    fn value<T: Real>(&self, row: usize, a: Affine<T>, b: Affine<T>) -> T {
        match self {
            Condition::Point { x, y, .. } => (a.point(x.lift()) - b.point(y.lift())).array()[row],
            Condition::Distance { x, y, length, .. } => {
                let d = a.point(x.lift()) - b.point(y.lift());
                d.dot(d).sqrt() - T::from_f64(*length)
            }
            Condition::Plane { x, normal, offset, .. } => {
                normal.lift().dot(a.point(x.lift())) - T::from_f64(*offset)
            }
            Condition::Volume { factor, .. } => {
                let M3 { x, y, z } = a.linear;
                x.dot(y.cross(z)) - T::from_f64(*factor)
            }
            Condition::Coupling { .. } => T::zero(),
        }
    }

    /// C of a row between nodes for these transforms of the links.
    pub(super) fn row_value<T: Real>(&self, model: &AffineModel, row: usize, world: &[Affine<T>]) -> T {
        let [a, b] = self.nodes().map(|n| world[model.nodes[n.index()].link]);
        self.value(row, a, b)
    }

    /// The row at the world transforms and rates of all links.
    pub(super) fn row(&self, model: &AffineModel, row: usize, at: impl Fn(usize) -> (Affine, Affine)) -> Row {
        let wrenches = self.wrenches(model, row, |link| at(link).0);
        let [(a, rate_a), (b, rate_b)] = wrenches.map(|(link, _)| at(link));
        let twice = self.value(row, flowing(a, rate_a), flowing(b, rate_b));
        Row { value: twice.re.re, curvature: twice.eps[0].eps[0], wrenches }
    }

    /// G of both links of a row.
    pub(super) fn wrenches<T: Real>(
        &self,
        model: &AffineModel,
        row: usize,
        at: impl Fn(usize) -> Affine<T>,
    ) -> [(usize, Matrix4x3<T>); 2] {
        let links = self.nodes().map(|n| model.nodes[n.index()].link);
        [0, 1].map(|moved| {
            let [a, b] = [0, 1].map(|own| varied(at(links[own]), own == moved));
            let d = self.value(row, a, b).eps;
            let three = |k: usize| V3::new(d[k], d[k + 1], d[k + 2]);
            let block = M3::columns(three(0), three(3), three(6)).transpose();
            (links[moved], Matrix4x3 { block, last: three(9) })
        })
    }
}

fn of_entries<T: Real>(e: [T; 12]) -> Affine<T> {
    let column = |k: usize| V3::new(e[k], e[k + 1], e[k + 2]);
    Affine { linear: M3::columns(column(0), column(3), column(6)), shift: column(9) }
}

/// The entries of a transform, column by column.
pub(super) fn entries<T: Real>(w: Affine<T>) -> [T; 12] {
    let [x, y, z, t] = [w.linear.x, w.linear.y, w.linear.z, w.shift].map(V3::array);
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2], t[0], t[1], t[2]]
}

/// W with its twelve entries as variables.
fn varied<T: Real>(w: Affine<T>, moves: bool) -> Affine<Dual<12, T>> {
    let e = entries(w);
    of_entries(std::array::from_fn(|k| {
        if moves { Dual::variable(e[k], k) } else { Dual { re: e[k], eps: [T::zero(); 12] } }
    }))
}

/// W + Ẇ ε + Ẇ η.
fn flowing(w: Affine, rate: Affine) -> Affine<Dual<1, Dual<1>>> {
    let (e, d) = (entries(w), entries(rate));
    of_entries(std::array::from_fn(|k| Dual {
        re: Dual { re: e[k], eps: [d[k]] },
        eps: [Dual::from_f64(d[k])],
    }))
}
