//! Generated modules of variables.

use warpdiff_generator::declarations::{Declarations, Setting, declarations};
use warpdiff_ptx::{Dialect, Rules, compile};

/// Every module is legal by the rules of the assembler, and each kind of value occurs.
#[test]
fn modules_are_legal() {
    let mut all = String::new();
    for index in 0..2000 {
        let Declarations { setting, source } = declarations(1, index).unwrap();
        let Setting { version, target, architecture, relocatable } = setting;
        let size = if version >= 23 { ".address_size 64\n" } else { "" };
        let text = format!(".version {}.{}\n.target sm_{target}\n{size}{source}", version / 10, version % 10);
        let rules = Rules {
            dialect: Dialect::Ptxas(12, 9),
            max_target: Some(architecture),
            relocatable,
            ..Rules::default()
        };
        let module = compile(&text, &rules).unwrap_or_else(|found| panic!("{found:?}\n{text}"));
        assert!(!module.variables.is_empty());
        all += &source;
    }
    for part in [
        "generic(",
        "0xFF(",
        "0xFF00000000000000(",
        "WARP_SZ",
        "(.s64)",
        "(.u64)",
        " ? ",
        "0d",
        "0f",
        "[]",
        "{}",
        ".v4",
        ".managed",
        ".align 128",
        ".weak",
        ".common",
        "<2>",
        ".const",
        " % ",
        ">>",
        "U",
        "0b",
        "e-",
        ".visible .entry kernel",
    ] {
        assert!(all.contains(part), "{part}");
    }
}

#[test]
fn modules_are_the_same_on_every_machine() {
    assert_eq!(declarations(7, 3).unwrap(), declarations(7, 3).unwrap());
    assert_ne!(declarations(7, 3).unwrap(), declarations(7, 4).unwrap());
}
