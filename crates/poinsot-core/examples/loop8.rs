//! loop for perf
use poinsot_core::{algebra::*, dynamics::*, model::*, spatial::*};
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
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let m = load(&args[2]);
    let q: Vec<f64> = (0..8).flat_map(|k| m.random_configuration(k)).collect();
    let v: Vec<f64> = (0..8).flat_map(|k| m.random_velocity(k)).collect();
    let mut o = v.clone();
    let (nq, nv) = (m.nq(), m.nv());
    let mut b = BatchWorkspace::new(&m);
    let mut ws = Workspace::new(&m);
    let mut mm = MassMatrix::new(&m);
    let mut jac = vec![Motion::default(); nv];
    let n = 400000 / (1 + nv / 10);
    let mut best = f64::MAX;
    for _ in 0..20 {
        let t = std::time::Instant::now();
        for _ in 0..n / 10 {
            match args[1].as_str() {
                "rnea8" => b.inverse_dynamics(&m, &q, &v, &v, &mut o),
                "aba8" => b.forward_dynamics(&m, &q, &v, &v, &mut o),
                "rnea" => ws.inverse_dynamics(&m, &q[..nq], &v[..nv], &v[..nv], &mut o[..nv]),
                "aba" => ws.forward_dynamics(&m, &q[..nq], &v[..nv], &v[..nv], &mut o[..nv]),
                "crba" => ws.mass_matrix(&m, &q[..nq], &mut mm),
                "crbaf" => {
                    ws.mass_matrix(&m, &q[..nq], &mut mm);
                    mm.factor()
                }
                "factor" => mm.factor(),
                "kin" => ws.jacobians(&m, &q[..nq], &mut jac),
                _ => panic!(),
            }
            std::hint::black_box((&o, &mm, &jac));
        }
        best = best.min(t.elapsed().as_secs_f64());
    }
    println!("{} {} {:.1} ns", args[1], args[2].rsplit('/').next().unwrap(), best / (n / 10) as f64 * 1e9);
}
