//! Our side: the same works on the same states.

use crate::convert::Case;
use crate::models::Robot;
use cpu_time::ThreadTime;
use miette::{IntoDiagnostic, Result};
use poinsot_core::dynamics::{
    BatchWorkspace, ForwardDynamicsDerivatives, InverseDynamicsDerivatives, MassMatrix, State, Workspace,
    pinocchio,
};
use poinsot_core::inverse_kinematics::{InverseKinematics, Outcome, Search, Target};
use poinsot_core::model::{BodyId, Frame};
use poinsot_core::spatial::{Motion, Pose};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A work, by our words and by the peer's.
#[derive(Clone, Copy)]
pub struct Work {
    pub name: &'static str,
    pub peer_name: &'static str,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Inverse,
    Forward,
    MassFactor,
    Jacobians,
    InverseBatch,
    ForwardBatch,
    InverseDerivatives,
    ForwardDerivatives,
    Reach,
}

pub const WORKS: [Work; 9] = [
    Work { name: "RNEA", peer_name: "rnea", kind: Kind::Inverse },
    Work { name: "ABA", peer_name: "aba", kind: Kind::Forward },
    Work { name: "CRBA + factor", peer_name: "crba_factor", kind: Kind::MassFactor },
    Work { name: "kinematics + Jacobians", peer_name: "kinematics_jacobians", kind: Kind::Jacobians },
    Work { name: "derivatives of RNEA", peer_name: "rnea_derivatives", kind: Kind::InverseDerivatives },
    Work { name: "derivatives of ABA", peer_name: "aba_derivatives", kind: Kind::ForwardDerivatives },
    Work { name: "inverse kinematics", peer_name: "reach", kind: Kind::Reach },
    Work { name: "RNEA, 8 lanes, a state", peer_name: "rnea", kind: Kind::InverseBatch },
    Work { name: "ABA, 8 lanes, a state", peer_name: "aba", kind: Kind::ForwardBatch },
];

const POOL: usize = 64;

struct Sample {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
}

/// A robot with its states and scratch.
pub struct Bench<'a> {
    robot: &'a Robot,
    states: Vec<Sample>,
    /// These states in groups of eight, interleaved.
    eights: Vec<Sample>,
    workspace: Workspace,
    batch: BatchWorkspace,
    mass: MassMatrix,
    inverse: InverseDynamicsDerivatives,
    forward: ForwardDynamicsDerivatives,
    out: Vec<f64>,
    out8: Vec<f64>,
    jacobians: Vec<Motion>,
    /// For each state: where its last body is, and a configuration near it.
    reaches: Vec<(Target, Vec<f64>)>,
    search: Option<InverseKinematics<'a>>,
    reached: Option<Outcome>,
}

/// How far away, as a time at the velocity of the state, s.
const BESIDE: f64 = 0.3;

impl<'a> Bench<'a> {
    pub fn new(robot: &'a Robot) -> Bench<'a> {
        let m = &robot.model;
        let sample = |k: u64| Sample {
            q: m.random_configuration(k),
            v: m.random_velocity(k + 1000),
            a: m.random_velocity(k + 2000),
            tau: m.random_velocity(k + 3000),
        };
        let states: Vec<Sample> = (0..POOL as u64).map(sample).collect();
        let together =
            |part: fn(&Sample) -> &Vec<f64>, eight: &[Sample]| eight.iter().flat_map(part).copied().collect();
        let eights = states.chunks(8).map(|e| Sample {
            q: together(|s| &s.q, e),
            v: together(|s| &s.v, e),
            a: together(|s| &s.a, e),
            tau: together(|s| &s.tau, e),
        });
        let last = m.body(&format!("b{}", m.bodies().len() - 2)).unwrap_or(BodyId::WORLD);
        let mut workspace = Workspace::new(m);
        let reach = |s: &Sample| {
            let at = State { q: s.q.clone(), ..State::new(m) };
            let (mut start, pose) = (s.q.clone(), workspace.at(m, &at).pose(last));
            m.integrate(&mut start, &s.v, BESIDE);
            (Target::Pose(Frame { body: last, pose: Pose::IDENTITY }, pose), start)
        };
        let reaches: Vec<(Target, Vec<f64>)> = states.iter().map(reach).collect();
        Bench {
            robot,
            search: InverseKinematics::new(m, &[reaches[0].0]).ok(),
            reaches,
            reached: None,
            eights: eights.collect(),
            states,
            workspace,
            batch: BatchWorkspace::new(m),
            mass: MassMatrix::new(m),
            inverse: InverseDynamicsDerivatives::new(m),
            forward: ForwardDynamicsDerivatives::new(m),
            out: vec![0.0; m.nv()],
            out8: vec![0.0; 8 * m.nv()],
            jacobians: vec![Motion::default(); m.nv()],
        }
    }

    /// Model and states for the peer, in its conventions.
    pub fn write_files(&self, build: &Path) -> Result<[PathBuf; 2]> {
        let m = &self.robot.model;
        let mut numbers = vec![POOL as f64, m.nq() as f64, m.nv() as f64];
        for s in &self.states {
            let (mut q, mut v, mut a, mut tau) = (s.q.clone(), s.v.clone(), s.a.clone(), s.tau.clone());
            pinocchio::acceleration_to(m, &s.q, &s.v, &mut a);
            pinocchio::velocity_to(m, &s.q, &mut v);
            pinocchio::force_to(m, &s.q, &mut tau);
            pinocchio::configuration_to(m, &mut q);
            numbers.extend(q.iter().chain(&v).chain(&a).chain(&tau));
        }
        let files = ["txt", "bin"].map(|e| build.join(format!("{}.{e}", self.robot.name)));
        std::fs::write(&files[0], &self.robot.text).into_diagnostic()?;
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        std::fs::write(&files[1], bytes).into_diagnostic()?;
        Ok(files)
    }

    fn run(&mut self, kind: Kind, k: usize) {
        let m = &self.robot.model;
        let (s, e) = (&self.states[k % POOL], &self.eights[k % self.eights.len()]);
        match kind {
            Kind::Inverse => self.workspace.inverse_dynamics(m, &s.q, &s.v, &s.a, &mut self.out),
            Kind::Forward => self.workspace.forward_dynamics(m, &s.q, &s.v, &s.tau, &mut self.out),
            Kind::MassFactor => {
                self.workspace.mass_matrix(m, &s.q, &mut self.mass);
                self.mass.factor();
            }
            Kind::Jacobians => self.workspace.jacobians(m, &s.q, &mut self.jacobians),
            Kind::InverseBatch => self.batch.inverse_dynamics(m, &e.q, &e.v, &e.a, &mut self.out8),
            Kind::ForwardBatch => self.batch.forward_dynamics(m, &e.q, &e.v, &e.tau, &mut self.out8),
            Kind::InverseDerivatives => {
                self.workspace.inverse_dynamics_derivatives(m, &s.q, &s.v, &s.a, &mut self.inverse);
                black_box(&self.inverse);
            }
            Kind::ForwardDerivatives => {
                self.workspace.forward_dynamics_derivatives(m, &s.q, &s.v, &s.tau, &mut self.forward);
                black_box(&self.forward);
            }
            Kind::Reach => {}
        }
        if kind == Kind::Reach {
            let (target, start) = &self.reaches[k % POOL];
            let options = Search { limits: false, ..Search::default() };
            self.reached = self.search.as_mut().and_then(|search| {
                search.set_targets(&[*target]).ok()?;
                search.solve(start, &options).ok().map(|found| found.outcome)
            });
        }
        black_box((&self.out, &self.out8, &self.mass, &self.jacobians));
    }

    /// ns a state: minimum of many chunks.
    pub fn time(&mut self, work: Work, seconds: f64) -> f64 {
        let states = if matches!(work.kind, Kind::InverseBatch | Kind::ForwardBatch) { 8.0 } else { 1.0 };
        measure(seconds, |k| self.run(work.kind, k)) / states
    }

    /// What the work computes for one state, in the peer's conventions.
    pub fn values(&mut self, work: Work, index: usize) -> Vec<f64> {
        let m = &self.robot.model;
        let s = &self.states[index];
        let (q, v) = (s.q.clone(), s.v.clone());
        match work.kind {
            Kind::Inverse | Kind::InverseBatch => {
                let mut tau = self.values_of(work.kind, index);
                pinocchio::force_to(m, &q, &mut tau);
                tau
            }
            Kind::Forward | Kind::ForwardBatch => {
                let mut a = self.values_of(work.kind, index);
                pinocchio::acceleration_to(m, &q, &v, &mut a);
                a
            }
            Kind::MassFactor => {
                let mut x = s.tau.clone();
                self.run(work.kind, index);
                self.mass.solve(&mut x);
                pinocchio::velocity_to(m, &q, &mut x);
                x
            }
            Kind::InverseDerivatives => {
                self.run(work.kind, index);
                let (s, d) = (&self.states[index], &self.inverse);
                let by = [d.by_position(), d.by_velocity(), d.by_acceleration()];
                let at = Case { model: m, q: &q, v: &v, x: &s.a, y: d.tau(), forward: false, by };
                at.for_peer()
            }
            Kind::ForwardDerivatives => {
                self.run(work.kind, index);
                let (s, d) = (&self.states[index], &self.forward);
                let by = [d.by_position(), d.by_velocity(), d.by_force()];
                let at = Case { model: m, q: &q, v: &v, x: &s.tau, y: d.acceleration(), forward: true, by };
                at.for_peer()
            }
            // 1 where it is reached to 1e-9
            Kind::Reach => {
                self.run(work.kind, index);
                vec![f64::from(u8::from(self.reached == Some(Outcome::Converged)))]
            }
            Kind::Jacobians => {
                let (mut out, state) = (Vec::new(), State { q: q.clone(), ..State::new(m) });
                for k in 1..m.bodies().len() {
                    let id = m.body(&format!("b{}", k - 1)).unwrap_or(poinsot_core::model::BodyId::WORLD);
                    let pose = self.workspace.at(m, &state).pose(id);
                    out.extend(pose.rot.rows().into_iter().flatten().chain(pose.pos.array()));
                }
                self.run(work.kind, index);
                out.extend(self.jacobian_rows(&q));
                out
            }
        }
    }

    fn values_of(&mut self, kind: Kind, index: usize) -> Vec<f64> {
        let nv = self.robot.model.nv();
        if matches!(kind, Kind::InverseBatch | Kind::ForwardBatch) {
            self.run(kind, index / 8);
            return self.out8[(index % 8) * nv..(index % 8 + 1) * nv].to_vec();
        }
        self.run(kind, index);
        self.out.clone()
    }

    /// The peer's J: rows linear then angular, the free joint's linear columns along body axes.
    fn jacobian_rows(&self, q: &[f64]) -> Vec<f64> {
        let m = &self.robot.model;
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let parts: [fn(&Motion) -> f64; 6] =
            [|j| j.lin.x, |j| j.lin.y, |j| j.lin.z, |j| j.ang.x, |j| j.ang.y, |j| j.ang.z];
        for part in parts {
            let mut row: Vec<f64> = self.jacobians.iter().map(part).collect();
            pinocchio::force_to(m, q, &mut row);
            rows.push(row);
        }
        rows.concat()
    }
}

/// CPU nanoseconds a call: the minimum over chunks of about a tenth of `seconds` each, every chunk at another place of
/// the stack. A spill to the stack that shares its low address bits with data slows a loop by a third, and where the
/// stack begins is chance; the peer is started anew for each round.
pub fn measure(seconds: f64, mut call: impl FnMut(usize)) -> f64 {
    let mut k = 0;
    let mut run = |n: usize| {
        let begin = ThreadTime::now();
        for _ in 0..n {
            call(k);
            k += 1;
        }
        begin.elapsed()
    };
    let chunk = Duration::from_secs_f64(seconds / 10.0);
    let mut n = 1;
    while run(n) < chunk {
        n *= 2;
    }
    let mut best = f64::INFINITY;
    for depth in 0..10 {
        deeper(depth, &mut || best = best.min(run(n).as_secs_f64() / n as f64 * 1e9));
    }
    best
}

/// Calls `f` with the stack some hundred bytes further down for each level.
#[inline(never)]
fn deeper(levels: usize, f: &mut dyn FnMut()) {
    let room = [0u8; 272];
    black_box(&room);
    if levels == 0 {
        f()
    } else {
        deeper(levels - 1, f)
    }
    black_box(&room);
}
