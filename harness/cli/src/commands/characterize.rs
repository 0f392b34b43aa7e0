//! `warpdiff characterize`: what a target does where the specification leaves the choice.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use warpdiff_judge::status::Exit;
use warpdiff_report::golden::atomic;
use warpdiff_session::characterize::{Character, characterize};
use warpdiff_session::experiment::Told;
use warpdiff_targets::{Target, TargetName};
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::Style;

use super::output::emit;
use super::progress::Progress;
use super::run::select;
use super::target_options::{self, Conduct};
use super::{Failure, Shared};

/// Options of `characterize`.
#[derive(Debug, clap::Args)]
pub(super) struct Characterize {
    /// Variants to use as experiments, as for `run`
    filter: Vec<String>,
    /// The target: as for `run`
    #[arg(long, value_name = "TARGET")]
    against: String,
    /// Also write what was found to FILE, as YAML
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How many answers to a question are printed for each variant
    #[arg(long, value_name = "N", default_value_t = 8)]
    show: usize,
    #[command(flatten)]
    conduct: Conduct,
}

/// What is written to a file.
#[derive(Serialize)]
struct Written<'a> {
    target: &'a str,
    device: BTreeMap<String, String>,
    warpdiff: &'a str,
    choices: BTreeMap<&'a str, Choice<'a>>,
    /// The answers to the questions of cases.
    answers: &'a [Told],
}

#[derive(Serialize)]
struct Choice<'a> {
    question: &'a str,
    chosen: String,
    /// Launches by alternative.
    launches: BTreeMap<&'a str, usize>,
    open: usize,
    neither: usize,
    not_run: usize,
}

impl Characterize {
    pub(super) fn execute(&self, shared: &Shared) -> Result<Exit, Failure> {
        let name: TargetName = self.against.parse().map_err(|e| Failure::usage(format!("--against: {e}")))?;
        let journal = self.conduct.journal()?;
        let target = self.conduct.open(&name)?;
        let corpus = shared.load()?;
        let variants = select(&corpus, &self.filter)?;
        let target = self.conduct.before(target, &variants, &BTreeSet::new(), journal.as_ref());
        let progress = Progress::new(variants.len());
        let character = characterize(&variants, target.as_ref(), &|| progress.advance());
        progress.finish();
        target_options::effort(target.as_ref());
        if let Some(path) = &self.output {
            let broken = |e: String| Failure::broken(format!("{}: {e}", path.display()));
            let text = serde_yaml::to_string(&written(target.as_ref(), &character))
                .map_err(|e| broken(e.to_string()))?;
            atomic::replace(path, &text).map_err(|e| broken(e.to_string()))?;
        }
        let style = shared.style();
        let mut text = String::new();
        for (info, tally) in &character.choices {
            let _ = writeln!(text, "{}: {}", style.strong().paint(info.name), tally.words(info));
            let _ = writeln!(text, "    {}", style.faint().paint(info.question));
            for (index, name) in info.alternatives.iter().enumerate() {
                let count = u8::try_from(index).ok().and_then(|index| tally.taken.get(&index)).unwrap_or(&0);
                let _ = writeln!(text, "    {count:>5}  {name}");
            }
            let others = [(tally.open, "either"), (tally.neither, "neither"), (tally.not_run, "not run")];
            for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
                let _ = writeln!(text, "    {count:>5}  {what}");
            }
        }
        self.questions(&mut text, &character.told, style);
        emit(&text)?;
        let exit = if character.is_in_vain() { Exit::Undecided } else { Exit::Conforms };
        Ok(exit.and(target_options::breakdown(target.as_ref())))
    }

    /// The answers to the questions of cases, the first of each.
    fn questions(&self, text: &mut String, told: &[Told], style: Style) {
        let mut before = "";
        for Told { question, variant, answers } in told {
            if question != before {
                let _ = writeln!(text, "\n{}", style.strong().paint(question));
                before = question;
            }
            let _ = writeln!(text, "  {}", style.faint().paint(variant));
            answers
                .iter()
                .take(self.show)
                .for_each(|answer| text.push_str(&format!("    {}\n", foreign::lines(answer, 6))));
            if answers.len() > self.show {
                let more = answers.len() - self.show;
                let _ = writeln!(text, "    … and {more} more (--show N prints more, -o FILE writes all)");
            }
        }
    }
}

fn written<'a>(target: &'a dyn Target, character: &'a Character) -> Written<'a> {
    let choices = character.choices.iter().map(|(info, tally)| {
        let named =
            |(index, count): (&u8, &usize)| Some((*info.alternatives.get(usize::from(*index))?, *count));
        let choice = Choice {
            question: info.question,
            chosen: tally.words(info),
            launches: tally.taken.iter().filter_map(named).collect(),
            open: tally.open,
            neither: tally.neither,
            not_run: tally.not_run,
        };
        (info.name, choice)
    });
    Written {
        target: target.name(),
        device: target.device(),
        warpdiff: env!("CARGO_PKG_VERSION"),
        choices: choices.collect(),
        answers: &character.told,
    }
}
