//! Full examples of causes: which variants show a cause best, and how many more there are.

use std::fmt::Write;

use warpdiff_judge::verdict_table::Settled;
use warpdiff_session::causes;
use warpdiff_session::session::{Session, Settling};
use warpdiff_session::verdict::{Bearing, TargetVerdict, Verdict};
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::Style;

use crate::mismatch;
use crate::results::summary::SummaryLine;

/// At most `most` examples of each cause of each target, in the order of the summary. Failures that expectations cover are no examples.
pub fn of_each_cause(
    session: &Session<'_>,
    settling: &Settling,
    summary: &SummaryLine,
    most: usize,
    style: Style,
) -> String {
    let mut text = String::new();
    let mut hidden = 0;
    for (index, target) in summary.targets.iter().enumerate() {
        for cause in &target.causes {
            let all = examples(session, settling, index, &cause.words);
            for (verdict, target) in all.iter().take(most) {
                text.push_str(&example(verdict, target, &session.targets[index], style));
            }
            hidden += all.len().saturating_sub(most);
        }
    }
    if hidden > 0 {
        let _ = writeln!(text, "… and {hidden} more variants of these causes (--show N prints N of each)\n");
    }
    text
}

/// The variants that show a cause: first those with a difference in a row, because it shows the error most directly, of these the ones
/// with the fewest rows.
fn examples<'s, 'a>(
    session: &'s Session<'a>,
    settling: &Settling,
    index: usize,
    cause: &str,
) -> Vec<(&'s Verdict<'a>, &'s TargetVerdict)> {
    let of = session.verdicts.iter().map(|verdict| (verdict, &verdict.targets[index]));
    let shown = of.filter(|(verdict, target)| {
        let counts = matches!(
            settling.target(verdict, target),
            Settled::Fail | Settled::Flaky | Settled::OtherFailure | Settled::Characterised
        );
        counts && causes::cause(target).is_some_and(|words| words == cause)
    });
    let mut all: Vec<_> = shown.collect();
    let in_a_row = |t: &TargetVerdict| t.findings[0].differences.first().is_some_and(|d| d.row.is_some());
    all.sort_by_key(|(verdict, target)| (target.unclaimed, !in_a_row(target), verdict.rows));
    all
}

fn example(verdict: &Verdict<'_>, target: &TargetVerdict, name: &str, style: Style) -> String {
    // The findings of a variant are much alike, so one is printed. It is the first that is not expected.
    let shown = target.listed.as_ref().and_then(|listing| listing.uncovered).unwrap_or_default();
    let mut text = mismatch::render(&verdict.variant.id, name, &target.findings[shown], style);
    if let Some(repeated) = &target.repeated {
        let _ = writeln!(text, "  {}", style.strong().paint(foreign::line(&repeated.to_string())));
    }
    for (bearing, entry) in target.listed.iter().flat_map(|listing| &listing.entries) {
        let words = match bearing {
            Bearing::Covers => "expected here, for other launches:",
            Bearing::OtherCause => "expected here is a different failure:",
            Bearing::TooRarely => "expected here to pass more often:",
            Bearing::Elsewhere => "expected elsewhere:",
            Bearing::Profile => "in the profile:",
        };
        let _ = writeln!(text, "  {} {entry}", style.warn().paint(words));
    }
    let more = target.findings.len() - 1;
    if more > 0 {
        let words = format!("… and {more} more launches of this case");
        let _ = writeln!(text, "  {}", style.faint().paint(words));
    }
    text.push('\n');
    text
}
