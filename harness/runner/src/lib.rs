//! warpdiff: runs a corpus of cases and generated programs on the reference emulator and on targets, and names each
//! semantic difference. The `warpdiff` binary is a thin shell around [`cli::main`].
//!
//! Data flows one way:
//!
//! * [`corpus`] reads YAML into the [`plan`]: variants, and the launches or questions that decide them;
//! * [`mod@reference`] asks the emulator what the specification allows, [`legality`] asks the front end;
//! * [`target`] is what is being judged, [`inquiry`] puts a variant to it, and `batches` many at once;
//! * [`judge`] and [`verdict`] say what it earns, [`status`] what that means;
//! * [`translation`] makes PTX of programs of SPA 5.0, for targets that take no other;
//! * [`budget`] chooses among launches that may fault, where faults are dear;
//! * [`worker`] is how targets run in processes of their own, which may die;
//! * [`aftermath`] is memory after a fault, which is judged only where a case states it;
//! * [`finding`] says what exactly differs, where ([`site`]), of which class ([`cause`]) and why ([`diagnose`], and `throughout` for the
//!   run as a whole), and keeps what memory held there ([`evidence`]);
//! * [`characterize`] and [`experiment`] say what a target does where the specification leaves it open;
//! * [`recording`] is what is allowed as text, [`golden`] keeps it;
//! * [`report`] tells a person, or another program;
//! * [`mod@fuzz`] does the same with generated programs;
//! * [`table`] holds what assemblers accepted, and asks again;
//! * [`selfcheck`] checks the checker.

pub mod aftermath;
pub mod agreement;
pub mod assembly;
mod batches;
pub mod budget;
pub mod bytes;
pub mod cause;
pub mod characterize;
pub mod cli;
pub mod completeness;
pub mod corpus;
pub mod coverage;
pub mod diagnose;
pub mod dialect;
pub mod evidence;
pub mod experiment;
mod family;
pub mod filter;
pub mod finding;
pub mod fuzz;
pub mod golden;
pub mod hazards;
pub mod inquiry;
pub mod judge;
mod kept;
pub mod known;
pub mod layout;
pub mod legality;
pub mod notice;
mod placement;
pub mod plan;
pub mod ptxas;
pub mod recording;
pub mod reference;
pub mod replay;
pub mod report;
pub mod schema;
pub mod selfcheck;
pub mod session;
pub mod shown_by;
pub mod site;
mod spa_site;
pub mod status;
pub mod suggest;
pub mod table;
pub mod target;
mod throughout;
mod trace;
pub mod translation;
pub mod verdict;
pub mod worker;
