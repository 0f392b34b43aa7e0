//! Whole kernels as nvdisasm lists them: braces, labels, `.reuse` and comments included.

use std::collections::BTreeSet;

use warpdiff_sass::{Header, Mnemonic, Program, compile, encode};

/// The encodings that the listing has beside its instructions, with the text of each.
fn encodings(listing: &str) -> Vec<(u64, &str)> {
    let mut found = Vec::new();
    let mut lines = listing.lines();
    while let Some(line) = lines.next() {
        let Some((address, rest)) = line.trim_start().strip_prefix("/*").and_then(|l| l.split_once("*/"))
        else {
            continue;
        };
        if u32::from_str_radix(address, 16).is_err() {
            continue;
        }
        // Of the second of a pair the encoding stands on a line of its own, behind a label if one follows.
        let (text, comment) = rest.split_once("/* 0x").unwrap_or_else(|| {
            let next = lines.find_map(|line| line.trim().strip_prefix("/* 0x"));
            (rest, next.expect("an encoding"))
        });
        let word = u64::from_str_radix(comment.trim_end_matches(" */"), 16).expect("a word in hex");
        found.push((word, text.trim()));
    }
    found
}

fn listings() -> [(&'static str, &'static str, u32); 2] {
    [
        ("hist_shared", include_str!("../nvdisasm/hist_shared.sass"), 1024),
        ("reduce_warp", include_str!("../nvdisasm/reduce_warp.sass"), 128),
    ]
}

#[test]
fn listings_are_programs_of_their_words() {
    for (name, listing, shared) in listings() {
        let header = Header { registers: 11, shared, ..Header::default() };
        let program = compile(listing, &header).unwrap_or_else(|diagnostics| {
            panic!("{}", warpdiff_ptx::render(&diagnostics, name, listing, false))
        });
        // What is waited for stands in the control words alone.
        assert!(program.statements.iter().all(|statement| statement.control.is_some()), "{name}");
        let without = listing.replace("/* 0x", "/* ");
        assert!(compile(&without, &header).unwrap().is_unscheduled(), "{name}");
        let encodings = encodings(listing);
        assert_eq!(program.statements.len(), encodings.len(), "{name}");
        for (statement, (word, text)) in program.statements.iter().zip(&encodings) {
            assert_eq!(encode(&statement.instruction), *word, "{name}: {text}");
        }
        let mnemonics: BTreeSet<Mnemonic> =
            program.statements.iter().map(|statement| statement.instruction.form.mnemonic).collect();
        assert!(mnemonics.contains(&Mnemonic::LDS) && mnemonics.contains(&Mnemonic::SYNC), "{mnemonics:?}");
    }
}

#[test]
fn their_words_are_the_same_programs() {
    for (name, listing, _) in listings() {
        let program = compile(listing, &Header::default()).unwrap();
        let again = Program::from_words(&program.words()).unwrap();
        for index in 0..program.statements.len() {
            let (ours, theirs) = (&program.statements[index], &again.statements[index]);
            assert_eq!(ours.instruction, theirs.instruction, "{name} {index}");
            assert_eq!(program.target(index), again.target(index), "{name} {index}");
        }
    }
}
