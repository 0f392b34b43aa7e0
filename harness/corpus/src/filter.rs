//! The patterns that select variants: an id with `*`, or a part of it.

/// A pattern over variant ids: without `*` it is found anywhere in the id, with `*` it must match the whole id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// The pattern as written.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether the id matches.
    pub fn matches(&self, id: &str) -> bool {
        if self.0.contains('*') { glob(self.0.as_bytes(), id.as_bytes()) } else { id.contains(&self.0) }
    }

    /// Whether the whole text matches, also where the pattern has no `*`.
    pub fn matches_whole(&self, text: &str) -> bool {
        glob(self.0.as_bytes(), text.as_bytes())
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether `*` (any run of characters) and literal bytes match the whole text. Linear in practice: on a mismatch it goes
/// back to the last `*` only.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p + 1, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((after, from)) = retry {
            retry = Some((after, from + 1));
            (p, t) = (after, from + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|b| *b == b'*')
}

/// Several patterns: an id is selected if one matches, or if there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter(Vec<Pattern>);

impl Filter {
    /// The union of the patterns.
    pub fn new(patterns: &[String]) -> Self {
        Self(patterns.iter().map(Pattern::new).collect())
    }

    /// Whether the id is selected.
    pub fn selects(&self, id: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| pattern.matches(id))
    }

    /// Whether it selects everything.
    pub fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// The patterns that select none of the ids: typing errors, most likely.
    pub fn unmatched<'a>(&'a self, ids: &[&str]) -> Vec<&'a str> {
        self.0.iter().filter(|p| !ids.iter().any(|id| p.matches(id))).map(Pattern::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_found_anywhere_and_brackets_are_plain() {
        let filter = Filter::new(&["[cop=.ca]".into()]);
        assert!(filter.selects("suld/clamp/nearest[cop=.ca]"));
        assert!(!filter.selects("suld/clamp/nearest[cop=.cg]"));
    }

    #[test]
    fn a_star_makes_it_match_the_whole_id() {
        let glob = Pattern::new("suld/*/near*[*]");
        assert!(glob.matches("suld/clamp/nearest[cop=.ca]"));
        assert!(!glob.matches("x/suld/clamp/nearest[cop=.ca]"));
        assert!(!glob.matches("suld/clamp/nearest"));
        assert!(Pattern::new("*a*b*c").matches("aabbabc"));
        assert!(!Pattern::new("*a*b*c").matches("aabbab"));
    }

    #[test]
    fn the_whole_text_can_be_asked_for() {
        let plain = Pattern::new("suld/a");
        assert!(plain.matches("suld/ab") && !plain.matches_whole("suld/ab") && plain.matches_whole("suld/a"));
        assert!(Pattern::new("suld/*").matches_whole("suld/ab"));
    }

    #[test]
    fn a_pattern_that_selects_nothing_is_named() {
        let filter = Filter::new(&["suld".into(), "sudl".into()]);
        assert_eq!(filter.unmatched(&["suld/a/b"]), vec!["sudl"]);
    }
}
