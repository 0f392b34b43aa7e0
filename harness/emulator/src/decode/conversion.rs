//! Moves and conversions.

use warpdiff_model::{Choice, Deviation};
use warpdiff_ptx::checked::Operand;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::definedness;
use warpdiff_semantics::numeric::convert::{self, Format, Integer, IntegerRounding, NanRule, sign_extend};
use warpdiff_semantics::numeric::half::Kind;
use warpdiff_semantics::numeric::nan;

use super::{Decode, Decoder, all_or_nothing, bits_of, float_rule};
use crate::operation::{Class, Code, Slot};

impl Decoder<'_> {
    /// Moves and conversions.
    pub(super) fn conversion(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::Mov => self.mov(),
            Opcode::Cvt => self.cvt(),
            _ => Err(self.unsupported()),
        }
    }

    /// `mov`, also to and from vectors.
    fn mov(&mut self) -> Decode {
        let ty = self.ty(0)?;
        match (self.operand(0)?, self.operand(1)?) {
            (Operand::Vector(to), Operand::Vector(from)) => self.move_elements(ty, to, from),
            (Operand::Vector(parts), source) => self.unpack(ty, parts, source),
            (_, Operand::Vector(parts)) => self.pack(ty, parts),
            (_, source) => {
                let d = self.destination(0, ty)?;
                let a = self.source_operand(source, ty)?;
                self.copy(d, a);
                Ok(())
            }
        }
    }

    /// `mov.v2` and `mov.v4`: every element is read before any is written.
    fn move_elements(&mut self, ty: Type, to: &[Operand], from: &[Operand]) -> Decode {
        let mut read = Vec::with_capacity(from.len());
        for element in from {
            let source = self.source_operand(element, ty)?;
            let kept = self.temporary(source.class);
            self.copy(kept, source);
            read.push(kept);
        }
        for (element, value) in to.iter().zip(read) {
            if *element != Operand::Sink {
                let destination = self.destination_operand(element, ty)?;
                self.copy(destination, value);
            }
        }
        Ok(())
    }

    /// A copy within a class, or widening or truncating.
    fn copy(&mut self, d: Slot, a: Slot) {
        let a = self.in_class(a, d.class);
        let code = [Code::MovN, Code::MovW, Code::MovP][d.class as usize];
        self.emit(code, d.index, [a.index, 0, 0], 0);
    }

    /// `mov.b64 %rd, {%r1, %r2}`: the first element is the least significant.
    fn pack(&mut self, ty: Type, parts: &[Operand]) -> Decode {
        let part = self.part_type(ty, parts.len())?;
        let d = self.destination(0, ty)?;
        let sources =
            parts.iter().map(|operand| self.source_operand(operand, part)).collect::<Decode<Vec<_>>>()?;
        let (width, mask, count) = (8 * part.size(), bits_of(part), parts.len());
        self.lane(
            d,
            &sources,
            move |v| (0..count).fold(0, |all, n| all | (v[n] & mask) << (width * n as u32)),
            move |v, _| (0..count).fold(0, |all, n| all | (v[n].defined & mask) << (width * n as u32)),
        );
        Ok(())
    }

    fn unpack(&mut self, ty: Type, parts: &[Operand], source: &Operand) -> Decode {
        let part = self.part_type(ty, parts.len())?;
        let a = self.source_operand(source, ty)?;
        let (width, mask) = (8 * part.size(), bits_of(part));
        for (n, operand) in parts.iter().enumerate() {
            if *operand == Operand::Sink {
                continue;
            }
            let d = self.destination_operand(operand, part)?;
            // A destination can be the source of the next element only if the classes agree, which the sizes exclude.
            let shift = width * n as u32;
            self.lane(d, &[a], move |v| v[0] >> shift & mask, move |v, _| v[0].defined >> shift & mask);
        }
        Ok(())
    }

    fn part_type(&self, ty: Type, count: usize) -> Decode<Type> {
        match (ty.size(), count) {
            (2, 2) => Ok(Type::B8),
            (4, 2) => Ok(Type::B16),
            (8, 2) => Ok(Type::B32),
            (4, 4) => Ok(Type::B8),
            (8, 4) => Ok(Type::B16),
            _ => Err(self.unsupported_because("this vector")),
        }
    }

    /// `cvt`.
    fn cvt(&mut self) -> Decode {
        let (to, from) = (self.ty(0)?, self.ty(1)?);
        if self.instruction.operands.len() != 2 || self.instruction.types.len() != 2 {
            return Err(self.unsupported());
        }
        let unknown = [Modifier::Relu, Modifier::Satfinite, Modifier::Rna, Modifier::Rs];
        if unknown.iter().any(|word| self.has(*word)) {
            return Err(self.unsupported());
        }
        let d = self.destination(0, to)?;
        let operand = self.operand(1)?;
        let a = match operand {
            Operand::Register { .. } | Operand::Component { .. } => self.source_any(operand, from)?,
            _ => self.source(1, from)?,
        };
        match (float_format(to), float_format(from), is_integer(to), is_integer(from)) {
            (None, None, true, true) => self.integer_to_integer(d, a, to, from),
            (Some(to), None, _, true) => self.integer_to_float(d, a, to, from),
            (None, Some(from), true, _) => self.float_to_integer(d, a, to, from),
            (Some(to), Some(from), ..) => self.float_to_float(d, a, to, from),
            _ => Err(self.unsupported()),
        }
    }

    pub(super) fn integer_to_integer(&mut self, d: Slot, a: Slot, to: Type, from: Type) -> Decode {
        let sat = self.has(Modifier::Sat);
        let fast = match (from.size(), to.size(), from.is_signed()) {
            _ if sat => None,
            (4, 4, _) if a.class == d.class => Some(Code::MovN),
            (8, 8, _) => Some(Code::MovW),
            (4, 8, false) if a.class == Class::Narrow => Some(Code::ZextNW),
            (4, 8, true) if a.class == Class::Narrow => Some(Code::SextNW),
            (8, 4, _) if a.class == Class::Wide && d.class == Class::Narrow => Some(Code::TruncWN),
            _ => None,
        };
        if let Some(code) = fast {
            self.emit(code, d.index, [a.index, 0, 0], 0);
            return Ok(());
        }
        let (source, target) = (integer_of(from), integer_of(to));
        // "If the destination register is wider than the type, the value is sign- or zero-extended."
        let register = register_bits(d.class);
        let from_mask = bits_of(from);
        let extend = move |value: u64| extended(value, to, register);
        self.lane(
            d,
            &[a],
            move |v| extend(convert::integer_to_integer(v[0] & from_mask, source, target, sat)),
            move |v, _| {
                let defined = definedness::convert_integer(v[0], source, target, sat);
                extended_mask(defined, to, register)
            },
        );
        Ok(())
    }

    fn integer_to_float(&mut self, d: Slot, a: Slot, to: Format, from: Type) -> Decode {
        let (rounding, sat, source, mask) =
            (self.rounding(), self.has(Modifier::Sat), integer_of(from), bits_of(from));
        let all = format_bits(to);
        self.lane(
            d,
            &[a],
            move |v| convert::integer_to_float(v[0] & mask, source, to, rounding, sat),
            move |v, _| all_or_nothing(v, [mask, 0, 0, 0], all),
        );
        Ok(())
    }

    fn integer_rounding(&self) -> IntegerRounding {
        if self.has(Modifier::Rni) && self.deviates(Deviation::CvtRniHalfAway) {
            return IntegerRounding::HalfAway;
        }
        let modes = [
            (Modifier::Rni, IntegerRounding::Rni),
            (Modifier::Rmi, IntegerRounding::Rmi),
            (Modifier::Rpi, IntegerRounding::Rpi),
        ];
        modes.iter().find(|(word, _)| self.has(*word)).map_or(IntegerRounding::Rzi, |(_, mode)| *mode)
    }

    fn float_to_integer(&mut self, d: Slot, a: Slot, to: Type, from: Format) -> Decode {
        let (rounding, ftz, target) = (self.integer_rounding(), self.has(Modifier::Ftz), integer_of(to));
        let (mask, register) = (format_bits(from), register_bits(d.class));
        let older = self.semantics.assignment.get(Choice::ConvertNanWide) == 1;
        let nan_rule = if older { NanRule::Older } else { NanRule::Current };
        if !NanRule::is_settled(from, target) {
            self.consult_next(Choice::ConvertNanWide, move |v| from.layout().is_nan(v[0] & mask));
        }
        let is_narrow = matches!(to, Type::U8 | Type::U16) && from == Format::F64;
        let narrows_nan = is_narrow && self.deviates(Deviation::PtxasNarrowNan);
        self.lane(
            d,
            &[a],
            move |v| {
                let value = match v[0] & mask {
                    nan if narrows_nan && from.layout().is_nan(nan) => target.mask(),
                    value => convert::float_to_integer(value, from, target, rounding, ftz, nan_rule),
                };
                extended(value, to, register)
            },
            move |v, _| float_rule(v, 1, from.layout(), register),
        );
        Ok(())
    }

    fn float_to_float(&mut self, d: Slot, a: Slot, to: Format, from: Format) -> Decode {
        let (ftz, sat) = (self.has(Modifier::Ftz), self.has(Modifier::Sat));
        let integral =
            [Modifier::Rni, Modifier::Rzi, Modifier::Rmi, Modifier::Rpi].iter().any(|word| self.has(*word));
        let (rounding, integer_rounding) = (self.rounding(), self.integer_rounding());
        let narrows = to.layout().width() < from.layout().width();
        let truncates = narrows && self.deviates(Deviation::CvtNanToInfinity);
        let mask = format_bits(from);
        self.lane_partial(
            d,
            &[a],
            move |v| {
                let value = v[0] & mask;
                if integral && to == from {
                    convert::float_to_integral(value, to, integer_rounding, ftz, sat)
                } else if truncates && from.layout().is_nan(value) {
                    convert::truncated_nan(value, from.layout(), to.layout())
                } else {
                    convert::float_to_float(value, from, to, rounding, ftz, sat)
                }
            },
            move |v, result| float_rule(v, 1, from.layout(), fixed_bits(result, to)),
        );
        Ok(())
    }
}

/// The format of a floating-point type of one number.
pub(super) fn float_format(ty: Type) -> Option<Format> {
    match ty {
        Type::F16 => Some(Format::F16),
        Type::Bf16 => Some(Format::Bf16),
        Type::F32 => Some(Format::F32),
        Type::F64 => Some(Format::F64),
        _ => None,
    }
}

fn format_bits(format: Format) -> u64 {
    match format {
        Format::F16 | Format::Bf16 => 0xFFFF,
        Format::F32 => 0xFFFF_FFFF,
        Format::F64 => u64::MAX,
    }
}

/// The bits of a converted number that are fixed: of a NaN not the payload.
fn fixed_bits(bits: u64, format: Format) -> u64 {
    match format {
        Format::F16 => u64::from(nan::defined16(bits as u16, Kind::F16)),
        Format::Bf16 => u64::from(nan::defined16(bits as u16, Kind::Bf16)),
        Format::F32 => u64::from(nan::defined32(bits as u32)),
        Format::F64 => nan::defined64(bits, &[]),
    }
}

fn is_integer(ty: Type) -> bool {
    use Type::{S8, S16, S32, S64, U8, U16, U32, U64};
    matches!(ty, U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64)
}

fn integer_of(ty: Type) -> Integer {
    Integer { signed: ty.is_signed(), width: 8 * ty.size() }
}

fn register_bits(class: Class) -> u64 {
    crate::registers::all_bits(class)
}

/// A value of type `ty` as it fills a register.
fn extended(value: u64, ty: Type, register: u64) -> u64 {
    let value = value & bits_of(ty);
    if ty.is_signed() { sign_extend(value, 8 * ty.size()) & register } else { value }
}

/// The defined bits of a value of type `ty` that fills a register.
fn extended_mask(defined: u64, ty: Type, register: u64) -> u64 {
    let within = bits_of(ty);
    let sign_defined = !ty.is_signed() || defined >> (8 * ty.size() - 1) & 1 == 1;
    defined & within | if sign_defined { register & !within } else { 0 }
}
