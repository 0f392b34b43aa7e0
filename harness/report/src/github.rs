//! What a run says to GitHub Actions: annotations at the lines of the corpus, and the summary of the step in Markdown.

use std::fmt::Write;

use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::verdict_table::{Recorded, Settled};

use crate::results::finding::{FindingLine, Place};
use crate::results::line::RunLine;
use crate::results::summary::{self, CauseLine, SummaryLine};
use crate::results::variant::VariantLine;
use crate::results::words::{is_of_launch, plain};

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

/// Something that is said of one variant on one target.
#[derive(Clone, Debug)]
struct Remark {
    target: usize,
    id: String,
    /// The place of its case.
    place: Option<Place>,
    words: String,
}

/// What is collected of a run for GitHub.
#[derive(Clone, Debug, Default)]
pub struct GitHub {
    examples: Vec<Example>,
    /// What came of running variants again.
    repeated: Vec<Remark>,
    /// The first variants that differ from what is recorded of their target, and their number.
    drifted: (Vec<Remark>, usize),
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
            let remark = |words: String| Remark {
                target,
                id: line.id.clone(),
                place: Some(line.location.clone()),
                words,
            };
            self.repeated.extend(verdict.repeated.iter().map(|repeated| remark(repeated.runs.to_string())));
            let counts = matches!(verdict.settled, Settled::Fail | Settled::OtherFailure | Settled::Flaky);
            if verdict.differs_from_recording() && !counts {
                self.drifted.1 += 1;
                if self.drifted.0.len() < CAUSES {
                    let first = verdict.drifts.iter().find(|drift| drift.recording == Recorded::Drifted);
                    self.drifted.0.push(remark(first.map(|drift| drift.words.clone()).unwrap_or_default()));
                }
            }
            let Some(finding) = summary::cause(&verdict.findings).filter(|_| counts) else { continue };
            let words = summary::words(finding);
            if self.examples.iter().any(|known| (known.target, &known.words) == (target, &words)) {
                continue;
            }
            let place = place(finding, line);
            let mut text = plain(finding);
            for entry in &verdict.expectations {
                let _ = writeln!(text, "not covered by {entry}");
            }
            self.examples.push(Example { target, words, id: line.id.clone(), place, text });
        }
    }

    /// The annotations as workflow commands, each on a line: errors of the corpus first, then one for each cause, then what is out of
    /// date in the expectations, and the first variants that differ from their recording. `in_repository` gives the path that GitHub knows a file
    /// by.
    pub fn annotations(
        &self,
        run: &RunLine,
        summary: &SummaryLine,
        in_repository: impl Fn(&str) -> String,
    ) -> String {
        let annotation = |place: Option<&Place>, title: &str, message: &str| {
            let place = place.map(|place| Place { file: in_repository(&place.file), ..place.clone() });
            command(place.as_ref(), title, message)
        };
        let name = |target: usize| run.targets.get(target).map_or("", |target| target.name.as_str());
        let problems = self
            .problems
            .iter()
            .map(|(place, message)| annotation(Some(place), "error in the corpus", message));
        let partial = summary.partial.iter().map(|why| annotation(None, "warpdiff: the run is partial", why));
        let broken =
            summary.broken.iter().map(|why| annotation(None, "warpdiff: the run is incomplete", why));
        let causes = self.examples.iter().map(|example| {
            let title = format!("{}: {}", name(example.target), example.words);
            annotation(Some(&example.place), &title, &format!("{}\n{}", example.id, example.text))
        });
        let notices = summary.expectations.iter().map(|n| annotation(n.location.as_ref(), &n.kind, &n.words));
        let drifted = self.drifted.0.iter().map(|remark| {
            let title = format!("{}: differs from its recording", name(remark.target));
            annotation(remark.place.as_ref(), &title, &format!("{}\n{}", remark.id, remark.words))
        });
        let all = problems.chain(partial).chain(broken).chain(causes).chain(notices).chain(drifted);
        all.take(ANNOTATIONS).collect()
    }

    /// The summary of the step.
    pub fn summary(&self, run: &RunLine, summary: &SummaryLine) -> String {
        let mut text = String::new();
        let mark = match summary.exit {
            Exit::Conforms => "✅",
            Exit::Undecided => "⚠️",
            _ => "❌",
        };
        let _ = writeln!(text, "## {mark} warpdiff: {}\n", headline(summary));
        let shard =
            run.shard.map(|shard| format!(", shard {} of {}", shard.number, shard.of)).unwrap_or_default();
        let _ = writeln!(
            text,
            "{} of {} variants, {} rows, {:.1} s{shard}, exit code {}\n",
            summary.variants, run.selection.variants, summary.rows, summary.seconds, summary.exit_code
        );
        devices(&mut text, run);
        if let Some(why) = &summary.partial {
            let _ = writeln!(text, "> **Partial**: {}{}\n", escaped(why), left_out(summary));
        }
        if summary.resumed > 0 {
            let _ = writeln!(text, "> {} answers are of an earlier run (`--resume`)\n", summary.resumed);
        }
        for why in &summary.broken {
            let _ = writeln!(text, "> **Incomplete**: {}\n", escaped(why));
        }
        counts(&mut text, summary);
        out_of_date(&mut text, summary);
        for (place, target) in summary.targets.iter().enumerate() {
            let name = target.target.replace('`', "'");
            let (expected, new): (Vec<&CauseLine>, Vec<&CauseLine>) =
                target.causes.iter().partition(|cause| cause.expected == cause.variants.len());
            let of = [(new, "What differs in"), (expected, "Expected failures of")];
            for (causes, title) in of.into_iter().filter(|(causes, _)| !causes.is_empty()) {
                let _ = writeln!(text, "### {title} `{name}`\n");
                for cause in causes.iter().take(CAUSES) {
                    self.cause(&mut text, place, cause);
                }
                let more = causes.len().saturating_sub(CAUSES);
                if more > 0 {
                    let _ = writeln!(text, "… and {more} more causes\n");
                }
            }
        }
        self.runs_again(&mut text, summary);
        self.drift(&mut text, run);
        reasons(&mut text, summary);
        text
    }

    /// What came of running variants again.
    fn runs_again(&self, text: &mut String, summary: &SummaryLine) {
        if self.repeated.is_empty() {
            return;
        }
        text.push_str("### Run again\n\n");
        for Remark { target, id, words, .. } in self.repeated.iter().take(CAUSES) {
            let target = summary.targets.get(*target).map_or("", |target| target.target.as_str());
            let _ = writeln!(text, "- {} on {}: {}", escaped(id), escaped(target), escaped(words));
        }
        more(text, self.repeated.len());
    }

    /// The differences from recordings.
    fn drift(&self, text: &mut String, run: &RunLine) {
        let (first, all) = &self.drifted;
        if *all == 0 {
            return;
        }
        text.push_str("### Differs from its recording\n\n");
        for target in &run.targets {
            let then = target.recorded.iter().filter(|(fact, then)| target.device.get(*fact) != Some(then));
            let then: Vec<String> = then
                .map(|(fact, then)| {
                    let now = target.device.get(fact).map_or("none", String::as_str);
                    format!("{fact} was {then} and is {now}")
                })
                .collect();
            if !then.is_empty() {
                let words = format!("{}: since it was recorded, {}", target.name, then.join(", "));
                let _ = writeln!(text, "{}\n", escaped(&words));
            }
        }
        for Remark { target, id, words, .. } in first {
            let known = run.targets.get(*target);
            let name = known.map_or("", |target| target.name.as_str());
            let folder = known.and_then(|target| target.recording.as_deref());
            let folder = folder.map(|folder| format!(" ({})", escaped(folder))).unwrap_or_default();
            let _ = writeln!(text, "- {} on {}{folder}: {}", escaped(id), escaped(name), escaped(words));
        }
        more(text, *all);
    }

    fn cause(&self, text: &mut String, target: usize, cause: &CauseLine) {
        let known = match cause.expected {
            some if some > 0 && some < cause.variants.len() => format!(", of which {some} are expected"),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "<details><summary>{} × {}{known}</summary>\n",
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
    if is_of_launch(finding) {
        return line.location.clone();
    }
    let row = finding.differences.first().and_then(|difference| difference.location.clone());
    let instruction = finding.instruction.as_ref().and_then(|instruction| instruction.location.clone());
    row.or(instruction).unwrap_or_else(|| line.location.clone())
}

/// What came of the run, in one line.
fn headline(summary: &SummaryLine) -> String {
    let count = |wanted: &[Settled]| -> usize {
        let counts = summary.targets.iter().flat_map(|target| &target.counts);
        counts.filter(|(settled, _)| wanted.contains(settled)).map(|(_, count)| count).sum()
    };
    let failures = count(&[Settled::Fail, Settled::OtherFailure]);
    let flaky = count(&[Settled::Flaky]);
    let known = count(&[Settled::KnownFailure, Settled::KnownFlake, Settled::AsProfiled]);
    let other = count(&[Settled::OtherChoice]);
    let plural = |number: usize, one: &str, several: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {several}"),
    };
    match summary.exit {
        Exit::Conforms if known == 0 => "everything conforms".into(),
        Exit::Conforms => format!("nothing new; {} as expected", plural(known, "fails", "fail")),
        Exit::Violates if failures == 0 => {
            format!("{} and not expected to be", plural(flaky, "variant is flaky", "variants are flaky"))
        }
        Exit::Violates => {
            let new = plural(failures, "new failure", "new failures");
            if flaky == 0 { new } else { format!("{new}, {flaky} flaky") }
        }
        Exit::Usage => "an error in the corpus".into(),
        Exit::Drifted if other > 0 => {
            let variants = plural(other, "variant decides", "variants decide");
            format!("{variants} a choice otherwise than the profile says")
        }
        Exit::Drifted => "a target differs from its recording".into(),
        Exit::Broken => "not run to its end".into(),
        Exit::Undecided if summary.partial.is_some() => "its time was up before everything was judged".into(),
        Exit::Undecided => "not everything was judged".into(),
        Exit::Outdated if summary.expectations.is_empty() => "goldens or recordings are out of date".into(),
        Exit::Outdated => "the expectations or profiles are out of date".into(),
        Exit::Interrupted => "interrupted".into(),
    }
}

/// What the targets report of themselves: the first question of a morning is whether the driver is another one.
fn devices(text: &mut String, run: &RunLine) {
    let facts = run.targets.iter().filter(|target| !target.device.is_empty());
    let said: Vec<String> = facts
        .map(|target| {
            let facts: Vec<String> =
                target.device.iter().map(|(name, fact)| format!("{name} {fact}")).collect();
            format!("- {}: {}\n", escaped(&target.name), escaped(&facts.join(", ")))
        })
        .collect();
    if !said.is_empty() {
        let _ = writeln!(text, "{}", said.concat());
    }
}

/// The first variants that were left out.
fn left_out(summary: &SummaryLine) -> String {
    let left = &summary.left_out;
    if left.is_empty() {
        return String::new();
    }
    let named: Vec<String> = left.iter().take(NAMED).map(|id| escaped(id)).collect();
    let more = left.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("; {} variants were left out: {}{more}", left.len(), named.join(", "))
}

/// Entries of the expectations that are no longer right.
fn out_of_date(text: &mut String, summary: &SummaryLine) {
    if summary.expectations.is_empty() {
        return;
    }
    text.push_str("### Out of date in the expectations\n\n");
    for notice in summary.expectations.iter().take(CAUSES) {
        let _ = writeln!(text, "- **{}**: {}", escaped(&notice.kind), escaped(&notice.words));
    }
    more(text, summary.expectations.len());
    let is_edited = |kind: &str| ["unexpected pass", "stale expectation"].contains(&kind);
    if summary.expectations.iter().any(|notice| is_edited(&notice.kind)) {
        text.push_str(
            "`warpdiff expect --from RESULTS --bless FILE` removes what is stale and narrows what passes.\n\n",
        );
    }
}

/// Ends a list of which the first were written out.
fn more(text: &mut String, all: usize) {
    if all > CAUSES {
        let _ = writeln!(text, "- … and {} more", all - CAUSES);
    }
    text.push('\n');
}

fn counts(text: &mut String, summary: &SummaryLine) {
    if summary.variants == 0 {
        return;
    }
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
            "- {} × {}: {}: {}",
            reason.variants,
            escaped(&reason.target),
            reason.status,
            escaped(&reason.why)
        );
    }
    text.push('\n');
}

/// A workflow command. Its properties and its message have escapes of their own.
fn command(place: Option<&Place>, title: &str, message: &str) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let at = place.map_or_else(String::new, |place| {
        format!("file={},line={},col={},", property(&place.file), place.line, place.column)
    });
    format!("::error {at}title={}::{}\n", property(title), data(message.trim_end()))
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
