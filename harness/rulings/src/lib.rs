//! Which branch of a rule decided what an instruction did: a coordinate was clamped, a sum was rounded up, a comparison failed.
//!
//! [`combinations`] runs a launch on the reference while it looks on, and gives each form of instruction with the rulings that decided one
//! execution of it together. A run that nobody looks on pays nothing for it.
//!
//! * [`Ruling`], [`Rulings`] – the branches of rules, and sets of them.
//! * [`Combination`] – a form with the rulings of one execution.
//! * `looker` – collects them while a launch runs.
//! * `integer`, `float`, `conversion`, `comparison`, `video`, `memory`, `surface`, `texture`, `warp`, `spa` – which rulings the operands of an instruction
//!   ask for, by the text of the manual and not by the emulator's code.
//!
//! Of arithmetic those of instructions are known that are one operation of the machine: of PTX all, of SPA 5.0 that of words.

mod comparison;
mod conversion;
mod float;
mod integer;
mod looker;
mod memory;
mod ruling;
mod spa;
mod surface;
mod texture;
mod video;
mod warp;

pub use looker::{Combination, combinations, form_of, form_of_machine};
pub use ruling::{Ruling, Rulings};
