//! Conversion and moves (PTX ISA 9.7.9): `cvt`, `mov`.

use super::row::{Row, row};
use crate::vocabulary::Opcode::*;

pub(super) const ROWS: &[Row] = &[
    // A rounding is required where a conversion can be inexact, and refused where it cannot (PTX ISA 9.7.9.21).
    row(Cvt, ".@i8 .@i8", "=~0 %1", 10, 10),
    // `.sat` between integers only where the source has values that the destination has not.
    row(Cvt, ".sat .u8|u16|u32|u64 .s8|s16|s32|s64", "=~0 ~1", 10, 10),
    row(Cvt, ".sat .u8 .u16|u32|u64", "=~0 ~1", 10, 10),
    row(Cvt, ".sat .u16 .u32|u64", "=~0 ~1", 10, 10),
    row(Cvt, ".sat .u32 .u64", "=~0 ~1", 10, 10),
    row(Cvt, ".sat .s8 .u8|u16|u32|u64|s16|s32|s64", "=~0 ~1", 10, 10),
    row(Cvt, ".sat .s16 .u16|u32|u64|s32|s64", "=~0 ~1", 10, 10),
    row(Cvt, ".sat .s32 .u32|u64|s64", "=~0 ~1", 10, 10),
    row(Cvt, ".sat .s64 .u64", "=~0 ~1", 10, 10),
    // `.ftz` only where one of the types is `.f32`.
    row(Cvt, ".@irnd ?ftz ?sat .@i8 .f32", "=~0 ~1", 10, 10),
    row(Cvt, ".@irnd ?sat .@i8 .f64", "=~0 ~1", 10, 13),
    row(Cvt, ".@irnd ?sat .@i8 .f16", "=~0 ~1", 10, 10),
    row(Cvt, ".@rnd ?ftz ?sat .f32 .@i8", "=~0 %1", 10, 10),
    row(Cvt, ".@rnd ?sat .f64 .@i8", "=~0 %1", 10, 13),
    row(Cvt, ".@rnd ?sat .f16 .@i8", "=~0 %1", 10, 10),
    row(Cvt, "?@irnd ?ftz ?sat .f32 .f32", "=~0 ~1", 10, 10),
    row(Cvt, "?@irnd ?sat .f64 .f64", "=~0 ~1", 10, 13),
    row(Cvt, "?@irnd ?sat .f16 .f16", "=~0 ~1", 10, 10),
    row(Cvt, "?ftz ?sat .f64 .f32", "=~0 ~1", 10, 13),
    row(Cvt, "?ftz ?sat .f32 .f16", "=~0 ~1", 10, 10),
    row(Cvt, "?sat .f64 .f16", "=~0 ~1", 10, 10),
    row(Cvt, ".@rnd ?ftz ?sat .f32 .f64", "=~0 ~1", 10, 13),
    row(Cvt, ".@rnd ?ftz ?sat .f16 .f32", "=~0 ~1", 10, 10),
    row(Cvt, ".@rnd ?sat .f16 .f64", "=~0 ~1", 10, 10),
    row(Cvt, ".rn|rz ?relu ?satfinite .f16 .f32", "unsupported", 70, 80),
    row(Cvt, ".rn|rz ?relu ?satfinite .f16x2 .f32", "unsupported", 70, 80),
    row(Cvt, ".rn|rz ?relu ?satfinite .bf16|bf16x2 .f32", "unsupported", 70, 80),
    row(Cvt, "?@rnd|@irnd ?ftz ?sat .bf16 .@i8|f16|bf16|f64", "unsupported", 78, 90),
    row(Cvt, "?@rnd|@irnd ?ftz ?sat .@i8|f16|f32|f64 .bf16", "unsupported", 71, 90),
    row(Cvt, ".rna|rn|rz ?relu ?satfinite .tf32 .f32", "unsupported", 70, 80),
    row(Mov, ".b16|b32|b64|@i|f32|f64|pred", "=m0 m0", 10, 10),
    row(Mov, ".b128", "unsupported", 83, 70),
    row(Mov, ".v2|v4 .b16|b32|b64|@i|f32|f64", "=m0 m0", 10, 10),
];
