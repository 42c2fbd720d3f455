//! Reads arrays from archives of `numpy.savez` and `--out FILE.npz`: ZIP without compression, little-endian doubles or floats.

/// An array of up to two dimensions, in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    pub rows: usize,
    pub columns: usize,
    pub numbers: Vec<f64>,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..at + 2).map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..at + 4).and_then(|b| usize::try_from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])).ok())
}

/// Reads the array `name` of an archive.
pub(super) fn array(bytes: &[u8], name: &str) -> Result<Array, String> {
    let broken = || "this is not an archive of NumPy".to_string();
    let end = bytes.windows(4).rposition(|w| w == b"PK\x05\x06").ok_or_else(broken)?;
    let (count, mut at) = u16_at(bytes, end + 10).zip(u32_at(bytes, end + 16)).ok_or_else(broken)?;
    let wanted = format!("{name}.npy");
    let mut there = Vec::new();
    for _ in 0..count {
        let entry = bytes.get(at..).filter(|b| b.starts_with(b"PK\x01\x02")).ok_or_else(broken)?;
        let field = |k: usize| u16_at(entry, k).ok_or_else(broken);
        let (method, length, extra, comment) = (field(10)?, field(28)?, field(30)?, field(32)?);
        let (size, local) = u32_at(entry, 20).zip(u32_at(entry, 42)).ok_or_else(broken)?;
        let own = entry.get(46..46 + length).ok_or_else(broken)?;
        if own == wanted.as_bytes() {
            if method != 0 {
                return Err("it is compressed; write it by numpy.savez, not savez_compressed".into());
            }
            let skip = u16_at(bytes, local + 26).zip(u16_at(bytes, local + 28)).ok_or_else(broken)?;
            let first = local + 30 + skip.0 + skip.1;
            let (data, sum) = bytes.get(first..first + size).zip(u32_at(entry, 16)).ok_or_else(broken)?;
            if crc32(data) as usize != sum {
                return Err(format!("its array \"{name}\" is damaged: the checksum differs"));
            }
            return npy(data);
        }
        there.push(String::from_utf8_lossy(own).trim_end_matches(".npy").to_string());
        at += 46 + length + extra + comment;
    }
    Err(format!("it has no array \"{name}\"; it has {}", there.join(", ")))
}

/// The checksum of ZIP: the remainder of the bits, the lowest of each byte first, divided by a polynomial of degree 32.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut rest = byte as u32;
            let mut bit = 0;
            while bit < 8 {
                rest = if rest & 1 == 1 { rest >> 1 ^ 0xedb8_8320 } else { rest >> 1 };
                bit += 1;
            }
            table[byte] = rest;
            byte += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |rest: u32, byte| rest >> 8 ^ TABLE[usize::from(rest as u8 ^ byte)])
}

fn npy(bytes: &[u8]) -> Result<Array, String> {
    let broken = || "an array in it cannot be read".to_string();
    let version = *bytes.get(6).filter(|_| bytes.starts_with(b"\x93NUMPY")).ok_or_else(broken)?;
    let (length, begin) = if version == 1 { (u16_at(bytes, 8), 10) } else { (u32_at(bytes, 8), 12) };
    let length = length.ok_or_else(broken)?;
    let header =
        bytes.get(begin..begin + length).and_then(|h| std::str::from_utf8(h).ok()).ok_or_else(broken)?;
    let data = &bytes[begin + length..];
    let value = |key: &str| header.split_once(key).map(|(_, rest)| rest.trim_start_matches([' ', ':']));
    if value("'fortran_order'").is_some_and(|v| v.starts_with("True")) {
        return Err("an array in it is stored by columns; write numpy.ascontiguousarray of it".into());
    }
    let shape = value("'shape'")
        .and_then(|v| v.strip_prefix('('))
        .and_then(|v| v.split_once(')'))
        .ok_or_else(broken)?
        .0;
    let sizes: Vec<usize> = shape.split(',').filter_map(|x| x.trim().parse().ok()).collect();
    let numbers: Vec<f64> = match value("'descr'") {
        Some(v) if v.starts_with("'<f8'") => data
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
            .collect(),
        Some(v) if v.starts_with("'<f4'") => {
            data.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))).collect()
        }
        _ => return Err("an array in it is not of floats of 32 or 64 bits".into()),
    };
    let (rows, columns) = match sizes[..] {
        [n] => (n, 1),
        [n, m] => (n, m),
        _ => return Err("an array in it has neither one nor two dimensions".into()),
    };
    if numbers.len() == rows * columns { Ok(Array { rows, columns, numbers }) } else { Err(broken()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_zip() {
        // the check value of this checksum in catalogues of them
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
