//! Deviations of targets and of closed loops, and their Jacobian.

use super::{Deviation, Target};
use crate::algebra::V3;
use crate::constraint::Multipliers;
use crate::dynamics::{State, Workspace};
use crate::model::{BodyId, Frame, Model};
use crate::spatial::{Motion, Pose, log_so3};

/// Deviations e and Jacobian J of some targets at one configuration.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    workspace: Workspace,
    axes: Vec<Motion>,
    /// For each target: the degrees of freedom between the world and its body.
    paths: Vec<Vec<usize>>,
    /// For each degree of freedom, for the centre of mass: mass and first moment of its subtree.
    carried: Vec<(f64, V3)>,
    /// The constraints, if there are any, and their rows C = 0: those of e below the targets'.
    multipliers: Option<Box<Multipliers>>,
    closed: Vec<usize>,
    /// e.
    pub e: Vec<f64>,
    /// J, row by row.
    pub j: Vec<f64>,
}

impl Rows {
    pub fn new(model: &Model, targets: &[Target]) -> Rows {
        let multipliers = (!model.constraints().is_empty()).then(|| Box::new(Multipliers::new(model)));
        let closed: Vec<usize> =
            multipliers.iter().flat_map(|multipliers| multipliers.equality_rows()).collect();
        let rows = targets.iter().map(height).sum::<usize>() + closed.len();
        Rows {
            multipliers,
            closed,
            workspace: Workspace::new(model),
            axes: vec![Motion::default(); model.nv()],
            paths: targets.iter().map(|t| frame(t).map_or(Vec::new(), |f| path(model, f.body))).collect(),
            carried: vec![(0.0, V3::ZERO); model.tree.links()],
            e: vec![0.0; rows],
            j: vec![0.0; rows * model.nv()],
        }
    }

    /// The degrees of freedom that move any target, or any loop that must stay closed: columns of J that are not 0 in every state.
    pub fn moving(&self, model: &Model, targets: &[Target]) -> Vec<usize> {
        let all = self.multipliers.is_some() || targets.iter().any(|t| frame(t).is_none());
        (0..model.nv()).filter(|k| all || self.paths.iter().any(|path| path.contains(k))).collect()
    }

    /// Computes e, J and ½ |e|² at q; the Jacobian of a rotation vector is taken at 0, which is exact once the target is reached.
    pub fn evaluate(&mut self, model: &Model, targets: &[Target], q: &[f64]) -> f64 {
        let n = model.nv();
        self.workspace.jacobians(model, q, &mut self.axes);
        let mut row = 0;
        for (k, target) in targets.iter().enumerate() {
            let (e, j) = (&mut self.e[row..], &mut self.j[row * n..]);
            if let Target::CentreOfMass(wanted) = *target {
                let (mass, moment) = gather(model, &self.workspace, &mut self.carried);
                put(e, 0, moment * (1.0 / mass) - wanted);
                for i in 1..model.tree.links() {
                    let (m, h) = self.carried[i];
                    for dof in model.tree.v[i]..model.tree.v[i] + model.tree.kind[i].nv() {
                        let s = self.axes[dof];
                        put_column(j, n, dof, 0, (s.lin * m + s.ang.cross(h)) * (1.0 / mass));
                    }
                }
            }
            if let Some(f) = frame(target) {
                let here = self.workspace.body_pose(model, f.body) * f.pose;
                let (position, rotation) = deviation(target, here);
                let mut at = 0;
                if let Some(p) = position {
                    put(e, at, p);
                    for dof in &self.paths[k] {
                        put_column(j, n, *dof, at, self.axes[*dof].at(here.pos).lin);
                    }
                    at += 3;
                }
                if let Some(r) = rotation {
                    put(e, at, r);
                    self.paths[k].iter().for_each(|dof| put_column(j, n, *dof, at, self.axes[*dof].ang));
                }
            }
            row += height(target);
        }
        if let Some(multipliers) = &mut self.multipliers {
            multipliers.evaluate_at(model, &mut self.workspace, q);
            for (k, closed) in self.closed.iter().enumerate() {
                self.e[row + k] = multipliers.values()[*closed];
                let j = &mut self.j[(row + k) * n..(row + k + 1) * n];
                multipliers.row(*closed).for_each(|(dof, x)| j[dof] = x);
            }
        }
        0.5 * self.e.iter().map(|x| x * x).sum::<f64>()
    }

    /// How far loops are from being closed at q, m or rad.
    pub fn gap(&mut self, model: &Model, q: &[f64]) -> f64 {
        let Some(multipliers) = &mut self.multipliers else { return 0.0 };
        multipliers.evaluate_at(model, &mut self.workspace, q);
        self.closed.iter().fold(0.0, |m, row| m.max(multipliers.values()[*row].abs()))
    }

    /// How far each target is from being reached, from poses alone.
    pub fn deviations(&mut self, model: &Model, targets: &[Target], state: &State) -> Vec<Deviation> {
        let at = self.workspace.at(model, state);
        let of = |target: &Target| {
            if let Target::CentreOfMass(p) = *target {
                return Deviation { distance: (at.com() - p).norm(), angle: 0.0 };
            }
            let Some(f) = frame(target) else { return Deviation::default() };
            let (position, rotation) = deviation(target, at.pose(f.body) * f.pose);
            let size = |x: Option<V3>| x.map_or(0.0, V3::norm);
            Deviation { distance: size(position), angle: size(rotation) }
        };
        targets.iter().map(of).collect()
    }
}

/// The frame of a target; `None` for the centre of mass.
pub(super) fn frame(target: &Target) -> Option<Frame> {
    match *target {
        Target::Position(f, _) | Target::Orientation(f, _) | Target::Pose(f, _) => Some(f),
        Target::CentreOfMass(_) => None,
    }
}

/// The number of entries of a target in e.
fn height(target: &Target) -> usize {
    if matches!(target, Target::Pose(..)) { 6 } else { 3 }
}

/// The deviations of position and of orientation of a frame, in world axes.
fn deviation(target: &Target, here: Pose) -> (Option<V3>, Option<V3>) {
    let rotation = |wanted: crate::algebra::M3| log_so3(here.rot * wanted.transpose());
    match *target {
        Target::Position(_, p) => (Some(here.pos - p), None),
        Target::Orientation(_, r) => (None, Some(rotation(r))),
        Target::Pose(_, x) => (Some(here.pos - x.pos), Some(rotation(x.rot))),
        Target::CentreOfMass(_) => (None, None),
    }
}

/// The degrees of freedom between the world and a body.
fn path(model: &Model, body: BodyId) -> Vec<usize> {
    let (tree, mut out) = (&model.tree, Vec::new());
    let mut link = model.bodies()[body.index()].link;
    while link != 0 {
        out.extend(tree.v[link]..tree.v[link] + tree.kind[link].nv());
        link = tree.parent[link];
    }
    out
}

/// Computes mass and first moment of all subtrees about the world's origin; returns those of the whole model.
fn gather(model: &Model, workspace: &Workspace, carried: &mut [(f64, V3)]) -> (f64, V3) {
    let tree = &model.tree;
    carried.fill((0.0, V3::ZERO));
    for i in (1..tree.links()).rev() {
        let (own, pose) = (tree.inertia_of(i), workspace.link_pose(i));
        let (m, h) = carried[i];
        carried[i] = (m + own.mass, h + pose.rot * own.first_moment + pose.pos * own.mass);
        let (m, h) = carried[tree.parent[i]];
        carried[tree.parent[i]] = (m + carried[i].0, h + carried[i].1);
    }
    carried[0]
}

fn put(to: &mut [f64], at: usize, v: V3) {
    to[at..at + 3].copy_from_slice(&v.array());
}

fn put_column(j: &mut [f64], n: usize, column: usize, row: usize, v: V3) {
    for (c, x) in v.array().into_iter().enumerate() {
        j[(row + c) * n + column] = x;
    }
}
