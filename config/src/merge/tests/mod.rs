//! What the layers make, of good input and of bad.

mod bad_input;
mod bad_places;
mod bench;
mod layering;
