//! The penetration depth of two overlapping cores, at least one of which is curved.
//!
//! The depth is the least `h(n)` over all unit vectors n, with h the support function of A − B; it has many local minima. A polyhedron
//! inside A − B, grown as in [`crate::epa`], gives a lower bound: h is nowhere less than the height of the nearest face. Any n gives an
//! upper bound, and the best n so far, refined to its local minimum by [`crate::polish`], gives a good one. The polyhedron grows only where
//! the two bounds differ. A minimum U at n is a point `U n` of A − B, so `h(m) ≥ U n·m`: the neighbourhood of n need not be searched.

use crate::convex::{Pair, Support};
use crate::epa::Polyhedron;
use crate::gjk::Simplex;
use crate::math::Vec3;
use crate::polish::Best;

/// The largest difference of the bounds, relative to the size.
const ENOUGH: f64 = 1e-10;
/// If the bounds differ by less than this fraction of the size, a local minimum is searched for.
const COARSE: f64 = 1e-2;

/// After faces in this many directions that cannot grow, the best direction so far is accepted; faces with a larger cosine count as one
/// direction.
const FAILURES: usize = 8;
const ALIKE: f64 = 0.97;

impl Polyhedron {
    /// The direction of least overlap, and the deepest points of the two cores.
    ///
    /// `known`, if given, is the best of all directions along which h is not smooth: then Newton's method suffices to find a minimum.
    pub fn deepest_of_curved(
        &mut self,
        pair: &Pair,
        simplex: &Simplex,
        known: Option<Best>,
    ) -> Option<(Best, [Vec3; 2])> {
        let size = pair.size();
        let enough = ENOUGH * size;
        if !self.begin(pair, simplex, 1e-12 * size) {
            let flat = self.flat(pair)?;
            let mut best = Best::new(pair, flat.normal);
            best.finish(pair, &flat.corners[..flat.count]);
            return Some((best, flat.foot()));
        }
        let mut best = known.unwrap_or(Best { normal: Vec3::Z, overlap: f64::INFINITY });
        let descend = |from: Best, corners: &[Support]| {
            let mut local = from;
            match known {
                Some(_) => local.newton(pair, from.normal, None),
                None => local.polish(pair, corners),
            }
            local
        };
        let (mut polished, mut sides, mut failures) = (f64::INFINITY, [Vec3::ZERO; FAILURES], 0);
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
                let local = descend(Best { normal: face.normal, overlap }, &face.corners);
                if local.overlap <= best.overlap {
                    best = local;
                }
                polished = polished.min(local.overlap);
            }
            if !self.grow(new, size) {
                // round-off: a minimum below this face is found by descent, once from each direction; then continue with the others
                let alike = |n: &Vec3| n.dot(face.normal) > ALIKE;
                if !sides[..failures].iter().any(alike) {
                    if failures == FAILURES {
                        break;
                    }
                    sides[failures] = face.normal;
                    failures += 1;
                    let local = descend(Best { normal: face.normal, overlap }, &face.corners);
                    if local.overlap <= best.overlap {
                        best = local;
                    }
                }
                self.pass_over(&face);
            }
        }
        if known.is_none() {
            best.finish(pair, &[]);
        }
        Some((best, self.under(best.normal)?.foot()))
    }
}
