//! Moves, conversions, comparisons and selections.

use warpdiff_model::{Choice, Deviation};
use warpdiff_ptx::checked::Operand;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::compare::{self, Comparison};
use warpdiff_semantics::numeric::convert::{self, Format, Integer, IntegerRounding, NanRule, sign_extend};
use warpdiff_semantics::numeric::half::Kind;
use warpdiff_semantics::numeric::nan;

use super::{Decode, Decoder, all_or_nothing, bits_of, float_rule};
use crate::operation::{Class, Code, Slot};

impl Decoder<'_> {
    /// `mov`, also to and from vectors.
    pub(super) fn mov(&mut self) -> Decode {
        let ty = self.ty(0)?;
        match (self.operand(0)?, self.operand(1)?) {
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
    pub(super) fn cvt(&mut self) -> Decode {
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

    fn integer_to_integer(&mut self, d: Slot, a: Slot, to: Type, from: Type) -> Decode {
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
        self.lane(
            d,
            &[a],
            move |v| {
                let value = convert::float_to_integer(v[0] & mask, from, target, rounding, ftz, nan_rule);
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

    /// `set`, `setp`, `selp`, `slct`.
    pub(super) fn comparison(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::Setp => self.setp(),
            Opcode::Set => self.set(),
            Opcode::Selp => self.selp(),
            _ => self.slct(),
        }
    }

    fn selp(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a, b) = (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?);
        let p = self.source(3, Type::Pred)?;
        let code = if d.class == Class::Wide { Code::SelW } else { Code::SelN };
        self.emit(code, d.index, [a.index, b.index, p.index], 0);
        Ok(())
    }

    /// `slct.type.{s32,f32} d, a, b, c`: a if c >= 0, else b; a NaN selects b.
    fn slct(&mut self) -> Decode {
        let (ty, control) = (self.ty(0)?, self.ty(1)?);
        let d = self.destination(0, ty)?;
        let (a, b, c) = (self.source(1, ty)?, self.source(2, ty)?, self.source(3, control)?);
        let float = control == Type::F32;
        let ftz = self.has(Modifier::Ftz);
        let first = move |c: u64| {
            if float { compare::f32(Comparison::Ge, c as u32, 0, ftz) } else { c as u32 as i32 >= 0 }
        };
        let control_bits = if float { 0xFFFF_FFFFu64 } else { 0x8000_0000 };
        let mask = bits_of(ty);
        self.lane(
            d,
            &[a, b, c],
            move |v| if first(v[2]) { v[0] } else { v[1] },
            move |v, _| {
                let decided = v[2].defined & control_bits == control_bits;
                let p = Bits { value: u64::from(first(v[2].value)), defined: u64::from(decided) };
                definedness::select(p, v[0], v[1]) & mask
            },
        );
        Ok(())
    }

    /// The comparison of `set` and `setp`.
    fn comparison_kind(&self) -> Decode<Comparison> {
        use Comparison as C;
        use Modifier as M;
        let words = [
            (M::Eq, C::Eq),
            (M::Ne, C::Ne),
            (M::Lt, C::Lt),
            (M::Le, C::Le),
            (M::Gt, C::Gt),
            (M::Ge, C::Ge),
            (M::Lo, C::Lt),
            (M::Ls, C::Le),
            (M::Hi, C::Gt),
            (M::Hs, C::Ge),
            (M::Equ, C::Equ),
            (M::Neu, C::Neu),
            (M::Ltu, C::Ltu),
            (M::Leu, C::Leu),
            (M::Gtu, C::Gtu),
            (M::Geu, C::Geu),
            (M::Num, C::Num),
            (M::Nan, C::Nan),
        ];
        let found = words.into_iter().find(|(word, _)| self.has(*word));
        found.map(|(_, kind)| kind).ok_or_else(|| self.unsupported())
    }

    /// Emits the comparison of two sources into a predicate.
    fn compare(&mut self, kind: Comparison, ty: Type, p: u32, a: Slot, b: Slot) -> Decode {
        let ftz = self.has(Modifier::Ftz);
        let destination = Slot { class: Class::Predicate, index: p };
        if matches!(ty, Type::F16x2 | Type::Bf16x2) {
            return Err(self.unsupported());
        }
        if let Some(format) = float_format(ty) {
            let layout = format.layout();
            let holds = move |kind, a: u64, b: u64| match ty {
                Type::F32 => compare::f32(kind, a as u32, b as u32, ftz),
                Type::F64 => compare::f64(kind, a, b),
                Type::F16 => compare::f16(kind, a as u16, b as u16, Kind::F16, ftz),
                _ => compare::f16(kind, a as u16, b as u16, Kind::Bf16, ftz),
            };
            let compute = move |v: &[u64; 4]| u64::from(holds(kind, v[0], v[1]));
            self.lane(destination, &[a, b], compute, move |v, _| {
                float_rule(v, 2, layout, 1)
                    | u64::from(definedness::float::compare(v[0], v[1], layout, kind, holds))
            });
            return Ok(());
        }
        let signed = ty.is_signed();
        if ty.size() >= 4 {
            self.compare_fast(kind, signed, p, a, b)
        } else {
            let mask = bits_of(ty);
            let width = 8 * ty.size();
            self.lane(
                destination,
                &[a, b],
                move |v| u64::from(compare::integer(kind, signed, v[0] & mask, v[1] & mask, width)),
                move |v, _| u64::from(definedness::compare(kind, signed, v[0], v[1], width)),
            );
            Ok(())
        }
    }

    fn compare_fast(&mut self, kind: Comparison, signed: bool, p: u32, a: Slot, b: Slot) -> Decode {
        use Code as C;
        let wide = a.class == Class::Wide;
        let pick = |narrow: Code, wide_code: Code| if wide { wide_code } else { narrow };
        let (less, less_equal) = if signed {
            (pick(C::LtSN, C::LtSW), pick(C::LeSN, C::LeSW))
        } else {
            (pick(C::LtUN, C::LtUW), pick(C::LeUN, C::LeUW))
        };
        let (code, x, y) = match kind {
            Comparison::Eq => (pick(C::EqN, C::EqW), a, b),
            Comparison::Ne => (pick(C::NeN, C::NeW), a, b),
            Comparison::Lt => (less, a, b),
            Comparison::Le => (less_equal, a, b),
            Comparison::Gt => (less, b, a),
            Comparison::Ge => (less_equal, b, a),
            _ => return Err(self.unsupported()),
        };
        self.emit(code, p, [x.index, y.index, 0], 0);
        Ok(())
    }

    /// The boolean operator of `setp.CmpOp.BoolOp`, as its code.
    fn combination(&self) -> Option<Code> {
        let words = [(Modifier::And, Code::AndP), (Modifier::Or, Code::OrP), (Modifier::Xor, Code::XorP)];
        words.into_iter().find(|(word, _)| self.has(*word)).map(|(_, code)| code)
    }

    /// `setp.CmpOp[.BoolOp].type p[|q], a, b[, c]`: p = (a Cmp b) Bool c, q = !(a Cmp b) Bool c.
    fn setp(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let kind = self.comparison_kind()?;
        let (p, q) = match self.operand(0)? {
            Operand::Pair(p, q) => (predicate(self, p)?, predicate(self, q)?),
            operand => (predicate(self, operand)?, None),
        };
        let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
        let combination = self.combination();
        if let (Some(p), None, None) = (p, q, combination) {
            return self.compare(kind, ty, p, a, b);
        }
        let c = match combination {
            Some(_) => Some(self.source(3, Type::Pred)?),
            None => None,
        };
        let destinations = [p, q].into_iter().flatten().collect::<Vec<_>>();
        self.keep_guard(&destinations);
        let result = self.temporary(Class::Predicate).index;
        self.compare(kind, ty, result, a, b)?;
        let inverse = self.temporary(Class::Predicate).index;
        self.emit(Code::NotP, inverse, [result, 0, 0], 0);
        // Both results are combined before either destination, which may be the combined source, is written.
        for value in [result, inverse] {
            if let (Some(code), Some(c)) = (combination, c) {
                self.emit(code, value, [value, c.index, 0], 0);
            }
        }
        for (destination, value) in [(p, result), (q, inverse)] {
            if let Some(destination) = destination {
                self.emit(Code::MovP, destination, [value, 0, 0], 0);
            }
        }
        Ok(())
    }

    /// `set.CmpOp.dtype.stype d, a, b`: true is 0xffffffff, or 1.0 for `.f32`.
    fn set(&mut self) -> Decode {
        let (to, ty) = (self.ty(0)?, self.ty(1)?);
        if to.size() != 4 || matches!(to, Type::F16x2 | Type::Bf16x2) {
            return Err(self.unsupported());
        }
        let kind = self.comparison_kind()?;
        let d = self.destination(0, to)?;
        let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
        let result = self.temporary(Class::Predicate).index;
        self.compare(kind, ty, result, a, b)?;
        if let Some(code) = self.combination() {
            let c = self.source(3, Type::Pred)?;
            self.emit(code, result, [result, c.index, 0], 0);
        }
        let yes = self.constant(Class::Narrow, if to == Type::F32 { 0x3F80_0000 } else { 0xFFFF_FFFF });
        let no = self.constant(Class::Narrow, 0);
        self.emit(Code::SelN, d.index, [yes.index, no.index, result], 0);
        Ok(())
    }
}

/// The predicate register of a destination; `None` for `_`.
fn predicate(decoder: &Decoder<'_>, operand: &Operand) -> Decode<Option<u32>> {
    match operand {
        Operand::Register { id, .. } => Ok(Some(decoder.register(*id).index)),
        Operand::Sink => Ok(None),
        _ => Err(decoder.unsupported_because("this kind of destination")),
    }
}

fn float_format(ty: Type) -> Option<Format> {
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
