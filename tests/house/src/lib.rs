//! Why this crate exists: that no two files need each other, and that no file is
//! too long to read, is kept only if a test says so.
//!
//! How circles are counted: within each crate, file A needs file B if A, outside
//! its tests, imports or names something that B defines. What a file re-exports is
//! followed to where it is defined. A file that only declares its children
//! (`mod child;`) does not need them.

#![forbid(unsafe_code)]

mod imports;
mod modules;

pub use modules::{Crate, crates, files};
