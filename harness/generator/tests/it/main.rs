//! The tests of the crate from outside: what it makes of any bytes, and how it reduces that.

mod blocks;
mod census;
mod declarations;
mod front_end;
mod modules;
mod reduction;
mod spa;
mod specimens;
