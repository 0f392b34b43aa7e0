//! The expectations that results need: new entries for failures that none covers, and the text of a file with them.

use std::collections::BTreeMap;
use std::fmt::Write;

use warpdiff_corpus::filter::Pattern;
use warpdiff_judge::mismatch_class::class_name;

use crate::cause::{Cause, Failure, NONE};
use crate::conditions::DEVICE;
use crate::day::Day;
use crate::entry::{Entry, Expected, RAREST, Selected, Selection};
use crate::file::List;
use crate::patterns::fewest;
use crate::results::{TargetResults, VariantResult};

/// The words that a person adds to new entries.
#[derive(Clone, Debug)]
pub struct Words {
    /// Why.
    pub reason: String,
    /// Where more is said.
    pub link: Option<String>,
    /// The last day on which the entries hold.
    pub expires: Option<Day>,
    /// The day of today.
    pub today: Day,
}

/// Days after which a new entry of `flakes` expires, unless a day is given.
const DAYS: u64 = 30;

/// A new entry.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEntry {
    /// The variants it is about.
    pub selection: Selection,
    /// What it expects of them.
    pub expected: Expected,
    /// How many variants of the results have that.
    pub variants: usize,
}

/// The entries that results of a target need beside those that are there. `corpus` has the variants of the whole corpus: those that
/// did not run are not matched by a new entry.
pub fn new_entries(results: &TargetResults, there: &[&Entry], corpus: &[Selected<'_>]) -> Vec<NewEntry> {
    let mut found = Vec::new();
    for flaky in [false, true] {
        let open: Vec<(&str, &VariantResult, Vec<&Failure>)> = results
            .variants
            .iter()
            .filter(|(_, result)| result.failed && result.is_flaky() == flaky)
            .map(|(id, result)| {
                let about: Vec<&&Entry> =
                    there.iter().filter(|entry| entry.is_about(&result.selected(id))).collect();
                let is_open = |failure: &&Failure| !about.iter().any(|entry| entry.covers(failure));
                (id.as_str(), result, result.failures.iter().filter(is_open).collect())
            })
            .collect();
        found.extend(of_causes(open, flaky, results, corpus));
    }
    found
}

/// Entries for failures that no entry covers. Few causes are named: where several deviations reproduce a failure, one that reproduces
/// many others.
fn of_causes(
    mut open: Vec<(&str, &VariantResult, Vec<&Failure>)>,
    flaky: bool,
    results: &TargetResults,
    corpus: &[Selected<'_>],
) -> Vec<NewEntry> {
    let mut found = Vec::new();
    loop {
        let failures = || open.iter().flat_map(|(.., failures)| failures.iter().copied());
        let mut causes: BTreeMap<String, (usize, Cause)> = BTreeMap::new();
        for cause in failures().flat_map(causes_of) {
            let count = failures().filter(|failure| cause.covers(failure)).count();
            causes.insert(cause.to_string(), (count, cause));
        }
        // The first by name of those that cover the most.
        let best = causes.into_values().rev().max_by_key(|(count, _)| *count);
        let Some((_, cause)) = best else { return found };
        let has = |failures: &[&Failure]| failures.iter().any(|failure| cause.covers(failure));
        let members: Vec<(&str, &VariantResult)> = open
            .iter()
            .filter(|(.., failures)| has(failures))
            .map(|(id, result, _)| (*id, *result))
            .collect();
        let wanted: Vec<Selected<'_>> = members.iter().map(|(id, result)| result.selected(id)).collect();
        let selection = fewest(&wanted, &unwanted(&wanted, results, corpus));
        let rates = members.iter().filter_map(|(_, result)| result.least_rate);
        // The lower end of the interval, in whole per cent.
        let least = rates.map(|rate| (rate * 100.0).floor() / 100.0).fold(1.0, f64::min);
        let passes = if least < 1.0 { least.max(RAREST) } else { RAREST };
        let expected = if flaky {
            Expected::Flakes { cause: cause.clone(), passes }
        } else {
            Expected::Fails(cause.clone())
        };
        found.push(NewEntry { selection, expected, variants: wanted.len() });
        for (.., failures) in &mut open {
            failures.retain(|failure| !cause.covers(failure));
        }
        open.retain(|(.., failures)| !failures.is_empty());
    }
}

/// The causes that an entry for this failure can name.
fn causes_of(failure: &Failure) -> Vec<Cause> {
    let Failure { class, deviations, together } = failure;
    if *together || deviations.is_empty() {
        return vec![failure.cause()];
    }
    let of_class = deviations.iter().filter(|deviation| deviation.class() == *class);
    of_class.map(|deviation| Cause { class: *class, deviations: vec![*deviation] }).collect()
}

/// The variants that an entry for `wanted` must not match: judged ones, and those that did not run at all.
pub(crate) fn unwanted<'v>(
    wanted: &[Selected<'_>],
    results: &'v TargetResults,
    corpus: &[Selected<'v>],
) -> Vec<Selected<'v>> {
    let is_wanted = |id: &str| wanted.iter().any(|variant| variant.id == id);
    let judged = results.variants.iter().filter(|(id, result)| result.is_judged() && !is_wanted(id));
    let judged = judged.map(|(id, result)| result.selected(id));
    let unknown = corpus.iter().filter(|variant| !results.variants.contains_key(variant.id)).copied();
    judged.chain(unknown).collect()
}

/// The text of a new file for a target.
pub fn file(target: &str, results: &TargetResults, entries: &[NewEntry], words: &Words) -> String {
    let mut text =
        format!("# Proposed by `warpdiff expect` on {}. Say the reasons before you trust it.\n", words.today);
    let _ = writeln!(text, "target: {}", quoted(target));
    if let Some(device) = results.facts.get(DEVICE) {
        let _ = writeln!(text, "{DEVICE}: {}", quoted(device));
    }
    for (list, key) in List::ALL {
        let of: Vec<&NewEntry> = entries.iter().filter(|entry| entry.list() == list).collect();
        if !of.is_empty() {
            let _ = writeln!(text, "{key}:");
            of.iter().for_each(|entry| text.push_str(&entry.text(2, words)));
        }
    }
    text
}

impl NewEntry {
    /// The list that it belongs to.
    pub fn list(&self) -> List {
        match self.expected {
            Expected::Fails(_) => List::Fails,
            Expected::Flakes { .. } => List::Flakes,
            Expected::Skips => List::Skips,
        }
    }

    /// Its lines in a file, the `-` indented by so many blanks.
    pub fn text(&self, indent: usize, words: &Words) -> String {
        let mut lines = Vec::new();
        let Selection { variants, requirements, instructions } = &self.selection;
        let kinds = [("variants", variants), ("requirements", requirements), ("instructions", instructions)];
        for (key, patterns) in kinds {
            lines.extend(pattern_lines(key, patterns));
        }
        let cause = match &self.expected {
            Expected::Fails(cause) | Expected::Flakes { cause, .. } => Some(cause),
            Expected::Skips => None,
        };
        if let Some(Cause { class, deviations }) = cause {
            let names: Vec<&str> = deviations.iter().map(|deviation| deviation.name()).collect();
            let deviation = match names.as_slice() {
                [] => NONE.to_owned(),
                [one] => (*one).to_owned(),
                several => format!("[{}]", several.join(", ")),
            };
            lines.push(format!("cause: {{class: {}, deviation: {deviation}}}", class_name(*class)));
        }
        if let Expected::Flakes { passes, .. } = &self.expected {
            lines.push(format!("passes: {passes}"));
        }
        lines.push(format!("reason: {}", quoted(&words.reason)));
        lines.extend(words.link.as_ref().map(|link| format!("link: {}", quoted(link))));
        let needed = self.list().required_keys().contains(&"expires").then(|| words.today.after(DAYS));
        lines.extend(words.expires.or(needed).map(|day| format!("expires: {day}")));
        let begin = |index: usize| if index == 0 { "- " } else { "  " };
        let blanks = " ".repeat(indent);
        lines.iter().enumerate().map(|(index, line)| format!("{blanks}{}{line}\n", begin(index))).collect()
    }
}

/// A key with patterns: one on its line, several below it.
pub(crate) fn pattern_lines(key: &str, patterns: &[Pattern]) -> Vec<String> {
    match patterns {
        [] => Vec::new(),
        [one] => vec![format!("{key}: {}", quoted(one.as_str()))],
        several => {
            let items = several.iter().map(|pattern| format!("  - {}", quoted(pattern.as_str())));
            std::iter::once(format!("{key}:")).chain(items).collect()
        }
    }
}

/// A text as a YAML scalar: plain if it is surely read as it stands, in single quotes otherwise.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ' ');
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = begins
        && !text.ends_with(' ')
        && !matches!(text, "null" | "true" | "false")
        && text.chars().all(is_plain);
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use warpdiff_corpus::plan::SourceFile;
    use warpdiff_model::{Deviation, MismatchClass};

    use super::*;
    use crate::file::ExpectationFile;

    fn words() -> Words {
        let today = "2026-11-22".parse().unwrap();
        Words { reason: "new: not yet looked at".into(), link: None, expires: None, today }
    }

    fn failure(names: &[&str]) -> Failure {
        let deviations: Vec<Deviation> =
            names.iter().map(|name| Deviation::from_name(name).unwrap()).collect();
        let class = deviations.first().map_or(MismatchClass::Hang, |deviation| deviation.class());
        Failure { class, deviations, together: false }
    }

    /// Variants with their failures; `~` after an id says that it passes at times.
    fn results(variants: &[(&str, &[&str])]) -> TargetResults {
        let mut results = TargetResults::default();
        for (id, names) in variants {
            let flaky = id.ends_with('~');
            let failed = !names.is_empty();
            let names: &[&str] = if *names == ["none"] { &[] } else { names };
            let result = VariantResult {
                passed: flaky || !failed,
                failed,
                failures: failed.then(|| failure(names)).into_iter().collect(),
                instructions: BTreeSet::from(["add".to_owned()]),
                least_rate: flaky.then_some(0.237),
                ..VariantResult::default()
            };
            results.variants.insert(id.trim_end_matches('~').to_owned(), result);
        }
        results
    }

    fn read(text: &str) -> ExpectationFile {
        let source = SourceFile::new("new.yaml", text);
        ExpectationFile::parse(Arc::new(source)).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
    }

    #[test]
    fn one_entry_per_cause_covers_its_failures_and_no_pass() {
        let of = results(&[
            ("s/a[t=1]", &["suld.clamp-as-zero"]),
            ("s/a[t=2]", &["suld.clamp-as-zero", "sust.clamp-as-zero"]),
            ("s/b[t=1]", &[]),
            ("s/c", &["none"]),
            ("s/it's, [odd]: #1~", &["none"]),
        ]);
        let entries = new_entries(&of, &[], &[]);
        assert_eq!(entries.len(), 3, "{entries:?}");
        let text = file("cuda:0", &of, &entries, &words());
        let expected = "\
# Proposed by `warpdiff expect` on 2026-11-22. Say the reasons before you trust it.
target: 'cuda:0'
fails:
  - variants: 's/a[*'
    cause: {class: clamp behaviour, deviation: suld.clamp-as-zero}
    reason: 'new: not yet looked at'
  - variants: s/c
    cause: {class: hang, deviation: none}
    reason: 'new: not yet looked at'
flakes:
  - variants: 's/it''s, [odd]: #1'
    cause: {class: hang, deviation: none}
    passes: 0.23
    reason: 'new: not yet looked at'
    expires: 2026-12-22
";
        assert_eq!(text, expected);
        // The file is read as it was meant, and then nothing is missing.
        let file = read(&text);
        let there: Vec<&Entry> = file.entries.iter().collect();
        assert_eq!(new_entries(&of, &there, &[]), []);
    }

    #[test]
    fn what_did_not_run_is_not_matched() {
        let of = results(&[("s/a[t=1]", &["none"]), ("s/a[t=2]", &["none"])]);
        let other = [Selected { id: "s/a[t=3]", covers: &[], instructions: None }];
        let patterns = |corpus: &[Selected<'_>]| {
            let entries = new_entries(&of, &[], corpus);
            entries[0].selection.variants.iter().map(|p| p.as_str().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(patterns(&[]), ["s/a[*"]);
        assert_eq!(patterns(&other), ["s/a[t=1]", "s/a[t=2]"]);
    }

    #[test]
    fn any_text_is_read_back() {
        for text in [
            "a", "a/b c", "null", "", "it's", "a: b", "# no", "- x", "*", "[a]", "1.5", " a ", "ä", "{",
            "true", "a,b", "@x", "%d", "`c`",
        ] {
            if !text.trim().is_empty() {
                let file = read(&format!("target: {}\n", quoted(text)));
                assert_eq!(file.targets[0].as_str(), text.trim(), "{text}");
            }
        }
    }
}
