//! Bit fields, counts, permutations, funnel shifts, and three-input logic.

use warpdiff_sass::{Mark, Mnemonic as M, Operand};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::integer::{self, PrmtMode, w32};

use super::super::Decode;
use super::Spa;
use crate::operation::{Class, Code, Slot};

impl Spa<'_> {
    /// Bit fields, counts, permutations, funnel shifts, and three-input logic.
    pub(super) fn bits(&mut self) -> Decode {
        match self.mnemonic() {
            M::POPC | M::FLO => self.count(),
            M::BFE => self.extract(),
            M::BFI => self.insert(),
            M::PRMT => self.permute(),
            M::LOP3 => self.logic_of_three(),
            M::SHF => self.funnel_shift(),
            M::I2I => self.integer_sign(),
            _ => Err(self.unsupported()),
        }
    }

    /// "POPC", "FLO": of the highest bit that differs from the sign, or with `.SH` how far left it would have to go.
    fn count(&mut self) -> Decode {
        let is_count = self.mnemonic() == M::POPC;
        let (d, a) = (self.destination()?, self.source(1)?);
        let signed = self.modifier("signedness") != 0;
        let shift = self.modifier("kind of answer") != 0;
        self.d.lane(
            d,
            &[a],
            move |v| {
                u64::from(match (is_count, signed) {
                    (true, _) => w32::popc(v[0] as u32),
                    (false, true) => w32::bfind_signed(v[0] as u32, shift),
                    (false, false) => w32::bfind_unsigned(v[0] as u32, shift),
                })
            },
            move |v, _| match is_count {
                true => definedness::popc(v[0], 32),
                false => definedness::bfind(v[0], signed, shift, 32),
            },
        );
        Ok(())
    }

    /// "BFE Rd, Ra, Rb": as many bits of `Ra` as bits 15:8 of `Rb` say, from where bits 7:0 say.
    fn extract(&mut self) -> Decode {
        self.only(&["signedness"])?;
        let (d, a, b) = (self.destination()?, self.source(1)?, self.source(2)?);
        let signed = self.modifier("signedness") != 0;
        self.d.lane(
            d,
            &[a, b],
            move |v| {
                let (a, position, length) = (v[0] as u32, v[1] as u32 & 0xff, v[1] as u32 >> 8 & 0xff);
                u64::from(match signed {
                    true => w32::bfe_signed(a, position, length),
                    false => w32::bfe_unsigned(a, position, length),
                })
            },
            move |v, _| {
                let [position, length] = [0, 8].map(|low| byte(v[1], low));
                match signed {
                    true => definedness::bfe_signed(v[0], position, length, 32),
                    false => definedness::bfe_unsigned(v[0], position, length, 32),
                }
            },
        );
        Ok(())
    }

    /// "BFI Rd, Ra, Rb, Rc": `Rc` with the low bits of `Ra` put where `Rb` says, as for `BFE`.
    fn insert(&mut self) -> Decode {
        let (d, a) = (self.destination()?, self.source(1)?);
        let (b, c) = (self.source(2)?, self.source(3)?);
        self.d.lane(
            d,
            &[a, c, b],
            |v| {
                let (position, length) = (v[2] as u32 & 0xff, v[2] as u32 >> 8 & 0xff);
                u64::from(w32::bfi(v[0] as u32, v[1] as u32, position, length))
            },
            |v, _| definedness::bfi(v[0], v[1], byte(v[2], 0), byte(v[2], 8), 32),
        );
        Ok(())
    }

    /// "PRMT Rd, Ra, Rb, Rc": bytes of `Ra` and `Rc`, chosen by `Rb`; modes are those of PTX's `prmt`.
    fn permute(&mut self) -> Decode {
        let mode = match self.modifier("mode") {
            0 => PrmtMode::Index,
            1 => PrmtMode::F4e,
            2 => PrmtMode::B4e,
            3 => PrmtMode::Rc8,
            4 => PrmtMode::Ecl,
            5 => PrmtMode::Ecr,
            6 => PrmtMode::Rc16,
            _ => return Err(self.unsupported()),
        };
        let (d, a) = (self.destination()?, self.source(1)?);
        let (b, c) = (self.source(2)?, self.source(3)?);
        self.d.lane(
            d,
            &[a, c, b],
            move |v| u64::from(integer::prmt(v[0] as u32, v[1] as u32, v[2] as u32, mode)),
            move |v, _| definedness::prmt(v[0], v[1], v[2], mode),
        );
        Ok(())
    }

    /// "LOP3.LUT": the truth table's bit `4a + 2b + c` of each three bits; the predicate says whether the result is zero (`.Z`) or
    /// not (`.NZ`).
    fn logic_of_three(&mut self) -> Decode {
        self.only(&["test of the result"])?;
        let first = usize::from(!matches!(self.operand(0)?, Operand::Register(_)));
        let (a, b, c) = (self.source(first + 1)?, self.source(first + 2)?, self.source(first + 3)?);
        let Operand::Immediate(table) = self.operand(first + 4)? else {
            return Err(self.unsupported_because("this kind of operand"));
        };
        let table = table as u8;
        let d = self.destination()?;
        let result = self.d.temporary(Class::Narrow);
        self.d.lane(
            result,
            &[a, b, c],
            move |v| u64::from(integer::lop3(v[0] as u32, v[1] as u32, v[2] as u32, table)),
            move |v, _| definedness::lop3(v[0], v[1], v[2], table),
        );
        if first == 1 {
            self.test_result(result)?;
        }
        self.d.emit(Code::MovN, d.index, [result.index, 0, 0], 0);
        Ok(())
    }

    /// Writes the requested test of the result to the predicate of operand 0: none, true, zero, or non-zero.
    pub(super) fn test_result(&mut self, result: Slot) -> Decode {
        let p = self.predicate_destination(0)?;
        let zero = self.d.constant(Class::Narrow, 0);
        let code = match self.modifier("test of the result") {
            _ if p == self.sinks.predicate => return Ok(()),
            2 => Code::EqN,
            3 => Code::NeN,
            _ => return Err(self.unsupported_because("a predicate that is not asked of the result")),
        };
        let holds = self.d.temporary(Class::Predicate);
        self.d.emit(code, holds.index, [result.index, zero.index, 0], 0);
        self.d.keep_guard(&[p.index]);
        self.d.emit(Code::MovP, p.index, [holds.index, 0, 0], 0);
        Ok(())
    }

    /// "SHF.L", "SHF.R": `{Rc, Ra}` shifted left, of which the upper word is the result, or right, of which it is the lower. The
    /// types `.U64` and `.S64` shift by up to 63, `.HI` is the other word.
    fn funnel_shift(&mut self) -> Decode {
        let left = self.is_fixed("L");
        let wrap = self.modifier("treatment of large shifts") != 0;
        let (kind, part) = (self.modifier("type"), self.modifier("part"));
        if part != 0 || kind == 1 {
            return Err(self.unsupported());
        }
        let (d, low) = (self.destination()?, self.source(1)?);
        let (amount, high) = (self.source(2)?, self.source(3)?);
        // With a type of 64 bits only amounts below 32 are known to be what the other kind makes of them.
        if kind != 0 && !matches!(self.operand(2)?, Operand::Immediate(0..32)) {
            return Err(self.unsupported());
        }
        self.d.lane(
            d,
            &[low, high, amount],
            move |v| {
                let (low, high, amount) = (v[0] as u32, v[1] as u32, v[2] as u32);
                u64::from(match left {
                    true => integer::shf_left(low, high, amount, wrap),
                    false => integer::shf_right(low, high, amount, wrap),
                })
            },
            move |v, _| match left {
                true => definedness::shf_left(v[0], v[1], v[2], wrap),
                false => definedness::shf_right(v[0], v[1], v[2], wrap),
            },
        );
        Ok(())
    }

    /// "I2I.S32.S32": the magnitude or the negative, or both.
    fn integer_sign(&mut self) -> Decode {
        self.only(&[])?;
        let (d, mut value) = (self.destination()?, self.unmarked(1)?);
        let zero = self.d.constant(Class::Narrow, 0);
        let negative = |spa: &mut Self, value: Slot| spa.computed(Code::SubN, [zero.index, value.index, 0]);
        let marks = self.marks(1);
        if marks.has(Mark::Absolute) {
            let opposite = negative(self, value);
            value = self.computed(Code::MaxSN, [value.index, opposite.index, 0]);
        }
        if marks.has(Mark::Negated) {
            value = negative(self, value);
        }
        self.d.emit(Code::MovN, d.index, [value.index, 0, 0], 0);
        Ok(())
    }
}

/// Eight bits of a value.
fn byte(bits: Bits, low: u32) -> Bits {
    let above = u64::MAX << 8;
    Bits { value: bits.value >> low & 0xff, defined: bits.defined >> low | above }
}
