//! `warpdiff compare`: what differs between two recordings, by requirement and by instruction.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::verdict_table::Recorded;
use warpdiff_recordings::changes::{Change, changes};
use warpdiff_recordings::folder::{Manifest, Recording};
use warpdiff_terminal::foreign;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Options of `compare`.
#[derive(Debug, clap::Args)]
pub(crate) struct Compare {
    /// A recording
    first: PathBuf,
    /// Another one
    second: PathBuf,
    /// How many changed launches are printed
    #[arg(long, value_name = "N", default_value_t = 40)]
    show: usize,
}

impl Compare {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let read = |root: &Path| Recording::read(root).map_err(|e| Failure::broken(e.to_string()));
        let (first, second) = (read(&self.first)?, read(&self.second)?);
        // Without the corpus nobody knows which bits are undefined; what changed is told all the same.
        let corpus = shared.load();
        let variants = corpus.as_ref().map(|corpus| corpus.variants.as_slice()).unwrap_or_default();
        let found = changes(&first, &second, variants);
        let style = shared.style();
        let (drifted, alike): (Vec<&Change>, Vec<&Change>) =
            found.changed.iter().partition(|change| change.recorded == Recorded::Drifted);
        let mut text = format!(
            "{}\n{}\n\n",
            foreign::line(&origin("A", &first.manifest)),
            foreign::line(&origin("B", &second.manifest))
        );
        for change in drifted.iter().take(self.show) {
            let _ = writeln!(
                text,
                "{} {}, {}",
                style.warn().paint("changed:"),
                foreign::line(&change.variant),
                foreign::line(&change.part)
            );
            let _ = writeln!(text, "  {}", foreign::lines(&change.words, 4));
        }
        let hidden = drifted.len().saturating_sub(self.show);
        if hidden > 0 {
            let _ = writeln!(text, "… and {hidden} more launches that changed (--show N prints more)");
        }
        grouped(&mut text, "requirements concerned, with the variants that changed", &drifted, |change| {
            change.covers.iter().map(String::as_str).collect()
        });
        grouped(&mut text, "instructions concerned, with the variants that changed", &drifted, |change| {
            change.instruction.iter().map(String::as_str).collect()
        });
        for (name, only) in ["A", "B"].into_iter().zip(&found.only) {
            for id in only.iter().take(self.show) {
                let _ = writeln!(text, "only in {name}: {}", foreign::line(id));
            }
        }
        let unknown = drifted.iter().filter(|change| !change.in_corpus).count();
        if unknown > 0 {
            let words =
                "launches that changed are none of the corpus at hand: their undefined bits count, too";
            let _ = writeln!(text, "{unknown} {words}");
        }
        let _ = writeln!(
            text,
            "{} launches the same, {} alike but for undefined bits, {} changed; {} variants only in A, {} only in B",
            found.same,
            alike.len(),
            drifted.len(),
            found.only[0].len(),
            found.only[1].len()
        );
        let common = found.same + found.changed.len();
        if common == 0 {
            let words = "the two recordings have nothing in common: there is nothing to compare";
            let _ = writeln!(text, "{}", style.warn().paint(words));
        }
        emit(&text)?;
        Ok(match (common, drifted.is_empty()) {
            (0, _) => Exit::Outdated,
            (_, true) => Exit::Conforms,
            (_, false) => Exit::Drifted,
        })
    }
}

/// A table of how many variants that changed belong to each of the groups that `of` tells.
fn grouped<'a>(
    text: &mut String,
    title: &str,
    changed: &[&'a Change],
    of: impl Fn(&'a Change) -> Vec<&'a str>,
) {
    let mut groups: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for change in changed {
        for group in of(change) {
            groups.entry(group).or_default().insert(&change.variant);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().map(|(name, variants)| (variants.len(), name)).collect();
    groups.sort_by_key(|(count, name)| (std::cmp::Reverse(*count), *name));
    if !groups.is_empty() {
        let _ = writeln!(text, "\n{title}");
    }
    groups
        .iter()
        .for_each(|(count, name)| text.push_str(&format!("  {count:>5}  {}\n", foreign::line(name))));
}

/// `A: cuda, 2026-11-21 (driver 570.1, name H200)`
fn origin(name: &str, manifest: &Manifest) -> String {
    let fields: Vec<_> = manifest.device.iter().map(|(key, value)| format!("{key} {value}")).collect();
    let device = if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
    format!("{name}: {}, {}, warpdiff {}{device}", manifest.target, manifest.date, manifest.warpdiff)
}
