//! The page as a whole: it is filled variant by variant, and then written with all of its sections.

use std::collections::{BTreeMap, HashMap};

use maud::{DOCTYPE, Markup, PreEscaped, html};
use warpdiff_corpus::Requirement;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::verdict_table::{Raw, Settled};
use warpdiff_session::session::{Session, Settling};
use warpdiff_session::verdict::Unanswered;
use warpdiff_terminal::foreign;

use super::causes::Causes;
use super::coverage::Coverage;
use super::list::{List, Listed};
use super::matrix::Matrix;
use super::policy::{SCRIPT, STYLE, policy};
use super::recording::{self, Comparison};
use super::sections::{self, Problem, RunAgain};
use super::{mismatch, mismatch_line};
use crate::closing::{self, AsRecorded};
use crate::reasons::{self, REFERENCE, Reason};
use crate::results::line::RunLine;
use crate::results::summary::{SummaryLine, cause};
use crate::results::variant::{TargetLine, VariantLine};
use crate::summary::Summary;

/// Ids that are kept of each reason.
const IDS: usize = 100;

/// The page of a run, with pictures. The same run on the same day gives the same page, whatever time it took.
pub fn of_session(
    run: &RunLine,
    requirements: &[Requirement],
    session: &Session<'_>,
    settling: &Settling,
    summary: &SummaryLine,
    recorded: AsRecorded,
) -> String {
    let mut page = Page::new(run, requirements);
    for verdict in &session.verdicts {
        let line = VariantLine::new(verdict, &session.targets, settling);
        page.add(&line, |place| mismatch::full(verdict.variant, &verdict.targets[place]));
        if is_wrong(line.reference.settled) {
            verdict
                .reference
                .problems
                .iter()
                .for_each(|problem| page.problem(problem.render(false), &line.id));
        }
    }
    page.finish(summary, recorded)
}

/// The page of results that were read from files: without pictures, which such files do not have.
pub fn of_results(
    run: &RunLine,
    requirements: &[Requirement],
    lines: &[VariantLine],
    summary: &SummaryLine,
) -> String {
    let mut page = Page::new(run, requirements);
    for line in lines {
        page.add(line, |place| mismatch_line::full(line, &line.targets[place]));
        if is_wrong(line.reference.settled) {
            for problem in &line.reference.problems {
                let at = &problem.location;
                let notes: String = problem.notes.iter().map(|note| format!("\n  {note}")).collect();
                let text = format!(
                    "{}\n  {}:{}:{}: {}{notes}",
                    problem.message, at.file, at.line, at.column, problem.label
                );
                page.problem(text, &line.id);
            }
        }
    }
    let goldens = summary.goldens.as_ref();
    let differ = goldens.is_some_and(|of| {
        !(of.differing.is_empty() && of.missing.is_empty() && of.orphans.is_empty() && of.damaged.is_empty())
    });
    page.finish(summary, AsRecorded::unless(differ || drifted(lines)))
}

fn drifted(lines: &[VariantLine]) -> bool {
    lines.iter().flat_map(|line| &line.targets).any(TargetLine::differs_from_recording)
}

/// Whether the reference's problems are errors, and not only a lack.
fn is_wrong(settled: Settled) -> bool {
    matches!(settled, Settled::CorpusError | Settled::Undecided | Settled::Error)
}

/// The variants of a reason: their number, and the ids of the first.
type Reasons = BTreeMap<(usize, Raw, String), (usize, Vec<String>)>;

/// A page that is being filled.
struct Page<'p> {
    run: &'p RunLine,
    /// Those that are judged: the targets, or the reference.
    judged: Vec<String>,
    counts: Vec<Summary>,
    /// Variants by the worst status of their targets.
    worst: BTreeMap<Settled, usize>,
    /// Variants with launches that have no verdict, beside others that decide the status.
    in_part: closing::JudgedInPart,
    problems: Vec<Problem>,
    /// The place of each of them, by its text.
    known_problems: HashMap<String, usize>,
    causes: Causes,
    matrix: Matrix,
    coverage: Coverage<'p>,
    comparisons: Vec<Comparison>,
    run_again: Vec<RunAgain>,
    reasons: Reasons,
    list: List,
}

impl<'p> Page<'p> {
    fn new(run: &'p RunLine, requirements: &'p [Requirement]) -> Self {
        let mut judged: Vec<String> = run.targets.iter().map(|target| target.name.clone()).collect();
        if judged.is_empty() {
            judged.push(REFERENCE.into());
        }
        Self {
            run,
            counts: judged.iter().map(|_| Summary::default()).collect(),
            comparisons: judged.iter().map(|_| Comparison::default()).collect(),
            judged,
            worst: BTreeMap::new(),
            in_part: closing::JudgedInPart::default(),
            problems: Vec::new(),
            known_problems: HashMap::new(),
            causes: Causes::default(),
            matrix: Matrix::default(),
            coverage: Coverage::new(requirements),
            run_again: Vec::new(),
            reasons: Reasons::new(),
            list: List::default(),
        }
    }

    /// Adds an error of a variant: each error once, with the variants that have it.
    fn problem(&mut self, text: String, id: &str) {
        let place = *self.known_problems.entry(text).or_insert_with_key(|text| {
            self.problems.push(Problem::new(text.clone()));
            self.problems.len() - 1
        });
        self.problems[place].add(id);
    }

    /// Adds a variant. `full` gives the mismatches of the target at that place in full.
    fn add(&mut self, line: &VariantLine, full: impl Fn(usize) -> Markup) {
        let reference = line.reference.settled;
        let settled: Vec<Settled> = match line.targets.is_empty() {
            true => vec![reference],
            false => line.targets.iter().map(|target| target.settled).collect(),
        };
        let targets = line.targets.iter().map(|target| target.settled);
        self.in_part.by_case += usize::from(closing::is_by_case(reference, targets.clone()));
        let worst = closing::of_variant(reference, targets);
        *self.worst.entry(worst).or_default() += 1;
        self.in_part.launches += usize::from(line.targets.iter().any(|target| target.unanswered.is_some()));
        let cells = self.matrix.cells(line, self.judged.len());
        let covers = self.coverage.numbers(&line.covers);
        self.list.add(&line.id, &settled, cells.clone(), covers.clone());
        for (place, settled) in settled.into_iter().enumerate() {
            self.counts[place].add(&line.subject, line.rows, settled);
            self.coverage.count(&covers, place, self.judged.len(), settled);
            let Some(target) = line.targets.get(place) else {
                self.matrix.count(&cells, place, settled);
                continue;
            };
            self.comparisons[place].add(line, target);
            self.repeated(line, target);
            let of = match target.findings.is_empty() {
                true => cells.clone(),
                false => self.matrix.of_findings(&target.findings, &cells),
            };
            self.matrix.count(&of, place, settled);
            if let Some(shown) = cause(&target.findings).filter(|_| reference != Settled::CorpusError) {
                let body = full(place);
                let Some(cause) = self.causes.add(&line.id, place, target, &body) else { continue };
                let instruction = shown.instruction.as_ref().map(|instruction| instruction.text.clone());
                let nth = self.causes.count(cause);
                self.list.mismatch(Listed { judged: place, cause, nth, cells: of, instruction, body });
            }
        }
        self.reason(line);
    }

    fn repeated(&mut self, line: &VariantLine, target: &TargetLine) {
        self.run_again.extend(target.repeated.as_ref().map(|repeated| RunAgain {
            id: line.id.clone(),
            target: target.target.clone(),
            flaky: target.status == Raw::Flaky,
            words: repeated.runs.to_string(),
        }));
    }

    /// Notes why a variant has no verdict. Place 0 is the reference, 1 the first target.
    fn reason(&mut self, line: &VariantLine) {
        let reference = &line.reference;
        let mut note = |place: usize, status: Raw, why: &str| {
            let (count, ids) = self.reasons.entry((place, status, why.to_owned())).or_default();
            *count += 1;
            if ids.len() < IDS {
                ids.push(line.id.clone());
            }
        };
        match reference.settled {
            Settled::Pass => {}
            Settled::Skip => {
                let why = reference.problems.first().map_or("", |problem| problem.message.as_str());
                note(0, reference.status, why);
            }
            _ => return,
        }
        for (place, target) in line.targets.iter().enumerate() {
            if reasons::is_own(reference.settled, target.settled, target.status) {
                note(place + 1, target.status, target.why.as_deref().unwrap_or_default());
            } else if let Some(Unanswered { status, why, .. }) = &target.unanswered {
                note(place + 1, *status, why);
            }
        }
    }

    fn finish(self, summary: &SummaryLine, recorded: AsRecorded) -> String {
        let words = closing::words_of(&self.worst, self.in_part, recorded);
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|((place, ..), (count, _))| (*place, std::cmp::Reverse(*count)));
        let of = |place: usize| place.checked_sub(1).map_or(REFERENCE, |place| self.judged[place].as_str());
        let reasons: Vec<(Reason<'_>, usize)> = reasons
            .into_iter()
            .map(|((place, status, why), (count, ids))| {
                let variants = ids.iter().map(String::as_str).collect();
                (Reason { of: of(*place), status: *status, why, variants }, *count)
            })
            .collect();
        let sections = html! {
            (sections::counts(self.judged.iter().map(String::as_str).zip(&self.counts)))
            (sections::problems(&self.problems))
            (sections::diagnoses(&summary.targets))
            @if !self.run.targets.is_empty() { (self.causes.markup(&self.judged)) }
            (self.matrix.markup(&self.judged))
            (self.coverage.markup(&self.judged))
            (recording::section(&self.run.targets, &self.comparisons))
            (sections::expectations(&summary.expectations))
            (sections::run_again(&self.run_again))
            (sections::not_judged(&reasons))
            @if let Some(goldens) = &summary.goldens { (sections::goldens(goldens)) }
        };
        let header = header(self.run, summary, &words);
        let (cells, requirements) = (self.matrix.names(), self.coverage.ids());
        let list = self.list.markup(&self.judged, self.causes.names(), cells, requirements);
        let titles = [
            ("counts", "Summary"),
            ("errors", "Errors"),
            ("diagnoses", "Diagnoses"),
            ("mismatches", "Mismatches"),
            ("matrix", "Instructions"),
            ("requirements", "Requirements"),
            ("recordings", "Recording"),
            ("expectations", "Expectations"),
            ("repeated", "Run again"),
            ("skipped", "Without a verdict"),
            ("goldens", "Goldens"),
            ("variants", "Variants"),
        ];
        let is_there = |id: &str| {
            let heading = format!("<h2 id=\"{id}\"");
            sections.0.contains(&heading) || list.0.starts_with(&format!("<section aria-labelledby=\"{id}\""))
        };
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                (head(&format!("warpdiff: {words}")))
                body {
                    a.skip href="#counts" { "Skip to the summary" }
                    (header)
                    nav aria-label="Sections" {
                        ul { @for (id, title) in titles.iter().filter(|(id, _)| is_there(id)) {
                            li { a href={ "#" (id) } { (title) } }
                        } }
                    }
                    main { (sections) (list) }
                    footer { p { (sections::legend()) } }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string()
    }
}

/// The head of a page with that title.
pub(super) fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy(STYLE, SCRIPT));
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="generator" content={ "warpdiff " (env!("CARGO_PKG_VERSION")) };
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

fn header(run: &RunLine, summary: &SummaryLine, words: &str) -> Markup {
    let class = match summary.exit {
        Exit::Conforms => "good",
        Exit::Undecided => "warn",
        _ => "bad",
    };
    html! {
        header {
            p.product { "warpdiff " (run.warpdiff) ", " (run.date) }
            h1 .(class) { (words) }
            p.facts {
                (summary.variants) " variants, " (summary.rows) " rows; exit code " (summary.exit_code)
                @if let Some(shard) = run.shard { "; shard " (shard.number) " of " (shard.of) }
                ". "
                @if run.targets.is_empty() { "No target was judged. The reference was checked against the hand-written expectations." }
            }
            @for target in &run.targets {
                p.facts {
                    "Judged: " code { (target.name) }
                    @for (name, value) in &target.device { span.fact { (foreign::line(name).to_string()) " " strong { (foreign::line(value).to_string()) } } " " }
                }
            }
            @if let Some(end) = &summary.partial {
                p.facts { strong { "Partial: " (end) } "; " (summary.left_out.len()) " variants were left out." }
            }
        }
    }
}
