//! `warpdiff mutate`: runs the corpus against every deviation, and says which case notices each.

use std::path::PathBuf;

use warpdiff_corpus::plan::Variant;
use warpdiff_judge::exit_code::Exit;
use warpdiff_report::html;
use warpdiff_report::mutants::data::MutantsDocument;
use warpdiff_report::mutants::table;
use warpdiff_report::replace_file::replace;
use warpdiff_session::mutants;
use warpdiff_terminal::foreign;

use super::deviations;
use super::run::select;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `mutate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Mutate {
    /// Deviations to run the corpus against, as for `deviations`: part of an id, or `family:surface`, `requirement:suld.clamp.*`,
    /// `instruction:suld`
    filter: Vec<String>,
    /// Only variants with this text in the id, or of which the whole id matches a pattern with `*`; may be given several times
    #[arg(long, value_name = "PATTERN")]
    variants: Vec<String>,
    /// Print the fates as JSON, which docs/deviations.md describes
    #[arg(long)]
    json: bool,
    /// Also write an HTML page to FILE
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Mutate {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let entries = deviations::selected(&self.filter)?;
        let corpus = shared.load()?;
        let variants: Vec<&Variant> = select(&corpus, &self.variants)?;
        let progress = Progress::new(2 * variants.len(), "variants", "mutate");
        let mutants = mutants::run(&variants, &entries, &|| progress.advance());
        progress.finish();
        if let Some(path) = &self.html {
            replace(path, &html::mutants::page(&mutants, variants.len()))
                .map_err(|e| Failure::broken(format!("{}: {e}", path.display())))?;
        }
        if self.json {
            let json = serde_json::to_string_pretty(&MutantsDocument::new(&mutants, variants.len()));
            let json = json.map_err(|e| Failure::broken(format!("cannot write the fates: {e}")))?;
            emit(&foreign::in_json(&(json + "\n")))?;
        } else {
            emit(&table::render(&mutants, variants.len(), shared.style()))?;
        }
        let lacks = mutants.iter().any(|mutant| mutant.fate().is_failure());
        Ok(if lacks { Exit::Violates } else { Exit::Conforms })
    }
}
