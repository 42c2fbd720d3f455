//! quick bench
use poinsot_core::{algebra::*, dynamics::*, model::*, spatial::*};
use std::time::Instant;
fn load(path: &str) -> Model {
    let text = std::fs::read_to_string(path).unwrap();
    let mut b = ModelBuilder::new(path);
    let mut ids = vec![];
    for (k, line) in text.lines().skip(1).enumerate() {
        let w: Vec<&str> = line.split_whitespace().collect();
        let parent: i32 = w[0].parse().unwrap();
        let x: Vec<f64> = w[2..].iter().map(|s| s.parse().unwrap()).collect();
        let axis = V3::new(x[0], x[1], x[2]);
        let rot = M3::from_rows([[x[3], x[4], x[5]], [x[6], x[7], x[8]], [x[9], x[10], x[11]]]);
        let pose = Pose { rot, pos: V3::new(x[12], x[13], x[14]) };
        let i = Sym3 { xx: x[19], xy: x[20], yy: x[21], xz: x[22], yz: x[23], zz: x[24] };
        let inertia = Inertia::new(x[15], V3::new(x[16], x[17], x[18]), i).unwrap();
        let id = b.body(
            if parent < 0 { BodyId::WORLD } else { ids[parent as usize] },
            BodySpec::new(format!("b{k}")).pose(pose).inertia(inertia),
        );
        b.joint(
            id,
            match w[1] {
                "F" => Joint::free(),
                "R" => Joint::revolute(axis),
                "P" => Joint::prismatic(axis),
                _ => panic!(),
            },
        );
        ids.push(id);
    }
    b.build().unwrap()
}
fn time(name: &str, mut f: impl FnMut(usize)) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..30 {
        let t = Instant::now();
        let n = 3000;
        for k in 0..n {
            f(k % 64)
        }
        best = best.min(t.elapsed().as_secs_f64() / n as f64 * 1e9);
    }
    println!("  {name:8} {best:9.1} ns");
    best
}
fn main() {
    for path in std::env::args().skip(1) {
        let m = load(&path);
        println!("{path} nv={}", m.nv());
        let mut ws = Workspace::new(&m);
        let st: Vec<_> = (0..64)
            .map(|k| (m.random_configuration(k), m.random_velocity(k + 100), m.random_velocity(k + 200)))
            .collect();
        let (mut tau, mut acc) = (vec![0.0; m.nv()], vec![0.0; m.nv()]);
        let mut worst = 0f64;
        for (q, v, a) in &st {
            ws.inverse_dynamics(&m, q, v, a, &mut tau);
            ws.forward_dynamics(&m, q, v, &tau, &mut acc);
            for k in 0..m.nv() {
                worst = worst.max((acc[k] - a[k]).abs());
            }
        }
        println!("  FD(ID) worst {worst:e}");
        time("rnea", |k| ws.inverse_dynamics(&m, &st[k].0, &st[k].1, &st[k].2, &mut tau));
        time("aba", |k| ws.forward_dynamics(&m, &st[k].0, &st[k].1, &st[k].2, &mut acc));
        let mut bw = BatchWorkspace::new(&m);
        let cat = |f: &dyn Fn(usize) -> Vec<f64>| -> Vec<f64> { (0..8).flat_map(f).collect() };
        let (q8, v8, a8) = (cat(&|l| st[l].0.clone()), cat(&|l| st[l].1.clone()), cat(&|l| st[l].2.clone()));
        let mut t8 = vec![0.0; 8 * m.nv()];
        let b = time("rnea8", |_| bw.inverse_dynamics(&m, &q8, &v8, &a8, &mut t8));
        println!("     per state {:.1}", b / 8.0);
        for l in 0..8 {
            ws.inverse_dynamics(&m, &st[l].0, &st[l].1, &st[l].2, &mut tau);
            for k in 0..m.nv() {
                assert_eq!(t8[l * m.nv() + k], tau[k]);
            }
        }
        let b = time("aba8", |_| bw.forward_dynamics(&m, &q8, &v8, &a8, &mut t8));
        println!("     per state {:.1}", b / 8.0);
        let mut mm = MassMatrix::new(&m);
        for (q, v, a) in &st[..4] {
            ws.mass_matrix(&m, q, &mut mm);
            let mut x = a.clone();
            let mut mx = a.clone();
            mm.multiply(a, &mut x);
            ws.mass_times(&m, q, a, &mut mx);
            let e1 = x.iter().zip(&mx).map(|(a, b)| (a - b).abs()).fold(0f64, f64::max);
            mm.factor();
            mm.solve(&mut x);
            let e2 = x.iter().zip(a).map(|(a, b)| (a - b).abs()).fold(0f64, f64::max);
            let d = mm.dense();
            let e3 = (&d * nalgebra::DVector::from_column_slice(v))
                .iter()
                .zip({
                    let mut y = v.clone();
                    mm.multiply(v, &mut y);
                    y
                })
                .map(|(a, b)| (a - b).abs())
                .fold(0f64, f64::max);
            println!("  crba {e1:e} solve {e2:e} dense {e3:e}");
        }
        time("crba", |k| ws.mass_matrix(&m, &st[k].0, &mut mm));
        time("crba+f", |k| {
            ws.mass_matrix(&m, &st[k].0, &mut mm);
            mm.factor()
        });
        let mut jac = vec![Motion::default(); m.nv()];
        time("kin+jac", |k| ws.jacobians(&m, &st[k].0, &mut jac));
    }
}
