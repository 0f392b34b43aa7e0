//! Launches whose stores depend on the order of atomics: the reference may claim only what holds under every order.

use crate::kernel::{Kernel, words};
use warpdiff_emulator::{Schedule, allowed_within, reference};
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Admission, Allowed, Observation, Outcome, Permitted, State};

/// Each thread draws a slot and stores its number there; the counter is the last word.
const SLOTS: &str = "atom.global.add.u32 %r1, [%out+256], 1; mul.wide.u32 %d1, %r1, 4; add.s64 %d1, %d1, %out; \
                     st.global.u32 [%d1], %t;";

/// What the kernel leaves when atomics are served in this order, as a target would show it.
fn observed(kernel: Kernel, schedule: Schedule) -> Observation {
    let run = kernel.untracked().schedule(schedule).run();
    let regions = run.memory.regions.into_iter().map(|region| region.region).collect();
    Observation::Completed { state: State { regions } }
}

fn only_state(allowed: &Allowed) -> &MaskedState {
    let [outcome] = &allowed.outcomes[..] else { panic!("{:?}", allowed.outcomes) };
    let Permitted::Completed { state } = &outcome.permitted else { panic!("{outcome:?}") };
    state
}

#[test]
fn any_order_of_slots_conforms_and_a_lost_count_does_not() {
    let allowed = Kernel::new(SLOTS, 64, 65).allowed();
    // None of these orders is one that the reference tries, but for the first.
    for schedule in [Schedule::InOrder, Schedule::Rotated(7), Schedule::Rotated(31)] {
        let admission = allowed.admits(&observed(Kernel::new(SLOTS, 64, 65), schedule));
        assert!(matches!(admission, Admission::Conforms { .. }), "{schedule:?}: {admission:?}");
    }
    let Observation::Completed { mut state } = observed(Kernel::new(SLOTS, 64, 65), Schedule::InOrder) else {
        panic!("it completes")
    };
    // 64 additions to 0 give 64, whoever comes first.
    state.regions[0].bytes[256] = 63;
    let admission = allowed.admits(&Observation::Completed { state });
    assert!(matches!(admission, Admission::Violates { .. }), "{admission:?}");
}

#[test]
fn what_is_stored_through_an_address_that_was_drawn_is_unordered() {
    let allowed = Kernel::new(SLOTS, 64, 66).allowed();
    let out = &only_state(&allowed).regions[0];
    assert_eq!(words(&out.unordered)[..64], [u32::MAX; 64]);
    assert_eq!(words(&out.unordered)[64..], [0, 0], "the counter, and the word that nobody wrote");
}

#[test]
fn who_takes_a_branch_may_depend_on_the_order() {
    // The thread that drew 0 leaves its number, and 9 beside it whoever it is.
    let body = "atom.global.add.u32 %r1, [%out], 1; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, 9; @%p1 bra end; \
                st.global.u32 [%out+8], %t; st.global.u32 [%out+16], %r2;\nend:";
    let allowed = Kernel::new(body, 40, 6).allowed();
    let out = &only_state(&allowed).regions[0];
    assert_ne!(words(&out.unordered)[2], 0);
    assert_eq!((words(&out.region.bytes)[4], words(&out.unordered)[4]), (9, 0));
    assert_eq!((words(&out.region.bytes)[0], words(&out.unordered)[0]), (40, 0));
}

#[test]
fn a_counter_behind_a_lock_is_the_same_under_every_order() {
    let body = "again: atom.global.cas.b32 %r1, [%out], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra again; membar.gl; \
                ld.global.u32 %r2, [%out+8]; add.u32 %r2, %r2, 1; st.global.u32 [%out+8], %r2; membar.gl; \
                atom.global.exch.b32 %r3, [%out], 0;";
    let allowed = Kernel::new(body, 33, 4).allowed();
    let state = only_state(&allowed);
    assert_eq!((words(&state.regions[0].region.bytes)[2], words(&state.regions[0].unordered)[2]), (33, 0));
    // How often who tried is another matter in every order: that cannot be held against a target.
    assert!(state.serial.is_empty(), "{:?}", state.serial);
}

#[test]
fn an_order_in_which_the_kernel_traps_is_an_outcome_of_its_own() {
    // Thread 0 traps if it draws 1, thread 1 never does.
    let body = "atom.global.add.u32 %r1, [%out], 1; setp.eq.u32 %p1, %t, 0; setp.eq.and.u32 %p2, %r1, 1, %p1; @%p2 trap;";
    let allowed = Kernel::new(body, 2, 1).allowed();
    let ends = allowed.outcomes.iter().map(|outcome| match outcome.permitted {
        Permitted::Completed { .. } => "completes",
        Permitted::Faulted { .. } => "traps",
        _ => "other",
    });
    assert_eq!(ends.collect::<Vec<_>>(), ["completes", "traps"]);
}

/// A kernel over 33 threads and a buffer of 256 bytes at `%out`.
fn contending(body: &str) -> Kernel {
    Kernel::new(body, 33, 64)
}

/// The outcomes of a kernel under these orders, and how many runs these and the allowed outcomes took together.
fn under(kernel: &Kernel, orders: &[Schedule]) -> (Vec<Outcome>, usize) {
    let program = kernel.program();
    let all = reference(&program, &kernel.launch, &kernel.semantics, orders, |_| true);
    let all = all.expect("a launch");
    (all.orders, all.runs)
}

/// What a run under one order has learned of contention changes nothing of what a run under another order gives.
#[test]
fn an_order_gives_the_same_after_others_as_alone() {
    let slots = "atom.global.add.u32 %r1, [%out], 1;";
    let own = "mul.wide.u32 %d1, %r1, 4;\nadd.u64 %d1, %d1, %out;\nst.global.u32 [%d1+16], %t;";
    let lock = "L: atom.global.cas.b32 %r2, [%out+4], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n\
                ld.volatile.global.u32 %r2, [%out+8];\nadd.u32 %r2, %r2, %t;\nst.volatile.global.u32 [%out+8], %r2;\n\
                membar.gl;\natom.global.exch.b32 %r2, [%out+4], 0;";
    // Whoever comes first, and thread 0: in order they are the same thread, and nobody contends there.
    let first = "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %t, 0;\nor.pred %p1, %p1, %p2;\n\
                 @%p1 atom.global.exch.b32 %r2, [%out+8], %t;";
    // The last but one exchanges, all others add: only under some orders the final value is the same.
    let mixed = "setp.eq.u32 %p1, %t, 31;\n@%p1 atom.global.exch.b32 %r2, [%out+12], 5;\n\
                 @!%p1 red.global.add.u32 [%out+12], 1;";
    for body in [lock.to_owned(), format!("{slots}\n{own}"), format!("{slots}\n{first}\n{mixed}\n{own}")] {
        // In order and under four others it runs for the allowed outcomes; under these it runs after that.
        let orders = [Schedule::InOrder, Schedule::Rotated(2), Schedule::Rotated(5), Schedule::Rotated(7)];
        let (after, runs) = under(&contending(&body), &orders);
        assert_eq!(runs, 5 + orders.len(), "{body}");
        for (order, after) in orders.into_iter().zip(after) {
            let alone = contending(&body).schedule(order).run();
            assert!(alone.order_dependent, "{order:?} of {body}");
            assert_eq!(after, alone.outcome, "{order:?} of {body}");
            assert!(matches!(after.permitted, Permitted::Completed { .. }), "{after:?}");
        }
    }
}

#[test]
fn an_order_that_ran_is_not_run_again() {
    let kernel = contending(
        "atom.global.add.u32 %r1, [%out], 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nst.global.u32 [%out+4], 1;\nL:",
    );
    // In order, and under four others, since the branch depends on the order.
    assert_eq!(under(&kernel, &[]).1, 5);
    assert_eq!(under(&kernel, &[Schedule::Reversed, Schedule::Rotated(13)]).1, 5);
    assert_eq!(under(&kernel, &[Schedule::Reversed, Schedule::Rotated(7)]).1, 6);
}

/// A run beyond the limit does not end, and one that needs exactly that many thread-instructions does.
#[test]
fn a_run_has_as_many_thread_instructions_as_it_was_given() {
    let kernel = contending("add.u32 %t, %t, 1;\nst.global.u32 [%out], 1;");
    // Of 33 threads, each: five instructions of the kernel around the body, the sum, the store and the end.
    let needed = 33 * 8;
    for (limit, ends) in [(needed, true), (needed - 1, false)] {
        let allowed = allowed_within(&kernel.program(), &kernel.launch, &kernel.semantics, limit);
        let [outcome] = &allowed.expect("a launch").outcomes[..] else { panic!("one outcome is expected") };
        assert_eq!(matches!(outcome.permitted, Permitted::Completed { .. }), ends, "{limit}");
        assert_eq!(matches!(outcome.permitted, Permitted::TimedOut), !ends, "{limit}");
    }
}
