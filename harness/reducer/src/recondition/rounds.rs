//! Asks the reference where a launch is indeterminate, and wraps what is at that place, again and again.

use std::sync::Arc;

use warpdiff_emulator::{Compiled, compile, reference};
use warpdiff_model::{Launch, Outcome, Permitted, Semantics};

use super::budget::{Budget, STEPS};
use super::dialect::{Dialect, Purpose};
use super::ptx::PtxProgram;
use super::report::{Concern, Origin, Report, report};
use super::spa::SpaProgram;
use super::wraps::{Side, Wrap, Wrapped, Wraps};

/// The launch with a program that the specification decides: the launch itself where it is decided already, else with instructions around
/// what depends on undefined bits. It may still end with a fault, or not at all. `None` if it is not legal, if nothing helps, or if it takes too long.
///
/// docs/reduce.md says which instructions are added where.
pub fn recondition(launch: &Launch) -> Option<Launch> {
    recondition_within(launch, STEPS)
}

/// The same, where the reference executes at most that many thread-instructions.
pub fn recondition_within(launch: &Launch, steps: u64) -> Option<Launch> {
    match indeterminate(launch)? {
        true => repaired(launch, isize::MAX, Budget::of(steps)),
        false => Some(launch.clone()),
    }
}

/// The same of a launch that is known to be indeterminate, with at most that many instructions more than before.
pub(crate) fn recondition_with(launch: &Launch, most: isize) -> Option<Launch> {
    repaired(launch, most, Budget::of(STEPS))
}

/// Each round adds something or leaves something out that no round before did, so that they end.
fn repaired(launch: &Launch, most: isize, mut budget: Budget) -> Option<Launch> {
    let program: Box<dyn Dialect> = match SpaProgram::of(launch) {
        Some(program) => Box::new(program),
        None => Box::new(PtxProgram::of(launch)?),
    };
    let mut wraps = Wraps::default();
    let mut wrapped = wraps.applied(program.text(), |place, wrap| program.written(place, wrap));
    let with = |wrapped: &Wrapped| Launch { program: Arc::from(wrapped.text.as_str()), ..launch.clone() };
    loop {
        let candidate = with(&wrapped);
        budget.compile(&candidate)?;
        let limited = budget.within(&candidate);
        let answer = Answer::of(&limited)?;
        // A run that ended with the budget is more than it pays for.
        budget.run(answer.runs, answer.steps)?;
        let Some(outcome) = &answer.outcome else { return Some(candidate) };
        let report = report(&answer.compiled.program, &limited, outcome, &mut budget)?;
        let mut round = Round { launch, program: &*program, wraps: &mut wraps, wrapped: &wrapped };
        if !round.repair(&report) || wraps.growth() > most {
            return None;
        }
        wrapped = wraps.applied(program.text(), |place, wrap| program.written(place, wrap));
    }
}

/// Whether the specification does not decide what a launch does; `None` if its program is not legal, or the launch cannot begin.
pub fn indeterminate(launch: &Launch) -> Option<bool> {
    Some(Answer::of(launch)?.outcome.is_some())
}

/// What the reference says of a launch.
struct Answer {
    compiled: Compiled,
    /// The first outcome that is indeterminate.
    outcome: Option<Outcome>,
    /// How many outcomes there are, and the thread-instructions of the longest run.
    runs: usize,
    steps: u64,
}

impl Answer {
    fn of(launch: &Launch) -> Option<Self> {
        let compiled = compile(&launch.program).ok()?;
        let said = reference(&compiled.program, launch, &Semantics::default(), &[], |_| false).ok()?;
        let is_open = |outcome: &Outcome| matches!(outcome.permitted, Permitted::Indeterminate { .. });
        let (runs, mut outcomes) = (said.allowed.outcomes.len(), said.allowed.outcomes.into_iter());
        Some(Self { outcome: outcomes.find(is_open), runs, steps: said.steps, compiled })
    }
}

/// One answer of the reference, and what is done about it.
struct Round<'r> {
    launch: &'r Launch,
    program: &'r dyn Dialect,
    wraps: &'r mut Wraps,
    wrapped: &'r Wrapped,
}

impl Round<'_> {
    /// Does something about a report: at the origins of the undefined bits; where that is done already, at the instruction that reads them;
    /// and if that is done, too, or there is nothing to be done, the instruction goes. Answers whether anything was done.
    fn repair(&mut self, report: &Report) -> bool {
        let Some(line) = self.wrapped.original(report.line) else { return false };
        self.at_origins(report, line) || self.at_reader(report, line) || self.wraps.leave_out(line)
    }

    fn at_origins(&mut self, report: &Report, line: u32) -> bool {
        let mut purpose = purpose(report);
        let mut done = false;
        for origin in &report.origins {
            match origin {
                Origin::Unwritten { register, line } => {
                    let line = self.wrapped.original(*line).unwrap_or(*line);
                    let definition = self.program.definition(self.launch, line, register, purpose);
                    let Some((place, wrap)) = definition else { continue };
                    // One part of an address is a buffer, the others are distances.
                    if matches!(wrap, Wrap::Becomes(_)) {
                        purpose = Purpose::Value;
                    }
                    done |= self.wraps.add(place, wrap);
                }
                Origin::Made { register, line, undefined } => {
                    let line = self.wrapped.original(*line).unwrap_or(*line);
                    if self.program.can_change(line, register) {
                        done |=
                            self.wraps.add((line, Side::After, register.clone()), Wrap::Clear(*undefined));
                    }
                }
            }
        }
        done || self.in_its_place(report, line)
    }

    /// Where every bit is defined, and the value is none that is allowed.
    fn in_its_place(&mut self, report: &Report, line: u32) -> bool {
        if report.what == Concern::Index {
            let clamped = self.program.index_in_table(line);
            return clamped.is_some_and(|(place, wrap)| self.wraps.add(place, wrap));
        }
        let Some(handle) = report.addresses.first().filter(|_| report.what == Concern::Object) else {
            return false;
        };
        match self.program.definition(self.launch, line, handle, purpose(report)) {
            Some((_, wrap @ Wrap::Becomes(_))) => self.wraps.add((line, Side::Before, handle.clone()), wrap),
            _ => false,
        }
    }

    fn at_reader(&mut self, report: &Report, line: u32) -> bool {
        let mut done = false;
        for (register, undefined) in &report.read {
            if self.program.can_change(line, register) {
                done |= self.wraps.add((line, Side::Before, register.clone()), Wrap::Clear(*undefined));
            }
        }
        done
    }
}

/// What the registers at that place are for.
fn purpose(report: &Report) -> Purpose {
    let opcode =
        report.instruction.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
    match report.what {
        Concern::Address if !report.has_place => Purpose::Address,
        Concern::Handle | Concern::Object
            if ["tex", "tld4", "txq"].iter().any(|of| opcode.starts_with(of)) =>
        {
            Purpose::Texture
        }
        Concern::Handle | Concern::Object => Purpose::Surface,
        _ => Purpose::Value,
    }
}
