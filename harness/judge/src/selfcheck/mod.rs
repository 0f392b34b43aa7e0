//! The self-check: damages an allowed state one bit at a time; the verdict has to become a violation exactly when the damaged state
//! is not allowed.
//!
//! * [`enumeration`] is an independent judge: it lists outcomes, rows and orders, and shares no code with the other one.
//! * [`damage`] lists the damages and their kinds.
//! * [`examine`] compares the two judges for one launch.
//! * [`parts`] says which part of a state a damage is judged in.
//! * [`tally`] counts by kind, and keeps the wrong verdicts.

pub mod damage;
pub mod enumeration;
pub mod examine;
pub mod parts;
pub mod tally;

mod order;
