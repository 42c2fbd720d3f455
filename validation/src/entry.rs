//! One line of the table, and the list they are entered in.

/// A number the engine computed, and what it should be.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The problem: the name of its file in validation/data, or of what is run.
    pub id: String,
    /// The section of the table.
    pub title: &'static str,
    /// Where the expected numbers come from, and why the tolerance is what it is.
    pub reference: String,
    /// What is measured.
    pub metric: String,
    /// What was measured.
    pub measured: f64,
    /// What it should be: 0 for an error.
    pub expected: f64,
    /// How far it may be from it.
    pub tolerance: f64,
    /// Whether it is.
    pub passed: bool,
}

/// The entries so far, and the problem at hand.
#[derive(Default)]
pub(crate) struct Ledger {
    pub entries: Vec<Entry>,
    title: &'static str,
    id: String,
    reference: String,
}

impl Ledger {
    /// The next entries are in this section.
    pub fn section(&mut self, title: &'static str) {
        self.title = title;
    }

    /// The next entries are about this problem; `reference` says where its numbers come from.
    pub fn problem(&mut self, id: &str, reference: impl Into<String>) {
        (self.id, self.reference) = (id.into(), reference.into());
    }

    /// An error, which should be 0.
    pub fn error(&mut self, metric: impl Into<String>, error: f64, tolerance: f64) {
        self.number(metric, error, 0.0, tolerance);
    }

    /// A number with its expected value.
    pub fn number(&mut self, metric: impl Into<String>, measured: f64, expected: f64, tolerance: f64) {
        self.entries.push(Entry {
            id: self.id.clone(),
            title: self.title,
            reference: self.reference.clone(),
            metric: metric.into(),
            measured,
            expected,
            tolerance,
            passed: (measured - expected).abs() <= tolerance,
        });
    }

    /// A measured order of convergence, from errors at steps h and h/2.
    pub fn order(&mut self, metric: impl Into<String>, errors: [f64; 2], expected: u32) {
        self.number(metric, libm::log2(errors[0] / errors[1]), f64::from(expected), 0.1);
    }
}

/// The largest of the errors of several comparisons.
#[derive(Default)]
pub(crate) struct Worst(pub f64);

impl Worst {
    /// Two vectors should be equal; the error is relative to the larger of them.
    pub fn relative(&mut self, a: &[f64], b: &[f64]) {
        self.at_scale(a, b, crate::common::size(a).max(crate::common::size(b)));
    }
    /// Two vectors should be equal; the error is absolute.
    pub fn absolute(&mut self, a: &[f64], b: &[f64]) {
        self.at_scale(a, b, 1.0);
    }
    /// Two vectors should be equal; the error is relative to `scale`.
    pub fn at_scale(&mut self, a: &[f64], b: &[f64], scale: f64) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            let error = if a == b { 0.0 } else { (a - b).abs() / scale };
            // a NaN must stay the worst of all
            self.0 = if error.is_nan() || self.0.is_nan() { f64::NAN } else { self.0.max(error) };
        }
    }
}
