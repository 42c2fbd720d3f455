//! convergence
use poinsot_core::{algebra::*, dynamics::*, integrate::*, model::*, spatial::*};
fn main() {
    // spatial double pendulum with ball joints
    let mut b = ModelBuilder::new("ball2");
    let i = Inertia::new(
        1.0,
        V3::new(0., 0., -0.5),
        Sym3::diagonal(0.08416666666666667, 0.08416666666666667, 0.001666666666666667),
    )
    .unwrap();
    let a = b.body(BodyId::WORLD, BodySpec::new("a").inertia(i));
    b.joint(a, Joint::spherical());
    let c = b.body(a, BodySpec::new("b").at(V3::new(0., 0., -1.0)).inertia(i));
    b.joint(c, Joint::spherical());
    let m = b.build().unwrap();
    let (r1, r2) = (Quat::exp(V3::new(1.0, 0.4, 0.1)), Quat::exp(V3::new(0.5, -0.9, 0.3)));
    let rel = r1.conjugate() * r2;
    let (w1, w2) = (V3::new(0., 0., 2.), V3::new(0., 1., -1.));
    let wrel = w2 - rel.matrix().tr_mul(w1);
    let mut s0 = State::new(&m);
    s0.q = [r1.array(), rel.array()].concat();
    s0.v = [w1.array(), wrel.array()].concat();
    let exact = |t: f64| {
        let mut sys = System::new(&m);
        let mut s = s0.clone();
        Adaptive::new(&m).step(&mut sys, &mut s, t).unwrap();
        s
    };
    for t in [1.0, 2.0, 5.0] {
        let s = exact(t);
        let mut ws = Workspace::new(&m);
        let at = ws.at(&m, &s);
        println!(
            "t {t} E {:.15} end1 {:?} end2 {:?}",
            at.energy(),
            at.pose(a).point(V3::new(0., 0., -1.)),
            at.pose(c).point(V3::new(0., 0., -1.))
        );
    }
    let e = exact(1.0);
    for (name, _) in INTEGRATORS {
        let mut last = 0.0;
        for h in [0.02, 0.01, 0.005, 0.0025] {
            let mut sys = System::new(&m);
            let mut s = s0.clone();
            let mut it = by_name(name, &m).unwrap();
            let e0 = sys.energy(&s);
            for _ in 0..(1.0f64 / h).round() as usize {
                it.step(&mut sys, &mut s, h).unwrap();
            }
            let mut d = vec![0.0; m.nv()];
            m.difference(&e.q, &s.q, &mut d);
            let err = d
                .iter()
                .zip(s.v.iter().zip(&e.v))
                .map(|(d, (a, b))| d.abs().max((a - b).abs()))
                .fold(0.0, f64::max);
            println!(
                "{name:14} h {h:7} err {err:10.3e} order {:5.2} dE {:10.2e}",
                (last as f64 / err).log2(),
                sys.energy(&s) - e0
            );
            last = err;
        }
    }
    let mut sys = System::new(&m);
    let mut s = s0.clone();
    let mut it = Midpoint::new(&m);
    let e0 = sys.energy(&s);
    let mut w = 0f64;
    for k in 0..100000 {
        it.step(&mut sys, &mut s, 0.01).unwrap();
        let d = sys.energy(&s) - e0;
        w = w.max(d.abs());
        if k % 20000 == 0 {
            println!("midpoint long {k} {d:e} worst {w:e}");
        }
    }
}
