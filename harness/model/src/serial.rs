//! The effect of an atomic operation on the value of its location.
//!
//! [`crate::serialise`] decides whether some order of the operations gives the values that they returned.

/// The effect of an atomic operation on the value that it finds. Operands are the low `8 * width` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// `m + b`, modulo 2^width.
    Add(u64),
    /// Unsigned minimum.
    MinU(u64),
    /// Signed minimum.
    MinS(u64),
    /// Unsigned maximum.
    MaxU(u64),
    /// Signed maximum.
    MaxS(u64),
    /// `m >= b ? 0 : m + 1`.
    Inc(u64),
    /// `m == 0 || m > b ? b : m - 1`.
    Dec(u64),
    /// Bitwise and.
    And(u64),
    /// Bitwise or.
    Or(u64),
    /// Bitwise exclusive or.
    Xor(u64),
    /// Exchange.
    Exch(u64),
    /// Compare with the first, store the second if equal.
    Cas(u64, u64),
    /// The same, but it returns 1 if the values were equal, else 0, instead of the value found. Of a result of 64 bits the upper
    /// four bytes are 0 in any order, so that the lower four decide.
    Cast(u64, u64),
    /// IEEE binary32 addition, round to nearest even.
    AddF32(u32),
    /// IEEE binary64 addition, round to nearest even.
    AddF64(u64),
    /// IEEE binary32 addition that takes subnormal operands and results for zeros of their sign, as `atom.add.f32` on
    /// global memory does (on shared memory it does not).
    AddF32Flushed(u32),
    /// IEEE binary16 addition, round to nearest even.
    AddF16(u16),
    /// Two binary16 additions, each atomic on its own.
    AddF16x2(u32),
}

/// The place of a value in the observed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index of the region.
    pub region: usize,
    /// Byte offset; the value's width is that of the location.
    pub offset: usize,
}

/// One atomic operation on a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The operation.
    pub op: AtomicOp,
    /// Linear index, over the whole grid, of the thread that executed it.
    pub thread: u32,
    /// The place of the returned value, if the program stored it unmodified.
    pub returned: Option<Place>,
    /// Its group of contenders, if it is a compare-and-store of a group of which a machine selects one.
    pub spin: Option<Contenders>,
}

/// A group of operations of different threads. A machine selects and executes one of them; the others answer 0 and do
/// nothing. They belong to one instruction of a warp and happen at once. They may be on several locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contenders {
    /// The number of the group, which is the same in every location that it reaches.
    pub group: u32,
    /// The number of its operations.
    pub contenders: u32,
}

/// The atomics on one location within one barrier epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// For a person: "shared 0x10 of block 0, epoch 1".
    pub name: String,
    /// Bytes: 2, 4 or 8.
    pub width: u8,
    /// The value before the epoch, if it is defined.
    pub initial: Option<u64>,
    /// The place of the value after the epoch, if the observed state shows it.
    pub last: Option<Place>,
    /// The operations; those of one thread in program order.
    pub operations: Vec<Operation>,
}

impl AtomicOp {
    /// The operation on the low and on the high half of 8 bytes, as if they were two locations: wrong if one half depends on
    /// the other. An operation without halves is the same on both.
    pub fn halves(self) -> [Self; 2] {
        let both = |of: fn(u64) -> Self, b: u64| [of(b & width_mask(4)), of(b >> 32)];
        match self {
            Self::Add(b) => both(Self::Add, b),
            Self::MinU(b) => both(Self::MinU, b),
            Self::MinS(b) => both(Self::MinS, b),
            Self::MaxU(b) => both(Self::MaxU, b),
            Self::MaxS(b) => both(Self::MaxS, b),
            Self::And(b) => both(Self::And, b),
            Self::Or(b) => both(Self::Or, b),
            Self::Xor(b) => both(Self::Xor, b),
            Self::Exch(b) => both(Self::Exch, b),
            other => [other; 2],
        }
    }

    /// The size in bytes of the returned value, on a location of `width` bytes.
    pub fn returned_width(self, width: u8) -> u8 {
        if matches!(self, Self::Cast(..)) { 4 } else { width }
    }

    /// The value after the operation on a location of `width` bytes (2, 4 or 8) that holds `old`. Sums that are NaN are
    /// the canonical NaN of their format.
    pub fn apply(self, old: u64, width: u8) -> u64 {
        let mask = width_mask(width);
        let old = old & mask;
        let new = match self {
            Self::Add(b) => old.wrapping_add(b),
            Self::MinU(b) => old.min(b & mask),
            Self::MaxU(b) => old.max(b & mask),
            Self::MinS(b) if signed(old, width) <= signed(b, width) => old,
            Self::MaxS(b) if signed(old, width) >= signed(b, width) => old,
            Self::MinS(b) | Self::MaxS(b) | Self::Exch(b) => b,
            Self::Inc(b) if old >= b & mask => 0,
            Self::Inc(_) => old + 1,
            Self::Dec(b) if old == 0 || old > b & mask => b,
            Self::Dec(_) => old - 1,
            Self::And(b) => old & b,
            Self::Or(b) => old | b,
            Self::Xor(b) => old ^ b,
            Self::Cas(compare, new) | Self::Cast(compare, new) if old == compare & mask => new,
            Self::Cas(..) | Self::Cast(..) => old,
            Self::AddF32(b) => u64::from(add_single(old as u32, b)),
            Self::AddF32Flushed(b) => u64::from(flushed(add_single(flushed(old as u32), flushed(b)))),
            Self::AddF64(b) => add_double(old, b),
            Self::AddF16(b) => u64::from(add_half(old as u16, b)),
            Self::AddF16x2(b) => {
                let low = add_half(old as u16, b as u16);
                let high = add_half((old >> 16) as u16, (b >> 16) as u16);
                u64::from(high) << 16 | u64::from(low)
            }
        };
        new & mask
    }
}

/// The bits of a value of `width` bytes.
pub(crate) fn width_mask(width: u8) -> u64 {
    if width >= 8 { u64::MAX } else { (1 << (8 * width)) - 1 }
}

fn signed(value: u64, width: u8) -> i64 {
    let unused = 64 - 8 * u32::from(width.clamp(1, 8));
    (value << unused) as i64 >> unused
}

fn add_single(a: u32, b: u32) -> u32 {
    let sum = f32::from_bits(a) + f32::from_bits(b);
    if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() }
}

/// A binary32, or a zero of its sign if it is subnormal.
fn flushed(bits: u32) -> u32 {
    if f32::from_bits(bits).is_subnormal() { bits & 0x8000_0000 } else { bits }
}

fn add_double(a: u64, b: u64) -> u64 {
    let sum = f64::from_bits(a) + f64::from_bits(b);
    if sum.is_nan() { 0x7fff_ffff_ffff_ffff } else { sum.to_bits() }
}

fn add_half(a: u16, b: u16) -> u16 {
    // The sum of two binary16 values is exact in binary64, so that it is rounded once.
    half_from(half_to(a) + half_to(b))
}

fn half_to(bits: u16) -> f64 {
    if bits & 0x7fff > 0x7c00 { f64::NAN } else { crate::tolerance::half_value(bits) }
}

/// A number rounded to binary16, to nearest even.
fn half_from(value: f64) -> u16 {
    if value.is_nan() {
        return 0x7fff;
    }
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    // 65520 lies halfway between the largest finite number and what would be the next: it rounds to infinity.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // In units of the last place of its binade (subnormals share that of the smallest normal one) it is a small
    // integer; the biased exponent then adds the binades, and a carry out of the significand goes where it belongs.
    let binade = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let units = (magnitude * 2f64.powi(10 - binade)).round_ties_even() as u16;
    sign | (units + ((binade + 14) as u16) * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_operations_wrap_at_the_width_of_the_location() {
        assert_eq!(AtomicOp::Add(1).apply(0xffff_ffff, 4), 0);
        assert_eq!(AtomicOp::Add(1).apply(0xffff_ffff, 8), 0x1_0000_0000);
        assert_eq!(AtomicOp::Add(u64::MAX).apply(0, 2), 0xffff);
        assert_eq!(AtomicOp::MinU(0xffff_ffff).apply(3, 4), 3);
        assert_eq!(AtomicOp::MinS(0xffff_ffff).apply(3, 4), 0xffff_ffff);
        assert_eq!(AtomicOp::MaxS(0xffff_ffff).apply(3, 4), 3);
        assert_eq!(AtomicOp::MaxU(0xffff_ffff).apply(3, 4), 0xffff_ffff);
    }

    // PTX ISA 9.7.13, atom: inc is `(r >= s) ? 0 : r+1`, dec is `(r == 0 || r > s) ? s : r-1`.
    #[test]
    fn inc_and_dec_wrap_at_the_bound() {
        let inc = |old| AtomicOp::Inc(3).apply(old, 4);
        let dec = |old| AtomicOp::Dec(3).apply(old, 4);
        assert_eq!([0, 2, 3, 4].map(inc), [1, 3, 0, 0]);
        assert_eq!([0, 1, 3, 4].map(dec), [3, 0, 2, 3]);
    }

    #[test]
    fn cas_stores_only_where_it_finds_what_it_compares_with() {
        assert_eq!(AtomicOp::Cas(5, 9).apply(5, 4), 9);
        assert_eq!(AtomicOp::Cas(5, 9).apply(6, 4), 6);
    }

    #[test]
    fn float_sums() {
        let single = |value: f32| value.to_bits();
        assert_eq!(AtomicOp::AddF32(single(0.25)).apply(single(1.5).into(), 4), single(1.75).into());
        assert_eq!(AtomicOp::AddF32(1).apply(1, 4), 2, "subnormals add on shared memory");
        assert_eq!(AtomicOp::AddF32Flushed(1).apply(0x8000_0001, 4), 0, "and are zeros on global memory");
        assert_eq!(
            AtomicOp::AddF32(single(f32::NEG_INFINITY)).apply(single(f32::INFINITY).into(), 4),
            0x7fff_ffff
        );
        assert_eq!(AtomicOp::AddF64(0.5f64.to_bits()).apply(2f64.to_bits(), 8), 2.5f64.to_bits());
    }

    // Expectations from the definition of binary16: 0x3c00 is 1, one unit there is 2^-10 (0x1400), 0x7bff is 65504,
    // 0x4c00 is 16, 0x0400 the smallest normal number, 0x03ff the largest subnormal one.
    #[test]
    fn half_sums_round_to_nearest_even() {
        let add = |a: u16, b: u16| AtomicOp::AddF16(b).apply(a.into(), 2);
        assert_eq!(add(0x3c00, 0x3c00), 0x4000);
        assert_eq!(add(0x3c00, 0x1000), 0x3c00, "half a unit above an even significand");
        assert_eq!(add(0x3c01, 0x1000), 0x3c02, "half a unit above an odd one");
        assert_eq!(add(0x3c00, 0x1001), 0x3c01, "more than half a unit");
        assert_eq!(add(0x7bff, 0x4c00), 0x7c00, "65504 + 16 is halfway to 65536");
        assert_eq!(add(0x7bff, 0x4bff), 0x7bff);
        assert_eq!(add(0x03ff, 0x0001), 0x0400);
        assert_eq!(add(0x8001, 0x0001), 0x0000);
        assert_eq!(add(0x7c00, 0xfc00), 0x7fff);
        assert_eq!(AtomicOp::AddF16x2(0x3c00_7bff).apply(0x3c00_7bff, 4), 0x4000_7c00);
    }
}
