//! The laws of constraints.
#![allow(clippy::unwrap_used)]

#[path = "common/mod.rs"]
mod common;
#[path = "constraints/derivatives.rs"]
mod derivatives;
#[path = "constraints/heavy_chain.rs"]
mod heavy_chain;
#[path = "constraints/implicit_joints.rs"]
mod implicit_joints;
#[path = "constraints/joint_tree.rs"]
mod joint_tree;
#[path = "constraints/ledger.rs"]
mod ledger;
#[path = "constraints/loops.rs"]
mod loops;
#[path = "constraints/mechanisms.rs"]
mod mechanisms;
#[path = "constraints/random_loops.rs"]
mod random_loops;
#[path = "constraints/relations.rs"]
mod relations;
#[path = "constraints/soft.rs"]
mod soft;
#[path = "constraints/twins.rs"]
mod twins;
