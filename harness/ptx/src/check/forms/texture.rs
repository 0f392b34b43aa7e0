//! Texture lookups (PTX ISA 9.7.10.3, 9.7.10.4).

use super::{By, Row, WordGate, row};
use crate::vocabulary::Opcode::*;

pub(super) const ROWS: &[Row] = &[
    row(Tex, ".1d|2d|3d|a1d|a2d .v4 .u32|s32|f32 .s32|f32", "=t0 [t] ?more ?more", 10, 10),
    row(Tex, ".1d|2d|3d|a1d|a2d .v4 .f16 .s32|f32", "unsupported", 42, 53),
    row(Tex, ".1d|2d|3d|a1d|a2d .v2 .f16x2 .s32|f32", "unsupported", 42, 53),
    row(Tex, ".cube|acube .v4 .u32|s32|f32 .f32", "unsupported", 30, 10),
    row(Tex, "?base .2dms|a2dms .v4 .u32|s32|f32 .s32", "unsupported", 32, 30),
    row(
        Tex,
        ".base|level|grad .1d|2d|3d|a1d|a2d|cube|acube .v4 .u32|s32|f32 .s32|f32",
        "unsupported",
        31,
        20,
    ),
    row(Tex, "?base|level|grad .cube|acube|2dms|a2dms .v4 .f16 .s32|f32", "unsupported", 42, 53),
    row(Tex, "?base|level|grad .cube|acube|2dms|a2dms .v2 .f16x2 .s32|f32", "unsupported", 42, 53),
    row(Tex, ".base|level|grad .1d|2d|3d|a1d|a2d .v4 .f16 .s32|f32", "unsupported", 42, 53),
    row(Tex, ".base|level|grad .1d|2d|3d|a1d|a2d .v2 .f16x2 .s32|f32", "unsupported", 42, 53),
    row(Tld4, ".r|g|b|a .2d .v4 .u32|s32|f32 .f32", "=t0 [t] ?more ?more unsupported", 22, 20),
    row(Tld4, ".r|g|b|a .a2d|cube|acube .v4 .u32|s32|f32 .f32", "=t0 [t] ?more ?more unsupported", 43, 30),
];

pub(super) const GATES: &[WordGate] =
    &[WordGate { opcode: Tex, words: "a1d|a2d", version: 23, target: 10, by: By::Both }];
