//! Maximal coordinates in O(n): bodies and the constraints of a tree between them, eliminated together [Baraff96].
//!
//! The unknowns of a body are its motion (α, a) in world axes at the origin of its link. With h = m c
//! measured from that origin, the inertia acts as
//!
//! ```math
//! M (α, a) = (I_o α + h × a,  m a − h × α)
//! ```
//! and the rows of a constraint are the wrenches of [`super::kinds`]. A spanning tree of the bodies, grown from the world and then from
//! bodies not connected to it, has one constraint for each edge, with the rotor of the same joint; all other rows are auxiliary.
//!
//! Bodies without inertia in some direction (point masses, thin rods, frames between the joints of a body) have zero pivots. For them the
//! rigid rows of their edge are added to the masses: `ρ Jᵀ (J a − g) = 0` changes neither a nor λ, and makes the block definite in every
//! direction that the joint constrains. Rotors are then added as masses too, `I Jᵀ J`.

use super::bodies_tree::{Node, edges, spanning_tree, typical_inertia};
use super::columns::Forest;
use super::rows::Rows;
use super::stiffness::Stiffness;
use crate::algebra::tree_kkt::{Block, Row, TreeKkt};
use crate::algebra::{M3, Sym3, V3};
use crate::dynamics::Workspace;
use crate::model::{BodyId, Kind, Model};
use crate::spatial::Force;
use std::ops::Range;

/// The tree of bodies and its factor.
#[derive(Clone, Debug)]
pub(super) struct Sparse {
    pub(super) kkt: TreeKkt,
    /// For each node: its link, and the rows of its edge.
    pub(super) nodes: Vec<Node>,
    /// For each row: its node, its place in the edge, and whether the child is its body a; `None` if auxiliary.
    pub place: Vec<Option<(usize, usize, bool)>>,
    /// ρ for rows of length and of angle, if some body has no inertia in some direction.
    penalty: Option<(f64, f64)>,
    /// For each row of each edge: ρ or I if it is added to the masses, else 0.
    as_mass: Vec<[f64; 6]>,
    /// Forces and targets of rows; then motions and multipliers.
    pub(super) f: Vec<[f64; 6]>,
    pub(super) g: Vec<[f64; 6]>,
    /// The right-hand side, and the residual of the solution.
    f_wanted: Vec<[f64; 6]>,
    g_wanted: Vec<[f64; 6]>,
    f_left: Vec<[f64; 6]>,
    g_left: Vec<[f64; 6]>,
    axes: Vec<M3>,
}

impl Sparse {
    /// The tree of a model whose bodies are all free; `None` for other models. `bends`: with room for geometric stiffness.
    pub fn new(model: &Model, rows: &Rows, bends: bool) -> Option<Sparse> {
        let tree = &model.tree;
        let free = |i: usize| tree.parent[i] == 0 && tree.kind[i] == Kind::Free;
        let rotors = tree.armature.iter().any(|a| *a != 0.0);
        if rotors || !(1..tree.links()).all(free) || rows.len() == 0 {
            return None;
        }
        let edges = edges(model, rows);
        let nodes = spanning_tree(tree.links(), &edges, model);
        let mut place = vec![None; rows.len()];
        for (n, node) in nodes.iter().enumerate() {
            for (k, &row) in node.rows.iter().enumerate() {
                place[row] = Some((n, k, rows.links[row][0] == node.link));
            }
        }
        let parents: Vec<Option<usize>> = nodes.iter().map(|n| n.parent).collect();
        let counts: Vec<usize> = nodes.iter().map(|n| n.rows.len()).collect();
        let degenerate = nodes.iter().any(|n| n.degenerate);
        let kkt = if degenerate || bends {
            TreeKkt::with_crosses(&parents, &counts)
        } else {
            TreeKkt::new(&parents, &counts)
        };
        let zeros = || vec![[0.0; 6]; nodes.len()];
        let [as_mass, f, g, f_wanted, g_wanted, f_left, g_left] = [(); 7].map(|()| zeros());
        let axes = vec![M3::IDENTITY; nodes.len()];
        let penalty = degenerate.then(|| typical_inertia(model));
        Some(Sparse { kkt, nodes, place, penalty, as_mass, f, g, f_wanted, g_wanted, f_left, g_left, axes })
    }

    /// Writes masses and the rows that take part, those with a finite compliance, and factors. False if singular. The geometric stiffness
    /// of `pulls` times `bent` is added to the masses.
    pub fn factor(
        &mut self,
        model: &Model,
        ws: &Workspace,
        rows: &Rows,
        compliance: &[f64],
        pulls: &[f64],
        bent: f64,
    ) -> bool {
        self.kkt.crosses_mut().fill([[0.0; 6]; 6]);
        for n in 0..self.nodes.len() {
            let link = self.nodes[n].link;
            self.axes[n] = ws.link_pose(link).rot;
            self.kkt.masses_mut()[n] = mass_block(model, link, self.axes[n]);
        }
        for n in 0..self.nodes.len() {
            for k in 0..self.nodes[n].rows.len() {
                let row = self.nodes[n].rows[k];
                let (child, parent) = self.wrenches(rows, n, k);
                let as_mass = self.added_mass(n, rows, row, compliance[row]);
                self.as_mass[n][k] = as_mass;
                let rotor = rows.kinds[row].terms.is_rotor();
                let on = compliance[row].is_finite() && !(rotor && self.penalty.is_some());
                self.nodes[n].on[k] = on;
                self.kkt.rows_mut(n)[k] = if on {
                    Row { child, parent, compliance: compliance[row] }
                } else {
                    Row { child: [0.0; 6], parent: [0.0; 6], compliance: 1.0 }
                };
                if as_mass != 0.0 {
                    self.add_mass(n, child, parent, as_mass);
                }
            }
        }
        if bent != 0.0 {
            self.add_bending(model, ws, rows, pulls, bent);
        }
        self.kkt.factor().is_ok()
    }

    /// Adds `bent` times the Hessian of Σ pull C of the constraints in the tree.
    fn add_bending(&mut self, model: &Model, ws: &Workspace, rows: &Rows, pulls: &[f64], bent: f64) {
        for n in 0..self.nodes.len() {
            let Some(&first) = self.nodes[n].rows.first() else { continue };
            let Some(constraint) = rows.kinds[first].owner.constraint() else { continue };
            let mut own = [0.0; 6];
            for (pull, row) in own.iter_mut().zip(rows.of(constraint)) {
                *pull = bent * pulls[row];
            }
            if own == [0.0; 6] {
                continue;
            }
            let Some(bodies) = model.constraints()[constraint].bodies() else { continue };
            let k = shifted(model, ws, bodies, rows.bending(model, ws, constraint, &own));
            let child_first = rows.links[first][0] == self.nodes[n].link;
            let (c, p) = if child_first { (0, 6) } else { (6, 0) };
            add_block(&mut self.kkt.masses_mut()[n], &k, c, c);
            if let Some(parent) = self.nodes[n].parent {
                add_block(&mut self.kkt.masses_mut()[parent], &k, p, p);
                add_block(&mut self.kkt.crosses_mut()[n], &k, c, p);
            }
        }
    }

    /// ρ or I of a row that is added to the masses, otherwise 0.
    fn added_mass(&self, n: usize, rows: &Rows, row: usize, compliance: f64) -> f64 {
        let (Some((length, angle)), terms) = (self.penalty, rows.kinds[row].terms) else { return 0.0 };
        match terms.is_rotor() {
            true => 1.0 / compliance,
            false if !self.nodes[n].degenerate || compliance != 0.0 => 0.0,
            false if terms.is_angle() => angle,
            false => length,
        }
    }

    /// The row k of the edge of node n, on the child and on the parent, about the origins of their links.
    fn wrenches(&self, rows: &Rows, n: usize, k: usize) -> ([f64; 6], [f64; 6]) {
        let row = self.nodes[n].rows[k];
        let (a, b) = (numbers(rows.link_a[row]), numbers(rows.link_b[row]));
        if rows.links[row][0] == self.nodes[n].link { (a, b) } else { (b, a) }
    }

    fn add_mass(&mut self, n: usize, child: [f64; 6], parent: [f64; 6], rho: f64) {
        add_outer(&mut self.kkt.masses_mut()[n], rho, child, child);
        if let Some(p) = self.nodes[n].parent {
            add_outer(&mut self.kkt.masses_mut()[p], rho, parent, parent);
            add_outer(&mut self.kkt.crosses_mut()[n], rho, child, parent);
        }
    }

    /// True if some body has no inertia in some direction.
    pub fn is_degenerate(&self) -> bool {
        self.penalty.is_some()
    }

    /// Factors the blocks as written. False if singular.
    pub fn factor_as_written(&mut self) -> bool {
        self.kkt.factor().is_ok()
    }

    /// Solves for the f and g already written, with a correction by the residual if `refined`.
    pub fn solve_written(&mut self, refined: bool) {
        if refined {
            self.solve_refined(0..self.nodes.len());
        } else {
            self.kkt.solve(&mut self.f, &mut self.g);
        }
    }

    /// Copies the multipliers of the last solve.
    pub fn read_multipliers(&self, lambda: &mut [f64]) {
        for (node, g) in self.nodes.iter().zip(&self.g) {
            for (c, &row) in node.rows.iter().enumerate() {
                lambda[row] = if node.on[c] { g[c] } else { 0.0 };
            }
        }
    }

    /// The separate trees, rooted in the world or floating; places are those of the nodes, six each.
    pub fn forest(&self, model: &Model) -> Forest {
        let dof: Vec<usize> =
            self.nodes.iter().flat_map(|n| (0..6).map(|c| model.tree.v[n.link] + c)).collect();
        let roots = (0..self.nodes.len()).filter(|n| self.nodes[*n].parent.is_none());
        let begin: Vec<usize> = roots.chain([self.nodes.len()]).map(|n| 6 * n).collect();
        Forest::new(dof, begin)
    }

    /// Solves for x and the multipliers of the tree's rows, given the generalised forces f and the targets of the rows; `lambda` of other
    /// rows is not touched.
    pub fn solve(
        &mut self,
        model: &Model,
        rows: &Rows,
        force: &[f64],
        targets: &[f64],
        x: &mut [f64],
        lambda: &mut [f64],
    ) {
        let all = 0..self.nodes.len();
        self.read_forces(model, all.clone(), force);
        for (n, node) in self.nodes.iter().enumerate() {
            for (c, &row) in node.rows.iter().enumerate() {
                self.g[n][c] = if node.on[c] { targets[row] } else { 0.0 };
            }
        }
        if self.penalty.is_some() {
            self.push_added_masses(rows, targets);
        }
        self.solve_refined(all.clone());
        for n in all {
            let k = model.tree.v[self.nodes[n].link];
            x[k..k + 6].copy_from_slice(&self.generalised(model, n));
            let node = &self.nodes[n];
            for (c, &row) in node.rows.iter().enumerate() {
                lambda[row] = if node.on[c] { self.g[n][c] } else { 0.0 };
            }
        }
        if self.penalty.is_some() {
            self.read_rotors(rows, targets, lambda);
        }
    }

    /// As [`Sparse::solve`] for forces on one tree of the [forest](Sparse::forest), with zero targets for its rows: x, and the multipliers
    /// of the rows, by place.
    pub fn solve_tree(
        &mut self,
        model: &Model,
        rows: &Rows,
        places: Range<usize>,
        force: &[f64],
        x: &mut [f64],
        lambda: &mut [f64],
    ) {
        let part = places.start / 6..places.end / 6;
        self.read_forces(model, part.clone(), force);
        self.g[part.clone()].fill([0.0; 6]);
        self.solve_refined(part.clone());
        for (n, (x, lambda)) in part.zip(x.chunks_exact_mut(6).zip(lambda.chunks_exact_mut(6))) {
            x.copy_from_slice(&self.generalised(model, n));
            for (c, &row) in self.nodes[n].rows.iter().enumerate() {
                lambda[c] = if self.nodes[n].on[c] { self.g[n][c] } else { self.rotor(rows, n, c, row, 0.0) };
            }
        }
    }

    /// Adds l times the multipliers by place from [`Sparse::solve_tree`].
    pub fn add_multipliers(&self, places: Range<usize>, l: f64, by_place: &[f64], lambda: &mut [f64]) {
        let part = places.start / 6..places.end / 6;
        for (node, own) in self.nodes[part].iter().zip(by_place.chunks_exact(6)) {
            for (&row, y) in node.rows.iter().zip(own) {
                lambda[row] = l.mul_add(*y, lambda[row]);
            }
        }
    }

    /// Converts the generalised forces to wrenches on the bodies, in world axes.
    fn read_forces(&mut self, model: &Model, part: Range<usize>, force: &[f64]) {
        for n in part {
            let link = self.nodes[n].link;
            let (k, frame) = (model.tree.v[link], model.tree.frame_of(link).rot);
            let three = |k: usize| V3::new(force[k], force[k + 1], force[k + 2]);
            self.f[n] = numbers(Force { moment: self.axes[n] * three(k + 3), force: frame * three(k) });
        }
    }

    /// The motion found for a body, in the coordinates of the model.
    fn generalised(&self, model: &Model, n: usize) -> [f64; 6] {
        let frame = model.tree.frame_of(self.nodes[n].link).rot;
        let [a, b, c, d, e, f] = self.f[n];
        let (lin, ang) = (frame.tr_mul(V3::new(d, e, f)), self.axes[n].tr_mul(V3::new(a, b, c)));
        let ([a, b, c], [d, e, f]) = (lin.array(), ang.array());
        [a, b, c, d, e, f]
    }

    /// Solves with one correction by the residual: where masses differ by a million, elimination loses six digits, which this recovers.
    fn solve_refined(&mut self, part: Range<usize>) {
        let all = part.clone();
        self.f_wanted[all.clone()].copy_from_slice(&self.f[all.clone()]);
        self.g_wanted[all.clone()].copy_from_slice(&self.g[all.clone()]);
        self.kkt.solve_part(all.clone(), &mut self.f, &mut self.g);
        self.kkt.apply_part(all.clone(), &self.f, &self.g, &mut self.f_left, &mut self.g_left);
        for n in all.clone() {
            for k in 0..6 {
                self.f_left[n][k] = self.f_wanted[n][k] - self.f_left[n][k];
                self.g_left[n][k] = self.g_wanted[n][k] - self.g_left[n][k];
            }
        }
        self.kkt.solve_part(all.clone(), &mut self.f_left, &mut self.g_left);
        for n in all {
            for k in 0..6 {
                self.f[n][k] += self.f_left[n][k];
                self.g[n][k] += self.g_left[n][k];
            }
        }
    }

    /// f += ρ Jᵀ g of the rows that are masses.
    fn push_added_masses(&mut self, rows: &Rows, targets: &[f64]) {
        for n in 0..self.nodes.len() {
            for k in 0..self.nodes[n].rows.len() {
                let row = self.nodes[n].rows[k];
                let rho = self.as_mass[n][k];
                if rho == 0.0 {
                    continue;
                }
                let (child, parent) = self.wrenches(rows, n, k);
                add(&mut self.f[n], rho * targets[row], child);
                if let Some(p) = self.nodes[n].parent {
                    add(&mut self.f[p], rho * targets[row], parent);
                }
            }
        }
    }

    /// λ = I (g − J a) of rotors that are masses.
    fn read_rotors(&self, rows: &Rows, targets: &[f64], lambda: &mut [f64]) {
        for (n, node) in self.nodes.iter().enumerate() {
            for (k, &row) in node.rows.iter().enumerate() {
                if rows.kinds[row].terms.is_rotor() {
                    lambda[row] = self.rotor(rows, n, k, row, targets[row]);
                }
            }
        }
    }

    /// The multiplier of row k of node n if it is a rotor added as a mass, else 0.
    fn rotor(&self, rows: &Rows, n: usize, k: usize, row: usize, target: f64) -> f64 {
        if !rows.kinds[row].terms.is_rotor() {
            return 0.0;
        }
        let (child, parent) = self.wrenches(rows, n, k);
        let above = self.nodes[n].parent.map_or(0.0, |p| dot(parent, self.f[p]));
        self.as_mass[n][k] * (target - dot(child, self.f[n]) - above)
    }
}

fn mass_block(model: &Model, link: usize, rot: M3) -> Block {
    let inertia = model.tree.inertia_of(link);
    let (i, h, m) = (inertia.rotational.rotated(rot), rot * inertia.first_moment, inertia.mass);
    let Sym3 { xx, xy, xz, yy, yz, zz } = i;
    [
        [xx, xy, xz, 0.0, -h.z, h.y],
        [xy, yy, yz, h.z, 0.0, -h.x],
        [xz, yz, zz, -h.y, h.x, 0.0],
        [0.0, h.z, -h.y, m, 0.0, 0.0],
        [-h.z, 0.0, h.x, 0.0, m, 0.0],
        [h.y, -h.x, 0.0, 0.0, 0.0, m],
    ]
}

/// Shifts a stiffness from the origins of bodies to the origins of their links: rotation about the link also moves the body's origin.
fn shifted(model: &Model, ws: &Workspace, bodies: [BodyId; 2], k: Stiffness) -> Stiffness {
    let mut carry = Stiffness::identity();
    for (body, at) in bodies.into_iter().zip([0, 6]) {
        let link = model.bodies()[body.index()].link;
        let r = ws.body_pose(model, body).pos - ws.link_pose(link).pos;
        // δx_body = δx_link + δθ × r
        for (row, entries) in M3::skew(-r).rows().into_iter().enumerate() {
            for (column, entry) in entries.into_iter().enumerate() {
                carry[(at + 3 + row, at + column)] = entry;
            }
        }
    }
    carry.transpose() * k * carry
}

fn add_block(to: &mut Block, k: &Stiffness, first_row: usize, first_column: usize) {
    for (i, row) in to.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry += k[(first_row + i, first_column + j)];
        }
    }
}

fn numbers(f: Force) -> [f64; 6] {
    let ([a, b, c], [d, e, g]) = (f.moment.array(), f.force.array());
    [a, b, c, d, e, g]
}

fn dot(a: [f64; 6], b: [f64; 6]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(b, sum))
}

fn add(to: &mut [f64; 6], scale: f64, x: [f64; 6]) {
    to.iter_mut().zip(x).for_each(|(t, x)| *t = scale.mul_add(x, *t));
}

fn add_outer(to: &mut Block, scale: f64, rows: [f64; 6], columns: [f64; 6]) {
    to.iter_mut().zip(rows).for_each(|(row, x)| add(row, scale * x, columns));
}
