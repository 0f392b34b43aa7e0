//! `S2R`, `CS2R`.

use super::kernel::{Spa, storing};

#[test]
fn the_place_of_the_thread() {
    // (x, y, z) of a block of 2 × 2 × 2, packed: x | y << 16 | z << 26.
    let body = "S2R R4, SR_TID;\nS2R R5, SR_TID.X;\nS2R R6, SR_TID.Y;\nS2R R7, SR_TID.Z;\nSHL R6, R6, 0x1;\nSHL R7, R7, 0x2;\nIADD3 R5, R5, R6, R7;\n\
                SHL R5, R5, 0x2;\nIADD R252, R250, R5;\nMOV R253, R251;\n"
        .to_owned()
        + &storing(&["R4"]);
    let mut spa = Spa::threads(&body, 8, 1);
    spa.launch.block = [2, 2, 2];
    let words = spa.words();
    let expected = [0, 1, 0x1_0000, 0x1_0001, 0x400_0000, 0x400_0001, 0x401_0000, 0x401_0001];
    assert_eq!(words, expected);
}

// %smid is bits 28:20 of VIRTID, %warpid bits 13:8, %nsmid bits 28:20 of VIRTCFG: so ptxas 12.9 takes them apart. They are numbers
// that nobody may rely on; all other bits are unknown.
#[test]
fn what_nobody_may_rely_on() {
    let body = "S2R R4, SR_VIRTID;\nS2R R5, SR_VIRTCFG;\nCS2R R6, SR_CLOCKLO;\nCS2R R7, SR_GLOBALTIMERHI;\n"
        .to_owned()
        + &storing(&["R4", "R5", "R6", "R7"]);
    let spa = Spa::new(&body, 4);
    assert_eq!(spa.defined(), [0x1ff0_3f00, 0x1ff0_0000, 0xffff_ffff, 0xffff_ffff]);
    let state = spa.state();
    let unordered: Vec<u32> = crate::kernel::words(&state.regions[0].unordered);
    assert_eq!(unordered, [0x1ff0_3f00, 0x1ff0_0000, 0xffff_ffff, 0xffff_ffff]);
}
