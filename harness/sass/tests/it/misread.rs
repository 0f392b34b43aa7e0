//! Each misreading as the instruction that is written and the one that it is taken for.

use warpdiff_model::{Deviation as D, Semantics};
use warpdiff_sass::misread::{by_rows, of};
use warpdiff_sass::program::Program;
use warpdiff_sass::{Header, compile};

fn program(lines: &str) -> Program {
    let text = format!(".spa 5.0\n.registers 16\n.shared 64\n.local 16\n{lines}\nEXIT;\n");
    compile(&text, &Header::default()).unwrap_or_else(|errors| panic!("{lines}: {errors:?}"))
}

/// The instructions of a program as text, under a deviation.
fn read(lines: &str, deviation: D) -> Vec<String> {
    let written = program(lines);
    let misread = of(&written, &Semantics::default().with(deviation));
    let misread = misread.unwrap_or_else(|| panic!("{deviation} is no misreading of {lines}"));
    misread.statements.iter().map(|statement| statement.instruction.to_string()).collect()
}

/// The deviation, a line, and what it is misread as.
const TOLD: &[(D, &str, &str)] = &[
    (D::SpaMinMaxSwapped, "ATOMS.MIN.S32 R0, [R1], R2;", "ATOMS.MAX.S32 R0, [R1], R2;"),
    (D::SpaAndOrSwapped, "ATOMS.OR R0, [R1], R2;", "ATOMS.AND R0, [R1], R2;"),
    (D::SpaIncDecSwapped, "ATOMS.INC R0, [R1], R2;", "ATOMS.DEC R0, [R1], R2;"),
    (D::SpaAtomsSignedByDefault, "ATOMS.MAX R0, [R1], R2;", "ATOMS.MAX.S32 R0, [R1], R2;"),
    (D::SpaAtomsSizeLowBit, "ATOMS.EXCH.U64 R4, [R1], R2;", "ATOMS.EXCH R4, [R1], R2;"),
    (D::SpaMinMaxLoopReversed, "ATOMS.MIN.S32 R0, [R1], R2;", "ATOMS.OR.S32 R0, [R1], RZ;"),
    (D::SpaExchDropped, "ATOMS.EXCH RZ, [R1], R2;", "ATOMS.OR RZ, [R1], RZ;"),
    (D::SpaAtomsOpIgnored, "@P0 ATOMS.EXCH R3, [R1], R2;", "@P0 MOV R3, RZ;"),
    (D::SpaCasComparesRc, "ATOMS.CAS R0, [R1], R2, R3;", "ATOMS.CAS R0, [R1], R3, R2;"),
    (D::SpaCasOwnField, "ATOMS.CAST R1, [R1], R2, R3;", "ATOMS.CAST R1, [R1], R2, R0;"),
    (D::SpaCasWideNext, "ATOMS.CAS.64 R0, [R1], R4, R6;", "ATOMS.CAS.64 R0, [R1], R4, R5;"),
    (D::SpaAtomsAddressZero, "ATOMS.ADD R0, [R1+0x8], R2;", "ATOMS.ADD R0, [RZ], R2;"),
    (D::SpaAtomsOffsetUnscaled, "ATOMS.ADD R0, [R1+-0x8], R2;", "ATOMS.ADD R0, [R1+-0x2], R2;"),
    (D::SpaAbsoluteLowHalf, "LDS R0, [0x12348];", "LDS R0, [0x2348];"),
    (D::SpaNarrowSigned, "LDL.U16 R0, [R1];", "LDL.S16 R0, [R1];"),
    (D::SpaWideAsWord, "LDS.U.128 R0, [R4];", "LDS.U.32 R0, [R4];"),
    (D::SpaLdsAsSts, "@!P1 LDS.64 R2, [R4+0x8];", "@!P1 STS.64 [R4+0x8], R2;"),
    (D::SpaLoadOffsetInWords, "LDS R0, [R1+-0x8];", "LDS R0, [R1+-0x20];"),
    (D::SpaCasWideAsWord, "ATOMS.CAST.64 R0, [R1], R4, R6;", "ATOMS.CAST R0, [R1], R4, R6;"),
    (D::SpaCasZeroNext, "ATOMS.CAS R0, [R1], R2, RZ;", "ATOMS.CAS R0, [R1], R2, R3;"),
    (D::SpaGuardIgnored, "@P0 LDS R0, [R1];", "LDS R0, [R1];"),
    (D::SpaGuardNegationIgnored, "@!P0 STS [R1], R0;", "@P0 STS [R1], R0;"),
];

#[test]
fn each_row_reads_an_instruction_as_another() {
    for (deviation, line, other) in TOLD {
        assert_eq!(read(line, *deviation)[0], *other, "{deviation}");
        assert!(of(&program(line), &Semantics::default()).is_none());
    }
    for row in by_rows() {
        assert!(TOLD.iter().any(|(deviation, ..)| *deviation == row), "{row}");
    }
}

#[test]
fn what_a_row_does_not_concern_stays() {
    for (deviation, line) in [
        (D::SpaAtomsSignedByDefault, "ATOMS.ADD R0, [R1], R2;"),
        (D::SpaLoadOffsetInWords, "LDS R0, [0x8];"),
        (D::SpaCasZeroNext, "ATOMS.CAS R0, [R1], R2, R3;"),
        (D::SpaExchDropped, "ATOMS.EXCH R0, [R1], R2;"),
        (D::SpaCasOwnField, "ATOMS.CAS R0, [R1], R2, RZ;"),
        (D::SpaCasWideNext, "ATOMS.CAS R0, [R1], R2, R3;"),
        (D::SpaAbsoluteLowHalf, "LDS R0, [R1+0x12348];"),
        (D::SpaGuardNegationIgnored, "@!PT LDS R0, [R1];"),
    ] {
        assert!(of(&program(line), &Semantics::default().with(deviation)).is_none(), "{deviation}");
    }
}

#[test]
fn the_zero_register_holds_what_was_written_to_it() {
    let lines = "LDS R1, [0x8];\nLDS RZ, [0x4];\nMOV R2, RZ;\nLDS R3, [0x8];\nATOMS.ADD RZ, [R1], RZ;";
    let read = read(lines, D::SpaRzWritten);
    let expected = [
        "LDS R1, [0x8];",
        "LDS R16, [0x4];",
        "MOV R2, RZ;",
        "LDS R3, [R16+0x8];",
        "ATOMS.ADD R16, [R1], R16;",
    ];
    assert_eq!(read[..5], expected);
}

#[test]
fn sizes_count_words_or_are_rounded_up() {
    let sizes = |deviation| {
        let header = of(&program("NOP;"), &Semantics::default().with(deviation)).unwrap().header;
        (header.shared, header.local)
    };
    assert_eq!(sizes(D::SpaSizeInWords), (256, 64));
    assert_eq!(sizes(D::SpaSizeRounded), (256, 256));
}
