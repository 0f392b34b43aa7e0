//! The tests that start workers themselves, not in a program that they start: they are a program of their own, because a process with workers
//! takes in whoever loses a parent below it, and waits for what has a process group of its own.

#[path = "../it/cases.rs"]
mod cases;
#[path = "../it/driver_library.rs"]
mod driver_library;
mod every_subject;
#[path = "../../misbehaving/fault.rs"]
mod fault;
#[path = "../it/results.rs"]
mod results;

mod bad_targets;
mod cuda_capabilities;
mod cuda_target;
mod library_run;
mod misbehaviour;
mod planted_in_targets;
mod process_target;
