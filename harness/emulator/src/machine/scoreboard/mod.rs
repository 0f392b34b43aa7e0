//! Scoreboards: pending instructions of a scheduled program that no thread has waited for yet.
//!
//! * [`pending`] – the pending instructions.
//! * [`waits`] – the waits before an instruction, and the pending operations it starts.
//! * [`hazards`] – its missing waits.

pub(crate) mod hazards;
pub(super) mod pending;
mod waits;
