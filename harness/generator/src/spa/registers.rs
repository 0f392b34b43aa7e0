//! Which registers of a program hold what.

use std::collections::HashMap;

use super::encoded::{Use, instruction, uses};
use crate::specimen::{Register, Shape, Specimen};

/// Pairs that hold the address of this thread's record of a buffer.
pub(super) const IN: u8 = 0;
pub(super) const OUT: u8 = 2;
pub(super) const MEMORY: u8 = 4;
/// Where this thread's window of shared memory begins.
pub(super) const SHARED: u8 = 6;
/// A number on its way: the thread's number, an address, a truth value.
pub(super) const WORD: u8 = 7;
/// Eight registers in a row for data that has to be in neighbouring registers, and eight more.
pub(super) const ROWS: [u8; 2] = [8, 16];
/// The handle of an image.
pub(super) const HANDLE: u8 = 24;
/// The first register of the specimen's own.
pub(super) const FIRST: u8 = 28;

/// The register that is zero.
pub(super) const RZ: u8 = 255;

/// For each register of the specimen the first that it takes and how many. The results of a step follow each other, aligned to a power
/// of two, and those of some steps take the registers of a source; a predicate is a word, which becomes one before it guards.
pub(super) fn allocate(specimen: &Specimen) -> HashMap<u32, (u8, u8)> {
    let mut next = FIRST;
    let mut taken = HashMap::new();
    let mut take = |group: &[Register]| {
        let words = |register: &Register| (register.class.size() / 4).max(1) as u8;
        let count: u8 = group.iter().map(words).sum();
        next = next.next_multiple_of(count.max(1).next_power_of_two());
        for register in group {
            taken.insert(register.number, (next, words(register)));
            next += words(register);
        }
    };
    specimen.inputs.iter().for_each(|input| take(&[input.register]));
    let shared: Vec<Option<(Register, Register)>> =
        (0..specimen.steps.len()).map(|step| shared(specimen, step)).collect();
    for (step, _) in specimen.steps.iter().zip(&shared).filter(|(_, shared)| shared.is_none()) {
        take(&step.results);
    }
    for (result, source) in shared.into_iter().flatten() {
        let place = taken[&source.number];
        taken.insert(result.number, place);
    }
    taken
}

/// The result of a step, and the input whose registers it takes over: some that read it last do.
fn shared(specimen: &Specimen, index: usize) -> Option<(Register, Register)> {
    let step = &specimen.steps[index];
    let [result] = step.results[..] else { return None };
    let is_simple = match step.shape {
        // What its result held before is moved there first.
        Shape::Encoded { before: 0, word, .. } => !uses(&instruction(word)).contains(&Use::Before),
        Shape::Window { .. } => true,
        _ => false,
    };
    let is_right = |source: &Register| {
        let is_input = specimen.inputs.iter().any(|input| input.register == *source);
        let is_read_later =
            specimen.steps[index + 1..].iter().any(|later| later.reads().any(|read| read == *source));
        is_input && !is_read_later && source.class.size() == result.class.size()
    };
    let guard = step.guard.map(|(guard, _)| guard);
    let mut sources = step.sources.iter().filter_map(|source| source.register());
    let source = sources.find(|source| is_right(source) && Some(*source) != guard)?;
    let is_chosen =
        is_simple && step.within.is_none() && specimen.flow_reads().iter().all(|read| *read != source);
    (is_chosen && result.number.is_multiple_of(2)).then_some((result, source))
}
