//! Instructions that ptxas 12.9 folds, or joins with the one before them, into something else, as it makes them under its deviations.
//! Each rule was read from the machine words of programs with the instruction alone; `docs/compiled.md` has them.

use warpdiff_model::Deviation;
use warpdiff_ptx::checked::{Immediate, Operand};
use warpdiff_ptx::joined::{Term, negates_half, simplified, wraps};
use warpdiff_ptx::misread::by_ptxas::negated;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::numeric::convert::{Format, Integer, sign_extend};
use warpdiff_semantics::numeric::rounding::{Mode, Rounding};
use warpdiff_semantics::numeric::{single, spa_convert};

use super::{Decode, Decoder, all_or_nothing};
use crate::operation::{Class, Code, Guard};

/// -2^31.
const LEAST: u32 = 1 << 31;

/// The word that an operand writes as a number.
fn literal(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::Immediate(Immediate::Integer { bits, .. }) => Some(*bits as u32),
        _ => None,
    }
}

impl<'m> Decoder<'m> {
    /// Decodes the instruction as a deviation of ptxas has it. False if none concerns it.
    pub(super) fn folded(&mut self) -> Decode<bool> {
        use Deviation as D;
        let (opcode, ty) = (self.instruction.opcode, self.instruction.types.first().copied());
        match (opcode, ty) {
            (Opcode::Bfe, Some(Type::S32)) if self.deviates(D::PtxasHighField) => self.high_field(),
            (Opcode::Slct, _) if self.deviates(D::PtxasNegatedZero) => self.negated_selects(),
            (Opcode::Add | Opcode::Sub, Some(Type::S32)) if self.has(Modifier::Sat) => self.limited_folded(),
            (Opcode::Cvt | Opcode::Mul | Opcode::Mad, _) if self.deviates(D::PtxasWideNegation) => {
                self.wide_negation()
            }
            (Opcode::Add | Opcode::Sub, Some(Type::F32)) if self.deviates(D::PtxasFoldedTie) => {
                self.folded_tie()
            }
            (Opcode::Set, _) if self.deviates(D::PtxasSetUnguarded) => self.unguarded_set(),
            _ => Ok(false),
        }
    }

    /// What ptxas takes registers for behind a branch.
    pub(super) fn merged_constants(&mut self, index: u32) {
        for (register, bits) in self.written.merged(index) {
            let d = self.register(register);
            let constant = self.constant(d.class, bits);
            let code = if d.class == Class::Wide { Code::MovW } else { Code::MovN };
            self.emit_unguarded(code, d.index, [constant.index, 0, 0], 0);
        }
    }

    /// `bfe.s32` at a constant position from 32 on is folded to all ones, whatever the sign: at 40 of a length of 8 to
    /// `MOV32I R0, 0xffffffff`. A length of 0 gives 0, and a constant source the right field.
    fn high_field(&mut self) -> Decode<bool> {
        let known = [self.operand(1)?, self.operand(2)?, self.operand(3)?]
            .map(|operand| self.written.passed_word(operand, Type::S32));
        let [None, Some(position), Some(length)] = known else { return Ok(false) };
        if position & 0xFF < 32 || length & 0xFF == 0 {
            return Ok(false);
        }
        let d = self.destination(0, Type::S32)?;
        let ones = self.constant(Class::Narrow, u64::from(u32::MAX));
        self.emit(Code::MovN, d.index, [ones.index, 0, 0], 0);
        Ok(true)
    }

    /// `slct` by the negative of a word becomes `ICMP.LE`, of the word itself.
    fn negated_selects(&mut self) -> Decode<bool> {
        let (ty, control) = (self.ty(0)?, self.ty(1)?);
        let by = self.written.definition(self.operand(3)?).filter(|_| control == Type::S32 && ty.size() == 4);
        let Some(word) = by.and_then(|by| negated(by, &self.written)) else { return Ok(false) };
        let word = self.source_operand(word, control)?;
        let (d, a, b) = (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?);
        let taken = |word: u64| if word as i32 <= 0 { 1 } else { 2 };
        self.lane(
            d,
            &[word, a, b],
            move |v| v[taken(v[0])],
            move |v, _| if v[0].defined as u32 == u32::MAX { v[taken(v[0].value)].defined } else { 0 },
        );
        Ok(true)
    }

    /// `add.sat.s32` and `sub.sat.s32`.
    fn limited_folded(&mut self) -> Decode<bool> {
        let subtract = self.instruction.opcode == Opcode::Sub;
        let (first, second) = (self.operand(1)?, self.operand(2)?);
        if self.deviates(Deviation::PtxasLeastNegated)
            && let (Some(LEAST), Some(second)) = (literal(first), literal(second))
        {
            // `MOV32I d, 0x80000000; IADD32I.SAT d, -d, b`: the negative of the register is 2^31, that of a literal -2^31 is itself.
            let added = if subtract { second.wrapping_neg() } else { second };
            let sum = i64::from(LEAST) + i64::from(added as i32);
            let limited = sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32;
            let (d, limited) =
                (self.destination(0, Type::S32)?, self.constant(Class::Narrow, limited.into()));
            self.emit(Code::MovN, d.index, [limited.index, 0, 0], 0);
            return Ok(true);
        }
        if self.deviates(Deviation::PtxasLeastSubtracted)
            && subtract
            && self.written.passed_word(second, Type::S32) == Some(LEAST)
        {
            // `IADD32I.SAT d, a, -0x80000000`: the negative of -2^31 is itself.
            let d = self.destination(0, Type::S32)?;
            let (a, b) = (self.source(1, Type::S32)?, self.source(2, Type::S32)?);
            self.limited(d, a, b, false);
            return Ok(true);
        }
        if !self.deviates(Deviation::PtxasUnwrappedSum) {
            return Ok(false);
        }
        let (one, other) = (self.terms(first, false), self.terms(second, subtract));
        let alone = |operand, negative| vec![self.term(operand, negative)];
        let joined = [(alone(first, false), other), (one, alone(second, subtract))];
        let found = joined.into_iter().find_map(|(a, b)| simplified([a, b].concat()));
        let Some((a, b)) = found else { return Ok(false) };
        let d = self.destination(0, Type::S32)?;
        let mut slot = |term: Term<'_>| match term {
            Term::Constant(value) => Ok((false, self.constant(Class::Narrow, u64::from(value)))),
            Term::Operand { negative, operand } => Ok((negative, self.source_operand(operand, Type::S32)?)),
        };
        let ((_, a), (subtract, b)) = (slot(a)?, slot(b)?);
        self.limited(d, a, b, subtract);
        Ok(true)
    }

    /// The sum that an operand holds by the instruction before it that wrapped it; nothing if it is no such sum.
    fn terms(&self, operand: &'m Operand, negative: bool) -> Vec<Term<'m>> {
        let Some(by) = self.written.definition(operand).filter(|by| wraps(by)) else { return Vec::new() };
        let [_, sources @ ..] = &by.operands[..] else { return Vec::new() };
        match (by.opcode, sources) {
            (Opcode::Neg, [a]) => vec![self.term(a, !negative)],
            (Opcode::Add, [a, b]) => vec![self.term(a, negative), self.term(b, negative)],
            (Opcode::Sub, [a, b]) => vec![self.term(a, negative), self.term(b, !negative)],
            _ => Vec::new(),
        }
    }

    fn term(&self, operand: &'m Operand, negative: bool) -> Term<'m> {
        match self.written.word(operand, Type::S32) {
            Some(value) if negative => Term::Constant(value.wrapping_neg()),
            Some(value) => Term::Constant(value),
            None => Term::Operand { negative, operand },
        }
    }

    /// An extension or a wide product of what `neg.s16` wrote: `I2I.S32.S16 d, -a`, so that of -32768 the negative is 32768.
    fn wide_negation(&mut self) -> Decode<bool> {
        let (ty, opcode) = (self.ty(0)?, self.instruction.opcode);
        let is_wide = self.has(Modifier::Wide) && ty == Type::S16;
        let extends = opcode == Opcode::Cvt
            && self.instruction.types.get(1) == Some(&Type::S16)
            && !ty.is_float()
            && ty.size() >= 4;
        let sources = if opcode == Opcode::Cvt { 1 } else { 2 };
        let operands = self.instruction.operands.get(1..=sources).unwrap_or_default();
        let negated = |operand: &Operand| self.written.definition(operand).is_some_and(negates_half);
        if !(is_wide || extends) || !operands.iter().any(negated) {
            return Ok(false);
        }
        let mut wide = Vec::with_capacity(sources);
        for operand in operands {
            let is_negated = self.written.definition(operand).is_some_and(negates_half);
            let (source, value) = (self.source_any(operand, Type::S16)?, self.temporary(Class::Narrow));
            self.lane(
                value,
                &[source],
                move |v| {
                    let least = is_negated && v[0] as u16 == 0x8000;
                    if least { 0x8000 } else { sign_extend(v[0], 16) & u64::from(u32::MAX) }
                },
                |v, _| all_or_nothing(v, [0xFFFF, 0, 0, 0], u64::from(u32::MAX)),
            );
            wide.push(value);
        }
        match (opcode, &wide[..]) {
            (Opcode::Cvt, [a]) => {
                let d = self.destination(0, ty)?;
                self.integer_to_integer(d, *a, ty, Type::S32)?;
            }
            (Opcode::Mul, [a, b]) => {
                let d = self.destination(0, Type::S32)?;
                self.emit(Code::MulN, d.index, [a.index, b.index, 0], 0);
            }
            (_, [a, b]) => {
                let (d, c) = (self.destination(0, Type::S32)?, self.source(3, Type::S32)?);
                self.emit(Code::MadN, d.index, [a.index, b.index, c.index], 0);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A sum of constants is folded; a tie between numbers of different signs to the one nearer to zero, even or not: 0f3F3C36E2 -
    /// 0f4058CE84 to 0fC029C0CB in place of 0fC029C0CC. With another rounding it is not folded.
    fn folded_tie(&mut self) -> Decode<bool> {
        let subtract = self.instruction.opcode == Opcode::Sub;
        let known =
            [self.operand(1)?, self.operand(2)?].map(|operand| self.written.passed_word(operand, Type::F32));
        let ([Some(a), Some(b)], Rounding::Rn) = (known, self.rounding()) else { return Ok(false) };
        let b = if subtract { b ^ LEAST } else { b };
        // Between two numbers of binary32 lie 2^29 of binary64, and a tie is the one in the middle. Where the sum is no binary64 itself, the
        // smaller one is too small for a tie.
        let sum = f64::from(f32::from_bits(a)) + f64::from(f32::from_bits(b));
        let is_tie = sum.to_bits() & 0x1FFF_FFFF == 0x1000_0000;
        if !is_tie || (a ^ b) & LEAST == 0 {
            return Ok(false);
        }
        let mode =
            Mode { rounding: Rounding::Rz, ftz: self.has(Modifier::Ftz), sat: self.has(Modifier::Sat) };
        let d = self.destination(0, Type::F32)?;
        let value = self.constant(Class::Narrow, u64::from(single::add(a, b, mode)));
        self.emit(Code::MovN, d.index, [value.index, 0, 0], 0);
        Ok(true)
    }

    /// `set` with a result `.f32`: `@P0 FSET.GT R0, …`, and then `I2F.F32.S32 R0, |R0|` without the guard, which makes 1.0 of all ones where the
    /// guard holds, and a number of the bits that `R0` has where it does not. Sources of 16 bits: `I2F.F32.S16`, and `I2I.S32.S16` of a result
    /// that is an integer.
    fn unguarded_set(&mut self) -> Decode<bool> {
        let (to, width) = (self.ty(0)?, 8 * self.ty(1)?.size().min(4));
        let Some(predicate) = self.guard.predicate() else { return Ok(false) };
        if to != Type::F32 && width != 16 {
            return Ok(false);
        }
        self.set()?;
        let (from, within) = (Integer { signed: true, width }, u64::MAX >> (64 - width));
        let d = self.destination(0, to)?;
        self.guard = Guard::new(predicate, self.guard.flip() == 0);
        let number = move |v: &[u64; 4]| match to {
            Type::F32 => {
                let rounding = Rounding::Rn;
                spa_convert::integer_to_float(v[0] & within, (true, false), from, Format::F32, rounding)
            }
            _ => sign_extend(v[0], width) & u64::from(u32::MAX),
        };
        self.lane(d, &[d], number, move |v, _| all_or_nothing(v, [within, 0, 0, 0], u64::from(u32::MAX)));
        Ok(true)
    }
}
