//! A second judge that shares no code with the first: it enumerates all allowed states.
//!
//! A damage changes one byte, so only the values of this byte are checked again.

use std::ops::Range;

use warpdiff_model::allowed::{MaskedState, Permits};
use warpdiff_model::serial::Place;
use warpdiff_model::{Allowed, Permitted, State, Tolerance};

use super::order;
use crate::judgement::{covers, inside, near};

/// Whether a state is among those allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// It is.
    Allowed,
    /// It is not.
    Forbidden,
    /// There are too many orders of atomics to list.
    Unlisted,
}

/// The outcomes that complete, each compared with a base state.
pub struct Enumeration<'a> {
    tolerances: &'a [Tolerance],
    state: State,
    outcomes: Vec<BaseComparison<'a>>,
    /// Rows in which the base state differs from every outcome.
    orphans: usize,
    /// Whether the atomics of the base state serialise.
    order: Membership,
}

/// The comparison of the base state with one outcome.
struct BaseComparison<'a> {
    outcome: &'a MaskedState,
    regions: Vec<RegionComparison>,
    /// Rows in which the base state differs from the outcome.
    differing: usize,
}

/// The comparison of one region of the base state with that of an outcome.
struct RegionComparison {
    /// For each byte: whether it differs in compared bits and beyond tolerances.
    wrong: Vec<bool>,
    /// For each row: how many bytes are wrong.
    rows: Vec<usize>,
}

impl BaseComparison<'_> {
    /// The size of the largest value that is judged as a whole, if the region has any.
    fn widest_value(&self, region: usize) -> Option<usize> {
        (!self.outcome.regions[region].values.is_empty()).then_some(WIDEST_VALUE - 1)
    }
}

/// Bytes of a value that is judged as a whole, at most: those of a binary32.
const WIDEST_VALUE: usize = 4;

/// The row of a region that a byte belongs to; a region without rows is one.
fn row_of(at: usize, stride: u32) -> usize {
    at.checked_div(stride as usize).unwrap_or(0)
}

impl<'a> Enumeration<'a> {
    /// Compares a base state, whose regions must be those of the outcomes.
    pub fn new(allowed: &'a Allowed, base: &State) -> Self {
        let (state, order) = (base.clone(), Membership::Unlisted);
        let mut this =
            Self { tolerances: &allowed.tolerances, state, outcomes: Vec::new(), orphans: 0, order };
        let completed = allowed.outcomes.iter().filter_map(|o| match &o.permitted {
            Permitted::Completed { state } => Some(state),
            _ => None,
        });
        this.outcomes = completed.map(|outcome| this.standing(outcome)).collect();
        this.orphans = this.count_orphans();
        this.order = this.order();
        this
    }

    fn standing(&self, outcome: &'a MaskedState) -> BaseComparison<'a> {
        let regions: Vec<_> =
            (0..outcome.regions.len()).map(|index| self.region_standing(outcome, index)).collect();
        let differing = regions.iter().flat_map(|r| &r.rows).filter(|wrong| **wrong > 0).count();
        BaseComparison { outcome, regions, differing }
    }

    fn region_standing(&self, outcome: &MaskedState, index: usize) -> RegionComparison {
        let region = &outcome.regions[index];
        let length = region.region.bytes.len();
        let wrong: Vec<bool> = (0..length).map(|at| self.is_wrong(outcome, index, at)).collect();
        let mut rows = vec![0; row_of(length.saturating_sub(1), region.stride) + 1];
        wrong
            .iter()
            .enumerate()
            .filter(|(_, wrong)| **wrong)
            .for_each(|(at, _)| rows[row_of(at, region.stride)] += 1);
        RegionComparison { wrong, rows }
    }

    fn count_orphans(&self) -> usize {
        let Some(first) = self.outcomes.first() else { return 0 };
        let rows = first
            .regions
            .iter()
            .enumerate()
            .flat_map(|(i, region)| (0..region.rows.len()).map(move |r| (i, r)));
        rows.filter(|(region, row)| self.outcomes.iter().all(|o| o.regions[*region].rows[*row] > 0)).count()
    }

    /// Whether a byte differs in compared bits and belongs to no value within tolerance.
    fn is_wrong(&self, outcome: &MaskedState, index: usize, at: usize) -> bool {
        let region = &outcome.regions[index];
        let compared = region.defined[at] & !region.unordered[at];
        (region.region.bytes[at] ^ self.state.regions[index].bytes[at]) & compared != 0
            && !self.is_tolerated(outcome, index, at)
            || self.is_refused(outcome, index, at)
    }

    /// Whether a byte belongs to a value that is not permitted.
    fn is_refused(&self, outcome: &MaskedState, index: usize, at: usize) -> bool {
        outcome.regions[index].value_at(at).is_some_and(|value| {
            let held = &self.state.regions[index].bytes[value.range()];
            let number =
                |bytes: &[u8]| bytes.iter().rfold(0_u64, |number, byte| number * 256 + u64::from(*byte));
            match value.permitted {
                Permits::Either([a, b]) => number(held) != a && number(held) != b,
                Permits::Nan(_) => !crate::judgement::is_nan(held),
                Permits::Between(interval) => !inside(interval, held),
            }
        })
    }

    fn is_tolerated(&self, outcome: &MaskedState, index: usize, at: usize) -> bool {
        let region = &outcome.regions[index];
        let whole =
            |value: &Range<usize>| value.clone().all(|i| region.defined[i] & !region.unordered[i] == 0xFF);
        self.tolerances.iter().filter(|t| t.region == index).any(|tolerance| {
            // The value that this byte belongs to begins less than its size earlier.
            let starts = (0..tolerance.size).filter_map(|back| at.checked_sub(back));
            let values =
                starts.filter(|start| covers(tolerance, *start)).map(|start| start..start + tolerance.size);
            values.into_iter().any(|value| {
                let observed = self.state.regions[index].bytes.get(value.clone());
                match (region.region.bytes.get(value.clone()), observed) {
                    (Some(expected), Some(observed)) => {
                        whole(&value) && near(tolerance.unit, expected, observed)
                    }
                    _ => false,
                }
            })
        })
    }

    /// Whether the orders of all atomics can be listed.
    pub fn lists_orders(&self) -> bool {
        self.order != Membership::Unlisted
    }

    /// Whether the base state with one byte replaced is allowed; `ordered` says whether an atomic is seen in this byte.
    pub fn with_byte(&mut self, region: usize, at: usize, byte: u8, ordered: bool) -> Membership {
        let before = std::mem::replace(&mut self.state.regions[region].bytes[at], byte);
        let membership = match self.bytes_allowed(region, at) {
            false => Membership::Forbidden,
            true if ordered => self.order(),
            // The atomics are unchanged, so they are judged apart.
            true => Membership::Allowed,
        };
        self.state.regions[region].bytes[at] = before;
        membership
    }

    /// Whether the state as it is now, with one byte other than in the base state, has the bytes of what is allowed.
    fn bytes_allowed(&self, region: usize, at: usize) -> bool {
        let Some(first) = self.outcomes.first() else { return false };
        let stride = first.outcome.regions[region].stride;
        let row = row_of(at, stride);
        let mut whole = false;
        let (mut was_orphan, mut is_orphan) = (true, true);
        for standing in &self.outcomes {
            let before = standing.regions[region].rows[row];
            let now = self.wrong_in_row(standing, region, at, row);
            whole |= standing.differing - usize::from(before > 0) + usize::from(now > 0) == 0;
            was_orphan &= before > 0;
            is_orphan &= now > 0;
        }
        let mixed = self.orphans - usize::from(was_orphan) + usize::from(is_orphan) == 0;
        whole || mixed
    }

    /// The number of wrong bytes of the row: those of the base state, with the values around the damaged byte counted again.
    fn wrong_in_row(&self, standing: &BaseComparison<'_>, region: usize, at: usize, row: usize) -> usize {
        let base = &standing.regions[region];
        let tolerated = self.tolerances.iter().filter(|t| t.region == region).map(|t| t.size - 1);
        let reach = tolerated.chain(standing.widest_value(region)).max().unwrap_or(0);
        let around = at.saturating_sub(reach)..(at + reach + 1).min(base.wrong.len());
        let stride = standing.outcome.regions[region].stride;
        let in_row = around.filter(|i| row_of(*i, stride) == row);
        in_row.fold(base.rows[row], |count, i| {
            count - usize::from(base.wrong[i]) + usize::from(self.is_wrong(standing.outcome, region, i))
        })
    }

    /// Whether atomics serialise in some outcome.
    fn order(&self) -> Membership {
        let read = |place: Place, width: usize| {
            let bytes = &self.state.regions.get(place.region)?.bytes;
            let value = bytes.get(place.offset..place.offset.checked_add(width)?)?;
            Some(value.iter().rev().fold(0_u64, |v, b| v << 8 | u64::from(*b)))
        };
        let mut unlisted = false;
        for BaseComparison { outcome, .. } in &self.outcomes {
            let answers: Vec<_> =
                outcome.serial.iter().map(|location| order::exists(location, &read)).collect();
            if answers.contains(&Some(false)) {
                continue;
            }
            if answers.iter().all(|answer| *answer == Some(true)) {
                return Membership::Allowed;
            }
            unlisted = true;
        }
        if unlisted { Membership::Unlisted } else { Membership::Forbidden }
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_model::allowed::MaskedRegion;
    use warpdiff_model::{Outcome, Region, RegionKind, ToleranceUnit};

    use super::*;

    fn region(bytes: &[u8], defined: &[u8]) -> MaskedRegion {
        let region = Region { kind: RegionKind::Buffer, name: "out".into(), bytes: bytes.to_vec() };
        MaskedRegion {
            region,
            defined: defined.to_vec().into(),
            unordered: vec![0; bytes.len()].into(),
            stride: 4,
            values: Vec::new(),
        }
    }

    fn allowed(outcomes: &[&[u8]], tolerances: Vec<Tolerance>) -> Allowed {
        let outcome = |bytes: &&[u8]| Outcome {
            assignment: warpdiff_model::Assignment::default(),
            permitted: Permitted::Completed {
                state: MaskedState {
                    regions: vec![region(bytes, &vec![0xFF; bytes.len()])],
                    ..MaskedState::default()
                },
            },
            may: Vec::new(),
        };
        Allowed { outcomes: outcomes.iter().map(outcome).collect(), tolerances }
    }

    fn state(bytes: &[u8]) -> State {
        let region = Region { kind: RegionKind::Buffer, name: "out".into(), bytes: bytes.to_vec() };
        State { regions: vec![region] }
    }

    #[test]
    fn a_row_of_another_outcome_is_allowed_and_a_part_of_it_is_not() {
        let allowed = allowed(&[&[0; 8], &[1, 0, 0, 0, 1, 0, 0, 1]], Vec::new());
        let mut enumeration = Enumeration::new(&allowed, &state(&[0; 8]));
        assert_eq!(enumeration.with_byte(0, 0, 1, false), Membership::Allowed, "row 0 of the second outcome");
        assert_eq!(enumeration.with_byte(0, 4, 1, false), Membership::Forbidden, "half of its row 1");
        assert_eq!(enumeration.with_byte(0, 0, 2, false), Membership::Forbidden);
    }

    #[test]
    fn a_base_state_of_no_outcome_is_mended_only_by_the_right_byte() {
        let allowed = allowed(&[&[0; 8]], Vec::new());
        let mut enumeration = Enumeration::new(&allowed, &state(&[0, 0, 0, 0, 9, 0, 0, 0]));
        assert_eq!(enumeration.with_byte(0, 4, 0, false), Membership::Allowed);
        assert_eq!(enumeration.with_byte(0, 4, 8, false), Membership::Forbidden);
        assert_eq!(enumeration.with_byte(0, 0, 0, false), Membership::Forbidden);
    }

    #[test]
    fn a_tolerance_is_that_of_the_whole_value() {
        let tolerance = Tolerance { region: 0, offset: 0, stride: 0, size: 4, unit: ToleranceUnit::Ulps(2) };
        let one = 1.0_f32.to_le_bytes();
        let allowed = allowed(&[&one], vec![tolerance]);
        let mut enumeration = Enumeration::new(&allowed, &state(&one));
        assert_eq!(enumeration.with_byte(0, 0, one[0] + 2, false), Membership::Allowed);
        assert_eq!(enumeration.with_byte(0, 0, one[0] + 3, false), Membership::Forbidden);
        assert_eq!(enumeration.with_byte(0, 1, one[1] + 1, false), Membership::Forbidden);
    }
}
