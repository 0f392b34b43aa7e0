//! The pages of the book.
//!
//! * `whole` is the list of all pages; `frame` is what stands around each; `file_names` has the names of those that every book has.
//! * `contents` is the first page; `chapter` has a chapter of requirements; `cases` the list of files, `case_file` the cases of one.
//! * `choices`, `deviations` and `errata` are pages of their own.

mod case_file;
mod cases;
mod chapter;
mod choices;
mod contents;
mod deviations;
mod errata;
mod file_names;
mod frame;
mod whole;

pub use whole::pages;
