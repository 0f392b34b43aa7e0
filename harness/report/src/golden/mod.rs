//! Goldens: the outcomes that the reference allowed at the last bless. They show changes of the reference that no expectation
//! covers; they are never expectations.
//!
//! * [`mod@file`] reads and writes a golden file: a format version, a content hash, and an entry per variant.
//! * [`compare`] compares entries with the present ones, and tells a change of undefined bits from a difference.
//! * [`store`] reads a folder of goldens and blesses it.
//! * [`diff`] shows a difference to a person.

pub mod compare;
pub mod diff;
pub mod file;
pub mod store;
