//! What a run says to GitHub Actions: annotations at the lines of the corpus, and the summary of the step in Markdown.

use std::fmt::Write;

use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::verdict_table::Settled;

use crate::results::finding::{FindingLine, Place};
use crate::results::line::RunLine;
use crate::results::summary::{self, CauseLine, SummaryLine};
use crate::results::variant::VariantLine;
use crate::results::words::plain;

/// Annotations of a step: GitHub shows ten errors.
const ANNOTATIONS: usize = 10;
/// Variants that are named for each cause.
const NAMED: usize = 5;
/// Causes that are written out for each target. GitHub takes 1 MiB for a step.
const CAUSES: usize = 50;

/// One example of a cause: the first variant that shows it.
#[derive(Clone, Debug)]
struct Example {
    target: usize,
    words: String,
    id: String,
    place: Place,
    text: String,
}

/// What is collected of a run for GitHub.
#[derive(Clone, Debug, Default)]
pub struct GitHub {
    examples: Vec<Example>,
    /// Errors of the corpus: place and message.
    problems: Vec<(Place, String)>,
}

impl GitHub {
    /// Adds a variant.
    pub fn add(&mut self, line: &VariantLine) {
        if line.reference.settled == Settled::CorpusError {
            for problem in &line.reference.problems {
                let known = self.problems.iter().any(|(place, _)| *place == problem.location);
                if !known && self.problems.len() < ANNOTATIONS {
                    self.problems.push((problem.location.clone(), problem.message.clone()));
                }
            }
        }
        for (target, verdict) in line.targets.iter().enumerate() {
            let counts = matches!(verdict.settled, Settled::Fail | Settled::OtherFailure | Settled::Flaky);
            let Some(finding) = summary::cause(&verdict.findings).filter(|_| counts) else { continue };
            let words = summary::words(finding);
            if self.examples.iter().any(|known| (known.target, &known.words) == (target, &words)) {
                continue;
            }
            let place = place(finding, line);
            self.examples.push(Example { target, words, id: line.id.clone(), place, text: plain(finding) });
        }
    }

    /// The annotations as workflow commands, each on a line: errors of the corpus first, then one for each cause.
    pub fn annotations(&self, run: &RunLine) -> String {
        let problems =
            self.problems.iter().map(|(place, message)| command(place, "error in the corpus", message));
        let causes = self.examples.iter().map(|example| {
            let target = run.targets.get(example.target).map_or("", |target| target.name.as_str());
            let title = format!("{target}: {}", example.words);
            command(&example.place, &title, &format!("{}\n{}", example.id, example.text))
        });
        problems.chain(causes).take(ANNOTATIONS).collect()
    }

    /// The summary of the step.
    pub fn summary(&self, run: &RunLine, summary: &SummaryLine) -> String {
        let mut text = String::new();
        let mark = match summary.exit {
            Exit::Conforms => "✅",
            Exit::Undecided => "⚠️",
            _ => "❌",
        };
        let meaning =
            Exit::TABLE.iter().find(|(exit, ..)| *exit == summary.exit).map_or("", |(_, _, words)| words);
        let _ = writeln!(text, "## {mark} warpdiff: {}\n", escaped(meaning));
        let shard =
            run.shard.map(|shard| format!(", shard {} of {}", shard.number, shard.of)).unwrap_or_default();
        let _ = writeln!(
            text,
            "{} of {} variants, {} rows, {:.1} s{shard}, exit code {}\n",
            summary.variants, run.selection.variants, summary.rows, summary.seconds, summary.exit_code
        );
        if let Some(why) = &summary.partial {
            let left = summary.left_out.len();
            let _ = writeln!(text, "> **Partial**: {}; {left} variants were left out.\n", escaped(why));
        }
        counts(&mut text, summary);
        for (place, target) in summary.targets.iter().enumerate() {
            if target.causes.is_empty() {
                continue;
            }
            let _ = writeln!(text, "### What differs in `{}`\n", target.target.replace('`', "'"));
            for cause in target.causes.iter().take(CAUSES) {
                self.cause(&mut text, place, cause);
            }
            let more = target.causes.len().saturating_sub(CAUSES);
            if more > 0 {
                let _ = writeln!(text, "… and {more} more causes\n");
            }
        }
        reasons(&mut text, summary);
        text
    }

    fn cause(&self, text: &mut String, target: usize, cause: &CauseLine) {
        let _ = writeln!(
            text,
            "<details><summary>{} × {}</summary>\n",
            cause.variants.len(),
            escaped(&cause.words)
        );
        for id in cause.variants.iter().take(NAMED) {
            let _ = writeln!(text, "- {}", escaped(id));
        }
        let more = cause.variants.len().saturating_sub(NAMED);
        if more > 0 {
            let _ = writeln!(text, "- … and {more} more");
        }
        let example = self.examples.iter().find(|e| (e.target, &e.words) == (target, &cause.words));
        if let Some(example) = example {
            // A fence longer than any in the text.
            let _ = writeln!(text, "\n````text\n{}````", example.text.replace("````", "'''' "));
        }
        text.push_str("\n</details>\n\n");
    }
}

/// Where a finding is shown: at its first row, or at its instruction, or at its case.
fn place(finding: &FindingLine, line: &VariantLine) -> Place {
    let row = finding.differences.first().and_then(|difference| difference.location.clone());
    let instruction = finding.instruction.as_ref().and_then(|instruction| instruction.location.clone());
    row.or(instruction).unwrap_or_else(|| line.location.clone())
}

fn counts(text: &mut String, summary: &SummaryLine) {
    let mut rows: Vec<(&str, _)> =
        summary.targets.iter().map(|target| (target.target.as_str(), &target.counts)).collect();
    if rows.is_empty() {
        rows.push(("reference", &summary.reference));
    }
    text.push_str("| target | status | variants |\n|---|---|---:|\n");
    for (name, counts) in rows {
        for (settled, count) in counts {
            let word = serde_json::to_value(settled).ok();
            let word = word.as_ref().and_then(|word| word.as_str()).unwrap_or_default();
            let _ = writeln!(text, "| {} | {word} | {count} |", escaped(name).replace('|', "\\|"));
        }
    }
    text.push('\n');
}

fn reasons(text: &mut String, summary: &SummaryLine) {
    if summary.not_judged.is_empty() {
        return;
    }
    text.push_str("### Without a verdict\n\n");
    for reason in summary.not_judged.iter().take(CAUSES) {
        let _ = writeln!(
            text,
            "- {} × {}: {} {}",
            reason.variants,
            escaped(&reason.target),
            reason.status,
            escaped(&reason.why)
        );
    }
    text.push('\n');
}

/// A workflow command. Its properties and its message have escapes of their own.
fn command(place: &Place, title: &str, message: &str) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    format!(
        "::error file={},line={},col={},title={}::{}\n",
        property(&place.file),
        place.line,
        place.column,
        property(title),
        data(message.trim_end())
    )
}

/// Text that Markdown and HTML show as it is.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\n' | '\r' => safe.push(' '),
            '*' | '_' | '`' | '[' | ']' | '#' | '\\' | '~' => {
                safe.push('\\');
                safe.push(character);
            }
            plain => safe.push(plain),
        }
    }
    safe
}
