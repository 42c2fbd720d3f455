//! Rows as an NPZ file, written at the end: a ZIP archive of NPY arrays, which `numpy.load` reads.
//!
//! The archive is stored, not deflated: simulation data hardly compress. All numbers are little-endian.

use super::{Row, RowSink, Rows, Target};
use crate::failure::Outcome;
use std::io::{Result, Write};

/// An NPZ file.
pub struct Npz {
    /// Its destination.
    pub(super) file: Target,
    /// All rows so far.
    pub(super) rows: Rows,
}

impl RowSink for Npz {
    fn row(&mut self, row: Row) -> Outcome<()> {
        self.rows.push(row);
        Ok(())
    }
    fn complete(mut self: Box<Self>) -> Outcome<Target> {
        let rows = &self.rows;
        self.file.write(|file| rows.archive(file))?;
        self.file.complete()
    }
}

impl Rows {
    fn archive(&self, file: &mut impl Write) -> Result<()> {
        let rows = self;
        let n = rows.time.len();
        let mut archive = Archive::new(file);
        archive.numbers("time", &rows.time, &[n])?;
        archive.numbers("qpos", &rows.qpos, &[n, rows.qpos_names.len()])?;
        archive.numbers("qvel", &rows.qvel, &[n, rows.qvel_names.len()])?;
        archive.numbers("kinetic_energy", &rows.kinetic, &[n])?;
        archive.numbers("potential_energy", &rows.potential, &[n])?;
        archive.numbers("energy", &rows.energy(), &[n])?;
        archive.strings("qpos_names", &rows.qpos_names)?;
        archive.strings("qvel_names", &rows.qvel_names)?;
        if !rows.ledger_names.is_empty() {
            archive.numbers("ledger", &rows.ledger, &[n, rows.ledger_names.len()])?;
            archive.strings("ledger_names", &rows.ledger_names)?;
        }
        archive.finish()
    }
}

/// A ZIP archive being written.
pub struct Archive<'a, W: Write> {
    file: &'a mut W,
    written: u32,
    directory: Vec<u8>,
    files: u16,
}

/// Version 2.0, no flags, stored, 1980-01-01 00:00: the same run gives the same bytes.
const COMMON: [u8; 10] = [20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];

impl<'a, W: Write> Archive<'a, W> {
    /// Begins an archive.
    pub fn new(file: &'a mut W) -> Self {
        Archive { file, written: 0, directory: Vec::new(), files: 0 }
    }

    /// Adds an array of numbers.
    pub fn numbers(&mut self, name: &str, numbers: &[f64], shape: &[usize]) -> Result<()> {
        let mut bytes = npy_header("<f8", shape);
        bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        self.entry(name, &bytes)
    }

    /// Adds NumPy strings, each with as many UTF-32 units as the longest.
    pub fn strings(&mut self, name: &str, strings: &[String]) -> Result<()> {
        let width = strings.iter().map(|s| s.chars().count()).max().unwrap_or(0).max(1);
        let mut bytes = npy_header(&format!("<U{width}"), &[strings.len()]);
        for s in strings {
            let units = s.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
            bytes.extend(units.flat_map(u32::to_le_bytes));
        }
        self.entry(name, &bytes)
    }

    fn entry(&mut self, name: &str, data: &[u8]) -> Result<()> {
        let name = format!("{name}.npy");
        let too_long = |_| std::io::Error::other("more than 4 GB; write fewer rows with --every N");
        let size = u32::try_from(data.len()).map_err(too_long)?;
        let offset = self.written;
        let mut fields = COMMON.to_vec();
        fields.extend(crc32fast::hash(data).to_le_bytes());
        fields.extend(size.to_le_bytes()); // stored size
        fields.extend(size.to_le_bytes()); // true size
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend([0, 0]); // no extra field
        self.put(b"PK\x03\x04")?;
        self.put(&fields)?;
        self.put(name.as_bytes())?;
        self.put(data)?;
        self.directory.extend(b"PK\x01\x02\x14\x00");
        self.directory.extend(fields);
        self.directory.extend([0; 10]); // no comment, first disk, no attributes
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.files += 1;
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes)?;
        let end = u64::from(self.written) + bytes.len() as u64;
        self.written = u32::try_from(end)
            .map_err(|_| std::io::Error::other("more than 4 GB; write fewer rows with --every N"))?;
        Ok(())
    }

    /// Writes the directory.
    pub fn finish(mut self) -> Result<()> {
        let (start, directory) = (self.written, std::mem::take(&mut self.directory));
        self.put(&directory)?;
        self.put(b"PK\x05\x06\0\0\0\0")?;
        self.put(&self.files.to_le_bytes())?;
        self.put(&self.files.to_le_bytes())?;
        self.put(&(directory.len() as u32).to_le_bytes())?;
        self.put(&start.to_le_bytes())?;
        self.put(&[0, 0])
    }
}

/// The header of an NPY file, version 1.0; its length is a multiple of 64.
fn npy_header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut words =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", sizes.trim_end());
    // magic, version and length are 10 bytes, the line break 1
    let padding = (64 - (10 + words.len() + 1) % 64) % 64;
    words.extend(std::iter::repeat_n(' ', padding));
    words.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((words.len() as u16).to_le_bytes());
    header.extend(words.as_bytes());
    header
}
