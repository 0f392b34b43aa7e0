//! Text from targets, drivers, devices and recordings, escaped so that it is safe to print.
//!
//! Such text is not trusted. A control sequence can clear the screen or rename the window, a carriage return can overwrite our own
//! text, a line break can forge a line of ours, and a character that turns the direction of reading can make a line say its
//! opposite. All of these are printed as escapes, such as `\u{1b}`. JSON reports keep the text unchanged, behind JSON's own escapes
//! ([`in_json`]).

use std::fmt::{self, Write};

/// Limit of a text on several lines, in characters.
const MOST: usize = 16 << 10;
/// Limit of a text in one line, in characters.
const MOST_OF_A_LINE: usize = 400;

/// Untrusted text; `Display` escapes it.
#[derive(Clone, Copy, Debug)]
pub struct Foreign<'a> {
    text: &'a str,
    breaks: Breaks,
}

/// How line breaks are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaks {
    /// As `\n`.
    Shown,
    /// As line breaks; each further line is indented by `indent` blanks, so that it visibly belongs to the first.
    Kept { indent: usize },
}

/// The text in one line, cut after 400 characters.
pub fn line(text: &str) -> Foreign<'_> {
    Foreign { text: text.trim(), breaks: Breaks::Shown }
}

/// The text with its line breaks, each line but the first indented by `indent` blanks, cut after 16,384 characters.
pub fn lines(text: &str, indent: usize) -> Foreign<'_> {
    Foreign { text: text.trim_end(), breaks: Breaks::Kept { indent } }
}

impl fmt::Display for Foreign<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = if self.breaks == Breaks::Shown { MOST_OF_A_LINE } else { MOST };
        let mut characters = self.text.chars();
        for character in characters.by_ref().take(most) {
            match (character, self.breaks) {
                ('\t', _) => f.write_char('\t')?,
                ('\n', Breaks::Kept { indent }) => write!(f, "\n{:indent$}", "")?,
                ('\n' | '\r', _) => write!(f, "{}", character.escape_default())?,
                (hostile, _) if is_hostile(hostile) => write!(f, "{}", hostile.escape_unicode())?,
                (plain, _) => f.write_char(plain)?,
            }
        }
        match characters.count() {
            0 => Ok(()),
            more => write!(f, " … and {more} more characters"),
        }
    }
}

/// The JSON document with every hostile character replaced by its JSON escape. Such characters occur only inside strings.
pub fn in_json(document: &str) -> String {
    let mut safe = String::with_capacity(document.len());
    for character in document.chars() {
        // Line breaks stand only between values: JSON does not permit them in strings.
        if character == '\n' || !is_hostile(character) {
            safe.push(character);
            continue;
        }
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    }
    safe
}

/// Whether a character changes the text around it or is invisible: control characters, direction controls, characters without
/// width, tags, and separators that some terminals take for line breaks (Unicode 16: the general categories `Cc`, `Cf`, `Zl` and
/// `Zp`, except characters that a script needs).
pub fn is_hostile(character: char) -> bool {
    let invisible = matches!(
        character,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
    );
    invisible || character.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clears the screen, sets the title of the window, turns the direction, and goes back to the beginning of the line.
    const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;owned\u{7}b\u{202e}c\u{9b}31md\re\u{200b}\u{2028}\u{7f}";

    #[test]
    fn whatever_acts_is_shown_as_what_it_is() {
        let shown = r"a\u{1b}[2J\u{1b}]0;owned\u{7}b\u{202e}c\u{9b}31md\re\u{200b}\u{2028}\u{7f}";
        assert_eq!(line(HOSTILE).to_string(), shown);
        assert_eq!(lines(HOSTILE, 4).to_string(), shown);
    }

    #[test]
    fn words_of_any_script_and_paths_are_left_alone() {
        for text in ["Grüße, 世界, שלום, مرحبا", r"C:\new\table", "a\tb", "Tesla™ V100 🙂"] {
            assert_eq!(line(text).to_string(), text);
        }
    }

    #[test]
    fn a_line_break_cannot_forge_a_line_of_ours() {
        assert_eq!(line("no\nall conform\n").to_string(), r"no\nall conform");
        assert_eq!(lines("no\nall conform\n", 4).to_string(), "no\n    all conform");
    }

    #[test]
    fn what_is_endless_comes_to_an_end() {
        let long = "x".repeat(MOST + 5);
        assert!(lines(&long, 0).to_string().ends_with("x … and 5 more characters"));
        assert_eq!(line(&long[..MOST_OF_A_LINE]).to_string(), long[..MOST_OF_A_LINE]);
        assert!(line(&long).to_string().chars().count() < MOST_OF_A_LINE + 40);
    }

    #[test]
    fn a_document_means_the_same_afterwards_and_does_nothing() {
        let value = serde_json::json!({"said": HOSTILE, "tag": "\u{E0041}", "plain": "世"});
        let safe = in_json(&format!("{value:#}\n"));
        assert!(safe.chars().all(|c| c == '\n' || !is_hostile(c)), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
        assert!(safe.contains(r"\u202e") && safe.contains(r"\udb40\udc41") && safe.contains('世'), "{safe}");
    }
}
