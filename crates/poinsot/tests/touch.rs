//! What sensors read where bodies touch, and the events of contacts.

mod edited;

use edited::edited;
use poinsot::ContactEventKind::{self, Begin, End, Impact, Persist};
use poinsot::formats::load_text;
use poinsot::prelude::*;

const G: f64 = 9.81;

fn model(text: &str) -> Model {
    load_text("m.xml", text, &Default::default()).expect("a model").model
}

fn begin<'a>(model: &'a Model, method: Method, formulation: Formulation, contact: &str) -> Simulation<'a> {
    let contact: Contact = contact.parse().expect("a contact");
    let builder = Simulation::builder(model).integrator(method).formulation(formulation).dt(2e-3);
    builder.contact(contact).build().expect("a simulation")
}

fn read(s: &mut Simulation, name: &str) -> Vec<f64> {
    let id = s.model().sensor(name).expect("a sensor");
    s.sense(id)
}

fn near(found: &[f64], wanted: &[f64], within: f64) {
    assert_eq!(found.len(), wanted.len());
    assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < within), "{found:?} {wanted:?}");
}

/// A box of 2 kg on the floor, a plate of 1 kg fixed upon it, and on that a ball of 0.5 kg.
const PILE: &str = r#"<mujoco><worldbody><geom type="plane" size="0 0 1"/>
  <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/>
    <site name="under" pos="0 0 -0.1" type="box" size="0.2 0.2 0.01"/>
    <site name="corner" pos="0.1 0.1 -0.1" size="0.05"/>
    <site name="top" pos="0 0 0.1" type="box" size="0.2 0.2 0.01"/>
    <site name="side" pos="0.5 0 0" size="0.05"/>
    <body name="plate" pos="0 0 0.12"><geom type="box" size="0.1 0.1 0.02" mass="1"/><site name="seam" pos="0 0 -0.02"/>
    <site name="tray" pos="0 0 0.02" type="cylinder" size="0.1 0.01"/></body></body>
  <body name="ball" pos="0 0 0.34"><freejoint/><geom size="0.1" mass="0.5"/></body></worldbody>
  <sensor><touch name="under" site="under"/><touch name="corner" site="corner"/><touch name="top" site="top"/>
    <touch name="side" site="side"/><touch name="tray" site="tray"/><touch name="cut" site="under" cutoff="3"/>
    <accelerometer name="acceleration" site="corner"/><force name="force" site="seam"/><torque name="torque" site="seam"/>
  </sensor></mujoco>"#;

#[test]
fn sensors_feel_what_rests() {
    let model = model(PILE);
    for formulation in [Formulation::Reduced, Formulation::Maximal] {
        for method in [Method::Leapfrog, Method::SemiImplicit, Method::Implicit] {
            let mut s = begin(&model, method, formulation, "exact");
            // nothing is known of contacts before the first step
            near(&read(&mut s, "under"), &[0.0], 1e-12);
            s.run(200, 2e-3).expect("steps");
            near(&read(&mut s, "under"), &[3.5 * G], 1e-8);
            let corner = read(&mut s, "corner")[0];
            assert!((0.0..3.5 * G).contains(&corner)); // one of four legs
            near(&read(&mut s, "tray"), &[0.5 * G], 1e-8);
            near(&read(&mut s, "cut"), &[3.0], 1e-12);
            // the ball presses the plate, not the box
            near(&[read(&mut s, "top"), read(&mut s, "side")].concat(), &[0.0, 0.0], 1e-12);
            near(&read(&mut s, "acceleration"), &[0.0, 0.0, G], 1e-8);
            near(&read(&mut s, "force"), &[0.0, 0.0, 1.5 * G], 1e-8);
            near(&read(&mut s, "torque"), &[0.0; 3], 1e-8);
            near(&s.acceleration(), &[0.0; 12], 1e-6);
        }
    }
}

/// What a scale reads, less the weight, changes the momentum: in flight, at impacts, at rest.
#[test]
fn a_scale_reads_what_changes_the_momentum() {
    let text = r#"<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/><site name="scale" type="box" size="9 9 0.1"/>
      <body pos="0 0 0.5"><freejoint/><geom name="ball" size="0.1" mass="2"/></body></worldbody>
      <custom><tuple name="poinsot:restitution"><element objtype="geom" objname="ball" prm="0.5"/></tuple></custom>
      <sensor><touch name="scale" site="scale"/></sensor></mujoco>"#;
    let model = model(text);
    for contact in ["exact", "exact/discrete", "penalty", "impulse", "lcp", "pgs"] {
        let mut s = begin(&model, Method::Leapfrog, Formulation::Reduced, contact);
        let mut most = 0.0f64;
        for _ in 0..1000 {
            let before = s.state().v[2];
            s.step().expect("a step");
            let pressed = read(&mut s, "scale")[0];
            let gained = 2.0 * (s.state().v[2] - before) + 2.0 * G * 2e-3;
            assert!((2e-3 * pressed - gained).abs() < 1e-9, "{contact}: {pressed} at {}", s.state().time);
            most = most.max(pressed);
        }
        assert!((read(&mut s, "scale")[0] - 2.0 * G).abs() < 1e-6 && most > 100.0, "{contact}: {most}");
    }
}

/// A ball falls, bounces, comes to rest on a table, and rolls off it to the floor.
#[test]
fn events_of_contacts() {
    let text = r#"<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <geom name="table" type="box" pos="0 0 0.5" size="0.5 0.5 0.05"/>
      <body name="ball" pos="0 0 0.75"><freejoint/><geom name="ball" size="0.1" mass="2"/></body></worldbody>
      <custom><tuple name="poinsot:restitution"><element objtype="geom" objname="ball" prm="0.3"/></tuple></custom></mujoco>"#;
    let model = model(text);
    let [table, floor] = ["table", "floor"].map(|name| model.geom(name).expect("a geom"));
    let mut s = begin(&model, Method::Leapfrog, Formulation::Reduced, "exact");
    let mut state = s.state().clone();
    state.v[0] = 1.0;
    s.set_state(state).expect("a state");
    let (mut all, mut restored) = (Vec::new(), false);
    let other = &mut begin(&model, Method::Leapfrog, Formulation::Reduced, "exact");
    while s.state().time < 2.0 {
        s.step().expect("a step");
        let now = s.contact_events();
        if restored {
            other.step().expect("a step");
            assert_eq!((other.contact_events(), other.state()), (now.clone(), s.state()));
        } else if now.iter().any(|e| e.kind == Persist) {
            // from the middle of a contact
            let text = s.snapshot().to_json();
            other.restore(&poinsot::Snapshot::from_json(&text).expect("a snapshot")).expect("the same model");
            assert_eq!(other.acceleration(), s.acceleration());
            assert_eq!(other.snapshot(), s.snapshot());
            let damaged = edited(&text, "\"touching\":[[", "\"touching\":[[99,1],[");
            assert!(
                other.restore(&damaged).is_err_and(|e| e.to_string().contains("geoms that are not there"))
            );
            assert_eq!(other.snapshot(), s.snapshot());
            restored = true;
        }
        all.extend(now);
    }
    let kinds = |geom| -> Vec<ContactEventKind> {
        let own = all.iter().filter(|e| e.geoms.contains(&geom) && e.kind != Persist);
        let mut kinds: Vec<_> = own.map(|e| e.kind).collect();
        kinds.dedup();
        kinds
    };
    let on_table = kinds(table);
    let lasting: Vec<_> = on_table.iter().filter(|kind| **kind != Impact).collect();
    assert_eq!((on_table[0], lasting[0], lasting[lasting.len() - 1]), (Impact, &Begin, &End));
    assert!(lasting.windows(2).all(|w| w[0] != w[1]), "{on_table:?}");
    // it may bounce by less than what ends a contact
    let on_floor = kinds(floor);
    assert!(on_floor[..2] == [Impact, Begin] && !on_floor.contains(&End), "{on_floor:?}");
    let first = all.iter().find(|e| e.kind == Impact).expect("an impact");
    assert!((first.time - (2.0 * 0.1 / G).sqrt()).abs() < 1e-9);
    let (before, after) = (first.velocity[0].dot(first.normal), first.velocity[1].dot(first.normal));
    assert!(
        (after + 0.3 * before).abs() < 1e-9 && first.bodies == [BodyId::WORLD, model.body("ball").unwrap()]
    );
    assert!(all.iter().filter(|e| e.kind == Persist).count() > 100);
    assert!(all.windows(2).all(|w| w[0].time <= w[1].time));
}
