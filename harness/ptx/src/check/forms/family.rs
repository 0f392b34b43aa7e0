//! The forms of each opcode, from the tables of all subjects.

use std::sync::LazyLock;

use super::row::{Form, Gate, alternatives, form};
use super::{atomic, comparison, control, conversion, float, integer, logic, memory, surface, texture, warp};
use crate::checked::Subject;
use crate::vocabulary::Opcode;

/// The forms and gates of an opcode.
#[derive(Debug, Default)]
pub(in crate::check) struct Family {
    pub(in crate::check) forms: Vec<Form>,
    pub(in crate::check) gates: Vec<Gate>,
}

/// The forms of an opcode; empty if this project has none.
pub(in crate::check) fn family(opcode: Opcode) -> &'static Family {
    static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(compile);
    &FAMILIES[opcode as usize]
}

fn compile() -> Vec<Family> {
    let mut families: Vec<Family> = Opcode::ALL.iter().map(|_| Family::default()).collect();
    let tables = [
        (Subject::Integer, integer::ROWS),
        (Subject::Logic, logic::ROWS),
        (Subject::Comparison, comparison::ROWS),
        (Subject::Float, float::ROWS),
        (Subject::Conversion, conversion::ROWS),
        (Subject::Memory, memory::ROWS),
        (Subject::Memory, atomic::ROWS),
        (Subject::Control, control::ROWS),
        (Subject::Warp, warp::ROWS),
        (Subject::Surface, surface::ROWS),
        (Subject::Texture, texture::ROWS),
    ];
    for (subject, rows) in tables {
        for row in rows {
            families[row.opcode as usize].forms.push(form(subject, row));
        }
    }
    for gate in [surface::GATES, texture::GATES, memory::GATES, atomic::GATES].into_iter().flatten() {
        families[gate.opcode as usize].gates.push(Gate {
            words: alternatives(gate.words),
            version: gate.version,
            target: gate.target,
            by: gate.by,
        });
    }
    families
}

#[cfg(test)]
mod tests {
    use super::super::row::*;
    use super::*;

    /// Reading the tables panics where one is malformed.
    #[test]
    fn tables_compile() {
        let forms: usize = Opcode::ALL.iter().map(|(opcode, _)| family(*opcode).forms.len()).sum();
        assert!(forms > 150);
    }

    #[test]
    fn type_indices_exist() {
        for (opcode, name) in Opcode::ALL {
            for form in &family(*opcode).forms {
                let types = form.slots.iter().filter(|slot| slot.is_type() && !slot.optional).count();
                for pattern in &form.operands {
                    match pattern.ty {
                        TypeOf::Index(index) => assert!(index < types, "{name}: operand of type {index}"),
                        TypeOf::Wide => assert!(types > 0, "{name}"),
                        TypeOf::Fixed(_) => {}
                    }
                }
            }
        }
    }
}
