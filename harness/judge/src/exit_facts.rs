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
        counts || e.recorded == Some(Recorded::Drifted) || !excused(e)
    });
    // What is left out on purpose fails nothing, but nothing else is no verdict on the target.
    let left_out = answers.iter().any(|e| e.settled == Settled::LeftOut);
    let none = if left_out && !judged && !characterised { Exit::Undecided } else { Exit::Conforms };
    counted.map(|e| join(e.settled, e.recorded)).fold(none, Exit::and)
}
