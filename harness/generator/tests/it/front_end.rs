//! Every generated program is legal for the assembler's dialect: no execution is spent on a program that is refused.

use std::collections::BTreeMap;

use warpdiff_ptx::{Dialect, Rules};

#[test]
fn the_front_end_accepts_every_program() {
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    let mut refused: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for index in 0..2000 {
        let written = warpdiff_generator::specimen(17, index).unwrap().write();
        let text = &written.launch.program;
        for diagnostic in warpdiff_ptx::compile(text, &rules).err().unwrap_or_default() {
            let line = text[..diagnostic.span.start as usize].matches('\n').count();
            let at = text.lines().nth(line).unwrap_or_default().trim().to_string();
            refused.entry(diagnostic.message).or_insert((0, at)).0 += 1;
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn the_front_end_accepts_every_program_of_spa() {
    for index in 0..2000 {
        let written = warpdiff_generator::spa_specimen(17, index).unwrap().write();
        let text = &written.launch.program;
        let compiled = warpdiff_sass::compile(text, &warpdiff_sass::Header::default());
        if let Err(errors) = compiled {
            panic!("program {index}: {}", warpdiff_ptx::render(&errors, "generated.sass", text, false));
        }
    }
}
