//! The Delassus matrix `G = J M⁻¹ Jᵀ`: what velocities at the contacts an impulse there makes.
//!
//! The solvers ask for one row at a time, as stretches of consecutive columns: a dense matrix has one stretch, a sparse one
//! made of blocks has one for each block. `G` need not be symmetric; its symmetric part is positive semidefinite.

use super::problem::ProblemError;

/// A square matrix, known by its rows.
pub trait Delassus {
    /// How many rows, and columns.
    fn size(&self) -> usize;
    /// The stretches of a row that are not known to be zero: the first column of each, and its numbers.
    fn row(&self, row: usize) -> impl Iterator<Item = (usize, &[f64])>;
}

/// All numbers, row after row.
///
/// ```
/// use poinsot_core::contact::{Delassus, Dense};
/// let g = Dense::new(2, &[2.0, 1.0, 1.0, 3.0])?;
/// assert_eq!(g.row(1).collect::<Vec<_>>(), [(0, &[1.0, 3.0][..])]);
/// assert!(Dense::new(2, &[1.0]).is_err());
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a> {
    size: usize,
    numbers: &'a [f64],
}

impl<'a> Dense<'a> {
    /// The matrix of `size` rows whose numbers are given row after row.
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
    fn row(&self, row: usize) -> impl Iterator<Item = (usize, &[f64])> {
        std::iter::once((0, &self.numbers[row * self.size..(row + 1) * self.size]))
    }
}

/// Blocks that are not zero, group of rows by group of rows. Its memory is kept from one use to the next.
///
/// ```
/// use poinsot_core::contact::{Blocks, Delassus};
/// let mut g = Blocks::default();
/// g.begin(&[1, 2]);
/// g.push(0, &[5.0])?;
/// g.end_row()?;
/// g.push(1, &[2.0, 1.0, 1.0, 2.0])?;
/// g.end_row()?;
/// assert_eq!(g.row(2).collect::<Vec<_>>(), [(1, &[1.0, 2.0][..])]);
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// The first row of each group, and the end.
    starts: Vec<usize>,
    group_of: Vec<usize>,
    /// Where the entries of each group begin, and the end of those of the last finished one.
    ends: Vec<usize>,
    /// The group of columns of each block, and where its numbers begin.
    entries: Vec<(usize, usize)>,
    numbers: Vec<f64>,
}

impl Blocks {
    /// Starts anew with groups of these sizes.
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

    /// Adds the block of the group of rows at hand and the group `column`, its numbers row after row.
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

    /// Goes on to the next group of rows.
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
    fn row(&self, row: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let group = self.group_of[row];
        let within = row - self.starts[group];
        // groups of rows that were never finished are zero
        let begin = self.ends.get(group).copied().unwrap_or(0);
        let end = self.ends.get(group + 1).copied().unwrap_or(begin);
        self.entries[begin..end].iter().map(move |&(column, at)| {
            let (first, width) = (self.starts[column], self.starts[column + 1] - self.starts[column]);
            (first, &self.numbers[at + within * width..at + (within + 1) * width])
        })
    }
}
