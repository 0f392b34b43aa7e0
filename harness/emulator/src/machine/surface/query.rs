//! `suq` and `txq`: attributes of the surface or texture that a lane names.

use warpdiff_model::FaultClass;

use crate::machine::execute::Next;
use crate::machine::warp::{Group, Warp};
use crate::machine::{BlockState, Machine, Tracking};
use crate::operation::{QueryObject, SurfaceObject, SurfaceQuery};
use crate::registers::{Origin, Shade, lanes};
use warpdiff_semantics::surface::query::{Query, answer, sampler_answer};
use warpdiff_semantics::texture::Sampling;

impl Machine<'_> {
    pub(in crate::machine) fn surface_query<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        group: &mut Group,
        mask: u32,
        x: u32,
        pc: u32,
    ) -> Next {
        let code = self.code;
        let query = &code.queries[x as usize];
        if T::ON && !self.surface_object_defined(w, query.object, mask, pc) {
            return Next::Regroup;
        }
        let (class, row) = (query.destination.class, w.rows.row(query.destination));
        let mut failed = 0;
        for lane in lanes(mask) {
            let Some(found) = self.query_answer(w, query, lane) else {
                if T::ON {
                    self.names_nothing(w, query.object, lane, pc);
                    return Next::Regroup;
                }
                let detail = "no surface or texture has this handle";
                self.fault(block, w, lane, pc, FaultClass::InvalidHandle, None, detail);
                failed |= 1 << lane;
                continue;
            };
            w.registers.set(class, row, lane, found.unwrap_or(0).into());
            if T::ON {
                let shade = match found {
                    Some(_) => Shade::CLEAN,
                    None => Shade { undefined: u64::MAX, origin: Origin::made_by(pc), ..Shade::CLEAN },
                };
                w.registers.set_shade(class, row, lane, shade);
            }
        }
        self.refresh::<T>(w, &[Some(query.destination)]);
        self.after_access(block, w, group, failed)
    }

    /// What a lane's query answers, which may be open; `None` if it names nothing.
    fn query_answer(&mut self, w: &Warp, query: &SurfaceQuery, lane: usize) -> Option<Option<u32>> {
        if query.of == QueryObject::Sampler {
            let members = self.sampler_of(w, query.object, lane)?;
            return Some(sampler_answer(query.query, &members, &self.semantics, &mut self.consulted));
        }
        let surface = || Some((self.surface_of(w, query.object, lane)?, None));
        let texture = || {
            let (texture, members) = self.texture_of(w, query.object, lane)?;
            Some((texture.array, Some((texture.sampler, members))))
        };
        let is_register = matches!(query.object, SurfaceObject::Register(_));
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
                Some(members) if is_of_sampler => {
                    sampling.with_initializer(&members, &self.semantics, &mut self.consulted)
                }
                _ => sampling,
            }
        });
        let surface = &self.surfaces[image];
        let (shape, format) = (&surface.descriptor, surface.format);
        Some(answer(query.query, shape, format, sampling.as_ref(), &self.semantics, &mut self.consulted))
    }
}
