//! The tree as a chain of degrees of freedom in depth-first order, the layout of all derivatives.

use crate::algebra::Lanes;
use crate::model::{Kind, Tree};
use std::ops::Range;

/// A joint with several axes is a chain of them: a free joint is three slides and a ball. Only a ball keeps its three axes together, since
/// each of them rotates with the others. A link belongs to the last of its degrees of freedom; those before it have no mass.
///
/// Degrees of freedom are in depth-first order, so every subtree is contiguous, and so are most paths to the root.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// For each degree of freedom: its index in qvel. Padded to whole blocks of eight.
    pub dof: Vec<usize>,
    /// 1 + the index of the previous degree of freedom on the path from the root; 0 if there is none. Padded.
    pub parent: Vec<usize>,
    /// As `parent`, but of the first axis of a ball joint for all its axes. Padded.
    pub base: Vec<usize>,
    /// 1 + the index of the last axis of a ball; for other joints, 1 + its own index. Padded.
    pub last: Vec<usize>,
    /// 1 + the index of the last degree of freedom in its subtree.
    pub end: Vec<usize>,
    /// The first degree of freedom of its tree.
    pub root: Vec<usize>,
    /// For each link: 1 + the index of its last degree of freedom.
    pub of_link: Vec<usize>,
    /// For each block of eight: true if it contains an axis of a ball.
    pub balls: Vec<bool>,
    /// Rotation and translation at unit rate, in blocks.
    pub screw: Vec<[Lanes<8>; 2]>,
    /// m, h, I about the link's origin in link axes, in blocks.
    pub inertia: Vec<[Lanes<8>; 10]>,
    /// The degrees of freedom on the path to the root, including itself and its ball, as pieces of blocks.
    pub way: Vec<Piece>,
    /// Where the pieces of each degree of freedom start, followed by the end.
    pub way_of: Vec<usize>,
    /// True if the degrees of freedom are in the order of qvel.
    pub in_order: bool,
}

/// Lanes `from` to `to` of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub block: usize,
    pub from: usize,
    pub to: usize,
}

/// A range of degrees of freedom as pieces of blocks.
#[inline(always)]
pub(super) fn pieces(first: usize, end: usize) -> impl Iterator<Item = Piece> {
    (first / 8..end.div_ceil(8)).map(move |block| Piece {
        block,
        from: first.saturating_sub(8 * block),
        to: (end - 8 * block).min(8),
    })
}

impl Chain {
    pub fn new(tree: &Tree) -> Chain {
        let (n, blocks) = (tree.nv, tree.nv.div_ceil(8));
        let padded = || Vec::with_capacity(8 * blocks);
        let mut c = Chain {
            dof: padded(),
            parent: padded(),
            base: padded(),
            last: padded(),
            end: Vec::with_capacity(n),
            root: Vec::with_capacity(n),
            of_link: vec![0; tree.links()],
            balls: vec![false; blocks],
            screw: vec![[Lanes([0.0; 8]); 2]; blocks],
            inertia: vec![[Lanes([0.0; 8]); 10]; blocks],
            way: Vec::new(),
            way_of: vec![0],
            in_order: false,
        };
        for i in 1..tree.links() {
            c.add_link(tree, i);
        }
        c.in_order = c.dof.iter().enumerate().all(|(t, k)| t == *k);
        c.end = (1..=n).collect();
        for t in (0..n).rev() {
            if let Some(above) = c.parent[t].checked_sub(1) {
                c.end[above] = c.end[above].max(c.end[t]);
            }
        }
        for t in 0..n {
            c.root.push(c.parent[t].checked_sub(1).map_or(t, |above| c.root[above]));
            c.add_way(t);
        }
        for list in [&mut c.dof, &mut c.parent, &mut c.base, &mut c.last] {
            list.resize(8 * blocks, 0);
        }
        c
    }

    fn add_link(&mut self, tree: &Tree, i: usize) {
        let (mut before, v) = (self.of_link[tree.parent[i]], tree.v[i]);
        let mut axis = |turn: f64, advance: f64, dof: usize, base: Option<usize>, last: usize| {
            let t = self.dof.len();
            self.dof.push(dof);
            self.parent.push(before);
            self.base.push(base.unwrap_or(before));
            self.last.push(t + last);
            self.balls[t / 8] |= base.is_some();
            (self.screw[t / 8][0].0[t % 8], self.screw[t / 8][1].0[t % 8]) = (turn, advance);
            before = t + 1;
            before
        };
        match tree.kind[i] {
            Kind::World => {}
            Kind::Hinge | Kind::Screw => {
                let [turn, advance, _] = tree.screw_of(i);
                axis(turn, advance, v, None, 1);
            }
            Kind::Ball | Kind::Free => {
                let (mut first, mut base) = (v, self.of_link[tree.parent[i]]);
                if tree.kind[i] == Kind::Free {
                    (0..3).for_each(|c| base = axis(0.0, 1.0, v + c, None, 1));
                    first += 3;
                }
                for c in 0..3 {
                    axis(1.0, 0.0, first + c, Some(base), 3 - c);
                }
            }
        }
        self.of_link[i] = before;
        let t = before - 1;
        for (cell, x) in self.inertia[t / 8].iter_mut().zip(&tree.inertia[i / 8]) {
            cell.0[t % 8] = x.0[i % 8];
        }
    }

    /// Adds the path from the root to t in contiguous runs, last first.
    fn add_way(&mut self, t: usize) {
        let (mut end, mut first) = (self.last[t], t);
        loop {
            let before = self.parent[first];
            if before == first && before != 0 {
                first -= 1;
                continue;
            }
            self.way.extend(pieces(first, end));
            if before == 0 {
                break;
            }
            (end, first) = (before, before - 1);
        }
        self.way_of.push(self.way.len());
    }

    pub fn blocks(&self) -> usize {
        self.screw.len()
    }
    /// The degrees of freedom in these cells, counted in a row of several matrices.
    pub fn dofs_in(&self, cells: Range<usize>) -> Vec<usize> {
        let (n, blocks) = (self.end.len(), self.blocks());
        let lanes = |cell| (0..8).map(move |lane| 8 * (cell % blocks) + lane);
        cells.flat_map(lanes).filter(|k| *k < n).collect()
    }
    /// True if degree of freedom k is in the subtree of t.
    pub fn is_in_subtree(&self, k: usize, t: usize) -> bool {
        (t..self.end[t]).contains(&k)
    }
}
