//! `warpdiff characterize`: the alternatives that a target takes where the specification leaves a choice; with `--profile` also its
//! deviations, as a profile.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use warpdiff_corpus::plan::Variant;
use warpdiff_expectations::cause::Failure as Failed;
use warpdiff_expectations::day::Day;
use warpdiff_expectations::profile_text::{self, Seen};
use warpdiff_judge::exit_code::Exit;
use warpdiff_model::Deviation;
use warpdiff_report::replace_file::replace;
use warpdiff_session::causes;
use warpdiff_session::characterize::{Character, characterize};
use warpdiff_session::question_answers::QuestionAnswers;
use warpdiff_session::session;
use warpdiff_targets::{Target, TargetName};
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::Style;

use super::run::select;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;
use crate::target_options::{self, TargetOptions};

/// Options of `characterize`.
#[derive(Debug, clap::Args)]
pub(crate) struct Characterize {
    /// Variants to use as experiments, as for `run`
    filter: Vec<String>,
    /// The target: as for `run`
    #[arg(long, value_name = "TARGET")]
    against: TargetName,
    /// Also write the results to FILE, as YAML
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write what the target was seen to do to FILE, as a profile for `run --profile` (docs/profiles.md): the choices it made, and the
    /// deviations that reproduce what it does wrong. The variants are run and judged for that
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// How many answers to a question are printed for each variant
    #[arg(long, value_name = "N", default_value_t = 8)]
    show: usize,
    #[command(flatten)]
    target_options: TargetOptions,
}

/// The file of `--output`.
#[derive(Serialize)]
struct CharacterFile<'a> {
    target: &'a str,
    device: BTreeMap<String, String>,
    warpdiff: &'a str,
    choices: BTreeMap<&'a str, WrittenChoice<'a>>,
    /// The answers to the questions of cases.
    answers: &'a [QuestionAnswers],
}

#[derive(Serialize)]
struct WrittenChoice<'a> {
    question: &'a str,
    chosen: String,
    /// Launches by alternative.
    launches: BTreeMap<&'a str, usize>,
    open: usize,
    neither: usize,
    not_run: usize,
}

impl Characterize {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let journal = self.target_options.journal()?;
        let target = self.target_options.open(&self.against, shared)?;
        let corpus = shared.load()?;
        let variants = select(&corpus, &self.filter)?;
        let target = self.target_options.before(target, &variants, &BTreeSet::new(), journal.as_ref());
        let targets = [target];
        let target = &targets[0];
        let progress = Progress::new(variants.len(), "variants", target.name());
        let character = characterize(&variants, target.as_ref(), &|| progress.advance());
        progress.finish();
        target_options::effort(target.as_ref());
        self.target_options.resumed(journal.as_ref());
        let kept = self.target_options.kept(journal.as_ref());
        if let Some(path) = &self.output {
            let broken = |e: String| Failure::broken(format!("{}: {e}", path.display()));
            let text = serde_yaml::to_string(&written(target.as_ref(), &character))
                .map_err(|e| broken(e.to_string()))?;
            replace(path, &text).map_err(|e| broken(e.to_string()))?;
        }
        if let Some(path) = &self.profile {
            let text = self.written_profile(&targets, &character, &variants);
            replace(path, &text).map_err(|e| Failure::broken(format!("{}: {e}", path.display())))?;
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
        self.questions(&mut text, &character.question_answers, style);
        emit(&text)?;
        kept?;
        let exit = if character.ran_nothing() { Exit::Undecided } else { Exit::Conforms };
        Ok(exit.and(target_options::breakdown(target.as_ref())))
    }

    /// The text of a profile of what the target was seen to do.
    fn written_profile(
        &self,
        targets: &[Box<dyn Target>; 1],
        character: &Character,
        variants: &[&Variant],
    ) -> String {
        let [target] = targets;
        let progress = Progress::new(variants.len(), "variants", target.name());
        let session = session::run(variants, targets, &|| progress.advance());
        progress.finish();
        let mut deviations: BTreeMap<Deviation, usize> = BTreeMap::new();
        let mut unexplained: BTreeMap<String, usize> = BTreeMap::new();
        for verdict in &session.verdicts {
            let earned = &verdict.targets[0];
            let failures = earned.findings.iter().filter(|finding| finding.raw.is_failure()).map(Failed::of);
            let (known, others): (Vec<_>, Vec<_>) =
                failures.partition(|failure| !failure.deviations.is_empty());
            let shown: BTreeSet<Deviation> =
                known.iter().flat_map(|failure| failure.cause().deviations).collect();
            shown.into_iter().for_each(|deviation| *deviations.entry(deviation).or_default() += 1);
            if !others.is_empty()
                && let Some(cause) = causes::cause(earned)
            {
                *unexplained.entry(cause).or_default() += 1;
            }
        }
        let taken = character.choices.iter().filter(|(_, tally)| !tally.taken.is_empty());
        let filter: String = self.filter.iter().map(|one| format!(" '{one}'")).collect();
        let date = Day::today();
        profile_text::written(&Seen {
            describes: format!("{} as warpdiff {} saw it", target.name(), env!("CARGO_PKG_VERSION")),
            target: target.name(),
            choices: taken.map(|(info, tally)| (*info, tally.taken.keys().copied().collect())).collect(),
            deviations: deviations.into_iter().collect(),
            unexplained: unexplained.into_iter().collect(),
            command: format!("warpdiff characterize{filter} --against '{}'", target.name()),
            date,
        })
    }

    /// The answers to the questions of cases, the first of each.
    fn questions(&self, text: &mut String, question_answers: &[QuestionAnswers], style: Style) {
        let mut before = "";
        for QuestionAnswers { question, variant, answers } in question_answers {
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

fn written<'a>(target: &'a dyn Target, character: &'a Character) -> CharacterFile<'a> {
    let choices = character.choices.iter().map(|(info, tally)| {
        let named =
            |(index, count): (&u8, &usize)| Some((*info.alternatives.get(usize::from(*index))?, *count));
        let choice = WrittenChoice {
            question: info.question,
            chosen: tally.words(info),
            launches: tally.taken.iter().filter_map(named).collect(),
            open: tally.open,
            neither: tally.neither,
            not_run: tally.not_run,
        };
        (info.name, choice)
    });
    CharacterFile {
        target: target.name(),
        device: target.device(),
        warpdiff: env!("CARGO_PKG_VERSION"),
        choices: choices.collect(),
        answers: &character.question_answers,
    }
}
