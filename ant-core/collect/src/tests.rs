//! The state machine over a scripted network, in virtual time: nothing here
//! sleeps, and every run of a script gives the same result.

mod dial_laws;
mod dialects;
mod dials;
mod laws;
mod lookups;
mod network;
mod refusals;
mod selection;
mod slow;
mod trees;
