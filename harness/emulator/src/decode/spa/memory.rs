//! Decodes loads and stores of SPA 5.0.

use warpdiff_model::Deviation;
use warpdiff_sass::{Mnemonic as M, Operand, Register};

use super::super::Decode;
use super::Spa;
use crate::memory_operation::{Access, Address, CacheUse, Extend, Misaligned, Place, Window};
use crate::operation::{Class, Code, Slot};
use warpdiff_races::{Order, Scope};

/// `.LU` and `.CI` among the cache operators of `LDL`.
const LAST_USE: u8 = 1;
const INCONSISTENT: u8 = 2;

impl Spa<'_> {
    /// Loads and stores.
    pub(super) fn memory(&mut self) -> Decode {
        match self.mnemonic() {
            M::LDL => self.window_load(Place::Local),
            M::LDS => self.window_load(Place::Shared),
            M::STL => self.window_store(Place::Local),
            M::STS => self.window_store(Place::Shared),
            M::LDC => self.load_constant(),
            M::LDG => {
                let address = self.global_address(1)?;
                self.load(address, None, Some(Scope::Grid))
            }
            M::STG => {
                let address = self.global_address(0)?;
                self.store(address, None, Some(Scope::Grid))
            }
            // Their predicate comes from the `LEA` that made the address. No public source says what it changes, and the address
            // says where the access goes.
            M::LD => {
                let address = self.long_address(1, Place::Flat)?;
                self.load(address, None, Some(Scope::Grid))
            }
            M::ST => {
                let address = self.long_address(0, Place::Flat)?;
                self.store(address, None, Some(Scope::Grid))
            }
            _ => Err(self.unsupported()),
        }
    }

    fn window_load(&mut self, place: Place) -> Decode {
        let address = self.window_address(1, place)?;
        let cache = match self.modifier("cache operator") {
            LAST_USE if place == Place::Local => CacheUse::Last,
            INCONSISTENT if place == Place::Local => CacheUse::Inconsistent,
            _ => CacheUse::Plain,
        };
        let (size, count, _) = self.shape()?;
        let to_word = count > 1 && self.d.deviates(Deviation::SpaWideForcedToWord);
        let not_forced = to_word || self.d.deviates(Deviation::SpaMisalignedNotForced);
        let window = Window {
            misaligned: if not_forced { Misaligned::Kept } else { Misaligned::Forced },
            cache,
            silent: self.d.deviates(Deviation::SpaOutOfBoundsSilent),
            by_first_byte: self.d.deviates(Deviation::SpaWideBoundFirstByte),
            from_first_lane: self.is_fixed("U") && self.d.deviates(Deviation::SpaUniformFromFirstLane),
            low_of_word: match size {
                1 => self.d.deviates(Deviation::SpaByteFromLow),
                2 => self.d.deviates(Deviation::SpaHalfFromLow),
                _ => to_word,
            },
        };
        if count > 1 && self.d.deviates(Deviation::SpaWideBaseOverwritten) {
            return self.load_by_words(&window, place, count);
        }
        self.load(address, Some(window), shared_scope(place))
    }

    /// A load of several words as one of each, by the base register as it is by then: a deviation.
    fn load_by_words(&mut self, window: &Window, place: Place, count: u32) -> Decode {
        let registers = self.range(self.register(0)?, 4 * count);
        for (register, offset) in registers.into_iter().zip((0..).step_by(4)) {
            let mut address = self.window_address(1, place)?;
            address.offset += offset;
            let (extend, strong) = (Extend::Zero, relaxed(shared_scope(place)));
            let registers = vec![register];
            let window = Some(*window);
            self.access(
                Code::Load,
                Access { address, size: 4, registers, extend, strong, window, unified: false },
            );
        }
        Ok(())
    }

    fn window_store(&mut self, place: Place) -> Decode {
        let address = self.window_address(0, place)?;
        let window = Window { misaligned: Misaligned::Open, ..Window::default() };
        self.store(address, Some(window), shared_scope(place))
    }

    /// Size of an element, how many there are, and whether they are signed.
    pub(super) fn shape(&self) -> Decode<(u32, u32, bool)> {
        Ok(match self.modifier("size") {
            0 => (1, 1, false),
            1 => (1, 1, true),
            2 => (2, 1, false),
            3 => (2, 1, true),
            4 => (4, 1, false),
            5 => (4, 2, false),
            6 => (4, 4, false),
            // "U.128" of `LDG`, to which ptxas compiles vector loads at -O1: of whole words nothing is extended.
            7 if self.instruction().modifier_name("size") == Some("U.128") => (4, 4, false),
            _ => return Err(self.unsupported_because("this size")),
        })
    }

    /// "LDL and LDS load register Rd […]. .sz: Bit size in memory, unsigned or sign-extended". Several words go to consecutive
    /// registers, the one at the lowest address to the first.
    fn load(&mut self, address: Address, window: Option<Window>, scope: Option<Scope>) -> Decode {
        let (size, count, signed) = self.shape()?;
        let mut registers = self.range(self.register(0)?, size * count);
        if self.d.deviates(Deviation::SpaWideReversed) {
            registers.reverse();
        }
        let signed = signed && !self.d.deviates(Deviation::LdSignedZeroExtended);
        let extend = if signed { Extend::sign(size, 32) } else { Extend::Zero };
        let strong = relaxed(scope);
        let access = Access { address, size, registers, extend, strong, window, unified: false };
        self.access(Code::Load, access);
        Ok(())
    }

    fn store(&mut self, address: Address, window: Option<Window>, scope: Option<Scope>) -> Decode {
        let (size, count, _) = self.shape()?;
        let zero = self.d.constant(Class::Narrow, 0);
        let sources = self.range(self.register(1)?, size * count);
        let registers = sources.into_iter().map(|slot| slot.or(Some(zero))).collect();
        let access = Access {
            address,
            size,
            registers,
            extend: Extend::Zero,
            strong: relaxed(scope),
            window,
            unified: false,
        };
        self.access(Code::Store, access);
        Ok(())
    }

    pub(super) fn access(&mut self, code: Code, access: Access) {
        let x = self.d.out.accesses.len() as u32;
        self.d.out.accesses.push(access);
        self.d.emit(code, 0, [0; 3], x);
    }

    /// Operand `n`, an address in global memory.
    pub(super) fn global_address(&mut self, n: usize) -> Decode<Address> {
        self.long_address(n, Place::Global)
    }

    /// Operand `n`, an address that is no offset in a window: with `.E` of 64 bits, in a pair of registers; without, of 32 bits, which
    /// is extended by zeros. An offset without a register is unsigned.
    fn long_address(&mut self, n: usize, place: Place) -> Decode<Address> {
        let Operand::Address { base, offset } = self.operand(n)? else {
            return Err(self.unsupported_because("this kind of address"));
        };
        if base == Register::RZ {
            return Ok(Address { place, base: None, offset: i64::from(offset as u32) });
        }
        let base = if self.is_fixed("E") { self.pair(base)? } else { self.read(base) };
        Ok(Address { place, base: Some(base), offset: i64::from(offset) })
    }

    /// A register and the next one as a number of 64 bits.
    pub(super) fn pair(&mut self, first: Register) -> Decode<Slot> {
        let wide = self.d.temporary(Class::Wide);
        if first == Register::RZ {
            return Ok(self.d.constant(Class::Wide, 0));
        }
        let Some([low, high]) = self.pair_slots(first) else {
            return Err(self.unsupported_because("a register that does not exist"));
        };
        self.d.lane(
            wide,
            &[low, high],
            |v| v[0] | v[1] << 32,
            |v, _| v[0].defined & u64::from(u32::MAX) | v[1].defined << 32,
        );
        Ok(wide)
    }

    /// The slots of a register and the next one.
    pub(super) fn pair_slots(&self, first: Register) -> Option<[Slot; 2]> {
        Some([self.stored(first)?, self.stored(Register(first.0.checked_add(1)?))?])
    }
}

/// Among whom accesses to a window are ordered: local memory is nobody else's.
fn shared_scope(place: Place) -> Option<Scope> {
    (place == Place::Shared).then_some(Scope::Cta)
}

/// SPA 5.0 says nothing of races: of loads and stores that meet, a load returns one value or another.
fn relaxed(scope: Option<Scope>) -> Option<(Order, Scope)> {
    scope.map(|scope| (Order::Relaxed, scope))
}
