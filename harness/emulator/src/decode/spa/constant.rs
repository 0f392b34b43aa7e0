//! `LDC`: loads from a constant bank by an address in a register.

use warpdiff_sass::{Operand, Register};

use super::super::Decode;
use super::Spa;
use crate::operation::{Access, Address, Class, Code, Extend, Place, Slot};

/// A place behind all constant memory: no bank reaches it.
const OUTSIDE: u64 = 0xFFFF_FF00;
/// "The size is limited, currently to 64 KB": of every bank.
const LARGEST: u32 = 64 << 10;

impl Spa<'_> {
    /// `LDC.sz Rd, c[bank][Ra + offset]`. The modes `.IL`, `.IS` and `.ISL` take the bank from the register; what else they change is
    /// in no public source. An address outside of the bank faults.
    pub(super) fn load_constant(&mut self) -> Decode {
        if self.modifier("indexing mode") != 0 {
            return Err(self.unsupported_because("an indexing mode"));
        }
        let Operand::IndexedConstant { bank, base, offset } = self.operand(1)? else {
            return Err(self.unsupported_because("this kind of operand"));
        };
        let (size, count, signed) = self.shape()?;
        let registers = self.range(self.register(0)?, size * count);
        let address = self.constant_address(bank, base, offset, size * count)?;
        let extend = if signed { Extend::Sign(32) } else { Extend::Zero };
        let access = Access { address, size, registers, extend, strong: None, window: None, unified: false };
        self.access(Code::Load, access);
        Ok(())
    }

    /// The place in constant memory of `bytes` at an address in a bank.
    fn constant_address(&mut self, bank: u8, base: Register, offset: i32, bytes: u32) -> Decode<Address> {
        let place = Place::Param;
        let Some(base) = self.stored(base) else {
            let Some(start) = self.banks.place(bank, offset, bytes) else {
                return Err(self.unsupported_because("a constant outside of its bank"));
            };
            return Ok(Address { place, base: None, offset: start.into() });
        };
        let range = match self.banks.range(bank) {
            Some(range) => range,
            // A program that is no part of a cubin has the parameters behind one another, and the machine knows where they end.
            None if bank == 0 => 0..LARGEST,
            None => return Err(self.unsupported_because("a bank that the program has not")),
        };
        let found: Slot = self.d.temporary(Class::Narrow);
        let length = u64::from(range.end - range.start);
        let start = u64::from(range.start);
        self.d.lane(
            found,
            &[base],
            move |v| {
                let address = u64::from((v[0] as u32).wrapping_add_signed(offset));
                if address + u64::from(bytes) <= length { start + address } else { OUTSIDE }
            },
            |v, _| if v[0].defined & 0xFFFF_FFFF == 0xFFFF_FFFF { u64::MAX } else { 0 },
        );
        Ok(Address { place, base: Some(found), offset: 0 })
    }
}
