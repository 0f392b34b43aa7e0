//! What changed: the variants whose status changed in a period, together where their histories are equal, regressions first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use warpdiff_judge::verdict_table::Settled;

use super::nights::{Seen, TargetHistory};
use crate::standing::Standing;

/// A variant in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// It was judged, or there is a reason why not.
    Seen(Seen),
    /// The run does not show it: it was killed, ended early, or lacks a shard.
    Unknown,
    /// The run was not about it.
    Absent,
}

/// Variants with the same history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What their last change was.
    pub kind: Kind,
    /// The run in which it was seen first.
    pub since: usize,
    /// The numbers of the variants, in the order of their ids.
    pub variants: Vec<usize>,
    /// Their history, a cell for each run. Where a run shows some of them, it is what these did.
    pub cells: Vec<Cell>,
}

/// What a change was, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// They fail or are in error, and did not before.
    Broke,
    /// They were not there before, and are wrong.
    NewAndWrong,
    /// They fail by another cause than before.
    OtherCause,
    /// They are flaky, pass unexpectedly or are undecided.
    Unsettled,
    /// They conform, and were wrong at several times with conforming runs between.
    ComesAndGoes,
    /// They are not judged any more.
    NotJudged,
    /// They fail as expected.
    Expected,
    /// They conform again.
    Repaired,
    /// They are judged now.
    Judged,
}

impl Kind {
    /// The name in data.
    pub fn name(self) -> &'static str {
        match self {
            Self::Broke => "broke",
            Self::NewAndWrong => "new-and-wrong",
            Self::OtherCause => "other-cause",
            Self::Unsettled => "unsettled",
            Self::ComesAndGoes => "comes-and-goes",
            Self::NotJudged => "not-judged",
            Self::Expected => "expected",
            Self::Repaired => "repaired",
            Self::Judged => "judged",
        }
    }

    fn of(then: Cell, now: Cell) -> Self {
        let standing = |cell: Cell| match cell {
            Cell::Seen(seen) => Some(Standing::of(seen.settled)),
            _ => None,
        };
        match (standing(then), standing(now)) {
            (None, _) => Self::NewAndWrong,
            (Some(Standing::Wrong), Some(Standing::Wrong)) => Self::OtherCause,
            (_, Some(Standing::Wrong)) => Self::Broke,
            (_, Some(Standing::Unsettled)) => Self::Unsettled,
            (_, Some(Standing::Known)) => Self::Expected,
            (Some(Standing::Open), Some(Standing::Right)) => Self::Judged,
            (_, Some(Standing::Right)) => Self::Repaired,
            (_, Some(Standing::Open) | None) => Self::NotJudged,
        }
    }
}

impl Change {
    /// The change in words, with the label of its run: `broke on 2026-11-22`.
    pub fn words(&self, target: &TargetHistory) -> String {
        let on = &target.nights[self.since].label;
        let settled = match self.cells[self.since] {
            Cell::Seen(seen) => Some(seen.settled),
            _ => None,
        };
        match self.kind {
            Kind::Broke => format!("broke on {on}"),
            Kind::NewAndWrong => format!("new on {on}, and wrong"),
            Kind::OtherCause => format!("another cause since {on}"),
            Kind::Unsettled => match settled {
                Some(Settled::UnexpectedPass) => format!("unexpected pass since {on}"),
                Some(Settled::Undecided) => format!("undecided since {on}"),
                _ => format!("flaky since {on}"),
            },
            Kind::ComesAndGoes => format!("comes and goes, conforms since {on}"),
            Kind::NotJudged => format!("not judged since {on}"),
            Kind::Expected => format!("expected to fail since {on}"),
            Kind::Repaired => format!("repaired on {on}"),
            Kind::Judged => format!("judged since {on}"),
        }
    }

    /// The number of the cause that the variants fail by now, or failed by last.
    pub fn cause(&self) -> Option<usize> {
        self.cells.iter().rev().find_map(|cell| match cell {
            Cell::Seen(seen) => seen.cause,
            _ => None,
        })
    }
}

/// The changes of a target, the most urgent first, the latest of equally urgent ones first.
pub fn of(target: &TargetHistory, ids: &[String]) -> Vec<Change> {
    let nights = &target.nights;
    let mut variants: Vec<usize> = nights.iter().flat_map(|night| night.seen.keys().copied()).collect();
    variants.sort_by_key(|number| &ids[*number]);
    variants.dedup();
    // By history, with what runs do not show filled in: runs that show other parts of a group do not split it.
    let mut groups: BTreeMap<Vec<Cell>, Change> = BTreeMap::new();
    for variant in variants {
        let cells: Vec<Cell> = nights
            .iter()
            .map(|night| match night.seen.get(&variant) {
                Some(seen) => Cell::Seen(*seen),
                None if night.gaps.is_empty() => Cell::Absent,
                None => Cell::Unknown,
            })
            .collect();
        let filled = filled(&cells);
        // A run that lacks variants says nothing of one that is in no run before it.
        let shown = cells
            .into_iter()
            .zip(&filled)
            .map(|(cell, filled)| if *filled == Cell::Absent { *filled } else { cell });
        let cells: Vec<Cell> = shown.collect();
        let Some((since, kind)) = last_change(&filled) else { continue };
        match groups.get_mut(&filled) {
            Some(group) => {
                group.variants.push(variant);
                let shown = |(known, cell): (&mut Cell, &Cell)| {
                    if *known == Cell::Unknown {
                        *known = *cell;
                    }
                };
                group.cells.iter_mut().zip(&cells).for_each(shown);
            }
            None => drop(groups.insert(filled, Change { kind, since, variants: vec![variant], cells })),
        }
    }
    let mut changes: Vec<Change> = groups.into_values().collect();
    for change in &mut changes {
        change.since = first_shown(change);
    }
    changes.sort_by_key(|change| (change.kind, Reverse(change.since), Reverse(change.variants.len())));
    changes
}

/// The first run from the change on that shows it.
fn first_shown(change: &Change) -> usize {
    (change.since..change.cells.len())
        .find(|night| change.cells[*night] != Cell::Unknown)
        .unwrap_or(change.since)
}

/// What is not known is as before; at the beginning, as after.
fn filled(cells: &[Cell]) -> Vec<Cell> {
    let first = cells.iter().find(|cell| **cell != Cell::Unknown).copied().unwrap_or(Cell::Absent);
    let mut last = first;
    let fill = |cell: &Cell| {
        if *cell != Cell::Unknown {
            last = *cell;
        }
        last
    };
    cells.iter().map(fill).collect()
}

/// The last change of a history, if it has one that is of interest: a variant that comes or goes and is right is of none.
fn last_change(filled: &[Cell]) -> Option<(usize, Kind)> {
    let is_seen = |cell: &Cell| matches!(cell, Cell::Seen(_));
    let wrong = |cell: &Cell| matches!(cell, Cell::Seen(seen) if matches!(Standing::of(seen.settled), Standing::Wrong | Standing::Unsettled));
    let pairs = filled.windows(2).enumerate().rev();
    let mut changed = pairs.filter(|(_, pair)| match (&pair[0], &pair[1]) {
        (a, b) if a == b => false,
        (Cell::Absent, b) => wrong(b),
        (a, b) => is_seen(a) && is_seen(b),
    });
    let (at, pair) = changed.next()?;
    let kind = match Kind::of(pair[0], pair[1]) {
        Kind::Repaired if times_wrong(filled) > 1 => Kind::ComesAndGoes,
        other => other,
    };
    Some((at + 1, kind))
}

/// How often a variant that conformed was flaky or wrong in the next run.
fn times_wrong(filled: &[Cell]) -> usize {
    let standing = |cell: &Cell| match cell {
        Cell::Seen(seen) => Some(Standing::of(seen.settled)),
        _ => None,
    };
    let broke = |pair: &&[Cell]| {
        standing(&pair[0]) == Some(Standing::Right)
            && matches!(standing(&pair[1]), Some(Standing::Wrong | Standing::Unsettled))
    };
    filled.windows(2).filter(broke).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: Cell = Cell::Seen(Seen { settled: Settled::Pass, cause: None });

    fn fails(cause: usize) -> Cell {
        Cell::Seen(Seen { settled: Settled::Fail, cause: Some(cause) })
    }

    #[test]
    fn the_last_change_tells_what_a_history_is() {
        let (known, flaky, open) = (Settled::KnownFailure, Settled::Flaky, Settled::Skip);
        let of = |settled| Cell::Seen(Seen { settled, cause: None });
        let histories = [
            (vec![RIGHT, RIGHT, fails(0)], Some((2, Kind::Broke))),
            (vec![RIGHT, fails(0), fails(1)], Some((2, Kind::OtherCause))),
            (vec![fails(0), fails(0), RIGHT, RIGHT], Some((2, Kind::Repaired))),
            (vec![RIGHT, of(flaky), RIGHT], Some((2, Kind::Repaired))),
            (vec![RIGHT, of(flaky), RIGHT, fails(0), RIGHT], Some((4, Kind::ComesAndGoes))),
            (vec![fails(0), of(known)], Some((1, Kind::Expected))),
            (vec![RIGHT, of(flaky)], Some((1, Kind::Unsettled))),
            (vec![RIGHT, of(open)], Some((1, Kind::NotJudged))),
            (vec![of(open), RIGHT], Some((1, Kind::Judged))),
            (vec![Cell::Absent, fails(0)], Some((1, Kind::NewAndWrong))),
            // What comes and is right, goes, or never changes, is no change.
            (vec![Cell::Absent, RIGHT], None),
            (vec![fails(0), Cell::Absent], None),
            (vec![fails(0), fails(0)], None),
            (vec![RIGHT, Cell::Unknown, RIGHT], None),
        ];
        for (history, expected) in histories {
            assert_eq!(last_change(&filled(&history)), expected, "{history:?}");
        }
    }

    #[test]
    fn what_is_not_known_is_as_before_and_at_the_beginning_as_after() {
        let history = [Cell::Unknown, RIGHT, Cell::Unknown, fails(0)];
        assert_eq!(filled(&history), [RIGHT, RIGHT, RIGHT, fails(0)]);
    }
}
