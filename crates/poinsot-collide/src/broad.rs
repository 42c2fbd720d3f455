//! The broad phase: which pairs of geoms are near each other.
//!
//! Each geom has a slightly enlarged box, a leaf of a bounding volume tree. As long as a geom stays within its box, nothing is done for it;
//! when it leaves, it gets a new box, and the tree is queried for overlaps. So the pairs change little from step to step, and a pile at
//! rest costs one comparison for each geom. For few geoms all pairs that may touch are listed once: comparing their boxes costs less than a
//! tree. The list of pairs depends on the history of the motion, but it always includes all pairs whose own boxes overlap.

use crate::filter::{Rules, Verdict};
use crate::math::{Aabb, Frame, Vec3};
use crate::solid::Solid;
use crate::tree::Tree;

/// A pair of nearby geoms that may touch; lower number first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub geoms: [u32; 2],
    /// The index of a named pair, or `u32::MAX`.
    pub named: u32,
    /// The last separating axis of the two, in the frame of the first; or zero.
    pub axis: Vec3,
    /// True if one of the two is a plane.
    pub plane: bool,
}

/// The boxes of all geoms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds<'a> {
    pub boxes: &'a [Aabb],
    pub frames: &'a [Frame],
    /// The enlargement of each box; a plane has no box, and this is its part of the margin.
    pub grown: &'a [f64],
}

impl Bounds<'_> {
    /// True if a box comes within the margin of a plane; false for an empty box.
    pub fn below(&self, plane: u32, bounds: &Aabb) -> bool {
        let (x, by) = (&self.frames[plane as usize], self.grown[plane as usize]);
        let n = x.rot.z_axis;
        bounds.min.x <= bounds.max.x && n.dot(bounds.centre() - x.pos) - n.abs().dot(bounds.half()) <= by
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Broad {
    tree: Tree,
    stack: Vec<u32>,
    numbers: Vec<u32>,
    loose: Vec<Aabb>,
    planes: Vec<u32>,
    moved: Vec<u32>,
    has_moved: Vec<bool>,
    pub pairs: Vec<Candidate>,
    found: Vec<Candidate>,
    merged: Vec<Candidate>,
    pub limit: usize,
}

/// There are too many pairs, most of them with this geom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooMany {
    pub geom: u32,
    pub of_it: usize,
}

/// No tree is used for up to this many geoms.
const FEW: usize = 32;
/// The enlargement of a box, relative to its half edges.
const LOOSE: f64 = 0.1;
/// A box that is this many times larger than its geom is recomputed.
const TOO_LOOSE: f64 = 2.0;

impl Broad {
    pub fn new(solids: &[Option<Solid>]) -> Broad {
        let planes = (0..solids.len()).filter(|k| matches!(solids[*k], Some(Solid::Plane)));
        Broad {
            planes: planes.map(|k| k as u32).collect(),
            loose: vec![Aabb::EMPTY; solids.len()],
            has_moved: vec![false; solids.len()],
            limit: 100_000 + 64 * solids.len(),
            ..Broad::default()
        }
    }

    /// Updates the pairs for the boxes of the geoms; those of excluded geoms are empty.
    pub fn update(&mut self, at: &Bounds, rules: &Rules) -> Result<(), TooMany> {
        if at.boxes.len() <= FEW {
            if self.pairs.is_empty() {
                self.list_all(rules);
            }
            return Ok(());
        }
        self.moved.clear();
        let boxes = at.boxes;
        for (k, tight) in boxes.iter().enumerate() {
            let plane = self.planes.binary_search(&(k as u32)).is_ok();
            self.has_moved[k] = if plane {
                self.loose[k] == Aabb::EMPTY || !rules.is_static(k as u32)
            } else {
                let (loose, half) = (&self.loose[k], tight.half().max_element());
                !loose.contains(tight) || loose.half().max_element() > TOO_LOOSE * half
            };
            if self.has_moved[k] {
                let by = if plane { 0.0 } else { LOOSE * tight.half().max_element() };
                self.loose[k] = tight.grown(by);
                self.moved.push(k as u32);
            }
        }
        if self.moved.is_empty() {
            return Ok(());
        }
        self.plant();
        let moved = &self.has_moved;
        self.pairs.retain(|p| !moved[p.geoms[0] as usize] && !moved[p.geoms[1] as usize]);
        self.found.clear();
        for i in 0..self.moved.len() {
            let k = self.moved[i];
            let before = self.found.len();
            if self.planes.binary_search(&k).is_ok() {
                self.near_plane(k, at, rules);
            } else {
                self.near_geom(k, at, rules);
            }
            if self.pairs.len() + self.found.len() > self.limit {
                let of_it = self.found.len() - before;
                self.forget();
                return Err(TooMany { geom: k, of_it });
            }
        }
        self.found.sort_unstable_by_key(|c| c.geoms);
        self.found.dedup_by_key(|c| c.geoms);
        merge(&self.pairs, &self.found, &mut self.merged);
        std::mem::swap(&mut self.pairs, &mut self.merged);
        Ok(())
    }

    /// Lists all pairs that may touch.
    fn list_all(&mut self, rules: &Rules) {
        let is_plane = |k: u32| self.planes.binary_search(&k).is_ok();
        for a in 0..self.loose.len() as u32 {
            for b in a + 1..self.loose.len() as u32 {
                match [a, b].map(is_plane) {
                    [true, true] => {}
                    [one, other] => self.pairs.extend(candidate(a, b, one || other, rules)),
                }
            }
        }
    }

    /// Discards all pairs.
    pub fn forget(&mut self) {
        self.pairs.clear();
        self.loose.fill(Aabb::EMPTY);
    }

    /// Inserts the moved boxes into the tree: one by one, or by rebuilding it if that is cheaper.
    fn plant(&mut self) {
        let is_plane = |k: u32| self.planes.binary_search(&k).is_ok();
        if self.moved.len() * 4 > self.loose.len() {
            let filled = |k: &u32| self.loose[*k as usize].min.x <= self.loose[*k as usize].max.x;
            self.numbers.clear();
            self.numbers.extend((0..self.loose.len() as u32).filter(|k| !is_plane(*k) && filled(k)));
            self.tree.build(&mut self.numbers, &self.loose);
        } else {
            for &k in self.moved.iter().filter(|k| !is_plane(**k)) {
                self.tree.put(k, self.loose[k as usize]);
            }
        }
    }

    fn near_geom(&mut self, k: u32, at: &Bounds, rules: &Rules) {
        let Broad { tree, stack, loose, has_moved, found, limit, planes, .. } = self;
        tree.meet(&loose[k as usize], stack, |other| {
            // if both have moved, the lower one finds the pair
            let twice = has_moved[other as usize] && other < k;
            if other != k && !twice {
                found.extend(candidate(k, other, false, rules));
            }
            found.len() <= *limit
        });
        for &plane in planes.iter() {
            if at.below(plane, &loose[k as usize]) {
                found.extend(candidate(plane, k, true, rules));
            }
        }
    }

    fn near_plane(&mut self, plane: u32, at: &Bounds, rules: &Rules) {
        for (k, bounds) in self.loose.iter().enumerate() {
            let other = k as u32;
            if other != plane && at.below(plane, bounds) && self.planes.binary_search(&other).is_err() {
                self.found.extend(candidate(plane, other, true, rules));
            }
        }
    }
}

fn candidate(a: u32, b: u32, plane: bool, rules: &Rules) -> Option<Candidate> {
    let (geoms, axis) = ([a.min(b), a.max(b)], Vec3::ZERO);
    match rules.verdict(a, b) {
        Verdict::No => None,
        Verdict::Yes => Some(Candidate { geoms, named: u32::MAX, axis, plane }),
        Verdict::Named(named) => Some(Candidate { geoms, named, axis, plane }),
    }
}

/// Merges two sorted lists.
fn merge(a: &[Candidate], b: &[Candidate], out: &mut Vec<Candidate>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].geoms <= b[j].geoms {
            out.push(a[i]);
            i += 1;
        } else {
            out.push(b[j]);
            j += 1;
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
}
