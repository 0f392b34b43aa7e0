//! The results of a run as JUnit XML, for GitLab, Jenkins and others: a suite for each target, a test case for each variant.
//!
//! A variant that its target violates is a failure with the class of the mismatch as type, and so is one that only differs from
//! the recording; a known failure and one without a verdict are skipped, with the reason; errors of the corpus or of warpdiff, and
//! undecided variants, are errors. What is wrong with the run as a whole, such as an entry of the expectations that is out of date, is
//! in a suite of its own, so that a run which ends with another code than 0 is red here, too. What a target does instead, over the whole
//! run, is a property `diagnosis` of its suite for each cause.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::verdict_table::{Raw, Recorded, Settled};
use warpdiff_terminal::foreign;

use crate::results::finding::{FindingLine, Place};
use crate::results::line::RunLine;
use crate::results::summary::{self, SummaryLine};
use crate::results::variant::{ReferenceLine, TargetLine, VariantLine};
use crate::results::words::plain;

/// The name of the suite of a run without targets.
const REFERENCE: &str = "reference";
/// The name of the suite about the run as a whole.
const RUN: &str = "the run as a whole";
/// What a variant is called that passes and is expected to fail.
const UNEXPECTED: &str = "unexpected pass";
/// Variants that are named where many are alike.
const NAMED: usize = 100;

/// A JUnit report that is being made.
#[derive(Debug)]
pub struct Junit {
    suites: Vec<Suite>,
}

/// A suite that is being made. Its test cases are text already, which takes a fraction of the memory.
#[derive(Debug)]
struct Suite {
    /// Without test cases: its name and properties.
    empty: TestSuite,
    cases: String,
    counts: Counts,
}

/// The numbers of test cases.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    tests: usize,
    skipped: usize,
    errors: usize,
    failures: usize,
}

impl Junit {
    /// The report of a run, without test cases yet.
    pub fn new(run: &RunLine) -> Self {
        let named = |name: &str| {
            let mut suite = TestSuite::new(name);
            if let Some(shard) = run.shard {
                suite.add_property(("shard", format!("{}/{}", shard.number, shard.of).as_str()));
            }
            suite.add_property(("warpdiff", run.warpdiff.as_str()));
            suite.add_property(("date", run.date.as_str()));
            suite
        };
        let suites = run.targets.iter().map(|target| {
            let mut suite = named(&target.name);
            for (key, value) in &target.device {
                suite.add_property((format!("device.{key}").as_str(), value.as_str()));
            }
            suite
        });
        let mut suites: Vec<TestSuite> = suites.collect();
        if suites.is_empty() {
            suites.push(named(REFERENCE));
        }
        Self { suites: suites.into_iter().map(Suite::new).collect() }
    }

    /// Adds a variant.
    ///
    /// # Errors
    /// If it cannot be written as XML.
    pub fn add(&mut self, line: &VariantLine) -> Result<(), SerializeError> {
        let reference = line.reference.settled;
        let judged = |target: &&TargetLine| {
            reference == Settled::Pass || reference == Settled::Skip && target.status != Raw::NotRun
        };
        for (index, suite) in self.suites.iter_mut().enumerate() {
            let status = match line.targets.get(index).filter(judged) {
                Some(target) => {
                    let expected = target.expectations.join("\nnor by ");
                    let mut status = status(
                        target.settled,
                        target.status,
                        target.why.as_deref(),
                        &target.findings,
                        &expected,
                    );
                    if !is_wrong(&status) && target.differs_from_recording() {
                        status = drifted(target, &status);
                    }
                    let message = match &mut status {
                        TestCaseStatus::NonSuccess { message, .. } => Some(message),
                        TestCaseStatus::Skipped { message, .. } => Some(message),
                        TestCaseStatus::Success { .. } => None,
                    };
                    if let (Some(message), Some(line)) = (message, &target.repeated) {
                        let words = message
                            .as_ref()
                            .map_or_else(String::new, |words| format!("{}; ", words.as_str()));
                        *message = Some(format!("{words}{}", line.runs).into());
                    }
                    status
                }
                None => of_reference(&line.reference),
            };
            let mut case = TestCase::new(line.id.as_str(), status);
            case.set_classname(line.subject.as_str());
            case.set_time(Duration::try_from_secs_f64(line.seconds).unwrap_or_default());
            suite.add(case)?;
        }
        Ok(())
    }

    /// The document.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn text(mut self, summary: &SummaryLine) -> Result<String, SerializeError> {
        for (suite, target) in self.suites.iter_mut().zip(&summary.targets) {
            for diagnosis in target.diagnoses.iter().filter(|one| one.tells()) {
                suite.empty.add_property(("diagnosis", on_one_line(&diagnosis.words).as_str()));
            }
        }
        let mut whole = Suite::new(TestSuite::new(RUN));
        of_run(summary).into_iter().try_for_each(|case| whole.add(case))?;
        // Whatever else made the run end so, such as the goldens of a shard: a report without a failure would be green.
        let is_green = |suite: &Suite| suite.counts.errors + suite.counts.failures == 0;
        if summary.exit != Exit::Conforms && self.suites.iter().all(is_green) && is_green(&whole) {
            let message = format!("it ends with {}: its report on a terminal says why", summary.exit_code);
            let status = wrong(NonSuccessKind::Error, "exit code", message, String::new());
            let mut case = TestCase::new("the exit code is 0", status);
            case.set_classname(RUN);
            case.set_time(Duration::ZERO);
            whole.add(case)?;
        }
        if whole.counts.tests > 0 {
            self.suites.push(whole);
        }
        let all = self.suites.iter().fold(Counts::default(), |all, suite| all.and(suite.counts));
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"warpdiff\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
            all.tests, all.failures, all.errors
        );
        for suite in self.suites {
            suite.write(&mut text)?;
        }
        Ok(xml(text + "</testsuites>\n"))
    }
}

impl Suite {
    fn new(empty: TestSuite) -> Self {
        Self { empty, cases: String::new(), counts: Counts::default() }
    }

    /// Adds a test case.
    fn add(&mut self, case: TestCase) -> Result<(), SerializeError> {
        let Counts { tests, skipped, errors, failures } = &mut self.counts;
        *tests += 1;
        match &case.status {
            TestCaseStatus::Success { .. } => {}
            TestCaseStatus::Skipped { .. } => *skipped += 1,
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, .. } => *errors += 1,
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, .. } => *failures += 1,
        }
        let mut suite = TestSuite::new("");
        suite.add_test_case(case);
        self.cases.push_str(&inside(suite)?);
        Ok(())
    }

    /// Adds the suite to a document.
    fn write(self, text: &mut String) -> Result<(), SerializeError> {
        let Counts { tests, skipped, errors, failures } = self.counts;
        let name = self.empty.name.as_str().to_owned();
        // Jenkins's schema has `skipped`, and does not know `disabled`, by which the library counts the same test cases.
        text.push_str(&format!(
            "    <testsuite name=\"{}\" tests=\"{tests}\" skipped=\"{skipped}\" errors=\"{errors}\" failures=\"{failures}\">\n",
            attribute(&name)
        ));
        text.push_str(&inside(self.empty)?);
        text.push_str(&self.cases);
        text.push_str("    </testsuite>\n");
        Ok(())
    }
}

impl Counts {
    /// Both together.
    fn and(self, other: Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            skipped: self.skipped + other.skipped,
            errors: self.errors + other.errors,
            failures: self.failures + other.failures,
        }
    }
}

/// What stands between the tags of a suite.
fn inside(suite: TestSuite) -> Result<String, SerializeError> {
    let mut report = Report::new("");
    report.add_test_suite(suite);
    let text = report.to_string()?;
    let begin = text.find("<testsuite ").and_then(|tag| Some(tag + text[tag..].find(">\n")? + 2));
    let end = text.rfind("    </testsuite>");
    // A suite without anything inside is one tag.
    Ok(begin.zip(end).and_then(|(begin, end)| text.get(begin..end)).unwrap_or_default().to_owned())
}

/// Text without the two characters that XML forbids and the library lets pass (Extensible Markup Language 1.0, section 2.2): a reader refuses
/// the whole report for one of them.
fn xml(text: String) -> String {
    match text.contains(['\u{fffe}', '\u{ffff}']) {
        true => text.replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}"),
        false => text,
    }
}

/// Words of several lines as an attribute has them: readers of XML make a space of a line feed there.
fn on_one_line(words: &str) -> String {
    words.lines().map(str::trim).collect::<Vec<_>>().join("; ")
}

/// Text as the value of an attribute.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What is wrong with the run as a whole.
fn of_run(summary: &SummaryLine) -> Vec<TestCase> {
    let case = |name: &str, kind, ty: &str, message: String, description: String| {
        let mut case = TestCase::new(name, wrong(kind, ty, message, description));
        case.set_classname(RUN);
        case.set_time(Duration::ZERO);
        case
    };
    let mut cases = Vec::new();
    if let Some(why) = &summary.partial {
        let left = &summary.left_out;
        let count =
            if left.is_empty() { String::new() } else { format!("; {} variants were left out", left.len()) };
        let message = format!("{why}{count}");
        cases.push(case("every variant is judged", NonSuccessKind::Error, "partial", message, first(left)));
    }
    if summary.exit == Exit::Undecided && summary.partial.is_none() {
        let reasons: Vec<String> = summary
            .not_judged
            .iter()
            .map(|reason| {
                format!("{} x {}: {}: {}", reason.variants, reason.target, reason.status, reason.why)
            })
            .collect();
        let message = "variants that need a verdict have none".to_owned();
        let description = foreign::lines(&first(&reasons), 0).to_string();
        cases.push(case("every variant is judged", NonSuccessKind::Error, "undecided", message, description));
    }
    for why in &summary.broken {
        let name = "every target and recording is complete";
        cases.push(case(name, NonSuccessKind::Error, "incomplete", why.clone(), String::new()));
    }
    // A variant that passes unexpectedly fails by itself.
    for notice in summary.expectations.iter().filter(|notice| notice.kind != UNEXPECTED) {
        let (kind, words) = (&notice.kind, &notice.words);
        let message = format!("{kind}: {words}");
        let name = "the expectations are up to date";
        cases.push(case(name, NonSuccessKind::Failure, kind, message, String::new()));
    }
    if let Some(goldens) = &summary.goldens {
        let ids =
            [&goldens.differing, &goldens.missing, &goldens.orphans, &goldens.misplaced, &goldens.damaged];
        let ids: Vec<String> = ids.into_iter().flatten().cloned().collect();
        if summary.exit != Exit::Conforms && !ids.is_empty() {
            let message = format!("{} goldens differ, are missing or belong to no variant", ids.len());
            cases.push(case(
                "the goldens are up to date",
                NonSuccessKind::Failure,
                "golden",
                message,
                first(&ids),
            ));
        }
    }
    cases
}

/// The first of many, each on a line.
fn first(ids: &[String]) -> String {
    let more = ids.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("\n… and {more} more") } else { String::new() };
    format!("{}{more}", ids.iter().take(NAMED).cloned().collect::<Vec<_>>().join("\n"))
}

fn is_wrong(status: &TestCaseStatus) -> bool {
    matches!(status, TestCaseStatus::NonSuccess { .. })
}

/// A variant that differs from the recording, and would be no failure without it.
fn drifted(target: &TargetLine, otherwise: &TestCaseStatus) -> TestCaseStatus {
    let counted = target.drifts.iter().filter(|drift| drift.recording == Recorded::Drifted);
    let words: Vec<String> = counted.map(|drift| format!("{}: {}", drift.part, drift.words)).collect();
    let message = match otherwise {
        TestCaseStatus::Skipped { message: Some(message), .. } => {
            format!("it differs from the recording; {}", message.as_str())
        }
        _ => "it conforms, and differs from the recording".to_owned(),
    };
    wrong(NonSuccessKind::Failure, "drift", message, foreign::lines(&words.join("\n"), 0).to_string())
}

fn wrong(kind: NonSuccessKind, ty: &str, message: String, description: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(ty).set_message(message);
    if !description.is_empty() {
        status.set_description(description);
    }
    status
}

fn of_reference(reference: &ReferenceLine) -> TestCaseStatus {
    let why: Vec<String> = reference
        .problems
        .iter()
        .map(|p| {
            let Place { file, line, column } = &p.location;
            let more = p.notes.iter().map(|note| format!("\n  {note}")).collect::<String>();
            let label = if p.label.is_empty() { String::new() } else { format!(": {}", p.label) };
            format!("{file}:{line}:{column}: {}{label}{more}", p.message)
        })
        .collect();
    status(reference.settled, reference.status, Some(&why.join("\n")), &[], "")
}

fn status(
    settled: Settled,
    raw: Raw,
    why: Option<&str>,
    findings: &[FindingLine],
    expected: &str,
) -> TestCaseStatus {
    let why = why.map(|why| foreign::lines(why, 0).to_string()).unwrap_or_default();
    let skipped = |message: String| {
        let mut status = TestCaseStatus::skipped();
        status.set_message(message);
        status
    };
    match settled {
        Settled::Pass => TestCaseStatus::success(),
        Settled::Characterised | Settled::Skip => skipped(format!("{raw}: {why}")),
        Settled::KnownFailure | Settled::KnownFlake | Settled::LeftOut => {
            skipped(format!("expected: {expected}"))
        }
        Settled::AsProfiled => skipped(format!("as the profile says: {expected}")),
        Settled::OtherChoice => wrong(
            NonSuccessKind::Failure,
            "choice",
            format!("another choice than in the profile: {expected}"),
            String::new(),
        ),
        Settled::Fail | Settled::OtherFailure | Settled::Flaky => {
            let Some(finding) = summary::cause(findings) else {
                return wrong(NonSuccessKind::Failure, raw.name(), why, String::new());
            };
            let mut words = plain(finding);
            if !expected.is_empty() {
                words.push_str(&format!("not covered by {expected}\n"));
            }
            let ty = if settled == Settled::Flaky { "flaky" } else { finding.class.as_str() };
            wrong(NonSuccessKind::Failure, ty, summary::words(finding), words)
        }
        Settled::UnexpectedPass => {
            let message = format!("it passes, and is expected to fail: {expected}");
            wrong(NonSuccessKind::Failure, UNEXPECTED, message, String::new())
        }
        Settled::Undecided => wrong(NonSuccessKind::Error, "undecided", why, String::new()),
        Settled::CorpusError => wrong(NonSuccessKind::Error, "corpus", why, String::new()),
        Settled::Error => wrong(NonSuccessKind::Error, "error", why, String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_is_written_out() {
        assert_eq!(xml("a\u{fffe}b\u{ffff}".into()), "a\\u{fffe}b\\u{ffff}");
        assert_eq!(xml("a\u{fffd}b".into()), "a\u{fffd}b");
    }
}
