//! Assembler text: the examples and rules of the LDL, LDS and ATOMS pages of SPA 5.0, and the disassembler's spelling.

use proptest::prelude::*;
use warpdiff_sass::table::FORMS;
use warpdiff_sass::{
    Authority, Decoded, Header, Operand, Register, ShaderType, compile, compile_by, decode, encode, parse,
};

/// The word of one statement.
fn word(text: &str) -> u64 {
    let program = parse(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"));
    assert_eq!(program.statements.len(), 1, "{text}");
    encode(&program.statements[0].instruction)
}

/// The first message about a text, with what was expected.
fn rejection(text: &str) -> (String, String) {
    rejection_under(text, &Header::default())
}

fn rejection_under(text: &str, header: &Header) -> (String, String) {
    let diagnostics = compile(text, header).expect_err(text);
    (diagnostics[0].message.clone(), diagnostics[0].expected.clone().unwrap_or_default())
}

fn accepted(text: &str) {
    if let Err(diagnostics) = compile(text, &Header::default()) {
        panic!("{text}: {diagnostics:?}");
    }
}

#[test]
fn the_examples_of_the_pages_have_their_words() {
    // Built by hand from the fields: opcode, size, offset, predicate 7, Ra, Rd (and Rb in 27:20).
    let examples = [
        ("LDL.32 R0, [R1 - 0x004];", 0xef44_0fff_ffc7_0100),
        ("LDS.32 R0, [R1 + 424];", 0xef4c_0000_1a87_0100),
        ("LDS.32 R0, [424]; // absolute address 424 within Shared window", 0xef4c_0000_1a87_ff00),
        // -400 / 4 = -100 = 0x3fff9c in 22 bits, at bit 30; size 1 at bit 28; Rb = 9.
        ("ATOMS.ADD.S32 R0, [R1 - 400], R9;", 0xec0f_ffe7_1097_0100),
        ("ATOMS.MIN.U32 R0, [R4 + 8], R2;", 0xec10_0000_8027_0400),
        ("ATOMS.ADD.U32 R9, [0x10], R8; # absolute 24-bit address", 0xec00_0001_0087_ff09),
        ("ATOMS.CAS.U64 R0, [R4 + 8], R4, R6; # R4 is Reg4 aligned, Rc=Rb+2", 0xee50_0000_8047_0400),
    ];
    for (text, expected) in examples {
        accepted(text);
        assert_eq!(word(text), expected, "{text}");
    }
}

#[test]
fn the_last_example_of_the_atoms_page_breaks_the_page_s_own_rule() {
    // "in ATOMS.CAS/.CAST.32 … Rc must be Rb+1 or RZ", and the example of 32 bits has R4 and R6.
    let (message, expected) = rejection("ATOMS.CAST.SPIN.U32 R0, [R4 + 0x18], R4, R6;");
    assert_eq!(
        (message.as_str(), expected.as_str()),
        ("Rc is R6, which does not follow Rb", "register Rb+1 or RZ")
    );
    accepted("ATOMS.CAST.SPIN.U32 R0, [R4 + 0x18], R4, R5;");
    accepted("ATOMS.CAST.SPIN.U64 R0, [R4 + 0x18], R4, R6;");
}

#[test]
fn what_nvdisasm_prints_is_text_of_the_same_word() {
    let tables = [
        include_str!("../nvdisasm/decode.tsv"),
        include_str!("../nvdisasm/bitflips.tsv"),
        include_str!("../nvdisasm/random.tsv"),
        include_str!("../nvdisasm/instructions.tsv"),
        include_str!("../nvdisasm/forms.tsv"),
        include_str!("../nvdisasm/pairs.tsv"),
        include_str!("../nvdisasm/arithmetic.tsv"),
        include_str!("../nvdisasm/float_sets.tsv"),
        include_str!("../nvdisasm/half.tsv"),
        include_str!("../nvdisasm/imad32i.tsv"),
        include_str!("../nvdisasm/quad_lanes.tsv"),
    ];
    let mut assembled = 0;
    for row in tables.iter().flat_map(|table| table.lines().skip(1)) {
        let cells: Vec<&str> = row.split('\t').collect();
        match cells[4] {
            "printed" => {
                let Decoded::Legal(mut instruction) = decode(hex(cells[2])) else { panic!("{row}") };
                instruction.ignored = 0;
                // One spelling stands for every NaN.
                if cells[3].contains("QNAN") {
                    assert_eq!(decode(word(cells[3])).text(), Some(instruction.to_string()), "{row}");
                } else {
                    assert_eq!(word(cells[3]), encode(&instruction), "{row}");
                }
                assembled += 1;
            }
            "illegal" => assert!(parse(cells[3]).is_err(), "{row}"),
            _ => {}
        }
    }
    assert!(assembled > 4000, "only {assembled} rows");
}

#[test]
fn other_instructions_of_compiled_kernels_are_never_misread() {
    // The suffix `.reuse`, and `.T` and `.P` of textures, are of the control field, which a word does not have.
    let mut decoded = 0;
    for row in include_str!("../nvdisasm/compiled_rest.tsv").lines().skip(1) {
        let (encoding, text) = row.split_once('\t').expect("two columns");
        let Decoded::Legal(instruction) = decode(hex(encoding)) else { panic!("{row}") };
        let of_word = text.replace(".reuse", "").replace("TXQ.P ", "TXQ ").replace("TXQ.T ", "TXQ ");
        assert_eq!(instruction.to_string(), of_word, "{row}");
        assert_eq!(word(text), hex(encoding), "{row}");
        decoded += 1;
    }
    assert_eq!(decoded, 2801, "the table was cut");
}

#[test]
fn floating_point_of_compiled_programs_is_read_as_the_same_word() {
    let mut rows = 0;
    for row in include_str!("../nvdisasm/compiled_float.tsv").lines().skip(1) {
        let (encoding, text) = row.split_once('\t').expect("two columns");
        let Decoded::Legal(instruction) = decode(hex(encoding)) else { panic!("{row}") };
        assert_eq!(instruction.to_string(), text, "{row}");
        if !text.contains("QNAN") {
            assert_eq!(word(text), hex(encoding), "{row}");
        }
        rows += 1;
    }
    assert!(rows > 195, "only {rows} rows");
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a word in hex")
}

#[test]
fn memory_instructions_of_compiled_kernels_are_accepted() {
    let mut families = std::collections::BTreeSet::new();
    for row in include_str!("../nvdisasm/compiled.tsv").lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        accepted(cells[2]);
        assert_eq!(word(cells[2]), hex(cells[1]), "{row}");
        assert_eq!(decode(hex(cells[1])).text().unwrap(), cells[2].replace(".reuse", ""), "{row}");
        families.insert(
            cells[2]
                .trim_start_matches(|c: char| c != 'L' && c != 'A' && c != 'S')
                .split(['.', ' '])
                .next()
                .unwrap(),
        );
    }
    assert_eq!(families.into_iter().collect::<Vec<_>>(), ["ATOMS", "LDL", "LDS", "STL", "STS"]);
}

#[test]
fn defaults_and_aliases_are_the_words_of_what_they_stand_for() {
    assert_eq!(word("XMAD.U16.U16 R0, R1, R2, RZ;"), word("XMAD R0, R1, R2, RZ;"));
    for (short, long) in [
        ("LDL R2, [R1];", "LDL.CA.32 R2, [R1 + 0];"),
        ("LDL.CS.64 R2, [R1];", "LDL.CA.64 R2, [R1];"),
        ("LDS.U R2, [R1];", "LDS.U.32 R2, [R1];"),
        ("LDS R2, [RZ + 4];", "LDS.32 R2, [4];"),
        ("ATOMS.ADD R2, [R1], R3;", "ATOMS.ADD.U32 R2, [R1], R3;"),
        ("ATOMS.ADD.32 R2, [R1], R3;", "ATOMS.ADD.U32 R2, [R1], R3;"),
        ("ATOMS.EXCH.64 R2, [R1], R4;", "ATOMS.EXCH.U64 R2, [R1], R4;"),
        ("ATOMS.CAS.64 R2, [R1], R4, R6;", "ATOMS.CAS.U64 R2, [R1], R4, R6;"),
        ("ATOMS.CAS.S32 R2, [R1], R4, R5;", "ATOMS.CAS R2, [R1], R4, R5;"),
        ("LDL R2, [R1 - 8];", "LDL R2, [R1 + -8];"),
        ("@PT LDL R2, [R1];", "LDL R2, [R1];"),
    ] {
        accepted(short);
        assert_eq!(word(short), word(long), "{short} and {long}");
    }
    assert_ne!(word("@!PT LDL R2, [R1];"), word("LDL R2, [R1];"));
}

#[test]
fn products_have_the_signs_of_their_factors() {
    // By hand: 0x5c38 on top, Rd, Ra, the guard, Rb at bit 20; bit 39 is HI, 40 and 41 are the signs of Ra and Rb.
    assert_eq!(word("IMUL.U32.S32.HI R1, R2, R3;"), 0x5c38_0280_0037_0201);
    assert_eq!(word("IMUL R1.CC, R2, c[0x1][0x8];"), 0x4c38_8304_0027_0201);
    assert_eq!(word("IMUL.S32.S32 R1, R2, R3;"), word("IMUL R1, R2, R3;"));
    // Of 32 bits the number is at bit 20, HI bit 53, the signs 54 and 55.
    assert_eq!(word("IMUL32I R1, R2, -0x2;"), 0x1fcf_ffff_ffe7_0201);
    assert_eq!(word("IMUL32I.U32.U32.HI R1, R2, 0x3;"), 0x1f20_0000_0037_0201);
}

#[test]
fn compare_and_new_value_are_rb_and_rc() {
    let program = parse("ATOMS.CAS R0, [R2], R4, RZ;").unwrap();
    let operands = &program.statements[0].instruction.operands;
    assert_eq!(operands[2..], [Operand::Register(Register(4)), Operand::Register(Register::RZ)]);
}

#[test]
fn offsets_keep_to_24_bits() {
    accepted("LDL.U8 R0, [R1 + 0x7fffff];");
    accepted("LDL.U8 R0, [R1 - 0x800000];");
    accepted("LDS.U8 R0, [0xffffff];");
    accepted("ATOMS.ADD R0, [0xfffffc], R1;");
    for text in [
        "LDL R0, [R1 + 0x800000];",
        "LDL R0, [R1 - 0x800001];",
        "LDS R0, [0x1000000];",
        "LDS R0, [RZ - 4];",
        "STL [R1 + 0x800000], R0;",
    ] {
        let (message, expected) = rejection(text);
        assert!(message.starts_with("offset ") && message.ends_with(" does not fit"), "{text}: {message}");
        assert!(expected.contains("24 bits"), "{text}: {expected}");
    }
    assert_eq!(
        rejection("LDS R0, [R1 + 0xffffffffffffffffffff];").0,
        "`0xffffffffffffffffffff` is too large a number"
    );
}

#[test]
fn low_bits_of_atoms_offsets_are_zero() {
    // "The low 2 bits of the ImmS24 or ImmU24 must always be zero."
    for text in
        ["ATOMS.ADD R0, [R1 + 2], R3;", "ATOMS.CAS R0, [0x11], R4, R5;", "ATOMS.ADD R0, [R1 - 1], R3;"]
    {
        assert_eq!(rejection(text).1, "a multiple of 4", "{text}");
    }
    accepted("LDS.U8 R0, [R1 + 1];");
}

#[test]
fn pairs_are_aligned_and_consecutive() {
    for (text, message) in [
        ("ATOMS.CAS R0, [R2], R5, R6;", "Rb of a compare-and-swap of 32 bits is R5"),
        ("ATOMS.CAS.64 R0, [R2], R6, R8;", "Rb of a compare-and-swap of 64 bits is R6"),
        ("ATOMS.CAST R0, [R2], RZ, R4;", "Rb of a compare-and-swap is RZ"),
        ("ATOMS.CAS R0, [R2], RZ, RZ;", "Rb of a compare-and-swap is RZ"),
        ("ATOMS.CAS.64 R0, [R2], R4, R5;", "Rc is R5, which does not follow Rb"),
        ("ATOMS.CAS R0, [R2], R254, R0;", "Rc is R0, which does not follow Rb"),
    ] {
        assert_eq!(rejection(text).0, message, "{text}");
    }
    accepted("ATOMS.CAST.SPIN.64 R2, [R2], R8, RZ;");
    // "Typed bit size of memory and Rd": as ptxas has it, `ATOMS.CAST.SPIN.64 R14, [R29], R12, R14`.
    assert_eq!(
        rejection("ATOMS.CAST.SPIN.64 R1, [R2], R8, RZ;"),
        ("Rd is R1, and its 2 registers are not aligned".into(), "R2n".into())
    );
    let two = Header { registers: 15, ..Header::default() };
    assert_eq!(
        rejection_under("ATOMS.CAST.64 R14, [R2], R12, RZ;", &two).0,
        "Rd reaches R15, and the program has 15 registers"
    );
}

#[test]
fn pages_and_encoder_part_where_the_pages_are_silent_or_stricter() {
    let by = |text: &str, authority| compile_by(text, &Header::default(), authority).is_ok();
    for (text, pages, encoder) in [
        ("LDS.U R0, [0x8];", false, true),
        ("LDS.U.128 R0, [16];", false, true),
        ("LDS.U R0, [RZ + 0x8];", true, true),
        ("LDS.U R0, [RZ];", true, true),
        ("LDS.U R0, [R1];", true, true),
        ("LDS R0, [0x8];", true, true),
        ("LDS.64 R1, [R4];", true, false),
        ("LDL.128 R2, [R4];", true, false),
        ("ATOMS.EXCH.U64 R1, [R4], R6;", true, false),
        ("ATOMS.EXCH.U64 R0, [R4], R7;", true, false),
        ("ATOMS.CAS.64 R1, [R4], R8, R10;", true, false),
        ("ATOMS.CAST.64 R1, [R4], R8, R10;", true, false),
        ("ATOMS.CAS.64 R0, [R4], R6, R8;", false, false),
        ("ATOMS.INC.S32 R0, [R4], R6;", false, false),
    ] {
        assert_eq!((by(text, Authority::Pages), by(text, Authority::Encoder)), (pages, encoder), "{text}");
    }
    // Only what is written counts: an instruction that comes from words has no address without a register.
    let program = parse("LDS.U R0, [0x8]; EXIT;").unwrap();
    let again = warpdiff_sass::Program::from_words(&program.words()).unwrap();
    assert!(warpdiff_sass::check(&again, &again.header, Authority::Pages).is_empty());
}

#[test]
fn wide_results_are_aligned() {
    assert_eq!(
        rejection("LDL.64 R1, [R4];"),
        ("Rd is R1, and its 2 registers are not aligned".into(), "R2n".into())
    );
    assert_eq!(
        rejection("LDS.U.128 R2, [R4];"),
        ("Rd is R2, and its 4 registers are not aligned".into(), "R4n".into())
    );
    assert_eq!(rejection("ATOMS.EXCH.U64 R0, [R4], R3;").1, "R2n");
    assert_eq!(rejection("LDG.E.U.128 R2, [R4];").1, "R4n");
    // Doubles and 64-bit integers are pairs, whichever instruction has them.
    assert_eq!(
        rejection("DADD R2, R5, R6;"),
        ("Ra is R5, and its 2 registers are not aligned".into(), "R2n".into())
    );
    assert_eq!(rejection("F2F.F64.F32 R3, R4;").1, "R2n");
    assert_eq!(rejection("F2I.S32.F64 R3, R5;").1, "R2n");
    accepted("F2F.F32.F64 R3, R4;");
    accepted("LDL.64 RZ, [R4];");
    accepted("LDL.128 R4, [R5];");
}

#[test]
fn each_operation_takes_the_sizes_of_the_table() {
    // "Supported Atomic Operations" of the ATOMS page.
    let both = ["U32", "S32"].as_slice();
    let table = [
        ("ADD", both),
        ("MIN", both),
        ("MAX", both),
        ("INC", &["U32"]),
        ("DEC", &["U32"]),
        ("AND", both),
        ("OR", both),
        ("XOR", both),
        ("EXCH", &["U32", "S32", "U64"]),
    ];
    for (operation, sizes) in table {
        for size in ["U32", "S32", "U64", "S64"] {
            let text = format!("ATOMS.{operation}.{size} R0, [R2], R4;");
            if sizes.contains(&size) {
                accepted(&text);
            } else {
                assert_eq!(rejection(&text).0, format!("`ATOMS.{operation}` has no size `.{size}`"));
            }
        }
    }
    for operation in ["CAS", "CAST", "CAST.SPIN"] {
        for (size, rc) in [("U32", "R5"), ("S32", "R5"), ("U64", "R6")] {
            accepted(&format!("ATOMS.{operation}.{size} R0, [R2], R4, {rc};"));
        }
        assert!(
            rejection(&format!("ATOMS.{operation}.S64 R0, [R2], R4, R6;"))
                .0
                .starts_with("unknown modifier `.S64`")
        );
    }
}

#[test]
fn shared_memory_is_for_compute_shaders() {
    let graphics = Header { shader: ShaderType::Graphics, ..Header::default() };
    for text in ["ATOMS.ADD R0, [R1], R2;", "LDS R0, [R1];"] {
        assert_eq!(rejection_under(text, &graphics).1, "a compute shader", "{text}");
    }
    assert!(compile("LDL R0, [R1];", &graphics).is_ok());
}

#[test]
fn registers_exist() {
    let eight = Header { registers: 8, ..Header::default() };
    assert_eq!(rejection_under("LDL R8, [R1];", &eight).0, "Rd reaches R8, and the program has 8 registers");
    assert!(compile("LDL.64 R6, [R1];", &eight).is_ok());
    // "beyond the set of registers supported for the shader": the address is then the offset alone, not an error.
    assert!(compile("LDL R0, [R200 + 4];", &eight).is_ok());
    assert_eq!(rejection("LDL R255, [R1];").0, "`R255` is no register");
}

#[test]
fn modifiers_come_in_any_order_and_are_printed_in_the_page_s() {
    for (text, printed) in [
        ("LDL.64.LU R2, [R4];", "LDL.LU.64 R2, [R4];"),
        ("LDS.128.U R4, [R4];", "LDS.U.128 R4, [R4];"),
        ("STL.64.CG [R4], R2;", "STL.CG.64 [R4], R2;"),
        ("ATOMS.S32.MIN R2, [R4], R5;", "ATOMS.MIN.S32 R2, [R4], R5;"),
        ("ATOMS.U64.CAS R2, [R4], R8, R10;", "ATOMS.CAS.64 R2, [R4], R8, R10;"),
        ("ATOMS.64.SPIN.CAST R2, [R4], R8, R10;", "ATOMS.CAST.SPIN.64 R2, [R4], R8, R10;"),
        ("ISETP.AND.U32.GE P0, PT, R1, R2, PT;", "ISETP.GE.U32.AND P0, PT, R1, R2, PT;"),
        // Where two fields have the same words, the order is what tells them apart.
        ("PSETP.OR.AND P0, PT, P1, P2, PT;", "PSETP.OR.AND P0, PT, P1, P2, PT;"),
    ] {
        let program = parse(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"));
        assert_eq!(program.statements[0].instruction.to_string(), printed, "{text}");
    }
}

#[test]
fn modifiers_are_those_of_the_page_and_each_once() {
    for (text, message) in [
        ("LDL.LU.64.CV R2, [R4];", "a second cache operator, `.CV`"),
        ("F2F.SAT.F32 R0, R1;", "`F2F` names no destination type"),
        ("ATOMS.CAS.CAST R2, [R4], R6, R7;", "unknown modifier `.CAS` of `ATOMS.CAST`"),
        ("LDL.64.32 R2, [R4];", "a second size, `.32`"),
        ("LDS.LU R2, [R4];", "unknown modifier `.LU` of `LDS`"),
        ("LDL.U R2, [R4];", "unknown modifier `.U` of `LDL`"),
        ("LDL.INVALIDSIZE7 R2, [R4];", "unknown modifier `.INVALIDSIZE7` of `LDL`"),
        ("ATOMS R2, [R4], R5;", "`ATOMS` names no operation"),
        ("ATOMS.SPIN R2, [R4], R5, R6;", "unknown modifier `.SPIN` of `ATOMS`"),
        ("ATOMS.CAS.SPIN R2, [R4], R6, R7;", "unknown modifier `.SPIN` of `ATOMS.CAS`"),
        ("BAR 0x0;", "`BAR` lacks a modifier"),
        ("BAR.RED 0x0, P0;", "`BAR.RED` names no reduction"),
        ("LDX R2, [R4];", "unknown opcode `LDX`"),
        ("LDL R2;", "`LDL` takes 2 operands, not 1"),
        ("ATOMS.CAS R2, [R4], R6;", "`ATOMS.CAS` takes 4 operands, not 3"),
        ("LDL [R4], R2;", "an address where a register is needed"),
    ] {
        assert_eq!(rejection(text).0, message, "{text}");
    }
}

#[test]
fn floating_point_numbers_are_those_of_their_field() {
    for (text, printed) in [
        ("FADD R0, R1, 1;", "FADD R0, R1, 1;"),
        ("FADD R0, R1, -1.5e0;", "FADD R0, R1, -1.5;"),
        ("FADD R0, R1, 2.NEG;", "FADD R0, R1, 2.NEG;"),
        ("FADD R0, R1, -INF;", "FADD R0, R1, -INF;"),
        ("FADD R0, R1, +INF .NEG.ABS;", "FADD R0, R1, +INF .NEG.ABS;"),
        ("FADD32I R0, R1, 0.1;", "FADD32I R0, R1, 0.10000000149011611938;"),
        ("DMUL R0, R2, 1e2;", "DMUL R0, R2, 100;"),
        ("FADD32I R0, R1, -0.0;", "FADD32I R0, R1, -0.0;"),
        ("IADD R0, R1, 0x1.NEG;", "IADD R0, R1, 0x1.NEG;"),
        ("FLO.U32 R0, 5.INV;", "FLO.U32 R0, 0x5.INV;"),
        ("IADD3 R0, R1.H1, -R2.H0, R3;", "IADD3 R0, R1.H1, -R2.H0, R3;"),
        ("I2F.F32.U8 R0, R1.B3;", "I2F.F32.U8 R0, R1.B3;"),
    ] {
        let program = parse(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"));
        assert_eq!(program.statements[0].instruction.to_string(), printed, "{text}");
    }
    for (text, message) in [
        ("FADD R0, R1, 0.1;", "1e-1 does not fit"),
        ("FADD32I R0, R1, 1e39;", "1e39 does not fit"),
        ("DADD R0, R2, 1.00000001;", "1.00000001e0 does not fit"),
        ("IADD R0, R1, 1.5;", "operands of a kind that `IADD` does not take"),
        ("FADD R0, R1, 1.5.H1;", "no operand of `FADD` can be written with `.H1`"),
        ("FADD R0, R1, 1.5x;", "unknown `.5x` of an operand"),
        ("FADD R0, R1, +R2;", "unexpected `R2`"),
        ("FADD R0, R1, 1.CC;", "operands of a kind that `FADD` does not take"),
        ("FADD R0, R1, 1.FOO;", "unknown `.FOO` of an operand"),
        ("BRX R2, 8;", "unexpected `,`"),
        ("BRX R2 -;", "unexpected `;`"),
    ] {
        assert_eq!(rejection(text).0, message, "{text}");
    }
}

#[test]
fn what_has_no_row_yet_is_said_to_be_unsupported() {
    for text in ["PLONGJMP 0x8;", "IMADSP R0, R1, R2, R3;"] {
        let diagnostics = parse(text).expect_err(text);
        assert!(
            diagnostics[0].unsupported && diagnostics[0].message.starts_with("unsupported: "),
            "{text}: {diagnostics:?}"
        );
    }
    assert!(!parse("LDX R0, [R1];").unwrap_err()[0].unsupported);
}

#[test]
fn annotations_become_control_fields() {
    let program = parse("LDS R0, [R1] &req={0,1} &rd=0x2 &wr=0x0 ?WAIT4; LDS R2, [R1];").unwrap();
    assert!(!program.is_unscheduled());
    let control = program.statements[0].control.unwrap();
    // stall 4, flag, barrier 0 written, barrier 2 read, barriers 0 and 1 waited for.
    assert_eq!(control.bits(), 4 | 1 << 4 | 2 << 8 | 0b11 << 11);
    assert_eq!(program.statements[1].control, None);
    assert!(parse("LDS R0, [R1]; LDS R2, [R1];").unwrap().is_unscheduled());
    for (text, message) in [
        ("LDS R0, [R1] &wr=6;", "there is no barrier 6"),
        ("LDS R0, [R1] &wr=1 &wr=2;", "`&wr`: a second annotation of its kind"),
        ("LDS R0, [R1] ?WAIT16;", "unknown schedule `?WAIT16`"),
        ("LDS R0, [R1] &row=1;", "unknown annotation `&row`"),
        ("LDS R0, [R1] &req=1;", "unexpected number"),
    ] {
        assert_eq!(rejection(text).0, message, "{text}");
    }
}

#[test]
fn several_errors_are_reported_with_their_places() {
    let text = "LDL R0, [R1];\nLDX R0, [R1];\n  LDS.CG R0, [R1];\nLDL R0, [R1 + 0x800000];\nLDS R0 [R1];\n";
    let diagnostics = parse(text).unwrap_err();
    let shown = warpdiff_ptx::render(&diagnostics, "k.sass", text, false);
    for place in ["k.sass:2:1", "k.sass:3:7", "k.sass:4:9", "k.sass:5:8"] {
        assert!(shown.contains(place), "{place} in\n{shown}");
    }
    assert_eq!(diagnostics.len(), 4, "{shown}");
}

#[test]
fn labels_name_statements() {
    let program = parse("start: LDS R0, [R1];\n.L_1:\nLDS R2, [R1];\nend:").unwrap();
    let labels: Vec<_> = program.labels.iter().map(|label| (label.name.as_str(), label.statement)).collect();
    assert_eq!(labels, [("start", 0), (".L_1", 1), ("end", 2)]);
    assert_eq!(rejection("a: a: LDS R0, [R1];").0, "label `a` is defined twice");
}

#[test]
fn numbers_fit_their_fields() {
    for text in [
        "MOV R0, 0x7ffff;",
        "MOV R0, -0x80000;",
        "MOV32I R0, 0xffffffff;",
        "IADD32I R0, R1, -0x80000000;",
        "BAR.SYNC 15;",
    ] {
        accepted(text);
    }
    for (text, message) in [
        ("MOV R0, 0x80000;", "524288 does not fit"),
        ("IADD R0, R1, -0x80001;", "-524289 does not fit"),
        ("MOV32I R0, 0x100000000;", "4294967296 does not fit"),
        ("BAR.SYNC 256;", "256 does not fit"),
        ("MOV R0, c[32][0];", "there is no constant bank 32"),
        ("MOV R0, c[0][2];", "constant offset 2 is not in words"),
        ("MOV R0, c[0][0x8000];", "32768 does not fit"),
        ("MOV R0, SR_TID.X;", "operands of a kind that `MOV` does not take"),
        ("ISETP.GE.AND !P0, PT, R1, R2, PT;", "operands of a kind that `ISETP` does not take"),
        ("EXIT R0;", "operands of a kind that `EXIT` does not take"),
    ] {
        assert_eq!(rejection(text).0, message, "{text}");
    }
    // The bits are what counts, whichever sign they are written with.
    assert_eq!(word("IADD32I R0, R1, 0xffffffff;"), word("IADD32I R0, R1, -1;"));
}

fn any_word() -> impl Strategy<Value = u64> {
    (0..FORMS.len(), any::<u64>()).prop_map(|(form, bits)| FORMS[form].bits | bits & !FORMS[form].mask)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn printed_text_assembles_to_the_same_instruction(word in any_word()) {
        if let Decoded::Legal(mut instruction) = decode(word) {
            instruction.ignored = 0;
            let text = instruction.to_string();
            let program = parse(&text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"));
            let again = &program.statements[0].instruction;
            prop_assert_eq!(again.to_string(), text.clone());
            prop_assert!(*again == instruction || text.contains("QNAN"), "{}", text);
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "([A-Z.]{1,6}|R[0-9]{1,3}|0x[0-9a-f]{1,9}|[@!\\[\\]+,;:{}&=?()#/* \n-]|é|LDS|LDL|ATOMS.CAS|&req|\\?WAIT){0,24}") {
        if let Err(diagnostics) = compile(&text, &Header::default()) {
            prop_assert!(!diagnostics.is_empty());
            warpdiff_ptx::render(&diagnostics, "k.sass", &text, false);
        }
    }
}
