//! Contact manifolds: the contact points of one pair of geoms, reduced to four well-spread ones.

use crate::contact::Feature;
use crate::math::Vec3;

/// One point, in the frame of the first geom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Midway between the surfaces.
    pub position: Vec3,
    /// From the first geom to the second.
    pub normal: Vec3,
    pub gap: f64,
    pub features: [Feature; 2],
}

impl Point {
    /// A point between points of the two surfaces.
    pub fn between(a: Vec3, b: Vec3, normal: Vec3, gap: f64, features: [Feature; 2]) -> Point {
        Point { position: 0.5 * (a + b), normal, gap, features }
    }
    /// The point with the geoms exchanged.
    pub fn swapped(&self) -> Point {
        Point { normal: -self.normal, features: [self.features[1], self.features[0]], ..*self }
    }
}

/// The most contacts of one pair of convex geoms.
pub(crate) const MOST: usize = 4;

/// Scores with a smaller relative difference are equal, so that noise does not decide which points are kept.
const EQUAL: f64 = 1e-3;

/// A point counts as deeper if the difference exceeds this fraction of the spread.
const DEEPER: f64 = 1e-13;

/// The index of the point with the best score; among nearly equal ones, the first.
fn best(points: &[Point], score: impl Fn(&Point) -> f64) -> usize {
    let top = points.iter().map(&score).fold(f64::NEG_INFINITY, f64::max);
    let enough = top - EQUAL * top.abs();
    points.iter().position(|p| score(p) >= enough).unwrap_or(0)
}

/// Reduces the points from `from` on to at most four: as widely spread as possible, and the deepest of them, which may be an additional
/// one.
///
/// The first is the one farthest from the middle, the second the farthest from the first; the third and fourth span the largest triangles
/// with these on either side. If the deepest is not among them, it replaces the nearest one.
pub(crate) fn reduce(points: &mut Vec<Point>, from: usize, normal: Vec3, other: Option<Point>) {
    let by_gap = |a: &&Point, b: &&Point| a.gap.total_cmp(&b.gap);
    let deepest = other.or_else(|| points[from..].iter().min_by(by_gap).copied());
    if points.len() - from > MOST {
        spread(points, from, normal);
    }
    match other {
        // a point of equal depth that is not quite on both surfaces is replaced
        Some(exact) if replace(points, from, exact) => {}
        _ => {
            if let Some(deepest) = deepest {
                include(points, from, deepest);
            }
        }
    }
}

/// Replaces the point next to an exactly known one, keeping its features; false if none is as deep.
fn replace(points: &mut [Point], from: usize, exact: Point) -> bool {
    let far = |p: &&mut Point| (p.position - exact.position).length_squared();
    let level = points[from..].iter_mut().filter(|p| p.gap <= exact.gap);
    let nearest = level.min_by(|p, q| far(p).total_cmp(&far(q)));
    nearest.map(|p| p.position = exact.position).is_some()
}

fn spread(points: &mut Vec<Point>, from: usize, normal: Vec3) {
    let all = &mut points[from..];
    all.sort_unstable_by(|a, b| a.features.cmp(&b.features).then(order(a.position, b.position)));
    let middle = all.iter().fold(Vec3::ZERO, |s, p| s + p.position) * (1.0 / all.len() as f64);
    let flat = |v: Vec3| v - normal * v.dot(normal);
    let first = best(all, |p| flat(p.position - middle).length_squared());
    let a = all[first].position;
    let second = best(all, |p| flat(p.position - a).length_squared());
    let b = all[second].position;
    let side = |p: &Point| flat(b - a).cross(flat(p.position - a)).dot(normal);
    let third = best(all, |p| side(p));
    let fourth = best(all, |p| -side(p));
    let mut chosen = [first, second, third, fourth];
    chosen.sort_unstable();
    let (mut kept, mut last) = (0, usize::MAX);
    for k in chosen {
        if k != last {
            all[kept] = all[k];
            (kept, last) = (kept + 1, k);
        }
    }
    points.truncate(from + kept);
}

/// An arbitrary fixed order of points.
pub(crate) fn order(a: Vec3, b: Vec3) -> std::cmp::Ordering {
    a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
}

/// Adds the deepest point if it is deeper than those from `from` on; if there are four already, it replaces the nearest.
fn include(points: &mut Vec<Point>, from: usize, deepest: Point) {
    let all = &mut points[from..];
    let far = |p: &Point| (p.position - deepest.position).length();
    let spread = all.iter().map(far).fold(0.0, f64::max);
    let least = all.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
    if deepest.gap >= least - DEEPER * spread {
        return;
    }
    if all.len() < MOST {
        points.push(deepest);
    } else if let Some(nearest) = all.iter_mut().min_by(|p, q| far(p).total_cmp(&far(q))) {
        *nearest = deepest;
    }
}
