//! Conversion and moves (PTX ISA 9.7.9): `cvt`, `mov`.

use super::row::{Row, row};
use crate::vocabulary::Opcode::*;

const BF16: &str =
    "ptxas takes every rounding, and `.ftz`, from `.f32` to `.bf16`; the text has `.rn` and `.rz` alone";

/// The targets that have types of 6 and 4 bits.
const LETTERED: &str = "100a 100f 101a 101f 103a 103f 110a 110f 120a 120f 121a 121f";

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
    // Half precision with a bound, and pairs of it.
    row(Cvt, ".rn|rz .relu .f16 .f32", "=~0 ~1 unsupported", 70, 80),
    row(Cvt, ".rn|rz .satfinite .f16 .f32", "=~0 ~1 unsupported", 81, 70),
    row(Cvt, ".rn|rz .relu .satfinite .f16 .f32", "=~0 ~1 unsupported", 81, 80),
    row(Cvt, ".rn|rz ?relu .f16x2 .f32", "=~0 ~1 ~1 unsupported", 70, 80),
    row(Cvt, ".rn|rz ?relu .bf16x2 .f32", "=0 1 1 unsupported", 70, 80),
    row(Cvt, ".rn|rz ?relu .satfinite .f16x2 .f32", "=~0 ~1 ~1 unsupported", 81, 80),
    row(Cvt, ".rn|rz ?relu .satfinite .bf16x2 .f32", "=0 1 1 unsupported", 81, 80),
    // `.bf16` and `.tf32`.
    row(Cvt, ".rn|rz ?relu .bf16 .f32", "=0 1 unsupported", 70, 80),
    row(Cvt, ".rn|rz ?relu .satfinite .bf16 .f32", "=0 1 unsupported", 81, 80),
    row(Cvt, ".rm|rp ?ftz .bf16 .f32", "=0 1 unsupported", 70, 80).assembler_only(BF16),
    row(Cvt, ".rn|rz .ftz .bf16 .f32", "=0 1 unsupported", 70, 80).assembler_only(BF16),
    row(Cvt, ".@rnd .bf16 .@i|f64", "=0 1 unsupported", 78, 90),
    row(Cvt, "?@rnd .bf16 .f16", "=0 1 unsupported", 78, 90),
    row(Cvt, "?@irnd .bf16 .bf16", "=0 1 unsupported", 78, 90),
    row(Cvt, ".@irnd .@i .bf16", "=0 1 unsupported", 78, 90),
    row(Cvt, "?@rnd ?ftz .f32 .bf16", "=0 1 unsupported", 71, 80),
    row(Cvt, "?@rnd .f16|f64 .bf16", "=0 1 unsupported", 78, 90),
    row(Cvt, ".rna .tf32 .f32", "=0 1 unsupported", 70, 80),
    row(Cvt, ".rna .satfinite .tf32 .f32", "=0 1 unsupported", 81, 80),
    row(Cvt, ".rn|rz ?relu .tf32 .f32", "=0 1 unsupported", 78, 90),
    row(Cvt, ".rn|rz .satfinite ?relu .tf32 .f32", "=0 1 unsupported", 86, 100),
    // Pairs of 8 bits and fewer. sm_89 has the first of them from PTX 8.1 on.
    row(Cvt, ".rn .satfinite ?relu .e4m3x2|e5m2x2 .f32", "=0 1 1 unsupported", 78, 89),
    row(Cvt, ".rn .satfinite ?relu .e4m3x2|e5m2x2 .f16x2", "=0 1 unsupported", 78, 89),
    row(Cvt, ".rn ?relu .f16x2 .e4m3x2|e5m2x2", "=0 1 unsupported", 78, 89),
    row(Cvt, ".rn .satfinite ?relu .e2m1x2|e2m3x2|e3m2x2 .f32", "=0 1 1 unsupported", 86, 100)
        .only_on(LETTERED),
    row(Cvt, ".rn ?relu .f16x2 .e2m1x2|e2m3x2|e3m2x2", "=0 1 unsupported", 86, 100).only_on(LETTERED),
    row(Cvt, ".rz|rp ?satfinite .ue8m0x2 .f32", "=0 1 1 unsupported", 86, 100).only_on(LETTERED),
    row(Cvt, ".rz ?satfinite .ue8m0x2 .bf16x2", "=0 1 unsupported", 86, 100).only_on(LETTERED),
    row(Cvt, ".rn .bf16x2 .ue8m0x2", "=0 1 unsupported", 86, 100).only_on(LETTERED),
    // Rounding by random bits.
    row(Cvt, ".rs ?relu ?satfinite .f16x2 .f32", "=~0 ~1 ~1 bits unsupported", 87, 100).only_on("100a 103a"),
    row(Cvt, ".rs ?relu ?satfinite .bf16x2 .f32", "=0 1 1 bits unsupported", 87, 100).only_on("100a 103a"),
    row(
        Cvt,
        ".rs ?relu .satfinite .e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4 .f32",
        "=0 4x1 bits unsupported",
        87,
        100,
    )
    .only_on("100a 103a"),
    // Two numbers packed, with a third behind them if the elements are narrower than 16 bits.
    row(Cvt, "!pack .sat .u16|s16 .s32", "=~u32 ~1 ~1 unsupported", 65, 72),
    row(Cvt, "!pack .sat .u8|s8 .s32 .b32", "=~u32 ~1 ~1 ~2 unsupported", 65, 72),
    row(Cvt, "!pack .sat .u4|s4|u2|s2 .s32 .b32", "=~u32 ~1 ~1 ~2 unsupported", 65, 75),
    row(Mov, ".b16|b32|b64|@i|f32|f64|pred", "=m0 m0", 10, 10),
    row(Mov, ".b128", "=m0 m0 unsupported", 83, 70),
    row(Mov, ".v2|v4 .b16|b32|b64|@i|f32|f64", "=m0 m0", 10, 10),
];
