//! Geoms that overlap at the start of a simulation.

use super::Simulation;
use crate::algebra::Digits;
use crate::constraint::Inequality;
use crate::model::{GeomId, SolverParameters};

/// Two geoms that overlap at the start of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The geoms.
    pub geoms: [GeomId; 2],
    /// The penetration depth, m.
    pub depth: f64,
}

/// The overlaps at the start of a simulation.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlaps {
    /// Pairs that contact pushes apart, the deepest first.
    pub pushed: Vec<Overlap>,
    /// Pairs of one tree that never touch.
    pub passing: Vec<[GeomId; 2]>,
}

/// "a, b and 3 more"
fn listed(all: impl ExactSizeIterator<Item = String>) -> String {
    const MOST: usize = 3;
    let more = all.len().saturating_sub(MOST);
    let mut words = all.take(MOST).collect::<Vec<_>>().join(", ");
    if more > 0 {
        words.push_str(&format!(" and {more} more"));
    }
    words
}

impl Simulation<'_> {
    /// The geoms that overlapped deeply at the start of the simulation and are pushed apart; the deepest first. Deep means more than a
    /// millimetre, or more than a twentieth of their thickness.
    ///
    /// ```
    /// use poinsot::prelude::*;
    /// let mut b = ModelBuilder::new("a ball in the floor");
    /// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor"));
    /// let skin = Geom::new(Shape::Sphere { radius: 0.1 }).named("skin");
    /// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").at(V3::Z * 0.06).solid_geom(skin, 1.0)?);
    /// b.joint(ball, Joint::free());
    /// let model = b.build()?;
    /// let simulation =
    ///     Simulation::builder(&model).contact(Contact::default()).build()?;
    /// assert!((simulation.overlaps()[0].depth - 0.04).abs() < 1e-9);
    /// let sentence = simulation.overlap_sentence().unwrap();
    /// assert!(sentence.contains("floor and skin by 0.04 m"), "{sentence}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlaps(&self) -> &[Overlap] {
        &self.overlaps.pushed
    }

    /// As [`Simulation::overlaps`], in one line for people; `None` if nothing overlapped.
    pub fn overlap_sentence(&self) -> Option<String> {
        let one = |Overlap { geoms, depth }: &Overlap| {
            format!("{} by {} m", Inequality::Contact(*geoms).name(&self.model), Digits(three_digits(*depth)))
        };
        let all = self.overlaps().iter().map(one);
        let what = match all.len() {
            0 => return None,
            1 => "two geoms begin".to_string(),
            n => format!("{n} pairs of geoms begin"),
        };
        let then = "pushing them apart changes the energy, which the ledger has under stabilisation";
        Some(format!("{what} inside one another: {}; {then}", listed(all)))
    }

    /// The links of one tree that pass through one another because they overlapped at the start of the simulation, in one line; `None` if
    /// there are none.
    pub fn passing_sentence(&self) -> Option<String> {
        let all = self.overlaps.passing.iter();
        let all = all.map(|pair| Inequality::Contact(*pair).name(&self.model).into_owned());
        let what = match all.len() {
            0 => return None,
            1 => "a pair of geoms".to_string(),
            n => format!("{n} pairs of geoms"),
        };
        Some(format!(
            "not simulated: contact of {what} of one tree that overlap from the start: {}",
            listed(all)
        ))
    }

    /// The contact compliance in the file that is not simulated because contacts are rigid here, in one line; `how` tells how a user can
    /// enable it.
    pub fn rigid_sentence(&self, how: &str) -> Option<String> {
        self.contact.filter(|contact| !contact.soft && contact.penalty.is_none())?;
        let usual = SolverParameters::default();
        let geoms = self.model.geoms().iter();
        let soft =
            geoms.filter(|g| g.touches() && g.material.solver != usual && g.material.stiffness.is_none());
        let pairs = self.model.contact_pairs().iter().filter(|p| p.solver.is_some_and(|s| s != usual));
        let words = [(soft.count(), "geom"), (pairs.count(), "pair")];
        let words = words.iter().filter(|(n, _)| *n > 0);
        let words: Vec<String> =
            words.map(|(n, word)| format!("{n} {word}{}", if *n == 1 { "" } else { "s" })).collect();
        let what = words.join(" and ");
        (!what.is_empty())
            .then(|| format!("not simulated: `solref`, `solimp` ({what}): contact is rigid; {how}"))
    }
}

fn three_digits(x: f64) -> f64 {
    let scale = 10f64.powi(2 - x.log10().floor() as i32);
    (x * scale).round() / scale
}
