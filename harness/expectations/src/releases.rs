//! A range of releases, such as those of a driver: `570`, `535..570.124`, `..12.8`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The releases from one to another, both included. An end that is left out has no limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Releases {
    /// As written.
    text: String,
    from: Option<Vec<u64>>,
    to: Option<Vec<u64>>,
}

impl Releases {
    /// Whether a release is in the range; `None` if it has no numbers. `570` as an end stands for every release that begins so:
    /// `570.124.06` is in `..570`.
    pub fn contain(&self, release: &str) -> Option<bool> {
        let release = numbers(release)?;
        let above = self.from.as_ref().is_none_or(|from| compare(&release, from) != Ordering::Less);
        let below = self.to.as_ref().is_none_or(|to| compare(&release, to) != Ordering::Greater);
        Some(above && below)
    }
}

/// Compares a release with the end of a range, as far as the end goes.
fn compare(release: &[u64], end: &[u64]) -> Ordering {
    let at = |index: usize| release.get(index).copied().unwrap_or(0);
    let parts = end.iter().enumerate().map(|(index, part)| at(index).cmp(part));
    parts.fold(Ordering::Equal, Ordering::then)
}

/// The numbers of `570.124.06`.
fn numbers(release: &str) -> Option<Vec<u64>> {
    let number = |part: &str| part.bytes().all(|c| c.is_ascii_digit()).then(|| part.parse().ok()).flatten();
    release.split('.').map(number).collect()
}

impl fmt::Display for Releases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Releases {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let end = |part: &str| match part.trim() {
            "" => Ok(None),
            part => numbers(part).map(Some).ok_or_else(|| format!("`{part}` is no release")),
        };
        let (from, to) = match text.split_once("..") {
            Some((from, to)) => (end(from)?, end(to)?),
            None => (end(text)?, end(text)?),
        };
        match (&from, &to) {
            (None, None) => return Err("this range has no end".into()),
            // `570.124..570` is not empty: its second end is 570.999….
            (Some(from), Some(to)) if compare(from, to) == Ordering::Greater => {
                return Err("impossible range: it ends before it begins".into());
            }
            _ => {}
        }
        Ok(Self { text: text.into(), from, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(range: &str, release: &str) -> bool {
        range.parse::<Releases>().unwrap().contain(release).unwrap()
    }

    #[test]
    fn an_end_stands_for_all_that_begin_with_it() {
        assert!(has("570", "570.124.06") && has("570", "570") && !has("570", "575.1") && !has("570", "57"));
        assert!(has("..570", "570.124.06") && has("..570", "535.183") && !has("..570", "571"));
        assert!(has("570.124..", "570.124.06") && has("570.124..", "575") && !has("570.124..", "570.86"));
        assert!(has("535..570", "550.1") && has("535..570", "570.9") && !has("535..570", "530"));
        assert!(has("570.124..570", "570.200") && !has("570.124..570", "570.100"));
        // Numbers, not digits.
        assert!(has("99..570", "100") && !has("12.8..12.9", "12.10"));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        let error = |text: &str| text.parse::<Releases>().unwrap_err();
        assert_eq!(error("575..570"), "impossible range: it ends before it begins");
        assert_eq!(error("570.200..570.124"), "impossible range: it ends before it begins");
        assert_eq!(error("r570"), "`r570` is no release");
        assert_eq!(error("570..<580"), "`<580` is no release");
        assert_eq!(error(".."), "this range has no end");
        assert_eq!(error("570."), "`570.` is no release");
        assert_eq!("570".parse::<Releases>().unwrap().contain("beta"), None);
    }
}
