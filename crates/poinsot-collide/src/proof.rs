//! Self-verifying contacts: a local test that proves a contact direction globally optimal.
//!
//! The signed distance is `−min h(n)`, with h the support function of A − B, and if the two overlap h has many local minima. But a
//! direction n along which the support points a of A and b of B are opposite, `a − b = U n`, needs no search:
//!
//! - U ≤ 0: two planes perpendicular to n through a and b separate the bodies, so −U is the distance;
//! - U > 0: let balls of radii ρ and σ fit into A and B and touch their surfaces at a and b. Along any m they overlap by
//!   `(U − ρ − σ) n·m + ρ + σ`, and A and B by no less. If U ≤ ρ + σ, this is at least U.
//!
//! So if bodies touch without penetrating deeply, a good guess is enough: that of GJK, and if they overlap, that of GJK with both shrunk.

use crate::convex::{Convex, Pair};
use crate::gjk::{EXACT, Nearest, ROUGH, Simplex, nearest};
use crate::manifold::{Point, reduce};
use crate::math::{Frame, Vec3};
use crate::narrow::{Distance, Scratch, apart, exact_witnesses, touching};
use crate::polish::{Best, Edges, TURNS};

/// The scale to which overlapping bodies are shrunk.
const SMALLER: f64 = 0.9;

/// The factor by which balls must exceed the required size.
const ROOM: f64 = 1.001;

impl Scratch {
    /// Finds the contact points of two bodies if the guess can be verified; also true if they are too far apart.
    pub fn touch_with_proof(&mut self, a: &Convex, b: &Convex, x: &Frame, most: f64) -> bool {
        let pair = Pair { a: a.core, b: b.core, x: *x, scale: 1.0 };
        let (round, size, curved) = (a.round + b.round, pair.size(), pair.is_curved());
        let enough = if curved { ROUGH } else { EXACT };
        let found = nearest(&pair, most + round, enough);
        if let Nearest::Overlap(simplex) = &found
            && let Some(best) = self.depth_of_cylinder(&pair, simplex)
        {
            self.face_at_depth([a, b], &pair, most, &best);
            return true;
        }
        match found {
            Nearest::Far { v } => {
                self.axis = -v.normalize_or_zero();
                true
            }
            Nearest::Apart { v, simplex } if v.length() > 1e-9 * size => {
                if curved {
                    return self.proves([a, b], &pair, most, -v, &simplex);
                }
                let best = apart(&pair, v, &simplex);
                let (normal, gap) = (best.normal, -best.overlap - round);
                if gap <= most {
                    let [p, q] = simplex.witnesses();
                    let witnesses = [p + normal * a.round, q - normal * b.round];
                    self.face(a, b, x, most, Distance { normal, gap, witnesses });
                }
                true
            }
            _ => match nearest(&Pair { scale: SMALLER, ..pair }, f64::INFINITY, enough) {
                Nearest::Apart { v, simplex } if v.length() > 1e-6 * size => {
                    self.proves([a, b], &pair, most, -v, &simplex)
                }
                _ => false,
            },
        }
    }

    /// Adds the points along a direction that is known to have the least overlap.
    fn face_at_depth(&mut self, [a, b]: [&Convex; 2], pair: &Pair, most: f64, best: &Best) {
        let (n, gap) = (best.normal, -best.overlap - a.round - b.round);
        if gap > most {
            return;
        }
        let (from, x) = (self.points.len(), &pair.x);
        let attained = self.overlay(a, b, x, most, n, gap, 1e-11 * (a.reach() + b.reach()));
        let deepest = (!attained).then(|| {
            let [p, q] = exact_witnesses(pair, n, touching(pair, best));
            Point::between(p + n * a.round, q - n * b.round, n, gap, [self.a.inside, self.b.inside])
        });
        reduce(&mut self.points, from, n, deepest);
    }

    /// Refines a guess to the nearby minimum by the cheapest sufficient steps, and tests whether it can be verified.
    fn proves(
        &mut self,
        bodies: [&Convex; 2],
        pair: &Pair,
        most: f64,
        guess: Vec3,
        simplex: &Simplex,
    ) -> bool {
        let mut best = Best::new(pair, guess.normalize());
        if pair.is_curved() {
            best.newton(pair, best.normal, None);
            if self.is_proven(bodies, pair, most, &best) {
                return true;
            }
        }
        let edges = Edges::near(pair, simplex.points(), best.normal, TURNS[0]);
        best.try_kinks(pair, &edges);
        if self.is_proven(bodies, pair, most, &best) {
            return true;
        }
        if !pair.is_curved() {
            return false;
        }
        best.try_smooth(pair, &edges, best.normal);
        self.is_proven(bodies, pair, most, &best)
    }

    /// Adds the points along a direction, if they verify it.
    fn is_proven(&mut self, [a, b]: [&Convex; 2], pair: &Pair, most: f64, best: &Best) -> bool {
        let (n, gap) = (best.normal, -best.overlap - a.round - b.round);
        if gap > most {
            self.axis = n;
            return true;
        }
        let (from, x) = (self.points.len(), &pair.x);
        let attained = self.overlay(a, b, x, most, n, gap, 1e-11 * (a.reach() + b.reach()));
        if attained
            && self.is_opposite(n, 1e-12 * pair.size())
            && (gap >= 0.0 || self.has_room([a, b], x, from, n, gap))
        {
            reduce(&mut self.points, from, n, None);
            return true;
        }
        self.points.truncate(from);
        false
    }

    /// True if single points of both surfaces are opposite to `tiny`; extended features have been tested by the overlay.
    fn is_opposite(&self, n: Vec3, tiny: f64) -> bool {
        match (&self.a.points[..], &self.b.points[..]) {
            ([p], [q]) => {
                let apart = *q - *p;
                (apart - n * n.dot(apart)).length() <= tiny
            }
            _ => true,
        }
    }

    /// True if inner balls at the middle of the deepest points are as large as the depth.
    fn has_room(&self, [a, b]: [&Convex; 2], x: &Frame, from: usize, n: Vec3, gap: f64) -> bool {
        let deepest = self.points[from..].iter().filter(|p| p.gap == gap).map(|p| p.position);
        let (sum, count) = deepest.fold((Vec3::ZERO, 0.0), |(sum, count), p| (sum + p, count + 1.0));
        let (middle, half) = (sum / count, n * (0.5 * gap));
        let (p, q) = (middle - half - n * a.round, middle + half + n * b.round);
        let core_a = a.core.ball_at(p, n);
        let core_b = b.core.ball_at(x.point_back(q), -x.vector_back(n));
        count > 0.0 && -gap * ROOM <= a.round + core_a + b.round + core_b
    }
}
