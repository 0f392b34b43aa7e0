//! Variables of `.const`, and such as have the attribute `.unified`.

use warpdiff_model::FaultClass;

use crate::kernel::Kernel;

const BANK: &str =
    ".const .u8 before[3] = {1, 2, 3};\n.const .u32 foo[2] = {42, 43};\n.const .u64 last = 5;\n";

/// The words that one thread finds in `%r1` and `%r2` after `body`.
fn found(body: &str) -> Vec<u32> {
    let body = format!("{body}\nst.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2;");
    Kernel::new(&body, 1, 2).outside(BANK).words()
}

/// "Within each window, a generic address maps to an address in the underlying state space by subtracting the window base from the
/// generic address" (PTX ISA 6.1.1).
#[test]
fn a_constant_has_an_offset_and_a_generic_address() {
    assert_eq!(found("mov.u64 %d1, foo; ld.const.u32 %r1, [%d1]; ld.const.u32 %r2, [%d1+4];"), [42, 43]);
    assert_eq!(
        found(
            "cvta.const.u64 %d1, foo; ld.u32 %r1, [%d1]; cvta.to.const.u64 %d1, %d1; ld.const.u32 %r2, [%d1+4];"
        ),
        [42, 43]
    );
    assert_eq!(
        found(
            "mov.u64 %d1, foo; cvta.const.u64 %d2, %d1; isspacep.const %p1, %d2; selp.u32 %r1, 1, 0, %p1; \
             isspacep.global %p1, %d2; selp.u32 %r2, 1, 0, %p1;"
        ),
        [1, 0]
    );
    // Above the 64 KiB of a bank the offset has no bits, so that 32 hold it.
    assert_eq!(
        found(
            "mov.u64 %d1, last; cvt.u32.u64 %r3, %d1; cvt.u64.u32 %d2, %r3; ld.const.u32 %r1, [%d2]; ld.const.u32 %r2, [%d2+4];"
        ),
        [5, 0]
    );
}

/// Nothing is said of what lies in the bank behind a variable; beyond the 64 KiB of it there is nothing.
#[test]
fn behind_a_constant_is_the_rest_of_the_bank() {
    let behind = |offset: u64| {
        let body = format!("mov.u64 %d1, last; ld.const.u32 %r1, [%d1+{offset}]; st.global.u32 [%out], %r1;");
        Kernel::new(&body, 1, 1).outside(BANK)
    };
    assert_eq!(behind(8).defined(), [0]);
    assert_eq!(behind(8).run().outcome.may[0].class, FaultClass::OutOfBounds);
    assert_eq!(behind(0x10000).faults()[0].class, FaultClass::OutOfBounds);
    let below = Kernel::new("mov.u64 %d1, before; ld.const.u8 %r1, [%d1+-1];", 1, 1).outside(BANK);
    assert_eq!(below.faults()[0].class, FaultClass::OutOfBounds);
    // Between two variables, and across the end of one.
    let within =
        |body: &str| Kernel::new(&format!("{body} st.global.u32 [%out], %r1;"), 1, 1).outside(BANK).defined();
    assert_eq!(within("mov.u64 %d1, before; ld.const.u32 %r1, [%d1];"), [0]);
    assert_eq!(within("mov.u64 %d1, foo; ld.const.u32 %r1, [%d1+4];"), [u32::MAX]);
}

/// "Constant memory is read-only", by a generic address too.
#[test]
fn a_constant_is_not_stored_to() {
    for store in ["st.u32 [%d1], 1;", "red.add.u32 [%d1], 1;"] {
        let kernel = Kernel::new(&format!("cvta.const.u64 %d1, foo; {store}"), 1, 1).outside(BANK);
        assert_eq!(kernel.faults()[0].class, FaultClass::InvalidSpace, "{store}");
    }
}

const UNIFIED: &str = ".global .attribute(.unified(19, 95)) .align 8 .u32 u[4] = {1, 2, 3, 4};\n";

/// "Variables with .unified attribute are read-only … otherwise the behavior is undefined" (PTX ISA 5.4.8): whatever changes one makes
/// the launch indeterminate, by name, by a pointer, by a generic address, in part and as a whole.
#[test]
fn a_unified_variable_is_not_changed() {
    let pointer = "mov.u64 %d1, u; mov.u32 %r1, 7; mov.u32 %r2, 8; mov.b64 %d2, 9;";
    for change in [
        "st.global.u32 [u], %r1;",
        "st.global.u32 [%d1], %r1;",
        "st.u32 [%d1+4], %r1;",
        "st.global.u8 [%d1+5], %r1;",
        "st.global.u64 [%d1], %d2;",
        "st.global.v2.u32 [%d1], {%r1, %r2};",
        "st.volatile.global.u32 [%d1], %r1;",
        "st.relaxed.gpu.global.u32 [%d1], %r1;",
        "atom.global.add.u32 %r3, [u], 1;",
        "atom.exch.b32 %r3, [%d1], %r1;",
        "atom.global.cas.b64 %d3, [%d1], 0, 1;",
        "red.global.or.b32 [%d1+12], 0;",
    ] {
        for threads in [1, 32] {
            let kernel = Kernel::new(&format!("{pointer} {change}"), threads, 1).outside(UNIFIED);
            let (place, origin) = kernel.indeterminate();
            assert!(
                origin.contains("`.unified` variable, which is read-only"),
                "{change}: {place}: {origin}"
            );
        }
    }
}

/// A load without the qualifier may give anything, and may fault; with it, it gives the value.
#[test]
fn a_unified_variable_is_loaded_with_the_qualifier() {
    let load = |load: &str| {
        Kernel::new(&format!("mov.u64 %d1, u; {load} st.global.u32 [%out], %r1;"), 1, 1).outside(UNIFIED)
    };
    for unqualified in ["ld.global.u32 %r1, [u];", "ld.global.u32 %r1, [%d1];", "ld.u32 %r1, [%d1];"] {
        assert_eq!(load(unqualified).defined(), [0], "{unqualified}");
        assert_eq!(load(unqualified).run().outcome.may[0].class, FaultClass::Unspecified, "{unqualified}");
    }
    assert_eq!(load("ld.global.u32 %r1, [u+4].unified;").words(), [2]);
    assert_eq!(load("ld.u32 %r1, [%d1+8].unified;").words(), [3]);
}
