//! Scoreboards: what a scheduled program has to wait for, and what it says when it does not.

use warpdiff_emulator::{Hazard, HazardKind};
use warpdiff_model::Permitted;

use super::kernel::Spa;

/// A program that states its schedule: `R250:R251` hold the address of the output. `MOV` and the like need no barrier.
fn scheduled(body: &str, words: usize) -> Spa {
    let text = format!(
        "MOV R250, c[0x0][0x140];\nMOV R251, c[0x0][0x144];\nMOV32I R1, 0x5;\nSTS [0x4], R1 &rd=5;\nMOV32I R9, 0x9 &req={{5}};\n\
         {body}\nEXIT;\n"
    );
    Spa::new("", words).with_whole_text(&text)
}

/// The line of the first line of a body.
const FIRST: u32 = 6;

fn hazards(spa: &Spa) -> Vec<Hazard> {
    spa.run().hazards
}

fn one_hazard(spa: &Spa) -> Hazard {
    let hazards = hazards(spa);
    assert_eq!(hazards.len(), 1, "{hazards:?}");
    hazards[0].clone()
}

#[test]
fn result_is_there_when_its_barrier_has_been_waited_for() {
    let spa = scheduled("LDS R0, [0x4] &wr=0;\nIADD R2, R0, 0x1 &req={0};\nSTG.E [R250], R2 &rd=1;", 1);
    assert_eq!(spa.words(), [6]);
    assert_eq!(hazards(&spa), []);
}

#[test]
fn result_that_nobody_waits_for_is_undefined() {
    let spa = scheduled("LDS R0, [0x4] &wr=0;\nIADD R2, R0, 0x1;\nSTG.E [R250], R2 &rd=1;", 1);
    assert_eq!(spa.defined(), [0]);
    let hazard = one_hazard(&spa);
    assert_eq!(
        (hazard.kind, hazard.register.as_str(), hazard.barrier),
        (HazardKind::ReadBeforeWritten, "R0", Some(0))
    );
    assert_eq!((hazard.first.1, hazard.second.1), (FIRST, FIRST + 1));
    assert_eq!(
        hazard.to_string(),
        "`IADD R2, R0, 0x1;`, line 7, reads `R0` without waiting for barrier 0, with which `LDS R0, [0x4] &wr=0;`, line 6, signals that \
         it has written it"
    );
}

#[test]
fn another_barrier_does_not_help() {
    let spa = scheduled("LDS R0, [0x4] &wr=0;\nIADD R2, R0, 0x1 &req={1,2,3};\nSTG.E [R250], R2 &rd=1;", 1);
    assert_eq!(spa.defined(), [0]);
    assert_eq!(one_hazard(&spa).barrier, Some(0));
}

#[test]
fn result_without_a_barrier_is_never_there() {
    let spa = scheduled("LDS R0, [0x4];\nIADD R2, R0, 0x1 &req={0,1,2,3,4,5};\nSTG.E [R250], R2 &rd=1;", 1);
    assert_eq!(spa.defined(), [0]);
    let hazard = one_hazard(&spa);
    assert_eq!(hazard.barrier, None);
    assert!(hazard.to_string().contains("signals no barrier"), "{hazard}");
}

#[test]
fn special_registers_and_atomics_have_to_be_waited_for_too() {
    let spa = scheduled(
        "S2R R0, SR_TID.X &wr=2;\nSTG.E [R250], R0 &rd=1;\nSTG.E [R250+0x4], R0 &req={2} &rd=1;",
        2,
    );
    assert_eq!(spa.defined(), [0, 0xffff_ffff]);
    let spa = scheduled(
        "ATOMS.ADD R0, [0x4], R9 &wr=2;\nSTG.E [R250], R0 &rd=1;\nSTG.E [R250+0x4], R0 &req={2} &rd=1;",
        2,
    );
    assert_eq!(spa.defined(), [0, 0xffff_ffff]);
    assert_eq!(hazards(&spa).len(), 1);
}

// ptxas 12.9 gives SHFL and DSETP a write barrier, and waits for it where their predicate is used.
#[test]
fn predicates_of_slow_instructions_are_waited_for() {
    let slow = [
        ("SHFL.IDX P0, R4, R9, RZ, 0x1f &wr=2;", "@P0 MOV R1, R9"),
        ("DSETP.EQ.AND P0, PT, RZ, RZ, PT &wr=2;", "@P0 MOV R1, R9"),
        ("DSETP.EQ.AND P0, PT, RZ, RZ, PT &wr=2;", "SEL R1, R9, RZ, P0"),
    ];
    for (first, second) in slow {
        let of = |waits: &str| {
            scheduled(&format!("{first}\n{second}{waits};\nSTG.E [R250], R1 &req={{2}} &rd=1;"), 1)
        };
        assert_eq!(hazards(&of(" &req={2}")), []);
        assert_eq!(of(" &req={2}").words(), [9]);
        let hazard = one_hazard(&of(""));
        assert_eq!(
            (hazard.kind, hazard.register.as_str(), hazard.barrier),
            (HazardKind::ReadBeforeWritten, "P0", Some(2)),
            "{first} {second}"
        );
    }
    let overwritten = "DSETP.EQ.AND P0, PT, RZ, RZ, PT &wr=2;\nISETP.EQ.AND P0, PT, R9, R9, PT;";
    assert_eq!(one_hazard(&scheduled(overwritten, 1)).kind, HazardKind::WrittenBeforeWritten);
}

#[test]
fn every_register_of_a_wide_result_is_waited_for() {
    let load = "STS [RZ], R9 &rd=0;\nLDS.64 R2, [RZ] &req={0} &wr=0;\n";
    let spa =
        scheduled(&format!("{load}STG.E [R250], R3 &rd=1;\nSTG.E.64 [R250+0x8], R2 &req={{0}} &rd=1;"), 4);
    assert_eq!(spa.defined()[2..], [0xffff_ffff, 0xffff_ffff]);
    assert_eq!(spa.defined()[0], 0);
    assert_eq!(one_hazard(&spa).register, "R3");
}

#[test]
fn source_may_not_be_overwritten_before_it_has_been_read() {
    let stored = |wait: &str| {
        let body = format!(
            "STS [0x8], R9 &rd=1;\nMOV32I R9, 0x7{wait};\nLDS R0, [0x8] &wr=0;\nSTG.E [R250], R0 &req={{0}} &rd=2;"
        );
        scheduled(&body, 1)
    };
    assert_eq!(stored(" &req={1}").words(), [9]);
    assert_eq!(hazards(&stored(" &req={1}")), []);
    assert_eq!(stored("").defined(), [0]);
    let hazard = one_hazard(&stored(""));
    assert_eq!(
        (hazard.kind, hazard.register.as_str(), hazard.barrier),
        (HazardKind::WrittenBeforeRead, "R9", Some(1))
    );
    assert!(hazard.to_string().ends_with("signals that it has read it"), "{hazard}");
}

#[test]
fn written_result_has_had_its_sources_read() {
    let body = "MOV32I R1, 0x4;\nLDS R0, [R1] &wr=0;\nMOV32I R1, 0x8 &req={0};\nSTG.E [R250], R0 &rd=1;";
    assert_eq!(scheduled(body, 1).words(), [5]);
    assert_eq!(hazards(&scheduled(body, 1)), []);
}

#[test]
fn load_whose_address_is_overwritten_loads_anything() {
    let spa = scheduled(
        "MOV32I R1, 0x4;\nLDS R0, [R1] &wr=0 &rd=1;\nMOV32I R1, 0x8;\nSTG.E [R250], R0 &req={0} &rd=2;",
        1,
    );
    assert_eq!(spa.defined(), [0]);
    assert_eq!(one_hazard(&spa).kind, HazardKind::WrittenBeforeRead);
}

#[test]
fn store_whose_address_is_overwritten_is_indeterminate() {
    let spa = scheduled("MOV32I R1, 0x8;\nSTS [R1], R9 &rd=1;\nMOV32I R1, 0x4;", 1);
    let Permitted::Indeterminate { place, origin } = spa.run().outcome.permitted else {
        panic!("it goes on")
    };
    assert_eq!(place, "the address of `STS [R1], R9 &rd=1;`, line 7");
    assert!(origin.contains("without waiting for barrier 1"), "{origin}");
}

#[test]
fn address_that_is_not_there_yet_is_indeterminate() {
    let spa = scheduled("LDS R1, [0x4] &wr=0;\nLDS R0, [R1] &wr=1;", 1);
    let Permitted::Indeterminate { origin, .. } = spa.run().outcome.permitted else { panic!("it goes on") };
    assert_eq!(
        origin,
        "depends on undefined bits: result of `LDS R1, [0x4] &wr=0;`, line 6, without a wait for barrier 0"
    );
}

#[test]
fn register_that_a_result_still_goes_to_holds_nothing() {
    let spa = scheduled("LDS R0, [0x4] &wr=0;\nMOV R0, RZ;\nSTG.E [R250], R0 &req={0} &rd=1;", 1);
    assert_eq!(spa.defined(), [0]);
    assert_eq!(one_hazard(&spa).kind, HazardKind::WrittenBeforeWritten);
}

#[test]
fn instruction_that_is_not_executed_has_nothing_under_way() {
    let spa = scheduled("MOV32I R0, 0x3;\n@!PT LDS R0, [0x4] &wr=0;\nSTG.E [R250], R0 &rd=1;", 1);
    assert_eq!(spa.words(), [3]);
    let guarded = "ISETP.EQ.AND P0, PT, RZ, 0x1, PT;\nMOV32I R0, 0x3;\n@P0 LDS R0, [0x4] &wr=0;\nSTG.E [R250], R0 &rd=1;";
    assert_eq!(scheduled(guarded, 1).words(), [3]);
    assert_eq!(hazards(&scheduled(guarded, 1)), []);
}

/// Two loads signal barrier 0; "all but one" are the first, although the second is not executed, and although its other barrier has been
/// waited for before.
#[test]
fn barriers_of_an_instruction_that_is_not_executed_are_signalled_each_for_itself() {
    for wait in ["", " &req={1}"] {
        let body = format!(
            "LDS R0, [0x4] &wr=0;\n@!PT LDS R2, [0x4] &rd=1 &wr=0;\nMOV R3, RZ{wait};\nDEPBAR.LE SB0, 0x1;\nSTG.E [R250], R0 &rd=2;"
        );
        let spa = scheduled(&body, 1);
        assert_eq!((spa.words(), hazards(&spa)), (vec![5], vec![]), "{body}");
    }
}

/// Three loads signal barrier 0, and the third takes the register of the second. "All but two" are the first, as where ptxas 12.9 reads a
/// register again behind a branch: the second is under way still, although nobody will see its result.
#[test]
fn a_load_whose_result_a_later_one_overwrites_is_counted() {
    let loads = "LDS R0, [0x4] &wr=0;\nLDS R2, [0x4] &wr=0;\nLDS R2, [0x4] &wr=0;";
    let spa = |most: u32| {
        scheduled(&format!("{loads}\nDEPBAR.LE SB0, {most:#x};\nMOV R0, RZ;\nSTG.E [R250], R0 &rd=2;"), 1)
    };
    assert_eq!((spa(2).words(), hazards(&spa(2))), (vec![0], vec![]));
    // "All but three" is no wait: the first load may overwrite the zero.
    assert_eq!(spa(3).defined(), [0]);
    assert_eq!(hazards(&spa(3))[0].kind, HazardKind::WrittenBeforeWritten);
}

/// As ptxas 12.9 schedules `atom.shared.dec` before a load: the barrier of the load stands for both.
#[test]
fn load_from_shared_memory_comes_after_the_atomic_before_it() {
    let body = "ATOMS.ADD R0, [0x4], R9;\nLDS R2, [0x4] &wr=1;\nMOV R3, RZ &req={1};\nSTG.E [R250], R0 &rd=2;\nSTG.E [R250+0x4], R2 &rd=2;";
    let spa = scheduled(body, 2);
    // 5 is there before; 9 is added.
    assert_eq!((spa.words(), hazards(&spa)), (vec![5, 14], vec![]));
}

/// ptxas 12.9 waits for the barrier of `I2I RZ.CC` alone where it needs what the conversion before it gives.
#[test]
fn an_instruction_that_writes_no_register_completes_after_those_before_it() {
    let body = |test: &str| {
        format!(
            "MOV32I R1, 0x40400000;\nF2I.S32.F32 R0, R1 ?WAIT2;\n{test}\nCSETP.LT.AND P0, PT, CC, PT &req={{0}};\nSTG.E [R250], R0 &rd=1;"
        )
    };
    assert_eq!(scheduled(&body("I2I.S32.S32 RZ.CC, R1 &wr=0;"), 1).words(), [3]);
    // One of another unit says nothing of the conversion.
    let other = scheduled(&body("LDS R2, [0x4] &wr=0;"), 1);
    assert_ne!(other.defined()[0], u32::MAX);
}
