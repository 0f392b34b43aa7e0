//! The tests of the command line, and of what only a whole program has. They are one program: to link one takes as long as to link another, and
//! each would load the corpus for itself.
//!
//! `cargo test -p warpdiff --test it nights::` runs those of one file. What concerns a whole process, such as its environment, its folder or
//! its signals, is tried in processes that a test starts; what starts workers itself is in `workers`.

mod assignments;
mod book;
mod bounds;
mod cases;
mod ci_gpu;
mod ci_last_release;
mod ci_night;
mod command_line;
mod compiled;
mod confined;
mod contradictions;
mod copied_folder;
mod corpus_errors;
mod corpus_plan;
mod cubins;
mod deviations;
mod diagnoses;
mod driver_library;
mod exit_codes;
mod filtering;
mod findings;
mod fuzz;
mod fuzz_campaigns;
mod html_report;
mod initial_images;
mod installed;
mod journal;
mod keys;
mod known_bugs;
mod load;
mod many_variants;
mod nights;
mod page_in_chromium;
mod planted;
mod ptxas;
mod recording;
mod reduce;
mod results;
mod returns;
mod spa_commands;
mod spa_forms;
mod spa_through_ptx;
mod tables;
mod triangle;
mod unlisted;
mod worker_parent;
mod workflows;

// With it these tests have the allocator of the program.
use warpdiff as _;
