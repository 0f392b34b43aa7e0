//! Functions of registers.

use warpdiff_ptx::vocabulary::SpecialRegister;
use warpdiff_sass::{Mark, Operand};

use super::super::Decode;
use super::Spa;
use crate::definedness;
use crate::operation::{Class, Code, Slot, Volatile};

impl Spa<'_> {
    /// Functions of registers.
    pub(super) fn arithmetic(&mut self) -> Decode {
        match self.instruction().form.mnemonic {
            "MOV" | "MOV32I" => {
                let (d, a) = (self.destination()?, self.source(1)?);
                self.d.emit(Code::MovN, d.index, [a.index, 0, 0], 0);
                Ok(())
            }
            "S2R" => self.special_register(),
            "IADD" | "IADD32I" => self.sum(),
            "IADD3" => self.sum_of_three(),
            "ISCADD" => self.scaled_sum(),
            "IMNMX" => self.extremum(),
            "SEL" => self.selection(),
            "SHL" | "SHR" => self.shift(),
            "LOP" | "LOP32I" => self.logic(),
            "ISETP" => self.comparison(),
            "PSETP" => self.predicate_logic(),
            "XMAD" => self.multiply_add(),
            _ => Err(self.unsupported()),
        }
    }

    /// Refuses every modifier that has not one of these roles and is not at its default.
    fn only(&self, roles: &[&str]) -> Decode {
        let instruction = self.instruction();
        let other = instruction
            .form
            .modifiers
            .iter()
            .zip(&instruction.modifiers)
            .any(|(field, value)| !roles.contains(&field.role) && field.default != Some(*value));
        if other { Err(self.unsupported()) } else { Ok(()) }
    }

    /// "IADD": with `.CC` the carry is kept, with `.X` it is added. A negated summand is inverted, and 1 added instead of the carry.
    fn sum(&mut self) -> Decode {
        self.only(&["extension"])?;
        let extended = self.modifier("extension") != 0;
        let keeps_carry = self.marks(0).has(Mark::ConditionCodes);
        if !extended && !keeps_carry {
            let (d, a, b) = (self.destination()?, self.source(1)?, self.source(2)?);
            self.d.emit(Code::AddN, d.index, [a.index, b.index, 0], 0);
            return Ok(());
        }
        let (a, a_negated) = self.summand(1)?;
        let (b, b_negated) = self.summand(2)?;
        let carry_in = match (extended, a_negated || b_negated) {
            (true, _) => self.carry,
            (false, negated) => self.d.constant(Class::Predicate, u64::from(negated)),
        };
        let d = self.stored(self.register(0)?).unwrap_or(self.sinks.narrow);
        let sum = self.d.temporary(Class::Narrow);
        self.d.lane(
            sum,
            &[a, b, carry_in],
            |v| (v[0] + v[1] + v[2]) & u64::from(u32::MAX),
            |v, _| definedness::add_carry(v[0], v[1], v[2], 32).0,
        );
        if keeps_carry {
            self.d.lane(
                self.carry,
                &[a, b, carry_in],
                |v| (v[0] + v[1] + v[2]) >> 32,
                |v, _| u64::from(definedness::add_carry(v[0], v[1], v[2], 32).1),
            );
        }
        self.d.emit(Code::MovN, d.index, [sum.index, 0, 0], 0);
        Ok(())
    }

    /// Summand `n`, inverted where it is negated, and whether it is.
    fn summand(&mut self, n: usize) -> Decode<(Slot, bool)> {
        let value = self.unmarked(n)?;
        if !self.marks(n).has(Mark::Negated) {
            return Ok((value, false));
        }
        Ok((self.computed(Code::NotN, [value.index, 0, 0]), true))
    }

    fn sum_of_three(&mut self) -> Decode {
        self.only(&[])?;
        let d = self.destination()?;
        let (a, b, c) = (self.source(1)?, self.source(2)?, self.source(3)?);
        let first = self.computed(Code::AddN, [a.index, b.index, 0]);
        self.d.emit(Code::AddN, d.index, [first.index, c.index, 0], 0);
        Ok(())
    }

    /// "ISCADD": `Rd = (Ra << count) + Rb`.
    fn scaled_sum(&mut self) -> Decode {
        let (d, a, b) = (self.destination()?, self.source(1)?, self.source(2)?);
        let count = self.source(3)?;
        let scaled = self.computed(Code::ShlN, [a.index, count.index, 0]);
        self.d.emit(Code::AddN, d.index, [scaled.index, b.index, 0], 0);
        Ok(())
    }

    /// "IMNMX": the lesser where the predicate is true, the greater where it is false.
    fn extremum(&mut self) -> Decode {
        self.only(&["signedness"])?;
        let (d, a, b, p) = (self.destination()?, self.source(1)?, self.source(2)?, self.predicate(3)?);
        let signed = self.modifier("signedness") != 0;
        let (min, max) = if signed { (Code::MinSN, Code::MaxSN) } else { (Code::MinUN, Code::MaxUN) };
        let (least, greatest) =
            (self.computed(min, [a.index, b.index, 0]), self.computed(max, [a.index, b.index, 0]));
        self.d.emit(Code::SelN, d.index, [least.index, greatest.index, p.index], 0);
        Ok(())
    }

    fn selection(&mut self) -> Decode {
        let (d, a, b, p) = (self.destination()?, self.source(1)?, self.source(2)?, self.predicate(3)?);
        self.d.emit(Code::SelN, d.index, [a.index, b.index, p.index], 0);
        Ok(())
    }

    /// "S2R": the special registers that have a fixed value, and the clocks, of which no program can rely on one.
    fn special_register(&mut self) -> Decode {
        use SpecialRegister as S;
        let d = self.destination()?;
        let Operand::System(number) = self.operand(1)? else {
            return Err(self.unsupported_because("this kind of operand"));
        };
        let (register, component) = match number {
            0 => (S::Laneid, 0),
            33..=35 => (S::Tid, u32::from(number) - 33),
            37..=39 => (S::Ctaid, u32::from(number) - 37),
            56 => (S::LanemaskEq, 0),
            57 => (S::LanemaskLt, 0),
            58 => (S::LanemaskLe, 0),
            59 => (S::LanemaskGt, 0),
            60 => (S::LanemaskGe, 0),
            1 | 80 => return self.clock(d, Volatile::Clock),
            81 => return self.clock(d, Volatile::ClockHigh),
            _ => return Err(self.unsupported()),
        };
        let value = self.special(register, component);
        self.d.emit(Code::MovN, d.index, [value.index, 0, 0], 0);
        Ok(())
    }

    fn clock(&mut self, d: Slot, which: Volatile) -> Decode {
        self.d.emit(Code::Volatile, d.index, [0; 3], which as u32);
        Ok(())
    }

    /// Amounts of 32 and more shift everything out; with `.W` they count modulo 32.
    fn shift(&mut self) -> Decode {
        self.only(&["treatment of large shifts", "signedness"])?;
        let (d, a, mut amount) = (self.destination()?, self.source(1)?, self.source(2)?);
        if self.modifier("treatment of large shifts") != 0 {
            let mask = self.d.constant(Class::Narrow, 31);
            amount = self.computed(Code::AndN, [amount.index, mask.index, 0]);
        }
        let code = match (self.instruction().form.mnemonic, self.modifier("signedness")) {
            ("SHL", _) => Code::ShlN,
            (_, 0) => Code::ShrUN,
            _ => Code::ShrSN,
        };
        self.d.emit(code, d.index, [a.index, amount.index, 0], 0);
        Ok(())
    }

    fn logic(&mut self) -> Decode {
        self.only(&["operation"])?;
        let optional = usize::from(self.instruction().form.mnemonic == "LOP");
        if optional == 1 && self.predicate_destination(0)? != self.sinks.predicate {
            return Err(self.unsupported_because("a predicate of the result"));
        }
        let d = self.destination()?;
        let (a, b) = (self.source(optional + 1)?, self.source(optional + 2)?);
        let (code, sources) = match self.modifier("operation") {
            0 => (Code::AndN, [a.index, b.index, 0]),
            1 => (Code::OrN, [a.index, b.index, 0]),
            2 => (Code::XorN, [a.index, b.index, 0]),
            _ => (Code::MovN, [b.index, 0, 0]),
        };
        self.d.emit(code, d.index, sources, 0);
        Ok(())
    }

    /// "ISETP.cmp.bop P, Q, Ra, Rb, Pc": `P = (Ra cmp Rb) bop Pc`, `Q = !(Ra cmp Rb) bop Pc`.
    fn comparison(&mut self) -> Decode {
        self.only(&["comparison", "signedness", "combination"])?;
        let (a, b, c) = (self.source(2)?, self.source(3)?, self.predicate(4)?);
        let holds = self.compare(a, b)?;
        self.set_predicates(holds, c)
    }

    /// "PSETP.op.bop P, Q, Pa, Pb, Pc": `P = (Pa op Pb) bop Pc`, `Q = !(Pa op Pb) bop Pc`.
    fn predicate_logic(&mut self) -> Decode {
        let (a, b, c) = (self.predicate(2)?, self.predicate(3)?, self.predicate(4)?);
        let code = self.of_predicates("operation")?;
        let holds = self.d.temporary(Class::Predicate);
        self.d.emit(code, holds.index, [a.index, b.index, 0], 0);
        self.set_predicates(holds, c)
    }

    /// `P = holds bop c`, `Q = !holds bop c`, of the first two operands.
    fn set_predicates(&mut self, holds: Slot, c: Slot) -> Decode {
        let (p, q) = (self.predicate_destination(0)?, self.predicate_destination(1)?);
        let combine = self.of_predicates("combination")?;
        let opposite = self.d.temporary(Class::Predicate);
        self.d.emit(Code::NotP, opposite.index, [holds.index, 0, 0], 0);
        // A destination may be `Pc`, or the guard: both results are there before either is written.
        let (first, second) = (self.d.temporary(Class::Predicate), self.d.temporary(Class::Predicate));
        self.d.emit(combine, first.index, [holds.index, c.index, 0], 0);
        self.d.emit(combine, second.index, [opposite.index, c.index, 0], 0);
        self.d.keep_guard(&[p.index, q.index]);
        self.d.emit(Code::MovP, p.index, [first.index, 0, 0], 0);
        self.d.emit(Code::MovP, q.index, [second.index, 0, 0], 0);
        Ok(())
    }

    fn of_predicates(&self, role: &str) -> Decode<Code> {
        match self.modifier(role) {
            0 => Ok(Code::AndP),
            1 => Ok(Code::OrP),
            2 => Ok(Code::XorP),
            _ => Err(self.unsupported()),
        }
    }

    /// Whether `a` compares with `b` as the instruction asks.
    fn compare(&mut self, a: Slot, b: Slot) -> Decode<Slot> {
        let signed = self.modifier("signedness") != 0;
        let (less, less_equal) = if signed { (Code::LtSN, Code::LeSN) } else { (Code::LtUN, Code::LeUN) };
        let (code, a, b) = match self.modifier("comparison") {
            0 => return Ok(self.d.constant(Class::Predicate, 0)),
            7 => return Ok(self.d.constant(Class::Predicate, 1)),
            1 => (less, a, b),
            2 => (Code::EqN, a, b),
            3 => (less_equal, a, b),
            4 => (less, b, a),
            5 => (Code::NeN, a, b),
            _ => (less_equal, b, a),
        };
        let holds = self.d.temporary(Class::Predicate);
        self.d.emit(code, holds.index, [a.index, b.index, 0], 0);
        Ok(holds)
    }

    /// "XMAD": a product of 16-bit halves, shifted by 16 with `.PSL`, plus `Rc` or a part of it (`.CLO`, `.CHI`) or `Rc` and
    /// `Rb << 16` (`.CBCC`); with `.MRG` the upper half of the result is the lower one of `Rb`.
    fn multiply_add(&mut self) -> Decode {
        let known =
            ["signedness of the halves", "shift of the product", "treatment of the summand", "merging"];
        self.only(&known)?;
        let d = self.destination()?;
        let signs = self.modifier("signedness of the halves");
        let a = self.half(1, signs & 1 != 0)?;
        let whole_b = self.unmarked(2)?;
        let b = self.half(2, signs & 2 != 0)?;
        let sixteen = self.d.constant(Class::Narrow, 16);
        let low = self.d.constant(Class::Narrow, 0xFFFF);
        let mut product = self.computed(Code::MulN, [a.index, b.index, 0]);
        if self.modifier("shift of the product") != 0 {
            product = self.computed(Code::ShlN, [product.index, sixteen.index, 0]);
        }
        let c = self.source(3)?;
        let c = match self.modifier("treatment of the summand") {
            0 => c,
            1 => self.computed(Code::AndN, [c.index, low.index, 0]),
            2 => self.computed(Code::ShrUN, [c.index, sixteen.index, 0]),
            4 => {
                let raised = self.computed(Code::ShlN, [whole_b.index, sixteen.index, 0]);
                self.computed(Code::AddN, [c.index, raised.index, 0])
            }
            _ => return Err(self.unsupported()),
        };
        if self.modifier("merging") == 0 {
            self.d.emit(Code::AddN, d.index, [product.index, c.index, 0], 0);
            return Ok(());
        }
        let sum = self.computed(Code::AddN, [product.index, c.index, 0]);
        let sum = self.computed(Code::AndN, [sum.index, low.index, 0]);
        let merged = self.computed(Code::ShlN, [whole_b.index, sixteen.index, 0]);
        self.d.emit(Code::OrN, d.index, [sum.index, merged.index, 0], 0);
        Ok(())
    }

    /// The half of operand `n` that its mark names, extended to 32 bits.
    fn half(&mut self, n: usize, signed: bool) -> Decode<Slot> {
        let value = self.unmarked(n)?;
        let sixteen = self.d.constant(Class::Narrow, 16);
        let right = if signed { Code::ShrSN } else { Code::ShrUN };
        let raised = match self.marks(n).has(Mark::UpperHalf) {
            true => value,
            false => self.computed(Code::ShlN, [value.index, sixteen.index, 0]),
        };
        Ok(self.computed(right, [raised.index, sixteen.index, 0]))
    }
}
