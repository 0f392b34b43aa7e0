//! The recorder of a traced run: the operations that one thread executes, the registers they write and the memory they access.
//!
//! The loop over operations calls it before and after each operation, and memory operations tell it what they access; all of that
//! is compiled into traced runs alone.

use std::collections::HashMap;

use warpdiff_model::Launch;
use warpdiff_ptx::vocabulary::SpecialRegister;

use warpdiff_semantics::onlooker::{self, Onlooker};

use super::Machine;
use super::block::BlockState;
use super::operands::{Source, computes, guard_register, transfers_control};
use super::warp::{Frame, Group, NEVER, Wait, Warp};
use crate::address_space::{Region, Spot};
use crate::decoded::{NarrowConstant, Site, WideConstant};
use crate::operation::{CallTarget, Class, Code, Op, Slot};
use crate::registers::{CONSTANT, FileSizes, LANES, Rows, Shade};

/// The kind of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// It loads.
    Load,
    /// It stores.
    Store,
    /// It changes the value that is there.
    Atomic,
}

impl AccessKind {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic",
        }
    }
}

/// Steps that are kept at most.
pub(crate) const STEPS: usize = 1 << 18;

/// A row of a register file.
type Row = (Class, usize);

/// A register and its value in the thread.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) name: Name,
    pub(crate) class: Class,
    pub(crate) value: u64,
    pub(crate) undefined: u64,
    /// Undefined, unordered and unfixed bits.
    pub(crate) open: u64,
    /// Of a source: whether it decides where an access goes.
    pub(crate) addresses: bool,
    /// Of a source: the step that wrote it last.
    pub(crate) written_by: Option<usize>,
}

/// The name of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// A register of a function, which has its name.
    Of(u32, Slot),
    /// A special register and its component.
    Special(SpecialRegister, u32),
    /// A word of constant memory.
    Constant(u32),
    /// An address or handle that the launch decides.
    Placed,
}

/// What is accessed.
pub(super) struct Touched {
    pub(super) place: Spot,
    /// Bytes, at most 8.
    pub(super) size: usize,
    pub(super) value: u64,
    pub(super) shade: Shade,
    /// Of an atomic: the value before.
    pub(super) before: Option<u64>,
}

/// An access of the thread to memory.
#[derive(Clone, Debug)]
pub(crate) struct Noted {
    pub(crate) kind: AccessKind,
    pub(crate) region: Region,
    pub(crate) offset: usize,
    pub(crate) size: usize,
    pub(crate) value: u64,
    pub(crate) undefined: u64,
    pub(crate) open: u64,
    pub(crate) before: Option<u64>,
    /// Of a load: the step that stored the first of these bytes last.
    pub(crate) written_by: Option<usize>,
}

/// Where a thread goes after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goes {
    /// To the next instruction.
    On,
    /// A branch that is not taken.
    NotTaken,
    /// To this operation.
    To(u32),
    /// Into this function.
    Into(u32),
    /// Back to the caller, at this operation.
    Back(u32),
    /// It ends.
    Exit,
    /// It ends because of the fault of this number.
    Fault(usize),
}

/// What the thread did at one instruction.
#[derive(Clone, Debug)]
pub(crate) struct RawStep {
    pub(crate) site: Site,
    /// Whether some operation was executed, not only skipped because of the guard.
    pub(crate) executed: bool,
    pub(crate) skipped: bool,
    pub(crate) reads: Vec<Value>,
    pub(crate) writes: Vec<Value>,
    pub(crate) accesses: Vec<Noted>,
    pub(crate) goes: Goes,
}

/// What is known before an operation.
pub(super) struct Before {
    pc: u32,
    frame: u32,
    executes: bool,
    faults: usize,
}

/// Registers that are written when the thread goes on after a wait.
struct Late {
    pc: u32,
    frame: u32,
    slots: Vec<Slot>,
}

/// The recorder of one thread.
pub(crate) struct Recorder {
    /// Its linear number in the grid.
    thread: u32,
    block: u32,
    warp: u32,
    lane: usize,
    pub(crate) steps: Vec<RawStep>,
    /// Steps that it took, also those that are not kept.
    pub(crate) taken: u64,
    /// Whether it is in the thread's operation.
    active: bool,
    /// Whether it keeps no more steps.
    full: bool,
    /// Where the registers of the call begin that it is in.
    bases: FileSizes,
    last: u32,
    late: Option<Late>,
    /// Of a temporary of the instruction: the registers that it was made of.
    temporaries: HashMap<Slot, Vec<Value>>,
    registers: HashMap<Row, usize>,
    bytes: HashMap<(Region, usize), usize>,
}

impl Recorder {
    /// The recorder of a thread by its linear numbers in the grid and in its block.
    pub(crate) fn new(launch: &Launch, block: u32, thread: u32) -> Self {
        let per_block: u32 = launch.block.iter().product();
        Recorder {
            thread: block * per_block + thread,
            block,
            warp: thread / LANES as u32,
            lane: thread as usize % LANES,
            steps: Vec::new(),
            taken: 0,
            active: false,
            full: false,
            bases: FileSizes::default(),
            last: NEVER,
            late: None,
            temporaries: HashMap::new(),
            registers: HashMap::new(),
            bytes: HashMap::new(),
        }
    }

    /// The step of the operation at `pc`: a new one, unless the operation belongs to the same execution of an instruction as the last.
    fn step(&mut self, site: Site, pc: u32, bases: FileSizes) {
        let again = self.last == pc && self.late.is_some();
        let continues = self.steps.last().is_some_and(|step| {
            let same = step.site.function == site.function && step.site.instruction == site.instruction;
            let goes_on = matches!(step.goes, Goes::On | Goes::NotTaken);
            same && self.bases == bases && (pc > self.last || again) && goes_on
        });
        self.bases = bases;
        self.last = pc;
        if continues {
            self.active = !self.full;
            return;
        }
        self.taken += 1;
        self.temporaries.clear();
        self.full |= self.steps.len() == STEPS;
        self.active = !self.full;
        if self.active {
            self.steps.push(RawStep {
                site,
                executed: false,
                skipped: false,
                reads: Vec::new(),
                writes: Vec::new(),
                accesses: Vec::new(),
                goes: Goes::On,
            });
        }
    }

    /// Notes a source.
    fn read(&mut self, value: Value) {
        let Some(step) = self.steps.last_mut() else { return };
        let same = |other: &&mut Value| other.name == value.name && other.addresses == value.addresses;
        if step.reads.iter_mut().find(same).is_none() {
            step.reads.push(value);
        }
    }

    /// Notes a result.
    fn wrote(&mut self, row: Row, value: Value) {
        let number = self.steps.len().saturating_sub(1);
        self.registers.insert(row, number);
        let Some(step) = self.steps.last_mut() else { return };
        match step.writes.iter_mut().find(|other| other.name == value.name) {
            Some(other) => *other = value,
            None => step.writes.push(value),
        }
    }
}

/// Notes an access of a thread, if it is the traced one, and tells an onlooker of it.
pub(super) fn note(
    (recorder, onlooker): (&mut Option<Box<Recorder>>, Option<&dyn Onlooker>),
    thread: u32,
    kind: AccessKind,
    touched: Touched,
) {
    if let Some(onlooker) = onlooker {
        let Touched { place: Spot { region, offset }, value, before, .. } = touched;
        let (memory, number) = region.memory();
        onlooker.touched(onlooker::Touched { thread, memory, place: (number, offset), value, before });
    }
    let Some(recorder) =
        recorder.as_deref_mut().filter(|recorder| recorder.thread == thread && recorder.active)
    else {
        return;
    };
    let Touched { place, size, value, shade, before } = touched;
    if size == 0 {
        return;
    }
    let bits = u64::MAX >> (64 - 8 * size.min(8));
    let number = recorder.steps.len().saturating_sub(1);
    let bytes = (place.offset..place.offset + size).map(|offset| (place.region, offset));
    let written_by = bytes.clone().find_map(|byte| recorder.bytes.get(&byte).copied());
    if kind != AccessKind::Load {
        bytes.for_each(|byte| {
            recorder.bytes.insert(byte, number);
        });
    }
    let Some(step) = recorder.steps.last_mut() else { return };
    step.accesses.push(Noted {
        kind,
        region: place.region,
        offset: place.offset,
        size,
        value: value & bits,
        undefined: shade.undefined & bits,
        open: (shade.undefined | shade.unordered | shade.unfixed) & bits,
        before,
        written_by,
    });
}

impl Machine<'_> {
    /// Notes the operation that comes, if the traced thread takes part.
    pub(super) fn before_operation(&mut self, block: &BlockState, w: &Warp, group: &Group) -> Option<Before> {
        let mut recorder = self.recorder.take()?;
        let takes_part = recorder.block == block.number
            && recorder.warp == w.index
            && group.mask >> recorder.lane & 1 == 1;
        let before = takes_part.then(|| self.begin(&mut recorder, w, group));
        self.recorder = Some(recorder);
        before
    }

    fn begin(&self, recorder: &mut Recorder, w: &Warp, group: &Group) -> Before {
        let (pc, frame, lane) = (group.pc, group.frame, recorder.lane);
        if let Some(late) = recorder.late.take_if(|late| late.pc != pc || late.frame != frame) {
            self.results(recorder, w, w.frames[late.frame as usize], &late.slots);
        }
        let op = &self.code.ops[pc as usize];
        recorder.step(self.code.sites[pc as usize], pc, w.rows.bases);
        recorder.late = None;
        let guard = guard_register(op);
        let executes = op.guard.predicate().is_none_or(|predicate| {
            (w.registers.predicates[w.rows.p(predicate)] ^ op.guard.flip()) >> lane & 1 == 1
        });
        let silent = matches!(op.code, Code::Await | Code::Signal);
        if recorder.active && !silent {
            let function = w.frames[frame as usize].function;
            let sources = if executes { self.sources(op) } else { Vec::new() };
            let results = if executes { self.destinations(op) } else { Vec::new() };
            let (temporaries, named): (Vec<Slot>, Vec<Slot>) =
                results.into_iter().partition(|slot| self.is_temporary(function, *slot));
            // What makes a temporary alone is read where the temporary is.
            let is_inner = named.is_empty() && !temporaries.is_empty() && computes(op.code);
            let mut made_of = Vec::new();
            for source in guard.into_iter().chain(sources) {
                for value in self.source_values(recorder, w, function, source) {
                    if !is_inner {
                        recorder.read(value.clone());
                    }
                    made_of.push(value);
                }
            }
            for slot in temporaries {
                recorder.temporaries.insert(slot, made_of.clone());
            }
            if let Some(step) = recorder.steps.last_mut() {
                step.executed |= executes;
                step.skipped |= !executes;
            }
        }
        Before { pc, frame, executes, faults: self.faults.len() }
    }

    /// A source as the registers with names that it is made of.
    fn source_values(&self, recorder: &Recorder, w: &Warp, function: u32, source: Source) -> Vec<Value> {
        let Source { slot, addresses } = source;
        if slot.index & CONSTANT == 0 && self.is_temporary(function, slot) {
            let made_of = recorder.temporaries.get(&slot).cloned().unwrap_or_default();
            return made_of.into_iter().map(|value| Value { addresses, ..value }).collect();
        }
        let name = match slot.index & CONSTANT {
            0 => Some(Name::Of(function, slot)),
            _ => self.constant_name(slot),
        };
        let Some(name) = name else { return Vec::new() };
        let value = w.value(slot, recorder.lane);
        let shade = w.shade(slot, recorder.lane);
        let written_by = recorder.registers.get(&(slot.class, w.rows.row(slot))).copied();
        vec![of_register(name, slot.class, (value, shade), addresses, written_by)]
    }

    /// The name of a constant that the launch decides.
    fn constant_name(&self, slot: Slot) -> Option<Name> {
        let index = (slot.index & !CONSTANT) as usize;
        match slot.class {
            Class::Narrow => match self.code.constants.narrow[index] {
                NarrowConstant::Value(_) => None,
                NarrowConstant::Special(register, component) => Some(Name::Special(register, component)),
                NarrowConstant::Bank(place) => Some(Name::Constant(place)),
            },
            Class::Wide => match self.code.constants.wide[index] {
                WideConstant::Value(_) => None,
                _ => Some(Name::Placed),
            },
            Class::Predicate => None,
        }
    }

    /// Whether a register is one that the decoder made up.
    fn is_temporary(&self, function: u32, slot: Slot) -> bool {
        let name = self.name_of(function, slot);
        name.is_none_or(|name| name == "a temporary")
    }

    /// The name of a register.
    pub(crate) fn name_of(&self, function: u32, slot: Slot) -> Option<&str> {
        let names = &self.code.functions[function as usize].names;
        let list = match slot.class {
            Class::Narrow => &names.narrow,
            Class::Wide => &names.wide,
            Class::Predicate => &names.predicates,
        };
        list.get(slot.index as usize).map(|name| &**name)
    }

    /// Notes what these registers of a frame hold now.
    fn results(&self, recorder: &mut Recorder, w: &Warp, frame: Frame, slots: &[Slot]) {
        let rows = Rows { bases: frame.bases };
        for slot in slots.iter().filter(|slot| !self.is_temporary(frame.function, **slot)) {
            let row = rows.row(*slot);
            let value = w.registers.get(slot.class, row, recorder.lane);
            let shade = w.registers.shade(slot.class, row, recorder.lane);
            let name = Name::Of(frame.function, *slot);
            recorder.wrote((slot.class, row), of_register(name, slot.class, (value, shade), false, None));
        }
    }

    /// Notes what an operation has done.
    pub(super) fn after_operation(
        &mut self,
        before: Option<Before>,
        block: &BlockState,
        w: &Warp,
        group: &Group,
    ) {
        let Some(before) = before else { return };
        let Some(mut recorder) = self.recorder.take() else { return };
        if recorder.active {
            self.end(&mut recorder, &before, block, w, group);
        }
        recorder.active = false;
        self.recorder = Some(recorder);
    }

    fn end(&self, recorder: &mut Recorder, before: &Before, block: &BlockState, w: &Warp, group: &Group) {
        let lane = recorder.lane;
        let op = &self.code.ops[before.pc as usize];
        let is_here = |group: &&Group| group.mask >> lane & 1 == 1;
        let now = Some(group).filter(is_here).or_else(|| w.groups.iter().find(is_here));
        let goes = match now {
            None => {
                let mine = self.thread_of(block, w, lane);
                let faults = self.faults.iter().enumerate().skip(before.faults);
                let fault = faults
                    .filter(|(_, fault)| fault.thread == Some(mine))
                    .map(|(number, _)| number)
                    .next_back();
                fault.map_or(Goes::Exit, Goes::Fault)
            }
            Some(_) if !before.executes => match transfers_control(op.code) {
                true => Goes::NotTaken,
                false => Goes::On,
            },
            Some(now) => match op.code {
                Code::Branch | Code::BranchTable | Code::BranchToAddress | Code::Pop => Goes::To(now.pc),
                Code::Call if self.calls_system(op) => Goes::On,
                Code::Call => Goes::Into(w.frames[now.frame as usize].function),
                Code::Return => Goes::Back(now.pc),
                _ => Goes::On,
            },
        };
        if let Some(step) = recorder.steps.last_mut().filter(|_| goes != Goes::On) {
            step.goes = goes;
        }
        let Some(now) = now.filter(|_| before.executes && self.stop.is_none()) else { return };
        let frame = w.frames[before.frame as usize];
        if op.code == Code::Return && frame.call != NEVER {
            let slots = self.returned_registers(frame.call);
            self.results(recorder, w, w.frames[frame.parent as usize], &slots);
            return;
        }
        let slots = self.destinations(op);
        if self.calls_system(op) {
            self.results(recorder, w, frame, &self.returned_registers(before.pc));
            return;
        }
        let waits = now.wait != Wait::Ready || now.pc == before.pc && !transfers_control(op.code);
        if waits {
            recorder.late = Some(Late { pc: before.pc, frame: before.frame, slots });
            return;
        }
        self.results(recorder, w, frame, &slots);
    }

    /// Whether an operation calls a function of the device runtime, which has no instructions of its own.
    fn calls_system(&self, op: &Op) -> bool {
        op.code == Code::Call && matches!(self.code.calls[op.x as usize].callee, CallTarget::System(_))
    }

    /// Position of a lane's thread: block, then thread in the block.
    fn thread_of(&self, block: &BlockState, w: &Warp, lane: usize) -> [u32; 6] {
        let [x, y, z] = block.geometry.block_index;
        let [tx, ty, tz] = block.geometry.thread_index(w.index * LANES as u32 + lane as u32);
        [x, y, z, tx, ty, tz]
    }
}

fn of_register(
    name: Name,
    class: Class,
    (value, shade): (u64, Shade),
    addresses: bool,
    written_by: Option<usize>,
) -> Value {
    let open = shade.undefined | shade.unordered | shade.unfixed;
    Value { name, class, value, undefined: shade.undefined, open, addresses, written_by }
}
