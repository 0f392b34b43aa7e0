//! `warpdiff compare`: what differs between two recordings.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::output::emit;
use super::{Failure, Shared};
use crate::replay::changes::{Change, changes};
use crate::replay::folder::{Entry, Manifest, Recording};
use crate::status::Exit;

/// Options of `compare`.
#[derive(Debug, clap::Args)]
pub(super) struct Compare {
    /// A recording
    first: PathBuf,
    /// Another one
    second: PathBuf,
    /// How many changed launches are printed
    #[arg(long, value_name = "N", default_value_t = 40)]
    show: usize,
}

impl Compare {
    pub(super) fn execute(&self, shared: &Shared) -> Result<Exit, Failure> {
        let read = |root: &Path| Recording::read(root).map_err(|e| Failure::broken(e.to_string()));
        let (first, second) = (read(&self.first)?, read(&self.second)?);
        let found = changes(&first, &second);
        let style = shared.style();
        let mut text = format!("{}\n{}\n\n", origin("A", &first.manifest), origin("B", &second.manifest));
        for Change { entry, words } in found.changed.iter().take(self.show) {
            let _ = writeln!(
                text,
                "{} {}, {}\n  {words}",
                style.warn().paint("changed:"),
                entry.variant,
                entry.part
            );
        }
        let hidden = found.changed.len().saturating_sub(self.show);
        if hidden > 0 {
            let _ = writeln!(text, "… and {hidden} more launches that changed (--show N prints more)");
        }
        self.by_requirement(&mut text, shared, &found.changed);
        for (name, only) in ["A", "B"].into_iter().zip(&found.only) {
            for id in distinct(only).into_iter().take(self.show) {
                let _ = writeln!(text, "only in {name}: {id}");
            }
        }
        let _ = writeln!(
            text,
            "{} launches the same, {} changed, {} only in A, {} only in B",
            found.same,
            found.changed.len(),
            found.only[0].len(),
            found.only[1].len()
        );
        emit(&text)?;
        Ok(if found.changed.is_empty() { Exit::Conforms } else { Exit::Drifted })
    }

    /// How many variants that changed cover each requirement, as far as the corpus is at hand.
    fn by_requirement(&self, text: &mut String, shared: &Shared, changed: &[Change<'_>]) {
        let Ok(corpus) = shared.load() else { return };
        let ids = distinct(changed.iter().map(|change| &change.entry));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for variant in corpus.variants.iter().filter(|v| ids.contains(v.id.as_str())) {
            variant.covers.iter().for_each(|id| *counts.entry(id).or_default() += 1);
        }
        if !counts.is_empty() {
            let _ = writeln!(text, "\nrequirements concerned, with the number of variants that changed");
        }
        for (id, count) in counts {
            let _ = writeln!(text, "  {count:>5}  {id}");
        }
    }
}

fn distinct<'a, 'b: 'a>(
    entries: impl IntoIterator<Item = &'a &'b Entry>,
) -> std::collections::BTreeSet<&'b str> {
    entries.into_iter().map(|entry| entry.variant.as_str()).collect()
}

/// `A: cuda, 2026-11-21 (driver 570.1, name H200)`
fn origin(name: &str, manifest: &Manifest) -> String {
    let fields: Vec<_> = manifest.device.iter().map(|(key, value)| format!("{key} {value}")).collect();
    let device = if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
    format!("{name}: {}, {}, warpdiff {}{device}", manifest.target, manifest.date, manifest.warpdiff)
}
