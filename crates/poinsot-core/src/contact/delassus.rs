//! The Delassus matrix `G = J M⁻¹ Jᵀ`: the velocities at the contacts caused by impulses there.
//!
//! A matrix gives access to its rows one at a time, as runs of consecutive columns: a dense row is one run, a row of a block-sparse matrix
//! has one run for each block. `G` need not be symmetric; its symmetric part is positive semidefinite.

use super::dense::dot_and_size;
use super::factored::Factored;
use super::free_bodies::FreeBodies;
use super::problem::ProblemError;
use crate::algebra::lanes::{Isa, Kernel, dispatch};

/// A square matrix, accessed by rows.
pub trait Delassus {
    /// The number of rows and columns.
    fn size(&self) -> usize;
    /// Visits the runs of a row that may be nonzero: the first column of each, and its entries.
    fn row(&self, row: usize, see: impl FnMut(usize, &[f64]));

    /// Returns one entry.
    #[inline(always)]
    fn entry(&self, row: usize, column: usize) -> f64 {
        let mut sum = 0.0;
        self.row(row, |first, numbers| {
            sum += column.checked_sub(first).and_then(|k| numbers.get(k)).unwrap_or(&0.0);
        });
        sum
    }

    /// Computes `u = G λ`, and `sizes = |G| |λ|` for bounds on rounding errors. `room` is scratch.
    fn apply(&self, lambda: &[f64], u: &mut [f64], sizes: &mut [f64], room: &mut Vec<f64>)
    where
        Self: Sized,
    {
        let _ = room;
        dispatch(ByRows { matrix: self, lambda, u, sizes });
    }

    /// The free bodies it is made of, if it is stored that way.
    fn free_bodies(&self) -> Option<&FreeBodies> {
        None
    }

    /// Its factor, if it is stored that way.
    #[doc(hidden)]
    #[allow(private_interfaces)] // only our own types have one
    fn factored(&self) -> Option<&Factored> {
        None
    }
}

struct ByRows<'a, D> {
    matrix: &'a D,
    lambda: &'a [f64],
    u: &'a mut [f64],
    sizes: &'a mut [f64],
}

impl<D: Delassus> Kernel for ByRows<'_, D> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for row in 0..self.u.len() {
            let (mut sum, mut size) = (0.0, 0.0);
            self.matrix.row(row, |first, numbers| {
                let (a, b) = dot_and_size(numbers, &self.lambda[first..first + numbers.len()]);
                sum += a;
                size += b;
            });
            (self.u[row], self.sizes[row]) = (sum, size);
        }
    }
}

/// A dense matrix in row-major order.
///
/// ```
/// use poinsot_core::contact::{Delassus, Dense};
/// let g = Dense::new(2, &[2.0, 1.0, 1.0, 3.0])?;
/// g.row(1, |first, numbers| assert_eq!((first, numbers), (0, &[1.0, 3.0][..])));
/// assert_eq!(g.entry(1, 0), 1.0);
/// assert!(Dense::new(2, &[1.0]).is_err());
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a> {
    size: usize,
    numbers: &'a [f64],
}

impl<'a> Dense<'a> {
    /// The matrix of `size` rows with these entries in row-major order.
    pub fn new(size: usize, numbers: &'a [f64]) -> Result<Dense<'a>, ProblemError> {
        if size.checked_mul(size) != Some(numbers.len()) {
            return Err(ProblemError::Numbers { size, count: numbers.len() });
        }
        Ok(Dense { size, numbers })
    }
}

impl Delassus for Dense<'_> {
    #[inline(always)]
    fn size(&self) -> usize {
        self.size
    }
    #[inline(always)]
    fn row(&self, row: usize, mut see: impl FnMut(usize, &[f64])) {
        see(0, &self.numbers[row * self.size..(row + 1) * self.size]);
    }
    #[inline(always)]
    fn entry(&self, row: usize, column: usize) -> f64 {
        self.numbers[row * self.size + column]
    }
}

/// A block-sparse matrix, built block row by block row. Its memory is reused.
///
/// ```
/// use poinsot_core::contact::{Blocks, Delassus};
/// let mut g = Blocks::default();
/// g.begin(&[1, 2]);
/// g.push(0, &[5.0])?;
/// g.end_row()?;
/// g.push(1, &[2.0, 1.0, 1.0, 2.0])?;
/// g.end_row()?;
/// g.row(2, |first, numbers| assert_eq!((first, numbers), (1, &[1.0, 2.0][..])));
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// The first row of each group, followed by the end.
    starts: Vec<usize>,
    group_of: Vec<usize>,
    /// Where the entries of each finished group start, followed by the end of the last one.
    ends: Vec<usize>,
    /// The column group of each block, and where its entries start.
    entries: Vec<(usize, usize)>,
    numbers: Vec<f64>,
}

impl Blocks {
    /// Starts a new matrix with groups of these sizes.
    pub fn begin(&mut self, sizes: &[usize]) {
        self.starts.clear();
        self.group_of.clear();
        self.ends.clear();
        self.entries.clear();
        self.numbers.clear();
        self.starts.push(0);
        self.ends.push(0);
        for (group, size) in sizes.iter().enumerate() {
            self.group_of.extend(std::iter::repeat_n(group, *size));
            self.starts.push(self.group_of.len());
        }
    }

    /// Adds the block of the current row group and the column group `column`, in row-major order.
    pub fn push(&mut self, column: usize, block: &[f64]) -> Result<(), ProblemError> {
        let row = self.ends.len().wrapping_sub(1);
        let size = |group: usize| Some(self.starts.get(group + 1)? - self.starts[group]);
        let fits = size(row).zip(size(column)).is_some_and(|(r, c)| r * c == block.len());
        if !fits {
            return Err(ProblemError::Block { row, column, count: block.len() });
        }
        self.entries.push((column, self.numbers.len()));
        self.numbers.extend_from_slice(block);
        Ok(())
    }

    /// Finishes the current row group.
    pub fn end_row(&mut self) -> Result<(), ProblemError> {
        if self.ends.len() >= self.starts.len() {
            return Err(ProblemError::Block { row: self.ends.len().saturating_sub(1), column: 0, count: 0 });
        }
        self.ends.push(self.entries.len());
        Ok(())
    }
}

impl Delassus for Blocks {
    #[inline(always)]
    fn size(&self) -> usize {
        self.group_of.len()
    }
    #[inline(always)]
    fn row(&self, row: usize, mut see: impl FnMut(usize, &[f64])) {
        let group = self.group_of[row];
        let within = row - self.starts[group];
        // row groups that were never finished are zero
        let begin = self.ends.get(group).copied().unwrap_or(0);
        let end = self.ends.get(group + 1).copied().unwrap_or(begin);
        for &(column, at) in &self.entries[begin..end] {
            let (first, width) = (self.starts[column], self.starts[column + 1] - self.starts[column]);
            see(first, &self.numbers[at + within * width..at + (within + 1) * width]);
        }
    }
}
