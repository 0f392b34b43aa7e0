//! What lanes of a warp do together (PTX ISA 9.7.9, 9.7.13): branches, shuffles, votes.

use warpdiff_model::Semantics;
use warpdiff_ptx::checked::{Instruction, Operand};
use warpdiff_ptx::vocabulary::{Modifier, Opcode};
use warpdiff_semantics::onlooker::Executed;
use warpdiff_semantics::shuffle::{Shuffle, source_lane};

use crate::ruling::{Ruling, Rulings};

/// What decides which lanes execute an instruction, whatever it is.
pub(crate) fn of_lanes(executed: &Executed<'_>, is_branch: bool) -> Rulings {
    let Executed { mask, active, live, .. } = *executed;
    let mut found = Rulings::default();
    found.when(active != live, Ruling::PartOfWarp);
    let (all, none, some) = match is_branch {
        true => (Some(Ruling::BranchTaken), Ruling::BranchNotTaken, Ruling::BranchDiverges),
        false => (None, Ruling::GuardOff, Ruling::GuardParts),
    };
    match mask {
        0 => found.insert(none),
        _ if mask == active => found.extend(all.into_iter().collect()),
        _ => found.insert(some),
    }
    found.when(executed.waits, Ruling::Waits);
    found
}

/// Whether a branch that some lane takes leads back.
pub(crate) fn is_back(instruction: &Instruction, executed: &Executed<'_>) -> bool {
    let target = instruction.operands.iter().find_map(|operand| match operand {
        Operand::Label(target) => Some(*target),
        _ => None,
    });
    executed.mask != 0 && target.is_some_and(|target| target <= executed.site.1)
}

/// What decides what a lane gets of a shuffle with these operands: the source, the lane and the clamp.
pub(crate) fn of_shuffle(instruction: &Instruction, lane: u32, operands: &[u64]) -> Rulings {
    let mut found = Rulings::default();
    let how = [
        (Modifier::Up, Shuffle::Up),
        (Modifier::Down, Shuffle::Down),
        (Modifier::Bfly, Shuffle::Butterfly),
        (Modifier::Idx, Shuffle::Index),
    ];
    let how = how.iter().find(|(modifier, _)| instruction.has(*modifier));
    let (Opcode::Shfl, Some((_, how)), [_, b, c, ..]) = (instruction.opcode, how, operands) else {
        return found;
    };
    let (_, is_inside) = source_lane(*how, lane, *b as u32, *c as u32, &Semantics::default());
    found.insert(if is_inside { Ruling::ShuffleInside } else { Ruling::ShuffleOutside });
    found
}

/// Whether the lanes that vote, match or reduce bring the same.
pub(crate) fn of_agreement(instruction: &Instruction, executed: &Executed<'_>) -> Rulings {
    let mut found = Rulings::default();
    let (Opcode::Vote | Opcode::Match | Opcode::Redux, Some(source)) =
        (instruction.opcode, executed.sources.first())
    else {
        return found;
    };
    let mut brought = (0..32).filter(|lane| executed.mask >> lane & 1 == 1).map(|lane| source[lane]);
    if let Some(first) = brought.next() {
        let agree = brought.all(|value| value == first);
        found.insert(if agree { Ruling::LanesAgree } else { Ruling::LanesDiffer });
    }
    found
}
