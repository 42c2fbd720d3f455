//! Friction on a polyhedral cone, as a linear complementarity problem [StewartTrinkle96; AnitescuPotra97].
//!
//! The tangential impulse of a contact is `D β` with β ≥ 0 and the edges of the cone as columns of D. With the sliding speed σ, a column e
//! of ones and E that of all contacts, the matrix of
//!
//! ```math
//! ⎡ u_n ⎤   ⎡ nᵀGn   nᵀGD   0 ⎤ ⎡ λ_n ⎤   ⎡ q_n  ⎤
//! ⎢ ρ   ⎥ = ⎢ DᵀGn   DᵀGD   E ⎥ ⎢ β   ⎥ + ⎢ Dᵀq_T ⎥      each row ≥ 0, complementary to its unknown
//! ⎣ ζ   ⎦   ⎣ μ      −Eᵀ    0 ⎦ ⎣ σ   ⎦   ⎣ 0    ⎦
//! ```
//! is copositive, so Lemke's method finds a solution. Rows of torsion and rolling have two edges each. An equality is the difference of two
//! unknowns. An interval has one unknown for the distance from one end, and one for the reaction at the other.

mod guess;

use super::certificate::{Certificate, Stage};
use super::delassus::Delassus;
use super::exact::{Options, check};
use super::iterate::{Answer, Iterate};
use super::lcp::{Lcp, Method};
use super::problem::{Law, MOST_ROWS, Problem, ProblemError};
use super::scaled::Scaled;

/// Solves with a polyhedral cone. Reuses its memory between problems.
///
/// The certificate's status and residual are those of the linear complementarity problem; with friction or equalities it does not say
/// whether other impulses would do. Its other entries are measured against the true cone, so they show the error caused by the edges.
/// ```
/// use poinsot_core::contact::{Dense, Law, Polyhedral, Problem};
/// let g = Dense::new(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])?;
/// let problem = Problem { matrix: &g, free: &[-0.1, 0.2, 0.0], laws: &[Law::contact(0.5)], compliance: &[] };
/// let (mut impulse, mut velocity) = ([0.0; 3], [0.0; 3]);
/// let certificate = Polyhedral::new(8)?.solve(&problem, &mut impulse, &mut velocity)?;
/// assert!(certificate.status.is_solved() && (velocity[1] - 0.15).abs() < 1e-14);
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polyhedral {
    facets: usize,
    method: Method,
    lcp: Lcp,
    /// The columns that map the unknowns to λ, and unknowns without a column.
    columns: Vec<Column>,
    /// True if different unknowns give the same λ, as with opposite edges or the two parts of an equality. Uniqueness of the unknowns then
    /// says nothing about λ, and is not checked.
    ambiguous: bool,
    /// The part of λ that does not depend on the unknowns: the end of an interval from which it is counted.
    base: Vec<f64>,
    u: Vec<f64>,
    m: Vec<f64>,
    q: Vec<f64>,
    /// The unknowns of the impulses to begin with.
    guess: Vec<f64>,
    /// The residual in m/s that counts as solved.
    still: f64,
    /// The same, relative to the largest free velocity.
    tolerance: f64,
    scaled: Scaled,
    at: Iterate,
    answer: Answer,
}

/// The meaning of an unknown.
#[derive(Clone, Copy, Debug)]
enum Column {
    /// An impulse along a direction in the rows of a law, starting at `first`.
    Impulse { first: usize, len: usize, direction: [f64; MOST_ROWS], speed: Speed },
    /// The sliding speed of the contact whose unknowns start at `normal`, with this number of edges.
    Sliding { normal: usize, edges: usize, mu: f64 },
    /// The reaction at the far end of the interval of the unknown `of`, `width` away.
    End { of: usize, width: f64 },
}

/// The additional term in the complement of an impulse.
#[derive(Clone, Copy, Debug)]
enum Speed {
    None,
    /// This unknown, added.
    Of(usize),
}

impl Polyhedral {
    /// A cone with this many edges, at least 3, solved by Lemke's method.
    pub fn new(facets: usize) -> Result<Polyhedral, ProblemError> {
        if facets < 3 {
            return Err(ProblemError::Facets(facets));
        }
        Ok(Polyhedral {
            facets,
            method: Method::Lemke,
            lcp: Lcp::default(),
            columns: Vec::new(),
            ambiguous: false,
            base: Vec::new(),
            u: Vec::new(),
            m: Vec::new(),
            q: Vec::new(),
            guess: Vec::new(),
            still: 0.0,
            tolerance: 0.0,
            scaled: Scaled::default(),
            at: Iterate::default(),
            answer: Answer::default(),
        })
    }

    /// Selects another pivoting method.
    pub fn method(mut self, method: Method) -> Polyhedral {
        self.method = method;
        self
    }

    /// For steps: makes at most this many pivots in each solve, in multiples of the number of unknowns, and is content with a residual of
    /// `still` m/s, or of `tolerance` of the largest free velocity. The gaps of redundant contacts contradict each other by that much.
    pub(crate) fn in_steps(mut self, pivots: usize, still: f64, tolerance: f64) -> Polyhedral {
        self.lcp.patience = Some(pivots);
        (self.still, self.tolerance) = (still, tolerance);
        self
    }

    /// As [`Polyhedral::solve`], only near the impulses given, without Lemke's method.
    pub(crate) fn solve_near<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> Result<Certificate, ProblemError> {
        let patience = self.lcp.patience.replace(0);
        let outcome = self.solve(problem, impulse, velocity);
        self.lcp.patience = patience;
        outcome
    }

    /// Solves for the impulses. Those given are the first guess; zeros are none.
    /// `velocity` becomes `(G + E) λ + q`.
    pub fn solve<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> Result<Certificate, ProblemError> {
        check(problem, Options::default(), impulse, velocity)?;
        problem.check()?;
        self.unknowns(problem);
        self.assemble(problem);
        self.guess.clear();
        if impulse.iter().any(|p| *p != 0.0) {
            self.answer.lambda.clear();
            self.answer.lambda.extend_from_slice(impulse);
            self.answer.evaluate(problem);
            guess::guess(&self.columns, &self.base, [impulse, &self.answer.u], &mut self.guess);
        }
        let fastest = problem.free.iter().fold(0.0f64, |most, q| most.max(q.abs()));
        self.lcp.enough = self.tolerance.mul_add(fastest, self.still);
        let answer = if self.ambiguous {
            self.lcp.pivot_from(&self.m, &self.q, self.method, &self.guess)?
        } else {
            self.lcp.solve(&self.m, &self.q, self.method)?
        };
        impulse.copy_from_slice(&self.base);
        for (column, z) in self.columns.iter().zip(self.lcp.z()) {
            if let Column::Impulse { first, len, direction, .. } = column {
                for k in 0..*len {
                    impulse[first + k] += z * direction[k];
                }
            }
        }
        self.scaled.prepare(problem);
        self.answer.lambda.clear();
        self.answer.lambda.extend_from_slice(impulse);
        self.answer.measure(problem, &self.scaled, &mut self.at, 1e-10);
        velocity.copy_from_slice(&self.answer.u);
        let mut certificate = Certificate::default();
        certificate.measure(problem, &self.scaled, &self.at, impulse, velocity);
        (certificate.status, certificate.reason) = (answer.status, answer.reason);
        (certificate.residual, certificate.residual_rms) = (answer.residual, answer.residual);
        (certificate.floor, certificate.pivots) = (answer.floor, answer.pivots);
        certificate.stage = Stage::Pivoting;
        Ok(certificate)
    }

    /// Lists the unknowns of every law, in the order of the rows.
    fn unknowns<D: Delassus>(&mut self, problem: &Problem<D>) {
        self.columns.clear();
        self.ambiguous = false;
        self.base.clear();
        self.base.resize(problem.matrix.size(), 0.0);
        let mut first = 0;
        for law in problem.laws {
            match *law {
                Law::Interval { lower, upper } => self.interval(first, lower, upper),
                Law::Contact { count, friction } => self.contact(first, count, &friction),
            }
            first += law.rows();
        }
    }

    fn interval(&mut self, first: usize, lower: f64, upper: f64) {
        let along = |sign: f64, speed| Column::Impulse {
            first,
            len: 1,
            direction: [sign, 0.0, 0.0, 0.0, 0.0, 0.0],
            speed,
        };
        let here = self.columns.len();
        match (lower.is_finite(), upper.is_finite()) {
            (true, true) => {
                self.base[first] = lower;
                if upper > lower {
                    self.columns.push(along(1.0, Speed::Of(here + 1)));
                    self.columns.push(Column::End { of: here, width: upper - lower });
                }
            }
            (true, false) => {
                self.base[first] = lower;
                self.columns.push(along(1.0, Speed::None));
            }
            (false, true) => {
                self.base[first] = upper;
                self.columns.push(along(-1.0, Speed::None));
            }
            (false, false) => {
                self.ambiguous = true;
                self.columns.push(along(1.0, Speed::None));
                self.columns.push(along(-1.0, Speed::None));
            }
        }
    }

    fn contact(&mut self, first: usize, count: usize, friction: &[f64; MOST_ROWS - 1]) {
        let normal = self.columns.len();
        let mut direction = [0.0; MOST_ROWS];
        direction[0] = 1.0;
        self.columns.push(Column::Impulse { first, len: 1 + count, direction, speed: Speed::None });
        let Some(mu) = friction[..count].iter().copied().find(|mu| *mu > 0.0) else { return };
        let flat = if friction[0] > 0.0 || friction[1] > 0.0 { self.facets } else { 0 };
        let others = (2..count).filter(|k| friction[*k] > 0.0).count();
        let edges = flat + 2 * others;
        let speed = Speed::Of(normal + 1 + edges);
        for k in 0..flat {
            let angle = std::f64::consts::TAU * k as f64 / flat as f64;
            let (sin, cos) = (libm::sin(angle), libm::cos(angle));
            let mut direction = [0.0; MOST_ROWS];
            // makes multiples of a right angle exact
            let round = |x: f64| if x.abs() < 1e-15 { 0.0 } else { x };
            direction[1] = round(cos) * friction[0] / mu;
            direction[2] = round(sin) * friction[1] / mu;
            self.columns.push(Column::Impulse { first, len: 1 + count, direction, speed });
        }
        for k in (2..count).filter(|k| friction[*k] > 0.0) {
            for sign in [1.0, -1.0] {
                let mut direction = [0.0; MOST_ROWS];
                direction[1 + k] = sign * friction[k] / mu;
                self.columns.push(Column::Impulse { first, len: 1 + count, direction, speed });
            }
        }
        self.ambiguous = true;
        self.columns.push(Column::Sliding { normal, edges, mu });
    }

    /// Assembles M and q.
    fn assemble<D: Delassus>(&mut self, problem: &Problem<D>) {
        let (n, rows) = (self.columns.len(), problem.matrix.size());
        self.m.clear();
        self.m.resize(n * n, 0.0);
        self.q.clear();
        self.q.resize(n, 0.0);
        let along = |u: &[f64], first: usize, len: usize, d: &[f64; MOST_ROWS]| -> f64 {
            (0..len).map(|k| d[k] * u[first + k]).sum()
        };
        let mut at = std::mem::take(&mut self.answer);
        at.lambda.clone_from(&self.base);
        at.evaluate(problem);
        for (i, column) in self.columns.iter().enumerate() {
            match *column {
                Column::Impulse { first, len, direction, speed } => {
                    self.q[i] = along(&at.u, first, len, &direction);
                    if let Speed::Of(k) = speed {
                        self.m[i * n + k] = 1.0;
                    }
                }
                Column::Sliding { normal, edges, mu } => {
                    self.m[i * n + normal] = mu;
                    (1..=edges).for_each(|k| self.m[i * n + normal + k] = -1.0);
                }
                Column::End { of, width } => {
                    self.m[i * n + of] = -1.0;
                    self.q[i] = width;
                }
            }
        }
        self.answer = at;
        for j in 0..n {
            let Column::Impulse { first, len, direction, .. } = self.columns[j] else { continue };
            self.u.clear();
            self.u.resize(rows, 0.0);
            add_column(problem, first, &direction[..len], &mut self.u);
            for (i, column) in self.columns.iter().enumerate() {
                if let Column::Impulse { first, len, direction, .. } = *column {
                    self.m[i * n + j] += along(&self.u, first, len, &direction);
                }
            }
        }
    }
}

/// u += (G + E) times an impulse in the rows starting at `first`.
fn add_column<D: Delassus>(problem: &Problem<D>, first: usize, impulse: &[f64], u: &mut [f64]) {
    for (row, u) in u.iter_mut().enumerate() {
        problem.matrix.row(row, |start, numbers| {
            for (k, x) in impulse.iter().enumerate() {
                if let Some(g) = (first + k).checked_sub(start).and_then(|c| numbers.get(c)) {
                    *u += g * x;
                }
            }
        });
        if let Some(x) = row.checked_sub(first).and_then(|k| impulse.get(k)) {
            *u += problem.compliance.get(row).unwrap_or(&0.0) * x;
        }
    }
}
