//! Manifolds, and colours for them: two of one colour share no body that moves.

use super::{PileBody, PileContact};

/// The most points of a manifold; more of them are another manifold.
pub(super) const MOST_POINTS: usize = 4;
/// Bodies remember so many colours; manifolds beyond are alone in theirs.
const COLOURS: u32 = 64;

/// Contacts `first..first + points`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manifold {
    pub first: usize,
    pub points: usize,
    colour: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Colours {
    /// Sorted by colour, within a colour by the number of points.
    pub manifolds: Vec<Manifold>,
    /// Up to eight of `manifolds` with one colour.
    pub groups: Vec<std::ops::Range<usize>>,
    used: Vec<u64>,
    count: usize,
}

impl Colours {
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn find(&mut self, bodies: &[PileBody], contacts: &[PileContact]) {
        self.gather(contacts);
        self.used.clear();
        self.used.resize(bodies.len(), 0);
        let mut alone = COLOURS as usize;
        for manifold in &mut self.manifolds {
            let pair = contacts[manifold.first].bodies;
            let moves = pair.into_iter().flatten().filter(|body| bodies[*body].yields());
            let taken = moves.clone().fold(0, |mask, body| mask | self.used[body]);
            let free = taken.trailing_ones();
            if free < COLOURS {
                moves.for_each(|body| self.used[body] |= 1 << free);
                manifold.colour = free as usize;
            } else {
                manifold.colour = alone;
                alone += 1;
            }
        }
        self.manifolds.sort_unstable_by_key(|m| (m.colour, MOST_POINTS - m.points, m.first));
        self.groups.clear();
        self.count = 0;
        let mut begin = 0;
        while begin < self.manifolds.len() {
            let colour = self.manifolds[begin].colour;
            let end = begin + self.manifolds[begin..].partition_point(|m| m.colour == colour);
            self.groups.extend((begin..end).step_by(8).map(|k| k..(k + 8).min(end)));
            self.count += 1;
            begin = end;
        }
    }

    /// Contacts that follow one another with the same bodies and normal.
    fn gather(&mut self, contacts: &[PileContact]) {
        self.manifolds.clear();
        for (k, contact) in contacts.iter().enumerate() {
            if let Some(last) = self.manifolds.last_mut() {
                let other = &contacts[last.first];
                if last.points < MOST_POINTS
                    && other.bodies == contact.bodies
                    && other.normal == contact.normal
                    && other.friction == contact.friction
                {
                    last.points += 1;
                    continue;
                }
            }
            self.manifolds.push(Manifold { first: k, points: 1, colour: 0 });
        }
    }
}
