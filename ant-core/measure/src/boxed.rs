//! Futures on the heap, for the seams of this crate.
//!
//! The compiler generates the body of an `async fn` in the crate that polls it. If
//! this crate's public functions were `async`, each program that calls them would
//! generate the network's code again at every build. A function that is neither
//! `async` nor generic and boxes its future has it generated here.

use std::pin::Pin;

/// A future on the heap.
pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
