//! Votes, shuffles, matches and reductions across a warp.

use super::lanes::Row;
use super::turn::{Next, Turn};
use super::warp::Warp;
use super::warp_sync::{Seat, each_party};
use super::{Machine, Tracking};
use crate::operation::{Class, Collective, Slot};
use crate::registers::{LANES, Origin, Shade, lanes, lanes_where};
use warpdiff_model::{Deviation, Semantics};
use warpdiff_semantics::collective::{CollectiveKind, combined};
use warpdiff_semantics::shuffle::{Shuffle, source_lane};

/// The values and shadows that the lanes bring.
struct Brought {
    values: [u64; LANES],
    shades: [Shade; LANES],
}

/// What a lane gets.
#[derive(Clone, Copy)]
struct Got {
    value: u64,
    shade: Shade,
    /// The predicate of `shfl` and `match.all`.
    valid: bool,
    valid_shade: Shade,
}

impl Machine<'_> {
    /// Executes a vote, shuffle, match or reduction.
    pub(super) fn collective<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let code = self.code;
        let op = &code.collectives[turn.op.x as usize];
        // Without a member mask all active lanes take part.
        let members = match op.members {
            None => Some([turn.mask; LANES]),
            Some(slot) => self.members_of::<T>(turn, slot),
        };
        let Some(members) = members else { return Next::Regroup };
        if op.members.is_some() && !Self::all_there(turn.warp, turn.mask, &members) {
            return Self::await_members(turn);
        }
        let seat = Seat { pc: turn.pc, rows: turn.warp.rows };
        self.exchange::<T>(turn.warp, turn.mask, &members, &[seat; LANES]);
        Next::Go
    }

    /// The lanes `mask`, each at its seat, exchange their values. Only `bar.warp.sync` orders memory accesses; this does
    /// not.
    pub(super) fn exchange<T: Tracking>(
        &mut self,
        w: &mut Warp,
        mask: u32,
        members: &[u32; LANES],
        seats: &[Seat; LANES],
    ) {
        let (code, semantics) = (self.code, self.semantics);
        let op_at = |lane: usize| &code.collectives[code.ops[seats[lane].pc as usize].x as usize];
        // What lanes that do not take part bring is as undefined as what nothing has written.
        let first = seats[mask.trailing_zeros() as usize].pc << 5 | 1 << 29;
        let unwritten = std::array::from_fn(|lane| u64::from(self.unwritten.word(first | lane as u32)));
        let mut brought = Brought { values: unwritten, shades: [Shade::CLEAN; LANES] };
        for lane in lanes(mask) {
            let op = op_at(lane);
            let row = seats[lane].rows.row(op.source);
            let value = w.registers.get(op.source.class, row, lane);
            brought.values[lane] = value ^ u64::from(op.negated);
            if T::ON {
                let mut shade = w.registers.shade(op.source.class, row, lane);
                if shade.undefined != 0 && shade.origin == Origin::NONE {
                    shade.origin = Origin::unwritten(seats[lane].pc, 0);
                }
                shade.record = 0;
                brought.shades[lane] = shade;
            }
        }
        let nothing = Got { value: 0, shade: Shade::CLEAN, valid: false, valid_shade: Shade::CLEAN };
        let mut got = [nothing; LANES];
        each_party(mask, members, |named, party| {
            let first = party.trailing_zeros() as usize;
            let (op, pc) = (op_at(first), seats[first].pc);
            let taking_part = if op.members.is_some() { party & named } else { party };
            if op.lane.is_some() {
                for lane in lanes(taking_part) {
                    got[lane] =
                        shuffled::<T>(w, &semantics, op_at(lane), seats[lane], lane, taking_part, &brought);
                }
            } else if taking_part != 0 {
                gather::<T>(op.kind, taking_part, &brought, pc, &semantics, &mut got);
            }
            for lane in lanes(party & !taking_part) {
                got[lane] = not_a_member(&brought, seats[lane].pc, lane);
            }
        });
        // The instructions without .sync act on whatever lanes happen to be converged.
        if T::ON && w.diverged && op_at(mask.trailing_zeros() as usize).members.is_none() {
            for lane in lanes(mask) {
                got[lane].shade.unordered = u64::MAX;
                got[lane].valid_shade.unordered = u64::MAX;
            }
        }
        if w.index != 0 && !semantics.is_specification() && semantics.has(Deviation::CollectiveFirstWarp) {
            return;
        }
        for lane in lanes(mask) {
            let (op, rows) = (op_at(lane), seats[lane].rows);
            if let Some(slot) = op.destination {
                put::<T>(w, (slot.class, rows.row(slot)), lane, got[lane].value, got[lane].shade);
            }
            if let Some(index) = op.predicate {
                let row = (Class::Predicate, rows.p(index));
                put::<T>(w, row, lane, u64::from(got[lane].valid), got[lane].valid_shade);
            }
        }
        if T::ON {
            for lane in lanes(mask) {
                if lane > 0 && mask >> (lane - 1) & 1 == 1 && seats[lane - 1] == seats[lane] {
                    continue;
                }
                let (op, rows) = (op_at(lane), seats[lane].rows);
                let predicate = op.predicate.map(|index| Slot { class: Class::Predicate, index });
                for slot in [op.destination, predicate].into_iter().flatten() {
                    w.registers.refresh(slot.class, rows.row(slot), w.dead);
                }
            }
        }
    }
}

/// Writes what a lane got.
fn put<T: Tracking>(w: &mut Warp, (class, row): Row, lane: usize, value: u64, shade: Shade) {
    w.registers.set(class, row, lane, value);
    if T::ON {
        w.registers.set_shade(class, row, lane, shade);
    }
}

/// "The behavior of the instruction is undefined if the executing thread is not in the membermask": of vote, shuffle, match
/// and redux alike. The lane keeps its own value, undefined.
fn not_a_member(brought: &Brought, pc: u32, lane: usize) -> Got {
    let shade = Shade { undefined: u64::MAX, origin: Origin::made_by(pc), ..Shade::CLEAN };
    Got { value: brought.values[lane], shade, valid: false, valid_shade: shade }
}

/// `shfl`. The result is undefined when the source lane is inactive or no member.
fn shuffled<T: Tracking>(
    w: &Warp,
    semantics: &Semantics,
    op: &Collective,
    seat: Seat,
    lane: usize,
    taking_part: u32,
    brought: &Brought,
) -> Got {
    let Some((lane_slot, clamp_slot)) = op.lane else { return not_a_member(brought, seat.pc, lane) };
    let read = |slot: Slot| w.registers.get(slot.class, seat.rows.row(slot), lane) as u32;
    let how = match op.kind {
        CollectiveKind::ShuffleUp => Shuffle::Up,
        CollectiveKind::ShuffleDown => Shuffle::Down,
        CollectiveKind::ShuffleButterfly => Shuffle::Butterfly,
        _ => Shuffle::Index,
    };
    let (source, valid) = source_lane(how, lane as u32, read(lane_slot), read(clamp_slot), semantics);
    let mut result = brought.shades[source];
    let mut predicate = Shade::CLEAN;
    if T::ON {
        let operand =
            [lane_slot, clamp_slot].map(|slot| w.registers.shade(slot.class, seat.rows.row(slot), lane));
        if let Some(bad) = operand.iter().find(|shade| shade.undefined != 0) {
            result = Shade { undefined: u64::MAX, doubt: bad.doubt.of_part(), ..*bad };
            predicate = result;
        } else if operand.iter().any(|shade| shade.unordered | shade.unfixed != 0) {
            result.unordered = u64::MAX;
            result.doubt = result.doubt.of_part();
            predicate.unordered = 1;
        }
        if taking_part >> source & 1 == 0 {
            result = Shade { undefined: u64::MAX, origin: Origin::made_by(seat.pc), ..Shade::CLEAN };
        }
    }
    Got { value: brought.values[source], shade: result, valid, valid_shade: predicate }
}

/// A vote, match or reduction of the lanes `same`.
fn gather<T: Tracking>(
    kind: CollectiveKind,
    same: u32,
    brought: &Brought,
    pc: u32,
    semantics: &Semantics,
    got: &mut [Got; LANES],
) {
    let shade = if T::ON { gathered_shade(kind, same, brought, pc) } else { Shade::CLEAN };
    let equal_to = |lane: usize| lanes_where(same, |other| brought.values[other] == brought.values[lane]);
    let common = combined(kind, same, &brought.values, semantics);
    for lane in lanes(same) {
        let (value, valid) = match kind {
            CollectiveKind::MatchAny => (u64::from(equal_to(lane)), true),
            CollectiveKind::MatchAll => {
                let all = equal_to(lane) == same;
                (if all { u64::from(same) } else { 0 }, all)
            }
            _ => (common, true),
        };
        got[lane] = Got { value, shade, valid, valid_shade: shade };
    }
}

/// The shadow of a vote, match or reduction: a ballot bit is as undefined as its lane's predicate; a vote is decided by
/// one defined predicate of the deciding kind; bitwise reductions go bit by bit; everything else is all or nothing.
fn gathered_shade(kind: CollectiveKind, same: u32, brought: &Brought, pc: u32) -> Shade {
    let of = |hidden: &dyn Fn(&Shade) -> u64| -> u64 {
        let any = lanes(same).fold(0, |all, lane| all | hidden(&brought.shades[lane]));
        if any == 0 {
            return 0;
        }
        let decided = |wanted: u64| {
            lanes(same)
                .any(|lane| hidden(&brought.shades[lane]) & 1 == 0 && brought.values[lane] & 1 == wanted)
        };
        match kind {
            CollectiveKind::Ballot => {
                lanes(same).fold(0, |all, lane| all | (hidden(&brought.shades[lane]) & 1) << lane)
            }
            CollectiveKind::VoteAll if decided(0) => 0,
            CollectiveKind::VoteAny if decided(1) => 0,
            CollectiveKind::VoteUni if decided(0) && decided(1) => 0,
            CollectiveKind::ReduceXor => any,
            CollectiveKind::ReduceAnd | CollectiveKind::ReduceOr => {
                // A defined 0 decides an and, a defined 1 an or.
                let absorbing = |value: u64| if kind == CollectiveKind::ReduceOr { value } else { !value };
                let fixed = lanes(same).fold(0, |all, lane| {
                    all | absorbing(brought.values[lane]) & !hidden(&brought.shades[lane])
                });
                any & !fixed
            }
            _ => u64::MAX,
        }
    };
    let undefined = of(&|shade| shade.undefined);
    let unordered = of(&|shade| shade.unordered);
    let origins = lanes(same).map(|lane| brought.shades[lane]).filter(|shade| shade.undefined != 0);
    let origin = if undefined == 0 {
        Origin::NONE
    } else {
        origins.map(|shade| shade.origin).next().unwrap_or(Origin::made_by(pc))
    };
    let unfixed = of(&|shade| shade.unfixed);
    Shade { undefined, unordered, unfixed, origin, ..Shade::CLEAN }
}
