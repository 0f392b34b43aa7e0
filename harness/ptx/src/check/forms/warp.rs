//! Barriers, votes, shuffles: operations that threads do together (PTX ISA 9.7.13).

use super::row::{Row, row};
use crate::vocabulary::Opcode::*;

const NO_MODE: &str = "the text has `.all`, `.any` or `.uni`; ptxas takes the form without it from sm_90 on";

pub(super) const ROWS: &[Row] = &[
    row(Bar, ".sync", "x ?n", 10, 10),
    row(Bar, "!arrive", "x n", 20, 20),
    row(Bar, "!red .popc .u32", "=0 x ?n !", 20, 20),
    row(Bar, "!red .and|or .pred", "=0 x ?n !", 20, 20),
    row(Bar, "!warp .sync", "b32", 60, 30),
    row(Bar, "!cta !sync", "x ?n", 78, 30),
    row(Bar, "!cta !arrive", "x n", 78, 30),
    row(Bar, "!cta !red .popc .u32", "=0 x ?n !", 78, 30),
    row(Bar, "!cta !red .and|or .pred", "=0 x ?n !", 78, 30),
    row(Barrier, ".sync ?aligned", "x ?n", 60, 30),
    row(Barrier, "!cta .sync ?aligned", "x ?n", 78, 30),
    row(Barrier, "!arrive ?aligned", "x n", 60, 30),
    row(Barrier, "!cta !arrive ?aligned", "x n", 78, 30),
    row(Barrier, "!red .popc ?aligned .u32", "=0 x ?n !", 60, 30),
    row(Barrier, "!cta !red .popc ?aligned .u32", "=0 x ?n !", 78, 30),
    row(Barrier, "!red .and|or ?aligned .pred", "=0 x ?n !", 60, 30),
    row(Barrier, "!cta !red .and|or ?aligned .pred", "=0 x ?n !", 78, 30),
    row(Barrier, "!cluster !arrive ?aligned", "unsupported", 78, 90),
    row(Barrier, "!cluster !arrive .release|relaxed ?aligned", "unsupported", 80, 90),
    row(Barrier, "!cluster !wait ?aligned", "unsupported", 78, 90),
    row(Barrier, "!cluster !wait .acquire ?aligned", "unsupported", 80, 90),
    row(Vote, ".all|any|uni .pred", "=0 !", 12, 12).until(64, 70),
    row(Vote, ".ballot .b32", "=0 !", 20, 20).until(64, 70),
    row(Vote, ".sync .all|any|uni .pred", "=0 ! b32", 60, 30),
    row(Vote, ".sync .ballot .b32", "=0 ! b32", 60, 30),
    row(Vote, ".sync .pred", "=0 ! b32 unsupported", 60, 90).assembler_only(NO_MODE),
    row(Match, ".any .sync .b32|b64", "=b32 0 b32", 60, 70),
    row(Match, ".all .sync .b32|b64", "=b32|p 0 b32", 60, 70),
    row(Activemask, ".b32", "=0", 62, 30),
    row(Redux, ".sync .add|min|max .u32|s32", "=0 0 b32", 70, 80),
    row(Redux, ".sync .and|or|xor .b32", "=0 0 b32", 70, 80),
    row(Redux, ".sync .min|max ?abs ?NaN .f32", "=0 0 u32 unsupported", 86, 100)
        .only_on("100a 100f 103a 103f"),
    row(Elect, ".sync", "=u32&p u32 unsupported", 80, 90),
    row(Shfl, ".up|down|bfly|idx .b32", "=0|p 0 u32 u32", 30, 30).until(64, 70),
    row(Shfl, ".sync .up|down|bfly|idx .b32", "=0|p 0 u32 u32 b32", 60, 30),
];
