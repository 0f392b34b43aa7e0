//! Runs a launch and turns its end state or its faults into an outcome.

use std::ops::Range;

use warpdiff_model::allowed::{MaskedRegion, MaskedState, Permits, Value, all_ones, all_zeros, are_all};
use warpdiff_model::alternatives::Consulted;
use warpdiff_model::finding::Findings;
use warpdiff_model::serial::{self, Operation};
use warpdiff_model::{
    Choice, Derived, Deviation, Interval, Launch, Outcome, Permitted, Region, RegionKind, Semantics, State,
};
use warpdiff_semantics::definedness::doubt;
use warpdiff_semantics::onlooker::Onlooker;
use warpdiff_semantics::printed::Printed;
use warpdiff_semantics::surface::texel::Certainty;

use crate::decoded::Decoded;
use crate::launch::binder::{Bound, bind};
use crate::launch::layout::KnownRaces;
use crate::launch::validation::{LaunchError, threads};
use crate::machine::recorder::Recorder;
use crate::machine::{Machine, Stop, Traced, Tracked, Untracked, clocks};
use crate::memory::{Allocation, Memory};
use crate::operation::Code;
use crate::program::Program;
use crate::{Options, Run, address_space};
use warpdiff_races::contention::{Contention, Group, Knowledge};
use warpdiff_races::{RacedBytes, Shadow};

/// Times a launch is run again because a run found out something that its beginning should have known.
const ROUNDS: usize = 12;

/// Runs a launch.
///
/// A tracked run tracks definedness, the order of atomics and races, and its outcome marks the meaningful bits; otherwise every bit
/// counts as defined.
///
/// # Errors
/// If the launch cannot begin: an unknown entry, wrong arguments, too large a block.
pub fn run(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    options: &Options,
) -> Result<Run, LaunchError> {
    run_to(program, launch, semantics, options, &mut Knowledge::default(), |machine| finish(machine, options))
}

/// What a run of a launch answers beside its outcome, without a copy of the memory.
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    pub(crate) consulted: Consulted,
    pub(crate) order_dependent: bool,
    /// Thread-instructions executed, of the last round.
    pub(crate) steps: u64,
}

/// Runs a launch, as [`run`], for its outcome alone. `guess` is as in [`rounds`].
pub(crate) fn run_to_outcome(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    options: &Options,
    guess: &mut Knowledge,
) -> Result<Ended, LaunchError> {
    run_to(program, launch, semantics, options, guess, |machine| Ended {
        outcome: outcome(machine, |machine| state(machine, options.tracked)),
        consulted: std::mem::take(&mut machine.consulted),
        order_dependent: machine.order_dependent,
        steps: machine.steps,
    })
}

/// Runs a launch, as [`run`], for what it permits, the memory at the end and what it printed. A completed state is that memory, and is
/// left empty.
pub(crate) fn run_to_memory(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    options: &Options,
) -> Result<(Permitted, State, Printed), LaunchError> {
    run_to(program, launch, semantics, options, &mut Knowledge::default(), |machine| {
        let outcome = outcome(machine, |_| MaskedState::default());
        if options.exposes_undefined {
            expose_undefined(&mut machine.memory);
        }
        let mut state = State::default();
        each_region(machine, |kind, name, memory, ranges, _| {
            let bytes = gather(&memory.data, ranges);
            state.regions.push(Region { kind, name: name.to_owned(), bytes });
        });
        (outcome.permitted, state, std::mem::take(&mut machine.printed))
    })
}

fn run_to<R>(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    options: &Options,
    guess: &mut Knowledge,
    finish: impl FnOnce(&mut Machine<'_>) -> R,
) -> Result<R, LaunchError> {
    let run = |machine: &mut Machine<'_>| match options.tracked {
        true => machine.run_grid::<Tracked>(),
        false => machine.run_grid::<Untracked>(),
    };
    rounds(program, launch, semantics, options, (guess, None), run, finish)
}

/// Runs a launch with a recorder of one thread: `block` and `thread` are its linear numbers in the grid and in its block.
pub(crate) fn run_traced<R>(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    (block, thread): (u32, u32),
    take: impl FnOnce(Recorder, &Machine<'_>) -> R,
) -> Result<(R, Run), LaunchError> {
    let options = Options::default();
    let run = |machine: &mut Machine<'_>| {
        machine.recorder = Some(Box::new(Recorder::new(launch, block, thread)));
        machine.run_grid::<Traced>()
    };
    rounds(program, launch, semantics, &options, (&mut Knowledge::default(), None), run, |machine| {
        let recorder =
            machine.recorder.take().unwrap_or_else(|| Box::new(Recorder::new(launch, block, thread)));
        (take(*recorder, machine), finish(machine, &options))
    })
}

/// Runs a launch under the specification while somebody looks on.
///
/// # Errors
/// As [`run`].
pub fn look_on(program: &Program, launch: &Launch, onlooker: &dyn Onlooker) -> Result<Run, LaunchError> {
    let (semantics, options) = (Semantics::default(), Options::default());
    let guess = &mut Knowledge::default();
    let run = |machine: &mut Machine<'_>| machine.run_grid::<Traced>();
    rounds(program, launch, &semantics, &options, (guess, Some(onlooker)), run, |machine| {
        finish(machine, &options)
    })
}

/// What the threads of a launch do wrong under the specification, from a watched run: one that goes on after it, so that its values are
/// those of no device.
///
/// # Errors
/// As [`run`].
pub fn findings(program: &Program, launch: &Launch) -> Result<Findings, LaunchError> {
    let (semantics, options) = (Semantics::default(), Options::default());
    let code = program.decoded(&semantics);
    let mut bound = bind(program, &code, launch, &semantics, options.tracked, &mut KnownRaces::default())?;
    if threads(launch) > 1 {
        bound.memory.report_races();
    }
    let mut machine = machine(program, &code, launch, &semantics, &options, bound, Knowledge::default());
    machine.watch = Some(Box::default());
    machine.run_grid::<Traced>();
    Ok(machine.watch.take().map(|watch| watch.findings).unwrap_or_default())
}

/// Runs a launch again until a run begins with all that it should know. `guess` is what a run under another order has learned, and becomes
/// what this one has: the first run begins with it, and counts if it finds just that.
fn rounds<R>(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    options: &Options,
    (guess, onlooker): (&mut Knowledge, Option<&dyn Onlooker>),
    run: impl Fn(&mut Machine<'_>) -> Vec<(u32, Box<Shadow>)>,
    finish: impl FnOnce(&mut Machine<'_>) -> R,
) -> Result<R, LaunchError> {
    let code = program.decoded(semantics);
    let mut is_guess = !guess.is_empty();
    let mut knowledge = std::mem::take(guess);
    let mut races = KnownRaces::default();
    let mut round = 0;
    loop {
        let bound = bind(program, &code, launch, semantics, options.tracked, &mut races)?;
        let mut machine = machine(program, &code, launch, semantics, options, bound, knowledge);
        machine.shared_races = std::mem::take(&mut races.shared);
        machine.onlooker = onlooker;
        onlooker.inspect(|onlooker| onlooker.begins());
        let shadows = run(&mut machine);
        let learned = machine.contention.learned();
        let late = options.tracked && collect_races(&mut machine, shadows, &mut races);
        if std::mem::take(&mut is_guess) && (late || !machine.contention.found_what_it_knew()) {
            (knowledge, races) = (Knowledge::default(), KnownRaces::default());
            continue;
        }
        round += 1;
        if round == ROUNDS || learned.is_none() && !late {
            guess.clone_from(machine.contention.knowledge());
            if semantics.has(Deviation::AtomicsNotWrittenBack) {
                forget_atomics(&mut machine);
            }
            return Ok(finish(&mut machine));
        }
        knowledge = match learned {
            Some(learned) => learned,
            None => machine.contention.into_knowledge(),
        };
    }
}

fn machine<'a>(
    program: &'a Program,
    code: &'a Decoded,
    launch: &'a Launch,
    semantics: &Semantics,
    options: &Options,
    bound: Bound,
    knowledge: Knowledge,
) -> Machine<'a> {
    let mut consulted = Consulted::weighing(options.tracked && options.weighs);
    if code.open_alignment {
        consulted.note(Choice::AlignBelowNatural);
    }
    let records = (clocks(launch, options.tracked), Contention::new(knowledge), consulted);
    let mut machine = Machine::new(program, code, launch, semantics, options.schedule, bound, records);
    machine.most_steps = launch.step_budget.min(options.steps);
    machine.unwritten = options.unwritten;
    machine
}

/// [`Deviation::AtomicsNotWrittenBack`]: buffers are as they were, if no store can have changed them.
fn forget_atomics(machine: &mut Machine<'_>) {
    if machine.code.ops.iter().any(|op| op.code == Code::Store) {
        return;
    }
    let first = machine.code.globals.len();
    for (buffer, memory) in machine.launch.buffers.iter().zip(&mut machine.memory.globals[first..]) {
        let start = buffer.guard as usize;
        for (at, byte) in buffer.bytes.iter().enumerate() {
            memory.write(start + at, 1, u64::from(*byte));
        }
    }
}

/// Takes what the shadows know of late races; answers whether there is anything new.
fn collect_races(
    machine: &mut Machine<'_>,
    shadows: Vec<(u32, Box<Shadow>)>,
    races: &mut KnownRaces,
) -> bool {
    let mut late = false;
    *races = KnownRaces::default();
    let mut take = |of: &mut Vec<Option<RacedBytes>>, number: usize, shadow: Option<Box<Shadow>>| {
        let Some(shadow) = shadow else { return };
        late |= shadow.raced_late();
        let raced = shadow.into_raced();
        if !raced.is_empty() {
            of.resize_with(of.len().max(number + 1), || None);
            of[number] = Some(raced);
        }
    };
    let Memory { globals, surfaces, .. } = &mut machine.memory;
    for (number, memory) in globals.iter_mut().enumerate() {
        take(&mut races.globals, number, memory.race.take());
    }
    for (number, surface) in surfaces.iter_mut().enumerate() {
        take(&mut races.surfaces, number, surface.texels.race.take());
    }
    for (number, shadow) in shadows {
        take(&mut races.shared, number as usize, Some(shadow));
    }
    late
}

fn finish(machine: &mut Machine<'_>, options: &Options) -> Run {
    let outcome = outcome(machine, |machine| state(machine, options.tracked));
    if options.exposes_undefined {
        expose_undefined(&mut machine.memory);
    }
    Run {
        outcome,
        consulted: machine.consulted.choices,
        order_dependent: machine.order_dependent,
        hazards: std::mem::take(&mut machine.hazards),
        steps: machine.steps,
        never_ends: machine.never_ends,
        printed: std::mem::take(&mut machine.printed),
        memory: state(machine, false),
    }
}

/// What the run permits; `state` gives the state of one that has completed.
fn outcome(machine: &mut Machine<'_>, state: impl FnOnce(&Machine<'_>) -> MaskedState) -> Outcome {
    let faults = std::mem::take(&mut machine.faults);
    let permitted = match machine.stop.take() {
        Some(Stop::Indeterminate { place, origin }) => Permitted::Indeterminate { place, origin },
        _ if !faults.is_empty() => Permitted::Faulted { faults },
        Some(Stop::TimedOut) => Permitted::TimedOut,
        None => Permitted::Completed { state: state(machine) },
    };
    let may = std::mem::take(&mut machine.may_faults);
    Outcome { assignment: machine.semantics.assignment, permitted, may }
}

fn expose_undefined(memory: &mut Memory) {
    let texels = memory.surfaces.iter_mut().map(|surface| &mut surface.texels);
    memory.globals.iter_mut().chain(texels).for_each(Allocation::expose_undefined);
}

/// The memory as it is, masked where the shadow says so.
fn state(machine: &Machine<'_>, tracked: bool) -> MaskedState {
    let mut state = MaskedState::default();
    let launch = machine.launch;
    let variables = launch.observed_variables.len();
    state.regions.reserve_exact(2 * launch.buffers.len() + launch.surfaces.len() + variables);
    each_region(machine, |kind, name, memory, ranges, stride| {
        state.regions.push(region(kind, name, memory, ranges, stride, tracked));
        if tracked && !memory.traces.is_empty() {
            note_doubts(&mut state, memory, ranges);
        }
    });
    if tracked {
        state.serial = locations(machine, &state.regions);
    }
    state
}

/// Hands on each region that the end of a launch shows: its kind and name, the memory that it is in, the ranges of that which it is made
/// of, and its stride.
fn each_region<'m>(
    machine: &'m Machine<'_>,
    mut take: impl FnMut(RegionKind, &str, &'m Allocation, &[Range<usize>], u32),
) {
    let launch = machine.launch;
    let first = machine.code.globals.len();
    for (buffer, memory) in launch.buffers.iter().zip(&machine.memory.globals[first..]) {
        let guard = buffer.guard as usize;
        let range = guard..guard + buffer.bytes.len();
        take(RegionKind::Buffer, &buffer.name, memory, &[range], buffer.stride);
    }
    for (buffer, memory) in launch.buffers.iter().zip(&machine.memory.globals[first..]) {
        let (guard, len) = (buffer.guard as usize, memory.data.len());
        take(RegionKind::Guard, &buffer.name, memory, &[0..guard, len - guard..len], 0);
    }
    // After them come the images of textures, which nothing writes.
    for surface in &machine.memory.surfaces[..launch.surfaces.len()] {
        let range = 0..surface.texels.data.len();
        take(RegionKind::Surface, &surface.name, &surface.texels, &[range], 0);
    }
    for name in &launch.observed_variables {
        if let Some(index) = variable_index(machine, name) {
            let memory = &machine.memory.globals[index];
            let range = 0..memory.data.len();
            take(RegionKind::Variable, name, memory, &[range], 0);
        }
    }
}

/// Notes what is known of the undefined bits of the last region, which is made of these ranges of the memory: the intervals that values are
/// in, and what bits are here that were computed of such values.
fn note_doubts(state: &mut MaskedState, memory: &Allocation, ranges: &[Range<usize>]) {
    let region = state.regions.len() - 1;
    let Some(masked) = state.regions.last_mut() else { return };
    let mut start = 0;
    for range in ranges {
        let mut at = range.start;
        while at < range.end {
            let offset = start + at - range.start;
            let is_settled = |at: usize| memory.unordered(at, 1) | memory.unfixed(at, 1) == 0;
            let interval = doubt::interval(&memory.traces[at..range.end]);
            let whole = at..at + interval.map_or(0, |_| 4);
            if let Some(interval) = interval.filter(|_| whole.clone().all(is_settled)) {
                let permitted = Permits::Between(Interval {
                    least: interval.least.into(),
                    greatest: interval.greatest.into(),
                    reference: memory.read(at, whole.len()),
                    by: interval.by.text(),
                });
                let value = Value { offset, size: whole.len(), permitted };
                value.put(&mut masked.region.bytes);
                masked.values.push(value);
                at = whole.end;
                continue;
            }
            let mask = !memory.defined[at];
            if mask != 0 && !memory.traces[at].is_none() && is_settled(at) {
                let byte = memory.data[at] & mask;
                match state.derived.last_mut() {
                    Some(run) if run.region == region && run.offset + run.bytes.len() == offset => {
                        run.bytes.push(byte);
                        run.mask.push(mask);
                    }
                    _ => state.derived.push(Derived { region, offset, bytes: vec![byte], mask: vec![mask] }),
                }
            }
            at += 1;
        }
        start += range.len();
    }
    masked.values.sort_unstable_by_key(|value| value.offset);
}

/// The allocation of a module-scope variable.
fn variable_index(machine: &Machine<'_>, name: &str) -> Option<usize> {
    let variables = &machine.program.module().variables;
    machine.code.globals.iter().position(|id| {
        let variable = &variables[id.0 as usize];
        variable.scope.is_none() && variable.name == name
    })
}

/// The bytes of these ranges, one after the other.
fn gather(bytes: &[u8], ranges: &[Range<usize>]) -> Vec<u8> {
    let mut all = Vec::with_capacity(ranges.iter().map(Range::len).sum());
    ranges.iter().for_each(|range| all.extend_from_slice(&bytes[range.clone()]));
    all
}

fn region(
    kind: RegionKind,
    name: &str,
    memory: &Allocation,
    ranges: &[Range<usize>],
    stride: u32,
    tracked: bool,
) -> MaskedRegion {
    let mut bytes = gather(&memory.data, ranges);
    let len = bytes.len();
    let all_fixed =
        is_all_or_absent(0xFF, &memory.defined, ranges) && is_all_or_absent(0, &memory.unfixed, ranges);
    let defined = if !tracked || all_fixed {
        all_ones(len)
    } else {
        let masks = fixed(memory, ranges);
        bytes.iter_mut().zip(&masks).for_each(|(byte, mask)| *byte &= mask);
        masks.into()
    };
    let unordered = if !tracked || is_all_or_absent(0, &memory.unordered, ranges) {
        all_zeros(len)
    } else {
        let mut masks = gather(&memory.unordered, ranges);
        masks.iter_mut().zip(&*defined).for_each(|(unordered, mask)| *unordered &= mask);
        masks.into()
    };
    let mut values = Vec::new();
    if tracked {
        // Texels alone have such values, and are one range.
        values.extend(memory.certain().map(|certain| value(memory, certain)));
        values.iter().for_each(|value: &Value| value.put(&mut bytes));
    }
    MaskedRegion { region: Region { kind, name: name.to_owned(), bytes }, defined, unordered, stride, values }
}

/// The bits in these ranges that are neither undefined nor unfixed.
fn fixed(memory: &Allocation, ranges: &[Range<usize>]) -> Vec<u8> {
    let mut defined = gather(&memory.defined, ranges);
    if !memory.unfixed.is_empty() {
        let unfixed = gather(&memory.unfixed, ranges);
        defined.iter_mut().zip(unfixed).for_each(|(mask, unfixed)| *mask &= !unfixed);
    }
    defined
}

/// Whether a plane of the shadow has only this byte in these ranges. One that is absent counts as such.
fn is_all_or_absent(one: u8, plane: &[u8], ranges: &[Range<usize>]) -> bool {
    plane.is_empty() || ranges.iter().all(|range| are_all(&plane[range.clone()], one))
}

/// A value of which more is known than its defined bits.
fn value(memory: &Allocation, (offset, size, certainty): (usize, usize, Certainty)) -> Value {
    let held = memory.read(offset, size);
    let mask = u64::MAX >> (64 - 8 * size);
    let other = match certainty {
        Certainty::OrNext => Some(held.wrapping_add(1) & mask),
        Certainty::OrPrevious => Some(held.wrapping_sub(1) & mask),
        Certainty::Nan | Certainty::Bits => None,
    };
    let permitted = other.map_or(Permits::Nan(held), |other| Permits::Either([held, other]));
    Value { offset, size, permitted }
}

/// The locations whose atomics have to serialise.
fn locations(machine: &Machine<'_>, regions: &[MaskedRegion]) -> Vec<serial::Location> {
    let contention = &machine.contention;
    if !contention.complete() {
        return Vec::new();
    }
    let mut groups =
        contention.groups.iter().filter(|group| !contention.contended(&group.key).mixed).collect::<Vec<_>>();
    groups.sort_by_key(|group| group.key);
    groups.into_iter().filter_map(|group| location(machine, regions, group)).collect()
}

fn location(machine: &Machine<'_>, regions: &[MaskedRegion], group: &Group) -> Option<serial::Location> {
    let place = |(allocation, offset): (u32, u64)| place(machine, regions, allocation, offset, group.width);
    let operations = group.operations.iter().map(|done| {
        // Only a place that still holds it tells what was returned.
        let width = done.op.returned_width(group.width);
        let returned = done.seen().and_then(place).filter(|place| is_unordered(regions, *place, width));
        Operation { op: done.op, thread: done.thread, returned, spin: done.spin }
    });
    let operations = operations.collect::<Vec<_>>();
    let at = group.key.location;
    let is_last = machine
        .contention
        .groups
        .iter()
        .filter(|other| other.key.location == at)
        .all(|other| other.latest <= group.latest);
    let last = match at.region {
        address_space::Region::Global(index) if is_last => {
            let memory = &machine.memory.globals[index as usize];
            let unchanged = memory.read(at.offset as usize, usize::from(group.width)) == group.last;
            if unchanged { place((index, at.offset)) } else { None }
        }
        _ => None,
    };
    // What nobody can see constrains nothing: a lock, a loop that compares and swaps are judged by what they leave.
    let seen = operations.iter().any(|operation| operation.returned.is_some());
    if !seen {
        return None;
    }
    Some(serial::Location {
        name: name(machine, group),
        width: group.width,
        initial: group.initial,
        last,
        operations,
    })
}

fn is_unordered(regions: &[MaskedRegion], place: serial::Place, width: u8) -> bool {
    let bytes = &regions[place.region].unordered[place.offset..place.offset + usize::from(width)];
    bytes.iter().all(|byte| *byte == 0xFF)
}

/// The observed place of an offset in a global allocation.
fn place(
    machine: &Machine<'_>,
    regions: &[MaskedRegion],
    allocation: u32,
    offset: u64,
    width: u8,
) -> Option<serial::Place> {
    let first = machine.code.globals.len();
    let index = allocation as usize;
    let (region, start) = if index >= first {
        (index - first, u64::from(machine.launch.buffers.get(index - first)?.guard))
    } else {
        let variables = machine.launch.buffers.len() * 2 + machine.launch.surfaces.len();
        let observed = machine.launch.observed_variables.iter();
        (
            variables
                + observed
                    .map(|name| variable_index(machine, name))
                    .position(|found| found == Some(index))?,
            0,
        )
    };
    let offset = offset.checked_sub(start)? as usize;
    let fits = offset + usize::from(width) <= regions.get(region)?.region.bytes.len();
    fits.then_some(serial::Place { region, offset })
}

/// "shared 0x10 of block 0, epoch 1".
fn name(machine: &Machine<'_>, group: &Group) -> String {
    let at = group.key.location;
    let place = match at.region {
        address_space::Region::Shared => format!("shared {:#x} of block {}", at.offset, at.block),
        address_space::Region::Global(index) => {
            let first = machine.code.globals.len();
            match (index as usize).checked_sub(first).and_then(|buffer| machine.launch.buffers.get(buffer)) {
                Some(buffer) => {
                    format!("`{}` + {:#x}", buffer.name, at.offset as i64 - i64::from(buffer.guard))
                }
                None => {
                    let id = machine.code.globals[index as usize];
                    format!("`{}` + {:#x}", machine.program.module().variables[id.0 as usize].name, at.offset)
                }
            }
        }
        _ => format!("offset {:#x}", at.offset),
    };
    match group.key.epoch {
        Some((_, epoch)) => format!("{place}, epoch {epoch}"),
        None => place,
    }
}
