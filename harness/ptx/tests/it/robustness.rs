//! Any text at all: no panic, bounded memory, and what parses prints to the same tree.

use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use warpdiff_ptx::{Dialect, Rules, check, parse, print, render};

/// Runs the whole front end over a text.
fn survive(text: &str) {
    match parse(text) {
        Ok(module) => {
            for dialect in [Dialect::Spec, Dialect::Ptxas(12, 9)] {
                if let Err(diagnostics) = check(text, &module, &Rules { dialect, ..Rules::default() }) {
                    assert!(!diagnostics.is_empty());
                    render(&diagnostics, "any", text, false);
                }
            }
            let printed = print(&module);
            let again =
                parse(&printed).unwrap_or_else(|d| panic!("{}", render(&d, "printed", &printed, false)));
            assert!(again == module, "printed text has other tokens:\n{printed}");
            assert_eq!(print(&again), printed);
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            render(&diagnostics, "any", text, false);
        }
    }
}

fn seed_texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/compiled");
    ["devfunc_call.sm_90.ptx", "surf_asm.sm_50.ptx", "static_init_ptrs.sm_90.ptx", "cas_shared.sm_90.ptx"]
        .iter()
        .map(|name| std::fs::read_to_string(folder.join(name)).expect("a compiled kernel"))
        .collect()
}

/// Words that make up PTX, malformed ones among them.
const WORDS: &[&str] = &[
    ".version 8.8\n",
    ".target sm_90\n",
    ".address_size 64\n",
    ".entry",
    ".func",
    "k",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ":",
    "@",
    "!",
    "|",
    "+",
    "-",
    "*",
    "/",
    "%",
    "~",
    "<",
    ">",
    "<<",
    "=",
    "?",
    ".param",
    ".reg",
    ".global",
    ".shared",
    ".const",
    ".b8",
    ".b32",
    ".u64",
    ".f32",
    ".pred",
    ".v2",
    ".v4",
    ".align",
    ".surfref",
    ".extern",
    ".visible",
    "%r<4>",
    "%r1",
    "%p0",
    "%tid.x",
    "_",
    "x",
    "generic",
    "WARP_SZ",
    "0xFF",
    "08",
    "0f3F800000",
    "0d",
    "1.5",
    ".5",
    "1e400",
    "18446744073709551615",
    "add",
    "mov",
    "ld",
    "st",
    "suld",
    ".b",
    ".2d",
    ".trap",
    "call",
    "bra",
    "ret",
    "setp",
    ".eq",
    ".callprototype",
    ".branchtargets",
    ".loc 1 2 3\n",
    ".file 1 \"a\"\n",
    ".pragma \"x\";",
    ".section .debug_info {",
    "// c\n",
    "/*",
    "*/",
    "\"",
    "\n",
    "é",
    "\u{0}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        survive(&text);
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        survive(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..80)) {
        let body = words.join(" ");
        survive(&body);
        survive(&format!(".version 8.8\n.target sm_90\n{body}"));
        survive(&format!(".version 8.8\n.target sm_90\n.entry k() {{ .reg .b32 %r<4>; .reg .pred %p<2>; {body} }}"));
    }

    /// Characters of real programs replaced, removed, doubled.
    #[test]
    fn mutated_programs(
        seed in 0usize..4,
        edits in proptest::collection::vec((any::<u32>(), 0u8..4, proptest::sample::select(WORDS)), 1..6),
    ) {
        let mut text = seed_texts()[seed].clone();
        for (place, kind, word) in edits {
            if text.is_empty() {
                text.push_str(word);
                continue;
            }
            let at = place as usize % text.len();
            if !text.is_char_boundary(at) || !text.is_char_boundary(at + 1) {
                continue;
            }
            match kind {
                0 => { text.remove(at); }
                1 => text.insert_str(at, word),
                2 => text.replace_range(at..=at, word),
                _ => text.truncate(at.max(1)),
            }
        }
        survive(&text);
    }
}

/// The last `}` stands in a comment or string that does not end, so it ends no section.
#[test]
fn open_comments_and_strings_end_no_section() {
    for (body, complaint) in [("/* }", "comment without its `*/`"), ("\"\n}", "string that does not end")] {
        let text = format!(".version 8.8\n.target sm_90\n.section .debug_info {{ {body}");
        let diagnostics = parse(&text).expect_err("no end");
        let shown = render(&diagnostics, "any", &text, false);
        assert!(shown.contains(complaint), "{shown}");
    }
}

fn kernel(body: &str) -> String {
    format!(".version 8.8\n.target sm_90\n.address_size 64\n.entry k() {{\n{body}\n}}\n")
}

#[test]
fn nesting_has_a_limit_or_costs_no_stack() {
    let deep = 200_000;
    survive(&kernel(&format!(".reg .b32 %r; mov.u32 %r, {}1;", "-".repeat(deep))));
    survive(&kernel(&format!(".reg .b32 %r; mov.u32 %r, {}1;", "- ".repeat(deep))));
    survive(&kernel(&format!(".reg .b32 %r; mov.u32 %r, {}1{};", "(".repeat(deep), ")".repeat(deep))));
    survive(&kernel(&format!(".reg .b32 %r; mov.u32 %r, 1{};", "+1".repeat(deep))));
    survive(&kernel(&format!(".reg .b32 %r; mov.u32 %r, 1{};", "?1:1".repeat(deep))));
    survive(&kernel(&format!(".reg .b32 %r; mov.b32 %r, {}1{};", "{".repeat(deep), "}".repeat(deep))));
    survive(&kernel(&format!(".reg .b32 %r; mov.b32 %r, {}", "[".repeat(deep))));
    survive(&kernel(&format!("{}{}", "{".repeat(deep), "}".repeat(deep))));
    survive(&kernel(&"{".repeat(deep)));
    survive(&format!(".version 8.8\n.target sm_90\n.global .b8 x[] = {}", "{".repeat(deep)));
    survive(&format!(".version 8.8\n.target sm_90\n.global .b8 x{};", "[2]".repeat(deep)));
    survive(&format!(".version 8.8\n.target sm_90\n.section .x {}", "{".repeat(deep)));
}

/// A hundred sums of a thousand terms: the tree of a sum is as deep as it is long, its evaluation is not.
#[test]
fn long_sums_have_values() {
    let text = kernel(&format!(".reg .b32 %r; mov.u32 %r, 1{};", "+1".repeat(100_000)));
    assert!(check(&text, &parse(&text).expect("a sum"), &Rules::default()).is_ok());
}

#[test]
fn large_counts_cost_nothing() {
    let start = Instant::now();
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    let accepted = |text: &str| check(text, &parse(text).expect("it parses"), &rules);
    let registers = kernel(".reg .b32 %r<4294967295>; mov.u32 %r4294967294, %r0;");
    assert_eq!(accepted(&registers).expect("registers come when used").functions[0].registers.len(), 2);
    let array = ".version 8.8\n.target sm_90\n.global .b8 x[1099511627776];\n";
    assert_eq!(accepted(array).expect("no bytes are made").variables[0].size, 1 << 40);
    let initialised = ".version 8.8\n.target sm_90\n.global .b8 x[1099511627776] = {1};\n";
    assert!(accepted(initialised).expect_err("its bytes would be").iter().all(|d| d.unsupported));
    let wide = ".version 8.8\n.target sm_90\n.global .b8 x[4294967296][4294967296];\n";
    assert_eq!(accepted(wide).expect_err("too large")[0].message, "an array of more than 2^62 bytes");
    let range = ".version 8.8\n.target sm_90\n.global .b8 x<4294967295>;\n";
    assert!(accepted(range).is_err());
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// Errors without end are not collected without end.
#[test]
fn diagnostics_are_limited() {
    let text = kernel(&"foo;\n".repeat(10_000));
    assert!(parse(&text).expect_err("no opcode").len() <= 50);
    let text = kernel(&"mov.u32 %x, %y;\n".repeat(10_000));
    let module = parse(&text).expect("it parses");
    assert!(check(&text, &module, &Rules::default()).expect_err("not declared").len() <= 50);
}
