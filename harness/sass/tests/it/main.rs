//! The tests of the crate from outside: words, texts and cubins, held against what nvdisasm and cuobjdump print.

mod branches;
mod bundles;
mod directives;
mod images;
mod kernels;
mod listing;
mod listings;
mod malformed;
mod misread;
mod reuse;
mod sync_targets;
mod text;
mod words;
