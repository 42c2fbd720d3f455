//! No method allocates in a step.

#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot_core::algebra::{Sym3, V3};
use poinsot_core::free::*;
use poinsot_core::spatial::Inertia;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;
thread_local! {
    // of this thread alone: the test harness allocates when it likes
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steps_do_not_allocate() {
    let body = FreeBody::new(&Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0)).unwrap()).unwrap();
    let start = body.to_momentum(&VelocityState { omega: V3::new(0.1, 2.0, -0.3), ..VelocityState::AT_REST });
    let push = PointForce { point: V3::X, force: ForceAxes::Body(V3::Y) };
    for m in free_integrators() {
        let mut s = start;
        let before = CALLS.get();
        for k in 0..100 {
            m.step(&body, &push, 0.01 * f64::from(k), 0.01, &mut s).unwrap();
        }
        assert_eq!(CALLS.get(), before, "{}", m.name());
    }
}
