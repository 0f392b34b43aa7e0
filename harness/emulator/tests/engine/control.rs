//! Branches, divergence, and the step budget.

use crate::kernel::{Kernel, words};
use warpdiff_model::Permitted;

#[test]
fn a_loop_runs_per_lane() {
    // Lane t adds t times 3.
    let body = "mov.u32 %r1, 0; mov.u32 %r2, 0;\nloop: setp.ge.u32 %p1, %r2, %t; @%p1 bra done; add.u32 %r1, %r1, 3; \
                add.u32 %r2, %r2, 1; bra loop;\ndone: st.global.u32 [%mine], %r1;";
    let expected = (0..32).map(|t| 3 * t).collect::<Vec<u32>>();
    assert_eq!(Kernel::new(body, 32, 32).words(), expected);
    assert_eq!(Kernel::new(body, 32, 32).untracked().words(), expected);
}

#[test]
fn lanes_meet_again_after_a_branch() {
    // Both sides rejoin at `join`: there all 32 lanes are active.
    let body = "and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra even; mov.u32 %r3, 1; bra join;\n\
                even: mov.u32 %r3, 2;\njoin: activemask.b32 %r1; st.global.u32 [%mine], %r1;";
    // PTX promises no convergence, so the mask is not compared; that the reference has it keeps it fast.
    let out = &Kernel::new(body, 32, 32).state().regions[0];
    assert_eq!(words(&out.region.bytes), vec![u32::MAX; 32]);
}

#[test]
fn brx_picks_its_target() {
    let body = "targets: .branchtargets one, two, three;\nand.b32 %r2, %t, 3; min.u32 %r2, %r2, 2; brx.idx %r2, targets;\n\
                one: mov.u32 %r1, 10; bra.uni end;\ntwo: mov.u32 %r1, 20; bra.uni end;\nthree: mov.u32 %r1, 30;\n\
                end: st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 4, 4).words(), [10, 20, 30, 30]);
}

#[test]
fn exited_lanes_do_nothing_more() {
    let body = "setp.lt.u32 %p1, %t, 3; @%p1 exit; mov.u32 %r1, 5; st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 5, 5).words(), [0, 0, 0, 5, 5]);
}

#[test]
fn a_spin_lock_between_lanes_of_a_warp_completes() {
    // Every lane takes the lock once and increments the counter: 32.
    let body = "mov.u64 %d2, %out;\nspin: atom.global.cas.b32 %r2, [%d2], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra spin; \
                membar.gl; ld.volatile.global.u32 %r3, [%d2+4]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%d2+4], %r3; membar.gl; \
                atom.global.exch.b32 %r4, [%d2], 0;";
    let words = Kernel::new(body, 32, 2).untracked().words();
    assert_eq!(words, [0, 32]);
}

#[test]
fn a_spin_lock_between_warps_and_blocks_completes() {
    let body = "mov.u64 %d2, %out;\nspin: atom.global.cas.b32 %r2, [%d2], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra spin; \
                membar.gl; ld.volatile.global.u32 %r3, [%d2+4]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%d2+4], %r3; membar.gl; \
                atom.global.exch.b32 %r4, [%d2], 0;";
    assert_eq!(Kernel::new(body, 96, 2).blocks(2).untracked().words(), [0, 192]);
}

#[test]
fn a_lock_says_nothing_that_would_have_to_serialise() {
    // No thread shows what its compare-and-swaps returned; the counter behind the lock is the same in every order.
    let body = "mov.u64 %d2, %out;\nspin: atom.acquire.gpu.global.cas.b32 %r2, [%d2], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra spin; \
                ld.global.u32 %r3, [%d2+4]; add.u32 %r3, %r3, 1; st.global.u32 [%d2+4], %r3; \
                atom.release.gpu.global.exch.b32 %r4, [%d2], 0;";
    let state = Kernel::new(body, 64, 2).state();
    assert_eq!(state.serial, []);
    assert_eq!(crate::kernel::words(&state.regions[0].region.bytes), [0, 64]);
    assert_eq!(*state.regions[0].defined, [0xFF; 8]);
}

#[test]
fn waiting_threads_do_not_use_up_the_budget() {
    let body = "mov.u64 %d2, %out;\nspin: atom.global.cas.b32 %r2, [%d2], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra spin; \
                membar.gl; atom.global.add.u32 %r3, [%d2+4], 1; membar.gl; atom.global.exch.b32 %r4, [%d2], 0;";
    let run = Kernel::new(body, 256, 2).run();
    assert!(run.steps < 1_000_000, "{}", run.steps);
}

#[test]
fn a_block_that_waits_for_a_later_one_gives_way_soon() {
    // However it asks: by a strong load, by a compare-and-swap that fails, or by an atomic that leaves what it finds.
    let asks = [
        "ld.volatile.global.u32 %r3, [%out];",
        "atom.global.cas.b32 %r3, [%out], 5, 6;",
        "atom.global.or.b32 %r3, [%out], 0;",
        "atom.global.add.u32 %r3, [%out], 0;",
    ];
    for ask in asks {
        let body = format!(
            "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 1; @%p1 bra second;\n\
             wait: {ask} setp.eq.u32 %p2, %r3, 0; @%p2 bra wait; bra.uni end;\n\
             second: mov.u32 %r3, 1; st.volatile.global.u32 [%out], %r3;\nend: mov.u32 %r4, 7;"
        );
        let kernel = || Kernel::new(&body, 1, 2).blocks(2);
        for run in [kernel().run(), kernel().untracked().run()] {
            // A slice of a block has room for some 260 rounds of three operations.
            assert!(run.steps < 1_000, "{ask}: {}", run.steps);
        }
    }
}

#[test]
fn strong_loads_between_stores_are_no_reason_to_give_way() {
    // Each block reads the word after the first one, loads and stores a thousand times, and then block 0 stores 7 in that word. Block 1 begins when
    // block 0 has ended.
    let body = "ld.volatile.global.u32 %r1, [%out+4]; mov.u32 %r2, 0;\n\
                again: ld.volatile.global.u32 %r3, [%out]; add.u32 %r2, %r2, 1; st.global.u32 [%out+8], %r2; \
                setp.lt.u32 %p1, %r2, 1000; @%p1 bra again;\n\
                mov.u32 %r4, %ctaid.x; setp.eq.u32 %p2, %r4, 0; mov.u32 %r4, 7; @%p2 st.global.u32 [%out+4], %r4; \
                @!%p2 st.global.u32 [%out+12], %r1;";
    assert_eq!(Kernel::new(body, 1, 4).blocks(2).untracked().words(), [0, 7, 1000, 7]);
}

#[test]
fn atomics_that_change_memory_are_no_reason_to_give_way() {
    // Both blocks count, and neither waits for the other: each ends in its first slice, so that the first takes the numbers up to 999.
    let body = "mov.u32 %r2, 0;\nagain: atom.global.add.u32 %r3, [%out], 1; add.u32 %r2, %r2, 1; \
                setp.lt.u32 %p1, %r2, 1000; @%p1 bra again; mov.u32 %r4, %ctaid.x; \
                setp.eq.u32 %p2, %r4, 0; @%p2 st.global.u32 [%out+4], %r3;";
    assert_eq!(Kernel::new(body, 1, 2).blocks(2).untracked().words(), [2000, 999]);
}

#[test]
fn a_block_may_wait_for_a_later_one() {
    // Block 0 spins until block 1 has stored; blocks run one after another otherwise.
    let body = "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 1; @%p1 bra second;\n\
                wait: ld.acquire.gpu.global.u32 %r3, [%out]; setp.eq.u32 %p2, %r3, 0; @%p2 bra wait; bra.uni end;\n\
                second: mov.u32 %r3, 1; st.release.gpu.global.u32 [%out], %r3;\nend: mov.u32 %r4, 7; st.global.u32 [%out+4], %r4;";
    let state = Kernel::new(body, 1, 2).blocks(2).untracked().state();
    assert_eq!(state.regions[0].region.bytes, [1, 0, 0, 0, 7, 0, 0, 0]);
}

#[test]
fn an_endless_loop_runs_out_of_budget() {
    let run = Kernel::new("again: bra again;", 32, 1).budget(10_000).run();
    assert_eq!(run.outcome.permitted, Permitted::TimedOut);
    assert!(run.steps > 10_000 && run.steps <= 10_032, "{}", run.steps);
}
