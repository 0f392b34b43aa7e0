//! Runs a program and gives what decided one of its instructions.

use std::collections::BTreeSet;
use std::sync::Arc;

use warpdiff_emulator::{Checked, compile};
use warpdiff_model::Launch;
use warpdiff_ptx::vocabulary::Opcode;
use warpdiff_rulings::{Ruling, Rulings, combinations, form_of};

/// The registers of each program.
const REGISTERS: &str =
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<4>; .reg .f64 %g<4>;";

/// A launch of one thread of a kernel with this body and these parameters.
pub(crate) fn kernel(head: &str, parameters: &str, body: &str) -> Launch {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{head}\n.visible .entry k({parameters}) {{\n{REGISTERS}\n{body}\nret;\n}}\n"
    );
    Launch::new(Arc::from(text), "k")
}

/// The sets of rulings that decided the first instruction of that opcode.
pub(crate) fn sets(launch: &Launch, opcode: Opcode) -> BTreeSet<Rulings> {
    let compiled = compile(&launch.program).unwrap_or_else(|error| panic!("{error}\n{}", launch.program));
    let Checked::Ptx(module) = &compiled.checked else { panic!("it is PTX") };
    let mut instructions = module.functions.iter().flat_map(|function| &function.body);
    let instruction = instructions.find(|it| it.opcode == opcode).expect("the instruction");
    let form = form_of(instruction);
    let found = combinations(&compiled, launch).unwrap_or_else(|error| panic!("{error}\n{}", launch.program));
    found.into_iter().filter(|it| it.form == form).map(|it| it.rulings).collect()
}

/// All of them in one, without choices.
pub(crate) fn all(launch: &Launch, opcode: Opcode) -> BTreeSet<Ruling> {
    sets(launch, opcode).into_iter().flat_map(Rulings::iter).collect()
}

/// What is found of an example, if it is not what is expected.
pub(crate) fn differing(found: BTreeSet<Ruling>, expected: &[Ruling], text: &str) -> Option<String> {
    let expected: BTreeSet<Ruling> = expected.iter().copied().collect();
    (found != expected).then(|| format!("{text}: {found:?}, expected {expected:?}"))
}

/// Asserts which rulings decide an instruction, and that no other does.
#[track_caller]
pub(crate) fn decide(launch: &Launch, opcode: Opcode, expected: &[Ruling]) {
    let expected: BTreeSet<Ruling> = expected.iter().copied().collect();
    assert_eq!(all(launch, opcode), expected, "{}", launch.program);
}
