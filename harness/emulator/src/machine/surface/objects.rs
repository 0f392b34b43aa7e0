//! Resolves the surface, texture or sampler that a lane names.

use warpdiff_model::FaultClass;
use warpdiff_semantics::texture::sampling::Members;

use crate::image_operation::SurfaceObject;
use crate::machine::turn::{Halt, Turn};
use crate::machine::warp::Warp;
use crate::machine::{Machine, Tracking};
use crate::memory_operation::Address;
use crate::operation::{Class, Slot};
use crate::registers::{UNORDERED, lanes};
use warpdiff_semantics::opaque::{BoundTexture, Named, OpaqueArgument, is_handle};

impl Machine<'_> {
    /// Whether the address of an access in a lane is a handle.
    pub(in crate::machine) fn is_handle_address(w: &Warp, base: Option<Slot>, lane: usize) -> bool {
        base.is_some_and(|slot| {
            w.dirt(slot) & UNORDERED != 0
                && slot.class == Class::Wide
                && is_handle(w.value(slot, lane), w.shade(slot, lane).unordered)
        })
    }

    /// What is stored, or changed, at a handle may be anything: the launch is indeterminate. Answers whether it is.
    pub(in crate::machine) fn stores_at_handle(&mut self, turn: &Turn<'_>, address: &Address) -> bool {
        let may_be = address.base.is_some_and(|slot| turn.warp.dirt(slot) & UNORDERED != 0);
        let found =
            may_be && lanes(turn.mask).any(|lane| Self::is_handle_address(turn.warp, address.base, lane));
        if found {
            self.unspecified(turn.pc, "the address", "is a pointer to an opaque variable".into());
        }
        found
    }

    /// What an operand names in a lane; `None` if it cannot be a handle.
    fn named(&self, w: &Warp, object: SurfaceObject, lane: usize) -> Option<Named> {
        Some(match object {
            SurfaceObject::Register(index) => Named::by(w.registers.wide[w.rows.w(index)][lane])?,
            SurfaceObject::Word(index) => {
                self.opaque.headers.image(w.registers.narrow[w.rows.n(index)][lane])?
            }
            SurfaceObject::Variable(number) => Named::Surface(number as usize),
            SurfaceObject::TextureVariable(number) => Named::Texture(number as usize),
            SurfaceObject::SamplerVariable(number) => Named::Sampler(number as usize),
            SurfaceObject::Parameter(position) => Named::Parameter(position as usize),
        })
    }

    /// The surface that a lane names.
    pub(super) fn surface_of(&self, w: &Warp, object: SurfaceObject, lane: usize) -> Option<usize> {
        self.opaque.surface(self.named(w, object, lane)?)
    }

    /// The texture that a lane names, and the sampler properties of its variable's initialiser, if there are any.
    pub(super) fn texture_of(
        &self,
        w: &Warp,
        object: SurfaceObject,
        lane: usize,
    ) -> Option<(BoundTexture, Option<Members>)> {
        let named = self.named(w, object, lane)?;
        let members = match named {
            Named::Texture(variable) => self.code.texture_members.get(variable).copied(),
            _ => None,
        };
        Some((self.opaque.texture(named)?, members))
    }

    /// The sampler that a lane names.
    pub(super) fn sampler_of(&self, w: &Warp, object: SurfaceObject, lane: usize) -> Option<Members> {
        let named = match object {
            SurfaceObject::Word(index) => {
                self.opaque.headers.sampler(w.registers.narrow[w.rows.n(index)][lane])?
            }
            object => self.named(w, object, lane)?,
        };
        match named {
            Named::Sampler(variable) => self.code.samplers.get(variable).copied(),
            Named::Parameter(position) => self.sampler_parameter(position),
            Named::Object(_) | Named::Surface(_) | Named::Texture(_) => None,
        }
    }

    pub(super) fn opaque_parameter(&self, position: usize) -> Option<OpaqueArgument> {
        self.opaque.parameters.get(position).copied().flatten()
    }

    fn sampler_parameter(&self, position: usize) -> Option<Members> {
        match self.opaque_parameter(position)? {
            OpaqueArgument::Sampler(sampler) => Some(sampler),
            OpaqueArgument::Surface(_) | OpaqueArgument::Texture(_) => None,
        }
    }

    /// The surface operand names no surface in a lane. The behaviour is unspecified, so a tracked launch is indeterminate, even if
    /// every bit of the operand is defined. In an untracked run the lane faults.
    #[cold]
    pub(super) fn names_nothing<T: Tracking>(
        &mut self,
        turn: &Turn<'_>,
        object: SurfaceObject,
        lane: usize,
        detail: &str,
    ) -> Halt {
        if !self.is_strict::<T>() {
            self.fault(turn, lane, FaultClass::InvalidHandle, None, detail);
            return Halt::Lane;
        }
        let why = match object {
            SurfaceObject::Register(index) => {
                format!("names no surface ({:#x})", turn.warp.registers.wide[turn.warp.rows.w(index)][lane])
            }
            SurfaceObject::Word(index) => {
                format!("names no surface ({:#x})", turn.warp.registers.narrow[turn.warp.rows.n(index)][lane])
            }
            SurfaceObject::Variable(_) => "names no surface (no surface is bound to the variable)".into(),
            SurfaceObject::TextureVariable(_) | SurfaceObject::SamplerVariable(_) => {
                "names no texture (no texture is bound to the variable)".into()
            }
            SurfaceObject::Parameter(_) => "names no surface or texture (none was passed)".into(),
        };
        self.unspecified(turn.pc, "the surface operand", why);
        Halt::Launch
    }
}
