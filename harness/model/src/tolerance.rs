//! Tolerances: where a result need not be exact.

/// How far an observed floating-point value may lie from the expected one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ToleranceUnit {
    /// Units in the last place of the value's type. ±0 are 0 apart; a NaN is 0 apart from a NaN and infinitely far from
    /// anything else.
    Ulps(u64),
    /// Absolute distance.
    Absolute(f64),
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
    /// How far.
    pub unit: ToleranceUnit,
}
