//! Registers that an instruction on floating-point numbers wrote, where they are stored: [`Deviation::PtxasFloatStored`].

use std::collections::HashMap;

use warpdiff_model::{Deviation, Semantics};
use warpdiff_ptx::checked::{Function, Instruction, Operand, RegisterId};
use warpdiff_ptx::vocabulary::{Opcode, Type};
use warpdiff_semantics::numeric::convert::{self, Format, Integer, IntegerRounding, NanRule};

use super::{Decode, Decoder, float_rule};
use crate::operation::{Class, Slot};
use warpdiff_ptx::written::run_starts;

/// A register, or a component of a vector register.
type Place = (RegisterId, Option<u32>);

/// The stores of floating-point numbers as ptxas 12.9 sees them: the last instruction before the store that writes the register, in the
/// same run of instructions without a branch, is one of that type. What type the register was declared with does not matter. Of a vector
/// the last element decides for all, constants among them: `{%i, 5, %f}` converts all three, `{%f, 5, %i}` none.
#[derive(Default)]
pub(super) struct Numbers(HashMap<u32, Format>);

impl Numbers {
    /// Finds them, if the semantics ask for it.
    pub(super) fn of(function: &Function, semantics: &Semantics) -> Self {
        let mut found = Self::default();
        if !semantics.has(Deviation::PtxasFloatStored) {
            return found;
        }
        let starts = run_starts(function);
        let mut known: HashMap<Place, Format> = HashMap::new();
        for (index, instruction) in function.body.iter().enumerate() {
            if starts.contains(&(index as u32)) {
                known.clear();
            }
            match instruction.opcode {
                _ if ends_run(instruction) => known.clear(),
                Opcode::St | Opcode::Sust => {
                    let last = instruction.operands.get(1).and_then(last_place);
                    if let Some(format) = last.and_then(|place| known.get(&place)) {
                        found.0.insert(instruction.span.start, *format);
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

    fn at(&self, instruction: &Instruction) -> Option<Format> {
        self.0.get(&instruction.span.start).copied()
    }
}

/// The register that is the last element of what is stored.
fn last_place(operand: &Operand) -> Option<Place> {
    match operand {
        Operand::Vector(parts) => parts.last().and_then(last_place),
        one => places(one).last().copied(),
    }
}

/// The registers of an operand.
fn places(operand: &Operand) -> Vec<Place> {
    match operand {
        Operand::Register { id, .. } => vec![(*id, None)],
        Operand::RegisterSum { id, .. } => vec![(*id, None)],
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
    /// as `F2I` and `I2I.SAT` make it: cut towards zero, and limited to the range. What is no number of 64 bits is 2^31 between the two.
    pub(super) fn stored(&mut self, operand: &Operand, ty: Type) -> Decode<Slot> {
        let (number, class) = match self.numbers.at(self.instruction) {
            Some(Format::F64) => (Type::F64, Class::Wide),
            Some(_) => (Type::F32, Class::Narrow),
            None => return self.source_any(operand, ty),
        };
        if ty.is_float() || ty.size() >= number.size() {
            return self.source_any(operand, ty);
        }
        // The bits of an immediate integer are those of a number.
        let bits = if number == Type::F64 { Type::B64 } else { Type::B32 };
        let source = self.source_any(operand, bits)?;
        if source.class != class {
            return self.source_any(operand, ty);
        }
        let format = if number == Type::F64 { Format::F64 } else { Format::F32 };
        let to = Integer { signed: ty.is_signed(), width: 8 * ty.size() };
        let word = Integer { width: 32, ..to };
        let converted = self.temporary(Class::Narrow);
        self.lane(
            converted,
            &[source],
            move |v| {
                let bits = convert::float_to_integer(
                    v[0],
                    format,
                    word,
                    IntegerRounding::Rzi,
                    false,
                    NanRule::Current,
                );
                convert::integer_to_integer(bits, word, to, true)
            },
            move |v, _| float_rule(v, 1, format.layout(), u64::from(u32::MAX)),
        );
        Ok(converted)
    }
}
