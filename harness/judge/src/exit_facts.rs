//! The exit code of one target by its verdicts: which variants without a verdict it need not answer.

use std::collections::BTreeSet;

use crate::exit_code::Exit;
use crate::verdict_table::{Recorded, Settled, join};

/// The facts of a target's verdict on a variant that decide the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExitFacts {
    /// Whether the variant has launches.
    pub launched: bool,
    /// Whether it is in a dialect that the target does not claim.
    pub unclaimed: bool,
    /// Its settled status.
    pub settled: Settled,
    /// Its comparison with a recording.
    pub recorded: Option<Recorded>,
    /// Whether launches of it have no verdict, where others decide its status.
    pub unanswered: bool,
}

/// The exit code of one target. A target that was judged on something need not answer legality cases, and need not run launches
/// if it ran none (an assembler). An unjudged launch counts for a target that runs launches; for a target without any verdict
/// everything counts. A target that answers launches of a dialect that it does not claim need not answer its other launches,
/// nor legality cases.
pub fn exit_of_target(answers: &BTreeSet<ExitFacts>) -> Exit {
    let judged = answers.iter().any(|e| e.settled.is_judged());
    let runs = answers.iter().any(|e| e.launched && e.settled.is_judged());
    let characterised = answers.iter().any(|e| e.settled == Settled::Characterised);
    let excused = |e: &ExitFacts| match e.unclaimed {
        true => characterised || judged,
        false => judged && !(e.launched && runs) || characterised && !e.launched,
    };
    let counted = answers.iter().filter(|e| {
        let counts = e.settled.is_judged() || e.settled == Settled::Characterised;
        counts || e.recorded.is_some_and(|recorded| recorded.counts_beside(e.settled)) || !excused(e)
    });
    // What is left out on purpose fails nothing, but nothing else is no verdict on the target.
    let left_out = answers.iter().any(|e| e.settled == Settled::LeftOut);
    let none = if left_out && !judged && !characterised { Exit::Undecided } else { Exit::Conforms };
    // A failure that is expected does not stand for launches that nobody judged.
    let in_part = |e: &ExitFacts| if e.unanswered { Exit::Undecided } else { Exit::Conforms };
    counted.map(|e| join(e.settled, e.recorded).and(in_part(e))).fold(none, Exit::and)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(settled: Settled) -> ExitFacts {
        ExitFacts { launched: true, unclaimed: false, settled, recorded: None, unanswered: false }
    }

    #[test]
    fn an_expected_failure_does_not_stand_for_launches_that_were_not_judged() {
        for (settled, whole, in_part) in [
            (Settled::KnownFailure, 0, 5),
            (Settled::KnownFlake, 0, 5),
            (Settled::UnexpectedPass, 6, 6),
            (Settled::Fail, 1, 1),
        ] {
            let of = |unanswered| exit_of_target(&[ExitFacts { unanswered, ..facts(settled) }].into()).code();
            assert_eq!((of(false), of(true)), (whole, in_part), "{settled:?}");
        }
    }
}
