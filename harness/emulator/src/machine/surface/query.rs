//! `suq` and `txq`: attributes of the surface or texture that a lane names.

use warpdiff_semantics::surface::query::{Query, answer, sampler_answer};
use warpdiff_semantics::texture::Sampling;

use crate::image_operation::{QueryObject, SurfaceQuery};
use crate::machine::turn::{Next, Turn};
use crate::machine::warp::Warp;
use crate::machine::{Machine, Tracking};
use crate::registers::{Shade, lanes};

impl Machine<'_> {
    pub(in crate::machine) fn surface_query<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let code = self.code;
        let query = &code.queries[turn.op.x as usize];
        if !self.object_defined::<T>(turn, query.object) {
            return Next::Regroup;
        }
        let destination = [Some(query.destination)];
        let faulted = self.in_each(lanes(turn.mask), turn, |machine, turn, lane| {
            let detail = "no surface or texture has this handle";
            match machine.query_answer(turn.warp, query, lane) {
                None => return Err(machine.names_nothing::<T>(turn, query.object, lane, detail)),
                Some(None) => turn.warp.put_undefined::<T>(&destination, lane, turn.pc),
                Some(Some(answer)) => {
                    turn.warp.put::<T>(query.destination, lane, answer.into(), Shade::CLEAN);
                }
            }
            Ok(())
        });
        turn.warp.refresh::<T>(&destination);
        self.after_access(turn, faulted)
    }

    /// What a lane's query answers, which may be open; `None` if it names nothing.
    fn query_answer(&mut self, w: &Warp, query: &SurfaceQuery, lane: usize) -> Option<Option<u32>> {
        if query.of == QueryObject::Sampler {
            let members = self.sampler_of(w, query.object, lane)?;
            let rule = |choices: &mut _| sampler_answer(query.query, &members, &self.semantics, choices);
            return Some(self.consulted.noting(rule));
        }
        let surface = || Some((self.surface_of(w, query.object, lane)?, None));
        let texture = || {
            let (texture, members) = self.texture_of(w, query.object, lane)?;
            Some((texture.array, Some((texture.sampler, members))))
        };
        let is_register = query.object.slot().is_some();
        let (image, sampler) = match query.of {
            QueryObject::Texture if query.query.is_dimension() && is_register => texture().or_else(surface),
            QueryObject::Texture => texture(),
            _ => surface(),
        }?;
        let is_of_sampler =
            matches!(query.query, Query::NormalizedCoordinates | Query::FilterMode | Query::AddressMode(_));
        let sampling = sampler.map(|(sampler, members)| {
            let sampling = Sampling::of(&sampler);
            match members {
                Some(members) if is_of_sampler => self
                    .consulted
                    .noting(|choices| sampling.with_initializer(&members, &self.semantics, choices)),
                _ => sampling,
            }
        });
        let surface = &self.memory.surfaces[image];
        let (shape, format) = (&surface.descriptor, surface.format);
        let rule =
            |choices: &mut _| answer(query.query, shape, format, sampling.as_ref(), &self.semantics, choices);
        Some(self.consulted.noting(rule))
    }
}
