//! Compares the factor with dense LU, on forests with all kinds of edges.
#![allow(clippy::unwrap_used)]

use super::factor::Factor;
use super::solve::Solve;
use super::*;
use crate::algebra::lanes::{Kernel, Portable, run_on_avx2};
use nalgebra::{DMatrix, DVector};

type Pairs = Vec<[f64; 6]>;

/// Numbers in (−1, 1), the same in every run [Steele14].
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
    fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }
    fn six(&mut self) -> [f64; 6] {
        [0.0; 6].map(|_| self.number())
    }
    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
    /// A positive definite matrix of size `scale`.
    fn mass(&mut self, scale: f64) -> Block {
        let b: Block = std::array::from_fn(|_| self.six());
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                scale * ((0..6).map(|k| b[i][k] * b[j][k]).sum::<f64>() + if i == j { 0.5 } else { 0.0 })
            })
        })
    }
}

/// A forest of `n` bodies with edges of all sizes, a third of their rows soft; `scale` is the mass of body i.
fn forest(n: usize, crosses: bool, random: &mut Random, scale: impl Fn(usize) -> f64) -> TreeKkt {
    let mut parents = Vec::new();
    for i in 0..n {
        parents.push(match random.below(4) {
            0 if i > 0 => Some(random.below(i)),
            1 => None,
            _ => i.checked_sub(1),
        });
    }
    let rows: Vec<usize> = (0..n).map(|_| random.below(7)).collect();
    fill(TreeKkt::new(&parents, &rows), crosses, random, scale)
}

/// Random blocks for a forest.
fn fill(kkt: TreeKkt, crosses: bool, random: &mut Random, scale: impl Fn(usize) -> f64) -> TreeKkt {
    let mut kkt = kkt;
    if crosses {
        kkt.crosses = vec![[[0.0; 6]; 6]; kkt.bodies()];
        kkt.cross_factors = kkt.crosses.clone();
    }
    for i in 0..kkt.bodies() {
        kkt.masses_mut()[i] = random.mass(scale(i));
        for row in kkt.rows_mut(i) {
            let compliance = if random.below(3) == 0 { random.number().abs() } else { 0.0 };
            *row = Row { child: random.six(), parent: random.six(), compliance };
        }
        for block in kkt.crosses_mut().iter_mut().skip(i).take(1) {
            *block = std::array::from_fn(|_| random.six().map(|x| 0.02 * scale(i) * x));
        }
    }
    kkt
}

fn sides(kkt: &TreeKkt, random: &mut Random) -> (Pairs, Pairs) {
    let n = kkt.bodies();
    let f = (0..n).map(|_| random.six()).collect();
    // 7 where there is no row: it must not be touched
    let g =
        (0..n).map(|i| std::array::from_fn(|r| if r < kkt.rows(i).len() { random.number() } else { 7.0 }));
    (f, g.collect())
}

fn flat(kkt: &TreeKkt, f: &[[f64; 6]], g: &[[f64; 6]]) -> DVector<f64> {
    let rows = g.iter().enumerate().flat_map(|(i, g)| &g[..kkt.rows(i).len()]);
    let all: Vec<f64> = f.iter().flatten().chain(rows).copied().collect();
    DVector::from_vec(all)
}

/// The matrix assembled from the definition, independently of `apply`.
fn dense(kkt: &TreeKkt) -> DMatrix<f64> {
    let n = kkt.bodies();
    let size = 6 * n + kkt.rows.len();
    let mut m = DMatrix::zeros(size, size);
    for i in 0..n {
        let node = kkt.nodes[i];
        let parent = match node.parent {
            Parent::World => None,
            Parent::Before => Some(i - 1),
            Parent::Other { body, .. } => Some(body),
        };
        for j in 0..6 {
            for k in 0..6 {
                m[(6 * i + j, 6 * i + k)] = kkt.masses[i][j.min(k)][j.max(k)];
                if let (Some(p), Some(cross)) = (parent, kkt.crosses.get(i)) {
                    (m[(6 * i + j, 6 * p + k)], m[(6 * p + k, 6 * i + j)]) = (cross[j][k], cross[j][k]);
                }
            }
        }
        for (r, row) in kkt.rows(i).iter().enumerate() {
            let at = 6 * n + node.row + r;
            m[(at, at)] = row.compliance;
            for k in 0..6 {
                (m[(at, 6 * i + k)], m[(6 * i + k, at)]) = (row.child[k], -row.child[k]);
                if let Some(p) = parent {
                    (m[(at, 6 * p + k)], m[(6 * p + k, at)]) = (row.parent[k], -row.parent[k]);
                }
            }
        }
    }
    m
}

/// The largest entry of `x − y`, relative to the largest of y.
fn difference(x: &DVector<f64>, y: &DVector<f64>) -> f64 {
    (x - y).amax() / y.amax()
}

#[test]
fn forests_agree_with_dense_lu() {
    let mut random = Random(1);
    for round in 0..60 {
        let mut kkt = forest(1 + round % 12, round % 2 == 1, &mut random, |_| 1.0);
        let m = dense(&kkt);
        let lu = m.clone().lu();
        kkt.factor().unwrap();
        for _ in 0..2 {
            let (f, g) = sides(&kkt, &mut random);
            let (mut a, mut lambda) = (f.clone(), g.clone());
            kkt.solve(&mut a, &mut lambda);
            let (x, b) = (flat(&kkt, &a, &lambda), flat(&kkt, &f, &g));
            let exact = lu.solve(&b).unwrap();
            let size = m.abs().row_sum().amax() * x.amax() + b.amax();
            let residual = (&m * &x - &b).amax() / size;
            assert!(residual < 1e-12, "{round}: {residual:e}");
            assert!(difference(&x, &exact) < 1e-11, "{round}: {:e}", difference(&x, &exact));
            let (mut f_x, mut g_x) = sides(&kkt, &mut random);
            kkt.apply(&a, &lambda, &mut f_x, &mut g_x);
            assert!(difference(&flat(&kkt, &f_x, &g_x), &(&m * &x)) < 1e-12);
            for (i, (l, g)) in lambda.iter().zip(&g).enumerate() {
                assert_eq!(l[kkt.rows(i).len()..], g[kkt.rows(i).len()..]);
            }
        }
    }
}

/// Every other body is a million times heavier: this loses digits, which one refinement recovers.
#[test]
fn mass_ratios_of_a_million() {
    let n = 40;
    for (turn, scale) in [[1.0, 1e6], [1e6, 1.0], [1.0, 1e-6], [1e-6, 1.0]].into_iter().enumerate() {
        let mut random = Random(turn as u64);
        let parents: Vec<_> = (0..n).map(|i: usize| i.checked_sub(1)).collect();
        let mut kkt = fill(TreeKkt::new(&parents, &vec![5; n]), false, &mut random, |i| scale[i % 2]);
        kkt.factor().unwrap();
        let (f, g) = sides(&kkt, &mut random);
        let (mut a, mut lambda) = (f.clone(), g.clone());
        kkt.solve(&mut a, &mut lambda);
        let (m, b) = (dense(&kkt), flat(&kkt, &f, &g));
        // the residual of each equation, relative to its own terms
        let worst =
            |x: &DVector<f64>| (&m * x - &b).abs().component_div(&(m.abs() * x.abs() + b.abs())).amax();
        let once = worst(&flat(&kkt, &a, &lambda));
        assert!(once < 1e-8, "{turn}: {once:e}");
        let (mut f_x, mut g_x) = (f.clone(), g.clone());
        kkt.apply(&a, &lambda, &mut f_x, &mut g_x);
        subtract(&f, &mut f_x);
        subtract(&g, &mut g_x);
        kkt.solve(&mut f_x, &mut g_x);
        // x − (−Δx)
        f_x.iter_mut().chain(&mut g_x).flatten().for_each(|x| *x = -*x);
        subtract(&a, &mut f_x);
        subtract(&lambda, &mut g_x);
        let twice = worst(&flat(&kkt, &f_x, &g_x));
        assert!(twice < 1e-15, "{turn}: {twice:e}");
    }
}

/// `x ← from − x`
fn subtract(from: &[[f64; 6]], x: &mut [[f64; 6]]) {
    for (x, from) in x.iter_mut().flatten().zip(from.iter().flatten()) {
        *x = from - *x;
    }
}

#[test]
fn what_cannot_be_divided_by_is_named() {
    let chain = |rows: usize| {
        let mut random = Random(5);
        let parents = [None, Some(0), Some(1), Some(0)];
        let mut kkt = fill(TreeKkt::new(&parents, &[rows; 4]), false, &mut random, |_| 1.0);
        kkt.rows.iter_mut().for_each(|row| row.compliance = 0.0);
        kkt
    };
    let mut kkt = chain(5);
    kkt.masses_mut()[3] = [[0.0; 6]; 6];
    assert_eq!(kkt.factor(), Err(SingularNode::Body { body: 3, unknown: 0 }));
    let mut kkt = chain(5);
    for k in 0..6 {
        (kkt.masses_mut()[2][k][4], kkt.masses_mut()[2][4][k]) = (0.0, 0.0);
    }
    assert_eq!(kkt.factor(), Err(SingularNode::Body { body: 2, unknown: 4 }));
    // body 0 has no mass and is held by its children, each of which leaves one direction free
    let mut kkt = chain(5);
    kkt.masses_mut()[0] = [[0.0; 6]; 6];
    assert_eq!(kkt.factor(), Ok(()));
    let mut kkt = chain(5);
    let rows = kkt.rows_mut(1);
    rows[4].child = std::array::from_fn(|k| rows[0].child[k] - 3.0 * rows[2].child[k]);
    assert_eq!(kkt.factor(), Err(SingularNode::Edge { body: 1, row: 4 }));
    kkt.rows_mut(1)[4].compliance = 1e-3;
    assert_eq!(kkt.factor(), Ok(()));
    for bad in [f64::NAN, f64::INFINITY] {
        let mut kkt = chain(3);
        kkt.masses_mut()[1][2][3] = bad;
        assert!(matches!(kkt.factor(), Err(SingularNode::Body { body: 1, .. })));
        let mut kkt = chain(3);
        kkt.rows_mut(2)[1].child[0] = bad;
        assert!(matches!(kkt.factor(), Err(SingularNode::Edge { body: 2, .. })));
    }
}

#[test]
#[should_panic(expected = "body 1 hangs on body 1, which must stand before it")]
fn a_parent_stands_before_its_child() {
    TreeKkt::new(&[None, Some(1)], &[5, 5]);
}

#[test]
fn all_instruction_sets_give_the_same_bits() {
    let mut random = Random(9);
    for round in 0..20 {
        let mut portable = forest(15, round % 2 == 1, &mut random, |_| 1.0);
        let (mut best, mut avx2) = (portable.clone(), portable.clone());
        let (mut f, mut g) = sides(&portable, &mut random);
        let ((mut f_best, mut g_best), (mut f_2, mut g_2)) = ((f.clone(), g.clone()), (f.clone(), g.clone()));
        Factor(&mut portable).run::<Portable>().unwrap();
        Solve { kkt: &portable, part: 0..15, f: &mut f, g: &mut g }.run::<Portable>();
        best.factor().unwrap();
        best.solve(&mut f_best, &mut g_best);
        assert_eq!((&f, &g), (&f_best, &g_best));
        if let Some(done) = run_on_avx2(Factor(&mut avx2)) {
            done.unwrap();
            run_on_avx2(Solve { kkt: &avx2, part: 0..15, f: &mut f_2, g: &mut g_2 });
            assert_eq!((&f, &g), (&f_2, &g_2));
        }
    }
}
