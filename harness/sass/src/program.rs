//! A program: what assembler text says, before and after its rules are checked.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use warpdiff_ptx::source::Span;

use crate::bundle;
use crate::control::Control;
use crate::form::OperandField;
use crate::header::Header;
use crate::instruction::{Instruction, Operand, Written};
use crate::symbol::SymbolUse;

/// One statement of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The instruction.
    pub instruction: Instruction,
    /// Its annotations, `None` where it has none.
    pub control: Option<Control>,
    /// `.reuse`: the sources whose registers are kept for the next instruction, four bits. It changes no value.
    pub reuse: u8,
    /// Whether its address is written without a register, `[0x10]`; in the words that is the same as with `RZ`.
    pub absolute: bool,
    /// Whether it is the first of two in braces, which are issued together.
    pub paired: bool,
    /// Its place in the text.
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
    /// Addresses that a loader fills in, in the order of the statements; these fields are zero.
    pub symbols: Vec<SymbolUse>,
    /// The content of its directives.
    pub header: Header,
}

impl Program {
    /// The target of the control flow instruction with that index, or the target that it pushes (`SSY`): a statement's index, or
    /// their number for the end of the program. `None`: it has no target, or one that is no instruction of this program; checked
    /// programs have none of the latter.
    pub fn target(&self, statement: usize) -> Option<usize> {
        if self.symbol(statement).is_some() {
            return None;
        }
        let instruction = &self.statements.get(statement)?.instruction;
        let address = match (instruction.form.operands.last()?, *instruction.operands.last()?) {
            (OperandField::Target, Operand::Target(offset)) => {
                i64::from(bundle::address(statement)) + 8 + i64::from(offset)
            }
            (OperandField::AbsoluteTarget, Operand::Immediate(address)) => address,
            _ => return None,
        };
        bundle::statement_at(address).filter(|to| *to <= self.statements.len())
    }

    /// The address of a symbol that the statement with that index has.
    pub fn symbol(&self, statement: usize) -> Option<&SymbolUse> {
        self.symbols.iter().find(|symbol| symbol.statement == statement)
    }

    /// Whether no statement has an annotation: such a program states no schedule and is given a sound one. One annotation makes
    /// the schedule explicit, and the result of a missing wait is then undefined.
    pub fn is_unscheduled(&self) -> bool {
        self.statements.iter().all(|statement| statement.control.is_none())
    }
}

impl Program {
    /// Gives each statement its place in the program's own text, and returns that text. Programs made of words have no places.
    pub fn place_in_listing(&mut self) -> String {
        let text = self.to_string();
        let mut statements = self.statements.iter_mut();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let is_statement = line.starts_with([' ', '{']);
            if let Some(statement) = is_statement.then(|| statements.next()).flatten() {
                let written = line.trim_end().len();
                let indented = line.len() - line.trim_start_matches([' ', '{']).len();
                statement.span = Span { start: (start + indented) as u32, end: (start + written) as u32 };
            }
            start += line.len();
        }
        text
    }
}

impl fmt::Display for Program {
    /// The text of the program, directives included; [`crate::parse()`] makes the same program of it. Where control goes to a
    /// statement without a label, one is made up.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.header)?;
        let made_up = self.made_up_labels();
        let named = self.labels.iter().rev().map(|label| (label.statement, label.name.as_str()));
        let mut labels: HashMap<usize, &str> = named.collect();
        labels.extend(made_up.iter().map(|(statement, name)| (*statement, name.as_str())));
        let label = |to: usize| labels.get(&to).copied();
        // Labels are in the order of their statements.
        let mut own = self.labels.iter().peekable();
        for (index, statement) in self.statements.iter().enumerate() {
            while let Some(label) = own.next_if(|label| label.statement == index) {
                writeln!(f, "{}:", label.name)?;
            }
            if let Some(name) = made_up.get(&index) {
                writeln!(f, "{name}:")?;
            }
            let target = self.target(index).and_then(label);
            let symbol = self.symbol(index).map(|symbol| &symbol.address);
            let Statement { instruction, reuse, .. } = statement;
            let written = Written { instruction, reuse: *reuse, target, exact: true, symbol };
            write!(f, "{}{written}", if statement.paired { "{   " } else { "    " })?;
            let elsewhere = statement.reuse & !statement.instruction.form.reuse_slots();
            if elsewhere != 0 {
                write!(f, " &reuse={elsewhere:#x}")?;
            }
            match statement.control {
                Some(control) => write!(f, " {control};")?,
                None => f.write_str(";")?,
            }
            let second = index > 0 && self.statements[index - 1].paired;
            f.write_str(if second { " }\n" } else { "\n" })?;
        }
        for label in own {
            writeln!(f, "{}:", label.name)?;
        }
        match made_up.get(&self.statements.len()) {
            Some(name) => writeln!(f, "{name}:"),
            None => Ok(()),
        }
    }
}

impl Program {
    /// Labels for the statements that control goes to and that have none.
    fn made_up_labels(&self) -> BTreeMap<usize, String> {
        let labelled: HashSet<usize> = self.labels.iter().map(|label| label.statement).collect();
        let names: HashSet<&str> = self.labels.iter().map(|label| label.name.as_str()).collect();
        let targets = (0..self.statements.len()).filter_map(|index| self.target(index));
        let mut made_up: BTreeMap<usize, String> =
            targets.filter(|to| !labelled.contains(to)).map(|to| (to, String::new())).collect();
        let mut fresh =
            (0..).map(|number: usize| format!(".L_{number}")).filter(|name| !names.contains(name.as_str()));
        for name in made_up.values_mut() {
            *name = fresh.next().unwrap_or_default();
        }
        made_up
    }
}
