//! What the mismatches of a target have in common: their class, and the deviation that reproduces them.

use std::collections::BTreeMap;

use crate::cause::class_name;
use crate::session::Session;
use crate::verdict::TargetVerdict;

/// The cause of what is wrong on a variant, in words: that of its first finding. `None` where nothing is.
pub fn cause(target: &TargetVerdict) -> Option<String> {
    let first = target.findings.first()?;
    let by = first.explained.first().map_or("no known deviation", |d| d.name());
    Some(format!("{}, reproduced by {by}", class_name(first.class())))
}

/// The causes of one target, each with the number of variants that it explains, the most frequent first.
pub fn of(session: &Session<'_>, target: usize) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for cause in session.verdicts.iter().filter_map(|v| cause(&v.targets[target])) {
        *counts.entry(cause).or_default() += 1;
    }
    let mut ordered: Vec<_> = counts.into_iter().collect();
    ordered.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    ordered
}
