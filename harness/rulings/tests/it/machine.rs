//! SPA 5.0: a, b and c are R0, R1 and R2, and the word at 0x10 of shared memory is c, too.

use std::collections::BTreeSet;
use std::sync::Arc;

use warpdiff_emulator::{Checked, compile};
use warpdiff_model::Launch;
use warpdiff_rulings::Ruling::{self, *};
use warpdiff_rulings::{Rulings, combinations, form_of_machine};

use crate::look::differing;

/// The words, an instruction, and all rulings that decide it.
type Example = ([u32; 3], &'static str, &'static [Ruling]);

const MINUS_ONE: u32 = 0xffff_ffff;

const ARITHMETIC: &[Example] = &[
    ([1, 2, 0], "IADD R4, R0, R1;", &[]),
    // 2^31 is no signed word.
    ([0x7fff_ffff, 1, 0], "IADD R4, R0, R1;", &[IntegerOverflows]),
    // 2^32 is no word; as signed numbers -1 + 1 is 0.
    ([MINUS_ONE, 1, 0], "IADD R4, R0, R1;", &[IntegerCarries, IntegerZero]),
    ([0x7fff_ffff, 1, 0], "IADD.SAT R4, R0, R1;", &[IntegerSaturates]),
    ([5, 5, 0], "IADD R4, R0, -R1;", &[IntegerZero]),
    // 2 - 3 borrows, and so does it the other way round.
    ([2, 3, 0], "IADD R4, R0, -R1;", &[IntegerCarries]),
    ([3, 2, 0], "IADD R4, -R0, R1;", &[IntegerCarries]),
    ([2, 3, 0], "IADD R4, -R0, R1;", &[]),
    // 0 - (-2^31) is 2^31.
    ([0x8000_0000, 0, 0], "IADD.SAT R4, -R0, R1;", &[IntegerSaturates]),
    ([0, 0x8000_0000, 0], "IADD.SAT R4, R0, -R1;", &[IntegerSaturates]),
    ([0x8000_0000, MINUS_ONE, 0], "IADD.SAT R4, -R0, R1;", &[]),
    ([MINUS_ONE, 1, 0], "IADD3 R4, R0, R1, R2;", &[IntegerCarries, IntegerZero]),
    ([0x7fff_fff0, 8, 8], "IADD3 R4, R0, R1, R2;", &[IntegerOverflows]),
    ([1, 0, 0], "SHL R4, R0, R1;", &[ShiftByZero]),
    ([1, 31, 0], "SHL R4, R0, R1;", &[]),
    ([1, 32, 0], "SHL R4, R0, R1;", &[ShiftOver, IntegerZero]),
    ([MINUS_ONE, 40, 0], "SHR R4, R0, R1;", &[ShiftOver]),
    ([5, 2, 0], "LOP.AND R4, R0, R1;", &[IntegerZero]),
    ([5, 2, 0], "LOP.OR R4, R0, R1;", &[]),
    ([2, 3, 0], "IMUL R4, R0, R1;", &[]),
    // 2^31: a word without a sign.
    ([0x1_0000, 0x8000, 0], "IMUL R4, R0, R1;", &[IntegerOverflows]),
    ([0x1_0000, 0x8000, 0], "IMUL.U32.U32 R4, R0, R1;", &[]),
    ([2, 3, 0], "IMUL.HI R4, R0, R1;", &[IntegerZero]),
    // The upper word of -1 has its sign alone; that of 0x1fffffffe is 1, and that of 2^40 is 2^8.
    ([MINUS_ONE, 1, 0], "IMUL.HI R4, R0, R1;", &[FactorNegative]),
    ([MINUS_ONE, 2, 0], "IMUL.U32.U32.HI R4, R0, R1;", &[ProductUpper]),
    ([MINUS_ONE, 2, 0], "IMUL.S32.U32.HI R4, R0, R1;", &[FactorNegative]),
    ([0x10_0000, 0x10_0000, 0], "IMUL.HI R4, R0, R1;", &[ProductUpper]),
    ([3, 4, 5], "XMAD R4, R0, R1, R2;", &[]),
    ([1, 1, MINUS_ONE], "XMAD R4, R0, R1, R2;", &[IntegerCarries, IntegerZero]),
    // The lower half is -1, or 65535.
    ([0xffff, 1, 0], "XMAD.S16.S16 R4, R0, R1, R2;", &[FactorNegative]),
    ([0xffff, 1, 0], "XMAD R4, R0, R1, R2;", &[]),
    // Its upper half is 0.
    ([0xffff, 1, 7], "XMAD.S16.S16 R4, R0.H1, R1, R2;", &[]),
];

/// SPA 5.0, `ATOMS`.
const ATOMICS: &[Example] = &[
    // "(M >= Rb) ? 0 : (M + 1)"
    ([5, 0, 5], "ATOMS.INC R4, [0x10], R0;", &[AtomicChanges, IncrementWraps]),
    ([6, 0, 5], "ATOMS.INC R4, [0x10], R0;", &[AtomicChanges]),
    // "(M == 0 || M > Rb) ? Rb : M - 1"
    ([6, 0, 0], "ATOMS.DEC R4, [0x10], R0;", &[AtomicChanges, DecrementWraps]),
    ([6, 0, 7], "ATOMS.DEC R4, [0x10], R0;", &[AtomicChanges, DecrementWraps]),
    ([6, 0, 6], "ATOMS.DEC R4, [0x10], R0;", &[AtomicChanges]),
    // Without a sign 2^31 is in its range, with one it is not.
    ([1, 0, 0x7fff_ffff], "ATOMS.ADD R4, [0x10], R0;", &[AtomicChanges]),
    ([1, 0, 0x7fff_ffff], "ATOMS.ADD.S32 R4, [0x10], R0;", &[AtomicChanges, AtomicCarries]),
    ([1, 0, MINUS_ONE], "ATOMS.ADD R4, [0x10], R0;", &[AtomicChanges, AtomicCarries]),
    ([3, 0, 5], "ATOMS.MAX R4, [0x10], R0;", &[AtomicKeeps]),
    // "if (M == Rb) M = Rc"
    ([5, 9, 5], "ATOMS.CAS R4, [0x10], R0, R1;", &[AtomicChanges, CompareMatches]),
    ([4, 9, 5], "ATOMS.CAS R4, [0x10], R0, R1;", &[AtomicKeeps, CompareFails]),
    ([5, 9, 5], "ATOMS.CAST R4, [0x10], R0, R1;", &[AtomicChanges, CompareMatches]),
];

/// The rulings that decided the instruction of that text.
fn all([a, b, c]: [u32; 3], text: &str) -> BTreeSet<Ruling> {
    let program = format!(
        ".spa 5.0\n.registers 8\n.shared 64\nMOV32I R0, {a:#x};\nMOV32I R1, {b:#x};\nMOV32I R2, {c:#x};\nSTS [0x10], R2;\n{text}\nEXIT;\n"
    );
    let launch = Launch::new(Arc::from(program), "main");
    let compiled = compile(&launch.program).unwrap_or_else(|error| panic!("{error}\n{}", launch.program));
    let Checked::Spa(machine) = &compiled.checked else { panic!("it is machine code") };
    let form = form_of_machine(&machine.statements[4].instruction);
    let found =
        combinations(&compiled, &launch).unwrap_or_else(|error| panic!("{error}\n{}", launch.program));
    found.into_iter().filter(|it| it.form == form).map(|it| it.rulings).flat_map(Rulings::iter).collect()
}

#[test]
fn what_decides_sums_products_and_shifts_of_words() {
    let wrong: Vec<String> = ARITHMETIC
        .iter()
        .filter_map(|(words, text, expected)| differing(all(*words, text), expected, text))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_an_atomic_of_shared_memory_finds() {
    let found = ATOMICS.iter().filter_map(|(words, text, expected)| {
        differing(all(*words, text), &[&[MemoryShared], *expected].concat(), text)
    });
    let wrong: Vec<String> = found.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_modifiers_of_machine_code_are_part_of_its_form() {
    let form = |text: &str| {
        let program = format!(".spa 5.0\n.registers 8\n{text}\nEXIT;\n");
        let compiled = compile(&Arc::from(program)).unwrap_or_else(|error| panic!("{error}"));
        let Checked::Spa(machine) = &compiled.checked else { panic!("it is machine code") };
        form_of_machine(&machine.statements[0].instruction)
    };
    let forms = [
        "LDS R0, [0x10];",
        "LDS.U8 R0, [0x10];",
        "LDL R0, [0x10];",
        "IMUL R0, R1, R2;",
        "IMUL.HI R0, R1, R2;",
    ];
    let different: BTreeSet<u64> = forms.iter().map(|text| form(text)).collect();
    assert_eq!(different.len(), forms.len());
    // What caches alone see is none.
    assert_eq!(form("LDL R0, [0x10];"), form("LDL.LU R0, [0x20];"));
}
