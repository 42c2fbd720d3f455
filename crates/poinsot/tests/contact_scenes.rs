//! The scenes with contact do what is known of them exactly, and none gains energy.
#![allow(clippy::unwrap_used)]

#[path = "contact_scenes/common.rs"]
mod common;
#[path = "contact_scenes/friction.rs"]
mod friction;
#[path = "contact_scenes/impacts.rs"]
mod impacts;
#[path = "contact_scenes/ledgers.rs"]
mod ledgers;
#[path = "contact_scenes/piles.rs"]
mod piles;
#[path = "contact_scenes/spinning.rs"]
mod spinning;
