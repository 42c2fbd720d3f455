//! A computation recorded once and then evaluated for values, derivatives and adjoints.
//!
//! The equations of a system are run a single time on [`Traced`] numbers, which record each operation on a tape. The tape yields values
//! (one sweep), first derivatives (eight directions in a sweep) and the second derivatives of a weighted sum: forward along eight
//! directions, then backward, both exact [GriewankWalther08, chapters 3 and 5]. Operations with constants 0 or 1 are simplified while
//! recording, so a planar mechanism has the tape of a planar one. The code of the equations is compiled for one number type, and none of
//! its arithmetic is inlined into the sweeps of the dynamics.

use poinsot::algebra::{Real, sin_cos};
use std::cell::RefCell;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// The number of directions at once.
const WIDE: usize = 8;
type Lanes = [f64; WIDE];

/// The operation that produces a number; operands are earlier places on the tape.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Line {
    Variable(u32),
    Constant(f64),
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    Div(u32, u32),
    Sqrt(u32),
    /// The sine; the cosine of the same angle is the next entry.
    Sine(u32),
    /// The cosine; the sine of the same angle is the previous entry.
    Cosine(u32),
}

impl Line {
    /// Its operands.
    fn parts(self) -> [Option<u32>; 2] {
        match self {
            Line::Variable(_) | Line::Constant(_) => [None, None],
            Line::Add(a, b) | Line::Sub(a, b) | Line::Mul(a, b) | Line::Div(a, b) => [Some(a), Some(b)],
            Line::Sqrt(a) | Line::Sine(a) | Line::Cosine(a) => [Some(a), None],
        }
    }

    fn with(self, place: impl Fn(u32) -> u32) -> Line {
        match self {
            Line::Variable(_) | Line::Constant(_) => self,
            Line::Add(a, b) => Line::Add(place(a), place(b)),
            Line::Sub(a, b) => Line::Sub(place(a), place(b)),
            Line::Mul(a, b) => Line::Mul(place(a), place(b)),
            Line::Div(a, b) => Line::Div(place(a), place(b)),
            Line::Sqrt(a) => Line::Sqrt(place(a)),
            Line::Sine(a) => Line::Sine(place(a)),
            Line::Cosine(a) => Line::Cosine(place(a)),
        }
    }
}

thread_local! {
    /// The tape being recorded.
    static WRITTEN: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

fn write(line: Line) -> u32 {
    WRITTEN.with_borrow_mut(|lines| {
        lines.push(line);
        (lines.len() - 1) as u32
    })
}

/// A number of a computation being recorded: a constant, or a place on the tape. It does not keep the contract of [`Real::mul_add`] to
/// round once: the product and the sum are two entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Traced {
    /// A constant.
    Known(f64),
    /// A place on the tape.
    Made(u32),
}

use Traced::{Known, Made};

impl Traced {
    fn place(self) -> u32 {
        match self {
            Known(x) => write(Line::Constant(x)),
            Made(k) => k,
        }
    }
}

impl Default for Traced {
    fn default() -> Traced {
        Known(0.0)
    }
}

impl Add for Traced {
    type Output = Traced;
    #[inline(never)]
    fn add(self, o: Traced) -> Traced {
        match (self, o) {
            (Known(a), Known(b)) => Known(a + b),
            (Known(0.0), x) | (x, Known(0.0)) => x,
            _ => Made(write(Line::Add(self.place(), o.place()))),
        }
    }
}
impl Sub for Traced {
    type Output = Traced;
    #[inline(never)]
    fn sub(self, o: Traced) -> Traced {
        match (self, o) {
            (Known(a), Known(b)) => Known(a - b),
            (x, Known(0.0)) => x,
            _ => Made(write(Line::Sub(self.place(), o.place()))),
        }
    }
}
impl Mul for Traced {
    type Output = Traced;
    #[inline(never)]
    fn mul(self, o: Traced) -> Traced {
        match (self, o) {
            (Known(a), Known(b)) => Known(a * b),
            (Known(0.0), _) | (_, Known(0.0)) => Known(0.0),
            (Known(1.0), x) | (x, Known(1.0)) => x,
            _ => Made(write(Line::Mul(self.place(), o.place()))),
        }
    }
}
impl Div for Traced {
    type Output = Traced;
    #[inline(never)]
    fn div(self, o: Traced) -> Traced {
        match (self, o) {
            (Known(a), Known(b)) => Known(a / b),
            (Known(0.0), _) => Known(0.0),
            (x, Known(1.0)) => x,
            _ => Made(write(Line::Div(self.place(), o.place()))),
        }
    }
}
impl Neg for Traced {
    type Output = Traced;
    #[inline(never)]
    fn neg(self) -> Traced {
        Known(0.0) - self
    }
}
impl AddAssign for Traced {
    fn add_assign(&mut self, o: Traced) {
        *self = *self + o;
    }
}
impl SubAssign for Traced {
    fn sub_assign(&mut self, o: Traced) {
        *self = *self - o;
    }
}

impl Real for Traced {
    fn from_f64(x: f64) -> Traced {
        Known(x)
    }
    #[inline(never)]
    fn mul_add(self, a: Traced, b: Traced) -> Traced {
        self * a + b
    }
    #[inline(never)]
    fn sqrt(self) -> Traced {
        match self {
            Known(x) => Known(x.sqrt()),
            Made(k) => Made(write(Line::Sqrt(k))),
        }
    }
    #[inline(never)]
    fn sin_cos(self) -> (Traced, Traced) {
        match self {
            Known(x) => {
                let (s, c) = sin_cos(x);
                (Known(s), Known(c))
            }
            Made(k) => (Made(write(Line::Sine(k))), Made(write(Line::Cosine(k)))),
        }
    }
}

/// A recorded computation with the inputs `variables` and the outputs `results`.
#[derive(Clone, Debug)]
pub struct Tape {
    lines: Vec<Line>,
    results: Vec<u32>,
    variables: usize,
}

impl Tape {
    /// Records `calculation` with this many variables.
    pub fn of(variables: usize, calculation: impl FnOnce(&[Traced]) -> Vec<Traced>) -> Tape {
        // nested recordings do not disturb each other
        let outer = WRITTEN.take();
        let given: Vec<Traced> = (0..variables as u32).map(|k| Made(write(Line::Variable(k)))).collect();
        let results: Vec<u32> = calculation(&given).into_iter().map(Traced::place).collect();
        let lines = WRITTEN.replace(outer);
        Tape { lines, results, variables }.without_unused()
    }

    /// Removes entries on which no result depends.
    fn without_unused(self) -> Tape {
        let mut used = vec![false; self.lines.len()];
        self.results.iter().for_each(|k| used[*k as usize] = true);
        for k in (0..self.lines.len()).rev() {
            // sine and cosine are each other's derivative, so they stay together
            if let Line::Cosine(_) = self.lines[k] {
                used[k] |= used[k - 1];
                used[k - 1] = used[k];
            }
            if used[k] {
                self.lines[k].parts().into_iter().flatten().for_each(|part| used[part as usize] = true);
            }
        }
        let mut place = vec![0; self.lines.len()];
        let mut lines = Vec::new();
        for (k, line) in self.lines.iter().enumerate().filter(|(k, _)| used[*k]) {
            place[k] = lines.len() as u32;
            lines.push(line.with(|part| place[part as usize]));
        }
        let results = self.results.iter().map(|k| place[*k as usize]).collect();
        Tape { lines, results, variables: self.variables }
    }

    /// All numbers of the tape.
    fn numbers(&self, z: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.lines.len()];
        for (k, line) in self.lines.iter().enumerate() {
            x[k] = match *line {
                Line::Variable(v) => z[v as usize],
                Line::Constant(c) => c,
                Line::Add(a, b) => x[a as usize] + x[b as usize],
                Line::Sub(a, b) => x[a as usize] - x[b as usize],
                Line::Mul(a, b) => x[a as usize] * x[b as usize],
                Line::Div(a, b) => x[a as usize] / x[b as usize],
                Line::Sqrt(a) => x[a as usize].sqrt(),
                Line::Sine(a) => {
                    let (s, c) = sin_cos(x[a as usize]);
                    x[k + 1] = c;
                    s
                }
                Line::Cosine(_) => x[k],
            };
        }
        x
    }

    /// The results at z.
    pub fn values(&self, z: &[f64], out: &mut [f64]) {
        let x = self.numbers(z);
        for (out, k) in out.iter_mut().zip(&self.results) {
            *out = x[*k as usize];
        }
    }

    /// Computes the derivatives of all numbers along the variables from `first` on.
    fn slopes(&self, x: &[f64], first: usize, d: &mut [Lanes]) {
        for (k, line) in self.lines.iter().enumerate() {
            d[k] = match *line {
                Line::Variable(v) => std::array::from_fn(|l| f64::from(u8::from(v as usize == first + l))),
                Line::Constant(_) => [0.0; WIDE],
                Line::Add(a, b) => zip(&d[a as usize], &d[b as usize], |a, b| a + b),
                Line::Sub(a, b) => zip(&d[a as usize], &d[b as usize], |a, b| a - b),
                Line::Mul(a, b) => {
                    let (p, q) = (x[a as usize], x[b as usize]);
                    zip(&d[a as usize], &d[b as usize], |da, db| da * q + p * db)
                }
                Line::Div(a, b) => {
                    let (own, r) = (x[k], 1.0 / x[b as usize]);
                    zip(&d[a as usize], &d[b as usize], |da, db| (da - own * db) * r)
                }
                Line::Sqrt(a) => scaled(&d[a as usize], 0.5 / x[k]),
                Line::Sine(a) => scaled(&d[a as usize], x[k + 1]),
                Line::Cosine(a) => scaled(&d[a as usize], -x[k - 1]),
            };
        }
    }

    /// The results, and their derivatives row by row.
    pub fn jacobian(&self, z: &[f64], out: &mut [f64], jacobian: &mut [f64]) {
        let (n, x) = (self.variables, self.numbers(z));
        for (out, k) in out.iter_mut().zip(&self.results) {
            *out = x[*k as usize];
        }
        let mut d = vec![[0.0; WIDE]; x.len()];
        for first in (0..n).step_by(WIDE) {
            self.slopes(&x, first, &mut d);
            for (row, k) in self.results.iter().enumerate() {
                let there = WIDE.min(n - first);
                jacobian[row * n + first..row * n + first + there].copy_from_slice(&d[*k as usize][..there]);
            }
        }
    }

    /// The second derivatives of `weights · results`, row by row; both halves.
    pub fn hessian(&self, z: &[f64], weights: &[f64], hessian: &mut [f64]) {
        let (n, x) = (self.variables, self.numbers(z));
        let pull = self.pulls(&x, weights);
        let (mut d, mut e) = (vec![[0.0; WIDE]; x.len()], vec![[0.0; WIDE]; x.len()]);
        for first in (0..n).step_by(WIDE) {
            self.slopes(&x, first, &mut d);
            e.fill([0.0; WIDE]);
            self.bends(&x, &pull, &d, &mut e);
            for (k, line) in self.lines.iter().enumerate() {
                if let Line::Variable(v) = *line {
                    let there = WIDE.min(n - first);
                    let row = v as usize * n + first;
                    hessian[row..row + there].copy_from_slice(&e[k][..there]);
                }
            }
        }
    }

    /// Backward sweep: the derivative of the weighted sum with respect to each number.
    fn pulls(&self, x: &[f64], weights: &[f64]) -> Vec<f64> {
        let mut pull = vec![0.0; x.len()];
        for (k, w) in self.results.iter().zip(weights) {
            pull[*k as usize] += w;
        }
        for (k, line) in self.lines.iter().enumerate().rev() {
            let p = pull[k];
            if p == 0.0 {
                continue;
            }
            match *line {
                Line::Variable(_) | Line::Constant(_) => {}
                Line::Add(a, b) => {
                    pull[a as usize] += p;
                    pull[b as usize] += p;
                }
                Line::Sub(a, b) => {
                    pull[a as usize] += p;
                    pull[b as usize] -= p;
                }
                Line::Mul(a, b) => {
                    pull[a as usize] += p * x[b as usize];
                    pull[b as usize] += p * x[a as usize];
                }
                Line::Div(a, b) => {
                    let p = p / x[b as usize];
                    pull[a as usize] += p;
                    pull[b as usize] -= p * x[k];
                }
                Line::Sqrt(a) => pull[a as usize] += 0.5 * p / x[k],
                Line::Sine(a) => pull[a as usize] += p * x[k + 1],
                Line::Cosine(a) => pull[a as usize] -= p * x[k - 1],
            }
        }
        pull
    }

    /// Backward sweep: the derivatives of these along the directions d.
    fn bends(&self, x: &[f64], pull: &[f64], d: &[Lanes], e: &mut [Lanes]) {
        for (k, line) in self.lines.iter().enumerate().rev() {
            let (own, p) = (e[k], pull[k]);
            match *line {
                Line::Variable(_) | Line::Constant(_) => {}
                Line::Add(a, b) => {
                    add(&mut e[a as usize], &own, 1.0);
                    add(&mut e[b as usize], &own, 1.0);
                }
                Line::Sub(a, b) => {
                    add(&mut e[a as usize], &own, 1.0);
                    add(&mut e[b as usize], &own, -1.0);
                }
                Line::Mul(a, b) => {
                    add_two(&mut e[a as usize], &own, x[b as usize], &d[b as usize], p);
                    add_two(&mut e[b as usize], &own, x[a as usize], &d[a as usize], p);
                }
                Line::Div(a, b) => {
                    // of p/b with respect to a and −p c/b with respect to b, where c is the quotient
                    let r = 1.0 / x[b as usize];
                    let of_a = zip(&own, &d[b as usize], |own, db| (own - p * r * db) * r);
                    add(&mut e[a as usize], &of_a, 1.0);
                    add_two(&mut e[b as usize], &of_a, -x[k], &d[k], -p * r);
                }
                Line::Sqrt(a) => {
                    let r = 0.5 / x[k];
                    add_two(&mut e[a as usize], &own, r, &d[k], -p * r / x[k]);
                }
                Line::Sine(a) => add_two(&mut e[a as usize], &own, x[k + 1], &d[a as usize], -p * x[k]),
                Line::Cosine(a) => add_two(&mut e[a as usize], &own, -x[k - 1], &d[a as usize], -p * x[k]),
            }
        }
    }
}

#[inline(always)]
fn zip(a: &Lanes, b: &Lanes, f: impl Fn(f64, f64) -> f64) -> Lanes {
    std::array::from_fn(|l| f(a[l], b[l]))
}

#[inline(always)]
fn scaled(a: &Lanes, by: f64) -> Lanes {
    a.map(|a| a * by)
}

#[inline(always)]
fn add(to: &mut Lanes, a: &Lanes, by: f64) {
    for (to, a) in to.iter_mut().zip(a) {
        *to += a * by;
    }
}

#[inline(always)]
fn add_two(to: &mut Lanes, a: &Lanes, by: f64, b: &Lanes, with: f64) {
    for (to, (a, b)) in to.iter_mut().zip(a.iter().zip(b)) {
        *to += a * by + b * with;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot::algebra::Dual;

    /// All operations, each used more than once: values, first and second derivatives are compared with nested dual numbers.
    fn all<T: Real>(z: &[T]) -> Vec<T> {
        let (s, c) = (z[0] * z[1]).sin_cos();
        let root = (z[2] * z[2] + T::one()).sqrt();
        let ratio = (s - z[1]) / (root + c * c);
        let nothing = z[0] * T::zero();
        vec![ratio, -root.mul_add(ratio, z[2]), nothing, c / z[3], T::from_f64(2.5), z[1] / root * c]
    }

    #[test]
    fn derivatives_are_those_of_dual_numbers() {
        let z = [0.7, -1.3, 0.4, 1.9];
        let weights = [0.3, -1.1, 0.5, 2.0, 1.0, -0.6];
        let tape = Tape::of(4, all);
        let (mut out, mut jacobian, mut hessian) = ([0.0; 6], [0.0; 24], [0.0; 16]);
        tape.jacobian(&z, &mut out, &mut jacobian);
        tape.hessian(&z, &weights, &mut hessian);
        let mut again = [0.0; 6];
        tape.values(&z, &mut again);
        assert_eq!(out, again);
        for j in 0..4 {
            let lifted: Vec<Dual<4, Dual<1>>> = (0..4)
                .map(|k| {
                    let mut x = Dual::<4, Dual<1>>::from_f64(z[k]);
                    x.re.eps[0] = f64::from(u8::from(k == j));
                    x.eps[k] = Dual::one();
                    x
                })
                .collect();
            let results = all(&lifted);
            for (row, result) in results.iter().enumerate() {
                assert!((result.re.re - out[row]).abs() < 1e-15);
                assert!((result.re.eps[0] - jacobian[row * 4 + j]).abs() < 1e-14);
            }
            for k in 0..4 {
                let second: f64 = results.iter().zip(weights).map(|(r, w)| w * r.eps[k].eps[0]).sum();
                assert!(
                    (second - hessian[k * 4 + j]).abs() < 1e-13,
                    "{k} {j}: {second} {}",
                    hessian[k * 4 + j]
                );
            }
        }
    }

    /// Multiplying by 0 and 1 and adding 0 record no entries, and unused entries are removed.
    #[test]
    fn what_is_known_is_not_written() {
        let tape = Tape::of(2, |z| {
            let unused = z[0].sin_cos().0 * z[1];
            let _ = unused;
            vec![(z[0] * Known(1.0) + Known(0.0)) * z[1] + z[1] * Known(0.0)]
        });
        assert_eq!(tape.lines.len(), 3);
    }
}
