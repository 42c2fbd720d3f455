//! Detection does not allocate once its buffers have grown.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use poinsot_collide::{Contacts, Scene};
use poinsot_core::algebra::V3;
use poinsot_core::model::*;
use poinsot_core::spatial::Pose;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every request goes unchanged to the system's allocator; the counter is a plain thread-local number.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn detection_does_not_allocate() {
    let mut random = Random(17);
    let mut b = ModelBuilder::new("everything");
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    let heights = Heights { rows: 5, columns: 5, elevation: (0..25).map(|_| random.unit()).collect() };
    let field = HeightField::new("field", [2.0, 2.0, 0.5, 0.1], heights);
    b.geom(BodyId::WORLD, Geom::new(Shape::HeightField(Arc::new(field))));
    let Shape::Hull(points) = random.shape("hull") else { panic!() };
    let mesh = Arc::new(Mesh::new("mesh", convex_hull(&points.given().unwrap().vertices)));
    b.geom(BodyId::WORLD, Geom::new(Shape::Mesh(mesh)));
    for k in 0..60 {
        let shape = random.shape(CONVEX[k % CONVEX.len()]);
        let body = b.body(BodyId::WORLD, BodySpec::new(format!("b{k}")).solid(&shape, 1.0).unwrap());
        b.joint(body, Joint::free());
    }
    let model = b.build().unwrap();
    let steps: Vec<Vec<Pose>> = (0..8)
        .map(|_| {
            let mut place = |_| {
                let pos = random.vector(-1.5, 1.5) + V3::Z;
                random.pose(pos)
            };
            std::iter::once(Pose::IDENTITY).chain((0..60).map(&mut place)).collect()
        })
        .collect();
    let (mut scene, mut contacts) = (Scene::new(&model).unwrap(), Contacts::new());
    let mut found = 0;
    for poses in steps.iter().chain(&steps) {
        scene.detect(poses, 0.01, &mut contacts).unwrap();
        found += contacts.len();
    }
    assert!(found > 1000, "{found}");
    let before = COUNT.with(Cell::get);
    for poses in steps.iter().chain(&steps) {
        scene.detect(poses, 0.01, &mut contacts).unwrap();
    }
    assert_eq!(COUNT.with(Cell::get) - before, 0);
}
