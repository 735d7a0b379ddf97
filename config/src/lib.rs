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

mod address;
mod checks;
mod document;
mod env;
mod fault;
mod file_value;
mod key;
mod keys;
mod kind;
mod layers;
mod origin;
mod pacing;
mod pacing_fields;
mod profile;
mod reload;
mod schema;
mod settings;
mod template;
mod value;

pub use env::Environment;
pub(crate) use fault::did_you_mean;
pub use fault::{ConfigError, Fault, redacted};
pub use key::Key;
pub use keys::{KEYS, markdown};
pub use kind::Kind;
pub use layers::{Flag, Loaded, Sources, joining, load, on_wan};
pub use origin::{Given, Origin, Traced};
pub use pacing::Cap;
pub use profile::{SHIPPED, description, places, profile_text};
pub use reload::{Look, Reloader};
pub use schema::schema;
pub use settings::{NetworkKind, NetworkSettings, PaymentSettings, Settings};
pub use template::new_profile;
