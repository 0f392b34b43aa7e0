//! Whether a program uses `.unified`. NVIDIA's assembler makes only relocatable objects of it, which a linker finishes (as observed
//! with ptxas 12.9).

use crate::ast::{Attribute, Declaration, Function, Item, Module, Operand, Statement};

impl Module {
    /// Whether a variable or function has the attribute `.unified`, or a load has the qualifier.
    pub fn speaks_of_unified(&self) -> bool {
        self.items.iter().any(|item| match item {
            Item::Declaration(declaration) => declares(declaration),
            Item::Function(function) => self.function_speaks(function),
            _ => false,
        })
    }

    fn function_speaks(&self, function: &Function) -> bool {
        let statement = |statement: &Statement| match statement {
            Statement::Declaration(declaration) => declares(declaration),
            Statement::Instruction(instruction) => self.operands[instruction.operands.range()]
                .iter()
                .any(|operand| matches!(operand, Operand::Bracket { unified: Some(_), .. })),
            _ => false,
        };
        is_unified(&function.attributes) || function.body.iter().flatten().any(statement)
    }
}

fn declares(declaration: &Declaration) -> bool {
    is_unified(&declaration.attributes)
}

fn is_unified(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| matches!(attribute, Attribute::Unified(_)))
}
