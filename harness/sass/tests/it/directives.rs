//! The head of a program.

use warpdiff_sass::{Header, ShaderType, compile, is_spa, parse};

#[test]
fn directives_state_the_header() {
    let text = "// a comment\n.spa 5.0\n.registers 16\n.local 0x20\n.shared 64\nEXIT;";
    let header = Header { registers: 16, shared: 64, local: 32, shader: ShaderType::Compute };
    assert_eq!(parse(text).unwrap().header, header);
    assert_eq!(parse(&format!("{header}EXIT;")).unwrap().header, header);
    let graphics = compile(".spa 5.0 .shader graphics LDS R0, [R1];", &Header::default()).unwrap_err();
    assert_eq!(graphics[0].expected.as_deref(), Some("a compute shader"));
    // What they leave open is what the caller says.
    assert_eq!(compile(".shared 8 EXIT;", &header).unwrap().header, Header { shared: 8, ..header });
}

#[test]
fn wrong_directives_are_said() {
    for (text, message) in [
        (".spa 6.0", "unsupported: a version of SPA other than 5.0"),
        (".spa 5", "unsupported: a version of SPA other than 5.0"),
        (".registers 8 .spa 5.0", "`.spa` is not the first directive"),
        (".spa 5.0 .shared 4 .shared 4", "a second `.shared`"),
        (".spa 5.0 .registers 256", "256 is too many"),
        (".spa 5.0 .shared 16777217", "16777217 is too many"),
        (".spa 5.0 .shader vertex", "unknown type of shader `vertex`"),
        (".spa 5.0 .local R0", "unexpected `R0`"),
        (".spa 5.0 EXIT; .local 4", "`.local` stands behind the first statement"),
    ] {
        assert_eq!(parse(&format!("{text}\nEXIT;")).expect_err(text)[0].message, message, "{text}");
    }
}

#[test]
fn programs_of_spa_are_told_from_ptx() {
    for text in [".spa 5.0\n", "\n // .version 8.0\n# x\n/* y */ .spa 5.0"] {
        assert!(is_spa(text), "{text}");
    }
    for text in [".version 8.0\n", "", "// .spa 5.0", ".spaced x", "/* .spa 5.0 */", "/* open", "EXIT;"] {
        assert!(!is_spa(text), "{text}");
    }
}
