//! A model followed through time by one integrator.

use poinsot::scenes::Scene;
use poinsot_core::constraint::Stabilisation;
use poinsot_core::dynamics::{At, State};
use poinsot_core::integrate::{self, Integrator, System};
use poinsot_core::model::Model;

pub struct Course<'a> {
    model: &'a Model,
    system: System<'a>,
    integrator: Box<dyn Integrator>,
    pub state: State,
}

impl<'a> Course<'a> {
    pub fn new(model: &'a Model, start: &State, integrator: &str) -> Course<'a> {
        let integrator = integrate::by_name(integrator, model).unwrap();
        Course { model, system: System::new(model), integrator, state: start.clone() }
    }

    /// A scene from its beginning, with its controls.
    pub fn of_scene(scene: &'a Scene, integrator: &str) -> Course<'a> {
        let mut course = Course::new(&scene.model, &scene.state, integrator);
        course.system.control_mut().copy_from_slice(&scene.control);
        course
    }

    /// To the time `t` in equal steps; `adaptive` makes its own steps inside of one.
    pub fn to(&mut self, t: f64, steps: u32) -> &State {
        let h = (t - self.state.time) / f64::from(steps);
        for _ in 0..steps {
            self.integrator.step(&mut self.system, &mut self.state, h).unwrap();
        }
        self.state.time = t;
        &self.state
    }

    pub fn energy(&mut self) -> f64 {
        self.system.energy(&self.state)
    }

    /// The multipliers of all constraints as they were found last.
    pub fn multipliers(&self) -> &[f64] {
        self.system.multipliers().unwrap().lambda()
    }

    /// How far the constraints are from being met.
    pub fn violation(&mut self) -> f64 {
        let (ws, multipliers) = self.system.constraints();
        multipliers.unwrap().violation(self.model, ws, &self.state.q).size
    }

    /// The largest |C| of all rows, soft ones too.
    pub fn stretch(&mut self) -> f64 {
        let (ws, multipliers) = self.system.constraints();
        let multipliers = multipliers.unwrap();
        multipliers.evaluate(self.model, ws, &self.state.q, &self.state.v);
        crate::common::size(multipliers.values())
    }

    /// Sets how constraints are kept from drifting.
    pub fn stabilise(&mut self, by: Stabilisation) {
        self.system.stabilise(by);
    }

    pub fn at(&mut self) -> At<'_> {
        self.system.workspace().at(self.model, &self.state)
    }

    /// v̇ now.
    pub fn acceleration(&mut self) -> Vec<f64> {
        let mut a = vec![0.0; self.model.nv()];
        self.system.acceleration(&self.state, &mut a);
        a
    }

    /// The time when `f` next crosses zero: looked for every `stride` seconds, then by halving the interval. The
    /// course is left there.
    pub fn next_zero(&mut self, stride: f64, f: impl Fn(&At) -> f64) -> f64 {
        // a start at a zero does not count
        self.to(self.state.time + 0.1 * stride, 1);
        let mut before = self.state.clone();
        let sign = f(&self.at()).signum();
        while f(&self.at()).signum() == sign {
            before = self.state.clone();
            self.to(before.time + stride, 1);
        }
        let (mut from, mut to) = (before.time, self.state.time);
        loop {
            let middle = 0.5 * (from + to);
            if middle <= from || middle >= to {
                return middle;
            }
            self.state = before.clone();
            self.to(middle, 1);
            if f(&self.at()).signum() == sign { from = middle } else { to = middle }
        }
    }
}

/// The state of `model` at time `t`, `steps` steps of `integrator` after `start`.
pub fn after(model: &Model, start: &State, integrator: &str, t: f64, steps: u32) -> State {
    Course::new(model, start, integrator).to(t, steps).clone()
}
