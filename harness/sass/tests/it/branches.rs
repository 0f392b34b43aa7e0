//! Where control goes: labels, addresses, and the words of branches.

use warpdiff_sass::bundle::address;
use warpdiff_sass::condition_code::TRUE;
use warpdiff_sass::{ControlWord, Header, Operand, Program, compile, encode, parse};

/// What stands in front of a target that no test of the condition codes is written for.
const ALWAYS: Operand = Operand::Condition(TRUE);

const LOOP: &str = "
    SSY `(.L_end);
.L_loop:
    IADD32I R0, R0, -0x1;
    ISETP.NE.AND P0, PT, R0, RZ, PT;
    @P0 BRA .L_loop;
    SYNC;
.L_end:
    EXIT;
";

#[test]
fn labels_are_indices_of_statements() {
    let program = compile(LOOP, &Header::default()).unwrap();
    let targets: Vec<_> = (0..program.statements.len()).map(|index| program.target(index)).collect();
    assert_eq!(targets, [Some(5), None, None, Some(1), None, None]);
}

#[test]
fn offsets_count_control_words() {
    // Statements lie at 8, 16, 24, then 40, 48, 56: a control word is in front of each three.
    assert_eq!([0, 1, 2, 3, 5, 6].map(address), [8, 16, 24, 40, 56, 72]);
    let program = compile(LOOP, &Header::default()).unwrap();
    // SSY at 8 to 56: 56 - 16 = 40. BRA at 40 to 16: 16 - 48 = -32.
    assert_eq!(program.statements[0].instruction.operands, [Operand::Target(40)]);
    assert_eq!(program.statements[3].instruction.operands, [ALWAYS, Operand::Target(-32)]);
    assert_eq!(encode(&program.statements[0].instruction), 0xe290_0000_0280_0000);
    assert_eq!(encode(&program.statements[3].instruction), 0xe240_0fff_fe00_000f);
    // To the first of three it is that of their control word: from 24 to 0.
    assert_eq!(
        parse("a: NOP; BRA a; EXIT;").unwrap().statements[1].instruction.operands,
        [ALWAYS, Operand::Target(-24)]
    );
}

#[test]
fn words_of_compiled_branches() {
    // `SSY 0x298` at 0x18 and `BRA 0x290`, which goes to itself, as ptxas 12.9 emits them.
    for (text, word) in [
        ("SSY .+0x280;", 0xe290_0000_2780_0000),
        ("BRA .+0x0;", 0xe240_0fff_ff87_000f),
        ("@P1 BRA .-0x0;", 0xe240_0fff_ff81_000f),
        ("PBK .+0x8;", 0xe2a0_0000_0000_0000),
        ("BRK;", 0xe340_0000_0007_000f),
        ("SYNC;", 0xf0f8_0000_0007_000f),
        ("RET;", 0xe320_0000_0007_000f),
        ("CAL .+0xd78;", 0xe260_0000_d700_0040),
        ("BRA.U .+0x8;", 0xe240_0000_0007_008f),
    ] {
        let program = parse(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"));
        assert_eq!(encode(&program.statements[0].instruction), word, "{text}");
    }
}

#[test]
fn an_address_is_counted_from_the_beginning_of_the_program() {
    let program = parse("NOP; BRA 0x28; NOP; EXIT;").unwrap();
    assert_eq!(program.target(1), Some(3));
    // A control word stands for the instruction behind it: so compilers write the beginning of a bundle.
    let program = parse("NOP; BRA 0x20; NOP; EXIT;").unwrap();
    assert_eq!(program.target(1), Some(3));
    let program = parse("NOP; BRA .-0x8; EXIT;").unwrap();
    assert_eq!(program.target(1), Some(0));
}

#[test]
fn a_target_may_be_tested_absolute_or_in_a_constant() {
    // The words are what nvdisasm 12.8 prints as the text.
    for (text, word) in [
        ("BRA CC.EQ, .+0x8;", 0xe240_0000_0007_0002),
        ("@!P0 BRA.U.LMT CC.LEU, .+0x8;", 0xe240_0000_0008_00cb),
        ("BRA CC.EQ, c[0x0][0x4005];", 0xe240_0004_0057_0022),
        ("BRX CC.EQ, R15 0x5;", 0xe250_0000_0057_0f02),
        ("BRX CC.EQ, c[0x3][R15+0x5];", 0xe250_0030_0057_0f22),
        ("JMX R15 -0x80000000;", 0xe208_0000_0007_0f0f),
        ("JCAL 0x98;", 0xe220_0000_0980_0040),
        ("JCAL.NOINC c[0x0][-0x3ffb];", 0xe220_000c_0050_0020),
        ("PRET.NOINC .+0x8;", 0xe270_0000_0000_0000),
        ("SSY c[0x0][0x2005];", 0xe290_0002_0050_0020),
        ("RET CC.HS;", 0xe320_0000_0007_0016),
        ("EXIT.KEEPREFCOUNT CC.EQ;", 0xe300_0000_0007_0022),
    ] {
        let program = parse(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"));
        assert_eq!(encode(&program.statements[0].instruction), word, "{text}");
        assert_eq!(program.statements[0].instruction.to_string(), text);
    }
    // A label behind a test, and an absolute address: statement 2 lies at 0x18.
    let program = parse("a: BRA CC.EQ, a; JCAL 0x18; EXIT;").unwrap();
    assert_eq!([program.target(0), program.target(1), program.target(2)], [Some(0), Some(2), None]);
    for (text, message) in [
        ("BRA CC.XX, 0x8;", "`CC.XX` is no test of the condition codes"),
        ("BRA CC.EQ 0x8;", "unexpected number"),
        ("JCAL 0x100000000;", "4294967296 does not fit"),
    ] {
        assert!(parse(text).expect_err(text)[0].message.contains(message), "{text}: {:?}", parse(text));
    }
}

#[test]
fn control_goes_to_instructions_of_the_program() {
    for text in
        ["BRA 0x1000;", "BRA 0xc; EXIT;", "EXIT; BRA .+0x8;", "BRA end; EXIT; end:", "BRA .-0x10; EXIT;"]
    {
        let diagnostics = compile(text, &Header::default()).expect_err(text);
        assert_eq!(diagnostics[0].message, "control goes to where the program has no instruction", "{text}");
    }
    for (text, message) in [
        ("BRA loop; EXIT;", "there is no label `loop`"),
        ("BRA R0;", "there is no label `R0`"),
        ("BRA 0x1000000;", "16777200 does not fit"),
        ("BRA `loop;", "unexpected `loop`"),
        ("BRA;", "unexpected `;`"),
        ("@P0 SSY .+8; EXIT;", "`SSY` takes no guard"),
    ] {
        assert_eq!(parse(text).expect_err(text)[0].message, message, "{text}");
    }
}

#[test]
fn programs_come_back_from_their_words() {
    let program = compile(LOOP, &Header::default()).unwrap();
    let words = program.words();
    let again = Program::from_words(&words).unwrap();
    assert_eq!(again.words(), words);
    assert_eq!(again.target(0), Some(5));
    assert_eq!(again.statements.len(), 6);
    let error = |words: &[u64]| Program::from_words(words).unwrap_err().to_string();
    assert_eq!(error(&words[..3]), "3 words are no whole number of bundles of 4");
    assert_eq!(
        error(&[0, 0x50b0_0000_0007_0f00, 0xef47_1000_0087_0102, 0]),
        "at 0x0010, `LDL.LU.INVALIDSIZE7 R2, [R1+0x8];`: the size in bits 50:48 cannot be 7"
    );
    assert_eq!(
        error(&[0, 0, 0, 0]),
        "unsupported: word 0x0000000000000000 at 0x0008 is of no form in the table"
    );
}

#[test]
fn braces_are_two_instructions_issued_together() {
    // The braces of nvdisasm say nothing of barriers: the program stays unscheduled.
    let program = parse("{ MOV R1, R2; S2R R0, SR_TID.X } EXIT;").unwrap();
    assert!(program.is_unscheduled() && program.statements[0].paired && !program.statements[1].paired);
    // In a scheduled program the first stalls for no cycle.
    let program = parse("{ MOV R1, R2; LDS R0, [R1] &wr=0; } EXIT &req={0};").unwrap();
    let fields = ControlWord::decode(program.words()[0]).slots;
    assert_eq!(fields.map(|field| field.stall), [0, 1, 1]);
    for (text, message) in [
        ("{ EXIT; }", "a pair is two instructions"),
        ("{ EXIT; EXIT; EXIT; }", "a pair is two instructions"),
        ("{ { EXIT; EXIT; } }", "a pair within a pair"),
        ("{ EXIT; EXIT;", "this pair does not end"),
        ("EXIT; }", "unexpected `}`"),
        ("{ MOV R1, R2 ?WAIT4; EXIT; }", "the first of a pair waits for no cycle"),
    ] {
        assert_eq!(parse(text).expect_err(text)[0].message, message, "{text}");
    }
}

#[test]
fn kept_registers_are_a_field_of_their_own() {
    // The reuse bits of `XMAD R8, R5.reuse, R3.reuse, c[0x2][0x1c]` as ptxas 12.9 emits it: the first two sources.
    let program = parse("XMAD R8, R5.reuse, R3.reuse, c[0x2][0x1c] ?WAIT6; EXIT;").unwrap();
    assert_eq!(ControlWord::decode(program.words()[0]).slots[0].reuse, 0b011);
    let program = parse("XMAD R8, R5, R3.H1.reuse, R2.reuse ?WAIT6; EXIT;").unwrap();
    assert_eq!(ControlWord::decode(program.words()[0]).slots[0].reuse, 0b110);
    // Alone it is no schedule.
    assert!(parse("IADD R0, R1.reuse, R2;").unwrap().is_unscheduled());
    assert_eq!(
        parse("IADD R0.reuse, R1, R2;").unwrap_err()[0].message,
        "this operand cannot be kept for reuse"
    );
}
