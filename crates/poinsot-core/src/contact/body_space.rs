//! Solves the scaled problem of free bodies in the space of their velocities.
//!
//! With Y scaled like the rows, `G̃ = Y Yᵀ`, and a step `A δ + B G̃ δ = r` becomes one system with six unknowns for each body:
//!
//! ```math
//! w = Yᵀ δ      δ = A⁻¹ (r − B Y w)      (1 + Yᵀ A⁻¹ B Y) w = Yᵀ A⁻¹ r
//! ```
//! which is as sparse as the contact graph, and stays regular however many contacts are redundant.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::block_lu::BlockLu;
use super::dense::folded;
use super::free_bodies::{FreeBodies, Six};
use super::inverses::{Inverses, multiply};
use super::operator::{Kind, Operator, Step};
use super::problem::MOST_ROWS;
use super::scaled::Scaled;
use super::sweep::{Relaxation, relax};
use crate::algebra::lanes::{Isa, Kernel, dispatch};

#[derive(Clone, Debug, Default)]
pub(super) struct BodySpace {
    count: usize,
    /// The two bodies of each block; the ground has the index after the last body.
    bodies: Vec<[usize; 2]>,
    /// The pairs with NONE for the ground.
    pairs: Vec<[usize; 2]>,
    /// Y, by place.
    rows: Vec<[Six; 2]>,
    free: Vec<f64>,
    compliance: Vec<f64>,
    /// w of each body and of the ground.
    motion: Vec<Six>,
    lu: BlockLu,
    inverses: Inverses,
}

impl BodySpace {
    /// Loads a problem.
    pub fn load(&mut self, matrix: &FreeBodies, scaled: &Scaled) {
        self.count = matrix.bodies();
        self.free.clone_from(&scaled.free);
        self.compliance.clone_from(&scaled.compliance);
        self.rows.clear();
        for (row, t) in scaled.row_of.iter().zip(&scaled.scale) {
            self.rows.push(matrix.rows[*row].map(|side| side.map(|x| t * x)));
        }
        self.bodies.clear();
        self.pairs.clear();
        for block in &scaled.blocks {
            let pair = matrix.bodies_of(scaled.row_of[block.first]);
            self.pairs.push(pair);
            self.bodies.push(pair.map(|body| body.min(self.count)));
        }
    }

    /// w = Yᵀ x.
    #[inline(always)]
    fn set_motion(&mut self, scaled: &Scaled, x: &[f64]) {
        self.motion.clear();
        self.motion.resize(self.count + 1, [0.0; 8]);
        for (block, bodies) in scaled.blocks.iter().zip(&self.bodies) {
            for at in block.places() {
                push(&mut self.motion, *bodies, &self.rows[at], x[at]);
            }
        }
    }

    #[inline(always)]
    fn velocities_here(&mut self, scaled: &Scaled, x: &[f64], u: &mut [f64]) {
        self.set_motion(scaled, x);
        for (block, bodies) in scaled.blocks.iter().zip(&self.bodies) {
            for at in block.places() {
                let own = self.compliance[at].mul_add(x[at], self.free[at]);
                u[at] = own + seen(&self.motion, *bodies, &self.rows[at]);
            }
        }
    }

    #[inline(always)]
    fn sizes_here(&mut self, scaled: &Scaled, x: &[f64], sizes: &mut [f64]) {
        self.motion.clear();
        self.motion.resize(self.count + 1, [0.0; 8]);
        let absolute = |row: &[Six; 2]| row.map(|side| side.map(f64::abs));
        for (block, bodies) in scaled.blocks.iter().zip(&self.bodies) {
            for at in block.places() {
                push(&mut self.motion, *bodies, &absolute(&self.rows[at]), x[at].abs());
            }
        }
        for (block, bodies) in scaled.blocks.iter().zip(&self.bodies) {
            for at in block.places() {
                sizes[at] = seen(&self.motion, *bodies, &absolute(&self.rows[at]))
                    + self.free[at].abs()
                    + (self.compliance[at] * x[at]).abs();
            }
        }
    }

    #[inline(always)]
    fn sweep_here(&mut self, scaled: &Scaled, relaxation: Relaxation, backward: bool, x: &mut [f64]) {
        self.set_motion(scaled, x);
        let count = scaled.blocks.len();
        for k in 0..count {
            let k = if backward { count - 1 - k } else { k };
            let (block, bodies) = (&scaled.blocks[k], self.bodies[k]);
            let mut u = [0.0; MOST_ROWS];
            for (k, at) in block.places().enumerate() {
                let own = self.compliance[at].mul_add(x[at], self.free[at]);
                u[k] = own + seen(&self.motion, bodies, &self.rows[at]);
            }
            let before = block.take(x);
            let after = relax(relaxation, block, scaled.local(block), before, u);
            block.put(&after, x);
            for (k, at) in block.places().enumerate() {
                push(&mut self.motion, bodies, &self.rows[at], after[k] - before[k]);
            }
        }
    }

    /// Assembles the matrix.
    #[inline(always)]
    fn assemble<I: Isa>(&mut self, scaled: &Scaled, step: &Step) -> bool {
        let symmetric = !step.kinds.contains(&Kind::General);
        self.lu.begin(self.count, &self.pairs, symmetric);
        self.lu.add_one();
        if !self.inverses.find(scaled, step, &self.compliance) {
            return false;
        }
        for (k, block) in scaled.blocks.iter().enumerate() {
            if step.kinds[k] == Kind::Fixed {
                continue;
            }
            let rows = &self.rows[block.places()];
            let h = &self.inverses.stiffness[block.local..block.local + block.len * block.len];
            let mut hy = [[[0.0; 8]; 2]; MOST_ROWS];
            for i in 0..block.len {
                for (j, row) in rows.iter().enumerate() {
                    for side in 0..2 {
                        for l in 0..8 {
                            hy[i][side][l] = h[i * block.len + j].mul_add(row[side][l], hy[i][side][l]);
                        }
                    }
                }
            }
            self.lu.add::<I>(k, rows, &hy[..block.len]);
        }
        true
    }

    #[inline(always)]
    fn solve_here(&mut self, scaled: &Scaled, step: &Step, x: &mut [f64]) {
        for (block, kind) in scaled.blocks.iter().zip(&step.kinds) {
            let r = block.take(x);
            let mut out = [0.0; MOST_ROWS];
            if *kind != Kind::Fixed {
                out = multiply(&self.inverses.inverse[block.local..], block.len, &r);
            }
            block.put(&out, x);
        }
        self.set_motion(scaled, x);
        let count = self.count;
        self.lu.solve(&mut self.motion[..count]);
        for ((block, kind), bodies) in scaled.blocks.iter().zip(&step.kinds).zip(&self.bodies) {
            if *kind == Kind::Fixed {
                continue;
            }
            let mut u = [0.0; MOST_ROWS];
            for (k, at) in block.places().enumerate() {
                u[k] = seen(&self.motion, *bodies, &self.rows[at]);
            }
            let change = multiply(&self.inverses.stiffness[block.local..], block.len, &u);
            for (k, at) in block.places().enumerate() {
                x[at] -= change[k];
            }
        }
    }
}

/// w += Yᵀ x of one row.
#[inline(always)]
fn push(motion: &mut [Six], bodies: [usize; 2], row: &[Six; 2], x: f64) {
    for (side, body) in bodies.into_iter().enumerate() {
        let to = &mut motion[body];
        for k in 0..8 {
            to[k] = row[side][k].mul_add(x, to[k]);
        }
    }
}

/// Y w of one row.
#[inline(always)]
fn seen(motion: &[Six], bodies: [usize; 2], row: &[Six; 2]) -> f64 {
    let (a, b) = (&motion[bodies[0]], &motion[bodies[1]]);
    let mut p = [0.0; 8];
    for k in 0..8 {
        p[k] = row[0][k].mul_add(a[k], row[1][k] * b[k]);
    }
    folded(&p)
}

impl Operator for BodySpace {
    const PROXIMAL: f64 = 1e-9;
    const FACTORS: bool = true;

    fn velocities(&mut self, scaled: &Scaled, x: &[f64], u: &mut [f64]) {
        dispatch(Velocities(self, scaled, x, u));
    }
    fn sizes(&mut self, scaled: &Scaled, x: &[f64], sizes: &mut [f64]) {
        dispatch(Sizes(self, scaled, x, sizes));
    }
    fn sweep(&mut self, scaled: &Scaled, relaxation: Relaxation, backward: bool, x: &mut [f64]) {
        dispatch(Sweep(self, scaled, relaxation, backward, x));
    }
    fn factor(&mut self, scaled: &Scaled, step: &Step) -> bool {
        dispatch(Assemble(self, scaled, step)) && self.lu.factor()
    }
    fn solve(&mut self, scaled: &Scaled, step: &Step, x: &mut [f64]) {
        dispatch(Solve(self, scaled, step, x));
    }
}

struct Velocities<'a>(&'a mut BodySpace, &'a Scaled, &'a [f64], &'a mut [f64]);
impl Kernel for Velocities<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.velocities_here(self.1, self.2, self.3);
    }
}
struct Sizes<'a>(&'a mut BodySpace, &'a Scaled, &'a [f64], &'a mut [f64]);
impl Kernel for Sizes<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.sizes_here(self.1, self.2, self.3);
    }
}
struct Sweep<'a>(&'a mut BodySpace, &'a Scaled, Relaxation, bool, &'a mut [f64]);
impl Kernel for Sweep<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.sweep_here(self.1, self.2, self.3, self.4);
    }
}
struct Assemble<'a>(&'a mut BodySpace, &'a Scaled, &'a Step);
impl Kernel for Assemble<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        self.0.assemble::<I>(self.1, self.2)
    }
}
struct Solve<'a>(&'a mut BodySpace, &'a Scaled, &'a Step, &'a mut [f64]);
impl Kernel for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.solve_here(self.1, self.2, self.3);
    }
}
