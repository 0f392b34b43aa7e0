//! The forms of each opcode, from the tables of all subjects.

use std::sync::LazyLock;

use super::row::{By, Form, Gate, alternatives, form};
use super::{
    atomic, comparison, control, conversion, float, integer, logic, memory, surface, texture, video, warp,
};
use crate::checked::Subject;
use crate::vocabulary::Opcode;
use crate::word_kind::WordKind;

/// The forms and gates of an opcode.
#[derive(Debug, Default)]
pub(in crate::check) struct OpcodeForms {
    pub(in crate::check) forms: Vec<Form>,
    pub(in crate::check) gates: Vec<Gate>,
}

/// The forms of an opcode; empty if this project has none.
pub(in crate::check) fn opcode_forms(opcode: Opcode) -> &'static OpcodeForms {
    static ALL: LazyLock<Vec<OpcodeForms>> = LazyLock::new(compile);
    &ALL[opcode as usize]
}

/// The forms that this project runs and NVIDIA's assembler takes for every target from their first on, with their opcodes: those that a
/// generator of programs has to know. A word of one may need a later version or target than the form (`gates`).
pub fn forms_to_run() -> impl Iterator<Item = (Opcode, &'static Form)> {
    let of_opcode = |opcode| opcode_forms(opcode).forms.iter().map(move |form| (opcode, form));
    Opcode::ALL
        .iter()
        .flat_map(move |(opcode, _)| of_opcode(*opcode))
        .filter(|(_, form)| form.runs_everywhere())
}

/// The number of the first target that takes a form of that opcode with those words.
pub fn needed_target(opcode: Opcode, form: &Form, words: &[WordKind]) -> u32 {
    let applies = |gate: &&Gate| gate.by != By::Text && words.iter().any(|word| gate.words.contains(*word));
    let gates = opcode_forms(opcode).gates.iter().filter(applies);
    gates.map(|gate| gate.target).fold(form.target, u32::max)
}

fn compile() -> Vec<OpcodeForms> {
    let mut opcodes: Vec<OpcodeForms> = Opcode::ALL.iter().map(|_| OpcodeForms::default()).collect();
    let tables = [
        (Subject::Integer, integer::ROWS),
        (Subject::Video, video::ROWS),
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
            opcodes[row.opcode as usize].forms.push(form(subject, row));
        }
    }
    for gate in [surface::GATES, texture::GATES, memory::GATES, atomic::GATES].into_iter().flatten() {
        opcodes[gate.opcode as usize].gates.push(Gate {
            words: alternatives(gate.words).into_iter().collect(),
            version: gate.version,
            target: gate.target,
            by: gate.by,
        });
    }
    opcodes
}

#[cfg(test)]
mod tests {
    use super::super::row::*;
    use super::*;

    /// Reading the tables panics where one is malformed.
    #[test]
    fn tables_compile() {
        let forms: usize = Opcode::ALL.iter().map(|(opcode, _)| opcode_forms(*opcode).forms.len()).sum();
        assert!(forms > 150);
    }

    #[test]
    fn type_indices_exist() {
        for (opcode, name) in Opcode::ALL {
            for form in &opcode_forms(*opcode).forms {
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

    /// A word of the vocabulary that no form of its instruction has is wrong; only other words may be of a form that is not known.
    #[test]
    fn unmodelled_words_are_outside_the_vocabulary() {
        use crate::word_kind::WordKind;
        for word in UNMODELLED {
            assert_eq!(WordKind::from_text(word), WordKind::Other, "{word}");
        }
    }

    /// Targets that a form names are written without their `sm_`, with a letter, and are no older than its first.
    #[test]
    fn named_targets_have_a_letter() {
        for (opcode, name) in Opcode::ALL {
            for form in &opcode_forms(*opcode).forms {
                for target in form.only.split_whitespace() {
                    let number = target.strip_suffix(['a', 'f']).and_then(|number| number.parse().ok());
                    assert!(number.is_some_and(|number: u32| number >= form.target), "{name}: {target}");
                }
            }
        }
    }

    /// What matches a form must not overflow the lists of an instruction.
    #[test]
    fn the_words_of_every_form_have_places() {
        use crate::checked::{Modifiers, Spaces, Types};
        use crate::vocabulary::Modifier as M;
        use crate::word_kind::WordKind as K;
        let in_spaces = |word: &K| {
            matches!(
                word,
                K::Space(_) | K::Modifier(M::SharedCta | M::SharedCluster | M::ParamEntry | M::ParamFunc)
            )
        };
        let modifier = |word: &K| matches!(word, K::Modifier(_));
        let ty = |word: &K| matches!(word, K::Type(_));
        for (opcode, name) in Opcode::ALL {
            for form in &opcode_forms(*opcode).forms {
                let most = |which: &dyn Fn(&K) -> bool| {
                    form.slots.iter().filter(|slot| slot.words.iter().any(which)).count()
                };
                assert!(most(&modifier) <= Modifiers::PLACES, "modifiers of {name}");
                assert!(most(&in_spaces) <= Spaces::PLACES, "spaces of {name}");
                assert!(most(&ty) <= Types::PLACES, "types of {name}");
            }
        }
    }
}
