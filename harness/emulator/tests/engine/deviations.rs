//! Deviations that the machine and its decoders act on: what a kernel leaves by the specification, and with the deviation.

use crate::kernel::Kernel;
use warpdiff_model::{Deviation, Permitted, Semantics};

/// A deviation, the number of threads, a body, the words that it leaves by the specification, and with the deviation.
type Told = (Deviation, u32, &'static str, &'static [u32], &'static [u32]);

const TOLD: &[Told] = {
    use Deviation as D;
    &[
        (
            D::SpecialRegisterNarrow,
            1,
            "mov.u32 %r1, %lanemask_gt; st.global.u32 [%mine], %r1;",
            &[0xFFFF_FFFE],
            &[0xFFFE],
        ),
        (D::SetTrueIsOne, 1, "set.eq.u32.u32 %r1, %t, 0; st.global.u32 [%mine], %r1;", &[0xFFFF_FFFF], &[1]),
        (
            D::SetpSecondIsFirst,
            1,
            "setp.eq.u32 %p1|%p2, %t, 0; selp.u32 %r1, 1, 0, %p2; st.global.u32 [%mine], %r1;",
            &[0],
            &[1],
        ),
        (
            D::AddHalves,
            1,
            "mov.u64 %d1, 0xffffffff; add.u64 %d1, %d1, 1; st.global.u64 [%out], %d1;",
            &[0, 1],
            &[0, 0],
        ),
        (
            D::LdKeepsUpper,
            1,
            "st.global.u32 [%mine], 0x01020304; mov.u32 %r1, -1; ld.global.u8 %r1, [%mine]; st.global.u32 [%mine], %r1;",
            &[4],
            &[0xFFFF_FF04],
        ),
        // s+2048 is s where eleven bits of an address count.
        (
            D::SharedAliases,
            1,
            ".shared .align 4 .b32 s[1024]; mov.u64 %d1, s; st.shared.u32 [%d1], 5; st.shared.u32 [%d1+2048], 6; \
             ld.shared.u32 %r1, [%d1]; st.global.u32 [%mine], %r1;",
            &[5],
            &[6],
        ),
        // Lane 0 branches over both additions, lane 1 over none.
        (
            D::BraUniform,
            2,
            "mov.u32 %r1, 1; setp.eq.u32 %p1, %t, 0; @%p1 bra L; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; L: st.global.u32 [%mine], %r1;",
            &[1, 3],
            &[1, 1],
        ),
        (D::AtomUniformOnce, 2, "red.global.add.u32 [%out], 3;", &[6, 0], &[3, 0]),
        // The operands of the lanes are 1 and 2.
        (D::AtomConflictsMerged, 2, "add.u32 %r1, %t, 1; red.global.add.u32 [%out], %r1;", &[3, 0], &[2, 0]),
        (D::AtomUniformOnce, 2, "add.u32 %r1, %t, 1; red.global.add.u32 [%out], %r1;", &[3, 0], &[3, 0]),
        (D::AtomFourWords, 1, "red.global.or.b32 [%out+4], 1;", &[0, 1, 0, 0, 0, 0], &[0, 1, 1, 1, 1, 0]),
        (D::AtomicsNotWrittenBack, 1, "red.global.add.u32 [%out], 3;", &[3], &[0]),
        (
            D::AtomicsNotWrittenBack,
            1,
            "red.global.add.u32 [%out], 3; st.global.u32 [%out+4], 1;",
            &[3, 1],
            &[3, 1],
        ),
    ]
};

#[test]
fn each_deviation_does_what_its_sentence_says() {
    for (deviation, threads, body, right, wrong) in TOLD {
        let words =
            |semantics| Kernel::new(body, *threads, right.len()).untracked().semantics(semantics).words();
        assert_eq!(words(Semantics::default()), *right, "{body}");
        assert_eq!(words(Semantics::default().with(*deviation)), *wrong, "{deviation}: {body}");
    }
}

#[test]
fn rows_of_a_block_are_counted_by_the_second_extent() {
    let body = "mov.u32 %r1, %tid.y; mov.u32 %r2, %laneid; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %d1, %out; st.global.u32 [%d1], %r1;";
    let words = |semantics| {
        let mut kernel = Kernel::new(body, 1, 8).untracked().semantics(semantics);
        kernel.launch.block = [4, 2, 1];
        kernel.words()
    };
    assert_eq!(words(Semantics::default()), [0, 0, 0, 0, 1, 1, 1, 1]);
    // Thread 2 is 2 / 2 = 1, thread 4 is 4 / 2 = 2, which is 0 modulo 2.
    let deviant = Semantics::default().with(Deviation::TidRowsBySecondExtent);
    assert_eq!(words(deviant), [0, 0, 1, 1, 0, 0, 1, 1]);
}

#[test]
fn votes_of_the_second_warp_write_nothing() {
    let body = "mov.u32 %r1, 7; setp.ge.u32 %p1, %t, 0; vote.sync.ballot.b32 %r1, %p1, 0xffffffff; st.global.u32 [%mine], %r1;";
    let words = |semantics| Kernel::new(body, 64, 64).untracked().semantics(semantics).words();
    assert_eq!(words(Semantics::default()), [u32::MAX; 64]);
    let deviant = words(Semantics::default().with(Deviation::CollectiveFirstWarp));
    assert_eq!((&deviant[..32], &deviant[32..]), (&[u32::MAX; 32][..], &[7; 32][..]));
}

#[test]
fn the_base_of_a_window_counts_twice() {
    // Both directions cancel each other, and one alone leads nowhere.
    let body = ".shared .align 4 .b32 s; cvta.shared.u64 %d1, s; cvta.to.shared.u64 %d2, %d1; st.shared.u32 [%d2], 5; \
                ld.shared.u32 %r1, [s]; st.global.u32 [%mine], %r1;";
    let faults = |semantics| {
        let run = Kernel::new(body, 1, 1).untracked().semantics(semantics).run();
        matches!(run.outcome.permitted, Permitted::Faulted { .. })
    };
    assert!(!faults(Semantics::default()));
    assert!(faults(Semantics::default().with(Deviation::CvtaTwice)));
    assert!(faults(Semantics::default().with(Deviation::CvtaToTwice)));
    let both = Semantics::default().with(Deviation::CvtaTwice).with(Deviation::CvtaToTwice);
    assert!(!faults(both));
}

#[test]
fn a_constant_predicate_is_true_unless_it_is_zero() {
    let body = "mov.pred %p1, 2; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 1, 1).words(), [1]);
}
