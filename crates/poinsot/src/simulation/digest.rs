//! A hash of a JSON value that does not depend on how it is written: on spaces, on the order of keys, or on whether 1 is 1.0.

use serde_json::Value;

/// FNV-1a over the content of a value, in hexadecimal digits; `but` is a key that is left out.
pub(super) fn digest(value: &Value, but: &str) -> String {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    hash.add(value, but);
    format!("{:016x}", hash.0)
}

struct Hash(u64);

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        let mixed = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, mixed);
    }

    /// A letter for the kind of a value, and how long it is: no two values are written as the same bytes.
    fn begin(&mut self, kind: u8, length: usize) {
        self.bytes(&[kind]);
        self.bytes(&(length as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.begin(b's', text.len());
        self.bytes(text.as_bytes());
    }

    fn add(&mut self, value: &Value, but: &str) {
        match value {
            Value::Null => self.begin(b'n', 0),
            Value::Bool(true) => self.begin(b't', 0),
            Value::Bool(false) => self.begin(b'f', 0),
            Value::Number(number) => {
                self.begin(b'x', 0);
                self.bytes(&number.as_f64().unwrap_or(f64::NAN).to_bits().to_le_bytes());
            }
            Value::String(text) => self.text(text),
            Value::Array(list) => {
                self.begin(b'a', list.len());
                list.iter().for_each(|item| self.add(item, but));
            }
            Value::Object(map) => {
                let mut items: Vec<(&String, &Value)> = map.iter().filter(|(key, _)| *key != but).collect();
                items.sort_by_key(|(key, _)| *key);
                self.begin(b'o', items.len());
                for (key, item) in items {
                    self.text(key);
                    self.add(item, but);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn content_counts_and_writing_does_not() {
        let hash = |text: &str| digest(&serde_json::from_str(text).expect("JSON"), "check");
        let one = hash(r#"{"a": [1, 2.5], "b": {"c": "x"}, "check": "1"}"#);
        assert_eq!(one, hash(r#"{"b":{"c":"x"},"check":"2","a":[1.0,2.5]}"#));
        for other in [
            r#"{"a": [1, 2.5000000000000004], "b": {"c": "x"}}"#,
            r#"{"a": [2.5, 1], "b": {"c": "x"}}"#,
            r#"{"a": [1, 2.5], "b": {"c": "y"}}"#,
            r#"{"a": [1, 2.5], "B": {"c": "x"}}"#,
            r#"{"a": [1], "b": {"c": "x"}}"#,
        ] {
            assert_ne!(one, hash(other), "{other}");
        }
        assert_ne!(digest(&json!(0.0), ""), digest(&json!(-0.0), ""));
    }
}
