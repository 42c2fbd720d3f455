//! The filter: a set of pairs of violation and cost; no later point may be worse than such a pair in both [WaechterBiegler06, section 2.3].

const LESS_VIOLATION: f64 = 1e-5;
const LESS_COST: f64 = 1e-8;
const ARMIJO: f64 = 1e-8;

/// Violation θ = |c|₁ and cost φ of a point.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    pub violation: f64,
    pub cost: f64,
}

#[derive(Debug, Default)]
pub struct Filter {
    corners: Vec<Standing>,
    most: f64,
    small: f64,
}

/// How a trial point was accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Acceptance {
    /// The cost decreased sufficiently (Armijo condition).
    Descent,
    /// The violation or the cost improved.
    Better,
}

impl Filter {
    /// An empty filter for a run that starts with this violation.
    pub fn new(violation: f64) -> Filter {
        Filter { corners: Vec::new(), most: 1e4 * violation.max(1.0), small: 1e-4 * violation.max(1.0) }
    }

    pub fn clear(&mut self) {
        self.corners.clear();
    }

    /// Excludes later points that are as bad as this one in both.
    pub fn add(&mut self, at: Standing) {
        let violation = (1.0 - LESS_VIOLATION) * at.violation;
        self.corners.push(Standing { violation, cost: at.cost - LESS_COST * at.violation });
    }

    pub fn admits(&self, trial: Standing) -> bool {
        let finite = trial.violation.is_finite() && trial.cost.is_finite();
        finite
            && trial.violation <= self.most
            && self
                .corners
                .iter()
                .all(|c| trial.violation < c.violation || trial.cost < c.cost + rounding(c.cost))
    }

    /// Decides whether a step of length α along a direction with this slope of φ may be accepted at `trial`.
    pub fn judge(&self, now: Standing, trial: Standing, alpha: f64, slope: f64) -> Option<Acceptance> {
        if !self.admits(trial) {
            return None;
        }
        let slack = rounding(now.cost);
        if now.violation <= self.small && self.descends(now, alpha, slope) {
            return (trial.cost <= now.cost + ARMIJO * alpha * slope + slack).then_some(Acceptance::Descent);
        }
        let less = trial.violation <= (1.0 - LESS_VIOLATION) * now.violation;
        let cheaper = trial.cost <= now.cost - LESS_COST * now.violation + slack;
        (less || cheaper).then_some(Acceptance::Better)
    }

    /// The switching condition: the predicted decrease of the cost dominates the violation.
    fn descends(&self, now: Standing, alpha: f64, slope: f64) -> bool {
        slope < 0.0 && alpha * libm::pow(-slope, 2.3) > libm::pow(now.violation, 1.1)
    }

    /// The smallest step length that is tried.
    pub fn shortest(&self, now: Standing, slope: f64) -> f64 {
        let mut least = LESS_VIOLATION;
        if slope < 0.0 {
            least = least.min(LESS_COST * now.violation / -slope);
            if now.violation <= self.small {
                least = least.min(libm::pow(now.violation, 1.1) / libm::pow(-slope, 2.3));
            }
        }
        (0.05 * least).max(1e-13)
    }
}

/// The round-off in a cost.
fn rounding(cost: f64) -> f64 {
    10.0 * f64::EPSILON * cost.abs()
}
