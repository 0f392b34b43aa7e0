//! `warpdiff roadmap`: the features that the corpus uses, in the order that unlocks the most variants first.

use std::collections::BTreeSet;

use clap::ValueEnum;
use rayon::prelude::*;
use warpdiff_corpus::plan::Variant;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::features::feature::Feature;
use warpdiff_judge::features::of_variant::{Without, of_variant};
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::MismatchClass;
use warpdiff_report::roadmap::text::text;
use warpdiff_report::roadmap::whole::{Asked, LeftOut, Roadmap, Standing};
use warpdiff_session::session;
use warpdiff_session::verdict::TargetVerdict;
use warpdiff_targets::{Target, TargetName};
use warpdiff_terminal::foreign;

use super::run::select;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;
use crate::target_options::{self, TargetOptions};

/// Options of `roadmap`.
#[derive(Debug, clap::Args)]
pub(crate) struct RoadmapOptions {
    /// Variants to consider, as for `run`
    filter: Vec<String>,
    /// Start from what this target answers, as for `run`: only what it does not support is listed
    #[arg(long, value_name = "TARGET")]
    against: Option<TargetName>,
    /// The language of the programs
    #[arg(long, value_enum, default_value_t)]
    language: Language,
    /// Print N steps
    #[arg(long, value_name = "N", default_value_t = 20)]
    show: usize,
    /// Print the whole roadmap as JSON, which docs/emulator.md describes
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target_options: TargetOptions,
}

/// The language of the programs of a roadmap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Programs in PTX.
    #[default]
    Ptx,
    /// Programs in SPA 5.0.
    #[value(name = "spa-5.0")]
    Spa,
}

impl Language {
    fn name(self) -> &'static str {
        match self {
            Self::Ptx => "ptx",
            Self::Spa => "spa-5.0",
        }
    }
}

impl RoadmapOptions {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let corpus = shared.load()?;
        let selected = select(&corpus, &self.filter)?;
        let features: Vec<_> = selected.par_iter().map(|variant| of_variant(variant)).collect();
        let mut left_out = LeftOut::default();
        let mut needs: Vec<(&Variant, BTreeSet<Feature>)> = Vec::new();
        for (variant, features) in selected.into_iter().zip(features) {
            match features {
                Ok(_) if variant.launches_spa() != (self.language == Language::Spa) => {
                    left_out.other_language += 1;
                }
                Ok(features) => needs.push((variant, features)),
                Err(Without::Legality) => left_out.legality += 1,
                Err(Without::Unread) => left_out.unread += 1,
            }
        }
        let mut exit = Exit::Conforms;
        let standings = match &self.against {
            None => vec![Standing::Missing; needs.len()],
            Some(name) => {
                let variants: Vec<&Variant> = needs.iter().map(|(variant, _)| *variant).collect();
                let (standings, ended) = self.standings(name, shared, &variants)?;
                exit = ended;
                standings
            }
        };
        let asked: Vec<Asked<'_>> = needs
            .into_iter()
            .zip(standings)
            .map(|((variant, features), standing)| Asked { id: &variant.id, features, standing })
            .collect();
        let against = self.against.as_ref().map(ToString::to_string);
        let roadmap = Roadmap::new(self.language.name(), against, &asked, left_out);
        if self.json {
            let json = serde_json::to_string_pretty(&roadmap);
            let json = json.map_err(|e| Failure::broken(format!("cannot write the roadmap: {e}")))?;
            emit(&foreign::in_json(&(json + "\n")))?;
        } else {
            emit(&text(&roadmap, self.show, shared.style()))?;
        }
        Ok(exit)
    }

    /// Whether the target answers each variant, and how the command then ends.
    fn standings(
        &self,
        name: &TargetName,
        shared: &SharedOptions,
        variants: &[&Variant],
    ) -> Result<(Vec<Standing>, Exit), Failure> {
        let journal = self.target_options.journal()?;
        let target = self.target_options.open(name, shared)?;
        let target = self.target_options.before(target, variants, &BTreeSet::new(), journal.as_ref());
        let progress = Progress::new(variants.len(), "variants", target.name());
        let targets: Vec<Box<dyn Target>> = vec![target];
        let session = session::run(variants, &targets, &|| progress.advance());
        progress.finish();
        self.target_options.kept(journal.as_ref())?;
        let exit = target_options::broke_down(targets[0].name(), targets[0].broken().as_deref());
        Ok((session.verdicts.iter().map(|verdict| standing(&verdict.targets[0])).collect(), exit))
    }
}

/// Whether a target answers a variant, by its verdict.
fn standing(verdict: &TargetVerdict) -> Standing {
    let unsupported = || {
        let why = verdict.why.as_deref().unwrap_or_default();
        Standing::Unsupported(why.strip_prefix("unsupported: ").unwrap_or(why).to_owned())
    };
    match verdict.raw {
        // What it ran in another language says nothing of this one.
        _ if verdict.unclaimed => Standing::Unsupported("it does not take programs of SPA 5.0".into()),
        // One launch of several may be unsupported where another is wrong.
        Raw::Unsupported => unsupported(),
        Raw::Violates | Raw::Flaky | Raw::Characterised if verdict.why.is_some() => unsupported(),
        Raw::Conforms
        | Raw::Inconsistent
        | Raw::Characterised
        | Raw::Indeterminate
        | Raw::Flaky
        | Raw::Violates
            if verdict.only_hung =>
        {
            Standing::Hung
        }
        Raw::Conforms
        | Raw::Inconsistent
        | Raw::Characterised
        | Raw::Indeterminate
        | Raw::Flaky
        | Raw::Violates => Standing::Answered,
        // Workers that are not finished tend to reject what they do not know. One that broke the protocol said nothing.
        Raw::Rejected => match rejection(verdict) {
            Some(words) => Standing::Unsupported(words),
            None => Standing::Open(Raw::Rejected.name()),
        },
        raw @ (Raw::NotRun | Raw::Hung | Raw::Crashed | Raw::Broken | Raw::Contradicted) => {
            Standing::Open(raw.name())
        }
    }
}

/// The words with which the target refused a program, if it did so itself.
fn rejection(verdict: &TargetVerdict) -> Option<String> {
    let finding = verdict.findings.first()?;
    let own = finding.symptom != MismatchClass::Crash;
    own.then(|| finding.differences.first().map_or_else(String::new, |difference| difference.detail.clone()))
}
