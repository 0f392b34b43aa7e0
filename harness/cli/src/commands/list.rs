//! `warpdiff list`: the variants.

use std::fmt::Write;

use serde::Serialize;
use warpdiff_corpus::ListedVariant;
use warpdiff_corpus::filter::Filter;
use warpdiff_judge::exit_code::Exit;

use super::run::each_matches;
use crate::failure::Failure;
use crate::shared_options::{Listing, SharedOptions};
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
struct Entry<'a> {
    id: &'a str,
    subject: &'a str,
    rows: Option<usize>,
    covers: &'a [String],
    location: String,
}

impl List {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let corpus = shared.list_what_is_right(if self.json { Listing::WithRows } else { Listing::Names })?;
        if corpus.listed.is_empty() {
            return Err(shared.failure(&corpus.errors()));
        }
        let filter = Filter::new(&self.filter);
        each_matches(&corpus, &filter)?;
        let selected = corpus.listed.iter().filter(|variant| filter.selects(&variant.id));
        let mut text = String::new();
        if self.json {
            let entries: Vec<_> = selected.map(entry).collect();
            let json = serde_json::to_string_pretty(&entries);
            text = json.map_err(|e| Failure::broken(format!("cannot write the list: {e}")))? + "\n";
        } else {
            selected.for_each(|variant| {
                let _ = writeln!(text, "{}", variant.id);
            });
        }
        emit(&text)?;
        shared.say_what_is_broken(&corpus);
        Ok(Exit::Conforms)
    }
}

fn entry(variant: &ListedVariant) -> Entry<'_> {
    Entry {
        id: &variant.id,
        subject: &variant.subject,
        rows: variant.rows,
        covers: &variant.covers,
        location: variant.location.to_string(),
    }
}
