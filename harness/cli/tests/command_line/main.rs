//! The command line from outside: what it prints, and how it ends.

mod expectations;
mod flakes;
mod front_end;
mod goldens;
mod listings;
mod runs;
mod traces;
mod workplace;
