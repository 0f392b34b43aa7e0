//! Intervals of values that are fixed within a bound only: results of approximate instructions and of filtering.
//!
//! Memory may hold any number of an interval ([`Permits::Between`]) in such a place. Bits
//! that were computed from such a value are undefined instead, and their values in the reference count only where a case
//! states a tolerance.

use crate::Tolerance;
use crate::allowed::{MaskedState, Permits};
use crate::tolerance::Layout;

/// The IEEE 754 binary numbers of 2, 4 or 8 bytes from one to another, ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least number, as its bits.
    pub least: u64,
    /// The greatest number, as its bits.
    pub greatest: u64,
    /// The number that the reference gives, as its bits.
    pub reference: u64,
    /// The source of the bound: "`rcp.approx`: 1 ulp (PTX ISA 9.7.3, rcp)".
    pub by: &'static str,
}

impl Interval {
    /// Whether an observed value of `size` bytes, given as its bits, is in the interval. Both zeros are the same number; a NaN is in no
    /// interval.
    pub fn covers(&self, observed: u64, size: usize) -> bool {
        let Some(layout) = Layout::of(size) else { return false };
        let rank = |bits: u64| (!layout.is_nan(bits)).then(|| layout.ordinal(bits));
        match (rank(self.least), rank(observed), rank(self.greatest)) {
            (Some(least), Some(observed), Some(greatest)) => (least..=greatest).contains(&observed),
            _ => false,
        }
    }

    /// In words, for a value of `size` bytes: "from 0.5 (0x3f000000) to 1 (0x3f800000), …".
    pub fn words(&self, size: usize) -> String {
        let number = |bits: u64| {
            let value = match size {
                // As short as a number of this type can be told from its neighbours.
                4 => f32::from_bits(bits as u32).to_string(),
                _ => Layout::of(size).map_or(0.0, |layout| layout.value(bits)).to_string(),
            };
            format!("{value} ({bits:#0width$x})", width = 2 * size + 2)
        };
        format!("from {} to {}, {}", number(self.least), number(self.greatest), self.by)
    }
}

/// Undefined bits that were computed from values which are fixed within a bound only, with their values in the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// Index of the region in the state.
    pub region: usize,
    /// Byte offset of the first byte.
    pub offset: usize,
    /// The bytes of the reference, under the mask.
    pub bytes: Vec<u8>,
    /// The bits concerned: none of them is in [`crate::allowed::MaskedRegion::defined`].
    pub mask: Vec<u8>,
}

impl Derived {
    fn key(&self) -> (usize, usize) {
        (self.region, self.offset)
    }
}

impl MaskedState {
    /// Holds the values that the tolerances name to these, and to no documented interval: the value of the reference counts, even
    /// where it was computed from values that are fixed within a bound only.
    pub fn tolerate(&mut self, tolerances: &[Tolerance]) {
        if tolerances.is_empty() {
            return;
        }
        for (index, masked) in self.regions.iter_mut().enumerate() {
            let len = masked.region.bytes.len();
            let names = |at: usize| tolerances.iter().any(|t| t.region == index && t.names(at, len));
            let (defined, bytes) = (&mut masked.defined, &mut masked.region.bytes);
            masked.values.retain(|value| {
                let held = matches!(value.permitted, Permits::Between(_)) && value.range().any(names);
                if held {
                    defined.to_mut()[value.range()].fill(0xFF);
                    value.put(bytes);
                }
                !held
            });
            for derived in self.derived.iter().filter(|derived| derived.region == index) {
                for (at, (byte, mask)) in (derived.offset..).zip(derived.bytes.iter().zip(&derived.mask)) {
                    if names(at) {
                        bytes[at] |= byte & mask;
                        defined.to_mut()[at] |= mask;
                    }
                }
            }
        }
        self.derived.clear();
    }

    /// Drops the derived bits that another state, with which this one is merged, does not derive alike.
    pub fn keep_derived_of(&mut self, other: &MaskedState) {
        self.derived.retain(|derived| {
            let found = other.derived.binary_search_by_key(&derived.key(), Derived::key);
            found.is_ok_and(|at| other.derived[at] == *derived)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allowed::{MaskedRegion, Value};
    use crate::{Region, RegionKind, ToleranceUnit};

    fn interval(least: u64, greatest: u64) -> Interval {
        Interval { least, greatest, reference: greatest, by: "a test" }
    }

    #[test]
    fn both_ends_are_inside() {
        // binary32: 1 - 2^-24, 1, 1 + 2^-23.
        let near_one = interval(0x3f7f_ffff, 0x3f80_0001);
        assert!([0x3f7f_ffff, 0x3f80_0000, 0x3f80_0001].iter().all(|bits| near_one.covers(*bits, 4)));
        let outside = [0x3f7f_fffe, 0x3f80_0002, 0xbf80_0000, 0x7fc0_0000];
        assert!(!outside.iter().any(|bits| near_one.covers(*bits, 4)));
        assert_eq!(near_one.words(4), "from 0.99999994 (0x3f7fffff) to 1.0000001 (0x3f800001), a test");
    }

    #[test]
    fn an_interval_around_zero_holds_both_zeros_and_small_numbers_of_both_signs() {
        let around = interval(0x8000_0001, 0x0000_0001);
        assert!([0, 0x8000_0000, 1, 0x8000_0001].iter().all(|bits| around.covers(*bits, 4)));
        assert!(![2, 0x8000_0002].iter().any(|bits| around.covers(*bits, 4)));
    }

    /// A region of 8 bytes: the word at 4 is in an interval, the one at 0 derived.
    fn state() -> MaskedState {
        let region =
            Region { kind: RegionKind::Buffer, name: "b".into(), bytes: vec![0, 0, 0, 0, 4, 4, 4, 4] };
        let defined = vec![0, 0, 0, 0, 0, 0, 0, 0];
        let permitted = Permits::Between(Interval { reference: 0x0404_0404, ..interval(0, 0x0404_0405) });
        let values = vec![Value { offset: 4, size: 4, permitted }];
        MaskedState {
            regions: vec![MaskedRegion {
                region,
                defined: defined.into(),
                unordered: vec![0; 8].into(),
                stride: 0,
                values,
            }],
            derived: vec![Derived { region: 0, offset: 0, bytes: vec![9; 4], mask: vec![0xFF; 4] }],
            ..MaskedState::default()
        }
    }

    #[test]
    fn a_byte_knows_its_value() {
        let region = &state().regions[0];
        assert!(region.value_at(3).is_none() && region.value_at(8).is_none());
        assert!((4..8).all(|at| region.value_at(at).is_some()));
        assert_eq!((region.values_in(0..4).len(), region.values_in(0..5).len()), (0, 1));
        assert_eq!((region.values_in(7..9).len(), region.values_in(8..9).len()), (1, 0));
    }

    #[test]
    fn a_tolerance_takes_the_place_of_the_interval() {
        let unit = ToleranceUnit::Ulps(1);
        let tolerance = Tolerance { region: 0, offset: 4, stride: 0, size: 4, unit };
        let mut of_the_interval = state();
        of_the_interval.tolerate(std::slice::from_ref(&tolerance));
        let region = &of_the_interval.regions[0];
        assert!(region.values.is_empty());
        assert_eq!(*region.defined, [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], "none names the other word");
        let mut of_the_derived = state();
        of_the_derived.tolerate(&[Tolerance { offset: 0, ..tolerance }]);
        let region = &of_the_derived.regions[0];
        assert_eq!((region.values.len(), &region.defined[..4]), (1, &[0xFF; 4][..]));
        assert_eq!(region.region.bytes[..4], [9; 4]);
    }
}
