//! The terms of rows and costs: values at nodes, times powers of the duration of a phase.

/// A value at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeValue {
    /// An entry of z = (q, v, a, u, f).
    Z(usize),
    /// One of the values of the equations: (q̇, balance, outputs).
    Out(usize),
}

/// `coefficient T^power value`
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub node: usize,
    pub what: NodeValue,
    pub coefficient: f64,
    pub power: i32,
}

/// A sum of terms with one duration, a constant, minus a slack variable.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    pub phase: usize,
    pub terms: Vec<Term>,
    pub constant: f64,
    pub slack: Option<usize>,
}

impl Sum {
    pub fn new(phase: usize) -> Sum {
        Sum { phase, ..Sum::default() }
    }

    pub fn add(mut self, node: usize, what: NodeValue, coefficient: f64, power: i32) -> Sum {
        self.terms.push(Term { node, what, coefficient, power });
        self
    }

    pub fn less(mut self, constant: f64) -> Sum {
        self.constant -= constant;
        self
    }
}

/// A row: a sum that must be 0.
#[derive(Clone, Debug)]
pub struct Row {
    pub sum: Sum,
    pub block: usize,
    /// Its meaning, in words, with its moment.
    pub says: Meaning,
}

/// The meaning of a row.
#[derive(Clone, Debug)]
pub struct Meaning {
    pub what: String,
    pub node: usize,
}

/// A term of the cost: `weight T^power sum`, or its square.
#[derive(Clone, Debug)]
pub struct Part {
    pub sum: Sum,
    pub weight: f64,
    pub power: i32,
    pub squared: bool,
    /// The cost of the problem that it belongs to.
    pub cost: usize,
}
