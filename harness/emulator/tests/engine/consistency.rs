//! The memory consistency model (PTX ISA, chapter 8): what is a data race, and what contends without being one.

use crate::kernel::Kernel;

/// 8.7: "two conflicting memory operations are said to be in a data-race if they are not related in causality order and
/// they are not morally strong". Operations of different threads are morally strong only if "each operation is strong and
/// specifies a scope that includes the thread executing the other operation".
#[test]
fn atomics_of_cta_scope_race_across_blocks() {
    let sum = |one: &str, other: &str| {
        let body = format!(
            "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 {one} [%out], 1; @!%p1 {other} [%out], 1;"
        );
        Kernel::new(&body, 32, 1).blocks(2)
    };
    assert_eq!(sum("red.global.gpu.add.u32", "red.global.gpu.add.u32").words(), [64]);
    assert_eq!(sum("red.global.cta.add.u32", "red.global.cta.add.u32").defined(), [0]);
    // One of them is enough, whichever comes first.
    assert_eq!(sum("red.global.cta.add.u32", "red.global.gpu.add.u32").defined(), [0]);
    assert_eq!(sum("red.global.gpu.add.u32", "red.global.cta.add.u32").defined(), [0]);
    // Within a block .cta includes everyone.
    assert_eq!(sum("red.global.cta.add.u32", "red.global.cta.add.u32").blocks(1).words(), [32]);
    // What the first of the blocks saw raced too.
    let body = "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r3, %r3, 4, 4; cvt.u64.u32 %d1, %r3; add.s64 %d1, %d1, %out; \
                atom.global.cta.add.u32 %r1, [%out], 1; st.global.u32 [%d1], %r1;";
    assert_eq!(Kernel::new(body, 1, 3).blocks(2).defined(), [0, 0, 0]);
}

#[test]
fn loads_and_stores_of_cta_scope_race_across_blocks() {
    let body = |store: &str, load: &str| {
        format!(
            "mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0; @%p1 {store} [%out], 1; mov.u32 %r1, 0; \
             @!%p1 {load} %r1, [%out]; mul.wide.u32 %d1, %r3, 4; add.s64 %d1, %d1, %out; st.global.u32 [%d1+4], %r1;"
        )
    };
    let defined = |body: String| Kernel::new(&body, 1, 3).blocks(2).defined();
    assert_eq!(defined(body("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32")), [u32::MAX; 3]);
    assert_eq!(defined(body("st.relaxed.cta.global.u32", "ld.relaxed.gpu.global.u32"))[2], 0);
    assert_eq!(defined(body("st.relaxed.gpu.global.u32", "ld.relaxed.cta.global.u32"))[2], 0);
    // ".volatile has the same memory synchronization semantics as .relaxed.sys".
    assert_eq!(defined(body("st.volatile.global.u32", "ld.volatile.global.u32")), [u32::MAX; 3]);
}

/// 8.7: morally strong operations "overlap completely"; 8.7.2: a race of those that overlap partially is a mixed-size
/// data-race.
#[test]
fn strong_accesses_that_overlap_partially_race() {
    let of = |one: &str, sync: &str, other: &str| {
        let body = format!(
            "setp.eq.u32 %p1, %t, 0; mov.u32 %r2, 1; mov.u64 %d2, 1; @%p1 {one}; {sync} @!%p1 {other};"
        );
        Kernel::new(&body, 2, 2)
    };
    let (wide, upper) = ("st.volatile.global.u64 [%out], %d2", "st.volatile.global.u32 [%out+4], %r2");
    assert_eq!(of(wide, "", upper).defined(), [u32::MAX, 0]);
    assert_eq!(of(upper, "", wide).defined(), [u32::MAX, 0]);
    // With a barrier between them they are ordered.
    assert_eq!(of(wide, "bar.sync 0;", upper).words(), [1, 1]);
    assert_eq!(
        of("red.global.add.u64 [%out], 1", "bar.sync 0;", "red.global.add.u32 [%out+4], 1").words(),
        [1, 1]
    );
    assert_eq!(of("red.global.add.u64 [%out], 1", "", "red.global.add.u32 [%out+4], 1").defined()[1], 0);
    // Neighbours do not overlap at all.
    assert_eq!(of("red.global.add.u32 [%out], 1", "", "red.global.add.u32 [%out+4], 1").words(), [1, 1]);
}

/// A store to a byte races with an atomic on its word. Bitwise atomics compute each bit of the same bit, so that the other bytes are defined; any bit
/// of a sum may depend on lower ones.
#[test]
fn a_race_in_a_byte_leaves_the_others_defined_after_bitwise_atomics() {
    let defined = |operation: &str| {
        let body = format!(
            "setp.eq.u32 %p1, %t, 0; mov.u32 %r2, 255; @%p1 st.global.u8 [%out], %r2; \
             @!%p1 atom.global.{operation} %r1, [%out], %r2;"
        );
        Kernel::new(&body, 2, 1).defined()
    };
    for bitwise in ["or.b32", "and.b32", "xor.b32", "exch.b32"] {
        assert_eq!(defined(bitwise), [0xFFFF_FF00], "{bitwise}");
    }
    for whole in ["add.u32", "max.u32"] {
        assert_eq!(defined(whole), [0], "{whole}");
    }
}

#[test]
fn a_strong_load_of_another_width_races_with_a_store() {
    let body = |load: &str| {
        format!(
            "setp.eq.u32 %p1, %t, 0; mov.u64 %d2, 0; {load} @%p1 red.global.add.u32 [%out], 1; \
             mul.wide.u32 %d3, %t, 8; add.s64 %d3, %d3, %out; st.global.u64 [%d3+8], %d2;"
        )
    };
    // Thread 1 loads 16 of the 32 bits that thread 0 adds to: it may see anything there. Thread 0 may not.
    let kernel = Kernel::new(&body("@!%p1 ld.volatile.global.u16 %d2, [%out];"), 2, 6);
    assert_eq!(kernel.defined()[4..], [0xFFFF_0000, u32::MAX]);
    let kernel = Kernel::new(&body("@%p1 ld.volatile.global.u16 %d2, [%out];"), 2, 6);
    assert_eq!(kernel.words(), [1, 0, 0, 0, 0, 0]);
}

/// A word is read by all lanes, and then changed by one of them: what each of the others read depends on the order.
#[test]
fn each_of_several_readers_contends_with_a_writer() {
    for write in ["atom.global.add.u32 %r2, [%out+16], 1;", "st.volatile.global.u32 [%out+16], 1;"] {
        for writer in 0..4 {
            let body = format!(
                "setp.eq.u32 %p1, %t, {writer}; ld.volatile.global.u32 %r1, [%out+16]; @%p1 {write} st.global.u32 [%mine], %r1;"
            );
            let unordered = Kernel::new(&body, 4, 5).unordered();
            let others = (0..4).filter(|reader| *reader != writer);
            assert!(
                others.clone().all(|reader| unordered[reader] == u32::MAX),
                "{write} {writer}: {unordered:?}"
            );
            assert_eq!(unordered[4], 0, "one thread alone wrote");
        }
    }
}

/// The lanes of warp 0 load and store their words three times over; a lane of warp 1 stores once, to one of these words or beside them.
#[test]
fn a_row_of_strong_accesses_contends_with_a_store_of_another_warp() {
    let step =
        "ld.volatile.global.u32 %r1, [%mine]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [%mine], %r1;";
    let left = |word: u32| {
        let body = format!(
            "setp.ge.u32 %p1, %t, 32; @%p1 bra other; {step} {step} {step} bra done;\n\
             other: setp.eq.u32 %p2, %t, 32; @%p2 st.volatile.global.u32 [%out+{}], 100;\ndone:",
            4 * word
        );
        Kernel::new(&body, 64, 33)
    };
    let met = left(5);
    let unordered = |word: usize| if word == 5 { u32::MAX } else { 0 };
    assert_eq!(met.unordered(), (0..33).map(unordered).collect::<Vec<_>>());
    assert_eq!(met.defined(), [u32::MAX; 33]);
    let mut alone = [3; 33];
    alone[32] = 100;
    assert_eq!((left(32).words(), left(32).unordered()), (alone.to_vec(), vec![0; 33]));
    assert_eq!(left(32).untracked().words(), alone);
}

#[test]
fn a_store_before_an_atomic_of_the_same_thread_contends_with_those_of_others() {
    // 0, then 5 and 6 by thread 0; thread 1 adds 1 to whichever it finds: 6 or 7.
    let body = "setp.eq.u32 %p1, %t, 0; @%p1 st.volatile.global.u32 [%out], 5; red.global.add.u32 [%out], 1;";
    let kernel = Kernel::new(body, 2, 1);
    assert_eq!((kernel.defined(), kernel.unordered()), (vec![u32::MAX], vec![u32::MAX]));
    // After a barrier it is 5 + 2.
    let body = "setp.eq.u32 %p1, %t, 0; @%p1 st.volatile.global.u32 [%out], 5; bar.sync 0; red.global.add.u32 [%out], 1;";
    assert_eq!(Kernel::new(body, 2, 1).words(), [7]);
}

#[test]
fn readers_of_several_blocks_contend_with_a_writer_of_one() {
    // Block 0 stores twice, with a barrier between; block 1 may read before, between or after.
    let body = "mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0; setp.eq.and.u32 %p2, %t, 0, %p1; setp.eq.and.u32 %p3, %t, 1, %p1;\n\
                @%p2 st.volatile.global.u32 [%out], 3; bar.sync 0; @%p3 st.volatile.global.u32 [%out], 4;\n\
                mov.u32 %r1, 0; @!%p1 ld.volatile.global.u32 %r1, [%out]; mad.lo.u32 %r4, %r3, 2, %t; mul.wide.u32 %d1, %r4, 4; \
                add.s64 %d1, %d1, %out; st.global.u32 [%d1+4], %r1;";
    // The last value is 4 in every order.
    assert_eq!(Kernel::new(body, 2, 5).blocks(2).unordered(), [0, 0, 0, u32::MAX, u32::MAX]);
}

#[test]
fn an_exchange_that_races_leaves_nothing_certain() {
    let body =
        "setp.eq.u32 %p1, %t, 0; @%p1 st.global.u32 [%out], 5; @!%p1 atom.global.exch.b32 %r1, [%out], 6;";
    assert_eq!(Kernel::new(body, 2, 1).defined(), [0]);
}

/// Of the NaN that `atom.add` makes, PTX says no more than of that of `add`: exponent and quiet bit are certain.
#[test]
fn a_sum_that_is_nan_has_no_certain_payload() {
    let sums = |ty: &str, initial: u32, operands: &[&str]| {
        let adds: String =
            operands.iter().map(|b| format!("mov.b32 %r3, {b}; red.global.add{ty} [%out], {{}};")).collect();
        let (setup, source) = if ty == ".f32" { ("mov.b32 %f1, %r3;", "%f1") } else { ("", "%r3") };
        let adds = adds.replace("red", &format!("{setup} red")).replace("{}", source);
        Kernel::new(&format!("mov.b32 %r2, {initial}; st.global.u32 [%out], %r2; {adds}"), 1, 1).defined()[0]
    };
    let (inf, minus_inf, one) = (0x7F80_0000, "0xFF800000", "0x3F800000");
    assert_eq!(sums(".f32", inf, &[minus_inf]), 0x7FC0_0000);
    assert_eq!(sums(".f32", inf, &[one]), u32::MAX);
    // A NaN and a number is a NaN again.
    assert_eq!(sums(".f32", inf, &[minus_inf, one]), 0x7FC0_0000);
    // In the upper half infinity and minus infinity; in the lower one 1 + 1.
    assert_eq!(sums(".noftz.f16x2", 0x7C00_3C00, &["0xFC003C00"]), 0x7E00_FFFF);
    assert_eq!(sums(".noftz.f16x2", 0x7C00_3C00, &["0xFC003C00", "0x3C003C00"]), 0x7E00_FFFF);
}
