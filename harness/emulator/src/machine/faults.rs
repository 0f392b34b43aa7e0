//! Faults: reports of lanes that end or may end.

use warpdiff_model::{Fault, FaultClass, FaultKind};

use super::Machine;
use super::turn::Turn;
use crate::decoded::Site;

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
        self.watch_fault(turn, lane, class, false, detail);
        if self.faults.len() < FAULT_LIMIT {
            let fault = self.fault_of(turn, lane, class, address, detail);
            self.faults.push(fault);
        }
    }

    /// Reports a possible fault of a lane, if the specification does not require one. The lane continues.
    #[cold]
    pub(super) fn may_fault(
        &mut self,
        turn: &Turn<'_>,
        lane: usize,
        class: FaultClass,
        address: Option<u64>,
        detail: &str,
    ) {
        self.watch_fault(turn, lane, class, true, detail);
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

    /// The line that an instruction stands on.
    pub(crate) fn line(&self, site: Site) -> Option<u32> {
        self.program.span(site).map(|span| self.program.line(span))
    }

    /// The text of an instruction on one line.
    pub(crate) fn instruction_text(&self, site: Site) -> String {
        match self.program.span(site) {
            Some(span) => self.program.excerpt(span),
            None => format!("the end of {}", self.program.module().functions[site.function as usize].name),
        }
    }

    /// The text of the instruction of an operation, and its line.
    pub(super) fn instruction_and_line(&self, op: u32) -> (String, u32) {
        let site = self.code.sites[op as usize];
        (self.instruction_text(site), self.line(site).unwrap_or(0))
    }
}
