//! Control flow and miscellaneous (PTX ISA 9.7.12, 9.7.19).

use super::{Row, row};
use crate::vocabulary::Opcode::*;

pub(super) const ROWS: &[Row] = &[
    row(Bra, "?uni", "label", 10, 10),
    row(Brx, ".idx ?uni", "u32 targets", 60, 30),
    row(Ret, "?uni", "", 10, 10),
    row(Exit, "", "", 10, 10),
    row(Trap, "", "", 10, 10),
    row(Brkpt, "", "", 10, 11),
    row(Nanosleep, ".u32", "0", 63, 70),
    row(Pmevent, "", "imm", 14, 10),
];
