//! Comparison and selection (PTX ISA 9.7.6, 9.7.7).

use super::row::{Row, row};
use crate::vocabulary::Opcode::*;

pub(super) const ROWS: &[Row] = &[
    // `.lo .ls .hi .hs` are the unsigned comparisons; bit-size types compare for equality alone.
    row(Setp, ".eq|ne ?@bool .b16|b32|b64", "p|q 0 0 ?!", 10, 10),
    row(Setp, ".@cmpu ?@bool .u16|u32|u64", "p|q 0 0 ?!", 10, 10),
    row(Setp, ".@cmp ?@bool .s16|s32|s64", "p|q 0 0 ?!", 10, 10),
    row(Setp, ".@cmpf ?@bool ?ftz .f32", "p|q 0 0 ?!", 10, 10),
    row(Setp, ".@cmpf ?@bool .f64", "p|q 0 0 ?!", 10, 13),
    row(Setp, ".@cmpf ?@bool ?ftz .f16", "=pred 0 0 ?!", 42, 53),
    row(Setp, ".@cmpf ?@bool ?ftz .f16x2", "p|q 0 0 ?! unsupported", 42, 53),
    row(Setp, ".@cmpf ?@bool .bf16", "=pred 0 0 ?! unsupported", 78, 90),
    row(Setp, ".@cmpf ?@bool .bf16x2", "p|q 0 0 ?! unsupported", 78, 90),
    row(Set, ".eq|ne ?@bool .u32|s32|f32 .b16|b32|b64", "=0 1 1 ?!", 10, 10),
    row(Set, ".@cmpu ?@bool .u32|s32|f32 .u16|u32|u64", "=0 1 1 ?!", 10, 10),
    row(Set, ".@cmp ?@bool .u32|s32|f32 .s16|s32|s64", "=0 1 1 ?!", 10, 10),
    row(Set, ".@cmpf ?@bool ?ftz .u32|s32|f32 .f32", "=0 1 1 ?!", 10, 10),
    row(Set, ".@cmpf ?@bool .u32|s32|f32 .f64", "=0 1 1 ?!", 10, 13),
    row(Set, ".@cmpf ?@bool ?ftz .f16 .f16", "=0 1 1 ?! unsupported", 42, 53),
    row(Set, ".@cmpf ?@bool ?ftz .u32|s32 .f16", "=0 1 1 ?!", 65, 53),
    row(Set, ".@cmpf ?@bool ?ftz .u16|s16 .f16", "=0 1 1 ?! unsupported", 65, 53),
    row(Set, ".@cmpf ?@bool ?ftz .f16x2 .f16x2", "=0 1 1 ?! unsupported", 42, 53),
    row(Set, ".@cmpf ?@bool ?ftz .u32|s32 .f16x2", "=0 1 1 ?! unsupported", 65, 53),
    row(Set, ".eq|ne ?@bool .f16 .b16|b32|b64", "=0 1 1 ?! unsupported", 42, 53),
    row(Set, ".@cmpu ?@bool .f16 .u16|u32|u64", "=0 1 1 ?! unsupported", 42, 53),
    row(Set, ".@cmp ?@bool .f16 .s16|s32|s64", "=0 1 1 ?! unsupported", 42, 53),
    row(Set, ".@cmpf ?@bool ?ftz .f16 .f32", "=0 1 1 ?! unsupported", 42, 53),
    row(Set, ".@cmpf ?@bool .f16 .f64", "=0 1 1 ?! unsupported", 42, 53),
    row(Set, ".@cmpf ?@bool .u16|s16|u32|s32|bf16 .bf16", "=0 1 1 ?! unsupported", 78, 90),
    row(Set, ".@cmpf ?@bool .u32|s32|bf16x2 .bf16x2", "=b32 1 1 ?! unsupported", 78, 90),
    row(Set, ".eq|ne ?@bool .bf16 .b16|b32|b64", "=u16 1 1 ?! unsupported", 78, 90),
    row(Set, ".@cmpu ?@bool .bf16 .u16|u32|u64", "=u16 1 1 ?! unsupported", 78, 90),
    row(Set, ".@cmp ?@bool .bf16 .s16|s32|s64", "=u16 1 1 ?! unsupported", 78, 90),
    row(Set, ".@cmpf ?@bool .bf16 .f16|f32|f64", "=u16 1 1 ?! unsupported", 78, 90),
    row(Selp, ".b16|b32|b64|@i|f32|f64", "=0 0 0 !", 10, 10),
    row(Slct, ".b16|b32|b64|@i|f32|f64 .s32", "=0 0 0 1", 10, 10),
    row(Slct, "?ftz .b16|b32|b64|@i|f32|f64 .f32", "=0 0 0 1", 10, 10),
];
