//! Operations across the lanes of a warp or the warps of a block: votes, shuffles, barriers and fences.

use warpdiff_sass::{Mnemonic as M, Operand};

use super::super::Decode;
use super::Spa;
use crate::operation::{BarrierKind, BarrierOp, Class, Code, Collective, Reduction, Slot};
use warpdiff_semantics::collective::CollectiveKind;

impl Spa<'_> {
    /// Votes, shuffles, barriers and fences.
    pub(super) fn warp(&mut self) -> Decode {
        match self.mnemonic() {
            M::VOTE => self.vote(),
            M::SHFL => self.shuffle(),
            M::BAR => self.barrier(),
            M::B2R => self.barrier_result(),
            // `.CTA`, `.GL`, `.SYS`: for the block, the device, the system. Caches that forget what they hold change no value.
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

    /// `BAR.SYNC`, `BAR.ARV`, `BAR.RED`: the barrier, and how many threads if not all of the block. Both may be in registers: in
    /// the same one, which then holds the number of threads in bits 27:16, or each alone. So ptxas 12.9 compiles `barrier a, b`.
    fn barrier(&mut self) -> Decode {
        let (id, count) = match (self.operand(0)?, self.operand(1)?) {
            (Operand::Register(id), Operand::Register(count)) => {
                if id != count {
                    return Err(self.unsupported_because("two registers"));
                }
                let both = self.read(id);
                (self.bits_of(both, 0, 16), Some(self.bits_of(both, 16, 12)))
            }
            (Operand::Register(id), Operand::Immediate(count)) => {
                let id = self.read(id);
                (self.bits_of(id, 0, 16), self.thread_count(count))
            }
            (Operand::Immediate(id), Operand::Register(count)) => {
                (self.d.constant(Class::Narrow, id as u64), Some(self.read(count)))
            }
            (Operand::Immediate(id), Operand::Immediate(count)) => {
                (self.d.constant(Class::Narrow, id as u64), self.thread_count(count))
            }
            _ => return Err(self.unsupported_because("this kind of operand")),
        };
        let kind = if self.is_fixed("SYNC") {
            BarrierKind::Sync
        } else if self.is_fixed("ARV") {
            BarrierKind::Arrive
        } else if self.is_fixed("RED") {
            self.reduction()?
        } else {
            return Err(self.unsupported_because("a barrier of another kind"));
        };
        // SPA 5.0 says nothing of warps that execute it in part.
        let x = self.d.out.barriers.len() as u32;
        self.d.out.barriers.push(BarrierOp { id, count, kind, aligned: false });
        self.simple(Code::Barrier, x)
    }

    /// 0 is all threads of the block.
    fn thread_count(&mut self, count: i64) -> Option<Slot> {
        (count != 0).then(|| self.d.constant(Class::Narrow, count as u64))
    }

    /// Bits of a register as a number.
    fn bits_of(&mut self, register: Slot, low: u64, width: u64) -> Slot {
        let shift = self.d.constant(Class::Narrow, low);
        let mask = self.d.constant(Class::Narrow, (1 << width) - 1);
        let shifted = self.computed(Code::ShrUN, [register.index, shift.index, 0]);
        self.computed(Code::AndN, [shifted.index, mask.index, 0])
    }

    /// `.POPC` counts the threads with a true predicate, `.AND` and `.OR` ask whether all have one, or any. `B2R.RESULT` reads what
    /// was found. What it gives as the count after `.AND` and `.OR`, and as the outcome after `.POPC`, is in no public source: it
    /// is undefined.
    fn reduction(&mut self) -> Decode<BarrierKind> {
        let source = self.predicate(2)?;
        let (how, destination, other) = match self.modifier("reduction") {
            0 => (Reduction::Count, self.reduced.count, self.reduced.outcome),
            1 => (Reduction::And, self.reduced.outcome, self.reduced.count),
            2 => (Reduction::Or, self.reduced.outcome, self.reduced.count),
            _ => return Err(self.unsupported()),
        };
        self.d.lane_partial(other, &[], |_| 0, |_, _| 0);
        Ok(BarrierKind::Reduce { how, source: source.index, negated: false, destination })
    }

    /// "B2R.RESULT Rd, P".
    fn barrier_result(&mut self) -> Decode {
        if !self.is_fixed("RESULT") {
            return Err(self.unsupported_because("the state of a barrier"));
        }
        let (register, p) = (self.register(0)?, self.predicate_destination(1)?);
        if let Some(d) = self.stored(register) {
            self.d.emit(Code::MovN, d.index, [self.reduced.count.index, 0, 0], 0);
        }
        if p != self.sinks.predicate {
            self.d.emit(Code::MovP, p.index, [self.reduced.outcome.index, 0, 0], 0);
        }
        Ok(())
    }
}
