//! Programs as an implementation misreads them, one deviation at a time.

mod alignment;
mod initial;
mod references;
mod rows;
