//! The command line from outside: what it prints, and how it ends.

mod expectations;
mod flakes;
mod front_end;
mod goldens;
mod interruption;
mod jenkins;
mod listings;
mod reports;
#[path = "../results/mod.rs"]
mod results;
mod runs;
mod shards;
mod traces;
mod workplace;
