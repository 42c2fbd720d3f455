//! Parses the text of a formula to an [`Expression`].
//!
//! ```text
//! sum     = product { (+ | -) product }
//! product = signed { (* | /) signed }
//! signed  = { + | - } power
//! power   = atom [ (^ | **) signed ]
//! atom    = number | name | function ( sum { , sum } ) | ( sum )
//! ```

use super::expression::{DEEPEST, Expression, Function, Operation};

/// An error in a formula, and its position.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExpressionError {
    /// Something else was expected.
    #[error("in {text:?}, at character {at}: {found} where {expected} should be")]
    Unexpected {
        /// The formula.
        text: String,
        /// The position, from 1.
        at: usize,
        /// What was found there.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// An unknown name.
    #[error("in {text:?}, at character {at}: {name:?} is not known; there are {known}")]
    Unknown {
        /// The formula.
        text: String,
        /// The position, from 1.
        at: usize,
        /// The name.
        name: String,
        /// The known names.
        known: String,
    },
    /// Wrong number of arguments.
    #[error("in {text:?}: {name} takes {expected} arguments, not {found}")]
    Arguments {
        /// The formula.
        text: String,
        /// The function.
        name: String,
        /// The number of arguments it takes.
        expected: usize,
        /// The number of arguments given.
        found: usize,
    },
    /// Brackets nested too deeply.
    #[error(
        "in {text:?}, at character {at}: brackets and powers are nested more than 32 deep; write it in parts"
    )]
    Deep {
        /// The formula, or its start.
        text: String,
        /// The position, from 1.
        at: usize,
    },
}

pub(super) fn parse(
    text: &str,
    variables: &[&str],
    constants: &[(&str, f64)],
) -> Result<Expression, ExpressionError> {
    let characters: Vec<char> = text.chars().collect();
    let mut parser = Parser {
        text,
        characters: &characters,
        at: 0,
        variables,
        constants,
        operations: Vec::new(),
        waiting: 0,
        nested: 0,
    };
    parser.sum()?;
    match parser.peek() {
        None => Ok(Expression { operations: parser.operations }),
        Some(_) => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    characters: &'a [char],
    at: usize,
    variables: &'a [&'a str],
    constants: &'a [(&'a str, f64)],
    operations: Vec<Operation>,
    /// The number of values on the stack.
    waiting: usize,
    nested: usize,
}

type Parsed = Result<(), ExpressionError>;

impl Parser<'_> {
    fn sum(&mut self) -> Parsed {
        self.nested += 1;
        if self.nested > DEEPEST {
            return Err(self.deep());
        }
        self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            self.product()?;
            self.join(if sign == '+' { Operation::Add } else { Operation::Subtract });
        }
        self.nested -= 1;
        Ok(())
    }

    fn product(&mut self) -> Parsed {
        self.signed()?;
        while let Some(sign) = self.take_product() {
            self.signed()?;
            self.join(if sign == '*' { Operation::Multiply } else { Operation::Divide });
        }
        Ok(())
    }

    fn signed(&mut self) -> Parsed {
        let mut negative = false;
        while let Some(sign) = self.take(&['+', '-']) {
            negative ^= sign == '-';
        }
        self.power()?;
        if negative {
            match self.operations.last_mut() {
                Some(Operation::Number(x)) => *x = -*x,
                _ => self.operations.push(Operation::Negate),
            }
        }
        Ok(())
    }

    fn power(&mut self) -> Parsed {
        self.atom()?;
        let here = self.at;
        if self.take(&['^']).is_some() || self.take_double_star() {
            self.nested += 1;
            if self.nested > DEEPEST {
                return Err(self.deep());
            }
            self.signed()?;
            self.nested -= 1;
            self.raise();
        } else {
            self.at = here;
        }
        Ok(())
    }

    /// Integer exponents are repeated products, half-integers use a square root: both are defined for negative bases, unlike `exp(p ln x)`.
    fn raise(&mut self) {
        let exponent = match self.operations.last() {
            Some(Operation::Number(p)) => *p,
            _ => return self.join(Operation::Power),
        };
        let whole = |x: f64| x.fract() == 0.0 && x.abs() <= 1024.0;
        if !whole(2.0 * exponent) {
            return self.join(Operation::Power);
        }
        self.operations.pop();
        self.waiting -= 1;
        let base = self.operations.len() - 1;
        if !whole(exponent) {
            self.operations.push(Operation::Call(Function::Sqrt));
        }
        let times = if whole(exponent) { exponent } else { 2.0 * exponent };
        if times != 1.0 {
            self.operations.push(Operation::IntegerPower(times as i32));
        }
        if matches!(self.operations[base], Operation::Number(_)) {
            let value = Expression { operations: self.operations.split_off(base) }.evaluate::<f64>(&[]);
            self.operations.push(Operation::Number(value));
        }
    }

    fn atom(&mut self) -> Parsed {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.sum()?;
                self.expect(')')
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            _ => Err(self.unexpected("a number, a name or an opening bracket")),
        }
    }

    fn number(&mut self) -> Parsed {
        let start = self.at;
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        while self.characters.get(self.at).is_some_and(|c| is_part(*c)) {
            self.at += 1;
        }
        if self.characters.get(self.at).is_some_and(|c| *c == 'e' || *c == 'E') {
            let sign = self.characters.get(self.at + 1).is_some_and(|c| *c == '+' || *c == '-');
            let first = self.at + 1 + usize::from(sign);
            if self.characters.get(first).is_some_and(char::is_ascii_digit) {
                self.at = first;
                while self.characters.get(self.at).is_some_and(char::is_ascii_digit) {
                    self.at += 1;
                }
            }
        }
        let word: String = self.characters[start..self.at].iter().collect();
        match word.parse::<f64>() {
            Ok(x) if x.is_finite() => self.push(Operation::Number(x)),
            _ => {
                self.at = start;
                Err(self.unexpected("a number"))
            }
        }
    }

    fn name(&mut self) -> Parsed {
        let start = self.at;
        while self.characters.get(self.at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
            self.at += 1;
        }
        let word: String = self.characters[start..self.at].iter().collect();
        if let Some(k) = self.variables.iter().position(|name| *name == word) {
            return self.push(Operation::Variable(k));
        }
        if let Some((_, x)) = self.constants.iter().find(|(name, _)| *name == word) {
            return self.push(Operation::Number(*x));
        }
        if word == "pi" {
            return self.push(Operation::Number(std::f64::consts::PI));
        }
        match Function::NAMES.iter().find(|(name, _)| *name == word) {
            Some((name, function)) => self.call(name, *function),
            None => Err(self.unknown(start, word)),
        }
    }

    fn call(&mut self, name: &str, function: Function) -> Parsed {
        self.expect('(')?;
        let mut found = 1;
        self.sum()?;
        while self.take(&[',']).is_some() {
            self.sum()?;
            found += 1;
        }
        self.expect(')')?;
        let expected = function.arguments();
        if found != expected {
            let (text, name) = (self.text.to_string(), name.to_string());
            return Err(ExpressionError::Arguments { text, name, expected, found });
        }
        self.waiting -= expected - 1;
        self.operations.push(Operation::Call(function));
        Ok(())
    }

    fn push(&mut self, operation: Operation) -> Parsed {
        self.waiting += 1;
        if self.waiting > DEEPEST {
            return Err(self.deep());
        }
        self.operations.push(operation);
        Ok(())
    }

    /// Applies an operation to the last two values; two constants are folded.
    fn join(&mut self, operation: Operation) {
        self.waiting -= 1;
        let n = self.operations.len();
        if let [Operation::Number(a), Operation::Number(b)] = self.operations[n - 2..] {
            let both = vec![Operation::Number(a), Operation::Number(b), operation];
            let value = Expression { operations: both }.evaluate::<f64>(&[]);
            self.operations.truncate(n - 2);
            self.operations.push(Operation::Number(value));
        } else {
            self.operations.push(operation);
        }
    }

    /// The next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        while self.characters.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.characters.get(self.at).copied()
    }

    fn take(&mut self, which: &[char]) -> Option<char> {
        let next = self.peek().filter(|c| which.contains(c))?;
        self.at += 1;
        Some(next)
    }

    /// Consumes a `*` that is not the start of `**`, or a `/`.
    fn take_product(&mut self) -> Option<char> {
        let next = self.peek()?;
        let double = next == '*' && self.characters.get(self.at + 1) == Some(&'*');
        if double { None } else { self.take(&['*', '/']) }
    }

    fn take_double_star(&mut self) -> bool {
        let double = self.peek() == Some('*') && self.characters.get(self.at + 1) == Some(&'*');
        if double {
            self.at += 2;
        }
        double
    }

    fn expect(&mut self, c: char) -> Parsed {
        let expected = if c == ')' { "a closing bracket" } else { "an opening bracket" };
        if self.take(&[c]).is_some() { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn unexpected(&mut self, expected: &'static str) -> ExpressionError {
        let found = self.peek().map_or("the end".to_string(), |c| format!("{c:?}"));
        ExpressionError::Unexpected { text: self.shown(), at: self.at + 1, found, expected }
    }

    fn unknown(&self, start: usize, name: String) -> ExpressionError {
        let names = self.variables.iter().copied().chain(self.constants.iter().map(|(name, _)| *name));
        let known = names.chain(["pi"]).collect::<Vec<_>>().join(", ");
        ExpressionError::Unknown { text: self.shown(), at: start + 1, name, known }
    }

    fn deep(&self) -> ExpressionError {
        ExpressionError::Deep { text: self.shown(), at: self.at + 1 }
    }

    /// The formula for a message, truncated to a line or two.
    fn shown(&self) -> String {
        let short: String = self.characters.iter().take(200).collect();
        if self.characters.len() > 200 { short + "…" } else { short }
    }
}
