//! Tolerances of cases: units (ulps, absolute), and whether a value lies within.

/// The permitted distance of an observed floating-point value from the expected one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ToleranceUnit {
    /// Units in the last place of the value's type: how many representable numbers one has to step over. ±0 are 0 apart;
    /// infinity is the number after the largest finite one; a NaN is 0 apart from a NaN and infinitely far from anything
    /// else.
    Ulps(u64),
    /// Absolute distance. An infinity is 0 apart from itself and infinitely far from anything else; NaN as above.
    Absolute(f64),
}

impl std::fmt::Display for ToleranceUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ulps(1) => f.write_str("1 ulp"),
            Self::Ulps(limit) => write!(f, "{limit} ulps"),
            Self::Absolute(limit) => write!(f, "a distance of {limit:?}"),
        }
    }
}

/// A tolerance for a field of a region: the value of `size` bytes at `offset`, and at every further `stride` bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// Index of the region in the state.
    pub region: usize,
    /// Byte offset of the first value.
    pub offset: usize,
    /// Bytes from one value to the next; 0 when there is only one.
    pub stride: usize,
    /// Size of the value: 2 (binary16), 4 (binary32) or 8 (binary64).
    pub size: usize,
    /// The permitted distance.
    pub unit: ToleranceUnit,
}

impl Tolerance {
    /// Whether two values, given as the low `8 * size` bits, lie within the tolerance. Values of a size that no
    /// floating-point type has lie within it only if they are equal.
    pub fn covers(&self, expected: u64, observed: u64) -> bool {
        let Some(layout) = Layout::of(self.size) else { return expected == observed };
        match (layout.is_nan(expected), layout.is_nan(observed)) {
            (true, true) => return true,
            (false, false) => {}
            _ => return false,
        }
        match self.unit {
            ToleranceUnit::Ulps(limit) => {
                layout.ordinal(expected).abs_diff(layout.ordinal(observed)) <= u128::from(limit)
            }
            ToleranceUnit::Absolute(limit) => {
                let (a, b) = (layout.value(expected), layout.value(observed));
                // An infinity less itself is a NaN, which is within no limit.
                a == b || (a - b).abs() <= limit && a.is_finite() && b.is_finite()
            }
        }
    }

    /// Of the values that lie within the tolerance of `expected`, the nearest to `observed`, both numbers; `None` where one of them is
    /// none, or where the size is that of no floating-point type.
    pub fn nearest(&self, expected: u64, observed: u64) -> Option<u64> {
        let layout = Layout::of(self.size).filter(|of| !of.is_nan(expected) && !of.is_nan(observed))?;
        let (from, to) = (layout.ordinal(expected), layout.ordinal(observed));
        // Steps from what is expected towards what was observed: the first is allowed, and so is each before an allowed one.
        let at = |steps: i128| layout.at(if to < from { from - steps } else { from + steps });
        let (mut allowed, mut beyond) = (0, from.abs_diff(to) as i128 + 1);
        while beyond - allowed > 1 {
            let middle = allowed + (beyond - allowed) / 2;
            if self.covers(expected, at(middle)) {
                allowed = middle;
            } else {
                beyond = middle;
            }
        }
        Some(if allowed == 0 { expected } else { at(allowed) })
    }

    /// Whether a byte of a region of `len` bytes belongs to a value that it covers.
    pub fn names(&self, at: usize, len: usize) -> bool {
        let Some(distance) = at.checked_sub(self.offset) else { return false };
        let within = distance.checked_rem(self.stride).unwrap_or(distance);
        within < self.size && (at - within).checked_add(self.size).is_some_and(|end| end <= len)
    }

    /// Byte offsets of the values it covers in a region of `len` bytes.
    pub fn fields(&self, len: usize) -> impl Iterator<Item = usize> + use<> {
        let (size, stride) = (self.size, self.stride);
        let first = (size > 0).then_some(self.offset);
        std::iter::successors(
            first,
            move |offset| if stride == 0 { None } else { offset.checked_add(stride) },
        )
        .take_while(move |offset| offset.checked_add(size).is_some_and(|end| end <= len))
    }
}

/// Where the parts of an IEEE binary format lie.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// Bits in all.
    width: u32,
    /// Bits of the significand that are stored.
    fraction: u32,
}

impl Layout {
    /// The binary format of `size` bytes.
    pub(crate) fn of(size: usize) -> Option<Self> {
        match size {
            2 => Some(Self { width: 16, fraction: 10 }),
            4 => Some(Self { width: 32, fraction: 23 }),
            8 => Some(Self { width: 64, fraction: 52 }),
            _ => None,
        }
    }

    fn magnitude(self, bits: u64) -> u64 {
        bits & ((1 << (self.width - 1)) - 1)
    }

    fn is_negative(self, bits: u64) -> bool {
        bits >> (self.width - 1) & 1 == 1
    }

    fn infinity(self) -> u64 {
        ((1 << (self.width - 1 - self.fraction)) - 1) << self.fraction
    }

    pub(crate) fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }

    /// The place of a number in the order of all numbers, both zeros being 0.
    pub(crate) fn ordinal(self, bits: u64) -> i128 {
        let magnitude = i128::from(self.magnitude(bits));
        if self.is_negative(bits) { -magnitude } else { magnitude }
    }

    /// The bits of the number at a place in that order.
    fn at(self, ordinal: i128) -> u64 {
        let sign = if ordinal < 0 { 1 << (self.width - 1) } else { 0 };
        sign | ordinal.unsigned_abs() as u64
    }

    /// The number, exactly.
    pub(crate) fn value(self, bits: u64) -> f64 {
        match self.width {
            64 => f64::from_bits(bits),
            32 => f64::from(f32::from_bits(bits as u32)),
            _ => half_value(bits as u16),
        }
    }
}

/// The value of a binary16 that is no NaN.
pub(crate) fn half_value(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match bits >> 10 & 0x1f {
        0 => fraction * 2f64.powi(-24),
        31 => f64::INFINITY,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tolerance(size: usize, unit: ToleranceUnit) -> Tolerance {
        Tolerance { region: 0, offset: 0, stride: 0, size, unit }
    }

    fn ulps(limit: u64) -> Tolerance {
        tolerance(4, ToleranceUnit::Ulps(limit))
    }

    fn f32(value: f32) -> u64 {
        u64::from(value.to_bits())
    }

    #[test]
    fn both_zeros_are_the_same_number() {
        assert!(ulps(0).covers(f32(0.0), f32(-0.0)));
        // The smallest subnormals on either side of zero are two steps apart, not 2^31.
        assert!(ulps(2).covers(0x0000_0001, 0x8000_0001));
        assert!(!ulps(1).covers(0x0000_0001, 0x8000_0001));
        assert!(ulps(1).covers(f32(-0.0), 0x0000_0001));
    }

    #[test]
    fn a_nan_is_near_a_nan_only() {
        assert!(ulps(0).covers(0x7fff_ffff, 0xffc0_0000));
        assert!(!ulps(u64::MAX).covers(0x7f80_0001, f32(f32::INFINITY)));
        assert!(!ulps(u64::MAX).covers(f32(1.0), 0x7fc0_0000));
        let absolute = tolerance(4, ToleranceUnit::Absolute(f64::INFINITY));
        assert!(absolute.covers(0x7fff_ffff, 0xffc0_0000));
        assert!(!absolute.covers(f32(1.0), 0x7fc0_0000));
    }

    #[test]
    fn steps_are_counted_across_a_power_of_two_and_up_to_infinity() {
        assert!(ulps(1).covers(f32(1.0), 0x3f7f_ffff));
        assert!(!ulps(1).covers(0x3f80_0001, 0x3f7f_ffff));
        assert!(ulps(1).covers(f32(f32::MAX), f32(f32::INFINITY)));
        assert!(!ulps(1).covers(f32(f32::INFINITY), f32(f32::NEG_INFINITY)));
        let double = tolerance(8, ToleranceUnit::Ulps(1));
        assert!(double.covers(1f64.to_bits(), 1f64.to_bits() + 1));
        assert!(!double.covers(1f64.to_bits(), 1f64.to_bits() + 2));
        assert!(!double.covers(1f64.to_bits(), (-1f64).to_bits()));
        let half = tolerance(2, ToleranceUnit::Ulps(1));
        assert!(half.covers(0x8000, 0x0001) && !half.covers(0x8001, 0x0001));
    }

    #[test]
    fn the_nearest_allowed_value_is_the_last_that_is_covered() {
        // 1.0 and two steps up; the numbers below 1.0 are half as far apart.
        assert_eq!(ulps(2).nearest(f32(1.0), f32(1.5)), Some(0x3f80_0002));
        assert_eq!(ulps(2).nearest(f32(1.0), f32(-1.5)), Some(0x3f7f_fffe));
        assert_eq!(ulps(0).nearest(f32(1.0), f32(1.5)), Some(f32(1.0)));
        assert_eq!(ulps(0).nearest(f32(-0.0), f32(1.5)), Some(f32(-0.0)));
        // From the smallest subnormal over zero, which is one number.
        assert_eq!(ulps(2).nearest(0x0000_0001, f32(-1.0)), Some(0x8000_0001));
        // What is allowed itself is the nearest.
        assert_eq!(ulps(5).nearest(f32(1.0), 0x3f80_0003), Some(0x3f80_0003));
        // Half a unit from 1.0 lies 1.5, and 0.5 on the other side; in binary16 these are 0x3e00 and 0x3800.
        let half = |size| tolerance(size, ToleranceUnit::Absolute(0.5));
        assert_eq!(half(4).nearest(f32(1.0), f32(7.0)), Some(f32(1.5)));
        // The distance is a binary64, too: 1 - (0.5 - 2^-54) rounds to 0.5.
        assert_eq!(half(8).nearest(1f64.to_bits(), (-7f64).to_bits()), Some(0.5f64.to_bits() - 1));
        assert_eq!(half(2).nearest(0x3c00, 0x7c00), Some(0x3e00));
        assert_eq!(half(4).nearest(f32(f32::INFINITY), f32(7.0)), Some(f32(f32::INFINITY)));
        assert_eq!(ulps(2).nearest(f32(1.0), 0x7fc0_0000), None);
        assert_eq!(tolerance(1, ToleranceUnit::Ulps(1)).nearest(1, 2), None);
    }

    #[test]
    fn a_tolerance_in_words() {
        assert_eq!(ToleranceUnit::Ulps(1).to_string(), "1 ulp");
        assert_eq!(ToleranceUnit::Ulps(2).to_string(), "2 ulps");
        assert_eq!(ToleranceUnit::Absolute(1e-6).to_string(), "a distance of 1e-6");
    }

    #[test]
    fn absolute_distance_of_every_size() {
        let within = |size| tolerance(size, ToleranceUnit::Absolute(0.5));
        assert!(within(4).covers(f32(1.0), f32(1.5)) && !within(4).covers(f32(1.0), f32(1.75)));
        assert!(
            within(8).covers(1f64.to_bits(), 0.5f64.to_bits())
                && !within(8).covers(1f64.to_bits(), 2f64.to_bits())
        );
        // binary16: 0x3c00 is 1, 0x3e00 is 1.5, 0x4000 is 2, 0xbc00 is -1, 0x7c00 is infinity.
        assert!(within(2).covers(0x3c00, 0x3e00) && !within(2).covers(0x3c00, 0x4000));
        assert!(
            !within(2).covers(0x3c00, 0xbc00)
                && within(2).covers(0x7c00, 0x7c00)
                && !within(2).covers(0x7c00, 0x7bff)
        );
        assert!(half_value(0x0001) == 2f64.powi(-24) && half_value(0x7bff) == 65504.0);
    }

    #[test]
    fn the_bytes_that_belong_to_a_value_are_those_of_its_fields() {
        let repeated = Tolerance { offset: 4, stride: 8, ..ulps(1) };
        for field in [repeated, ulps(1)] {
            for len in 0..24 {
                let bytes = |at| field.fields(len).any(|start| (start..start + 4).contains(&at));
                assert!((0..len).all(|at| field.names(at, len) == bytes(at)), "{field:?} in {len} bytes");
            }
        }
    }

    #[test]
    fn fields_repeat_at_the_stride_and_end_with_the_region() {
        let field = Tolerance { offset: 4, stride: 8, ..ulps(1) };
        assert_eq!(field.fields(21).collect::<Vec<_>>(), [4, 12]);
        assert_eq!(field.fields(8).collect::<Vec<_>>(), [4]);
        assert_eq!(field.fields(7).count(), 0);
        assert_eq!(ulps(1).fields(400).collect::<Vec<_>>(), [0]);
        assert_eq!(Tolerance { offset: usize::MAX, stride: 4, ..ulps(1) }.fields(8).count(), 0);
    }
}
