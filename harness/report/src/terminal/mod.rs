//! What a person reads of a run in a terminal.
//!
//! * [`whole`] is the report with its parts in order.
//! * [`causes`] is the summary by cause, [`diagnoses`] what a target does instead, [`examples`] a full example of each.
//! * [`corpus_errors`], [`notices`], [`goldens`] and [`lists`] are what is wrong elsewhere: in the corpus, the expectations, the goldens,
//!   and lists of variants.

pub mod causes;
pub mod corpus_errors;
pub mod diagnoses;
pub mod examples;
pub mod goldens;
pub mod lists;
pub mod notices;
pub mod whole;
