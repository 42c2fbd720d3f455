//! Rows that live for one step: their entries J, and their halves `Z = L⁻ᵀ Jᵀ` of `J M⁻¹ Jᵀ` where `M = Lᵀ D L`.

use super::point::ContactPoint;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::contact::MOST_ROWS;
use crate::dynamics::{MassMatrix, Workspace};
use crate::model::Model;
use std::ops::Range;

/// Whose rows these are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Of {
    /// An end of a range or dry friction: the row of this number.
    Bound(usize),
    /// The contact of this number.
    Contact(usize),
}

/// One or more rows on the same degrees of freedom.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub of: Of,
    /// Its rows among all.
    pub rows: Range<usize>,
    /// Its degrees of freedom, and where the entries of its first row begin; the other rows follow.
    dofs: Range<usize>,
    entries: usize,
    /// The places of Z, and where the numbers of the first row begin.
    ways: Range<usize>,
    halves: usize,
}

/// [`MOST_ROWS`], and so many more that a row fills a register.
const WIDE: usize = 8;

/// See the module page.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub groups: Vec<Group>,
    dof: Vec<usize>,
    entry: Vec<f64>,
    way: Vec<usize>,
    z: Vec<f64>,
    place: Vec<usize>,
    column: Vec<f64>,
    /// D⁻¹ Z of all rows of one group, 0 but while it is used.
    spread: Vec<[f64; WIDE]>,
    /// Where M⁻¹ is that of rows too: M⁻¹ Jᵀ, a column for each row.
    y: Vec<f64>,
    marked: Vec<bool>,
}

#[allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once
impl Live {
    pub fn new(n: usize) -> Live {
        Live {
            groups: Vec::new(),
            dof: Vec::new(),
            entry: Vec::new(),
            way: Vec::new(),
            z: Vec::new(),
            place: Vec::new(),
            column: vec![0.0; n],
            spread: vec![[0.0; WIDE]; n],
            y: Vec::new(),
            marked: vec![false; n],
        }
    }

    pub fn clear(&mut self) {
        self.groups.clear();
        self.dof.clear();
        self.entry.clear();
        self.way.clear();
        self.z.clear();
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.groups.last().map_or(0, |g| g.rows.end)
    }

    fn push_group(&mut self, of: Of, rows: usize, dofs: usize, entries: usize) {
        let first = self.rows();
        let (dofs, none) = (dofs..self.dof.len(), self.way.len()..self.way.len());
        self.groups.push(Group { of, rows: first..first + rows, dofs, entries, ways: none, halves: 0 });
    }

    /// One row with given entries.
    pub fn push_bound(&mut self, row: usize, (dofs, entries): (&[usize], &[f64])) {
        let (first, at) = (self.dof.len(), self.entry.len());
        self.dof.extend_from_slice(dofs);
        self.entry.extend_from_slice(entries);
        self.push_group(Of::Bound(row), 1, first, at);
    }

    /// All rows of contacts, one group each; poses have been found.
    pub fn push_contacts(&mut self, model: &Model, ws: &Workspace, list: &[ContactPoint]) {
        dispatch(PushContacts { live: self, model, ws, list });
    }

    /// The first rows of a contact; poses have been found.
    #[inline(always)]
    pub fn push_contact(
        &mut self,
        model: &Model,
        ws: &Workspace,
        number: usize,
        contact: &ContactPoint,
        rows: usize,
    ) {
        let [n, t1, t2] = contact.frame();
        let links = contact.bodies.map(|b| model.bodies[b.index()].link);
        let last = super::super::rows::meet(&model.tree.parent, links);
        let (first, at) = (self.dof.len(), self.entry.len());
        // a column for each degree of freedom at first
        for (link, sign) in links.into_iter().zip([-1.0, 1.0]) {
            let (dof, entry) = (&mut self.dof, &mut self.entry);
            ws.each_axis(model, link, last, contact.position, |k, axis| {
                dof.push(k);
                let all = [
                    n.dot(axis.lin),
                    t1.dot(axis.lin),
                    t2.dot(axis.lin),
                    n.dot(axis.ang),
                    t1.dot(axis.ang),
                    t2.dot(axis.ang),
                ];
                entry.extend(all[..rows].iter().map(|x| sign * x));
            });
        }
        self.transpose(at, rows);
        self.push_group(Of::Contact(number), rows, first, at);
    }

    /// The first rows of a group of another, of which it is a part.
    pub fn push_part(&mut self, all: &Live, of: Of, k: usize, rows: usize) {
        let from = &all.groups[k];
        let (first, at) = (self.dof.len(), self.entry.len());
        self.dof.extend_from_slice(all.dofs(from));
        self.entry.extend_from_slice(&all.entry[from.entries..][..rows * from.dofs.len()]);
        self.push_group(of, rows, first, at);
    }

    /// The rows of a group once more, without its normal: that is one which moves nothing.
    pub fn push_friction_of(&mut self, k: usize) {
        let from = self.groups[k].clone();
        let (first, at, width) = (self.dof.len(), self.entry.len(), from.dofs.len());
        self.dof.extend_from_within(from.dofs);
        self.entry.resize(at + width, 0.0);
        self.entry.extend_from_within(from.entries + width..from.entries + from.rows.len() * width);
        self.push_group(from.of, from.rows.len(), first, at);
    }

    /// From a column for each degree of freedom to row after row.
    fn transpose(&mut self, at: usize, rows: usize) {
        let count = (self.entry.len() - at) / rows;
        let end = self.entry.len();
        self.entry.resize(end + count * rows, 0.0);
        for k in 0..count {
            for r in 0..rows {
                self.entry[end + r * count + k] = self.entry[at + k * rows + r];
            }
        }
        self.entry.copy_within(end.., at);
        self.entry.truncate(end);
    }

    /// True for a group that is no contact.
    #[inline(always)]
    pub fn is_bound(&self, k: usize) -> bool {
        matches!(self.groups[k].of, Of::Bound(_))
    }
    /// The degrees of freedom of a group.
    pub fn dofs(&self, group: &Group) -> &[usize] {
        &self.dof[group.dofs.clone()]
    }
    /// The entries of one of its rows.
    pub fn entries(&self, group: &Group, row: usize) -> &[f64] {
        let count = group.dofs.len();
        &self.entry[group.entries + row * count..group.entries + (row + 1) * count]
    }
    /// J x of a row of a group.
    #[inline(always)]
    pub fn dot(&self, group: &Group, row: usize, x: &[f64]) -> f64 {
        let pairs = self.dofs(group).iter().zip(self.entries(group, row));
        pairs.fold(0.0, |sum, (dof, j)| j.mul_add(x[*dof], sum))
    }
    /// J x of all rows.
    pub fn times(&self, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.rows(), 0.0);
        dispatch(Times { live: self, x, out });
    }
    /// out += scale Jᵀ λ of all rows.
    pub fn add_all(&self, scale: f64, lambda: &[f64], out: &mut [f64]) {
        dispatch(AddAll { live: self, scale, lambda, out });
    }
    /// out += Jᵀ λ of a row of a group.
    #[inline(always)]
    pub fn add(&self, group: &Group, row: usize, lambda: f64, out: &mut [f64]) {
        for (dof, j) in self.dofs(group).iter().zip(self.entries(group, row)) {
            out[*dof] = j.mul_add(lambda, out[*dof]);
        }
    }

    /// Z of all groups, by the factor of M.
    pub fn carry(&mut self, mass: &MassMatrix) {
        dispatch(Carry { live: self, mass });
    }

    #[inline(always)]
    fn carry_here(&mut self, mass: &MassMatrix) {
        if self.place.is_empty() {
            self.place.resize(mass.size(), 0);
            mass.order().iter().enumerate().for_each(|(at, dof)| self.place[*dof] = at);
        }
        self.way.clear();
        self.z.clear();
        for k in 0..self.groups.len() {
            let first = self.way.len();
            self.find_way(mass, k);
            let (ways, halves) = (first..self.way.len(), self.z.len());
            let count = self.groups[k].rows.len();
            self.z.resize(halves + count * ways.len(), 0.0);
            let (group, column) = (&self.groups[k], &mut self.column);
            for row in 0..count {
                let own = group.dofs.len();
                let entries = &self.entry[group.entries + row * own..][..own];
                for (dof, j) in self.dof[group.dofs.clone()].iter().zip(entries) {
                    column[self.place[*dof]] = *j;
                }
                let z = &mut self.z[halves + row * ways.len()..][..ways.len()];
                for (z, t) in z.iter_mut().zip(&self.way[ways.clone()]) {
                    *z = std::mem::take(&mut column[*t]);
                    if *z != 0.0 {
                        mass.carry_toward_root(*t, *z, column);
                    }
                }
            }
            let group = &mut self.groups[k];
            (group.ways, group.halves) = (ways, halves);
        }
    }

    /// The places from what a group touches to the roots, leaves first.
    fn find_way(&mut self, mass: &MassMatrix, k: usize) {
        let first = self.way.len();
        for at in self.groups[k].dofs.clone() {
            for t in mass.way(self.place[self.dof[at]]) {
                if std::mem::replace(&mut self.marked[t], true) {
                    break;
                }
                self.way.push(t);
            }
        }
        self.way[first..].sort_unstable_by(|a, b| b.cmp(a));
        for at in first..self.way.len() {
            self.marked[self.way[at]] = false;
        }
    }

    /// The places and numbers of Z of a row of a group, leaves first.
    pub fn half(&self, group: &Group, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let ways = &self.way[group.ways.clone()];
        let z = &self.z[group.halves + row * ways.len()..][..ways.len()];
        ways.iter().copied().zip(z.iter().copied())
    }

    /// Room for M⁻¹ Jᵀ, and its numbers for one row.
    pub fn column(&mut self, row: usize, n: usize) -> &mut [f64] {
        let end = (row + 1) * n;
        if self.y.len() < end {
            self.y.resize(end, 0.0);
        }
        &mut self.y[row * n..end]
    }

    /// `J M⁻¹ Jᵀ` between all rows of a group and those of others, which are visited one by one with
    /// the number of their rows and the block, row after row.
    #[inline(always)]
    pub fn respond(
        &mut self,
        mass: Option<&MassMatrix>,
        k: usize,
        others: &[usize],
        mut visit: impl FnMut(usize, usize, &[f64]),
    ) {
        let mut block = [0.0; MOST_ROWS * MOST_ROWS];
        let count = self.groups[k].rows.len();
        let Some(mass) = mass else {
            for &o in others {
                let (other, n) = (&self.groups[o], self.column.len());
                for row in 0..count {
                    let y = &self.y[(self.groups[k].rows.start + row) * n..][..n];
                    for r in 0..other.rows.len() {
                        block[row * other.rows.len() + r] = self.dot(other, r, y);
                    }
                }
                visit(o, other.rows.len(), &block[..count * other.rows.len()]);
            }
            return;
        };
        // the rows of this group are spread out, and the others pick what they share with them
        let (own, spread) = (&self.groups[k], &mut self.spread);
        let ways = &self.way[own.ways.clone()];
        for row in 0..count {
            let mine = &self.z[own.halves + row * ways.len()..][..ways.len()];
            for (z, t) in mine.iter().zip(ways) {
                spread[*t][row] = z * mass.inverse_pivot(*t);
            }
        }
        for &o in others {
            let other = &self.groups[o];
            let (theirs, width) = (&self.way[other.ways.clone()], other.rows.len());
            for r in 0..width {
                let z = &self.z[other.halves + r * theirs.len()..][..theirs.len()];
                let mut sums = [0.0; WIDE];
                for (z, t) in z.iter().zip(theirs) {
                    for (sum, x) in sums.iter_mut().zip(&spread[*t]) {
                        *sum = z.mul_add(*x, *sum);
                    }
                }
                (0..count).for_each(|row| block[row * width + r] = sums[row]);
            }
            visit(o, width, &block[..count * width]);
        }
        ways.iter().for_each(|t| spread[*t] = [0.0; WIDE]);
    }
}

struct Times<'a> {
    live: &'a Live,
    x: &'a [f64],
    out: &'a mut [f64],
}

impl Kernel for Times<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for group in &self.live.groups {
            for (r, row) in group.rows.clone().enumerate() {
                self.out[row] = self.live.dot(group, r, self.x);
            }
        }
    }
}

struct AddAll<'a> {
    live: &'a Live,
    scale: f64,
    lambda: &'a [f64],
    out: &'a mut [f64],
}

impl Kernel for AddAll<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for group in &self.live.groups {
            for (r, row) in group.rows.clone().enumerate() {
                if self.lambda[row] != 0.0 {
                    self.live.add(group, r, self.scale * self.lambda[row], self.out);
                }
            }
        }
    }
}

struct Carry<'a> {
    live: &'a mut Live,
    mass: &'a MassMatrix,
}

impl Kernel for Carry<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.live.carry_here(self.mass);
    }
}

struct PushContacts<'a> {
    live: &'a mut Live,
    model: &'a Model,
    ws: &'a Workspace,
    list: &'a [ContactPoint],
}

impl Kernel for PushContacts<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (k, point) in self.list.iter().enumerate() {
            self.live.push_contact(self.model, self.ws, k, point, point.surface.rows());
        }
    }
}
