//! Arithmetic on doubles, which are pairs of registers.
//!
//! A NaN operand comes through with its payload and sign, quiet: so do the routines that ptxas emits, and Mesa's. Of two NaNs no source
//! says which; and none is sure of what an invalid operation of the hardware makes (the routines make 0xfff80000_00000000): only that it is
//! quiet is defined.

use warpdiff_sass::{Mark, Mnemonic as M, Operand};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::extremum::{self, Extremum};
use warpdiff_semantics::numeric::rounding::Layout;
use warpdiff_semantics::numeric::{compare, double, nan};

use super::super::{Decode, float_rule};
use super::Spa;
use super::float::{Sign, asked};
use crate::operation::{Class, Compute, Slot};

/// What an invalid operation makes.
const INVALID: u64 = 0xfff8 << 48;
const QUIET_NAN: u64 = 0x7ff8 << 48;
const SIGN: u64 = 1 << 63;

impl Spa<'_> {
    /// "DMNMX".
    pub(super) fn double_extremum(&mut self) -> Decode {
        let (sources, signs, p) = (self.doubles(2)?, self.signs(2, true), self.predicate(3)?);
        let wide = self.d.temporary(Class::Wide);
        let compute: Compute = Box::new(move |v| {
            let [a, b] = [0, 1].map(|n| signs[n].apply(v[n]));
            let plain = Extremum::default();
            if v[2] & 1 == 1 { extremum::min64(a, b, plain) } else { extremum::max64(a, b, plain) }
        });
        let rule = |v: &[Bits; 4], result: u64| match v[2].defined & 1 {
            1 => float_rule(v, 2, Layout::F64, if double::is_nan(result) { QUIET_NAN } else { u64::MAX }),
            _ => 0,
        };
        self.d.lane_partial(wide, &[sources[0], sources[1], p], compute, rule);
        self.store_pair(wide)
    }

    /// "DSETP.cmp.bop P, Q, Ra, Rb, Pc".
    pub(super) fn double_comparison(&mut self) -> Decode {
        let holds = self.double_holds(2)?;
        let c = self.predicate(4)?;
        self.set_predicates(holds, c)
    }

    /// "DSET{.BF}.cmp.bop Rd, Ra, Rb, Pc": a register of 32 bits.
    pub(super) fn double_set(&mut self) -> Decode {
        let holds = self.double_holds(1)?;
        self.set_register(holds)
    }

    /// Whether the doubles from operand `first` on compare as the instruction asks.
    fn double_holds(&mut self, first: usize) -> Decode<Slot> {
        let sources = [self.double(first)?, self.double(first + 1)?];
        let signs = [first, first + 1].map(|n| Sign::of(self.marks(n), true));
        let comparison = asked(self.modifier("comparison"));
        Ok(self.float_comparison(Layout::F64, sources, signs, comparison, compare::f64))
    }

    /// "DADD", "DMUL", "DFMA".
    pub(super) fn double_arithmetic(&mut self) -> Decode {
        self.only(&["rounding"])?;
        let rounding = self.rounding();
        let mnemonic = self.mnemonic();
        let count = if mnemonic == M::DFMA { 3 } else { 2 };
        let (sources, signs) = (self.doubles(count)?, self.signs(count, true));
        let wide = self.d.temporary(Class::Wide);
        let compute: Compute = Box::new(move |v| {
            let [a, b, c] = [0, 1, 2].map(|n| if n < count { signs[n].apply(v[n]) } else { 0 });
            let result = match mnemonic {
                M::DFMA => double::fma(a, b, c, rounding),
                M::DMUL => double::mul(a, b, rounding),
                _ => double::add(a, b, rounding),
            };
            let is_invalid = double::is_nan(result) && ![a, b, c].into_iter().any(double::is_nan);
            if is_invalid { INVALID } else { result }
        });
        let rule = move |v: &[Bits; 4], result: u64| {
            let inputs = [0, 1, 2].map(|n| signs[n].apply(v[n].value));
            let nans = || (0..count).filter(|n| double::is_nan(v[*n].value));
            // The sign of the only NaN, if no mark changes it.
            let sign = match (nans().next(), nans().nth(1)) {
                (Some(n), None) if inputs[n] == v[n].value => SIGN,
                _ => 0,
            };
            let passed_on = definedness::float::passed_on(&v[..count], Layout::F64);
            let mask = nan::defined64(result, &inputs[..count]) | sign;
            float_rule(v, count, Layout::F64, mask & passed_on)
        };
        self.d.lane_partial(wide, &sources, compute, rule);
        self.store_pair(wide)
    }

    /// Sources 1 to `count`, doubles.
    fn doubles(&mut self, count: usize) -> Decode<Vec<Slot>> {
        (1..=count).map(|n| self.double(n)).collect()
    }

    /// Operand `n`, 64 bits: a pair of registers, two words of the constant bank, or a number.
    pub(super) fn double(&mut self, n: usize) -> Decode<Slot> {
        match self.operand(n)? {
            Operand::Register(register) => self.pair(register),
            Operand::Float(value) => Ok(self.d.constant(Class::Wide, value.bits)),
            Operand::Constant { bank, offset } => {
                let (low, high) = (self.bank_word(bank, offset)?, self.bank_word(bank, offset + 4)?);
                let wide = self.d.temporary(Class::Wide);
                self.d.lane(
                    wide,
                    &[low, high],
                    |v| v[0] | v[1] << 32,
                    |v, _| v[0].defined & u64::from(u32::MAX) | v[1].defined << 32,
                );
                Ok(wide)
            }
            _ => Err(self.unsupported_because("this kind of operand")),
        }
    }

    /// Puts 64 bits into `Rd` and the register behind it.
    pub(super) fn store_pair(&mut self, wide: Slot) -> Decode {
        let n = self.numbered("Rd")?;
        if self.marks(n).has(Mark::ConditionCodes) {
            return Err(self.unsupported_because("condition codes"));
        }
        let register = self.register(n)?;
        let Some([low, high]) = self.pair_slots(register) else {
            return Ok(());
        };
        let word = u64::from(u32::MAX);
        self.d.lane(low, &[wide], move |v| v[0] & word, move |v, _| v[0].defined & word);
        self.d.lane(high, &[wide], |v| v[0] >> 32, |v, _| v[0].defined >> 32);
        Ok(())
    }
}
