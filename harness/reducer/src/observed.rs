//! What the reference saw in the registers at each line of a program.

use std::collections::{BTreeMap, HashMap};

use warpdiff_emulator::trace::{Control, Register, Thread, trace};
use warpdiff_emulator::{Checked, Compiled, compile};
use warpdiff_model::{Launch, Semantics};
use warpdiff_ptx::vocabulary::Type;

/// Threads of a launch that are looked at. What differs in others makes a candidate that does not persist, and is found then.
const THREADS: u64 = 4;

/// A register at a line.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The values, by the first and the last time that they were seen.
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// Whether all were the same.
    pub(crate) same: bool,
    /// Whether some bit is not the same on every implementation, as in an address.
    open: bool,
    /// Whether no bit was ever written.
    pub(crate) undefined: bool,
}

impl Seen {
    fn add(seen: &mut HashMap<String, Seen>, register: &Register) {
        let Register { name, bits, value, undefined, open, .. } = register;
        let known = seen.entry(name.clone()).or_insert(Seen {
            first: *value,
            last: *value,
            same: true,
            open: false,
            undefined: true,
        });
        known.same &= known.last == *value;
        known.last = *value;
        known.open |= *open != 0;
        known.undefined &= undefined.count_ones() == *bits;
    }
}

/// What was seen at a line.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenLine {
    /// How often it was executed, and how often its guard kept it from that.
    pub(crate) executed: u32,
    pub(crate) skipped: u32,
    /// How often a branch at it was taken.
    pub(crate) taken: u32,
    pub(crate) written: HashMap<String, Seen>,
    pub(crate) read: HashMap<String, Seen>,
}

/// What was seen in a launch.
pub(crate) struct Observed {
    lines: BTreeMap<u32, SeenLine>,
    /// The types of registers, by name; `None` where several scopes declare the name.
    types: HashMap<String, Option<Type>>,
}

impl Observed {
    /// Runs the launch on the reference; `None` if it has no answer.
    pub(crate) fn of(launch: &Launch) -> Option<Self> {
        let compiled = compile(&launch.program).ok()?;
        let mut lines: BTreeMap<u32, SeenLine> = BTreeMap::new();
        for thread in threads(launch) {
            let trace = trace(&compiled.program, launch, &Semantics::default(), thread).ok()?;
            for step in &trace.steps {
                let line = lines.entry(step.line).or_default();
                *if step.skipped { &mut line.skipped } else { &mut line.executed } += 1;
                line.taken += u32::from(matches!(step.control, Control::Branch(_)));
                step.writes.iter().for_each(|register| Seen::add(&mut line.written, register));
                step.reads.iter().for_each(|source| Seen::add(&mut line.read, &source.register));
            }
        }
        Some(Self { lines, types: types(&compiled) })
    }

    /// What was seen at a line; `None` if no thread came there.
    pub(crate) fn line(&self, line: u32) -> Option<&SeenLine> {
        self.lines.get(&line)
    }

    /// The declared type of a register.
    pub(crate) fn ty(&self, name: &str) -> Option<Type> {
        self.types.get(name).copied().flatten()
    }

    /// A value of a register as a literal: zero in place of one that was never written. `None` if it depends on where memory lies, or
    /// is undefined in part, or the register has no literals.
    pub(crate) fn literal(&self, name: &str, seen: &Seen, value: u64) -> Option<String> {
        let value = known(seen, value)?;
        Some(match self.ty(name) {
            Some(Type::F32) => format!("0f{:08X}", value as u32),
            Some(Type::F64) => format!("0d{value:016X}"),
            Some(ty) if ty.size() == 16 => return None,
            // Special registers are declared nowhere.
            Some(_) | None if value < 10 => value.to_string(),
            Some(_) | None => format!("{value:#x}"),
        })
    }

    /// The same as a floating-point number with these bits; `None` also if the register has neither 32 nor 64 bits.
    pub(crate) fn float_literal(&self, name: &str, seen: &Seen, value: u64) -> Option<String> {
        let value = known(seen, value)?;
        match self.ty(name)?.size() {
            4 => Some(format!("0f{:08X}", value as u32)),
            8 => Some(format!("0d{value:016X}")),
            _ => None,
        }
    }
}

/// The value; zero of a register that was never written, `None` of one that is not the same on every implementation.
fn known(seen: &Seen, value: u64) -> Option<u64> {
    match seen {
        Seen { undefined: true, .. } => Some(0),
        Seen { open: true, .. } => None,
        _ => Some(value),
    }
}

/// The first threads, and the last one.
fn threads(launch: &Launch) -> Vec<Thread> {
    let count: u64 = launch.grid.iter().chain(&launch.block).map(|n| u64::from(*n)).product();
    let numbers = (0..count.min(THREADS)).chain((count > THREADS).then(|| count - 1));
    numbers.filter_map(|number| Thread::of_number(launch, number)).collect()
}

fn types(compiled: &Compiled) -> HashMap<String, Option<Type>> {
    let mut types = HashMap::new();
    let Checked::Ptx(module) = &compiled.checked else { return types };
    for register in module.functions.iter().flat_map(|function| &function.registers) {
        let ty = (register.vector == 1).then_some(register.ty);
        let known = types.entry(register.name.to_string()).or_insert(ty);
        if *known != ty {
            *known = None;
        }
    }
    types
}
