//! Bodies that come and go while a simulation runs.
#![allow(clippy::unwrap_used)]

use poinsot::ContactEventKind::Persist;
use poinsot::integrate::EventKind;
use poinsot::prelude::*;
use poinsot::spatial::Pose;

fn floor() -> ModelBuilder {
    let mut b = ModelBuilder::new("come and go");
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor"));
    b
}

fn add(b: &mut ModelBuilder, name: &str, shape: Shape, at: V3) -> BodyId {
    let geom = Geom::new(shape).named(name);
    let body =
        b.body(BodyId::WORLD, BodySpec::new(name).pose(Pose::translation(at)).solid_geom(geom, 1.0).unwrap());
    b.joint(body, Joint::free());
    body
}

fn cube() -> Shape {
    Shape::Box { size: V3::new(0.2, 0.2, 0.2) }
}

fn begin<'a>(model: &'a Model, method: Method, formulation: Formulation) -> Simulation<'a> {
    let builder = Simulation::builder(model).integrator(method).formulation(formulation).dt(2e-3);
    builder.contact(Contact::default()).ledger(true).build().unwrap()
}

/// The largest difference.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

const WAYS: [(Method, Formulation); 4] = [
    (Method::Leapfrog, Formulation::Reduced),
    (Method::SemiImplicit, Formulation::Reduced),
    (Method::Implicit, Formulation::Reduced),
    (Method::Leapfrog, Formulation::Maximal),
];

/// A ball that is added while others slide falls and lands at its time; the others move as if it were not there, to the tolerance of the solver: how
/// often leapfrog corrects spins, and whether the impulses of the last step still are the answer, is decided for all bodies together.
#[test]
fn a_ball_that_is_added_lands() {
    for (method, formulation) in WAYS {
        let mut b = floor();
        add(&mut b, "slides", cube(), V3::Z * 0.1);
        add(&mut b, "falls", Shape::Capsule { radius: 0.05, length: 0.2 }, V3::new(0.0, 2.0, 0.5));
        let before = b.build().unwrap();
        let mut s = begin(&before, method, formulation);
        let mut state = s.state().clone();
        state.v[..6].copy_from_slice(&[2.0, 0.3, 0.0, 0.0, 0.0, 1.0]);
        s.set_state(state).unwrap();
        s.run(150, 2e-3).unwrap();
        let mut b = ModelBuilder::of(&before);
        let ball = add(&mut b, "ball", Shape::Sphere { radius: 0.1 }, V3::new(5.0, 0.0, 0.5));
        let after = b.build().unwrap();
        let mut start = State::new(&after);
        start.v[12] = 3.0;
        let mut carried = s.continue_with(&after, Some(&start)).unwrap();
        assert_eq!((carried.state().time, carried.steps()), (s.state().time, s.steps()));
        assert_eq!(carried.ledger().unwrap().total(), s.ledger().unwrap().total());
        let impacts = s.tally().number(EventKind::Impact);
        assert_eq!(carried.tally().number(EventKind::Impact), impacts);
        let (mut landed, begun) = (None, s.state().time);
        for _ in 0..300 {
            carried.step().unwrap();
            s.step().unwrap();
            if formulation == Formulation::Reduced {
                let off = apart(&carried.state().q[..14], &s.state().q[..14]);
                let faster = apart(&carried.state().v[..12], &s.state().v[..12]);
                assert!(off < 1e-10 && faster < 1e-9, "{method}: {off} {faster}");
            }
            let hits = carried.report().collisions.iter().find(|c| c.point.position.x > 4.0);
            landed = landed.or(hits.map(|c| c.time - begun));
        }
        let fall = (2.0 * 0.4 / 9.81f64).sqrt();
        assert!((landed.unwrap() - fall).abs() < 4e-3, "{method}: {landed:?} {fall}");
        assert!((carried.at().pose(ball).pos.z - 0.1).abs() < 1e-6);
        assert!(carried.ledger().unwrap().total().imbalance().abs() < 1e-9);
        // the contact of what slid has persisted through it
        assert!(carried.contact_events().iter().any(|e| e.kind == Persist && e.geoms[0].index() == 0));
    }
}

/// Without its lowest box a stack falls by that, stays together, and stands; another stack does not notice.
#[test]
fn a_stack_without_its_lowest_box_falls() {
    for (method, formulation) in WAYS {
        let mut b = floor();
        let bodies: Vec<BodyId> = (0..4)
            .map(|k| add(&mut b, &format!("b{k}"), cube(), V3::Z * (0.1 + 0.2 * f64::from(k))))
            .collect();
        for k in 0..3 {
            add(&mut b, &format!("other{k}"), cube(), V3::new(3.0, 0.0, 0.1 + 0.2 * f64::from(k)));
        }
        let before = b.build().unwrap();
        let mut s = begin(&before, method, formulation);
        s.run(100, 2e-3).unwrap();
        let after = before.without(&bodies[..1]).unwrap();
        let mut carried = s.continue_with(&after, None).unwrap();
        let other = after.body("other0").unwrap().index() - 1;
        for _ in 0..300 {
            carried.step().unwrap();
            s.step().unwrap();
            if formulation == Formulation::Reduced {
                let (new, old) = (&carried.state().q[7 * other..], &s.state().q[7 * (other + 1)..]);
                assert!(apart(new, old) < 1e-10, "{method}");
            }
        }
        for k in 1..4 {
            let body = after.body(&format!("b{k}")).unwrap();
            let z = carried.at().pose(body).pos.z;
            assert!((z - (0.2 * f64::from(k) - 0.1)).abs() < 1e-4, "{method} {formulation}: {k} {z}");
        }
    }
}

/// Of a tree a whole branch can go, and what refers to numbers that would change is refused.
#[test]
fn branches_and_refusals() {
    let mut b = floor();
    let rod = || Shape::Capsule { radius: 0.03, length: 0.3 };
    let mut parent = BodyId::WORLD;
    let mut chain = Vec::new();
    for k in 0..3 {
        let spec = BodySpec::new(format!("link {k}")).at(V3::Z * if k == 0 { 2.0 } else { -0.4 });
        let body = b.body(parent, spec.solid_geom(Geom::new(rod()), 1.0).unwrap());
        b.joint(body, Joint::revolute(V3::Y).anchor(V3::Z * 0.2));
        chain.push(body);
        parent = body;
    }
    let box_ = add(&mut b, "box", cube(), V3::new(3.0, 0.0, 0.1));
    let plain = b.clone().build().unwrap();
    let mut s = begin(&plain, Method::Leapfrog, Formulation::Reduced);
    let mut state = s.state().clone();
    state.q[..3].copy_from_slice(&[0.5, 0.3, -0.2]);
    s.set_state(state).unwrap();
    s.run(100, 2e-3).unwrap();
    let shorter = plain.without(&chain[1..2]).unwrap();
    assert_eq!((shorter.bodies().len(), shorter.nv()), (3, 7));
    let mut carried = s.continue_with(&shorter, None).unwrap();
    assert_eq!(carried.state().q[0], s.state().q[0]);
    assert_eq!(carried.state().v[1..], s.state().v[3..]);
    carried.run(100, 2e-3).unwrap();
    b.actuator(Actuator::motor(plain.joint("link 0_joint").unwrap()).named("motor"));
    let driven = b.build().unwrap();
    assert!(driven.without(&chain[1..2]).is_err_and(|e| e.to_string().contains("\"box\"")));
    assert_eq!(driven.without(&[box_]).unwrap().nv(), 3);
    assert!(driven.without(&chain[..1]).is_err());
}
