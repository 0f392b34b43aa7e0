//! Launches whose stores depend on the order of atomics: the reference may claim only what holds under every order.

use crate::kernel::{Kernel, words};
use warpdiff_emulator::Schedule;
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Admission, Allowed, Observation, Permitted, State};

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
