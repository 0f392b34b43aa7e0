//! Names of pages and of places in them: what a title becomes in a link, each once.

use std::collections::HashSet;

/// Longest name made of a title, in bytes.
const LONGEST: usize = 80;

/// Names that are taken.
#[derive(Default)]
pub(crate) struct Names(HashSet<String>);

impl Names {
    /// A name for a title: its letters and digits, joined by `-`; with a number if another title has that name.
    pub(crate) fn name(&mut self, title: &str) -> String {
        let plain = plain(title);
        let mut name = plain.clone();
        let mut number = 1;
        while !self.0.insert(name.clone()) {
            number += 1;
            name = format!("{plain}-{number}");
        }
        name
    }
}

/// The letters and digits of a title in lower case, joined by `-`.
fn plain(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() >= LONGEST {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "untitled".into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_that_look_alike_have_names_of_their_own() {
        let mut names = Names::default();
        let all = ["suld.b.2d clamps", "suld b 2d, clamps!", "suld.b.2d clamps 2", "äöü", "?"];
        let all = all.map(|title| names.name(title));
        assert_eq!(
            all,
            ["suld-b-2d-clamps", "suld-b-2d-clamps-2", "suld-b-2d-clamps-2-2", "untitled", "untitled-2"]
        );
    }
}
