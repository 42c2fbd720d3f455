//! Piles by soft substeps: they come to rest, carry their weight, slide and rebound as they should, with the same bits in any order of
//! work.

use crate::common::Random;
use poinsot_core::contact::{PileBody, PileContact, ProblemError, SoftSubsteps, Softness};

const H: f64 = 1.0 / 60.0;

fn cube(mass: f64, centre: [f64; 3]) -> (PileBody, [f64; 3]) {
    let i = 6.0 / mass;
    let body = PileBody {
        inverse_mass: 1.0 / mass,
        inverse_inertia: [i, 0.0, 0.0, i, 0.0, i],
        acceleration: [0.0, 0.0, 0.0, 0.0, 0.0, -9.81],
        ..PileBody::default()
    };
    (body, centre)
}

fn touch(at: &[[f64; 3]], bodies: [Option<usize>; 2], point: [f64; 3], gap: f64, mu: f64) -> PileContact {
    let arm = |body: Option<usize>| body.map_or([0.0; 3], |b| std::array::from_fn(|k| point[k] - at[b][k]));
    PileContact {
        bodies,
        normal: [0.0, 0.0, 1.0],
        arms: bodies.map(arm),
        gap,
        friction: mu,
        restitution: 0.0,
        spheres: None,
        force: [0.0; 3],
        impulse: [0.0; 3],
    }
}

/// Columns of cubes of edge 1, those of each layer a little to the side of those below.
fn columns(side: usize, layers: usize) -> (Vec<PileBody>, Vec<[f64; 3]>, Vec<PileContact>) {
    let (mut bodies, mut at, mut contacts) = (Vec::new(), Vec::new(), Vec::new());
    let mut random = Random(3);
    for layer in 0..layers {
        for i in 0..side {
            for j in 0..side {
                let off = [random.within(-0.1, 0.1), random.within(-0.1, 0.1)];
                let centre = [1.3 * i as f64 + off[0], 1.3 * j as f64 + off[1], 0.5 + layer as f64];
                let (body, centre) = cube(1.0, centre);
                bodies.push(body);
                at.push(centre);
            }
        }
    }
    for body in 0..bodies.len() {
        let below = body.checked_sub(side * side);
        let c = at[body];
        let d = below.map_or(c, |b| at[b]);
        let range = |k: usize| [c[k].max(d[k]) - 0.5, c[k].min(d[k]) + 0.5];
        let ([x0, x1], [y0, y1]) = (range(0), range(1));
        for (x, y) in [(x0, y0), (x1, y0), (x1, y1), (x0, y1)] {
            contacts.push(touch(&at, [Some(body), below], [x, y, c[2] - 0.5], 0.0, 0.5));
        }
    }
    (bodies, at, contacts)
}

/// Steps with contacts that stay where they are: their gaps change as the bodies move.
fn advance(
    solver: &mut SoftSubsteps,
    bodies: &mut [PileBody],
    contacts: &mut [PileContact],
    n: usize,
) -> f64 {
    let report = solver.step(bodies, contacts, H, n).unwrap();
    for contact in contacts {
        let moved = |side: usize| {
            contact.bodies[side].map_or(0.0, |body| {
                let ([a, b, _, _, _, z], [x, y, _]) = (bodies[body].displacement, contact.arms[side]);
                z + a * y - b * x
            })
        };
        contact.gap += moved(0) - moved(1);
    }
    report.residual
}

#[test]
fn a_pile_comes_to_rest_and_carries_its_weight() {
    let (mut bodies, _, mut contacts) = columns(4, 8);
    let mut solver = SoftSubsteps::default();
    let mut residual = f64::INFINITY;
    for _ in 0..600 {
        residual = advance(&mut solver, &mut bodies, &mut contacts, 8);
    }
    let speed = bodies.iter().flat_map(|b| b.velocity).fold(0.0f64, |m, v| m.max(v.abs()));
    let weight: f64 = contacts.iter().filter(|c| c.bodies[1].is_none()).map(|c| c.force[2]).sum();
    let over = contacts.iter().fold(0.0f64, |m, c| m.max(-c.gap));
    println!("residual {residual:.1e} speed {speed:.1e} overlap {over:.1e} m");
    // aims: at rest to 1e-5 m/s, and overlap of 1 % of an edge below eight cubes; reached: 2e-7 m/s and 1.3 mm
    assert!(residual < 1e-5 && speed < 1e-4 && over < 1e-2, "{residual:e} {speed:e} {over:e}");
    assert!((weight / (9.81 * bodies.len() as f64) - 1.0).abs() < 1e-4, "{weight}");
}

/// A block on the ground with 3 m/s, μ = 0.5: after t it has 3 − μ g t, then it stands still.
#[test]
fn friction_brakes_and_holds() {
    let (mut body, centre) = cube(2.0, [0.0, 0.0, 0.1]);
    body.inverse_inertia = [0.0; 6];
    body.velocity[3] = 3.0;
    let at = [centre];
    let mut contacts: Vec<PileContact> = [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)]
        .map(|(x, y)| touch(&at, [Some(0), None], [x, y, 0.0], 0.0, 0.5))
        .to_vec();
    let mut bodies = [body];
    let mut solver = SoftSubsteps::default();
    for k in 1..=60 {
        advance(&mut solver, &mut bodies, &mut contacts, 4);
        let exact = (3.0 - 0.5 * 9.81 * k as f64 * H).max(0.0);
        assert!((bodies[0].velocity[3] - exact).abs() < 2e-2, "step {k}: {:?}", bodies[0].velocity);
    }
    assert!(bodies[0].velocity[3].abs() < 1e-9, "{:?}", bodies[0].velocity);
}

/// A ball that falls on the ground at 2 m/s, e = 0.6.
#[test]
fn what_rebounds() {
    let ball = PileBody {
        inverse_mass: 1.0,
        inverse_inertia: [10.0, 0.0, 0.0, 10.0, 0.0, 10.0],
        velocity: [0.0, 0.0, 0.0, 0.0, 0.0, -2.0],
        ..PileBody::default()
    };
    let mut contact = touch(&[[0.0, 0.0, 0.3]], [Some(0), None], [0.0; 3], 0.001, 0.5);
    contact.restitution = 0.6;
    let (mut bodies, mut contacts) = ([ball], [contact]);
    SoftSubsteps::default().step(&mut bodies, &mut contacts, H, 4).unwrap();
    assert!((bodies[0].velocity[5] - 1.2).abs() < 1e-12, "{:?}", bodies[0].velocity);
    assert!((contacts[0].impulse[2] - 3.2).abs() < 1e-12, "{:?}", contacts[0].impulse);
    // what is far stays alone
    let mut far = [PileContact { gap: 1.0, ..contact }];
    let mut bodies = [ball];
    SoftSubsteps::default().step(&mut bodies, &mut far, H, 4).unwrap();
    assert_eq!(bodies[0].velocity, ball.velocity);
}

/// Many on one body: more colours than a body remembers, and still each contact has its say.
#[test]
fn a_crowd_on_one_body() {
    let (mut bodies, mut contacts) = (Vec::new(), Vec::new());
    let plate = cube(100.0, [0.0; 3]).0;
    bodies.push(PileBody { inverse_inertia: [0.0; 6], ..plate });
    for k in 0..100 {
        let mut ball = cube(1.0, [0.0; 3]).0;
        ball.inverse_inertia = [0.0; 6];
        bodies.push(ball);
        let x = k as f64;
        contacts.push(touch(&vec![[0.0; 3]; 101], [Some(k + 1), Some(0)], [x, 0.0, 0.0], 0.0, 0.5));
    }
    contacts.push(touch(&vec![[0.0; 3]; 101], [Some(0), None], [0.0; 3], 0.0, 0.5));
    let mut solver = SoftSubsteps::default();
    for _ in 0..300 {
        advance(&mut solver, &mut bodies, &mut contacts, 8);
    }
    assert!((contacts[100].force[2] - 200.0 * 9.81).abs() < 0.1, "{:?}", contacts[100].force);
}

#[test]
fn mistakes_are_named() {
    let (body, at) = cube(1.0, [0.0, 0.0, 0.5]);
    let good = touch(&[at], [Some(0), None], [0.0; 3], 0.0, 0.5);
    let solve = |body: PileBody, contact: PileContact, h: f64, n: usize| {
        SoftSubsteps::default().step(&mut [body], &mut [contact], h, n)
    };
    assert!(solve(body, good, H, 4).is_ok());
    assert!(matches!(solve(body, good, 0.0, 4), Err(ProblemError::Step { .. })));
    assert!(matches!(solve(body, good, H, 0), Err(ProblemError::Step { .. })));
    let none = PileContact { bodies: [Some(0), Some(7)], ..good };
    assert!(matches!(solve(body, none, H, 4), Err(ProblemError::Body { body: 7, .. })));
    let bad = PileContact { friction: -1.0, ..good };
    assert!(matches!(solve(body, bad, H, 4), Err(ProblemError::Friction { .. })));
    let bad = PileContact { gap: f64::NAN, ..good };
    assert!(matches!(solve(body, bad, H, 4), Err(ProblemError::NotFinite { .. })));
    let bad = PileContact { normal: [0.0, 0.0, 2.0], ..good };
    assert!(matches!(solve(body, bad, H, 4), Err(ProblemError::Normal { contact: 0, .. })));
    let bad = PileContact { spheres: Some([0.1, -0.1]), ..good };
    assert!(matches!(solve(body, bad, H, 4), Err(ProblemError::Radii { contact: 0, .. })));
    let bad = PileContact { bodies: [Some(0); 2], ..good };
    assert!(matches!(solve(body, bad, H, 4), Err(ProblemError::Itself { contact: 0, body: 0 })));
    let negative = PileBody { inverse_mass: -1.0, ..body };
    assert!(matches!(solve(negative, good, H, 4), Err(ProblemError::Mass { body: 0 })));
    let mut solver = SoftSubsteps::default();
    solver.softness = Softness { measure: false, ..Softness::default() };
    assert_eq!(solver.step(&mut [body], &mut [good], H, 4).unwrap().residual, 0.0);
}
