//! Why this crate exists: the pacing of a payment is chosen by configuration, so
//! what the configuration says must be read strictly, in one place, and an error
//! must say what to write instead.
//!
//! Settings come in layers, lowest first: built-in defaults, a profile and what
//! it extends, the `ANT_MERKLE_*` variables, flags. **A layer that names a
//! strategy replaces the whole pacing; one that does not adjusts its fields.**
//! The process's environment is read only by [`Environment::of_process`];
//! everything else is given one.
//!
//! [`KEYS`] is the one list of all there is to set. [`load`] reads the layers,
//! [`Reloader`] reads them again while a program runs.

#![forbid(unsafe_code)]

mod address;
mod docs;
mod fault;
mod keys;
mod merge;
mod origin;
mod reload;
mod schema;
mod sources;
mod template;

pub use address::{AddressError, read_address};
pub use docs::with_tables;
pub use fault::{ConfigError, Fault, redacted};
pub use keys::{KEYS, Key, Kind};
pub use merge::{Loaded, NetworkKind, NetworkSettings, PaymentSettings, Settings, load};
pub use origin::{Given, Origin, Traced};
pub use reload::{Look, Reloader};
pub use schema::schema;
pub use sources::{
    Environment, Flag, SHIPPED, Sources, description, joining, on_wan, places, profile_text,
};
pub use template::new_profile;
