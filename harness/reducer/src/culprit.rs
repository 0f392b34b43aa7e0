//! The instruction at which a deviation first shows in a thread.

use warpdiff_emulator::trace::{Access, Register, Step, Thread, trace};
use warpdiff_judge::reference::Unit;
use warpdiff_model::{Deviation, Launch, Semantics};

/// Threads that are looked at.
const THREADS: u64 = 64;

/// The instruction, with its modifiers and without its operands, at which the first thread that does part under the deviation from the reference does
/// so, and the number of the thread.
pub(crate) fn culprit(unit: &Unit<'_>, deviation: Deviation) -> Option<(String, u64)> {
    (0..THREADS).find_map(|number| Some((parting(unit, deviation, number)?, number)))
}

/// The instruction at which the thread of that number does.
pub(crate) fn parting(unit: &Unit<'_>, deviation: Deviation, number: u64) -> Option<String> {
    let launch: &Launch = &unit.planned.launch;
    let program = &unit.compiled.program;
    let thread = Thread::of_number(launch, number)?;
    let ours = trace(program, launch, &Semantics::default(), thread).ok()?;
    let theirs = trace(program, launch, &Semantics::default().with(deviation), thread).ok()?;
    let mut both = ours.steps.iter().zip(&theirs.steps);
    both.find(|(ours, theirs)| parts(ours, theirs)).map(|(ours, _)| opcode(&ours.instruction).to_owned())
}

/// Whether two runs of an instruction differ in what is the same everywhere.
fn parts(ours: &Step, theirs: &Step) -> bool {
    let register = |(a, b): (&Register, &Register)| (a.value ^ b.value) & !(a.open | b.open) != 0;
    let access = |(a, b): (&Access, &Access)| {
        a.place != b.place || (a.value ^ b.value) & !(a.open | b.open) != 0 || a.kind != b.kind
    };
    ours.line != theirs.line
        || ours.control != theirs.control
        || ours.writes.len() != theirs.writes.len()
        || ours.accesses.len() != theirs.accesses.len()
        || ours.writes.iter().zip(&theirs.writes).any(register)
        || ours.accesses.iter().zip(&theirs.accesses).any(access)
}

/// The opcode of an instruction, with its modifiers: `@%p1 suld.b.2d.b32.clamp %r1, …` is `suld.b.2d.b32.clamp`.
pub(crate) fn opcode(instruction: &str) -> &str {
    let words = instruction.split_whitespace();
    let mut words = words.skip_while(|word| word.starts_with(['@', '{']));
    words.next().unwrap_or_default().trim_end_matches(';')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opcode_has_its_modifiers_and_neither_guard_nor_operands() {
        assert_eq!(opcode("@!%p1 suld.b.2d.b32.clamp %r1, [s, {%r2, %r3}]"), "suld.b.2d.b32.clamp");
        assert_eq!(opcode("ret;"), "ret");
        assert_eq!(opcode("@P0 ATOMS.CAST.SPIN R0, [R1], R2, R3"), "ATOMS.CAST.SPIN");
    }
}
