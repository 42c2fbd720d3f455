//! Problems made of bodies, and the ways to solve them.

use nalgebra::{DMatrix, DVector};
use poinsot_core::contact::{
    Certificate, Delassus, Dense, Exact, FreeBodies, Law, LcpMethod, Options, Pgs, Polyhedral, Problem,
};

/// Numbers from 0 to 1, the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
    pub fn index(&mut self, n: usize) -> usize {
        ((self.next() * n as f64) as usize).min(n - 1)
    }
    pub fn vector(&mut self) -> [f64; 3] {
        [0.0; 3].map(|_| self.within(-1.0, 1.0))
    }
}

/// A problem that owns its numbers.
#[derive(Clone)]
pub struct Owned {
    pub g: DMatrix<f64>,
    pub q: DVector<f64>,
    pub laws: Vec<Law>,
    pub compliance: Vec<f64>,
}

impl Owned {
    pub fn new(g: DMatrix<f64>, q: DVector<f64>, laws: Vec<Law>) -> Owned {
        Owned { g, q, laws, compliance: Vec::new() }
    }
    pub fn contacts(g: DMatrix<f64>, q: DVector<f64>, mu: &[f64]) -> Owned {
        Owned::new(g, q, mu.iter().map(|mu| Law::contact(*mu)).collect())
    }
    pub fn size(&self) -> usize {
        self.q.len()
    }
    fn with<T>(&self, f: impl FnOnce(&Problem<Dense>) -> T) -> T {
        let rows = self.g.transpose();
        let matrix = Dense::new(self.size(), rows.as_slice()).unwrap();
        f(&Problem {
            matrix: &matrix,
            free: self.q.as_slice(),
            laws: &self.laws,
            compliance: &self.compliance,
        })
    }
    pub fn exact_from(&self, options: Options, start: &[f64]) -> Answer {
        self.with(|p| {
            let (mut x, mut u) = (start.to_vec(), vec![0.0; self.size()]);
            let certificate = Exact::new(options).solve(p, &mut x, &mut u).unwrap();
            Answer { x, u, certificate }
        })
    }
    pub fn exact(&self) -> Answer {
        let options = Options { refine: true, tell_uniqueness: true, ..Options::default() };
        self.exact_from(options, &vec![0.0; self.size()])
    }
    pub fn pgs(&self, options: Options) -> Answer {
        self.with(|p| {
            let (mut x, mut u) = (vec![0.0; self.size()], vec![0.0; self.size()]);
            let certificate = Pgs::new(options).solve(p, &mut x, &mut u).unwrap();
            Answer { x, u, certificate }
        })
    }
    pub fn lcp(&self, facets: usize) -> Answer {
        self.lcp_by(facets, LcpMethod::Lemke)
    }
    pub fn lcp_by(&self, facets: usize, method: LcpMethod) -> Answer {
        self.lcp_from(facets, method, &vec![0.0; self.size()])
    }
    /// From impulses to begin with.
    pub fn lcp_from(&self, facets: usize, method: LcpMethod, start: &[f64]) -> Answer {
        self.with(|p| {
            let (mut x, mut u) = (start.to_vec(), vec![0.0; self.size()]);
            let mut solver = Polyhedral::new(facets).unwrap().method(method);
            let certificate = solver.solve(p, &mut x, &mut u).unwrap();
            Answer { x, u, certificate }
        })
    }
    /// The residual of the natural map as others measure it, ‖λ − P(λ − û)‖ / ‖q‖, for contacts with three rows alone.
    pub fn natural_map(&self, x: &[f64]) -> f64 {
        let u = &self.g * DVector::from_column_slice(x) + &self.q;
        let mut squares = 0.0;
        for (i, law) in self.laws.iter().enumerate() {
            let Law::Contact { count: 2, friction: [mu, ..] } = *law else { panic!("not a contact") };
            let (x, u) = (&x[3 * i..3 * i + 3], &u.as_slice()[3 * i..3 * i + 3]);
            let slip = u[1].hypot(u[2]);
            let z = [x[0] - u[0] - mu * slip, x[1] - u[1], x[2] - u[2]];
            let t = z[1].hypot(z[2]);
            let p = if z[0] >= 0.0 && t <= mu * z[0] {
                z
            } else if mu * t <= -z[0] {
                [0.0; 3]
            } else {
                let n = (z[0] + mu * t) / (1.0 + mu * mu);
                [n, mu * n * z[1] / t, mu * n * z[2] / t]
            };
            squares += (0..3).map(|k| (x[k] - p[k]).powi(2)).sum::<f64>();
        }
        squares.sqrt() / self.q.norm()
    }
}

pub struct Answer {
    pub x: Vec<f64>,
    pub u: Vec<f64>,
    pub certificate: Certificate,
}

/// Rigid bodies by mass, radius of gyration and position, and contacts between them.
#[derive(Default)]
pub struct Bodies {
    masses: Vec<(f64, f64)>,
    centres: Vec<[f64; 3]>,
    velocities: Vec<[f64; 6]>,
    contacts: Vec<Contact>,
}

struct Contact {
    bodies: [Option<usize>; 2],
    frame: [[f64; 3]; 3],
    point: [f64; 3],
    mu: f64,
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
fn unit(a: [f64; 3]) -> [f64; 3] {
    let n = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / n)
}

impl Bodies {
    /// A body with the velocity (angular, linear) it would have at the end of the step without contacts.
    pub fn body(&mut self, mass: f64, gyration: f64, centre: [f64; 3], velocity: [f64; 6]) -> usize {
        self.masses.push((mass, mass * gyration * gyration));
        self.centres.push(centre);
        self.velocities.push(velocity);
        self.masses.len() - 1
    }
    /// A contact whose normal points from the second body, or the ground, to the first.
    pub fn contact(&mut self, bodies: [Option<usize>; 2], normal: [f64; 3], point: [f64; 3], mu: f64) {
        let n = unit(normal);
        let other = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let t = unit(cross(n, other));
        self.contacts.push(Contact { bodies, frame: [n, t, cross(n, t)], point, mu });
    }
    /// The rows of a contact on its two bodies.
    fn rows(&self, contact: &Contact) -> [[[f64; 6]; 2]; 3] {
        contact.frame.map(|axis| {
            let mut sides = [[0.0; 6]; 2];
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                let Some(body) = contact.bodies[side] else { continue };
                let arm: [f64; 3] = std::array::from_fn(|k| contact.point[k] - self.centres[body][k]);
                let turn = cross(arm, axis);
                for k in 0..3 {
                    sides[side][k] = sign * turn[k];
                    sides[side][3 + k] = sign * axis[k];
                }
            }
            sides
        })
    }
    /// This problem, given by its bodies instead of its matrix.
    pub fn by_bodies(&self) -> ByBodies {
        let mut g = FreeBodies::default();
        g.begin();
        for (mass, inertia) in &self.masses {
            let i = 1.0 / inertia;
            g.push_rigid(1.0 / mass, [[i, 0.0, 0.0], [0.0, i, 0.0], [0.0, 0.0, i]]).unwrap();
        }
        let mut q = Vec::new();
        for contact in &self.contacts {
            let rows = self.rows(contact);
            g.push_rows(contact.bodies, &rows).unwrap();
            for row in rows {
                let part = |side: usize| {
                    contact.bodies[side].map_or(0.0, |body| {
                        (0..6).map(|k| row[side][k] * self.velocities[body][k]).sum::<f64>()
                    })
                };
                q.push(part(0) + part(1));
            }
        }
        ByBodies { g, q, laws: self.contacts.iter().map(|c| Law::contact(c.mu)).collect() }
    }
    /// J M⁻¹ Jᵀ and J v.
    pub fn problem(&self) -> Owned {
        let (rows, columns) = (3 * self.contacts.len(), 6 * self.masses.len());
        let mut j = DMatrix::<f64>::zeros(rows, columns);
        for (i, contact) in self.contacts.iter().enumerate() {
            for (r, row) in self.rows(contact).iter().enumerate() {
                for (side, body) in contact.bodies.iter().enumerate() {
                    let Some(body) = body else { continue };
                    (0..6).for_each(|k| j[(3 * i + r, 6 * body + k)] += row[side][k]);
                }
            }
        }
        let inverse = DVector::from_fn(columns, |k, _| {
            let (mass, inertia) = self.masses[k / 6];
            if k % 6 < 3 { 1.0 / inertia } else { 1.0 / mass }
        });
        let v = DVector::from_fn(columns, |k, _| self.velocities[k / 6][k % 6]);
        let scaled = DMatrix::from_fn(rows, columns, |i, k| j[(i, k)] * inverse[k]);
        let mu: Vec<f64> = self.contacts.iter().map(|c| c.mu).collect();
        Owned::contacts(scaled * j.transpose(), j * v, &mu)
    }
}

/// A problem known by its bodies.
pub struct ByBodies {
    pub g: FreeBodies,
    pub q: Vec<f64>,
    pub laws: Vec<Law>,
}

impl ByBodies {
    pub fn exact_from(&self, options: Options, start: &[f64]) -> Answer {
        let problem = Problem { matrix: &self.g, free: &self.q, laws: &self.laws, compliance: &[] };
        let (mut x, mut u) = (start.to_vec(), vec![0.0; self.q.len()]);
        let certificate = Exact::new(options).solve(&problem, &mut x, &mut u).unwrap();
        Answer { x, u, certificate }
    }
    pub fn exact(&self) -> Answer {
        self.exact_from(Options::default(), &vec![0.0; self.q.len()])
    }
}

/// Cubes of edge 1 on one another, four contacts each, falling for one step of gravity; `top` is the mass of the last.
pub fn stack(count: usize, top: f64, mu: f64, push: f64) -> Bodies {
    let mut bodies = Bodies::default();
    for k in 0..count {
        let mass = if k + 1 == count { top } else { 1.0 };
        let velocity = [0.0, 0.0, 0.0, if k + 1 == count { push } else { 0.0 }, 0.0, -9.81 / 60.0];
        bodies.body(mass, (1.0f64 / 6.0).sqrt(), [0.0, 0.0, 0.5 + k as f64], velocity);
        for (x, y) in [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)] {
            let below = k.checked_sub(1);
            bodies.contact([Some(k), below], [0.0, 0.0, 1.0], [x, y, k as f64], mu);
        }
    }
    bodies
}

/// A semicircular arch of n stones, two contact points at each end of the outer and the inner line, depth 0.3.
pub fn arch(n: usize, thickness: f64, mu: f64) -> Bodies {
    let mut bodies = Bodies::default();
    let angle = |k: f64| std::f64::consts::PI * k / n as f64;
    for k in 0..n {
        let middle = angle(k as f64 + 0.5);
        let centre = [middle.cos(), 0.0, middle.sin()];
        bodies.body(1.0, 0.2, centre, [0.0, 0.0, 0.0, 0.0, 0.0, -9.81 / 60.0]);
    }
    for k in 0..=n {
        let at = angle(k as f64);
        let normal = [-at.sin(), 0.0, at.cos()];
        let (first, second) = ((k < n).then_some(k), k.checked_sub(1));
        for radius in [1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness] {
            for y in [-0.15, 0.15] {
                let point = [radius * at.cos(), y, radius * at.sin()];
                match first {
                    Some(_) => bodies.contact([first, second], normal, point, mu),
                    None => bodies.contact([second, None], normal.map(|x| -x), point, mu),
                }
            }
        }
    }
    bodies
}

/// Balls of random masses in a heap, each touching a few below it and some the ground.
pub fn pile(count: usize, ratio: f64, mu: (f64, f64), moving: f64, seed: u64) -> Bodies {
    let mut random = Random(seed);
    let mut bodies = Bodies::default();
    for k in 0..count {
        let mass = ratio.powf(random.next());
        let mut velocity = [0.0; 6].map(|_| moving * random.within(-1.0, 1.0));
        velocity[5] -= 9.81 / 60.0;
        let centre = [random.within(-2.0, 2.0), random.within(-2.0, 2.0), 0.5 + 0.3 * k as f64];
        bodies.body(mass, 0.4, centre, velocity);
        let touches = if k < 3 { 3 } else { 3 + random.index(3) };
        for _ in 0..touches {
            let below = (k > 2 && random.next() > 0.2).then(|| random.index(k));
            let side = random.vector();
            let normal = [0.5 * side[0], 0.5 * side[1], 1.0];
            let point: [f64; 3] = std::array::from_fn(|i| centre[i] - 0.5 * unit(normal)[i] + 0.1 * side[i]);
            let friction = random.within(mu.0, mu.1);
            bodies.contact([Some(k), below], normal, point, friction);
        }
    }
    bodies
}

/// The matrix of a problem, stored in one block for each pair of laws.
pub fn blocks(problem: &Owned) -> poinsot_core::contact::Blocks {
    let sizes: Vec<usize> = problem.laws.iter().map(Law::rows).collect();
    let starts: Vec<usize> =
        sizes.iter().scan(0, |at, size| Some(std::mem::replace(at, *at + size))).collect();
    let mut out = poinsot_core::contact::Blocks::default();
    out.begin(&sizes);
    for i in 0..sizes.len() {
        for j in 0..sizes.len() {
            let part = problem.g.view((starts[i], starts[j]), (sizes[i], sizes[j])).transpose();
            if part.iter().any(|x| *x != 0.0) {
                out.push(j, part.as_slice()).unwrap();
            }
        }
        out.end_row().unwrap();
    }
    assert_eq!(out.size(), problem.size());
    out
}

/// Cubes of edge 1 in rows that grow shorter by one upwards, each on two below, four contacts with each.
pub fn pyramid(base: usize, mu: f64) -> Bodies {
    let mut bodies = Bodies::default();
    let mut below: Vec<usize> = Vec::new();
    for level in 0..base {
        let row: Vec<usize> = (0..base - level)
            .map(|k| {
                let x = k as f64 + 0.5 * level as f64;
                let fall = [0.0, 0.0, 0.0, 0.0, 0.0, -9.81 / 60.0];
                bodies.body(1.0, (1.0f64 / 6.0).sqrt(), [x, 0.0, level as f64 + 0.5], fall)
            })
            .collect();
        for (k, &body) in row.iter().enumerate() {
            let x = k as f64 + 0.5 * level as f64;
            let mut touch = |other: Option<usize>, from: f64, to: f64| {
                for point in [(from, -0.5), (from, 0.5), (to, -0.5), (to, 0.5)] {
                    let point = [point.0, point.1, level as f64];
                    bodies.contact([Some(body), other], [0.0, 0.0, 1.0], point, mu);
                }
            };
            if level == 0 {
                touch(None, x - 0.5, x + 0.5);
            } else {
                touch(Some(below[k]), x - 0.5, x);
                touch(Some(below[k + 1]), x, x + 0.5);
            }
        }
        below = row;
    }
    bodies
}

/// Balls of diameter 1 in layers, each in the hollows of the layer below, a little out of place; the lowest on the ground.
pub fn heap(side: usize, layers: usize, ratio: f64, mu: (f64, f64), moving: f64, seed: u64) -> Bodies {
    let mut random = Random(seed);
    let mut bodies = Bodies::default();
    for layer in 0..layers {
        for i in 0..side.saturating_sub(layer) {
            for j in 0..side.saturating_sub(layer) {
                let off = random.vector().map(|x| 0.02 * x);
                let centre = [
                    i as f64 + 0.5 * layer as f64 + off[0],
                    j as f64 + 0.5 * layer as f64 + off[1],
                    0.5 + 0.5f64.sqrt() * layer as f64 + off[2],
                ];
                let mut velocity = [0.0; 6].map(|_| moving * random.within(-1.0, 1.0));
                velocity[5] -= 9.81 / 60.0;
                let mass = ratio.powf(random.next());
                let body = bodies.body(mass, 0.4f64.sqrt() * 0.5, centre, velocity);
                if layer == 0 {
                    let ground = [centre[0], centre[1], 0.0];
                    bodies.contact([Some(body), None], [0.0, 0.0, 1.0], ground, random.within(mu.0, mu.1));
                }
                for other in 0..body {
                    let c = bodies.centres[other];
                    let apart: [f64; 3] = std::array::from_fn(|k| centre[k] - c[k]);
                    if apart.iter().map(|x| x * x).sum::<f64>() < 1.06f64.powi(2) {
                        let point = std::array::from_fn(|k| 0.5 * (centre[k] + c[k]));
                        bodies.contact([Some(body), Some(other)], apart, point, random.within(mu.0, mu.1));
                    }
                }
            }
        }
    }
    bodies
}
