//! Targets that are processes: what becomes of launches whose worker crashes, hangs, lies or is killed, and of all others.

mod command_line;
mod page;
mod supervision;
