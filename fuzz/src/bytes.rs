//! Broken bytes: what any file may suffer.

use crate::odd;
use crate::random::Random;

const PIECES: [&[u8]; 22] = [
    b"\xff",
    b"\xc3\x28",
    b"\xef\xbb\xbf",
    b"\0",
    b"\r\n",
    b"<",
    b">",
    b"</",
    b"/>",
    b"\"",
    b"'",
    b"&",
    b"&#0;",
    b"&#x110000;",
    b"<!--",
    b"<!-->",
    b"<![CDATA[",
    b"]]>",
    b"<?xml ",
    b"?>",
    b"<!DOCTYPE a [<!ENTITY b \"c\">]>",
    b"\xf0\x9f\x98\x80",
];
const COUNTS: [u32; 10] = [0, 1, 2, 3, 100, 65_535, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7fc0_0000];

/// A few changes of single bytes, of words of four, of stretches.
pub fn break_bytes(r: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..1 + r.below(4) {
        let (at, len) = (r.below(bytes.len()), bytes.len());
        match r.below(8) {
            0 => bytes.truncate(at),
            1 if len > 0 => bytes[at] ^= 1 << r.below(8),
            2 if len > 0 => bytes[at] = r.next() as u8,
            3 => drop(bytes.splice(at..at, r.pick(&PIECES).iter().copied())),
            4 => drop(bytes.drain(at..(at + r.below(40)).min(len))),
            5 => {
                let stretch = bytes[at..(at + r.below(200)).min(len)].to_vec();
                let to = r.below(len);
                bytes.splice(to..to, stretch);
            }
            6 if len >= 4 => {
                let at = (at & !3).min(len - 4);
                let count = if r.one_in(2) { *r.pick(&COUNTS) } else { r.next() as u32 };
                bytes[at..at + 4].copy_from_slice(&count.to_le_bytes());
            }
            _ => bytes.extend(std::iter::repeat_n(r.next() as u8, r.below(30))),
        }
    }
}

/// A few changes of lines and words.
pub fn break_words(r: &mut Random, bytes: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for _ in 0..1 + r.below(5) {
        if lines.is_empty() {
            break;
        }
        let (at, to) = (r.below(lines.len()), r.below(lines.len()));
        match r.below(7) {
            0 => drop(lines.remove(at)),
            1 => lines.swap(at, to),
            2 => {
                let copies = if r.one_in(50) { 300 } else { 1 };
                let line = lines[at].clone();
                lines.splice(to..to, std::iter::repeat_n(line, copies));
            }
            _ => {
                let mut words: Vec<&str> = lines[at].split(' ').collect();
                let number = odd::number(r);
                let k = r.below(words.len());
                match r.below(4) {
                    0 => words.insert(k, &number),
                    1 => drop(words.remove(k)),
                    _ => words[k] = &number,
                }
                lines[at] = words.join(" ");
            }
        }
    }
    *bytes = lines.join(if r.one_in(20) { "\r\n" } else { "\n" }).into_bytes();
}
