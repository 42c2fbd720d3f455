//! Threads that solve islands side by side.

use std::sync::Arc;

/// A pool of threads. In a child process made by a fork there is none: threads do not follow a fork.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    pool: Arc<rayon::ThreadPool>,
    process: u32,
}

impl Threads {
    /// A pool of so many threads; `None` for one, or if the system refuses to start them: results do not depend on their number.
    pub fn new(count: usize) -> Option<Threads> {
        if count < 2 {
            return None;
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().ok()?;
        Some(Threads { pool: Arc::new(pool), process: std::process::id() })
    }

    /// The pool, in the process that made it.
    pub fn pool(&self) -> Option<&rayon::ThreadPool> {
        (self.process == std::process::id()).then_some(&*self.pool)
    }
}
