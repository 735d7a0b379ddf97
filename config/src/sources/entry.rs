//! What one layer says of one key. Every source makes these, and all layers are
//! made of them.

use crate::{
    fault::{Fault, Spot},
    keys::{Key, Value},
    origin::Origin,
};

/// What a layer says of one key.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: &'static Key,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
    /// Where the key stands, in a file.
    pub(crate) spot: Option<Spot>,
}

impl Entry {
    /// Returns a fault of this entry, for what only shows once other entries are
    /// known.
    pub(crate) fn fault(&self, problem: impl std::fmt::Display) -> Fault {
        match &self.origin {
            Origin::Profile { place, .. } => {
                let problem = format!("`{}`: {problem}", self.key.name);
                Fault::new(place, problem).at(self.spot.clone())
            }
            origin => Fault::new(origin.to_string(), problem),
        }
        .about(self.key.setting())
    }
}
