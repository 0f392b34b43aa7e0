//! What came of running failing variants again, for people: a line for each variant that was.

use std::fmt::Write;

use warpdiff_judge::verdict_table::Raw;
use warpdiff_session::causes;
use warpdiff_session::session::Session;
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::Style;

/// A part for each target with variants that were run again: the variant, its cause, and how often it passed. Empty without one.
pub fn lines(session: &Session<'_>, style: Style) -> String {
    let mut text = String::new();
    for (index, name) in session.targets.iter().enumerate() {
        let of = session.verdicts.iter().map(|verdict| (verdict, &verdict.targets[index]));
        let mut again =
            of.filter_map(|(verdict, target)| Some((verdict, target, target.repeated.as_ref()?))).peekable();
        if again.peek().is_some() {
            let title = format!("run again on {name}, one variant of each cause");
            let _ = writeln!(text, "{}", style.strong().paint(title));
        }
        for (verdict, target, repeated) in again {
            let paint = if target.raw == Raw::Flaky { style.warn() } else { style.plain() };
            let status = if target.raw == Raw::Flaky { "flaky" } else { "fails" };
            let cause = causes::cause(target).unwrap_or_default();
            let _ = writeln!(text, "  {}  {}", paint.paint(status), verdict.variant.id);
            let _ = writeln!(text, "         {cause}: {}", foreign::line(&repeated.to_string()));
        }
    }
    text
}
