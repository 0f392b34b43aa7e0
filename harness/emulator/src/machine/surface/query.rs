//! `suq`: attributes of the surface that a lane names.

use warpdiff_model::FaultClass;

use crate::machine::execute::Next;
use crate::machine::warp::{Group, Warp};
use crate::machine::{BlockState, Machine, Tracking};
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
            let Some(surface) = self.surface_of(w, query.object, lane) else {
                if T::ON {
                    self.names_nothing(pc);
                    return Next::Regroup;
                }
                let detail = "no surface has this handle";
                self.fault(block, w, lane, pc, FaultClass::InvalidHandle, None, detail);
                failed |= 1 << lane;
                continue;
            };
            let surface = &self.surfaces[surface];
            let (shape, format) = (&surface.descriptor, surface.format);
            let found = answer(query.query, shape, format, &self.semantics, &mut self.consulted);
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
}
