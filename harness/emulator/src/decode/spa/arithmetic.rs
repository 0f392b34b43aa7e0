//! Decodes arithmetic, moves and selections of SPA 5.0 on registers.

use warpdiff_ptx::vocabulary::SpecialRegister;
use warpdiff_sass::form::WHOLE_QUAD;
use warpdiff_sass::{Mnemonic as M, Operand};

use super::super::Decode;
use super::Spa;
use crate::operation::{Class, Code, Slot};

impl Spa<'_> {
    /// Functions of registers.
    pub(super) fn arithmetic(&mut self) -> Decode {
        match self.mnemonic() {
            M::MOV | M::MOV32I => {
                let (d, a) = (self.destination()?, self.source(1)?);
                if let Operand::Immediate(lanes) = self.operand(2)?
                    && lanes != WHOLE_QUAD
                {
                    return self.move_in_quads(d, a, lanes as u64);
                }
                self.d.emit(Code::MovN, d.index, [a.index, 0, 0], 0);
                Ok(())
            }
            M::IADD | M::IADD32I => self.sum(),
            M::IADD3 => self.sum_of_three(),
            M::ISCADD | M::ISCADD32I => self.scaled_sum(),
            M::IMNMX => self.extremum(),
            M::SEL => self.selection(),
            M::SHL | M::SHR => self.shift(),
            M::LOP | M::LOP32I => self.logic(),
            M::ISETP => self.comparison(),
            M::ISET => self.set(),
            M::PSETP => self.predicate_logic(),
            M::IMUL | M::IMUL32I => self.product(),
            // "C is the destination register" (Ryujinx, envytools).
            M::IMAD | M::IMAD32I => self.product_and_sum(),
            M::XMAD => self.multiply_add(),
            M::LEA => self.shifted_sum(),
            M::ICMP => self.choice(),
            _ => Err(self.unsupported()),
        }
    }

    /// Rejects every modifier outside these roles that is not at its default.
    pub(super) fn only(&self, roles: &[&str]) -> Decode {
        let instruction = self.instruction();
        let other = instruction
            .form
            .modifiers
            .iter()
            .zip(&instruction.modifiers)
            .any(|(field, value)| !roles.contains(&field.role) && field.default != Some(*value));
        if other { Err(self.unsupported()) } else { Ok(()) }
    }

    /// `MOV` of some threads of each quad: "bit per thread of a quad" (yuzu and NAK). ptxas picks with it what it has looked up for each.
    fn move_in_quads(&mut self, d: Slot, a: Slot, lanes: u64) -> Decode {
        let lane = self.special(SpecialRegister::Laneid, 0);
        let is_chosen = move |lane: u64| lanes >> (lane & 3) & 1 == 1;
        self.d.lane(
            d,
            &[a, d, lane],
            move |v| if is_chosen(v[2]) { v[0] } else { v[1] },
            move |v, _| if is_chosen(v[2].value) { v[0].defined } else { v[1].defined },
        );
        Ok(())
    }

    /// "ICMP.cmp Rd, Ra, Rb, Rc": `Ra` where `Rc` compares with zero as is asked, else `Rb`.
    fn choice(&mut self) -> Decode {
        self.only(&["comparison", "signedness"])?;
        let (d, a) = (self.destination()?, self.source(1)?);
        let (b, c) = (self.source(2)?, self.source(3)?);
        let zero = self.d.constant(Class::Narrow, 0);
        let holds = self.compare(c, zero)?;
        self.d.emit(Code::SelN, d.index, [a.index, b.index, holds.index], 0);
        Ok(())
    }

    fn selection(&mut self) -> Decode {
        let (d, a, b, p) = (self.destination()?, self.source(1)?, self.source(2)?, self.predicate(3)?);
        self.d.emit(Code::SelN, d.index, [a.index, b.index, p.index], 0);
        Ok(())
    }

    /// Amounts of 32 and more shift everything out; with `.W` they count modulo 32.
    fn shift(&mut self) -> Decode {
        self.only(&["treatment of large shifts", "signedness", "reversal"])?;
        let (d, mut a, mut amount) = (self.destination()?, self.source(1)?, self.source(2)?);
        if self.modifier("treatment of large shifts") != 0 {
            let mask = self.d.constant(Class::Narrow, 31);
            amount = self.computed(Code::AndN, [amount.index, mask.index, 0]);
        }
        if self.modifier("reversal") != 0 {
            a = self.reversed(a);
        }
        let code = match (self.mnemonic(), self.modifier("signedness")) {
            (M::SHL, _) => Code::ShlN,
            (_, 0) => Code::ShrUN,
            _ => Code::ShrSN,
        };
        self.d.emit(code, d.index, [a.index, amount.index, 0], 0);
        Ok(())
    }

    /// Logic of two words, one of which or both may be inverted first. yuzu clears C and V with `.CC`, Ryujinx leaves them.
    fn logic(&mut self) -> Decode {
        self.only(&["operation", "test of the result"])?;
        let optional = usize::from(self.mnemonic() == M::LOP);
        let d = self.result()?;
        let (a, b) = (self.source(optional + 1)?, self.source(optional + 2)?);
        let (code, sources) = match self.modifier("operation") {
            0 => (Code::AndN, [a.index, b.index, 0]),
            1 => (Code::OrN, [a.index, b.index, 0]),
            2 => (Code::XorN, [a.index, b.index, 0]),
            _ => (Code::MovN, [b.index, 0, 0]),
        };
        if optional == 0 || self.predicate_destination(0)? == self.sinks.predicate {
            self.d.emit(code, d.index, sources, 0);
            return self.finish(d);
        }
        let result = self.computed(code, sources);
        self.test_result(result)?;
        self.d.emit(Code::MovN, d.index, [result.index, 0, 0], 0);
        self.finish(d)
    }
}
