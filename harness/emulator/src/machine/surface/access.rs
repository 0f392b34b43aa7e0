//! Resolves and executes a lane's surface access.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{Axis, Deviation, FaultClass, Semantics, place_in_words};
use warpdiff_semantics::atomic::AtomicKind;
use warpdiff_semantics::surface::texel::Certainty;
use warpdiff_semantics::surface::{self, Beyond, Kind, Resolution, SurfaceFault, Unit};

use crate::address_space::{Region, Spot};
use crate::image_operation::{SurfaceAccess, SurfaceAction, SurfaceObject};
use crate::machine::turn::{Halt, Next, Turn};
use crate::machine::watch::Executed;
use crate::machine::{Machine, Tracking};
use crate::operation::Slot;
use crate::registers::{LANES, UNDEFINED, UNORDERED, lanes};
use crate::trace::AccessKind;

/// The bytes of a surface that a lane accesses.
#[derive(Clone, Copy)]
pub(super) enum Texels {
    /// These.
    At {
        /// The surface.
        surface: usize,
        /// Byte offset of the access.
        start: usize,
        /// Bytes from there on that are in bounds.
        valid: u32,
        /// Treatment of the remaining bytes.
        beyond: Beyond,
    },
    /// None: the access is out of bounds.
    Nowhere,
    /// Any texel of this surface: the manual does not specify which.
    Anywhere(usize),
}

/// The bytes that an access to texels touches, and whether it reads some that nobody has written.
struct Accessed {
    spot: Spot,
    size: usize,
    unwritten: bool,
}

impl Machine<'_> {
    /// `suld`, `sust` and `sured`.
    pub(in crate::machine) fn surface<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let code = self.code;
        let access = &code.surfaces[turn.op.x as usize];
        if !self.object_defined::<T>(turn, access.object)
            || !self.coordinates_defined::<T>(turn, access.coordinates, access.layer)
        {
            return Next::Regroup;
        }
        // Every lane's address is found before any register is written: a destination may be a coordinate.
        let mut found = [Texels::Nowhere; LANES];
        let faulted = self.in_each(lanes(turn.mask), turn, |machine, turn, lane| {
            found[lane] = machine.texels::<T>(turn, access, lane)?;
            Ok(())
        });
        let Some(mut faulted) = faulted else { return Next::Regroup };
        let mask = turn.mask & !faulted;
        let returned = code.returned(access.action);
        match access.action {
            SurfaceAction::Load => {
                lanes(mask).for_each(|lane| {
                    let before = self.before_texels::<T>(turn, access, found[lane], lane);
                    self.load_texels::<T>(turn, access, found[lane], lane);
                    self.after_texels::<T>(turn, lane, AccessKind::Load, before);
                });
                turn.warp.refresh::<T>(&access.registers);
            }
            SurfaceAction::LoadTexel => {
                lanes(mask).for_each(|lane| {
                    let before = self.before_texels::<T>(turn, access, found[lane], lane);
                    self.load_formatted::<T>(turn, access, found[lane], lane);
                    self.after_texels::<T>(turn, lane, AccessKind::Load, before);
                });
                turn.warp.refresh::<T>(&access.registers);
            }
            SurfaceAction::Store => {
                lanes(mask).for_each(|lane| {
                    let before = self.before_texels::<T>(turn, access, found[lane], lane);
                    self.store_texels::<T>(turn, access, found[lane], lane);
                    self.after_texels::<T>(turn, lane, AccessKind::Store, before);
                });
            }
            SurfaceAction::StoreTexel => {
                lanes(mask).for_each(|lane| {
                    let before = self.before_texels::<T>(turn, access, found[lane], lane);
                    self.store_formatted::<T>(turn, access, found[lane], lane);
                    self.after_texels::<T>(turn, lane, AccessKind::Store, before);
                });
            }
            SurfaceAction::Reduce(_) | SurfaceAction::ReduceByFormat { .. } => {
                let mask = match self.semantics.has(Deviation::PtxasReductionUnsigned) {
                    true => self.combined(turn, access, mask),
                    false => mask,
                };
                for lane in self.lane_order(mask) {
                    faulted |= self.reduce_texels::<T>(turn, access, found[lane], lane);
                }
                turn.warp.refresh::<T>(&returned);
            }
        }
        match self.after_access(turn, Some(faulted)) {
            // Another lane may be waited for in a loop around it.
            Next::Go if returned[0].is_some() => Next::Wait,
            next => next,
        }
    }

    /// The bytes of an access to texels, and whether it reads some that nobody has written, for a watch.
    fn before_texels<T: Tracking>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &SurfaceAccess,
        texels: Texels,
        lane: usize,
    ) -> Option<Accessed> {
        let Texels::At { surface, start, valid, .. } = texels else { return None };
        if !T::TRACED || self.watch.is_none() {
            return None;
        }
        let memory = &self.memory.surfaces[surface];
        let size = match access.action {
            SurfaceAction::Load | SurfaceAction::Store => access.size * access.elements,
            _ => memory.format.texel_size(),
        };
        let there = memory.texels.data.len().saturating_sub(start);
        let size = (valid.min(size) as usize).min(there);
        let spot = Spot { region: Region::Surface(surface as u32), offset: start };
        let unwritten = access.action.is_load() && self.reads_unwritten(turn, spot, size, lane);
        Some(Accessed { spot, size, unwritten })
    }

    /// Notes such an access when it has been executed.
    fn after_texels<T: Tracking>(
        &mut self,
        turn: &mut Turn<'_>,
        lane: usize,
        kind: AccessKind,
        before: Option<Accessed>,
    ) {
        if let (true, Some(Accessed { spot, size, unwritten })) = (T::TRACED, before) {
            self.executed(turn, lane, Executed { kind, spot, size, uninitialised: unwritten });
        }
    }

    /// Whether the coordinates are defined; otherwise the launch is indeterminate.
    pub(super) fn coordinates_defined<T: Tracking>(
        &mut self,
        turn: &Turn<'_>,
        [x, y, z]: [Option<Slot>; 3],
        layer: Option<Slot>,
    ) -> bool {
        let slots = [x, y, z, layer].into_iter().zip(1..);
        slots.filter_map(|(slot, number)| Some((slot?, number))).all(|(slot, number)| {
            self.operand_defined::<T>(turn, slot, UNDEFINED | UNORDERED, "a coordinate", number)
        })
    }

    /// Whether the handle is defined. That it is unordered, as every handle is, means nothing here.
    pub(super) fn object_defined<T: Tracking>(&mut self, turn: &Turn<'_>, object: SurfaceObject) -> bool {
        let Some(slot) = object.slot() else { return true };
        self.operand_defined::<T>(turn, slot, UNDEFINED, "the surface handle", 0)
    }

    /// Where a lane's access goes.
    fn texels<T: Tracking>(
        &mut self,
        turn: &Turn<'_>,
        access: &SurfaceAccess,
        lane: usize,
    ) -> Result<Texels, Halt> {
        let Some(surface) = self.surface_of(turn.warp, access.object, lane) else {
            return Err(self.names_nothing::<T>(turn, access.object, lane, "no surface has this handle"));
        };
        let [mut x, y, z] = access.coordinates.map(|slot| turn.warp.word(slot, lane) as i32);
        let descriptor = self.memory.surfaces[surface].descriptor;
        let mut unit = access.unit;
        if unit == Unit::Texel && self.semantics.has(Deviation::SustXByChannel) {
            unit = Unit::Byte;
            x = x.wrapping_mul(self.memory.surfaces[surface].format.channel.size() as i32);
        }
        let size = match access.unit {
            Unit::Texel => descriptor.texel_size,
            Unit::Byte | Unit::Element | Unit::Sample => access.size * access.elements,
        };
        let request = surface::Access {
            geometry: access.geometry,
            x,
            y,
            z,
            layer: turn.warp.word(access.layer, lane),
            size,
            element: access.size,
            mode: access.clamp,
            unit,
        };
        let kind = match access.action {
            SurfaceAction::Load | SurfaceAction::LoadTexel => Kind::Load,
            SurfaceAction::Store | SurfaceAction::StoreTexel => Kind::Store,
            SurfaceAction::Reduce(operation) | SurfaceAction::ReduceByFormat { unsigned: operation, .. } => {
                match self.code.atomics[operation as usize].kind {
                    AtomicKind::And | AtomicKind::Or => Kind::ReduceBits,
                    _ => Kind::Reduce,
                }
            }
        };
        let at = |offset: u64, valid: u32, beyond| {
            Ok(Texels::At { surface, start: offset as usize, valid, beyond })
        };
        let resolve = |semantics: &Semantics, choices: &mut ChoiceSet| {
            surface::resolve(&descriptor, &request, kind, semantics, choices)
        };
        let mut choices = ChoiceSet::default();
        let resolution = resolve(&self.semantics, &mut choices);
        self.consulted.weigh(choices, &self.semantics, resolve);
        if let (true, Some(onlooker)) = (T::TRACED, self.onlooker) {
            let format = self.memory.surfaces[surface].format;
            onlooker.surface(lane, (&descriptor, format), &request, resolution);
        }
        let class = match resolution {
            Resolution::Bytes { offset } => return at(offset, size, Beyond::Zero),
            Resolution::Partial { offset, len, beyond } => return at(offset, len, beyond),
            Resolution::OutOfBounds => return Ok(Texels::Nowhere),
            Resolution::Anywhere => return Ok(Texels::Anywhere(surface)),
            Resolution::Trap => FaultClass::SurfaceTrap,
            Resolution::Fault(SurfaceFault::Misaligned) => FaultClass::Misaligned,
            Resolution::Fault(SurfaceFault::Geometry) => FaultClass::InvalidHandle,
        };
        self.surface_fault(turn, lane, class, surface, &request);
        Err(Halt::Lane)
    }

    #[cold]
    fn surface_fault(
        &mut self,
        turn: &Turn<'_>,
        lane: usize,
        class: FaultClass,
        index: usize,
        request: &surface::Access,
    ) {
        let surface = &self.memory.surfaces[index];
        let shape = surface.descriptor;
        let place = Axis::of(request.geometry).iter().map(|axis| match axis {
            Axis::X => (Axis::X, request.x.into()),
            Axis::Y => (Axis::Y, request.y.into()),
            Axis::Z => (Axis::Z, request.z.into()),
            Axis::Layer => (Axis::Layer, request.layer.into()),
        });
        let ([width, height, depth], geometry) = (shape.extent, shape.geometry);
        let size = u64::from(width) * u64::from(shape.texel_size);
        let size = geometry.size_in_words(size, [height, depth], shape.layers);
        let detail = format!("{} of surface `{}` ({size})", place_in_words(place), surface.name);
        self.fault(turn, lane, class, None, &detail);
    }

    /// Makes every texel of a surface undefined.
    #[cold]
    pub(super) fn forget_texels<T: Tracking>(&mut self, surface: usize) {
        if T::ON {
            let texels = &mut self.memory.surfaces[surface].texels;
            texels.set_undefined_bytes(0, texels.data.len());
            texels.mark(0, texels.data.len(), Certainty::Bits);
        }
    }
}
