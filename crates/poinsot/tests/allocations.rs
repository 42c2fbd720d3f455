//! Steps with contact allocate nothing once their room has grown and what collides has been named: resting, rolling and colliding, one after the other and at once, by springs, in loops.
#![allow(clippy::unwrap_used)]

use poinsot::prelude::*;
use poinsot::scenes::by_name;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

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
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations when a motion is repeated: nothing in it is new the second time.
fn allocations(name: &str, contact: &str, steps: usize) -> usize {
    let scene = by_name(name).unwrap();
    let builder = Simulation::builder(&scene.model).state(scene.state.clone()).integrator(Method::Leapfrog);
    let contact: Contact = contact.parse().unwrap();
    let mut s = builder.contact(contact).control(scene.control.clone()).dt(scene.dt).build().unwrap();
    let start = s.snapshot();
    for _ in 0..steps {
        s.step().unwrap();
    }
    // what a snapshot brings has no room to spare
    s.restore(&start).unwrap();
    (0..5).for_each(|_| s.step().unwrap());
    let before = COUNT.get();
    for _ in 5..steps {
        s.step().unwrap();
    }
    COUNT.get() - before
}

#[test]
fn contact_steps_do_not_allocate() {
    let mut wrong = Vec::new();
    for (name, contact, steps) in [
        ("pyramid:4", "exact", 20),
        ("pyramid:4", "pgs", 20),
        ("pyramid:4", "penalty/explicit", 20),
        ("bounce", "exact", 600),
        ("bounce", "exact/poisson", 600),
        ("cradle", "impulse", 800),
        ("cradle", "exact/poisson", 800),
        ("billiards", "impulse", 400),
        ("oblique", "impulse/poisson", 500),
        ("dominoes:4", "exact/poisson", 300),
        ("stepladder", "exact", 100),
        ("gripper", "exact/soft", 100),
    ] {
        let count = allocations(name, contact, steps);
        if count > 0 {
            wrong.push(format!("{name} {contact}: {count}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
