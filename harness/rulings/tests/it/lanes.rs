//! What lanes of a warp do together.

use warpdiff_model::Launch;
use warpdiff_ptx::vocabulary::Opcode;
use warpdiff_rulings::Ruling::*;

use crate::look::{decide, kernel};

/// Two lanes, of which `%p1` is true in the first; `%r1` is the number of the lane.
fn two(body: &str) -> Launch {
    let begin = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;";
    let launch = kernel(".global .u32 v;", "", &format!("{begin}\n{body}"));
    Launch { block: [2, 1, 1], ..launch }
}

#[test]
fn branches_part_lanes_which_join_again() {
    let parted = two("@%p1 bra L;\nadd.u32 %r2, %r1, 1;\nL: xor.b32 %r3, %r1, 2;");
    decide(&parted, Opcode::Bra, &[BranchDiverges]);
    decide(&parted, Opcode::Add, &[PartOfWarp]);
    decide(&parted, Opcode::Xor, &[Reconverges]);
    decide(&two("bra L;\nL: xor.b32 %r3, %r1, 2;"), Opcode::Bra, &[BranchTaken]);
    decide(
        &two("setp.eq.u32 %p2, %r1, 7;\n@%p2 bra L;\nL: xor.b32 %r3, %r1, 3;"),
        Opcode::Bra,
        &[BranchNotTaken],
    );
    // Twice around: back, and then on.
    let circle = "mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 2;\n@%p2 bra L;";
    decide(&two(circle), Opcode::Bra, &[BranchTaken, BranchBack, BranchNotTaken]);
}

#[test]
fn a_guard_keeps_lanes_from_an_instruction() {
    decide(&two("@%p1 add.u32 %r2, %r1, 1;"), Opcode::Add, &[GuardParts]);
    decide(&two("add.u32 %r2, %r1, 1;"), Opcode::Add, &[]);
}

#[test]
fn a_shuffle_stays_in_its_segment() {
    // `.up` by one with the clamp 0: lane 0 has none before it.
    let up = two("shfl.sync.up.b32 %r2, %r1, 1, 0, 3;");
    decide(&up, Opcode::Shfl, &[ShuffleOutside, ShuffleInside]);
    decide(&two("shfl.sync.idx.b32 %r2, %r1, 1, 31, 3;"), Opcode::Shfl, &[ShuffleInside]);
}

#[test]
fn lanes_bring_the_same_or_not() {
    decide(&two("vote.sync.any.pred %p2, %p1, 3;"), Opcode::Vote, &[LanesDiffer]);
    decide(&two("setp.eq.u32 %p2, %r1, 7;\nvote.sync.any.pred %p3, %p2, 3;"), Opcode::Vote, &[LanesAgree]);
}

#[test]
fn who_comes_to_a_barrier_of_the_block_waits() {
    decide(&Launch { block: [64, 1, 1], ..two("bar.sync 0;") }, Opcode::Bar, &[Waits]);
    // Lanes that come together do not.
    decide(&two("bar.warp.sync 3;"), Opcode::Bar, &[]);
}

#[test]
fn lanes_contend_for_one_place() {
    let contend = two("red.global.add.u32 [v], 1;");
    decide(&contend, Opcode::Red, &[MemoryGlobal, AtomicChanges, AtomicContended]);
    let alone = two("@%p1 red.global.add.u32 [v], 1;");
    decide(&alone, Opcode::Red, &[GuardParts, MemoryGlobal, AtomicChanges]);
}
