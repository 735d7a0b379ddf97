//! One strategy a file. Each is a small pure policy; the gate does the rest.

mod hold;
mod release;
mod uncapped;

pub use hold::Hold;
pub use release::Release;
pub use uncapped::Uncapped;
