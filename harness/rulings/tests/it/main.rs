//! Each ruling by an example, with the derivation from the manual beside it; and what generated programs reach.

mod examples;
mod generated;
mod lanes;
mod look;
mod machine;
mod memory;
mod opaque;
mod video;
