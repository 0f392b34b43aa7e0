//! `.unified`: where the word counts, and what it asks of a linker.

use warpdiff_ptx::{Dialect, Rules, compile, parse};

fn program(outside: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{outside}\n.entry k() {{ .reg .u32 %r; .reg .u64 %p; {body} ret; }}\n"
    )
}

/// The word counts where it stands as an attribute or a qualifier, and nowhere else.
#[test]
fn comments_and_names_say_nothing() {
    let speaks = |outside: &str, body: &str| parse(&program(outside, body)).unwrap().speaks_of_unified();
    assert!(!speaks("// no .unified here", "/* .attribute(.unified(1, 2)) */"));
    assert!(!speaks(".global .u32 unified; .global .attribute(.managed) .u32 m;", ""));
    assert!(!speaks("", "ld.global.u32 %r, [%p];"));
    assert!(speaks(".global .attribute(.unified(1, 2)) .u32 a;", ""));
    assert!(speaks(".func .attribute(.unified(1, 2)) f() { ret; }", ""));
    assert!(speaks("", "ld.global.u32 %r, [%p].unified;"));
}

/// An incomplete external array is one that a whole program may not have: the comment does not make it a relocatable object.
#[test]
fn a_linker_is_asked_where_it_is_wanted() {
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), linked: true, ..Rules::default() };
    let incomplete = ".extern .global .u32 a[];";
    let attribute = ".global .attribute(.unified(1, 2)) .u32 b;";
    assert!(compile(&program(attribute, ""), &rules).is_ok());
    assert!(compile(&program(attribute, ""), &Rules { linked: false, ..rules }).is_err());
    let commented = format!("{incomplete} // .unified");
    assert!(compile(&program(&commented, "mov.u64 %p, a;"), &rules).is_err());
    let both = format!("{incomplete} {attribute}");
    assert!(compile(&program(&both, "mov.u64 %p, a;"), &rules).is_ok());
}
