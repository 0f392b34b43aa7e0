//! The tests of the crate from outside: what an allowed outcome admits.

mod admission;
mod contenders;
mod histories;
mod serialisation;
