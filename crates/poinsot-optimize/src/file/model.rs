//! A model in a problem file: its source, its actuated joints, and its contact points.

use super::values::{Number, find};
use super::{GroundSheet, PhaseSheet, SystemSheet};
use crate::error::OptimizeError;
use crate::nodes::Nodes;
use crate::problem::{Bound, Condition, Phase, PhaseTime, Quantity, ZeroSum};
use crate::system::{AffineSystem, Equations, Foot, ModelSystem, Point, Points, Taped};
use poinsot::algebra::V3;
use poinsot::formats;
use poinsot::hierarchy::AffineModel;
use poinsot::model::{BodyId, Model, Transmission};
use poinsot::names::{Space, labels};
use poinsot::scenes;
use std::path::{Path, PathBuf};

/// Information about the model that a problem needs in addition to the equations.
pub(super) struct Made {
    /// The source of the model; `None` for nodes.
    pub source: Option<PathBuf>,
    pub nodes: Option<AffineModel>,
    pub bounds: Vec<Bound>,
    pub feet: Vec<Standing>,
    neutral: Vec<f64>,
}

/// The moving system.
enum Moving {
    Model(Box<Model>, PathBuf),
    Nodes(AffineModel, Vec<String>),
}

/// A foot, with the indices of its forces and outputs.
pub(super) struct Standing {
    name: String,
    axes: Vec<usize>,
    forces: Vec<usize>,
    /// The first output of its point.
    point: usize,
    friction: Vec<usize>,
    height: f64,
}

/// α for the drift correction of points in contact, 1/s.
const BACK: f64 = 20.0;

fn wrong(text: impl Into<String>) -> OptimizeError {
    OptimizeError::File(text.into())
}

pub(super) fn make(
    sheet: &SystemSheet,
    phases: &[PhaseSheet],
    folder: &Path,
) -> Result<(Box<dyn Equations>, Made), OptimizeError> {
    let moving = match (&sheet.model, &sheet.nodes) {
        (Some(name), None) => load(name, folder)?,
        (None, Some(name)) => load_nodes(&folder.join(name))?,
        _ => return Err(wrong("[system] has a kind, a model or nodes: one of them")),
    };
    let ground = sheet.ground.clone().unwrap_or_default();
    let points = moving.points(sheet)?;
    let feet = feet(&ground, &points, phases)?;
    let points = Points { points, feet };
    let height = ground.height.as_ref().map_or(Ok(0.0), Number::value)?;
    let (actuated, bounds, standing) = (moving.actuated(sheet)?, moving.limits(), stand(&points, height));
    let (equations, source, nodes) = match moving {
        Moving::Model(model, source) => {
            (Taped::new(&ModelSystem::new(*model, actuated, points)?), Some(source), None)
        }
        Moving::Nodes(model, names) => {
            (Taped::new(&AffineSystem::new(model.clone(), names, actuated, points)?), None, Some(model))
        }
    };
    let neutral = equations.neutral();
    Ok((Box::new(equations), Made { source, nodes, bounds, feet: standing, neutral }))
}

/// The points that are in contact in some phase.
fn feet(ground: &GroundSheet, points: &[Point], phases: &[PhaseSheet]) -> Result<Vec<Foot>, OptimizeError> {
    let names: Vec<String> = points.iter().map(|p| p.name.clone()).collect();
    let mut feet: Vec<Foot> = Vec::new();
    for name in phases.iter().flat_map(|p| &p.contacts) {
        let point = find("the system's points", name, &names)?;
        if feet.iter().all(|f| f.point != point) {
            let (axes, friction) = (axes(ground)?, ground.friction.as_ref().map_or(Ok(1.0), Number::value)?);
            feet.push(Foot { point, axes, friction });
        }
    }
    Ok(feet)
}

fn stand(points: &Points, height: f64) -> Vec<Standing> {
    let mut first = 0;
    let standing = |(k, foot): (usize, &Foot)| {
        let forces = (first..first + foot.axes.len()).collect();
        first += foot.axes.len();
        Standing {
            name: points.points[foot.point].name.clone(),
            axes: foot.axes.clone(),
            forces,
            point: Points::output_of(foot.point),
            friction: points.friction_of(k).collect(),
            height,
        }
    };
    points.feet.iter().enumerate().map(standing).collect()
}

fn load_nodes(path: &Path) -> Result<Moving, OptimizeError> {
    let told = |e: &dyn std::fmt::Display| wrong(format!("{}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| told(&e))?;
    let nodes: Nodes = toml::from_str(&text).map_err(|e| told(&e))?;
    let (model, _, names) = nodes.model().map_err(|e| told(&e))?;
    Ok(Moving::Nodes(model, names))
}

fn load(name: &str, folder: &Path) -> Result<Moving, OptimizeError> {
    let ending = Path::new(name).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if ["xml", "urdf", "mjcf"].contains(&&*ending) {
        let path = folder.join(name);
        let loaded = formats::load(&path).map_err(|e| wrong(e.to_string()))?;
        return Ok(Moving::Model(Box::new(loaded.model), path));
    }
    let scene = scenes::by_name(name).map_err(|e| wrong(e.to_string()))?;
    Ok(Moving::Model(Box::new(scene.model), PathBuf::from(name)))
}

impl Moving {
    fn body(&self, name: &str) -> Option<BodyId> {
        match self {
            Moving::Model(model, _) => model.body(name),
            Moving::Nodes(nodes, _) => nodes.node(name),
        }
    }

    /// The points in the file, and all sites of a model.
    fn points(&self, sheet: &SystemSheet) -> Result<Vec<Point>, OptimizeError> {
        let site = |s: &poinsot::model::Site| Point { name: s.name.clone(), body: s.body, at: s.pose.pos };
        let mut points: Vec<Point> = match self {
            Moving::Model(model, _) => model.sites().iter().map(site).collect(),
            Moving::Nodes(..) => Vec::new(),
        };
        for (name, said) in sheet.points.iter().flatten() {
            let body = self
                .body(&said.body)
                .ok_or_else(|| wrong(format!("point {name}: there is no body \"{}\"", said.body)))?;
            let [x, y, z] = [&said.at[0], &said.at[1], &said.at[2]].map(Number::value);
            points.retain(|p| p.name != *name);
            points.push(Point { name: name.clone(), body, at: V3::new(x?, y?, z?) });
        }
        Ok(points)
    }

    /// The actuated degrees of freedom: those named, otherwise those of joints with actuators, otherwise all except those of free joints.
    fn actuated(&self, sheet: &SystemSheet) -> Result<Vec<usize>, OptimizeError> {
        let names = match self {
            Moving::Model(model, _) => labels(model, Space::Velocity),
            Moving::Nodes(_, names) => names.clone(),
        };
        if let Some(list) = &sheet.actuated {
            return list.iter().map(|name| find("the model", name, &names)).collect();
        }
        let Moving::Model(model, _) = self else { return Ok((0..names.len()).collect()) };
        let mut dofs: Vec<usize> = Vec::new();
        for actuator in model.actuators() {
            if let Transmission::Joint { joint, .. } = actuator.transmission {
                dofs.extend(model.joints()[joint.index()].dofs());
            }
        }
        if dofs.is_empty() {
            let pushed = model.joints().iter().filter(|j| j.kind.nv() < 6);
            dofs = pushed.flat_map(|j| j.dofs()).collect();
        }
        dofs.sort_unstable();
        dofs.dedup();
        Ok(dofs)
    }

    /// Bounds from the ranges of joints.
    fn limits(&self) -> Vec<Bound> {
        let Moving::Model(model, _) = self else { return Vec::new() };
        let of = |joint: &poinsot::model::Joint| {
            let single = joint.kind.nq() == 1;
            let quantity = Quantity::Q(joint.coordinates().start);
            joint.limits.filter(|_| single).map(|range| Bound { phase: None, quantity, range })
        };
        model.joints().iter().filter_map(of).collect()
    }
}

fn axes(ground: &GroundSheet) -> Result<Vec<usize>, OptimizeError> {
    let word = ground.axes.as_deref().unwrap_or("xyz");
    let axis = |c: char| "xyz".find(c);
    let axes: Option<Vec<usize>> = word.chars().map(axis).collect();
    axes.filter(|a| a.contains(&2) && a.len() <= 3).ok_or_else(|| {
        wrong(format!(
            "axes = \"{word}\" of the ground: write \"xyz\", or \"xz\" for a model in a plane; z is up"
        ))
    })
}

impl Made {
    /// Adds contacts to the phases: active forces, fixed points, and unilateral ground.
    pub fn stand(
        &self,
        equations: &dyn Equations,
        sheets: &[PhaseSheet],
        phases: &mut [Phase],
        begin: &[Condition],
    ) -> (Vec<Condition>, Vec<Bound>) {
        let (mut conditions, mut bounds) = (Vec::new(), Vec::new());
        for (k, sheet) in sheets.iter().enumerate() {
            let standing: Vec<&Standing> =
                self.feet.iter().filter(|f| sheet.contacts.contains(&f.name)).collect();
            phases[k].forces = standing.iter().flat_map(|f| f.forces.clone()).collect();
            let rows: Vec<usize> =
                standing.iter().flat_map(|f| f.axes.iter().map(|a| f.point + 6 + a)).collect();
            let free = self.independent(equations, &rows, begin);
            phases[k].zero = free.iter().map(|row| self.held(*row)).collect();
            for foot in standing {
                let up = foot.axes.iter().position(|a| *a == 2).map(|c| foot.forces[c]);
                let only = |quantity| Bound { phase: Some(k), quantity, range: (0.0, f64::INFINITY) };
                bounds.extend(up.map(|f| only(Quantity::F(f))));
                bounds.extend(foot.friction.iter().map(|o| only(Quantity::Output(*o))));
                let new = k > 0 && !sheets[k - 1].contacts.contains(&foot.name);
                if new {
                    let at = PhaseTime { phase: k, part: 0.0 };
                    let given = |output: usize, x: f64| Condition {
                        at,
                        quantity: Quantity::Output(output),
                        range: (x, x),
                    };
                    conditions.push(given(foot.point + 2, foot.height));
                    // only independent velocities are prescribed
                    let held = foot.axes.iter().filter(|a| free.contains(&(foot.point + 6 + **a)));
                    conditions.extend(held.map(|a| given(foot.point + 3 + a, 0.0)));
                }
            }
        }
        (conditions, bounds)
    }

    /// The acceleration of a point in contact, with terms that correct the drift of the scheme: a + 2α v, and along z
    /// also + α² (z − height).
    fn held(&self, row: usize) -> ZeroSum {
        let mut terms = vec![(Quantity::Output(row), 1.0), (Quantity::Output(row - 3), 2.0 * BACK)];
        let mut constant = 0.0;
        if let Some(foot) = self.feet.iter().find(|f| f.point + 8 == row) {
            terms.push((Quantity::Output(row - 6), BACK * BACK));
            constant = BACK * BACK * foot.height;
        }
        ZeroSum { terms, constant }
    }

    /// A largest independent subset of these accelerations, by orthogonalisation at the initial state.
    fn independent(&self, equations: &dyn Equations, rows: &[usize], begin: &[Condition]) -> Vec<usize> {
        let names = equations.names();
        let (nq, nv) = (names.q.len(), names.v.len());
        let n = nq + 2 * nv + names.u.len() + names.f.len();
        let m = nq + nv + names.outputs.len();
        let mut z = vec![0.0; n];
        z[..nq].copy_from_slice(&self.neutral);
        for c in begin {
            if let (Quantity::Q(k), true) = (c.quantity, c.at.phase == 0 && c.at.part == 0.0) {
                z[k] = 0.5 * (c.range.0 + c.range.1);
            }
        }
        let (mut out, mut jacobian) = (vec![0.0; m], vec![0.0; n * m]);
        equations.jacobian(&z, &mut out, &mut jacobian);
        let (mut kept, mut basis): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for row in rows {
            let first = (nq + nv + row) * n + nq + nv;
            let mut rest = jacobian[first..first + nv].to_vec();
            let size = norm(&rest);
            for b in &basis {
                let along: f64 = rest.iter().zip(b).map(|(x, y)| x * y).sum();
                rest.iter_mut().zip(b).for_each(|(x, y)| *x -= along * y);
            }
            let left = norm(&rest);
            if left > 1e-6 * size.max(1e-6) {
                rest.iter_mut().for_each(|x| *x /= left);
                basis.push(rest);
                kept.push(*row);
            }
        }
        kept
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
