//! Inverse dynamics of given motions: the forces that a clip of coordinates requires, and whether anything could exert them.

mod clip;
mod npz;
mod smooth;

pub(crate) use clip::read;

use crate::error::OptimizeError;
use crate::system::Names;
use poinsot::algebra::V3;
use poinsot::dynamics::{At, State, Workspace};
use poinsot::model::{BodyId, JointKind, Model, Transmission};
use poinsot::names::{Space, labels};
use poinsot::spatial::Force;
use std::path::Path;

/// A motion with the forces that produce it.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Equally spaced times, s.
    pub time: Vec<f64>,
    /// Coordinates after smoothing.
    pub q: Vec<Vec<f64>>,
    /// Velocities.
    pub v: Vec<Vec<f64>>,
    /// Accelerations.
    pub a: Vec<Vec<f64>>,
    /// Joint forces beyond springs and dampers; at degrees of freedom that nothing drives, this is [`Self::residual`].
    pub tau: Vec<Vec<f64>>,
    /// For each degree of freedom: its name, and whether something drives it.
    pub dofs: Vec<(String, bool)>,
    /// The external force that the motion requires, world axes: Σ m (c̈ − g).
    pub force: Vec<[f64; 3]>,
    /// For each body but the world: the force with which its joint (or mount) holds it, motors included, and its moment about the origin of
    /// the body, world axes.
    pub reactions: Vec<Vec<Force>>,
    /// The names of these bodies.
    pub bodies: Vec<String>,
    /// The cut-off frequency of the smoothing, Hz; `None` without smoothing.
    pub cutoff: Option<f64>,
    /// The weight of the model, N.
    pub weight: f64,
    /// True if the whole model is free to move: then the world must exert the force, otherwise its mount does.
    pub floats: bool,
}

impl Explained {
    /// The size of the force at degrees of freedom that nothing drives, at each time: if it is not 0, something external must act (the
    /// ground), or the motion is not physical.
    pub fn residual(&self) -> Vec<f64> {
        let of = |tau: &Vec<f64>| {
            let free = tau.iter().zip(&self.dofs).filter(|(_, (_, driven))| !driven);
            free.map(|(t, _)| t * t).sum::<f64>().sqrt()
        };
        self.tau.iter().map(of).collect()
    }

    /// The rows at least one period of the cut-off away from both ends; nearer to them smoothing bends the motion, and forces are wrong. All
    /// rows if nothing is smoothed, or if none would be left.
    pub fn interior(&self) -> std::ops::Range<usize> {
        let (rows, period) = (self.time.len(), self.cutoff.map_or(0.0, |f| 1.0 / f));
        let begin = self.time.partition_point(|t| t - self.time[0] < period);
        let end = self.time.partition_point(|t| self.time[rows - 1] - t >= period);
        if begin < end { begin..end } else { 0..rows }
    }

    /// The times in the interior at which the ground would have to pull, which it cannot, with the force, N; the worst first.
    pub fn pulls(&self) -> Vec<(f64, f64)> {
        if !self.floats {
            return Vec::new();
        }
        let pull = self.interior().map(|k| (self.time[k], -self.force[k][2]));
        // rounding and smoothing errors do not count
        let mut pulls: Vec<(f64, f64)> = pull.filter(|(_, f)| *f > 1e-3 * self.weight).collect();
        pulls.sort_by(|a, b| b.1.total_cmp(&a.1));
        pulls
    }
}

/// Reads a clip (CSV: `time`, then columns named after coordinates; NPZ: `time` and `qpos`) and computes the forces that it requires.
///
/// `cutoff`: the frequency at which smoothing halves the amplitude of a sine, Hz; `None` for no smoothing.
///
/// ```
/// # let folder = std::env::temp_dir().join("poinsot-explain-example");
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("clip.csv");
/// // a pendulum of 1 m and 1 kg at rest, held at 0.3 rad
/// std::fs::write(&path, "time,hinge\n0,0.3\n0.1,0.3\n0.2,0.3\n0.3,0.3\n0.4,0.3\n")?;
/// # use poinsot::{algebra::V3, model::*};
/// # let mut b = ModelBuilder::new("pendulum");
/// # let bob = b.body(BodyId::WORLD, BodySpec::new("bob").at(V3::new(0.0, 0.0, -1.0)).solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// # b.joint(bob, Joint::revolute(V3::Y).named("hinge").anchor(V3::new(0.0, 0.0, 1.0)));
/// # let model = b.build()?;
/// let found = poinsot_optimize::explain(&model, &path, None)?;
/// assert!((found.tau[2][0] - 9.81 * 0.3f64.sin()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file is not a clip of this model.
pub fn explain(model: &Model, path: &Path, cutoff: Option<f64>) -> Result<Explained, OptimizeError> {
    let names =
        Names { q: labels(model, Space::Position), v: labels(model, Space::Velocity), ..Names::default() };
    let clip = clip::read(path, &names)?;
    explain_rows(model, &clip.time, &clip.q, cutoff)
}

/// As [`explain`], for coordinates in memory: a row for each time.
///
/// # Errors
/// If there are fewer than five rows, or their sizes do not fit the model.
pub fn explain_rows(
    model: &Model,
    time: &[f64],
    q: &[Vec<f64>],
    cutoff: Option<f64>,
) -> Result<Explained, OptimizeError> {
    if let Some(what) = flaw(time, q, model.nq()) {
        return Err(OptimizeError::Clip { what });
    }
    if cutoff.is_some_and(|f| !(f > 0.0 && f.is_finite())) {
        return Err(OptimizeError::File("the cut-off is a positive number of Hz".into()));
    }
    let (first, last, count) = (time[0], time[time.len() - 1], time.len());
    let h = (last - first) / (count - 1) as f64;
    let even = time.iter().enumerate().all(|(k, t)| (t - first - h * k as f64).abs() < 1e-6 * h);
    let signed = steady(model, q);
    let columns: Vec<Vec<f64>> = (0..model.nq())
        .map(|c| {
            let y: Vec<f64> = signed.iter().map(|row| row[c]).collect();
            let mut y = if even { y } else { smooth::resample(time, &y, first, h, count) };
            if let Some(cutoff) = cutoff {
                smooth::smooth(&mut y, cutoff, h);
            }
            y
        })
        .collect();
    let rates: Vec<(Vec<f64>, Vec<f64>)> = columns.iter().map(|y| smooth::rates(y, h)).collect();
    let time: Vec<f64> = (0..count).map(|k| first + h * k as f64).collect();
    Ok(forces(model, time, &columns, &rates, cutoff))
}

/// What is wrong with the rows of a clip.
fn flaw(time: &[f64], q: &[Vec<f64>], nq: usize) -> Option<String> {
    if time.len() < 5 || q.len() != time.len() {
        return Some(format!(
            "needs at least 5 rows, and as many times; it has {} and {}",
            q.len(),
            time.len()
        ));
    }
    if let Some(k) = q.iter().position(|row| row.len() != nq) {
        return Some(format!("needs {nq} coordinates in each row; row {k} has {}", q[k].len()));
    }
    if let Some(k) = (0..q.len()).find(|k| !time[*k].is_finite() || q[*k].iter().any(|x| !x.is_finite())) {
        return Some(format!("has a number that is not finite in row {k}"));
    }
    let k = time.windows(2).position(|w| w[0] >= w[1])?;
    Some(format!("needs times that rise; t[{k}] = {} and t[{}] = {}", time[k], k + 1, time[k + 1]))
}

/// q and −q are the same attitude: gives each quaternion the sign that is nearer to the previous one.
fn steady(model: &Model, q: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut rows = q.to_vec();
    for joint in model.joints() {
        let at = match joint.kind {
            JointKind::Spherical => joint.coordinates().start,
            JointKind::Free => joint.coordinates().start + 3,
            _ => continue,
        };
        for k in 1..rows.len() {
            let along: f64 = (at..at + 4).map(|c| rows[k][c] * rows[k - 1][c]).sum();
            if along < 0.0 {
                rows[k][at..at + 4].iter_mut().for_each(|x| *x = -*x);
            }
        }
    }
    rows
}

fn forces(
    model: &Model,
    time: Vec<f64>,
    columns: &[Vec<f64>],
    rates: &[(Vec<f64>, Vec<f64>)],
    cutoff: Option<f64>,
) -> Explained {
    let (mut workspace, mut state) = (Workspace::new(model), State::new(model));
    let floats = model.joints().iter().any(|j| j.kind == JointKind::Free);
    let weight = model.mass() * model.gravity().norm();
    let mut found = Explained {
        q: Vec::new(),
        v: Vec::new(),
        a: Vec::new(),
        tau: Vec::new(),
        force: Vec::new(),
        reactions: Vec::new(),
        bodies: model.bodies().iter().skip(1).map(|body| body.name.clone()).collect(),
        dofs: driven(model),
        time,
        cutoff,
        weight,
        floats,
    };
    #[allow(clippy::needless_range_loop)] // rows of several columns
    for k in 0..found.time.len() {
        let row = |pick: &dyn Fn(usize) -> f64| (0..model.nq()).map(pick).collect::<Vec<f64>>();
        let (q, dq, ddq) = (row(&|c| columns[c][k]), row(&|c| rates[c].0[k]), row(&|c| rates[c].1[k]));
        let (v, a) = tangent(model, &q, &dq, &ddq);
        let (mut tau, mut passive) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        workspace.inverse_dynamics(model, &q, &v, &a, &mut tau);
        model.add_spring_forces(&q, &mut passive);
        for joint in model.joints() {
            joint.dofs().for_each(|d| passive[d] -= joint.damping * v[d]);
        }
        tau.iter_mut().zip(&passive).for_each(|(t, p)| *t -= p);
        (state.q, state.v) = (q.clone(), v.clone());
        let at = workspace.at(model, &state);
        let required: Vec<Force> = model.body_ids().map(|id| required(model, &at, id, &a)).collect();
        let total = required.iter().skip(1).fold(V3::ZERO, |sum, f| sum + f.force);
        found.force.push(total.array());
        found.reactions.push(reactions(model, &at, required));
        found.q.push(q);
        found.v.push(v);
        found.a.push(a);
        found.tau.push(tau);
    }
    found
}

/// The force that a body requires, with its moment about its origin O, world axes: `F = m (a_O − g) + α × m c + ω × (ω × m c)` and
/// `N = m c × (a_O − g) + J α + ω × J ω`, with J about O.
fn required(model: &Model, at: &At<'_>, id: BodyId, qacc: &[f64]) -> Force {
    let body = &model.bodies()[id.index()];
    let (rot, w) = (at.pose(id).rot, at.velocity(id).ang);
    let moved = at.acceleration(id, qacc);
    let (up, arm) = (moved.lin - model.gravity(), rot * body.inertia.first_moment);
    let turning = |x: V3| rot * (body.inertia.rotational * rot.tr_mul(x));
    let force = up * body.inertia.mass + moved.ang.cross(arm) + w.cross(w.cross(arm));
    Force { moment: arm.cross(up) + turning(moved.ang) + w.cross(turning(w)), force }
}

/// The forces of the joints: what each body and all that it carries require. `at` gives the poses; bodies come after their parents.
fn reactions(model: &Model, at: &At<'_>, mut required: Vec<Force>) -> Vec<Force> {
    for id in model.body_ids().skip(1).collect::<Vec<_>>().into_iter().rev() {
        let (parent, carried) = (model.bodies()[id.index()].parent, required[id.index()]);
        let arm = at.pose(id).pos - at.pose(parent).pos;
        let sum = &mut required[parent.index()];
        *sum = Force {
            moment: sum.moment + carried.moment + arm.cross(carried.force),
            force: sum.force + carried.force,
        };
    }
    required.split_off(1)
}

/// v and v̇ from rates of coordinates. For a quaternion p: Ω = 2 p⁻¹ ṗ and Ω̇ = 2 p⁻¹ p̈, the vector parts, since p keeps its length.
fn tangent(model: &Model, q: &[f64], dq: &[f64], ddq: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut v, mut a) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
    for joint in model.joints() {
        let (at, k) = (joint.coordinates().start, joint.dofs().start);
        let lines = match joint.kind {
            JointKind::Spherical => 0,
            JointKind::Free => 3,
            kind => kind.nv(),
        };
        v[k..k + lines].copy_from_slice(&dq[at..at + lines]);
        a[k..k + lines].copy_from_slice(&ddq[at..at + lines]);
        if matches!(joint.kind, JointKind::Spherical | JointKind::Free) {
            let (c, d) = (at + lines, k + lines);
            v[d..d + 3].copy_from_slice(&turned(&q[c..c + 4], &dq[c..c + 4]));
            a[d..d + 3].copy_from_slice(&turned(&q[c..c + 4], &ddq[c..c + 4]));
        }
    }
    (v, a)
}

/// The vector part of 2 p⁻¹ r.
fn turned(p: &[f64], r: &[f64]) -> [f64; 3] {
    let length: f64 = p.iter().map(|x| x * x).sum();
    let part =
        |i: usize, j: usize, k: usize| 2.0 * (p[0] * r[i] - p[i] * r[0] - p[j] * r[k] + p[k] * r[j]) / length;
    [part(1, 2, 3), part(2, 3, 1), part(3, 1, 2)]
}

/// Whether each degree of freedom is driven. Free joints are not; others are driven by their motors, or if the model has no actuators,
/// assumed to be driven.
fn driven(model: &Model) -> Vec<(String, bool)> {
    let names = labels(model, Space::Velocity);
    let mut driven = vec![model.actuators().is_empty(); model.nv()];
    for actuator in model.actuators() {
        match &actuator.transmission {
            Transmission::Joint { joint, .. } => {
                model.joints()[joint.index()].dofs().for_each(|d| driven[d] = true)
            }
            // tendons and sites may drive anything: all degrees of freedom count as driven
            _ => driven.fill(true),
        }
    }
    for joint in model.joints().iter().filter(|j| j.kind == JointKind::Free) {
        joint.dofs().for_each(|d| driven[d] = false);
    }
    names.into_iter().zip(driven).collect()
}
