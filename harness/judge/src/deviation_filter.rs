//! Which deviations of the catalogue a filter selects: by id, family, requirement or instruction.

use thiserror::Error;
use warpdiff_corpus::filter::Pattern;
use warpdiff_model::{Deviation, Entry};

use crate::shown_by::instructions;

/// Why a filter selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FilterError {
    /// No deviation fits.
    #[error("no deviation matches `{0}`; `warpdiff deviations` lists them")]
    Nothing(String),
    /// The word before the colon is none of those that are known.
    #[error(
        "`{word}:` in `{filter}` is unknown: a filter is part of an id, or begins with `family:`, `requirement:` or `instruction:`"
    )]
    Word {
        /// The word.
        word: String,
        /// The filter.
        filter: String,
    },
}

/// The fact about a deviation that a filter is about.
#[derive(Clone, Copy)]
enum Subject {
    Id,
    Family,
    Requirement,
    Instruction,
}

struct DeviationFilter {
    subject: Subject,
    pattern: Pattern,
}

/// The entries that one of the filters selects, in the order of the catalogue; all of them if there is no filter.
///
/// A filter is text found anywhere in the id, or a pattern with `*` over the whole of it. Behind `family:`, `requirement:` and
/// `instruction:` stands the whole name of a family, of a requirement that the deviation breaks or that permits it, or of an instruction
/// that can show it; a `*` stands for any text.
///
/// # Errors
/// If a filter selects nothing.
pub fn selected(filters: &[String]) -> Result<Vec<&'static Entry>, FilterError> {
    let mut read = Vec::new();
    for filter in filters {
        let one = DeviationFilter::read(filter)?;
        if !Deviation::catalogue().iter().any(|entry| one.selects(entry)) {
            return Err(FilterError::Nothing(filter.clone()));
        }
        read.push(one);
    }
    let is_selected = |entry: &&Entry| read.is_empty() || read.iter().any(|one| one.selects(entry));
    Ok(Deviation::catalogue().iter().filter(is_selected).collect())
}

impl DeviationFilter {
    fn read(filter: &str) -> Result<Self, FilterError> {
        let (subject, pattern) = match filter.split_once(':') {
            None => (Subject::Id, filter),
            Some(("family", pattern)) => (Subject::Family, pattern),
            Some(("requirement", pattern)) => (Subject::Requirement, pattern),
            Some(("instruction", pattern)) => (Subject::Instruction, pattern),
            Some((word, _)) => {
                return Err(FilterError::Word { word: word.into(), filter: filter.into() });
            }
        };
        Ok(Self { subject, pattern: Pattern::new(pattern) })
    }

    fn selects(&self, entry: &Entry) -> bool {
        let whole = |text: &str| self.pattern.matches_whole(text);
        match self.subject {
            Subject::Id => self.pattern.matches(entry.name),
            Subject::Family => whole(entry.family),
            Subject::Requirement => entry.breaks.iter().chain(&entry.permitted_by).any(|id| whole(id)),
            Subject::Instruction => instructions(entry.deviation).any(whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(filters: &[&str]) -> Vec<&'static str> {
        let filters: Vec<String> = filters.iter().map(ToString::to_string).collect();
        selected(&filters).unwrap().iter().map(|entry| entry.name).collect()
    }

    fn error(filter: &str) -> String {
        selected(&[filter.to_owned()]).unwrap_err().to_string()
    }

    #[test]
    fn filters_select_by_each_of_the_four_facts() {
        assert_eq!(names(&[]).len(), Deviation::COUNT);
        assert_eq!(names(&["spa.cas-compares"]), ["spa.cas-compares-rc"]);
        assert!(names(&["family:atomics"]).contains(&"atom.inc-off-by-one"));
        assert!(!names(&["family:atomics"]).contains(&"spa.cas-compares-rc"));
        assert_eq!(names(&["requirement:spa.atoms.spin.one"]), ["spa.spin-none-wins"]);
        assert_eq!(names(&["requirement:tex.array.outside"]), ["tex.layer-wraps"], "which permits it");
        let of_bfe = names(&["instruction:bfe"]);
        assert!(of_bfe.contains(&"bfe.signed-zero-extended") && !of_bfe.contains(&"fma.unfused"));
        assert!(names(&["instruction:ATOMS"]).contains(&"spa.spin-none-wins"));
        assert!(names(&["instruction:sured"]).contains(&"surface.x-as-texel"), "by the word `surface`");
    }

    #[test]
    fn several_filters_add_up_in_the_order_of_the_catalogue() {
        assert_eq!(names(&["fma.unfused", "suld.clamp-as-zero"]), ["suld.clamp-as-zero", "fma.unfused"]);
    }

    #[test]
    fn a_filter_that_selects_nothing_or_has_an_unknown_word_is_an_error() {
        let nothing =
            |filter: &str| format!("no deviation matches `{filter}`; `warpdiff deviations` lists them");
        for filter in ["spa.cass", "family:atomic", "requirement:suld.clamp", "instruction:lds"] {
            assert_eq!(error(filter), nothing(filter));
        }
        assert!(error("opcode:suld").starts_with("`opcode:` in `opcode:suld` is unknown"));
    }
}
