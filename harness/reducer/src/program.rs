//! A program as its syntax tree, one statement a line.

use std::ops::Range;
use std::sync::Arc;

use warpdiff_model::Launch;
use warpdiff_ptx::ast::{Constant, Function, Instruction, Item, List, Module, Operand, Statement, WordKind};
use warpdiff_ptx::source::Span;
use warpdiff_ptx::vocabulary::Type;

use crate::text_edit::{TextEdit, edited};

/// The syntax tree of a program of PTX, as printed: each statement and each declaration has a line of its own.
pub(crate) struct Program {
    pub(crate) module: Module,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl Program {
    /// The program of a launch, printed anew if it has statements that share a line; `None` if it cannot be parsed, as a program of
    /// SPA 5.0.
    pub(crate) fn of(launch: &Launch) -> Option<Self> {
        let module = warpdiff_ptx::parse(&launch.program).ok()?;
        let printed = warpdiff_ptx::print(&module);
        let module = warpdiff_ptx::parse(&printed).ok()?;
        let ends = printed.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Some(Self { module, lines })
    }

    pub(crate) fn text(&self) -> &str {
        &self.module.text
    }

    /// The launch with the program as it is printed.
    pub(crate) fn printed(&self, launch: &Launch) -> Launch {
        Launch { program: Arc::from(self.text()), ..launch.clone() }
    }

    /// The launch with an edited program.
    pub(crate) fn with<'e>(&self, launch: &Launch, edits: impl Iterator<Item = &'e TextEdit>) -> Launch {
        Launch { program: Arc::from(edited(self.text(), edits)), ..launch.clone() }
    }

    /// The number of the line, from 1.
    pub(crate) fn line(&self, span: Span) -> u32 {
        self.lines.partition_point(|start| *start <= span.start as usize) as u32
    }

    /// The whole line, with its end.
    pub(crate) fn whole_line(&self, span: Span) -> Range<usize> {
        let line = self.line(span) as usize;
        self.lines[line - 1]..self.lines.get(line).copied().unwrap_or(self.text().len())
    }

    /// An edit of the operand, word or name there.
    pub(crate) fn replaced(&self, span: Span, text: impl Into<String>) -> TextEdit {
        TextEdit { range: span.range(), text: text.into() }
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.module.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(&**function),
            _ => None,
        })
    }

    pub(crate) fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.functions().flat_map(|function| function.body.iter().flatten()).filter_map(|statement| {
            match statement {
                Statement::Instruction(instruction) => Some(instruction),
                _ => None,
            }
        })
    }

    /// The operands of an instruction, those within brackets and braces included. Brackets and braces themselves are none.
    pub(crate) fn leaves(&self, list: List) -> Vec<Operand> {
        let mut leaves = Vec::new();
        for operand in self.module.operands_of(list) {
            match operand {
                Operand::Vector { items, .. }
                | Operand::Pair { items, .. }
                | Operand::Bracket { items, .. }
                | Operand::Group { items, .. }
                | Operand::Element { index: items, .. } => leaves.extend(self.leaves(*items)),
                other => leaves.push(*other),
            }
        }
        leaves
    }

    /// Whether a type of the instruction is `.f32` or `.f64`.
    pub(crate) fn is_of_floats(&self, instruction: &Instruction) -> bool {
        let words = self.module.words_of(instruction.words);
        words.iter().any(|word| matches!(word.kind, WordKind::Type(Type::F32 | Type::F64)))
    }

    /// The constants among the operands of an instruction.
    pub(crate) fn constants(&self, instruction: &Instruction) -> Vec<Constant> {
        let of = |operand: Operand| match operand {
            Operand::Constant(constant) | Operand::Offset { offset: constant, .. } => Some(constant),
            _ => None,
        };
        self.leaves(instruction.operands).into_iter().filter_map(of).collect()
    }
}

/// The name that an operand is or begins with.
pub(crate) fn name_of(operand: &Operand) -> Option<Span> {
    match operand {
        Operand::Name(name)
        | Operand::Component { name, .. }
        | Operand::Negated(name)
        | Operand::Minus { name, .. }
        | Operand::Offset { name, .. }
        | Operand::Element { name, .. } => Some(*name),
        _ => None,
    }
}
