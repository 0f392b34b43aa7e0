//! Accesses to surfaces: `SULD`, `SUST`, `SURED`, `SUATOM`.
//!
//! The rules are those of PTX's surfaces, which ptxas compiles to these instructions one to one: `.zero` is `.IGN`, `.clamp` nothing,
//! `.trap` is `.TRAP`; `suld.b`, `sust.b` and `sured.b` are `.D.BA`, `sured.p` is `.D`, `sust.p` is `.P`. To `SULD.P`, `SURED.P` and
//! `SUATOM` no PTX instruction is compiled: theirs are Ryujinx's, yuzu's and Mesa's rules.

use warpdiff_model::Geometry;
use warpdiff_sass::{Mnemonic as M, Operand, Register};
use warpdiff_semantics::definedness::Bits;
use warpdiff_semantics::surface::{OutOfBoundsMode, Unit};

use super::super::Decode;
use super::Spa;
use crate::image_operation::{SurfaceAccess, SurfaceAction, SurfaceObject};
use crate::memory_operation::{Address, Atomic, Destination, Place};
use crate::operation::{Class, Code, Slot};
use warpdiff_races::{Order, Scope};
use warpdiff_semantics::atomic::{AtomicDeviant, AtomicKind};

/// The operations of a reduction whose meaning depends on the sign of what they compare.
const MIN: u8 = 1;
const MAX: u8 = 2;

/// The types of a reduction.
const U32: u8 = 0;
const S32: u8 = 1;
const U64: u8 = 2;
const F32: u8 = 3;
const S64: u8 = 5;
/// Signed or unsigned, as the format of the surface is.
const SD32: u8 = 6;
const SD64: u8 = 7;

/// What an operation on a location has to do with registers.
#[derive(Clone, Copy)]
struct Updated {
    /// Bytes of the location.
    size: u32,
    data: Slot,
    /// The new value of a compare-and-swap, whose `data` is what it compares with.
    new: Option<Slot>,
    /// Where the old value goes.
    destination: Option<Destination>,
}

impl Spa<'_> {
    /// Accesses to surfaces.
    pub(super) fn surface(&mut self) -> Decode {
        match (self.mnemonic(), self.is_fixed("D")) {
            (M::SULD, true) => self.surface_load(),
            (M::SUST, true) => self.surface_store(),
            (M::SUST, false) => self.formatted_store(),
            (M::SULD, false) => self.formatted_load(),
            (M::SURED, true) => self.surface_reduction(),
            (M::SURED, false) => self.formatted_reduction(),
            (M::SUATOM, true) => self.surface_atomic(),
            (M::SUATOM, false) => {
                Err(self.unsupported_because("by Mesa's NAK the hardware has atomics with `.D` alone"))
            }
            _ => Err(self.unsupported()),
        }
    }

    /// `SULD.D`: "zero- or sign-extends U8 to S16 to 32 bits, 64 fills two registers, 128 four" (Ryujinx, yuzu and Mesa agree).
    fn surface_load(&mut self) -> Decode {
        let (size, elements, signed) = self.shape()?;
        let registers = self.range(self.register(0)?, 4 * elements);
        let destination = registers[0];
        let unit = self.raw_unit();
        self.surface_access(SurfaceAction::Load, 1, registers, (size, elements), unit)?;
        let bits = 8 * size;
        if let (true, Some(slot)) = (signed && bits < 32, destination) {
            let extend = move |value: u64| ((value as u32) << (32 - bits)) as i32 >> (32 - bits);
            let defined = move |v: &[Bits; 4], _| u64::from(extend(v[0].defined) as u32);
            self.d.lane(slot, &[slot], move |v| u64::from(extend(v[0]) as u32), defined);
        }
        Ok(())
    }

    fn surface_store(&mut self) -> Decode {
        let (size, elements, _) = self.shape()?;
        let registers = self.surface_data(1, elements)?;
        let unit = self.raw_unit();
        self.surface_access(SurfaceAction::Store, 0, registers, (size, elements), unit)
    }

    /// `SUST.P`: the registers hold the components of the mask in the order RGBA, without gaps. What becomes of components that the
    /// surface has and the mask has not, no source says: as of PTX, they are unpredictable.
    fn formatted_store(&mut self) -> Decode {
        let mask = self.modifier("components");
        let mut data = self.surface_data(1, mask.count_ones())?.into_iter();
        let registers: Vec<_> = (0..4u32 - u32::from(mask).leading_zeros().saturating_sub(28))
            .map(|component| if mask >> component & 1 == 1 { data.next().flatten() } else { None })
            .collect();
        let elements = registers.len() as u32;
        self.surface_access(SurfaceAction::StoreTexel, 0, registers, (4, elements), Unit::Texel)
    }

    /// `SULD.P`: "mask bits fill consecutive registers in RGBA order", and x counts texels (Ryujinx, Mesa and ptxas's `sust.p` agree).
    fn formatted_load(&mut self) -> Decode {
        let mask = self.modifier("components");
        let first = self.register(0)?;
        let mut filled = self.range(first, 4 * mask.count_ones()).into_iter();
        let registers = (0..4)
            .map(|component| if mask >> component & 1 == 1 { filled.next().flatten() } else { None })
            .collect();
        self.surface_access(SurfaceAction::LoadTexel, 1, registers, (4, 4), Unit::Texel)
    }

    /// `SURED.P`: its type "counts only with `.D`", so the format has it (its name alone says so). x counts texels.
    fn formatted_reduction(&mut self) -> Decode {
        let operation = self.modifier("operation");
        let register = self.register(1)?;
        let updated = Updated { size: 4, data: self.read(register), new: None, destination: None };
        let action = SurfaceAction::ReduceByFormat {
            unsigned: self.location_update(operation, U32, updated)?,
            signed: self.location_update(operation, S32, updated)?,
        };
        self.surface_access(action, 0, vec![Some(updated.data)], (4, 1), Unit::Texel)
    }

    /// `SURED.D`.
    fn surface_reduction(&mut self) -> Decode {
        let size = self.updated_size();
        let data = self.data(1, size)?;
        self.update(0, Updated { size, data, new: None, destination: None })
    }

    /// `SUATOM.D`: "returns the old value". Of `.CAS` "compare in Rv, new value in Rv+1 (64 bits: pairs)" (Mesa's two compilers agree).
    fn surface_atomic(&mut self) -> Decode {
        let size = self.updated_size();
        let data = self.data(2, size)?;
        let mut new = None;
        if self.instruction().modifier_name("operation") == Some("CAS") {
            let first = self.register(2)?;
            let next = Register(first.0.saturating_add(size as u8 / 4));
            new = Some(match size {
                _ if first == Register::RZ => data,
                8 => self.pair(next)?,
                _ => self.read(next),
            });
        }
        let destination = self.atomic_destination(size)?;
        self.update(1, Updated { size, data, new, destination })
    }

    /// Bytes of a location by the type of the operation.
    fn updated_size(&self) -> u32 {
        if matches!(self.modifier("type"), U64 | S64 | SD64) { 8 } else { 4 }
    }

    /// An operation on a location, whose coordinates are operand `n`.
    fn update(&mut self, n: usize, updated: Updated) -> Decode {
        let (operation, ty) = (self.modifier("operation"), self.modifier("type"));
        let (data, size) = (updated.data, updated.size);
        let action = match (ty, operation) {
            _ if updated.new.is_some() => SurfaceAction::Reduce(self.push_update(AtomicKind::Cas, updated)),
            // "Compiled from the minimum and maximum of sured.p, whose sign the format decides."
            (SD32 | SD64, MIN | MAX) => SurfaceAction::ReduceByFormat {
                unsigned: self.location_update(operation, U32, updated)?,
                signed: self.location_update(operation, S32, updated)?,
            },
            (F32, 0) => SurfaceAction::Reduce(self.push_update(AtomicKind::AddF32Flushed, updated)),
            (F32, _) => return Err(self.unsupported_because("no source says what it does with floats")),
            (ty, operation) => SurfaceAction::Reduce(self.location_update(operation, ty, updated)?),
        };
        let unit = self.raw_unit();
        self.surface_access(action, n, vec![Some(data)], (size, 1), unit)
    }

    /// An operation on a location: an atomic whose address is the surface access's.
    fn location_update(&mut self, operation: u8, ty: u8, updated: Updated) -> Decode<u32> {
        use AtomicKind as K;
        let signed = matches!(ty, S32 | S64);
        let kind = match operation {
            0 => K::Add,
            MIN if signed => K::MinS,
            MIN => K::MinU,
            MAX if signed => K::MaxS,
            MAX => K::MaxU,
            3 | 4 if updated.size == 8 => return Err(self.unsupported_because("this size")),
            3 => K::Inc,
            4 => K::Dec,
            5 => K::And,
            6 => K::Or,
            7 => K::Xor,
            8 => K::Exch,
            _ => return Err(self.unsupported()),
        };
        Ok(self.push_update(kind, updated))
    }

    fn push_update(&mut self, kind: AtomicKind, updated: Updated) -> u32 {
        let Updated { size, data, new, destination } = updated;
        self.d.out.atomics.push(Atomic {
            address: Address { place: Place::Global, base: None, offset: 0 },
            size,
            kind,
            destination,
            b: data,
            c: new,
            strong: (Order::Relaxed, Scope::Grid),
            deviant: AtomicDeviant::No,
            window: None,
            spin: false,
        });
        self.d.out.atomics.len() as u32 - 1
    }

    /// An access whose coordinates are operand `n`.
    fn surface_access(
        &mut self,
        action: SurfaceAction,
        n: usize,
        registers: Vec<Option<Slot>>,
        (size, elements): (u32, u32),
        unit: Unit,
    ) -> Decode {
        let (geometry, coordinates, layer) = self.surface_place(n)?;
        let object = self.handle(self.instruction().operands.len() - 1)?;
        let clamp = match self.instruction().modifier_name("clamp") {
            Some("IGN") => OutOfBoundsMode::Zero,
            Some("TRAP") => OutOfBoundsMode::Trap,
            _ => OutOfBoundsMode::Clamp,
        };
        let x = self.d.out.surfaces.len() as u32;
        self.d.out.surfaces.push(SurfaceAccess {
            action,
            object,
            geometry,
            coordinates,
            layer,
            size,
            elements,
            registers,
            clamp,
            unit,
        });
        self.d.emit(Code::Surface, 0, [0; 3], x);
        Ok(())
    }

    /// The geometry and the registers of its coordinates: "the layer last" (ptxas, Ryujinx, yuzu and Mesa's NAK agree). All 32 bits of
    /// the layer count, as Ryujinx has it and PTX; yuzu takes the lower half.
    fn surface_place(&mut self, n: usize) -> Decode<(Geometry, [Option<Slot>; 3], Option<Slot>)> {
        let geometry = match self.instruction().modifier_name("dimension") {
            Some("1D") => Geometry::D1,
            Some("2D") => Geometry::D2,
            Some("3D") => Geometry::D3,
            Some("1D_ARRAY") => Geometry::A1d,
            Some("2D_ARRAY") => Geometry::A2d,
            _ => return Err(self.unsupported_because("no surface here is a buffer")),
        };
        let Operand::Address { base, .. } = self.operand(n)? else {
            return Err(self.unsupported_because("this kind of address"));
        };
        let count = self.instruction().registers(n);
        let mut given: Vec<Slot> = (0..count as u8).map(|n| self.read_from(base, n)).collect();
        let layer = if matches!(geometry, Geometry::A1d | Geometry::A2d) { given.pop() } else { None };
        let coordinates = std::array::from_fn(|n| given.get(n).copied());
        Ok((geometry, coordinates, layer))
    }

    /// Register `n` of those that begin at `first`, as a source.
    pub(super) fn read_from(&mut self, first: Register, n: u8) -> Slot {
        let register = if first == Register::RZ { first } else { Register(first.0.saturating_add(n)) };
        self.read(register)
    }

    /// `count` registers of data from operand `n` on.
    fn surface_data(&mut self, n: usize, count: u32) -> Decode<Vec<Option<Slot>>> {
        let first = self.register(n)?;
        Ok((0..count as u8).map(|n| Some(self.read_from(first, n))).collect())
    }

    /// Operand `n`, a handle: in a register, or in the word of constant bank 0 that a number counts.
    pub(super) fn handle(&mut self, n: usize) -> Decode<SurfaceObject> {
        let slot = match self.operand(n)? {
            Operand::Register(register) => self.read(register),
            Operand::Immediate(word) => self.launch_constant(4 * word as i32)?,
            _ => return Err(self.unsupported_because("this kind of handle")),
        };
        debug_assert_eq!(slot.class, Class::Narrow);
        Ok(SurfaceObject::Word(slot.index))
    }

    /// `.BA`: x counts bytes; without it, texels (Ryujinx shifts x by the size of a texel under `.BA` alone).
    fn raw_unit(&self) -> Unit {
        if self.modifier("unit of x") == 1 { Unit::Byte } else { Unit::Sample }
    }
}
