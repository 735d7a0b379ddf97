//! One strategy a file. Each is a small pure policy; the gate does the rest.

mod aimd;
mod hold;
mod release;
mod shard;
mod uncapped;

pub use aimd::Aimd;
pub use hold::Hold;
pub use release::Release;
pub use shard::{QUEUE_DEPTH, RECEIVE_QUEUES, Shard, queue_of};
pub use uncapped::Uncapped;
