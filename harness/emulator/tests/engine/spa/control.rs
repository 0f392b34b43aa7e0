//! Guards, branches, and where lanes meet again.

use super::kernel::{Spa, set, storing};

#[test]
fn loops() {
    // 1 + 2 + … + 10
    let body = "MOV R0, RZ;\nMOV32I R1, 0xa;\nagain:\nIADD R0, R0, R1;\nIADD R1, R1, -0x1;\nISETP.NE.AND P0, PT, R1, RZ, PT;\n\
                @P0 BRA again;\n"
        .to_owned()
        + &storing(&["R0"]);
    assert_eq!(Spa::new(&body, 1).words(), [55]);
}

// Odd threads take the branch; all meet at `SYNC`'s target, where each adds 100.
#[test]
fn lanes_part_and_meet() {
    let body =
        "MOV32I R2, 0x1;\nLOP.AND R1, R249, R2;\nISETP.NE.AND P0, PT, R1, RZ, PT;\nSSY meet;\n@P0 BRA odd;\n\
                MOV32I R0, 0x2;\nSYNC;\nodd:\nMOV32I R0, 0x3;\nSYNC;\nmeet:\nIADD R0, R0, 0x64;\n"
            .to_owned()
            + &storing(&["R0"]);
    assert_eq!(Spa::threads(&body, 4, 1).words(), [102, 103, 102, 103]);
}

// A loop that each thread leaves after as many rounds as its number.
#[test]
fn breaks() {
    let body = "PBK done;\nMOV R0, RZ;\nagain:\nISETP.GE.AND P0, PT, R0, R249, PT;\n@P0 BRK;\nIADD R0, R0, 0x1;\nBRA again;\ndone:\n"
        .to_owned()
        + &storing(&["R0"]);
    assert_eq!(Spa::threads(&body, 4, 1).words(), [0, 1, 2, 3]);
}

#[test]
fn guards() {
    let body = "ISETP.LT.AND P0, P1, R249, 0x2, PT;\nMOV R0, RZ;\n@P0 MOV32I R0, 0x1;\n@!P0 IADD R0, R0, 0x10;\n@P1 IADD R0, R0, 0x20;\n\
                @!PT MOV32I R0, 0xff;\n@PT IADD R0, R0, 0x100;\n"
        .to_owned()
        + &storing(&["R0"]);
    assert_eq!(Spa::threads(&body, 4, 1).words(), [0x101, 0x101, 0x130, 0x130]);
}

#[test]
fn what_has_no_end_or_no_target_is_unsupported() {
    let unsupported = |text: &str| {
        let spa = Spa::new("", 1).with_whole_text(text);
        spa.unsupported()
    };
    assert!(unsupported("MOV R0, RZ;").contains("no `EXIT`"));
    assert!(unsupported("CAL.NOINC there;\nthere:\nEXIT;").contains("not incremented"));
    assert!(unsupported("SSY c[0x0][0x0];\nEXIT;").contains("counted from"));
    assert!(unsupported("BPT.PAUSE;\nEXIT;").contains("a breakpoint of another kind"));
    assert!(unsupported("BRA CC.CSM_TA, 0x8;\nEXIT;").contains("a test of the clip state"));
    assert!(unsupported("S2R R0, SR_REGALLOC;\nEXIT;").contains("SR_REGALLOC"));
}

#[test]
fn constants_of_the_launch() {
    let body = "MOV R0, c[0x0][0x8];\nMOV R1, c[0x0][0xc];\nMOV R2, c[0x0][0x14];\nMOV R3, c[0x0][0x20];\n"
        .to_owned()
        + &storing(&["R0", "R1", "R2", "R3"]);
    assert_eq!(Spa::threads(&body, 2, 4).local(48).words()[..4], [2, 1, 1, 48]);
}

#[test]
fn registers_nobody_has_written_are_undefined() {
    let body = set("R1", 1) + "IADD R0, R1, R7;\n" + &storing(&["R0"]);
    assert_eq!(Spa::new(&body, 1).defined(), [0]);
}

/// "Bit per thread of a quad": the others keep what they have.
#[test]
fn a_move_may_concern_some_threads_of_each_quad() {
    let body = set("R4", 99)
        + &set("R5", 98)
        + "MOV R4, R249, 0x5;\nMOV32I R5, 0x7, 0x8;\n"
        + &storing(&["R4", "R5"]);
    let expected = [0, 98, 99, 98, 2, 98, 99, 7, 4, 98, 99, 98];
    assert_eq!(Spa::threads(&body, 6, 2).words(), expected);
}
