//! `suq` and `txq`: attributes of the surface or texture that a lane names.

use warpdiff_model::{FaultClass, Sampler};

use crate::machine::execute::Next;
use crate::machine::warp::{Group, Warp};
use crate::machine::{BlockState, Machine, Tracking};
use crate::operation::{SurfaceObject, SurfaceQuery};
use crate::registers::{Origin, Shade, lanes};
use crate::surface::query::answer;

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
            let Some((image, sampler)) = self.queried(w, query, lane) else {
                if T::ON {
                    self.names_nothing(w, query.object, lane, pc);
                    return Next::Regroup;
                }
                let detail = "no surface or texture has this handle";
                self.fault(block, w, lane, pc, FaultClass::InvalidHandle, None, detail);
                failed |= 1 << lane;
                continue;
            };
            let surface = &self.surfaces[image];
            let (shape, format) = (&surface.descriptor, surface.format);
            let found =
                answer(query.query, shape, format, sampler.as_ref(), &self.semantics, &mut self.consulted);
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

    /// The image that a query asks about, with its sampler where it is a texture.
    fn queried(&self, w: &Warp, query: &SurfaceQuery, lane: usize) -> Option<(usize, Option<Sampler>)> {
        let surface = || Some((self.surface_of(w, query.object, lane)?, None));
        let texture = || {
            let texture = self.texture_of(w, query.object, lane)?;
            Some((texture.array, Some(texture.sampler)))
        };
        match query.texture {
            false => surface(),
            true if query.query.is_dimension() && matches!(query.object, SurfaceObject::Register(_)) => {
                texture().or_else(surface)
            }
            true => texture(),
        }
    }
}
