//! `warpdiff deviations`: prints the catalogue.

use std::fmt::Write;

use serde::Serialize;
use warpdiff_judge::deviation_filter;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::mismatch_class::class_name;
use warpdiff_judge::shown_by::languages;
use warpdiff_model::{Contrast, Entry, Origin};
use warpdiff_targets::TargetNameError;
use warpdiff_terminal::style::Style;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Columns of the text.
const WIDTH: usize = 100;
/// Columns before what a line of an entry says, the name of the line among them.
const INDENT: usize = 18;

/// Options of `deviations`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Deviations {
    /// Deviations to list: text found anywhere in the id, or a pattern with `*` over the whole id; or `family:surface`,
    /// `requirement:suld.clamp.*` (what it breaks, or what permits it), `instruction:suld` (what can show it)
    pub(crate) filter: Vec<String>,
    /// Print a JSON list of objects, which docs/deviations.md describes
    #[arg(long)]
    pub(crate) json: bool,
}

/// An entry as JSON; its keys are what other programs read.
#[derive(Serialize)]
struct Listed {
    id: &'static str,
    family: &'static str,
    sentence: &'static str,
    class: &'static str,
    origins: Vec<ListedOrigin>,
    breaks: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    permitted_by: Option<&'static str>,
    shown_by: &'static [&'static str],
    dialects: Vec<&'static str>,
    runs: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_generated: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contrast: Option<ListedContrast>,
}

#[derive(Serialize)]
struct ListedOrigin {
    kind: &'static str,
    source: String,
}

#[derive(Serialize)]
struct ListedContrast {
    specification: &'static str,
    assembler: &'static str,
    example: &'static str,
}

impl Deviations {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let entries = selected(&self.filter)?;
        let text = if self.json {
            let listed: Vec<_> = entries.into_iter().map(listed).collect();
            let json = serde_json::to_string_pretty(&listed);
            json.map_err(|e| Failure::broken(format!("cannot write the list: {e}")))? + "\n"
        } else {
            listing(&entries, shared.style())
        };
        emit(&text)?;
        Ok(Exit::Conforms)
    }
}

/// The entries that the filters select, in the order of the catalogue.
pub(crate) fn selected(filters: &[String]) -> Result<Vec<&'static Entry>, Failure> {
    deviation_filter::selected(filters).map_err(|error| Failure::usage(error.to_string()))
}

fn listed(entry: &Entry) -> Listed {
    let origin = |origin: &Origin| ListedOrigin { kind: origin.kind(), source: origin.to_string() };
    let Entry { name: id, family, sentence, class, origins, breaks, permitted_by, shown_by, .. } = *entry;
    Listed {
        id,
        family,
        sentence,
        class: class_name(class),
        origins: origins.iter().map(origin).collect(),
        breaks,
        permitted_by,
        shown_by,
        dialects: languages(entry.deviation),
        runs: entry.runs,
        not_generated: entry.not_generated,
        contrast: entry.contrast.map(|it| ListedContrast {
            specification: it.specification,
            assembler: it.assembler,
            example: it.example,
        }),
    }
}

/// The entries by family, for a person.
fn listing(entries: &[&Entry], style: Style) -> String {
    let mut out = String::new();
    let mut families: Vec<&str> = entries.iter().map(|entry| entry.family).collect();
    families.dedup();
    for family in families {
        let of_family = entries.iter().filter(|entry| entry.family == family);
        let count = of_family.clone().count();
        let noun = if count == 1 { "deviation" } else { "deviations" };
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{} ({count} {noun})", style.strong().paint(family));
        of_family.for_each(|entry| write_entry(&mut out, entry, style));
    }
    out
}

fn write_entry(out: &mut String, entry: &Entry, style: Style) {
    let _ = writeln!(out, "\n  {}", style.strong().paint(entry.name));
    for line in wrapped(entry.sentence.split(' '), "", WIDTH - 4) {
        let _ = writeln!(out, "    {line}");
    }
    let mut field = |name: &str, parts: &[String], separator: &str| {
        for (index, line) in
            wrapped(parts.iter().map(String::as_str), separator, WIDTH - INDENT).iter().enumerate()
        {
            let name = if index == 0 { name } else { "" };
            let _ = writeln!(out, "    {:1$}{line}", style.faint().paint(name), INDENT - 4);
        }
    };
    let strings = |parts: &[&str]| parts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let words = |text: &str| strings(&text.split(' ').collect::<Vec<_>>());
    field("class", &words(class_name(entry.class)), "");
    let origins: Vec<_> = entry.origins.iter().map(ToString::to_string).collect();
    field("origin", &words(&origins.join("; ")), "");
    field("breaks", &strings(entry.breaks), ",");
    field("permitted by", &strings(entry.permitted_by.as_slice()), "");
    field("shown by", &strings(entry.shown_by), ";");
    if let Some(Contrast { specification, assembler, example }) = entry.contrast {
        field("specification", &words(specification), "");
        field("ptxas", &words(assembler), "");
        field("example", &words(example), "");
    }
    if let Some(reason) = entry.not_generated {
        field("`fuzz`", &words(&format!("cannot show it: {reason}")), "");
    }
    if !entry.runs {
        field("noted by", &words("`check` and `layout`; the emulator cannot be given it"), "");
    }
}

/// Joins the parts into lines of at most `width` columns. A part is never cut; the separator follows each part but the last.
fn wrapped<'a>(parts: impl Iterator<Item = &'a str>, separator: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let part = if parts.peek().is_some() { format!("{part}{separator}") } else { part.to_owned() };
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + part.chars().count() <= width => {
                line.push(' ');
                line.push_str(&part);
            }
            _ => lines.push(part),
        }
    }
    lines
}

/// Whether the first thing wrong with a command line is that it asks for the list in place of a target: `--against emulator+?`.
pub(crate) fn are_asked_for(error: &clap::Error) -> bool {
    let wrong = std::error::Error::source(error).and_then(|source| source.downcast_ref());
    matches!(wrong, Some(TargetNameError::Deviation { name }) if name == "?")
}

#[cfg(test)]
mod tests {
    use warpdiff_model::Deviation;

    use super::*;

    #[test]
    fn the_list_fits_its_columns_and_has_everything() {
        let entries: Vec<_> = Deviation::catalogue().iter().collect();
        let text = listing(&entries, Style::new(false));
        // A source or a pattern may be longer than a line, a word of it is not.
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
            assert_eq!(line.trim_end(), line);
        }
        let on_one_line = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        for entry in entries {
            assert!(text.contains(&format!("\n  {}\n", entry.name)), "{}", entry.name);
            let all = entry.breaks.iter().chain(entry.shown_by).chain(&entry.permitted_by);
            all.for_each(|part| assert!(text.contains(part), "{}: {part}", entry.name));
            let contrast = entry.contrast.map_or([""; 3], |it| [it.specification, it.assembler, it.example]);
            let sentences = contrast.into_iter().chain(entry.not_generated);
            sentences.for_each(|it| assert!(on_one_line.contains(it), "{}: {it}", entry.name));
        }
    }

    #[test]
    fn parts_stay_whole_and_the_last_has_no_separator() {
        assert_eq!(wrapped(["aa bb", "cc", "dd"].into_iter(), ",", 10), ["aa bb, cc,", "dd"]);
        assert_eq!(wrapped(["a longer one", "b"].into_iter(), ";", 4), ["a longer one;", "b"]);
        assert!(wrapped(std::iter::empty(), ",", 4).is_empty());
    }

    #[test]
    fn the_list_is_asked_for_in_place_of_a_target() {
        let asked = |line: &str| {
            let parsed = crate::command_line::command().try_get_matches_from(line.split(' '));
            parsed.is_err_and(|error| are_asked_for(&error))
        };
        assert!(asked("warpdiff fuzz --count 3 --against=emulator:ptx+?"));
        assert!(asked("warpdiff run --against emulator:ptx --against emulator+?"));
        assert!(asked("warpdiff record -o there --against emulator+?"));
        assert!(!asked("warpdiff run --against nosuch --against emulator+?"));
        assert!(!asked("warpdiff run --against emulator+suld.clamp-as-zero"));
        assert!(!asked("warpdiff run emulator+? --against emulator"));
        // Another mistake is not hidden by it.
        assert!(!asked("warpdiff nosuch --against emulator+?"));
        assert!(!asked("warpdiff run --nosuch --against emulator+?"));
    }
}
