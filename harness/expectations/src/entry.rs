//! One entry of a file of expectations: which variants it is about, and what it expects of them.

use std::collections::BTreeSet;
use std::ops::Range;

use warpdiff_corpus::filter::Pattern;
use warpdiff_corpus::plan::Location;
use warpdiff_ptx::source::line_column;

use crate::cause::{Cause, Failure};
use crate::conditions::Conditions;
use crate::day::Day;

/// The share of passes that repetitions show unless a `flakes` entry states another.
pub const RAREST: f64 = 0.01;

/// What an entry expects.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// `fails`: the variants fail with this cause.
    Fails(Cause),
    /// `flakes`: they pass, or fail with this cause; at least this share of runs passes.
    Flakes {
        /// The cause of the failures.
        cause: Cause,
        /// The stated pass rate, from [`RAREST`] to below 1.
        passes: f64,
    },
    /// `skips`: they are not run.
    Skips,
}

/// The variants that an entry is about: those that one pattern of every kind matches that the entry has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Patterns over ids of variants.
    pub variants: Vec<Pattern>,
    /// Patterns over ids of requirements that the variant covers.
    pub requirements: Vec<Pattern>,
    /// Patterns over families of instructions in its programs: `suld.b`, `atom.inc`.
    pub instructions: Vec<Pattern>,
}

/// The facts of a variant by which entries select it.
#[derive(Clone, Copy, Debug)]
pub struct Selected<'v> {
    /// Its id.
    pub id: &'v str,
    /// Ids of the requirements that it covers.
    pub covers: &'v [String],
    /// The families of its instructions; `None` if its programs were not read.
    pub instructions: Option<&'v BTreeSet<String>>,
}

/// One entry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The variants it is about.
    pub selection: Selection,
    /// What it expects of them.
    pub expected: Expected,
    /// Why.
    pub reason: String,
    /// Where more is said.
    pub link: Option<String>,
    /// When it holds, beside the conditions of its file.
    pub conditions: Conditions,
    /// The last day on which it holds.
    pub expires: Option<Day>,
    /// The place of the entry.
    pub location: Location,
    /// Where its parts stand in the file.
    pub(crate) layout: Layout,
}

/// Where the parts of an entry stand in its file, for editing.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The end of its last value.
    pub(crate) end: usize,
    /// The value of `variants`, if there is one.
    pub(crate) variants: Option<Range<usize>>,
    /// The patterns of `variants`, if that is a list.
    pub(crate) items: Vec<Range<usize>>,
}

impl Selection {
    /// Whether a variant is selected; `None` if that depends on instructions that are not known.
    pub fn selects(&self, variant: &Selected<'_>) -> Option<bool> {
        let ids = self.variants.is_empty() || self.variants.iter().any(|p| p.matches_whole(variant.id));
        let covers = |p: &Pattern| variant.covers.iter().any(|id| p.matches_whole(id));
        let requirements = self.requirements.is_empty() || self.requirements.iter().any(covers);
        if !ids || !requirements {
            return Some(false);
        }
        if self.instructions.is_empty() {
            return Some(true);
        }
        let families = variant.instructions?;
        Some(self.instructions.iter().any(|p| families.iter().any(|family| p.matches_whole(family))))
    }

    /// The patterns as a message has them.
    pub fn words(&self) -> String {
        let kinds = [
            ("variant", &self.variants),
            ("requirement", &self.requirements),
            ("instruction", &self.instructions),
        ];
        let written = kinds.iter().filter(|(_, patterns)| !patterns.is_empty()).map(|(kind, patterns)| {
            let quoted: Vec<_> = patterns.iter().take(2).map(|p| format!("`{}`", p.as_str())).collect();
            let more =
                if patterns.len() > 2 { format!(" or {} others", patterns.len() - 2) } else { String::new() };
            format!("{kind} {}{more}", quoted.join(" or "))
        });
        written.collect::<Vec<_>>().join(" and ")
    }
}

impl Entry {
    /// Whether it is about a variant. Unknown instructions do not match.
    pub fn is_about(&self, variant: &Selected<'_>) -> bool {
        self.selection.selects(variant) == Some(true)
    }

    /// The cause that it expects; `None` for `skips`.
    pub fn cause(&self) -> Option<&Cause> {
        match &self.expected {
            Expected::Fails(cause) | Expected::Flakes { cause, .. } => Some(cause),
            Expected::Skips => None,
        }
    }

    /// Whether it expects this failure.
    pub fn covers(&self, failure: &Failure) -> bool {
        self.cause().is_some_and(|cause| cause.covers(failure))
    }

    /// Whether its last day is over.
    pub fn is_expired(&self, today: Day) -> bool {
        self.expires.is_some_and(|last| last < today)
    }

    /// Its place: `ci/expectations/h200.yaml:7:5`.
    pub fn place(&self) -> String {
        let Location { file, range } = &self.location;
        let at = line_column(&file.text, u32::try_from(range.start).unwrap_or(u32::MAX));
        format!("{}:{}:{}", file.path.display(), at.line, at.column)
    }

    /// Its place and what it expects: `h200.yaml:7:5: fails: clamp behaviour, reproduced by suld.clamp-as-zero`.
    pub fn words(&self) -> String {
        let place = self.place();
        match &self.expected {
            Expected::Fails(cause) => format!("{place}: fails: {cause}"),
            Expected::Flakes { cause, passes } => {
                format!("{place}: flakes, and passes at least {}: {cause}", percent(*passes))
            }
            Expected::Skips => format!("{place}: skips: {}", self.reason),
        }
    }
}

/// `95 %`, `99.5 %`
fn percent(share: f64) -> String {
    let percent = format!("{:.2}", share * 100.0);
    format!("{} %", percent.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(texts: &[&str]) -> Vec<Pattern> {
        texts.iter().map(|text| Pattern::new(*text)).collect()
    }

    #[test]
    fn every_kind_of_pattern_must_match_and_one_of_each_is_enough() {
        let selection = Selection {
            variants: patterns(&["suld/a", "sust/*"]),
            requirements: patterns(&["suld.clamp.*"]),
            instructions: patterns(&["suld.b"]),
        };
        let covers = ["suld.clamp.nearest".to_owned()];
        let families = BTreeSet::from(["suld.b".to_owned(), "add".to_owned()]);
        let of = |id, covers, instructions| selection.selects(&Selected { id, covers, instructions });
        assert_eq!(of("suld/a", &covers, Some(&families)), Some(true));
        assert_eq!(of("sust/any", &covers, Some(&families)), Some(true));
        // A pattern without `*` is the whole id.
        assert_eq!(of("suld/ab", &covers, Some(&families)), Some(false));
        assert_eq!(of("suld/a", &[], Some(&families)), Some(false));
        let none = BTreeSet::new();
        assert_eq!(of("suld/a", &covers, Some(&none)), Some(false));
        // What is not known is not needed where the rest decides.
        assert_eq!(of("suld/a", &covers, None), None);
        assert_eq!(of("suld/b", &covers, None), Some(false));
    }

    #[test]
    fn shares_are_written_as_percentages() {
        assert_eq!(percent(0.95), "95 %");
        assert_eq!(percent(0.995), "99.5 %");
        assert_eq!(percent(0.01), "1 %");
    }
}
