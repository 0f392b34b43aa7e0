//! A program: what assembler text says, before and after its rules are checked.

use warpdiff_ptx::source::Span;

use crate::bundle;
use crate::control::Control;
use crate::header::Header;
use crate::instruction::{Instruction, Operand};

/// One statement of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The instruction.
    pub instruction: Instruction,
    /// Its annotations, `None` where it has none.
    pub control: Option<Control>,
    /// `.reuse`: the sources whose registers are kept for the next instruction, a bit each. It changes no value.
    pub reuse: u8,
    /// Whether it is the first of two in braces, which are issued together.
    pub paired: bool,
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
    /// What its directives say.
    pub header: Header,
}

impl Program {
    /// The statement that a label stands before; the number of statements for one at the end.
    pub fn label(&self, name: &str) -> Option<usize> {
        self.labels.iter().find(|label| label.name == name).map(|label| label.statement)
    }

    /// Where the control flow instruction with that index goes or what it pushes (`SSY`): the index of a statement, or their
    /// number for the end of the program. `None`: it has no target, or one that is no instruction of this program; checked
    /// programs have none of the latter.
    pub fn target(&self, statement: usize) -> Option<usize> {
        let operands = &self.statements.get(statement)?.instruction.operands;
        let offset = operands.iter().find_map(|operand| match operand {
            Operand::Target(offset) => Some(*offset),
            _ => None,
        })?;
        let address = i64::from(bundle::address(statement)) + 8 + i64::from(offset);
        bundle::statement_at(address).filter(|to| *to <= self.statements.len())
    }

    /// Whether no statement has an annotation: such a program states no schedule and is given a sound one. One annotation makes
    /// the schedule explicit, and what is then not waited for is undefined.
    pub fn is_unscheduled(&self) -> bool {
        self.statements.iter().all(|statement| statement.control.is_none())
    }
}
