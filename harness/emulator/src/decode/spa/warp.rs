//! Operations across the lanes of a warp or the warps of a block: votes, shuffles, barriers and fences.

use warpdiff_sass::{Mnemonic as M, Operand};

use super::super::Decode;
use super::Spa;
use crate::operation::{BarrierKind, BarrierOp, Class, Code, Collective, CollectiveKind, Slot};

impl Spa<'_> {
    /// Votes, shuffles, barriers and fences.
    pub(super) fn warp(&mut self) -> Decode {
        match self.mnemonic() {
            M::VOTE => self.vote(),
            M::SHFL => self.shuffle(),
            M::BAR => self.barrier(),
            // `.CTA`, `.GL`, `.SYS`: for the block, the device, the system.
            M::MEMBAR => match self.modifier("scope") {
                scope @ 0..=2 => self.simple(Code::Fence, u32::from(scope)),
                _ => Err(self.unsupported()),
            },
            _ => Err(self.unsupported()),
        }
    }

    /// "VOTE.kind {Rd,} P, Pa": `Rd` is the ballot, a bit for each lane whose `Pa` is true; `P` is what the kind asks of them.
    fn vote(&mut self) -> Decode {
        let (register, p) = (self.register(0)?, self.predicate_destination(1)?);
        let source = self.predicate(2)?;
        let kind = match self.modifier("kind") {
            0 => CollectiveKind::VoteAll,
            1 => CollectiveKind::VoteAny,
            2 => CollectiveKind::VoteUni,
            _ => return Err(self.unsupported()),
        };
        let ballot = self.d.temporary(Class::Narrow);
        let answer = self.d.temporary(Class::Predicate);
        let d = self.stored(register);
        let of = |kind, destination| Collective {
            kind,
            destination: Some(destination),
            predicate: None,
            source,
            negated: false,
            lane: None,
            members: None,
        };
        if p != self.sinks.predicate {
            self.collective(of(kind, answer));
        }
        if let Some(d) = d {
            self.collective(of(CollectiveKind::Ballot, ballot));
            self.d.emit(Code::MovN, d.index, [ballot.index, 0, 0], 0);
        }
        if p != self.sinks.predicate {
            self.d.keep_guard(&[p.index]);
            self.d.emit(Code::MovP, p.index, [answer.index, 0, 0], 0);
        }
        Ok(())
    }

    /// "SHFL.kind P, Rd, Ra, Rb, Rc": what PTX's `shfl` is made of. `Rb` is the lane, `Rc` the clamp and the segments.
    fn shuffle(&mut self) -> Decode {
        let kind = match self.modifier("kind") {
            0 => CollectiveKind::ShuffleIndex,
            1 => CollectiveKind::ShuffleUp,
            2 => CollectiveKind::ShuffleDown,
            _ => CollectiveKind::ShuffleButterfly,
        };
        let p = self.predicate_destination(0)?;
        let (d, source) = (self.destination()?, self.source(2)?);
        let lane = Some((self.shuffle_operand(3)?, self.shuffle_operand(4)?));
        let got = self.d.temporary(Class::Narrow);
        let valid = self.d.temporary(Class::Predicate);
        self.collective(Collective {
            kind,
            destination: Some(got),
            predicate: Some(valid.index),
            source,
            negated: false,
            lane,
            members: None,
        });
        self.d.emit(Code::MovN, d.index, [got.index, 0, 0], 0);
        if p != self.sinks.predicate {
            self.d.keep_guard(&[p.index]);
            self.d.emit(Code::MovP, p.index, [valid.index, 0, 0], 0);
        }
        Ok(())
    }

    fn shuffle_operand(&mut self, n: usize) -> Decode<Slot> {
        match self.operand(n)? {
            Operand::Immediate(value) => Ok(self.d.constant(Class::Narrow, u64::from(value as u32))),
            _ => self.source(n),
        }
    }

    fn collective(&mut self, collective: Collective) {
        let x = self.d.out.collectives.len() as u32;
        self.d.out.collectives.push(collective);
        self.d.emit(Code::Collective, 0, [0; 3], x);
    }

    fn barrier(&mut self) -> Decode {
        let Operand::Immediate(number) = self.operand(0)? else {
            return Err(self.unsupported_because("this kind of operand"));
        };
        let id = self.d.constant(Class::Narrow, number as u64);
        let x = self.d.out.barriers.len() as u32;
        self.d.out.barriers.push(BarrierOp { id, count: None, kind: BarrierKind::Sync });
        self.simple(Code::Barrier, x)
    }
}
