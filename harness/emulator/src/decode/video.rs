//! Scalar video instructions (PTX ISA 9.7.18): an operation on parts of two words, a limit, and a second operation with a third word or a
//! merge into it.

use warpdiff_model::Deviation;
use warpdiff_ptx::checked::{Immediate, Operand};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::definedness::Bits;
use warpdiff_semantics::numeric::video::{self, Ending, Part, Scaled, Second};

use super::{Decode, Decoder, all_or_nothing};
use crate::operation::{Class, Slot};

/// All bits of a register.
const WORD: u64 = 0xFFFF_FFFF;

/// A source: the register, what is read of it, and whether it is negated.
type Source = (Slot, Part, bool);

impl Decoder<'_> {
    /// Video instructions.
    pub(super) fn video(&mut self) -> Decode {
        if self.instruction.opcode == Opcode::Vmad {
            return self.video_product();
        }
        // `vset` has the types of its sources alone; its result is a number without a sign.
        let is_comparison = self.instruction.opcode == Opcode::Vset;
        let (result, first) = if is_comparison { (Type::U32, 0) } else { (self.ty(0)?, 1) };
        let (a_type, b_type) = (self.ty(first)?, self.ty(first + 1)?);
        let [(a, a_part, _), (b, b_part, _)] = [self.part_of(1, a_type)?, self.part_of(2, b_type)?];
        let (d, merged) = match *self.operand(0)? {
            Operand::Part { id, low, width, .. } => (self.register(id), Some((low, width))),
            _ => (self.destination(0, result)?, None),
        };
        let second = match merged {
            Some((low, width)) => Second::Merge(low, width),
            None if self.has(Modifier::Add) => Second::Add,
            None if self.has(Modifier::Min) => Second::Min,
            None if self.has(Modifier::Max) => Second::Max,
            None => Second::None,
        };
        let limited = self.has(Modifier::Sat);
        let ending = Ending { signed: result.is_signed(), limited, second };
        let c = match second {
            Second::None => self.constant(Class::Narrow, 0),
            _ => self.source(3, result)?,
        };
        let first_operation = self.first_operation()?;
        let exact = move |a: u32, b: u32| first_operation(a_part.of(a), b_part.of(b));
        let masks = [a_part.bits(), b_part.bits()];
        let compute = move |v: &[u64; 4]| u64::from(ending.of(exact(v[0] as u32, v[1] as u32), v[2] as u32));
        let rule = move |v: &[Bits; 4], _: u64| {
            // "vshl: … to produce a signed 34-bit result": what limits a longer one is not said.
            let result = exact(v[0].value as u32, v[1].value as u32);
            if limited && !(-(1 << 33)..1 << 33).contains(&result) {
                return 0;
            }
            let known = all_or_nothing(v, [masks[0], masks[1], 0, 0], WORD);
            match second {
                Second::Merge(low, width) => {
                    let place = (WORD >> (32 - width)) << low;
                    known & place | v[2].defined & !place & WORD
                }
                Second::None => known,
                _ => known & all_or_nothing(v, [0, 0, WORD, 0], WORD),
            }
        };
        self.lane_partial(d, &[a, b, c], compute, rule);
        Ok(())
    }

    /// The exact result of the first operation, by the two sources as numbers.
    fn first_operation(&self) -> Decode<fn(i64, i64) -> i64> {
        let wraps = self.has(Modifier::Wrap);
        Ok(match self.instruction.opcode {
            Opcode::Vadd => |a, b| a + b,
            Opcode::Vsub => |a, b| a - b,
            Opcode::Vabsdiff => |a, b| (a - b).abs(),
            Opcode::Vmin => |a, b| a.min(b),
            Opcode::Vmax => |a, b| a.max(b),
            Opcode::Vshl if wraps => |a, b| video::shift(a, b as u32, true, true),
            Opcode::Vshl => |a, b| video::shift(a, b as u32, true, false),
            Opcode::Vshr if wraps => |a, b| video::shift(a, b as u32, false, true),
            Opcode::Vshr => |a, b| video::shift(a, b as u32, false, false),
            Opcode::Vset if self.has(Modifier::Eq) => |a, b| i64::from(a == b),
            Opcode::Vset if self.has(Modifier::Ne) => |a, b| i64::from(a != b),
            Opcode::Vset if self.has(Modifier::Lt) => |a, b| i64::from(a < b),
            Opcode::Vset if self.has(Modifier::Le) => |a, b| i64::from(a <= b),
            Opcode::Vset if self.has(Modifier::Gt) => |a, b| i64::from(a > b),
            Opcode::Vset if self.has(Modifier::Ge) => |a, b| i64::from(a >= b),
            _ => return Err(self.unsupported()),
        })
    }

    /// Source operand `n` as a part; a constant is a whole word.
    fn part_of(&mut self, n: usize, ty: Type) -> Decode<Source> {
        let (operand, signed) = (self.operand(n)?, ty.is_signed());
        match *operand {
            Operand::Part { id, low, width, negated } => {
                let register = Operand::Register { id, negated: false };
                Ok(match self.constant_in_word(n, &register, ty, width < 32) {
                    Some(constant) => (constant, Part { low: 0, width: 32, signed }, negated),
                    None => (self.register(id), Part { low, width, signed }, negated),
                })
            }
            _ => {
                let constant = self.constant_in_word(n, operand, ty, false);
                let source = constant.map_or_else(|| self.source(n, ty), Ok)?;
                Ok((source, Part { low: 0, width: 32, signed }, false))
            }
        }
    }

    /// What ptxas makes of a constant second source that it puts into the machine word, under [`Deviation::PtxasVideoConstant`], and of a part of one, under
    /// [`Deviation::PtxasConstantPart`]. `vset` has a word of its own.
    fn constant_in_word(&mut self, n: usize, operand: &Operand, ty: Type, is_part: bool) -> Option<Slot> {
        let deviation = if is_part { Deviation::PtxasConstantPart } else { Deviation::PtxasVideoConstant };
        let concerned = n == 2 && self.instruction.opcode != Opcode::Vset && self.deviates(deviation);
        let result = self.instruction.types.first().filter(|_| concerned)?;
        let constant = self.written.passed_word(operand, ty)?;
        let in_word = video::constant_in_word(constant, result.is_signed(), ty.is_signed())?;
        Some(self.constant(Class::Narrow, in_word.into()))
    }

    /// "vmad": the product, the third word with the sign that the others give it, and a shift to the right. Signs of both factors cancel
    /// ("a.negate ^ b.negate"), and one that is negated is a signed number.
    fn video_product(&mut self) -> Decode {
        let types = [self.ty(0)?, self.ty(1)?, self.ty(2)?];
        let (a, a_part, a_negated) = self.part_of(1, types[1])?;
        let (b, b_part, b_negated) = self.part_of(2, types[2])?;
        let (c, _, c_negated) = self.part_of(3, types[0])?;
        // The constant first factor takes the minus sign of the other, as a word.
        let negative = match self.operand(1)? {
            Operand::Immediate(Immediate::Integer { bits, .. }) if b_negated => {
                Some((*bits as u32).wrapping_neg())
            }
            _ => None,
        };
        let negative = negative.filter(|_| self.deviates(Deviation::PtxasNegatedFactor));
        let b_negated = b_negated && negative.is_none();
        let a = negative.map_or(a, |word| self.constant(Class::Narrow, word.into()));
        let d = self.destination(0, types[0])?;
        let scale = 7 * u32::from(self.has(Modifier::Shr7)) + 15 * u32::from(self.has(Modifier::Shr15));
        let how = Scaled {
            negated_product: a_negated != b_negated,
            negated_summand: c_negated,
            plus_one: self.has(Modifier::Po),
            scale,
            limited: self.has(Modifier::Sat),
        };
        if how.negated_product && how.negated_summand {
            return Err(self.unsupported_because("a negated product less a summand"));
        }
        let signed = a_part.signed || b_part.signed;
        let masks = [a_part.bits(), b_part.bits(), WORD, 0];
        self.lane(
            d,
            &[a, b, c],
            move |v| {
                let (a, b) = (a_part.of(v[0] as u32), b_part.of(v[1] as u32));
                u64::from(video::multiply_add(a, b, v[2] as u32, signed, how))
            },
            move |v, _| all_or_nothing(v, masks, WORD),
        );
        Ok(())
    }
}
