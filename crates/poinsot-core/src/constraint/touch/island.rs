//! One island of live rows: its matrix `G = J M⁻¹ Jᵀ`, dense if it is small, and the solution of its problem. Large islands are solved in
//! the space of the bodies if these are free, else in the space of tree velocities (`G = Y Yᵀ` with `Y = Zᵀ D^−½`), or in blocks.

use super::Solvers;
use super::live::{Live, Spread};
use super::response::Groups;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::constraint::touch::settings::{ContactSettings, ContactSolver};
use crate::contact::{
    Blocks, Certificate, Delassus, Dense, Exact, Factored, FreeBodies, Law, MOST_ROWS, Options, Pgs,
    Polyhedral, Problem, ProblemError, Status,
};
use crate::dynamics::MassMatrix;

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
    (STEPS * MANY / rows.max(MANY)).max(LEAST_STEPS)
}
const STEPS: usize = 100;
const LEAST_STEPS: usize = 10;

/// The work of a solve of so many rows, of that which it may do.
pub(super) fn share_of_work(found: &Certificate, rows: usize) -> f64 {
    let matrices = (found.newton_steps + found.interior_steps) as f64 / most_steps(rows) as f64;
    matrices + found.pivots as f64 / (PIVOTS * (rows + 10)) as f64
}
/// Unsolved problems of up to this many rows are tried again, with a higher limit on the work and with an initial guess from cones of
/// `EDGES` edges.
const HARD: usize = 60;
const PATIENT: usize = 1000;
const EDGES: usize = 8;
/// The most pivots in a step, in multiples of the number of unknowns. Most problems take one or two.
const PIVOTS: usize = 4;

fn in_steps(facets: usize) -> Option<Polyhedral> {
    // what a vertex leaves to a corner that does not push grows from step to step
    Polyhedral::new(facets).ok().map(|solver| solver.in_steps(PIVOTS, 0.1 * STILL, 0.1 * TOLERANCE))
}
/// Islands of up to this many rows may use all `STEPS`.
const MANY: usize = 3000;

/// The live rows and what is known of them: the problem of all islands.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub groups: &'a Groups,
    pub live: &'a Live,
    /// The tree of each degree of freedom.
    pub tree: &'a [usize],
    /// The factor of M; `None` if M⁻¹ includes the equality rows.
    pub mass: Option<&'a MassMatrix>,
    pub free: &'a [f64],
    pub compliance: &'a [f64],
    pub impulse: &'a [f64],
    pub laws: &'a [Law],
    pub solver: ContactSolver,
    /// Solve to round-off.
    pub precise: bool,
    /// The step has used up its work: with a tenth of the usual limit, and without second attempts.
    pub hurried: bool,
}

/// Solves islands, one after the other, with its own memory. The solution of an island does not depend on those solved before it.
#[derive(Clone, Debug)]
pub(super) struct IslandSolver {
    pub solvers: Solvers,
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
    /// The index of each tree in the island.
    body: Vec<usize>,
    /// The square root of the inverse pivot of each place.
    roots: Vec<f64>,
    /// For each group: its index in the island, and that of its first row.
    place: Vec<usize>,
    first: Vec<usize>,
    pub spread: Spread,
    free: Vec<f64>,
    compliance: Vec<f64>,
    laws: Vec<Law>,
    /// The solutions of the islands solved since `begin`, one after the other.
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    response: Vec<f64>,
    pub done: Vec<Solution>,
}

/// The solution of an island, or why there is none.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub island: usize,
    /// Where its numbers begin.
    from: usize,
    pub found: Result<Certificate, ProblemError>,
}

impl IslandSolver {
    /// A solver for models with so many trees, places and degrees of freedom.
    pub fn new(settings: &ContactSettings, trees: usize, places: usize, n: usize) -> IslandSolver {
        IslandSolver {
            solvers: Solvers::new(settings),
            on_tree: Vec::new(),
            others: Vec::new(),
            trees: Vec::new(),
            sizes: Vec::new(),
            matrix: Vec::new(),
            blocks: Blocks::default(),
            bodies: FreeBodies::default(),
            halves: Factored::default(),
            body: vec![usize::MAX; trees],
            roots: vec![0.0; places],
            place: Vec::new(),
            first: Vec::new(),
            spread: Spread::new(n),
            free: Vec::new(),
            compliance: Vec::new(),
            laws: Vec::new(),
            impulse: Vec::new(),
            velocity: Vec::new(),
            response: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Forgets the solutions.
    pub fn begin(&mut self) {
        self.impulse.clear();
        self.velocity.clear();
        self.response.clear();
        self.done.clear();
    }

    /// Solves an island and keeps its solution; false if its numbers are not finite.
    pub fn solve(&mut self, island: usize, rows: Rows) -> bool {
        let from = self.impulse.len();
        let found = self.solve_from(from, island, rows);
        let solved = found.is_ok();
        self.done.push(Solution { island, from, found });
        solved
    }

    fn solve_from(&mut self, from: usize, island: usize, rows: Rows) -> Result<Certificate, ProblemError> {
        let kept = self.make_matrix(island, rows)?;
        self.free.clear();
        self.compliance.clear();
        self.laws.clear();
        for k in rows.groups.of_island(island) {
            let own = rows.live.groups[*k].rows.clone();
            self.free.extend_from_slice(&rows.free[own.clone()]);
            self.compliance.extend_from_slice(&rows.compliance[own.clone()]);
            self.impulse.extend_from_slice(&rows.impulse[own]);
            self.laws.push(rows.laws[*k]);
        }
        let size = self.free.len();
        self.velocity.resize(from + size, 0.0);
        self.response.resize(from + size, 0.0);
        let IslandSolver { solvers, matrix, blocks, bodies, halves, free, compliance, laws, .. } = self;
        let (impulse, velocity) = (&mut self.impulse[from..], &mut self.velocity[from..]);
        solvers.hurried = rows.hurried;
        solvers.exact.options.most_steps = if rows.hurried { LEAST_STEPS } else { most_steps(size) };
        solvers.exact.options.refine = rows.precise;
        let (solver, laws, free, compliance) = (rows.solver, &laws[..], &free[..], &compliance[..]);
        let found = match kept {
            Kept::Dense => {
                let g = Dense::new(size, matrix)?;
                solvers.solve(solver, &Problem { matrix: &g, free, laws, compliance }, impulse, velocity)
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
        if solver == ContactSolver::Exact {
            solvers.exact.responses(&mut self.response[from..]);
        }
        Ok(found)
    }

    /// The impulses, velocities and responses of a solved island.
    pub fn numbers(&self, one: &Solution) -> [&[f64]; 3] {
        [&self.impulse[one.from..], &self.velocity[one.from..], &self.response[one.from..]]
    }

    /// Builds the matrix of an island.
    fn make_matrix(&mut self, island: usize, rows: Rows) -> Result<Kept, ProblemError> {
        let Rows { groups: all, live, tree, mass, solver, .. } = rows;
        let groups = all.of_island(island);
        self.place.resize(live.groups.len(), 0);
        self.first.resize(live.groups.len(), 0);
        let mut count = 0;
        for (at, k) in groups.iter().enumerate() {
            (self.place[*k], self.first[*k]) = (at, count);
            count += live.groups[*k].rows.len();
        }
        let small =
            |k: &usize| live.dofs(&live.groups[*k]).iter().all(|dof| all.places_of(tree[*dof]).len() <= 6);
        let free = count > FEW && groups.iter().all(small);
        if let Some(mass) = mass.filter(|_| free) {
            self.make_bodies(groups, rows, mass);
            return Ok(Kept::Bodies);
        }
        if let Some(mass) = mass.filter(|_| count > HALVES && solver == ContactSolver::Exact) {
            self.make_halves(groups, live, mass);
            return Ok(Kept::Halves);
        }
        if count <= DENSE || mass.is_none() {
            dispatch(Fill { own: self, live, groups, rows: count, tree, mass });
            return Ok(Kept::Dense);
        }
        self.sizes.clear();
        self.sizes.extend(groups.iter().map(|k| live.groups[*k].rows.len()));
        self.blocks.begin(&self.sizes);
        self.on_tree.clear();
        for k in groups {
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
        for &k in groups {
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
            live.respond(mass, k, &self.others, &mut self.spread, |other, _, block| {
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
    fn make_halves(&mut self, groups: &[usize], live: &Live, mass: &MassMatrix) {
        // the places of the island, in order
        self.sizes.clear();
        self.sizes.resize(mass.size(), usize::MAX);
        for k in groups {
            live.half(&live.groups[*k], 0).for_each(|(place, _)| self.sizes[place] = 0);
        }
        let mut width = 0;
        for (place, number) in self.sizes.iter_mut().enumerate().filter(|(_, number)| **number == 0) {
            *number = width;
            width += 1;
            self.roots[place] = mass.inverse_pivot(place).sqrt();
        }
        self.halves.begin(width);
        for k in groups {
            let group = &live.groups[*k];
            let (way, z) = live.halves(group);
            let last = way.len().saturating_sub(1);
            self.halves.push(group.rows.len(), way.iter().rev().map(|place| self.sizes[*place]), |row, k| {
                z(row, last - k) * self.roots[way[last - k]]
            });
        }
    }

    /// Builds `Y = Zᵀ D^−½` of an island of trees with six degrees of freedom or fewer.
    fn make_bodies(&mut self, groups: &[usize], rows: Rows, mass: &MassMatrix) {
        let Rows { groups: all, live, tree, .. } = rows;
        self.bodies.begin();
        for k in groups {
            for dof in live.dofs(&live.groups[*k]) {
                if self.body[tree[*dof]] == usize::MAX {
                    // in the units of Y every body has mass 1
                    let of = tree[*dof];
                    self.body[of] = self.bodies.push_unit_body();
                    for place in all.places_of(of) {
                        self.roots[place] = mass.inverse_pivot(place).sqrt();
                    }
                }
            }
        }
        for k in groups {
            let group = &live.groups[*k];
            let (mut pair, mut rows) = ([None; 2], [[[0.0; 8]; 2]; MOST_ROWS]);
            let mut trees = [usize::MAX; 2];
            for (row, out) in rows[..group.rows.len()].iter_mut().enumerate() {
                for (place, z) in live.half(group, row) {
                    let of = all.tree_of(place);
                    let side = usize::from(trees[0] != of && trees[0] != usize::MAX);
                    (trees[side], pair[side]) = (of, Some(self.body[of]));
                    out[side][place - all.places_of(of).start] = z * self.roots[place];
                }
            }
            self.bodies.push_unit_rows(pair, &rows[..group.rows.len()]);
        }
        for k in groups {
            live.dofs(&live.groups[*k]).iter().for_each(|dof| self.body[tree[*dof]] = usize::MAX);
        }
    }
}

/// Fills the dense matrix of an island.
struct Fill<'a> {
    own: &'a mut IslandSolver,
    live: &'a Live,
    groups: &'a [usize],
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
        own.trees.extend(groups.iter().map(|k| ends(live, *k)));
        for (at, &k) in groups.iter().enumerate() {
            let [a, b] = own.trees[at];
            // a contact is on at most two trees: groups on other trees do not respond, unless constraints connect them
            let apart = |[c, d]: [usize; 2]| mass.is_some() && a != c && a != d && b != c && b != d;
            own.others.clear();
            let before = groups[..=at].iter().zip(&own.trees);
            own.others.extend(
                before
                    .filter(|(o, trees)| live.is_bound(**o) || live.is_bound(k) || !apart(**trees))
                    .map(|(o, _)| *o),
            );
            let (matrix, first, here) = (&mut own.matrix, &own.first, own.first[k]);
            live.respond(mass, k, &own.others, &mut own.spread, |other, width, block| {
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
    /// Takes over the options of another one.
    pub fn obey(&mut self, lead: &Solvers) {
        self.exact.options = lead.exact.options;
        self.pgs.options = lead.pgs.options;
        self.pgs.last = lead.pgs.last;
    }

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
            hurried: false,
            polyhedral: facets.and_then(in_steps),
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
                let hard = found.status == Status::Unsolved && impulse.len() <= HARD && !self.hurried;
                if hard { self.try_again(found, problem, impulse, velocity) } else { Ok(found) }
            }
            ContactSolver::Pgs => self.pgs.solve(problem, impulse, velocity),
            ContactSolver::Lcp { facets } => match &mut self.polyhedral {
                Some(polyhedral) => {
                    let found = polyhedral.solve(problem, impulse, velocity)?;
                    let hard = found.status == Status::Unsolved && !self.hurried;
                    if hard { self.pivot_again(found, problem, impulse, velocity) } else { Ok(found) }
                }
                None => Err(ProblemError::Facets(facets)),
            },
        }
    }
}

impl Solvers {
    /// Solves a problem with polyhedral cones again where pivoting did not come to an end: near the solution with the exact cone, which for
    /// bodies at rest is a solution with edges too. The better result is kept.
    fn pivot_again<D: Delassus>(
        &mut self,
        first: Certificate,
        problem: &Problem<D>,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> Result<Certificate, ProblemError> {
        let Solvers { exact, polyhedral: Some(polyhedral), other, moves, .. } = self else {
            return Ok(first);
        };
        for numbers in [&mut *other, &mut *moves] {
            numbers.clear();
            numbers.resize(impulse.len(), 0.0);
        }
        let near = exact.solve(problem, other, moves)?;
        let found = polyhedral.solve_near(problem, other, moves)?;
        let mut best = first;
        if found.residual < first.residual || found.status.is_solved() {
            best = found;
            impulse.copy_from_slice(other);
            velocity.copy_from_slice(moves);
        }
        Ok(Certificate {
            sweeps: near.sweeps,
            newton_steps: near.newton_steps,
            interior_steps: near.interior_steps,
            pivots: first.pivots + found.pivots,
            ..best
        })
    }

    /// Solves a small problem again that was not solved within the work limit of a step, from other initial guesses: from zero, and from
    /// the solution with polyhedral cones. The best result is kept, with the work of all.
    fn try_again<D: Delassus>(
        &mut self,
        first: Certificate,
        problem: &Problem<D>,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> Result<Certificate, ProblemError> {
        let (mut best, mut work) = (first, Certificate::default());
        let mut count = |found: &Certificate| {
            work.sweeps += found.sweeps;
            work.newton_steps += found.newton_steps;
            work.interior_steps += found.interior_steps;
            work.pivots += found.pivots;
        };
        count(&first);
        let Solvers { exact, edges, other, moves, .. } = self;
        for numbers in [&mut *other, &mut *moves] {
            numbers.clear();
            numbers.resize(impulse.len(), 0.0);
        }
        exact.options.most_steps = PATIENT;
        for with_edges in [false, true] {
            if with_edges {
                if edges.is_none() {
                    *edges = in_steps(EDGES).map(Box::new);
                }
                let mut guess = |edges: &mut Box<Polyhedral>| edges.solve(problem, other, moves);
                edges.iter_mut().try_for_each(|edges| guess(edges).map(|found| count(&found)))?;
            }
            let found = exact.solve(problem, other, moves)?;
            count(&found);
            if found.residual < best.residual || found.status.is_solved() {
                best = found;
                impulse.copy_from_slice(other);
                velocity.copy_from_slice(moves);
            }
            if best.status.is_solved() {
                break;
            }
        }
        let Certificate { sweeps, newton_steps, interior_steps, pivots, .. } = work;
        Ok(Certificate { sweeps, newton_steps, interior_steps, pivots, ..best })
    }
}
