//! Operands that name surfaces and textures, as an implementation misreads them.

use warpdiff_model::{Deviation, Semantics};

use crate::checked::{Module, OpaqueBase, Operand, VariableId};
use crate::vocabulary::{Opcode, Type};

/// Whether these semantics misread such operands.
pub(super) fn are_misread(semantics: &Semantics) -> bool {
    semantics.has(Deviation::HandleFixed) || semantics.has(Deviation::TxqFirstTexture)
}

/// Names in all operands what these semantics take them for.
pub(super) fn misread(module: &mut Module, semantics: &Semantics) {
    let is_texture = |ty: Type, is_object: bool| ty == Type::Texref && is_object;
    let first = module.variables.iter().position(|it| is_texture(it.ty, it.is_opaque()));
    let first = first.filter(|_| semantics.has(Deviation::TxqFirstTexture));
    let first = first.map(|index| OpaqueBase::Variable(VariableId(index as u32)));
    for function in &mut module.functions {
        let mut fixed = None;
        for instruction in &mut function.body {
            let is_query = matches!(instruction.opcode, Opcode::Suq | Opcode::Txq);
            for operand in &mut instruction.operands {
                let Operand::Opaque { object: object @ OpaqueBase::Register(_), .. } = operand else {
                    continue;
                };
                if semantics.has(Deviation::HandleFixed) && !is_query {
                    *object = *fixed.get_or_insert(*object);
                }
                if let (Opcode::Txq, Some(first)) = (instruction.opcode, &first) {
                    *object = *first;
                }
            }
        }
    }
}
