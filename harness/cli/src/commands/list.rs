//! `warpdiff list`: the variants.

use std::fmt::Write;

use serde::Serialize;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::exit_code::Exit;

use super::run::select;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `list`.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Variants to list: text found anywhere in the id, or a pattern with `*` over the whole id
    filter: Vec<String>,
    /// Print a JSON list of objects: id, subject, rows, covers, location
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ListedVariant<'a> {
    id: &'a str,
    subject: &'a str,
    rows: usize,
    covers: &'a [String],
    location: String,
}

impl List {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let corpus = shared.load_what_is_right()?;
        let entries: Vec<_> = select(&corpus, &self.filter)?.into_iter().map(entry).collect();
        let mut text = String::new();
        if self.json {
            let json = serde_json::to_string_pretty(&entries);
            text = json.map_err(|e| Failure::broken(format!("cannot write the list: {e}")))? + "\n";
        } else {
            entries.iter().for_each(|e| {
                let _ = writeln!(text, "{}", e.id);
            });
        }
        emit(&text)?;
        shared.say_what_is_broken(&corpus);
        Ok(Exit::Conforms)
    }
}

fn entry(variant: &Variant) -> ListedVariant<'_> {
    ListedVariant {
        id: &variant.id,
        subject: &variant.subject,
        rows: rows(variant),
        covers: &variant.covers,
        location: variant.location.to_string(),
    }
}

/// Rows of the variant's table, or launches where it has none; 1 for a case of legality.
pub(crate) fn rows(variant: &Variant) -> usize {
    let launches = match &variant.work {
        Work::Launches(launches) => launches,
        Work::Unsupported(unsupported) => &unsupported.launches,
        Work::Legality(_) => return 1,
    };
    launches.iter().map(|launch| launch.rows.len().max(1)).sum()
}
