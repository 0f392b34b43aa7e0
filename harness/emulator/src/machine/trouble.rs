//! Faults, and what depends on undefined bits.

use warpdiff_model::{Fault, FaultClass, FaultKind};

use super::turn::Turn;
use super::{Machine, Stop};
use crate::operation::{Class, Code, Slot, SurfaceObject};
use crate::program::Site;
use crate::registers::{Meaning, Origin};

/// Most faults a launch reports.
const FAULT_LIMIT: usize = 64;

impl Machine<'_> {
    /// Reports a fault of a lane. The caller ends the lane.
    #[cold]
    pub(super) fn fault(
        &mut self,
        turn: &Turn<'_>,
        lane: usize,
        class: FaultClass,
        address: Option<u64>,
        detail: &str,
    ) {
        if self.faults.len() < FAULT_LIMIT {
            let fault = self.fault_of(turn, lane, class, address, detail);
            self.faults.push(fault);
        }
    }

    /// Reports that a lane may fault, where nothing says that it must. The lane goes on.
    #[cold]
    pub(super) fn may_fault(
        &mut self,
        turn: &Turn<'_>,
        lane: usize,
        class: FaultClass,
        address: Option<u64>,
        detail: &str,
    ) {
        if self.may_faults.len() < FAULT_LIMIT {
            let fault = self.fault_of(turn, lane, class, address, detail);
            self.may_faults.push(Fault { kind: FaultKind::May, ..fault });
        }
    }

    fn fault_of(
        &self,
        turn: &Turn<'_>,
        lane: usize,
        class: FaultClass,
        address: Option<u64>,
        detail: &str,
    ) -> Fault {
        let geometry = &turn.block.geometry;
        let [x, y, z] = geometry.block_index;
        let [tx, ty, tz] = geometry.thread_index(turn.warp.index * 32 + lane as u32);
        let site = self.code.sites[turn.pc as usize];
        let instruction = self.instruction_text(site);
        let separator = if detail.is_empty() { "" } else { ": " };
        Fault {
            class,
            kind: FaultKind::Must,
            thread: Some([x, y, z, tx, ty, tz]),
            line: self.line(site),
            address,
            detail: format!("`{instruction}`{separator}{detail}"),
        }
    }

    /// The launch is indeterminate for another reason than undefined bits: what operation `pc` does no text says.
    #[cold]
    pub(super) fn unspecified(&mut self, pc: u32, what: &str, why: String) {
        if self.stop.is_some() {
            return;
        }
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
        let place = self.place(pc, what);
        let origin = format!("depends on undefined bits: {}", self.origin_text(origin));
        self.stop = Some(Stop::Indeterminate { place, origin });
    }

    fn line(&self, site: Site) -> Option<u32> {
        self.program.span(site).map(|span| self.program.line(span))
    }

    fn instruction_text(&self, site: Site) -> String {
        match self.program.span(site) {
            Some(span) => self.program.excerpt(span),
            None => format!("the end of {}", self.program.module().functions[site.function as usize].name),
        }
    }

    fn origin_text(&self, origin: Origin) -> String {
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

    /// The text of the instruction of an operation, and its line.
    pub(super) fn instruction_and_line(&self, op: u32) -> (String, u32) {
        let site = self.code.sites[op as usize];
        (self.instruction_text(site), self.line(site).unwrap_or(0))
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
                    (0, SurfaceObject::Register(index)) => Some(Slot { class: Class::Wide, index }),
                    (1..=3, _) => access.coordinates[n - 1],
                    _ => access.layer,
                }
            }
            Code::Texture => {
                let lookup = &self.code.lookups[x];
                let register = |object: Option<SurfaceObject>| match object {
                    Some(SurfaceObject::Register(index)) => Some(Slot { class: Class::Wide, index }),
                    _ => None,
                };
                match n {
                    0 => register(Some(lookup.object)),
                    1..=3 => lookup.coordinates[n - 1],
                    4 => lookup.layer,
                    _ => register(lookup.sampler),
                }
            }
            Code::SurfaceQuery => match self.code.queries[x].object {
                SurfaceObject::Register(index) => Some(Slot { class: Class::Wide, index }),
                _ => None,
            },
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
        list.get(slot.index as usize).cloned()
    }
}
