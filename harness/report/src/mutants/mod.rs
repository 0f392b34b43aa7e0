//! What cases notice of each deviation: `warpdiff mutate`.
//!
//! * [`table`] – the same for a person; [`data`] – as JSON. The page is [`crate::html::mutants`].

pub mod data;
pub mod table;
