//! Loads, stores, atomics, fences and address conversions.

use std::borrow::Cow;
use std::ops::Range;

use warpdiff_model::Deviation;
use warpdiff_ptx::checked::{AddressBase, Operand};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Space, Type};

use super::{Decode, Decoder, all_or_nothing, bits_of, class_of};
use crate::address_space::{Bank, slots};
use crate::decoded::{VariablePlace, WideConstant};
use crate::memory_operation::{Access, Address, Atomic, Destination, Extend, Place};
use crate::operation::{Class, Code, Guard, Slot};
use warpdiff_races::{Order, Scope};
use warpdiff_semantics::atomic::{AtomicDeviant, AtomicKind};
use warpdiff_semantics::shared_window;

/// The logarithm of the alignment of the windows in the generic address space: more than that of any variable's type.
const WINDOW_ALIGNED: u32 = 8;

impl<'m> Decoder<'m> {
    /// Loads, stores, atomics, fences and address conversions.
    pub(super) fn memory(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::Ld | Opcode::Ldu => self.load(),
            Opcode::St => self.store(),
            Opcode::Atom | Opcode::Red => self.atomic(),
            Opcode::Cvta => self.cvta(),
            Opcode::Isspacep => self.isspacep(),
            Opcode::Membar | Opcode::Fence => self.fence(),
            // Prefetches change no state that a program can see.
            Opcode::Prefetch | Opcode::Prefetchu => {
                self.emit(Code::Nop, 0, [0; 3], 0);
                Ok(())
            }
            _ => Err(self.unsupported()),
        }
    }

    /// The address operand `n`.
    fn address(&mut self, n: usize) -> Decode<Address> {
        let Operand::Address { base, offset, .. } = self.operand(n)? else {
            return Err(self.unsupported_because("this kind of address"));
        };
        let offset = *offset;
        let space = self.instruction.spaces.first().copied();
        let place = match space {
            None => Place::Generic,
            Some(Space::Global) => Place::Global,
            Some(Space::Const) => Place::Const,
            Some(Space::Shared) => Place::Shared,
            Some(Space::Local) => Place::Local,
            // The address of a device function's parameter is one in its frame.
            Some(Space::Param) if self.function.entry => Place::Param,
            Some(Space::Param) => Place::Local,
            Some(_) => return Err(self.unsupported_because("this state space")),
        };
        if self.has(Modifier::SharedCluster) {
            return Err(self.unsupported());
        }
        let register = |slot: Slot| Address { place, base: Some(slot), offset };
        match base {
            AddressBase::Register(id) if place == Place::Shared => {
                Ok(self.shared_address(register(self.register(*id))))
            }
            AddressBase::Register(id) => Ok(register(self.register(*id))),
            AddressBase::Absolute => Ok(Address { place, base: None, offset }),
            AddressBase::Variable(id) => self.variable_operand(self.place(*id), offset),
        }
    }

    /// An address in shared memory, as the semantics mistake it.
    fn shared_address(&mut self, address: Address) -> Address {
        let modulus = shared_window::modulus(self.out.static_shared.into(), &self.semantics);
        let (Some(modulus), Some(base)) = (modulus, address.base) else { return address };
        let (base, offset) = (self.in_class(base, Class::Wide), address.offset as u64);
        let reduced = self.temporary(Class::Wide);
        let compute = move |v: &[u64; 4]| v[0].wrapping_add(offset) % modulus;
        let guard = std::mem::replace(&mut self.guard, Guard::NONE);
        self.lane(reduced, &[base], compute, |v, _| all_or_nothing(v, [u64::MAX; 4], u64::MAX));
        self.guard = guard;
        Address { base: Some(reduced), offset: 0, ..address }
    }

    /// `[variable+offset]`: the variable's own space decides.
    fn variable_operand(&mut self, variable: VariablePlace, offset: i64) -> Decode<Address> {
        let plain =
            |place, start: u32| Address { place, base: None, offset: i64::from(start).wrapping_add(offset) };
        Ok(match variable {
            VariablePlace::Global { .. } => Address {
                place: Place::Generic,
                base: Some(self.variable_address(variable, 1, offset)?),
                offset: 0,
            },
            VariablePlace::Const { offset, .. } => plain(Place::Const, offset),
            VariablePlace::Shared { offset } => plain(Place::Shared, offset),
            VariablePlace::Frame { offset } => plain(Place::Frame, offset),
            VariablePlace::Parameter { offset } => plain(Place::Param, offset),
            VariablePlace::Surface(_)
            | VariablePlace::Texture(_)
            | VariablePlace::Sampler(_)
            | VariablePlace::OpaqueParameter(_)
            | VariablePlace::None => {
                return Err(self.unsupported_because("memory of an opaque variable"));
            }
        })
    }

    /// The operands of a vector or scalar transfer.
    fn elements(&self, operand: &'m Operand) -> Cow<'m, [Operand]> {
        let count = match () {
            () if self.has(Modifier::V2) => 2,
            () if self.has(Modifier::V4) => 4,
            () if self.has(Modifier::V8) => 8,
            () => 1,
        };
        match operand {
            Operand::Vector(parts) => parts.into(),
            Operand::Register { id, .. } if count > 1 => {
                (0..count).map(|component| Operand::Component { id: *id, component }).collect()
            }
            other => std::slice::from_ref(other).into(),
        }
    }

    /// Order and scope of a strong access.
    fn strong(&self) -> Option<(Order, Scope)> {
        let order = match () {
            () if self.has(Modifier::AcqRel) => Order::AcquireRelease,
            () if self.has(Modifier::Acquire) => Order::Acquire,
            () if self.has(Modifier::Release) => Order::Release,
            () if self.has(Modifier::Volatile) || self.has(Modifier::Relaxed) || self.has(Modifier::Mmio) => {
                Order::Relaxed
            }
            () => return None,
        };
        Some((order, self.scope()))
    }

    fn scope(&self) -> Scope {
        if self.has(Modifier::Cta) { Scope::Cta } else { Scope::Grid }
    }

    /// The elements of a load that are loaded: all, unless a deviation leaves out some that nothing reads. It is a power of two.
    fn read_elements(&self, elements: &[Operand]) -> Range<usize> {
        let is_read = |operand: &Operand| !self.mentions.is_unread(operand);
        let (first, last) = (elements.iter().position(is_read), elements.iter().rposition(is_read));
        let (Some(first), Some(last)) = (first, last) else {
            let dead = self.deviates(Deviation::PtxasDeadLoads) && !elements.is_empty();
            return if dead { 0..0 } else { 0..elements.len() };
        };
        let count = (last + 1 - first).next_power_of_two();
        let whole = !self.deviates(Deviation::PtxasNarrowedLoads) || first + count > elements.len();
        if whole { 0..elements.len() } else { first..first + count }
    }

    fn load(&mut self) -> Decode {
        let ty = self.ty(0)?;
        if ty == Type::B128 {
            return Err(self.unsupported());
        }
        let mut address = self.address(1)?;
        let all = self.elements(self.operand(0)?);
        let mut elements = &*all;
        let strong = self.strong();
        let mut size = ty.size();
        if strong.is_none() {
            let halves = size == 8 && self.deviates(Deviation::PtxasNarrowedLoads);
            if let ([element], true) = (elements, halves)
                && self.mentions.is_half_read(element)
            {
                size = 4;
            }
            let read = self.read_elements(elements);
            if read.is_empty() {
                self.emit(Code::Nop, 0, [0; 3], 0);
                return Ok(());
            }
            address.offset += i64::from(ty.size()) * read.start as i64;
            elements = &elements[read];
        }
        let (mut registers, mut kept) = (Vec::with_capacity(elements.len()), Vec::new());
        for operand in elements {
            registers.push(match operand {
                Operand::Sink => None,
                other => Some(self.destination_operand(other, ty)?),
            });
            if self.deviates(Deviation::LdKeepsUpper) {
                kept.extend(registers.last_mut().and_then(Option::as_mut).map(|slot| self.keep_upper(slot)));
            }
        }
        let class = registers.iter().flatten().next().map_or(class_of(ty), |slot| slot.class);
        let signed = ty.is_signed() && !self.deviates(Deviation::LdSignedZeroExtended);
        let extend = match class {
            Class::Wide if signed => Extend::sign(size, 64),
            // A 16-bit register holds its 16 bits, zero above; which kind it is shows in the type it was declared with.
            _ if signed => Extend::sign(size, self.register_width(0)),
            _ => Extend::Zero,
        };
        let unified = matches!(self.operand(1)?, Operand::Address { unified: true, .. });
        let x = self.out.accesses.len() as u32;
        self.out.accesses.push(Access { address, size, registers, extend, strong, window: None, unified });
        self.emit(Code::Load, 0, [0; 3], x);
        let low = bits_of(ty);
        for (loaded, destination) in kept {
            self.lane(
                destination,
                &[loaded, destination],
                move |v| v[0] & low | v[1] & !low,
                move |v, _| v[0].defined & low | v[1].defined & !low,
            );
        }
        Ok(())
    }

    /// Lets a load go to a temporary in place of this register; answers both.
    fn keep_upper(&mut self, slot: &mut Slot) -> (Slot, Slot) {
        let loaded = self.temporary(slot.class);
        (loaded, std::mem::replace(slot, loaded))
    }

    /// Bits of the register that operand `n` or its first element names.
    fn register_width(&self, n: usize) -> u32 {
        let first = |operand: &Operand| match operand {
            Operand::Register { id, .. } | Operand::Component { id, .. } => {
                Some(8 * self.function.registers[id.0 as usize].ty.size())
            }
            _ => None,
        };
        let width = match self.instruction.operands.get(n) {
            Some(Operand::Vector(parts)) => parts.iter().find_map(first),
            Some(operand) => first(operand),
            None => None,
        };
        width.unwrap_or(32)
    }

    fn store(&mut self) -> Decode {
        let ty = self.ty(0)?;
        if ty == Type::B128 || self.has(Modifier::Async) || self.has(Modifier::Bulk) {
            return Err(self.unsupported());
        }
        let address = self.address(0)?;
        let elements = self.elements(self.operand(1)?);
        let mut registers = Vec::with_capacity(elements.len());
        for operand in &*elements {
            registers.push(Some(self.stored(operand, ty)?));
        }
        let strong = self.strong();
        let x = self.out.accesses.len() as u32;
        self.out.accesses.push(Access {
            address,
            size: ty.size(),
            registers,
            extend: Extend::Zero,
            strong,
            window: None,
            unified: false,
        });
        if self.deviates(Deviation::PredicateIgnoredBySt) {
            self.emit_unguarded(Code::Store, 0, [0; 3], x);
        } else {
            self.emit(Code::Store, 0, [0; 3], x);
        }
        Ok(())
    }

    fn atomic(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let returns = self.instruction.opcode == Opcode::Atom;
        let kind = self.atomic_kind(ty)?;
        let unknown = [Modifier::V2, Modifier::V4, Modifier::V8, Modifier::Async, Modifier::Bulk];
        if unknown.iter().any(|word| self.has(*word)) || ty == Type::B128 {
            return Err(self.unsupported());
        }
        let first = usize::from(returns);
        let destination = match returns.then(|| self.operand(0)).transpose()? {
            None | Some(Operand::Sink) => None,
            Some(operand) => Some(Destination::One(self.destination_operand(operand, ty)?)),
        };
        let address = self.address(first)?;
        let b = self.source(first + 1, ty)?;
        let c = match kind {
            AtomicKind::Cas => Some(self.source(first + 2, ty)?),
            _ => None,
        };
        let deviant = AtomicDeviant::of(kind, &self.semantics);
        // Atomics are relaxed unless they say otherwise: strong, but not synchronising on their own.
        let strong = (self.strong().map_or(Order::Relaxed, |(order, _)| order), self.scope());
        let x = self.out.atomics.len() as u32;
        // "atom.add.f32 on global memory flushes subnormal inputs and results to sign-preserving zero; atom.add.f32 on
        // shared memory supports subnormal inputs and results and doesn't flush them to zero."
        let kind = match kind {
            AtomicKind::AddF32 if address.place == Place::Global => AtomicKind::AddF32Flushed,
            kind => kind,
        };
        let size = ty.size();
        self.out.atomics.push(Atomic {
            address,
            size,
            kind,
            destination,
            b,
            c,
            strong,
            deviant,
            window: None,
            spin: false,
        });
        self.emit(Code::Atomic, 0, [0; 3], x);
        Ok(())
    }

    fn atomic_kind(&self, ty: Type) -> Decode<AtomicKind> {
        use AtomicKind as K;
        let unsigned = self.deviates(Deviation::AtomMinMaxUnsigned);
        let signed = ty.is_signed() && !unsigned;
        let integer = matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::S64 | Type::B32 | Type::B64);
        let kinds = [
            (Modifier::Inc, K::Inc, integer),
            (Modifier::Dec, K::Dec, integer),
            (Modifier::And, K::And, integer),
            (Modifier::Or, K::Or, integer),
            (Modifier::Xor, K::Xor, integer),
            (Modifier::Exch, K::Exch, integer),
            (Modifier::Cas, K::Cas, integer || ty == Type::B16),
            (Modifier::Min, if signed { K::MinS } else { K::MinU }, integer),
            (Modifier::Max, if signed { K::MaxS } else { K::MaxU }, integer),
        ];
        if self.has(Modifier::Add) {
            return match ty {
                Type::F32 => Ok(K::AddF32),
                Type::F64 => Ok(K::AddF64),
                Type::F16 => Ok(K::AddF16),
                Type::F16x2 => Ok(K::AddF16x2),
                _ if integer => Ok(K::Add),
                _ => Err(self.unsupported()),
            };
        }
        let found = kinds.into_iter().find(|(word, ..)| self.has(*word)).filter(|(.., fits)| *fits);
        found.map(|(_, kind, _)| kind).ok_or_else(|| self.unsupported())
    }

    fn cvta(&mut self) -> Decode {
        if self.ty(0)? != Type::U64 {
            return Err(self.unsupported());
        }
        let Some(space) = self.instruction.spaces.first().copied() else { return Err(self.unsupported()) };
        if self.has(Modifier::SharedCluster) {
            return Err(self.unsupported());
        }
        // Parameters of device functions lie in their frame.
        let space = if space == Space::Param && !self.function.entry { Space::Local } else { space };
        let (d, a) = (self.destination(0, Type::U64)?, self.source(1, Type::U64)?);
        let twice = if self.has(Modifier::To) { Deviation::CvtaToTwice } else { Deviation::CvtaTwice };
        let window = match self.window(space) << u32::from(self.deviates(twice)) {
            0 => self.constant(Class::Wide, 0),
            // Wherever a window is, what is aligned in it is aligned.
            value => self.wide_constant(WideConstant::Address { value, aligned: WINDOW_ALIGNED }),
        };
        let code = if self.has(Modifier::To) { Code::SubW } else { Code::AddW };
        self.emit(code, d.index, [a.index, window.index, 0], 0);
        Ok(())
    }

    fn isspacep(&mut self) -> Decode {
        let Some(space) = self.instruction.spaces.first().copied() else { return Err(self.unsupported()) };
        if self.has(Modifier::SharedCluster) {
            return Err(self.unsupported());
        }
        let (p, a) = (self.destination(0, Type::Pred)?, self.source(1, Type::U64)?);
        let bank = self.out.bank;
        let inside = move |address: u64| {
            let window = address >> 32 << 32;
            match space {
                Space::Shared => window == slots::SHARED,
                Space::Local => window == slots::LOCAL,
                Space::Param => window == slots::PARAM,
                Space::Const => bank.holds(address),
                _ => ![slots::SHARED, slots::LOCAL, slots::PARAM].contains(&window) && !bank.holds(address),
            }
        };
        // The windows of 4 GiB and that of the bank, which is aligned to its size.
        let decisive = !(Bank::SIZE - 1);
        self.lane(
            p,
            &[a],
            move |v| u64::from(inside(v[0])),
            move |v, _| all_or_nothing(v, [decisive, 0, 0, 0], 1),
        );
        Ok(())
    }

    fn fence(&mut self) -> Decode {
        if self.has(Modifier::Async) || !self.instruction.operands.is_empty() {
            return Err(self.unsupported());
        }
        let scope = match () {
            () if self.has(Modifier::Cta) => 0,
            () if self.has(Modifier::Sys) => 2,
            () => 1,
        };
        self.emit(Code::Fence, 0, [0; 3], scope);
        Ok(())
    }
}
