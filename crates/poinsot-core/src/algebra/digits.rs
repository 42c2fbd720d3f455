//! Formatting of numbers in messages.

use std::fmt;

/// A number formatted with six digits for messages; the state has all of them.
///
/// ```
/// use poinsot_core::algebra::Digits;
/// assert_eq!(Digits(7.963374051091989e13).to_string(), "7.96337e13");
/// assert_eq!(Digits(7.4490000000001).to_string(), "7.449");
/// assert_eq!((Digits(1e-9).to_string(), Digits(f64::NAN).to_string()), ("1e-9".into(), "NaN".into()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Digits(pub f64);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded: f64 = format!("{:.5e}", self.0).parse().unwrap_or(self.0);
        match rounded.abs() {
            size if size == 0.0 || (1e-4..1e7).contains(&size) || !size.is_finite() => write!(f, "{rounded}"),
            _ => write!(f, "{rounded:e}"),
        }
    }
}
