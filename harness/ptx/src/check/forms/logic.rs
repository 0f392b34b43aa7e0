//! Bit fields, logic, shifts and permutations (PTX ISA 9.7.1, 9.7.8).

use super::row::{Row, row};
use crate::vocabulary::Opcode::*;

/// As observed of ptxas 12.9.
const OFFSET: &str =
    "the text has an offset of type `.s32`; ptxas takes any register of 32 bits, floating-point ones too";

pub(super) const ROWS: &[Row] = &[
    row(Popc, ".b32|b64", "=u32 0", 20, 20),
    row(Clz, ".b32|b64", "=u32 0", 20, 20),
    row(Bfind, "?shiftamt .u32|u64|s32|s64", "=u32 0", 20, 20),
    row(Fns, ".b32", "=b32 b32 b32 s32", 60, 30).text_only(OFFSET),
    row(Fns, ".b32", "=b32 b32 b32 b32", 60, 30).assembler_only(OFFSET),
    row(Brev, ".b32|b64", "=0 0", 20, 20),
    row(Bfe, ".u32|u64|s32|s64", "=0 0 u32 u32", 20, 20),
    row(Bfi, ".b32|b64", "=0 0 0 u32 u32", 20, 20),
    row(Bmsk, ".clamp|wrap .b32", "=0 u32 u32", 76, 70),
    row(Szext, ".clamp|wrap .u32|s32", "=0 0 u32", 76, 70),
    row(And, ".b16|b32|b64", "=0 0 0", 10, 10),
    row(Or, ".b16|b32|b64", "=0 0 0", 10, 10),
    row(Xor, ".b16|b32|b64", "=0 0 0", 10, 10),
    row(Not, ".b16|b32|b64", "=0 0", 10, 10),
    row(And, ".pred", "=0 ! !", 10, 10),
    row(Or, ".pred", "=0 ! !", 10, 10),
    row(Xor, ".pred", "=0 ! !", 10, 10),
    row(Not, ".pred", "=0 !", 10, 10),
    row(Cnot, ".b16|b32|b64", "=0 0", 10, 10),
    row(Lop3, ".b32", "=0 0 0 0 lut", 43, 50),
    row(Lop3, ".or|and .b32", "=0&p 0 0 0 lut ! unsupported", 82, 70),
    row(Shl, ".b16|b32|b64", "=0 0 u32", 10, 10),
    row(Shr, ".b16|b32|b64|@i", "=0 0 u32", 10, 10),
    row(Shf, "!l|r .clamp|wrap .b32", "=0 0 0 u32", 31, 32),
    row(Prmt, ".b32 ?f4e|b4e|rc8|ecl|ecr|rc16", "=0 0 0 u32", 20, 20),
];
