//! Loads of neighbouring samples that ptxas 12.9 makes one: [`Deviation::PtxasMergedLoads`].
//!
//! Of `suld.b.1d.b32` at the constants 0 and 4 it makes one `SULD.64` at 0, and of four, or of two with `.v2`, one `SULD.128`, at -O1 and above,
//! where the whole is aligned. Out of bounds the whole is clamped, zero or trapped.

use warpdiff_model::Deviation;
use warpdiff_ptx::checked::{Immediate, Instruction, Operand, RegisterId};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};

use super::Decoder;
use warpdiff_ptx::written::run_starts;

/// What a merged load is for one of its instructions.
pub(super) struct Merged {
    /// The x coordinate of the whole.
    pub(super) x: u32,
    /// Words of the whole.
    pub(super) words: u32,
    /// Words before those of the instruction.
    pub(super) before: u32,
}

impl Decoder<'_> {
    /// The load that the instruction becomes a part of, if the semantics ask for it.
    pub(super) fn merged_load(&self) -> Option<Merged> {
        if !self.deviates(Deviation::PtxasMergedLoads) {
            return None;
        }
        let (words, x) = (words(self.instruction)?, self.constant_x(self.instruction)?);
        let others: Vec<u32> =
            self.beside().filter(|other| self.is_like(other)).filter_map(|o| self.constant_x(o)).collect();
        // The largest whole of which every part is loaded.
        let whole = [4, 2].into_iter().filter(|whole| *whole > words).find(|whole| {
            let first = x & !(4 * whole - 1);
            (0..whole / words).all(|part| others.contains(&(first + 4 * words * part)))
        })?;
        let first = x & !(4 * whole - 1);
        Some(Merged { x: first, words: whole, before: (x - first) / 4 })
    }

    /// The instructions of the same run, up to the next store to a surface on either side.
    fn beside(&self) -> impl Iterator<Item = &Instruction> {
        let (body, at) = (&self.function.body, self.site.instruction as usize);
        let starts = run_starts(self.function);
        let ends = |instruction: &Instruction| {
            use Opcode as O;
            matches!(
                instruction.opcode,
                O::Bra
                    | O::Brx
                    | O::Call
                    | O::Ret
                    | O::Exit
                    | O::Bar
                    | O::Barrier
                    | O::Membar
                    | O::Fence
                    | O::Sust
                    | O::Sured
            )
        };
        let begins = |index: usize| starts.contains(&(index as u32));
        let first = (0..=at)
            .rev()
            .find(|index| begins(*index) || *index == 0 || ends(&body[index - 1]))
            .unwrap_or(at);
        let last =
            (at + 1..body.len()).find(|index| begins(*index) || ends(&body[*index])).unwrap_or(body.len());
        body[first..last].iter()
    }

    /// Whether another load differs from the instruction in nothing but its place and its destination.
    fn is_like(&self, other: &Instruction) -> bool {
        let object = |instruction: &Instruction| match instruction.operands.get(1) {
            Some(Operand::Opaque { object, .. }) => Some(*object),
            _ => None,
        };
        words(other).is_some()
            && other.modifiers == self.instruction.modifiers
            && other.types == self.instruction.types
            && object(other) == object(self.instruction)
    }

    /// The x coordinate of a load if it is a constant, and a multiple of what is loaded.
    fn constant_x(&self, load: &Instruction) -> Option<u32> {
        let Some(Operand::Opaque { coordinates, .. }) = load.operands.get(1) else { return None };
        let x = match coordinates.first()? {
            Operand::Register { id, .. } => self.only_constant(*id)?,
            other => integer(other)?,
        };
        (x % (4 * words(load)?) == 0).then_some(x)
    }

    /// The constant that a register has if a single instruction writes it, a `mov`.
    fn only_constant(&self, id: RegisterId) -> Option<u32> {
        let writes = |instruction: &&Instruction| match instruction.operands.first() {
            Some(Operand::Register { id: written, .. }) => *written == id,
            Some(Operand::Vector(parts)) => parts
                .iter()
                .any(|part| matches!(part, Operand::Register { id: written, .. } if *written == id)),
            _ => false,
        };
        let mut by = self.function.body.iter().filter(writes);
        match (by.next(), by.next()) {
            (Some(by), None) if by.opcode == Opcode::Mov && by.guard.is_none() => {
                integer(by.operands.get(1)?)
            }
            _ => None,
        }
    }
}

/// An integer that stands in the program.
fn integer(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::Immediate(Immediate::Integer { bits, .. }) => Some(*bits as u32),
        _ => None,
    }
}

/// The words that an instruction loads, if loads like it are merged.
fn words(load: &Instruction) -> Option<u32> {
    let is_one = load.opcode == Opcode::Suld
        && load.guard.is_none()
        && load.has(Modifier::D1)
        && load.types.first() == Some(&Type::B32);
    match (is_one, load.has(Modifier::V2), load.has(Modifier::V4)) {
        (true, false, false) => Some(1),
        (true, true, _) => Some(2),
        _ => None,
    }
}
