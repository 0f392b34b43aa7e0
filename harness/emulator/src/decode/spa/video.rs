//! Video instructions.

use warpdiff_sass::{Mark, Mnemonic as M, Operand};
use warpdiff_semantics::definedness::Bits;
use warpdiff_semantics::numeric::video::{self, ByteDifferences, Ending, Part, Scaled, Second};

use super::super::{Decode, all_or_nothing};
use super::{Spa, WORD};
use crate::operation::Slot;

/// The least exact result that 34 bits do not hold.
const BEYOND: i64 = 1 << 33;

impl Spa<'_> {
    /// Video instructions.
    pub(super) fn video(&mut self) -> Decode {
        if self.has_codes()? {
            return Err(self.unsupported_because("the condition codes of a video instruction"));
        }
        if self.mnemonic() == M::VABSDIFF4 {
            return self.byte_differences();
        }
        let [a, b] = [self.selected_part(1)?, self.selected_part(2)?];
        match self.mnemonic() {
            M::VADD => {
                // The minus before a number is no part of its 16 bits: what is read is the number after it.
                let is_minus = matches!(self.operand(2)?, Operand::Immediate(..0));
                let sign = if is_minus || self.marks(2).has(Mark::Negated) { -1 } else { 1 };
                self.with_ending([a, b], move |v| {
                    let word = if is_minus { v[1].wrapping_neg() } else { v[1] };
                    a.of(v[0]) + sign * b.of(word)
                })
            }
            M::VABSDIFF => self.with_ending([a, b], move |v| (a.of(v[0]) - b.of(v[1])).abs()),
            M::VMNMX => {
                let greater = self.modifier("extreme") != 0;
                self.with_ending([a, b], move |v| {
                    let (a, b) = (a.of(v[0]), b.of(v[1]));
                    if greater { a.max(b) } else { a.min(b) }
                })
            }
            M::VSET => {
                let comparison = self.modifier("comparison");
                self.with_ending([a, b], move |v| {
                    let (a, b) = (a.of(v[0]), b.of(v[1]));
                    i64::from(match comparison {
                        0 => false,
                        1 => a < b,
                        2 => a == b,
                        3 => a <= b,
                        4 => a > b,
                        5 => a != b,
                        6 => a >= b,
                        _ => true,
                    })
                })
            }
            M::VSHL | M::VSHR => {
                let left = self.mnemonic() == M::VSHL;
                let wraps = self.modifier("treatment of large shifts") != 0;
                self.with_ending([a, b], move |v| video::shift(a.of(v[0]), b.of(v[1]) as u32, left, wraps))
            }
            M::VMAD => self.video_product([a, b]),
            _ => Err(self.unsupported()),
        }
    }

    /// What is read of source `n`: its type, and the part that is named.
    fn selected_part(&self, n: usize) -> Decode<Part> {
        let together = self.instruction().modifier_name("types");
        let named = match (together, n) {
            (Some(""), _) => "S32",
            (Some(both), 1) => &both[..3],
            (Some(both), _) => &both[4..],
            (None, 1) => self.instruction().modifier_name("first type").unwrap_or(""),
            (None, _) => self.instruction().modifier_name("second type").unwrap_or(""),
        };
        let is_number = matches!(self.operand(n)?, Operand::Immediate(_));
        let width = match &named[1.min(named.len())..] {
            // A number is a half, also where both types are left out.
            _ if is_number => 16,
            "8" => 8,
            "16" => 16,
            "32" => 32,
            _ => return Err(self.unsupported()),
        };
        let marks = self.marks(n);
        let low = match marks.has(Mark::UpperHalf) {
            true => 16,
            false => 8 * (u32::from(marks.has(Mark::ByteOne)) + 2 * u32::from(marks.has(Mark::ByteTwo))),
        };
        // Both signed are not written; the amount of a shift is unsigned then, too.
        let is_amount = n == 2 && matches!(self.mnemonic(), M::VSHL | M::VSHR);
        Ok(Part { low, width, signed: named.starts_with('S') && !is_amount })
    }

    /// Whether the result is signed, and what is done with it.
    fn ending(&self) -> Ending {
        // `.UD` is printed of an unsigned result, `.SD` of a signed one; that of a comparison is unsigned.
        let signed = self.instruction().modifier("signedness of the result").unwrap_or(0) != 0;
        let limited = self.modifier("saturation") != 0;
        Ending { signed, limited, second: Second::of(self.modifier("second operation")) }
    }

    /// An operation on the parts of the two sources, and what follows it. A shift of which no 34 bits hold the result has one that is
    /// limited in no known way: "to produce a signed 34-bit result" says the PTX manual, and not what becomes of a longer one.
    fn with_ending(
        &mut self,
        parts: [Part; 2],
        exact: impl Fn([u32; 2]) -> i64 + Copy + Send + Sync + 'static,
    ) -> Decode {
        let ending = self.ending();
        let (d, a, b, c) = (self.destination()?, self.unmarked(1)?, self.unmarked(2)?, self.source(3)?);
        let masks = [parts[0].bits(), parts[1].bits()];
        let reads_c = ending.second != Second::None;
        let compute =
            move |v: &[u64; 4]| u64::from(ending.of(exact([v[0] as u32, v[1] as u32]), v[2] as u32));
        let known = move |v: &[Bits; 4]| defined_bits(v, masks, ending.second, reads_c);
        if !ending.limited {
            self.d.lane(d, &[a, b, c], compute, move |v, _| known(v));
            return Ok(());
        }
        self.d.lane_partial(d, &[a, b, c], compute, move |v, _| {
            let result = exact([v[0].value as u32, v[1].value as u32]);
            if (-BEYOND..BEYOND).contains(&result) { known(v) } else { 0 }
        });
        Ok(())
    }

    /// "VMAD".
    fn video_product(&mut self, [a, b]: [Part; 2]) -> Decode {
        let how = Scaled {
            negated_product: self.marks(1).has(Mark::Negated),
            negated_summand: self.marks(3).has(Mark::Negated),
            plus_one: self.instruction().modifier("increment").is_some(),
            scale: [0, 7, 15][usize::from(self.modifier("scale").min(2))],
            limited: self.modifier("saturation") != 0,
        };
        let (d, x, y, c) = (self.destination()?, self.unmarked(1)?, self.unmarked(2)?, self.unmarked(3)?);
        let sources: [Slot; 3] = [x, y, c];
        let masks = [a.bits(), b.bits(), WORD, 0];
        self.d.lane(
            d,
            &sources,
            move |v| {
                let (x, y) = (a.of(v[0] as u32), b.of(v[1] as u32));
                u64::from(video::multiply_add(x, y, v[2] as u32, a.signed || b.signed, how))
            },
            move |v, _| all_or_nothing(v, masks, WORD),
        );
        Ok(())
    }

    /// "VABSDIFF4" of all four bytes, as `vabsdiff4` is compiled to it.
    fn byte_differences(&mut self) -> Decode {
        self.only(&["types", "second operation", "signedness of the result", "saturation"])?;
        let types = self.modifier("types");
        let summed = self.modifier("second operation") != 0;
        let how = ByteDifferences {
            signed: [types & 1 != 0, types & 2 != 0],
            signed_result: self.modifier("signedness of the result") != 0,
            limited: self.modifier("saturation") != 0,
            summed,
        };
        let (d, a, b, c) = (self.destination()?, self.source(1)?, self.source(2)?, self.source(3)?);
        self.d.lane(
            d,
            &[a, b, c],
            move |v| u64::from(video::byte_differences(v[0] as u32, v[1] as u32, v[2] as u32, how)),
            move |v, _| match summed {
                true => all_or_nothing(v, [WORD, WORD, WORD, 0], WORD),
                false => (0..4)
                    .map(|n| 0xFF << (8 * n))
                    .fold(0, |known, byte| known | all_or_nothing(v, [byte, byte, 0, 0], byte)),
            },
        );
        Ok(())
    }
}

/// The defined bits of a result: all or none of what the operation makes, and of a merge those of the third word around it.
fn defined_bits(v: &[Bits; 4], masks: [u64; 2], second: Second, reads_c: bool) -> u64 {
    let known = all_or_nothing(v, [masks[0], masks[1], 0, 0], WORD);
    match second {
        Second::Merge(low, width) => {
            let mask = (WORD >> (32 - width)) << low;
            known & mask | v[2].defined & !mask & WORD
        }
        _ if reads_c => known & all_or_nothing(v, [0, 0, WORD, 0], WORD),
        _ => known,
    }
}
