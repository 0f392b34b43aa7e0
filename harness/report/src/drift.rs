//! The comparison with recordings: a line of counts for each target that is one or is compared with one, and the drifted launches.

use std::fmt::Write;

use warpdiff_judge::verdict_table::Recorded;
use warpdiff_session::missing_recordings::{compared, replayed};
use warpdiff_session::session::Session;
use warpdiff_session::verdict::RecordedLaunches;
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::{Paint, Style};

/// Drifts and counts of every target that is compared with a recording; at most `show` drifts for each target.
pub fn lines(session: &Session<'_>, show: usize, style: Style) -> String {
    let mut text = String::new();
    for (index, name) in session.targets.iter().enumerate() {
        if let Some(kept) = replayed(session, index) {
            let line = format!("{name}: {}", launches(kept));
            let _ = writeln!(text, "{}", paint(kept, false, style).paint(line));
        }
        let (Some(folder), Some(kept)) = (&session.recordings[index], compared(session, index)) else {
            continue;
        };
        drifts(&mut text, session, index, show, style);
        let counts = Recorded::ALL.map(|(recorded, words)| {
            let of =
                |v: &&warpdiff_session::verdict::Verdict<'_>| v.targets[index].recorded == Some(recorded);
            (session.verdicts.iter().filter(of).count(), recorded, words)
        });
        let said = counts.iter().filter(|(n, recorded, _)| *n > 0 || *recorded == Recorded::Same);
        let words: Vec<_> = said.map(|(n, _, words)| format!("{n} {words}")).collect();
        let differs = |recorded: &Recorded| matches!(recorded, Recorded::TurnedWrong | Recorded::Drifted);
        let drifted = counts.iter().any(|(n, recorded, _)| *n > 0 && differs(recorded));
        let line = format!("{name}, recorded in {folder}: {}; {}", words.join(", "), launches(kept));
        let _ = writeln!(text, "{}", paint(kept, drifted, style).paint(line));
    }
    text
}

/// How many launches of the run a recording has.
fn launches(RecordedLaunches { found, absent }: RecordedLaunches) -> String {
    format!("it has {found} of the {} launches and programs of this run", found + absent)
}

fn paint(kept: RecordedLaunches, drifted: bool, style: Style) -> Paint {
    let nothing = kept.found == 0 && kept.absent > 0;
    if drifted || nothing { style.warn() } else { style.plain() }
}

fn drifts(text: &mut String, session: &Session<'_>, index: usize, show: usize, style: Style) {
    let drifted = session.verdicts.iter().flat_map(|verdict| {
        let drifts = verdict.targets[index].drifts.iter();
        drifts.filter(|d| d.drift.recorded == Recorded::Drifted).map(|d| (&verdict.variant.id, d))
    });
    let drifted: Vec<_> = drifted.collect();
    for (id, found) in drifted.iter().take(show) {
        let _ = writeln!(text, "{} {id}, {}", style.warn().paint("drifted:"), found.part);
        let _ = writeln!(text, "  {}", foreign::lines(&found.drift.words, 4));
    }
    if drifted.len() > show {
        let _ = writeln!(
            text,
            "… and {} more launches that drifted (--show N prints more)",
            drifted.len() - show
        );
    }
}
