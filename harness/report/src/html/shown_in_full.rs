//! Chooses the mismatches that are shown in full: a limited number, so that the page stays usable, and some of each cause first.

use std::collections::BTreeMap;

use warpdiff_judge::verdict_table::Settled;
use warpdiff_session::causes::cause;
use warpdiff_session::session::{Session, Settling};
use warpdiff_session::verdict::{TargetVerdict, Verdict};

/// A target that is wrong on a variant.
#[derive(Clone, Copy)]
pub(super) struct Wrong<'a> {
    /// The variant.
    pub(super) verdict: &'a Verdict<'a>,
    /// The target's verdict.
    pub(super) earned: &'a TargetVerdict,
    /// Name of the target.
    pub(super) target: &'a str,
    /// Its settled status.
    pub(super) settled: Settled,
}

impl Wrong<'_> {
    /// Its cause, which it shares with others.
    pub(super) fn cause(&self) -> String {
        cause(self.earned).unwrap_or_default()
    }
}

/// Every mismatch of a session in the order of the corpus, without variants that have corpus errors.
pub(super) fn all<'a>(session: &'a Session<'a>, settling: &Settling) -> Vec<Wrong<'a>> {
    let each = session.verdicts.iter().flat_map(|verdict| {
        let named = verdict.targets.iter().zip(&session.targets);
        named.map(move |(earned, target)| (verdict, earned, target))
    });
    let wrong = each.filter_map(|(verdict, earned, target)| {
        let settled = settling.target(verdict, earned);
        let shown = matches!(
            settled,
            Settled::Fail
                | Settled::Flaky
                | Settled::OtherFailure
                | Settled::UnexpectedPass
                | Settled::KnownFailure
                | Settled::KnownFlake
                | Settled::Characterised
        );
        (shown && !earned.findings.is_empty()).then_some(Wrong { verdict, earned, target, settled })
    });
    wrong.collect()
}

/// The order in which mismatches are shown: the first of each cause of each target, then the second of each, and so on. Known
/// failures and characterised ones come last.
pub(super) fn by_turns(wrong: &[Wrong<'_>]) -> Vec<usize> {
    let mut turns: BTreeMap<(bool, String, &str), usize> = BTreeMap::new();
    let mut order: Vec<(bool, usize, usize)> = Vec::with_capacity(wrong.len());
    for (index, wrong) in wrong.iter().enumerate() {
        let known =
            matches!(wrong.settled, Settled::KnownFailure | Settled::KnownFlake | Settled::Characterised);
        let turn = turns.entry((known, wrong.cause(), wrong.target)).or_default();
        order.push((known, *turn, index));
        *turn += 1;
    }
    order.sort_unstable();
    order.into_iter().map(|(.., index)| index).collect()
}
