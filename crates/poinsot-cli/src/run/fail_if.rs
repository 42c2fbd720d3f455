//! `--fail-if`: conditions that make a run fail.

use crate::failure::{Outcome, failure};
use crate::probe::{self, Probe, Reading, Source, by_name};
use poinsot::integrate::{EventKind, Fallback};
use poinsot::{ContactStatistics, Formulation, Simulation};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
}

/// The longer ones first: ">=" begins with ">".
const OPERATORS: [(&str, Operator); 4] = [
    (">=", Operator::GreaterEqual),
    ("<=", Operator::LessEqual),
    (">", Operator::Greater),
    ("<", Operator::Less),
];

impl Operator {
    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Operator::Greater => a > b,
            Operator::GreaterEqual => a >= b,
            Operator::Less => a < b,
            Operator::LessEqual => a <= b,
        }
    }
    fn wants_large(self) -> bool {
        matches!(self, Operator::Greater | Operator::GreaterEqual)
    }
}

#[derive(Clone, Debug)]
enum Quantity {
    /// Known when the run is over.
    EnergyDrift,
    MomentumDrift,
    Time,
    Events(EventKind),
    Steps(Fallback),
    Undecided,
    Contact(OfContact),
    /// Checked throughout.
    Probes(Vec<Probe>),
}

/// Suggestions for a word that is close to one of these.
fn words() -> Vec<&'static str> {
    let of_state = ["energy", "kinetic_energy", "potential_energy", "violation"];
    let fallbacks = Fallback::ALL.map(Fallback::word);
    let of_contact = OF_CONTACT.map(|(word, _)| word);
    let at_end = ["energy_drift", "momentum_drift", "time"].into_iter();
    at_end.chain(of_state).chain(of_contact).chain(fallbacks).collect()
}

type OfContact = fn(&ContactStatistics) -> f64;

/// The results for contacts at the end.
const OF_CONTACT: [(&str, OfContact); 4] = [
    ("residual", |t| t.residual),
    ("penetration", |t| t.penetration),
    ("contacts", |t| t.most as f64),
    ("collisions", |t| t.collisions as f64),
];

/// One condition, and the value that came closest to it or exceeded it most.
#[derive(Debug)]
pub struct Condition {
    text: String,
    quantity: Quantity,
    operator: Operator,
    bound: f64,
    extreme: Option<f64>,
}

impl Condition {
    /// From "energy_drift>1e-6".
    pub fn parse(text: &str, simulation: &Simulation) -> Outcome<Condition> {
        let found = OPERATORS.iter().find_map(|(sign, op)| {
            let (left, right) = text.split_once(sign)?;
            Some((left.trim(), *op, right.trim()))
        });
        let Some((name, operator, number)) = found else {
            return Err(failure(format!("--fail-if: \"{text}\" is not a condition"))
                .help("write a quantity, one of > >= < <=, and a number, as in \"energy_drift>1e-6\""));
        };
        let bound = number.parse::<f64>().ok().filter(|x| !x.is_nan());
        let Some(bound) = bound else {
            return Err(failure(format!("--fail-if \"{text}\": \"{number}\" is not a number")));
        };
        let quantity =
            quantity(name, simulation).map_err(|f| f.while_doing(format!("--fail-if \"{text}\"")))?;
        if matches!(quantity, Quantity::MomentumDrift) && simulation.drift_seen().momentum.is_none() {
            return Err(failure(format!(
                "--fail-if \"{text}\": the world exerts forces on this model, so its momentum is not conserved"
            ))
            .help("leave the condition out, or use energy_drift"));
        }
        Ok(Condition { text: text.trim().to_string(), quantity, operator, bound, extreme: None })
    }

    /// Checks a moment of the run.
    pub fn look(&mut self, now: &Reading) {
        let Quantity::Probes(probes) = &self.quantity else { return };
        let sized = |p: &Probe, x: f64| if p.source.is_error() { x.abs() } else { x };
        let values: Vec<f64> = probes.iter().map(|p| sized(p, p.source.read(now))).collect();
        values.into_iter().for_each(|x| self.take(x));
    }

    /// Checks the results at the end.
    pub fn end(&mut self, simulation: &Simulation) {
        let drift = simulation.drift_seen();
        match self.quantity {
            Quantity::EnergyDrift => self.take(drift.energy),
            Quantity::MomentumDrift => drift.momentum.into_iter().for_each(|m| self.take(m)),
            Quantity::Time => self.take(simulation.state().time),
            Quantity::Events(kind) => self.take(simulation.tally().number(kind) as f64),
            Quantity::Steps(fallback) => self.take(simulation.tally().steps(fallback) as f64),
            Quantity::Undecided => self.take(simulation.tally().undecided() as f64),
            Quantity::Contact(of) => simulation.contact_statistics().iter().for_each(|t| self.take(of(t))),
            Quantity::Probes(_) => {}
        }
    }

    /// True if it concerns a number of the ledger.
    pub fn wants_ledger(&self) -> bool {
        matches!(&self.quantity, Quantity::Probes(p) if p.iter().any(|p| p.name.starts_with(probe::LEDGER)))
    }

    fn take(&mut self, x: f64) {
        let further = |old: f64| if self.operator.wants_large() { x > old } else { x < old };
        // NaN is the worst of all, and stays
        if x.is_nan() || self.extreme.is_none_or(further) {
            self.extreme = Some(x);
        }
    }

    /// True if the condition was met. A drift that is NaN counts as a failure.
    pub fn failed(&self) -> bool {
        self.extreme.is_some_and(|x| x.is_nan() || self.operator.holds(x, self.bound))
    }

    /// The message if it was met.
    pub fn failure(&self) -> Option<String> {
        let value = self.extreme.filter(|_| self.failed())?;
        Some(format!("  failed: {}: found {value:e}", self.text))
    }

    pub fn json(&self) -> Value {
        json!({"condition": self.text, "value": self.extreme, "failed": self.failed()})
    }
}

/// The prefix of numbers of events.
const EVENTS: &str = "events.";

/// A number of events, or of steps with a fallback.
fn counted(name: &str) -> Option<Quantity> {
    let kind = |word: &str| EventKind::ALL.into_iter().find(|k| k.word() == word).map(Quantity::Events);
    let fallback = || match Fallback::ALL.into_iter().find(|f| f.word() == name)? {
        Fallback::Unsolved => Some(Quantity::Undecided),
        other => Some(Quantity::Steps(other)),
    };
    name.strip_prefix(EVENTS).and_then(kind).or_else(fallback)
}

/// A number of contacts.
fn of_contact(name: &str, simulation: &Simulation) -> Option<Outcome<Quantity>> {
    let (_, of) = OF_CONTACT.into_iter().find(|(word, _)| *word == name)?;
    Some(match simulation.contact() {
        Some(_) => Ok(Quantity::Contact(of)),
        None => {
            Err(failure("nothing touches in this run").help("leave the condition out, or give --contact"))
        }
    })
}

fn quantity(name: &str, simulation: &Simulation) -> Outcome<Quantity> {
    let model = simulation.model();
    if let Some(quantity) = of_contact(name, simulation).filter(|_| model.joint(name).is_none()) {
        return quantity;
    }
    if let Some(counted) = counted(name).filter(|_| model.joint(name).is_none()) {
        return Ok(counted);
    }
    if name.starts_with(EVENTS) {
        let words = EventKind::ALL.map(|k| format!("{EVENTS}{}", k.word()));
        return Err(
            failure(format!("there is no event \"{name}\"")).help(format!("there are: {}", words.join(", ")))
        );
    }
    let maximal = simulation.formulation() == Formulation::Maximal;
    let energy = |source| Quantity::Probes(vec![Probe { name: name.to_string(), unit: "J", source }]);
    Ok(match name {
        "energy_drift" => Quantity::EnergyDrift,
        "momentum_drift" => Quantity::MomentumDrift,
        "time" => Quantity::Time,
        "energy" => energy(Source::Energy),
        "kinetic_energy" => energy(Source::Kinetic),
        "potential_energy" => energy(Source::Potential),
        "violation" if model.constraints().is_empty() && !maximal => {
            return Err(failure("the model has no constraints that could be violated")
                .help("leave the condition out"));
        }
        "violation" => {
            Quantity::Probes(vec![Probe { name: name.to_string(), unit: "", source: Source::Violation }])
        }
        _ => {
            // a name close to one of ours is more likely a misspelling than part of a joint's name
            let known = model.joint(name).is_some() || name.contains('.');
            if !known {
                return Err(probe::unknown(model, name, &words()));
            }
            Quantity::Probes(by_name(model, name)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NaN fails any condition, and no later number changes that.
    #[test]
    fn what_is_not_a_number_fails() {
        let scene = poinsot::scenes::by_name("pendulum").expect("a scene");
        let simulation = Simulation::builder(&scene.model).build().expect("a simulation");
        for text in ["energy_drift>1", "energy_drift<-1", "kinetic_energy>=1e300", "time<=-5"] {
            let parse = || Condition::parse(text, &simulation).expect("a condition");
            let (mut good, mut bad) = (parse(), parse());
            for x in [0.5, f64::NAN, 0.25] {
                bad.take(x);
                good.take(0.5);
            }
            assert!(bad.failed() && !good.failed(), "{text}");
            assert!(bad.failure().is_some_and(|said| said.contains("found NaN")), "{:?}", bad.failure());
            assert_eq!(bad.json()["failed"], json!(true));
        }
    }
}
