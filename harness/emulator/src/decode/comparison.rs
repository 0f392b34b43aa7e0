//! Comparisons and selections.

use warpdiff_model::Deviation;
use warpdiff_ptx::checked::Operand;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::compare::{self, Comparison};
use warpdiff_semantics::numeric::half::Kind;

use super::conversion::float_format;
use super::{Decode, Decoder, bits_of, float_rule};
use crate::operation::{Class, Code, Slot};

impl Decoder<'_> {
    /// Comparisons and selections.
    pub(super) fn comparison(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::Setp => self.setp(),
            Opcode::Set => self.set(),
            Opcode::Selp => self.selp(),
            Opcode::Slct => self.slct(),
            _ => Err(self.unsupported()),
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
        let alike = self.deviates(Deviation::SetpSecondIsFirst);
        self.emit(if alike { Code::MovP } else { Code::NotP }, inverse, [result, 0, 0], 0);
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
    pub(super) fn set(&mut self) -> Decode {
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
        let yes = match to {
            Type::F32 => 0x3F80_0000,
            _ if self.deviates(Deviation::SetTrueIsOne) => 1,
            _ => 0xFFFF_FFFF,
        };
        let yes = self.constant(Class::Narrow, yes);
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
