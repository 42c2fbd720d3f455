//! Time of impact between two sets of poses, with a quick rejection of most pairs from the end poses alone.
//!
//! Let a body turn by θ, and let none of its points move farther than s. Whether it moves along a screw or straight while it turns, the
//! acceleration of its points is at most θ s in unit time, so each stays within
//!
//! ```math
//! (1)  κ = ⅛ θ s      s = ½π d + θ r
//! ```
//! of the chord between its end points. Here d is the distance between the end points of the body's origin, ½π d a bound on the length of
//! an arc of up to half a turn between them, and r the largest distance of its points from the origin. Let n be a fixed direction, and σ₀
//! and σ₁ the separations of two bodies along n at both ends. The heights of all points along n change linearly up to κ, so
//! ```math
//! (2)  σ(t) ≥ min(σ₀, σ₁) − κ_a − κ_b
//! ```
//! and the signed distance of convex bodies is at least σ(t). If this exceeds the required distance, the pair is not swept.

use crate::broad::Candidate;
use crate::error::CollideError;
use crate::math::{Frame, Vec3};
use crate::scene::Scene;
use crate::solid::Solid;
use crate::sweep::{Impact, Moving, NEAR, Sweep, SweepRule, TOUCHING, follow};
use poinsot_core::model::GeomId;
use poinsot_core::spatial::Pose;
use std::f64::consts::FRAC_PI_2;

/// The motion of a body between two poses, with a rotation of up to half a turn.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Displacement {
    /// ½π d of (1), m.
    arc: f64,
    /// A bound of θ.
    turned: f64,
}

impl Displacement {
    fn between(from: &Pose, to: &Pose) -> Displacement {
        if from == to {
            return Displacement::default();
        }
        let (a, b) = (Frame::from(*from), Frame::from(*to));
        let columns = [b.rot.x_axis - a.rot.x_axis, b.rot.y_axis - a.rot.y_axis, b.rot.z_axis - a.rot.z_axis];
        // with s = sin ½θ, ‖R₂ − R₁‖ is 2√2 s, and the arcsine is at most s + (½π − 1) s³
        let square = columns.iter().fold(0.0, |sum, c| sum + c.length_squared()) / 8.0;
        let turned = 2.0 * square.sqrt() * (1.0 + (FRAC_PI_2 - 1.0) * square);
        Displacement { arc: FRAC_PI_2 * (b.pos - a.pos).length(), turned }
    }
    fn is_still(self) -> bool {
        self.arc == 0.0 && self.turned == 0.0
    }
    fn is_finite(self) -> bool {
        self.arc.is_finite() && self.turned.is_finite()
    }
    /// s of (1), for points within r.
    fn length(self, r: f64) -> f64 {
        if self.turned == 0.0 { self.arc } else { self.arc + self.turned * r }
    }
    /// κ of (1).
    fn bulge(self, r: f64) -> f64 {
        if self.turned == 0.0 { 0.0 } else { 0.125 * self.turned * self.length(r) }
    }
}

/// The height along n of the highest point of a solid in a pose; for a plane, the height of its origin. `None` for other non-convex solids.
fn height(solid: &Solid, x: &Frame, n: Vec3) -> Option<f64> {
    if let Solid::Plane = solid {
        return Some(x.pos.dot(n));
    }
    let convex = solid.convex()?;
    Some(x.point(convex.core.support(x.vector_back(n)).0).dot(n) + convex.round)
}

impl Scene {
    /// As [`Scene::impacts_of`], for bodies moving from some poses to others in the time h: `sweep` returns the motion of each, a screw or
    /// straight with a rotation of up to half a turn, and is called only if the end poses do not decide. Pairs in which neither body moves
    /// `far` are skipped.
    #[allow(clippy::too_many_arguments)] // each is a different quantity
    pub fn impacts_between(
        &mut self,
        [from, to]: [&[Pose]; 2],
        h: f64,
        apart: f64,
        far: &[bool],
        sweep: impl Fn(usize) -> Sweep,
        wanted: impl Fn([GeomId; 2]) -> Option<SweepRule>,
        impacts: &mut Vec<Impact>,
    ) -> Result<(), CollideError> {
        impacts.clear();
        self.place(from)?;
        for (what, given) in [("poses at the end", to.len()), ("flags of bodies", far.len())] {
            if given != from.len() {
                let (value, needed) = (given.to_string(), "give one for each body");
                return Err(CollideError::Argument { what, value, needed });
            }
        }
        if !(h >= 0.0 && h.is_finite()) {
            let (value, needed) = (h.to_string(), "give a finite time of 0 or more, in seconds");
            return Err(CollideError::Argument { what: "the time h", value, needed });
        }
        self.displacements.clear();
        self.displacements.extend(from.iter().zip(to).map(|(from, to)| Displacement::between(from, to)));
        if let Some(k) = self.displacements.iter().position(|displacement| !displacement.is_finite()) {
            let (value, needed) = (format!("not finite for body {k}"), "give finite poses");
            return Err(CollideError::Argument { what: "a pose at the end", value, needed });
        }
        self.surround_ways();
        self.update_swept_pairs()?;
        for k in 0..self.swept.pairs.len() {
            let [a, b] = self.swept.pairs[k].geoms.map(|k| k as usize);
            let bodies = [self.geoms[a].body.index(), self.geoms[b].body.index()];
            if !(far[bodies[0]] || far[bodies[1]]) || !self.is_near(&self.swept.pairs[k]) {
                continue;
            }
            let pair = self.swept.pairs[k];
            let ids = [self.geoms[a].id, self.geoms[b].id];
            let Some(how) = wanted(ids) else { continue };
            if self.stays_apart(&pair, to, apart, how) {
                continue;
            }
            let (Some(first), Some(second)) = (&self.solids[a], &self.solids[b]) else { continue };
            let one = Moving::new(first, self.geoms[a].local, sweep(bodies[0]));
            let two = Moving::new(second, self.geoms[b].local, sweep(bodies[1]));
            let found = follow(&mut self.scratch, [&one, &two], h, apart, how);
            impacts.extend(found.map(|(t, touching)| t.of(ids, touching)));
        }
        impacts.sort_unstable_by(|a, b| a.time.total_cmp(&b.time).then(a.geoms.cmp(&b.geoms)));
        Ok(())
    }

    /// Computes boxes around the volumes that the geoms pass through.
    fn surround_ways(&mut self) {
        for (k, solid) in self.solids.iter().enumerate() {
            let Some(solid) = solid else { continue };
            let (geom, here) = (&self.geoms[k], solid.aabb(&self.frames[k]));
            let displacement = self.displacements[geom.body.index()];
            (self.grown[k], self.boxes[k]) = match solid {
                // a moving plane is grown by its displacement; a turning one may come anywhere
                Solid::Plane => {
                    (if displacement.turned > 0.0 { f64::INFINITY } else { displacement.arc }, here)
                }
                _ => (0.0, here.grown(displacement.length(geom.local.pos.length() + solid.reach()))),
            };
        }
    }

    /// True if the end poses show that a pair does not reach the separation or penetration it is swept for.
    fn stays_apart(&mut self, pair: &Candidate, to: &[Pose], apart: f64, how: SweepRule) -> bool {
        let [a, b] = [pair.geoms[0] as usize, pair.geoms[1] as usize];
        let (Some(first), Some(second)) = (&self.solids[a], &self.solids[b]) else { return true };
        let (mut farthest, mut bulge, mut size) = (0.0, 0.0, 1e-3f64);
        for (k, solid) in [(a, first), (b, second)] {
            let (geom, plane) = (&self.geoms[k], matches!(solid, Solid::Plane));
            let displacement = self.displacements[geom.body.index()];
            if solid.convex().is_none() && !(plane && displacement.is_still()) {
                return false;
            }
            if !plane {
                let r = geom.local.pos.length() + solid.reach();
                farthest += displacement.length(r);
                bulge += displacement.bulge(r);
                size = size.max(r);
            }
        }
        let x = self.frames[a].to(&self.frames[b]);
        let Some(now) = self.scratch.separation(first, second, &x, farthest + NEAR * size) else {
            return true;
        };
        let n = self.frames[a].vector(now.normal);
        let there = |k: usize| Frame::from(to[self.geoms[k].body.index()]).then(&self.geoms[k].local);
        let heights = [height(first, &there(a), n), height(second, &there(b), -n)];
        let [Some(up), Some(down)] = heights else { return false };
        let least = now.gap.min(-(up + down)) - bulge - NEAR * size;
        let touches = now.gap <= apart.max(TOUCHING * size);
        match touches {
            true if how.overlap.is_infinite() => true,
            true => least > -how.overlap.max(0.25 * how.overlap - now.gap),
            false if how.deep => least > -how.overlap,
            false => least > 0.0,
        }
    }
}
