//! Joins the recordings of the shards of a run: same target, same device, and no variant twice.

use std::collections::{BTreeMap, BTreeSet};

use super::folder::{Manifest, Recording};

/// Facts of one card, and not of what runs on it: the shards of a run have a card each.
const OF_A_CARD: [&str; 1] = ["bus"];

/// What a target said of itself, without what tells one of several equal cards from the others.
pub fn of_any_card(device: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let kept = device.iter().filter(|(fact, _)| !OF_A_CARD.contains(&fact.as_str()));
    kept.map(|(fact, value)| (fact.clone(), value.clone())).collect()
}

/// Why two recordings cannot be joined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinRecordingsError {
    /// They are of different targets.
    #[error("recordings of different targets: {0} and {1}")]
    Target(String, String),
    /// They are of different devices or drivers.
    #[error("recordings of different devices: {fact} is {first} in the first and {second} in the second")]
    Device {
        /// What differs: `driver`.
        fact: String,
        /// Its value in the first recording.
        first: String,
        /// Its value in the second.
        second: String,
    },
    /// A variant is in both.
    #[error("`{0}` is in both recordings")]
    Twice(String),
}

impl Recording {
    /// Adds the variants of another recording. The date is the later one.
    ///
    /// # Errors
    /// If it is of another target or device, or has a variant that this one has. Then nothing is added.
    pub fn join(&mut self, other: Self) -> Result<(), JoinRecordingsError> {
        let (mine, its) = (&self.manifest, &other.manifest);
        if mine.target != its.target {
            return Err(JoinRecordingsError::Target(mine.target.clone(), its.target.clone()));
        }
        let facts: BTreeSet<&String> = mine.device.keys().chain(its.device.keys()).collect();
        let facts = facts.into_iter().filter(|fact| !OF_A_CARD.contains(&fact.as_str()));
        if let Some(fact) = facts.into_iter().find(|fact| mine.device.get(*fact) != its.device.get(*fact)) {
            let of =
                |manifest: &Manifest| manifest.device.get(fact).map_or("unknown", String::as_str).to_owned();
            return Err(JoinRecordingsError::Device { fact: fact.clone(), first: of(mine), second: of(its) });
        }
        let known: BTreeSet<&str> = self.sections.iter().map(|section| section.variant.as_str()).collect();
        if let Some(twice) = other.sections.iter().find(|section| known.contains(section.variant.as_str())) {
            return Err(JoinRecordingsError::Twice(twice.variant.clone()));
        }
        // What is joined is of no one card, unless all of it is.
        self.manifest.device.retain(|fact, value| other.manifest.device.get(fact) == Some(value));
        self.manifest.date = std::cmp::max(&self.manifest.date, &other.manifest.date).clone();
        self.sections.extend(other.sections);
        self.sections.sort_by(|a, b| a.variant.cmp(&b.variant));
        self.programs.append(other.programs);
        self.memory.append(other.memory);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::folder::Section;
    use super::*;

    fn of(target: &str, driver: &str, variants: &[&str]) -> Recording {
        let mut recording = Recording::default();
        recording.manifest.target = target.into();
        recording.manifest.device.insert("driver".into(), driver.into());
        let section = |variant: &&str| Section { variant: (*variant).into(), ..Section::default() };
        recording.sections = variants.iter().map(section).collect();
        recording
    }

    #[test]
    fn shards_have_a_card_each() {
        let on = |bus: &str, variant: &str| {
            let mut recording = of("cuda", "580", &[variant]);
            recording.manifest.device.insert("bus".into(), bus.into());
            recording
        };
        let mut all = on("0000:17:00.0", "a");
        all.join(on("0000:17:00.0", "b")).unwrap();
        assert_eq!(all.manifest.device["bus"], "0000:17:00.0");
        all.join(on("0000:65:00.0", "c")).unwrap();
        assert_eq!(all.manifest.device, BTreeMap::from([("driver".into(), "580".into())]));
    }

    #[test]
    fn shards_of_one_target_are_joined_and_others_refused() {
        let mut all = of("cuda", "580", &["b"]);
        all.join(of("cuda", "580", &["a", "c"])).unwrap();
        assert_eq!(all.sections.iter().map(|s| s.variant.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        let before = all.clone();
        assert_eq!(all.join(of("cuda", "580", &["d", "a"])), Err(JoinRecordingsError::Twice("a".into())));
        assert!(matches!(all.join(of("emulator", "580", &[])), Err(JoinRecordingsError::Target(..))));
        let other = all.join(of("cuda", "590", &[])).unwrap_err().to_string();
        assert!(other.contains("driver is 580 in the first and 590 in the second"), "{other}");
        assert_eq!(all, before);
    }
}
