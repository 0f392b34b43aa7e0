//! Indeterminate launches: their behaviour depends on undefined bits or is unspecified.

use super::turn::Turn;
use super::{Machine, Stop, Tracking};
use crate::decoded::Site;
use crate::image_operation::SurfaceObject;
use crate::operation::{Class, Code, Slot};
use crate::registers::{Meaning, Origin, lanes};

impl Machine<'_> {
    /// Whether a register is defined in every lane of the turn; otherwise the launch is indeterminate. The lanes are looked at only if
    /// the register has `dirt` of these kinds; then it is noted, too, whether it depends on the order of atomics.
    #[inline(always)]
    pub(super) fn operand_defined<T: Tracking>(
        &mut self,
        turn: &Turn<'_>,
        slot: Slot,
        dirt: u8,
        what: &str,
        operand: usize,
    ) -> bool {
        !T::ON || turn.warp.dirt(slot) & dirt == 0 || self.lanes_defined(turn, slot, what, operand)
    }

    #[cold]
    fn lanes_defined(&mut self, turn: &Turn<'_>, slot: Slot, what: &str, operand: usize) -> bool {
        for lane in lanes(turn.mask) {
            let shade = turn.warp.shade(slot, lane);
            self.order_dependent |= shade.unordered != 0;
            if shade.undefined != 0 {
                let origin = shade.origin_seen(turn.pc, operand);
                if self.watch_use((turn.block, turn.warp, turn.pc), lane, what, (&shade, origin)) {
                    continue;
                }
                self.indeterminate(turn.pc, what, origin);
                return false;
            }
        }
        true
    }

    /// Whether what is not specified ends the launch or is a fault that PTX permits, as in a tracked run. In a watched run a thread goes on
    /// as on a device.
    #[inline]
    pub(super) fn is_strict<T: Tracking>(&self) -> bool {
        T::ON && !(T::TRACED && self.watch.is_some())
    }

    /// Marks the launch indeterminate because the behaviour of operation `pc` is unspecified.
    #[cold]
    pub(super) fn unspecified(&mut self, pc: u32, what: &str, why: String) {
        if self.stop.is_some() {
            return;
        }
        self.watch_unspecified(pc, &format!("{what} {why}"));
        let place = self.place(pc, what);
        self.stop = Some(Stop::Indeterminate { place, origin: why });
    }

    /// `what` of the instruction of operation `pc`, with its line.
    fn place(&self, pc: u32, what: &str) -> String {
        let site = self.code.sites[pc as usize];
        let line = self.line(site).unwrap_or(0);
        format!("{what} of `{}`, line {line}", self.instruction_text(site))
    }

    /// The launch is indeterminate: operation `pc` depends on undefined bits of `origin`.
    #[cold]
    pub(super) fn indeterminate(&mut self, pc: u32, what: &str, origin: Origin) {
        if self.stop.is_some() {
            return;
        }
        self.watch_unspecified(pc, what);
        let place = self.place(pc, what);
        let origin = format!("depends on undefined bits: {}", self.origin_text(origin));
        self.stop = Some(Stop::Indeterminate { place, origin });
    }

    pub(super) fn origin_text(&self, origin: Origin) -> String {
        match origin.meaning() {
            None => "not known".into(),
            Some(Meaning::MadeBy { op }) => {
                let (instruction, line) = self.instruction_and_line(op);
                let operation = &self.code.ops[op as usize];
                match operation.code {
                    Code::Signal => match self.code.schedules[operation.x as usize].write_barrier {
                        Some(barrier) => {
                            format!(
                                "result of `{instruction}`, line {line}, without a wait for barrier {barrier}"
                            )
                        }
                        None => format!("result of `{instruction}`, line {line}, which no barrier announces"),
                    },
                    _ => format!("undefined result of `{instruction}`, line {line}"),
                }
            }
            Some(Meaning::Unwritten { op, operand }) => {
                let site = self.code.sites[op as usize];
                let line = self.line(site).unwrap_or(0);
                let name = self
                    .source(op, operand as usize)
                    .and_then(|slot| self.register_name(site, slot))
                    .unwrap_or_else(|| "a register".into());
                format!("`{name}`, not written before `{}`, line {line}", self.instruction_text(site))
            }
        }
    }

    /// Source operand `n` of an operation.
    fn source(&self, op: u32, n: usize) -> Option<Slot> {
        let operation = self.code.ops.get(op as usize)?;
        let x = operation.x as usize;
        if n == Origin::GUARD_OPERAND {
            return operation.guard.predicate().map(|index| Slot { class: Class::Predicate, index });
        }
        match operation.code {
            Code::Lane => self.code.lanes[x].sources.get(n).copied(),
            Code::Load => self.code.accesses[x].address.base,
            Code::Store if n == Origin::ADDRESS_OPERAND => self.code.accesses[x].address.base,
            Code::Store => self.code.accesses[x].registers.get(n).copied().flatten(),
            Code::Atomic => match n {
                0 => Some(self.code.atomics[x].b),
                1 => self.code.atomics[x].c,
                _ => self.code.atomics[x].address.base,
            },
            Code::Collective => Some(self.code.collectives[x].source),
            Code::Surface => {
                let access = &self.code.surfaces[x];
                match (n, access.object) {
                    (0, object) if object.slot().is_some() => object.slot(),
                    (1..=3, _) => access.coordinates[n - 1],
                    _ => access.layer,
                }
            }
            Code::Texture => {
                let lookup = &self.code.lookups[x];
                match n {
                    0 => lookup.object.slot(),
                    1..=3 => lookup.coordinates[n - 1],
                    4 => lookup.layer,
                    _ => lookup.sampler.and_then(SurfaceObject::slot),
                }
            }
            Code::SurfaceQuery => self.code.queries[x].object.slot(),
            code => {
                let class = *code.sources().get(n)?;
                let index = [operation.a, operation.b, operation.c][n.min(2)];
                Some(Slot { class, index })
            }
        }
    }

    pub(super) fn register_name(&self, site: Site, slot: Slot) -> Option<String> {
        let names = &self.code.functions[site.function as usize].names;
        let list = match slot.class {
            Class::Narrow => &names.narrow,
            Class::Wide => &names.wide,
            Class::Predicate => &names.predicates,
        };
        list.get(slot.index as usize).map(|name| name.to_string())
    }
}
