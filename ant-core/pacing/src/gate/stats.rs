//! What a gate has counted, for reports: data alone, so that the counting core
//! and its public handles can both use it.

/// What a gate has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GateStats {
    /// Slots taken now.
    pub occupied: u32,
    /// Exchanges waiting now.
    pub waiting: u32,
    /// The most slots ever taken at a time.
    pub peak_occupied: u32,
    /// Exchanges let go so far.
    pub admitted: u64,
    /// Slots freed by time, or as slow, before their exchange had ended.
    pub released_early: u64,
}
