//! Which bits are undefined because they come from values specified only within an error bound.
//!
//! The result of `sin.approx` has undefined bits: those in which the numbers within the documented error differ. While the value is
//! only moved, stored and loaded, its interval is kept, and the final memory contents are checked against it. Values computed from
//! it are undefined like any result of undefined bits, but their origin is recorded, because a case may state a tolerance between
//! target and reference.
//!
//! This information supplements the shadow of undefined bits and never replaces it: a value that loses it is undefined.

use crate::numeric::bound::{Document, Interval};

const NONE: u8 = 0;
const DERIVED: u8 = 1;
/// The number of the first document.
const FIRST: u8 = 2;
/// What `RRO` makes of an argument of `MUFU`.
const REDUCED_ANGLE: u8 = 200;
const REDUCED_EXPONENT: u8 = 201;
/// A byte other than the first of a value.
const FURTHER: u8 = u8::MAX;

/// Bytes of a value with an interval: a binary32.
const SIZE: usize = 4;

/// What `RRO` prepares an argument for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// `MUFU.SIN`, `MUFU.COS`.
    Angle,
    /// `MUFU.EX2`.
    Exponent,
}

/// Information about the undefined bits of a register in a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doubt {
    kind: u8,
    /// Whether values computed from this one count as equal to the reference's result.
    open: bool,
    least: u32,
    greatest: u32,
}

impl Doubt {
    /// Nothing: they are anything.
    pub const NONE: Doubt = Doubt { kind: NONE, open: false, least: 0, greatest: 0 };
    /// Derived from values specified within a bound, or from approximations without one; the value is the reference's result.
    pub const DERIVED: Doubt = Doubt { kind: DERIVED, open: false, least: 0, greatest: 0 };

    /// The low 32 bits are a number of this interval.
    #[inline]
    pub fn within(interval: Interval) -> Self {
        Self {
            kind: FIRST + interval.by as u8,
            open: false,
            least: interval.least,
            greatest: interval.greatest,
        }
    }

    /// The argument of a function of `MUFU` as `RRO` prepares it. In what form that is no source says: the register holds the argument itself,
    /// all bits undefined, and the function alone takes it.
    #[inline]
    pub fn reduced(by: Reduction) -> Self {
        let kind = match by {
            Reduction::Angle => REDUCED_ANGLE,
            Reduction::Exponent => REDUCED_EXPONENT,
        };
        Self { kind, ..Self::NONE }
    }

    /// The function that the value has been prepared for.
    #[inline]
    pub fn reduction(self) -> Option<Reduction> {
        match self.kind {
            REDUCED_ANGLE => Some(Reduction::Angle),
            REDUCED_EXPONENT => Some(Reduction::Exponent),
            _ => None,
        }
    }

    /// The same, but values computed from this one count as the reference's result.
    #[inline]
    #[must_use]
    pub fn opened(self) -> Self {
        Self { open: true, ..self }
    }

    /// Whether values computed from this one count as the reference's result.
    #[inline]
    pub fn is_open(self) -> bool {
        self.open
    }

    /// Whether nothing is known.
    #[inline]
    pub fn is_none(self) -> bool {
        matches!(self.kind, NONE | REDUCED_ANGLE | REDUCED_EXPONENT)
    }

    /// The interval that the low 32 bits are in.
    #[inline]
    pub fn interval(self) -> Option<Interval> {
        let by = document(self.kind)?;
        Some(Interval { least: self.least, greatest: self.greatest, by })
    }

    /// What is known of bits that were taken out of the value.
    #[inline]
    #[must_use]
    pub fn of_part(self) -> Self {
        if self.is_none() { Self::NONE } else { Self::DERIVED }
    }
}

fn document(kind: u8) -> Option<Document> {
    Document::ALL.get(usize::from(kind.checked_sub(FIRST)?)).copied()
}

/// Information about the undefined bits of a byte in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    kind: u8,
    least: u8,
    greatest: u8,
}

impl Trace {
    /// Nothing.
    pub const NONE: Trace = Trace { kind: NONE, least: 0, greatest: 0 };

    /// Whether nothing is known.
    #[inline]
    pub fn is_none(self) -> bool {
        self.kind == NONE
    }
}

/// Notes the doubt of a stored value in the traces of its bytes.
pub fn put(traces: &mut [Trace], doubt: Doubt) {
    let whole = traces.len() == SIZE && doubt.interval().is_some();
    let (least, greatest) = (doubt.least.to_le_bytes(), doubt.greatest.to_le_bytes());
    for (n, trace) in traces.iter_mut().enumerate() {
        *trace = match whole {
            true => {
                let kind = if n == 0 { doubt.kind } else { FURTHER };
                Trace { kind, least: least[n], greatest: greatest[n] }
            }
            false => Trace { kind: doubt.of_part().kind, least: 0, greatest: 0 },
        };
    }
}

/// The interval of the value that begins with these traces, if one does and all of it is still there.
pub fn interval(traces: &[Trace]) -> Option<Interval> {
    let traces: &[Trace; SIZE] = traces.first_chunk()?;
    let by = document(traces[0].kind)?;
    if traces[1..].iter().any(|trace| trace.kind != FURTHER) {
        return None;
    }
    let bits = |of: fn(&Trace) -> u8| u32::from_le_bytes(std::array::from_fn(|n| of(&traces[n])));
    Some(Interval { least: bits(|trace| trace.least), greatest: bits(|trace| trace.greatest), by })
}

/// The doubt of a loaded value of which these bytes are `undefined`.
pub fn get(traces: &[Trace], undefined: u64) -> Doubt {
    if traces.len() == SIZE
        && let Some(interval) = interval(traces)
    {
        return Doubt::within(interval);
    }
    let known = (0..).zip(traces).all(|(n, trace)| undefined >> (8 * n) & 0xFF == 0 || !trace.is_none());
    if known && undefined != 0 { Doubt::DERIVED } else { Doubt::NONE }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Interval = Interval { least: 0x3f7f_ffff, greatest: 0x3f80_0001, by: Document::Rcp };

    #[test]
    fn every_document_has_its_number() {
        for (n, document) in (0..).zip(Document::ALL) {
            assert_eq!(document as u8, n);
            assert_eq!(Doubt::within(Interval { by: document, ..INTERVAL }).interval().unwrap().by, document);
        }
    }

    #[test]
    fn a_value_keeps_its_interval_in_memory_until_some_of_it_is_overwritten() {
        let mut memory = [Trace::NONE; 12];
        put(&mut memory[4..8], Doubt::within(INTERVAL));
        assert_eq!(interval(&memory[4..]), Some(INTERVAL));
        assert_eq!(get(&memory[4..8], u64::MAX), Doubt::within(INTERVAL));
        // Parts of it are undefined bits of which only the origin is known.
        assert_eq!(get(&memory[4..6], 0xFFFF), Doubt::DERIVED);
        assert_eq!(get(&memory[0..8], 0xFFFF_FFFF << 32), Doubt::DERIVED);
        for at in 4..8 {
            let mut damaged = memory;
            damaged[at] = Trace::NONE;
            assert_eq!(interval(&damaged[4..]), None, "byte {at}");
            let mut other = memory;
            put(&mut other[at..at + 4], Doubt::within(Interval { by: Document::Sin, ..INTERVAL }));
            assert_ne!(interval(&other[4..]), Some(INTERVAL), "another value from byte {at}");
        }
    }

    #[test]
    fn a_prepared_argument_tells_nothing_but_what_it_is_for() {
        for by in [Reduction::Angle, Reduction::Exponent] {
            let doubt = Doubt::reduced(by);
            assert_eq!(doubt.reduction(), Some(by));
            assert!(doubt.is_none() && doubt.interval().is_none() && !doubt.is_open());
            assert_eq!(doubt.of_part(), Doubt::NONE);
            let mut memory = [Trace::NONE; 4];
            put(&mut memory, doubt);
            assert_eq!(get(&memory, u64::MAX), Doubt::NONE);
        }
        assert_eq!(Doubt::within(INTERVAL).reduction(), None);
    }

    #[test]
    fn a_value_of_another_size_has_no_interval() {
        let mut memory = [Trace::NONE; 8];
        put(&mut memory, Doubt::within(INTERVAL));
        assert_eq!(interval(&memory), None);
        assert_eq!(get(&memory, u64::MAX), Doubt::DERIVED);
        assert_eq!(get(&[Trace::NONE; 4], 1), Doubt::NONE);
    }
}
