//! Registers that an instruction on floating-point numbers wrote, where they are stored: [`Deviation::PtxasFloatStored`].

use std::collections::HashMap;

use warpdiff_model::{Deviation, Semantics};
use warpdiff_ptx::checked::{Function, Instruction, Operand, RegisterId};
use warpdiff_ptx::vocabulary::{Opcode, Type};
use warpdiff_semantics::numeric::convert::{self, Format, Integer, IntegerRounding, NanRule};

use super::{Decode, Decoder, float_rule};
use crate::operation::{Class, Slot};

/// A register, or a component of a vector register.
type Place = (RegisterId, Option<u32>);

/// The stored registers that hold a floating-point number as ptxas 12.9 sees it: the last instruction before the store that writes the
/// register, in the same run of instructions without a branch, is one of that type. What type the register was declared with does not
/// matter.
#[derive(Default)]
pub(super) struct Numbers(HashMap<(u32, Place), Format>);

impl Numbers {
    /// Finds them, if the semantics ask for it.
    pub(super) fn of(function: &Function, semantics: &Semantics) -> Self {
        let mut found = Self::default();
        if !semantics.has(Deviation::PtxasFloatStored) {
            return found;
        }
        let mut starts: Vec<u32> = function.branch_targets.iter().flatten().copied().collect();
        for operand in function.body.iter().flat_map(|instruction| &instruction.operands) {
            if let Operand::Label(target) = operand {
                starts.push(*target);
            }
        }
        let mut known: HashMap<Place, Format> = HashMap::new();
        for (index, instruction) in function.body.iter().enumerate() {
            if starts.contains(&(index as u32)) {
                known.clear();
            }
            match instruction.opcode {
                _ if ends_run(instruction) => known.clear(),
                Opcode::St | Opcode::Sust => {
                    let stored = instruction.operands.get(1).into_iter().flat_map(places);
                    for place in stored {
                        if let Some(format) = known.get(&place) {
                            found.0.insert((instruction.span.start, place), *format);
                        }
                    }
                }
                _ => {
                    for place in instruction.operands.first().into_iter().flat_map(places) {
                        match written(instruction) {
                            Some(format) => known.insert(place, format),
                            None => known.remove(&place),
                        };
                    }
                }
            }
        }
        found
    }

    fn at(&self, instruction: &Instruction, operand: &Operand) -> Option<Format> {
        let place = places(operand).into_iter().next()?;
        self.0.get(&(instruction.span.start, place)).copied()
    }
}

/// The registers of an operand.
fn places(operand: &Operand) -> Vec<Place> {
    match operand {
        Operand::Register { id, .. } => vec![(*id, None)],
        Operand::Component { id, component } => vec![(*id, Some(*component))],
        Operand::Vector(parts) => parts.iter().flat_map(places).collect(),
        Operand::Pair(first, second) => [places(first), places(second)].concat(),
        _ => Vec::new(),
    }
}

/// The type of what an instruction writes, if that is a floating-point number of 32 or 64 bits.
fn written(instruction: &Instruction) -> Option<Format> {
    match instruction.types.first()? {
        Type::F32 => Some(Format::F32),
        Type::F64 => Some(Format::F64),
        _ => None,
    }
}

/// Whether nothing is known of registers at an instruction and behind it: ptxas 12.9 knows it up to the next branch, barrier or fence.
/// It branches around an access with a guard, and selects the result of arithmetic with one.
fn ends_run(instruction: &Instruction) -> bool {
    use Opcode as O;
    match instruction.opcode {
        O::Bra | O::Brx | O::Call | O::Ret | O::Exit | O::Bar | O::Barrier | O::Membar | O::Fence => true,
        O::Ld | O::St | O::Atom | O::Red | O::Suld | O::Sust | O::Sured | O::Tex | O::Tld4 => {
            instruction.guard.is_some()
        }
        _ => false,
    }
}

impl Decoder<'_> {
    /// An operand that is stored as an element of a type. Under the deviation a floating-point number becomes an integer of that type,
    /// as `F2I` and `I2I.SAT` make it: cut towards zero, and limited to the range.
    pub(super) fn stored(&mut self, operand: &Operand, ty: Type) -> Decode<Slot> {
        let source = self.source_any(operand, ty)?;
        let Some(format) = self.numbers.at(self.instruction, operand) else { return Ok(source) };
        let (bytes, class) = match format {
            Format::F64 => (8, Class::Wide),
            _ => (4, Class::Narrow),
        };
        if ty.is_float() || ty.size() >= bytes || source.class != class {
            return Ok(source);
        }
        let to = Integer { signed: ty.is_signed(), width: 8 * ty.size() };
        let converted = self.temporary(Class::Narrow);
        self.lane(
            converted,
            &[source],
            move |v| convert::float_to_integer(v[0], format, to, IntegerRounding::Rzi, false, NanRule::Older),
            move |v, _| float_rule(v, 1, format.layout(), u64::from(u32::MAX)),
        );
        Ok(converted)
    }
}
