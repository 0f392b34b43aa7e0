//! A program: what assembler text says, before and after its rules are checked.

use warpdiff_ptx::source::Span;

use crate::control::Control;
use crate::instruction::Instruction;

/// One statement of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The instruction.
    pub instruction: Instruction,
    /// Its annotations, `None` where it has none.
    pub control: Option<Control>,
    /// Where it stands in the text.
    pub span: Span,
}

/// A label and the statement it stands before; the number of statements for one at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name, `loop` or `.L_1`.
    pub name: String,
    /// The index of the statement that follows.
    pub statement: usize,
}

/// The statements of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// In order.
    pub statements: Vec<Statement>,
    /// In order.
    pub labels: Vec<Label>,
}

impl Program {
    /// Whether no statement has an annotation: such a program states no schedule and is given a sound one. One annotation makes
    /// the schedule explicit, and what is then not waited for is undefined.
    pub fn is_unscheduled(&self) -> bool {
        self.statements.iter().all(|statement| statement.control.is_none())
    }
}
