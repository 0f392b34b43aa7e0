//! The results of a run as JSON Lines, for other programs: one line for the run, one for each variant, one for the summary.
//!
//! * [`mod@line`] – the kinds of lines, and their version.
//! * [`variant`] – a variant with its verdicts; [`finding`] – what a target did wrong.
//! * [`summary`] – the counts, the causes and the exit code, from the lines of the variants alone; [`diagnosis`] – what a target does
//!   instead, over the whole run.
//! * [`words`] – a finding in plain text.
//! * [`writer`] writes the lines as they come; [`reader`] reads a file of them; [`join`] joins those of shards;
//!   [`for_expectations`] takes from them what expectations are about.

pub mod diagnosis;
pub mod finding;
pub mod for_expectations;
pub mod join;
pub mod line;
pub mod reader;
pub mod summary;
pub mod variant;
pub mod words;
pub mod writer;
