//! Decodes `ATOMS`.

use warpdiff_model::Deviation;
use warpdiff_sass::{Mnemonic as M, Operand, Register};

use super::super::Decode;
use super::Spa;
use crate::memory_operation::{Address, Atomic, Destination, Misaligned, Place, Window};
use crate::operation::{Class, Code, Slot};
use warpdiff_races::{Order, Scope};
use warpdiff_semantics::atomic::{AtomicDeviant, AtomicKind};

/// `.S32` among the sizes.
const S32: u8 = 1;

impl Spa<'_> {
    /// Operations that read and write memory at once.
    pub(super) fn atomic(&mut self) -> Decode {
        match self.mnemonic() {
            M::ATOMS => self.shared_atomic(),
            M::ATOM | M::RED => self.global_atomic(),
            _ => Err(self.unsupported()),
        }
    }

    /// `ATOMS`.
    fn shared_atomic(&mut self) -> Decode {
        let kind = self.atomic_kind()?;
        let is_pair = self.is_pair();
        let size = self.atomic_size()?;
        let address = self.window_address(1, Place::Shared)?;
        let address = self.mistaken(address);
        let b = self.data(2, size)?;
        // "ATOMS.CAS: if (M == Rb) M = Rc", although elsewhere the page calls Rc the compare value.
        let c = if is_pair { Some(self.data(3, size)?) } else { None };
        let destination = self.atomic_destination(size)?;
        let masked = self.d.deviates(Deviation::SpaAtomsMisalignedMasked);
        let misaligned = if masked { Misaligned::Forced } else { Misaligned::Fault };
        let x = self.d.out.atomics.len() as u32;
        self.d.out.atomics.push(Atomic {
            address,
            size,
            kind,
            destination,
            b,
            c,
            strong: (Order::Relaxed, Scope::Cta),
            deviant: self.deviant(kind),
            window: Some(Window { misaligned, ..Window::default() }),
            spin: (self.is_fixed("SPIN")
                || kind == AtomicKind::Cast && self.d.deviates(Deviation::SpaSpinAlways))
                && !self.d.deviates(Deviation::SpaSpinIgnored),
        });
        self.d.emit(Code::Atomic, 0, [0; 3], x);
        Ok(())
    }

    /// `ATOM` and `RED`: of global memory, for the whole grid. ptxas 12.9 compiles `atom` of generic addresses with a branch to
    /// `ATOMS` for those in the window of shared memory.
    ///
    /// `INC` and `DEC` are of 32 bits without a sign, `F32.FTZ.RN` has `ADD` alone: so yuzu, Ryujinx and ptxas.
    fn global_atomic(&mut self) -> Decode {
        use AtomicKind as K;
        let returns = self.mnemonic() == M::ATOM;
        let first = usize::from(returns);
        let (kind, size) = if self.is_fixed("CAS") {
            (K::Cas, if self.modifier("size") == 1 { 8 } else { 4 })
        } else {
            self.global_kind()?
        };
        let (address, b) = (self.global_address(first)?, self.data(first + 1, size)?);
        let c = if kind == K::Cas { Some(self.data(first + 2, size)?) } else { None };
        let destination = if returns { self.atomic_destination(size)? } else { None };
        let x = self.d.out.atomics.len() as u32;
        self.d.out.atomics.push(Atomic {
            address,
            size,
            kind,
            destination,
            b,
            c,
            strong: (Order::Relaxed, Scope::Grid),
            deviant: AtomicDeviant::No,
            window: None,
            spin: false,
        });
        self.d.emit(Code::Atomic, 0, [0; 3], x);
        Ok(())
    }

    /// The operation of an `ATOM` or `RED`, and bytes of the location.
    fn global_kind(&self) -> Decode<(AtomicKind, u32)> {
        use AtomicKind as K;
        if self.is_fixed("SAFEADD") {
            return Err(self.unsupported());
        }
        let size = self.instruction().modifier_name("size").unwrap_or_default();
        let (bytes, signed) = match size {
            "" => (4, false),
            "S32" => (4, true),
            "U64" => (8, false),
            "S64" => (8, true),
            "F32.FTZ.RN" if !self.is_fixed("EXCH") && self.modifier("operation") == 0 => {
                return Ok((K::AddF32Flushed, 4));
            }
            _ => return Err(self.unsupported_because("this size")),
        };
        let kind = match self.modifier("operation") {
            _ if self.is_fixed("EXCH") => K::Exch,
            0 => K::Add,
            1 if signed => K::MinS,
            1 => K::MinU,
            2 if signed => K::MaxS,
            2 => K::MaxU,
            3 => K::Inc,
            4 => K::Dec,
            5 => K::And,
            6 => K::Or,
            _ => K::Xor,
        };
        if matches!(kind, K::Inc | K::Dec) && !size.is_empty() {
            return Err(self.unsupported_because("this size"));
        }
        Ok((kind, bytes))
    }

    /// Whether it compares and swaps.
    fn is_pair(&self) -> bool {
        self.is_fixed("CAS") || self.is_fixed("CAST")
    }

    /// Bytes of the location.
    fn atomic_size(&self) -> Decode<u32> {
        match self.modifier("size") {
            1 if self.is_pair() => Ok(8),
            2 if !self.is_pair() => Ok(8),
            0 | S32 => Ok(4),
            _ => Err(self.unsupported_because("this size")),
        }
    }

    fn atomic_kind(&self) -> Decode<AtomicKind> {
        use AtomicKind as K;
        if self.is_fixed("CAS") {
            return Ok(K::Cas);
        }
        if self.is_fixed("CAST") {
            return Ok(K::Cast);
        }
        let signed = self.modifier("size") == S32 && !self.d.deviates(Deviation::AtomMinMaxUnsigned);
        Ok(match self.modifier("operation") {
            0 => K::Add,
            1 if signed => K::MinS,
            1 => K::MinU,
            2 if signed => K::MaxS,
            2 => K::MaxU,
            3 => K::Inc,
            4 => K::Dec,
            5 => K::And,
            6 => K::Or,
            7 => K::Xor,
            8 => K::Exch,
            _ => return Err(self.unsupported()),
        })
    }

    fn deviant(&self, kind: AtomicKind) -> AtomicDeviant {
        let deviates = |deviation| self.d.deviates(deviation);
        match AtomicDeviant::of(kind, &self.d.semantics) {
            AtomicDeviant::No if kind == AtomicKind::Cast && deviates(Deviation::SpaCastReturnsOld) => {
                AtomicDeviant::CastReturnsOld
            }
            AtomicDeviant::No if kind == AtomicKind::Cast && deviates(Deviation::SpaSpinNoneWins) => {
                AtomicDeviant::SpinNoneWins
            }
            AtomicDeviant::No if kind == AtomicKind::Cast && deviates(Deviation::SpaSpinAloneFails) => {
                AtomicDeviant::SpinAloneFails
            }
            AtomicDeviant::No if deviates(Deviation::SpaAtomsLostUpdate) => AtomicDeviant::LostUpdate,
            deviant => deviant,
        }
    }

    /// The address of `ATOMS` as deviations have it.
    fn mistaken(&mut self, address: Address) -> Address {
        if !self.d.deviates(Deviation::SpaAtomsWordIndex) {
            return address;
        }
        let base = address.base.map(|base| {
            let (two, scaled) = (self.d.constant(Class::Narrow, 2), self.d.temporary(Class::Narrow));
            self.d.emit(Code::ShlN, scaled.index, [base.index, two.index, 0], 0);
            scaled
        });
        Address { base, offset: 4 * address.offset, ..address }
    }

    /// Operand `n`, data of so many bytes.
    pub(super) fn data(&mut self, n: usize, size: u32) -> Decode<Slot> {
        match self.operand(n)? {
            Operand::Register(register) if size == 8 => self.pair(register),
            Operand::Register(register) => Ok(self.read(register)),
            _ => Err(self.unsupported_because("a register that does not exist")),
        }
    }

    /// The old value, or of `CAST` "Rd = 1" and "Rd = 0"; `.sz` is the "typed bit size of memory and Rd".
    pub(super) fn atomic_destination(&self, size: u32) -> Decode<Option<Destination>> {
        let first = self.register(0)?;
        if first == Register::RZ {
            return Ok(None);
        }
        let missing = || self.unsupported_because("a register that does not exist");
        if size == 8 {
            let [low, high] = self.pair_slots(first).ok_or_else(missing)?;
            return Ok(Some(Destination::Pair { low, high }));
        }
        self.stored(first).map(|slot| Some(Destination::One(slot))).ok_or_else(missing)
    }
}
