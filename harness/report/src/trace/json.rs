//! A trace as data.

use serde::Serialize;
use warpdiff_emulator::trace::{Control, Register, Source, Step, Thread, Trace};
use warpdiff_judge::parting::{Counts, Effect, Parting, producers};

use super::{Other, PRODUCERS, Traced, text, words};

/// A trace, or two that are compared. Numbers of steps and lines count from 1.
#[derive(Serialize)]
struct Document<'a> {
    case: &'a str,
    launch: usize,
    launches: usize,
    entry: &'a str,
    row: Option<usize>,
    block: [u32; 3],
    thread: [u32; 3],
    reference: Run<'a>,
    target: Option<Run<'a>>,
    /// Of a comparison: whether both runs part.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parting: Option<Parted>,
}

#[derive(Serialize)]
struct Run<'a> {
    name: &'a str,
    taken: u64,
    ending: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    effects: Option<Effects>,
    steps: Vec<WrittenStep<'a>>,
}

#[derive(Serialize)]
struct Effects {
    loads: usize,
    stores: usize,
    atomics: usize,
}

impl From<Counts> for Effects {
    fn from(Counts { loads, stores, atomics }: Counts) -> Self {
        Effects { loads, stores, atomics }
    }
}

#[derive(Serialize)]
struct Parted {
    words: String,
    kind: &'static str,
    reference: Option<PartedStep>,
    target: Option<PartedStep>,
}

#[derive(Serialize)]
struct PartedStep {
    step: usize,
    access: usize,
    /// The steps that made the value.
    made_by: Vec<usize>,
}

#[derive(Serialize)]
struct WrittenStep<'a> {
    step: usize,
    line: u32,
    instruction: &'a str,
    skipped: bool,
    reads: Vec<Read<'a>>,
    writes: Vec<Written<'a>>,
    accesses: Vec<WrittenAccess>,
    #[serde(skip_serializing_if = "Option::is_none")]
    control: Option<String>,
}

#[derive(Serialize)]
struct Read<'a> {
    #[serde(flatten)]
    register: Written<'a>,
    address: bool,
    written_by: Option<usize>,
}

#[derive(Serialize)]
struct Written<'a> {
    register: &'a str,
    bits: u32,
    value: String,
    undefined: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<String>,
}

#[derive(Serialize)]
struct WrittenAccess {
    kind: &'static str,
    place: String,
    offset: i64,
    bytes: u32,
    value: String,
    undefined: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

/// The JSON of a trace; of each run at most `limit` steps.
///
/// # Errors
/// None in practice: all of it is text and numbers.
pub fn render(traced: &Traced<'_>, limit: usize) -> Result<String, serde_json::Error> {
    let ours = traced.ours;
    let Thread { block, thread } = ours.thread;
    let theirs = traced.theirs.as_ref();
    let parting = theirs.and_then(|other| Some(parted(ours, other, other.parting?)));
    let document = Document {
        case: traced.case,
        launch: traced.launch.0,
        launches: traced.launch.1,
        entry: traced.entry,
        row: traced.row,
        block,
        thread,
        reference: run("reference", ours, theirs.map(|other| other.effects[0]), limit),
        target: theirs.map(|other| run(other.name, other.trace, Some(other.effects[1]), limit)),
        parts: theirs.map(|other| other.parting.is_some()),
        parting,
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn run<'a>(name: &'a str, trace: &'a Trace, effects: Option<Counts>, limit: usize) -> Run<'a> {
    let steps = trace.steps.iter().take(limit).enumerate().map(|(number, of)| step(&trace.steps, number, of));
    let (taken, ending) = (trace.taken, words::ending(trace));
    Run { name, taken, ending, effects: effects.map(Effects::from), steps: steps.collect() }
}

fn parted(ours: &Trace, other: &Other<'_>, parting: Parting) -> Parted {
    let same_place = text::is_same_place(ours, other, parting);
    let at = |trace: &Trace, effect: Effect| PartedStep {
        step: effect.step + 1,
        access: effect.access + 1,
        made_by: producers(&trace.steps, effect, same_place, PRODUCERS).iter().map(|n| n + 1).collect(),
    };
    Parted {
        words: text::where_they_part(ours, other, parting),
        kind: if parting.stored { "store" } else { "load" },
        reference: parting.ours.map(|effect| at(ours, effect)),
        target: parting.theirs.map(|effect| at(other.trace, effect)),
    }
}

fn step<'a>(steps: &'a [Step], number: usize, step: &'a Step) -> WrittenStep<'a> {
    WrittenStep {
        step: number + 1,
        line: step.line,
        instruction: &step.instruction,
        skipped: step.skipped,
        reads: step.reads.iter().map(read).collect(),
        writes: step.writes.iter().map(register).collect(),
        accesses: (0..step.accesses.len()).map(|index| access(steps, step, index)).collect(),
        control: match &step.control {
            Control::Next => None,
            control => words::control(control),
        },
    }
}

fn read(source: &Source) -> Read<'_> {
    let Source { register: of, addresses, written_by } = source;
    Read { register: register(of), address: *addresses, written_by: written_by.map(|n| n + 1) }
}

fn register(register: &Register) -> Written<'_> {
    let Register { bits, value, undefined, float, .. } = *register;
    let number = words::decimal(value, undefined, bits, float);
    let (value, undefined) = (words::hex(value, 0, bits), words::hex(undefined, 0, bits));
    Written { register: &register.name, bits, value, undefined, number }
}

fn access(steps: &[Step], at: &Step, index: usize) -> WrittenAccess {
    let access = &at.accesses[index];
    let bits = 8 * access.size;
    WrittenAccess {
        kind: access.kind.name(),
        place: words::place(&access.place),
        offset: access.place.offset,
        bytes: access.size,
        value: words::hex(access.value, 0, bits),
        undefined: words::hex(access.undefined, 0, bits),
        number: words::decimal(access.value, access.undefined, bits, words::stored_float(steps, at, index)),
        before: access.before.map(|before| words::hex(before, 0, bits)),
    }
}
