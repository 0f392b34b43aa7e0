//! The reducer: a launch that a target gets wrong becomes the smallest one that it gets wrong in the same way.
//!
//! The engine knows programs and launches, and nothing of what makes one interesting; it asks a [`persistence::Persistence`]:
//!
//! * [`reduce()`] – the passes, again and again until none finds anything.
//! * `most` – applies as many of many changes as persist: halves, then quarters, then each alone.
//! * `program` – a program as its syntax tree, one statement a line; `text_edit` – changes of its text, all taken from the tree.
//! * `observed` – what the reference saw in the registers at each line. A value that something else still reads becomes a constant where
//!   its instruction goes: so a program that lacks half of its instructions still has no undefined branch or address.
//! * `spa` – the passes over programs of SPA 5.0.
//! * [`recondition`] – instructions around what depends on undefined bits, so that a program without half of its instructions is decided.
//! * `one_thread`, `statements`, `constants`, `operands`, `items`, `names` – the passes over programs; `resources`, `data` – those over what
//!   a launch has beside its program.
//!
//! What makes a launch interesting is its mismatch:
//!
//! * [`signature`] – the instruction with its modifiers, the class and the cause of a mismatch; `culprit` finds the instruction.
//! * `size` – how many instructions a program has, with those that bring data in and out and without them.
//! * `long_form` – a launch as a case can state it; `stop` – how it ends, if it cannot complete.
//! * [`reproducer`] – a launch as a program that needs no warpdiff.
//! * [`held`] – a target that is held to a signature: which candidates show it, and are decided by the specification.

mod constants;
mod culprit;
mod data;
pub mod held;
mod items;
mod long_form;
mod most;
mod names;
mod observed;
mod one_thread;
mod operands;
pub mod persistence;
mod program;
pub mod recondition;
mod reduce;
pub mod reproducer;
mod resources;
pub mod signature;
mod size;
mod spa;
mod statements;
mod stop;
mod text_edit;

pub use long_form::as_long_form;
pub use reduce::reduce;
pub use size::{Size, instructions};
pub use stop::{has_one_end, stop};
