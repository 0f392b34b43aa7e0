//! Scoreboards: what instructions of a scheduled program have begun and no thread has waited for yet.
//!
//! * [`pending`] – what is under way.
//! * [`waits`] – before and behind an instruction: what it waits for, and what it begins.
//! * [`hazards`] – what it does not wait for although it would have to.

pub(crate) mod hazards;
pub(super) mod pending;
mod waits;
