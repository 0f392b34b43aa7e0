//! The kinds of lines in a file of results, their order, and the version of the format.
//!
//! The first line is of kind `run`, then comes one of kind `variant` for each variant that was judged, and the last is of kind
//! `summary`. A file without a summary is of a run that was killed. Lines of variants come in the order in which they were judged; those
//! with a finding come last, since the cause of a finding is sought in everything observed.
//!
//! The format is versioned by `format` in the line of the run: within a version fields are added, never removed or changed in meaning.
//! A reader ignores fields and kinds of lines that it does not know. Bytes are lower-case hexadecimal without blanks; `defined` is the
//! mask of the compared bits of `expected`.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use warpdiff_files::digest::of_parts;
use warpdiff_files::hexadecimal;
use warpdiff_judge::exit_code::Exit;

use super::summary::SummaryLine;
use super::variant::{Problem, VariantLine};

/// Version of the format. Version 1 was one document.
pub const FORMAT: u32 = 2;

/// A line of a file of results.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum Line {
    /// The first line: what is run.
    Run(RunLine),
    /// A variant with its verdicts.
    Variant(Box<VariantLine>),
    /// The last line: the counts, the causes and the exit code.
    Summary(Box<SummaryLine>),
    /// The only line, in place of all others, if the run could not begin; or the last, if it could not end.
    Error(ErrorLine),
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunLine {
    /// Version of the format: 2.
    pub format: u32,
    /// Version of warpdiff.
    pub warpdiff: String,
    /// The day on which it began, UTC: `2026-11-22`.
    pub date: String,
    /// The targets, in the order in which they were given; empty when only the reference is checked.
    pub targets: Vec<TargetFacts>,
    /// The variants that the run is about, those of its other shards included.
    pub selection: Selection,
    /// SHA-256 over the files with the cases of these variants: what was asked. Left out by earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cases: String,
    /// SHA-256 over the files of expectations and profiles. Left out without any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub expectations: String,
    /// The shard that this run is. Left out if it is the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardOf>,
}

/// A target of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetFacts {
    /// Its name, as `--against` writes it.
    pub name: String,
    /// What it says of its device, driver or release, by name.
    pub device: BTreeMap<String, String>,
    /// The folder of the recording that it is compared with. Left out without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<String>,
    /// What the target said of itself when it was recorded. Left out without a recording.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub recorded: BTreeMap<String, String>,
}

/// A set of variants, by which runs of the same variants are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// Their number.
    pub variants: usize,
    /// SHA-256 over their ids in ascending order, each followed by a line break.
    pub digest: String,
}

impl Selection {
    /// The selection of these ids.
    pub fn of<'i>(ids: impl IntoIterator<Item = &'i str>) -> Self {
        let mut ids: Vec<&str> = ids.into_iter().collect();
        ids.sort_unstable();
        let mut hash = Sha256::new();
        for id in &ids {
            hash.update(id.as_bytes());
            hash.update(b"\n");
        }
        let digest = hexadecimal::of(&hash.finalize());
        Self { variants: ids.len(), digest }
    }
}

/// SHA-256 over texts, each with its length before it; empty without a text.
pub fn digest<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts: Vec<&[u8]> = texts.into_iter().map(str::as_bytes).collect();
    if texts.is_empty() { String::new() } else { of_parts(&texts) }
}

/// One of several parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ShardOf {
    /// Its number, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// A failure of the command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorLine {
    /// Version of the format: 2.
    pub format: u32,
    /// Version of warpdiff.
    pub warpdiff: String,
    /// Why, without colours.
    pub error: String,
    /// The errors in files of cases or of expectations, all of them, in the order of files and lines. Left out if it failed for another
    /// reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// The exit code, in words.
    pub exit: Exit,
    /// The exit code.
    pub exit_code: u8,
}

impl ErrorLine {
    /// The line of a failure.
    pub fn new(message: &str, problems: Vec<Problem>, exit: Exit) -> Self {
        Self {
            format: FORMAT,
            warpdiff: env!("CARGO_PKG_VERSION").into(),
            error: message.into(),
            problems,
            exit,
            exit_code: exit.code(),
        }
    }
}

/// The JSON Schema of a line.
pub fn schema() -> Schema {
    // The schema of output: fields that are left out when empty are not required.
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Line>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_does_not_depend_on_the_order_and_tells_sets_apart() {
        let one = Selection::of(["a/b", "a/c"]);
        assert_eq!(one, Selection::of(["a/c", "a/b"]));
        assert_ne!(one.digest, Selection::of(["a/b", "a/d"]).digest);
        // `printf 'a/b\na/c\n' | sha256sum`
        assert_eq!(one.digest, "42261177c68e5a51a74f58013a495e1d24072d79d4f9d4b885554ef74302ab76");
    }
}
