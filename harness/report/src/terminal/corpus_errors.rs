//! Errors of the corpus, undecided launches and programs that the reference cannot run, with carets.

use std::collections::BTreeSet;
use std::fmt::Write;

use warpdiff_corpus::plan::Work;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_session::session::Session;
use warpdiff_session::verdict::Verdict;
use warpdiff_terminal::style::Style;

/// The first errors; each place once.
pub fn lines(session: &Session<'_>, show: usize, style: Style) -> String {
    let mut text = String::new();
    let mut seen = BTreeSet::new();
    // The reasons list launches that the reference cannot run: they have no line to point at.
    let has_a_place = |v: &&Verdict<'_>| {
        v.reference.raw != Raw::Unsupported || matches!(v.variant.work, Work::Unsupported(_))
    };
    for verdict in session.verdicts.iter().filter(has_a_place) {
        for problem in &verdict.reference.problems {
            let rendered = problem.render(style.color());
            if seen.insert(rendered.clone()) && seen.len() <= show {
                let _ = writeln!(text, "{rendered}\n  in {}\n", verdict.variant.id);
            }
        }
    }
    if seen.len() > show {
        let _ = writeln!(text, "… and {} more errors (--show N prints more)\n", seen.len() - show);
    }
    text
}
