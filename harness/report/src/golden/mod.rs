//! Goldens: what the reference emulator allowed when it was last looked at, under `golden/emulator/`, one file per corpus
//! file. They show a change of the reference that no hand-written expectation covers; they never count as one.
//!
//! * [`mod@file`] is the form of a golden file: a format version, a content hash, and an entry per variant.
//! * [`compare`] holds entries against what was recorded now, and tells drift of undefined bits from a difference.
//! * [`store`] reads a folder of goldens and blesses it.
//! * [`diff`] shows a difference to a person.

pub mod compare;
pub mod diff;
pub mod file;
pub mod store;
