//! `warpdiff check --table FILE…`: compares truth tables of assemblers with the front end, or with an assembler.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use warpdiff_judge::exit_code::Exit;
use warpdiff_report::replace_file::replace;
use warpdiff_tables::agree;
use warpdiff_tables::comparison::{Comparison, Disagreement};
use warpdiff_tables::initial::read::is_initial;
use warpdiff_tables::opaque::read::is_opaque;
use warpdiff_tables::read::read;
use warpdiff_tables::verdicts::Verdicts;
use warpdiff_tables::write::write;
use warpdiff_tables::{lowering, words};
use warpdiff_targets::ptxas::assembler::Assembler;
use warpdiff_terminal::style::Style;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Most differences of a table that are printed.
const SHOWN: usize = 20;

/// The options of `check --table`.
pub(crate) struct CheckTable<'a> {
    pub(crate) files: &'a [PathBuf],
    /// `ptxas` or `ptxas:PATH`, instead of the front end.
    pub(crate) against: Option<&'a str>,
    pub(crate) every: usize,
    pub(crate) compact: Option<&'a Path>,
    /// The file for the table with the assembler's answers; there is one table then.
    pub(crate) output: Option<&'a Path>,
    pub(crate) json: bool,
}

/// The agreement with one table, as JSON.
#[derive(Serialize)]
struct TableReport<'a> {
    table: String,
    /// The other side of the comparison: `warpdiff`, or an assembler and its build.
    against: &'a str,
    compared: usize,
    same: usize,
    skipped: usize,
    differences: &'a [Disagreement],
}

impl CheckTable<'_> {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let assembler = match self.against.map(assembler).transpose()? {
            None => None,
            Some(Ok(assembler)) => Some(assembler),
            Some(Err(why)) => {
                emit(&format!("skipped: {why}\n"))?;
                return Ok(Exit::Undecided);
            }
        };
        let who = assembler.as_ref().map_or_else(|| "warpdiff".into(), |a| format!("ptxas {}", a.build));
        let (mut text, mut reports, mut agree) = (String::new(), Vec::new(), true);
        for file in self.files {
            let name = file.display().to_string();
            let text_of_table = table_text(file)?;
            let comparison = match self.of_instructions(&name, &text_of_table, assembler.as_ref())? {
                Some(comparison) => {
                    agree &= comparison.disagreements.is_empty();
                    comparison
                }
                None => self.verdicts(&name, &text_of_table, assembler.as_ref(), &who, &mut agree)?,
            };
            render(&mut text, &name, &who, &comparison, shared.style());
            let report = TableReport {
                table: name,
                against: &who,
                compared: comparison.compared,
                same: comparison.same(),
                skipped: comparison.skipped,
                differences: &comparison.disagreements,
            };
            reports.push(serde_json::to_value(report).map_err(|e| Failure::broken(e.to_string()))?);
        }
        if self.json {
            text = serde_json::to_string_pretty(&reports).map_err(|e| Failure::broken(e.to_string()))? + "\n";
        }
        emit(&text)?;
        Ok(if agree { Exit::Conforms } else { Exit::Violates })
    }

    /// Compares a table of machine words or of compiled PTX; `None` for a table of verdicts.
    fn of_instructions(
        &self,
        name: &str,
        text: &str,
        assembler: Option<&Assembler>,
    ) -> Result<Option<Comparison>, Failure> {
        if is_initial(text) || is_opaque(text) {
            let message =
                format!("{name} is about the contents of variables: `warpdiff layout --table` takes it");
            return Err(Failure::usage(message));
        }
        let compared = match (words::is_words(text), lowering::is_lowering(text), assembler) {
            (false, false, _) => return Ok(None),
            (true, _, None) => words::compare(text),
            (true, _, Some(_)) => {
                return Err(Failure::usage(format!("{name} holds machine words, which no assembler reads")));
            }
            (_, true, None) => lowering::compare(text),
            (_, true, Some(assembler)) => lowering::compare_with_assembler(text, assembler),
        };
        if self.output.is_some() || self.compact.is_some() || self.every > 1 {
            let message = format!(
                "--output, --compact and --every are for tables of verdicts; {name} is of another kind"
            );
            return Err(Failure::usage(message));
        }
        compared.map(Some).map_err(|e| Failure::usage(format!("{name}: {e}")))
    }

    /// Compares a table of verdicts, and writes it with new answers if wanted.
    fn verdicts(
        &self,
        name: &str,
        text: &str,
        assembler: Option<&Assembler>,
        who: &str,
        agree: &mut bool,
    ) -> Result<Comparison, Failure> {
        let mut table = self.table(name, text)?;
        let agreement = match assembler {
            Some(assembler) => agree::with_assembler(&table, assembler),
            None => agree::with_front_end(&table),
        };
        if let Some(path) = self.output {
            agree::correct(&mut table, &agreement.differences, who);
            replace(path, &write(&table)).map_err(|e| unwritten(path, &e))?;
        } else {
            *agree &= agreement.differences.is_empty();
        }
        Ok(Comparison::from(&agreement))
    }

    /// The table, reduced by `--every`, and written in its compact form if wanted.
    fn table(&self, name: &str, text: &str) -> Result<Verdicts, Failure> {
        let mut table = read(text).map_err(|e| Failure::usage(format!("{name}: {e}")))?;
        let mut number = 0;
        table.programs.retain(|_| {
            number += 1;
            (number - 1) % self.every.max(1) == 0
        });
        if let Some(path) = self.compact {
            replace(path, &write(&table)).map_err(|e| unwritten(path, &e))?;
        }
        Ok(table)
    }
}

/// The text of a table.
pub(super) fn table_text(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|e| Failure::usage(format!("cannot read {}: {e}", file.display())))
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot write {}: {error}", path.display()))
}

/// The assembler of `--against`; the inner error says why this machine has none.
pub(crate) fn assembler(against: &str) -> Result<Result<Assembler, String>, Failure> {
    match against.split_once(':') {
        None if against == "ptxas" => Ok(Assembler::find(None)),
        Some(("ptxas", path)) => Ok(Ok(Assembler::find(Some(Path::new(path))).map_err(Failure::broken)?)),
        _ => {
            Err(Failure::usage(format!("`{against}` is not an assembler: expected `ptxas` or `ptxas:PATH`")))
        }
    }
}

fn render(out: &mut String, name: &str, who: &str, comparison: &Comparison, style: Style) {
    let differences = &comparison.disagreements;
    for difference in differences.iter().take(SHOWN) {
        let Disagreement { id, line, circumstance, table, now, message } = difference;
        let why = message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
        let differs = style.bad().paint("differs");
        let _ = writeln!(
            out,
            "{differs}: {id} ({name}:{line})\n  {circumstance}: the table {table}, {who} {now}{why}"
        );
    }
    if differences.len() > SHOWN {
        let _ = writeln!(out, "… and {} more differences", differences.len() - SHOWN);
    }
    let paint = if differences.is_empty() { style.good() } else { style.bad() };
    let same = format!("{} of {} answers are the same", comparison.same(), comparison.compared);
    let _ = write!(out, "{name}: {}", paint.paint(same));
    if comparison.skipped > 0 {
        let _ = write!(out, "; {} skipped (no answer in the table, or none from {who})", comparison.skipped);
    }
    out.push('\n');
}
