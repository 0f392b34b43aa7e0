//! The report of a run for a person: what comes first, and how much of each part.

use warpdiff_session::session::{Session, Settling};
use warpdiff_terminal::style::Style;

use super::{causes, corpus_errors, diagnoses, examples, goldens, lists, notices};
use crate::closing::{self, AsRecorded};
use crate::golden::store::Review;
use crate::results::summary::SummaryLine;
use crate::summary::summaries;
use crate::{drift, reasons, repeated};

/// How much is printed in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Examples of each cause.
    pub examples: usize,
    /// Lines of a list: errors, differences from goldens and recordings, variants, reasons.
    pub lines: usize,
}

impl Shown {
    /// An example of each cause and ten lines of each list, or as many of both as somebody asked for.
    pub fn new(asked: Option<usize>) -> Self {
        Self { examples: asked.unwrap_or(1), lines: asked.unwrap_or(10) }
    }
}

/// A run that is over.
#[derive(Clone, Copy)]
pub struct Ended<'r, 'a> {
    /// What was judged.
    pub session: &'r Session<'a>,
    /// The statuses after expectations.
    pub settling: &'r Settling,
    /// The counts and causes.
    pub summary: &'r SummaryLine,
    /// The comparison with the goldens, and whether they were written. None if it was skipped.
    pub goldens: Option<(&'r Review, bool)>,
    /// The comparison with goldens and recordings.
    pub recorded: AsRecorded,
}

/// The report: the causes and an example of each first, then what changed, then the counts, and the verdict in the last line.
pub fn report(run: Ended<'_, '_>, shown: Shown, style: Style) -> String {
    let Ended { session, settling, summary, goldens: reviewed, recorded } = run;
    let mut text = corpus_errors::lines(session, shown.lines, style);
    for target in &summary.targets {
        text.push_str(&causes::lines(target, style));
        text.push_str(&diagnoses::lines(target, shown.lines, style));
    }
    text.push_str(&examples::of_each_cause(session, settling, summary, shown.examples, style));
    if let Some((review, _)) = reviewed {
        text.push_str(&goldens::changes(review, shown.lines, style));
    }
    text.push_str(&notices::lines(&settling.notices, shown.lines, style));
    for (name, table) in summaries(session, settling) {
        text.push_str(&table.render(name, style));
    }
    text.push_str(&repeated::lines(session, style));
    text.push_str(&reasons::lines(&reasons::of(session, settling), shown.lines, style));
    text.push_str(&lists::decided_alone(session, shown.lines, style));
    text.push_str(&lists::agreements(session, settling, shown.lines, style));
    text.push_str(&drift::lines(session, shown.lines, style));
    if let Some((review, written)) = reviewed {
        text.push_str(&goldens::counts(review, written, style));
    }
    text.push_str(&lists::left_out(session, shown.lines, style));
    text.push_str(&closing::line(session, settling, recorded, style));
    text
}
