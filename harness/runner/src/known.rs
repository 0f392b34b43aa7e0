//! Lists of known failures: what a target is known to get wrong, so that a nightly run says only what is new.
//!
//! A list is a text file with a status and a pattern over variant ids on each line, as in
//! `violates suld/clamp/*`. `#` begins a comment. The first line that matches decides.

use std::path::Path;

use crate::filter::Pattern;
use crate::status::Raw;

/// A list of known failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFailures(Vec<(Raw, Pattern)>);

impl KnownFailures {
    /// Reads a list.
    ///
    /// # Errors
    /// A lowercase fragment with the line number, if the file cannot be read or a line is no entry.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text =
            std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        Self::parse(&text).map_err(|e| format!("{}:{e}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let lines =
            text.lines().enumerate().map(|(i, line)| (i + 1, line.split('#').next().unwrap_or("").trim()));
        let entries = lines.filter(|(_, line)| !line.is_empty()).map(|(number, line)| {
            let (status, pattern) = line
                .split_once(char::is_whitespace)
                .ok_or_else(|| format!("{number}: expected a status and a pattern over variant ids"))?;
            let raw = Raw::from_name(status).filter(|raw| raw.is_failure());
            let raw = raw.ok_or_else(|| {
                format!("{number}: unknown failure `{status}`: expected `violates`, `rejected`, `hung` or `crashed`")
            })?;
            Ok((raw, Pattern::new(pattern.trim())))
        });
        entries.collect::<Result<_, String>>().map(Self)
    }

    /// The first pattern that matches none of the ids.
    pub fn unmatched(&self, ids: &[&str]) -> Option<&str> {
        let idle = |pattern: &&Pattern| !ids.iter().any(|id| pattern.matches(id));
        self.0.iter().map(|(_, pattern)| pattern).find(idle).map(Pattern::as_str)
    }

    /// What the list says of a variant.
    pub fn of(&self, id: &str) -> Option<Raw> {
        self.0.iter().find(|(_, pattern)| pattern.matches(id)).map(|(raw, _)| *raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_matching_line_decides() {
        let list = KnownFailures::parse("# a driver\nhung suld/x  # spins\nviolates suld/*\n").unwrap();
        assert_eq!(list.of("suld/x"), Some(Raw::Hung));
        assert_eq!(list.of("suld/y"), Some(Raw::Violates));
        assert_eq!(list.of("sust/y"), None);
    }

    #[test]
    fn only_failures_can_be_known() {
        let error = KnownFailures::parse("\nconforms suld/*").unwrap_err();
        assert!(error.starts_with("2: unknown failure `conforms`"), "{error}");
        assert!(KnownFailures::parse("violates").unwrap_err().starts_with("1: expected a status"));
    }
}
