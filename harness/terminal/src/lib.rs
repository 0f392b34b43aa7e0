//! Text for people.
//!
//! * [`style`] – colours, or none.
//! * [`foreign`] – words of targets, drivers and devices, made harmless before a person sees them.
//! * [`stderr`] – remarks beside the output.
//! * [`suggest`] – the name that a misspelt one may have meant.

pub mod foreign;
pub mod stderr;
pub mod style;
pub mod suggest;
