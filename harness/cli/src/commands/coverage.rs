//! `warpdiff coverage`: requirements and the variants that cover them.

use std::fmt::Write;

use warpdiff_corpus::coverage::{Covered, table};
use warpdiff_judge::exit_code::Exit;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `coverage`.
#[derive(Debug, clap::Args)]
pub(crate) struct Coverage {
    /// Requirements to show: text found anywhere in the id
    filter: Vec<String>,
    /// Name the variants, not only their number
    #[arg(long)]
    variants: bool,
}

impl Coverage {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let corpus = shared.load_list()?;
        let wanted = |row: &Covered<'_>| {
            self.filter.is_empty()
                || self.filter.iter().any(|word| row.requirement.id.contains(word.as_str()))
        };
        let rows = table(&corpus);
        if rows.is_empty() {
            return Err(Failure::usage(
                "the corpus lists no requirements: it has no `requirements.yaml`, or an empty one",
            ));
        }
        let rows: Vec<_> = rows.into_iter().filter(wanted).collect();
        if rows.is_empty() {
            return Err(Failure::usage(format!("no requirement matches `{}`", self.filter.join("`, `"))));
        }
        let width = rows.iter().map(|row| row.requirement.id.len()).max().unwrap_or(0);
        let style = shared.style();
        let mut text = String::new();
        for row in &rows {
            let requirement = row.requirement;
            let count = row.variants.len();
            let paint = if count == 0 && requirement.kind.needs_case() { style.bad() } else { style.plain() };
            let kind = requirement.kind.name();
            let _ = writeln!(
                text,
                "{:width$} {kind:12} {:>5}  {}",
                requirement.id,
                paint.paint(count),
                requirement.text
            );
            if self.variants {
                row.variants.iter().for_each(|id| {
                    let _ = writeln!(text, "    {id}");
                });
            }
        }
        let covered = rows.iter().filter(|row| !row.variants.is_empty()).count();
        let _ = writeln!(text, "{covered} of {} requirements are covered", rows.len());
        emit(&text)?;
        Ok(Exit::Conforms)
    }
}
