//! Symmetric indefinite factorisation of matrices that are a chain of blocks with a border.
//!
//! Unknowns are in blocks 0, 1, …, each coupled to itself, its neighbours and the border (the durations of the phases). The factorisation
//! K = L D Lᵀ is multifrontal [DuffReid83] on a chain: the front of block k contains what remains of the previous blocks, block k, block
//! k + 1 and the border. Pivots, 1×1 or 2×2, are taken from the first two if they are large enough relative to their columns; unknowns without
//! such a pivot are delayed to the next front. The signs of D count the negative eigenvalues.

/// One entry of a symmetric matrix, i ≥ j or i ≤ j, each pair once; entries at the same place are added.
pub type Entry = (usize, usize, f64);

/// The block number of an unknown in the border.
pub const BORDER: usize = usize::MAX;

/// A pivot of at least this fraction of the largest entry of its columns is accepted at once.
const GOOD: f64 = 0.1;
/// A pivot below this fraction is not accepted, and delayed to the next front.
const LEAST: f64 = 1e-4;
/// Rounds of scaling; each halves the remaining exponents.
const ROUNDS: usize = 4;

/// The part of the factor from one front.
#[derive(Debug, Default)]
struct Front {
    /// The unknowns of its rows, starting with those of its pivots.
    unknowns: Vec<usize>,
    /// The number of pivots, counting a 2×2 pivot twice.
    pivots: usize,
    /// L below the pivots, row by row, `pivots` columns.
    lower: Vec<f64>,
    /// D⁻¹ of the pivots, and for the first of a 2×2 one the off-diagonal entry.
    inverse: Vec<(f64, Option<f64>)>,
}

/// A factor.
#[derive(Debug, Default)]
pub struct Chain {
    fronts: Vec<Front>,
    /// The number of negative eigenvalues.
    pub negative: usize,
    /// The number of pivots that are practically 0.
    pub zero: usize,
    /// S of the scaled matrix S K S, which is factored.
    scale: Vec<f64>,
}

/// The matrix of a front during elimination: dense and symmetric, with both halves stored.
struct Dense {
    unknowns: Vec<usize>,
    a: Vec<f64>,
}

impl Dense {
    fn size(&self) -> usize {
        self.unknowns.len()
    }

    fn swap(&mut self, i: usize, j: usize) {
        if i == j {
            return;
        }
        let n = self.size();
        self.unknowns.swap(i, j);
        for k in 0..n {
            self.a.swap(i * n + k, j * n + k);
        }
        for k in 0..n {
            self.a.swap(k * n + i, k * n + j);
        }
    }

    /// The largest entry of row i from column `from` on, excluding columns i and `but`.
    fn largest(&self, i: usize, from: usize, but: usize) -> f64 {
        let row = &self.a[i * self.size()..(i + 1) * self.size()];
        let others = row.iter().enumerate().skip(from).filter(|(k, _)| *k != i && *k != but);
        others.fold(0.0, |most, (_, x)| most.max(x.abs()))
    }
}

impl Chain {
    /// Factors the matrix with these entries; `block` gives the block of each unknown.
    pub fn factor(block: &[usize], entries: &[Entry]) -> Chain {
        let blocks = block.iter().filter(|b| **b != BORDER).max().map_or(1, |b| b + 1);
        let mut members = vec![Vec::new(); blocks];
        let mut border = Vec::new();
        for (k, b) in block.iter().enumerate() {
            if *b == BORDER { border.push(k) } else { members[*b].push(k) }
        }
        // an entry belongs to the front of the earlier of its two blocks
        let mut mine = vec![Vec::new(); blocks];
        for entry in entries {
            let first = block[entry.0].min(block[entry.1]);
            mine[if first == BORDER { blocks - 1 } else { first }].push(*entry);
        }
        let mut chain = Chain { scale: equilibrate(block.len(), entries), ..Chain::default() };
        let mut place = vec![0; block.len()];
        let mut left = Dense { unknowns: border.clone(), a: vec![0.0; border.len() * border.len()] };
        for k in 0..blocks {
            // candidates first: delayed ones and own, then the next block, then the border
            let handed: Vec<usize> =
                left.unknowns.iter().copied().filter(|u| block[*u] != BORDER && block[*u] < k).collect();
            let next = members.get(k + 1).map_or(&[][..], |m| m);
            let last = k + 1 == blocks;
            let unknowns: Vec<usize> =
                handed.iter().chain(&members[k]).chain(next).chain(&border).copied().collect();
            let candidates = if last { unknowns.len() } else { handed.len() + members[k].len() };
            let n = unknowns.len();
            for (p, u) in unknowns.iter().enumerate() {
                place[*u] = p;
            }
            let mut front = Dense { a: vec![0.0; n * n], unknowns };
            for (i, row) in left.unknowns.iter().enumerate() {
                for (j, column) in left.unknowns.iter().enumerate() {
                    front.a[place[*row] * n + place[*column]] += left.a[i * left.size() + j];
                }
            }
            for (i, j, x) in &mine[k] {
                let x = x * chain.scale[*i] * chain.scale[*j];
                let (i, j) = (place[*i], place[*j]);
                front.a[i * n + j] += x;
                if i != j {
                    front.a[j * n + i] += x;
                }
            }
            left = chain.eliminate(front, candidates, last);
        }
        chain
    }

    /// Takes pivots from the first `candidates` unknowns; returns the remaining front.
    fn eliminate(&mut self, mut front: Dense, candidates: usize, last: bool) -> Dense {
        let n = front.size();
        let (mut done, mut inverse) = (0, Vec::new());
        while done < candidates {
            match choose(&front, done, candidates, last) {
                Some((i, None)) => {
                    front.swap(done, i);
                    inverse.push((self.single(&mut front, done), None));
                    done += 1;
                }
                Some((i, Some(j))) => {
                    front.swap(done, i.min(j));
                    front.swap(done + 1, i.max(j));
                    let [a, b, c] = self.double(&mut front, done);
                    inverse.push((a, Some(b)));
                    inverse.push((c, None));
                    done += 2;
                }
                None => break,
            }
        }
        let rest = n - done;
        let mut left = Dense { unknowns: front.unknowns[done..].to_vec(), a: vec![0.0; rest * rest] };
        for i in 0..rest {
            left.a[i * rest..(i + 1) * rest]
                .copy_from_slice(&front.a[(done + i) * n + done..(done + i + 1) * n]);
        }
        let mut lower = vec![0.0; n * done];
        for i in 0..n {
            lower[i * done..(i + 1) * done].copy_from_slice(&front.a[i * n..i * n + done]);
        }
        self.fronts.push(Front { unknowns: front.unknowns, pivots: done, lower, inverse });
        left
    }

    /// A 1×1 pivot at k; returns its inverse.
    fn single(&mut self, front: &mut Dense, k: usize) -> f64 {
        let n = front.size();
        let d = front.a[k * n + k];
        self.negative += usize::from(d < 0.0);
        if d == 0.0 {
            self.zero += 1;
        }
        let inverse = if d == 0.0 { 0.0 } else { 1.0 / d };
        let row: Vec<f64> = front.a[k * n..(k + 1) * n].to_vec();
        for i in k + 1..n {
            let l = row[i] * inverse;
            if l != 0.0 {
                for (x, r) in front.a[i * n + k + 1..(i + 1) * n].iter_mut().zip(&row[k + 1..]) {
                    *x -= r * l;
                }
            }
            front.a[i * n + k] = l;
        }
        inverse
    }

    /// A 2×2 pivot at k and k + 1; returns the inverse: diagonal, off-diagonal, diagonal.
    fn double(&mut self, front: &mut Dense, k: usize) -> [f64; 3] {
        let n = front.size();
        let (a, b, c) = (front.a[k * n + k], front.a[k * n + k + 1], front.a[(k + 1) * n + k + 1]);
        let determinant = a * c - b * b;
        self.negative += if determinant < 0.0 { 1 } else { 2 * usize::from(a + c < 0.0) };
        let inverse = [c / determinant, -b / determinant, a / determinant];
        let first: Vec<f64> = front.a[k * n..(k + 1) * n].to_vec();
        let second: Vec<f64> = front.a[(k + 1) * n..(k + 2) * n].to_vec();
        for i in k + 2..n {
            let (x, y) = (first[i], second[i]);
            let (l, m) = (x * inverse[0] + y * inverse[1], x * inverse[1] + y * inverse[2]);
            if l != 0.0 || m != 0.0 {
                let rows = first[k + 2..].iter().zip(&second[k + 2..]);
                for (x, (r, s)) in front.a[i * n + k + 2..(i + 1) * n].iter_mut().zip(rows) {
                    *x -= r * l + s * m;
                }
            }
            (front.a[i * n + k], front.a[i * n + k + 1]) = (l, m);
        }
        front.a[(k + 1) * n + k] = 0.0;
        inverse
    }

    /// x ← K⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let scaled = |x: &mut [f64]| x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        scaled(x);
        for front in &self.fronts {
            front.forward(x);
        }
        for front in self.fronts.iter().rev() {
            front.backward(x);
        }
        scaled(x);
    }
}

/// Computes S such that the largest entry of every row of S K S is near 1 [Ruiz01]. Otherwise the border, where durations have entries of
/// the size of forces, would make every pivot too small relative to its column. S consists of powers of 2, which do not round.
fn equilibrate(n: usize, entries: &[Entry]) -> Vec<f64> {
    let mut scale = vec![1.0; n];
    let mut largest = vec![0.0; n];
    for _ in 0..ROUNDS {
        largest.fill(0.0);
        for (i, j, x) in entries {
            let x = (x * scale[*i] * scale[*j]).abs();
            (largest[*i], largest[*j]) = (x.max(largest[*i]), x.max(largest[*j]));
        }
        for (s, most) in scale.iter_mut().zip(&largest).filter(|(_, most)| **most > 0.0) {
            *s = libm::scalbn(*s, -libm::ilogb(*most) / 2);
        }
    }
    scale
}

impl Front {
    /// x ← L⁻¹ x, then D⁻¹ on its pivots.
    fn forward(&self, x: &mut [f64]) {
        let p = self.pivots;
        for k in 0..p {
            let own = x[self.unknowns[k]];
            if own != 0.0 {
                // the second row of a 2×2 pivot has 0 in its L
                for i in k + 1..self.unknowns.len() {
                    x[self.unknowns[i]] -= self.lower[i * p + k] * own;
                }
            }
        }
        let mut k = 0;
        while k < p {
            let (a, beside) = self.inverse[k];
            let i = self.unknowns[k];
            match beside {
                None => x[i] *= a,
                Some(b) => {
                    let (j, c) = (self.unknowns[k + 1], self.inverse[k + 1].0);
                    (x[i], x[j]) = (a * x[i] + b * x[j], b * x[i] + c * x[j]);
                    k += 1;
                }
            }
            k += 1;
        }
    }

    /// x ← L⁻ᵀ x.
    fn backward(&self, x: &mut [f64]) {
        let p = self.pivots;
        for k in (0..p).rev() {
            let below = (k + 1..self.unknowns.len()).map(|i| self.lower[i * p + k] * x[self.unknowns[i]]);
            x[self.unknowns[k]] -= below.sum::<f64>();
        }
    }
}

/// Chooses a pivot among the candidates from `done` on: 1×1 at i, or 2×2 at (i, j). On the last front, the best there is.
fn choose(front: &Dense, done: usize, candidates: usize, last: bool) -> Option<(usize, Option<usize>)> {
    let n = front.size();
    let mut best: (f64, Option<(usize, Option<usize>)>) = (-1.0, None);
    for i in done..candidates {
        let own = front.a[i * n + i].abs();
        let others = front.largest(i, done, i);
        let worth = if own == 0.0 { 0.0 } else { own / others.max(own) };
        if own > 0.0 && own >= GOOD * others {
            return Some((i, None));
        }
        if worth > best.0 {
            best = (worth, Some((i, None)));
        }
        let Some(j) = partner(front, i, done, candidates) else { continue };
        let worth = double_worth(front, i, j, done);
        if worth >= GOOD {
            return Some((i, Some(j)));
        }
        if worth > best.0 {
            best = (worth, Some((i, Some(j))));
        }
    }
    if best.0 >= LEAST || last { best.1 } else { None }
}

/// The candidate with the largest off-diagonal entry in row i.
fn partner(front: &Dense, i: usize, done: usize, candidates: usize) -> Option<usize> {
    let row = &front.a[i * front.size()..];
    let mut most = (0.0, None);
    for (j, x) in row.iter().enumerate().take(candidates).skip(done) {
        if j != i && x.abs() > most.0 {
            most = (x.abs(), Some(j));
        }
    }
    most.1
}

/// The inverse growth factor of a 2×2 pivot.
fn double_worth(front: &Dense, i: usize, j: usize, done: usize) -> f64 {
    let n = front.size();
    let (a, b, c) = (front.a[i * n + i], front.a[i * n + j], front.a[j * n + j]);
    let determinant = (a * c - b * b).abs();
    let scale = (a.abs() + b.abs()) * (c.abs() + b.abs());
    if determinant <= 1e-14 * scale {
        return 0.0;
    }
    let (x, y) = (front.largest(i, done, j), front.largest(j, done, i));
    let growth = ((c.abs() * x + b.abs() * y) / determinant).max((b.abs() * x + a.abs() * y) / determinant);
    1.0 / growth.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers from −1 to 1.
    fn noise(k: &mut u64) -> f64 {
        *k = k.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*k >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// KKT matrices of a chain with a border, definite on the constraints: the solution is correct, and there are as many negative
    /// eigenvalues as rows.
    #[test]
    fn saddle_points_are_solved_and_counted() {
        for seed in 1..20 {
            let mut k = seed;
            let (blocks, variables, rows) = (7, 5, 3);
            let size = blocks * (variables + rows) + 2;
            let mut block = Vec::new();
            for b in 0..blocks {
                block.extend(std::iter::repeat_n(b, variables + rows));
            }
            block.extend([BORDER; 2]);
            let mut entries = Vec::new();
            for b in 0..blocks {
                let first = b * (variables + rows);
                for i in 0..variables {
                    entries.push((first + i, first + i, 1.0 + noise(&mut k).abs()));
                    for r in 0..rows {
                        entries.push((first + variables + r, first + i, noise(&mut k)));
                        if b + 1 < blocks {
                            entries.push((
                                first + variables + r,
                                first + variables + rows + i,
                                noise(&mut k),
                            ));
                        }
                    }
                }
                for r in 0..rows {
                    entries.push((first + variables + r, size - 1, noise(&mut k)));
                }
            }
            entries.push((size - 1, size - 1, 1.0));
            entries.push((size - 2, size - 2, 2.0));
            let chain = Chain::factor(&block, &entries);
            assert_eq!((chain.negative, chain.zero), (blocks * rows, 0));
            let exact: Vec<f64> = (0..size).map(|_| noise(&mut k)).collect();
            let mut x = vec![0.0; size];
            for (i, j, a) in &entries {
                x[*i] += a * exact[*j];
                if i != j {
                    x[*j] += a * exact[*i];
                }
            }
            chain.solve(&mut x);
            let worst = x.iter().zip(&exact).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(worst < 1e-11, "{worst}");
        }
    }
}
