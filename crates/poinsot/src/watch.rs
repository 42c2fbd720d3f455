//! Monitors quantities that should be conserved.

use crate::algebra::V3;
use crate::dynamics::State;
use crate::integrate::System;
use crate::model::{JointKind, Model, Transmission};
use crate::spatial::{Force, Pose};

/// The largest deviation of energy and momentum from their initial values, relative to their size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// |E − E₀| relative to the energy in the motion: the largest kinetic energy so far, or the range of potential energy if that is
    /// larger. (Relative to |E₀| it would depend on the reference of potential energy.) With dampers, actuators or contacts it is not an
    /// error: see [`Model::is_conservative`].
    pub energy: f64,
    /// The drift of the components of momentum that the model conserves, relative to the sum of its bodies' momenta; `None` if it conserves
    /// none.
    pub momentum: Option<f64>,
}

/// The conserved components of the momentum of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kept {
    /// Free in space: linear momentum, and angular momentum about the world's origin.
    Free,
    /// Falling: linear momentum minus the impulse of gravity, and angular momentum about the centre of mass.
    Falling,
    /// Rotating about a fixed point: angular momentum about it, along gravity if there is any.
    About { point: V3, along: Option<V3> },
    /// Attached to the world in some other way.
    Nothing,
}

/// Monitors energy and momentum from a first state on.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    kept: Kept,
    first_time: f64,
    first_energy: f64,
    first_momentum: Force,
    largest_kinetic: f64,
    potential: (f64, f64),
    momentum_scale: (f64, f64),
    worst_energy: f64,
    worst_momentum: (f64, f64),
}

impl Watch {
    /// Starts at a state of a system that steps `model`, in its own or in maximal coordinates.
    pub fn begin(model: &Model, system: &mut System, state: &State) -> Watch {
        let pushed = system.touches() && poinsot_collide::some_may_touch_world(model);
        let kept = if pushed { Kept::Nothing } else { kept_by(model) };
        let mut watch = Watch {
            kept,
            first_time: state.time,
            first_energy: system.energy(state),
            first_momentum: Force::default(),
            largest_kinetic: 0.0,
            potential: (f64::INFINITY, f64::NEG_INFINITY),
            momentum_scale: (0.0, 0.0),
            worst_energy: 0.0,
            worst_momentum: (0.0, 0.0),
        };
        watch.first_momentum = watch.momentum(system, state);
        watch.look(system, state);
        watch
    }

    /// The momentum that should be conserved.
    fn momentum(&self, system: &mut System, state: &State) -> Force {
        let model = &*system.model();
        let at = system.workspace().at(model, state);
        match self.kept {
            Kept::Free => at.momentum(),
            Kept::Falling => {
                let now = at.centroidal_momentum();
                let impulse = model.gravity() * (model.mass() * (state.time - self.first_time));
                Force { moment: now.moment, force: now.force - impulse }
            }
            Kept::About { point, along } => {
                let moment = at.momentum().about(point).moment;
                let kept = along.map_or(moment, |g| g * g.dot(moment));
                Force { moment: kept, force: V3::ZERO }
            }
            Kept::Nothing => Force::default(),
        }
    }

    /// The sizes of the terms in the sums of momenta: limbs that swing against one another have much larger momenta than their sum, L about
    /// a distant point is no more accurate than x × P, and a falling body gets P from gravity.
    fn parts(&self, system: &mut System, state: &State) -> (f64, f64) {
        let model = &*system.model();
        let at = system.workspace().at(model, state);
        let point = match self.kept {
            Kept::Free => V3::ZERO,
            Kept::Falling => at.com(),
            Kept::About { point, .. } => point,
            Kept::Nothing => return (0.0, 0.0),
        };
        let total = at.momentum().force.norm();
        let first = (at.com().norm() * total, total);
        model.body_ids().skip(1).fold(first, |(moment, force), body| {
            let own = at.pose(body).force(at.body_momentum(body)).about(point);
            (moment + own.moment.norm(), force + own.force.norm())
        })
    }

    /// Compares a state with the first.
    pub fn look(&mut self, system: &mut System, state: &State) {
        let model = &*system.model();
        let energy = system.energy(state);
        let kinetic = system.workspace().at(model, state).kinetic_energy();
        self.largest_kinetic = self.largest_kinetic.max(kinetic);
        let potential = energy - kinetic;
        self.potential = (self.potential.0.min(potential), self.potential.1.max(potential));
        self.worst_energy = self.worst_energy.max((energy - self.first_energy).abs());
        let now = self.momentum(system, state);
        let off = now - self.first_momentum;
        let larger = |a: f64, b: V3| a.max(b.norm());
        let (moment, force) = self.parts(system, state);
        self.momentum_scale = (
            larger(self.momentum_scale.0, now.moment).max(moment),
            larger(self.momentum_scale.1, now.force).max(force),
        );
        self.worst_momentum =
            (larger(self.worst_momentum.0, off.moment), larger(self.worst_momentum.1, off.force));
    }

    pub fn drift(&self) -> Drift {
        let relative = |worst: f64, scale: f64| if worst == 0.0 { 0.0 } else { worst / scale };
        let moment = relative(self.worst_momentum.0, self.momentum_scale.0);
        let force = relative(self.worst_momentum.1, self.momentum_scale.1);
        Drift {
            energy: relative(
                self.worst_energy,
                self.largest_kinetic.max(self.potential.1 - self.potential.0),
            ),
            momentum: (self.kept != Kept::Nothing).then(|| moment.max(force)),
        }
    }
}

/// The positions of the bodies that cannot move: the world, and everything fixed to it.
fn fixed_places(model: &Model) -> Vec<Option<Pose>> {
    let mut places: Vec<Option<Pose>> = vec![Some(Pose::IDENTITY)];
    for body in model.bodies().iter().skip(1) {
        let fixed = places[body.parent.index()].filter(|_| body.joints.is_empty());
        places.push(fixed.map(|place| place * body.pose));
    }
    places
}

/// The components conserved by the joints to the world, gravity and actuators.
fn kept_by(model: &Model) -> Kept {
    if pushed_from_outside(model) {
        return Kept::Nothing;
    }
    let places = fixed_places(model);
    let mut kept: Option<Kept> = None;
    for body in model.bodies().iter().skip(1) {
        let (Some(place), joints) = (places[body.parent.index()], &model.joints()[body.joints.clone()])
        else {
            continue;
        };
        let here = match joints {
            [] => continue,
            [j] if j.damping > 0.0 || j.stiffness > 0.0 => Kept::Nothing,
            [j] if j.kind == JointKind::Free && model.gravity() == V3::ZERO => Kept::Free,
            [j] if j.kind == JointKind::Free => Kept::Falling,
            [j] if j.kind == JointKind::Spherical => {
                Kept::About { point: (place * body.pose).point(j.anchor), along: model.gravity().unit() }
            }
            _ => Kept::Nothing,
        };
        match kept {
            None => kept = Some(here),
            Some(before) if before == here => {}
            Some(_) => return Kept::Nothing,
        }
    }
    kept.unwrap_or(Kept::Nothing)
}

/// True if a constraint attaches to the world, if gravity is compensated, or if an actuator pushes against the world instead of another
/// body.
fn pushed_from_outside(model: &Model) -> bool {
    let carried = model.medium().is_some() || model.bodies().iter().any(|b| b.gravity_compensation != 0.0);
    let places = fixed_places(model);
    let to_world = |joint: usize| {
        let body = model.bodies().iter().find(|b| b.joints.contains(&joint));
        body.is_none_or(|b| places[b.parent.index()].is_some())
    };
    let pushes = model.actuators().iter().any(|a| match a.transmission {
        Transmission::Joint { joint, .. } => to_world(joint.index()),
        Transmission::Site { .. } => true,
        // only hinges and slides: with one to the world nothing is conserved anyway
        Transmission::Tendon(_) => false,
        // unknown elements may push against the world
        _ => true,
    });
    let world = crate::model::BodyId::WORLD;
    let held = model.constraints().iter().any(|c| c.bodies().is_some_and(|bodies| bodies.contains(&world)));
    carried || pushes || held
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BodyId, BodySpec, Joint, ModelBuilder, Shape};

    #[test]
    fn an_arm_on_a_fixed_stand_holds_on_to_the_world() -> Result<(), Box<dyn std::error::Error>> {
        let ball = Shape::Sphere { radius: 0.1 };
        let mut b = ModelBuilder::new("an arm and a ball in the air");
        let free = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&ball, 1.0)?);
        b.joint(free, Joint::free());
        assert_eq!(kept_by(&b.clone().build()?), Kept::Falling);
        let stand = b.body(BodyId::WORLD, BodySpec::new("stand").at(V3::X));
        let arm = b.body(stand, BodySpec::new("arm").at(V3::Z).solid(&ball, 1.0)?);
        b.joint(arm, Joint::revolute(V3::Y));
        assert_eq!(kept_by(&b.build()?), Kept::Nothing);
        let mut b = ModelBuilder::new("a top on a stand");
        let stand = b.body(BodyId::WORLD, BodySpec::new("stand").at(V3::X));
        let top = b.body(stand, BodySpec::new("top").at(V3::Z).solid(&ball, 1.0)?);
        b.joint(top, Joint::spherical());
        let about = Kept::About { point: V3::X + V3::Z, along: Some(-V3::Z) };
        assert_eq!(kept_by(&b.build()?), about);
        Ok(())
    }
}
