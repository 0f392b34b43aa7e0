//! Surfaces and queries of surfaces and textures (PTX ISA 9.7.10.5, 9.7.10.6 and 9.7.11).
//!
//! Specification and assembler differ here. The assembler has no default for the clamp modifier, which four of the manual's
//! examples, all of arrays, omit. It accepts array geometries and cache operators with `sust.p`, which the specification
//! does not list. It refuses the `.u32` of an example of `sured.p`, which the manual's own grammar does not list either. It
//! also has the geometry `.1d_buffer`, and accepts the numbers `.4d` and `.5d` for two geometries.

use super::row::{By, Row, WordGate, row};
use crate::vocabulary::Opcode::*;

const NO_CLAMP: &str = "the text's examples of array geometries leave the clamp modifier out, and its syntax has it; ptxas insists on it";

/// As observed of ptxas 12.9: it numbers its geometries, with `.1d_buffer` after `.3d` and then `.a1d`, and accepts the
/// number for the name. Its messages call `.4d` `.1d_buffer` and `.5d` `.a1d`, and each requires the same as the geometry
/// it stands for.
const BUFFER: &str =
    "ptxas takes `.1d_buffer`, and `.4d` for it, which the text does not have; what it accesses is not known";
const EIGHT: &str =
    "ptxas takes `.v8` with a single register or constant in place of a tuple, which the text does not have";
const FIFTH: &str = "ptxas takes `.5d` for its fifth geometry, `.a1d`; the text does not have it";

pub(super) const ROWS: &[Row] = &[
    row(Suld, "!b .1d|2d|3d|a1d|a2d ?ca|cg|cs|cv ?v2|v4 .b8|b16|b32|b64 .trap|clamp|zero", "=s0 [s]", 15, 10),
    row(Suld, "!b .a1d|a2d ?ca|cg|cs|cv ?v2|v4 .b8|b16|b32|b64", "=s0 [s]", 15, 10).text_only(NO_CLAMP),
    row(Suld, "!b .1d_buffer|4d ?ca|cg|cs|cv ?v2|v4 .b8|b16|b32|b64 .trap|clamp|zero", "=s0 [s] unsupported", 43, 30)
        .assembler_only(BUFFER),
    row(Suld, "!b .5d ?ca|cg|cs|cv ?v2|v4 .b8|b16|b32|b64 .trap|clamp|zero", "=s0 [s] unsupported", 30, 20)
        .assembler_only(FIFTH),
    row(Sust, "!b .1d|2d|3d|a1d|a2d ?wb|cg|cs|wt ?v2|v4 .b8|b16|b32|b64 .trap|clamp|zero", "[s] s0", 15, 10),
    row(Sust, "!b .a1d|a2d ?wb|cg|cs|wt ?v2|v4 .b8|b16|b32|b64", "[s] s0", 15, 10).text_only(NO_CLAMP),
    row(Sust, "!b .1d_buffer|4d ?wb|cg|cs|wt ?v2|v4 .b8|b16|b32|b64 .trap|clamp|zero", "[s] s0 unsupported", 43, 30)
        .assembler_only(BUFFER),
    row(Sust, "!b .5d ?wb|cg|cs|wt ?v2|v4 .b8|b16|b32|b64 .trap|clamp|zero", "[s] s0 unsupported", 30, 20)
        .assembler_only(FIFTH),
    row(Sust, "!b .1d|2d|3d|a1d|a2d ?wb|cg|cs|wt .v8 .b8|b16 .trap|clamp|zero", "[s] s0 unsupported", 15, 10)
        .assembler_only(EIGHT),
    row(Sust, "!b .1d_buffer|4d ?wb|cg|cs|wt .v8 .b8|b16 .trap|clamp|zero", "[s] s0 unsupported", 43, 30)
        .assembler_only(EIGHT),
    row(Sust, "!b .5d ?wb|cg|cs|wt .v8 .b8|b16 .trap|clamp|zero", "[s] s0 unsupported", 30, 20).assembler_only(EIGHT),
    row(Sust, "!p .1d|2d|3d ?v2|v4 .b32 .trap|clamp|zero", "[s] s0", 20, 20),
    row(Sust, "!p .1d|2d|3d ?wb|cg|cs|wt ?v2|v4 .b32 .trap|clamp|zero", "[s] s0", 20, 20)
        .assembler_only("ptxas takes cache operators with `sust.p`, which the text does not list"),
    row(Sust, "!p .a1d|a2d ?wb|cg|cs|wt ?v2|v4 .b32 .trap|clamp|zero", "[s] s0", 41, 30)
        .assembler_only("ptxas takes the array geometries with `sust.p`, which the text does not list"),
    row(Sust, "!p .1d_buffer|4d ?wb|cg|cs|wt ?v2|v4 .b32 .trap|clamp|zero", "[s] s0 unsupported", 43, 30)
        .assembler_only(BUFFER),
    row(Sust, "!p .5d ?wb|cg|cs|wt ?v2|v4 .b32 .trap|clamp|zero", "[s] s0 unsupported", 41, 30).assembler_only(FIFTH),
    row(Sured, "!b .add .1d|2d|3d .u32|s32|u64 .trap|clamp|zero", "[s] s0", 20, 20),
    row(Sured, "!b .min|max .1d|2d|3d .u32|s32 .trap|clamp|zero", "[s] s0", 20, 20),
    row(Sured, "!b .min|max .1d|2d|3d .u64|s64 .trap|clamp|zero", "[s] s0", 81, 50),
    row(Sured, "!b .and|or .1d|2d|3d .b32 .trap|clamp|zero", "[s] s0", 20, 20),
    row(Sured, "!p .add|and|or|min|max .1d|2d|3d .b32 .trap|clamp|zero", "[s] s0", 20, 20),
    row(Sured, "!p .min|max .1d|2d|3d .b64 .trap|clamp|zero", "[s] s0", 81, 50),
    row(Sured, "!b .add .1d_buffer|4d .u32|s32|u64 .trap|clamp|zero", "[s] s0 unsupported", 43, 30).assembler_only(BUFFER),
    row(Sured, "!b .min|max .1d_buffer|4d .u32|s32 .trap|clamp|zero", "[s] s0 unsupported", 43, 30).assembler_only(BUFFER),
    row(Sured, "!b .min|max .1d_buffer|4d .u64|s64 .trap|clamp|zero", "[s] s0 unsupported", 81, 50).assembler_only(BUFFER),
    row(Sured, "!b .and|or .1d_buffer|4d .b32 .trap|clamp|zero", "[s] s0 unsupported", 43, 30).assembler_only(BUFFER),
    row(Sured, "!p .add|and|or|min|max .1d_buffer|4d .b32 .trap|clamp|zero", "[s] s0 unsupported", 43, 30).assembler_only(BUFFER),
    row(Sured, "!p .min|max .1d_buffer|4d .b64 .trap|clamp|zero", "[s] s0 unsupported", 81, 50).assembler_only(BUFFER),
    // Only in an example: `sured.p.min.1d.u32.trap`.
    row(Sured, "!p .min .1d .u32 .trap", "[s] s0", 20, 20)
        .text_only("an example of the text has this form; its own grammar of `sured.p` has `.b32` and `.b64` alone, as ptxas"),
    row(Suq, ".width|height|depth .b32", "=0 [q]", 15, 10),
    row(Suq, ".channel_data_type|channel_order .b32", "=0 [q]", 21, 10),
    row(Suq, ".array_size .b32", "=0 [q]", 41, 10),
    row(Suq, ".memory_layout .b32", "=0 [q]", 42, 10),
    row(
        Txq,
        ".width|height|depth|normalized_coords|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2 .b32",
        "=0 [q]",
        15,
        10,
    ),
    row(Txq, ".channel_data_type|channel_order .b32", "=0 [q]", 21, 10),
    row(Txq, ".array_size .b32", "=0 [q]", 41, 10),
    row(Txq, ".num_mipmap_levels .b32", "=0 [q]", 41, 20),
    row(Txq, ".num_samples .b32", "=0 [q]", 41, 30),
    row(Txq, ".memory_layout .b32", "=0 [q] unsupported", 42, 10)
        .assembler_only("the text has this query for surfaces alone"),
    row(Txq, ".force_unnormalized_coords .b32", "=0 [q]", 22, 10),
    row(Txq, ".level .width|height|depth .b32", "=0 [q] u32 unsupported", 43, 30),
    row(Istypep, ".texref|samplerref|surfref", "=pred o", 40, 30),
];

macro_rules! gates {
    ($($words:literal of [$($opcode:ident)+]: $version:literal, $target:literal, $by:ident;)+) => {
        &[$($(WordGate {
            opcode: $opcode, words: $words, version: $version, target: $target, by: By::$by,
        },)+)+]
    };
}

/// Notes of 9.7.11.1 to 9.7.11.3. The specification says that sm_1x supports only `.trap`; the assembler does not enforce
/// this. It says that `.3d` needs PTX 3.0 for `suld` and `sust`; the assembler enforces this for `sured` too.
pub(super) const GATES: &[WordGate] = gates! {
    "clamp|zero" of [Suld Sust]: 20, 10, Both;
    "clamp|zero" of [Suld Sust]: 20, 20, Text;
    "ca|cg|cs|cv" of [Suld]: 20, 20, Both;
    "wb|cg|cs|wt" of [Sust]: 20, 20, Both;
    "3d|a1d|a2d" of [Suld Sust]: 30, 20, Both;
    "3d" of [Sured]: 30, 20, Assembler;
};
