//! Conversions of integers to other integers: `I2I`.

use warpdiff_sass::Mark;
use warpdiff_semantics::definedness::Bits;
use warpdiff_semantics::numeric::video::{self, Part};

use super::super::Decode;
use super::Spa;
use crate::operation::{Class, Code};

impl Spa<'_> {
    /// "I2I": a part of the source, extended by its own sign, its magnitude, its negative; cut to the size of the destination, or with
    /// `.SAT` the nearest that it can hold.
    ///
    /// The bits above a destination of 8 or 16 bits are undefined: no source says what they are, and ptxas 12.9 does not rely on them
    /// (it follows `I2I.S8.S32.SAT` by a sign extension, `I2I.U8.S32.SAT` by `LOP32I.AND`). Of `I2I.S16.S8` alone it does: that is all of
    /// `cvt.u32.u16` of an extended byte, so that they are zero.
    pub(super) fn resize(&mut self) -> Decode {
        let (from, to) = (self.integer("source type")?, self.integer("destination type")?);
        let marks = self.marks(1);
        let low = match marks.has(Mark::UpperHalf) {
            true => 16,
            false => 8 * (u32::from(marks.has(Mark::ByteOne)) + 2 * u32::from(marks.has(Mark::ByteTwo))),
        };
        if low + from.width > 32 {
            return Err(self.unsupported_because("a part that goes beyond the register"));
        }
        let part = Part { low, width: from.width, signed: from.signed };
        let (absolute, negated) = (marks.has(Mark::Absolute), marks.has(Mark::Negated));
        let limited = self.modifier("saturation") != 0;
        let source = self.unmarked(1)?;
        let exact = move |word: u32| {
            let number = part.of(word);
            let number = if absolute { number.abs() } else { number };
            if negated { -number } else { number }
        };
        let kept = u64::MAX >> (64 - to.width);
        let convert = move |word: u64| {
            let number = exact(word as u32);
            (if limited { video::limit(number, to.signed, to.width) } else { number }) as u64 & kept
        };
        let result = self.d.temporary(Class::Narrow);
        let is_copy = !(absolute || negated || limited);
        let is_zero_above = is_copy && (from.width, to.width) == (8, 16) && from.signed && to.signed;
        let above = if is_zero_above { !kept & u64::from(u32::MAX) } else { 0 };
        let known = move |bits: Bits| match () {
            // A copy of the undefined bits, sign and all.
            () if is_copy => !(part.of(!bits.defined as u32) as u64) & kept | above,
            () if bits.defined & part.bits() == part.bits() => kept,
            () => 0,
        };
        if to.width == 32 || is_zero_above {
            self.d.lane(result, &[source], move |v| convert(v[0]), move |v, _| known(v[0]));
        } else {
            self.d.lane_partial(result, &[source], move |v| convert(v[0]), move |v, _| known(v[0]));
        }
        if self.has_codes()? {
            // `CSETP.LT` stands behind `I2I.S32.S32 RZ.CC` in `abs.s64`, so that V is clear; of other forms no source says it.
            let is_plain = is_copy && from.width == 32 && to.width == 32;
            if to.width < 32 {
                return Err(self.unsupported_because("the condition codes of a part of a register"));
            }
            self.keep_result_codes(result, is_plain.then_some(false));
        }
        let d = self.written_register()?;
        self.d.emit(Code::MovN, d.index, [result.index, 0, 0], 0);
        Ok(())
    }
}
