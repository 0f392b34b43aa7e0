//! Compares two recordings, such as those of two drivers, devices or versions of an emulator.

use std::collections::{BTreeMap, BTreeSet};

use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::reference::{Programs, Unit, units};
use warpdiff_judge::site;
use warpdiff_judge::verdict_table::Recorded;
use warpdiff_model::{Mismatch, MismatchClass, Observation};

use super::assembler_answer;
use super::drift::{self, Drift};
use super::folder::{Recording, Section};
use super::meaning::{meaning, part};
use super::observed::{Entry, restore};

/// Differences between two recordings.
#[derive(Debug, Default)]
pub struct Changes {
    /// Number of launches and programs with the same observation in both.
    pub same: usize,
    /// Launches and programs whose observations differ.
    pub changed: Vec<Change>,
    /// Variants that only the first recording has, and those that only the second has. A changed case is one of each.
    pub only: [BTreeSet<String>; 2],
}

/// A launch or a program whose observations differ.
#[derive(Debug)]
pub struct Change {
    /// Id of the variant.
    pub variant: String,
    /// Its rows, or `whole`; `legality` for an assembler.
    pub part: String,
    /// [`Recorded::Alike`] if only unspecified details differ, else [`Recorded::Drifted`].
    pub recorded: Recorded,
    /// The difference in words.
    pub words: String,
    /// The instruction that causes it, with its modifiers: `suld.b.2d.b32.clamp`.
    pub instruction: Option<String>,
    /// Requirements that the variant covers.
    pub covers: Vec<String>,
    /// Whether the corpus still has this launch. Without it undefined bits cannot be told from others.
    pub in_corpus: bool,
}

type Key<'a> = (&'a str, &'a str, &'a str);

/// Compares two recordings, launch by launch. `corpus` tells which bits are undefined.
pub fn changes(first: &Recording, second: &Recording, corpus: &[Variant]) -> Changes {
    let (a, b) = (launches(first), launches(second));
    let mut changes = Changes::default();
    let mut differing: BTreeMap<&str, Vec<(&Entry, &Entry)>> = BTreeMap::new();
    for (key, then) in &a {
        match b.get(key) {
            Some(now) if now == then => changes.same += 1,
            Some(now) => differing.entry(key.0).or_default().push((then, now)),
            None => drop(changes.only[0].insert(key.0.to_owned())),
        }
    }
    let alone = b.keys().filter(|key| !a.contains_key(*key));
    changes.only[1].extend(alone.map(|(variant, ..)| (*variant).to_owned()));
    let known: BTreeMap<&str, &Variant> = corpus.iter().map(|v| (v.id.as_str(), v)).collect();
    for (variant, entries) in differing {
        let of = Judge::new(variant, known.get(variant).copied(), first, second);
        entries.into_iter().for_each(|(then, now)| match of.change(then, now) {
            Some(change) => changes.changed.push(change),
            None => changes.same += 1,
        });
    }
    assembled(first, second, &known, &mut changes);
    changes
}

fn launches(recording: &Recording) -> BTreeMap<Key<'_>, &Entry> {
    let mut all = BTreeMap::new();
    for Section { variant, launches, .. } in &recording.sections {
        let keyed = launches.iter().map(|e| ((variant.as_str(), e.part.as_str(), e.meaning.as_str()), e));
        all.extend(keyed);
    }
    all
}

/// Compares the answers of assemblers, by variant and program.
fn assembled(a: &Recording, b: &Recording, known: &BTreeMap<&str, &Variant>, changes: &mut Changes) {
    let answers = |recording: &'_ Recording| -> BTreeMap<(String, String), _> {
        let asked = recording.sections.iter().filter_map(|section| {
            Some(((section.variant.clone(), section.program.clone()), section.answer.clone()?))
        });
        asked.collect()
    };
    let (a, b) = (answers(a), answers(b));
    for (key, then) in &a {
        let Some(now) = b.get(key) else {
            changes.only[0].insert(key.0.clone());
            continue;
        };
        if then == now {
            changes.same += 1;
            continue;
        }
        let words = assembler_answer::difference(then, now);
        let recorded = if words.is_some() { Recorded::Drifted } else { Recorded::Alike };
        changes.changed.push(Change {
            variant: key.0.clone(),
            part: "legality".into(),
            recorded,
            words: words.unwrap_or_else(|| "the assembler's message differs".into()),
            instruction: None,
            covers: known.get(key.0.as_str()).map(|v| v.covers.to_vec()).unwrap_or_default(),
            in_corpus: true,
        });
    }
    changes.only[1].extend(b.keys().filter(|key| !a.contains_key(*key)).map(|(variant, _)| variant.clone()));
}

/// Judges the differences in the launches of one variant.
struct Judge<'a> {
    variant: &'a str,
    covers: &'a [String],
    units: Vec<Unit<'a>>,
    recordings: [&'a Recording; 2],
}

impl<'a> Judge<'a> {
    fn new(id: &'a str, variant: Option<&'a Variant>, first: &'a Recording, second: &'a Recording) -> Self {
        let mut programs = Programs::default();
        let planned = match variant.map(|variant| &variant.work) {
            Some(Work::Launches(launches)) => launches.as_slice(),
            _ => &[],
        };
        // Launches that the reference cannot answer are compared as text.
        let asked = planned.iter().filter_map(|launch| units(launch, &mut programs).ok());
        let units = asked.flatten().collect();
        let covers = variant.map(|variant| &*variant.covers).unwrap_or_default();
        Self { variant: id, covers, units, recordings: [first, second] }
    }

    /// The change of a launch; `None` if both entries mean the same observation.
    fn change(&self, then: &Entry, now: &Entry) -> Option<Change> {
        let is_it =
            |unit: &&Unit<'_>| part(&unit.planned) == then.part && meaning(&unit.planned) == then.meaning;
        let rows;
        let unit = match self.units.iter().find(is_it) {
            Some(unit) => Some(unit),
            None => {
                let shared = self.units.iter().filter(|unit| unit.planned.splittable);
                rows = shared.filter_map(|unit| unit.split().ok()).flatten().collect::<Vec<_>>();
                rows.iter().find(is_it)
            }
        };
        let found = unit.and_then(|unit| Some((unit, self.observations(unit, then, now)?)));
        let (drift, instruction) = match &found {
            Some((unit, (a, b))) => {
                let drift = drift::between(a, b, &unit.planned, Some(&unit.allowed))?;
                let instruction = instruction(unit, &drift);
                (drift, instruction)
            }
            None => (unjudged(then, now), None),
        };
        Some(Change {
            variant: self.variant.to_owned(),
            part: then.part.clone(),
            recorded: drift.recorded,
            words: drift.words,
            instruction,
            covers: self.covers.to_vec(),
            in_corpus: found.is_some(),
        })
    }

    fn observations(&self, unit: &Unit<'_>, then: &Entry, now: &Entry) -> Option<(Observation, Observation)> {
        let [a, b] = self.recordings;
        let launch = &unit.planned.launch;
        Some((restore(then, launch, &a.memory).ok()?, restore(now, launch, &b.memory).ok()?))
    }
}

/// The difference between two entries whose launch the corpus does not have.
fn unjudged(then: &Entry, now: &Entry) -> Drift {
    let title = |entry: &Entry| {
        let details = [entry.class.clone(), entry.code.map(|c| c.to_string()), entry.stage.clone()];
        let details: Vec<_> = details.into_iter().flatten().collect();
        if details.is_empty() {
            entry.outcome.clone()
        } else {
            format!("{} ({})", entry.outcome, details.join(", "))
        }
    };
    let words = match (title(then), title(now)) {
        (a, b) if a != b => format!("{a} -> {b}"),
        _ => memory_words(then, now).unwrap_or_else(|| "the message differs".into()),
    };
    let same_memory = then.changed == now.changed;
    let recorded = if same_memory && title(then) == title(now) { Recorded::Alike } else { Recorded::Drifted };
    Drift { recorded, words, place: None }
}

fn memory_words(then: &Entry, now: &Entry) -> Option<String> {
    let none = BTreeMap::new();
    let (a, b) = (then.changed.as_ref().unwrap_or(&none), now.changed.as_ref().unwrap_or(&none));
    let name = a.keys().chain(b.keys()).find(|name| a.get(*name) != b.get(*name))?;
    let shown = |map: &BTreeMap<String, String>| map.get(name).cloned().unwrap_or_else(|| "unchanged".into());
    Some(format!("{name}: {} -> {}", shown(a), shown(b)))
}

/// The instruction that causes a difference, without its operands.
fn instruction(unit: &Unit<'_>, drift: &Drift) -> Option<String> {
    let anywhere = || Mismatch {
        class: MismatchClass::Value,
        region: None,
        offset: 0,
        row: None,
        expected: Vec::new(),
        defined: Vec::new(),
        observed: Vec::new(),
        detail: String::new(),
    };
    let mismatch = drift.place.clone().unwrap_or_else(anywhere);
    let site = site::find(&unit.compiled, &unit.planned, &mismatch, None)?;
    let mut words = site.text.split_whitespace();
    words.find(|word| !word.starts_with('@')).map(|word| word.trim_end_matches(';').to_owned())
}
