//! How the layers make settings: what wins over what, what the result is, and which
//! mixtures make no sense.

mod checks;
mod layers;
mod load;
mod pacing;
mod settings;

#[cfg(test)]
mod tests;

pub use load::{Loaded, load};
pub use settings::{NetworkKind, NetworkSettings, PaymentSettings, Settings};
