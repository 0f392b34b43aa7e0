//! Texture lookups (PTX ISA 9.7.10.3, 9.7.10.4).

use super::row::{By, Row, WordGate, row};
use crate::vocabulary::Opcode::*;

const FIVE: &str = "ptxas takes `.5d` for `.a1d`; the text does not list it";

pub(super) const ROWS: &[Row] = &[
    row(Tex, ".1d|2d|a1d|a2d .v4 .u32|s32|f32 .f32", "=t0 [t] ?off ?depth", 10, 10),
    row(Tex, ".1d|2d|a1d|a2d .v4 .u32|s32|f32 .s32", "=t0 [t] ?off", 10, 10),
    row(Tex, ".3d .v4 .u32|s32|f32 .s32|f32", "=t0 [t] ?off", 10, 10),
    row(Tex, ".cube|acube .v4 .u32|s32|f32 .f32", "=t0 [t] ?depth", 30, 10),
    // Mipmaps.
    row(Tex, "!base .1d|2d|a1d|a2d .v4 .u32|s32|f32 .f32", "=t0 [t] ?off ?depth", 31, 20),
    row(Tex, "!base .1d|2d|a1d|a2d .v4 .u32|s32|f32 .s32", "=t0 [t] ?off", 31, 20),
    row(Tex, "!base .3d .v4 .u32|s32|f32 .s32|f32", "=t0 [t] ?off", 31, 20),
    row(Tex, "!base .cube|acube .v4 .u32|s32|f32 .f32", "=t0 [t] ?depth", 31, 20),
    row(Tex, "!level .1d|2d|a1d|a2d .v4 .u32|s32|f32 .f32", "=t0 [t] lod ?off ?depth", 31, 20),
    row(Tex, "!level .1d|2d|a1d|a2d .v4 .u32|s32|f32 .s32", "=t0 [t] lod ?off", 31, 20),
    row(Tex, "!level .3d .v4 .u32|s32|f32 .s32|f32", "=t0 [t] lod ?off", 31, 20),
    row(Tex, "!level .cube|acube .v4 .u32|s32|f32 .f32", "=t0 [t] lod ?depth", 31, 20),
    row(Tex, "!grad .1d|2d|a1d|a2d .v4 .u32|s32|f32 .f32", "=t0 [t] grad grad ?off ?depth", 31, 20),
    row(Tex, "!grad .1d|2d|a1d|a2d .v4 .u32|s32|f32 .s32", "=t0 [t] grad grad ?off", 31, 20),
    row(Tex, "!grad .3d .v4 .u32|s32|f32 .s32|f32", "=t0 [t] grad grad ?off", 31, 20),
    row(Tex, "!grad .cube|acube .v4 .u32|s32|f32 .f32", "=t0 [t] grad grad ?depth", 43, 20),
    // Several samples, and halves.
    row(Tex, "?base .2dms|a2dms .v4 .u32|s32|f32 .s32", "=t0 [t] ?off unsupported", 32, 30),
    row(Tex, "?base .1d|2d|a1d|a2d .v4 .f16 .f32", "=t0 [t] ?off ?depth unsupported", 42, 53),
    row(Tex, "?base .1d|2d|a1d|a2d .v4 .f16 .s32", "=t0 [t] ?off unsupported", 42, 53),
    row(Tex, "?base .3d .v4 .f16 .s32|f32", "=t0 [t] ?off unsupported", 42, 53),
    row(Tex, "?base .cube|acube .v4 .f16 .f32", "=t0 [t] ?depth unsupported", 42, 53),
    row(Tex, "?base .2dms|a2dms .v4 .f16 .s32", "=t0 [t] ?off unsupported", 42, 53),
    row(Tex, ".level .1d|2d|a1d|a2d .v4 .f16 .f32", "=t0 [t] lod ?off ?depth unsupported", 42, 53),
    row(Tex, ".level .1d|2d|a1d|a2d .v4 .f16 .s32", "=t0 [t] lod ?off unsupported", 42, 53),
    row(Tex, ".level .3d .v4 .f16 .s32|f32", "=t0 [t] lod ?off unsupported", 42, 53),
    row(Tex, ".level .cube|acube .v4 .f16 .f32", "=t0 [t] lod ?depth unsupported", 42, 53),
    row(Tex, ".grad .1d|2d|a1d|a2d .v4 .f16 .f32", "=t0 [t] grad grad ?off ?depth unsupported", 42, 53),
    row(Tex, ".grad .1d|2d|a1d|a2d .v4 .f16 .s32", "=t0 [t] grad grad ?off unsupported", 42, 53),
    row(Tex, ".grad .3d .v4 .f16 .s32|f32", "=t0 [t] grad grad ?off unsupported", 42, 53),
    row(Tex, ".grad .cube|acube .v4 .f16 .f32", "=t0 [t] grad grad ?depth unsupported", 43, 53),
    row(Tex, "?base .1d|2d|a1d|a2d .v2 .f16x2 .f32", "=t0 [t] ?off ?depth unsupported", 42, 53),
    row(Tex, "?base .1d|2d|a1d|a2d .v2 .f16x2 .s32", "=t0 [t] ?off unsupported", 42, 53),
    row(Tex, "?base .3d .v2 .f16x2 .s32|f32", "=t0 [t] ?off unsupported", 42, 53),
    row(Tex, "?base .cube|acube .v2 .f16x2 .f32", "=t0 [t] ?depth unsupported", 42, 53),
    row(Tex, "?base .2dms|a2dms .v2 .f16x2 .s32", "=t0 [t] ?off unsupported", 42, 53),
    row(Tex, ".level .1d|2d|a1d|a2d .v2 .f16x2 .f32", "=t0 [t] lod ?off ?depth unsupported", 42, 53),
    row(Tex, ".level .1d|2d|a1d|a2d .v2 .f16x2 .s32", "=t0 [t] lod ?off unsupported", 42, 53),
    row(Tex, ".level .3d .v2 .f16x2 .s32|f32", "=t0 [t] lod ?off unsupported", 42, 53),
    row(Tex, ".level .cube|acube .v2 .f16x2 .f32", "=t0 [t] lod ?depth unsupported", 42, 53),
    row(Tex, ".grad .1d|2d|a1d|a2d .v2 .f16x2 .f32", "=t0 [t] grad grad ?off ?depth unsupported", 42, 53),
    row(Tex, ".grad .1d|2d|a1d|a2d .v2 .f16x2 .s32", "=t0 [t] grad grad ?off unsupported", 42, 53),
    row(Tex, ".grad .3d .v2 .f16x2 .s32|f32", "=t0 [t] grad grad ?off unsupported", 42, 53),
    row(Tex, ".grad .cube|acube .v2 .f16x2 .f32", "=t0 [t] grad grad ?depth unsupported", 43, 53),
    // As `.a1d`.
    row(Tex, "?base .5d .v4 .u32|s32|f32|f16 .f32", "=t0 [t] ?off ?depth unsupported", 42, 20)
        .assembler_only(FIVE),
    row(Tex, "?base .5d .v4 .u32|s32|f32|f16 .s32", "=t0 [t] ?off unsupported", 42, 20).assembler_only(FIVE),
    row(Tex, "!level .5d .v4 .u32|s32|f32|f16 .f32", "=t0 [t] lod ?off ?depth unsupported", 42, 20)
        .assembler_only(FIVE),
    row(Tex, "!level .5d .v4 .u32|s32|f32|f16 .s32", "=t0 [t] lod ?off unsupported", 42, 20)
        .assembler_only(FIVE),
    row(Tex, "!grad .5d .v4 .u32|s32|f32|f16 .f32", "=t0 [t] grad grad ?off ?depth unsupported", 42, 20)
        .assembler_only(FIVE),
    row(Tex, "!grad .5d .v4 .u32|s32|f32|f16 .s32", "=t0 [t] grad grad ?off unsupported", 42, 20)
        .assembler_only(FIVE),
    row(Tld4, ".r|g|b|a .2d .v4 .u32|s32|f32 .f32", "=t0 [t] ?off ?depth", 22, 20),
    row(Tld4, ".r|g|b|a .a2d .v4 .u32|s32|f32 .f32", "=t0 [t] ?off ?depth", 43, 30),
    row(Tld4, ".r|g|b|a .cube|acube .v4 .u32|s32|f32 .f32", "=t0 [t] ?depth", 43, 30),
];

pub(super) const GATES: &[WordGate] =
    &[WordGate { opcode: Tex, words: "a1d|a2d", version: 23, target: 10, by: By::Both }];
