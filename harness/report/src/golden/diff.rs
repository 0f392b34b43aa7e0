//! Shows the difference between two golden entries.

use std::fmt::Write;

use similar::{ChangeTag, TextDiff};
use warpdiff_terminal::style::Style;

/// Lines of context around a change.
const CONTEXT: usize = 2;

/// The lines that changed with a little context, `-` then and `+` now; on a terminal the changed words stand out.
pub fn inline(then: &str, now: &str, style: Style) -> String {
    let diff = TextDiff::from_lines(then, now);
    let mut text = String::new();
    for (index, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if index > 0 {
            text.push_str("      …\n");
        }
        for change in group.iter().flat_map(|op| diff.iter_inline_changes(op)) {
            let (sign, weak, strong) = match change.tag() {
                ChangeTag::Delete => ("-", style.bad(), style.bad_strong()),
                ChangeTag::Insert => ("+", style.good(), style.good_strong()),
                ChangeTag::Equal => (" ", style.plain(), style.plain()),
            };
            let _ = write!(text, "    {}", weak.paint(sign));
            for (emphasised, value) in change.iter_strings_lossy() {
                let paint = if emphasised { strong } else { weak };
                let _ = write!(text, "{}", paint.paint(value.trim_end_matches('\n')));
            }
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_stand_beside_each_other() {
        let text = inline("a\nb 00 01\nc\n", "a\nb 00 02\nc\n", Style::new(false));
        assert_eq!(text, "     a\n    -b 00 01\n    +b 00 02\n     c\n");
    }

    #[test]
    fn the_changed_word_stands_out_in_colour() {
        let text = inline("b 00 01\n", "b 00 02\n", Style::new(true));
        assert!(text.contains("\u{1b}["), "{text}");
    }
}
