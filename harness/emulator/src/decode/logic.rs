//! Bitwise operations, shifts, bit fields and permutations.

use warpdiff_model::Deviation;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::convert::sign_extend;
use warpdiff_semantics::numeric::integer::{self, PrmtMode, w32, w64};

use super::{Decode, Decoder, all_or_nothing, bits_of};
use crate::operation::Code;

const WORD: u64 = 0xFFFF_FFFF;

impl Decoder<'_> {
    /// Bitwise operations, shifts, bit fields and permutations.
    pub(super) fn logic(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::And | Opcode::Or | Opcode::Xor => self.bitwise(),
            Opcode::Not => self.not(),
            Opcode::Cnot => self.cnot(),
            Opcode::Lop3 => self.lop3(),
            Opcode::Shl | Opcode::Shr => self.shift(),
            Opcode::Shf => self.funnel_shift(),
            Opcode::Prmt => self.prmt(),
            Opcode::Popc | Opcode::Clz | Opcode::Bfind => self.count(),
            Opcode::Brev => self.brev(),
            Opcode::Bfe => self.bfe(),
            Opcode::Bfi => self.bfi(),
            Opcode::Bmsk | Opcode::Szext => self.mask_or_extend(),
            Opcode::Fns => self.find_set_bit(),
            _ => Err(self.unsupported()),
        }
    }

    fn bitwise(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a, b) = (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?);
        let codes = match self.instruction.opcode {
            Opcode::And => [Code::AndN, Code::AndW, Code::AndP],
            Opcode::Or => [Code::OrN, Code::OrW, Code::OrP],
            _ => [Code::XorN, Code::XorW, Code::XorP],
        };
        let code = codes[d.class as usize];
        self.emit(code, d.index, [a.index, b.index, 0], 0);
        Ok(())
    }

    fn not(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a) = (self.destination(0, ty)?, self.source(1, ty)?);
        if ty.size() == 2 {
            self.lane(d, &[a], |v| !v[0] & 0xFFFF, |v, _| v[0].defined & 0xFFFF);
            return Ok(());
        }
        let code = [Code::NotN, Code::NotW, Code::NotP][d.class as usize];
        self.emit(code, d.index, [a.index, 0, 0], 0);
        Ok(())
    }

    /// "d = (a==0) ? 1 : 0".
    fn cnot(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a) = (self.destination(0, ty)?, self.source(1, ty)?);
        let mask = bits_of(ty);
        self.lane(
            d,
            &[a],
            move |v| u64::from(v[0] & mask == 0),
            move |v, _| definedness::cnot(v[0], 8 * ty.size()),
        );
        Ok(())
    }

    fn lop3(&mut self) -> Decode {
        if self.instruction.types.first() != Some(&Type::B32) || self.instruction.operands.len() != 5 {
            return Err(self.unsupported());
        }
        let ty = Type::B32;
        let d = self.destination(0, ty)?;
        let sources = [self.source(1, ty)?, self.source(2, ty)?, self.source(3, ty)?];
        let table = match self.operand(4)? {
            warpdiff_ptx::checked::Operand::Immediate(immediate) => {
                self.immediate(*immediate, Type::B32) as u8
            }
            _ => return Err(self.unsupported_because("a table that is no constant")),
        };
        self.lane(
            d,
            &sources,
            move |v| u64::from(integer::lop3(v[0] as u32, v[1] as u32, v[2] as u32, table)),
            move |v, _| definedness::lop3(v[0], v[1], v[2], table),
        );
        Ok(())
    }

    fn shift(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a, amount) = (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, Type::U32)?);
        let left = self.instruction.opcode == Opcode::Shl;
        let signed = ty.is_signed();
        let masked = self.deviates(Deviation::ShiftAmountMasked);
        let fast = match (left, signed, ty.size()) {
            _ if masked => None,
            (true, _, 4) => Some(Code::ShlN),
            (true, _, 8) => Some(Code::ShlW),
            (false, true, 4) => Some(Code::ShrSN),
            (false, true, 8) => Some(Code::ShrSW),
            (false, false, 4) => Some(Code::ShrUN),
            (false, false, 8) => Some(Code::ShrUW),
            _ => None,
        };
        if let Some(code) = fast {
            self.emit(code, d.index, [a.index, amount.index, 0], 0);
            return Ok(());
        }
        let (width, mask) = (8 * ty.size(), bits_of(ty));
        // "Shift amounts greater than the register width N are clamped to N."
        let effective = move |amount: u64| {
            let amount = amount as u32;
            if masked { amount % width } else { amount.min(width) }
        };
        let compute = move |v: &[u64; 4]| {
            let amount = effective(v[1]);
            let value = match (left, signed) {
                (true, _) => (v[0] & mask).checked_shl(amount).unwrap_or(0),
                (false, true) => (sign_extend(v[0] & mask, width) as i64 >> amount.min(63)) as u64,
                (false, false) => (v[0] & mask).checked_shr(amount).unwrap_or(0),
            };
            value & mask
        };
        let rule = move |v: &[Bits; 4], _: u64| {
            let amount = Bits { value: u64::from(effective(v[1].value)), defined: v[1].defined };
            match (left, signed) {
                (true, _) => definedness::shl(v[0], amount, width),
                (false, true) => definedness::shr_signed(v[0], amount, width),
                (false, false) => definedness::shr_unsigned(v[0], amount, width),
            }
        };
        self.lane(d, &[a, amount], compute, rule);
        Ok(())
    }

    fn funnel_shift(&mut self) -> Decode {
        let ty = Type::B32;
        let d = self.destination(0, ty)?;
        let sources = [self.source(1, ty)?, self.source(2, ty)?, self.source(3, Type::U32)?];
        let (left, wrap) = (self.has(Modifier::Left), self.has(Modifier::Wrap));
        self.lane(
            d,
            &sources,
            move |v| {
                let (low, high, amount) = (v[0] as u32, v[1] as u32, v[2] as u32);
                u64::from(if left {
                    integer::shf_left(low, high, amount, wrap)
                } else {
                    integer::shf_right(low, high, amount, wrap)
                })
            },
            move |v, _| {
                if left {
                    definedness::shf_left(v[0], v[1], v[2], wrap)
                } else {
                    definedness::shf_right(v[0], v[1], v[2], wrap)
                }
            },
        );
        Ok(())
    }

    fn prmt(&mut self) -> Decode {
        let ty = Type::B32;
        let d = self.destination(0, ty)?;
        let sources = [self.source(1, ty)?, self.source(2, ty)?, self.source(3, ty)?];
        let modes = [
            (Modifier::F4e, PrmtMode::F4e),
            (Modifier::B4e, PrmtMode::B4e),
            (Modifier::Rc8, PrmtMode::Rc8),
            (Modifier::Ecl, PrmtMode::Ecl),
            (Modifier::Ecr, PrmtMode::Ecr),
            (Modifier::Rc16, PrmtMode::Rc16),
        ];
        let mode = modes.iter().find(|(word, _)| self.has(*word)).map_or(PrmtMode::Index, |(_, mode)| *mode);
        self.lane(
            d,
            &sources,
            move |v| u64::from(integer::prmt(v[0] as u32, v[1] as u32, v[2] as u32, mode)),
            move |v, _| definedness::prmt(v[0], v[1], v[2], mode),
        );
        Ok(())
    }

    /// `popc`, `clz`, `bfind`: a `.u32` count whatever the type.
    fn count(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a) = (self.destination(0, Type::U32)?, self.source(1, ty)?);
        let (opcode, signed, shiftamt) =
            (self.instruction.opcode, ty.is_signed(), self.has(Modifier::Shiftamt));
        let wide = ty.size() == 8;
        let width = 8 * ty.size();
        self.lane(
            d,
            &[a],
            move |v| {
                let (value, word) = (v[0], v[0] as u32);
                u64::from(match (opcode, wide, signed) {
                    (Opcode::Popc, true, _) => w64::popc(value),
                    (Opcode::Popc, false, _) => w32::popc(word),
                    (Opcode::Clz, true, _) => w64::clz(value),
                    (Opcode::Clz, false, _) => w32::clz(word),
                    (_, true, true) => w64::bfind_signed(value, shiftamt),
                    (_, true, false) => w64::bfind_unsigned(value, shiftamt),
                    (_, false, true) => w32::bfind_signed(word, shiftamt),
                    (_, false, false) => w32::bfind_unsigned(word, shiftamt),
                })
            },
            move |v, _| match opcode {
                Opcode::Popc => definedness::popc(v[0], width),
                Opcode::Clz => definedness::clz(v[0], width),
                _ => definedness::bfind(v[0], signed, shiftamt, width),
            },
        );
        Ok(())
    }

    fn brev(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a) = (self.destination(0, ty)?, self.source(1, ty)?);
        let width = 8 * ty.size();
        self.lane(
            d,
            &[a],
            move |v| v[0].reverse_bits() >> (64 - width),
            move |v, _| definedness::brev(v[0], width),
        );
        Ok(())
    }

    fn bfe(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a) = (self.destination(0, ty)?, self.source(1, ty)?);
        let (position, length) = (self.source(2, Type::U32)?, self.source(3, Type::U32)?);
        let signed = ty.is_signed() && !self.deviates(Deviation::BfeSignedZeroExtended);
        let width = 8 * ty.size();
        let whole = width == 64 && self.deviates(Deviation::PtxasFieldUnmasked);
        self.lane(
            d,
            &[a, position, length],
            move |v| {
                let (position, length) = (count_of(v[1], whole), count_of(v[2], whole));
                match (width, signed) {
                    (32, false) => u64::from(w32::bfe_unsigned(v[0] as u32, position, length)),
                    (32, true) => u64::from(w32::bfe_signed(v[0] as u32, position, length)),
                    (_, false) => w64::bfe_unsigned(v[0], position, length),
                    (_, true) => w64::bfe_signed(v[0], position, length),
                }
            },
            move |v, _| {
                let (position, length) = (bits_of_count(v[1], whole), bits_of_count(v[2], whole));
                if signed {
                    definedness::bfe_signed(v[0], position, length, width)
                } else {
                    definedness::bfe_unsigned(v[0], position, length, width)
                }
            },
        );
        Ok(())
    }

    fn bfi(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a, b) = (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?);
        let (position, length) = (self.source(3, Type::U32)?, self.source(4, Type::U32)?);
        let width = 8 * ty.size();
        let whole = width == 64 && self.deviates(Deviation::PtxasFieldUnmasked);
        self.lane(
            d,
            &[a, b, position, length],
            move |v| {
                let (position, length) = (count_of(v[2], whole), count_of(v[3], whole));
                if width == 32 {
                    u64::from(w32::bfi(v[0] as u32, v[1] as u32, position, length))
                } else {
                    w64::bfi(v[0], v[1], position, length)
                }
            },
            move |v, _| {
                let (position, length) = (bits_of_count(v[2], whole), bits_of_count(v[3], whole));
                definedness::bfi(v[0], v[1], position, length, width)
            },
        );
        Ok(())
    }

    /// `fns.b32 d, mask, base, offset`. "Operand base must be <= 31, otherwise behavior is undefined."
    fn find_set_bit(&mut self) -> Decode {
        let (d, mask) = (self.destination(0, Type::B32)?, self.source(1, Type::B32)?);
        let (base, offset) = (self.source(2, Type::B32)?, self.source(3, Type::B32)?);
        let lowest = self.deviates(Deviation::PtxasLowestOffset);
        self.lane_partial(
            d,
            &[mask, base, offset],
            move |v| match v[2] as i32 {
                // ptxas 12.9 takes −offset for positive, and compares it with signed and with unsigned numbers: a bit is found, the
                // farthest.
                i32::MIN if lowest => 0,
                offset => u64::from(integer::field32::fns(v[0] as u32, v[1] as u32, offset)),
            },
            |v, _| match v[1].value as u32 {
                0..32 => all_or_nothing(v, [WORD, WORD, WORD, 0], WORD),
                _ => 0,
            },
        );
        Ok(())
    }

    fn mask_or_extend(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a, b) = (self.destination(0, ty)?, self.source(1, Type::U32)?, self.source(2, Type::U32)?);
        let (bmsk, wrap, signed) =
            (self.instruction.opcode == Opcode::Bmsk, self.has(Modifier::Wrap), ty.is_signed());
        self.lane(
            d,
            &[a, b],
            move |v| {
                let (a, b) = (v[0] as u32, v[1] as u32);
                u64::from(match (bmsk, signed) {
                    (true, _) => integer::bmsk(a, b, wrap),
                    (false, true) => integer::szext_signed(a, b, wrap),
                    (false, false) => integer::szext_unsigned(a, b, wrap),
                })
            },
            move |v, _| {
                if bmsk {
                    all_or_nothing(v, [WORD, WORD, 0, 0], WORD)
                } else {
                    definedness::szext(v[0], v[1], signed, wrap)
                }
            },
        );
        Ok(())
    }
}

/// A position or length of a bit field for functions that take it modulo 256. If it is not to be taken so, all from 64 on are alike: what
/// ptxas 12.9 makes of them are `SHL` and `SHF` with counts that stop at the width.
fn count_of(value: u64, whole: bool) -> u32 {
    if whole { (value as u32).min(255) } else { value as u32 }
}

/// The same of a position or length with its defined bits.
fn bits_of_count(count: Bits, whole: bool) -> Bits {
    if !whole {
        return count;
    }
    let is_defined = count.defined & WORD == WORD;
    Bits { value: u64::from(count_of(count.value, true)), defined: if is_defined { u64::MAX } else { 0 } }
}
