//! The causes of mismatches of a target: their class, and the deviation that reproduces them or the instructions that show them.

use std::collections::BTreeMap;

use warpdiff_judge::mismatch_class::class_name;

use crate::session::Session;
use crate::verdict::TargetVerdict;

/// The cause of a variant's mismatches, in words: that of the first finding that deviations explain, or of the first finding.
/// `None` without findings.
pub fn cause(target: &TargetVerdict) -> Option<String> {
    let explained = target.findings.iter().find(|finding| !finding.explained.is_empty());
    let first = explained.or(target.findings.first())?;
    let names: Vec<_> = first.explained.iter().map(|deviation| deviation.name()).collect();
    let family = first.site.as_ref().map(|site| site.family.as_str());
    Some(words(class_name(first.class()), family, &names, first.together, first.unchecked.is_some()))
}

/// A cause in words: its class, and the deviations, of which each explains it, or only all `together` do. `unchecked`: they were not
/// checked against everything observed of the instruction. Without a deviation, the family of the instruction tells two bugs of one
/// class apart.
pub fn words(
    class: &str,
    family: Option<&str>,
    deviations: &[&str],
    together: bool,
    unchecked: bool,
) -> String {
    let by = match deviations {
        [] => {
            let at = family.map(|family| format!(" in {family}")).unwrap_or_default();
            return format!("{class}{at}, reproduced by no known deviation");
        }
        all if together => format!("{} together", all.join(" and ")),
        any => any.join(" or "),
    };
    let limits = match unchecked {
        true => " (not checked against everything observed of the instruction)",
        false => "",
    };
    format!("{class}, reproduced by {by}{limits}")
}

/// The causes of one target, each with its number of variants, the most frequent first.
pub fn of(session: &Session<'_>, target: usize) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for cause in session.verdicts.iter().filter_map(|v| cause(&v.targets[target])) {
        *counts.entry(cause).or_default() += 1;
    }
    let mut ordered: Vec<_> = counts.into_iter().collect();
    ordered.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    ordered
}
