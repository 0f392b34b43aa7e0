//! `istypep`: whether a register points to an opaque variable of some type (PTX ISA 9.7.10.6).

use warpdiff_model::Deviation;

use crate::image_operation::QueryObject;
use crate::machine::turn::{Next, Turn};
use crate::machine::{Machine, Tracking};
use crate::operation::{Class, Slot};
use crate::registers::{Origin, Shade, lanes};
use warpdiff_semantics::opaque::{Named, OpaqueArgument, is_handle};

/// What a register points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pointee {
    /// A variable or kernel parameter.
    Variable(QueryObject),
    /// An object that the host made, which no variable of the program is.
    Object(QueryObject),
    /// Neither.
    Nothing,
}

impl Machine<'_> {
    /// "Write predicate register p with 1 if register a points to an opaque variable of the specified type, and with 0 otherwise."
    /// The handle of an object points to no variable, and is used in its place: what is answered of it, where its type is asked for,
    /// is open.
    pub(in crate::machine) fn points_to<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let (op, pc) = (turn.op, turn.pc);
        let asked = match op.x {
            x if x == QueryObject::Surface as u32 => QueryObject::Surface,
            x if x == QueryObject::Texture as u32 => QueryObject::Texture,
            _ => QueryObject::Sampler,
        };
        let source = Slot { class: Class::Wide, index: op.a };
        let destination = Slot { class: Class::Predicate, index: op.d };
        for lane in lanes(turn.mask) {
            let (value, shade) = turn.warp.shaded::<T>(source, lane);
            // What a program made of numbers is no pointer, whatever handle it equals.
            let pointee = match T::ON && !is_handle(value, shade.unordered) {
                true => Pointee::Nothing,
                false => self.pointee(value),
            };
            let is_open = shade.undefined != 0 || pointee == Pointee::Object(asked);
            let origin = if shade.undefined == 0 { Origin::made_by(pc) } else { shade.origin };
            let answer = match is_open {
                true => Shade { undefined: 1, origin, ..Shade::CLEAN },
                // Which of several pointers it is may depend on the order of threads; that it is one is known of a handle alone.
                false if pointee == Pointee::Nothing && shade.unordered != 0 => {
                    Shade { unordered: 1, ..Shade::CLEAN }
                }
                false => Shade::CLEAN,
            };
            let is_variable = pointee == Pointee::Variable(asked);
            turn.warp.put::<T>(destination, lane, u64::from(is_variable), answer);
        }
        turn.warp.refresh::<T>(&[Some(destination)]);
        Next::Go
    }

    fn pointee(&self, value: u64) -> Pointee {
        let Some(named) = Named::by(value) else { return Pointee::Nothing };
        let among = |count: usize, index: usize, of: QueryObject| match index < count {
            true => Pointee::Variable(of),
            false => Pointee::Nothing,
        };
        if self.semantics.has(Deviation::PtxasArrayUnmarked) && self.code.reference_arrays.contains(&named) {
            return Pointee::Nothing;
        }
        match named {
            Named::Object(number) => {
                match (self.opaque.handles.get(number), self.opaque.textures.get(number)) {
                    (Some(Some(_)), _) => Pointee::Object(QueryObject::Surface),
                    (_, Some(Some(_))) => Pointee::Object(QueryObject::Texture),
                    _ => Pointee::Nothing,
                }
            }
            Named::Surface(index) => among(self.code.surface_variables.len(), index, QueryObject::Surface),
            Named::Texture(index) => among(self.code.texture_variables.len(), index, QueryObject::Texture),
            Named::Sampler(index) => among(self.code.samplers.len(), index, QueryObject::Sampler),
            Named::Parameter(position) => match self.opaque_parameter(position) {
                Some(OpaqueArgument::Surface(_)) => Pointee::Variable(QueryObject::Surface),
                Some(OpaqueArgument::Texture(_)) => Pointee::Variable(QueryObject::Texture),
                Some(OpaqueArgument::Sampler(_)) => Pointee::Variable(QueryObject::Sampler),
                None => Pointee::Nothing,
            },
        }
    }
}
