//! The legal forms of each instruction: one table per subject, in a notation close to the manual's own. The emulator
//! decodes an instruction in the module named after its subject.
//! `row` explains the notation; `opcode_forms` joins the tables.

mod atomic;
mod comparison;
mod control;
mod conversion;
mod float;
mod integer;
mod logic;
mod memory;
mod opcode_forms;
mod row;
pub(super) mod special;
mod surface;
mod texture;
mod video;
mod warp;

pub(super) use opcode_forms::{OpcodeForms, opcode_forms};
pub(super) use row::{By, UNMODELLED};

pub use opcode_forms::{forms_to_run, needed_target};
pub use row::{Form, Pattern, Role, Slot, TypeOf};
