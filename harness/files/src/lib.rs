//! Folders of files, on the disk or packed into the program.
//!
//! * [`packed`] is a folder as one compressed text with a digest; the crate `pack` makes it when the program is compiled.
//! * [`digest`] makes digests, [`hexadecimal`] writes bytes as digits; [`cache`] says where caches are.
//! * [`tree`] reads files of a folder, wherever it is.
//! * [`built_in`] holds the folders that this program was built with.

pub mod built_in;
pub mod cache;
pub mod digest;
pub mod hexadecimal;
pub mod packed;
pub mod tree;
