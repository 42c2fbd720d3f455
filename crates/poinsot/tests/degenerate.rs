//! What is no geometry is refused by name when a simulation is made; what is awkward is simulated. Never a panic, a hang, or a number
//! that is not finite.
#![allow(clippy::unwrap_used)]

use poinsot::integrate::Fallback;
use poinsot::model::{Mesh, TriangleMesh};
use poinsot::prelude::*;
use std::sync::Arc;

fn floor(b: &mut ModelBuilder) {
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor"));
}

/// A free body with a shape, whose inertia is that of a ball, at a height.
fn body(b: &mut ModelBuilder, name: &str, shape: Shape, height: f64) -> BodyId {
    let inertia = Shape::Sphere { radius: 0.1 }.inertia(1.0).unwrap();
    let body = b.body(BodyId::WORLD, BodySpec::new(name).at(V3::Z * height).inertia(inertia));
    b.joint(body, Joint::free());
    b.geom(body, Geom::new(shape).named(format!("shape of {name}")));
    body
}

fn mesh(vertices: Vec<V3>, triangles: Vec<[usize; 3]>) -> Arc<Mesh> {
    Arc::new(Mesh::new("m", TriangleMesh { vertices, triangles }))
}

fn corners(size: f64) -> Vec<V3> {
    [V3::ZERO, V3::X, V3::Y, V3::Z].map(|v| v * size).into()
}

/// A tetrahedron, its triangles counter-clockwise from outside.
const OUTWARD: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

#[test]
fn shapes_without_size_are_refused_by_name() {
    let flat = vec![V3::ZERO, V3::X, V3::Y, V3::X + V3::Y];
    let nan = vec![V3::ZERO, V3::X, V3::Y, V3::Z * f64::NAN];
    for shape in [
        Shape::Sphere { radius: 0.0 },
        Shape::Box { size: V3::new(1.0, 0.0, 1.0) },
        Shape::Capsule { radius: f64::NAN, length: 1.0 },
        Shape::Hull(mesh(flat.clone(), vec![[0, 1, 2]])),
        Shape::Mesh(mesh(nan, vec![[0, 1, 3]])),
        Shape::Mesh(mesh(flat, vec![[0, 1, 1]])),
    ] {
        let mut b = ModelBuilder::new("odd");
        b.lenient();
        floor(&mut b);
        body(&mut b, "thing", shape, 1.0);
        let model = b.build().unwrap();
        let made =
            Simulation::builder(&model).integrator(Method::Leapfrog).contact(Contact::default()).build();
        let error = made.err().unwrap().to_string();
        assert!(error.contains("shape of thing"), "{error}");
    }
}

/// Two of everything in one and the same place, above the floor.
#[test]
fn bodies_in_one_place_are_simulated() {
    let shapes = [
        Shape::Sphere { radius: 0.2 },
        Shape::Capsule { radius: 0.1, length: 0.3 },
        Shape::Box { size: V3::new(0.3, 0.2, 0.1) },
        Shape::Cylinder { radius: 0.1, length: 0.3 },
        Shape::Ellipsoid { radii: V3::new(0.1, 0.2, 0.3) },
        Shape::Hull(mesh(corners(0.3), vec![])),
        Shape::Mesh(mesh(corners(0.3), OUTWARD.into())),
    ];
    for (k, first) in shapes.iter().enumerate() {
        for second in &shapes[k..] {
            let mut b = ModelBuilder::new("two in one place");
            floor(&mut b);
            body(&mut b, "first", first.clone(), 0.5);
            body(&mut b, "second", second.clone(), 0.5);
            let model = b.build().unwrap();
            for contact in ["exact", "pgs"] {
                let case = format!("{} in {}, {contact}", first.word(), second.word());
                let contact: Contact = contact.parse().unwrap();
                let builder = Simulation::builder(&model).integrator(Method::Leapfrog).contact(contact);
                let mut simulation = builder.build().unwrap();
                simulation.run(20, 5e-3).unwrap_or_else(|e| panic!("{case}: {e}"));
                let state = simulation.state();
                assert!(state.q.iter().chain(&state.v).all(|x| x.is_finite()), "{case}: {state:?}");
            }
        }
    }
}

/// A closed mesh whose triangles are seen from inside rests as one that is seen from outside.
#[test]
fn a_mesh_that_is_inside_out_rests() {
    let inward = OUTWARD.map(|t| [t[0], t[2], t[1]]);
    let [a, b] = [OUTWARD, inward].map(|triangles| {
        let mut b = ModelBuilder::new("a tetrahedron");
        floor(&mut b);
        let thing = body(&mut b, "thing", Shape::Mesh(mesh(corners(0.3), triangles.into())), 1e-3);
        let model = b.build().unwrap();
        let builder = Simulation::builder(&model).integrator(Method::Leapfrog).contact(Contact::default());
        let mut simulation = builder.build().unwrap();
        simulation.run(200, 5e-3).unwrap();
        simulation.at().pose(thing).pos
    });
    assert!(a == b && a.z > -1e-6, "{a:?}, {b:?}");
}

#[test]
fn a_hundred_thousand_bodies_in_one_place_are_refused() {
    let mut b = ModelBuilder::new("crowd");
    for k in 0..100_000 {
        body(&mut b, &format!("b{k}"), Shape::Sphere { radius: 0.1 }, 1.0);
    }
    let model = b.build().unwrap();
    let contact: Contact = "pgs".parse().unwrap();
    let made = Simulation::builder(&model).integrator(Method::SemiImplicit).contact(contact).build();
    let error = made.err().unwrap().to_string();
    assert!(error.contains("pairs"), "{error}");
}

/// A crowd of balls in one place, too many for an exact answer, is pushed apart by some way in each step, and the report says that this is not done at
/// once. No step takes long: bodies that hit the floor on the way are not followed one by one.
#[test]
fn a_crowd_in_one_place_is_pushed_apart() {
    for (count, steps) in [(150, 30), (300, 3)] {
        let mut b = ModelBuilder::new("crowd");
        floor(&mut b);
        for k in 0..count {
            body(&mut b, &format!("b{k}"), Shape::Sphere { radius: 0.1 }, 1.0);
        }
        let model = b.build().unwrap();
        let builder = Simulation::builder(&model).contact(Contact::default()).dt(2e-3);
        let mut simulation = builder.build().unwrap();
        let spread = |simulation: &Simulation| {
            let heights: Vec<f64> = simulation.state().q.chunks_exact(7).map(|q| q[2]).collect();
            let [low, high] = [f64::min, f64::max].map(|f| heights.iter().copied().reduce(f).unwrap());
            high - low
        };
        let begun = std::time::Instant::now();
        for step in 1..=steps {
            simulation.step().unwrap();
            assert!(spread(&simulation) > 0.05 * f64::from(step), "{count}: {}", spread(&simulation));
        }
        assert_eq!(simulation.tally().steps(Fallback::Overlapping), steps as usize);
        let took = begun.elapsed().as_secs_f64() / f64::from(steps);
        assert!(took < 10.0, "{count}: {took} s a step");
    }
}
