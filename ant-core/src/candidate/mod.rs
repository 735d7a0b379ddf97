//! Why this module exists: a candidate is believed only after every check that a
//! storer makes of it later, and both forms of a request are written in one place.

pub(crate) mod check;
pub(crate) mod wire;
