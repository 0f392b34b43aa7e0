//! Votes, shuffles, matches and reductions across a warp.

use super::execute::Next;
use super::warp::{Group, Warp};
use super::{Machine, Tracking};
use crate::operation::{Class, Collective, CollectiveKind, Slot};
use crate::registers::{LANES, Origin, Shade, UNDEFINED, lanes};

/// The values and shadows that the lanes bring.
struct Brought {
    values: [u64; LANES],
    shades: [Shade; LANES],
}

impl Machine<'_> {
    /// Executes a vote, shuffle, match or reduction.
    pub(super) fn collective<T: Tracking>(
        &mut self,
        w: &mut Warp,
        group: &mut Group,
        mask: u32,
        x: u32,
        pc: u32,
    ) -> Next {
        let code = self.code;
        let op = &code.collectives[x as usize];
        let Some(members_of) = self.members::<T>(w, op, mask, pc) else { return Next::Regroup };
        let members = lanes(mask).fold(0, |all, lane| all | members_of[lane]);
        if op.members.is_some() && !self.gathered(w, group, members, pc) {
            return Next::Regroup;
        }
        let row = w.rows.row(op.source);
        let mut brought = Brought { values: [0; LANES], shades: [Shade::CLEAN; LANES] };
        for lane in lanes(mask) {
            let value = w.registers.get(op.source.class, row, lane);
            brought.values[lane] = value ^ u64::from(op.negated);
            if T::ON {
                let mut shade = w.registers.shade(op.source.class, row, lane);
                if shade.undefined != 0 && shade.origin == Origin::NONE {
                    shade.origin = Origin::unwritten(pc, 0);
                }
                shade.record = 0;
                brought.shades[lane] = shade;
            }
        }
        let shuffles = matches!(
            op.kind,
            CollectiveKind::ShuffleUp
                | CollectiveKind::ShuffleDown
                | CollectiveKind::ShuffleButterfly
                | CollectiveKind::ShuffleIndex
        );
        if shuffles {
            self.shuffle::<T>(w, op, mask, &members_of, &brought, pc);
        } else {
            // Lanes with the same member mask act together.
            let mut left = mask;
            while left != 0 {
                let members = members_of[left.trailing_zeros() as usize];
                let same = lanes(left)
                    .filter(|lane| members_of[*lane] == members)
                    .fold(0, |all, lane| all | 1u32 << lane);
                left &= !same;
                gather::<T>(w, op, same, &brought, pc);
            }
        }
        // Only `bar.warp.sync` orders memory accesses; these operations do not.
        let predicate = op.predicate.map(|index| Slot { class: Class::Predicate, index });
        self.refresh::<T>(w, &[op.destination, predicate]);
        Next::Go
    }

    /// The member mask of each lane; all active lanes without one. `None` when it is undefined.
    fn members<T: Tracking>(
        &mut self,
        w: &Warp,
        op: &Collective,
        mask: u32,
        pc: u32,
    ) -> Option<[u32; LANES]> {
        let Some(slot) = op.members else { return Some([mask; LANES]) };
        let row = w.rows.row(slot);
        if T::ON
            && w.registers.dirt(slot.class, row) & UNDEFINED != 0
            && !self.operand_defined(w, slot, mask, pc, "the member mask", 0)
        {
            return None;
        }
        Some(w.registers.narrow[row])
    }

    /// `shfl`. The result is undefined when the source lane is inactive, or the executing lane not a member.
    fn shuffle<T: Tracking>(
        &mut self,
        w: &mut Warp,
        op: &Collective,
        mask: u32,
        members: &[u32; LANES],
        brought: &Brought,
        pc: u32,
    ) {
        let Some((lane_slot, clamp_slot)) = op.lane else { return };
        let read =
            |w: &Warp, slot: Slot, lane: usize| w.registers.get(slot.class, w.rows.row(slot), lane) as u32;
        let shade = |w: &Warp, slot: Slot, lane: usize| w.registers.shade(slot.class, w.rows.row(slot), lane);
        let mut results = [(0u64, false, Shade::CLEAN, Shade::CLEAN); LANES];
        for lane in lanes(mask) {
            let (b, c) = (read(w, lane_slot, lane), read(w, clamp_slot, lane));
            let (source, valid) = source_lane(op.kind, lane as u32, b, c);
            let mut result = brought.shades[source];
            let mut predicate = Shade::CLEAN;
            if T::ON {
                let operand = [shade(w, lane_slot, lane), shade(w, clamp_slot, lane)];
                if let Some(bad) = operand.iter().find(|shade| shade.undefined != 0) {
                    result = Shade { undefined: u64::MAX, ..*bad };
                    predicate = result;
                } else if operand.iter().any(|shade| shade.unordered != 0) {
                    result.unordered = u64::MAX;
                    predicate.unordered = 1;
                }
                let active = mask >> source & 1 == 1 && members[lane] >> source & 1 == 1;
                if !active || members[lane] >> lane & 1 == 0 {
                    result = Shade { undefined: u64::MAX, origin: Origin::made_by(pc), ..Shade::CLEAN };
                }
            }
            results[lane] = (brought.values[source], valid, result, predicate);
        }
        for lane in lanes(mask) {
            let (value, valid, shade, predicate_shade) = results[lane];
            if let Some(slot) = op.destination {
                let row = w.rows.row(slot);
                w.registers.set(slot.class, row, lane, value);
                if T::ON {
                    w.registers.set_shade(slot.class, row, lane, shade);
                }
            }
            if let Some(predicate) = op.predicate {
                let row = w.rows.p(predicate);
                w.registers.set(Class::Predicate, row, lane, u64::from(valid));
                if T::ON {
                    w.registers.set_shade(Class::Predicate, row, lane, predicate_shade);
                }
            }
        }
    }
}

/// The source lane of a shuffle, and whether it is in range (PTX ISA 9.7.9, `shfl`).
fn source_lane(kind: CollectiveKind, lane: u32, b: u32, c: u32) -> (usize, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let max_lane = lane & segment | clamp & !segment;
    let min_lane = lane & segment;
    let (j, valid) = match kind {
        CollectiveKind::ShuffleUp => {
            let j = lane as i32 - b as i32;
            (j as u32, j >= max_lane as i32)
        }
        CollectiveKind::ShuffleDown => (lane + b, lane + b <= max_lane),
        CollectiveKind::ShuffleButterfly => (lane ^ b, lane ^ b <= max_lane),
        _ => {
            let j = min_lane | b & !segment;
            (j, j <= max_lane)
        }
    };
    if valid { ((j & 31) as usize, true) } else { (lane as usize, false) }
}

/// Votes, matches and reductions of the lanes `same`.
fn gather<T: Tracking>(w: &mut Warp, op: &Collective, same: u32, brought: &Brought, pc: u32) {
    let values = || lanes(same).map(|lane| brought.values[lane]);
    let ballot =
        lanes(same).filter(|lane| brought.values[*lane] & 1 == 1).fold(0u32, |all, lane| all | 1 << lane);
    let signed = |value: u64| value as u32 as i32;
    let equal_to = |lane: usize| {
        lanes(same)
            .filter(|other| brought.values[*other] == brought.values[lane])
            .fold(0u32, |all, other| all | 1 << other)
    };
    let shade = if T::ON { gathered_shade(op.kind, same, brought, pc) } else { Shade::CLEAN };
    for lane in lanes(same) {
        let (value, valid) = match op.kind {
            CollectiveKind::VoteAll => (u64::from(ballot == same), true),
            CollectiveKind::VoteAny => (u64::from(ballot != 0), true),
            CollectiveKind::VoteUni => (u64::from(ballot == 0 || ballot == same), true),
            CollectiveKind::Ballot => (u64::from(ballot), true),
            CollectiveKind::MatchAny => (u64::from(equal_to(lane)), true),
            CollectiveKind::MatchAll => {
                let all = equal_to(lane) == same;
                (if all { u64::from(same) } else { 0 }, all)
            }
            CollectiveKind::ReduceAdd => (values().fold(0, |a, b| (a + b) & 0xFFFF_FFFF), true),
            CollectiveKind::ReduceMinU => (values().min().unwrap_or(0), true),
            CollectiveKind::ReduceMaxU => (values().max().unwrap_or(0), true),
            CollectiveKind::ReduceMinS => (values().min_by_key(|v| signed(*v)).unwrap_or(0), true),
            CollectiveKind::ReduceMaxS => (values().max_by_key(|v| signed(*v)).unwrap_or(0), true),
            CollectiveKind::ReduceAnd => (values().fold(u64::MAX, |a, b| a & b), true),
            CollectiveKind::ReduceOr => (values().fold(0, |a, b| a | b), true),
            // Shuffles do not come here.
            _ => (values().fold(0, |a, b| a ^ b), true),
        };
        if let Some(slot) = op.destination {
            let row = w.rows.row(slot);
            w.registers.set(slot.class, row, lane, value);
            if T::ON {
                w.registers.set_shade(slot.class, row, lane, shade);
            }
        }
        if let Some(predicate) = op.predicate {
            let row = w.rows.p(predicate);
            w.registers.set(Class::Predicate, row, lane, u64::from(valid));
            if T::ON {
                w.registers.set_shade(Class::Predicate, row, lane, shade);
            }
        }
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
    Shade { undefined, unordered, origin, record: 0 }
}
