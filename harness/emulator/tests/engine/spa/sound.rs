//! Which scheduled programs are known to wait for everything that they need.

use warpdiff_emulator::Program;
use warpdiff_model::Semantics;
use warpdiff_sass::Header;

/// Whether a run of these statements has no waits to check.
fn is_sound(statements: &[&str]) -> bool {
    let body: String = statements.iter().map(|statement| format!("{statement}\n")).collect();
    let text = format!(".spa 5.0\n.shader compute\n.registers 16\n.shared 64\n{body}EXIT ?WAIT15;\n");
    let spa = warpdiff_sass::compile(&text, &Header::default()).expect("a legal program");
    let program = Program::spa(&spa, &text).expect("a program that runs");
    program.waits_for_everything(&Semantics::default())
}

const LOAD: &str = "LDS R0, [R8] &wr=0 ?WAIT1;";
const USE: &str = "IADD R1, R0, R0 ?WAIT6;";
const WAIT_AND_USE: &str = "IADD R1, R0, R0 &req={0} ?WAIT6;";

#[test]
fn a_result_is_used_after_a_wait_for_it() {
    assert!(is_sound(&[LOAD, WAIT_AND_USE]));
    assert!(!is_sound(&[LOAD, USE]));
    assert!(!is_sound(&[LOAD, "IADD R1, R0, R0 &req={1} ?WAIT6;"]));
    assert!(!is_sound(&["LDS R0, [R8] ?WAIT15;", WAIT_AND_USE]));
    assert!(!is_sound(&[LOAD, "MOV32I R0, 0x1 ?WAIT6;"]));
    assert!(is_sound(&[LOAD, "MOV32I R2, 0x1 ?WAIT6;"]));
}

#[test]
fn every_path_waits() {
    let branch = "@P0 BRA over ?WAIT13;";
    let wait = "NOP &req={0} ?WAIT1;";
    assert!(!is_sound(&[LOAD, branch, wait, "over:", USE]));
    assert!(is_sound(&[LOAD, wait, branch, "over:", USE]));
    assert!(is_sound(&[LOAD, branch, wait, USE, "over:"]));
    // A lane whose guard is off waits as well, but writes nothing.
    assert!(is_sound(&[LOAD, "@P0 MOV32I R2, 0x1 &req={0} ?WAIT6;", USE]));
    assert!(!is_sound(&["LDS R0, [R8] ?WAIT1;", "@P0 LDS R0, [R8] ?WAIT1;", USE]));
}

#[test]
fn what_a_loop_leaves_is_there_in_its_next_round() {
    // Where a constant leads is not known.
    for jump in ["JMP c[0x0][0x148]", "BRA c[0x0][0x148]", "JMX c[0x0][R2+0x148]", "BRX R2"] {
        assert!(!is_sound(&[LOAD, &format!("{jump} ?WAIT13;"), USE]), "{jump}");
    }
    let round = ["again:", "STS [R8], R1 &rd=0 ?WAIT1;", "@P0 BRA again ?WAIT13;"];
    assert!(is_sound(&round));
    let counting = "IADD R1, R1, R1 ?WAIT6;";
    assert!(!is_sound(&["again:", counting, "STS [R8], R1 &rd=0 ?WAIT1;", "@P0 BRA again ?WAIT13;"]));
    let waiting = "@P0 BRA again &req={0} ?WAIT13;";
    assert!(is_sound(&["again:", counting, "STS [R8], R1 &rd=0 ?WAIT1;", waiting]));
}

#[test]
fn what_is_behind_in_a_queue_is_there_no_later() {
    let unnamed = "LDS R0, [R8] ?WAIT1;";
    assert!(is_sound(&[unnamed, "LDS R2, [R8] &wr=0 ?WAIT1;", WAIT_AND_USE]));
    // A shuffle goes through the unit of shared memory: ptxas 11.8, 12.4 and 12.9 wait for the `LDS` behind one.
    let shuffle = "SHFL.UP P0, R0, R8, R9, RZ ?WAIT1;";
    assert!(is_sound(&[shuffle, "LDS R2, [R8] &wr=0 ?WAIT1;", WAIT_AND_USE]));
    assert!(!is_sound(&[shuffle, "LDG R2, [R8] &wr=0 ?WAIT1;", WAIT_AND_USE]));
    assert!(!is_sound(&["LDS R2, [R8] &wr=0 ?WAIT1;", unnamed, WAIT_AND_USE]));
    assert!(!is_sound(&[unnamed, "LDL R2, [R8] &wr=0 ?WAIT1;", WAIT_AND_USE]));
    // On one of two paths nothing is behind it.
    let second = "LDS R2, [R8] &wr=0 ?WAIT1;";
    assert!(!is_sound(&[unnamed, "@P0 BRA over ?WAIT13;", second, "over:", WAIT_AND_USE]));
}

#[test]
fn a_barrier_of_the_block_comes_after_the_sources_of_stores() {
    let store = "STS [R8], R1 ?WAIT1;";
    let change = "MOV32I R1, 0x1 ?WAIT6;";
    assert!(!is_sound(&[store, change]));
    assert!(is_sound(&[store, "BAR.SYNC 0x0 ?WAIT5;", change]));
}

#[test]
fn threads_meet_where_they_were_told_to() {
    let wait = "NOP &req={0} ?WAIT1;";
    let program = |last| [LOAD, "SSY there ?WAIT1;", "@P0 SYNC ?WAIT5;", "SYNC ?WAIT5;", "there:", last, USE];
    assert!(is_sound(&program(wait)));
    assert!(!is_sound(&program("NOP ?WAIT1;")));
}

#[test]
fn a_wait_that_leaves_some_settles_nothing_for_certain() {
    assert!(is_sound(&[LOAD, "DEPBAR.LE SB0, 0x0 ?WAIT1;", USE]));
    assert!(!is_sound(&[LOAD, "DEPBAR.LE SB0, 0x1 ?WAIT1;", USE]));
}
