//! `LDC`: loads from a constant bank by an address in a register.

use std::ops::Range;

use warpdiff_sass::{Operand, Register};

use super::super::Decode;
use super::{Spa, WORD};
use crate::memory_operation::{Access, Address, Extend, Place};
use crate::operation::{Class, Code, Slot};

/// A place behind all constant memory: no bank reaches it.
const OUTSIDE: u64 = 0xFFFF_FF00;
/// "The size is limited, currently to 64 KB": of every bank.
const LARGEST: u32 = 64 << 10;

impl Spa<'_> {
    /// `LDC.sz Rd, c[bank][Ra + offset]`. An address outside of the bank faults, but under the modes `.IL` and `.ISL`, whose bounds are in
    /// no source: there the launch is indeterminate.
    pub(super) fn load_constant(&mut self) -> Decode {
        let Operand::IndexedConstant { bank, base, offset } = self.operand(1)? else {
            return Err(self.unsupported_because("this kind of operand"));
        };
        let (size, count, signed) = self.shape()?;
        let registers = self.range(self.register(0)?, size * count);
        let address = self.constant_address(bank, base, offset, size * count)?;
        let extend = if signed { Extend::sign(size, 32) } else { Extend::Zero };
        let access = Access { address, size, registers, extend, strong: None, window: None, unified: false };
        self.access(Code::Load, access);
        Ok(())
    }

    /// The place in constant memory of `bytes` at an address in a bank. Under `.IS` and `.ISL` "bank += reg[31:16], address = reg[15:0] +
    /// imm" (Ryujinx, which takes `.IL` as plain; yuzu refuses it).
    pub(super) fn constant_address(
        &mut self,
        bank: u8,
        base: Register,
        offset: i32,
        bytes: u32,
    ) -> Decode<Address> {
        let place = Place::Param;
        let Some(base) = self.stored(base) else {
            let Some(start) = self.banks.place(bank, offset, bytes) else {
                return Err(self.unsupported_because("a constant outside of its bank"));
            };
            return Ok(Address { place, base: None, offset: start.into() });
        };
        let mode = self.instruction().modifier_name("indexing mode").unwrap_or("");
        let (names_bank, is_open) = (mode.starts_with("IS"), mode.ends_with('L'));
        let mut ranges = self.banks.ranges();
        if ranges[0].is_empty() {
            // A program that is no part of a cubin has the parameters behind one another, and the machine knows where they end.
            ranges[0] = 0..LARGEST;
        }
        if !names_bank && ranges.get(usize::from(bank)).is_none_or(Range::is_empty) {
            return Err(self.unsupported_because("a bank that the program has not"));
        }
        let found: Slot = self.d.temporary(Class::Narrow);
        let at = move |word: u64| {
            let word = word as u32;
            let (upper, lower) = if names_bank { (word >> 16, word & 0xFFFF) } else { (0, word) };
            let range = ranges.get(usize::from(bank) + upper as usize)?;
            let address = u64::from(lower.wrapping_add_signed(offset));
            let fits = address + u64::from(bytes) <= u64::from(range.end - range.start);
            fits.then(|| u64::from(range.start) + address)
        };
        let place_of = at.clone();
        self.d.lane_partial(
            found,
            &[base],
            move |v| place_of(v[0]).unwrap_or(OUTSIDE),
            move |v, _| {
                let is_known = v[0].defined & WORD == WORD && (at(v[0].value).is_some() || !is_open);
                if is_known { u64::MAX } else { 0 }
            },
        );
        Ok(Address { place, base: Some(found), offset: 0 })
    }
}
