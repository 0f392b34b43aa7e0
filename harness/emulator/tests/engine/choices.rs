//! Choices: each alternative is an outcome of its own.

use crate::kernel::{Kernel, words};
use warpdiff_model::{Choice, Permitted};

#[test]
fn a_launch_that_consults_nothing_has_one_outcome() {
    let allowed = Kernel::new("st.global.u32 [%mine], %t;", 4, 4).allowed();
    assert_eq!(allowed.outcomes.len(), 1);
}

#[test]
fn a_misaligned_address_faults_or_is_masked() {
    let body = "mov.u32 %r1, 0x01020304; st.global.u32 [%out], %r1; ld.global.u32 %r2, [%out+2]; st.global.u32 [%out+4], %r2;";
    let allowed = Kernel::new(body, 1, 2).allowed();
    let [first, second] = &allowed.outcomes[..] else { panic!("{:?}", allowed.outcomes) };
    assert!(matches!(first.permitted, Permitted::Faulted { .. }));
    assert_eq!(second.assignment.get(Choice::MemoryMisaligned), 1);
    let Permitted::Completed { state } = &second.permitted else { panic!("{second:?}") };
    assert_eq!(words(&state.regions[0].region.bytes), [0x0102_0304; 2]);
}

#[test]
fn nan_to_a_wide_integer_has_two_readings() {
    let body = "mov.f32 %f1, 0f7FC00000; cvt.rzi.s64.f32 %d1, %f1; st.global.u64 [%out], %d1;";
    let allowed = Kernel::new(body, 1, 2).allowed();
    let values = allowed.outcomes.iter().map(|outcome| match &outcome.permitted {
        Permitted::Completed { state } => words(&state.regions[0].region.bytes)[1],
        other => panic!("{other:?}"),
    });
    assert_eq!(values.collect::<Vec<_>>(), [0x8000_0000, 0]);
    // A number consults nothing.
    let body = "mov.f32 %f1, 0f3F800000; cvt.rzi.s64.f32 %d1, %f1; st.global.u64 [%out], %d1;";
    assert_eq!(Kernel::new(body, 1, 2).allowed().outcomes.len(), 1);
}

#[test]
fn a_negative_quotient_rounds_either_way() {
    // -7 / 2 = -3.5, the manual of rem: "depends on whether divide rounds towards zero or negative infinity".
    let body = "mov.s32 %r1, -7; div.s32 %r2, %r1, 2; rem.s32 %r3, %r1, 2; st.global.u32 [%out], %r2; st.global.u32 [%out+4], %r3;";
    let allowed = Kernel::new(body, 1, 2).allowed();
    let values = allowed.outcomes.iter().map(|outcome| match &outcome.permitted {
        Permitted::Completed { state } => words(&state.regions[0].region.bytes),
        other => panic!("{other:?}"),
    });
    let negative = |x: i32| x as u32;
    assert_eq!(values.collect::<Vec<_>>(), [vec![negative(-3), negative(-1)], vec![negative(-4), 1]]);
    for exact in ["-8; div.s32 %r2, %r1, 2", "7; rem.s32 %r2, %r1, 2", "-7; rem.s32 %r2, %r1, -2"] {
        let body = format!("mov.s32 %r1, {exact}; st.global.u32 [%out], %r2;");
        assert_eq!(Kernel::new(&body, 1, 1).allowed().outcomes.len(), 1, "{exact}");
    }
}
