//! Text that is wrong: what is said of it and where, and that nothing makes the parser panic.

use proptest::prelude::*;
use warpdiff_sass::{Header, compile};

/// A program of many kinds of statements.
const SOUND: &str = ".spa 5.0\n.shader compute\n.registers 32\n.shared 64\n.local 16\n\
    start:\n    @!P0 LDS.U.64 R2, [R1+-0x8] &req={0,5} &rd=1 &wr=0 ?WAIT4_YIELD;\n\
    { FADD R0, -|R1|, 1.5e-00.NEG; ATOMS.CAST.SPIN.64 R4, [0x10], R8, R10; }\n\
    IADD3 R1.CC, R2.H1, R3, RZ; MOV R0, c[0x0][0x140]; BRX R2 -0x10; /* a comment */ BRA `(start);\n\
    DEPBAR.LE SB5, 0x1, {3,2}; I2F.F32.U8 R0, R1.B3; S2R R0, SR_TID.X; # more\nEXIT;\n";

/// The place and the message of the first thing that is wrong with a text.
fn first(text: &str) -> String {
    match compile(text, &Header { registers: 32, ..Header::default() }) {
        Ok(_) => "nothing".to_owned(),
        Err(diagnostics) => {
            let span = diagnostics[0].span;
            format!("{}..{} {}", span.start, span.end, diagnostics[0].message)
        }
    }
}

#[test]
fn each_mistake_is_named_where_it_stands() {
    let mut wrong = Vec::new();
    for line in include_str!("../malformed.txt").lines().filter(|line| !line.starts_with('#')) {
        let (text, expected) = line.split_once("  =>  ").expect("a text and what is wrong with it");
        let found = first(text);
        if found != expected {
            wrong.push(format!("{text}  =>  {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_sound_program_is_sound() {
    assert_eq!(first(SOUND), "nothing");
}

/// What a text does not survive is said of a place within it.
fn survives(text: &str) {
    if let Err(diagnostics) = compile(text, &Header::default()) {
        assert!(!diagnostics.is_empty());
        for diagnostic in &diagnostics {
            assert!(
                diagnostic.span.start <= diagnostic.span.end && diagnostic.span.end as usize <= text.len()
            );
        }
        warpdiff_ptx::render(&diagnostics, "k.sass", text, false);
    }
}

#[test]
fn a_text_may_end_anywhere() {
    for end in 0..=SOUND.len() {
        survives(&SOUND[..end]);
        survives(&SOUND[end..]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn a_text_may_have_anything_in_it(at in 0..SOUND.len(), length in 0_usize..6, put in "[ -~]{0,3}|\\PC|é|\n|0x|99999999999999999999|1e999|-|\\.") {
        let end = (at + length).min(SOUND.len());
        survives(&format!("{}{put}{}", &SOUND[..at], &SOUND[end..]));
    }

    #[test]
    fn words_may_be_in_any_order(order in proptest::collection::vec(0_usize..90, 1..30)) {
        let words: Vec<&str> = SOUND.split_inclusive([' ', ',', ';', '[']).collect();
        survives(&order.iter().map(|index| words[index % words.len()]).collect::<String>());
    }
}
