//! Of several proposed changes, applies those under which the mismatch stays the same.

use warpdiff_model::Launch;

use crate::persistence::Persistence;

/// Applies the changes with these numbers, all at once if that persists; else the halves of them, the quarters and so on down to single ones,
/// each with all those that were applied before. `build` makes the launch with some of the changes; `None` if there is no such launch.
///
/// This is delta debugging of what is *kept*: each round leaves out what can be left out, in ever smaller parts.
pub(crate) fn apply_most(
    launch: &mut Launch,
    judge: &mut dyn Persistence,
    changes: usize,
    build: &dyn Fn(&[usize]) -> Option<Launch>,
) -> bool {
    let mut applied: Vec<usize> = Vec::new();
    let mut open: Vec<usize> = (0..changes).collect();
    let mut size = changes;
    while size > 0 {
        let mut from = 0;
        while from < open.len() {
            let with = |start: usize| {
                let part = &open[start..(start + size).min(open.len())];
                let all: Vec<usize> = applied.iter().chain(part).copied().collect();
                build(&all).map(|candidate| (start, candidate))
            };
            let found = judge.first(&mut (from..open.len()).step_by(size).filter_map(with));
            let Some((start, smaller)) = found else { break };
            *launch = smaller;
            applied.extend(open.drain(start..(start + size).min(open.len())));
            from = start;
        }
        size = if size == 1 { 0 } else { size.div_ceil(2).min(open.len()) };
    }
    !applied.is_empty()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// The launch has all these letters, and was asked about so many times.
    struct Has(&'static str, usize);

    impl Persistence for Has {
        fn first(
            &mut self,
            candidates: &mut dyn Iterator<Item = (usize, Launch)>,
        ) -> Option<(usize, Launch)> {
            let Self(letters, asked) = self;
            Iterator::find(&mut { candidates }, |(_, launch)| {
                *asked += 1;
                letters.chars().all(|letter| launch.program.contains(letter))
            })
        }
    }

    #[test]
    fn what_is_needed_stays_and_all_else_goes() {
        let whole: String = ('\u{100}'..'\u{500}').chain("xyz".chars()).collect();
        let letters: Vec<char> = whole.chars().collect();
        let build = |gone: &[usize]| {
            let kept = letters.iter().enumerate().filter(|(place, _)| !gone.contains(place));
            Some(Launch::new(Arc::from(kept.map(|(_, letter)| *letter).collect::<String>()), "k"))
        };
        let mut launch = Launch::new(Arc::from(whole.as_str()), "k");
        let mut judge = Has("x\u{180}\u{3ff}", 0);
        assert!(apply_most(&mut launch, &mut judge, letters.len(), &build));
        assert_eq!(&*launch.program, "\u{180}\u{3ff}x");
        // Three of 1027 stay: about three times the binary logarithm in questions for each, and not one for each letter.
        assert!(judge.1 < 100, "{} questions", judge.1);
    }

    #[test]
    fn nothing_changes_where_all_is_needed() {
        let mut launch = Launch::new(Arc::from("ab"), "k");
        let build = |gone: &[usize]| {
            let kept: String =
                "ab".chars().enumerate().filter(|(n, _)| !gone.contains(n)).map(|(_, c)| c).collect();
            Some(Launch::new(Arc::from(kept), "k"))
        };
        assert!(!apply_most(&mut launch, &mut Has("ab", 0), 2, &build));
        assert_eq!(&*launch.program, "ab");
    }
}
