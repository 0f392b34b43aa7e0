//! Edits a file of expectations in place so that it fits results: stale entries go, new ones come, and entries that match passing
//! variants are narrowed. All other text stays as it is, comments included.

use std::ops::Range;
use std::sync::Arc;

use warpdiff_corpus::CorpusError;
use warpdiff_corpus::filter::Pattern;
use warpdiff_corpus::plan::SourceFile;

use crate::cause::Failure;
use crate::entry::{Entry, Expected, Selected};
use crate::file::{ExpectationFile, List};
use crate::in_force::InForce;
use crate::patterns::ids;
use crate::proposal::{NewEntry, Words, new_entries, pattern_lines, quoted, unwanted};
use crate::results::{TargetResults, VariantResult};

/// An edited file.
#[derive(Clone, Debug)]
pub struct Edited {
    /// Its new text.
    pub text: String,
    /// What was done, a line for each change.
    pub changes: Vec<String>,
}

/// Replaces this range by this text.
type Change = (Range<usize>, String);

/// The file with the expectations that fit the results of a target. `corpus` has every variant of the corpus.
///
/// # Errors
/// An entry that cannot be edited, with its place.
pub fn fit(
    file: &ExpectationFile,
    target: &str,
    results: &TargetResults,
    corpus: &[Selected<'_>],
    words: &Words,
) -> Result<Edited, CorpusError> {
    let files = std::slice::from_ref(file);
    let in_force = InForce::of(files, target, &results.facts);
    let (mut edits, mut changes): (Vec<Change>, Vec<String>) = (Vec::new(), Vec::new());
    let mut there: Vec<&Entry> = Vec::new();
    for entry in &in_force.entries {
        match fitting(entry, results, corpus) {
            Fitting::Keeps => there.push(entry),
            Fitting::Goes(why) => {
                edits.push((lines_of(file, entry)?, String::new()));
                changes.push(format!("removed {}: {why}", entry.words()));
            }
            Fitting::Narrows { wanted, unwanted } => {
                there.push(entry);
                edits.extend(narrowed(file, entry, &wanted, &unwanted)?);
                let pass = match unwanted.len() {
                    1 => "1 variant passes".to_owned(),
                    several => format!("{several} variants pass"),
                };
                changes.push(format!("narrowed {}: {pass}", entry.words()));
            }
        }
    }
    let added = new_entries(results, &there, corpus);
    for (list, _) in List::ALL {
        let of: Vec<&NewEntry> = added.iter().filter(|entry| entry.list() == list).collect();
        if !of.is_empty() {
            edits.push(addition(file, list, &of, words)?);
            let one = |new: &&NewEntry| {
                let noun = if new.variants == 1 { "variant" } else { "variants" };
                format!("added to `{}`: {} ({} {noun})", list.key(), new.selection.words(), new.variants)
            };
            changes.extend(of.iter().map(one));
        }
    }
    let text = applied(&file.source.text, edits);
    // What cannot be read back is not written.
    let source = SourceFile::new(file.source.path.clone(), text.clone());
    match ExpectationFile::parse(Arc::new(source)) {
        Ok(_) => Ok(Edited { text, changes }),
        Err(mut errors) => {
            Err(errors.swap_remove(0).note("this is the edited text: the file itself is unchanged"))
        }
    }
}

/// How an entry fits results.
enum Fitting<'v> {
    /// It fits.
    Keeps,
    /// It is of no use, and why.
    Goes(String),
    /// It matches variants that pass.
    Narrows { wanted: Vec<Selected<'v>>, unwanted: Vec<Selected<'v>> },
}

fn fitting<'v>(entry: &Entry, results: &'v TargetResults, corpus: &[Selected<'v>]) -> Fitting<'v> {
    let known = |id: &str| results.variants.get(id);
    // Variants that the entry is about, or may be about, over the whole corpus.
    let all: Vec<Selected<'v>> = corpus
        .iter()
        .map(|variant| known(variant.id).map_or(*variant, |result| result.selected(variant.id)))
        .filter(|variant| entry.selection.selects(variant) != Some(false))
        .collect();
    if all.is_empty() {
        return Fitting::Goes("no variant of the corpus matches it".into());
    }
    let Expected::Fails(cause) = &entry.expected else { return Fitting::Keeps };
    let fails =
        |result: &VariantResult| result.failures.iter().any(|failure: &Failure| cause.covers(failure));
    let judged = || {
        all.iter().filter_map(|variant| Some((variant, known(variant.id)?)).filter(|(_, r)| r.is_judged()))
    };
    let wanted: Vec<Selected<'v>> = judged().filter(|(_, result)| fails(result)).map(|(v, _)| *v).collect();
    if wanted.is_empty() {
        return match judged().count() == all.len() {
            true => Fitting::Goes("none of its variants fails like that".into()),
            // What did not run may still fail.
            false => Fitting::Keeps,
        };
    }
    let passing = judged().any(|(_, result)| result.passed && !result.failed);
    match passing {
        true => Fitting::Narrows { unwanted: passing_of(&all, &wanted, results), wanted },
        false => Fitting::Keeps,
    }
}

/// The variants of an entry that pass.
fn passing_of<'v>(
    all: &[Selected<'v>],
    wanted: &[Selected<'_>],
    results: &'v TargetResults,
) -> Vec<Selected<'v>> {
    let is_of = |variant: &Selected<'_>| all.iter().any(|of| of.id == variant.id);
    unwanted(wanted, results, &[]).into_iter().filter(is_of).collect()
}

/// The lines of an entry, with the comments directly above it.
fn lines_of(file: &ExpectationFile, entry: &Entry) -> Result<Range<usize>, CorpusError> {
    let text = &file.source.text;
    let mut start = line_start(text, entry.location.range.start);
    let indent = dash_indent(file, entry)?;
    while start > 0 {
        let above = line_start(text, start - 1);
        let line = &text[above..start];
        if !line.trim_start().starts_with('#') || line.len() - line.trim_start().len() != indent {
            break;
        }
        start = above;
    }
    Ok(start..line_end(text, entry.layout.end))
}

/// How far the `-` of an entry is indented.
fn dash_indent(file: &ExpectationFile, entry: &Entry) -> Result<usize, CorpusError> {
    let text = &file.source.text;
    let start = line_start(text, entry.location.range.start);
    let before = &text[start..entry.location.range.start];
    match before.trim() == "-" {
        true => Ok(before.len() - before.trim_start().len()),
        false => Err(CorpusError::new(
            entry.location.clone(),
            "an entry that is not on lines of its own cannot be edited",
        )
        .label("expected `- ` and the entry on lines of their own")),
    }
}

/// The changes that make an entry match the wanted variants and none of the unwanted ones, by its `variants`.
fn narrowed(
    file: &ExpectationFile,
    entry: &Entry,
    wanted: &[Selected<'_>],
    unwanted: &[Selected<'_>],
) -> Result<Vec<Change>, CorpusError> {
    let text = &file.source.text;
    let at = entry.location.range.start;
    let Some(value) = &entry.layout.variants else {
        // It selects by requirement or instruction alone: the ids are added.
        let patterns = ids(wanted, unwanted);
        let change = match text[at..].starts_with('{') {
            true => (at + 1..at + 1, format!("variants: {}, ", flow(&patterns))),
            false => {
                let blanks = " ".repeat(at - line_start(text, at));
                let lines = pattern_lines("variants", &patterns).join(&format!("\n{blanks}"));
                (at..at, format!("{lines}\n{blanks}"))
            }
        };
        return Ok(vec![change]);
    };
    let in_lines = text[value.start..].starts_with('-');
    if !in_lines {
        return Ok(vec![(value.clone(), flow(&ids(wanted, unwanted)))]);
    }
    // Item by item, so that comments beside the others stay.
    let mut changes = Vec::new();
    let mut left: Vec<Selected<'_>> = wanted.to_vec();
    for (pattern, item) in entry.selection.variants.iter().zip(&entry.layout.items) {
        let matched = |variant: &Selected<'_>| pattern.matches_whole(variant.id);
        let (own, others): (Vec<_>, Vec<_>) = left.iter().copied().partition(|variant| matched(variant));
        left = others;
        if own.is_empty() {
            changes.push((line_start(text, item.start)..line_end(text, item.end), String::new()));
        } else if unwanted.iter().any(matched) {
            let blanks = &text[line_start(text, item.start)..item.start];
            let patterns = ids(&own, unwanted);
            let items: Vec<String> = patterns.iter().map(|pattern| quoted(pattern.as_str())).collect();
            changes.push((item.clone(), items.join(&format!("\n{blanks}"))));
        }
    }
    Ok(changes)
}

/// One pattern, or a list in brackets.
fn flow(patterns: &[Pattern]) -> String {
    let items: Vec<String> = patterns.iter().map(|pattern| quoted(pattern.as_str())).collect();
    match items.as_slice() {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// New entries at the end of a list.
fn addition(
    file: &ExpectationFile,
    list: List,
    entries: &[&NewEntry],
    words: &Words,
) -> Result<Change, CorpusError> {
    let text = &file.source.text;
    let is_of = |entry: &&Entry| match entry.expected {
        Expected::Fails(_) => list == List::Fails,
        Expected::Flakes { .. } => list == List::Flakes,
        Expected::Skips => list == List::Skips,
    };
    let lines = |indent| entries.iter().map(|entry| entry.text(indent, words)).collect::<String>();
    let found = file.lists.iter().find(|(of, ..)| *of == list);
    Ok(match (file.entries.iter().rfind(is_of), found) {
        (Some(last), _) => {
            let at = line_end(text, last.layout.end);
            let newline = if text[..at].ends_with('\n') { "" } else { "\n" };
            (at..at, format!("{newline}{}", lines(dash_indent(file, last)?)))
        }
        // The key is there, without an entry.
        (None, Some((_, key, value))) => {
            let empty = text[value.clone()].starts_with('[');
            let after = if empty { value.clone() } else { key.end..key.end };
            let colon = text[key.end..].find(':').map_or(key.end, |colon| key.end + colon + 1);
            match empty {
                true => (after, format!("\n{}", lines(2).trim_end())),
                false => (colon..colon, format!("\n{}", lines(2).trim_end())),
            }
        }
        (None, None) => {
            let newline = if text.ends_with('\n') { "" } else { "\n" };
            (text.len()..text.len(), format!("{newline}{}:\n{}", list.key(), lines(2)))
        }
    })
}

/// The text with all changes, which do not overlap.
fn applied(text: &str, mut changes: Vec<Change>) -> String {
    // Those at the same place in the order in which they were made.
    changes.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut edited, mut at) = (String::new(), 0);
    for (range, new) in changes {
        edited.push_str(&text[at..range.start.max(at)]);
        // A line break that the last line lacked is not needed where that line went.
        let ended = range.start == text.len() && edited.ends_with('\n');
        edited.push_str(if ended { new.trim_start_matches('\n') } else { &new });
        at = range.end.max(at);
    }
    edited + &text[at..]
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The end of the line, its line break included.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use warpdiff_model::{Deviation, MismatchClass};

    use super::*;

    fn read(text: &str) -> ExpectationFile {
        let source = SourceFile::new("x.yaml", text);
        ExpectationFile::parse(Arc::new(source)).unwrap_or_else(|errors| panic!("{}", errors[0]))
    }

    fn words() -> Words {
        let today = "2026-11-22".parse().unwrap();
        Words { reason: "new".into(), link: None, expires: None, today }
    }

    /// Ids with what each does: `zero` (a failure that a deviation reproduces), `hang`, `pass`, `-` (not judged).
    fn results(variants: &[(&str, &str)]) -> TargetResults {
        let zero = Deviation::from_name("suld.clamp-as-zero").unwrap();
        let mut results = TargetResults::default();
        for (id, does) in variants {
            let failure = match *does {
                "zero" => Some(Failure { class: zero.class(), deviations: vec![zero], together: false }),
                "hang" => {
                    Some(Failure { class: MismatchClass::Hang, deviations: Vec::new(), together: false })
                }
                _ => None,
            };
            let result = VariantResult {
                passed: *does == "pass",
                failed: failure.is_some(),
                failures: failure.into_iter().collect(),
                instructions: BTreeSet::from(["suld.b".to_owned()]),
                ..VariantResult::default()
            };
            results.variants.insert((*id).to_owned(), result);
        }
        results
    }

    fn edited(text: &str, variants: &[(&str, &str)]) -> Edited {
        let results = results(variants);
        let corpus: Vec<Selected<'_>> =
            variants.iter().map(|(id, _)| Selected { id, covers: &[], instructions: None }).collect();
        fit(&read(text), "cuda", &results, &corpus, &words()).unwrap_or_else(|error| panic!("{error}"))
    }

    const FILE: &str = "\
# Whose machine this is.
target: cuda   # the only one

fails:
  # The first bug.
  - variants: a/*
    cause: {class: clamp behaviour, deviation: suld.clamp-as-zero}
    reason: the driver   # told them

  # The second bug.
  # It has two lines.
  - variants:
      - b/1   # one
      - b/*   # and all
      - c/1
    cause:
      class: hang
      deviation: none
    reason: >
      a long
      story
  # The third.
  - instructions: suld.b
    variants: d/*
    cause: {class: hang, deviation: none}
    reason: x
# The end.
";

    #[test]
    fn a_file_that_fits_is_not_changed() {
        let all = [("a/1", "zero"), ("b/1", "hang"), ("b/2", "hang"), ("c/1", "hang"), ("d/1", "hang")];
        let Edited { text, changes } = edited(FILE, &all);
        assert_eq!((text.as_str(), changes.len()), (FILE, 0));
        // What was not judged shows nothing.
        let none = all.map(|(id, _)| (id, "-"));
        assert_eq!(edited(FILE, &none).text, FILE);
    }

    #[test]
    fn stale_entries_go_with_their_comments_and_all_others_stay() {
        let all = [("a/1", "pass"), ("b/1", "hang"), ("b/2", "hang"), ("c/1", "hang"), ("d/1", "pass")];
        let Edited { text, changes } = edited(FILE, &all);
        let expected = FILE
            .replacen(
                "  # The first bug.\n  - variants: a/*\n    cause: {class: clamp behaviour, deviation: suld.clamp-as-zero}\n    reason: the driver   # told them\n",
                "",
                1,
            )
            .replacen(
                "  # The third.\n  - instructions: suld.b\n    variants: d/*\n    cause: {class: hang, deviation: none}\n    reason: x\n",
                "",
                1,
            );
        assert_eq!(text, expected);
        assert_eq!(changes.len(), 2);
        assert!(changes[0].starts_with("removed x.yaml:6:5: fails: clamp behaviour"), "{changes:?}");
        // An entry that matches nothing goes, too.
        let all = [("b/1", "hang"), ("b/2", "hang"), ("c/1", "hang"), ("d/1", "hang")];
        assert!(edited(FILE, &all).changes[0].contains("no variant of the corpus matches it"));
    }

    #[test]
    fn entries_that_match_passing_variants_are_narrowed_item_by_item() {
        let all = [
            ("a/1", "zero"),
            ("a/2", "pass"),
            ("b/1", "hang"),
            ("b/2", "pass"),
            ("b/3", "hang"),
            ("c/1", "pass"),
            ("d/1", "hang"),
        ];
        let Edited { text, changes } = edited(FILE, &all);
        let expected = FILE.replacen("variants: a/*", "variants: a/1", 1).replacen(
            "      - b/*   # and all\n      - c/1\n",
            "      - b/3   # and all\n",
            1,
        );
        assert_eq!(text, expected);
        assert_eq!(changes.len(), 2);
        // By instruction alone: the ids are added.
        let by_instruction = "target: cuda\nfails:\n  - instructions: suld.b # i\n    cause: {class: hang, deviation: none}\n    reason: x\n  - {instructions: suld.b, cause: {class: clamp behaviour, deviation: suld.clamp-as-zero}, reason: x}\n";
        let all = [
            ("d/1", "hang"),
            ("d/2", "pass"),
            ("e/1", "zero"),
            ("e/2", "zero"),
            ("f/1", "zero"),
            ("f/2", "pass"),
        ];
        let expected = by_instruction
            .replacen("  - instructions: suld.b # i", "  - variants: d/1\n    instructions: suld.b # i", 1)
            .replacen(
                "{instructions: suld.b, cause: {class: clamp",
                "{variants: ['e/*', f/1], instructions: suld.b, cause: {class: clamp",
                1,
            );
        assert_eq!(edited(by_instruction, &all).text, expected);
    }

    #[test]
    fn new_failures_are_added_at_the_end_of_their_list() {
        let all = [
            ("a/1", "zero"),
            ("b/1", "hang"),
            ("b/2", "hang"),
            ("c/1", "hang"),
            ("d/1", "hang"),
            ("e/1", "hang"),
            ("e/2", "pass"),
        ];
        let new = "  - variants: e/1\n    cause: {class: hang, deviation: none}\n    reason: new\n";
        let Edited { text, changes } = edited(FILE, &all);
        assert_eq!(text, FILE.replacen("# The end.\n", &format!("{new}# The end.\n"), 1));
        assert_eq!(changes, ["added to `fails`: variant `e/1` (1 variant)"]);
        // Without the list, with an empty one, without a last line break.
        let one = [("e/1", "hang"), ("e/2", "pass")];
        assert_eq!(edited("target: cuda", &one).text, format!("target: cuda\nfails:\n{new}"));
        assert_eq!(
            edited("target: cuda\nfails: # none\nskips:\n", &one).text,
            format!("target: cuda\nfails:\n{} # none\nskips:\n", new.trim_end())
        );
        assert_eq!(edited("target: cuda\nfails: []\n", &one).text, format!("target: cuda\nfails: \n{new}"));
        // The last entry goes, and another one comes.
        let stale = "target: cuda\nfails:\n  - variants: e/2\n    cause: {class: hang, deviation: none}\n    reason: old";
        assert_eq!(edited(stale, &one).text, format!("target: cuda\nfails:\n{new}"));
        // Once fitted, it fits.
        let again = edited(&text, &all);
        assert_eq!((again.text, again.changes.len()), (text, 0));
    }

    #[test]
    fn an_entry_in_the_middle_of_a_line_is_refused() {
        let text = "target: cuda\nfails: [{variants: a, cause: {class: hang, deviation: none}, reason: x}]\n";
        let results = results(&[("a", "pass")]);
        let corpus = [Selected { id: "a", covers: &[], instructions: None }];
        let error = fit(&read(text), "cuda", &results, &corpus, &words()).unwrap_err();
        assert!(
            error.render(false).contains("x.yaml:2:9") && error.message.contains("cannot be edited"),
            "{error}"
        );
    }
}
