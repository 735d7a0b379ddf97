//! Why this crate exists: the pacing of a payment is chosen by configuration, so
//! what the configuration says must be read strictly, in one place, and an error
//! must say what to write instead.
//!
//! Settings come in layers, lowest first: built-in defaults, a profile, the
//! `ANT_MERKLE_*` variables, flags. **A layer that names a strategy replaces the
//! whole pacing; one that does not adjusts its fields.** The process's
//! environment is read only by [`Environment::of_process`]; everything else is
//! given one.

mod env;
mod error;
mod layers;
mod origin;
mod pacing;
mod profile;
mod settings;

pub use env::{Environment, VARIABLES, Variable};
pub use error::ConfigError;
pub use layers::{Flags, Loaded, Sources, load, load_traced};
pub use origin::{Given, Origin, Traced};
pub use pacing::Cap;
pub use profile::{SHIPPED, known, profile_text, shipped};
pub use settings::{NetworkKind, NetworkSettings, PlanSettings, Settings, Span};
