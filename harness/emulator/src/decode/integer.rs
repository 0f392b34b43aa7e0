//! Integer arithmetic.

use warpdiff_model::{Choice, Deviation};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::convert::sign_extend;
use warpdiff_semantics::numeric::integer::{self, w16, w32, w64};
use warpdiff_semantics::numeric::of_width::{
    add_sub_carry, divide, mul_hi, pick, product, product24, remainder,
};

use super::{Decode, Decoder, bits_of, class_of};
use crate::operation::{Class, Code, Slot};

/// The two-operand operations of [`two`].
#[derive(Clone, Copy)]
enum Two {
    Add,
    Sub,
    MulLo,
    MulHi,
    Div,
    Rem,
    Min,
    Max,
}

impl Decoder<'_> {
    /// Integer arithmetic.
    pub(super) fn integer(&mut self) -> Decode {
        let ty = self.ty(0)?;
        match self.instruction.opcode {
            Opcode::Add | Opcode::Sub if self.has(Modifier::Sat) => self.saturating(),
            Opcode::Add | Opcode::Sub | Opcode::Addc | Opcode::Subc if self.carries() => self.with_carry(ty),
            Opcode::Add => self.two(Two::Add, ty),
            Opcode::Sub => self.two(Two::Sub, ty),
            Opcode::Mul if self.has(Modifier::Wide) => self.mul_wide(ty),
            Opcode::Mul if self.has(Modifier::Hi) => self.two(Two::MulHi, ty),
            Opcode::Mul => self.two(Two::MulLo, ty),
            Opcode::Mad | Opcode::Madc if self.carries() => self.mad_with_carry(ty),
            Opcode::Mad if self.has(Modifier::Wide) => self.mad_wide(ty),
            Opcode::Mad => self.mad(ty),
            Opcode::Mul24 | Opcode::Mad24 => self.mul24(ty),
            Opcode::Div => self.two(Two::Div, ty),
            Opcode::Rem => self.two(Two::Rem, ty),
            Opcode::Min if !self.has(Modifier::Relu) => self.two(Two::Min, ty),
            Opcode::Max if !self.has(Modifier::Relu) => self.two(Two::Max, ty),
            Opcode::Abs | Opcode::Neg => self.one(ty),
            Opcode::Sad => self.sad(ty),
            Opcode::Dp4a | Opcode::Dp2a => self.dot_product(),
            _ => Err(self.unsupported()),
        }
    }

    fn carries(&self) -> bool {
        self.has(Modifier::Cc)
            || matches!(self.instruction.opcode, Opcode::Addc | Opcode::Subc | Opcode::Madc)
    }

    fn two(&mut self, what: Two, ty: Type) -> Decode {
        if matches!(
            ty,
            Type::U16
                | Type::S16
                | Type::U32
                | Type::S32
                | Type::B32
                | Type::U64
                | Type::S64
                | Type::B16
                | Type::B64
        ) {
            let (d, a, b) = (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?);
            self.two_operands(what, ty, d, a, b);
            return Ok(());
        }
        Err(self.unsupported())
    }

    fn two_operands(&mut self, what: Two, ty: Type, d: Slot, a: Slot, b: Slot) {
        let signed = ty.is_signed();
        let fast = match (what, ty.size(), signed) {
            (Two::Add, 4, _) => Some(Code::AddN),
            (Two::Add, 8, _) => Some(Code::AddW),
            (Two::Sub, 4, _) => Some(Code::SubN),
            (Two::Sub, 8, _) => Some(Code::SubW),
            (Two::MulLo, 4, _) => Some(Code::MulN),
            (Two::MulLo, 8, _) => Some(Code::MulW),
            (Two::Min, 4, true) => Some(Code::MinSN),
            (Two::Min, 4, false) => Some(Code::MinUN),
            (Two::Max, 4, true) => Some(Code::MaxSN),
            (Two::Max, 4, false) => Some(Code::MaxUN),
            _ => None,
        };
        if let Some(code) = fast.filter(|_| self.mistake.is_none()) {
            self.emit(code, d.index, [a.index, b.index, 0], 0);
            return;
        }
        let width = 8 * ty.size();
        let mask = bits_of(ty);
        let signed_product = signed && !self.deviates(Deviation::MulHiUnsigned);
        // "The behavior for negative numbers is machine-dependent and depends on whether divide rounds towards zero or
        // negative infinity."
        let floored = self.semantics.assignment.get(Choice::DivideNegative) == 1;
        if signed && matches!(what, Two::Div | Two::Rem) {
            self.consult_next(Choice::DivideNegative, move |v| {
                let (a, b) = (v[0] & mask, v[1] & mask);
                remainder(a, b, width, true, false) != remainder(a, b, width, true, true)
            });
        }
        let compute = move |v: &[u64; 4]| {
            let (a, b) = (v[0] & mask, v[1] & mask);
            let value = match what {
                Two::Add => a.wrapping_add(b),
                Two::Sub => a.wrapping_sub(b),
                Two::MulLo => a.wrapping_mul(b),
                Two::MulHi => mul_hi(a, b, width, signed_product),
                Two::Div => divide(a, b, width, signed, floored),
                Two::Rem => remainder(a, b, width, signed, floored),
                Two::Min => pick(a, b, width, signed, true),
                Two::Max => pick(a, b, width, signed, false),
            };
            value & mask
        };
        let rule = move |v: &[Bits; 4], _: u64| match what {
            Two::Add => definedness::add(v[0], v[1], width),
            Two::Sub => definedness::sub(v[0], v[1], width),
            Two::MulLo => definedness::mul_lo(v[0], v[1], width),
            Two::MulHi => definedness::mul_hi(v[0], v[1], signed_product, width),
            Two::Div => definedness::divide(v[0], v[1], signed, width),
            Two::Rem => definedness::remainder(v[0], v[1], width),
            Two::Min => definedness::min(v[0], v[1], signed, width),
            Two::Max => definedness::max(v[0], v[1], signed, width),
        };
        // "Division by zero yields an unspecified, machine-specific value."
        if matches!(what, Two::Div | Two::Rem) {
            self.lane_partial(d, &[a, b], compute, rule);
        } else {
            self.lane(d, &[a, b], compute, rule);
        }
    }

    /// `add.sat.s32`, `sub.sat.s32`: "limits result to MININT..MAXINT".
    fn saturating(&mut self) -> Decode {
        let ty = self.ty(0)?;
        if ty != Type::S32 {
            return Err(self.unsupported());
        }
        let (d, a, b) = (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?);
        self.limited(d, a, b, self.instruction.opcode == Opcode::Sub);
        Ok(())
    }

    /// A sum or difference of two numbers of 32 bits, limited.
    pub(super) fn limited(&mut self, d: Slot, a: Slot, b: Slot, subtract: bool) {
        self.lane(
            d,
            &[a, b],
            move |v| {
                let (a, b) = (v[0] as u32, v[1] as u32);
                u64::from(if subtract { integer::sub_sat(a, b) } else { integer::add_sat(a, b) })
            },
            move |v, _| {
                if subtract { definedness::sub_sat(v[0], v[1]) } else { definedness::add_sat(v[0], v[1]) }
            },
        );
    }

    fn one(&mut self, ty: Type) -> Decode {
        let (d, a) = (self.destination(0, ty)?, self.source(1, ty)?);
        let (width, mask) = (8 * ty.size(), bits_of(ty));
        if self.instruction.opcode == Opcode::Neg {
            let zero = self.constant(class_of(ty), 0);
            self.two_operands(Two::Sub, ty, d, zero, a);
        } else {
            self.lane(
                d,
                &[a],
                move |v| (sign_extend(v[0], width) as i64).unsigned_abs() & mask,
                move |v, _| definedness::abs(v[0], width),
            );
        }
        Ok(())
    }

    fn mul_wide(&mut self, ty: Type) -> Decode {
        let (wide, signed) = (widened(ty), ty.is_signed());
        let Some(wide) = wide else { return Err(self.unsupported()) };
        let (d, a, b) = (self.destination(0, wide)?, self.source(1, ty)?, self.source(2, ty)?);
        if ty.size() == 4 && self.mistake.is_none() {
            let code = if signed { Code::MulWideS } else { Code::MulWideU };
            self.emit(code, d.index, [a.index, b.index, 0], 0);
        } else {
            let (width, whole) = (8 * ty.size(), bits_of(wide));
            self.lane(
                d,
                &[a, b],
                move |v| product(v[0], v[1], width, signed) & whole,
                move |v, _| definedness::mul_wide(v[0], v[1], signed, width),
            );
        }
        Ok(())
    }

    fn mad_wide(&mut self, ty: Type) -> Decode {
        let signed = ty.is_signed();
        let Some(wide) = widened(ty) else { return Err(self.unsupported()) };
        let (d, a, b, c) =
            (self.destination(0, wide)?, self.source(1, ty)?, self.source(2, ty)?, self.source(3, wide)?);
        if ty.size() == 4 {
            let code = if signed { Code::MadWideS } else { Code::MadWideU };
            self.emit(code, d.index, [a.index, b.index, c.index], 0);
        } else {
            self.lane(
                d,
                &[a, b, c],
                move |v| product(v[0], v[1], 16, signed).wrapping_add(v[2]) & 0xFFFF_FFFF,
                move |v, _| {
                    let value = product(v[0].value, v[1].value, 16, signed) & 0xFFFF_FFFF;
                    let defined = definedness::mul_wide(v[0], v[1], signed, 16);
                    definedness::add(Bits { value, defined }, v[2], 32)
                },
            );
        }
        Ok(())
    }

    fn mad(&mut self, ty: Type) -> Decode {
        let (d, a, b, c) =
            (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?, self.source(3, ty)?);
        let hi = self.has(Modifier::Hi);
        match (hi, ty.size()) {
            (false, 4) => self.emit(Code::MadN, d.index, [a.index, b.index, c.index], 0),
            (false, 8) => self.emit(Code::MadW, d.index, [a.index, b.index, c.index], 0),
            _ => self.mad_general(ty, d, [a, b, c], hi),
        }
        Ok(())
    }

    fn mad_general(&mut self, ty: Type, d: Slot, sources: [Slot; 3], hi: bool) {
        let (width, mask) = (8 * ty.size(), bits_of(ty));
        let saturate = self.has(Modifier::Sat);
        let signed = ty.is_signed() && !self.deviates(Deviation::MulHiUnsigned);
        let part =
            move |a: u64, b: u64| if hi { mul_hi(a, b, width, signed) } else { a.wrapping_mul(b) } & mask;
        let compute = move |v: &[u64; 4]| {
            let product = part(v[0] & mask, v[1] & mask);
            if saturate {
                u64::from(integer::add_sat(product as u32, v[2] as u32))
            } else {
                product.wrapping_add(v[2]) & mask
            }
        };
        let rule = move |v: &[Bits; 4], _: u64| {
            if saturate {
                return definedness::mad_hi_sat(v[0], v[1], v[2]);
            }
            let defined = if hi {
                definedness::mul_hi(v[0], v[1], signed, width)
            } else {
                definedness::mul_lo(v[0], v[1], width)
            };
            let value = part(v[0].value & mask, v[1].value & mask);
            definedness::add(Bits { value, defined }, v[2], width)
        };
        self.lane(d, &sources, compute, rule);
    }

    fn mul24(&mut self, ty: Type) -> Decode {
        let (d, a, b) = (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?);
        let add = self.instruction.opcode == Opcode::Mad24;
        let c = if add { self.source(3, ty)? } else { self.constant(Class::Narrow, 0) };
        let (hi, signed, saturate) = (self.has(Modifier::Hi), ty.is_signed(), self.has(Modifier::Sat));
        self.lane(
            d,
            &[a, b, c],
            move |v| {
                let (a, b, c) = (v[0] as u32, v[1] as u32, v[2] as u32);
                let product = product24(a, b, hi, signed);
                u64::from(if saturate { integer::add_sat(product, c) } else { product.wrapping_add(c) })
            },
            move |v, _| {
                if saturate {
                    return definedness::mad24_hi_sat(v[0], v[1], v[2]);
                }
                let (a, b) = (v[0].value as u32, v[1].value as u32);
                let value = u64::from(product24(a, b, hi, signed));
                definedness::add(
                    Bits { value, defined: definedness::mul24(v[0], v[1], signed, hi) },
                    v[2],
                    32,
                )
            },
        );
        Ok(())
    }

    fn sad(&mut self, ty: Type) -> Decode {
        let (d, a, b, c) =
            (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?, self.source(3, ty)?);
        let (size, signed) = (ty.size(), ty.is_signed());
        self.lane(
            d,
            &[a, b, c],
            move |v| match (size, signed) {
                (2, false) => u64::from(w16::sad_unsigned(v[0] as u16, v[1] as u16, v[2] as u16)),
                (2, true) => u64::from(w16::sad_signed(v[0] as u16, v[1] as u16, v[2] as u16)),
                (4, false) => u64::from(w32::sad_unsigned(v[0] as u32, v[1] as u32, v[2] as u32)),
                (4, true) => u64::from(w32::sad_signed(v[0] as u32, v[1] as u32, v[2] as u32)),
                (_, false) => w64::sad_unsigned(v[0], v[1], v[2]),
                (_, true) => w64::sad_signed(v[0], v[1], v[2]),
            },
            move |v, _| definedness::sad(v[0], v[1], v[2], signed, 8 * size),
        );
        Ok(())
    }

    fn dot_product(&mut self) -> Decode {
        let (first, second) = (self.ty(0)?, self.ty(1)?);
        let accumulator = if first.is_signed() || second.is_signed() { Type::S32 } else { Type::U32 };
        let d = self.destination(0, accumulator)?;
        let sources = [self.source(1, Type::B32)?, self.source(2, Type::B32)?, self.source(3, accumulator)?];
        let (two, high) = (self.instruction.opcode == Opcode::Dp2a, self.has(Modifier::Hi));
        let (signed_a, signed_b) = (first.is_signed(), second.is_signed());
        self.lane(
            d,
            &sources,
            move |v| {
                let (a, b, c) = (v[0] as u32, v[1] as u32, v[2] as u32);
                u64::from(if two {
                    integer::dp2a(a, b, c, high, signed_a, signed_b)
                } else {
                    integer::dp4a(a, b, c, signed_a, signed_b)
                })
            },
            move |v, _| {
                if two {
                    definedness::dp2a(v[0], v[1], v[2], high, signed_a, signed_b)
                } else {
                    definedness::dp4a(v[0], v[1], v[2], signed_a, signed_b)
                }
            },
        );
        Ok(())
    }

    /// The predicate that stands for CC.CF.
    fn carry_flag(&mut self) -> Slot {
        let index = match self.carry {
            Some(index) => index,
            None => {
                let index = self.temporary(Class::Predicate).index;
                if let Some(name) = self.out.functions[self.id.0 as usize].names.predicates.last_mut() {
                    *name = "CC.CF".into();
                }
                self.carry = Some(index);
                index
            }
        };
        Slot { class: Class::Predicate, index }
    }

    /// `add.cc`, `addc`, `addc.cc` and the same for `sub`.
    fn with_carry(&mut self, ty: Type) -> Decode {
        let (d, a, b) = (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?);
        let subtract = matches!(self.instruction.opcode, Opcode::Sub | Opcode::Subc);
        self.emit_carry(ty, d, a, b, subtract);
        Ok(())
    }

    fn emit_carry(&mut self, ty: Type, d: Slot, a: Slot, b: Slot, subtract: bool) {
        let takes = matches!(self.instruction.opcode, Opcode::Addc | Opcode::Subc | Opcode::Madc);
        let flag = self.carry_flag();
        let carry_in = if takes { flag } else { self.constant(Class::Predicate, 0) };
        let (width, mask) = (8 * ty.size(), bits_of(ty));
        let sources = [a, b, carry_in];
        // A borrow is the complement of the carry of a + ~b + 1.
        let inverted = u64::from(subtract && self.deviates(Deviation::PtxasBorrowInverted));
        let inverted_in = if takes { inverted } else { 0 };
        let borrowing = move |v: &[Bits; 4]| {
            let mut v = *v;
            v[2].value ^= inverted_in;
            v
        };
        let out = self.has(Modifier::Cc).then(|| self.temporary(Class::Predicate));
        if let Some(out) = out {
            self.lane(
                out,
                &sources,
                move |v| {
                    u64::from(add_sub_carry(v[0], v[1], v[2] ^ inverted_in, mask, subtract).1) ^ inverted
                },
                move |v, _| u64::from(carry_rule(&borrowing(v), subtract, width).1),
            );
        }
        self.lane(
            d,
            &sources,
            move |v| add_sub_carry(v[0], v[1], v[2] ^ inverted_in, mask, subtract).0,
            move |v, _| carry_rule(&borrowing(v), subtract, width).0,
        );
        if let Some(out) = out {
            self.emit(Code::MovP, flag.index, [out.index, 0, 0], 0);
        }
    }

    /// `mad.lo.cc`, `madc.hi` …: the product, then an addition with carry.
    fn mad_with_carry(&mut self, ty: Type) -> Decode {
        let (d, a, b, c) =
            (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?, self.source(3, ty)?);
        let product = self.temporary(class_of(ty));
        let what = if self.has(Modifier::Hi) { Two::MulHi } else { Two::MulLo };
        self.two_operands(what, ty, product, a, b);
        self.emit_carry(ty, d, product, c, false);
        Ok(())
    }
}

/// The defined bits of a sum or difference, and whether its carry or borrow is defined.
fn carry_rule(v: &[Bits; 4], subtract: bool, width: u32) -> (u64, bool) {
    if subtract {
        definedness::sub_borrow(v[0], v[1], v[2], width)
    } else {
        definedness::add_carry(v[0], v[1], v[2], width)
    }
}

fn widened(ty: Type) -> Option<Type> {
    match ty {
        Type::U16 => Some(Type::U32),
        Type::S16 => Some(Type::S32),
        Type::U32 => Some(Type::U64),
        Type::S32 => Some(Type::S64),
        _ => None,
    }
}
