//! Islands of contacts solved by several threads: the motion is the same to the last bit.

use poinsot::prelude::*;

/// Nine groups of boxes and balls that do not touch one another.
fn groups() -> Model {
    let mut b = ModelBuilder::new("groups of bodies");
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    for group in 0..9 {
        let (x, y) = (3.0 * f64::from(group % 3), 3.0 * f64::from(group / 3));
        for k in 0..6 {
            let size = V3::new(0.1, 0.12, 0.1);
            let shape =
                if (k + group) % 3 == 0 { Shape::Sphere { radius: 0.11 } } else { Shape::Box { size } };
            let material =
                Material { restitution: 0.1 * f64::from(group % 2), ..Material::with_friction(0.6) };
            let geom = Geom::new(shape).material(material);
            let place = V3::new(0.03f64.mul_add(f64::from(k), x), y, 0.23f64.mul_add(f64::from(k), 0.15));
            let spec = BodySpec::new(format!("{group}/{k}"))
                .at(place)
                .solid_geom(geom, 1.0)
                .expect("it can be built");
            let body = b.body(BodyId::WORLD, spec);
            b.joint(body, Joint::free());
        }
    }
    b.build().expect("it can be built")
}

fn end(model: &Model, threads: usize, steps: usize) -> Vec<u64> {
    let mut contact = Contact::default();
    contact.settings.threads = threads;
    let mut simulation = Simulation::builder(model).contact(contact).build().expect("it can be built");
    simulation.run(steps, 2e-3).expect("it runs");
    assert!(simulation.report().certificate.is_some_and(|found| found.residual < 1e-6));
    let state = simulation.state();
    state.q.iter().chain(&state.v).map(|x| x.to_bits()).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let model = groups();
    let alone = end(&model, 1, 300);
    for threads in [2, 3, 8] {
        assert_eq!(alone, end(&model, threads, 300), "{threads} threads");
    }
}

#[test]
fn a_number_of_threads_that_makes_no_sense_is_refused() {
    let model = groups();
    for threads in [0, 100_000] {
        let mut contact = Contact::default();
        contact.settings.threads = threads;
        let refused = Simulation::builder(&model).contact(contact).build().map(|_| ());
        assert!(refused.expect_err("nonsense").to_string().contains("give 1 to 256"));
    }
}
