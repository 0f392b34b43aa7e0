//! Programs as bundles of words.

use warpdiff_sass::{Control, Decoded, Mnemonic, disassemble, parse};

fn words(text: &str) -> Vec<u64> {
    parse(text).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}")).words()
}

#[test]
fn three_instructions_follow_their_control_word() {
    let words =
        words("LDS R0, [R1] &wr=0x0 ?WAIT2; IADD R2, R0, R3 &req={0} ?WAIT6; STS [R1], R2 &rd=0x3; EXIT;");
    assert_eq!(words.len(), 8);
    let slots = disassemble(&words).unwrap();
    // Fields from low to high: stall, flag, write barrier, read barrier, wait mask.
    let expected = [
        2 | 1 << 4 | 7 << 8,
        6 | 1 << 4 | 7 << 5 | 7 << 8 | 1 << 11,
        1 | 1 << 4 | 7 << 5 | 3 << 8,
        1 | 1 << 4 | 7 << 5 | 7 << 8,
    ];
    for (slot, bits) in slots.iter().zip(expected) {
        assert_eq!(slot.0, Control::from_bits(bits));
    }
    let text: Vec<_> = slots.iter().map(|(_, decoded)| decoded.text().unwrap()).collect();
    assert_eq!(text, ["LDS R0, [R1];", "IADD R2, R0, R3;", "STS [R1], R2;", "EXIT;", "NOP;", "NOP;"]);
    assert!(disassemble(&words[..7]).is_none());
}

#[test]
fn an_unscheduled_program_waits_for_all_that_is_pending() {
    let slots = disassemble(&words(
        "S2R R0, SR_TID.X; LDS R1, [R0]; STS [R0 + 4], R1; ATOMS.ADD RZ, [R0], R1; EXIT;",
    ))
    .unwrap();
    let mut pending = 0;
    for (control, decoded) in slots.iter().take(5) {
        assert_eq!(control.wait & pending, pending, "{decoded:?}");
        pending = 0;
        for barrier in [control.write_barrier, control.read_barrier] {
            if barrier < 6 {
                pending |= 1 << barrier;
            }
        }
        let Decoded::Legal(instruction) = decoded else { panic!("{decoded:?}") };
        // All but EXIT take a time that only a barrier tells.
        assert_eq!(pending == 0, instruction.form.mnemonic == Mnemonic::EXIT);
    }
}

#[test]
fn one_annotation_makes_the_schedule_explicit() {
    let slots = disassemble(&words("LDS R0, [R1] ?WAIT4; LDS R2, [R0];")).unwrap();
    assert_eq!(slots[1].0, Control::default());
    assert_eq!(slots[1].0.wait, 0);
}
