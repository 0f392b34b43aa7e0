//! Tells an onlooker of each operation of a run, with its operands before and its results after.
//!
//! The loop over operations calls it in runs that are looked on alone, which are compiled as traced ones are.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_semantics::onlooker::{Executed, Row};

use super::Machine;
use super::block::BlockState;
use super::warp::{Group, Wait, Warp};
use crate::operation::Slot;
use crate::registers::{LANES, lanes};

/// What is known before an operation.
pub(super) struct Looking {
    pc: u32,
    active: u32,
    mask: u32,
    sources: Vec<Row>,
    /// Faults that were there already, and those that may be.
    faults: (usize, usize),
    /// The choices that other operations have consulted.
    consulted: ChoiceSet,
}

impl Machine<'_> {
    /// Keeps what an onlooker is to know of the operation that comes.
    pub(super) fn look(&mut self, w: &Warp, group: &Group) -> Option<Looking> {
        self.onlooker?;
        let op = &self.code.ops[group.pc as usize];
        let guard = op.guard.predicate();
        let is_on = guard.map_or(u32::MAX, |guard| w.registers.predicates[w.rows.p(guard)] ^ op.guard.flip());
        Some(Looking {
            pc: group.pc,
            active: group.mask,
            mask: group.mask & is_on,
            sources: self.sources(op).iter().map(|source| row(w, source.slot)).collect(),
            faults: (self.faults.len(), self.may_faults.len()),
            consulted: std::mem::take(&mut self.consulted.choices),
        })
    }

    /// Tells the onlooker what the operation did.
    pub(super) fn looked(&mut self, looking: Option<Looking>, block: &BlockState, w: &Warp, group: &Group) {
        let (Some(looking), Some(onlooker)) = (looking, self.onlooker) else { return };
        let consulted = self.consulted.choices;
        self.consulted.choices.extend(looking.consulted);
        let (at, mask) = (looking.pc as usize, looking.mask);
        let site = |at: usize| self.code.sites.get(at).map(|site| (site.function, site.instruction));
        let slots = self.destinations(&self.code.ops[at]);
        let is_open = |lane: usize| slots.iter().any(|slot| w.shade(*slot, lane).undefined != 0);
        onlooker.executed(&Executed {
            site: site(at).unwrap_or_default(),
            is_alone: site(at) != site(at + 1) && site(at) != site(at.wrapping_sub(1)),
            warp: block.thread(w.index, 0),
            live: w.live() | looking.active,
            active: looking.active,
            mask,
            sources: &looking.sources,
            results: &slots.iter().map(|slot| row(w, *slot)).collect::<Vec<_>>(),
            undefined: lanes(mask & w.live())
                .filter(|lane| is_open(*lane))
                .fold(0, |open, lane| open | 1 << lane),
            waits: group.wait != Wait::Ready,
            consulted,
            faults: &self.faults[looking.faults.0..],
            may_faults: &self.may_faults[looking.faults.1..],
        });
    }
}

/// The values of a register.
fn row(w: &Warp, slot: Slot) -> Row {
    let mut row = [0; LANES];
    row.iter_mut().enumerate().for_each(|(lane, value)| *value = w.value(slot, lane));
    row
}
