//! Islands of live rows: groups of rows that share no tree are independent problems, solved one after the other or by several threads.

use super::ContactWorkspace;
use super::island::{IslandSolver, Rows, share_of_work};
use super::live::Live;
use super::threads::Threads;
use crate::constraint::rows::Rows as ModelRows;
use crate::constraint::touch::settings::ContactSolver;
use crate::contact::{Certificate, ProblemError};
use rayon::join;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The groups of live rows, island by island.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Union–find over trees; those that constraints connect are merged in advance.
    tied: Vec<usize>,
    leader: Vec<usize>,
    island: Vec<usize>,
    /// The groups, island by island, and where each island starts.
    order: Vec<usize>,
    begin: Vec<usize>,
    /// The island of each group, and scratch.
    number: Vec<usize>,
    next: Vec<usize>,
    /// Where the places of each tree start, followed by the end.
    begin_tree: Vec<usize>,
    /// The tree of each place.
    tree_of: Vec<usize>,
}

fn find(leader: &mut [usize], mut k: usize) -> usize {
    while leader[k] != k {
        leader[k] = leader[leader[k]];
        k = leader[k];
    }
    k
}

fn unite(leader: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(leader, a), find(leader, b));
    leader[a.max(b)] = a.min(b);
}

impl Groups {
    /// Scratch for the trees of a model with these rows.
    pub fn new(rows: &ModelRows, tree: &[usize], begin_tree: Vec<usize>) -> Groups {
        let mut tied: Vec<usize> = (0..begin_tree.len().saturating_sub(1)).collect();
        for row in 0..rows.first_bound {
            let dofs = rows.row(row).0;
            dofs.windows(2).for_each(|pair| unite(&mut tied, tree[pair[0]], tree[pair[1]]));
        }
        let ends = begin_tree.windows(2).enumerate();
        let tree_of: Vec<usize> =
            ends.flat_map(|(k, ends)| std::iter::repeat_n(k, ends[1] - ends[0])).collect();
        Groups { leader: tied.clone(), tied, begin_tree, tree_of, ..Groups::default() }
    }

    /// Finds the islands of the live rows, in the order of their first groups.
    fn form(&mut self, live: &Live, tree: &[usize]) {
        self.leader.copy_from_slice(&self.tied);
        for group in &live.groups {
            let dofs = live.dofs(group);
            dofs.windows(2).for_each(|pair| unite(&mut self.leader, tree[pair[0]], tree[pair[1]]));
        }
        self.island.clear();
        self.island.resize(self.leader.len(), usize::MAX);
        self.order.clear();
        self.begin.clear();
        let mut count = 0;
        self.number.clear();
        for group in &live.groups {
            let root = live.dofs(group).first().map(|dof| find(&mut self.leader, tree[*dof]));
            let number = match root {
                Some(root) if self.island[root] != usize::MAX => self.island[root],
                root => {
                    root.iter().for_each(|root| self.island[*root] = count);
                    count += 1;
                    count - 1
                }
            };
            self.number.push(number);
        }
        // counting sort by island
        self.begin.resize(count + 1, 0);
        self.number.iter().for_each(|island| self.begin[island + 1] += 1);
        (0..count).for_each(|k| self.begin[k + 1] += self.begin[k]);
        self.order.resize(live.groups.len(), 0);
        self.next.clear();
        self.next.extend_from_slice(&self.begin);
        for (k, island) in self.number.iter().enumerate() {
            self.order[self.next[*island]] = k;
            self.next[*island] += 1;
        }
    }

    pub fn count(&self) -> usize {
        self.begin.len().saturating_sub(1)
    }

    /// The groups of an island.
    pub fn of_island(&self, island: usize) -> &[usize] {
        &self.order[self.begin[island]..self.begin[island + 1]]
    }
    /// The places of a tree.
    pub fn places_of(&self, tree: usize) -> Range<usize> {
        self.begin_tree[tree]..self.begin_tree[tree + 1]
    }
    /// The tree of a place.
    pub fn tree_of(&self, place: usize) -> usize {
        self.tree_of[place]
    }
}

/// After so many solves that have used up all they may do, the others of the same step may do a tenth.
const PATIENCE: f64 = 20.0;
/// Fewer rows than this are solved by one thread.
const WORTH_THREADS: usize = 60;

impl ContactWorkspace {
    /// Computes Z of all live rows, if M⁻¹ is that of the trees alone.
    pub(super) fn carry(&mut self) {
        if !self.by_rows {
            self.live.carry(&self.mass, |_| true);
        }
    }

    /// Finds the impulses of all live rows, island by island, from `free`, `laws`, `compliance` and the warm start in `impulse`; `velocity`
    /// becomes `(G + E) λ + free`. Fails only if numbers are not finite. With several threads each takes the next island, and the result is
    /// the same to the last bit.
    pub(super) fn solve_islands(&mut self, solver: ContactSolver) -> Result<(), ProblemError> {
        self.velocity.clear();
        self.velocity.resize(self.live.rows(), 0.0);
        self.response.clear();
        self.response.resize(self.live.rows(), 0.0);
        self.found = None;
        let ContactWorkspace { groups, live, tree, mass, by_rows, lead, others, .. } = self;
        groups.form(live, tree);
        let rows = Rows {
            groups,
            live,
            tree,
            mass: (!*by_rows).then_some(mass),
            free: &self.free,
            compliance: &self.compliance,
            impulse: &self.impulse,
            laws: &self.laws,
            solver,
            precise: self.precise,
            hurried: self.spent > PATIENCE && !self.precise,
        };
        let next = AtomicUsize::new(0);
        let work = |one: &mut IslandSolver| {
            one.begin();
            while let Some(island) = take(&next, groups.count())
                && one.solve(island, rows)
            {}
        };
        let worth = groups.count() > 1 && live.rows() > WORTH_THREADS;
        match self.threads.as_ref().and_then(Threads::pool).filter(|_| worth) {
            Some(pool) => {
                others.iter_mut().for_each(|other| other.solvers.obey(&lead.solvers));
                pool.install(|| join(|| work(lead), || others.par_iter_mut().with_max_len(1).for_each(work)));
            }
            None => {
                others.iter_mut().for_each(IslandSolver::begin);
                work(lead);
            }
        }
        self.take_solutions()
    }

    /// Copies the solutions of all islands, in their order, up to the first that failed.
    fn take_solutions(&mut self) -> Result<(), ProblemError> {
        let ContactWorkspace { groups, live, lead, others, found: worst, .. } = self;
        self.by_island.clear();
        self.by_island.resize(groups.count(), [usize::MAX; 2]);
        let solvers = || std::iter::once(&**lead).chain(&*others);
        for (who, one) in solvers().enumerate() {
            one.done.iter().enumerate().for_each(|(k, done)| self.by_island[done.island] = [who, k]);
        }
        for (island, [who, k]) in self.by_island.iter().enumerate() {
            let Some(solver) = solvers().nth(*who) else { break };
            let one = &solver.done[*k];
            let found = one.found?;
            let [impulse, velocity, response] = solver.numbers(one);
            let mut from = 0;
            for group in groups.of_island(island) {
                let rows = live.groups[*group].rows.clone();
                let here = from..from + rows.len();
                self.response[rows.start] = response[from];
                self.impulse[rows.clone()].copy_from_slice(&impulse[here.clone()]);
                self.velocity[rows].copy_from_slice(&velocity[here.clone()]);
                from = here.end;
            }
            self.spent += share_of_work(&found, from);
            keep_worse(worst, found);
        }
        Ok(())
    }
}

/// The next island, if any is left.
fn take(next: &AtomicUsize, count: usize) -> Option<usize> {
    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|island| *island < count)
}

/// Keeps the worse of two certificates, with the sum of the work of both.
pub(super) fn keep_worse(worst: &mut Option<Certificate>, found: Certificate) {
    let Some(before) = *worst else {
        *worst = Some(found);
        return;
    };
    let (one, other) = (before.status.is_solved(), found.status.is_solved());
    let worse = if one == other { found.residual > before.residual } else { one };
    let kept = if worse { found } else { before };
    *worst = Some(Certificate {
        normal_velocity: found.normal_velocity.max(before.normal_velocity),
        cone: found.cone.max(before.cone),
        complementarity: found.complementarity.max(before.complementarity),
        dissipation: found.dissipation.max(before.dissipation),
        floor: found.floor.max(before.floor),
        sweeps: found.sweeps + before.sweeps,
        newton_steps: found.newton_steps + before.newton_steps,
        interior_steps: found.interior_steps + before.interior_steps,
        pivots: found.pivots + before.pivots,
        ..kept
    });
}
