//! The peer of `./bench constraints`: the sparse LDLᵀ of faer on the same matrix.
//!
//! The rows are ordered as our elimination goes, a body and then its edge, leaf to root; faer's own orders
//! (approximate minimum degree) meet zero pivots. The multipliers are −λ, so that the matrix is symmetric.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Par, Side};
use miette::{Result, miette};
use poinsot_core::algebra::tree_kkt::{Block, Row};

/// A chain as faer sees it, analysed once.
pub struct Ldl {
    matrix: SparseColMat<usize, f64>,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    memory: MemBuffer,
}

impl Ldl {
    /// The chain in which body i hangs on body i − 1, the first on the world.
    pub fn new(masses: &[Block], rows: &[Vec<Row>], supernodal: bool) -> Result<Ldl> {
        let start = starts(rows);
        let size = rows.iter().map(|r| 6 + r.len()).sum();
        let mut entries = Vec::new();
        for (i, (mass, rows)) in masses.iter().zip(rows).enumerate() {
            for (j, row) in mass.iter().enumerate() {
                entries.extend((j..6).map(|k| Triplet::new(start[i] + j, start[i] + k, row[k])));
            }
            for (r, row) in rows.iter().enumerate() {
                let at = start[i] + 6 + r;
                entries.push(Triplet::new(at, at, -row.compliance));
                entries.extend((0..6).map(|k| Triplet::new(start[i] + k, at, row.child[k])));
                if i > 0 {
                    entries.extend((0..6).map(|k| Triplet::new(at, start[i - 1] + k, row.parent[k])));
                }
            }
        }
        let matrix = SparseColMat::try_new_from_triplets(size, size, &entries)
            .map_err(|e| miette!("faer refuses the matrix: {e:?}"))?;
        let threshold = if supernodal {
            SupernodalThreshold::FORCE_SUPERNODAL
        } else {
            SupernodalThreshold::FORCE_SIMPLICIAL
        };
        let parameters =
            CholeskySymbolicParams { supernodal_flop_ratio_threshold: threshold, ..Default::default() };
        let symbolic = factorize_symbolic_cholesky(
            matrix.symbolic(),
            Side::Upper,
            SymmetricOrdering::Identity,
            parameters,
        )
        .map_err(|e| miette!("faer cannot analyse the matrix: {e:?}"))?;
        let scratch = symbolic
            .factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let values = vec![0.0; symbolic.len_val()];
        Ok(Ldl { matrix, symbolic, values, memory: MemBuffer::new(scratch) })
    }

    /// The numeric factor.
    pub fn factor(&mut self) -> Result<()> {
        self.symbolic
            .factorize_numeric_ldlt(
                &mut self.values,
                self.matrix.as_ref(),
                Side::Upper,
                LdltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.memory),
                Default::default(),
            )
            .map_err(|e| miette!("faer cannot factor the matrix: {e:?}"))?;
        Ok(())
    }

    /// Solves in place, in faer's order.
    pub fn solve(&mut self, x: &mut [f64]) {
        let n = x.len();
        LdltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}

/// Where each body begins in faer's order: the last body first.
fn starts(rows: &[Vec<Row>]) -> Vec<usize> {
    let mut next = 0;
    let mut start: Vec<usize> = rows
        .iter()
        .rev()
        .map(|r| {
            next += 6 + r.len();
            next - 6 - r.len()
        })
        .collect();
    start.reverse();
    start
}

/// Right-hand sides or unknowns, body by body and with multipliers λ, in faer's order and with its multipliers −λ.
pub fn ordered(rows: &[Vec<Row>], of_bodies: &[[f64; 6]], of_edges: &[[f64; 6]], sign: f64) -> Vec<f64> {
    let mut out = Vec::new();
    for i in (0..rows.len()).rev() {
        out.extend(of_bodies[i]);
        out.extend(of_edges[i][..rows[i].len()].iter().map(|x| sign * x));
    }
    out
}
