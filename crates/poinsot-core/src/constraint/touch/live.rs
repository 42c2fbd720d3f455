//! Rows that exist for one step: their entries J, and the half products `Z = L⁻ᵀ Jᵀ` of `J M⁻¹ Jᵀ` where `M = Lᵀ D L`.

use super::point::ContactPoint;
use crate::algebra::V3;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::contact::MOST_ROWS;
use crate::dynamics::{MassMatrix, Workspace};
use crate::model::Model;
use std::ops::Range;

/// The owner of a group of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Of {
    /// A limit or dry friction: the index of its row.
    Bound(usize),
    /// The index of a contact.
    Contact(usize),
}

/// One or more rows on the same degrees of freedom.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub of: Of,
    /// Its range among all rows.
    pub rows: Range<usize>,
    /// The group of another [`Live`] of which this one is a part.
    part_of: Option<usize>,
    /// Its degrees of freedom, and where its entries start: for each degree of freedom in turn, one entry for each row.
    dofs: Range<usize>,
    entries: usize,
    /// The places of its columns of Z, and where their entries start; `None` until they are computed.
    ways: Range<usize>,
    halves: Option<usize>,
}

/// This many rows of a group are processed together.
const WIDE: usize = 4;
/// The number of blocks of [`WIDE`] rows in a group.
const PARTS: usize = MOST_ROWS.div_ceil(WIDE);

type Part = [f64; WIDE];

/// Dense columns for the rows of one group; zero except while in use.
#[derive(Clone, Debug)]
pub(super) struct Spread(Vec<[Part; PARTS]>);

impl Spread {
    /// Columns with an entry for each degree of freedom.
    pub fn new(n: usize) -> Spread {
        Spread(vec![[[0.0; WIDE]; PARTS]; n])
    }
}

/// See the module page.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub groups: Vec<Group>,
    dof: Vec<usize>,
    entry: Vec<f64>,
    way: Vec<usize>,
    /// For each group, block by block of its rows: the entries of these rows at each place of its path.
    z: Vec<Part>,
    place: Vec<usize>,
    /// The length of a column.
    size: usize,
    spread: Spread,
    /// With equality rows in the operator: M⁻¹ Jᵀ, one column for each row.
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
            size: n,
            spread: Spread::new(n),
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
        let rows = first..first + rows;
        self.groups.push(Group { of, rows, part_of: None, dofs, entries, ways: none, halves: None });
    }

    /// Adds one row with the given entries.
    pub fn push_bound(&mut self, row: usize, (dofs, entries): (&[usize], &[f64])) {
        let (first, at) = (self.dof.len(), self.entry.len());
        self.dof.extend_from_slice(dofs);
        self.entry.extend_from_slice(entries);
        self.push_group(Of::Bound(row), 1, first, at);
    }

    /// Adds all rows of contacts, one group each, and their frames; poses must be up to date.
    pub fn push_contacts(
        &mut self,
        model: &Model,
        ws: &Workspace,
        list: &[ContactPoint],
        frames: &mut Vec<[V3; 3]>,
    ) {
        frames.clear();
        dispatch(PushContacts { live: self, model, ws, list, frames });
    }

    /// Adds the leading rows of a contact; poses must be up to date.
    #[allow(clippy::too_many_arguments)] // each is a different quantity
    #[inline(always)]
    pub fn push_contact(
        &mut self,
        model: &Model,
        ws: &Workspace,
        number: usize,
        contact: &ContactPoint,
        [n, t1, t2]: [V3; 3],
        rows: usize,
    ) {
        let links = contact.bodies.map(|b| model.bodies[b.index()].link);
        let last = super::super::rows::meet(&model.tree.parent, links);
        let (first, at) = (self.dof.len(), self.entry.len());
        for (mut link, sign) in links.into_iter().zip([-1.0, 1.0]) {
            while link != last {
                let (axes, count) = ws.axes(model, link, contact.position);
                let first = model.tree.v[link];
                self.dof.extend(first..first + count);
                for axis in &axes[..count] {
                    let lin = axis.lin * sign;
                    let along = [n.dot(lin), t1.dot(lin), t2.dot(lin)];
                    if rows == 3 {
                        self.entry.extend(along);
                        continue;
                    }
                    self.entry.extend_from_slice(&along[..rows.min(3)]);
                    if rows > 3 {
                        let ang = axis.ang * sign;
                        let about = [n.dot(ang), t1.dot(ang), t2.dot(ang)];
                        self.entry.extend_from_slice(&about[..rows - 3]);
                    }
                }
                link = model.tree.parent[link];
            }
        }
        self.push_group(Of::Contact(number), rows, first, at);
    }

    /// Adds the leading rows of a group of `all` as a part of that group.
    pub fn push_part(&mut self, all: &Live, of: Of, k: usize, rows: usize) {
        let from = &all.groups[k];
        let (first, at) = (self.dof.len(), self.entry.len());
        self.dof.extend_from_slice(all.dofs(from));
        let entries = &all.entry[from.entries..][..from.rows.len() * from.dofs.len()];
        if rows == from.rows.len() {
            self.entry.extend_from_slice(entries);
        } else {
            entries.chunks_exact(from.rows.len()).for_each(|one| self.entry.extend_from_slice(&one[..rows]));
        }
        self.push_group(of, rows, first, at);
        self.groups.iter_mut().last().into_iter().for_each(|group| group.part_of = Some(k));
    }

    /// Copies Z of the groups that are parts of groups of `all`, where it has been computed.
    pub fn adopt(&mut self, all: &Live) {
        for group in &mut self.groups {
            let Some(from) = group.part_of.map(|k| &all.groups[k]) else { continue };
            let Some(halves) = from.halves else { continue };
            let (ways, parts) = (self.way.len(), group.rows.len().div_ceil(WIDE));
            self.way.extend_from_slice(&all.way[from.ways.clone()]);
            (group.ways, group.halves) = (ways..self.way.len(), Some(self.z.len()));
            self.z.extend_from_slice(&all.z[halves..halves + parts * from.ways.len()]);
        }
    }

    /// True if some groups are parts of groups of another `Live`.
    pub fn is_part(&self) -> bool {
        self.groups.iter().any(|group| group.part_of.is_some())
    }

    /// Discards Z, which belongs to another M.
    pub fn forget_halves(&mut self) {
        self.way.clear();
        self.z.clear();
        self.groups.iter_mut().for_each(|group| (group.ways, group.halves) = (0..0, None));
    }

    /// Adds the rows of a group again with its normal row zeroed, so that it moves nothing.
    pub fn push_friction_of(&mut self, k: usize) {
        let from = self.groups[k].clone();
        let (first, at, rows) = (self.dof.len(), self.entry.len(), from.rows.len());
        let width = from.dofs.len();
        self.dof.extend_from_within(from.dofs);
        self.entry.extend_from_within(from.entries..from.entries + rows * width);
        self.entry[at..].chunks_exact_mut(rows).for_each(|one| one[0] = 0.0);
        self.push_group(from.of, rows, first, at);
    }

    /// True for a group that is not a contact.
    #[inline(always)]
    pub fn is_bound(&self, k: usize) -> bool {
        matches!(self.groups[k].of, Of::Bound(_))
    }
    /// The degrees of freedom of a group.
    pub fn dofs(&self, group: &Group) -> &[usize] {
        &self.dof[group.dofs.clone()]
    }
    /// Raises a number of each degree of freedom to the largest of all that contacts connect it with.
    pub fn spread(&self, numbers: &mut [f64]) {
        for _ in 0..self.groups.len() {
            let mut risen = false;
            for group in &self.groups {
                let most = self.dofs(group).iter().fold(0.0f64, |most, dof| most.max(numbers[*dof]));
                for dof in self.dofs(group) {
                    risen |= numbers[*dof] < most;
                    numbers[*dof] = numbers[*dof].max(most);
                }
            }
            if !risen {
                return;
            }
        }
    }
    /// Its entries: for each degree of freedom, one for each row.
    #[inline(always)]
    fn entries(&self, group: &Group) -> std::slice::ChunksExact<'_, f64> {
        let rows = group.rows.len();
        self.entry[group.entries..group.entries + rows * group.dofs.len()].chunks_exact(rows)
    }
    /// J x of a row of a group.
    #[inline(always)]
    pub fn dot(&self, group: &Group, row: usize, x: &[f64]) -> f64 {
        let pairs = self.dofs(group).iter().zip(self.entries(group));
        pairs.fold(0.0, |sum, (dof, j)| j[row].mul_add(x[*dof], sum))
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
        for (dof, j) in self.dofs(group).iter().zip(self.entries(group)) {
            out[*dof] = j[row].mul_add(lambda, out[*dof]);
        }
    }

    /// out += |Jᵀ| |λ| of all rows.
    pub fn add_sizes(&self, lambda: &[f64], out: &mut [f64]) {
        for group in &self.groups {
            let own = &lambda[group.rows.clone()];
            for (dof, j) in self.dofs(group).iter().zip(self.entries(group)) {
                out[*dof] = j.iter().zip(own).fold(out[*dof], |sum, (j, f)| sum + (j * f).abs());
            }
        }
    }

    /// Computes Z by the factor of M for all groups that are wanted and lack it.
    pub fn carry(&mut self, mass: &MassMatrix, wanted: impl Fn(usize) -> bool) {
        dispatch(Carry { live: self, mass, wanted });
    }

    #[inline(always)]
    fn carry_here(&mut self, mass: &MassMatrix, k: usize) {
        if self.place.is_empty() {
            self.place.resize(mass.size(), 0);
            mass.order().iter().enumerate().for_each(|(at, dof)| self.place[*dof] = at);
        }
        let first = self.way.len();
        self.find_way(mass, k);
        let (ways, halves) = (first..self.way.len(), self.z.len());
        let (group, spread) = (&self.groups[k], &mut self.spread.0);
        let (own, count) = (group.dofs.len(), group.rows.len());
        let entries = self.entry[group.entries..][..own * count].chunks_exact(count);
        for (dof, j) in self.dof[group.dofs.clone()].iter().zip(entries) {
            let to = &mut spread[self.place[*dof]];
            for (row, j) in j.iter().enumerate() {
                to[row / WIDE][row % WIDE] = *j;
            }
        }
        for part in 0..count.div_ceil(WIDE) {
            for t in &self.way[ways.clone()] {
                let z = std::mem::take(&mut spread[*t][part]);
                self.z.push(z);
                mass.each_above(*t, |l, above| {
                    let to = &mut spread[above][part];
                    (0..WIDE).for_each(|row| to[row] = (-l).mul_add(z[row], to[row]));
                });
            }
        }
        let group = &mut self.groups[k];
        (group.ways, group.halves) = (ways, Some(halves));
    }

    /// Finds the places from the degrees of freedom of a group to the roots, leaves first.
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

    /// The places and entries of Z for one row of a group, leaves first.
    pub fn half(&self, group: &Group, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let ways = &self.way[group.ways.clone()];
        let z = &self.z[group.halves.unwrap_or(0) + row / WIDE * ways.len()..][..ways.len()];
        ways.iter().copied().zip(z.iter().map(move |z| z[row % WIDE]))
    }

    /// The places of Z of a group, leaves first, and its entries by row and position on the path.
    pub fn halves(&self, group: &Group) -> (&[usize], impl Fn(usize, usize) -> f64) {
        let ways = &self.way[group.ways.clone()];
        let z = &self.z[group.halves.unwrap_or(0)..];
        let count = ways.len();
        (ways, move |row: usize, k: usize| z[row / WIDE * count + k][row % WIDE])
    }

    /// Returns scratch for one row's column of M⁻¹ Jᵀ.
    pub fn column(&mut self, row: usize, n: usize) -> &mut [f64] {
        let end = (row + 1) * n;
        if self.y.len() < end {
            self.y.resize(end, 0.0);
        }
        &mut self.y[row * n..end]
    }

    /// The response of the first row of a group to its own impulse.
    pub fn own_response(&self, mass: Option<&MassMatrix>, k: usize) -> f64 {
        dispatch(Own { live: self, mass, k })
    }

    /// The places of Z of a group, and the entries of its first rows.
    #[inline(always)]
    fn first_half(&self, k: usize) -> (&[usize], &[Part]) {
        let group = &self.groups[k];
        let ways = &self.way[group.ways.clone()];
        (ways, &self.z[group.halves.unwrap_or(0)..][..ways.len()])
    }

    /// Computes `J M⁻¹ Jᵀ` between all rows of a group and those of others. Each of the others is visited with its number of rows and the
    /// block, in row-major order.
    #[inline(always)]
    pub fn respond(
        &self,
        mass: Option<&MassMatrix>,
        k: usize,
        others: &[usize],
        spread: &mut Spread,
        mut visit: impl FnMut(usize, usize, &[f64]),
    ) {
        let mut block = [0.0; MOST_ROWS * MOST_ROWS];
        let count = self.groups[k].rows.len();
        let Some(mass) = mass else {
            for &o in others {
                let (other, n) = (&self.groups[o], self.size);
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
        // the rows of this group are scattered, and the others gather the entries they share with them
        let (own, spread) = (&self.groups[k], &mut spread.0);
        let ways = &self.way[own.ways.clone()];
        let parts = count.div_ceil(WIDE);
        for part in 0..parts {
            let mine = &self.z[own.halves.unwrap_or(0) + part * ways.len()..][..ways.len()];
            for (z, t) in mine.iter().zip(ways) {
                let by = mass.inverse_pivot(*t);
                for row in 0..WIDE {
                    spread[*t][part][row] = z[row] * by;
                }
            }
        }
        for &o in others {
            let other = &self.groups[o];
            let (theirs, width) = (&self.way[other.ways.clone()], other.rows.len());
            for (part, there) in (0..width.div_ceil(WIDE)).flat_map(|p| (0..parts).map(move |t| (p, t))) {
                let z = &self.z[other.halves.unwrap_or(0) + part * theirs.len()..][..theirs.len()];
                let mut sums = [[0.0; WIDE]; WIDE];
                for (z, t) in z.iter().zip(theirs) {
                    let x = &spread[*t][there];
                    for r in 0..WIDE {
                        for k in 0..WIDE {
                            sums[r][k] = z[r].mul_add(x[k], sums[r][k]);
                        }
                    }
                }
                for (r, sums) in (part * WIDE..width).zip(&sums) {
                    for (row, sum) in (there * WIDE..count).zip(sums) {
                        block[row * width + r] = *sum;
                    }
                }
            }
            visit(o, width, &block[..count * width]);
        }
        ways.iter().for_each(|t| spread[*t] = [[0.0; WIDE]; PARTS]);
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
            if let Ok(out) = <&mut [f64; 3]>::try_from(&mut self.out[group.rows.clone()]) {
                for (dof, j) in self.live.dofs(group).iter().zip(self.live.entries(group)) {
                    for r in 0..3 {
                        out[r] = j[r].mul_add(self.x[*dof], out[r]);
                    }
                }
                continue;
            }
            for (r, row) in group.rows.clone().enumerate() {
                self.out[row] = self.live.dot(group, r, self.x);
            }
        }
    }
}

/// The kernel of [`Live::own_response`].
struct Own<'a> {
    live: &'a Live,
    mass: Option<&'a MassMatrix>,
    k: usize,
}

impl Kernel for Own<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<I: Isa>(self) -> f64 {
        let Own { live, mass, k } = self;
        let group = &live.groups[k];
        let Some(mass) = mass else {
            return live.dot(group, 0, &live.y[group.rows.start * live.size..][..live.size]);
        };
        let (ways, half) = live.first_half(k);
        let mut sum = 0.0;
        for (z, t) in half.iter().zip(ways) {
            sum = z[0].mul_add(z[0] * mass.inverse_pivot(*t), sum);
        }
        sum
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

struct Carry<'a, W> {
    live: &'a mut Live,
    mass: &'a MassMatrix,
    wanted: W,
}

impl<W: Fn(usize) -> bool> Kernel for Carry<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for k in 0..self.live.groups.len() {
            if self.live.groups[k].halves.is_none() && (self.wanted)(k) {
                self.live.carry_here(self.mass, k);
            }
        }
    }
}

struct PushContacts<'a> {
    live: &'a mut Live,
    model: &'a Model,
    ws: &'a Workspace,
    list: &'a [ContactPoint],
    frames: &'a mut Vec<[V3; 3]>,
}

impl Kernel for PushContacts<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (k, point) in self.list.iter().enumerate() {
            let frame = point.frame();
            self.frames.push(frame);
            self.live.push_contact(self.model, self.ws, k, point, frame, point.surface.rows());
        }
    }
}
