//! Text for people: colours, remarks, escaped foreign text, suggestions.
//!
//! * [`style`] – colours, or none.
//! * [`foreign`] – escapes text from targets, drivers and devices before it is printed.
//! * [`stderr`] – remarks on the standard error.
//! * [`suggest`] – the name that a misspelt one may have meant.

pub mod foreign;
pub mod stderr;
pub mod style;
pub mod suggest;
