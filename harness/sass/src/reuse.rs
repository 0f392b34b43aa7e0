//! The bits of the control field that keep the registers of operands for the next instruction, as nvdisasm 12.8 shows them.
//!
//! The field has four bits. Three belong to the places of the sources; a bit that belongs to no operand of an instruction is still
//! part of its words, and stands in the text as an annotation, `&reuse=8`.

use crate::form::{Form, OperandField};
use crate::mnemonic::{Mnemonic, Subject};

/// The bits that textures have for something else, as words behind the modifiers: they keep no sources, and tell the unit which
/// lookups belong together. What is computed does not depend on it.
pub(crate) const PHASES: [&str; 4] = ["", "T", "P", "INVALIDPHASE3"];

/// Every bit of the field.
pub(crate) const ALL: u8 = 0b1111;

impl Form {
    /// The bit that keeps the register of an operand.
    pub(crate) fn reuse_slot(&self, operand: usize) -> Option<u8> {
        if !self.traits.keeps_sources {
            return None;
        }
        match self.operands[operand] {
            OperandField::Register { low: 8, .. } => Some(0),
            // A sum of two is the sum of the first and the third source.
            OperandField::Register { low: 20, .. }
                if matches!(
                    self.mnemonic,
                    Mnemonic::FADD | Mnemonic::DADD | Mnemonic::FSWZADD | Mnemonic::HADD2
                ) =>
            {
                Some(2)
            }
            OperandField::Register { low: 20, .. } => Some(1),
            // In the place of the second source, where the third is a constant.
            OperandField::Register { low: 39, .. }
                if self.operands.get(operand + 1) == Some(&OperandField::Constant) =>
            {
                Some(1)
            }
            OperandField::Register { low: 39, .. } => Some(2),
            OperandField::RdAgain => Some(2),
            _ => None,
        }
    }

    /// Whether two of the bits are the phase of a texture lookup.
    pub(crate) fn has_phase(&self) -> bool {
        self.traits.subject == Subject::Texture
    }

    /// The bits that belong to operands or are a phase; the others can only be annotations.
    pub(crate) fn reuse_slots(&self) -> u8 {
        if self.has_phase() {
            return 0b11;
        }
        (0..self.operands.len())
            .filter_map(|operand| self.reuse_slot(operand))
            .fold(0, |set, slot| set | 1 << slot)
    }
}
