//! Lists of numbers as a user gives them: typed, in a file, or through a pipe.

use crate::failure::{Outcome, failure};
use poinsot::model::Model;
use poinsot::names::{Space, layout};
use serde_json::Value;
use std::io::Read;

/// Numbers from "1,2,3", "1 2 3", "@file.json", "@file.csv" or "@-" (standard input). `flag` is for messages.
pub fn read(flag: &str, text: &str) -> Outcome<Vec<f64>> {
    match text.strip_prefix('@') {
        Some(path) => parse(&contents(flag, path)?).map_err(|e| failure(format!("{flag} {text}: {e}"))),
        None => parse(text).map_err(|e| failure(format!("{flag}: {e}"))),
    }
}

/// Numbers that fit a model; `default` if none are given.
pub fn fitting(
    flag: &str,
    text: Option<&str>,
    model: &Model,
    space: Space,
    default: Vec<f64>,
) -> Outcome<Vec<f64>> {
    let Some(text) = text else { return Ok(default) };
    let numbers = read(flag, text)?;
    if numbers.len() != space.size(model) {
        let source = if text.starts_with('@') { format!("{flag} {text}") } else { flag.to_string() };
        let message = format!("{source} has {} numbers; {}", numbers.len(), layout(model, space));
        return Err(failure(message));
    }
    Ok(numbers)
}

/// The text of a file, or of standard input for "-".
pub fn contents(flag: &str, path: &str) -> Outcome<String> {
    let mut text = String::new();
    let read = match path {
        "-" => std::io::stdin().read_to_string(&mut text).map(|_| text),
        _ => std::fs::read_to_string(path),
    };
    read.map_err(|e| {
        let what = if path == "-" { "standard input" } else { path };
        failure(format!("{flag}: cannot read {what}: {e}"))
    })
}

/// Numbers separated by commas, semicolons or spaces, or a JSON list of numbers (nested lists are read in order). A first line of names, as
/// in CSV files, is skipped.
pub fn parse(text: &str) -> Result<Vec<f64>, String> {
    let trimmed = text.trim();
    if trimmed.starts_with('[') {
        let value: Value =
            serde_json::from_str(trimmed).map_err(|e| format!("this is not a JSON list: {e}"))?;
        let mut numbers = Vec::new();
        flatten(&value, &mut numbers)?;
        return Ok(numbers);
    }
    let mut lines = trimmed.lines().peekable();
    let header = |line: &str| words(line).next().is_some() && words(line).all(|w| number(w).is_err());
    if trimmed.contains('\n') && lines.peek().is_some_and(|l| header(l)) {
        lines.next();
    }
    lines.flat_map(words).map(number).collect()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([',', ';', ' ', '\t', '\r']).filter(|w| !w.is_empty())
}

/// One finite number.
pub fn number(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err(format!("\"{word}\" is not finite; give finite numbers")),
        Err(_) => Err(format!("\"{word}\" is not a number; give numbers separated by commas or spaces")),
    }
}

fn flatten(value: &Value, out: &mut Vec<f64>) -> Result<(), String> {
    match value {
        Value::Array(list) => list.iter().try_for_each(|v| flatten(v, out)),
        Value::Number(n) => {
            out.extend(n.as_f64().filter(|x| x.is_finite()));
            Ok(())
        }
        other => Err(format!("{other} is not a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn every_way_to_write_numbers() {
        for text in [
            "1,-2e3,0.5",
            " 1 -2e3\t0.5\n",
            "1, -2e3, 0.5",
            "[1, -2e3, 0.5]",
            "a,b,c\n1,-2e3,0.5\n",
            "1\r\n-2e3\r\n0.5",
        ] {
            assert_eq!(parse(text), Ok(vec![1.0, -2000.0, 0.5]), "{text:?}");
        }
        assert_eq!(parse(""), Ok(vec![]));
        for wrong in ["1,x", "nan", "[1, \"a\"]", "[1", "1,inf"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
