//! The order in which features unlock the variants of a corpus: `warpdiff roadmap`.
//!
//! * [`order`] – the order: which features come next, and which variants they unlock.
//! * [`whole`] – the roadmap: what a target answers, what is missing, and the steps.
//! * [`text`] – the same for a person; as data it is what it is written as ([`whole::Roadmap`]).

pub mod order;
pub mod text;
pub mod whole;
