//! The results of a run as JUnit XML, for GitLab, Jenkins and others: a suite for each target, a test case for each variant.
//!
//! A variant that its target violates is a failure with the class of the mismatch as type; a known failure and one without a verdict
//! are skipped, with the reason; errors of the corpus or of warpdiff, and undecided variants, are errors.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use warpdiff_judge::verdict_table::{Raw, Settled};
use warpdiff_terminal::foreign;

use crate::results::finding::FindingLine;
use crate::results::line::RunLine;
use crate::results::summary;
use crate::results::variant::{ReferenceLine, VariantLine};
use crate::results::words::plain;

/// The name of the suite of a run without targets.
const REFERENCE: &str = "reference";

/// A JUnit report that is being made.
#[derive(Debug)]
pub struct Junit {
    suites: Vec<TestSuite>,
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
        Self { suites }
    }

    /// Adds a variant.
    pub fn add(&mut self, line: &VariantLine) {
        let sound = line.reference.settled == Settled::Pass;
        for (index, suite) in self.suites.iter_mut().enumerate() {
            let status = match line.targets.get(index).filter(|_| sound) {
                Some(target) => {
                    let expected = target.expectations.join("\n");
                    let mut status = status(
                        target.settled,
                        target.status,
                        target.why.as_deref(),
                        &target.findings,
                        &expected,
                    );
                    if let (TestCaseStatus::NonSuccess { message, .. }, Some(line)) =
                        (&mut status, &target.repeated)
                    {
                        let (passed, (least, most)) = (line.runs.runs(), line.interval);
                        let words = message
                            .as_ref()
                            .map_or_else(String::new, |words| format!("{}; ", words.as_str()));
                        *message = Some(
                            format!(
                                "{words}run again it passed {} of {} times (95 % interval of the pass rate: {:.1} % to {:.1} %)",
                                passed.passed,
                                passed.of,
                                100.0 * least,
                                100.0 * most
                            )
                            .into(),
                        );
                    }
                    status
                }
                None => of_reference(&line.reference),
            };
            let mut case = TestCase::new(line.id.as_str(), status);
            case.set_classname(line.subject.as_str());
            case.set_time(Duration::try_from_secs_f64(line.seconds).unwrap_or_default());
            suite.add_test_case(case);
        }
    }

    /// The document.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn text(self) -> Result<String, SerializeError> {
        let mut report = Report::new("warpdiff");
        report.add_test_suites(self.suites);
        let text = report.to_string()?;
        // Jenkins's schema has `skipped`, and does not know `disabled`, by which the library counts the same test cases.
        let suite = |line: &str| match line.trim_start().starts_with("<testsuite ") {
            true => line.replacen(" disabled=\"", " skipped=\"", 1),
            false => line.to_owned(),
        };
        Ok(text.lines().map(suite).collect::<Vec<_>>().join("\n") + "\n")
    }
}

fn of_reference(reference: &ReferenceLine) -> TestCaseStatus {
    let why: Vec<String> = reference
        .problems
        .iter()
        .map(|p| format!("{}:{}:{}: {}", p.location.file, p.location.line, p.location.column, p.message))
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
    let wrong = |kind, ty: &str, message: String, description: String| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_type(ty).set_message(message);
        if !description.is_empty() {
            status.set_description(description);
        }
        status
    };
    match settled {
        Settled::Pass => TestCaseStatus::success(),
        Settled::Characterised | Settled::Skip => skipped(format!("{raw}: {why}")),
        Settled::KnownFailure | Settled::KnownFlake | Settled::LeftOut => {
            skipped(format!("expected: {expected}"))
        }
        Settled::Fail | Settled::OtherFailure | Settled::Flaky => {
            let Some(finding) = summary::cause(findings) else {
                return wrong(NonSuccessKind::Failure, raw.name(), why, String::new());
            };
            let mut words = plain(finding);
            if settled == Settled::OtherFailure {
                words.push_str(&format!("expected here is a different failure: {expected}\n"));
            }
            let ty = if settled == Settled::Flaky { "flaky" } else { finding.class.as_str() };
            wrong(NonSuccessKind::Failure, ty, summary::words(finding), words)
        }
        Settled::UnexpectedPass => {
            let message = format!("it passes, and is expected to fail: {expected}");
            wrong(NonSuccessKind::Failure, "unexpected pass", message, String::new())
        }
        Settled::Undecided => wrong(NonSuccessKind::Error, "undecided", why, String::new()),
        Settled::CorpusError => wrong(NonSuccessKind::Error, "corpus", why, String::new()),
        Settled::Error => wrong(NonSuccessKind::Error, "error", why, String::new()),
    }
}
