//! Arithmetic, logic and comparisons on registers.

use warpdiff_sass::form::WHOLE_QUAD;
use warpdiff_sass::{Mark, Mnemonic as M, Operand};

use super::writer::{Writer, Written};

impl Writer<'_> {
    /// Arithmetic, logic and comparisons on registers.
    pub(super) fn arithmetic(&mut self) -> Written {
        if !self.instruction().form.fixed_modifiers.is_empty() {
            return Err(self.no_translation());
        }
        match self.instruction().form.mnemonic {
            M::MOV | M::MOV32I => {
                self.only(&[])?;
                if !matches!(self.instruction().operands.get(2), Some(Operand::Immediate(WHOLE_QUAD)) | None)
                {
                    return Err(self.no_translation());
                }
                let a = self.source(1)?;
                self.assign("mov.b32", &[&a])
            }
            M::IADD | M::IADD32I => self.sum(),
            M::IADD3 => self.sum_of_three(),
            M::ISCADD => self.scaled_sum(),
            M::IMNMX => self.extremum(),
            M::SEL => self.selection(),
            M::SHL | M::SHR => self.shift(),
            M::LOP | M::LOP32I => self.logic(),
            M::ISETP => self.comparison(),
            M::PSETP => self.predicate_logic(),
            M::IMUL | M::IMUL32I => self.product(),
            M::XMAD => self.multiply_add(),
            _ => Err(self.no_translation()),
        }
    }

    /// `opcode Rd, sources;`
    fn assign(&mut self, opcode: &str, sources: &[&str]) -> Written {
        let d = self.destination()?;
        self.act(format!("{opcode} {d}, {};", sources.join(", ")));
        Ok(())
    }

    /// `S2R` and `CS2R`.
    pub(super) fn special(&mut self) -> Written {
        let Operand::System(number) = self.operand(1)? else {
            return Err(self.untranslatable("this kind of operand"));
        };
        let name = match number {
            0 => "%laneid",
            1 | 80 => "%clock",
            33 => "%tid.x",
            34 => "%tid.y",
            35 => "%tid.z",
            37 => "%ctaid.x",
            38 => "%ctaid.y",
            39 => "%ctaid.z",
            56 => "%lanemask_eq",
            57 => "%lanemask_lt",
            58 => "%lanemask_le",
            59 => "%lanemask_gt",
            60 => "%lanemask_ge",
            81 => "%clock_hi",
            _ => return Err(self.untranslatable("a special register that PTX does not have")),
        };
        self.assign("mov.u32", &[name])
    }

    /// `IADD`: a negated summand is inverted, and 1 added instead of the carry.
    fn sum(&mut self) -> Written {
        self.only(&["extension"])?;
        let keeps_carry = self.marks(0).has(Mark::ConditionCodes);
        let takes_carry = self.modifier("extension") != 0;
        let (a, b) = (self.unmarked(1)?, self.unmarked(2)?);
        let negated = [1, 2].map(|n| self.marks(n).has(Mark::Negated));
        if !keeps_carry && !takes_carry {
            return match negated {
                [false, false] => self.assign("add.u32", &[&a, &b]),
                [true, false] => self.assign("sub.u32", &[&b, &a]),
                [false, true] => self.assign("sub.u32", &[&a, &b]),
                [true, true] => Err(self.untranslatable("both summands negated")),
            };
        }
        let inverted = match negated {
            [false, false] => None,
            [true, false] => Some(&a),
            [false, true] => Some(&b),
            [true, true] => return Err(self.untranslatable("both summands negated")),
        };
        let (mut x, mut y) = (a.as_str(), b.as_str());
        if let Some(value) = inverted {
            self.prepare(format!("not.b32 %unread0, {value};"));
            *(if negated[0] { &mut x } else { &mut y }) = "%unread0";
            if !takes_carry {
                // The largest number and one give a carry.
                self.act("add.cc.u32 %unread1, -1, 1;");
            }
        }
        let opcode = match (takes_carry || inverted.is_some(), keeps_carry) {
            (false, _) => "add.cc.u32",
            (true, true) => "addc.cc.u32",
            (true, false) => "addc.u32",
        };
        let d = self.destination_of(0)?;
        self.act(format!("{opcode} {d}, {x}, {y};"));
        Ok(())
    }

    fn sum_of_three(&mut self) -> Written {
        self.only(&[])?;
        let (a, b, c) = (self.source(1)?, self.source(2)?, self.source(3)?);
        self.prepare(format!("add.u32 %value, {a}, {b};"));
        self.assign("add.u32", &["%value", &c])
    }

    /// `ISCADD`: `Rd = (Ra << count) + Rb`.
    fn scaled_sum(&mut self) -> Written {
        self.only(&[])?;
        let (a, b, count) = (self.source(1)?, self.source(2)?, self.source(3)?);
        self.prepare(format!("shl.b32 %value, {a}, {count};"));
        if !self.marks(0).has(Mark::ConditionCodes) {
            return self.assign("add.u32", &["%value", &b]);
        }
        if (1..=2).any(|n| self.marks(n).has(Mark::Negated)) {
            return Err(self.untranslatable("the carry of a difference"));
        }
        let d = self.destination_of(0)?;
        self.act(format!("add.cc.u32 {d}, %value, {b};"));
        Ok(())
    }

    /// `IMNMX`: the minimum if the predicate is true, else the maximum.
    fn extremum(&mut self) -> Written {
        self.only(&["signedness"])?;
        let ty = if self.modifier("signedness") != 0 { "s32" } else { "u32" };
        let (a, b) = (self.source(1)?, self.source(2)?);
        let (predicate, negated) = self.predicate(3)?;
        let (when_true, when_false) = if negated { ("max", "min") } else { ("min", "max") };
        if predicate == "%true" {
            return self.assign(&format!("{when_true}.{ty}"), &[&a, &b]);
        }
        self.prepare(format!("{when_true}.{ty} %unread0, {a}, {b};"));
        self.prepare(format!("{when_false}.{ty} %unread1, {a}, {b};"));
        self.assign("selp.b32", &["%unread0", "%unread1", &predicate])
    }

    fn selection(&mut self) -> Written {
        self.only(&[])?;
        let (a, b) = (self.source(1)?, self.source(2)?);
        let (predicate, negated) = self.predicate(3)?;
        let (a, b) = if negated { (b, a) } else { (a, b) };
        self.assign("selp.b32", &[&a, &b, &predicate])
    }

    /// Amounts of 32 and more shift everything out, in PTX too; with `.W` they count modulo 32.
    fn shift(&mut self) -> Written {
        self.only(&["treatment of large shifts", "signedness"])?;
        let (a, mut amount) = (self.source(1)?, self.source(2)?);
        if self.modifier("treatment of large shifts") != 0 {
            self.prepare(format!("and.b32 %value, {amount}, 31;"));
            amount = "%value".to_owned();
        }
        let opcode = match (self.instruction().form.mnemonic, self.modifier("signedness")) {
            (M::SHL, _) => "shl.b32",
            (_, 0) => "shr.u32",
            _ => "shr.s32",
        };
        self.assign(opcode, &[&a, &amount])
    }

    fn logic(&mut self) -> Written {
        self.only(&["operation"])?;
        let optional = usize::from(self.instruction().form.mnemonic == M::LOP);
        if optional == 1 && self.predicate_destination(0)?.is_some() {
            return Err(self.untranslatable("a predicate of the result"));
        }
        let (a, b) = (self.source(optional + 1)?, self.source(optional + 2)?);
        match self.modifier("operation") {
            0 => self.assign("and.b32", &[&a, &b]),
            1 => self.assign("or.b32", &[&a, &b]),
            2 => self.assign("xor.b32", &[&a, &b]),
            _ => self.assign("mov.b32", &[&b]),
        }
    }

    /// `ISETP.cmp.bop P, Q, Ra, Rb, Pc`: `P = (Ra cmp Rb) bop Pc`, `Q = !(Ra cmp Rb) bop Pc`, which is what `setp` does.
    fn comparison(&mut self) -> Written {
        self.only(&["comparison", "signedness", "combination"])?;
        let (a, b) = (self.source(2)?, self.source(3)?);
        let ty = if self.modifier("signedness") != 0 { "s32" } else { "u32" };
        let comparison =
            ["", "lt", "eq", "le", "gt", "ne", "ge", ""][usize::from(self.modifier("comparison"))];
        let (comparison, a, b) = match (comparison, self.modifier("comparison")) {
            // Never, and always: two zeros are not different, and the same.
            ("", 0) => ("ne", "%zero", "%zero"),
            ("", _) => ("eq", "%zero", "%zero"),
            (comparison, _) => (comparison, a.as_str(), b.as_str()),
        };
        let (predicate, negated) = self.predicate(4)?;
        let combination = self.combination("combination")?;
        let not = if negated { "!" } else { "" };
        let (combined, third) = match (combination, predicate.as_str(), negated) {
            ("and", "%true", false) => (String::new(), String::new()),
            _ => (format!(".{combination}"), format!(", {not}{predicate}")),
        };
        self.prepare(format!("setp.{comparison}{combined}.{ty} %first|%second, {a}, {b}{third};"));
        self.set_predicates()
    }

    fn combination(&self, role: &str) -> Written<&'static str> {
        match self.modifier(role) {
            0 => Ok("and"),
            1 => Ok("or"),
            2 => Ok("xor"),
            _ => Err(self.untranslatable("this combination")),
        }
    }

    /// Writes both destinations. Either may be the guard's predicate, which is therefore copied first.
    fn set_predicates(&mut self) -> Written {
        let destinations = [self.predicate_destination(0)?, self.predicate_destination(1)?];
        let guard = std::mem::take(&mut self.guard);
        if let Some(predicate) = guard.trim_start_matches(['@', '!']).strip_prefix('%') {
            self.prepare(format!("mov.pred %held, %{};", predicate.trim_end()));
            self.guard = format!("@{}%held ", if guard.starts_with("@!") { "!" } else { "" });
        }
        for (destination, value) in destinations.into_iter().zip(["%first", "%second"]) {
            if let Some(destination) = destination {
                self.act(format!("mov.pred {destination}, {value};"));
            }
        }
        Ok(())
    }

    /// `PSETP.op.bop P, Q, Pa, Pb, Pc`: `P = (Pa op Pb) bop Pc`, `Q = (!Pa op Pb) bop Pc`.
    fn predicate_logic(&mut self) -> Written {
        let (operation, combination) = (self.combination("operation")?, self.combination("combination")?);
        for (n, into) in [(2, "%first"), (3, "%second"), (4, "%third")] {
            let (predicate, negated) = self.predicate(n)?;
            let opcode = if negated { "not.pred" } else { "mov.pred" };
            self.prepare(format!("{opcode} {into}, {predicate};"));
        }
        self.prepare("not.pred %fourth, %first;");
        self.prepare(format!("{operation}.pred %first, %first, %second;"));
        self.prepare(format!("{operation}.pred %second, %fourth, %second;"));
        self.prepare(format!("{combination}.pred %first, %first, %third;"));
        self.prepare(format!("{combination}.pred %second, %second, %third;"));
        self.set_predicates()
    }

    /// `IMUL`. PTX has no product of which one factor alone is signed: where that one is negative, the other is too much in the
    /// upper word of the product without signs.
    fn product(&mut self) -> Written {
        self.only(&["signedness of the factors", "part of the product"])?;
        let (a, b) = (self.source(1)?, self.source(2)?);
        let (signed, other) =
            match (self.modifier("part of the product"), self.modifier("signedness of the factors")) {
                (0, _) => return self.assign("mul.lo.u32", &[&a, &b]),
                (_, 0) => return self.assign("mul.hi.u32", &[&a, &b]),
                (_, 1) => (&a, &b),
                (_, 2) => (&b, &a),
                _ => return self.assign("mul.hi.s32", &[&a, &b]),
            };
        self.prepare(format!("shr.s32 %unread0, {signed}, 31;"));
        self.prepare(format!("and.b32 %unread0, %unread0, {other};"));
        self.prepare(format!("mul.hi.u32 %unread1, {a}, {b};"));
        self.assign("sub.u32", &["%unread1", "%unread0"])
    }

    /// `XMAD`: a product of 16-bit halves, shifted by 16 with `.PSL`, plus `Rc` or a part of it (`.CLO`, `.CHI`) or `Rc` and
    /// `Rb << 16` (`.CBCC`); with `.MRG` the upper half of the result is the lower one of `Rb`.
    fn multiply_add(&mut self) -> Written {
        self.only(&[
            "signedness of the halves",
            "shift of the product",
            "treatment of the summand",
            "merging",
        ])?;
        let signs = self.modifier("signedness of the halves");
        let b = self.unmarked(2)?;
        self.half(1, signs & 1 != 0, "%value")?;
        self.half(2, signs & 2 != 0, "%unread0")?;
        self.prepare("mul.lo.u32 %value, %value, %unread0;");
        if self.modifier("shift of the product") != 0 {
            self.prepare("shl.b32 %value, %value, 16;");
        }
        let c = self.source(3)?;
        match self.modifier("treatment of the summand") {
            0 => self.prepare(format!("mov.b32 %unread0, {c};")),
            1 => self.prepare(format!("and.b32 %unread0, {c}, 65535;")),
            2 => self.prepare(format!("shr.u32 %unread0, {c}, 16;")),
            4 => {
                self.prepare(format!("shl.b32 %unread0, {b}, 16;"));
                self.prepare(format!("add.u32 %unread0, {c}, %unread0;"));
            }
            _ => return Err(self.untranslatable("this treatment of the summand")),
        }
        if self.modifier("merging") == 0 {
            return self.assign("add.u32", &["%value", "%unread0"]);
        }
        self.prepare("add.u32 %value, %value, %unread0;");
        self.prepare("and.b32 %value, %value, 65535;");
        self.prepare(format!("shl.b32 %unread0, {b}, 16;"));
        self.assign("or.b32", &["%value", "%unread0"])
    }

    /// Puts the half of operand `n` that its mark names, extended to 32 bits, into a register.
    fn half(&mut self, n: usize, signed: bool, into: &str) -> Written {
        let value = self.unmarked(n)?;
        let right = if signed { "shr.s32" } else { "shr.u32" };
        if self.marks(n).has(Mark::UpperHalf) {
            self.prepare(format!("{right} {into}, {value}, 16;"));
        } else {
            self.prepare(format!("shl.b32 {into}, {value}, 16;"));
            self.prepare(format!("{right} {into}, {into}, 16;"));
        }
        Ok(())
    }
}
