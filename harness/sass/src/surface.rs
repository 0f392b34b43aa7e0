//! The registers of an access to a surface.

use crate::instruction::Instruction;
use crate::mnemonic::Mnemonic as M;

/// How many registers hold the coordinates: those of an array have the layer behind them, as ptxas compiles `suld.b.a2d`.
pub fn coordinates(instruction: &Instruction) -> u32 {
    match instruction.modifier_name("dimension") {
        Some("1D_ARRAY" | "2D") => 2,
        Some("2D_ARRAY" | "3D") => 3,
        _ => 1,
    }
}

/// How many registers the operand with this role has.
pub(crate) fn registers(instruction: &Instruction, role: &str) -> u32 {
    let words = match instruction.modifier_name("size").or(instruction.modifier_name("type")) {
        Some("64" | "U64" | "S64" | "SD64") => 2,
        Some("128") => 4,
        _ => 1,
    };
    // Components of a mask fill registers without gaps.
    let components = instruction.modifier("components").map_or(1, u8::count_ones);
    let is_pair = instruction.modifier_name("operation") == Some("CAS");
    match role {
        "handle" => 1,
        "Rb" if is_pair && instruction.form.mnemonic == M::SUATOM => 2 * words,
        _ => words.max(components),
    }
}
