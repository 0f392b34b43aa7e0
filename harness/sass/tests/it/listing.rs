//! Programs as text: what is printed is read as the same program.

use proptest::prelude::*;
use warpdiff_sass::table::FORMS;
use warpdiff_sass::{Decoded, Header, Program, compile, decode, encode, parse, programs};

const TEXT: &str = ".spa 5.0
.shader compute
.registers 16
.shared 64
.local 0

    SSY end &req={0,5} ?WAIT13;
.L_1:
    XMAD.PSL R0.CC, R1.H1.reuse, R2.reuse, R3 &rd=2 &wr=1 ?WAIT0;
.L_0:
    @!P0 BRA .L_0 ?WAIT5_YIELD;
    @P1 BRA .L_2 ?WAIT5;
    BRA .L_1 ?WAIT1;
    SYNC ?WAIT1;
end:
    DEPBAR.LE SB0, 0x1, {3,2} ?WAIT1;
{   MOV R1, c[0x0][0x20] ?WAIT0;
    LDS.U.64 R2, [R1+-0x8] &wr=0 ?WAIT1; }
.L_2:
    EXIT ?WAIT15;
";

#[test]
fn printed_programs_are_read_again() {
    let program = parse(TEXT).unwrap();
    assert_eq!(program.to_string(), TEXT);
    // Labels that words have lost are made up in the order of the statements.
    let words = program.words();
    let again = Program::from_words(&words).unwrap();
    let text = again.to_string();
    assert!(text.contains("    SSY .L_2 &req={0,5} ?WAIT13;\n.L_0:\n    XMAD.PSL"), "{text}");
    assert_eq!(parse(&text).unwrap().words(), words);
}

/// Addresses of symbols are kept in the text, and are zero in the words; a program that is to run has none.
#[test]
fn addresses_of_symbols_are_zero() {
    let text = ".spa 5.0
.shader compute
.registers 24
.shared 0
.local 0

    MOV32I R2, 32@lo(big);
    MOV32I R3, 32@hi((big + 0x8));
    JCAL `(other);
    LDS R1, [R2+`(table)];
    STS [`((table - 0x4))], R1;
    IADD3 R4, R4, c[`((numbers + 0x10))], R1;
    EXIT;
";
    let program = parse(text).unwrap();
    assert_eq!(program.to_string(), text);
    let zeros = "MOV32I R2, 0; MOV32I R3, 0; MOV32I R4, 0; LDS R1, [R2]; STS [0], R1; IADD3 R4, R4, c[0][0], R1; EXIT;";
    let words =
        |program: &Program| program.statements.iter().map(|it| encode(&it.instruction)).collect::<Vec<_>>();
    let (symbols, mut zeros) = (words(&program), words(&parse(zeros).unwrap()));
    // The word of ptxas 12.9 for a call of a function elsewhere.
    zeros[2] = 0xe220_0000_0000_0040;
    assert_eq!(symbols, zeros);
    let errors = compile(text, &Header::default()).unwrap_err();
    assert_eq!(errors[0].message, "`big` is no label, and a program of SPA 5.0 has no variables");
    assert_eq!(errors.len(), 6);
}

/// nvdisasm writes every NaN as one; here its bits stand behind it where the sign alone does not give them.
#[test]
fn the_bits_of_a_nan_are_written() {
    let words = |text: &str| encode(&parse(text).unwrap().statements[0].instruction);
    // Words that ptxas 12.9 emits, and what nvdisasm 12.8 prints for them; the last is a drawn one of tests/nvdisasm/half.tsv, of whose half the word has ten bits.
    for (word, theirs, ours) in [
        (0x0807_fc12_3457_0206, "FADD32I R6, R2, +QNAN;", "FADD32I R6, R2, +QNAN.0x7fc12345;"),
        (0x1e8f_fc12_3457_0206, "FMUL32I.SAT R6, R2, -QNAN;", "FMUL32I.SAT R6, R2, -QNAN.0xffc12345;"),
        (0x0807_fc00_0007_0206, "FADD32I R6, R2, +QNAN;", "FADD32I R6, R2, +QNAN;"),
        (
            0x7806_80ff_7461_f511,
            "@P1 HMUL2.MRG_H1.FTZ R17, R245.F32, +QNAN , -44;",
            "@P1 HMUL2.MRG_H1.FTZ R17, R245.F32, +QNAN.0x7f40 , -44;",
        ),
        (
            0x7806_80ff_f461_f511,
            "@P1 HMUL2.MRG_H1.FTZ R17, R245.F32, +QNAN , -44;",
            "@P1 HMUL2.MRG_H1.FTZ R17, R245.F32, +QNAN , -44;",
        ),
    ] {
        let program = Program::from_words(&[0, word, word, word]).unwrap();
        assert!(program.to_string().contains(ours.trim_end_matches(';')), "{program}");
        assert_eq!(program.statements[0].instruction.to_string(), theirs);
        assert_eq!(words(ours), word);
        assert_eq!(parse(ours).unwrap().statements[0].instruction, program.statements[0].instruction);
    }
    for (wrong, message) in [
        ("FADD32I R6, R2, +QNAN.0x7f800000;", "0x7f800000 does not fit"),
        ("FADD R6, R2, +QNAN.0x7fc12345;", "0x7fc12345 does not fit"),
        ("FADD32I R6, R2, +QNAN.0xz;", "unexpected `QNAN.0xz`"),
    ] {
        assert_eq!(parse(wrong).unwrap_err()[0].message, message);
    }
}

#[test]
fn programs_behind_one_another_are_read_apart() {
    let one = parse(TEXT).unwrap();
    let two = "# first\n.spa 5.0\n.L_1: BRA .L_1;\n# second\n.spa 5.0\n.registers 4\n.L_1: EXIT;\n";
    let read = programs(two).unwrap();
    assert_eq!(read.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["first", "second"]);
    assert_eq!((read[0].program.header.registers, read[1].program.header.registers), (255, 4));
    assert_eq!(programs(TEXT).unwrap()[0].program, one);
    // What a tool took apart need not keep the rules of the encoder: ptxas 12.9 makes this of a `vset` of a number.
    let store = "ST.E.CG.64 [R4+-0x7801fffb], R7, P5";
    for text in [format!("\t.section\t.text.k,\"ax\",@progbits\n{store} ;\n"), format!("{store} ?WAIT1;")] {
        let read = programs(&text).unwrap();
        assert_eq!(encode(&read[0].program.statements[0].instruction), 0xb5b8_7fe0_0057_0407);
    }
    assert!(programs(&format!("{store};")).unwrap_err()[0].message.contains("not aligned"));
    // Errors stand in their places.
    let errors = programs(&two.replace("EXIT", "EXTI")).unwrap_err();
    assert_eq!(&two[errors[0].span.start as usize..][..4], "EXIT");
}

#[test]
fn an_unscheduled_program_is_printed_without_annotations() {
    let text =
        ".spa 5.0\n.shader compute\n.registers 255\n.shared 0\n.local 0\n\n    LDS R0, [R1];\n    EXIT;\n";
    assert_eq!(parse("LDS R0, [R1]; EXIT;").unwrap().to_string(), text);
}

/// Words of one form each, with control fields that have a spelling.
fn any_words() -> impl Strategy<Value = Vec<(u64, u32)>> {
    let word = (0..FORMS.len(), any::<u64>()).prop_map(|(form, bits)| {
        let form = FORMS[form];
        form.bits | bits & !form.mask & !form.ignored()
    });
    let control = (0..16_u32, any::<bool>(), 0..7_u32, 0..7_u32, 0..64_u32, 0..16_u32).prop_map(
        |(stall, stay, w, r, wait, reuse)| {
            let barrier = |b: u32| if b == 6 { 7 } else { b };
            stall | u32::from(stay) << 4 | barrier(w) << 5 | barrier(r) << 8 | wait << 11 | reuse << 17
        },
    );
    proptest::collection::vec((word, control), 3..12)
}

proptest! {
    #[test]
    fn words_come_back_from_their_text(slots in any_words()) {
        let is_written = |word| matches!(decode(word), Decoded::Legal(_));
        let legal: Vec<_> = slots.into_iter().filter(|(word, _)| is_written(*word)).collect();
        let mut words = Vec::new();
        for bundle in legal.as_chunks::<3>().0 {
            words.push((0..3).fold(0, |all, slot| all | u64::from(bundle[slot].1) << (21 * slot)));
            words.extend(bundle.iter().map(|(word, _)| *word));
        }
        let program = Program::from_words(&words).unwrap();
        let text = program.to_string();
        let again = parse(&text).unwrap_or_else(|diagnostics| panic!("{text}{diagnostics:?}"));
        prop_assert_eq!(again.words(), words, "{}", text);
    }
}
