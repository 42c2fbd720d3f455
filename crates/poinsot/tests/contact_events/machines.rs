//! Contacts together with loops, limits and dry friction, and in maximal coordinates.

use super::bodies::*;
use poinsot::Formulation;
use poinsot::integrate::EventKind;
use poinsot::prelude::*;

fn built<'a>(
    model: &'a Model,
    state: State,
    method: Method,
    formulation: Formulation,
    dt: f64,
) -> Simulation<'a> {
    let builder = Simulation::builder(model).state(state).integrator(method).formulation(formulation).dt(dt);
    builder.contact(Contact::default()).ledger(true).build().unwrap()
}

/// A ball on a vertical slide.
fn slider(b: &mut ModelBuilder, name: &str, z: f64, radius: f64, m: f64, joint: Joint, e: f64) -> BodyId {
    let geom = Geom::new(Shape::Sphere { radius }).named(name).material(bounces(e));
    let body = b.body(BodyId::WORLD, BodySpec::new(name).at(V3::Z * z).solid_geom(geom, m).unwrap());
    b.joint(body, joint.named(name));
    body
}

/// Dry friction in the slide: falls with g − F/m, rises with g + F/m.
#[test]
fn a_ball_bounces_against_dry_friction() {
    for (m, loss, e, gap) in [(2.0, 4.0, 0.7, 0.5), (0.5, 1.0, 0.9, 0.2)] {
        for formulation in [Formulation::Reduced, Formulation::Maximal] {
            let mut b = ModelBuilder::new("rubbing slide");
            plane(&mut b, Pose::IDENTITY, bounces(e));
            slider(&mut b, "ball", 0.1 + gap, 0.1, m, Joint::prismatic(V3::Z).friction_loss(loss), e);
            let model = b.build().unwrap();
            let mut s = built(&model, State::new(&model), Method::Rkmk4, formulation, 5e-3);
            let (fall, rise) = (G - loss / m, G + loss / m);
            let mut speed = (2.0 * gap * fall).sqrt();
            let mut time = speed / fall;
            let mut impacts = Vec::new();
            while impacts.len() < 4 {
                s.step().unwrap();
                let hits = s.report().events.iter().filter(|e| e.kind == EventKind::Impact);
                impacts.extend(hits.map(|e| e.time));
            }
            for hit in impacts.iter().take(4) {
                near(*hit, time, 1e-10);
                speed *= e;
                let height = 0.5 * speed * speed / rise;
                time += speed / rise + (2.0 * height / fall).sqrt();
                speed = (2.0 * height * fall).sqrt();
            }
            let total = s.ledger().unwrap().total();
            assert!(total.work(Line::Integration).abs() < 1e-9, "{:e}", total.work(Line::Integration));
        }
    }
}

/// What lies on a slide at its end is caught by it; the contact bears the upper ball, the end both.
#[test]
fn a_stack_on_the_end_of_a_range() {
    for formulation in [Formulation::Reduced, Formulation::Maximal] {
        let mut b = ModelBuilder::new("stops");
        let lower = Joint::prismatic(V3::Z).limits(0.0, 1.0);
        slider(&mut b, "lower", 0.5, 0.1, 3.0, lower, 0.0);
        slider(&mut b, "upper", 0.8, 0.1, 1.0, Joint::prismatic(V3::Z), 0.0);
        let model = b.build().unwrap();
        let mut s = built(&model, State::new(&model), Method::Rkmk4, formulation, 5e-3);
        let mut hit = None;
        while s.state().time < 0.4 {
            s.step().unwrap();
            let events = &s.report().events;
            hit = hit.or(events.iter().find(|e| e.kind == EventKind::Impact).map(|e| e.time));
        }
        near(hit.unwrap(), (2.0f64 * 0.1 / G).sqrt(), 1e-10);
        near(s.state().q[0], 0.0, 1e-12);
        near(s.state().q[1], -0.1, 1e-12);
        assert!(s.state().v.iter().all(|v| v.abs() < 1e-12), "{:?}", s.state().v);
        let force: f64 = s.contacts().iter().map(|c| c.impulse.z / 5e-3).sum();
        near(force.abs(), G, 1e-9);
    }
}

/// A stepladder, a closed loop, stands on a floor without friction: half of its weight on each foot.
#[test]
fn a_loop_stands() {
    let scene = poinsot::scenes::by_name("stepladder").unwrap();
    for formulation in [Formulation::Reduced, Formulation::Maximal] {
        let mut s = built(&scene.model, scene.state.clone(), Method::Rkmk4, formulation, 5e-3);
        s.run(20, 5e-3).unwrap();
        let forces: Vec<f64> = s.contacts().iter().map(|c| c.impulse.norm() / 5e-3).collect();
        let weight = scene.model.mass() * scene.model.gravity().norm();
        near(forces.iter().sum::<f64>(), weight, 1e-7 * weight);
        assert!(s.violation().is_none_or(|(_, off)| off < 1e-12));
        assert!(s.state().v.iter().all(|v| v.abs() < 1e-9), "{:?}", s.state().v);
        assert!(s.report().certificate.unwrap().status.is_solved());
    }
}

/// An arm of two hinges falls, strikes the floor with its tip, and slides: the same in both formulations.
#[test]
fn an_arm_slides_over_the_floor_in_both_formulations() {
    for mu in [0.0, 0.4] {
        let mut b = ModelBuilder::new("arm");
        plane(&mut b, Pose::IDENTITY, rubs(mu));
        let mut parent = BodyId::WORLD;
        for (k, at) in [V3::Z * 0.5, V3::X * 0.4].into_iter().enumerate() {
            let bone = Shape::Capsule { radius: 0.02, length: 0.4 };
            let along = Pose { rot: exp_y(std::f64::consts::FRAC_PI_2), pos: V3::X * 0.2 };
            let spec = BodySpec::new(format!("link {k}")).at(at).solid_at(&bone, 1.0, along).unwrap();
            let link = b.body(parent, spec);
            b.joint(link, Joint::revolute(V3::Y).named(format!("hinge {k}")));
            parent = link;
        }
        let tip = Geom::new(Shape::Sphere { radius: 0.05 }).named("tip").at(V3::X * 0.4).material(rubs(mu));
        b.geom(parent, tip);
        let model = b.build().unwrap();
        let ends: Vec<State> = [Formulation::Reduced, Formulation::Maximal]
            .into_iter()
            .map(|formulation| {
                let state = State { q: vec![0.2, 0.3], ..State::new(&model) };
                let mut s = built(&model, state, Method::Adaptive, formulation, 2e-3);
                run_to(&mut s, 0.5, 2e-3);
                assert!(s.tally().number(EventKind::Impact) > 0);
                s.state().clone()
            })
            .collect();
        for k in 0..2 {
            near(ends[0].q[k], ends[1].q[k], 1e-9);
            near(ends[0].v[k], ends[1].v[k], 1e-8);
        }
    }
}

fn exp_y(angle: f64) -> poinsot::algebra::M3 {
    Pose::rotation_vector(V3::Y * angle).rot
}

/// Time stepping is of first order, events of that of their integrator: a disc that rolls, and a ball that slides and then rolls.
#[test]
fn orders_beside_each_other() {
    let (radius, mu) = (0.0286, 0.2);
    let mut b = ModelBuilder::new("ball");
    plane(&mut b, Pose::IDENTITY, rubs(mu));
    free(&mut b, "ball", Shape::Sphere { radius }, 0.17, Pose::translation(V3::Z * radius), rubs(mu));
    let model = b.build().unwrap();
    let v = vec![2.0, 0.0, 0.0, 30.0, -20.0, 50.0];
    let (ux, uy) = (2.0 + 20.0 * radius, 30.0 * radius);
    let speed = f64::hypot(ux, uy);
    let slides = speed / (3.5 * mu * G);
    let a = [-mu * G * ux / speed, -mu * G * uy / speed];
    let time = 1.3 * slides;
    let end: Vec<f64> = (0..2)
        .map(|k| {
            let v0 = [2.0, 0.0][k];
            v0 * slides + 0.5 * a[k] * slides * slides + (v0 + a[k] * slides) * (time - slides)
        })
        .collect();
    let error = |method: Method, n: usize| {
        let dt = time / n as f64;
        let mut s = begin(&model, method, dt, Some(v.clone()));
        s.run(n, dt).unwrap();
        (s.state().q[0] - end[0]).hypot(s.state().q[1] - end[1])
    };
    for (method, order) in
        [(Method::SemiImplicit, 1.0), (Method::Implicit, 1.0), (Method::Leapfrog, 1.0), (Method::Rkmk4, 4.0)]
    {
        let (whole, half) = (error(method, 200), error(method, 400));
        let measured = (whole / half).log2();
        println!("{method}: {whole:.2e} {half:.2e}, order {measured:.2}");
        assert!(measured > order - 0.3 || half < 1e-10, "{method}: {whole:e} {half:e}, order {measured}");
    }
    assert!(error(Method::Adaptive, 20) < 1e-10);
}

/// A hopper whose knee or ankle passes the end of its range while the foot rests: limits are projected, and contacts are found anew.
#[test]
fn a_limit_that_is_passed_beside_a_contact_makes_no_energy() {
    let text = r#"<mujoco model="hopper"><compiler angle="degree" inertiafromgeom="true"/>
      <default><joint armature="1" damping="1" limited="true"/><geom condim="1" margin="0.001" friction="0.9"/></default>
      <worldbody><geom condim="3" size="20 20 .125" type="plane"/>
        <body name="torso" pos="0 0 1.25">
          <joint armature="0" axis="1 0 0" damping="0" limited="false" type="slide"/>
          <joint armature="0" axis="0 0 1" damping="0" limited="false" type="slide"/>
          <joint armature="0" axis="0 1 0" damping="0" limited="false"/>
          <geom size="0.05 0.2" type="capsule"/>
          <body name="thigh" pos="0 0 -0.2"><joint axis="0 -1 0" range="-150 0"/>
            <geom pos="0 0 -0.225" size="0.05 0.225" type="capsule"/>
            <body name="leg" pos="0 0 -0.7"><joint axis="0 -1 0" pos="0 0 0.25" range="-150 0"/>
              <geom size="0.04 0.25" type="capsule"/>
              <body name="foot" pos="0.13 0 -0.35"><joint axis="0 -1 0" pos="-0.13 0 0.1" range="-45 45"/>
                <geom friction="2" pos="-0.065 0 0.1" euler="0 -90 0" size="0.06 0.195" type="capsule"/>
              </body></body></body></body></worldbody></mujoco>"#;
    let model = poinsot::formats::load_text("hopper.xml", text, &Default::default()).unwrap().model;
    for k in 0..6 {
        let mut state = State::new(&model);
        for (i, v) in state.v.iter_mut().enumerate() {
            *v = 5.0 * 2.3f64.mul_add(i as f64, 1.7 * f64::from(k)).sin();
        }
        let mut s = built(&model, state, Method::Adaptive, Formulation::Reduced, 1e-3);
        let begun = s.energy();
        for _ in 0..20 {
            s.step().unwrap();
            let (energy, time) = (s.energy(), s.state().time);
            assert!(energy <= begun * (1.0 + 1e-9), "{k}: {time} s: {energy} J of {begun}");
        }
        assert!(s.contact_statistics().unwrap().penetration < 1e-6);
    }
}
