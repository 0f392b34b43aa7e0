//! The entries that hold for one target of a run, its profile, and what is said of files that do not hold.

use std::collections::BTreeMap;

use crate::cause::Failure;
use crate::conditions::Holds;
use crate::entry::{Entry, Expected, Selected};
use crate::file::ExpectationFile;
use crate::profile::Profile;

/// The entries that hold for a target.
#[derive(Clone, Debug, Default)]
pub struct InForce<'e> {
    /// The entries, in the order of files and lines.
    pub entries: Vec<&'e Entry>,
    /// Entries of `fails` and `flakes` that do not hold, each with the condition that the target does not meet: for another device
    /// or driver.
    pub elsewhere: Vec<(&'e Entry, String)>,
    /// Entries that may hold or not: the target does not report a fact that they ask for. In words.
    pub unknown: Vec<String>,
    /// What the target is known to do wherever it shows.
    pub profile: Option<Profile>,
}

impl<'e> InForce<'e> {
    /// The entries of these files for the target with this name and these facts.
    pub fn of(files: &'e [ExpectationFile], target: &str, facts: &BTreeMap<String, String>) -> Self {
        let mut found = Self::default();
        for file in files.iter().filter(|file| file.is_for(target)) {
            let general = file.conditions.hold(facts);
            if let Holds::Unknown(fact) = general {
                let path = file.source.path.display();
                found.unknown.push(format!("{path}: not applied: {target} does not report its `{fact}`"));
                continue;
            }
            for entry in &file.entries {
                match general.and(entry.conditions.hold(facts)) {
                    Holds::Yes => found.entries.push(entry),
                    Holds::No => {
                        let why = file.conditions.unmet(facts).or_else(|| entry.conditions.unmet(facts));
                        found
                            .elsewhere
                            .extend(why.filter(|_| entry.cause().is_some()).map(|why| (entry, why)));
                    }
                    Holds::Unknown(fact) => {
                        let place = entry.place();
                        found
                            .unknown
                            .push(format!("{place}: not applied: {target} does not report its `{fact}`"));
                    }
                }
            }
        }
        found
    }

    /// The same with the first of these profiles that is for the target.
    #[must_use]
    pub fn with_profile(self, profiles: &[Profile], target: &str) -> Self {
        Self { profile: profiles.iter().find_map(|profile| profile.of(target)), ..self }
    }

    /// The entries that would cover a failure of a variant under another device or driver, in words.
    pub fn would_cover(&self, variant: &Selected<'_>, failure: &Failure) -> Vec<String> {
        let about =
            self.elsewhere.iter().filter(|(entry, _)| entry.is_about(variant) && entry.covers(failure));
        about.map(|(entry, why)| format!("{}; it does not hold here: {why}", entry.words())).collect()
    }

    /// The first entry of `skips` about a variant.
    pub fn skips(&self, variant: &Selected<'_>) -> Option<&'e Entry> {
        let skips = self.entries.iter().filter(|entry| entry.expected == Expected::Skips);
        skips.copied().find(|entry| entry.is_about(variant))
    }

    /// The entries of `fails` and `flakes` about a variant.
    pub fn about(&self, variant: &Selected<'_>) -> Vec<&'e Entry> {
        let expected = self.entries.iter().filter(|entry| entry.expected != Expected::Skips);
        expected.copied().filter(|entry| entry.is_about(variant)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use warpdiff_corpus::plan::SourceFile;

    use super::*;

    fn file(text: &str) -> ExpectationFile {
        let source = SourceFile::new("x.yaml", text);
        ExpectationFile::parse(Arc::new(source)).unwrap_or_else(|errors| panic!("{}", errors[0]))
    }

    #[test]
    fn an_entry_holds_for_its_target_device_and_driver_alone() {
        let files = [file(
            "target: cuda*\ndevice: H200\nskips:\n  - {variants: a, reason: r, expires: 2030-01-01}\n  - {variants: b, reason: r, expires: 2030-01-01, driver: ..570}\n",
        )];
        let of = |target: &str, facts: &[(&str, &str)]| {
            let facts = facts.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
            let found = InForce::of(&files, target, &facts);
            (found.entries.len(), found.unknown)
        };
        assert_eq!(of("cuda:0", &[("device", "H200"), ("driver", "570.1")]), (2, vec![]));
        assert_eq!(of("cuda:0", &[("device", "H200"), ("driver", "580.1")]), (1, vec![]));
        assert_eq!(of("cuda:0", &[("device", "A100"), ("driver", "570.1")]), (0, vec![]));
        assert_eq!(of("emulator", &[]), (0, vec![]));
        let (entries, unknown) = of("cuda:0", &[("device", "H200")]);
        assert_eq!(
            (entries, unknown),
            (1, vec!["x.yaml:5:5: not applied: cuda:0 does not report its `driver`".into()])
        );
        let (entries, unknown) = of("cuda:0", &[]);
        assert_eq!(
            (entries, unknown),
            (0, vec!["x.yaml: not applied: cuda:0 does not report its `device`".into()])
        );
    }
}
