//! Barriers, votes, shuffles and the other operations in which lanes meet.

use warpdiff_ptx::checked::Operand;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};

use super::{Decode, Decoder};
use crate::operation::{BarrierKind, BarrierOp, Class, Code, Collective, Reduction, Slot};
use warpdiff_semantics::collective::CollectiveKind;

/// First target with barriers that a part of a warp may execute.
const INDEPENDENT_LANES: u32 = 70;

impl Decoder<'_> {
    /// Operations in which lanes meet.
    pub(super) fn warp(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::Bar | Opcode::Barrier if self.has(Modifier::Warp) => {
                let members = self.source(0, Type::B32)?;
                self.emit(Code::WarpBarrier, 0, [members.index, 0, 0], 0);
                Ok(())
            }
            Opcode::Bar | Opcode::Barrier if self.has(Modifier::Cluster) => Err(self.unsupported()),
            Opcode::Bar | Opcode::Barrier => self.barrier(),
            Opcode::Activemask => {
                let d = self.destination(0, Type::B32)?;
                self.emit(Code::ActiveMask, d.index, [0; 3], 0);
                Ok(())
            }
            _ => self.collective(),
        }
    }

    fn barrier(&mut self) -> Decode {
        let count = self.instruction.operands.len();
        // "bar{.cta}.sync is equivalent to barrier{.cta}.sync.aligned"; below sm_70 there are no others.
        let aligned = self.instruction.opcode == Opcode::Bar
            || self.has(Modifier::Aligned)
            || self.module.target < INDEPENDENT_LANES;
        let op = if self.has(Modifier::Red) {
            let reduce_count = self.has(Modifier::Popc);
            let ty = if reduce_count { Type::U32 } else { Type::Pred };
            let destination = self.destination(0, ty)?;
            let (source, negated) = self.vote_source(count.saturating_sub(1))?;
            let how = match () {
                () if reduce_count => Reduction::Count,
                () if self.has(Modifier::And) => Reduction::And,
                () => Reduction::Or,
            };
            BarrierOp {
                id: self.source(1, Type::U32)?,
                count: if count == 4 { Some(self.source(2, Type::U32)?) } else { None },
                kind: BarrierKind::Reduce { how, source: source.index, negated, destination },
                aligned,
            }
        } else {
            let arrive = self.has(Modifier::Arrive);
            BarrierOp {
                id: self.source(0, Type::U32)?,
                count: if count > 1 { Some(self.source(1, Type::U32)?) } else { None },
                kind: if arrive { BarrierKind::Arrive } else { BarrierKind::Sync },
                aligned,
            }
        };
        let x = self.out.barriers.len() as u32;
        self.out.barriers.push(op);
        self.emit(Code::Barrier, 0, [0; 3], x);
        Ok(())
    }

    /// A predicate source and whether it is negated.
    fn vote_source(&mut self, n: usize) -> Decode<(Slot, bool)> {
        match self.operand(n)? {
            Operand::Register { id, negated } => Ok((self.register(*id), *negated)),
            _ => Ok((self.source(n, Type::Pred)?, false)),
        }
    }

    fn collective(&mut self) -> Decode {
        let x = self.out.collectives.len() as u32;
        let collective = match self.instruction.opcode {
            Opcode::Vote => self.vote()?,
            Opcode::Shfl => self.shuffle()?,
            Opcode::Match => self.matching()?,
            _ => self.redux()?,
        };
        self.out.collectives.push(collective);
        self.emit(Code::Collective, 0, [0; 3], x);
        Ok(())
    }

    fn members(&mut self, n: usize) -> Decode<Option<Slot>> {
        if self.has(Modifier::Sync) { self.source(n, Type::B32).map(Some) } else { Ok(None) }
    }

    fn vote(&mut self) -> Decode<Collective> {
        let (kind, ty) = match () {
            () if self.has(Modifier::Ballot) => (CollectiveKind::Ballot, Type::B32),
            () if self.has(Modifier::All) => (CollectiveKind::VoteAll, Type::Pred),
            () if self.has(Modifier::Any) => (CollectiveKind::VoteAny, Type::Pred),
            () if self.has(Modifier::Uni) => (CollectiveKind::VoteUni, Type::Pred),
            () => return Err(self.unsupported()),
        };
        let destination = Some(self.destination(0, ty)?);
        let (source, negated) = self.vote_source(1)?;
        let members = self.members(2)?;
        Ok(Collective { kind, destination, predicate: None, source, negated, lane: None, members })
    }

    /// `d` or `d|p`.
    fn paired(&mut self, ty: Type) -> Decode<(Option<Slot>, Option<u32>)> {
        match self.operand(0)? {
            Operand::Pair(d, p) => {
                let d = match **d {
                    Operand::Sink => None,
                    ref other => Some(self.destination_operand(other, ty)?),
                };
                let p = match **p {
                    Operand::Sink => None,
                    ref other => Some(self.destination_operand(other, Type::Pred)?.index),
                };
                Ok((d, p))
            }
            Operand::Sink => Ok((None, None)),
            other => Ok((Some(self.destination_operand(other, ty)?), None)),
        }
    }

    fn shuffle(&mut self) -> Decode<Collective> {
        let kind = match () {
            () if self.has(Modifier::Up) => CollectiveKind::ShuffleUp,
            () if self.has(Modifier::Down) => CollectiveKind::ShuffleDown,
            () if self.has(Modifier::Bfly) => CollectiveKind::ShuffleButterfly,
            () if self.has(Modifier::Idx) => CollectiveKind::ShuffleIndex,
            () => return Err(self.unsupported()),
        };
        let (destination, predicate) = self.paired(Type::B32)?;
        let source = self.source(1, Type::B32)?;
        let lane = Some((self.source(2, Type::U32)?, self.source(3, Type::U32)?));
        let members = self.members(4)?;
        Ok(Collective { kind, destination, predicate, source, negated: false, lane, members })
    }

    fn matching(&mut self) -> Decode<Collective> {
        let kind = if self.has(Modifier::All) { CollectiveKind::MatchAll } else { CollectiveKind::MatchAny };
        let ty = self.ty(0)?;
        let (destination, predicate) = self.paired(Type::B32)?;
        let source = self.source(1, ty)?;
        let members = Some(self.source(2, Type::B32)?);
        Ok(Collective { kind, destination, predicate, source, negated: false, lane: None, members })
    }

    fn redux(&mut self) -> Decode<Collective> {
        let ty = self.ty(0)?;
        let kind = match (ty.is_signed(), ()) {
            _ if ty.is_float() => return Err(self.unsupported()),
            _ if self.has(Modifier::Add) => CollectiveKind::ReduceAdd,
            (true, ()) if self.has(Modifier::Min) => CollectiveKind::ReduceMinS,
            (true, ()) if self.has(Modifier::Max) => CollectiveKind::ReduceMaxS,
            _ if self.has(Modifier::Min) => CollectiveKind::ReduceMinU,
            _ if self.has(Modifier::Max) => CollectiveKind::ReduceMaxU,
            _ if self.has(Modifier::And) => CollectiveKind::ReduceAnd,
            _ if self.has(Modifier::Or) => CollectiveKind::ReduceOr,
            _ if self.has(Modifier::Xor) => CollectiveKind::ReduceXor,
            _ => return Err(self.unsupported()),
        };
        let destination = Some(self.destination(0, ty)?);
        debug_assert!(destination.is_none_or(|slot| slot.class == Class::Narrow));
        let source = self.source(1, ty)?;
        let members = Some(self.source(2, Type::B32)?);
        Ok(Collective { kind, destination, predicate: None, source, negated: false, lane: None, members })
    }
}
