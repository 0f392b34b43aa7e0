//! Reads a file of results: what is wrong with it, with its line.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::line::{FORMAT, Line, RunLine};
use super::summary::SummaryLine;
use super::variant::VariantLine;

/// The results of one run.
#[derive(Clone, Debug)]
pub struct Results {
    /// The file.
    pub path: PathBuf,
    /// What was run.
    pub run: RunLine,
    /// The variants, in the order of their lines.
    pub variants: Vec<VariantLine>,
    /// The summary; none if the run was killed.
    pub summary: Option<SummaryLine>,
}

/// Why a file of results cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// It cannot be opened or read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line of it is not one of results.
    #[error("{}:{line}: {why}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// It is empty, or its first line is not that of a run.
    #[error("{}: not a file of results: its first line should be {{\"line\":\"run\",…}} as `warpdiff run --results` writes it", path.display())]
    NotResults {
        /// The file.
        path: PathBuf,
    },
    /// It has another format.
    #[error("{}: results of format {found}; this warpdiff reads format {FORMAT}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// The run could not begin.
    #[error("{}: the run ended with an error: {error}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// Its error.
        error: String,
    },
}

impl Results {
    /// Reads a file. The last line may be cut off, as a run leaves it that was killed while it wrote.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        let unreadable = |source| ResultsError::Unreadable { path: path.into(), source };
        let mut lines = BufReader::new(File::open(path).map_err(unreadable)?);
        let (mut run, mut variants, mut summary) = (None, Vec::new(), None);
        let mut text = String::new();
        let mut number = 0;
        loop {
            text.clear();
            number += 1;
            if lines.read_line(&mut text).map_err(unreadable)? == 0 {
                break;
            }
            let wrong = |why: String| ResultsError::Line { path: path.into(), line: number, why };
            let line = match Self::line(&text) {
                Ok(Some(line)) => line,
                Ok(None) => continue,
                // The only line without its break is the last.
                Err(_) if run.is_some() && !text.ends_with('\n') => break,
                Err(_) if number == 1 => return Err(ResultsError::NotResults { path: path.into() }),
                Err(error) => return Err(wrong(error.to_string())),
            };
            match line {
                Line::Run(_) if run.is_some() => return Err(wrong("a second line of kind `run`".into())),
                Line::Run(line) if line.format != FORMAT => {
                    return Err(ResultsError::Format { path: path.into(), found: line.format });
                }
                Line::Run(line) => run = Some(line),
                Line::Error(line) => {
                    return Err(ResultsError::Failed { path: path.into(), error: line.error });
                }
                _ if run.is_none() => return Err(ResultsError::NotResults { path: path.into() }),
                _ if summary.is_some() => return Err(wrong("a line after the summary".into())),
                Line::Variant(line) => variants.push(*line),
                Line::Summary(line) => summary = Some(*line),
            }
        }
        let run = run.ok_or_else(|| ResultsError::NotResults { path: path.into() })?;
        Ok(Self { path: path.into(), run, variants, summary })
    }

    /// Reads only what was run.
    ///
    /// # Errors
    /// What is wrong with its first line.
    pub fn run_of(path: &Path) -> Result<RunLine, ResultsError> {
        let unreadable = |source| ResultsError::Unreadable { path: path.into(), source };
        let mut text = String::new();
        BufReader::new(File::open(path).map_err(unreadable)?).read_line(&mut text).map_err(unreadable)?;
        match Self::line(&text) {
            Ok(Some(Line::Run(line))) if line.format == FORMAT => Ok(line),
            Ok(Some(Line::Run(line))) => Err(ResultsError::Format { path: path.into(), found: line.format }),
            Ok(Some(Line::Error(line))) => Err(ResultsError::Failed { path: path.into(), error: line.error }),
            _ => Err(ResultsError::NotResults { path: path.into() }),
        }
    }

    /// A line; `None` for a kind of line that this version does not know.
    fn line(text: &str) -> serde_json::Result<Option<Line>> {
        let error = match serde_json::from_str(text) {
            Ok(line) => return Ok(Some(line)),
            Err(error) => error,
        };
        let kind = serde_json::from_str::<serde_json::Value>(text)?;
        let known = ["run", "variant", "summary", "error"];
        match kind["line"].as_str() {
            Some(other) if !known.contains(&other) => Ok(None),
            _ => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Results, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let name = file.path().display().to_string();
        Results::read(file.path()).map_err(|error| error.to_string().replace(&name, "FILE"))
    }

    const RUN: &str = r#"{"line":"run","format":2,"warpdiff":"0.1.0","date":"2026-11-22","targets":[],"selection":{"variants":1,"digest":"00"}}"#;

    #[test]
    fn a_run_that_was_killed_has_no_summary_and_unknown_lines_are_skipped() {
        let results = read(&format!("{RUN}\n{{\"line\":\"weather\"}}\n{{\"line\":\"vari")).unwrap();
        assert!(results.summary.is_none() && results.variants.is_empty());
        assert_eq!(results.run.selection.variants, 1);
    }

    #[test]
    fn wrong_files_are_refused_with_their_line() {
        for (text, words) in [
            ("", "FILE: not a file of results"),
            ("hello\n", "FILE: not a file of results"),
            ("{\"format\":1}\n", "FILE: not a file of results"),
            (
                &RUN.replace("\"format\":2", "\"format\":3"),
                "results of format 3; this warpdiff reads format 2",
            ),
            (&format!("{RUN}\n{RUN}\n"), "FILE:2: a second line of kind `run`"),
            (&format!("{RUN}\n{{\"line\":\"variant\"}}\n"), "FILE:2: missing field"),
            (
                "{\"line\":\"error\",\"format\":2,\"warpdiff\":\"0\",\"error\":\"no corpus\",\"exit\":\"usage\",\"exit_code\":2}\n",
                "the run ended with an error: no corpus",
            ),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.contains(words), "{text}: {said}");
        }
    }
}
