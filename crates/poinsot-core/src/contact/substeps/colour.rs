//! Contact manifolds and their graph colouring: two manifolds of the same colour share no moving body.

use super::{PileBody, PileContact};
use std::ops::Range;

/// The most points in a manifold; further points start another manifold.
pub(super) const MOST_POINTS: usize = 4;
/// The number of colours tracked for each body; each further manifold gets a colour of its own.
const COLOURS: u32 = 64;

/// Contacts `first..first + points`.
#[derive(Clone, Copy, Debug, Default)]
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
    pub groups: Vec<Range<usize>>,
    found: Vec<Manifold>,
    used: Vec<u64>,
    /// Where the manifolds of each colour and number of points start.
    begin: Vec<usize>,
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
        let (mut alone, mut most) = (COLOURS as usize, 0);
        for manifold in &mut self.found {
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
            most = most.max(manifold.colour + 1);
        }
        self.sort(most);
    }

    /// Counting sort: by colour, then by the number of points, the largest first, then in the original order.
    fn sort(&mut self, colours: usize) {
        let kind = |m: &Manifold| MOST_POINTS * m.colour + MOST_POINTS - m.points;
        self.begin.clear();
        self.begin.resize(MOST_POINTS * colours + 1, 0);
        self.found.iter().for_each(|m| self.begin[kind(m) + 1] += 1);
        for k in 1..self.begin.len() {
            self.begin[k] += self.begin[k - 1];
        }
        self.groups.clear();
        self.count = 0;
        for colour in 0..colours {
            let [from, to] = [colour, colour + 1].map(|c| self.begin[MOST_POINTS * c]);
            self.groups.extend((from..to).step_by(8).map(|k| k..(k + 8).min(to)));
            self.count += usize::from(to > from);
        }
        self.manifolds.clear();
        self.manifolds.resize(self.found.len(), Manifold::default());
        for manifold in &self.found {
            let place = &mut self.begin[kind(manifold)];
            self.manifolds[*place] = *manifold;
            *place += 1;
        }
    }

    /// Gathers consecutive contacts with the same bodies and normal into manifolds.
    fn gather(&mut self, contacts: &[PileContact]) {
        self.found.clear();
        for (k, contact) in contacts.iter().enumerate() {
            if let Some(last) = self.found.last_mut() {
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
            self.found.push(Manifold { first: k, points: 1, colour: 0 });
        }
    }
}
