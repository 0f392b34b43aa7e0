//! The causes of mismatches of a target: their class, and the deviation that reproduces them.

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
    Some(words(class_name(first.class()), &names, first.together, first.unchecked.is_some()))
}

/// A cause in words: its class, and the deviations, of which each explains it, or only all `together` do. `unchecked`: they were not
/// checked against everything observed of the instruction.
pub fn words(class: &str, deviations: &[&str], together: bool, unchecked: bool) -> String {
    let by = match deviations {
        [] => "no known deviation".into(),
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
