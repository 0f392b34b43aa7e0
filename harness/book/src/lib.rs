//! The book: every requirement of the specification with its cases, choices, deviations and errata, and what recorded targets did,
//! as static pages in a folder.
//!
//! * [`contents`] sorts a corpus and a run of it into chapters, requirements, files and cases, with links; `names` makes the names of links.
//! * [`witness`] says which witnesses a requirement has beside our own reading, [`mark`] what it lacks.
//! * `page` has the pages; `rows` is a case's table of rows with what is stated and what is allowed; `highlight` sets sources.
//! * [`folder`] writes the pages, whole or not at all.
//!
//! The same corpus and the same answers of targets give the same bytes.

pub mod contents;
pub mod folder;
mod highlight;
pub mod mark;
mod names;
mod page;
mod rows;
pub mod witness;

pub use page::pages;
