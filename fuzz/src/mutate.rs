//! Ways to break a file: as bytes, as lines (the seeds have an element a line), and as tags and attributes.

use crate::random::Random;
use std::ops::Range;

/// Numbers that break things, and texts that are none.
const NASTY: [&str; 28] = [
    "nan",
    "inf",
    "-inf",
    "1e400",
    "1e308",
    "-1e308",
    "1e-320",
    "-0",
    "0",
    "-1",
    "1",
    "2",
    "3",
    "4294967296",
    "18446744073709551616",
    "1e9",
    "",
    " ",
    "abc",
    "true",
    "0 0 0",
    "1 0",
    "0 0 0 0",
    "1 2 3 4 5 6 7 8 9 10 11 12",
    "../../../../etc/passwd",
    "é\u{202e}🦀",
    "&lt;&#0;",
    "world",
];
/// Pieces that the grammar does not expect where they are put.
const PIECES: [&str; 12] = [
    "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;\">]>",
    "&c;",
    "<?xml version=\"0.0\"?>",
    "\u{feff}",
    "<![CDATA[",
    "<!--",
    "-->",
    "<include file=\"seed.xml\"/>",
    "\0",
    "<body>",
    "</body>",
    "\"",
];

/// One to a few changes of a seed; `others` lends pieces.
pub fn broken(random: &mut Random, seed: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut input = seed.to_vec();
    let changes = 1 + random.below(4) + if random.once_in(10) { random.below(30) } else { 0 };
    for _ in 0..changes {
        match random.below(12) {
            0 => change_bytes(random, &mut input),
            1 => input.truncate(random.below(input.len() + 1)),
            2..=4 => change_value(random, &mut input, others),
            5 => rename(random, &mut input, others),
            6..=8 => change_lines(random, &mut input, others),
            9 => {
                let piece = *random.pick(&PIECES);
                insert(random, &mut input, piece.as_bytes());
            }
            10 => change_number(random, &mut input),
            _ => nest(random, &mut input),
        }
        if input.len() > 1 << 16 {
            input.truncate(1 << 16);
        }
    }
    input
}

fn change_bytes(random: &mut Random, input: &mut [u8]) {
    if input.is_empty() {
        return;
    }
    for _ in 0..1 + random.below(8) {
        let at = random.below(input.len());
        input[at] = if random.once_in(2) { input[at] ^ (1 << random.below(8)) } else { random.bits() as u8 };
    }
}

fn insert(random: &mut Random, input: &mut Vec<u8>, piece: &[u8]) {
    let at = random.below(input.len() + 1);
    input.splice(at..at, piece.iter().copied());
}

fn replace(input: &mut Vec<u8>, range: Range<usize>, by: &[u8]) {
    input.splice(range, by.iter().copied());
}

/// The stretches between double quotes.
fn values(input: &[u8]) -> Vec<Range<usize>> {
    let quotes: Vec<usize> = (0..input.len()).filter(|k| input[*k] == b'"').collect();
    quotes.chunks_exact(2).map(|q| q[0] + 1..q[1]).collect()
}

/// Names of tags and attributes: letters after `<`, `</` or a blank, or before `=`.
fn names(input: &[u8]) -> Vec<Range<usize>> {
    let letter = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut found = Vec::new();
    let mut at = 0;
    while at < input.len() {
        let end = at + input[at..].iter().take_while(|b| letter(**b)).count();
        let opened = at > 0 && matches!(input[at - 1], b'<' | b'/');
        if end > at && (opened || input.get(end) == Some(&b'=')) {
            found.push(at..end);
        }
        at = end.max(at) + 1;
    }
    found
}

fn change_value(random: &mut Random, input: &mut Vec<u8>, others: &[Vec<u8>]) {
    let all = values(input);
    if all.is_empty() {
        return;
    }
    let range = random.pick(&all).clone();
    if random.once_in(3) {
        let lender = random.pick(others);
        let lent = values(lender);
        if !lent.is_empty() {
            let piece = lender[random.pick(&lent).clone()].to_vec();
            replace(input, range, &piece);
        }
        return;
    }
    let piece = *random.pick(&NASTY);
    replace(input, range, piece.as_bytes());
}

fn rename(random: &mut Random, input: &mut Vec<u8>, others: &[Vec<u8>]) {
    let lender = random.pick(others);
    let (own, lent) = (names(input), names(lender));
    if !own.is_empty() && !lent.is_empty() {
        let piece = lender[random.pick(&lent).clone()].to_vec();
        replace(input, random.pick(&own).clone(), &piece);
    }
}

/// Lines taken away, doubled, swapped, or lent by another seed.
fn change_lines(random: &mut Random, input: &mut Vec<u8>, others: &[Vec<u8>]) {
    let split = |text: &[u8]| text.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let mut lines = split(input);
    if lines.is_empty() {
        return;
    }
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(4) {
        0 => drop(lines.remove(a)),
        1 => lines.insert(b, lines[a].clone()),
        2 => lines.swap(a, b),
        _ => {
            let lent = split(random.pick::<Vec<u8>>(others));
            if !lent.is_empty() {
                lines.insert(b, random.pick(&lent).clone());
            }
        }
    }
    *input = lines.concat();
}

/// A digit or sign of some number changed: still a number, most often.
fn change_number(random: &mut Random, input: &mut [u8]) {
    let digits: Vec<usize> = (0..input.len()).filter(|k| input[*k].is_ascii_digit()).collect();
    if !digits.is_empty() {
        input[*random.pick(&digits)] = *random.pick(b"0123456789-.e");
    }
}

/// The whole file so many times within itself, or an element so deep.
fn nest(random: &mut Random, input: &mut Vec<u8>) {
    let deep = [2, 10, 300][random.below(3)];
    let tag = *random.pick(&["body", "frame", "default", "replicate count=\"3\"", "link"]);
    let close = tag.split(' ').next().unwrap_or(tag);
    let piece = format!("<{tag}>").repeat(deep) + &format!("</{close}>").repeat(deep);
    insert(random, input, piece.as_bytes());
}
