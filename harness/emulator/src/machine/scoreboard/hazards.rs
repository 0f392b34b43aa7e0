//! Hazards: detects missing waits in a scheduled program.

use std::fmt;

use super::pending::{Pending, What};
use crate::machine::Machine;
use crate::machine::turn::Turn;
use crate::machine::warp::Warp;
use crate::operation::{Code, Slot};
use warpdiff_semantics::atomic::AtomicKind;

/// An instruction that does not wait for a barrier that it would have to wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// The kind of hazard.
    pub kind: HazardKind,
    /// The register concerned: `R4`.
    pub register: String,
    /// The instruction that is still under way, and its line.
    pub first: (String, u32),
    /// The instruction that should have waited, and its line.
    pub second: (String, u32),
    /// The barrier it should have waited for; `None` if the first instruction signals none, so that waiting is impossible.
    pub barrier: Option<u8>,
}

/// The kind of a hazard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HazardKind {
    /// A result is read that may not have been written yet.
    ReadBeforeWritten,
    /// A register is written into which an earlier result may still go.
    WrittenBeforeWritten,
    /// A register is written that may not have been read yet.
    WrittenBeforeRead,
}

impl fmt::Display for Hazard {
    /// "`IADD R1, R0, R0;`, line 3, reads `R0` without waiting for barrier 0, with which `LDS R0, [R2] &wr=0;`, line 2, says that it
    /// has written it".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hazard { kind, register, first: (first, first_line), second: (second, second_line), barrier } =
            self;
        let (does, done) = match kind {
            HazardKind::ReadBeforeWritten => ("reads", "written"),
            HazardKind::WrittenBeforeWritten => ("writes", "written"),
            HazardKind::WrittenBeforeRead => ("writes", "read"),
        };
        write!(f, "`{second}`, line {second_line}, {does} `{register}` ")?;
        match barrier {
            Some(barrier) => write!(
                f,
                "without waiting for barrier {barrier}, with which `{first}`, line {first_line}, signals that it has {done} it"
            ),
            None => {
                write!(f, "although `{first}`, line {first_line}, signals no barrier when it has {done} it")
            }
        }
    }
}

/// Hazards that a run reports at most.
const HAZARD_LIMIT: usize = 64;

impl Machine<'_> {
    /// Handles a register read in these lanes while results for it may be pending.
    pub(super) fn note_reading(&mut self, w: &Warp, slot: Slot, mask: u32, pc: u32) {
        for at in 0..w.scoreboard.pending.len() {
            let pending = &w.scoreboard.pending[at];
            let is_result = matches!(pending.what, What::Result { .. });
            if is_result && pending.slot == slot && pending.lanes & mask != 0 {
                self.note_hazard(HazardKind::ReadBeforeWritten, w, at, pc);
            }
        }
    }

    /// Handles a register write in these lanes while other instructions that use it are pending.
    pub(super) fn overwrite(&mut self, turn: &mut Turn<'_>, slot: Slot, executed: u32) {
        let pc = turn.pc;
        for at in 0..turn.warp.scoreboard.pending.len() {
            let pending = &mut turn.warp.scoreboard.pending[at];
            let touched = pending.lanes & executed;
            if pending.slot != slot || touched == 0 {
                continue;
            }
            let (op, size) = (pending.op, pending_size(pending));
            match &mut pending.what {
                What::Result { spoilt, .. } => {
                    *spoilt |= touched;
                    turn.warp.hide(slot, touched, op);
                    self.note_hazard(HazardKind::WrittenBeforeWritten, turn.warp, at, pc);
                }
                What::Data { places, .. } => {
                    let places: Vec<_> =
                        places.extract_if(.., |(lane, _)| touched >> *lane & 1 == 1).collect();
                    for (lane, spot) in places {
                        self.make_undefined(turn, spot, size, lane);
                    }
                    if self.result_needs_data(op) {
                        spoil_results(turn.warp, op, touched);
                    }
                    self.note_hazard(HazardKind::WrittenBeforeRead, turn.warp, at, pc);
                }
                What::Nothing => {}
                What::Address => {
                    spoil_results(turn.warp, op, touched);
                    self.note_hazard(HazardKind::WrittenBeforeRead, turn.warp, at, pc);
                    self.lose_address(op);
                }
            }
        }
    }

    /// Whether the result of what operation `op` signals depends on its data: "Rd = M" does not, "if (M == Rb) Rd = 1" does.
    fn result_needs_data(&self, op: u32) -> bool {
        let code = self.code;
        let site = code.sites[op as usize];
        code.ops.iter().zip(&code.sites).any(|(operation, at)| {
            at.instruction == site.instruction
                && operation.code == Code::Atomic
                && code.atomics[operation.x as usize].kind == AtomicKind::Cast
        })
    }

    /// The address of a store or an atomic may be another one: nothing is known of memory any more.
    fn lose_address(&mut self, op: u32) {
        let code = self.code;
        let site = code.sites[op as usize];
        let stores = code.ops.iter().zip(&code.sites).any(|(operation, at)| {
            let stores = match operation.code {
                Code::Store | Code::Atomic => true,
                Code::Surface => !code.surfaces[operation.x as usize].action.is_load(),
                _ => false,
            };
            stores && at.instruction == site.instruction
        });
        // In a watched run the hazard has been noted, and the access goes where it does.
        let stores = stores && self.watch.is_none();
        if let (true, Some(hazard)) = (stores, self.hazards.last()) {
            let why = format!("depends on undefined bits: {hazard}");
            self.unspecified(op, "the address", why);
        }
    }

    /// Notes that operation `pc` did not wait for what is pending at index `at`.
    fn note_hazard(&mut self, kind: HazardKind, w: &Warp, at: usize, pc: u32) {
        let pending = &w.scoreboard.pending[at];
        let schedule = &self.code.schedules[pending.schedule as usize];
        let barrier = match kind {
            HazardKind::WrittenBeforeRead => schedule.read_barrier.or(schedule.write_barrier),
            _ => schedule.write_barrier,
        };
        let site = self.code.sites[pending.op as usize];
        let register = self.register_name(site, pending.slot).unwrap_or_else(|| "a register".into());
        let (first, second) = (self.instruction_and_line(pending.op), self.instruction_and_line(pc));
        let hazard = Hazard { kind, register, first, second, barrier };
        self.watch_hazard((w, pending.lanes), pc, pending.op, &hazard.to_string());
        if self.hazards.len() < HAZARD_LIMIT && !self.hazards.contains(&hazard) {
            self.hazards.push(hazard);
        }
    }
}

/// Bytes of the data that is pending.
fn pending_size(pending: &Pending) -> usize {
    match pending.what {
        What::Data { size, .. } => size,
        _ => 0,
    }
}

/// What operation `op` has under way will not be what it should.
fn spoil_results(w: &mut Warp, op: u32, mask: u32) {
    for pending in &mut w.scoreboard.pending {
        if let What::Result { spoilt, .. } = &mut pending.what
            && pending.op == op
        {
            *spoilt |= mask;
        }
    }
}
