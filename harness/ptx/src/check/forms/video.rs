//! Scalar video instructions (PTX ISA 9.7.18).

use super::row::{Row, row};
use crate::vocabulary::Opcode::*;

pub(super) const ROWS: &[Row] = &[
    row(Vadd, ".u32|s32 .u32|s32 .u32|s32 ?sat", "=k0 k1 k2 ?0", 20, 20),
    row(Vadd, ".u32|s32 .u32|s32 .u32|s32 ?sat .add|min|max", "=0 k1 k2 0", 20, 20),
    row(Vsub, ".u32|s32 .u32|s32 .u32|s32 ?sat", "=k0 k1 k2 ?0", 20, 20),
    row(Vsub, ".u32|s32 .u32|s32 .u32|s32 ?sat .add|min|max", "=0 k1 k2 0", 20, 20),
    row(Vabsdiff, ".u32|s32 .u32|s32 .u32|s32 ?sat", "=k0 k1 k2 ?0", 20, 20),
    row(Vabsdiff, ".u32|s32 .u32|s32 .u32|s32 ?sat .add|min|max", "=0 k1 k2 0", 20, 20),
    row(Vmin, ".u32|s32 .u32|s32 .u32|s32 ?sat", "=k0 k1 k2 ?0", 20, 20),
    row(Vmin, ".u32|s32 .u32|s32 .u32|s32 ?sat .add|min|max", "=0 k1 k2 0", 20, 20),
    row(Vmax, ".u32|s32 .u32|s32 .u32|s32 ?sat", "=k0 k1 k2 ?0", 20, 20),
    row(Vmax, ".u32|s32 .u32|s32 .u32|s32 ?sat .add|min|max", "=0 k1 k2 0", 20, 20),
    row(Vshl, ".u32|s32 .u32|s32 .u32 ?sat .clamp|wrap", "=k0 k1 k2 ?0", 20, 20),
    row(Vshl, ".u32|s32 .u32|s32 .u32 ?sat .clamp|wrap .add|min|max", "=0 k1 k2 0", 20, 20),
    row(Vshr, ".u32|s32 .u32|s32 .u32 ?sat .clamp|wrap", "=k0 k1 k2 ?0", 20, 20),
    row(Vshr, ".u32|s32 .u32|s32 .u32 ?sat .clamp|wrap .add|min|max", "=0 k1 k2 0", 20, 20),
    row(Vset, ".u32|s32 .u32|s32 .@cmp", "=ku32 k0 k1 ?u32", 20, 20),
    row(Vset, ".u32|s32 .u32|s32 .@cmp .add|min|max", "=u32 k0 k1 u32", 20, 20),
    row(Vmad, ".u32|s32 .u32|s32 .u32|s32 ?sat ?shr7|shr15", "=0 -k1 -k2 -0", 20, 20),
    // "the plus one mode (.po) … is not allowed with operand negation".
    row(Vmad, ".u32|s32 .u32|s32 .u32|s32 .po ?sat ?shr7|shr15", "=0 k1 k2 0", 20, 20),
];
