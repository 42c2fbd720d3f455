//! The command `poinsot`.
fn main() {}
