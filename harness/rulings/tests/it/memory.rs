//! Memory and atomics.

use warpdiff_ptx::vocabulary::Opcode;
use warpdiff_rulings::Ruling::*;

use crate::look::{decide, kernel, sets};

/// A module with a word of global and one of shared memory.
fn word(value: &str, body: &str) -> warpdiff_model::Launch {
    let launch = kernel(&format!(".global .u32 v = {value};\n.shared .u32 s;"), ".param .u32 a", body);
    warpdiff_model::Launch { arguments: vec![warpdiff_model::Argument::Value(vec![0; 4])], ..launch }
}

#[test]
fn an_address_is_in_one_memory() {
    decide(&word("5", "ld.global.u32 %r1, [v];"), Opcode::Ld, &[MemoryGlobal]);
    decide(&word("5", "st.shared.u32 [s], 1;"), Opcode::St, &[MemoryShared]);
    // A generic address goes where it leads.
    let generic = "mov.u64 %d1, s;\ncvta.shared.u64 %d1, %d1;\nst.u32 [%d1], 1;";
    decide(&word("5", generic), Opcode::St, &[MemoryShared]);
    let local = ".local .u32 l;\nst.local.u32 [l], 1;";
    decide(&word("5", local), Opcode::St, &[MemoryLocal]);
    decide(&word("5", "ld.param.u32 %r1, [a];"), Opcode::Ld, &[MemoryConstant]);
}

#[test]
fn a_wrong_address_faults() {
    let at = |offset: &str| {
        word("5", &format!("mov.u64 %d1, v;\nadd.u64 %d1, %d1, {offset};\nld.global.u32 %r1, [%d1];"))
    };
    decide(&at("0"), Opcode::Ld, &[MemoryGlobal]);
    // "if an address is not properly aligned, the resulting behavior is undefined": a choice, whose first alternative faults.
    decide(&at("1"), Opcode::Ld, &[FaultMisaligned]);
    assert!(sets(&at("1"), Opcode::Ld).iter().any(|set| set.choices().count() == 1));
    decide(&at("0x40000000"), Opcode::Ld, &[FaultOutOfBounds]);
    // Behind the variables of the block, but in what is allocated together with them.
    decide(&word("5", "ld.shared.u32 %r1, [s+8];"), Opcode::Ld, &[FaultMay, Undefined]);
    decide(&word("5", "trap;"), Opcode::Trap, &[FaultOther]);
}

#[test]
fn an_atomic_finds_a_value() {
    let atomic = |value: &str, what: &str, expected: &[warpdiff_rulings::Ruling]| {
        let expected = [&[MemoryGlobal], expected].concat();
        decide(&word(value, &format!("atom.global.{what};")), Opcode::Atom, &expected);
    };
    atomic("5", "cas.b32 %r1, [v], 5, 9", &[AtomicChanges, CompareMatches]);
    atomic("5", "cas.b32 %r1, [v], 4, 9", &[AtomicKeeps, CompareFails]);
    // "(old >= b) ? 0 : old+1"
    atomic("5", "inc.u32 %r1, [v], 5", &[AtomicChanges, IncrementWraps]);
    atomic("5", "inc.u32 %r1, [v], 6", &[AtomicChanges]);
    // "((old == 0) | (old > b)) ? b : old-1"
    atomic("0", "dec.u32 %r1, [v], 6", &[AtomicChanges, DecrementWraps]);
    atomic("7", "dec.u32 %r1, [v], 6", &[AtomicChanges, DecrementWraps]);
    atomic("6", "dec.u32 %r1, [v], 6", &[AtomicChanges]);
    atomic("0xffffffff", "add.u32 %r1, [v], 1", &[AtomicChanges, AtomicCarries]);
    atomic("5", "max.u32 %r1, [v], 3", &[AtomicKeeps]);
}

#[test]
fn what_is_undefined_stays_so() {
    decide(&word("5", "add.u32 %r1, %r2, 1;"), Opcode::Add, &[Undefined]);
}
