//! Whether a schedule is sound on every path: whether no instruction can meet a register that another still writes or reads.
//!
//! Where that is certain, a run has nothing to check: with all waits in place, what an instruction starts might as well be done at once.
//! The rules are those of [`crate::machine`]'s scoreboard, followed along all paths that a thread may take. Where paths join, a register is
//! under way if it is on one of them. In doubt a schedule is not sound, and the run checks it.

use warpdiff_sass::condition_code::TRUE;
use warpdiff_sass::form::OperandField;
use warpdiff_sass::mnemonic::Subject;
use warpdiff_sass::{Guard, Mnemonic as M, Operand, Program};

use crate::operation::{Class, Slot};
use crate::schedule::{Duty, Queue, Schedule};

/// Visits of a statement, on average, after which the answer is no.
const VISITS: usize = 64;

/// A register that an instruction still writes or reads after it.
struct UnderWay {
    slot: Slot,
    /// Whether it is written; else it is read.
    is_result: bool,
    /// The barriers that can be waited on, one bit each.
    barriers: u8,
    queue: Option<Queue>,
    /// [`Schedule::is_covered`].
    is_covered: bool,
    reads_in_order: bool,
}

/// What is under way at a statement, by ascending number: the number of an [`UnderWay`], and the barriers that later instructions signal
/// behind which it is done in its order, whatever the path: a bit each.
type State = Vec<(u32, u8)>;

/// Whether no thread can meet a register that is under way. `schedules` has one entry for each statement, or none.
pub(super) fn is_sound(program: &Program, schedules: &[Schedule]) -> bool {
    let count = schedules.len();
    let paths = Paths::of(program);
    let mut all = Vec::new();
    let started: Vec<Vec<u32>> =
        (0..count).map(|number| begun_by(program, number, &schedules[number], &mut all)).collect();
    let mut states: Vec<Option<State>> = vec![None; count];
    let mut next = Vec::new();
    if let Some(first) = states.first_mut() {
        *first = Some(State::new());
        next.push(0);
    }
    let mut visits = VISITS * count;
    while let Some(number) = next.pop() {
        let Some(left) = visits.checked_sub(1) else { return false };
        visits = left;
        let before = states[number].clone().unwrap_or_default();
        let Some(after) = step(before, &schedules[number], &started[number], &all) else { return false };
        for successor in paths.from(program, number) {
            let Some(state) = states.get_mut(successor) else { continue };
            let is_new = match state {
                None => {
                    *state = Some(after.clone());
                    true
                }
                Some(state) => join(state, &after),
            };
            if is_new && !next.contains(&successor) {
                next.push(successor);
            }
        }
    }
    true
}

/// What the statement leaves under way, added to `all`; the numbers there.
fn begun_by(program: &Program, number: usize, schedule: &Schedule, all: &mut Vec<UnderWay>) -> Vec<u32> {
    if schedule.duty == Duty::Fixed || schedule.guard.is_none() {
        return Vec::new();
    }
    let bit = |barrier: Option<u8>| barrier.map_or(0, |barrier| 1u8 << barrier);
    let of_results = bit(schedule.write_barrier);
    let of_sources = of_results | bit(schedule.read_barrier);
    let first = all.len() as u32;
    let (queue, reads_in_order) = (schedule.queue, schedule.reads_in_order);
    let mut add = |slot, is_result, barriers| {
        all.push(UnderWay {
            slot,
            is_result,
            barriers,
            queue,
            is_covered: schedule.is_covered,
            reads_in_order,
        });
    };
    schedule.writes.iter().for_each(|slot| add(*slot, true, of_results));
    let accesses = program.statements[number].instruction.form.traits.access.is_some();
    if accesses || schedule.looks_up {
        schedule.reads.iter().for_each(|slot| add(*slot, false, of_sources));
    }
    (first..all.len() as u32).collect()
}

/// What is under way after a statement; `None` if it may meet something of that.
fn step(mut state: State, schedule: &Schedule, started: &[u32], all: &[UnderWay]) -> Option<State> {
    let of = |number: u32| &all[number as usize];
    let partly = schedule.leaving.filter(|(_, most)| *most == 0).map_or(0, |(barrier, _)| 1 << barrier);
    let waits = schedule.waits | partly;
    state.retain(|(number, behind)| (of(*number).barriers | behind) & waits == 0);
    if schedule.drains {
        state.retain(|(number, _)| of(*number).is_result);
    }
    let Some(guard) = schedule.guard else { return Some(state) };
    let guard = guard.predicate().map(|index| Slot { class: Class::Predicate, index });
    let reads = |slot: Slot| guard == Some(slot) || schedule.reads.contains(&slot);
    if state.iter().any(|(number, _)| of(*number).is_result && reads(of(*number).slot)) {
        return None;
    }
    let is_in_order = |it: &UnderWay| match it.is_result {
        true => it.queue.is_some() && it.queue == schedule.queue,
        false => it.reads_in_order && schedule.reads_in_order,
    };
    // What is done before this instruction in its order, because it writes the same register.
    let is_written = |it: &UnderWay| schedule.writes.contains(&it.slot);
    if state.iter().any(|(number, _)| is_written(of(*number)) && !is_in_order(of(*number))) {
        return None;
    }
    let gone = state.iter().map(|(number, _)| of(*number)).filter(|it| is_written(it));
    let no_longer = gone.fold(0, |all, it| all | it.barriers);
    state.iter_mut().for_each(|(_, behind)| *behind &= !no_longer);
    if guard.is_none() {
        state.retain(|(number, _)| !is_written(of(*number)));
    }
    let signalled = started.iter().fold(0, |all, number| all | of(*number).barriers);
    // That sources have been read says nothing of results.
    let of_results = schedule.write_barrier.map_or(0, |barrier| 1u8 << barrier) & signalled;
    for (number, behind) in &mut state {
        let it = of(*number);
        if is_in_order(it) && (!it.is_result || it.is_covered) {
            *behind |= if it.is_result { of_results } else { signalled };
        }
    }
    for number in started {
        match state.binary_search_by_key(number, |(number, _)| *number) {
            Ok(at) => state[at].1 = 0,
            Err(at) => state.insert(at, (*number, 0)),
        }
    }
    Some(state)
}

/// Adds what is under way on another path; whether that is new.
fn join(state: &mut State, other: &State) -> bool {
    let mut is_new = false;
    for (number, behind) in other {
        match state.binary_search_by_key(number, |(number, _)| *number) {
            Ok(at) => {
                is_new |= state[at].1 & !behind != 0;
                state[at].1 &= behind;
            }
            Err(at) => {
                state.insert(at, (*number, *behind));
                is_new = true;
            }
        }
    }
    is_new
}

/// Where control may go besides the next statement.
#[derive(Default)]
struct Paths {
    /// The targets of `SSY`, for `SYNC`; of `PBK`, for `BRK`; of `PCNT`, for `CONT`.
    meetings: Vec<usize>,
    breaks: Vec<usize>,
    continues: Vec<usize>,
    /// The targets of `PRET`, and what stands behind calls, for `RET`.
    returns: Vec<usize>,
}

impl Paths {
    fn of(program: &Program) -> Paths {
        let mut paths = Paths::default();
        for (number, statement) in program.statements.iter().enumerate() {
            let list = match statement.instruction.form.mnemonic {
                M::SSY => &mut paths.meetings,
                M::PBK => &mut paths.breaks,
                M::PCNT => &mut paths.continues,
                M::PRET => &mut paths.returns,
                M::CAL | M::JCAL => {
                    paths.returns.push(number + 1);
                    continue;
                }
                _ => continue,
            };
            list.extend(program.target(number));
        }
        paths
    }

    /// The statements that may come after one.
    fn from(&self, program: &Program, number: usize) -> Vec<usize> {
        let instruction = &program.statements[number].instruction;
        let tested = instruction.operands.first();
        let always = instruction.guard == Guard::ALWAYS
            && !matches!(tested, Some(Operand::Condition(test)) if *test != TRUE);
        let mut to = match instruction.form.mnemonic {
            // Through a register or a constant anywhere.
            _ if matches!(
                instruction.form.operands.last(),
                Some(
                    OperandField::Indirect
                        | OperandField::AbsoluteIndirect
                        | OperandField::IndexedConstant
                        | OperandField::ConstantTarget
                )
            ) && instruction.form.traits.subject == Subject::Control =>
            {
                (0..program.statements.len()).collect()
            }
            M::BRA | M::JMP | M::CAL | M::JCAL => program.target(number).into_iter().collect(),
            M::SYNC => self.meetings.clone(),
            M::BRK => self.breaks.clone(),
            M::CONT => self.continues.clone(),
            M::RET => self.returns.clone(),
            M::EXIT => Vec::new(),
            _ => vec![number + 1],
        };
        if !always && !to.contains(&(number + 1)) {
            to.push(number + 1);
        }
        to
    }
}
