//! All rows of a model's constraints at a state: C, Ċ, J and J̇v.
//!
//! J in the coordinates of the model is obtained by propagating the wrenches of the rows down the tree, `J_k = axis_k · wrench`. For a row
//! with the wrenches W on its bodies, which move with V and, for zero joint acceleration, with V̇₀,
//!
//! ```math
//! J̇ v = Ẇ·V + W·V̇₀
//! ```
//! Ẇ comes from dual numbers that move with the bodies.

use super::bounds::OnCoordinate;
use super::kinds::{Pair, Wrenches, coupling, is_slack, terms, values, wrenches};
use super::law::{Law, Measure, Status, Terms};
use super::measured::Measured;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::algebra::{Dual, M3, V3};
use crate::dynamics::Workspace;
use crate::model::{BodyId, Bounded, Constraint, ConstraintKind, Model, Softness};
use crate::spatial::{Force, Motion, Pose};

/// The owner of a row: the index in the constraints or in the bounds of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Constraint(usize),
    Bound(usize),
}

impl Owner {
    pub fn name(self, model: &Model) -> &str {
        match self {
            Owner::Constraint(k) => &model.constraints()[k].name,
            Owner::Bound(k) => &model.bounds()[k].name,
        }
    }
    /// The index among the constraints.
    pub fn constraint(self) -> Option<usize> {
        if let Owner::Constraint(k) = self { Some(k) } else { None }
    }
}

/// The constant properties of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowKind {
    pub owner: Owner,
    pub terms: Terms,
}

/// The rows of a model, evaluated at a state. No call allocates.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub kinds: Vec<RowKind>,
    /// The status of each.
    pub status: Vec<Status>,
    /// For each constraint: its first row; and the first row of the bounds.
    pub first: Vec<usize>,
    pub first_bound: usize,
    /// True if all rows are bounds on coordinates of the model, so that poses are not needed.
    in_coordinates: bool,
    /// True if some bound is on an attitude.
    any_swing: bool,
    /// The bounds on one coordinate each, whose rows of J never change.
    pub(super) on_coordinates: Vec<OnCoordinate>,
    /// The rows of the other bounds; and of the other inequalities, ropes included.
    pub(super) other_bounds: Vec<usize>,
    pub(super) other_inequalities: Vec<usize>,
    /// The rows C ≥ 0; and the rows of dry friction.
    pub(super) ends: Vec<usize>,
    pub(super) frictions: Vec<usize>,
    /// For each constraint: the last common ancestor of its two bodies, whose motion does not affect it.
    meet: Vec<usize>,
    /// The q at which C and J are evaluated.
    place: Vec<f64>,
    /// C, Ċ and J̇v.
    pub value: Vec<f64>,
    pub rate: Vec<f64>,
    pub bias: Vec<f64>,
    /// The wrenches on the two bodies, about the origins of their frames; zero for couplings and relations.
    pub on_a: Vec<Force>,
    pub on_b: Vec<Force>,
    /// The links of the two bodies, and the wrenches about their origins.
    pub links: Vec<[usize; 2]>,
    pub link_a: Vec<Force>,
    pub link_b: Vec<Force>,
    /// The terms of relations, in the order of the rows.
    pub measured: Vec<Measured>,
    /// J by rows: where each starts, the degrees of freedom it touches, the entries.
    start: Vec<usize>,
    dof: Vec<usize>,
    entry: Vec<f64>,
    /// For each degree of freedom: its place in the current row.
    slot: Vec<usize>,
    pub(super) accelerations: Vec<Motion>,
    rest: Vec<f64>,
}

impl Rows {
    pub fn new(model: &Model) -> Rows {
        let mut rows = Rows {
            kinds: Vec::new(),
            status: Vec::new(),
            first: Vec::new(),
            first_bound: 0,
            in_coordinates: false,
            any_swing: model.bounds().iter().any(|b| matches!(b.on, Bounded::Swing { .. })),
            on_coordinates: Vec::new(),
            other_bounds: Vec::new(),
            other_inequalities: Vec::new(),
            ends: Vec::new(),
            frictions: Vec::new(),
            meet: Vec::new(),
            place: vec![f64::NAN; model.nq()],
            value: Vec::new(),
            rate: Vec::new(),
            bias: Vec::new(),
            on_a: Vec::new(),
            on_b: Vec::new(),
            links: Vec::new(),
            link_a: Vec::new(),
            link_b: Vec::new(),
            measured: Vec::new(),
            start: vec![0],
            dof: Vec::new(),
            entry: Vec::new(),
            slot: vec![usize::MAX; model.nv()],
            accelerations: vec![Motion::default(); model.tree.links()],
            rest: vec![0.0; model.nv()],
        };
        for (index, constraint) in model.constraints().iter().enumerate() {
            rows.first.push(rows.kinds.len());
            if let ConstraintKind::Relation(relation) = &constraint.kind {
                rows.measured
                    .extend(relation.terms().map(|(term, _)| Measured::new(model, rows.kinds.len(), *term)));
            }
            let dofs = touched(model, constraint);
            let links = constraint.bodies().map_or([0; 2], |b| b.map(|b| model.bodies[b.index()].link));
            rows.meet.push(meet(&model.tree.parent, links));
            for k in 0..constraint.rows() {
                let rigid = terms(constraint, k);
                let terms = constraint.softness.map_or(rigid, |s| yielding(s, rigid));
                rows.kinds.push(RowKind { owner: Owner::Constraint(index), terms });
                rows.links.push(links);
                rows.push_dofs(dofs.iter().copied());
            }
        }
        rows.first_bound = rows.kinds.len();
        rows.push_bounds(model);
        let others = (0..rows.first_bound).chain(rows.other_bounds.iter().copied());
        rows.other_inequalities = others.filter(|row| rows.kinds[*row].terms.is_inequality()).collect();
        rows.ends = (0..rows.kinds.len()).filter(|k| rows.kinds[*k].terms.at_least().is_some()).collect();
        rows.frictions = (0..rows.kinds.len()).filter(|k| rows.kinds[*k].terms.within().is_some()).collect();
        rows.in_coordinates = rows.first_bound == 0 && rows.measured.is_empty();
        rows.status.extend(rows.kinds.iter().map(|k| k.terms.first_status()));
        let n = rows.kinds.len();
        (rows.value, rows.rate, rows.bias) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        (rows.on_a, rows.on_b) = (vec![Force::default(); n], vec![Force::default(); n]);
        (rows.link_a, rows.link_b) = (rows.on_a.clone(), rows.on_b.clone());
        rows.entry = vec![0.0; rows.dof.len()];
        rows.set_coordinate_entries();
        rows
    }

    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The rows of a constraint.
    pub fn of(&self, constraint: usize) -> std::ops::Range<usize> {
        let end = self.first.get(constraint + 1).copied().unwrap_or(self.first_bound);
        self.first[constraint]..end
    }

    /// C, Ċ and J̇v of a row.
    pub fn measured_at(&self, row: usize) -> Measure {
        Measure { value: self.value[row], rate: self.rate[row], bias: self.bias[row] }
    }

    /// Evaluates C, J and Ċ at (q, v), but not J̇v, which costs more than all the rest.
    pub fn evaluate_rates(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) {
        self.evaluate(model, ws, q, None);
        self.set_rates(v);
    }

    /// Evaluates C, J and Ċ at (q, v), and J̇v only if a rotor needs it.
    pub fn evaluate_for_end(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) {
        if self.kinds.iter().any(|k| k.terms.is_rotor()) {
            self.evaluate(model, ws, q, Some(v));
        } else {
            self.evaluate_rates(model, ws, q, v);
        }
    }

    /// Evaluates C and J at q, and Ċ and J̇v if v is given.
    pub fn evaluate(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: Option<&[f64]>) {
        let known = self.place == q;
        if known && (v.is_none() || self.in_coordinates) {
            // of the bounds, only those on attitudes have J̇v
            if v.is_some() && self.any_swing {
                self.evaluate_bounds(model, q, v);
            }
            return v.iter().for_each(|v| self.set_rates(v));
        }
        if !self.in_coordinates {
            match v {
                Some(v) => {
                    ws.move_to(model, q, v);
                    ws.link_accelerations(model, v, None, &mut self.accelerations);
                }
                None => ws.poses(model, q),
            }
            self.measure(model, ws, v.is_some());
            self.relate_bounds(model, ws);
            dispatch(Between { rows: self, model, ws, q, v });
        }
        self.evaluate_bounds(model, q, v);
        v.iter().for_each(|v| self.set_rates(v));
        self.place.copy_from_slice(q);
    }

    /// Evaluates C alone at q; J then belongs to another configuration.
    pub fn evaluate_values(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) {
        if self.in_coordinates || !self.measured.is_empty() || self.place == q {
            return self.evaluate(model, ws, q, None);
        }
        self.forget();
        ws.poses(model, q);
        dispatch(Values { rows: self, model, ws, q });
        self.evaluate_bounds(model, q, None);
    }

    /// Marks the rows as not evaluated.
    pub fn forget(&mut self) {
        self.place.fill(f64::NAN);
    }

    #[inline(always)]
    fn evaluate_constraints(&mut self, model: &Model, ws: &Workspace, q: &[f64], v: Option<&[f64]>) {
        for (index, constraint) in model.constraints().iter().enumerate() {
            if constraint.rows() == 0 {
                continue;
            }
            match (constraint.kind.mounts(), &constraint.kind) {
                (_, ConstraintKind::Relation(relation)) => self.relate(model, ws, index, relation),
                (Some(mounts), _) => self.between_bodies(
                    model,
                    ws,
                    index,
                    constraint,
                    mounts.map(|m| (m.body, m.pose)),
                    v.is_some(),
                ),
                (None, _) => self.between_joints(model, index, constraint, q, v),
            }
        }
    }

    /// Sets Ċ = J v of all rows.
    pub(super) fn set_rates(&mut self, v: &[f64]) {
        dispatch(Rates(self, v));
    }

    #[inline(always)]
    fn between_bodies(
        &mut self,
        model: &Model,
        ws: &Workspace,
        index: usize,
        constraint: &Constraint,
        [(a, mount_a), (b, mount_b)]: [(BodyId, Pose); 2],
        moving: bool,
    ) {
        let (x_a, x_b) = (ws.body_pose(model, a), ws.body_pose(model, b));
        let pair = Pair::new(x_a, mount_a, x_b, mount_b);
        let c = values(constraint, &pair);
        let slack = is_slack(constraint, &c);
        let j = if slack { Wrenches::none() } else { wrenches(constraint, &pair) };
        let rows = self.of(index);
        let origin = |body: BodyId| ws.link_pose(model.bodies[body.index()].link).pos;
        let (to_a, to_b) = (origin(a) - x_a.pos, origin(b) - x_b.pos);
        for (k, row) in rows.clone().enumerate() {
            (self.link_a[row], self.link_b[row]) = (j.on_a[k].about(to_a), j.on_b[k].about(to_b));
            self.value[row] = c[k];
            (self.on_a[row], self.on_b[row]) = (j.on_a[k], j.on_b[k]);
        }
        // the rows of a constraint touch the same degrees of freedom
        let stride = self.start[rows.start + 1] - self.start[rows.start];
        self.find_slots(rows.start);
        for (body, x, on) in [(a, x_a, &j.on_a), (b, x_b, &j.on_b)] {
            let (entry, slot) = (&mut self.entry, &self.slot);
            let mut link = model.bodies[body.index()].link;
            while link != self.meet[index] {
                let (axes, count) = ws.axes(model, link, x.pos);
                for (c, axis) in axes[..count].iter().enumerate() {
                    let at = slot[model.tree.v[link] + c];
                    for (k, wrench) in on[..rows.len()].iter().enumerate() {
                        entry[at + k * stride] = axis.power(*wrench);
                    }
                }
                link = model.tree.parent[link];
            }
        }
        if moving {
            let (v_a, v_b) = (ws.body_velocity(model, a), ws.body_velocity(model, b));
            let acceleration = |body| ws.body_acceleration(model, body, &self.accelerations);
            let (a_a, a_b) = (acceleration(a), acceleration(b));
            let dual = Pair::new(moved(x_a, v_a), mount_a, moved(x_b, v_b), mount_b);
            let dj: Wrenches<Dual<1>> = if slack { Wrenches::none() } else { wrenches(constraint, &dual) };
            for (k, row) in rows.enumerate() {
                let turned = v_a.power(rate(dj.on_a[k])) + v_b.power(rate(dj.on_b[k]));
                self.bias[row] = turned + a_a.power(j.on_a[k]) + a_b.power(j.on_b[k]);
            }
        }
    }

    fn between_joints(&mut self, model: &Model, index: usize, c: &Constraint, q: &[f64], v: Option<&[f64]>) {
        let row = self.first[index];
        self.clear_entries(row);
        let (entry, slot) = (&mut self.entry, &self.slot);
        let v = v.unwrap_or(&self.rest);
        let (value, bias) = coupling(&c.kind, model, q, v, |dof, x| entry[slot[dof]] += x);
        (self.value[row], self.bias[row]) = (value, bias);
    }

    /// Makes room for the entries of one more row.
    pub(super) fn push_dofs(&mut self, dofs: impl IntoIterator<Item = usize>) {
        self.dof.extend(dofs);
        self.start.push(self.dof.len());
    }

    pub(super) fn set_entries(&mut self, row: usize, set: impl FnOnce(&mut [f64])) {
        set(&mut self.entry[self.start[row]..self.start[row + 1]]);
    }

    /// Adds to the entry of a degree of freedom in the row whose slots were found.
    pub(super) fn add_entry(&mut self, dof: usize, x: f64) {
        self.entry[self.slot[dof]] += x;
    }

    /// Sets the entries of a row to 0, and finds their slots.
    #[inline(always)]
    pub(super) fn clear_entries(&mut self, row: usize) {
        self.set_entries(row, |entries| entries.fill(0.0));
        self.find_slots(row);
    }

    /// Finds the slots of the entries of a row.
    #[inline(always)]
    pub(super) fn find_slots(&mut self, row: usize) {
        for at in self.start[row]..self.start[row + 1] {
            self.slot[self.dof[at]] = at;
        }
    }

    /// Adds the wrench on a link, about its origin, to the row whose slots were found.
    pub(super) fn add_wrench(&mut self, model: &Model, ws: &Workspace, link: usize, wrench: Force) {
        let (entry, slot) = (&mut self.entry, &self.slot);
        let about_world = wrench.about(-ws.link_pose(link).pos);
        ws.wrench_moments(model, link, about_world, |dof, m| entry[slot[dof]] += m);
    }

    /// The degrees of freedom a row touches, and its entries there.
    #[inline(always)]
    pub fn entries(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let (dofs, entries) = self.row(row);
        dofs.iter().copied().zip(entries.iter().copied())
    }

    /// As two slices: the degrees of freedom, and the entries.
    #[inline(always)]
    pub fn row(&self, row: usize) -> (&[usize], &[f64]) {
        let range = self.start[row]..self.start[row + 1];
        (&self.dof[range.clone()], &self.entry[range])
    }

    /// J x of one row.
    #[inline(always)]
    pub fn dot(&self, row: usize, x: &[f64]) -> f64 {
        if let ([dof], [j]) = self.row(row) {
            return j * x[*dof];
        }
        self.entries(row).fold(0.0, |sum, (dof, j)| j.mul_add(x[dof], sum))
    }

    /// out += Jᵀ λ of one row.
    #[inline(always)]
    pub fn add(&self, row: usize, lambda: f64, out: &mut [f64]) {
        if let ([dof], [j]) = self.row(row) {
            out[*dof] += j * lambda;
            return;
        }
        for (dof, j) in self.entries(row) {
            out[dof] = j.mul_add(lambda, out[dof]);
        }
    }
}

struct Rates<'a>(&'a mut Rows, &'a [f64]);

impl Kernel for Rates<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Rates(rows, v) = self;
        for row in 0..rows.first_bound {
            rows.rate[row] = rows.dot(row, v);
        }
        rows.set_bound_rates(v);
    }
}

/// Evaluates C of the constraints between bodies and between joints.
struct Values<'a> {
    rows: &'a mut Rows,
    model: &'a Model,
    ws: &'a Workspace,
    q: &'a [f64],
}

impl Kernel for Values<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Values { rows, model, ws, q } = self;
        for (index, constraint) in model.constraints().iter().enumerate() {
            let own = rows.of(index);
            if let Some([a, b]) = constraint.kind.mounts() {
                let (x_a, x_b) = (ws.body_pose(model, a.body), ws.body_pose(model, b.body));
                let c = values(constraint, &Pair::new(x_a, a.pose, x_b, b.pose));
                rows.value[own.clone()].copy_from_slice(&c[..own.len()]);
            } else if !own.is_empty() {
                rows.between_joints(model, index, constraint, q, None);
            }
        }
    }
}

/// Evaluates the constraints between bodies and between joints.
struct Between<'a> {
    rows: &'a mut Rows,
    model: &'a Model,
    ws: &'a Workspace,
    q: &'a [f64],
    v: Option<&'a [f64]>,
}

impl Kernel for Between<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.rows.evaluate_constraints(self.model, self.ws, self.q, self.v);
    }
}

/// The terms of a row of a constraint with this softness, from those of the rigid row.
fn yielding(s: Softness, rigid: Terms) -> Terms {
    let (stiffness, damping) =
        if rigid.is_angle() { (s.turning_stiffness, s.turning_damping) } else { (s.stiffness, s.damping) };
    Terms { law: if rigid.is_rotor() { rigid.law } else { Law::Soft { stiffness, damping } }, ..rigid }
}

/// The degrees of freedom that affect a constraint, in order.
fn touched(model: &Model, constraint: &Constraint) -> Vec<usize> {
    let mut dofs = Vec::new();
    match (constraint.bodies(), &constraint.kind) {
        (Some(bodies), _) => {
            let links = bodies.map(|b| model.bodies[b.index()].link);
            let last = meet(&model.tree.parent, links);
            dofs.extend(links.into_iter().flat_map(|link| between(model, link, last)));
        }
        (None, ConstraintKind::Relation(relation)) => {
            let bodies = relation.terms().flat_map(|(t, _)| [t.a.body, t.b.body]);
            dofs.extend(bodies.flat_map(|b| above(model, b)));
        }
        (None, _) => {
            let (q, v) = (model.neutral(), vec![0.0; model.nv()]);
            coupling(&constraint.kind, model, &q, &v, |dof, _| dofs.push(dof));
        }
    }
    dofs.sort_unstable();
    dofs.dedup();
    dofs
}

/// The last common ancestor of two links. Parents come before their children.
pub(super) fn meet(parent: &[usize], [mut a, mut b]: [usize; 2]) -> usize {
    while a != b {
        if a > b {
            a = parent[a];
        } else {
            b = parent[b];
        }
    }
    a
}

/// The degrees of freedom between a body and the world.
pub(super) fn above(model: &Model, body: BodyId) -> impl Iterator<Item = usize> + '_ {
    between(model, model.bodies[body.index()].link, 0)
}

/// The degrees of freedom between a link and one of its ancestors.
fn between(model: &Model, link: usize, last: usize) -> impl Iterator<Item = usize> + '_ {
    let tree = &model.tree;
    std::iter::successors(Some(link), |link| Some(tree.parent[*link]))
        .take_while(move |link| *link != last)
        .flat_map(|link| tree.v[link]..tree.v[link] + tree.kind[link].nv())
}

/// A pose that moves with the velocity v of its origin.
#[inline(always)]
pub(super) fn moved(x: Pose, v: Motion) -> Pose<Dual<1>> {
    let with = |x: V3, rate: V3| {
        let part = |re, eps| Dual { re, eps: [eps] };
        V3 { x: part(x.x, rate.x), y: part(x.y, rate.y), z: part(x.z, rate.z) }
    };
    let turning = |axis: V3| with(axis, v.ang.cross(axis));
    Pose { rot: M3::columns(turning(x.rot.x), turning(x.rot.y), turning(x.rot.z)), pos: with(x.pos, v.lin) }
}

/// The rate of a wrench on dual numbers.
#[inline(always)]
pub(super) fn rate(f: Force<Dual<1>>) -> Force {
    let of = |v: V3<Dual<1>>| V3::new(v.x.eps[0], v.y.eps[0], v.z.eps[0]);
    Force { moment: of(f.moment), force: of(f.force) }
}
