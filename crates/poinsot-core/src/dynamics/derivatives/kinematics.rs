//! Derivatives of velocities, accelerations and momenta: equations (1) to (4) of the [module](super), along the path from the world to a
//! body.
//!
//! Not for inner loops: these allocate.

use crate::algebra::V3;
use crate::dynamics::At;
use crate::model::BodyId;
use crate::spatial::{Force, Motion};
use nalgebra::DMatrix;

/// A degree of freedom on the path to a link: its screw, and the motion before and after its joint, all at the world's origin.
struct Stage {
    dof: usize,
    screw: Motion,
    velocity: Motion,
    acceleration: Motion,
    after: Motion,
}

/// A link and the path to it.
struct LinkPath {
    stages: Vec<Stage>,
    velocity: Motion,
    acceleration: Motion,
}

impl Stage {
    /// Ψ̇
    fn turned(&self) -> Motion {
        self.velocity.cross(self.screw)
    }
    /// Ψ̈
    fn turned_twice(&self) -> Motion {
        self.acceleration.cross(self.screw) + self.velocity.cross(self.turned())
    }
    /// Φ
    fn mixed(&self) -> Motion {
        self.after.cross(self.screw) + self.turned()
    }
}

impl LinkPath {
    fn velocity_by_position(&self, s: &Stage) -> Motion {
        s.screw.cross(self.velocity) + s.turned()
    }
    fn acceleration_by_position(&self, s: &Stage) -> Motion {
        s.screw.cross(self.acceleration) + s.turned().cross(self.velocity) + s.turned_twice()
    }
    fn acceleration_by_velocity(&self, s: &Stage) -> Motion {
        s.screw.cross(self.velocity) + s.mixed()
    }
}

/// The result of [`At::centroidal_derivatives`]. Rows are angular, about the centre of mass, then linear; columns as qvel.
#[derive(Clone, Debug, PartialEq)]
pub struct CentroidalDerivatives {
    /// The momentum h about the centre of mass.
    pub momentum: Force,
    /// Its rate ḣ: the sum of all external forces.
    pub rate: Force,
    /// The derivative of the centre of mass with respect to q, 3 × nv.
    pub com_by_position: DMatrix<f64>,
    /// ∂h/∂q
    pub momentum_by_position: DMatrix<f64>,
    /// ∂h/∂v, the centroidal momentum matrix; also ∂ḣ/∂a.
    pub momentum_by_velocity: DMatrix<f64>,
    /// ∂ḣ/∂q
    pub rate_by_position: DMatrix<f64>,
    /// ∂ḣ/∂v
    pub rate_by_velocity: DMatrix<f64>,
}

impl At<'_> {
    /// The path to a link, with the world accelerating with `lifted`.
    fn path(&self, link: usize, qacc: &[f64], lifted: V3) -> LinkPath {
        let (mut velocity, mut acceleration) = (Motion::default(), Motion { ang: V3::ZERO, lin: lifted });
        let mut stages = Vec::new();
        for joint in self.joints_on_the_way(link) {
            let sum = |x: &[f64]| joint.iter().fold(Motion::default(), |sum, (k, s)| sum + *s * x[*k]);
            let (rate, pushed) = (sum(&self.state.v), sum(qacc));
            let after = velocity + rate;
            stages.extend(joint.iter().map(|(dof, screw)| Stage {
                dof: *dof,
                screw: *screw,
                velocity,
                acceleration,
                after,
            }));
            acceleration = acceleration + pushed + velocity.cross(rate);
            velocity = after;
        }
        LinkPath { stages, velocity, acceleration }
    }

    /// The derivative of [`At::velocity`] with respect to q, 6 × nv: column k is along the k-th velocity. With respect to v it is
    /// [`At::jacobian`], which is also the derivative of the pose, as a motion.
    ///
    /// ```
    /// use poinsot_core::{algebra::V3, dynamics::{State, Workspace}, model::*};
    /// # let mut b = ModelBuilder::new("pendulum");
    /// # let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
    /// # b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
    /// # let model = b.build()?;
    /// let (mut workspace, mut state) = (Workspace::new(&model), State::new(&model));
    /// (state.q[0], state.v[0]) = (0.3, 2.0);
    /// let by_q = workspace.at(&model, &state).velocity_derivatives(bob);
    /// assert!((by_q[(5, 0)] - 2.0 * 0.3f64.cos()).abs() < 1e-14); // the bob is at −sin q, 1 − cos q
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn velocity_derivatives(&self, body: BodyId) -> DMatrix<f64> {
        let (link, p) = (self.model.bodies()[body.index()].link, self.pose(body).pos);
        let rest = vec![0.0; self.model.nv()];
        let path = self.path(link, &rest, V3::ZERO);
        let mut out = DMatrix::zeros(6, self.model.nv());
        for s in &path.stages {
            set(&mut out, s.dof, speed_by_position(&path, s, p));
        }
        out
    }

    /// The derivatives of [`At::acceleration`] with respect to q and v, each 6 × nv; with respect to `qacc` it is [`At::jacobian`].
    pub fn acceleration_derivatives(&self, body: BodyId, qacc: &[f64]) -> [DMatrix<f64>; 2] {
        let (link, p) = (self.model.bodies()[body.index()].link, self.pose(body).pos);
        let path = self.path(link, qacc, V3::ZERO);
        let (w, alpha, speed) = (path.velocity.ang, path.acceleration.ang, path.velocity.at(p).lin);
        let [mut by_q, mut by_v] = [(); 2].map(|()| DMatrix::zeros(6, self.model.nv()));
        for s in &path.stages {
            // a_p = A + α × p + ω × v_p
            let (moved, faster) = (s.screw.at(p), speed_by_position(&path, s, p));
            let d = path.acceleration_by_position(s).at(p);
            let lin = d.lin + alpha.cross(moved.lin) + faster.ang.cross(speed) + w.cross(faster.lin);
            set(&mut by_q, s.dof, Motion { ang: d.ang, lin });
            let d = path.acceleration_by_velocity(s).at(p);
            let lin = d.lin + s.screw.ang.cross(speed) + w.cross(moved.lin);
            set(&mut by_v, s.dof, Motion { ang: d.ang, lin });
        }
        [by_q, by_v]
    }

    /// F of a link, equation (3); adds its derivatives with respect to q and v, (4), to the given sums.
    fn add_forces(&self, link: usize, path: &LinkPath, by_q: &mut [Force], by_v: &mut [Force]) -> Force {
        let v = path.velocity;
        let inertia = |m: Motion| self.link_inertia_times(link, m);
        let l = inertia(v);
        let f = inertia(path.acceleration) + v.cross_force(l);
        let b = |x: Motion| v.cross_force(inertia(x)) + x.cross_force(l) - inertia(v.cross(x));
        for s in &path.stages {
            let k = s.dof;
            by_q[k] = by_q[k] + s.screw.cross_force(f) + inertia(s.turned_twice()) + b(s.turned());
            by_v[k] = by_v[k] + inertia(s.mixed()) + b(s.screw);
        }
        f
    }

    /// The force that the joint of `body` transmits to it if the joints accelerate with `qacc` and gravity is the only external force, with
    /// its moment about the origin of the body, in world axes; and its derivatives with respect to q, v and `qacc`, each 6 × nv, rows of
    /// the moment first. If the joints accelerate as in [forward dynamics](super::ForwardDynamicsDerivatives), the total derivatives with
    /// respect to q and v also contain the third times ∂q̈/∂q and ∂q̈/∂v.
    pub fn reaction_derivatives(&self, body: BodyId, qacc: &[f64]) -> (Force, [DMatrix<f64>; 3]) {
        let (n, tree) = (self.model.nv(), &self.model.tree);
        let (first, p) = (self.model.bodies()[body.index()].link, self.pose(body).pos);
        let [mut by_q, mut by_v, mut by_a] = [(); 3].map(|()| vec![Force::default(); n]);
        let mut reaction = Force::default();
        for link in first.max(1)..tree.links() {
            let mut above = link;
            while above > first {
                above = tree.parent[above];
            }
            if above != first {
                continue;
            }
            let path = self.path(link, qacc, -self.model.gravity());
            reaction = reaction + self.add_forces(link, &path, &mut by_q, &mut by_v);
            for s in &path.stages {
                by_a[s.dof] = by_a[s.dof] + self.link_inertia_times(link, s.screw);
            }
        }
        // the point moves with q
        let mut moved = vec![V3::ZERO; n];
        let rest = vec![0.0; n];
        self.path(first, &rest, V3::ZERO).stages.iter().for_each(|s| moved[s.dof] = s.screw.at(p).lin);
        let [mut q, mut v, mut a] = [(); 3].map(|()| DMatrix::zeros(6, n));
        for k in 0..n {
            let [dq, dv, da] = [by_q[k], by_v[k], by_a[k]].map(|d| d.about(p));
            let moment = dq.moment - moved[k].cross(reaction.force);
            set(&mut q, k, Motion { ang: moment, lin: dq.force });
            set(&mut v, k, Motion { ang: dv.moment, lin: dv.force });
            set(&mut a, k, Motion { ang: da.moment, lin: da.force });
        }
        (reaction.about(p), [q, v, a])
    }

    /// The momentum about the centre of mass, its rate if the joints accelerate with `qacc`, and the derivatives of both [Carpentier18].
    pub fn centroidal_derivatives(&self, qacc: &[f64]) -> CentroidalDerivatives {
        let n = self.model.nv();
        let nothing = vec![Force::default(); n];
        let [mut matrix, mut by_q, mut rate_by_q, mut rate_by_v] = [(); 4].map(|()| nothing.clone());
        let (mut momentum, mut rate) = (Force::default(), Force::default());
        for link in 1..self.model.tree.links() {
            let path = self.path(link, qacc, V3::ZERO);
            let l = self.link_inertia_times(link, path.velocity);
            for s in &path.stages {
                let k = s.dof;
                matrix[k] = matrix[k] + self.link_inertia_times(link, s.screw);
                by_q[k] = by_q[k] + s.screw.cross_force(l) + self.link_inertia_times(link, s.turned());
            }
            momentum = momentum + l;
            rate = rate + self.add_forces(link, &path, &mut rate_by_q, &mut rate_by_v);
        }
        let (com, mass) = (self.com(), self.model.mass().max(f64::MIN_POSITIVE));
        let shifts: Vec<V3> = matrix.iter().map(|p| p.force * (1.0 / mass)).collect();
        let about = |columns: Vec<Force>, of: Option<Force>| {
            let mut out = DMatrix::zeros(6, n);
            for (k, d) in columns.into_iter().enumerate() {
                let d = d.about(com);
                // n_G = n − c × f, and c moves with q
                let moment = of.map_or(d.moment, |of| d.moment - shifts[k].cross(of.force));
                set(&mut out, k, Motion { ang: moment, lin: d.force });
            }
            out
        };
        CentroidalDerivatives {
            com_by_position: DMatrix::from_fn(3, n, |row, k| shifts[k].array()[row]),
            momentum_by_position: about(by_q, Some(momentum)),
            momentum_by_velocity: about(matrix, None),
            rate_by_position: about(rate_by_q, Some(rate)),
            rate_by_velocity: about(rate_by_v, None),
            momentum: momentum.about(com),
            rate: rate.about(com),
        }
    }
}

/// The derivative of the velocity at p, a point of the link that moves with q.
fn speed_by_position(path: &LinkPath, s: &Stage, p: V3) -> Motion {
    let d = path.velocity_by_position(s).at(p);
    Motion { ang: d.ang, lin: d.lin + path.velocity.ang.cross(s.screw.at(p).lin) }
}

fn set(m: &mut DMatrix<f64>, column: usize, x: Motion) {
    for (row, e) in x.ang.array().into_iter().chain(x.lin.array()).enumerate() {
        m[(row, column)] = e;
    }
}
