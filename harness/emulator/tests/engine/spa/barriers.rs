//! `BAR`, `B2R`, `MEMBAR`.

use warpdiff_model::Permitted;

use super::kernel::{Spa, set, storing};

/// A predicate that holds in the threads 0, 1 and 2 of 64, which are two warps.
const THREE: &str = "ISETP.LT.AND P0, PT, R249, 0x3, PT;\n";

/// The outcome of a barrier in all of 64 threads, which is the same for all.
fn outcome(barrier: &str, rest: &str) -> u32 {
    let body = THREE.to_owned() + barrier + "\n" + rest + &storing(&["R4"]);
    let words = Spa::threads(&body, 64, 1).words();
    assert!(words.iter().all(|word| *word == words[0]), "{words:?}");
    words[0]
}

#[test]
fn a_barrier_counts_true_predicates() {
    let count = "B2R.RESULT R4;\n";
    assert_eq!(outcome("BAR.RED.POPC 0x0, P0;", count), 3);
    assert_eq!(outcome("BAR.RED.POPC 0x2, !P0;", count), 61);
    assert_eq!(outcome("BAR.RED.POPC 0x0, 0x40, PT;", count), 64);
    // Barrier 3 and 64 threads, in one register: bits 15:0 and 27:16.
    assert_eq!(outcome("MOV32I R5, 0x400003;\nBAR.RED.POPC R5, R5, P0;", count), 3);
}

#[test]
fn a_barrier_asks_whether_all_or_any_hold() {
    let answer = "B2R.RESULT RZ, P1;\nMOV R4, RZ;\n@P1 MOV32I R4, 0x1;\n";
    assert_eq!(outcome("BAR.RED.AND 0x0, P0;", answer), 0);
    assert_eq!(outcome("BAR.RED.AND 0x0, PT;", answer), 1);
    assert_eq!(outcome("BAR.RED.OR 0x0, P0;", answer), 1);
    assert_eq!(outcome("BAR.RED.OR 0x0, !PT;", answer), 0);
    // The latest counts.
    assert_eq!(outcome("BAR.RED.AND 0x0, P0;\nBAR.RED.OR 0x1, P0;", answer), 1);
}

// No public source says what is in the other half of the result.
#[test]
fn the_other_half_of_the_result_is_undefined() {
    let body = "BAR.RED.AND 0x0, PT;\nB2R.RESULT R4;\n".to_owned() + &storing(&["R4"]);
    assert_eq!(Spa::new(&body, 1).defined(), [0]);
    let body = "BAR.RED.POPC 0x0, PT;\nB2R.RESULT R4, P1;\n@P1 MOV R4, RZ;\n".to_owned() + &storing(&["R4"]);
    assert!(matches!(Spa::new(&body, 1).run().outcome.permitted, Permitted::Indeterminate { .. }));
}

// Thread 32 of the second warp stores, and arrives; thread 0 of the first waits for both warps, and loads. The barrier is given as
// numbers, by a register each, and by one register for both.
#[test]
fn threads_arrive_and_others_wait() {
    for (arrive, wait) in [
        ("BAR.ARV 0x1, 0x40;", "BAR.SYNC 0x1, 0x40;"),
        ("MOV32I R6, 0x1;\nBAR.ARV R6, 0x40;", "MOV32I R6, 0x40;\nBAR.SYNC 0x1, R6;"),
        ("MOV32I R6, 0x400001;\nBAR.ARV R6, R6;", "MOV32I R6, 0x400001;\nBAR.SYNC R6, R6;"),
    ] {
        let body = format!(
            "MOV R4, RZ;\nISETP.LT.AND P0, PT, R249, 0x20, PT;\n@P0 BRA first;\nMOV32I R5, 0x7;\nISETP.EQ.AND P1, PT, R249, 0x20, PT;\n\
             @P1 STS [0x0], R5;\n{arrive}\nBRA done;\nfirst:\n{wait}\nLDS R4, [0x0];\ndone:\n"
        ) + &storing(&["R4"]);
        // The engine does not tell that the barrier orders these accesses, which SPA 5.0 says nothing of: the bits are unordered.
        let words = Spa::threads(&body, 64, 1).words_left();
        assert!(
            words[..32].iter().all(|word| *word == 7) && words[32..].iter().all(|word| *word == 0),
            "{arrive}"
        );
    }
}

#[test]
fn fences_with_invalidation_change_nothing() {
    let body = set("R4", 5)
        + "STG.E [R252], R4;\nMEMBAR.GL.IVALLD;\nCCTL.IVALL;\nCCTL.E.PF2 [R252+0x40];\nNOP.TRIG 0x8;\nLDG.E.CV R5, [R252];\nIADD R5, R5, 0x1;\n"
        + &storing(&["R5"]);
    assert_eq!(Spa::new(&body, 1).words(), [6]);
}
