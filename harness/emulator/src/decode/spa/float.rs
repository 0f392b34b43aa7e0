//! Arithmetic on singles, and the choice of instruction for all of floating point.
//!
//! Every NaN result is 0x7fffffff, and all its bits are defined: ptxas writes that literal where it knows that a result is NaN, whatever the
//! operands. PTX promises less.

use warpdiff_ptx::vocabulary::SpecialRegister;
use warpdiff_sass::{Mark, Marks, Mnemonic as M, Operand};
use warpdiff_semantics::definedness::Bits;
use warpdiff_semantics::numeric::compare::{self, Comparison};
use warpdiff_semantics::numeric::extremum::{self, Extremum};
use warpdiff_semantics::numeric::rounding::{Layout, Mode, Rounding};
use warpdiff_semantics::numeric::{single, spa_single};

use super::super::{Decode, float_rule};
use super::Spa;
use crate::operation::{Class, Code, Compute, SETTLED_NAN, Slot};

/// All bits of a register.
const WORD: u64 = 0xFFFF_FFFF;

/// The sign of a single, of a double.
const SIGN: [u64; 2] = [1 << 31, 1 << 63];

/// What is done to a source on its way.
#[derive(Clone, Copy)]
pub(super) struct Sign {
    absolute: bool,
    negated: bool,
    bit: u64,
}

impl Sign {
    pub(super) fn of(marks: Marks, is_double: bool) -> Self {
        let bit = SIGN[usize::from(is_double)];
        Self { absolute: marks.has(Mark::Absolute), negated: marks.has(Mark::Negated), bit }
    }

    pub(super) fn apply(self, value: u64) -> u64 {
        let value = if self.absolute { value & !self.bit } else { value };
        if self.negated { value ^ self.bit } else { value }
    }
}

/// A comparison: one that is decided already, or one of the numbers.
pub(super) enum Asked {
    Always(bool),
    Of(Comparison),
}

impl Spa<'_> {
    /// Arithmetic on singles and doubles.
    pub(super) fn float(&mut self) -> Decode {
        match self.mnemonic() {
            M::FADD | M::FADD32I | M::FMUL | M::FMUL32I | M::FFMA | M::FFMA32I => self.single_arithmetic(),
            M::FMNMX => self.single_extremum(),
            M::FSETP => self.single_comparison(),
            M::FSET => self.single_set(),
            M::FCMP => self.single_choice(),
            M::FCHK => self.division_check(),
            M::FSWZADD => self.swizzled_sum(),
            M::RRO => self.range_reduction(),
            M::DADD | M::DMUL | M::DFMA => self.double_arithmetic(),
            M::DMNMX => self.double_extremum(),
            M::DSETP => self.double_comparison(),
            M::DSET => self.double_set(),
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
        self.only(&["rounding", "flushing", "saturation", "scale"])?;
        let flushing = self.modifier("flushing");
        let mode =
            Mode { rounding: self.rounding(), ftz: flushing != 0, sat: self.modifier("saturation") != 0 };
        let mnemonic = self.mnemonic();
        let is_fused = matches!(mnemonic, M::FFMA | M::FFMA32I);
        let count = if is_fused { 3 } else { 2 };
        let (d, sources, signs) = (self.destination()?, self.singles(count)?, self.signs(count, false));
        // `.D2` divides by two, `.M2` multiplies by it.
        let steps = [0, -1, -2, -3, 3, 2, 1][usize::from(self.modifier("scale")).min(6)];
        if flushing == 2 {
            if steps != 0 {
                return Err(self.unsupported_because("a scale with `.FMZ`"));
            }
            return self.zero_wins(d, &sources, signs, mode);
        }
        if steps != 0 {
            return self.scaled_product(d, &sources, signs, (mode, steps));
        }
        if let Some((code, [a, b, c])) = self.plain(mode, &sources) {
            self.d.emit(code, d.index, [a, b, c], SETTLED_NAN);
            return Ok(());
        }
        let compute: Compute = Box::new(move |v| {
            let [a, b, c] = [0, 1, 2].map(|n| if n < count { signs[n].apply(v[n]) as u32 } else { 0 });
            u64::from(match mnemonic {
                M::FFMA | M::FFMA32I => spa_single::fma(a, b, c, mode),
                M::FMUL | M::FMUL32I => spa_single::mul(a, b, mode),
                _ => single::add(a, b, mode),
            })
        });
        self.d.lane(d, &sources, compute, move |v, _| float_rule(v, count, Layout::F32, WORD));
        Ok(())
    }

    /// The operation of the machine's loop that does the same, and its operands: to the nearest, without flushing and saturation.
    fn plain(&self, mode: Mode, sources: &[Slot]) -> Option<(Code, [u32; 3])> {
        let negative = Marks::NONE.with(Mark::Negated);
        let marks: Vec<Marks> = (1..=sources.len()).map(|n| self.marks(n)).collect();
        let slots = [0, 1, 2].map(|n| sources.get(n).map_or(0, |slot| slot.index));
        let [a, b, _] = slots;
        if !mode.is_plain() {
            return None;
        }
        let is_sum = matches!(self.mnemonic(), M::FADD | M::FADD32I);
        match marks[..] {
            [Marks::NONE, Marks::NONE] if is_sum => Some((Code::AddF32, slots)),
            [Marks::NONE, mark] if is_sum && mark == negative => Some((Code::SubF32, slots)),
            [mark, Marks::NONE] if is_sum && mark == negative => Some((Code::SubF32, [b, a, 0])),
            [Marks::NONE, Marks::NONE] => Some((Code::MulF32, slots)),
            [Marks::NONE, Marks::NONE, Marks::NONE] => Some((Code::FmaF32, slots)),
            _ => None,
        }
    }

    /// `.FMZ`: zero times anything is zero, of which no source is sure that it is positive.
    fn zero_wins(&mut self, d: Slot, sources: &[Slot], signs: [Sign; 3], mode: Mode) -> Decode {
        let count = sources.len();
        let is_zero = |v: &[u64; 4]| v[..2].iter().any(|a| spa_single::is_zero_factor(*a as u32));
        let compute: Compute = Box::new(move |v| {
            let [a, b, c] = [0, 1, 2].map(|n| if n < count { signs[n].apply(v[n]) as u32 } else { 0 });
            u64::from(match (is_zero(v), count) {
                (true, 3) => single::add(0x8000_0000, c, Mode { rounding: Rounding::Rn, ..mode }),
                (true, _) => 0,
                (false, 3) => spa_single::fma(a, b, c, mode),
                (false, _) => spa_single::mul(a, b, mode),
            })
        });
        let rule = move |v: &[Bits; 4], result: u64| {
            let open_sign = !mode.sat && result << 33 == 0 && is_zero(&v.map(|bits| bits.value));
            float_rule(v, count, Layout::F32, if open_sign { WORD >> 1 } else { WORD })
        };
        self.d.lane_partial(d, sources, compute, rule);
        Ok(())
    }

    /// `FMUL` with a scale, as long as it makes no difference whether a factor is scaled or the product.
    fn scaled_product(
        &mut self,
        d: Slot,
        sources: &[Slot],
        signs: [Sign; 3],
        (mode, steps): (Mode, i32),
    ) -> Decode {
        let factor = move |v: u64| {
            let a = signs[0].apply(v) as u32;
            spa_single::scaled(if mode.ftz { single::flush(a) } else { a }, steps)
        };
        self.d.lane_partial(
            d,
            sources,
            move |v| {
                factor(v[0]).map_or(0, |a| u64::from(spa_single::mul(a, signs[1].apply(v[1]) as u32, mode)))
            },
            move |v, _| match factor(v[0].value) {
                Some(_) => float_rule(v, 2, Layout::F32, WORD),
                None => 0,
            },
        );
        Ok(())
    }

    /// Whether subnormal numbers count as zero.
    pub(super) fn flushes(&self) -> bool {
        self.modifier("flushing") != 0
    }

    /// Sources 1 to `count`, singles.
    fn singles(&mut self, count: usize) -> Decode<Vec<Slot>> {
        (1..=count).map(|n| self.unmarked(n)).collect()
    }

    pub(super) fn signs(&self, count: usize, is_double: bool) -> [Sign; 3] {
        [1, 2, 3].map(|n| {
            let marks = if n <= count { self.marks(n) } else { Marks::NONE };
            Sign::of(marks, is_double)
        })
    }

    /// "FMNMX": the lesser where the predicate is true, the greater where it is false. One NaN gives way to the other operand.
    fn single_extremum(&mut self) -> Decode {
        let ftz = self.flushes();
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
        let rule = |v: &[Bits; 4], _: u64| match v[2].defined & 1 {
            1 => float_rule(v, 2, Layout::F32, WORD),
            _ => 0,
        };
        self.d.lane(d, &[sources[0], sources[1], p], compute, rule);
        Ok(())
    }

    /// "FSETP.cmp.bop P, Q, Ra, Rb, Pc".
    fn single_comparison(&mut self) -> Decode {
        let holds = self.single_holds(2)?;
        let c = self.predicate(4)?;
        self.set_predicates(holds, c)
    }

    /// "FSET{.BF}.cmp.bop Rd, Ra, Rb, Pc".
    fn single_set(&mut self) -> Decode {
        let holds = self.single_holds(1)?;
        self.set_register(holds)
    }

    /// Whether the singles from operand `first` on compare as the instruction asks.
    fn single_holds(&mut self, first: usize) -> Decode<Slot> {
        let ftz = self.flushes();
        let sources = [self.unmarked(first)?, self.unmarked(first + 1)?];
        let signs = [first, first + 1].map(|n| Sign::of(self.marks(n), false));
        let comparison = asked(self.modifier("comparison"));
        Ok(self.float_comparison(Layout::F32, sources, signs, comparison, move |kind, a, b| {
            compare::f32(kind, a as u32, b as u32, ftz)
        }))
    }

    /// A predicate: whether two numbers compare as asked.
    pub(super) fn float_comparison(
        &mut self,
        layout: Layout,
        sources: [Slot; 2],
        signs: [Sign; 2],
        comparison: Asked,
        compare: impl Fn(Comparison, u64, u64) -> bool + Send + Sync + 'static,
    ) -> Slot {
        let kind = match comparison {
            Asked::Always(answer) => return self.d.constant(Class::Predicate, u64::from(answer)),
            Asked::Of(kind) => kind,
        };
        let holds = self.d.temporary(Class::Predicate);
        self.d.lane(
            holds,
            &sources,
            move |v| u64::from(compare(kind, signs[0].apply(v[0]), signs[1].apply(v[1]))),
            move |v, _| float_rule(v, 2, layout, 1),
        );
        holds
    }

    /// `Rd = holds bop Pc ? -1 : 0`, with `.BF` 1.0 for -1. `Pc` is operand 3.
    pub(super) fn set_register(&mut self, holds: Slot) -> Decode {
        let (d, c, combine) = (self.destination()?, self.predicate(3)?, self.of_predicates("combination")?);
        let result = self.d.temporary(Class::Predicate);
        self.d.emit(combine, result.index, [holds.index, c.index, 0], 0);
        let truth = if self.modifier("kind of truth") != 0 { 0x3f80_0000 } else { WORD };
        let (yes, no) = (self.d.constant(Class::Narrow, truth), self.d.constant(Class::Narrow, 0));
        self.d.emit(Code::SelN, d.index, [yes.index, no.index, result.index], 0);
        Ok(())
    }

    /// "FCMP.cmp Rd, Ra, Rb, Rc": `Ra` where `Rc` compares with zero as is asked, else `Rb`; both as bits.
    fn single_choice(&mut self) -> Decode {
        let ftz = self.flushes();
        let (d, a, b, c) = (self.destination()?, self.unmarked(1)?, self.unmarked(2)?, self.unmarked(3)?);
        let zero = self.d.constant(Class::Narrow, 0);
        let plain = [Sign::of(Marks::NONE, false); 2];
        let comparison = asked(self.modifier("comparison"));
        let holds = self.float_comparison(Layout::F32, [c, zero], plain, comparison, move |kind, a, b| {
            compare::f32(kind, a as u32, b as u32, ftz)
        });
        self.d.emit(Code::SelN, d.index, [a.index, b.index, holds.index], 0);
        Ok(())
    }

    /// "FCHK.DIVIDE P, Ra, Rb": see [`spa_single::needs_complete_division`]. Marks change signs, which do not matter.
    fn division_check(&mut self) -> Decode {
        let (p, a, b) = (self.predicate_destination(0)?, self.unmarked(1)?, self.unmarked(2)?);
        self.d.lane(
            p,
            &[a, b],
            |v| u64::from(spa_single::needs_complete_division(v[0] as u32, v[1] as u32)),
            |v, _| float_rule(v, 2, Layout::F32, 1),
        );
        Ok(())
    }

    /// "FSWZADD Rd, Ra, Rb, signs": a sum or difference, as the lane's place in its group of four says. The signs of the
    /// first lane are the first ones that are written, in the highest bits: ptxas's `tex.grad.3d` adds the derivative along x in the lanes 1 and 3
    /// (`ZPPPZPPP`), that along y in 2 and 3, and takes what lane 0 has looked up. `.NDV` says that no derivative is
    /// taken, which changes nothing.
    fn swizzled_sum(&mut self) -> Decode {
        self.only(&["rounding", "flushing", "derivative"])?;
        let mode = Mode { rounding: self.rounding(), ftz: self.flushes(), sat: false };
        let (d, a, b) = (self.destination()?, self.unmarked(1)?, self.unmarked(2)?);
        let Operand::Swizzle(signs) = self.operand(3)? else {
            return Err(self.unsupported_because("this kind of operand"));
        };
        let lane = self.special(SpecialRegister::Laneid, 0);
        self.d.lane(
            d,
            &[a, b, lane],
            move |v| {
                let signs = u32::from(signs) >> (2 * (3 - (v[2] & 3)));
                u64::from(spa_single::swizzled_sum(signs, v[0] as u32, v[1] as u32, mode))
            },
            |v, _| float_rule(v, 2, Layout::F32, WORD),
        );
        Ok(())
    }
}

/// What a comparison of floating-point numbers asks.
pub(super) fn asked(field: u8) -> Asked {
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
