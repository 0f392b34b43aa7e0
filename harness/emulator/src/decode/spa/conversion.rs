//! Conversions: `I2F`, `F2I`, `F2F`.

use warpdiff_model::Choice;
use warpdiff_sass::{Mark, Mnemonic as M, Operand};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::convert::{self, Format, Integer, IntegerRounding, NanRule};
use warpdiff_semantics::numeric::spa_convert;

use super::super::{Decode, float_rule};
use super::Spa;
use crate::operation::{Class, Slot};

/// Bit range of a number that a conversion reads: first bit and length.
#[derive(Clone, Copy)]
struct Part {
    low: u32,
    width: u32,
}

impl Part {
    fn of(self, value: u64) -> u64 {
        value >> self.low & u64::MAX >> (64 - self.width)
    }

    /// The part of what is known of a value; the bits above it are known zeros.
    fn bits(self, bits: Bits) -> Bits {
        let above = if self.width == 64 { 0 } else { u64::MAX << self.width };
        Bits { value: self.of(bits.value), defined: bits.defined >> self.low | above }
    }
}

impl Spa<'_> {
    /// Conversions to and from floating-point numbers.
    pub(super) fn conversion(&mut self) -> Decode {
        match self.mnemonic() {
            M::I2F => self.integer_to_float(),
            M::F2I => self.float_to_integer(),
            M::F2F => self.float_to_float(),
            M::I2I => self.resize(),
            _ => Err(self.unsupported()),
        }
    }

    /// The name of a type as it is written: `F32`, `S16`.
    fn type_name(&self, role: &str) -> Decode<&'static str> {
        self.instruction().modifier_name(role).ok_or_else(|| self.unsupported())
    }

    fn format(&self, role: &str) -> Decode<Format> {
        match self.type_name(role)? {
            "F16" => Ok(Format::F16),
            "F32" => Ok(Format::F32),
            "F64" => Ok(Format::F64),
            _ => Err(self.unsupported()),
        }
    }

    pub(super) fn integer(&self, role: &str) -> Decode<Integer> {
        let name = self.type_name(role)?;
        let width = name.get(1..).and_then(|digits| digits.parse().ok());
        match width {
            Some(width @ (8 | 16 | 32 | 64)) => Ok(Integer { signed: name.starts_with('S'), width }),
            _ => Err(self.unsupported()),
        }
    }

    /// The source, in as many registers as its type has, and which bits of it are read.
    fn converted(&mut self, width: u32, is_float: bool) -> Decode<(Slot, Part)> {
        let marks = self.marks(1);
        let low = match () {
            () if marks.has(Mark::UpperHalf) => 16,
            () => 8 * (u32::from(marks.has(Mark::ByteOne)) + 2 * u32::from(marks.has(Mark::ByteTwo))),
        };
        if low + width > 32 && low != 0 {
            return Err(self.unsupported_because("a part that goes beyond the register"));
        }
        let source = match (width, self.operand(1)?) {
            // It is the upper word, as with doubles: ptxas 12.9 divides by 0x300000000 with `I2F.F32.U64.RP R8, 0x3`.
            (64, Operand::Immediate(number)) if !is_float => {
                self.d.constant(Class::Wide, u64::from(number as u32) << 32)
            }
            (16, Operand::Half(bits)) if is_float && low == 0 => {
                self.d.constant(Class::Narrow, u64::from(bits))
            }
            (64, _) => self.double(1)?,
            _ => self.unmarked(1)?,
        };
        Ok((source, Part { low, width }))
    }

    /// "I2F".
    fn integer_to_float(&mut self) -> Decode {
        let (from, to, rounding) =
            (self.integer("source type")?, self.format("destination type")?, self.rounding());
        let (a, part) = self.converted(from.width, false)?;
        let (absolute, negated) = (self.marks(1).has(Mark::Absolute), self.marks(1).has(Mark::Negated));
        if (absolute || negated) && !from.signed {
            return Err(self.unsupported_because("the sign of an unsigned integer: yuzu and Ryujinx differ"));
        }
        let compute = move |v: &[u64; 4]| {
            spa_convert::integer_to_float(part.of(v[0]), (absolute, negated), from, to, rounding)
        };
        let bits = u64::MAX >> (64 - to.layout().width());
        self.float_result(a, to, compute, move |v, _| if part.bits(v[0]).is_known(64) { bits } else { 0 })
    }

    /// "F2I": the result is the nearest of its type; what a NaN becomes is open where the editions of the PTX manual differ.
    fn float_to_integer(&mut self) -> Decode {
        let (from, to) = (self.format("source type")?, self.integer("destination type")?);
        let ftz = self.modifier("flushing") != 0;
        let modes = [IntegerRounding::Rni, IntegerRounding::Rmi, IntegerRounding::Rpi, IntegerRounding::Rzi];
        let rounding = modes[usize::from(self.modifier("rounding") & 3)];
        let older = self.d.semantics.assignment.get(Choice::ConvertNanWide) == 1;
        let rule = if older { NanRule::Older } else { NanRule::Current };
        let sign = self.sign_of_source(from);
        let (a, part) = self.converted(from.layout().width(), true)?;
        if !NanRule::is_settled(from, to) {
            self.d.consult_next(Choice::ConvertNanWide, move |v| from.layout().is_nan(part.of(v[0])));
        }
        // An integer of 16 bits fills the register by its sign: ptxas stores the result of `F2I.S16` as one of 32 bits.
        let extend = move |value: u64| match to {
            Integer { signed: true, width: 16 } => value as u16 as i16 as u32 as u64,
            _ => value,
        };
        let compute = move |v: &[u64; 4]| {
            extend(convert::float_to_integer(sign(part.of(v[0])), from, to, rounding, ftz, rule))
        };
        let bits = u64::MAX >> (64 - to.width.max(32));
        let defined = move |v: &[Bits; 4], _: u64| {
            float_rule(&[part.bits(v[0]), v[1], v[2], v[3]], 1, from.layout(), bits)
        };
        if to.width == 64 {
            let wide = self.d.temporary(Class::Wide);
            self.d.lane(wide, &[a], compute, defined);
            return self.store_pair(wide);
        }
        let d = self.destination()?;
        self.d.lane(d, &[a], compute, defined);
        Ok(())
    }

    /// "F2F".
    fn float_to_float(&mut self) -> Decode {
        let (from, to) = (self.format("source type")?, self.format("destination type")?);
        let (ftz, sat) = (self.modifier("flushing") != 0, self.modifier("saturation") != 0);
        let widths = [from, to].map(|format| format.layout().width());
        if widths == [16, 64] || widths == [64, 16] {
            return Err(
                self.unsupported_because("halves and doubles: Ryujinx and NAK call the combination invalid")
            );
        }
        if sat && to == Format::F64 {
            return Err(self.unsupported_because("a saturated double"));
        }
        let whole = self.instruction().modifier("whole number");
        let modes = [IntegerRounding::Rni, IntegerRounding::Rmi, IntegerRounding::Rpi, IntegerRounding::Rzi];
        let whole = whole.map(|value| modes[usize::from(value & 3)]);
        let towards_infinity = matches!(whole, Some(IntegerRounding::Rmi | IntegerRounding::Rpi));
        if ftz && from == Format::F16 && to == from && (whole.is_none() || towards_infinity) {
            return Err(self.unsupported_because("whether subnormal halves are flushed is not known"));
        }
        let (rounding, sign) = (self.rounding(), self.sign_of_source(from));
        let (a, part) = self.converted(from.layout().width(), true)?;
        let convert = move |value: u64| {
            let value = sign(part.of(value));
            match from == to {
                true => spa_convert::within(value, from, whole, ftz, sat),
                false => spa_convert::between(value, from, to, rounding, sat),
            }
        };
        let converted = convert.clone();
        self.float_result(
            a,
            to,
            move |v| convert(v[0]).0,
            move |v, _| {
                let source = part.bits(v[0]);
                let passed_on = definedness::float::passed_on(&[source], from.layout());
                let defined = converted(v[0].value).1;
                let defined = if from == to { defined & passed_on } else { defined };
                float_rule(&[source, v[1], v[2], v[3]], 1, from.layout(), defined)
            },
        )
    }

    /// What the marks of the source do to a floating-point number.
    fn sign_of_source(&self, from: Format) -> impl Fn(u64) -> u64 + Clone + Send + Sync + 'static {
        let (absolute, negated) = (self.marks(1).has(Mark::Absolute), self.marks(1).has(Mark::Negated));
        let bit = from.layout().sign();
        move |value| {
            let value = if absolute { value & !bit } else { value };
            if negated { value ^ bit } else { value }
        }
    }

    /// Puts a floating-point number into the destination; one of 16 bits with zeros above.
    fn float_result(
        &mut self,
        a: Slot,
        to: Format,
        compute: impl Fn(&[u64; 4]) -> u64 + Send + Sync + 'static,
        rule: impl Fn(&[Bits; 4], u64) -> u64 + Send + Sync + 'static,
    ) -> Decode {
        if to == Format::F64 {
            let wide = self.d.temporary(Class::Wide);
            self.d.lane_partial(wide, &[a], compute, rule);
            return self.store_pair(wide);
        }
        let d = self.destination()?;
        let above = if to == Format::F16 { 0xffff_0000 } else { 0 };
        self.d.lane_partial(d, &[a], compute, move |v, result| rule(v, result) | above);
        Ok(())
    }
}
