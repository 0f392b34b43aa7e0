//! Loads of neighbouring samples that ptxas 12.9 makes one, and stores: [`Deviation::PtxasMergedLoads`], [`Deviation::PtxasMergedStores`].
//!
//! Of `suld.b.1d.b32` at the constants 0 and 4 it makes one `SULD.64` at 0, and of four, or of two with `.v2`, one `SULD.128`, at -O1 and above,
//! where the whole is aligned; of `sust.b.1d.b32` the same with `SUST`. Out of bounds the whole is clamped, zero or ignored, or trapped.

use std::ops::Range;

use warpdiff_model::Deviation;
use warpdiff_ptx::checked::{Immediate, Instruction, OpaqueBase, Operand, RegisterId};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};

use super::Decoder;
use warpdiff_ptx::written::run_starts;

/// What a merged access is for one of its instructions.
pub(super) struct Merged {
    /// The x coordinate of the whole.
    pub(super) x: u32,
    /// Words of the whole.
    pub(super) words: u32,
    /// Words before those of the instruction.
    pub(super) before: u32,
}

/// A store that is part of a merged one.
pub(super) enum MergedStore<'m> {
    /// Another one stores for it.
    Elsewhere,
    /// It stores all: the x coordinate and the words of the whole, and what its parts store, in the order of their places.
    Whole { x: u32, words: u32, data: Vec<&'m Operand> },
}

impl<'m> Decoder<'m> {
    /// The load that the instruction becomes a part of, if the semantics ask for it.
    pub(super) fn merged_load(&self) -> Option<Merged> {
        if !self.deviates(Deviation::PtxasMergedLoads) {
            return None;
        }
        self.merged(&self.beside().collect::<Vec<_>>())
    }

    /// The access that the instruction becomes a part of, with those of some instructions that are like it.
    fn merged(&self, beside: &[&Instruction]) -> Option<Merged> {
        let (words, x) = (words(self.instruction)?, self.constant_x(self.instruction)?);
        let like = beside.iter().filter(|other| self.is_like(other));
        let others: Vec<u32> = like.filter_map(|other| self.constant_x(other)).collect();
        // The largest whole that every part of is there.
        let whole = [4, 2].into_iter().filter(|whole| *whole > words).find(|whole| {
            let first = x & !(4 * whole - 1);
            (0..whole / words).all(|part| others.contains(&(first + 4 * words * part)))
        })?;
        let first = x & !(4 * whole - 1);
        Some(Merged { x: first, words: whole, before: (x - first) / 4 })
    }

    /// The store that the instruction becomes a part of, if the semantics ask for it.
    pub(super) fn merged_store(&self) -> Option<MergedStore<'m>> {
        if !self.deviates(Deviation::PtxasMergedStores) || self.instruction.opcode != Opcode::Sust {
            return None;
        }
        let stores = self.stores_beside();
        let merged = self.merged(&stores.iter().map(|(_, store)| *store).collect::<Vec<_>>())?;
        let part = words(self.instruction)?;
        let first = merged.x;
        let parts: Vec<(u32, usize, &Instruction)> = stores
            .into_iter()
            .filter_map(|(index, store)| Some((self.constant_x(store)?, index, store)))
            .filter(|(x, ..)| x.wrapping_sub(first) < 4 * merged.words)
            .collect();
        // Of two at one place the later one counts.
        let of_place = |x: u32| parts.iter().rev().find(|(of, ..)| *of == x);
        let places = (0..merged.words).step_by(part as usize).map(|word| first + 4 * word);
        let chosen: Vec<_> = places.map(of_place).collect::<Option<_>>()?;
        let indices = || parts.iter().map(|(_, index, _)| *index);
        let at = [indices().min()?, indices().max()?].into_iter().find(|at| self.has_all(&chosen, *at))?;
        if self.site.instruction as usize != at {
            return Some(MergedStore::Elsewhere);
        }
        let data = chosen.into_iter().map(|(.., store)| &store.operands[1]).collect();
        Some(MergedStore::Whole { x: first, words: merged.words, data })
    }

    /// Whether the registers have at one place what each of some stores stores at its own. The whole stands where the first part stood if all of it is there by then, or
    /// else where the last one stood.
    fn has_all(&self, parts: &[&(u32, usize, &Instruction)], at: usize) -> bool {
        parts.iter().all(|(_, index, store)| {
            let between = &self.function.body[at.min(*index)..at.max(*index)];
            !between.iter().any(|other| other.opcode != Opcode::Sust && writes_of(other, &store.operands[1]))
        })
    }

    /// The stores to its surface around the instruction, itself among them, with their indices: those at constants, like it, with no other one between.
    fn stores_beside(&self) -> Vec<(usize, &'m Instruction)> {
        let is_part = |store: &Instruction| self.is_like(store) && self.constant_x(store).is_some();
        let is_store =
            |other: &Instruction| other.opcode == Opcode::Sust && object(other) == object(self.instruction);
        let run = self.run(|other| ends_run(other) || is_store(other) && !is_part(other));
        let all = run.map(|index| (index, &self.function.body[index]));
        all.filter(|(_, other)| is_store(other)).collect()
    }

    /// The instructions of the same run, up to the next store to a surface on either side.
    fn beside(&self) -> impl Iterator<Item = &Instruction> {
        let run = self.run(|other| ends_run(other) || other.opcode == Opcode::Sust);
        self.function.body[run].iter()
    }

    /// The indices of the instructions around this one, between labels and instructions that end a run.
    fn run(&self, ends: impl Fn(&Instruction) -> bool) -> Range<usize> {
        let (body, at) = (&self.function.body, self.site.instruction as usize);
        let starts = run_starts(self.function);
        let begins = |index: usize| starts.contains(&(index as u32));
        let is_first = |index: &usize| *index == 0 || begins(*index) || ends(&body[index - 1]);
        let first = (0..=at).rev().find(is_first).unwrap_or(at);
        let end = (at + 1..body.len()).find(|index| begins(*index) || ends(&body[*index]));
        first..end.unwrap_or(body.len())
    }

    /// Whether another access differs from the instruction in nothing but its place and its registers.
    fn is_like(&self, other: &Instruction) -> bool {
        words(other).is_some()
            && other.opcode == self.instruction.opcode
            && other.modifiers == self.instruction.modifiers
            && other.types == self.instruction.types
            && object(other) == object(self.instruction)
    }

    /// The x coordinate of an access, if it is a constant and a multiple of the bytes that are loaded or stored.
    fn constant_x(&self, access: &Instruction) -> Option<u32> {
        let (_, coordinates) = opaque(access)?;
        let x = match coordinates.first()? {
            Operand::Register { id, .. } => self.only_constant(*id)?,
            other => integer(other)?,
        };
        (x % (4 * words(access)?) == 0).then_some(x)
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

/// The words that an instruction loads or stores, if accesses like it are merged.
fn words(access: &Instruction) -> Option<u32> {
    let is_one = matches!(access.opcode, Opcode::Suld | Opcode::Sust)
        && !access.has(Modifier::P)
        && access.guard.is_none()
        && access.has(Modifier::D1)
        && access.types.first() == Some(&Type::B32);
    match (is_one, access.has(Modifier::V2), access.has(Modifier::V4)) {
        (true, false, false) => Some(1),
        (true, true, _) => Some(2),
        _ => None,
    }
}

/// The surface of an access, and its coordinates.
fn opaque(access: &Instruction) -> Option<(OpaqueBase, &[Operand])> {
    access.operands.iter().find_map(|operand| match operand {
        Operand::Opaque { object, coordinates, .. } => Some((*object, &coordinates[..])),
        _ => None,
    })
}

/// The surface of an access.
fn object(access: &Instruction) -> Option<OpaqueBase> {
    opaque(access).map(|(object, _)| object)
}

/// Whether nothing is merged beyond an instruction.
fn ends_run(instruction: &Instruction) -> bool {
    use Opcode as O;
    matches!(
        instruction.opcode,
        O::Bra | O::Brx | O::Call | O::Ret | O::Exit | O::Bar | O::Barrier | O::Membar | O::Fence | O::Sured
    )
}

/// Whether an instruction writes a register of what a store has stored.
fn writes_of(by: &Instruction, data: &Operand) -> bool {
    let written = by.operands.first().map(registers).unwrap_or_default();
    registers(data).iter().any(|register| written.contains(register))
}

/// The registers of an operand or of a vector.
fn registers(operand: &Operand) -> Vec<RegisterId> {
    match operand {
        Operand::Register { id, .. } | Operand::Part { id, .. } => vec![*id],
        Operand::Vector(parts) => parts.iter().flat_map(registers).collect(),
        Operand::Pair(one, other) => [one, other].into_iter().flat_map(|half| registers(half)).collect(),
        _ => Vec::new(),
    }
}
