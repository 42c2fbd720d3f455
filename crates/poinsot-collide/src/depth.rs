//! How far two overlapping cores, of which one is curved, reach into each other.
//!
//! The depth is the least `h(n)` over all unit vectors n, h the support function of A − B; it has many local minima. A polyhedron inside
//! A − B, grown as in [`crate::epa`], bounds it from below: no h is less than the height of the nearest face. Any n bounds it from above by its
//! h, and the best n so far, brought to its local minimum by [`crate::polish`], bounds it well. The polyhedron grows only where the
//! two bounds differ. A minimum U at n is a point `U n` of A − B, so that `h(m) ≥ U n·m`: next to n nothing is to be found.

use crate::convex::Pair;
use crate::epa::Polyhedron;
use crate::gjk::Simplex;
use crate::math::Vec3;
use crate::polish::Best;

/// The bounds may differ by this part of the size.
const ENOUGH: f64 = 1e-10;
/// From this part of the size on, a local minimum is worth looking for.
const COARSE: f64 = 1e-2;

/// After so many faces that cannot grow, the best direction so far must do.
const FAILURES: usize = 4;

impl Polyhedron {
    /// The direction in which the overlap is least, and the points of the two cores that are deepest in each other.
    pub fn deepest_of_curved(&mut self, pair: &Pair, simplex: &Simplex) -> Option<(Best, [Vec3; 2])> {
        let size = pair.size();
        let enough = ENOUGH * size;
        if !self.begin(pair, simplex, 1e-12 * size) {
            let flat = self.flat(pair)?;
            let mut best = Best::new(pair, flat.normal);
            best.polish(pair, &flat.corners[..flat.count]);
            return Some((best, flat.foot()));
        }
        let mut best = Best { normal: Vec3::Z, overlap: f64::INFINITY };
        let (mut polished, mut failures) = (f64::INFINITY, 0);
        while !self.is_full() {
            let settled = |height: f64, normal: Vec3| {
                height >= best.overlap - enough
                    || best.overlap * (1.0 - normal.dot(best.normal)) <= enough
                        && best.overlap < f64::INFINITY
            };
            let Some(face) = self.nearest_but(settled) else { break };
            let new = pair.support(face.normal);
            let overlap = new.w.dot(face.normal);
            if overlap < best.overlap {
                best = Best { normal: face.normal, overlap };
            }
            if overlap < polished - enough && overlap - face.height <= COARSE * size {
                let mut local = Best { normal: face.normal, overlap };
                local.polish(pair, &face.corners);
                if local.overlap <= best.overlap {
                    best = local;
                }
                polished = polished.min(local.overlap);
            }
            if !self.grow(new, size) {
                // round-off: on with the other faces
                self.pass_over(&face);
                failures += 1;
                if failures == FAILURES {
                    break;
                }
            }
        }
        best.polish(pair, &[]);
        Some((best, self.under(best.normal)?.foot()))
    }
}
