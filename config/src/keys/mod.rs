//! What there is to set: one list of keys, and what each of them may hold.
//! Everything that speaks of keys walks the list.

mod cap;
mod key;
mod kind;
mod list;
mod pacing_fields;
mod value;

pub(crate) use cap::{Cap, MOST_SLOTS};
pub use key::Key;
pub use kind::Kind;
pub(crate) use kind::Problem;
pub use list::KEYS;
pub(crate) use list::{FILE_WORDS, PREFIX, SECTIONS, Section, find};
pub(crate) use pacing_fields::{find as find_in_files, in_files, strategies_with};
pub(crate) use value::Value;
