//! The names of the pages that every book has, and of errata in theirs.

/// The first page.
pub(super) const CONTENTS: &str = "index.html";
/// The choices.
pub(super) const CHOICES: &str = "choices.html";
/// The deviations.
pub(super) const DEVIATIONS: &str = "deviations.html";
/// The errata.
pub(super) const ERRATA: &str = "errata.html";
/// The list of files of cases.
pub(super) const CASES: &str = "cases.html";

/// The place of an erratum in its page: the requirement that it is about, and its number among those of the requirement.
pub(super) fn erratum(requirement: &str, number: usize) -> String {
    format!("{requirement}-{}", number + 1)
}
