//! Which bits of what an atomic stores and returns are defined.

use super::{Bits, float};
use crate::atomic::AtomicKind;
use crate::numeric::half::Kind;
use crate::numeric::nan;
use crate::numeric::rounding::Layout;

/// Whether each bit of the new value is made of the bits at its place, so that it is undefined only where one of these is.
#[inline]
pub fn is_bitwise(kind: AtomicKind) -> bool {
    matches!(kind, AtomicKind::Exch | AtomicKind::And | AtomicKind::Or | AtomicKind::Xor)
}

/// The bits of a new value that its operands leave defined; `bits` are those of a value of its size.
#[inline]
pub fn by_operands(kind: AtomicKind, operands: &[Bits; 4], bits: u64) -> u64 {
    let [first, second, ..] = *operands;
    match kind {
        kind if is_bitwise(kind) => first.defined,
        kind if settled(kind, first).defined & second.defined & bits == bits => u64::MAX,
        _ => 0,
    }
}

/// Carries a property of bits, such as being undefined, from the old value and the operand over to the new value.
#[inline]
pub fn spread(kind: AtomicKind, (old, operand): (u64, u64), bits: u64) -> u64 {
    match kind {
        AtomicKind::Exch => operand,
        kind if is_bitwise(kind) => old | operand,
        _ if old | operand == 0 => 0,
        _ => bits,
    }
}

/// The formats of the numbers that an atomic adds.
fn float_format(kind: AtomicKind) -> Option<Layout> {
    match kind {
        AtomicKind::AddF32 | AtomicKind::AddF32Flushed => Some(Layout::F32),
        AtomicKind::AddF64 => Some(Layout::F64),
        AtomicKind::AddF16 | AtomicKind::AddF16x2 => Some(Layout::F16),
        _ => None,
    }
}

/// An operand whose defined bits prove it to be a NaN counts as defined: which NaN it is does not matter to a sum.
#[inline]
pub fn settled(kind: AtomicKind, bits: Bits) -> Bits {
    let Some(format) = float_format(kind) else { return bits };
    if kind != AtomicKind::AddF16x2 {
        return float::operand(bits, format);
    }
    let half =
        |shift: u32| Bits { value: bits.value >> shift & 0xFFFF, defined: bits.defined >> shift | !0xFFFF };
    let known = |shift: u32| float::operand(half(shift), format).is_known(16);
    let defined = |shift: u32| if known(shift) { 0xFFFF << shift } else { 0 };
    Bits { defined: bits.defined | defined(0) | defined(16), ..bits }
}

/// The bits of a sum that PTX leaves open because it is a NaN: of `atom.add` it says nothing at all, so no more is certain
/// than of `add`, and no payload is passed on.
#[inline]
pub fn open_in_nans(kind: AtomicKind, sum: u64) -> u64 {
    let half = |shift: u32| u64::from(!nan::defined16((sum >> shift) as u16, Kind::F16)) << shift;
    match kind {
        AtomicKind::AddF32 | AtomicKind::AddF32Flushed => u64::from(!nan::defined32(sum as u32)),
        AtomicKind::AddF64 => !nan::defined64(sum, &[]),
        AtomicKind::AddF16 => half(0),
        AtomicKind::AddF16x2 => half(0) | half(16),
        _ => 0,
    }
}
