//! In how many manifolds each body is deep inside others.
//!
//! Where many bodies begin in one place, all of them inside one another, they cannot all be pushed apart at the usual speed: the speeds would
//! add up from the middle to the edge of the heap, and one sweep does not take them away again.

use super::PileContact;
use super::colour::Colours;

/// The penetration, relative to what is not corrected, from which a body counts as deep inside another.
const DEEP: f64 = 5.0;

#[derive(Clone, Debug, Default)]
pub(super) struct Overlaps {
    deep: Vec<u32>,
}

impl Overlaps {
    pub fn count(&mut self, colours: &Colours, bodies: usize, contacts: &[PileContact], slop: f64) {
        self.deep.clear();
        self.deep.resize(bodies, 0);
        for manifold in &colours.manifolds {
            let points = &contacts[manifold.first..manifold.first + manifold.points];
            if points.iter().any(|point| point.gap < -DEEP * slop) {
                let pair = points[0].bodies.into_iter().flatten();
                pair.for_each(|body| self.deep[body] += 1);
            }
        }
    }

    /// What the push of a manifold is divided by.
    pub fn of(&self, contact: &PileContact) -> f64 {
        let deep = contact.bodies.into_iter().flatten().map(|body| self.deep[body]);
        f64::from(deep.max().unwrap_or(0).max(1))
    }
}
