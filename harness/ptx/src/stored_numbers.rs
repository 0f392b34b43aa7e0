//! The stores of registers that an instruction on floating-point numbers wrote: [`Deviation::PtxasFloatStored`].

use std::collections::HashMap;

use warpdiff_model::{Deviation, Semantics};

use crate::checked::{Function, Instruction, Operand, RegisterId};
use crate::vocabulary::{Opcode, Type};
use crate::written::run_starts;

/// A register, or a component of a vector register.
type Place = (RegisterId, Option<u32>);

/// The stores of floating-point numbers as ptxas 12.9 sees them: the last instruction before the store that writes the register, in the
/// same run of instructions without a branch, is one of that type. What type the register was declared with does not matter, but it must have exactly as
/// many bits as the number: `cvt.f16.f32` into a register of 32 bits leaves bits there. Of a vector the last element decides for all,
/// constants among them: `{%i, 5, %f}` converts all three, `{%f, 5, %i}` none.
#[derive(Default)]
pub struct Numbers(HashMap<u32, Type>);

impl Numbers {
    /// Finds them, if the semantics ask for it.
    pub fn of(function: &Function, semantics: &Semantics) -> Self {
        let mut found = Self::default();
        if !semantics.has(Deviation::PtxasFloatStored) {
            return found;
        }
        let starts = run_starts(function);
        let mut known: HashMap<Place, Type> = HashMap::new();
        for (index, instruction) in function.body.iter().enumerate() {
            if starts.contains(&(index as u32)) {
                known.clear();
            }
            match instruction.opcode {
                _ if ends_run(instruction) => known.clear(),
                Opcode::St | Opcode::Sust => {
                    let last = instruction.operands.get(1).and_then(last_place);
                    if let Some(ty) = last.and_then(|place| known.get(&place)) {
                        found.0.insert(instruction.span.start, *ty);
                    }
                }
                _ => {
                    for place in instruction.operands.first().into_iter().flat_map(places) {
                        let width = function.registers[place.0.0 as usize].ty.size();
                        match written(instruction).filter(|ty| ty.size() == width) {
                            Some(ty) => known.insert(place, ty),
                            None => known.remove(&place),
                        };
                    }
                }
            }
        }
        found
    }

    /// The type of what a store stores, `.f16`, `.f32` or `.f64`, if it is such a number.
    pub fn at(&self, instruction: &Instruction) -> Option<Type> {
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

/// The type of what an instruction writes, if that is one floating-point number.
fn written(instruction: &Instruction) -> Option<Type> {
    instruction.types.first().copied().filter(|ty| matches!(ty, Type::F16 | Type::F32 | Type::F64))
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
