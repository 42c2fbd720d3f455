//! Formulas in text, compiled to programs for a stack machine that runs on any number type.
//!
//! A formula is stored in postfix order, `a b + c *`. Its evaluation needs only a stack of fixed size, and no recursion; the parser rejects
//! formulas that would not fit.

use super::parse::{ExpressionError, parse};
use crate::algebra::Analytic;

/// The depth of the stack, and of nested brackets.
pub(super) const DEEPEST: usize = 32;

/// One operation: pops its arguments from the stack and pushes its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
    Number(f64),
    Variable(usize),
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    IntegerPower(i32),
    Negate,
    Call(Function),
}

/// A function of one argument, or of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    Sqrt,
}

impl Function {
    pub const NAMES: [(&'static str, Function); 14] = [
        ("sin", Function::Sin),
        ("cos", Function::Cos),
        ("tan", Function::Tan),
        ("asin", Function::Asin),
        ("acos", Function::Acos),
        ("atan", Function::Atan),
        ("atan2", Function::Atan2),
        ("sinh", Function::Sinh),
        ("cosh", Function::Cosh),
        ("tanh", Function::Tanh),
        ("exp", Function::Exp),
        ("ln", Function::Ln),
        ("log", Function::Ln),
        ("sqrt", Function::Sqrt),
    ];

    /// The number of its arguments.
    pub fn arguments(self) -> usize {
        if self == Function::Atan2 { 2 } else { 1 }
    }

    fn of<T: Analytic>(self, x: T) -> T {
        match self {
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Tan => x.tan(),
            Function::Asin => x.asin(),
            Function::Acos => x.acos(),
            Function::Atan | Function::Atan2 => x.atan(),
            Function::Sinh => x.sinh(),
            Function::Cosh => x.cosh(),
            Function::Tanh => x.tanh(),
            Function::Exp => x.exp(),
            Function::Ln => x.ln(),
            Function::Sqrt => x.sqrt(),
        }
    }
}

/// A formula of named variables: `+ - * /`, powers `^` or `**`, brackets, numbers, `pi`, and the functions sin cos tan asin acos atan
/// atan2 sinh cosh tanh exp ln (or log) sqrt.
///
/// ```
/// use poinsot_core::lagrange::Expression;
/// let formula = Expression::parse("-k/2 * (x - 1)^2", &["x"], &[("k", 3.0)])?;
/// assert_eq!(formula.evaluate(&[3.0]), -6.0);
/// # Ok::<(), poinsot_core::lagrange::ExpressionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub(super) operations: Vec<Operation>,
}

impl Expression {
    /// The formula `text` in these variables, with named constants.
    pub fn parse<S: AsRef<str>>(
        text: &str,
        variables: &[S],
        constants: &[(S, f64)],
    ) -> Result<Self, ExpressionError> {
        let names: Vec<&str> = variables.iter().map(AsRef::as_ref).collect();
        let known: Vec<(&str, f64)> = constants.iter().map(|(name, x)| (name.as_ref(), *x)).collect();
        parse(text, &names, &known)
    }

    /// A number.
    pub fn constant(x: f64) -> Self {
        Expression { operations: vec![Operation::Number(x)] }
    }

    /// Its value for these values of the variables.
    ///
    /// # Panics
    /// If there are fewer values than variables.
    pub fn evaluate<T: Analytic>(&self, values: &[T]) -> T {
        self.evaluate_with(|k| values[k])
    }

    /// Its value, the k-th variable being `value(k)`.
    pub fn evaluate_with<T: Analytic>(&self, value: impl Fn(usize) -> T) -> T {
        let (mut stack, mut top) = ([T::zero(); DEEPEST], 0);
        for operation in &self.operations {
            match operation {
                Operation::Number(x) => {
                    stack[top] = T::from_f64(*x);
                    top += 1;
                }
                Operation::Variable(k) => {
                    stack[top] = value(*k);
                    top += 1;
                }
                Operation::Negate => stack[top - 1] = -stack[top - 1],
                Operation::IntegerPower(n) => stack[top - 1] = stack[top - 1].powi(*n),
                Operation::Call(Function::Atan2) => {
                    top -= 1;
                    stack[top - 1] = stack[top - 1].atan2(stack[top]);
                }
                Operation::Call(function) => stack[top - 1] = function.of(stack[top - 1]),
                binary => {
                    top -= 1;
                    stack[top - 1] = joined(*binary, stack[top - 1], stack[top]);
                }
            }
        }
        stack[0]
    }
}

fn joined<T: Analytic>(operation: Operation, a: T, b: T) -> T {
    match operation {
        Operation::Add => a + b,
        Operation::Subtract => a - b,
        Operation::Multiply => a * b,
        Operation::Divide => a / b,
        _ => a.pow(b),
    }
}
