//! Solves contacts that do not affect one another separately, so that a sliding block does not influence one at rest.

use super::{Resting, RestingSolver, measure};
use crate::contact::certificate::{Certificate, Status};

/// Scratch for the problem of one island.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// For each contact: its first row, and its island, identified by the first contact in it.
    first: Vec<usize>,
    of: Vec<usize>,
    rows: Vec<usize>,
    members: Vec<usize>,
    g: Vec<f64>,
    b: Vec<f64>,
    contacts: Vec<Resting>,
    force: Vec<f64>,
    acceleration: Vec<f64>,
}

impl Islands {
    /// Assigns contacts to islands; returns the number of islands.
    fn split(&mut self, g: &[f64], n: usize, contacts: &[Resting]) -> usize {
        self.first.clear();
        let mut row = 0;
        for one in contacts {
            self.first.push(row);
            row += one.rows();
        }
        self.of.clear();
        self.of.extend(0..contacts.len());
        for i in 0..contacts.len() {
            for j in 0..i {
                let touches = |r: usize| {
                    let from = (self.first[i] + r) * n + self.first[j];
                    g[from..from + contacts[j].rows()].iter().any(|x| *x != 0.0)
                };
                if self.of[i] != self.of[j] && (0..contacts[i].rows()).any(touches) {
                    let (keep, lose) = (self.of[i].min(self.of[j]), self.of[i].max(self.of[j]));
                    self.of.iter_mut().filter(|of| **of == lose).for_each(|of| *of = keep);
                }
            }
        }
        self.of.iter().enumerate().filter(|(k, of)| k == *of).count()
    }

    /// Copies the problem of the island that starts with a contact.
    fn take(&mut self, island: usize, g: &[f64], b: &[f64], contacts: &[Resting]) {
        self.members.clear();
        self.rows.clear();
        self.contacts.clear();
        for (k, one) in contacts.iter().enumerate().filter(|(k, _)| self.of[*k] == island) {
            self.members.push(k);
            self.rows.extend(self.first[k]..self.first[k] + one.rows());
            self.contacts.push(*one);
        }
        self.g.clear();
        self.b.clear();
        for row in &self.rows {
            self.b.push(b[*row]);
            self.g.extend(self.rows.iter().map(|column| g[row * b.len() + column]));
        }
        self.force.resize(self.rows.len(), 0.0);
        self.acceleration.resize(self.rows.len(), 0.0);
    }

    /// Writes its forces and accelerations back.
    fn put(&self, force: &mut [f64], acceleration: &mut [f64]) {
        for (at, row) in self.rows.iter().enumerate() {
            (force[*row], acceleration[*row]) = (self.force[at], self.acceleration[at]);
        }
    }
}

fn gravity(status: Status) -> u8 {
    match status {
        Status::Solved => 0,
        Status::NotUnique => 1,
        Status::NoSolution => 2,
        Status::Unsolved => 3,
    }
}

impl RestingSolver {
    /// Computes forces and accelerations for the given modes, whatever their signs; if contacts depend on one another, those of least norm.
    pub fn hold(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &[Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
    ) {
        let mut islands = std::mem::take(&mut self.islands);
        if islands.split(g, b.len(), contacts) < 2 {
            self.hold_island(g, b, contacts, force, acceleration);
        } else {
            for island in 0..contacts.len() {
                if islands.of[island] == island {
                    islands.take(island, g, b, contacts);
                    let Islands { g, b, contacts, force: f, acceleration: a, .. } = &mut islands;
                    self.hold_island(g, b, contacts, f, a);
                    islands.put(force, acceleration);
                }
            }
        }
        self.islands = islands;
    }

    /// Finds forces that satisfy (1) and (2), and the corresponding modes, starting from those given. The numbers of the certificate are in
    /// N and m/s².
    pub fn solve(
        &mut self,
        g: &[f64],
        b: &[f64],
        contacts: &mut [Resting],
        force: &mut [f64],
        acceleration: &mut [f64],
    ) -> Certificate {
        let mut islands = std::mem::take(&mut self.islands);
        if islands.split(g, b.len(), contacts) < 2 {
            self.islands = islands;
            return self.solve_island(g, b, contacts, force, acceleration);
        }
        let mut worst = Certificate::default();
        for island in 0..contacts.len() {
            if islands.of[island] != island {
                continue;
            }
            islands.take(island, g, b, contacts);
            let Islands { g, b, contacts: own, force: f, acceleration: a, .. } = &mut islands;
            let found = self.solve_island(g, b, own, f, a);
            islands.put(force, acceleration);
            islands.members.iter().zip(&islands.contacts).for_each(|(k, one)| contacts[*k] = *one);
            let pivots = worst.pivots + found.pivots;
            if island == 0 || gravity(found.status) > gravity(worst.status) {
                worst = found;
            }
            worst.pivots = pivots;
        }
        self.islands = islands;
        measure(contacts, force, acceleration, &mut worst);
        worst
    }
}
