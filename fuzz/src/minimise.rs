//! Smaller inputs with the same fault.

use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(20);

/// Leaves out tags, attributes and words while `fails` holds.
pub fn minimise(mut input: Vec<u8>, fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let begin = Instant::now();
    for split in [elements, words] {
        loop {
            let smaller = round(split(&input), &fails, begin);
            let done = smaller.len() >= input.len();
            if !done {
                input = smaller;
            }
            if done || begin.elapsed() > LONGEST {
                break;
            }
        }
    }
    input
}

/// Tries to leave out halves of the parts, quarters, and so on down to single ones.
fn round(mut parts: Vec<Vec<u8>>, fails: &impl Fn(&[u8]) -> bool, begin: Instant) -> Vec<u8> {
    let mut size = parts.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < parts.len() && begin.elapsed() < LONGEST {
            let end = (at + size).min(parts.len());
            let without = [&parts[..at], &parts[end..]].concat().concat();
            if fails(&without) {
                parts.drain(at..end);
            } else {
                at = end;
            }
        }
        size /= 2;
    }
    parts.concat()
}

fn elements(input: &[u8]) -> Vec<Vec<u8>> {
    cut(input, |b| b == b'<' || b == b'\n')
}

fn words(input: &[u8]) -> Vec<Vec<u8>> {
    cut(input, |b| b.is_ascii_whitespace() || b == b'<' || b == b'>')
}

/// Cuts before certain bytes.
fn cut(input: &[u8], before: fn(u8) -> bool) -> Vec<Vec<u8>> {
    let mut parts: Vec<Vec<u8>> = vec![Vec::new()];
    for b in input {
        if before(*b) {
            parts.push(Vec::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push(*b);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_what_matters_is_left() {
        let input = b"<a b='1' c='2'><d/><e f='bad' g='3'/></a>".to_vec();
        let fails = |text: &[u8]| text.windows(3).any(|w| w == b"bad");
        assert_eq!(super::minimise(input, fails), b" f='bad'");
    }
}
