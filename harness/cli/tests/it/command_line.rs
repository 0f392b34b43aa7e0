//! The command line from outside: what it prints, and how it ends.

mod broken_cases;
mod corpora;
mod elements;
mod expectations;
mod flakes;
mod front_end;
mod goldens;
mod history;
mod interruption;
mod jenkins;
mod listings;
mod mutants;
mod profiles;
mod reports;
mod roadmap;
mod runs;
mod shards;
mod sound_files;
mod traces;
mod workplace;
