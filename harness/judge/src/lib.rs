//! Judges observations by the specification: verdicts, findings, explanations, the self-check.
//!
//! * [`mod@reference`] – the allowed outcomes of a planned launch; [`legality`] – whether a program is legal; [`layout`] – the
//!   bytes of variables; [`dialect`] – names of dialects.
//! * [`contradictions`] – does the reference agree with the expectations? [`judgement`] – is an observation allowed?
//! * [`reference_verdict`] – whether the reference agrees with everything that a case states.
//! * [`verdict_table`] – every status of a variant, and the tables that join them; [`exit_code`] – how the process ends,
//!   [`exit_facts`] – and what each variant of a target contributes to it.
//! * [`finding`] – the mismatches of a launch: the instruction they come from ([`site`], [`byte_origin`], [`surface_placement`]),
//!   its class ([`mismatch_class`]), the deviations that explain it ([`diagnose`], [`shown_by`]; [`instruction_family`] says which
//!   instructions are explained together, [`narrower`] which of several is named), and the memory around them ([`evidence`]). [`deviation_filter`] – deviations by what they are
//!   about.
//! * [`surface_access`] – accesses to surfaces, by instruction, geometry and what they do out of bounds.
//! * [`features`] – what a target must know to run a variant.
//! * [`machine_code`] – the machine words that a compiler made of a line, for reports.
//! * [`stated_alone`] – launches that the reference cannot run, judged by what the case states.
//! * [`difference`] – a difference as people compare it: a column, an element, a texel.
//! * [`memory_after_fault`] – memory after a fault, judged if a case states it.
//! * [`hazards`] – results that a scheduled program of SPA 5.0 reads too early.
//! * [`golden_text`] – the allowed outcomes as text.
//! * [`parting`] – the first effect in which two runs of a thread differ.
//! * [`assembled`] – an assembler's answer about a program.
//! * [`selfcheck`] – damages observations and checks that the judge notices.

pub mod assembled;
pub mod byte_origin;
pub mod contradictions;
pub mod deviation_filter;
pub mod diagnose;
pub mod dialect;
pub mod difference;
pub mod evidence;
pub mod exit_code;
pub mod exit_facts;
pub mod features;
pub mod finding;
pub mod golden_text;
pub mod hazards;
pub mod instruction_family;
pub mod judgement;
pub mod layout;
pub mod legality;
pub mod machine_code;
pub mod memory_after_fault;
pub mod mismatch_class;
pub mod narrower;
mod numbers_beside;
mod open_choices;
mod outputs_of_outcomes;
pub mod parting;
mod races;
pub mod reference;
pub mod reference_verdict;
pub mod selfcheck;
pub mod shown_by;
pub mod site;
pub mod stated_alone;
mod stated_bytes;
mod stated_field;
mod stated_observations;
mod stated_tolerance;
pub mod surface_access;
pub mod surface_placement;
pub mod verdict_table;
