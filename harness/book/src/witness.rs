//! The witnesses of a requirement: implementations and models that are not ours, against which the reference is held.

use std::collections::BTreeMap;

use warpdiff_corpus::Requirement;
use warpdiff_corpus::plan::{Legality, Variant, Work};
use warpdiff_judge::verdict_table::Settled;

use crate::contents::{Judged, VariantEntry};

/// The kind of witness that a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WitnessKind {
    /// A device of NVIDIA.
    Device,
    /// NVIDIA's assembler, asked what it accepts and which bytes it emits.
    Assembler,
    /// The machine code that NVIDIA's assembler makes, on our engine for it.
    MachineCode,
    /// Another implementation.
    Implementation,
    /// Our own emulator, which is none.
    Ours,
}

/// A witness of a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witnessed {
    /// It in words.
    pub words: String,
    /// Why it shows less than the whole: what both sides share. `None` if it is independent.
    pub shares: Option<&'static str>,
}

/// The part of the name of an assembler's dialect that tells it from the specification.
const ASSEMBLER: &str = "ptxas";
/// The dialect of the text.
const TEXT: &str = "spec";

/// The witnesses of a requirement: what the corpus states, and targets that do in some of its variants what the reference allows.
pub(crate) fn of<'v>(
    requirement: &Requirement,
    judged: &[Judged],
    variants: impl Iterator<Item = &'v VariantEntry<'v>>,
) -> Vec<Witnessed> {
    let mut agreeing: BTreeMap<usize, usize> = BTreeMap::new();
    for variant in variants {
        for (place, (target, of)) in variant.line.targets.iter().zip(judged).enumerate() {
            if target.settled == Settled::Pass && bears_witness(of.kind, variant.verdict.variant) {
                *agreeing.entry(place).or_default() += 1;
            }
        }
    }
    let stated = requirement.witness.iter().map(|words| Witnessed { words: words.clone(), shares: None });
    let ran = agreeing.into_iter().map(|(place, count)| {
        let of = &judged[place];
        let noun = if count == 1 { "variant" } else { "variants" };
        let shares = if of.kind == WitnessKind::MachineCode { shared(&requirement.section) } else { None };
        Witnessed { words: format!("{}, in {count} {noun}", of.title), shares }
    });
    stated.chain(ran).collect()
}

/// Whether agreement of such a target on this variant says something of the reading of the text.
fn bears_witness(kind: WitnessKind, variant: &Variant) -> bool {
    match (kind, &variant.work) {
        (WitnessKind::Ours, _) => false,
        (WitnessKind::Assembler, Work::Legality(legality)) => agree(legality),
        (WitnessKind::Assembler, Work::Launches(_) | Work::Unsupported(_)) => false,
        (WitnessKind::Device | WitnessKind::MachineCode | WitnessKind::Implementation, _) => true,
    }
}

/// Whether the case says the same of the text and of the assembler. If it does not, the assembler's agreement with what is said of it is no
/// witness of the text.
fn agree(legality: &Legality) -> bool {
    let accepts = |name: &str| legality.accept.iter().any(|who| who.starts_with(name));
    let rejects = |name: &str| legality.reject.iter().any(|(who, _)| who.starts_with(name));
    let emits = !legality.bytes.is_empty() && !rejects(TEXT) && !rejects(ASSEMBLER);
    emits || accepts(TEXT) && accepts(ASSEMBLER) || rejects(TEXT) && rejects(ASSEMBLER)
}

/// Sections of which the machine code witnesses only that an instruction is what it is, and what both sides share (docs/compiled.md).
const SHARED: [(&str, &str); 7] = [
    ("9.7.11", SURFACES),
    ("9.7.10", SURFACES),
    ("5.3.2", SURFACES),
    ("CUDA C++ Programming Guide", SURFACES),
    ("9.7.3", ARITHMETIC),
    ("9.7.4", ARITHMETIC),
    ("9.7.9 cvt", ARITHMETIC),
];
const SURFACES: &str =
    "surfaces and textures are the same functions on both sides, so that the encoding alone is witnessed";
const ARITHMETIC: &str = "arithmetic on floating-point numbers is the same functions on both sides, so that the choice of instructions alone is witnessed";

/// What the reference shares with the machine of the machine code, in rules of this section.
fn shared(section: &str) -> Option<&'static str> {
    SHARED.iter().find(|(part, _)| section.contains(part)).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_shares_surfaces_and_numbers_with_the_reference_and_nothing_else() {
        assert_eq!(shared("9.4.1, 9.7.11.1"), Some(SURFACES));
        assert_eq!(shared("CUDA C++ Programming Guide, Texture Memory"), Some(SURFACES));
        assert_eq!(shared("9.7.3 add"), Some(ARITHMETIC));
        assert_eq!(shared("9.7.9 cvt"), Some(ARITHMETIC));
        for section in ["9.7.1 add", "9.7.9 ld", "9.7.13 atom", "5.4.4", "9.7.12 bra"] {
            assert_eq!(shared(section), None, "{section}");
        }
    }

    #[test]
    fn the_assembler_is_no_witness_of_a_text_that_it_departs_from() {
        let case = |accept: &[&str], reject: &[&str]| Legality {
            program: "".into(),
            map: Default::default(),
            accept: accept.iter().map(ToString::to_string).collect(),
            reject: reject.iter().map(|who| (who.to_string(), String::new())).collect(),
            at: None,
            bytes: BTreeMap::new(),
            byte_places: BTreeMap::new(),
            location: warpdiff_corpus::plan::Location {
                file: std::sync::Arc::new(warpdiff_corpus::plan::SourceFile::new("a.yaml", String::new())),
                range: 0..0,
            },
        };
        assert!(agree(&case(&["spec", "ptxas-12.9"], &[])));
        assert!(agree(&case(&[], &["spec", "ptxas-12.9"])));
        assert!(!agree(&case(&["spec"], &["ptxas-12.9"])));
        assert!(!agree(&case(&["ptxas-12.9"], &["spec"])));
        assert!(!agree(&case(&["spec"], &[])));
        assert!(!agree(&case(&[], &["ptxas-12.9"])));
    }
}
