//! Where the reference stops because the specification does not say what happens, and the origins of the undefined bits there.

use std::collections::HashSet;

use warpdiff_emulator::Program;
use warpdiff_emulator::trace::{Source, Step, Thread, trace};
use warpdiff_model::{Launch, Outcome, Permitted, Semantics};

use super::budget::Budget;

/// Threads that are looked at for the one at which the launch stops.
const THREADS: u64 = 256;

/// How the reference begins where undefined bits are the reason.
const OF_BITS: &str = "depends on undefined bits";

/// What of an instruction the reference stops at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concern {
    Guard,
    Address,
    Coordinate,
    /// The bits of a handle.
    Handle,
    /// The object that a handle names, which is none.
    Object,
    /// The index of a table of branches, which is beyond it.
    Index,
    Another,
}

impl Concern {
    /// By the words of the reference.
    fn named(words: &str) -> Self {
        match words {
            "the guard" => Self::Guard,
            "the address" => Self::Address,
            "a coordinate" => Self::Coordinate,
            "the surface handle" => Self::Handle,
            "the surface operand" => Self::Object,
            "the out-of-range index" => Self::Index,
            _ => Self::Another,
        }
    }
}

/// A place where the reference stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Report {
    /// The line of the instruction.
    pub(super) line: u32,
    /// What of the instruction is concerned.
    pub(super) what: Concern,
    /// The instruction.
    pub(super) instruction: String,
    /// The registers of it that have undefined bits, with these bits.
    pub(super) read: Vec<(String, u64)>,
    /// Where these come from.
    pub(super) origins: Vec<Origin>,
    /// The registers that say which memory or object is accessed.
    pub(super) addresses: Vec<String>,
    /// Whether the place of a buffer or of a variable is part of the values.
    pub(super) has_place: bool,
}

/// The origin of undefined bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Nothing wrote the register before the instruction at this line read it.
    Unwritten { register: String, line: u32 },
    /// The instruction at this line left these bits of its result undefined.
    Made { register: String, line: u32, undefined: u64 },
}

/// What the reference says of the outcome, if that is indeterminate; `None` also if it names no line. Where no record of a thread shows
/// undefined bits at that line, the report has none. `None` as well where the budget is used up.
pub(super) fn report(
    program: &Program,
    launch: &Launch,
    outcome: &Outcome,
    budget: &mut Budget,
) -> Option<Report> {
    let Permitted::Indeterminate { place, origin } = &outcome.permitted else { return None };
    let (before, line) = place.rsplit_once(", line ")?;
    let (what, instruction) = before.split_once(" of `").unwrap_or((before, ""));
    let mut report = Report {
        line: line.parse().ok()?,
        what: Concern::named(what),
        instruction: instruction.trim_end_matches('`').to_owned(),
        read: Vec::new(),
        origins: Vec::new(),
        addresses: Vec::new(),
        has_place: false,
    };
    let is_of_bits = origin.starts_with(OF_BITS);
    // Of all else no register is asked for.
    if !is_of_bits && report.what != Concern::Object {
        return Some(report);
    }
    let semantics = Semantics::default().under(outcome.assignment);
    let threads = (0..THREADS).map_while(|number| Thread::of_number(launch, number));
    for thread in threads {
        let Ok(trace) = trace(program, launch, &semantics, thread) else { break };
        budget.run(1, trace.run.steps)?;
        let Some(last) = trace.steps.last().filter(|step| step.line == report.line) else { continue };
        report.addresses = addresses(last);
        report.explain(&trace.steps);
        if !is_of_bits || !report.read.is_empty() {
            break;
        }
    }
    Some(report)
}

fn addresses(step: &Step) -> Vec<String> {
    let addresses = step.reads.iter().filter(|source| source.addresses);
    addresses.map(|source| source.register.name.clone()).collect()
}

impl Report {
    /// Finds the undefined bits that the last step reads, and follows them back to where they began.
    fn explain(&mut self, steps: &[Step]) {
        let Some(last) = steps.last() else { return };
        let concerned: Vec<&Source> = last.reads.iter().filter(|source| self.concerns(source)).collect();
        let reader = steps.len() - 1;
        let mut open: Vec<(usize, &Source)> = concerned.iter().map(|source| (reader, *source)).collect();
        self.read = concerned.iter().map(|of| (of.register.name.clone(), of.register.undefined)).collect();
        let mut seen = HashSet::new();
        while let Some((reader, source)) = open.pop() {
            if !seen.insert((reader, source.register.name.as_str())) {
                continue;
            }
            let Some((writer, undefined)) = writer(steps, source) else {
                let register = source.register.name.clone();
                self.origins.push(Origin::Unwritten { register, line: steps[reader].line });
                continue;
            };
            let step = &steps[writer];
            self.has_place |= step.reads.iter().any(|of| of.register.open & !of.register.undefined != 0);
            let inner: Vec<&Source> = step.reads.iter().filter(|of| of.register.undefined != 0).collect();
            if inner.is_empty() {
                let register = source.register.name.clone();
                self.origins.push(Origin::Made { register, line: step.line, undefined });
            }
            open.extend(inner.into_iter().map(|of| (writer, of)));
        }
    }

    /// Whether the undefined bits of a source are what the reference stops at: a stored value may have some.
    fn concerns(&self, source: &Source) -> bool {
        let is_right = match self.what {
            Concern::Guard => source.register.bits == 1,
            Concern::Address | Concern::Coordinate | Concern::Handle => source.addresses,
            Concern::Object | Concern::Index | Concern::Another => true,
        };
        is_right && source.register.undefined != 0
    }
}

/// The step that wrote what a source reads, and the bits that it left undefined; `None` if what was read is older than what is known to be
/// written there.
fn writer(steps: &[Step], source: &Source) -> Option<(usize, u64)> {
    let writer = source.written_by?;
    let written = steps.get(writer)?.writes.iter().find(|of| of.name == source.register.name)?;
    let undefined = written.undefined & source.register.undefined;
    (undefined != 0).then_some((writer, undefined))
}
