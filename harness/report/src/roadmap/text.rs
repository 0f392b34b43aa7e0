//! A roadmap for a person: a line for each feature, the steps in their order.

use std::collections::BTreeMap;
use std::fmt::Write;

use warpdiff_judge::features::placeholder::PLACEHOLDERS;
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::Style;

use super::whole::{LeftOut, Roadmap, Step, Unexplained};

/// The roadmap, with at most so many steps.
pub fn text(roadmap: &Roadmap, most: usize, style: Style) -> String {
    let mut out = String::new();
    if let Some(target) = &roadmap.against {
        let _ = writeln!(
            out,
            "{} runs {} of {} variants",
            style.strong().paint(foreign::line(target)),
            roadmap.answered,
            roadmap.variants
        );
        for (what, count) in &roadmap.open {
            let _ = writeln!(out, "  {count} of the others: {what}; what they need is left open");
        }
        out.push('\n');
    }
    let shown = &roadmap.steps[..roadmap.steps.len().min(most)];
    if !shown.is_empty() {
        let _ =
            writeln!(out, "{}", style.faint().paint(" step  unlocks   in all           used by  feature"));
    }
    for (step, number) in shown.iter().zip(1_usize..) {
        write_step(&mut out, step, number, roadmap.variants, style);
    }
    let hidden = &roadmap.steps[shown.len()..];
    if !hidden.is_empty() {
        let unlocked: usize = hidden.iter().map(|step| step.unlocks.len()).sum();
        let steps = counted(hidden.len(), "more step", "more steps");
        let _ = writeln!(out, "… and {steps}, which unlock {unlocked} variants (--show N prints more)");
    }
    let placeholders = PLACEHOLDERS.iter().filter(|(word, _)| uses(shown, word));
    for (word, meaning) in placeholders {
        let _ = writeln!(out, "{word:>9}  {}", style.faint().paint(meaning));
    }
    if !roadmap.unexplained.is_empty() {
        write_unexplained(&mut out, &roadmap.unexplained);
    }
    let features = counted(roadmap.features.len(), "feature", "features");
    let steps = counted(roadmap.steps.len(), "step", "steps");
    let missing = roadmap.features.iter().filter(|feature| !feature.there).count();
    let _ = match roadmap.against {
        Some(_) => writeln!(out, "{features}, of which {missing} are missing, in {steps}"),
        None => writeln!(out, "{features} in {steps} for {} variants", roadmap.variants),
    };
    write_left_out(&mut out, roadmap.language, roadmap.left_out);
    out
}

fn write_step(out: &mut String, step: &Step, number: usize, all: usize, style: Style) {
    let share = 100.0 * step.in_all as f64 / all.max(1) as f64;
    let head = format!("{number:>5} {:>8} {:>8} {share:>6.1} %", step.unlocks.len(), step.in_all);
    for (index, feature) in step.features.iter().enumerate() {
        let head = if index == 0 { head.as_str() } else { "" };
        let _ = writeln!(out, "{head:<31} {:>8}  {}", feature.used_by, style.strong().paint(&feature.name));
    }
    if let Some(example) = step.unlocks.first() {
        let _ = writeln!(out, "{:41} {}", "", style.faint().paint(format_args!("e.g. {example}")));
    }
}

/// The reasons of variants that miss nothing, each once with an example.
fn write_unexplained(out: &mut String, unexplained: &[Unexplained]) {
    let count = counted(unexplained.len(), "variant needs", "variants need");
    let _ = writeln!(out, "{count} nothing that is missing, and the target says of them:");
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Unexplained { variant, reason } in unexplained {
        reasons.entry(reason).or_default().push(variant);
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, variants)| std::cmp::Reverse(variants.len()));
    for (reason, variants) in reasons {
        let _ = writeln!(out, "{:>7}  {}, e.g. {}", variants.len(), foreign::line(reason), variants[0]);
    }
}

fn write_left_out(out: &mut String, language: &str, left_out: LeftOut) {
    let LeftOut { other_language, legality, unread } = left_out;
    let other = if language == "ptx" { ("SPA 5.0", "spa-5.0") } else { ("PTX", "ptx") };
    let lines = [
        (other_language, format!("in {}: --language {} lists what they need", other.0, other.1)),
        (legality, "that only assemblers answer".to_owned()),
        (unread, "whose programs the reference cannot read".to_owned()),
    ];
    for (count, what) in lines.into_iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(out, "without {} {what}", counted(count, "variant", "variants"));
    }
}

/// Whether a step has a feature with this placeholder.
fn uses(steps: &[Step], placeholder: &str) -> bool {
    steps.iter().flat_map(|step| &step.features).any(|feature| feature.name.contains(placeholder))
}

fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
