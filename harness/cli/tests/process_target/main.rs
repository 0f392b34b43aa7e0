//! Targets that are processes: what becomes of launches whose worker crashes, hangs, lies or is killed, and of all others.

mod command_line;
#[path = "../every_subject/mod.rs"]
mod every_subject;
#[path = "../../misbehaving/fault.rs"]
mod fault;
mod page;
#[path = "../results/mod.rs"]
mod results;
mod supervision;
