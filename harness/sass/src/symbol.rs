//! Numbers that a loader fills in: the addresses of variables and functions in the words of a program, as nvdisasm writes them
//! (`32@lo(table)`, `` `(table) ``).

use std::fmt;

use warpdiff_ptx::source::Span;

use crate::form::{Form, OperandField};

/// Which part of an address a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressPart {
    /// As much as the field has room for.
    Whole,
    /// Its lower 32 bits.
    Lower,
    /// Its upper 32 bits.
    Upper,
}

/// The address of a symbol. Displayed as nvdisasm prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolAddress {
    /// Which part of it.
    pub part: AddressPart,
    /// The symbol.
    pub name: String,
    /// Bytes added to its address.
    pub addend: i64,
}

impl fmt::Display for SymbolAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.part {
            AddressPart::Whole => "`(",
            AddressPart::Lower => "32@lo(",
            AddressPart::Upper => "32@hi(",
        })?;
        match self.addend {
            0 => write!(f, "{})", self.name),
            addend if addend < 0 => write!(f, "({} - {:#x}))", self.name, addend.unsigned_abs()),
            addend => write!(f, "({} + {addend:#x}))", self.name),
        }
    }
}

/// The address of a symbol in a statement of a program; its field is zero until somebody fills it in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolUse {
    /// The index of the statement.
    pub statement: usize,
    /// What goes there.
    pub address: SymbolAddress,
    /// Its place in the text.
    pub span: Span,
}

impl Form {
    /// The operand in which an address of a symbol stands, if one has room for it.
    pub(crate) fn symbol_operand(&self) -> Option<usize> {
        self.operands.iter().rposition(|field| {
            matches!(
                field,
                OperandField::Immediate20 { .. }
                    | OperandField::Immediate32 { .. }
                    | OperandField::AbsoluteTarget
                    | OperandField::Address { .. }
                    | OperandField::Constant
                    | OperandField::IndexedConstant
                    | OperandField::Unsigned { width: 13.., .. }
            )
        })
    }
}
