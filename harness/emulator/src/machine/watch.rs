//! Watches a launch for a report: notes what its threads do wrong, and lets them go on as they would without.
//!
//! The loop over operations asks for it in watched runs alone, which are compiled as traced ones are; see
//! [`crate::machine::tracking::Tracking::TRACED`]. In a watched run the undefined bits of memory are those that nobody has written:
//! whoever stores, initialises. Raced bytes count as defined, so that what follows from a race is not reported too.

use warpdiff_model::finding::{Earlier, Finding, FindingKind, Hazards, Piece, Place};
use warpdiff_model::{FaultClass, Thread};
use warpdiff_races::Met;

use super::Machine;
use super::block::{Block, BlockState};
use super::recorder::AccessKind;
use super::turn::Turn;
use super::warp::{Group, Wait, Warp};
use crate::address_space::{Region, Spot};
use crate::operation::Code;
use crate::registers::{Meaning, Origin, Shade, lanes};

/// An access that has been executed.
pub(super) struct Executed {
    pub(super) kind: AccessKind,
    pub(super) spot: Spot,
    pub(super) size: usize,
    /// Whether it read bytes that nobody has written.
    pub(super) uninitialised: bool,
}

impl Machine<'_> {
    /// Whether a lane would read bytes that nobody has written, in a watched run.
    pub(super) fn reads_unwritten(
        &mut self,
        turn: &mut Turn<'_>,
        spot: Spot,
        size: usize,
        lane: usize,
    ) -> bool {
        if self.watch.is_none() {
            return false;
        }
        let allocation = self.memory.of(spot.region, &mut turn.block.shared, &mut turn.warp.local[lane]);
        allocation
            .defined
            .get(spot.offset..spot.offset + size)
            .is_some_and(|bytes| bytes.iter().any(|it| *it != 0xFF))
    }

    /// Keeps who executes the operation that comes, in a watched run.
    pub(super) fn watch_operation(&mut self, w: &Warp, group: &Group) {
        let Some(watch) = &mut self.watch else { return };
        let op = &self.code.ops[group.pc as usize];
        let guard = op
            .guard
            .predicate()
            .map_or(u32::MAX, |predicate| w.registers.predicates[w.rows.p(predicate)] ^ op.guard.flip());
        let lane = (group.mask & guard).trailing_zeros();
        watch.executing = (lane < 32).then_some((w.block_index, w.index * 32 + lane));
    }

    /// Position in its block of the thread of this number.
    fn thread_index(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.launch.block;
        [number % x, number / x % y, number / x / y]
    }

    /// Notes an access of a lane, in a watched run.
    pub(super) fn executed(&mut self, turn: &mut Turn<'_>, lane: usize, access: Executed) {
        let Some(mut watch) = self.watch.take() else { return };
        let Executed { kind, spot, size, uninitialised } = access;
        let allocation = self.memory.of(spot.region, &mut turn.block.shared, &mut turn.warp.local[lane]);
        let met = allocation.race.as_mut().and_then(|race| race.take_met(&self.clocks, turn.pc));
        if kind != AccessKind::Load && !allocation.defined.is_empty() {
            allocation.set_undefined(spot.offset, size.min(8), 0);
            for byte in spot.offset + size.min(8)..spot.offset + size {
                allocation.set_undefined(byte, 1, 0);
            }
        }
        if let Some(met) = met {
            let hazards = match (kind, met.wrote) {
                (AccessKind::Load, _) => Hazards::ReadAfterWrite,
                (_, true) => Hazards::WriteAfterWrite,
                (_, false) => Hazards::WriteAfterRead,
            };
            let kind = FindingKind::Race(hazards);
            watch.add((kind, turn.pc, met.operation), || Finding {
                piece: Some(self.piece(spot, size)),
                earlier: Some(self.earlier(met)),
                ..self.finding(kind, turn.pc, Some(thread_of(turn.block, turn.warp, lane)), String::new())
            });
        }
        if uninitialised {
            let kind = FindingKind::UninitialisedRead;
            watch.add((kind, turn.pc, None), || Finding {
                piece: Some(self.piece(spot, size)),
                ..self.finding(kind, turn.pc, Some(thread_of(turn.block, turn.warp, lane)), String::new())
            });
        }
        self.watch = Some(watch);
    }

    /// Notes what `vprintf` has read of memory that nobody has written, in a watched run.
    pub(super) fn watch_printed(&mut self, turn: &Turn<'_>, lane: usize) {
        let Some(mut watch) = self.watch.take() else { return };
        if let Some((spot, size)) = watch.take_unwritten() {
            let kind = FindingKind::UninitialisedRead;
            watch.add((kind, turn.pc, None), || Finding {
                piece: Some(self.piece(spot, size)),
                ..self.finding(kind, turn.pc, Some(thread_of(turn.block, turn.warp, lane)), String::new())
            });
        }
        self.watch = Some(watch);
    }

    /// Notes a fault of a lane, or one that PTX only permits, in a watched run.
    #[cold]
    pub(super) fn watch_fault(
        &mut self,
        turn: &Turn<'_>,
        lane: usize,
        class: FaultClass,
        may: bool,
        detail: &str,
    ) {
        let Some(mut watch) = self.watch.take() else { return };
        let kind = FindingKind::Fault { class, may };
        watch.add((kind, turn.pc, None), || {
            self.finding(kind, turn.pc, Some(thread_of(turn.block, turn.warp, lane)), detail.to_owned())
        });
        self.watch = Some(watch);
    }

    /// Notes that an operand of operation `pc` depends on bits that nobody has written, in a watched run; answers whether it is one.
    ///
    /// Only bits that come from memory or a register that nobody has written count, or from a lane that took no part in an exchange:
    /// a program may well branch on the clock, or on an approximation.
    #[cold]
    pub(super) fn watch_use(
        &mut self,
        (block, w, pc): (&BlockState, &Warp, u32),
        lane: usize,
        what: &str,
        (shade, origin): (&Shade, Origin),
    ) -> bool {
        let Some(mut watch) = self.watch.take() else { return false };
        let is_unwritten = match origin.meaning() {
            Some(Meaning::Unwritten { .. }) => true,
            Some(Meaning::MadeBy { op }) => matches!(
                self.code.ops[op as usize].code,
                Code::Load | Code::Atomic | Code::Surface | Code::Collective
            ),
            None => false,
        };
        if is_unwritten && shade.doubt.is_none() {
            let kind = FindingKind::UndefinedUse;
            watch.add((kind, pc, None), || {
                let detail = format!("{what} depends on undefined bits: {}", self.origin_text(origin));
                self.finding(kind, pc, Some(thread_of(block, w, lane)), detail)
            });
        }
        self.watch = Some(watch);
        true
    }

    /// Notes that what operation `pc` does is not specified, in a watched run. The thread is the first of those that execute it.
    #[cold]
    pub(super) fn watch_unspecified(&mut self, pc: u32, what: &str) {
        let Some(mut watch) = self.watch.take() else { return };
        let kind = FindingKind::Unspecified;
        let thread =
            watch.executing.map(|(block, number)| Thread { block, thread: self.thread_index(number) });
        watch.add((kind, pc, None), || self.finding(kind, pc, thread, what.to_owned()));
        self.watch = Some(watch);
    }

    /// Notes that a lane executes an aligned barrier, operation `pc`, without all of its warp, in a watched run; answers whether it is one.
    #[cold]
    pub(super) fn watch_divergence(
        &mut self,
        (block, w): (&BlockState, u32),
        lane: usize,
        pc: u32,
        detail: &str,
    ) -> bool {
        let Some(mut watch) = self.watch.take() else { return false };
        let kind = FindingKind::DivergentBarrier;
        watch.add((kind, pc, None), || {
            let thread = block.geometry.thread_index(w * 32 + lane as u32);
            let thread = Thread { block: block.geometry.block_index, thread };
            self.finding(kind, pc, Some(thread), detail.to_owned())
        });
        self.watch = Some(watch);
        true
    }

    /// Notes a missing wait, in a watched run.
    #[cold]
    pub(super) fn watch_hazard(&mut self, (w, mask): (&Warp, u32), pc: u32, earlier: u32, detail: &str) {
        let Some(mut watch) = self.watch.take() else { return };
        let kind = FindingKind::MissingWait;
        watch.add((kind, pc, Some(earlier)), || {
            let lane = mask.trailing_zeros().min(31);
            let thread = Thread { block: w.block_index, thread: self.thread_index(w.index * 32 + lane) };
            self.finding(kind, pc, Some(thread), detail.to_owned())
        });
        self.watch = Some(watch);
    }

    /// Notes the threads of a block that wait for ever, in a watched run.
    #[cold]
    pub(super) fn watch_deadlock(&mut self, block: &Block) {
        let Some(mut watch) = self.watch.take() else { return };
        let kind = FindingKind::Deadlock;
        for w in &block.warps {
            for group in &w.groups {
                let detail = match group.wait {
                    Wait::Ready => continue,
                    Wait::Barrier { id, .. } => format!("barrier {id} is never complete"),
                    Wait::Members => "other threads of its warp never come".into(),
                };
                for lane in lanes(group.mask & !w.dead) {
                    // A group at a barrier stands behind it.
                    let at_barrier = matches!(group.wait, Wait::Barrier { .. });
                    let pc = group.pc - u32::from(at_barrier && group.pc > 0);
                    watch.add((kind, pc, None), || {
                        self.finding(kind, pc, Some(thread_of(&block.state, w, lane)), detail.clone())
                    });
                }
            }
        }
        self.watch = Some(watch);
    }

    fn finding(&self, kind: FindingKind, pc: u32, thread: Option<Thread>, detail: String) -> Finding {
        Finding { kind, place: self.place_of(pc), thread, piece: None, earlier: None, detail, times: 1 }
    }

    fn place_of(&self, pc: u32) -> Place {
        let (instruction, line) = self.instruction_and_line(pc);
        Place { line, instruction }
    }

    fn earlier(&self, met: Met) -> Earlier {
        let thread = met.thread.and_then(|thread| Thread::of_number(self.launch, thread.into()));
        Earlier { wrote: met.wrote, thread, place: met.operation.map(|pc| self.place_of(pc)) }
    }

    fn piece(&self, spot: Spot, size: usize) -> Piece {
        let offset = spot.offset as u64;
        let (space, address, name) = match spot.region {
            Region::Shared => ("shared", offset, None),
            Region::Local => ("local", offset, None),
            Region::Param => ("param", offset, None),
            Region::Surface(index) => {
                ("texels", offset, Some(self.memory.surfaces[index as usize].name.clone()))
            }
            Region::Global(index) => {
                let memory = &self.memory.globals[index as usize];
                let space = if memory.constant { "const" } else { "global" };
                let variable = (index as usize).checked_sub(self.code.first_slot as usize);
                let variable = variable.and_then(|slot| self.code.globals.get(slot));
                let name = variable.map(|id| self.program.module().variables[id.0 as usize].name.clone());
                (space, memory.base.wrapping_add(offset), name)
            }
        };
        Piece { space, address, size: size as u32, name }
    }
}

fn thread_of(block: &BlockState, w: &Warp, lane: usize) -> Thread {
    let geometry = &block.geometry;
    Thread { block: geometry.block_index, thread: geometry.thread_index(w.index * 32 + lane as u32) }
}
