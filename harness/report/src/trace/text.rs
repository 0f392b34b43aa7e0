//! A trace on a terminal.

use std::fmt::Write;

use warpdiff_emulator::trace::{Access, Step, Trace};
use warpdiff_judge::parting::{Counts, Effect, Parting, producers};
use warpdiff_terminal::style::Style;

use super::words;
use super::{BEFORE, Other, PRODUCERS, Traced};

/// Widest instruction that the others are aligned with.
const WIDEST: usize = 48;

/// The text of a trace, or of two side by side. `limit` is the number of steps that are printed of a trace.
pub fn render(traced: &Traced<'_>, limit: usize, style: Style) -> String {
    let mut text = String::new();
    heading(&mut text, traced, style);
    match &traced.theirs {
        None => whole(&mut text, traced.ours, limit, style),
        Some(other) => compared(&mut text, traced.ours, other, limit, style),
    }
    text
}

fn heading(text: &mut String, traced: &Traced<'_>, style: Style) {
    let _ = writeln!(text, "{}", style.strong().paint(traced.case));
    let (number, count) = traced.launch;
    let row = traced.row.map(|row| format!(", row {row}")).unwrap_or_default();
    let _ = writeln!(
        text,
        "launch {number} of {count}, kernel `{}`, thread {}{row}",
        traced.entry,
        words::thread(traced.ours.thread)
    );
}

fn whole(text: &mut String, trace: &Trace, limit: usize, style: Style) {
    text.push('\n');
    let shown = trace.steps.len().min(limit);
    let numbers: Vec<usize> = (0..shown).collect();
    steps(text, trace, &numbers, &[], style);
    let hidden = trace.taken - shown as u64;
    if hidden > 0 {
        let _ = writeln!(
            text,
            "{}",
            style.faint().paint(format!("… and {hidden} more steps (--limit N prints more)"))
        );
    }
    let _ = writeln!(text, "\n{} steps; {}", trace.taken, words::ending(trace));
}

/// Steps by their numbers, with a gap where some are left out. Those of `marked` are set off.
fn steps(text: &mut String, trace: &Trace, numbers: &[usize], marked: &[usize], style: Style) {
    let of = |number: &usize| trace.steps[*number].instruction.chars().count();
    let width = numbers.iter().map(of).max().unwrap_or(0).min(WIDEST);
    let _ = writeln!(
        text,
        "{}",
        style.faint().paint(format!("  {:>6} {:>5}  {:width$}  what it does", "step", "line", "instruction"))
    );
    let mut last = None;
    for number in numbers {
        if last.is_some_and(|last| last + 1 != *number) {
            let _ = writeln!(text, "  {:>6}", "…");
        }
        last = Some(*number);
        step(text, &trace.steps, *number, width, marked.contains(number), style);
    }
}

fn step(text: &mut String, steps: &[Step], number: usize, width: usize, marked: bool, style: Style) {
    let step = &steps[number];
    let mark = if marked { '>' } else { ' ' };
    let mut effects = words::effects(steps, step).into_iter();
    let first = effects.next().unwrap_or_default();
    let line = format!("{mark} {:>6} {:>5}  {:width$}  {first}", number + 1, step.line, step.instruction);
    let paint = match () {
        () if marked => style.strong(),
        () if step.skipped => style.faint(),
        () => style.plain(),
    };
    let _ = writeln!(text, "{}", paint.paint(line.trim_end()));
    for effect in effects {
        let _ = writeln!(text, "{}", paint.paint(format!("{:1$}{effect}", "", width + 18)));
    }
}

fn compared(text: &mut String, ours: &Trace, other: &Other<'_>, limit: usize, style: Style) {
    let Some(parting) = other.parting else {
        let _ = writeln!(
            text,
            "\nboth runs have the same effects; they never part\n  reference: {}\n  {}: {}",
            run(ours, other.effects[0]),
            other.name,
            run(other.trace, other.effects[1])
        );
        return;
    };
    let _ = writeln!(text, "\n{}", style.bad().paint(where_they_part(ours, other, parting)));
    let same_place = is_same_place(ours, other, parting);
    let sides = [("reference", ours, parting.ours, 0), (other.name, other.trace, parting.theirs, 1)];
    for (name, trace, effect, side) in sides {
        let _ = writeln!(text, "\n{}: {}", style.strong().paint(name), run(trace, other.effects[side]));
        let end = effect.map_or(trace.steps.len(), |effect| effect.step + 1);
        let shown = (BEFORE + 1).min(limit.max(1));
        let numbers: Vec<usize> = (end.saturating_sub(shown)..end).collect();
        let marked: Vec<usize> = effect.iter().map(|effect| effect.step).collect();
        steps(text, trace, &numbers, &marked, style);
        if let Some(effect) = effect {
            made(text, trace, effect, same_place, style);
        }
    }
}

/// `12 steps, 3 stores, 2 loads, 0 atomics; the launch completes`
fn run(trace: &Trace, counts: Counts) -> String {
    let Counts { loads, stores, atomics } = counts;
    let of = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    format!(
        "{} steps, {}, {}, {}; {}",
        trace.taken,
        of(stores, "store"),
        of(loads, "load"),
        of(atomics, "atomic"),
        words::ending(trace)
    )
}

/// The steps that made the value.
fn made(text: &mut String, trace: &Trace, effect: Effect, same_place: bool, style: Style) {
    let numbers = producers(&trace.steps, effect, same_place, PRODUCERS);
    if numbers.is_empty() {
        return;
    }
    let what = if same_place { "value" } else { "value and address" };
    let _ = writeln!(text, "  {}", style.faint().paint(format!("made the {what}:")));
    steps(text, trace, &numbers, &[], style);
}

fn access(trace: &Trace, effect: Effect) -> &Access {
    &trace.steps[effect.step].accesses[effect.access]
}

/// Whether both runs access the same place.
pub(super) fn is_same_place(ours: &Trace, other: &Other<'_>, parting: Parting) -> bool {
    let Some((first, second)) = parting.ours.zip(parting.theirs) else { return false };
    access(ours, first).place == access(other.trace, second).place
}

/// The sentence about both effects.
pub(super) fn where_they_part(ours: &Trace, other: &Other<'_>, parting: Parting) -> String {
    let of = |trace: &Trace, effect: Effect| {
        let step = &trace.steps[effect.step];
        format!("{} (line {})", words::access(&trace.steps, step, effect.access), step.line)
    };
    let name = other.name;
    match (parting.ours, parting.theirs) {
        (Some(first), Some(second)) => {
            let (first, second) = (of(ours, first), of(other.trace, second));
            format!("they part here: reference: {first}; {name}: {second}")
        }
        (Some(first), None) => format!("they part here: reference: {}; {name}: nothing", of(ours, first)),
        (None, Some(second)) => {
            format!("they part here: reference: nothing; {name}: {}", of(other.trace, second))
        }
        (None, None) => "they part".into(),
    }
}
