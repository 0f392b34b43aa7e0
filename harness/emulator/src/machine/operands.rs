//! The registers that an operation reads and writes, for a recorder.

use super::Machine;
use crate::image_operation::SurfaceObject;
use crate::memory_operation::Destination;
use crate::operation::{BarrierKind, Class, Code, Op, Slot, Transfer};

/// A source of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) slot: Slot,
    /// Whether it decides which memory, surface or texture is accessed, and not what value is stored.
    pub(super) addresses: bool,
}

fn value(slot: Slot) -> Source {
    Source { slot, addresses: false }
}

fn address(slot: Slot) -> Source {
    Source { slot, addresses: true }
}

fn predicate(index: u32) -> Slot {
    Slot { class: Class::Predicate, index }
}

/// The register of a handle.
fn handle(object: SurfaceObject) -> Option<Source> {
    object.slot().map(address)
}

impl Machine<'_> {
    /// The sources of an operation besides its guard.
    pub(super) fn sources(&self, op: &Op) -> Vec<Source> {
        let x = op.x as usize;
        let code = self.code;
        match op.code {
            Code::Lane => code.lanes[x].sources.iter().copied().map(value).collect(),
            Code::Load => code.accesses[x].address.base.map(address).into_iter().collect(),
            Code::Store => {
                let access = &code.accesses[x];
                let stored = access.registers.iter().flatten().copied().map(value);
                stored.chain(access.address.base.map(address)).collect()
            }
            Code::Atomic => {
                let atomic = &code.atomics[x];
                let operands = [Some(value(atomic.b)), atomic.c.map(value), atomic.address.base.map(address)];
                operands.into_iter().flatten().collect()
            }
            Code::Surface => {
                let access = &code.surfaces[x];
                let places = access.coordinates.iter().copied().chain([access.layer]).flatten().map(address);
                let mut all: Vec<Source> = match access.action.atomic() {
                    None if access.action.is_load() => Vec::new(),
                    None => access.registers.iter().flatten().copied().map(value).collect(),
                    Some(atomic) => {
                        let atomic = &code.atomics[atomic as usize];
                        [Some(atomic.b), atomic.c].into_iter().flatten().map(value).collect()
                    }
                };
                all.extend(handle(access.object).into_iter().chain(places));
                all
            }
            Code::SurfaceQuery => handle(code.queries[x].object).into_iter().collect(),
            Code::Texture => {
                let lookup = &code.lookups[x];
                let objects = [handle(lookup.object), lookup.sampler.and_then(handle)];
                let places = lookup.coordinates.iter().copied().chain([lookup.layer]);
                let places = places.flatten().map(address);
                objects.into_iter().flatten().chain(places).chain(lookup.further().map(value)).collect()
            }
            Code::Collective => {
                let collective = &code.collectives[x];
                let lane = collective.lane.map_or([None; 2], |(lane, clamp)| [Some(lane), Some(clamp)]);
                let rest = lane.into_iter().chain([collective.members]).flatten();
                std::iter::once(collective.source).chain(rest).map(value).collect()
            }
            Code::Barrier => {
                let barrier = &code.barriers[x];
                let reduced = match barrier.kind {
                    BarrierKind::Reduce { source, .. } => Some(predicate(source)),
                    BarrierKind::Sync | BarrierKind::Arrive => None,
                };
                [Some(barrier.id), barrier.count, reduced].into_iter().flatten().map(value).collect()
            }
            Code::Call => code.calls[x].arguments.iter().filter_map(register).map(value).collect(),
            kind => {
                let operands = [op.a, op.b, op.c];
                let slots =
                    kind.sources().iter().zip(operands).map(|(class, index)| Slot { class: *class, index });
                slots.map(value).collect()
            }
        }
    }

    /// The registers that an operation writes in the frame in which it runs. A return writes none of these.
    pub(super) fn destinations(&self, op: &Op) -> Vec<Slot> {
        use Code as C;
        let x = op.x as usize;
        let code = self.code;
        let of = |class| vec![Slot { class, index: op.d }];
        match op.code {
            C::MovN | C::AddN | C::SubN | C::MulN | C::MadN | C::AndN | C::OrN | C::XorN | C::NotN => {
                of(Class::Narrow)
            }
            C::Add3N | C::ShlAddN | C::AddCarryN | C::XmadN => of(Class::Narrow),
            C::ShlN | C::ShrUN | C::ShrSN | C::MinUN | C::MaxUN | C::MinSN | C::MaxSN | C::SelN => {
                of(Class::Narrow)
            }
            C::TruncWN | C::AddF32 | C::SubF32 | C::MulF32 | C::FmaF32 | C::ActiveMask => of(Class::Narrow),
            C::MovW | C::AddW | C::SubW | C::MulW | C::MadW | C::AndW | C::OrW | C::XorW | C::NotW => {
                of(Class::Wide)
            }
            C::ShlW
            | C::ShrUW
            | C::ShrSW
            | C::SelW
            | C::MulWideU
            | C::MulWideS
            | C::MadWideU
            | C::MadWideS => of(Class::Wide),
            C::ZextNW | C::SextNW | C::AddF64 | C::SubF64 | C::MulF64 | C::FmaF64 | C::FrameAddress => {
                of(Class::Wide)
            }
            C::EqN | C::NeN | C::LtUN | C::LeUN | C::LtSN | C::LeSN | C::EqW | C::NeW | C::LtUW | C::LeUW => {
                of(Class::Predicate)
            }
            C::LtSW | C::LeSW | C::CarryN | C::MovP | C::AndP | C::OrP | C::XorP | C::NotP | C::PointsTo => {
                of(Class::Predicate)
            }
            C::Volatile => of(if op.a == 1 { Class::Wide } else { Class::Narrow }),
            C::Lane => vec![code.lanes[x].destination],
            C::Load => code.accesses[x].registers.iter().flatten().copied().collect(),
            C::Atomic => {
                let slots = code.atomics[x].destination.map_or([None; 2], Destination::slots);
                slots.into_iter().flatten().collect()
            }
            C::Surface if code.surfaces[x].action.is_load() => {
                code.surfaces[x].registers.iter().flatten().copied().collect()
            }
            C::Surface => code.returned(code.surfaces[x].action).into_iter().flatten().collect(),
            C::SurfaceQuery => vec![code.queries[x].destination],
            C::Texture => code.lookups[x].registers.iter().flatten().copied().collect(),
            C::Collective => {
                let collective = &code.collectives[x];
                collective.destination.into_iter().chain(collective.predicate.map(predicate)).collect()
            }
            C::Barrier => match code.barriers[x].kind {
                BarrierKind::Reduce { destination, .. } => vec![destination],
                BarrierKind::Sync | BarrierKind::Arrive => Vec::new(),
            },
            C::Store
            | C::Fence
            | C::WholeQuads
            | C::Branch
            | C::BranchTable
            | C::BranchToAddress
            | C::Push
            | C::Pop
            | C::Call
            | C::Return
            | C::Exit
            | C::Trap
            | C::WarpBarrier
            | C::Await
            | C::Signal
            | C::Nop => Vec::new(),
        }
    }

    /// The registers of the caller that the return to a call writes.
    pub(super) fn returned_registers(&self, call: u32) -> Vec<Slot> {
        let call = &self.code.calls[self.code.ops[call as usize].x as usize];
        call.returns.iter().filter_map(register).collect()
    }
}

fn register(transfer: &Transfer) -> Option<Slot> {
    match transfer {
        Transfer::Register(slot) => Some(*slot),
        Transfer::Frame { .. } => None,
    }
}

/// The register of a guard.
pub(super) fn guard_register(op: &Op) -> Option<Source> {
    op.guard.predicate().map(|index| value(predicate(index)))
}

/// Whether an operation decides by itself where its lanes go on.
pub(super) fn transfers_control(code: Code) -> bool {
    matches!(
        code,
        Code::Branch
            | Code::BranchTable
            | Code::BranchToAddress
            | Code::Pop
            | Code::Call
            | Code::Return
            | Code::Exit
            | Code::Trap
    )
}

/// Whether an operation is a function of registers.
pub(super) fn computes(code: Code) -> bool {
    !matches!(
        code,
        Code::Load
            | Code::Atomic
            | Code::Surface
            | Code::SurfaceQuery
            | Code::Texture
            | Code::Collective
            | Code::Barrier
            | Code::Call
    )
}
