//! `warpdiff layout --table FILE…`: compares tables of an assembler's output with warpdiff's layout.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use warpdiff_judge::exit_code::Exit;
use warpdiff_tables::agreement::Agreement;
use warpdiff_tables::initial::agree::{self, VariableDifference};
use warpdiff_tables::initial::programs::InitialTable;
use warpdiff_tables::initial::read::is_initial;
use warpdiff_tables::lowering::is_lowering;
use warpdiff_tables::opaque::read::{OpaqueTable, is_opaque};
use warpdiff_tables::read::read as read_verdicts;
use warpdiff_tables::words::is_words;
use warpdiff_tables::{initial, opaque};
use warpdiff_terminal::style::Style;

use super::check_table::table_text;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Most differences of a table that are printed.
const SHOWN: usize = 20;

/// The options of `layout --table`.
pub(crate) struct LayoutTable<'a> {
    pub(crate) files: &'a [PathBuf],
    pub(crate) compact: Option<&'a Path>,
    pub(crate) json: bool,
}

/// The agreement with one table, as JSON.
#[derive(Serialize)]
struct TableReport<'a> {
    table: &'a str,
    compared: usize,
    same: usize,
    skipped: usize,
    differences: &'a [VariableDifference],
}

/// A table that can be compared with the layout.
enum Table {
    /// Of variables.
    Initial(InitialTable),
    /// Of initialisers of opaque variables.
    Opaque(OpaqueTable),
}

impl Table {
    fn compact(&self) -> String {
        match self {
            Self::Initial(table) => initial::write::write(table),
            Self::Opaque(table) => opaque::write::write(table),
        }
    }

    fn agreement(&self) -> Agreement<VariableDifference> {
        match self {
            Self::Initial(table) => agree::with_layout(table),
            Self::Opaque(table) => opaque::agree::with_layout(table),
        }
    }
}

impl LayoutTable<'_> {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let (mut text, mut reports, mut agree) = (String::new(), Vec::new(), true);
        for (name, table) in self.tables()? {
            if let Some(path) = self.compact {
                std::fs::write(path, table.compact())
                    .map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))?;
            }
            let agreement = table.agreement();
            agree &= agreement.differences.is_empty();
            render(&mut text, &name, &agreement, shared.style());
            let report = TableReport {
                table: &name,
                compared: agreement.compared,
                same: agreement.same(),
                skipped: agreement.skipped,
                differences: &agreement.differences,
            };
            reports.push(serde_json::to_value(report).map_err(|e| Failure::broken(e.to_string()))?);
        }
        if self.json {
            text = serde_json::to_string_pretty(&reports).map_err(|e| Failure::broken(e.to_string()))? + "\n";
        }
        emit(&text)?;
        Ok(if agree { Exit::Conforms } else { Exit::Violates })
    }

    /// The tables of initial bytes and of opaque initialisers among the files; tables of verdicts only supply missing programs.
    fn tables(&self) -> Result<Vec<(String, Table)>, Failure> {
        let (mut tables, mut lenders) = (Vec::new(), Vec::new());
        for file in self.files {
            let name = file.display().to_string();
            let text = table_text(file)?;
            let malformed = |e| Failure::usage(format!("{name}: {e}"));
            if is_initial(&text) {
                let table = initial::read::read(&text).map_err(malformed)?;
                tables.push((name, Table::Initial(table)));
            } else if is_opaque(&text) {
                let table = opaque::read::read(&text).map_err(malformed)?;
                tables.push((name, Table::Opaque(table)));
            } else if is_words(&text) || is_lowering(&text) {
                let message = format!("{name} is about instructions: `warpdiff check --table` takes it");
                return Err(Failure::usage(message));
            } else {
                lenders.push(read_verdicts(&text).map_err(malformed)?);
            }
        }
        if tables.is_empty() {
            return Err(Failure::usage(
                "no table has contents of variables: expected the columns `symbol`, `section`, `size` and so on; `warpdiff check --table` takes tables of verdicts",
            ));
        }
        for (_, table) in &mut tables {
            if let Table::Initial(table) = table {
                lenders.iter().for_each(|lender| table.complete(lender));
            }
        }
        Ok(tables)
    }
}

fn render(out: &mut String, name: &str, agreement: &Agreement<VariableDifference>, style: Style) {
    let differences = &agreement.differences;
    for difference in differences.iter().take(SHOWN) {
        let VariableDifference { id, line, circumstance, variable, message } = difference;
        let differs = style.bad().paint("differs");
        let _ = writeln!(
            out,
            "{differs}: {id}, variable `{variable}` ({name}:{line})\n  {circumstance}: {message}"
        );
    }
    if differences.len() > SHOWN {
        let _ = writeln!(out, "… and {} more differences", differences.len() - SHOWN);
    }
    let paint = if differences.is_empty() { style.good() } else { style.bad() };
    let same = format!("{} of {} variables are the same", agreement.same(), agreement.compared);
    let _ = write!(out, "{name}: {}", paint.paint(same));
    if agreement.skipped > 0 {
        let _ = write!(
            out,
            "; {} skipped (their program is cut off, or stands in another table)",
            agreement.skipped
        );
    }
    out.push('\n');
}
