//! Atomic operations on one location: the value that they leave and the one that they return.

use warpdiff_model::serial::AtomicOp;
use warpdiff_model::{Deviation, Semantics};

use crate::numeric::rounding::{Layout, Rounding};

/// The operation of an atomic, its operands still in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicKind {
    /// A sum.
    Add,
    /// The lesser one, unsigned.
    MinU,
    /// The lesser one, signed.
    MinS,
    /// The greater one, unsigned.
    MaxU,
    /// The greater one, signed.
    MaxS,
    /// One more, up to a bound.
    Inc,
    /// One less, down from a bound.
    Dec,
    /// Bits that both have.
    And,
    /// Bits that one has.
    Or,
    /// Bits that only one has.
    Xor,
    /// The operand.
    Exch,
    /// Compare and swap.
    Cas,
    /// Compare and swap that returns whether it stored.
    Cast,
    /// A sum of binary32.
    AddF32,
    /// The same, subnormal numbers flushed.
    AddF32Flushed,
    /// A sum of binary64.
    AddF64,
    /// A sum of binary16.
    AddF16,
    /// Two sums of binary16.
    AddF16x2,
}

impl AtomicKind {
    /// The operation with its operands.
    pub fn with(self, b: u64, c: u64) -> AtomicOp {
        match self {
            Self::Add => AtomicOp::Add(b),
            Self::MinU => AtomicOp::MinU(b),
            Self::MinS => AtomicOp::MinS(b),
            Self::MaxU => AtomicOp::MaxU(b),
            Self::MaxS => AtomicOp::MaxS(b),
            Self::Inc => AtomicOp::Inc(b),
            Self::Dec => AtomicOp::Dec(b),
            Self::And => AtomicOp::And(b),
            Self::Or => AtomicOp::Or(b),
            Self::Xor => AtomicOp::Xor(b),
            Self::Exch => AtomicOp::Exch(b),
            Self::Cas => AtomicOp::Cas(b, c),
            Self::Cast => AtomicOp::Cast(b, c),
            Self::AddF32 => AtomicOp::AddF32(b as u32),
            Self::AddF32Flushed => AtomicOp::AddF32Flushed(b as u32),
            Self::AddF64 => AtomicOp::AddF64(b),
            Self::AddF16 => AtomicOp::AddF16(b as u16),
            Self::AddF16x2 => AtomicOp::AddF16x2(b as u32),
        }
    }

    /// Whether operations of this kind give the same final value in every order, whatever their operands.
    pub fn commutes(self) -> bool {
        use AtomicKind::{Add, And, MaxS, MaxU, MinS, MinU, Or, Xor};
        matches!(self, Add | MinU | MinS | MaxU | MaxS | And | Or | Xor)
    }
}

/// The deviation of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicDeviant {
    /// None.
    No,
    /// `.inc` wraps beyond its bound.
    IncOffByOne,
    /// `.inc` keeps its value at the bound.
    IncStays,
    /// `.dec` ignores that a value is beyond the bound.
    DecIgnoresGreater,
    /// `.inc` and `.dec` have no bound.
    Unbounded,
    /// `.cas` returns the new value.
    CasReturnsNew,
    /// `.cas` stores whatever it finds.
    CasAlwaysStores,
    /// `.exch` stores nothing.
    ExchKeeps,
    /// `.or` is exclusive.
    OrAsXor,
    /// The new value is returned.
    ReturnsNew,
    /// Zero is returned.
    ReturnsZero,
    /// A 64-bit atomic as two independent halves.
    Halves,
    /// `CAST` returns the old value instead of whether it stored.
    CastReturnsOld,
    /// If several lanes contend under `.SPIN`, none is selected.
    SpinNoneWins,
    /// All lanes of a warp read the value before the first of them.
    LostUpdate,
    /// The same, where all lanes have the same address and operand.
    UniformOnce,
    /// The three words behind are changed, too.
    FourWords,
    /// A sum of binary32 in global memory keeps subnormal numbers.
    SubnormalsKept,
    /// One in shared memory flushes them.
    SubnormalsFlushed,
    /// A sum of floats is rounded towards zero.
    SumTruncated,
    /// A lane that no other contends with under `.SPIN` is not selected.
    SpinAloneFails,
}

impl AtomicDeviant {
    /// What an operation of this kind is mistaken for.
    pub fn of(kind: AtomicKind, semantics: &Semantics) -> Self {
        if semantics.is_specification() {
            return Self::No;
        }
        use AtomicKind as K;
        const EXTREMA: &[AtomicKind] = &[K::MinU, K::MinS, K::MaxU, K::MaxS];
        let mistaken: [(Deviation, &[AtomicKind], Self); 14] = [
            (Deviation::AtomIncOffByOne, &[K::Inc], Self::IncOffByOne),
            (Deviation::AtomIncStays, &[K::Inc], Self::IncStays),
            (Deviation::AtomDecIgnoresGreater, &[K::Dec], Self::DecIgnoresGreater),
            (Deviation::AtomIncUnbounded, &[K::Inc, K::Dec], Self::Unbounded),
            (Deviation::AtomCasReturnsNew, &[K::Cas], Self::CasReturnsNew),
            (Deviation::AtomCasAlwaysStores, &[K::Cas], Self::CasAlwaysStores),
            (Deviation::AtomExchKeeps, &[K::Exch], Self::ExchKeeps),
            (Deviation::AtomOrAsXor, &[K::Or], Self::OrAsXor),
            (Deviation::AtomExtremumReturnsNew, EXTREMA, Self::ReturnsNew),
            (Deviation::AtomExchReturnsNew, &[K::Exch], Self::ReturnsNew),
            (Deviation::AtomAddHalves, &[K::Add], Self::Halves),
            (Deviation::AtomSubnormalsKept, &[K::AddF32], Self::SubnormalsKept),
            (Deviation::AtomSubnormalsFlushed, &[K::AddF32], Self::SubnormalsFlushed),
            (Deviation::AtomSumTruncated, &[K::AddF32, K::AddF32Flushed, K::AddF64], Self::SumTruncated),
        ];
        let is_it = |(deviation, kinds, _): &&(Deviation, &[AtomicKind], Self)| {
            kinds.contains(&kind) && semantics.has(*deviation)
        };
        match mistaken.iter().find(is_it) {
            Some((.., deviant)) => *deviant,
            None if kind != K::Cast && semantics.has(Deviation::AtomReturnsZero) => Self::ReturnsZero,
            None if semantics.has(Deviation::AtomConflictsMerged) => Self::LostUpdate,
            None if semantics.has(Deviation::AtomUniformOnce) => Self::UniformOnce,
            None if semantics.has(Deviation::AtomFourWords) => Self::FourWords,
            None => Self::No,
        }
    }

    /// The value after the operation on `size` bytes that hold `old`.
    pub fn apply(self, op: AtomicOp, old: u64, size: usize) -> u64 {
        let bits = u64::MAX >> (64 - 8 * size);
        match (op, self) {
            // The specification: "(old >= b) ? 0 : old + 1".
            (AtomicOp::Inc(b), Self::IncOffByOne) if old > b => 0,
            (AtomicOp::Inc(_), Self::IncOffByOne | Self::Unbounded) => old.wrapping_add(1) & bits,
            (AtomicOp::Inc(b), Self::IncStays) if old >= b & bits => old,
            // The specification: "(old == 0 || old > b) ? b : old - 1".
            (AtomicOp::Dec(b), Self::DecIgnoresGreater) if old == 0 => b,
            (AtomicOp::Dec(_), Self::DecIgnoresGreater | Self::Unbounded) => old.wrapping_sub(1) & bits,
            (AtomicOp::Cas(_, new), Self::CasAlwaysStores) => new & bits,
            (AtomicOp::Exch(_), Self::ExchKeeps) => old,
            (AtomicOp::Or(b), Self::OrAsXor) => old ^ b,
            (AtomicOp::AddF32Flushed(b), Self::SubnormalsKept) => AtomicOp::AddF32(b).apply(old, 4),
            (AtomicOp::AddF32(b), Self::SubnormalsFlushed) => AtomicOp::AddF32Flushed(b).apply(old, 4),
            (AtomicOp::AddF32(b) | AtomicOp::AddF32Flushed(b), Self::SumTruncated) => {
                Layout::F32.add(old, b.into(), Rounding::Rz)
            }
            (AtomicOp::AddF64(b), Self::SumTruncated) => Layout::F64.add(old, b, Rounding::Rz),
            (_, Self::Halves) if size == 8 => {
                let [low, high] = op.halves();
                high.apply(old >> 32, 4) << 32 | low.apply(old & u64::from(u32::MAX), 4)
            }
            _ => op.apply(old, size as u8),
        }
    }

    /// The value that is returned, of the one before and the one after.
    pub fn returned(self, before: u64, after: u64) -> u64 {
        match self {
            Self::CasReturnsNew | Self::ReturnsNew => after,
            Self::ReturnsZero => 0,
            _ => before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_deviant_does_what_it_is_called() {
        let of = |deviation, kind| AtomicDeviant::of(kind, &Semantics::default().with(deviation));
        let applied =
            |deviation, kind: AtomicKind, b, c, old| of(deviation, kind).apply(kind.with(b, c), old, 4);
        use AtomicKind::{Add, AddF32, Cas, Dec, Exch, Inc, MaxU, Or};
        use Deviation as D;
        assert_eq!(AtomicDeviant::of(Inc, &Semantics::default()), AtomicDeviant::No);
        assert_eq!(applied(D::AtomIncOffByOne, Inc, 5, 0, 5), 6);
        assert_eq!(applied(D::AtomIncOffByOne, Inc, 5, 0, 6), 0);
        assert_eq!(applied(D::AtomIncStays, Inc, 5, 0, 5), 5);
        assert_eq!(applied(D::AtomIncStays, Inc, 5, 0, 4), 5);
        assert_eq!(applied(D::AtomIncUnbounded, Inc, 5, 0, 0xFFFF_FFFF), 0);
        assert_eq!(applied(D::AtomIncUnbounded, Dec, 5, 0, 0), 0xFFFF_FFFF);
        assert_eq!(applied(D::AtomDecIgnoresGreater, Dec, 5, 0, 9), 8);
        assert_eq!(applied(D::AtomDecIgnoresGreater, Dec, 5, 0, 0), 5);
        assert_eq!(applied(D::AtomCasAlwaysStores, Cas, 1, 7, 3), 7);
        assert_eq!(applied(D::AtomExchKeeps, Exch, 7, 0, 3), 3);
        assert_eq!(applied(D::AtomOrAsXor, Or, 6, 0, 3), 5);
        assert_eq!(of(D::AtomExtremumReturnsNew, MaxU).returned(3, 9), 9);
        assert_eq!(of(D::AtomCasReturnsNew, Cas).returned(3, 9), 9);
        assert_eq!(of(D::AtomReturnsZero, MaxU).returned(3, 9), 0);
        // An operation of 64 bits as two of 32 loses the carry.
        assert_eq!(AtomicDeviant::Halves.apply(AtomicOp::Add(1), 0xFFFF_FFFF, 8), 0);
        assert_eq!(of(D::AtomIncStays, Exch), AtomicDeviant::No);
        assert_eq!(of(D::AtomExchReturnsNew, Exch).returned(3, 9), 9);
        assert_eq!(of(D::AtomAddHalves, Add).apply(AtomicOp::Add(1), 0xFFFF_FFFF, 8), 0);
        assert_eq!(of(D::AtomAddHalves, Add).apply(AtomicOp::Add(1), 0xFFFF, 4), 0x1_0000);
        assert_eq!(of(D::AtomSubnormalsKept, AddF32).apply(AtomicOp::AddF32Flushed(1), 1, 4), 2);
        assert_eq!(of(D::AtomSubnormalsFlushed, AddF32).apply(AtomicOp::AddF32(1), 1, 4), 0);
        // 1 + 3 · 2⁻²⁵ lies between 1 and 1 + 2⁻²³, nearer to that.
        let (one, little) =
            (1f32.to_bits(), (3.0 / f32::from(2u16.pow(13)) / f32::from(2u16.pow(12))).to_bits());
        assert_eq!(AtomicOp::AddF32(little).apply(one.into(), 4), u64::from(one) + 1);
        assert_eq!(
            of(D::AtomSumTruncated, AddF32).apply(AtomicOp::AddF32(little), one.into(), 4),
            one.into()
        );
        assert_eq!(of(D::AtomConflictsMerged, Dec), AtomicDeviant::LostUpdate);
        assert_eq!(of(D::AtomUniformOnce, Dec), AtomicDeviant::UniformOnce);
        assert_eq!(of(D::AtomFourWords, Dec), AtomicDeviant::FourWords);
    }
}
