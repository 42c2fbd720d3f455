//! Fallbacks if revising modes fails: solves the same problem by other methods, which also decide whether a solution exists.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::modes::{accelerate, ties};
use super::{Mode, Resting, RestingSolver, TIE};
use crate::contact::certificate::{Certificate, Level, Status};
use crate::contact::delassus::Dense;
use crate::contact::exact::Options;
use crate::contact::lcp::Method;
use crate::contact::polyhedral::Polyhedral;
use crate::contact::problem::{Law, MOST_ROWS, Problem};

/// The number of edges of the cones from which modes are guessed.
const EDGES: usize = 16;

impl RestingSolver {
    /// Without sliding contacts, the problem has the form of impulses and velocities.
    pub(super) fn solve_still(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
        found: &mut Certificate,
    ) {
        self.laws.clear();
        self.laws.extend(contacts.iter().map(Resting::law));
        let Ok(matrix) = Dense::new(b.len(), g) else { return };
        let problem = Problem { matrix: &matrix, free: b, laws: &self.laws, compliance: &[] };
        self.exact.options =
            Options { refine: true, tolerance: 1e-11, tell_uniqueness: true, ..Options::default() };
        force.fill(0.0);
        let Ok(answer) = self.exact.solve(&problem, force, acceleration) else { return };
        let pivots = found.pivots + answer.pivots;
        *found = Certificate { level: Level::Acceleration, pivots, ..answer };
        if !answer.status.is_solved() {
            return;
        }
        let off = ties(b, force, acceleration, g);
        let (loose_force, loose) = (1e3 * off.force, 1e3 * off.acceleration);
        let mut row = 0;
        for one in contacts.iter_mut() {
            let (f, a) = (&force[row..row + one.rows()], &acceleration[row..row + one.rows()]);
            let begins = one.size(&a[1..], |mu| f64::from(mu > 0.0)) > loose;
            one.mode = match () {
                () if f[0] <= loose_force && a[0] > loose => Mode::Open,
                () if begins => Mode::Slide,
                () => Mode::Stick,
            };
            if let (Mode::Slide, Some(along)) = (one.mode, one.against(&a[1..])) {
                one.along = along;
            }
            row += one.rows();
        }
    }

    /// If all contacts with friction slide: a linear complementarity problem for the normal forces.
    pub(super) fn solve_normals(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
        found: &mut Certificate,
    ) {
        let n = b.len();
        for one in contacts.iter_mut() {
            one.mode = Mode::Slide;
        }
        self.choose(contacts);
        let m = self.unknowns.len();
        self.matrix.clear();
        self.right.clear();
        for &(_, row, _) in &self.unknowns {
            self.right.push(b[row]);
            for &(other, column, _) in &self.unknowns {
                let one = &contacts[other];
                let rubbed = (0..one.count).map(|k| one.along[k] * g[row * n + column + 1 + k]);
                self.matrix.push(g[row * n + column] + rubbed.sum::<f64>());
            }
        }
        let Ok(answer) = self.lcp.solve(&self.matrix, &self.right, Method::Lemke) else { return };
        (found.status, found.reason) = (answer.status, answer.reason);
        found.pivots += answer.pivots;
        force.fill(0.0);
        let largest = self.lcp.z().iter().fold(0.0f64, |most, z| most.max(*z));
        for (k, one) in contacts.iter_mut().enumerate().take(m) {
            let (row, normal) = (self.first[k], self.lcp.z()[k]);
            force[row] = normal;
            (0..one.count).for_each(|r| force[row + 1 + r] = one.along[r] * normal);
            let leaves = normal <= TIE * largest && self.lcp.w()[k] > 0.0;
            one.mode = if leaves {
                Mode::Open
            } else if one.slides {
                Mode::Slide
            } else {
                Mode::Stick
            };
        }
        accelerate(g, b, force, acceleration);
        if !found.status.is_solved() && found.status != Status::NoSolution {
            // Lemke's method ended on a ray without a proof: the outcome is undecided
            found.status = Status::NoSolution;
        }
    }

    /// If some contacts slide and others are at rest: with polyhedral cones for the latter it is a linear complementarity problem. Modes
    /// are revised again from its solution.
    #[allow(clippy::too_many_arguments)] // each is a different quantity
    pub(super) fn solve_mixed(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &[Resting],
        tried: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
        found: &mut Certificate,
        loose: &mut Option<bool>,
    ) {
        (found.status, found.reason) = (
            Status::Unsolved,
            "no modes of the contacts that slide and of those that are still were found that go together",
        );
        let Some(answer) = self.with_edges(g, b, contacts) else { return };
        if !answer.status.is_solved() {
            (found.status, found.reason) = (Status::NoSolution, "no forces keep all contacts from closing");
            return;
        }
        tried.copy_from_slice(contacts);
        guess(tried, &self.other_force, &self.other_acceleration);
        if self.pivot(g, b, tried, force, acceleration, &mut found.pivots, loose).is_some() {
            (found.status, found.reason) = (Status::Solved, "");
        }
    }

    /// Solves with polyhedral cones, and one row for each sliding contact: its normal acceleration caused by a force along (1, −μ û). The
    /// solution is in `other_force` and `other_acceleration`, with one row for each sliding contact.
    fn with_edges(&mut self, g: &[f64], b: &[f64], contacts: &[Resting]) -> Option<Certificate> {
        let n = b.len();
        self.laws.clear();
        self.right.clear();
        self.unknowns.clear();
        let mut row = 0;
        for (k, one) in contacts.iter().enumerate() {
            let rows = if one.slides { 1 } else { one.rows() };
            self.unknowns.extend((0..rows).map(|r| (k, row + r, one.slides)));
            let pushes = Law::Interval { lower: 0.0, upper: f64::INFINITY };
            self.laws.push(if one.slides { pushes } else { one.law() });
            row += one.rows();
        }
        self.matrix.clear();
        for &(_, row, _) in &self.unknowns {
            self.right.push(b[row]);
            for &(contact, column, slides) in &self.unknowns {
                let one = &contacts[contact];
                let along = if slides { &one.along[..one.count] } else { &[] };
                let rubbed = along.iter().enumerate().map(|(k, x)| x * g[row * n + column + 1 + k]);
                self.matrix.push(g[row * n + column] + rubbed.sum::<f64>());
            }
        }
        let m = self.unknowns.len();
        self.other_force.clear();
        self.other_force.resize(m, 0.0);
        self.other_acceleration.resize(m, 0.0);
        if self.polyhedral.is_none() {
            self.polyhedral = Polyhedral::new(EDGES).ok().map(Box::new);
        }
        let matrix = Dense::new(m, &self.matrix).ok()?;
        let problem = Problem { matrix: &matrix, free: &self.right, laws: &self.laws, compliance: &[] };
        let (f, a) = (&mut self.other_force, &mut self.other_acceleration);
        self.polyhedral.as_mut()?.solve(&problem, f, a).ok()
    }
}

/// Guesses modes from forces and accelerations with one row for each sliding contact.
fn guess(contacts: &mut [Resting], force: &[f64], acceleration: &[f64]) {
    let most = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let (little, slow) = (TIE * most(force), 1e-6 * most(acceleration));
    let mut row = 0;
    for one in contacts {
        let rows = if one.slides { 1 } else { one.rows() };
        let (f, a) = (&force[row..row + rows], &acceleration[row..row + rows]);
        row += rows;
        let begins = !one.slides && one.size(&a[1..], |mu| f64::from(mu > 0.0)) > slow;
        one.mode = match () {
            () if f[0] <= little => Mode::Open,
            () if one.slides || begins => Mode::Slide,
            () => Mode::Stick,
        };
        if !one.slides {
            one.along = one.against(&a[1..]).filter(|_| begins).unwrap_or([0.0; MOST_ROWS - 1]);
        }
    }
}
