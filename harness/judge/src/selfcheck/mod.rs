//! Checks the checker: takes a state that is allowed, damages it one bit at a time, and shows that the verdict turns exactly
//! when the damaged state is not allowed.
//!
//! * [`enumeration`] is a second reading of what is allowed: it lists outcomes, rows and orders, and shares no code with the
//!   verdict.
//! * [`damage`] says which damages there are, and of which kind.
//! * [`examine`] puts the two against each other for one launch.
//! * [`tally`] counts, by kind, and keeps the surprises.

pub mod damage;
pub mod enumeration;
pub mod examine;
pub mod tally;

mod order;
