//! The instruction that loaded or computed an output byte, traced back through moves, packs and unpacks.

use warpdiff_ptx::checked::{Function, Instruction, Operand, RegisterId};
use warpdiff_ptx::vocabulary::{Modifier, Opcode};

/// The instruction that produced a byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Producer<'m> {
    /// The instruction.
    pub(crate) by: &'m Instruction,
    /// The element of its destination, 0 for a scalar.
    pub(crate) element: usize,
    /// The byte of that element's register.
    pub(crate) byte: usize,
}

/// The instruction that gave a byte of an output column its value: the last that wrote the register, traced through instructions
/// that only move bytes (`mov`, `selp`, a widening `cvt` between integers) to the one that loaded or computed it.
pub(crate) fn producer<'m>(
    entry: &Function,
    body: &[&'m Instruction],
    column: &str,
    byte: usize,
) -> Option<Producer<'m>> {
    let wanted = format!("%{column}");
    let id = entry.registers.iter().position(|r| *r.name == *wanted)?;
    let mut place = RegisterByte { register: RegisterId(id as u32), byte };
    let mut limit = body.len();
    let mut found = None;
    while let Some((index, element)) =
        (0..limit).rev().find_map(|i| Some((i, written(body[i], place.register)?)))
    {
        found = Some(Producer { by: body[index], element, byte: place.byte });
        let Some(source) = moved(entry, body[index], element, place.byte) else { break };
        (place, limit) = (source, index);
    }
    found
}

/// A byte of a register.
#[derive(Clone, Copy)]
struct RegisterByte {
    register: RegisterId,
    byte: usize,
}

/// The index of the register in the instruction's destination, if the instruction writes it.
fn written(instruction: &Instruction, register: RegisterId) -> Option<usize> {
    let stores =
        matches!(instruction.opcode, Opcode::St | Opcode::Sust | Opcode::Sured | Opcode::Red | Opcode::Bra);
    let destination = instruction.operands.first().filter(|_| !stores)?;
    match destination {
        Operand::Vector(parts) => parts.iter().position(|part| names(part, register)),
        other => names(other, register).then_some(0),
    }
}

fn names(operand: &Operand, register: RegisterId) -> bool {
    match operand {
        Operand::Register { id, .. } | Operand::Component { id, .. } => *id == register,
        Operand::Vector(parts) => parts.iter().any(|part| names(part, register)),
        Operand::Pair(a, b) => names(a, register) || names(b, register),
        _ => false,
    }
}

/// The source of a byte of the destination, if the instruction only moves it.
fn moved(entry: &Function, instruction: &Instruction, element: usize, byte: usize) -> Option<RegisterByte> {
    let destination = instruction.operands.first()?;
    let source = instruction.operands.get(1)?;
    match (instruction.opcode, destination, source) {
        (Opcode::Selp, ..) => Some(RegisterByte { register: single(source)?, byte }),
        (Opcode::Cvt, ..) => {
            let [to, from] = instruction.types[..] else { return None };
            let integers = !to.is_float() && !from.is_float() && !instruction.has(Modifier::Sat);
            let carried = integers && from.size() <= to.size() && byte < from.size() as usize;
            carried.then_some(RegisterByte { register: single(source)?, byte })
        }
        (Opcode::Mov, Operand::Vector(_), Operand::Vector(parts)) => {
            Some(RegisterByte { register: single(parts.get(element)?)?, byte })
        }
        (Opcode::Mov, Operand::RegisterSum { .. }, _) | (Opcode::Mov, _, Operand::RegisterSum { .. }) => None,
        (Opcode::Mov, _, Operand::Vector(parts)) => {
            let size = size_of(entry, single(destination)?) / parts.len().max(1);
            let part = parts.get(byte.checked_div(size)?)?;
            Some(RegisterByte { register: single(part)?, byte: byte % size })
        }
        (Opcode::Mov, Operand::Vector(parts), _) => {
            let register = single(source)?;
            Some(RegisterByte {
                register,
                byte: size_of(entry, register) / parts.len().max(1) * element + byte,
            })
        }
        (Opcode::Mov, ..) => Some(RegisterByte { register: single(source)?, byte }),
        _ => None,
    }
}

fn size_of(entry: &Function, register: RegisterId) -> usize {
    entry.registers.get(register.0 as usize).map_or(0, |r| r.ty.size() as usize)
}

fn single(operand: &Operand) -> Option<RegisterId> {
    match operand {
        Operand::Register { id, .. } => Some(*id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_emulator::{Checked, compile};

    use super::*;

    /// Opcode, element and byte that byte `byte` of `%d` comes from.
    fn traced(body: &str, byte: usize) -> (Opcode, usize, usize) {
        let text = format!(
            ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .b64 %d, %q, %a;\n.reg .b32 %w<4>;\n.reg .b16 %h<4>;\nld.param.u64 %a, [p];\n{body}\nret;\n}}\n"
        );
        let compiled = compile(&text.into()).unwrap_or_else(|error| panic!("{error:?}"));
        let Checked::Ptx(module) = &compiled.checked else { panic!("it is PTX") };
        let entry = &module.functions[0];
        let body: Vec<&Instruction> = entry.body.iter().collect();
        let produced = producer(entry, &body, "d", byte).unwrap();
        (produced.by.opcode, produced.element, produced.byte)
    }

    #[test]
    fn bytes_are_followed_through_packing_and_unpacking() {
        let packed = "ld.global.v4.b16 {%h0, %h1, %h2, %h3}, [%a];\nmov.b64 %d, {%h0, %h1, %h2, %h3};";
        assert_eq!(traced(packed, 0), (Opcode::Ld, 0, 0));
        assert_eq!(traced(packed, 5), (Opcode::Ld, 2, 1));
        let halves = "ld.global.b64 %q, [%a];\nmov.b64 {%w0, %w1}, %q;\nmov.b64 %d, {%w1, %w0};";
        // The lower word of `%d` is the upper one of `%q`.
        assert_eq!(traced(halves, 1), (Opcode::Ld, 0, 5));
        assert_eq!(traced(halves, 6), (Opcode::Ld, 0, 2));
    }

    #[test]
    fn a_conversion_is_followed_as_far_as_it_moves_bytes() {
        let widened = "ld.global.u16 %w0, [%a];\ncvt.u64.u32 %d, %w0;";
        assert_eq!(traced(widened, 1), (Opcode::Ld, 0, 1));
        assert_eq!(traced(widened, 4), (Opcode::Cvt, 0, 4));
    }
}
