//! `warpdiff check FILE`: who accepts a program of PTX or SPA 5.0, and why not.

use std::path::{Path, PathBuf};

use warpdiff_judge::dialect::{AuthorityName, DialectName, JudgeName};
use warpdiff_judge::exit_code::Exit;
use warpdiff_ptx::ptxas_deviation::warning;
use warpdiff_ptx::source::Diagnostic;
use warpdiff_ptx::{Rules, ast, parse};
use warpdiff_terminal::style::Style;

use super::check_table::CheckTable;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// The program; `-` reads the standard input
    #[arg(required_unless_present = "table")]
    file: Option<PathBuf>,
    /// Truth tables of assemblers instead of a program: how many of their answers are given again (docs/tables.md)
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["file", "dialects", "isa", "target", "relocatable"])]
    table: Vec<PathBuf>,
    /// Who is asked again of the tables: `ptxas` or `ptxas:PATH` [default: warpdiff]
    #[arg(long, value_name = "TARGET", requires = "table")]
    against: Option<String>,
    /// Of the programs of a table, only each Nth
    #[arg(long, value_name = "N", default_value_t = 1, requires = "table")]
    every: usize,
    /// Write the table in its compact form
    #[arg(long, value_name = "FILE", requires = "table")]
    compact: Option<PathBuf>,
    /// Write the table to FILE, which may be the table itself, with the answers that the assembler of `--against` gives now in
    /// place of those of its release
    #[arg(short, long, value_name = "FILE", requires_all = ["table", "against"], conflicts_with_all = ["every", "compact"])]
    output: Option<PathBuf>,
    /// Print the agreement with the tables as JSON
    #[arg(long, requires = "table")]
    json: bool,
    /// Who is asked: `spec` or `ptxas-12.9`, of SPA 5.0 `spec` or `encoder` [default: both, side by side]
    #[arg(long = "as", value_name = "DIALECT")]
    dialects: Vec<JudgeName>,
    /// Newest PTX version accepted, as in `8.8`; the file's own `.version` stands
    #[arg(long, value_name = "MAJOR.MINOR", value_parser = version)]
    isa: Option<(u32, u32)>,
    /// Newest target accepted, as in `sm_90`; the file's own `.target` stands
    #[arg(long, value_name = "sm_NN", value_parser = target)]
    target: Option<u32>,
    /// As for an object that is still to be linked (`ptxas --compile-only`); the text knows no such thing
    #[arg(long)]
    relocatable: bool,
}

fn version(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parts.ok_or_else(|| "expected a version such as `8.8`".into())
}

fn target(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("sm_").unwrap_or(text).trim_end_matches(['a', 'f']);
    digits.parse().map_err(|_| "expected a target such as `sm_90`".into())
}

/// What one dialect makes of the program.
struct DialectVerdict {
    /// Who says so.
    name: String,
    diagnostics: Vec<Diagnostic>,
    /// What is legal and should be known: where text and assembler give variables other contents.
    warnings: Vec<Diagnostic>,
}

impl DialectVerdict {
    /// Whether the program is legal, be it one that warpdiff runs or not.
    fn accepts(&self) -> bool {
        self.diagnostics.iter().all(|d| d.unsupported)
    }

    fn word(&self) -> &'static str {
        match (self.accepts(), self.diagnostics.is_empty()) {
            (false, _) => "rejects",
            (true, true) => "accepts",
            (true, false) => "accepts (warpdiff does not run it)",
        }
    }
}

impl Check {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let Some(file) = &self.file else {
            if self.output.is_some() && self.table.len() > 1 {
                return Err(Failure::usage("--output takes one table at a time"));
            }
            return self.tables().execute(shared);
        };
        let (text, origin) = read(file)?;
        if warpdiff_sass::is_spa(&text) || file.extension().is_some_and(|extension| extension == "sass") {
            return self.spa(&text, &origin, shared);
        }
        let asked: Vec<DialectName> = match &self.dialects[..] {
            [] => DialectName::USUAL.to_vec(),
            named => {
                named.iter().map(|judge| judge.of_ptx()).collect::<Result<_, _>>().map_err(Failure::usage)?
            }
        };
        let parsed = parse(&text);
        let answers: Vec<_> = asked.iter().map(|dialect| self.answer(&text, &parsed, *dialect)).collect();
        emit(&render(&answers, &origin, &text, shared.style()))?;
        let all = answers.iter().all(DialectVerdict::accepts);
        Ok(if all { Exit::Conforms } else { Exit::Violates })
    }

    /// A program of SPA 5.0: no assembler can be asked.
    fn spa(&self, text: &str, origin: &str, shared: &SharedOptions) -> Result<Exit, Failure> {
        if self.isa.is_some() || self.target.is_some() || self.relocatable {
            return Err(Failure::usage("--isa, --target and --relocatable are for PTX"));
        }
        let asked: Vec<AuthorityName> = match &self.dialects[..] {
            [] => AuthorityName::USUAL.to_vec(),
            named => {
                named.iter().map(|judge| judge.of_spa()).collect::<Result<_, _>>().map_err(Failure::usage)?
            }
        };
        let answer = |name: AuthorityName| {
            let compiled = warpdiff_sass::compile_by(text, &warpdiff_sass::Header::default(), name.0);
            let diagnostics = compiled.err().unwrap_or_default();
            DialectVerdict { name: name.to_string(), diagnostics, warnings: Vec::new() }
        };
        let answers: Vec<_> = asked.into_iter().map(answer).collect();
        emit(&render(&answers, origin, text, shared.style()))?;
        let all = answers.iter().all(DialectVerdict::accepts);
        Ok(if all { Exit::Conforms } else { Exit::Violates })
    }

    fn tables(&self) -> CheckTable<'_> {
        CheckTable {
            files: &self.table,
            against: self.against.as_deref(),
            every: self.every,
            compact: self.compact.as_deref(),
            output: self.output.as_deref(),
            json: self.json,
        }
    }

    fn answer(
        &self,
        text: &str,
        parsed: &Result<ast::Module, Vec<Diagnostic>>,
        dialect: DialectName,
    ) -> DialectVerdict {
        let rules = Rules {
            dialect: dialect.0,
            max_version: self.isa,
            max_target: self.target,
            relocatable: self.relocatable,
            linked: false,
        };
        let (deviations, diagnostics) = match parsed {
            Ok(module) => {
                let (checked, diagnostics) = warpdiff_ptx::examine(text, module, &rules);
                (checked.deviations, diagnostics)
            }
            Err(diagnostics) => (Vec::new(), diagnostics.clone()),
        };
        // Also where warpdiff does not run what is legal.
        let legal = diagnostics.iter().all(|it| it.unsupported);
        let warnings = deviations.iter().filter(|_| legal).map(|(it, span)| warning(*it, *span)).collect();
        DialectVerdict { name: dialect.to_string(), diagnostics, warnings }
    }
}

/// The text and what to call it.
pub(crate) fn read(file: &Path) -> Result<(String, String), Failure> {
    let origin = file.display().to_string();
    let bytes = if origin == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    let bytes = bytes.map_err(|e| Failure::usage(format!("cannot read {origin}: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::usage(format!("{origin} is not UTF-8 text")))?;
    Ok((text, origin))
}

/// The answers; what several dialects say alike is said once.
fn render(answers: &[DialectVerdict], origin: &str, text: &str, style: Style) -> String {
    let mut out = String::new();
    for answer in answers {
        let paint = if answer.accepts() { style.good() } else { style.bad() };
        let name = &answer.name;
        out.push_str(&format!("{name:10} {}\n", paint.paint(answer.word())));
    }
    for (index, answer) in answers.iter().enumerate() {
        let earlier = |d: &&Diagnostic| !answers[..index].iter().any(|a| a.diagnostics.contains(d));
        let fresh: Vec<_> = answer.diagnostics.iter().filter(earlier).cloned().collect();
        if !fresh.is_empty() {
            let others: Vec<_> = answers.iter().filter(|a| a.diagnostics.contains(&fresh[0])).collect();
            let names: Vec<_> = others.iter().map(|a| a.name.as_str()).collect();
            let say = if names.len() == 1 { "says" } else { "say" };
            out.push_str(&format!("\n{} {say}:\n", style.strong().paint(names.join(" and "))));
            out.push_str(&warpdiff_ptx::render(&fresh, origin, text, style.color()));
        }
    }
    let mut warnings: Vec<&Diagnostic> = Vec::new();
    for warning in answers.iter().flat_map(|answer| &answer.warnings) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    if !warnings.is_empty() {
        let warnings: Vec<_> = warnings.into_iter().cloned().collect();
        out.push('\n');
        out.push_str(&warpdiff_ptx::render_warnings(&warnings, origin, text, style.color()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_targets_are_read_as_ptx_writes_them() {
        assert_eq!(version("8.8"), Ok((8, 8)));
        assert!(version("8").is_err());
        assert_eq!(target("sm_90a"), Ok(90));
        assert_eq!(target("50"), Ok(50));
        assert!(target("sm_").is_err());
    }
}
