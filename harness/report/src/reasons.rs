//! The reasons of variants without a verdict: each once, with its variants.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use warpdiff_judge::verdict_table::{Raw, Settled};
use warpdiff_session::session::{Session, Settling};
use warpdiff_session::verdict::Unanswered;
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::Style;

/// The name of the reference in place of a target.
pub const REFERENCE: &str = "reference";

/// A reason, with its target and variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason<'s> {
    /// The target that has no verdict, or [`REFERENCE`].
    pub of: &'s str,
    /// The status.
    pub status: Raw,
    /// The reason, which may contain text of the target.
    pub why: &'s str,
    /// The ids of the variants, in the order of the corpus.
    pub variants: Vec<&'s str>,
}

/// The reasons of a session: those of the reference first, then those of each target, the most frequent first. Variants with corpus
/// errors, and undecided ones, have no reasons of targets.
pub fn of<'s>(session: &'s Session<'_>, settling: &Settling) -> Vec<Reason<'s>> {
    // By the target's index, `None` for the reference; a map, so that equally frequent reasons have an order.
    let mut found: BTreeMap<(Option<usize>, Raw, &str), Vec<&str>> = BTreeMap::new();
    for verdict in &session.verdicts {
        let id = verdict.variant.id.as_str();
        match settling.reference(verdict) {
            Settled::Pass => {}
            Settled::Skip => {
                let why = verdict.reference.problems.first().map_or("", |problem| problem.message.as_str());
                found.entry((None, verdict.reference.raw, why)).or_default().push(id);
            }
            _ => continue,
        }
        for (place, target) in verdict.targets.iter().enumerate() {
            let settled = settling.target(verdict, target);
            if is_own(settling.reference(verdict), settled, target.raw) {
                let why = target.why.as_deref().unwrap_or_default();
                found.entry((Some(place), target.raw, why)).or_default().push(id);
            } else if let Some(Unanswered { status, why, .. }) = &target.unanswered {
                found.entry((Some(place), *status, why)).or_default().push(id);
            }
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|((place, ..), variants)| (*place, Reverse(variants.len())));
    let of = |place: Option<usize>| place.map_or(REFERENCE, |place| session.targets[place].as_str());
    let found = found.into_iter();
    found.map(|((place, status, why), variants)| Reason { of: of(place), status, why, variants }).collect()
}

/// Whether a target has no verdict for a reason of its own: what the reference cannot run, and the target was not asked, is the reference's.
pub fn is_own(reference: Settled, target: Settled, status: Raw) -> bool {
    let open = matches!(
        target,
        Settled::Skip | Settled::LeftOut | Settled::Undecided | Settled::Error | Settled::Characterised
    );
    open && (reference != Settled::Skip || status != Raw::NotRun)
}

impl<'s> Reason<'s> {
    /// The status and the reason: `unsupported: textures`.
    pub fn words(&self) -> String {
        let status = match self.status {
            Raw::NotRun => "not run",
            other => other.name(),
        };
        let said = self.why.starts_with(status);
        match (self.why, said) {
            ("", _) => status.into(),
            (why, true) => why.into(),
            (why, false) => format!("{status}: {why}"),
        }
    }
}

/// The reasons for a person, at most `show` of each target.
pub fn lines(reasons: &[Reason<'_>], show: usize, style: Style) -> String {
    let mut text = String::new();
    for of in reasons.chunk_by(|a, b| a.of == b.of) {
        let title = format!("without a verdict: {}", of[0].of);
        let _ = writeln!(text, "{}", style.strong().paint(title));
        for reason in of.iter().take(show) {
            let _ = writeln!(text, "  {:>5}  {}", reason.variants.len(), foreign::line(&reason.words()));
        }
        let (more, hidden) = (of.len().saturating_sub(show), of.iter().skip(show));
        if more > 0 {
            let variants: usize = hidden.map(|reason| reason.variants.len()).sum();
            let _ = writeln!(text, "  {variants:>5}  for {more} other reasons (--show N prints more)");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reasons_are_shown_and_the_others_counted() {
        let reason = |of, status, why, count| Reason { of, status, why, variants: vec!["v"; count] };
        let reasons = [
            reason(REFERENCE, Raw::Unsupported, "a pattern", 1),
            reason("t", Raw::NotRun, "fault budget: 4 of 9 launches", 5),
            reason("t", Raw::Unsupported, "unsupported: b\u{1b}[2J", 3),
            reason("t", Raw::NotRun, "", 2),
        ];
        let shown = "\
without a verdict: reference
      1  unsupported: a pattern
without a verdict: t
      5  not run: fault budget: 4 of 9 launches
      3  unsupported: b\\u{1b}[2J
      2  for 1 other reasons (--show N prints more)
";
        assert_eq!(lines(&reasons, 2, Style::new(false)), shown);
        assert!(lines(&reasons, 3, Style::new(false)).ends_with("      2  not run\n"));
    }
}
