//! `warpdiff trace CASE`: one thread's run, instruction by instruction, alone or beside another.

use std::str::FromStr;
use std::sync::Arc;

use warpdiff_corpus::Corpus;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_emulator::trace::{Thread, Trace as Recorded, trace};
use warpdiff_emulator::{LaunchError, Options, Program, run};
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::parting::{Parting, counts, parting};
use warpdiff_judge::reference::{Programs, Unit, units};
use warpdiff_model::allowed::{MaskedRegion, MaskedState};
use warpdiff_model::{Launch, Observation, Permitted, Semantics};
use warpdiff_report::trace::{Other, Traced, json, text};
use warpdiff_targets::{CompiledTarget, Target, TargetName};
use warpdiff_terminal::stderr;

use super::run::select;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Threads of a launch that are looked at for one whose runs part.
const THREADS: u64 = 1024;

/// Options of `trace`.
#[derive(Debug, clap::Args)]
pub(crate) struct Trace {
    /// Id of a variant, or text found in it; the first match is traced
    case: String,
    /// Compare with another run of the thread, and print where both part: `compiled[:PTXAS][+O0…+O3]`, the machine code that ptxas
    /// makes of the program, or `emulator+DEVIATION,…`
    #[arg(long, value_name = "TARGET")]
    against: Option<TargetName>,
    /// Number of the launch, from 1 [default: the first; with --against the first that differs]
    #[arg(long, value_name = "N")]
    launch: Option<usize>,
    /// The row of the case whose thread is traced
    #[arg(long, value_name = "N", conflicts_with_all = ["launch", "thread"])]
    row: Option<usize>,
    /// The thread: its number in the grid; the numbers of its block and of the thread in it; or `X,Y,Z,X,Y,Z` of both [default: the
    /// first; with --against the first whose runs part]
    #[arg(long, value_name = "THREAD")]
    thread: Option<ThreadName>,
    /// Most steps that are printed of a run
    #[arg(long, value_name = "N", default_value_t = 200)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A thread as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThreadName {
    InGrid(u64),
    InBlock(u64, u64),
    Position(Thread),
}

impl FromStr for ThreadName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<u32>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        match numbers.as_deref() {
            Ok([number]) => Ok(Self::InGrid(u64::from(*number))),
            Ok([block, thread]) => Ok(Self::InBlock(u64::from(*block), u64::from(*thread))),
            Ok([bx, by, bz, x, y, z]) => {
                Ok(Self::Position(Thread { block: [*bx, *by, *bz], thread: [*x, *y, *z] }))
            }
            _ => Err("expected one, two or six numbers, as in `7`, `0,7` or `0,0,0,7,0,0`".into()),
        }
    }
}

impl ThreadName {
    fn of(self, launch: &Launch) -> Result<Thread, Failure> {
        let per_block: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
        let found = match self {
            Self::InGrid(number) => Thread::of_number(launch, number),
            Self::InBlock(_, thread) if thread >= per_block => None,
            Self::InBlock(block, thread) => Thread::of_number(launch, block * per_block + thread),
            Self::Position(thread) => Some(thread),
        };
        let exists = found.filter(|thread| thread.number(launch).is_some());
        exists.ok_or_else(|| {
            let (grid, block) = (launch.grid, launch.block);
            Failure::usage(format!("--thread: no such thread: the grid is {grid:?}, a block {block:?}"))
        })
    }
}

/// What the reference is compared with.
enum Against {
    /// The same program under other semantics.
    Emulator(Semantics),
    /// Machine code.
    Compiled(Box<CompiledTarget>),
}

/// The program of the other side.
enum Side<'u> {
    Same(&'u Program, Semantics),
    Machine(Arc<Program>),
}

impl Side<'_> {
    fn program(&self) -> (&Program, Semantics) {
        match self {
            Side::Same(program, semantics) => (program, *semantics),
            Side::Machine(program) => (program, Semantics::default()),
        }
    }

    fn trace(&self, launch: &Launch, thread: Thread) -> Result<Recorded, Failure> {
        let (program, semantics) = self.program();
        trace(program, launch, &semantics, thread).map_err(cannot_begin)
    }
}

/// A thread, and where its runs part.
struct Found {
    unit: usize,
    ours: Recorded,
    theirs: Option<(Recorded, Option<Parting>)>,
}

impl Trace {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let against = self.against.as_ref().map(|name| Against::open(name, shared)).transpose()?;
        let corpus = shared.load()?;
        let variant = self.variant(&corpus)?;
        let Work::Launches(launches) = &variant.work else {
            let why = match &variant.work {
                Work::Unsupported(unsupported) => unsupported.problem.message.as_str(),
                _ => "it asks whether a program is legal, and launches nothing",
            };
            return Err(Failure::usage(format!("`{}` has no thread: {why}", variant.id)));
        };
        let mut programs = Programs::default();
        let mut all: Vec<Unit<'_>> = Vec::new();
        for planned in launches {
            all.extend(units(planned, &mut programs).map_err(|error| {
                Failure::broken(format!("the reference cannot run `{}`: {error}", variant.id))
            })?);
        }
        let found = self.find(&all, against.as_ref())?;
        let unit = &all[found.unit];
        let launch = &unit.planned.launch;
        let name = self.against.as_ref().map(ToString::to_string).unwrap_or_default();
        let theirs = found.theirs.as_ref().map(|(trace, parting)| Other {
            name: &name,
            trace,
            parting: *parting,
            effects: [counts(&found.ours.steps), counts(&trace.steps)],
        });
        let number = found.ours.thread.number(launch).and_then(|number| usize::try_from(number).ok());
        let traced = Traced {
            case: &variant.id,
            launch: (found.unit + 1, all.len()),
            entry: &launch.entry,
            row: number.and_then(|number| unit.planned.rows.get(number)).map(|row| row.index),
            ours: &found.ours,
            theirs,
        };
        let printed = if self.json {
            json::render(&traced, self.limit)
                .map_err(|error| Failure::broken(format!("cannot write the trace: {error}")))?
        } else {
            text::render(&traced, self.limit, shared.style())
        };
        emit(&printed)?;
        Ok(Exit::Conforms)
    }

    /// The variant of that id, or the first that matches.
    fn variant<'c>(&self, corpus: &'c Corpus) -> Result<&'c Variant, Failure> {
        if let Some(exact) = corpus.variants.iter().find(|variant| variant.id == self.case) {
            return Ok(exact);
        }
        let matches = select(corpus, std::slice::from_ref(&self.case))?;
        if let [_, rest @ ..] = matches.as_slice()
            && !rest.is_empty()
        {
            stderr::line(format_args!("{} more variants match `{}`", rest.len(), self.case));
        }
        matches.first().copied().ok_or_else(|| Failure::usage(format!("no variant matches `{}`", self.case)))
    }

    /// The launch and the thread to trace, and their traces.
    fn find(&self, units: &[Unit<'_>], against: Option<&Against>) -> Result<Found, Failure> {
        let chosen = self.chosen(units)?;
        let Some(against) = against else {
            let (unit, thread) = chosen;
            let (unit, thread) = (unit.unwrap_or(0), thread.unwrap_or_default());
            return Ok(Found { unit, ours: of_reference(&units[unit], thread)?, theirs: None });
        };
        let numbers: Vec<usize> = chosen.0.map_or((0..units.len()).collect(), |unit| vec![unit]);
        let mut first = None;
        for number in &numbers {
            let unit = &units[*number];
            let side = against.side(unit)?;
            let launch = &unit.planned.launch;
            let both = |thread: Thread| -> Result<Found, Failure> {
                let ours = of_reference(unit, thread)?;
                let theirs = side.trace(launch, thread)?;
                let parting = parting(&ours.steps, &theirs.steps);
                Ok(Found { unit: *number, ours, theirs: Some((theirs, parting)) })
            };
            let parts = |found: &Found| found.theirs.as_ref().is_some_and(|(_, parting)| parting.is_some());
            if let Some(thread) = chosen.1 {
                let found = both(thread)?;
                if chosen.0.is_some() || parts(&found) {
                    return Ok(found);
                }
                first.get_or_insert(found);
                continue;
            }
            if !differs(unit, &side)? {
                continue;
            }
            for thread in (0..THREADS).map_while(|thread| Thread::of_number(launch, thread)) {
                let found = both(thread)?;
                if parts(&found) {
                    return Ok(found);
                }
            }
        }
        if let Some(found) = first {
            return Ok(found);
        }
        let (unit, thread) = (numbers.first().copied().unwrap_or(0), chosen.1.unwrap_or_default());
        let side = against.side(&units[unit])?;
        let ours = of_reference(&units[unit], thread)?;
        let theirs = side.trace(&units[unit].planned.launch, thread)?;
        let parting = parting(&ours.steps, &theirs.steps);
        Ok(Found { unit, ours, theirs: Some((theirs, parting)) })
    }

    /// The launch and the thread that the options name.
    fn chosen(&self, units: &[Unit<'_>]) -> Result<(Option<usize>, Option<Thread>), Failure> {
        if units.is_empty() {
            return Err(Failure::usage(format!("`{}` has no launch", self.case)));
        }
        if let Some(row) = self.row {
            let place = units.iter().enumerate().find_map(|(unit, of)| {
                let position = of.planned.rows.iter().position(|other| other.index == row)?;
                Some((unit, Thread::of_number(&of.planned.launch, position as u64)?))
            });
            let (unit, thread) =
                place.ok_or_else(|| Failure::usage(format!("--row: `{}` has no row {row}", self.case)))?;
            return Ok((Some(unit), Some(thread)));
        }
        let unit = match self.launch {
            None => None,
            Some(number) if (1..=units.len()).contains(&number) => Some(number - 1),
            Some(number) => {
                let count = units.len();
                let message =
                    format!("--launch: `{}` has {count} launches, none is number {number}", self.case);
                return Err(Failure::usage(message));
            }
        };
        let launch = &units[unit.unwrap_or(0)].planned.launch;
        let thread = self.thread.map(|thread| thread.of(launch)).transpose()?;
        Ok((unit, thread))
    }
}

impl Against {
    fn open(name: &TargetName, shared: &SharedOptions) -> Result<Self, Failure> {
        match name {
            TargetName::Emulator(semantics) => Ok(Self::Emulator(*semantics)),
            TargetName::Compiled(name) => {
                let target = CompiledTarget::new(name).beside(shared.roots()?.folders());
                target.prepare().map_err(|why| Failure::broken(format!("{name}: {why}")))?;
                if let Some(remark) = target.remark() {
                    stderr::line(format_args!("{name}: {remark}"));
                }
                Ok(Self::Compiled(Box::new(target)))
            }
            other => Err(Failure::usage(format!(
                "--against {other}: only `compiled` and `emulator` run instruction by instruction"
            ))),
        }
    }

    fn side<'u>(&self, unit: &'u Unit<'_>) -> Result<Side<'u>, Failure> {
        let target = match self {
            Self::Emulator(semantics) => return Ok(Side::Same(&unit.compiled.program, *semantics)),
            Self::Compiled(target) => target,
        };
        let launch = &unit.planned.launch;
        let kernel = target.kernel(&launch.program, &launch.entry);
        kernel.map(Side::Machine).map_err(|observation| {
            Failure::broken(format!("{} cannot run the program: {}", target.name(), reason(&observation)))
        })
    }
}

fn of_reference(unit: &Unit<'_>, thread: Thread) -> Result<Recorded, Failure> {
    trace(&unit.compiled.program, &unit.planned.launch, &Semantics::default(), thread).map_err(cannot_begin)
}

fn cannot_begin(error: LaunchError) -> Failure {
    Failure::broken(format!("the launch cannot begin: {error}"))
}

/// Why there is nothing to trace.
fn reason(observation: &Observation) -> String {
    match observation {
        Observation::Unsupported { what } => format!("unsupported: {what}"),
        Observation::NotRun { why } => why.clone(),
        Observation::Rejected { stage, message, .. } => format!("rejected ({stage}): {message}"),
        Observation::Crashed { signal } => format!("the compiler was killed by signal {signal}"),
        Observation::TimedOut { .. } => "the compiler did not come back".into(),
        Observation::Completed { .. } | Observation::Faulted { .. } => "it has no machine code".into(),
    }
}

/// Whether both sides end a launch differently: in another way, or with another memory.
fn differs(unit: &Unit<'_>, side: &Side<'_>) -> Result<bool, Failure> {
    let launch = &unit.planned.launch;
    let (program, semantics) = side.program();
    let options = Options::default();
    let ours = run(&unit.compiled.program, launch, &Semantics::default(), &options).map_err(cannot_begin)?;
    let theirs = run(program, launch, &semantics, &options).map_err(cannot_begin)?;
    Ok(match (&ours.outcome.permitted, &theirs.outcome.permitted) {
        (Permitted::Completed { state: ours }, Permitted::Completed { state: theirs }) => {
            states_differ(ours, theirs)
        }
        (ours, theirs) => std::mem::discriminant(ours) != std::mem::discriminant(theirs),
    })
}

fn states_differ(ours: &MaskedState, theirs: &MaskedState) -> bool {
    ours.regions.iter().any(|region| {
        let same = |other: &&MaskedRegion| {
            other.region.kind == region.region.kind && other.region.name == region.region.name
        };
        let Some(other) = theirs.regions.iter().find(same) else { return true };
        let bytes = region.region.bytes.iter().zip(&other.region.bytes).enumerate();
        region.region.bytes.len() != other.region.bytes.len()
            || bytes
                .map(|(at, (a, b))| (a ^ b) & settled(region, at) & settled(other, at))
                .any(|bits| bits != 0)
    })
}

/// The bits of a byte that are defined and do not depend on an order.
fn settled(region: &MaskedRegion, at: usize) -> u8 {
    region.defined[at] & !region.unordered[at]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_one_two_or_six_numbers() {
        assert_eq!("7".parse(), Ok(ThreadName::InGrid(7)));
        assert_eq!("1,3".parse(), Ok(ThreadName::InBlock(1, 3)));
        let position = Thread { block: [1, 2, 3], thread: [4, 5, 6] };
        assert_eq!("1,2,3, 4,5,6".parse(), Ok(ThreadName::Position(position)));
        assert!("1,2,3".parse::<ThreadName>().is_err());
        assert!("one".parse::<ThreadName>().is_err());
    }

    #[test]
    fn a_thread_has_to_be_in_the_launch() {
        let mut launch = Launch::new(Arc::from(""), "k");
        (launch.grid, launch.block) = ([2, 1, 1], [4, 2, 1]);
        let of = |text: &str| text.parse::<ThreadName>().unwrap().of(&launch).ok();
        let position = |block: u32, thread: [u32; 3]| Some(Thread { block: [block, 0, 0], thread });
        assert_eq!(of("13"), position(1, [1, 1, 0]));
        assert_eq!(of("1,5"), position(1, [1, 1, 0]));
        assert_eq!(of("1,0,0,1,1,0"), position(1, [1, 1, 0]));
        assert_eq!(of("16"), None);
        assert_eq!(of("0,8"), None);
        assert_eq!(of("0,0,0,4,0,0"), None);
    }
}
