//! Why this crate exists: strategies, profiles, scenarios and flags all read
//! what people type, and must read a duration and answer a typing slip in one way.

#![forbid(unsafe_code)]

pub mod duration;
mod suggest;

pub use suggest::{nearest, plain};
