//! What the specification allows, and what an observation earns by it.
//!
//! * [`mod@reference`] – the emulator's answer about a planned launch; [`legality`] – the front end's about a program, [`layout`] about
//!   the bytes of variables, [`dialect`] by whose rules.
//! * [`judgement`] – is the case right about the reference, and does the specification admit what a target did?
//! * [`reference_verdict`] – whether the reference agrees with everything that a case states.
//! * [`verdict_table`] – every status of a variant, and the tables that join them; [`exit_code`] – how the process ends.
//! * [`finding`] – one mismatch: where it comes from ([`site`], [`byte_origin`], [`surface_placement`]), its class
//!   ([`mismatch_class`]), the deviations that explain it ([`diagnose`], [`shown_by`]; [`instruction_family`] says which
//!   instructions are explained together), and what memory held there ([`evidence`]).
//! * [`memory_after_fault`] – memory after a fault, judged where a case states it.
//! * [`hazards`] – results that a scheduled program of SPA 5.0 reads too early.
//! * [`golden_text`] – everything that is allowed, as text.
//! * [`assembled`] – an assembler's answer about a program.
//! * [`selfcheck`] – damages observations and demands that the judge notices.

pub mod assembled;
pub mod byte_origin;
pub mod diagnose;
pub mod dialect;
pub mod evidence;
pub mod exit_code;
pub mod finding;
pub mod golden_text;
pub mod hazards;
pub mod instruction_family;
pub mod judgement;
pub mod layout;
pub mod legality;
pub mod memory_after_fault;
pub mod mismatch_class;
pub mod reference;
pub mod reference_verdict;
pub mod selfcheck;
pub mod shown_by;
pub mod site;
pub mod surface_placement;
pub mod verdict_table;
