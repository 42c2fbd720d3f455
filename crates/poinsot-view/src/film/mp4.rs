//! Whether an MP4 file is complete: ffmpeg may not report a disk that filled up while it moved the index to the front.
//!
//! A file is a sequence of boxes, each of which begins with its size and its kind; some contain further boxes [ISO 14496-12].

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The boxes that lead to the table with the sizes of all pictures.
const TO_SIZES: [&[u8; 4]; 6] = [b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsz"];

/// Checks that the boxes of a file end where the file does, and that it has this many pictures.
pub(super) fn check(path: &Path, frames: u64) -> Result<(), String> {
    let unread = |e: std::io::Error| format!("the film cannot be read back: {e}");
    let mut file = File::open(path).map_err(unread)?;
    let length = file.metadata().map_err(unread)?.len();
    let whole = find(&mut file, 0..length, b"mdat").is_some();
    match pictures(&mut file, length).filter(|_| whole) {
        Some(found) if found == frames => Ok(()),
        Some(found) => Err(format!("the film has {found} of {frames} pictures; is the disk full?")),
        None => Err("the film is incomplete; is the disk full?".into()),
    }
}

fn pictures(file: &mut File, length: u64) -> Option<u64> {
    let mut range = 0..length;
    for kind in TO_SIZES {
        range = find(file, range, kind)?;
    }
    // version and flags, the common size, then the count
    file.seek(SeekFrom::Start(range.start + 8)).ok()?;
    Some(u64::from(u32::from_be_bytes(read(file)?)))
}

/// The content of the first box of this kind; none if the boxes do not fill the range.
fn find(file: &mut File, range: std::ops::Range<u64>, kind: &[u8; 4]) -> Option<std::ops::Range<u64>> {
    let (mut at, mut found) = (range.start, None);
    while at < range.end {
        file.seek(SeekFrom::Start(at)).ok()?;
        let (short, name) = (u32::from_be_bytes(read(file)?), read::<4>(file)?);
        let (header, size) = match short {
            1 => (16, u64::from_be_bytes(read(file)?)),
            _ => (8, u64::from(short)),
        };
        let end = at.checked_add(size).filter(|end| size >= header && *end <= range.end)?;
        if &name == kind {
            found = found.or(Some(at + header..end));
        }
        at = end;
    }
    found
}

fn read<const N: usize>(file: &mut File) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
