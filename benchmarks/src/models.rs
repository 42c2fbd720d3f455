//! The robots of the benchmark, in the engine-neutral text format that the peer reads too.
//!
//! First line: joints, nq, nv. Then a line a joint: parent (−1: world), type (R, P, F), axis, rotation by rows and
//! position of the joint frame in its parent's, mass, centre of mass, and Ixx Ixy Iyy Ixz Iyz Izz about it.

use crate::table::Row;
use miette::{IntoDiagnostic, Result, miette};
use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::dynamics::Workspace;
use poinsot_core::model::{BodyId, BodySpec, Joint, Model, ModelBuilder};
use poinsot_core::spatial::{Inertia, Pose};
use std::fmt::Write;

/// A model and its text.
pub struct Robot {
    pub name: String,
    pub text: String,
    pub model: Model,
}

/// The robots: three from their makers' URDF, two made here, and chains.
pub fn all() -> Result<Vec<Robot>> {
    let mut robots = Vec::new();
    robots.push(panda()?);
    for (name, text) in
        [("anymal", include_str!("../models/anymal.txt")), ("talos", include_str!("../models/talos.txt"))]
    {
        robots.push(Robot::read(name, text.to_string())?);
    }
    robots.push(Robot::read("arm7", arm())?);
    robots.push(Robot::read("humanoid36", humanoid())?);
    for n in [10, 100, 1000] {
        robots.push(Robot::read(&format!("chain{n}"), chain(n))?);
    }
    Ok(robots)
}

/// The arm of seven joints.
pub fn panda() -> Result<Robot> {
    Robot::read("panda", include_str!("../models/panda.txt").to_string())
}

impl Robot {
    fn read(name: &str, text: String) -> Result<Robot> {
        let mut b = ModelBuilder::new(name);
        let mut ids = Vec::new();
        for (k, line) in text.lines().skip(1).enumerate() {
            let mut words = line.split_whitespace();
            let mut word = || words.next().ok_or_else(|| miette!("{name}: line {} is too short", k + 2));
            let (parent, kind) = (word()?.parse::<isize>().into_diagnostic()?, word()?);
            let mut x = [0.0; 25];
            for n in &mut x {
                *n = word()?.parse::<f64>().into_diagnostic()?;
            }
            let axis = V3::new(x[0], x[1], x[2]);
            let rot = M3::from_rows([[x[3], x[4], x[5]], [x[6], x[7], x[8]], [x[9], x[10], x[11]]]);
            let i = Sym3 { xx: x[19], xy: x[20], yy: x[21], xz: x[22], yz: x[23], zz: x[24] };
            let inertia = Inertia::new(x[15], V3::new(x[16], x[17], x[18]), i).into_diagnostic()?;
            let pose = Pose { rot, pos: V3::new(x[12], x[13], x[14]) };
            let parent = usize::try_from(parent).map_or(BodyId::WORLD, |p| ids[p]);
            let id = b.body(parent, BodySpec::new(format!("b{k}")).pose(pose).inertia(inertia));
            b.joint(
                id,
                match kind {
                    "F" => Joint::free(),
                    "R" => Joint::revolute(axis),
                    "P" => Joint::prismatic(axis),
                    other => return Err(miette!("{name}: joint type {other} is not known")),
                },
            );
            ids.push(id);
        }
        Ok(Robot { name: name.to_string(), text, model: b.build().into_diagnostic()? })
    }
}

/// Joints while a text is being written.
#[derive(Default)]
struct Text {
    lines: String,
    joints: usize,
    nq: usize,
    nv: usize,
}

impl Text {
    /// A link with a rod-like inertia from its origin to `tip`.
    fn link(
        &mut self,
        parent: isize,
        kind: char,
        axis: [f64; 3],
        at: [f64; 3],
        tip: [f64; 3],
        mass: f64,
    ) -> isize {
        let (l2, c) = (tip.map(|x| x * x), tip.map(|x| 0.5 * x));
        let thick = 0.002 * mass;
        let i = |a: usize, b: usize| mass * (l2[a] + l2[b]) / 12.0 + thick;
        let product = |a: usize, b: usize| -mass * tip[a] * tip[b] / 12.0;
        let numbers =
            [axis[0], axis[1], axis[2], 1., 0., 0., 0., 1., 0., 0., 0., 1., at[0], at[1], at[2], mass]
                .into_iter()
                .chain(c)
                .chain([i(1, 2), product(0, 1), i(0, 2), product(0, 2), product(1, 2), i(0, 1)]);
        let _ = write!(self.lines, "{parent} {kind}");
        for x in numbers {
            let _ = write!(self.lines, " {x:?}");
        }
        self.lines.push('\n');
        self.joints += 1;
        (self.nq, self.nv) =
            if kind == 'F' { (self.nq + 7, self.nv + 6) } else { (self.nq + 1, self.nv + 1) };
        self.joints as isize - 1
    }

    fn finish(self) -> String {
        format!("{} {} {}\n{}", self.joints, self.nq, self.nv, self.lines)
    }
}

const AXES: [[f64; 3]; 3] = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];

/// Seven hinges, as an arm has them.
fn arm() -> String {
    let mut t = Text::default();
    let mut last = -1;
    for (k, axis) in [2, 1, 2, 1, 2, 1, 2].into_iter().enumerate() {
        let length = if k % 2 == 0 { 0.3 } else { 0.1 };
        let at = if k % 2 == 1 || k == 0 { 0.3 } else { 0.1 };
        last = t.link(last, 'R', AXES[axis], [0., 0., at], [0.02, 0., length], 4.0 - 0.4 * k as f64);
    }
    t.finish()
}

/// A free-floating humanoid of 30 hinges, every link with its own inertia.
fn humanoid() -> String {
    let mut t = Text::default();
    let pelvis = t.link(-1, 'F', [0.; 3], [0.; 3], [0.1, 0.05, 0.1], 10.0);
    let mut limb = |parent: isize, at: [f64; 3], axes: &[(usize, [f64; 3], f64)]| {
        let (mut last, mut at) = (parent, at);
        for (axis, tip, mass) in axes {
            last = t.link(last, 'R', AXES[*axis], at, *tip, *mass);
            at = *tip;
        }
        last
    };
    let short = |z: f64| [0.01, 0.01, z];
    // depth first, as Pinocchio wants it
    for y in [0.1, -0.1] {
        let leg = [
            (2, short(-0.05), 1.0),
            (0, short(-0.05), 1.0),
            (1, short(-0.4), 6.0),
            (1, short(-0.4), 4.0),
            (1, short(-0.05), 0.5),
            (0, [0.15, 0., -0.05], 1.0),
        ];
        limb(pelvis, [0., y, -0.1], &leg);
    }
    let waist = [(2, short(0.05), 2.0), (1, short(0.05), 2.0), (0, short(0.45), 22.0)];
    let torso = limb(pelvis, [0., 0., 0.1], &waist);
    limb(torso, [0., 0., 0.5], &[(2, short(0.05), 0.5), (1, short(0.05), 0.5), (0, short(0.15), 3.0)]);
    for y in [0.1, -0.1] {
        let arm = [
            (1, [0., y, 0.02], 1.0),
            (0, short(-0.05), 0.5),
            (2, short(-0.3), 2.0),
            (1, short(-0.25), 1.5),
            (2, short(-0.05), 0.3),
            (1, short(-0.1), 0.4),
        ];
        limb(torso, [0., 2.0 * y, 0.4], &arm);
    }
    t.finish()
}

/// Rods of 0.1 m with alternating axes.
fn chain(n: usize) -> String {
    let mut t = Text::default();
    let mut last = -1;
    for k in 0..n {
        let at = if k == 0 { 0.0 } else { -0.1 };
        last = t.link(last, 'R', AXES[1 - k % 2], [0., 0., at], [0., 0., -0.1], 1.0);
    }
    t.finish()
}

/// A chain of `n` rods, as the peers get it too.
#[cfg(feature = "faer")]
pub fn chain_model(n: usize) -> Result<Model> {
    Ok(Robot::read(&format!("chain{n}"), chain(n))?.model)
}

/// ns per link of chains up to 100 000 links: linear cost is a constant column.
pub fn linear_cost(seconds: f64) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for n in [1_000usize, 10_000, 100_000] {
        let robot = Robot::read(&format!("chain{n}"), chain(n))?;
        let m = &robot.model;
        let (q, v, a) = (m.random_configuration(1), m.random_velocity(2), m.random_velocity(3));
        let (mut ws, mut out) = (Workspace::new(m), vec![0.0; m.nv()]);
        for (work, forward) in [("inverse dynamics, a link", false), ("forward dynamics, a link", true)] {
            let ns = crate::ours::measure(seconds, |_| {
                if forward {
                    ws.forward_dynamics(m, &q, &v, &a, &mut out);
                } else {
                    ws.inverse_dynamics(m, &q, &v, &a, &mut out);
                }
            });
            rows.push(Row { work, model: robot.name.clone(), ours_ns: ns / n as f64, peer_ns: None });
        }
    }
    Ok(rows)
}
