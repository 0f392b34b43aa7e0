//! The command line from outside: what it prints, and how it ends.

mod front_end;
mod goldens;
mod known_failures;
mod listings;
mod runs;
mod traces;
mod workplace;
