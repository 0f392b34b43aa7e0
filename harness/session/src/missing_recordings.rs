//! Which launches of a run the recordings lack (`--complete`). A recording without any of them is a wrong one, or its cases have
//! changed since; such a run must not pass.

use crate::session::Session;
use crate::verdict::RecordedLaunches;

/// A recording that a run used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingUse {
    /// The recording, in words.
    pub of: String,
    /// The launches and programs that it has and lacks.
    pub kept: RecordedLaunches,
}

/// The launches in the recording that a target is compared with; `None` without a recording.
pub fn compared(session: &Session<'_>, target: usize) -> Option<RecordedLaunches> {
    session.recordings[target].as_ref().map(|_| total(session, target, |kept| kept.compared))
}

/// The launches in a target that is a recording; `None` for any other target.
pub fn replayed(session: &Session<'_>, target: usize) -> Option<RecordedLaunches> {
    session.replays[target].then(|| total(session, target, |kept| kept.replayed))
}

fn total(
    session: &Session<'_>,
    target: usize,
    of: impl Fn(&crate::verdict::TargetVerdict) -> RecordedLaunches,
) -> RecordedLaunches {
    session
        .verdicts
        .iter()
        .map(|verdict| of(&verdict.targets[target]))
        .fold(RecordedLaunches::default(), RecordedLaunches::and)
}

/// Every recording that the run used.
fn uses(session: &Session<'_>) -> Vec<RecordingUse> {
    let of_target = |index: usize| {
        let name = &session.targets[index];
        let against = session.recordings[index].as_deref().unwrap_or_default();
        let compared = compared(session, index).map(|kept| RecordingUse {
            of: format!("the recording in {against}, with which {name} is compared,"),
            kept,
        });
        let replayed = replayed(session, index).map(|kept| RecordingUse { of: name.clone(), kept });
        compared.into_iter().chain(replayed)
    };
    (0..session.targets.len()).flat_map(of_target).collect()
}

/// The recordings that lack launches, in words: those without any launch of the run and, if `complete`, those that lack one.
pub fn lacks(session: &Session<'_>, complete: bool) -> Vec<String> {
    uses(session).iter().filter_map(|use_of| use_of.lack(complete)).collect()
}

impl RecordingUse {
    fn lack(&self, complete: bool) -> Option<String> {
        let Self { of, kept: RecordedLaunches { found, absent } } = self;
        let all = found + absent;
        match (found, absent) {
            (_, 0) => None,
            (0, _) => Some(format!(
                "{of} has none of the {all} launches and programs of this run: they were not recorded, or their cases have changed since"
            )),
            _ if complete => {
                Some(format!("{of} lacks {absent} of {all} launches and programs (--complete allows none)"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_at_all_is_always_too_little_and_a_part_is_where_all_is_wanted() {
        let lack = |found, absent, complete| {
            RecordingUse { of: "recording:r".into(), kept: RecordedLaunches { found, absent } }.lack(complete)
        };
        assert_eq!(lack(0, 0, true), None);
        assert_eq!(lack(5, 0, true), None);
        assert!(lack(0, 5, false).unwrap().starts_with("recording:r has none of the 5 launches"));
        assert_eq!(lack(3, 2, false), None);
        assert!(lack(3, 2, true).unwrap().starts_with("recording:r lacks 2 of 5 launches"));
    }
}
