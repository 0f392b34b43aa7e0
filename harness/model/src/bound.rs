//! Values that the specification fixes within a bound only: results of approximate instructions, of filtering, of rounding.
//!
//! What may stand in memory in such a place is an interval, not a number. Bits that were computed of such a value are another matter:
//! they are undefined, and what they are in the reference counts only where a case states a tolerance.

use std::ops::Range;

use crate::Tolerance;
use crate::allowed::MaskedState;
use crate::tolerance::Layout;

/// What the bits of a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numbers {
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// An IEEE 754 binary number of 2, 4 or 8 bytes, no NaN.
    Float,
}

/// A value of which the specification fixes an interval. All its bits are in [`crate::allowed::MaskedRegion::defined`], and what
/// the reference holds is one value of the interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// Index of the region in the state.
    pub region: usize,
    /// Byte offset of the value.
    pub offset: usize,
    /// Bytes of the value: 1, 2, 4 or 8.
    pub size: usize,
    /// How its bits are read.
    pub numbers: Numbers,
    /// The least value, as its bits.
    pub least: u64,
    /// The greatest value, as its bits.
    pub greatest: u64,
    /// Where the bound comes from: "`sin.approx`: at most 2^-20.5 from the sine (PTX ISA 9.7.3.18)".
    pub by: &'static str,
}

impl Bounded {
    /// Its bytes.
    pub fn bytes(&self) -> Range<usize> {
        self.offset..self.offset + self.size
    }

    /// Whether an observed value, given as the low `8 * size` bits, is in the interval, ends included. Both zeros of a
    /// floating-point type are the same number; a NaN is in no interval.
    pub fn covers(&self, observed: u64) -> bool {
        let unused = 64 - 8 * (self.size.clamp(1, 8) as u32);
        let rank = |bits: u64| match self.numbers {
            Numbers::Unsigned => Some(i128::from(bits)),
            Numbers::Signed => Some(i128::from((bits << unused) as i64 >> unused)),
            Numbers::Float => {
                let layout = Layout::of(self.size)?;
                (!layout.is_nan(bits)).then(|| layout.ordinal(bits))
            }
        };
        match (rank(self.least), rank(observed), rank(self.greatest)) {
            (Some(least), Some(observed), Some(greatest)) => (least..=greatest).contains(&observed),
            _ => false,
        }
    }

    fn key(&self) -> (usize, usize) {
        (self.region, self.offset)
    }
}

/// Undefined bits that were computed of values which are fixed within a bound only, and what they are in the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// Index of the region in the state.
    pub region: usize,
    /// Byte offset of the first byte.
    pub offset: usize,
    /// What the reference holds there, under the mask.
    pub bytes: Vec<u8>,
    /// The bits concerned: none of them is in [`crate::allowed::MaskedRegion::defined`].
    pub mask: Vec<u8>,
}

impl MaskedState {
    /// The bounded value that a byte of a region belongs to.
    pub fn bounded_at(&self, region: usize, at: usize) -> Option<&Bounded> {
        let after = self.bounded.partition_point(|bounded| bounded.key() <= (region, at));
        let found = &self.bounded[after.checked_sub(1)?];
        (found.region == region && found.bytes().contains(&at)).then_some(found)
    }

    /// The bounded values of a region, by ascending offset.
    pub fn bounded_in(&self, region: usize) -> &[Bounded] {
        let start = self.bounded.partition_point(|bounded| bounded.region < region);
        let end = self.bounded.partition_point(|bounded| bounded.region <= region);
        &self.bounded[start..end]
    }

    /// Holds the values that the tolerances name to these, and to no documented bound: what the reference has there counts, also where
    /// it was computed of bounded values.
    pub fn tolerate(&mut self, tolerances: &[Tolerance]) {
        if tolerances.is_empty() {
            return;
        }
        let lengths: Vec<usize> = self.regions.iter().map(|masked| masked.region.bytes.len()).collect();
        let names = |region: usize, at: usize| {
            tolerances.iter().any(|t| t.region == region && t.names(at, lengths[region]))
        };
        self.bounded.retain(|bounded| !bounded.bytes().any(|at| names(bounded.region, at)));
        for derived in &self.derived {
            let masked = &mut self.regions[derived.region];
            for (at, (byte, mask)) in (derived.offset..).zip(derived.bytes.iter().zip(&derived.mask)) {
                if names(derived.region, at) {
                    masked.region.bytes[at] |= byte & mask;
                    masked.defined[at] |= mask;
                }
            }
        }
        self.derived.clear();
    }

    /// Makes undefined what is bounded in one of two states and not bounded alike in the other, and forgets what is not derived alike
    /// in both: for states that are made one.
    pub fn keep_common_bounds(&mut self, other: &MaskedState) {
        let lone_there = |bounded: &Bounded, there: &MaskedState| {
            let found = there.bounded.binary_search_by_key(&bounded.key(), Bounded::key);
            found.is_err() || found.is_ok_and(|at| there.bounded[at] != *bounded)
        };
        let of_one = self.bounded.iter().filter(|bounded| lone_there(bounded, other));
        let of_other = other.bounded.iter().filter(|bounded| lone_there(bounded, self));
        let lone: Vec<Bounded> = of_one.chain(of_other).cloned().collect();
        for bounded in &lone {
            let Some(masked) = self.regions.get_mut(bounded.region) else { continue };
            for at in bounded.bytes() {
                masked.defined[at] = 0;
                masked.unordered[at] = 0;
                masked.region.bytes[at] = 0;
            }
        }
        self.bounded.retain(|bounded| !lone_there(bounded, other));
        let key = |derived: &Derived| (derived.region, derived.offset);
        self.derived.retain(|derived| {
            let found = other.derived.binary_search_by_key(&key(derived), key);
            found.is_ok_and(|at| other.derived[at] == *derived)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allowed::MaskedRegion;
    use crate::{Region, RegionKind, ToleranceUnit};

    fn bounded(size: usize, numbers: Numbers, least: u64, greatest: u64) -> Bounded {
        Bounded { region: 0, offset: 4, size, numbers, least, greatest, by: "a test" }
    }

    #[test]
    fn both_ends_are_inside() {
        // binary32: 1 - 2^-24, 1, 1 + 2^-23.
        let near_one = bounded(4, Numbers::Float, 0x3f7f_ffff, 0x3f80_0001);
        assert!([0x3f7f_ffff, 0x3f80_0000, 0x3f80_0001].iter().all(|bits| near_one.covers(*bits)));
        assert!(
            ![0x3f7f_fffe, 0x3f80_0002, 0xbf80_0000, 0x7fc0_0000].iter().any(|bits| near_one.covers(*bits))
        );
    }

    #[test]
    fn an_interval_around_zero_holds_both_zeros_and_small_numbers_of_both_signs() {
        let around = bounded(4, Numbers::Float, 0x8000_0001, 0x0000_0001);
        assert!([0, 0x8000_0000, 1, 0x8000_0001].iter().all(|bits| around.covers(*bits)));
        assert!(![2, 0x8000_0002].iter().any(|bits| around.covers(*bits)));
    }

    #[test]
    fn integers_are_ordered_by_their_sign() {
        let unsigned = bounded(1, Numbers::Unsigned, 0x7f, 0x80);
        assert!(
            unsigned.covers(0x7f)
                && unsigned.covers(0x80)
                && !unsigned.covers(0x81)
                && !unsigned.covers(0x7e)
        );
        let signed = bounded(2, Numbers::Signed, 0xffff, 0x0001);
        assert!(signed.covers(0xffff) && signed.covers(0) && signed.covers(1));
        assert!(!signed.covers(0xfffe) && !signed.covers(2));
    }

    /// A region of 8 bytes: the word at 4 is bounded, the one at 0 derived.
    fn state() -> MaskedState {
        let region =
            Region { kind: RegionKind::Buffer, name: "b".into(), bytes: vec![0, 0, 0, 0, 4, 4, 4, 4] };
        let defined = vec![0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF];
        MaskedState {
            regions: vec![MaskedRegion { region, defined, unordered: vec![0; 8], stride: 0 }],
            bounded: vec![bounded(4, Numbers::Float, 0, 0x0404_0405)],
            derived: vec![Derived { region: 0, offset: 0, bytes: vec![9; 4], mask: vec![0xFF; 4] }],
            ..MaskedState::default()
        }
    }

    #[test]
    fn a_byte_knows_its_bounded_value() {
        let state = state();
        assert!(state.bounded_at(0, 3).is_none() && state.bounded_at(1, 4).is_none());
        assert!((4..8).all(|at| state.bounded_at(0, at).is_some()) && state.bounded_at(0, 8).is_none());
    }

    #[test]
    fn a_tolerance_takes_the_place_of_the_bound() {
        let unit = ToleranceUnit::Ulps(1);
        let tolerance = Tolerance { region: 0, offset: 4, stride: 0, size: 4, unit };
        let mut of_the_bounded = state();
        of_the_bounded.tolerate(std::slice::from_ref(&tolerance));
        assert!(of_the_bounded.bounded.is_empty());
        assert_eq!(of_the_bounded.regions[0].defined[..4], [0; 4], "no tolerance names it");
        let mut of_the_derived = state();
        of_the_derived.tolerate(&[Tolerance { offset: 0, ..tolerance }]);
        assert_eq!(of_the_derived.bounded.len(), 1);
        assert_eq!(of_the_derived.regions[0].defined, [0xFF; 8]);
        assert_eq!(of_the_derived.regions[0].region.bytes[..4], [9; 4]);
    }

    #[test]
    fn what_two_states_bound_differently_is_undefined_in_both_together() {
        let mut same = state();
        same.keep_common_bounds(&state());
        assert_eq!(same, state());
        let mut narrower = state();
        narrower.bounded[0].least = 1;
        let mut both = state();
        both.keep_common_bounds(&narrower);
        assert!(both.bounded.is_empty());
        assert_eq!(both.regions[0].defined, [0; 8]);
    }
}
