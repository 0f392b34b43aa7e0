//! Arithmetic on singles and doubles.
//!
//! The PTX rules for the corresponding operations apply: rounding, flushing, and NaNs with only some bits specified. A double
//! occupies two registers.

use warpdiff_sass::{Mark, Marks, Mnemonic as M, Operand};
use warpdiff_semantics::definedness::Bits;
use warpdiff_semantics::numeric::bound::Operation;
use warpdiff_semantics::numeric::compare::{self, Comparison};
use warpdiff_semantics::numeric::extremum::{self, Extremum};
use warpdiff_semantics::numeric::rounding::{Layout, Mode, Rounding};
use warpdiff_semantics::numeric::{approximate, double, nan, single};

use super::super::{Decode, float_rule};
use super::Spa;
use crate::operation::{BoundUse, Class, Compute, Slot};

/// The sign of a single, of a double.
const SIGN: [u64; 2] = [1 << 31, 1 << 63];

/// What is done to a source on its way.
#[derive(Clone, Copy)]
struct Sign {
    absolute: bool,
    negated: bool,
    bit: u64,
}

impl Sign {
    fn of(marks: Marks, is_double: bool) -> Self {
        let bit = SIGN[usize::from(is_double)];
        Self { absolute: marks.has(Mark::Absolute), negated: marks.has(Mark::Negated), bit }
    }

    fn apply(self, value: u64) -> u64 {
        let value = if self.absolute { value & !self.bit } else { value };
        if self.negated { value ^ self.bit } else { value }
    }
}

/// A comparison: one that is decided already, or one of the numbers.
enum Asked {
    Always(bool),
    Of(Comparison),
}

impl Spa<'_> {
    /// Arithmetic on singles and doubles.
    pub(super) fn float(&mut self) -> Decode {
        match self.mnemonic() {
            M::FADD | M::FADD32I | M::FMUL | M::FMUL32I | M::FFMA => self.single_arithmetic(),
            M::FMNMX => self.single_extremum(),
            M::FSETP => self.single_comparison(),
            M::DADD | M::DMUL | M::DFMA => self.double_arithmetic(),
            M::DMNMX => self.double_extremum(),
            M::DSETP => self.double_comparison(),
            M::MUFU => self.approximation(),
            _ => Err(self.unsupported()),
        }
    }

    /// The rounding mode of the result.
    pub(super) fn rounding(&self) -> Rounding {
        [Rounding::Rn, Rounding::Rm, Rounding::Rp, Rounding::Rz][usize::from(self.modifier("rounding") & 3)]
    }

    /// "FADD", "FMUL", "FFMA" and their forms with a number of 32 bits.
    fn single_arithmetic(&mut self) -> Decode {
        self.only(&["rounding", "flushing", "saturation"])?;
        let mode =
            Mode { rounding: self.rounding(), ftz: self.flushes()?, sat: self.modifier("saturation") != 0 };
        let mnemonic = self.mnemonic();
        let count = if mnemonic == M::FFMA { 3 } else { 2 };
        let (d, sources, signs) = (self.destination()?, self.singles(count)?, self.signs(count, false));
        let compute: Compute = Box::new(move |v| {
            let [a, b, c] = [0, 1, 2].map(|n| if n < count { signs[n].apply(v[n]) as u32 } else { 0 });
            u64::from(match mnemonic {
                M::FFMA => single::fma(a, b, c, mode),
                M::FMUL | M::FMUL32I => single::mul(a, b, mode),
                _ => single::add(a, b, mode),
            })
        });
        let rule = move |v: &[Bits; 4], result: u64| {
            float_rule(v, count, Layout::F32, u64::from(nan::defined32(result as u32)))
        };
        self.d.lane_partial(d, &sources, compute, rule);
        Ok(())
    }

    /// Whether subnormal numbers count as zero. That zero times anything is zero (`.FMZ`) has no counterpart in PTX.
    fn flushes(&self) -> Decode<bool> {
        match self.modifier("flushing") {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.unsupported()),
        }
    }

    /// Sources 1 to `count`, singles.
    fn singles(&mut self, count: usize) -> Decode<Vec<Slot>> {
        (1..=count).map(|n| self.unmarked(n)).collect()
    }

    fn signs(&self, count: usize, is_double: bool) -> [Sign; 3] {
        [1, 2, 3].map(|n| {
            let marks = if n <= count { self.marks(n) } else { Marks::NONE };
            Sign::of(marks, is_double)
        })
    }

    /// "FMNMX": the lesser where the predicate is true, the greater where it is false.
    fn single_extremum(&mut self) -> Decode {
        let ftz = self.flushes()?;
        let (d, sources, signs) = (self.destination()?, self.singles(2)?, self.signs(2, false));
        let p = self.predicate(3)?;
        let compute: Compute = Box::new(move |v| {
            let [a, b] = [0, 1].map(|n| signs[n].apply(v[n]) as u32);
            let modifiers = Extremum { ftz, ..Extremum::default() };
            u64::from(match v[2] & 1 {
                1 => extremum::min32(a, b, modifiers),
                _ => extremum::max32(a, b, modifiers),
            })
        });
        let rule = |v: &[Bits; 4], result: u64| match v[2].defined & 1 {
            1 => float_rule(v, 2, Layout::F32, u64::from(nan::defined32(result as u32))),
            _ => 0,
        };
        self.d.lane_partial(d, &[sources[0], sources[1], p], compute, rule);
        Ok(())
    }

    /// "DMNMX".
    fn double_extremum(&mut self) -> Decode {
        let (sources, signs, p) = (self.doubles(2)?, self.signs(2, true), self.predicate(3)?);
        let wide = self.d.temporary(Class::Wide);
        let compute: Compute = Box::new(move |v| {
            let [a, b] = [0, 1].map(|n| signs[n].apply(v[n]));
            let plain = Extremum::default();
            if v[2] & 1 == 1 { extremum::min64(a, b, plain) } else { extremum::max64(a, b, plain) }
        });
        let rule = |v: &[Bits; 4], result: u64| match v[2].defined & 1 {
            1 => float_rule(v, 2, Layout::F64, nan::defined64(result, &[v[0].value, v[1].value])),
            _ => 0,
        };
        self.d.lane_partial(wide, &[sources[0], sources[1], p], compute, rule);
        self.store_pair(wide)
    }

    /// "FSETP.cmp.bop P, Q, Ra, Rb, Pc".
    fn single_comparison(&mut self) -> Decode {
        let ftz = self.flushes()?;
        let (a, b) = (self.unmarked(2)?, self.unmarked(3)?);
        let signs = [2, 3].map(|n| Sign::of(self.marks(n), false));
        self.float_comparison(Layout::F32, [a, b], signs, move |kind, a, b| {
            compare::f32(kind, a as u32, b as u32, ftz)
        })
    }

    /// "DSETP".
    fn double_comparison(&mut self) -> Decode {
        let (a, b) = (self.double(2)?, self.double(3)?);
        let signs = [2, 3].map(|n| Sign::of(self.marks(n), true));
        self.float_comparison(Layout::F64, [a, b], signs, compare::f64)
    }

    fn float_comparison(
        &mut self,
        layout: Layout,
        sources: [Slot; 2],
        signs: [Sign; 2],
        compare: impl Fn(Comparison, u64, u64) -> bool + Send + Sync + 'static,
    ) -> Decode {
        let c = self.predicate(4)?;
        let holds = match asked(self.modifier("comparison")) {
            Asked::Always(answer) => self.d.constant(Class::Predicate, u64::from(answer)),
            Asked::Of(kind) => {
                let holds = self.d.temporary(Class::Predicate);
                self.d.lane(
                    holds,
                    &sources,
                    move |v| u64::from(compare(kind, signs[0].apply(v[0]), signs[1].apply(v[1]))),
                    move |v, _| float_rule(v, 2, layout, 1),
                );
                holds
            }
        };
        self.set_predicates(holds, c)
    }

    /// "DADD", "DMUL", "DFMA".
    fn double_arithmetic(&mut self) -> Decode {
        self.only(&["rounding"])?;
        let rounding = self.rounding();
        let mnemonic = self.mnemonic();
        let count = if mnemonic == M::DFMA { 3 } else { 2 };
        let (sources, signs) = (self.doubles(count)?, self.signs(count, true));
        let wide = self.d.temporary(Class::Wide);
        let compute: Compute = Box::new(move |v| {
            let [a, b, c] = [0, 1, 2].map(|n| if n < count { signs[n].apply(v[n]) } else { 0 });
            match mnemonic {
                M::DFMA => double::fma(a, b, c, rounding),
                M::DMUL => double::mul(a, b, rounding),
                _ => double::add(a, b, rounding),
            }
        });
        let rule = move |v: &[Bits; 4], result: u64| {
            // The sign of a NaN that a mark has changed is nobody's.
            let inputs = [0, 1, 2].map(|n| signs[n].apply(v[n].value));
            float_rule(v, count, Layout::F64, nan::defined64(result, &inputs[..count]))
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

    /// "MUFU": what PTX says of the approximations of singles that are made of it alone. Sine, cosine and the power of two take what
    /// `RRO` makes of an argument, whose form nothing says.
    fn approximation(&mut self) -> Decode {
        self.only(&["function"])?;
        let (function, operation): (fn(u32, bool) -> u32, _) = match self.modifier("function") {
            3 => (approximate::lg2, Operation::Lg2),
            4 => (approximate::rcp, Operation::Rcp),
            5 => (approximate::rsqrt, Operation::Rsqrt),
            _ => return Err(self.unsupported()),
        };
        let (d, a, sign) = (self.destination()?, self.unmarked(1)?, Sign::of(self.marks(1), false));
        // A bound is one of the signed operand.
        let signed = self.d.temporary(Class::Narrow);
        self.d.lane(signed, &[a], move |v| sign.apply(v[0]), |v, _| v[0].defined);
        self.d.bound = BoundUse::ApproximatesOpenly { operation };
        self.d.lane_partial(
            d,
            &[signed],
            move |v| u64::from(function(v[0] as u32, true)),
            |v, result| float_rule(v, 1, Layout::F32, u64::from(nan::defined32(result as u32))),
        );
        Ok(())
    }
}

/// What a comparison of floating-point numbers asks.
fn asked(field: u8) -> Asked {
    use Comparison as C;
    Asked::Of(match field & 15 {
        0 => return Asked::Always(false),
        1 => C::Lt,
        2 => C::Eq,
        3 => C::Le,
        4 => C::Gt,
        5 => C::Ne,
        6 => C::Ge,
        7 => C::Num,
        8 => C::Nan,
        9 => C::Ltu,
        10 => C::Equ,
        11 => C::Leu,
        12 => C::Gtu,
        13 => C::Neu,
        14 => C::Geu,
        _ => return Asked::Always(true),
    })
}
