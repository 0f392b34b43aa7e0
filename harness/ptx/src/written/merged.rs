//! Registers that ptxas takes for constants behind a branch: where one side gives a word -1 and the other 1.0, which are both what `set` gives for true.

use std::collections::HashMap;
use std::ops::Range;

use super::{Constant, Written, is_whole, registers, run_starts, writes};
use crate::checked::{Function, Instruction, Operand, RegisterId};
use crate::vocabulary::Opcode;

/// 1.0 as a word, and -1.
const TRUE: [u32; 2] = [0x3F80_0000, u32::MAX];

/// A register that holds one of two values behind a branch, and always one of them as ptxas has it.
pub(super) struct Merged {
    /// The index of the instruction in front of which the sides of the branch meet.
    pub(super) at: u32,
    pub(super) register: RegisterId,
    /// What it holds then: what stands first in the text.
    pub(super) bits: u64,
}

/// A write of a register: the index of the instruction, and what it writes if that is a constant.
type Write = (u32, Option<Constant>);

/// The registers of a function that two instructions write, on the two sides of a branch or in front of it and on one side. Neither side has labels or branches of its
/// own.
pub(super) fn merged<'m>(function: &'m Function, written: Written<'m>) -> Vec<Merged> {
    let starts = run_starts(function);
    let writes = written_twice(function, written);
    let mut merged = Vec::new();
    for branch in 0..function.body.len() as u32 {
        let Some((sides, at)) = sides(function, branch, &starts) else { continue };
        let side_of = |write: &Write| sides.iter().position(|side| side.contains(&write.0));
        for (register, [first, second]) in &writes {
            let meet = match (side_of(first), side_of(second)) {
                (Some(0), Some(1)) => true,
                (None, Some(_)) => first.0 < branch,
                _ => false,
            };
            let size = function.registers[register.0 as usize].ty.size();
            if let Some(bits) = kept(first.1, second.1, size).filter(|_| meet) {
                merged.push(Merged { at, register: *register, bits });
            }
        }
    }
    merged.sort_by_key(|one| (one.at, one.register.0));
    merged
}

/// What stays of two constants of so many bytes: the first, where each word of them is the same in both or true in two ways.
fn kept(first: Option<Constant>, second: Option<Constant>, size: u32) -> Option<u64> {
    let (first, second) = (first?.bits, second?.bits);
    let words = 0..size / 4;
    let pair = |word: u32| [(first >> (32 * word)) as u32, (second >> (32 * word)) as u32];
    let is_true = |pair: [u32; 2]| pair == TRUE || pair == [TRUE[1], TRUE[0]];
    let is_kept = words.clone().all(|word| is_true(pair(word)) || pair(word)[0] == pair(word)[1]);
    (is_kept && words.clone().any(|word| is_true(pair(word)))).then_some(first)
}

/// The sides of a conditional branch, of which the second may be empty, and where they meet. `None` if it goes back, or a side has labels or branches.
fn sides(function: &Function, branch: u32, starts: &[u32]) -> Option<([Range<u32>; 2], u32)> {
    let body = &function.body;
    let instruction = &body[branch as usize];
    let other = target(instruction).filter(|target| instruction.guard.is_some() && *target > branch + 1)?;
    let last = other - 1;
    let leaves =
        target(&body[last as usize]).filter(|meet| body[last as usize].guard.is_none() && *meet >= other);
    let (sides, meet) = match leaves {
        Some(meet) => ([branch + 1..last, other..meet], meet),
        None => ([branch + 1..other, other..other], other),
    };
    let is_straight = |side: &Range<u32>| {
        let begins = side.start;
        let has_label = side.clone().any(|index| index != begins && starts.contains(&index));
        !has_label && side.clone().all(|index| goes_on(&body[index as usize]))
    };
    let is_own_label = starts.contains(&other) && !starts.contains(&(branch + 1));
    (is_own_label && sides.iter().all(is_straight)).then_some((sides, meet))
}

/// The instruction that a `bra` leads to.
fn target(instruction: &Instruction) -> Option<u32> {
    match (instruction.opcode, instruction.operands.first()) {
        (Opcode::Bra, Some(Operand::Label(target))) => Some(*target),
        _ => None,
    }
}

fn goes_on(instruction: &Instruction) -> bool {
    !matches!(instruction.opcode, Opcode::Bra | Opcode::Brx | Opcode::Call | Opcode::Ret | Opcode::Exit)
}

/// The registers that two instructions of a function write, with the two writes; of one that is guarded, or writes a part, no constant is known.
fn written_twice<'m>(function: &'m Function, mut written: Written<'m>) -> Vec<(RegisterId, [Write; 2])> {
    let counted = writes(function);
    let mut found: HashMap<RegisterId, Vec<Write>> = HashMap::new();
    for (index, instruction) in (0..).zip(&function.body) {
        written.reach(index);
        written.note(index, instruction);
        let Some(destination) = instruction.operands.first() else { continue };
        let is_certain = instruction.guard.is_none() && is_whole(instruction, destination);
        for register in registers(destination).into_iter().filter(|register| counted[register] == 2) {
            let value = written.last.get(&register).and_then(|write| write.value).filter(|_| is_certain);
            found.entry(register).or_default().push((index, value));
        }
    }
    let pair =
        |(register, writes): (RegisterId, Vec<Write>)| Some((register, <[Write; 2]>::try_from(writes).ok()?));
    found.into_iter().filter_map(pair).collect()
}
