//! Launches that do not finish because all their threads wait for ever, and launches that only seem to.

use warpdiff_model::{Deviation, Permitted, Semantics};

use crate::kernel::Kernel;
use crate::spa::kernel::{Spa, storing};

/// Thread-instructions that a launch may take: far more than those that show that it never ends.
const BUDGET: u64 = 1 << 24;

/// Checks that the emulator sees that the launch never ends, tracked and untracked.
fn never_finishes(body: &str, threads: u32, blocks: u32) {
    for kernel in [Kernel::new(body, threads, 4), Kernel::new(body, threads, 4).untracked()] {
        let run = kernel.blocks(blocks).budget(BUDGET).run();
        assert_eq!(run.outcome.permitted, Permitted::TimedOut, "{body}");
        assert!(run.never_ends, "{body}");
        assert_eq!(run.steps, BUDGET);
    }
}

/// It finishes, with this word first.
fn finishes(body: &str, threads: u32, blocks: u32, first: u32) {
    for kernel in [Kernel::new(body, threads, 4), Kernel::new(body, threads, 4).untracked()] {
        let state = kernel.blocks(blocks).state();
        assert_eq!(state.regions[0].region.bytes[..4], first.to_le_bytes(), "{body}");
    }
}

const LOCK: &str = "spin: atom.global.cas.b32 %r1, [%out], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra spin;";

#[test]
fn a_lock_that_nobody_releases_is_waited_for_for_ever() {
    for (threads, blocks) in [(1, 2), (2, 1), (32, 1), (33, 1), (64, 3)] {
        never_finishes(LOCK, threads, blocks);
    }
    // The thread that has the lock ends; with one thread that is all there are.
    finishes(LOCK, 1, 1, 1);
}

#[test]
fn a_lock_whose_release_a_deviation_loses_is_waited_for_for_ever() {
    let body = format!("{LOCK} atom.global.exch.b32 %r2, [%out], 0;");
    finishes(&body, 33, 1, 0);
    for deviation in [Deviation::AtomExchKeeps, Deviation::AtomCasReturnsNew] {
        let kernel = Kernel::new(&body, 33, 1).semantics(Semantics::default().with(deviation)).budget(BUDGET);
        let run = kernel.run();
        assert_eq!(run.outcome.permitted, Permitted::TimedOut, "{}", deviation.name());
        assert!(run.never_ends, "{}", deviation.name());
    }
}

#[test]
fn loops_that_come_back_to_where_they_were_do_not_end() {
    // Without an access; with a plain load; with a register that counts to 7 again and again, over lanes that have parted.
    for body in [
        "again: bra again;",
        "again: ld.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; @%p1 bra again;",
        "again: add.u32 %r1, %t, %r2; add.u32 %r2, %r2, 1; rem.u32 %r2, %r2, 7; ld.volatile.global.u32 %r3, [%out]; \
         setp.eq.u32 %p1, %r3, 0; @%p1 bra again;",
        "setp.lt.u32 %p1, %t, 5; @%p1 bra other;\n\
         again: ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; @%p1 bra again; bra end;\n\
         other: ld.volatile.global.u32 %r1, [%out+4]; setp.eq.u32 %p1, %r1, 0; @%p1 bra other;\nend:",
    ] {
        let body = format!("mov.u32 %r2, 0; {body}");
        never_finishes(&body, 32, 1);
        never_finishes(&body, 40, 2);
    }
}

#[test]
fn threads_that_wait_for_those_at_a_barrier_wait_for_ever() {
    let body = "setp.lt.u32 %p1, %t, 32; @%p1 bra first; bar.sync 0; st.volatile.global.u32 [%out], 1; bra end;\n\
                first: ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; @%p1 bra first; bar.sync 0;\nend:";
    never_finishes(body, 64, 1);
}

/// A register counts the looks, so no state comes back before the end.
#[test]
fn a_thread_that_gives_up_after_many_looks_is_not_stalled() {
    for looks in [7, 100, 70_000] {
        let body = format!(
            "mov.u32 %r2, 0;\nagain: ld.volatile.global.u32 %r1, [%out]; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, {looks}; \
             @%p1 bra again; st.global.u32 [%out], %r2;"
        );
        finishes(&body, 1, 1, looks);
    }
    // The generator x * 5 + 3 of numbers of 16 bits comes back to 0 after 65,536 steps.
    let body = "mov.u32 %r2, 0;\nagain: ld.volatile.global.u32 %r1, [%out]; mad.lo.u32 %r2, %r2, 5, 3; and.b32 %r2, %r2, 0xffff; \
                setp.ne.u32 %p1, %r2, 0; @%p1 bra again; st.global.u32 [%out], 9;";
    finishes(body, 1, 1, 9);
}

#[test]
fn a_thread_that_waits_for_a_time_is_not_stalled() {
    let body = "mov.u64 %d1, %clock64;\nagain: ld.volatile.global.u32 %r1, [%out]; mov.u64 %d2, %clock64; sub.u64 %d2, %d2, %d1; \
                setp.lt.u64 %p1, %d2, 100000; @%p1 bra again; st.global.u32 [%out], 5;";
    for kernel in [Kernel::new(body, 1, 1), Kernel::new(body, 1, 1).untracked()] {
        let run = kernel.run();
        assert!(matches!(run.outcome.permitted, Permitted::Completed { .. }), "{:?}", run.outcome.permitted);
        assert!(run.steps > 100_000, "{}", run.steps);
    }
}

/// The other warp, or block, stores after 150,000 instructions. All that wait have stalled long before.
#[test]
fn who_is_stalled_goes_on_when_what_it_waits_for_comes() {
    let wait = "wait: ld.volatile.global.u32 %r1, [%out+4]; setp.eq.u32 %p1, %r1, 0; @%p1 bra wait; \
                atom.global.add.u32 %r1, [%out], 1; bra end;";
    let work = "work: mov.u32 %r2, 0;\nloop: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 50000; @%p1 bra loop; \
                st.volatile.global.u32 [%out+4], 1;\nend:";
    finishes(&format!("setp.ge.u32 %p1, %t, 64; @%p1 bra work;\n{wait}\n{work}"), 96, 1, 64);
    finishes(
        &format!("mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 2; @%p1 bra work;\n{wait}\n{work}"),
        3,
        3,
        6,
    );
    // One lane works while the others of its warp wait.
    finishes(&format!("setp.eq.u32 %p1, %t, 9; @%p1 bra work;\n{wait}\n{work}"), 32, 1, 31);
}

/// Each waits for the one before it, and does nothing else.
#[test]
fn warps_and_blocks_that_wait_in_a_chain_all_go_on() {
    let chain = |me: &str| {
        format!(
            "{me} wait: ld.acquire.gpu.global.u32 %r1, [%out]; setp.ne.u32 %p1, %r1, %r5; @%p1 bra wait; \
             add.u32 %r1, %r1, 1; st.release.gpu.global.u32 [%out], %r1;"
        )
    };
    let of_warps = chain(
        "shr.u32 %r5, %t, 5; sub.u32 %r5, 7, %r5; and.b32 %r6, %t, 31; setp.ne.u32 %p2, %r6, 0; @%p2 exit;",
    );
    finishes(&of_warps, 256, 1, 8);
    let of_blocks = chain("mov.u32 %r5, %ctaid.x; sub.u32 %r5, 99, %r5;");
    finishes(&of_blocks, 1, 100, 100);
}

/// Lanes of a warp take a lock in shared memory in turn, or nobody releases it.
#[test]
fn machine_code_that_waits_for_ever_does_not_finish() {
    // It takes the lock if it finds 0 there; `.CAST` answers with 1 if it has taken it.
    for (instruction, again) in [("ATOMS.CAS", "NE"), ("ATOMS.CAST.SPIN", "EQ")] {
        let run = |release: &str, threads| {
            let body = format!(
                "ISETP.EQ.AND P1, PT, R249, RZ, PT;\n@P1 STS [0x0], RZ;\nMOV R1, RZ;\nMOV R4, RZ;\nMOV32I R5, 0x1;\n\
                 spin:\n{instruction} R0, [R1], R4, R5;\nISETP.{again}.AND P0, PT, R0, RZ, PT;\n@P0 BRA spin;\n{release}{}",
                storing(&["R0"])
            );
            let mut spa = Spa::threads(&body, threads, 1);
            spa.launch.step_budget = BUDGET;
            spa.run()
        };
        for (release, threads) in [("", 1), ("STS [0x0], RZ;\n", 32)] {
            let permitted = run(release, threads).outcome.permitted;
            assert!(matches!(permitted, Permitted::Completed { .. }), "{instruction}: {permitted:?}");
        }
        for threads in [2, 31, 32] {
            let run = run("", threads);
            assert_eq!(run.outcome.permitted, Permitted::TimedOut, "{instruction}");
            assert!(run.never_ends, "{instruction}");
        }
    }
}

/// The atomic of the second warp changes no value, but what it finds may be anything from then on. The first warp has stalled before.
#[test]
fn a_stalled_warp_sees_that_what_it_reads_becomes_undefined() {
    let body = "setp.ge.u32 %p1, %t, 32; @%p1 bra second;\n\
                first: ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p2, %r1, 0; @%p2 bra first; \
                st.volatile.global.u32 [%out+4], 1; bra end;\n\
                second: mov.u32 %r2, 0;\nloop: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 50000; @%p2 bra loop; \
                red.global.or.b32 [%out], %r9;\n\
                wait: ld.volatile.global.u32 %r1, [%out+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait;\nend:";
    let (place, _) = Kernel::new(body, 64, 2).indeterminate();
    assert!(place.starts_with("the guard of `@%p2 bra first;`"), "{place}");
}
