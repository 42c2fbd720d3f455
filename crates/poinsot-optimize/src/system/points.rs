//! Named points of bodies, and the ground forces on those in contact.

use super::{Evaluation, Moment};
use poinsot::algebra::{Real, V3};
use poinsot::model::BodyId;
use std::ops::Range;

/// A named point of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// The body or node it is fixed to.
    pub body: BodyId,
    /// Its position in the frame of the body.
    pub at: V3,
}

/// A point that may be in contact: a force acts on it along some world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Foot {
    /// The index of its point.
    pub point: usize,
    /// The axes along which it is fixed: 0, 1, 2 for x, y, z; z is up.
    pub axes: Vec<usize>,
    /// The coefficient of friction.
    pub friction: f64,
}

/// The outputs of a point: position, velocity, acceleration.
const POINT: [&str; 9] = ["x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"];
/// The number of outputs of the centre of mass: position and velocity.
pub(super) const COM: usize = 6;
const AXES: [&str; 3] = ["x", "y", "z"];

/// The points and feet of a system. Outputs are the centre of mass, then the points, then the friction margin of each foot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// The points.
    pub points: Vec<Point>,
    /// The points that may be in contact.
    pub feet: Vec<Foot>,
}

/// A point at a moment: position, velocity, acceleration, and its velocity for each degree of freedom that moves it, at unit rate.
#[derive(Clone, Debug)]
pub(super) struct Seen<T> {
    pub motion: [V3<T>; 3],
    pub columns: Vec<(usize, V3<T>)>,
}

impl Points {
    /// The first output of a point.
    pub fn output_of(point: usize) -> usize {
        COM + POINT.len() * point
    }

    /// The outputs for the friction margin of a foot, which must not be negative: two in a plane, one in space; none along one axis.
    pub fn friction_of(&self, foot: usize) -> Range<usize> {
        let first = Self::output_of(self.points.len());
        let count = |f: &Foot| match f.axes.len() {
            0 | 1 => 0,
            2 => 2,
            _ => 1,
        };
        let begin = first + self.feet[..foot].iter().map(count).sum::<usize>();
        begin..begin + count(&self.feet[foot])
    }

    /// The names of the forces.
    pub(super) fn forces(&self) -> Vec<String> {
        let name = |f: &Foot, axis: usize| format!("{}.{}", self.points[f.point].name, AXES[axis]);
        self.feet.iter().flat_map(|f| f.axes.iter().map(move |a| name(f, *a))).collect()
    }

    /// The names of the outputs.
    pub(super) fn outputs(&self) -> Vec<String> {
        let mut names: Vec<String> = POINT[..COM].iter().map(|part| format!("com.{part}")).collect();
        for point in &self.points {
            names.extend(POINT.iter().map(|part| format!("{}.{part}", point.name)));
        }
        for (k, foot) in self.feet.iter().enumerate() {
            let name = &self.points[foot.point].name;
            names.extend((1..=self.friction_of(k).len()).map(|c| format!("{name}.friction{c}")));
        }
        names
    }

    /// Writes the outputs, and subtracts the ground forces from the residual.
    pub(super) fn touch<T: Real>(
        &self,
        centre: [V3<T>; 2],
        seen: &[Seen<T>],
        at: &Moment<T>,
        out: &mut Evaluation<T>,
    ) {
        let motions = seen.iter().flat_map(|s| s.motion);
        let numbers = centre.into_iter().chain(motions).flat_map(|v| [v.x, v.y, v.z]);
        out.outputs.iter_mut().zip(numbers).for_each(|(out, x)| *out = x);
        let mut first = 0;
        for (k, foot) in self.feet.iter().enumerate() {
            let forces = &at.f[first..first + foot.axes.len()];
            first += foot.axes.len();
            for (dof, column) in &seen[foot.point].columns {
                let column = [column.x, column.y, column.z];
                for (axis, f) in foot.axes.iter().zip(forces) {
                    out.balance[*dof] -= column[*axis] * *f;
                }
            }
            let margin = friction_left(foot, forces);
            out.outputs[self.friction_of(k)].iter_mut().zip(margin).for_each(|(out, x)| *out = x);
        }
    }
}

/// μ n ± t in a plane, (μ n)² − |t|² in space.
fn friction_left<T: Real>(foot: &Foot, forces: &[T]) -> Vec<T> {
    let along = |up: bool| {
        let chosen = foot.axes.iter().zip(forces).filter(move |(axis, _)| (**axis == 2) == up);
        chosen.map(|(_, f)| *f).collect::<Vec<T>>()
    };
    let (normal, sideways) = (along(true), along(false));
    let mu = T::from_f64(foot.friction);
    match (&normal[..], &sideways[..]) {
        ([n], [t]) => vec![mu * *n - *t, mu * *n + *t],
        ([n], [t, w]) => vec![mu * mu * *n * *n - *t * *t - *w * *w],
        _ => Vec::new(),
    }
}
