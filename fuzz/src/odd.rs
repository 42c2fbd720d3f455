//! Values that readers do not expect.

use crate::random::Random;
use std::borrow::Cow;

/// A text that lives as long as the seeds, or its own.
pub type Text = Cow<'static, str>;

const NUMBERS: [&str; 36] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "0.5",
    "1e-9",
    "1e9",
    "nan",
    "NaN",
    "-nan",
    "inf",
    "-inf",
    "infinity",
    "1e308",
    "-1e308",
    "1e309",
    "1e-320",
    "1e-400",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1000000",
    "999999999",
    "65536",
    "0x10",
    "1.",
    ".5",
    "1e",
    "--1",
    "1,2",
    "1_000",
    "π",
    "",
];

const WORDS: [&str; 24] = [
    "true",
    "false",
    "auto",
    "abc",
    "",
    " ",
    "world",
    "main",
    "free",
    "ball",
    "hinge",
    "mesh",
    "plane",
    "radian",
    "XYZ",
    "zzz",
    "package://x/y.stl",
    "../../etc/passwd",
    "/dev/zero",
    "&amp;&lt;&#10;",
    "\u{0}",
    "é\u{301}\u{202e}",
    "a b c",
    "&undefined;",
];

/// A number, or what stands where one should.
pub fn number(r: &mut Random) -> Text {
    match r.below(6) {
        0 => Cow::Owned(format!("{}", r.next() as i64)),
        1 => Cow::Owned(format!("{:e}", f64::from_bits(r.next()))),
        2 => Cow::Owned(format!("{}", (r.below(2001) as f64 - 1000.0) / 100.0)),
        _ => Cow::Borrowed(*r.pick(&NUMBERS)),
    }
}

/// Any value of an attribute.
pub fn value(r: &mut Random) -> Text {
    match r.below(4) {
        0 => Cow::Borrowed(*r.pick(&WORDS)),
        1 => {
            // sometimes far too many
            let count = if r.one_in(50) { 2000 } else { r.below(14) };
            let list: Vec<Text> = (0..count).map(|_| number(r)).collect();
            Cow::Owned(list.join(" "))
        }
        2 if r.one_in(100) => Cow::Owned("x".repeat(r.below(100_000))),
        _ => number(r),
    }
}

/// A list of numbers with one of them changed, one more or one less.
pub fn change_one(r: &mut Random, list: &str) -> Text {
    let mut words: Vec<Text> = list.split_whitespace().map(|w| Cow::Owned(w.to_string())).collect();
    let at = r.below(words.len());
    match r.below(6) {
        0 if !words.is_empty() => drop(words.remove(at)),
        1 => words.insert(at, number(r)),
        _ if words.is_empty() => words.push(number(r)),
        _ => words[at] = number(r),
    }
    Cow::Owned(words.join(" "))
}
