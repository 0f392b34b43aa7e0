//! Programs of SPA 5.0: what goes, and what stays where the mismatch needs it.

use warpdiff_reducer::instructions;

use super::{Place, signature};

/// A case with a program of SPA 5.0 that has eight threads and two buffers.
fn case(body: &str) -> String {
    let statements: String = body.lines().map(|line| format!("    {}\n", line.trim())).collect();
    format!(
        "- case: found\n  why: a test\n  program: |\n    .spa 5.0\n    .shader compute\n    .registers 24\n    .shared 64\n    .local 0\n{statements}  launch:\n    entry: k\n    grid: [2, 1, 1]\n    block: [4, 1, 1]\n    arguments: [{{buffer: data}}, {{buffer: out}}]\n  buffers:\n    data: {{type: b32, values: sequence, count: 16}}\n    out: {{type: b32, values: zero, count: 8}}\n"
    )
}

/// Addresses of a word of `data` and of `out` for each thread, a loop, a guard that holds, and a byte that is read back.
const BYTE: &str = "S2R R0, SR_CTAID.X;
    S2R R1, SR_TID.X;
    XMAD R0, R0, 0x4, R1;
    SHL R11, R0, 0x2;
    SHL R1, R1, 0x2;
    IADD R2.CC, R11, c[0x0][0x140];
    IADD.X R3, RZ, c[0x0][0x144];
    IADD R4.CC, R11, c[0x0][0x148];
    IADD.X R5, RZ, c[0x0][0x14c];
    MOV32I R6, 0x3;
    again:
    IADD R6, R6, -0x1;
    ISETP.NE.AND P0, PT, R6, RZ, PT;
    @P0 BRA `(again);
    LDG.E R7, [R2];
    IADD R8, R7, 0x80;
    @!P0 STS [R1], R8;
    LDS.U8 R10, [R1];
    STG.E [R4], R10;
    EXIT;";

#[test]
fn instructions_of_spa_go_with_their_loops_guards_and_threads() {
    let place = Place::new();
    let text = case(BYTE);
    let found = place.write("found.yaml", &text);
    let against = "emulator+spa.narrow-sign-extended";
    let (launch, reduced) = place.reduced(&found, against);
    assert!(signature(&reduced).starts_with("LDS.U8: "), "{reduced}");
    // The address of the result, a byte, a store and the load of it, and the store of the result; `EXIT`.
    assert!(instructions(&launch).expect("a program") <= 7, "{reduced}");
    assert_eq!((launch.grid, launch.block), ([1; 3], [1; 3]), "{reduced}");
    for gone in ["again", "BRA", "ISETP", "S2R", "LDG", "@"] {
        assert!(!launch.program.contains(gone), "{gone}: {reduced}");
    }
    assert!(place.is_wrong(&reduced, against));
    assert!(!place.is_wrong(&reduced, "emulator"));
}
