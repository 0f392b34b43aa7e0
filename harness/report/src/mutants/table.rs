//! The fates of deviations for a person: a line for each, the counts below.

use std::fmt::Write;

use warpdiff_session::mutants::{Fate, Mutant, PassedOver, Reason};
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::{Paint, Style};

use super::data::FATES;

/// Columns of the ids, and of the words behind them.
const ID: usize = 34;
const FATE: usize = 20;

/// The table of mutants that were looked for among so many variants.
pub fn render(mutants: &[Mutant], variants: usize, style: Style) -> String {
    let mut out = String::new();
    let mut family = "";
    for mutant in mutants {
        if mutant.entry.family != family {
            let gap = if out.is_empty() { "" } else { "\n" };
            family = mutant.entry.family;
            let _ = writeln!(out, "{gap}{}", style.strong().paint(family));
        }
        line(&mut out, mutant, style);
    }
    let gap = if out.is_empty() { "" } else { "\n" };
    let _ = write!(out, "{gap}");
    for (fate, meaning) in FATES {
        let count = mutants.iter().filter(|mutant| mutant.fate() == fate).count();
        if count > 0 {
            let _ = writeln!(out, "{count:>5} {} ({meaning})", paint(fate, style).paint(fate.name()));
        }
    }
    for (reason, meaning) in Reason::ALL {
        let of_reason = mutants.iter().filter_map(|mutant| mutant.passed_over.get(&reason));
        let (deviations, variants) =
            of_reason.fold((0, 0), |(deviations, variants), it| (deviations + 1, variants + it.variants));
        if deviations > 0 {
            let deviations = counted(deviations, "deviation", "deviations");
            let _ = writeln!(out, "{variants:>5} passed over, of {deviations} ({meaning})");
        }
    }
    let failures = mutants.iter().filter(|mutant| mutant.fate().is_failure()).count();
    let deviations = counted(mutants.len(), "deviation", "deviations");
    let variants = counted(variants, "variant", "variants");
    let verdict = match failures {
        0 => style.good().paint("the cases state what every one gets wrong".to_owned()),
        n => style.bad().paint(format!("{n} that no case states anything against")),
    };
    let _ = writeln!(out, "{verdict} ({deviations} against {variants})");
    out
}

fn line(out: &mut String, mutant: &Mutant, style: Style) {
    let fate = mutant.fate();
    let name = format!("{:FATE$}", fate.name());
    let _ = write!(out, "  {:ID$} {}", mutant.entry.name, paint(fate, style).paint(name));
    match mutant.kill() {
        Some(kill) => {
            let row = kill.row.map_or_else(String::new, |row| format!(" row {row}"));
            let place = format!("{}{row}", kill.location);
            let _ = writeln!(out, " {}", foreign::line(&place));
            if fate.is_failure() {
                let _ = writeln!(out, "  {:ID$} {}", "", style.faint().paint(foreign::line(&kill.what)));
            }
        }
        None if fate == Fate::Survived => {
            let _ = writeln!(out, " {} could show it", counted(mutant.asked, "variant", "variants"));
        }
        None => out.push('\n'),
    }
    for (reason, PassedOver { variants, first, what }) in &mutant.passed_over {
        let variants = counted(*variants, "variant", "variants");
        let words = format!("{variants} passed over: {} ({first}: {what})", reason.meaning());
        let _ = writeln!(out, "  {:ID$} {}", "", style.faint().paint(foreign::line(&words)));
    }
}

fn paint(fate: Fate, style: Style) -> Paint {
    match fate {
        _ if fate.is_failure() => style.bad(),
        Fate::Stated => style.good(),
        _ => style.faint(),
    }
}

fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
