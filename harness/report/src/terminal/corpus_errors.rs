//! Errors of the corpus, undecided launches and programs that the reference cannot run, with carets.

use std::collections::HashMap;
use std::fmt::Write;

use warpdiff_corpus::plan::Work;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_session::session::Session;
use warpdiff_session::verdict::Verdict;
use warpdiff_terminal::style::Style;

/// The first errors; each once, with the variants that have it.
pub fn lines(session: &Session<'_>, show: usize, style: Style) -> String {
    let mut text = String::new();
    // The reasons list launches that the reference cannot run: they have no line to point at.
    let has_a_place = |v: &&Verdict<'_>| {
        v.reference.raw != Raw::Unsupported
            || matches!(v.variant.work, Work::Unsupported(_) | Work::Legality(_))
    };
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for verdict in session.verdicts.iter().filter(has_a_place) {
        for problem in &verdict.reference.problems {
            let rendered = problem.render(style.color());
            let place = *places.entry(rendered).or_insert_with_key(|rendered| {
                found.push((rendered.clone(), Vec::new()));
                found.len() - 1
            });
            let ids = &mut found[place].1;
            if ids.last() != Some(&verdict.variant.id.as_str()) {
                ids.push(&verdict.variant.id);
            }
        }
    }
    for (rendered, ids) in found.iter().take(show) {
        let _ = writeln!(text, "{rendered}\n  in {}\n", whose(ids));
    }
    if found.len() > show {
        let _ = writeln!(text, "… and {} more errors (--show N prints more)\n", found.len() - show);
    }
    text
}

/// The first of the variants with the same error, and how many others there are.
fn whose(ids: &[&str]) -> String {
    match ids {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first, others @ ..] => {
            let plural = if others.len() == 1 { "variant" } else { "variants" };
            format!("{first} and {} more {plural}", others.len())
        }
    }
}
