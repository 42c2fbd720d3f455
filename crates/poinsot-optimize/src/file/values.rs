//! Numbers and ranges in a problem file.

use crate::error::OptimizeError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// A number, or a product in quotes: "pi", "-pi/2", "1/9", "inf".
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Number {
    Plain(f64),
    Words(String),
}

impl Number {
    pub fn value(&self) -> Result<f64, OptimizeError> {
        let text = match self {
            Number::Plain(x) if x.is_nan() => return Err(OptimizeError::File("nan is not a number".into())),
            Number::Plain(x) => return Ok(*x),
            Number::Words(text) => text,
        };
        let wrong = || {
            OptimizeError::File(format!(
                "\"{text}\" is not a number; write 1.5, \"1/9\", \"-pi/2\" or \"inf\""
            ))
        };
        let (sign, rest) = match text.trim().strip_prefix('-') {
            Some(rest) => (-1.0, rest),
            None => (1.0, text.trim()),
        };
        let (mut value, mut divide, mut rest) = (sign, false, rest);
        loop {
            let end = rest.find(['*', '/']).unwrap_or(rest.len());
            let factor = match rest[..end].trim() {
                "pi" => PI,
                word => word.parse::<f64>().map_err(|_| wrong())?,
            };
            value = if divide { value / factor } else { value * factor };
            match rest[end..].chars().next() {
                None => break,
                Some(sign) => divide = sign == '/',
            }
            rest = &rest[end + 1..];
        }
        if value.is_nan() { Err(wrong()) } else { Ok(value) }
    }
}

/// The required value of a quantity: a number, [least, most], or { min, max }.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Spec {
    Value(Number),
    Ends([Number; 2]),
    Between(Between),
}

/// An interval that may be unbounded on one side.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Between {
    min: Option<Number>,
    max: Option<Number>,
    /// For durations: the initial guess.
    guess: Option<Number>,
}

impl Spec {
    pub fn range(&self) -> Result<(f64, f64), OptimizeError> {
        match self {
            Spec::Value(x) => x.value().map(|x| (x, x)),
            Spec::Ends([low, high]) => Ok((low.value()?, high.value()?)),
            Spec::Between(b) => Ok((
                b.min.as_ref().map_or(Ok(f64::NEG_INFINITY), Number::value)?,
                b.max.as_ref().map_or(Ok(f64::INFINITY), Number::value)?,
            )),
        }
    }

    /// The initial guess given with an interval.
    pub fn guess(&self) -> Result<Option<f64>, OptimizeError> {
        match self {
            Spec::Between(Between { guess: Some(guess), .. }) => guess.value().map(Some),
            _ => Ok(None),
        }
    }
}

/// The required values of several quantities: one number for all, a list, or a table of names. For a single quantity, a list of two numbers
/// is its interval.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Group {
    All(Number),
    Each(Vec<Spec>),
    Interval(Between),
    Named(BTreeMap<String, Spec>),
}

/// The index of a quantity, and its interval.
pub type Ranged = (usize, (f64, f64));

impl Group {
    /// The intervals of the quantities that are specified: (index in `names`, interval).
    pub fn ranges(&self, what: &str, names: &[String]) -> Result<Vec<Ranged>, OptimizeError> {
        match self {
            Group::All(x) => {
                let x = x.value()?;
                Ok((0..names.len()).map(|k| (k, (x, x))).collect())
            }
            Group::Interval(b) => {
                let range = Spec::Between(b.clone()).range()?;
                Ok((0..names.len()).map(|k| (k, range)).collect())
            }
            Group::Each(list) if list.len() == names.len() => {
                list.iter().enumerate().map(|(k, s)| Ok((k, s.range()?))).collect()
            }
            Group::Each(list) => {
                if let ([Spec::Value(low), Spec::Value(high)], [_]) = (&list[..], names) {
                    return Ok(vec![(0, (low.value()?, high.value()?))]);
                }
                Err(OptimizeError::File(format!(
                    "{what} is a list of {} numbers, and there are {}: {}{}",
                    list.len(),
                    names.len(),
                    names.join(", "),
                    if list.len() == 2 { "; one range for all is { min = …, max = … }" } else { "" }
                )))
            }
            Group::Named(table) => {
                table.iter().map(|(name, s)| Ok((find(what, name, names)?, s.range()?))).collect()
            }
        }
    }
}

/// The index of a name.
pub fn find(what: &str, name: &str, names: &[String]) -> Result<usize, OptimizeError> {
    names.iter().position(|n| n == name).ok_or_else(|| {
        let all = if names.is_empty() { "none".to_string() } else { names.join(", ") };
        OptimizeError::File(format!("{what} has no \"{name}\"; there is {all}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `u = [-3, 3]` is the interval of a single control, and one number for each of two.
    #[test]
    fn two_numbers_for_one_quantity_are_its_interval() {
        let number = |text: &str| Spec::Value(Number::Words(text.into()));
        let list = Group::Each(vec![number("-3"), number("3")]);
        let names = |all: &[&str]| all.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(list.ranges("u", &names(&["u"])).unwrap(), [(0, (-3.0, 3.0))]);
        assert_eq!(list.ranges("u", &names(&["a", "b"])).unwrap(), [(0, (-3.0, -3.0)), (1, (3.0, 3.0))]);
        assert!(list.ranges("u", &names(&["a", "b", "c"])).is_err());
        let pair = Spec::Ends([Number::Words("-1".into()), Number::Words("1".into())]);
        assert_eq!(Group::Each(vec![pair]).ranges("u", &names(&["u"])).unwrap(), [(0, (-1.0, 1.0))]);
        assert!(Group::Each(vec![number("1"); 3]).ranges("u", &names(&["u"])).is_err());
    }

    #[test]
    fn numbers_may_be_products() {
        let value = |text: &str| Number::Words(text.into()).value();
        assert_eq!(value("1/9").unwrap(), 1.0 / 9.0);
        assert_eq!(value("-pi / 2").unwrap(), -PI / 2.0);
        assert_eq!(value("2*pi").unwrap(), 2.0 * PI);
        assert_eq!(value("-inf").unwrap(), f64::NEG_INFINITY);
        for wrong in ["", "one", "1//2", "nan", "1 2"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
        assert!(Number::Plain(f64::NAN).value().is_err());
    }
}
