//! Atomics: what they compute, and what is unordered about them.

use crate::kernel::{Kernel, result, words};
use warpdiff_emulator::Schedule;
use warpdiff_model::serial::AtomicOp;
use warpdiff_model::{Deviation, Semantics};

/// The old value times 0x10000 plus the new one, of an operation on a word of shared memory.
fn on_word(initial: u32, operation: &str) -> u32 {
    result(&format!(
        ".shared .align 4 .b8 s[4];\nmov.u32 %r2, {initial}; st.shared.u32 [s], %r2; {operation} ld.shared.u32 %r4, [s]; \
         shl.b32 %r3, %r3, 16; add.u32 %r1, %r3, %r4;"
    ))
}

#[test]
fn operations_return_the_old_value() {
    assert_eq!(on_word(5, "atom.shared.add.u32 %r3, [s], 3;"), 0x5_0008);
    assert_eq!(on_word(5, "atom.shared.exch.b32 %r3, [s], 3;"), 0x5_0003);
    assert_eq!(on_word(5, "atom.shared.cas.b32 %r3, [s], 5, 9;"), 0x5_0009);
    assert_eq!(on_word(5, "atom.shared.cas.b32 %r3, [s], 4, 9;"), 0x5_0005);
    assert_eq!(on_word(6, "atom.shared.and.b32 %r3, [s], 3;"), 0x6_0002);
    assert_eq!(on_word(6, "atom.shared.xor.b32 %r3, [s], 3;"), 0x6_0005);
    assert_eq!(on_word(6, "atom.shared.min.u32 %r3, [s], 3;"), 0x6_0003);
    assert_eq!(on_word(6, "atom.shared.max.s32 %r3, [s], -3;"), 0x6_0006);
}

#[test]
fn inc_and_dec_wrap_at_their_bound() {
    // inc: old >= b ? 0 : old + 1.  dec: old == 0 || old > b ? b : old - 1.
    assert_eq!(on_word(4, "atom.shared.inc.u32 %r3, [s], 5;"), 0x4_0005);
    assert_eq!(on_word(5, "atom.shared.inc.u32 %r3, [s], 5;"), 0x5_0000);
    assert_eq!(on_word(0, "atom.shared.dec.u32 %r3, [s], 5;"), 0x0_0005);
    assert_eq!(on_word(9, "atom.shared.dec.u32 %r3, [s], 5;"), 0x9_0005);
    assert_eq!(on_word(5, "atom.shared.dec.u32 %r3, [s], 5;"), 0x5_0004);
}

#[test]
fn wide_and_narrow_atomics() {
    let wide = ".shared .align 8 .b8 s[8];\nmov.u64 %d2, 0xffffffff; st.shared.u64 [s], %d2; atom.shared.add.u64 %d3, [s], 1; \
                ld.shared.u32 %r1, [s+4];";
    assert_eq!(result(wide), 1);
    let narrow = ".shared .align 4 .b8 s[4];\nmov.u32 %r2, 0x20001; st.shared.u32 [s], %r2; mov.u16 %h1, 2; mov.u16 %h2, 7; \
                  atom.shared.cas.b16 %h3, [s+2], %h1, %h2; ld.shared.u32 %r1, [s];";
    assert_eq!(result(narrow), 0x7_0001);
}

#[test]
fn a_float_sum_on_shared_memory_keeps_subnormals() {
    let body = ".shared .align 4 .b8 s[4];\nmov.u32 %r2, 1; st.shared.u32 [s], %r2; mov.b32 %f1, 1; atom.shared.add.f32 %f2, [s], %f1; \
                ld.shared.u32 %r1, [s];";
    assert_eq!(result(body), 2);
}

#[test]
fn a_float_sum_on_global_memory_flushes_subnormals_however_it_is_addressed() {
    // "atom.add.f32 on global memory flushes subnormal inputs and results to sign-preserving zero."
    for (setup, address) in
        [("", "global.add.f32 %f2, [%out]"), ("cvta.global.u64 %d1, %out;", "add.f32 %f2, [%d1]")]
    {
        let body = format!(
            "{setup} mov.u32 %r2, 1; st.global.u32 [%out], %r2; mov.b32 %f1, 1; atom.{address}, %f1;"
        );
        assert_eq!(Kernel::new(&body, 1, 1).words(), [0], "{address}");
    }
}

#[test]
fn a_barrier_of_some_does_not_order_the_others() {
    // Warps 1 and 2 meet at barrier 1; warp 0 takes no part, so its exchange contends with the one after the barrier.
    let body = "setp.lt.u32 %p1, %t, 32; setp.eq.u32 %p2, %t, 0; setp.eq.u32 %p3, %t, 32; @!%p1 bar.sync 1, 64; \
                @%p2 atom.global.exch.b32 %r1, [%out], 1; @%p3 atom.global.exch.b32 %r1, [%out], 16;";
    assert_eq!(Kernel::new(body, 96, 1).unordered(), [u32::MAX]);
}

#[test]
fn the_sum_of_contended_additions_is_defined_and_ordered() {
    let body = "red.global.add.u32 [%out], %t;";
    assert_eq!(Kernel::new(body, 64, 1).blocks(2).words(), [2 * 63 * 64 / 2]);
}

#[test]
fn what_contended_atomics_return_is_unordered_and_recorded() {
    let body = "atom.global.add.u32 %r1, [%out+128], 1; st.global.u32 [%mine], %r1;";
    let kernel = Kernel::new(body, 32, 33);
    let mut expected = vec![u32::MAX; 32];
    expected.push(0);
    assert_eq!(kernel.unordered(), expected);
    let state = kernel.state();
    let [location] = &state.serial[..] else { panic!("{:?}", state.serial) };
    assert_eq!((location.width, location.initial), (4, Some(0)));
    let last = location.last.expect("the counter is in the buffer");
    assert_eq!((last.region, last.offset), (0, 128));
    assert_eq!(location.operations.len(), 32);
    for (thread, operation) in location.operations.iter().enumerate() {
        assert_eq!(operation.op, AtomicOp::Add(1));
        let place = operation.returned.expect("stored");
        assert_eq!((operation.thread as usize, place.offset), (thread, 4 * thread));
    }
    // The counter itself is the same in every order.
    assert_eq!(state.regions[0].region.bytes[128..132], [32, 0, 0, 0]);
    assert_eq!(state.regions[0].defined[128..132], [0xFF; 4]);
}

#[test]
fn a_value_that_was_changed_is_no_longer_the_returned_one() {
    let body = "atom.global.add.u32 %r1, [%out+128], 1; add.u32 %r1, %r1, 5; st.global.u32 [%mine], %r1;";
    let state = Kernel::new(body, 32, 33).state();
    assert!(
        state
            .serial
            .iter()
            .flat_map(|location| &location.operations)
            .all(|operation| operation.returned.is_none())
    );
}

#[test]
fn alone_on_its_word_an_atomic_is_ordered() {
    let body = "mov.u64 %d2, %mine; atom.global.add.u32 %r1, [%d2], 3; add.u32 %r1, %r1, 1; st.global.u32 [%mine+128], %r1;";
    let mut expected = vec![3; 32];
    expected.extend([1; 32]);
    assert_eq!(Kernel::new(body, 32, 64).words(), expected);
}

#[test]
fn a_barrier_ends_contention() {
    // Thread 0 adds before the barrier, thread 1 after it: nothing is unordered.
    let body = ".shared .align 4 .b8 s[4];\nsetp.eq.u32 %p1, %t, 0; setp.eq.u32 %p2, %t, 1; mov.u32 %r2, 40; mov.u32 %r1, 0; \
                @%p1 st.shared.u32 [s], %r2; @%p1 atom.shared.add.u32 %r1, [s], 1; bar.sync 0; @%p2 atom.shared.add.u32 %r1, [s], 1; \
                st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 2, 2).words(), [40, 41]);
}

#[test]
fn control_may_depend_on_unordered_bits() {
    // The thread that drew number 0 stores; that it does is the same in every order, who it is is not.
    let body = "atom.global.add.u32 %r1, [%out], 1; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, 9; @%p1 bra end; st.global.u32 [%out+4], %r2;\nend:";
    for schedule in [Schedule::InOrder, Schedule::Reversed, Schedule::Rotated(5)] {
        let state = Kernel::new(body, 32, 2).schedule(schedule).state();
        assert_eq!(words(&state.regions[0].region.bytes), [32, 9]);
    }
}

#[test]
fn schedules_serve_lanes_in_other_orders() {
    let body = "atom.global.add.u32 %r1, [%out+16], 1; st.global.u32 [%mine], %r1;";
    let ran =
        |schedule| words(&Kernel::new(body, 4, 5).schedule(schedule).state().regions[0].region.bytes[..16]);
    assert_eq!(ran(Schedule::InOrder), [0, 1, 2, 3]);
    assert_eq!(ran(Schedule::Reversed), [3, 2, 1, 0]);
    assert_eq!(ran(Schedule::Rotated(1)), [3, 0, 1, 2]);
}

#[test]
fn the_last_exchange_is_unordered() {
    let body = "atom.global.exch.b32 %r1, [%out], %t;";
    assert_eq!(Kernel::new(body, 2, 1).unordered(), [u32::MAX]);
}

#[test]
fn deviations_of_atomics() {
    let deviant = |initial: u32, operation: &str, deviation| {
        let body = format!(
            ".shared .align 4 .b8 s[4];\nmov.u32 %r2, {initial}; st.shared.u32 [s], %r2; {operation} ld.shared.u32 %r4, [s]; \
             shl.b32 %r3, %r3, 16; add.u32 %r1, %r3, %r4; st.global.u32 [%mine], %r1;"
        );
        Kernel::new(&body, 1, 1).semantics(Semantics::default().with(deviation)).words()[0]
    };
    assert_eq!(deviant(5, "atom.shared.inc.u32 %r3, [s], 5;", Deviation::AtomIncOffByOne), 0x5_0006);
    assert_eq!(deviant(9, "atom.shared.dec.u32 %r3, [s], 5;", Deviation::AtomDecIgnoresGreater), 0x9_0008);
    assert_eq!(deviant(5, "atom.shared.cas.b32 %r3, [s], 5, 9;", Deviation::AtomCasReturnsNew), 0x9_0009);
    assert_eq!(
        deviant(5, "atom.shared.max.s32 %r3, [s], -1; and.b32 %r3, %r3, 0;", Deviation::AtomMinMaxUnsigned),
        u32::MAX
    );
}
