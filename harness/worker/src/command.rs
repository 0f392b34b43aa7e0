//! How the command of `process:` is split into words and environment. It is started without a shell, so that the exit signal is the
//! target's own.

use std::fmt;
use std::str::FromStr;

/// A command that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    text: String,
    words: Vec<String>,
    environment: Vec<(String, String)>,
    warpdiff: bool,
}

impl CommandLine {
    /// The program and its arguments; there is at least the program.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Variables of the environment, beside the inherited ones.
    pub fn environment(&self) -> &[(String, String)] {
        &self.environment
    }

    /// The command with one more variable of the environment.
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The command, known to be `warpdiff worker …`, which takes `--parent` and ends when that process ends.
    pub fn of_warpdiff(mut self) -> Self {
        self.warpdiff = true;
        self
    }

    /// Whether the command is known to be `warpdiff worker …`.
    pub fn is_warpdiff(&self) -> bool {
        self.warpdiff
    }
}

impl FromStr for CommandLine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self { text: text.into(), words: words(text)?, environment: Vec::new(), warpdiff: false })
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The words of a command. Blanks separate them; `'…'` and `"…"` quote, a backslash outside of `'…'` escapes the next
/// character. Nothing else is special; write `sh -c '…'` for a shell.
///
/// # Errors
/// An unclosed quote, a backslash at the end, or no program, as a lowercase fragment.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                let kept = rest.next().ok_or("the command ends with a backslash")?;
                word.get_or_insert_default().push(kept);
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        return Err(format!("the command has an unclosed {open}"));
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        return Err("the command is empty".into());
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_keep_blanks() {
        assert_eq!(words("python3  a.py\t-v").unwrap(), ["python3", "a.py", "-v"]);
        assert_eq!(
            words(r#"sh -c 'exec "$0" \n' '' "a \"b\" c" d\ e"#).unwrap(),
            ["sh", "-c", r#"exec "$0" \n"#, "", r#"a "b" c"#, "d e"]
        );
    }

    #[test]
    fn what_is_no_command_is_named() {
        assert_eq!(words("").unwrap_err(), "the command is empty");
        assert_eq!(words("  ").unwrap_err(), "the command is empty");
        assert_eq!(words("'' x").unwrap_err(), "the command is empty");
        assert_eq!(words("a 'b").unwrap_err(), "the command has an unclosed '");
        assert_eq!(words("a\\").unwrap_err(), "the command ends with a backslash");
    }
}
