//! A second reading of what is allowed, written to be obviously right rather than fast: a state is allowed if it is that of
//! some outcome, or if each of its rows is that of some outcome.
//!
//! Damages change one byte, so that only one row has to be looked at again.

use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Allowed, Permitted, State, Tolerance};

use super::order;
use crate::judge::{covers, near};

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

/// The states that complete, and how a base state stands to each.
pub struct Enumeration<'a> {
    outcomes: Vec<&'a MaskedState>,
    tolerances: &'a [Tolerance],
    base: &'a State,
    /// By outcome, region and row: whether the base state has the row of that outcome.
    agrees: Vec<Vec<Vec<bool>>>,
    /// By outcome: rows in which the base state differs from it.
    differing: Vec<usize>,
    /// Rows in which the base state differs from every outcome.
    orphans: usize,
}

impl<'a> Enumeration<'a> {
    /// Looks at a base state, whose regions must be those of the outcomes.
    pub fn new(allowed: &'a Allowed, base: &'a State) -> Self {
        let outcomes: Vec<_> = allowed
            .outcomes
            .iter()
            .filter_map(|o| match &o.permitted {
                Permitted::Completed { state } => Some(state),
                _ => None,
            })
            .collect();
        let mut this = Self {
            agrees: Vec::new(),
            differing: Vec::new(),
            orphans: 0,
            outcomes,
            tolerances: &allowed.tolerances,
            base,
        };
        this.agrees = this.outcomes.iter().map(|outcome| this.rows_of(outcome)).collect();
        this.differing = this
            .agrees
            .iter()
            .map(|regions| regions.iter().flatten().filter(|agrees| !**agrees).count())
            .collect();
        this.orphans = this.count_orphans();
        this
    }

    fn rows_of(&self, outcome: &MaskedState) -> Vec<Vec<bool>> {
        let regions = outcome.regions.iter().enumerate();
        regions
            .map(|(index, region)| {
                let bytes = &self.base.regions[index].bytes;
                let rows = if region.stride == 0 { 1 } else { bytes.len().div_ceil(region.stride as usize) };
                (0..rows).map(|row| self.row_agrees(outcome, index, row, bytes)).collect()
            })
            .collect()
    }

    fn count_orphans(&self) -> usize {
        let Some(first) = self.agrees.first() else { return 0 };
        let rows =
            first.iter().enumerate().flat_map(|(region, rows)| (0..rows.len()).map(move |row| (region, row)));
        rows.filter(|(region, row)| !self.agrees.iter().any(|o| o[*region][*row])).count()
    }

    /// Whether a row of a region is that of an outcome: the same in every compared bit, or within its tolerance.
    fn row_agrees(&self, outcome: &MaskedState, index: usize, row: usize, bytes: &[u8]) -> bool {
        let region = &outcome.regions[index];
        let range = match region.stride as usize {
            0 => 0..bytes.len(),
            stride => row * stride..((row + 1) * stride).min(bytes.len()),
        };
        let differs = |at: usize| {
            let compared = region.defined[at] & !region.unordered[at];
            (region.region.bytes[at] ^ bytes[at]) & compared != 0
        };
        range.into_iter().all(|at| !differs(at) || self.tolerated(outcome, index, at, bytes))
    }

    fn tolerated(&self, outcome: &MaskedState, index: usize, at: usize, bytes: &[u8]) -> bool {
        let region = &outcome.regions[index];
        self.tolerances.iter().filter(|t| t.region == index).any(|tolerance| {
            // The value that this byte belongs to begins at most its size earlier.
            let starts = (0..tolerance.size).filter_map(|back| at.checked_sub(back));
            starts.into_iter().filter(|start| covers(tolerance, *start)).any(|start| {
                let value = start..start + tolerance.size;
                let (Some(expected), Some(observed)) =
                    (region.region.bytes.get(value.clone()), bytes.get(value.clone()))
                else {
                    return false;
                };
                let whole = value.clone().all(|i| region.defined[i] & !region.unordered[i] == 0xFF);
                whole && near(tolerance.unit, expected, observed)
            })
        })
    }

    /// Whether the base state with one byte replaced is allowed.
    pub fn with_byte(&self, region: usize, at: usize, byte: u8) -> Membership {
        let mut bytes = self.base.regions[region].bytes.clone();
        bytes[at] = byte;
        let Some(first) = self.outcomes.first() else { return Membership::Forbidden };
        let row = at.checked_div(first.regions[region].stride as usize).unwrap_or(0);
        let now: Vec<bool> = self.outcomes.iter().map(|o| self.row_agrees(o, region, row, &bytes)).collect();
        let whole = now.iter().enumerate().any(|(o, agrees)| {
            let before = usize::from(!self.agrees[o][region][row]);
            self.differing[o] - before + usize::from(!agrees) == 0
        });
        let was_orphan = usize::from(!self.agrees.iter().any(|o| o[region][row]));
        let is_orphan = usize::from(!now.iter().any(|agrees| *agrees));
        let mixed = self.orphans - was_orphan + is_orphan == 0;
        if !whole && !mixed { Membership::Forbidden } else { self.order(region, &bytes) }
    }

    /// Whether atomics serialise in some outcome when a region holds these bytes.
    fn order(&self, changed: usize, bytes: &[u8]) -> Membership {
        let read = |place: warpdiff_model::serial::Place, width: usize| {
            let region =
                if place.region == changed { bytes } else { &self.base.regions.get(place.region)?.bytes };
            let value = region.get(place.offset..place.offset.checked_add(width)?)?;
            Some(value.iter().rev().fold(0_u64, |v, b| v << 8 | u64::from(*b)))
        };
        let mut unlisted = false;
        for outcome in &self.outcomes {
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
