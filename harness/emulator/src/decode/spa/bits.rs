//! Bit fields, counts, permutations, funnel shifts, and three-input logic.

use warpdiff_sass::{Mnemonic as M, Operand};
use warpdiff_semantics::definedness;
use warpdiff_semantics::definedness::composed::settled_amount;
use warpdiff_semantics::numeric::spa::bits::{self, Funnel, Permutation};

use super::super::{Decode, all_or_nothing};
use super::{Spa, WORD};
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
            _ => Err(self.unsupported()),
        }
    }

    /// "POPC": the number of ones. "FLO": the highest bit that differs from the sign, or with `.SH` how far left it would have to go.
    fn count(&mut self) -> Decode {
        let is_count = self.mnemonic() == M::POPC;
        let (d, a) = (self.destination()?, self.source(1)?);
        let signed = self.modifier("signedness") != 0;
        let shift = self.modifier("kind of answer") != 0;
        self.d.lane(
            d,
            &[a],
            move |v| {
                let a = v[0] as u32;
                u64::from(if is_count { a.count_ones() } else { bits::find_leading(a, signed, shift) })
            },
            move |v, _| match is_count {
                true => definedness::popc(v[0], 32),
                false => definedness::bfind(v[0], signed, shift, 32),
            },
        );
        Ok(())
    }

    /// The bits of a word in the opposite order.
    pub(super) fn reversed(&mut self, a: Slot) -> Slot {
        let reversed = self.d.temporary(Class::Narrow);
        self.d.lane(
            reversed,
            &[a],
            |v| u64::from((v[0] as u32).reverse_bits()),
            |v, _| u64::from((v[0].defined as u32).reverse_bits()),
        );
        reversed
    }

    /// "BFE Rd, Ra, Rb": as many bits of `Ra` as bits 15:8 of `Rb` say, from where bits 7:0 say; with `.BREV` of `Ra` in the opposite
    /// order.
    fn extract(&mut self) -> Decode {
        self.only(&["signedness", "reversal"])?;
        let (mut a, b) = (self.source(1)?, self.source(2)?);
        if self.modifier("reversal") != 0 {
            a = self.reversed(a);
        }
        let signed = self.modifier("signedness") != 0;
        let d = self.result()?;
        self.d.lane(
            d,
            &[a, b],
            move |v| u64::from(bits::extract(v[0] as u32, v[1] as u32, signed)),
            move |v, _| match v[1].is_known(16) {
                true => !u64::from(bits::extract(!v[0].defined as u32, v[1].value as u32, signed)) & WORD,
                false => 0,
            },
        );
        self.finish(d)
    }

    /// "BFI Rd, Ra, Rb, Rc": `Rc` with the low bits of `Ra` put where `Rb` says, as for `BFE`.
    fn insert(&mut self) -> Decode {
        let (a, b, c) = (self.source(1)?, self.source(2)?, self.source(3)?);
        let d = self.result()?;
        self.d.lane(
            d,
            &[a, b, c],
            |v| u64::from(bits::insert(v[0] as u32, v[1] as u32, v[2] as u32)),
            |v, _| match v[1].is_known(16) {
                true => {
                    let [a, c] = [v[0], v[2]].map(|bits| !bits.defined as u32);
                    !u64::from(bits::insert(a, v[1].value as u32, c)) & WORD
                }
                false => 0,
            },
        );
        self.finish(d)
    }

    /// "PRMT Rd, Ra, Rb, Rc": bytes of `Ra` and `Rc`, chosen by `Rb`.
    fn permute(&mut self) -> Decode {
        let Some(mode) = Permutation::of(self.modifier("mode")) else {
            return Err(self.unsupported());
        };
        let (d, a) = (self.destination()?, self.source(1)?);
        let (b, c) = (self.source(2)?, self.source(3)?);
        self.d.lane(
            d,
            &[a, b, c],
            move |v| u64::from(bits::permute(v[0] as u32, v[1] as u32, v[2] as u32, mode)),
            move |v, _| {
                let [a, c] = [v[0], v[2]].map(|bits| !bits.defined as u32);
                let moved = !bits::permute(a, v[1].value as u32, c, mode);
                let is_chosen = |index: &u32| !v[1].defined as u32 & bits::deciding_bits(mode, *index) == 0;
                let chosen = (0..4).filter(is_chosen).fold(0, |all, index| all | 0xFF << (8 * index));
                u64::from(moved & chosen)
            },
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
        let d = self.result()?;
        let is_tested = first == 1 && self.predicate_destination(0)? != self.sinks.predicate;
        let result = if is_tested { self.d.temporary(Class::Narrow) } else { d };
        self.d.lane(
            result,
            &[a, b, c],
            move |v| u64::from(bits::by_table(v[0] as u32, v[1] as u32, v[2] as u32, table)),
            move |v, _| definedness::lop3(v[0], v[1], v[2], table),
        );
        if is_tested {
            self.test_result(result)?;
            self.d.emit(Code::MovN, d.index, [result.index, 0, 0], 0);
        }
        self.finish(d)
    }

    /// Writes what is asked of the result to the predicate of operand 0: false, true, whether it is zero, or whether it is not.
    pub(super) fn test_result(&mut self, result: Slot) -> Decode {
        let p = self.predicate_destination(0)?;
        if p == self.sinks.predicate {
            return Ok(());
        }
        let zero = self.d.constant(Class::Narrow, 0);
        let holds = self.d.temporary(Class::Predicate);
        match self.modifier("test of the result") {
            2 => self.d.emit(Code::EqN, holds.index, [result.index, zero.index, 0], 0),
            3 => self.d.emit(Code::NeN, holds.index, [result.index, zero.index, 0], 0),
            other => {
                let always = self.d.constant(Class::Predicate, u64::from(other));
                self.d.emit(Code::MovP, holds.index, [always.index, 0, 0], 0);
            }
        }
        self.d.keep_guard(&[p.index]);
        self.d.emit(Code::MovP, p.index, [holds.index, 0, 0], 0);
        Ok(())
    }

    /// "SHF.L", "SHF.R": `{Rc, Ra}` shifted left, of which the upper word is the result, or right, of which it is the lower, and with
    /// `.HI` the upper. The types `.U64` and `.S64` shift by up to 64, of others the amount is at most 32.
    fn funnel_shift(&mut self) -> Decode {
        let left = self.is_fixed("L");
        let wraps = self.modifier("treatment of large shifts") != 0;
        let kind = match self.modifier("type") {
            0 => Funnel::Word,
            2 => Funnel::Unsigned,
            3 => Funnel::Signed,
            _ => return Err(self.unsupported()),
        };
        let upper = match (self.modifier("part"), left) {
            (0, _) => false,
            (1, false) => true,
            _ => return Err(self.unsupported()),
        };
        let (low, amount, high) = (self.source(1)?, self.source(2)?, self.source(3)?);
        let shift = move |low: u32, high: u32, amount: u32| match left {
            true => bits::funnel_left(low, high, amount),
            false => bits::funnel_right(low, high, amount, kind, upper),
        };
        let d = self.result()?;
        self.d.lane(
            d,
            &[low, high, amount],
            move |v| {
                u64::from(shift(v[0] as u32, v[1] as u32, bits::funnel_amount(v[2] as u32, kind, wraps)))
            },
            move |v, _| match settled_amount(v[2], kind, wraps) {
                Some(amount) => !u64::from(shift(!v[0].defined as u32, !v[1].defined as u32, amount)) & WORD,
                None => all_or_nothing(v, [0, 0, WORD, 0], WORD),
            },
        );
        self.finish(d)
    }
}
