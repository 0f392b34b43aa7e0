//! `warpdiff selfcheck`: checks that damaged states are judged as violations.

use std::fmt::Write;

use rayon::prelude::*;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::reference::{Programs, units};
use warpdiff_judge::selfcheck::damage::DamageExtent;
use warpdiff_judge::selfcheck::examine::{Thoroughness, examine};
use warpdiff_judge::selfcheck::parts::JudgedWith;
use warpdiff_judge::selfcheck::tally::DamageTally;
use warpdiff_terminal::style::Style;

use super::run::select;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `selfcheck`.
#[derive(Debug, clap::Args)]
pub(crate) struct Selfcheck {
    /// Variants to check: text found anywhere in the id, or a pattern with `*` over the whole id
    filter: Vec<String>,

    /// Judge every damage with the whole state. Without it most are judged with the 64 bytes around them, and one byte in 64 with the whole
    /// state: the verdicts are the same, in less time
    #[arg(long)]
    whole: bool,
}

impl Selfcheck {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let corpus = shared.load()?;
        let variants = select(&corpus, &self.filter)?;
        let progress = Progress::new(variants.len(), "variants", "selfcheck");
        let with = if self.whole { JudgedWith::TheWholeState } else { JudgedWith::ItsBlock };
        let tallies: Vec<_> = variants
            .par_iter()
            .map(|variant| {
                let tally = of_variant(variant, with);
                progress.advance();
                tally
            })
            .collect();
        progress.finish();
        let mut total = DamageTally::default();
        tallies.into_iter().for_each(|tally| total.merge(tally));
        emit(&render(&total, shared.style()))?;
        Ok(match (total.total_wrong_verdicts(), total.skipped) {
            (0, 0) => Exit::Conforms,
            (0, _) => Exit::Undecided,
            _ => Exit::Violates,
        })
    }
}

fn of_variant(variant: &Variant, with: JudgedWith) -> DamageTally {
    let mut total = DamageTally::default();
    let Work::Launches(launches) = &variant.work else { return total };
    let mut programs = Programs::default();
    for planned in launches {
        match units(planned, &mut programs) {
            Ok(units) => {
                for unit in units {
                    let extent = match total.launches {
                        0 => DamageExtent::EveryBit,
                        turn => DamageExtent::Turns(usize::try_from(turn).unwrap_or(0)),
                    };
                    total.merge(examine(
                        &variant.id,
                        &unit.allowed,
                        &unit.planned.launch,
                        Thoroughness { extent, with },
                    ));
                }
            }
            Err(_) => total.merge(DamageTally { launches: 1, skipped: 1, ..DamageTally::default() }),
        }
    }
    total
}

fn render(tally: &DamageTally, style: Style) -> String {
    let mut text = String::new();
    for wrong_verdict in &tally.wrong_verdicts {
        let _ = writeln!(text, "{} {wrong_verdict}", style.bad_strong().paint("wrong verdict:"));
    }
    let titles = ["damaged", "damages", "violation", "allowed", "not listed", "wrong"];
    let _ = writeln!(
        text,
        "{:28}{:>12}{:>12}{:>12}{:>12}{:>12}",
        titles[0], titles[1], titles[2], titles[3], titles[4], titles[5]
    );
    for (kind, count) in &tally.counts {
        let paint = if count.wrong_verdicts == 0 { style.plain() } else { style.bad() };
        let _ = writeln!(
            text,
            "{:28}{:>12}{:>12}{:>12}{:>12}{:>12}",
            kind.name(),
            count.tried,
            count.turned,
            count.allowed,
            count.unlisted,
            paint.paint(count.wrong_verdicts)
        );
    }
    let launches = tally.launches;
    let skipped = if tally.skipped == 0 {
        String::new()
    } else {
        format!(", {} of them without a verdict", tally.skipped)
    };
    let verdict = match tally.total_wrong_verdicts() {
        0 => style.good().paint("no wrong verdicts".to_string()),
        n => style.bad().paint(format!("{n} wrong verdicts")),
    };
    let _ = writeln!(
        text,
        "{verdict} ({launches} launches{skipped}; {} damages judged with the whole state)",
        tally.whole
    );
    text
}
