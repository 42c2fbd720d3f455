//! A contact solver that has seen a problem of its size solves the next without allocating, and with the same bits.
#![allow(clippy::unwrap_used)]

#[path = "contact/common.rs"]
#[allow(dead_code)]
mod common;

use common::{Owned, heap, stack};
use poinsot_core::contact::{Dense, Exact, Lcp, LcpMethod, Pgs, Problem};
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

/// Solves twice: the second time nothing is allocated, and the answer has the same bits.
fn twice(what: &str, problem: &Owned, mut solve: impl FnMut(&Problem<Dense>, &mut [f64], &mut [f64])) {
    let rows = problem.g.transpose();
    let matrix = Dense::new(problem.size(), rows.as_slice()).unwrap();
    let problem =
        Problem { matrix: &matrix, free: problem.q.as_slice(), laws: &problem.laws, compliance: &[] };
    let n = problem.free.len();
    let (mut x, mut u) = (vec![0.0; n], vec![0.0; n]);
    solve(&problem, &mut x, &mut u);
    let (mut again, mut v) = (vec![0.0; n], vec![0.0; n]);
    let before = COUNT.get();
    solve(&problem, &mut again, &mut v);
    assert_eq!(COUNT.get() - before, 0, "{what} allocates");
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!((bits(&x), bits(&u)), (bits(&again), bits(&v)), "{what}");
}

#[test]
fn warm_solvers_do_not_allocate() {
    let problems = [
        stack(3, 1.0, 0.5, 0.1).problem(),
        stack(10, 1e6, 0.5, 0.1).problem(),
        heap(3, 3, 1e3, (0.1, 1.0), 0.0, 0).problem(),
    ];
    for problem in &problems {
        let mut exact = Exact::default();
        exact.options.refine = true;
        exact.options.tell_uniqueness = true;
        twice("exact", problem, |p, x, u| assert!(exact.solve(p, x, u).unwrap().status.is_solved()));
        let mut pgs = Pgs::default();
        twice("pgs", problem, |p, x, u| assert!(pgs.solve(p, x, u).unwrap().residual.is_finite()));
    }
    let mut lcp = Lcp::default();
    let (m, q) = ([2.0, 1.0, 1.0, 2.0], [-5.0, -6.0]);
    for method in [LcpMethod::Lemke, LcpMethod::Dantzig] {
        lcp.pivot(&m, &q, method).unwrap();
        let before = COUNT.get();
        lcp.pivot(&m, &q, method).unwrap();
        assert_eq!(COUNT.get() - before, 0, "{method:?} allocates");
    }
}
