//! Islands of live rows, and the problem of each: `G = J M⁻¹ Jᵀ`, dense if it is small. Large islands are solved in the space of the bodies
//! if these are free, else in the space of tree velocities (`G = Y Yᵀ` with `Y = Zᵀ D^−½`), or in blocks.

use super::live::Live;
use super::{ContactWorkspace, Solvers};
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::constraint::rows::Rows;
use crate::constraint::touch::settings::{ContactSettings, ContactSolver};
use crate::contact::{
    Blocks, Certificate, Delassus, Dense, Exact, Factored, FreeBodies, Law, MOST_ROWS, Options, Pgs,
    Polyhedral, Problem, ProblemError, Status,
};
use crate::dynamics::MassMatrix;
use std::ops::Range;

/// Islands with more rows than this store their matrix in blocks; those of free bodies are solved in body space above `FEW` rows.
const DENSE: usize = 360;
const FEW: usize = 48;
/// Islands of trees with more rows than this are solved in the space of their velocities.
const HALVES: usize = 120;

/// The number of sweeps of `pgs` in a step.
const SWEEPS: usize = 50;
/// The tolerance relative to the largest velocity without impulses. The gaps of redundant contacts, such as the four corners of a box,
/// contradict each other by round-off over the step, which no impulses can remove.
pub(super) const TOLERANCE: f64 = 1e-9;
/// The absolute tolerance, in metres a second.
pub(super) const STILL: f64 = 1e-9;
/// The most matrices factored for one island. For a large moving pile an exact solution is out of reach, and the next step continues from
/// this one.
fn most_steps(rows: usize) -> usize {
    (STEPS * MANY / rows.max(MANY)).max(10)
}
const STEPS: usize = 100;
/// Unsolved problems of up to this many rows are tried again, with a higher limit on the work and with an initial guess from cones of
/// `EDGES` edges.
const HARD: usize = 60;
const PATIENT: usize = 1000;
const EDGES: usize = 8;
/// Islands of up to this many rows may use all `STEPS`.
const MANY: usize = 3000;

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
    /// Pairs of a tree and a group on it, sorted.
    on_tree: Vec<(usize, usize)>,
    others: Vec<usize>,
    /// The first and the last tree of each group.
    trees: Vec<[usize; 2]>,
    sizes: Vec<usize>,
    matrix: Vec<f64>,
    blocks: Blocks,
    bodies: FreeBodies,
    halves: Factored,
    /// Where the places of each tree start, followed by the end; and the index of each tree in its island.
    begin_tree: Vec<usize>,
    body: Vec<usize>,
    /// The tree of each place, and the square root of its inverse pivot.
    tree_of: Vec<usize>,
    roots: Vec<f64>,
    /// For each group: its index in its island, and that of its first row.
    place: Vec<usize>,
    first: Vec<usize>,
    free: Vec<f64>,
    compliance: Vec<f64>,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    response: Vec<f64>,
    laws: Vec<Law>,
}

fn find(leader: &mut [usize], mut k: usize) -> usize {
    while leader[k] != k {
        leader[k] = leader[leader[k]];
        k = leader[k];
    }
    k
}

fn join(leader: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(leader, a), find(leader, b));
    leader[a.max(b)] = a.min(b);
}

impl Groups {
    /// Scratch for the trees of a model with these rows.
    pub fn new(rows: &Rows, tree: &[usize], begin_tree: Vec<usize>) -> Groups {
        let mut tied: Vec<usize> = (0..begin_tree.len().saturating_sub(1)).collect();
        for row in 0..rows.first_bound {
            let dofs = rows.row(row).0;
            dofs.windows(2).for_each(|pair| join(&mut tied, tree[pair[0]], tree[pair[1]]));
        }
        let body = vec![usize::MAX; tied.len()];
        let ends = begin_tree.windows(2).enumerate();
        let tree_of: Vec<usize> =
            ends.flat_map(|(k, ends)| std::iter::repeat_n(k, ends[1] - ends[0])).collect();
        let roots = vec![0.0; begin_tree.last().copied().unwrap_or(0)];
        Groups { leader: tied.clone(), tied, begin_tree, body, tree_of, roots, ..Groups::default() }
    }

    /// Finds the islands of the live rows, in the order of their first groups.
    fn form(&mut self, live: &Live, tree: &[usize]) {
        self.leader.copy_from_slice(&self.tied);
        for group in &live.groups {
            let dofs = live.dofs(group);
            dofs.windows(2).for_each(|pair| join(&mut self.leader, tree[pair[0]], tree[pair[1]]));
        }
        self.island.clear();
        self.island.resize(self.leader.len(), usize::MAX);
        self.order.clear();
        self.begin.clear();
        let mut count = 0;
        self.place.clear();
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
            self.place.push(number);
        }
        // counting sort by island
        self.begin.resize(count + 1, 0);
        self.place.iter().for_each(|island| self.begin[island + 1] += 1);
        (0..count).for_each(|k| self.begin[k + 1] += self.begin[k]);
        self.order.resize(live.groups.len(), 0);
        self.first.clear();
        self.first.extend_from_slice(&self.begin);
        for (k, island) in self.place.iter().enumerate() {
            self.order[self.first[*island]] = k;
            self.first[*island] += 1;
        }
    }

    fn count(&self) -> usize {
        self.begin.len().saturating_sub(1)
    }

    /// Builds the matrix of an island.
    fn make_matrix(
        &mut self,
        island: usize,
        live: &mut Live,
        tree: &[usize],
        mass: Option<&MassMatrix>,
        solver: ContactSolver,
    ) -> Result<Kept, ProblemError> {
        let groups = self.begin[island]..self.begin[island + 1];
        self.place.resize(live.groups.len(), 0);
        self.first.resize(live.groups.len(), 0);
        let mut rows = 0;
        for (at, k) in self.order[groups.clone()].iter().enumerate() {
            (self.place[*k], self.first[*k]) = (at, rows);
            rows += live.groups[*k].rows.len();
        }
        let small = |k: &usize| {
            live.dofs(&live.groups[*k]).iter().all(|dof| {
                let of = tree[*dof];
                self.begin_tree[of + 1] - self.begin_tree[of] <= 6
            })
        };
        let free = rows > FEW && self.order[groups.clone()].iter().all(small);
        if let Some(mass) = mass.filter(|_| free) {
            self.make_bodies(groups, live, tree, mass);
            return Ok(Kept::Bodies);
        }
        if let Some(mass) = mass.filter(|_| rows > HALVES && solver == ContactSolver::Exact) {
            self.make_halves(groups, live, mass);
            return Ok(Kept::Halves);
        }
        if rows <= DENSE || mass.is_none() {
            dispatch(Fill { own: self, live, groups, rows, tree, mass });
            return Ok(Kept::Dense);
        }
        self.sizes.clear();
        self.sizes.extend(self.order[groups.clone()].iter().map(|k| live.groups[*k].rows.len()));
        self.blocks.begin(&self.sizes);
        self.on_tree.clear();
        for k in &self.order[groups.clone()] {
            let mut last = usize::MAX;
            for dof in live.dofs(&live.groups[*k]) {
                if tree[*dof] != last {
                    last = tree[*dof];
                    self.on_tree.push((last, *k));
                }
            }
        }
        self.on_tree.sort_unstable();
        self.on_tree.dedup();
        for at in groups.clone() {
            let k = self.order[at];
            self.others.clear();
            let mut last = usize::MAX;
            for dof in live.dofs(&live.groups[k]) {
                if std::mem::replace(&mut last, tree[*dof]) != tree[*dof] {
                    let from = self.on_tree.partition_point(|(t, _)| *t < tree[*dof]);
                    let on = self.on_tree[from..].iter().take_while(|(t, _)| *t == tree[*dof]);
                    self.others.extend(on.map(|(_, k)| *k));
                }
            }
            let place = &self.place;
            self.others.sort_unstable_by_key(|k| place[*k]);
            self.others.dedup();
            let (blocks, mut outcome) = (&mut self.blocks, Ok(()));
            live.respond(mass, k, &self.others, |other, _, block| {
                if outcome.is_ok() {
                    outcome = blocks.push(place[other], block);
                }
            });
            outcome?;
            self.blocks.end_row()?;
        }
        Ok(Kept::Blocks)
    }

    /// Builds `Y = Zᵀ D^−½` of an island of trees.
    fn make_halves(&mut self, groups: Range<usize>, live: &Live, mass: &MassMatrix) {
        // the places of the island, in order
        self.sizes.clear();
        self.sizes.resize(mass.size(), usize::MAX);
        for at in groups.clone() {
            live.half(&live.groups[self.order[at]], 0).for_each(|(place, _)| self.sizes[place] = 0);
        }
        let mut width = 0;
        for (place, number) in self.sizes.iter_mut().enumerate().filter(|(_, number)| **number == 0) {
            *number = width;
            width += 1;
            self.roots[place] = mass.inverse_pivot(place).sqrt();
        }
        self.halves.begin(width);
        for at in groups {
            let group = &live.groups[self.order[at]];
            let (way, z) = live.halves(group);
            let last = way.len().saturating_sub(1);
            self.halves.push(group.rows.len(), way.iter().rev().map(|place| self.sizes[*place]), |row, k| {
                z(row, last - k) * self.roots[way[last - k]]
            });
        }
    }

    /// Builds `Y = Zᵀ D^−½` of an island of trees with six degrees of freedom or fewer.
    fn make_bodies(&mut self, groups: Range<usize>, live: &Live, tree: &[usize], mass: &MassMatrix) {
        self.bodies.begin();
        for at in groups.clone() {
            for dof in live.dofs(&live.groups[self.order[at]]) {
                if self.body[tree[*dof]] == usize::MAX {
                    // in the units of Y every body has mass 1
                    let of = tree[*dof];
                    self.body[of] = self.bodies.push_unit_body();
                    for place in self.begin_tree[of]..self.begin_tree[of + 1] {
                        self.roots[place] = mass.inverse_pivot(place).sqrt();
                    }
                }
            }
        }
        for at in groups.clone() {
            let group = &live.groups[self.order[at]];
            let (mut pair, mut rows) = ([None; 2], [[[0.0; 8]; 2]; MOST_ROWS]);
            let mut trees = [usize::MAX; 2];
            for (row, out) in rows[..group.rows.len()].iter_mut().enumerate() {
                for (place, z) in live.half(group, row) {
                    let of = self.tree_of[place];
                    let side = usize::from(trees[0] != of && trees[0] != usize::MAX);
                    (trees[side], pair[side]) = (of, Some(self.body[of]));
                    out[side][place - self.begin_tree[of]] = z * self.roots[place];
                }
            }
            self.bodies.push_unit_rows(pair, &rows[..group.rows.len()]);
        }
        for at in groups {
            live.dofs(&live.groups[self.order[at]]).iter().for_each(|dof| self.body[tree[*dof]] = usize::MAX);
        }
    }
}

/// Fills the dense matrix of an island.
struct Fill<'a> {
    own: &'a mut Groups,
    live: &'a mut Live,
    groups: Range<usize>,
    rows: usize,
    tree: &'a [usize],
    mass: Option<&'a MassMatrix>,
}

impl Kernel for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Fill { own, live, groups, rows, tree, mass } = self;
        own.matrix.clear();
        own.matrix.resize(rows * rows, 0.0);
        let ends = |live: &Live, k: usize| {
            let dofs = live.dofs(&live.groups[k]);
            [dofs.first(), dofs.last()].map(|dof| dof.map_or(usize::MAX, |dof| tree[*dof]))
        };
        own.trees.clear();
        own.trees.extend(own.order[groups.clone()].iter().map(|k| ends(live, *k)));
        for at in groups.clone() {
            let k = own.order[at];
            let [a, b] = own.trees[at - groups.start];
            // a contact is on at most two trees: groups on other trees do not respond, unless constraints connect them
            let apart = |[c, d]: [usize; 2]| mass.is_some() && a != c && a != d && b != c && b != d;
            own.others.clear();
            let before = own.order[groups.start..=at].iter().zip(&own.trees);
            own.others.extend(
                before
                    .filter(|(o, trees)| live.is_bound(**o) || live.is_bound(k) || !apart(**trees))
                    .map(|(o, _)| *o),
            );
            let (matrix, first, here) = (&mut own.matrix, &own.first, own.first[k]);
            live.respond(mass, k, &own.others, |other, width, block| {
                let there = first[other];
                for (i, block) in (here..).zip(block.chunks_exact(width)) {
                    for (j, g) in (there..).zip(block) {
                        // the response of a row that joints block is round-off of either sign
                        let g = if i == j { g.max(0.0) } else { *g };
                        matrix[i * rows + j] = g;
                        matrix[j * rows + i] = g;
                    }
                }
            });
        }
    }
}

/// How the matrix of an island is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kept {
    Dense,
    Blocks,
    Bodies,
    Halves,
}

impl Solvers {
    pub fn new(settings: &ContactSettings) -> Solvers {
        let facets = if let ContactSolver::Lcp { facets } = settings.solver { Some(facets) } else { None };
        let usual = Options {
            tolerance: TOLERANCE,
            still: STILL,
            most_steps: STEPS,
            tell_impossible: false,
            ..Options::default()
        };
        let few = Options { most_sweeps: SWEEPS, ..usual };
        Solvers {
            exact: Exact::new(usual),
            pgs: Pgs::new(few),
            polyhedral: facets.and_then(|facets| Polyhedral::new(facets).ok()),
            edges: None,
            other: Vec::new(),
            moves: Vec::new(),
        }
    }

    fn solve<D: Delassus>(
        &mut self,
        solver: ContactSolver,
        problem: &Problem<D>,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> Result<Certificate, ProblemError> {
        match solver {
            ContactSolver::Exact => {
                let found = self.exact.solve(problem, impulse, velocity)?;
                let hard = found.status == Status::Unsolved && impulse.len() <= HARD;
                if hard { self.try_again(found, problem, impulse, velocity) } else { Ok(found) }
            }
            ContactSolver::Pgs => self.pgs.solve(problem, impulse, velocity),
            ContactSolver::Lcp { facets } => match &mut self.polyhedral {
                Some(polyhedral) => polyhedral.solve(problem, impulse, velocity),
                None => Err(ProblemError::Facets(facets)),
            },
        }
    }
}

impl Solvers {
    /// Solves a small problem again that was not solved within the work limit of a step, from other initial guesses: from zero, and from
    /// the solution with polyhedral cones. The best result is kept.
    fn try_again<D: Delassus>(
        &mut self,
        first: Certificate,
        problem: &Problem<D>,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> Result<Certificate, ProblemError> {
        let mut best = first;
        let Solvers { exact, edges, other, moves, .. } = self;
        for numbers in [&mut *other, &mut *moves] {
            numbers.clear();
            numbers.resize(impulse.len(), 0.0);
        }
        exact.options.most_steps = PATIENT;
        for with_edges in [false, true] {
            if with_edges {
                if edges.is_none() {
                    *edges = Some(Box::new(Polyhedral::new(EDGES)?));
                }
                edges.iter_mut().try_for_each(|edges| edges.solve(problem, other, moves).map(|_| ()))?;
            }
            let found = exact.solve(problem, other, moves)?;
            if found.residual < best.residual || found.status.is_solved() {
                best = found;
                impulse.copy_from_slice(other);
                velocity.copy_from_slice(moves);
            }
            if best.status.is_solved() {
                break;
            }
        }
        Ok(best)
    }
}

impl ContactWorkspace {
    /// Computes Z of all live rows, if M⁻¹ is that of the trees alone.
    pub(super) fn carry(&mut self) {
        if !self.by_rows {
            self.live.carry(&self.mass, |_| true);
        }
    }

    /// Finds the impulses of all live rows, island by island, from `free`, `laws`, `compliance` and the warm start in `impulse`; `velocity`
    /// becomes `(G + E) λ + free`. Fails only if numbers are not finite.
    pub(super) fn solve_islands(&mut self, solver: ContactSolver) -> Result<(), ProblemError> {
        self.velocity.clear();
        self.velocity.resize(self.live.rows(), 0.0);
        self.response.clear();
        self.response.resize(self.live.rows(), 0.0);
        self.found = None;
        let ContactWorkspace { groups, live, tree, mass, by_rows, solvers, found: worst, .. } = self;
        groups.form(live, tree);
        let mass = (!*by_rows).then_some(&*mass);
        for island in 0..groups.count() {
            let own = groups.begin[island]..groups.begin[island + 1];
            let kept = groups.make_matrix(island, live, tree, mass, solver)?;
            groups.free.clear();
            groups.compliance.clear();
            groups.impulse.clear();
            groups.laws.clear();
            for at in own.clone() {
                let k = groups.order[at];
                let rows = live.groups[k].rows.clone();
                groups.free.extend_from_slice(&self.free[rows.clone()]);
                groups.compliance.extend_from_slice(&self.compliance[rows.clone()]);
                groups.impulse.extend_from_slice(&self.impulse[rows]);
                groups.laws.push(self.laws[k]);
            }
            let size = groups.free.len();
            solvers.exact.options.most_steps = most_steps(size);
            solvers.exact.options.refine = self.precise;
            groups.velocity.clear();
            groups.velocity.resize(size, 0.0);
            let Groups { matrix, blocks, bodies, halves, free, laws, compliance, impulse, velocity, .. } =
                &mut *groups;
            let found = match kept {
                Kept::Dense => {
                    let g = Dense::new(size, matrix)?;
                    let problem = Problem { matrix: &g, free, laws, compliance };
                    solvers.solve(solver, &problem, impulse, velocity)
                }
                Kept::Blocks => {
                    let problem = Problem { matrix: &*blocks, free, laws, compliance };
                    solvers.solve(solver, &problem, impulse, velocity)
                }
                Kept::Halves => {
                    let problem = Problem { matrix: &*halves, free, laws, compliance };
                    solvers.solve(solver, &problem, impulse, velocity)
                }
                Kept::Bodies => {
                    let problem = Problem { matrix: &*bodies, free, laws, compliance };
                    solvers.solve(solver, &problem, impulse, velocity)
                }
            }?;
            groups.response.clear();
            groups.response.resize(size, 0.0);
            if solver == ContactSolver::Exact {
                solvers.exact.responses(&mut groups.response);
            }
            let mut from = 0;
            for at in own {
                let rows = live.groups[groups.order[at]].rows.clone();
                self.response[rows.start] = groups.response[from];
                let here = from..from + rows.len();
                self.impulse[rows.clone()].copy_from_slice(&groups.impulse[here.clone()]);
                self.velocity[rows].copy_from_slice(&groups.velocity[here.clone()]);
                from = here.end;
            }
            keep_worse(worst, found);
        }
        Ok(())
    }
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
