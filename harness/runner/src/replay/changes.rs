//! What differs between two recordings: another driver, another device, another version of an emulator.

use std::collections::BTreeMap;

use super::folder::{Entry, Recording};
use super::observed::{Memory, Observed};
use crate::worker::hex::Hex;

/// What became of the observations of one recording in another.
#[derive(Debug, Default)]
pub struct Changes<'a> {
    /// Launches that did the same in both.
    pub same: usize,
    /// Launches that did something else, with both observations and the first difference in words.
    pub changed: Vec<Change<'a>>,
    /// Launches that the second has not, and those that it alone has. A case that was changed is one of each.
    pub only: [Vec<&'a Entry>; 2],
}

/// A launch that did something else.
#[derive(Debug)]
pub struct Change<'a> {
    /// The launch.
    pub entry: &'a Entry,
    /// The first difference.
    pub words: String,
}

/// Compares two recordings, launch by launch. Undefined bits count, too.
pub fn changes<'a>(first: &'a Recording, second: &'a Recording) -> Changes<'a> {
    let (a, b) = (index(first), index(second));
    let mut changes = Changes::default();
    for (key, entry) in &a {
        match b.get(key) {
            Some(other) if other.observed == entry.observed => changes.same += 1,
            Some(other) => {
                let words = difference(&entry.observed, &other.observed);
                changes.changed.push(Change { entry, words });
            }
            None => changes.only[0].push(entry),
        }
    }
    changes.only[1] = b.iter().filter(|(key, _)| !a.contains_key(*key)).map(|(_, entry)| *entry).collect();
    changes
}

fn index(recording: &Recording) -> BTreeMap<(&str, &str, &str), &Entry> {
    recording.entries().map(|e| ((e.variant.as_str(), e.part.as_str(), e.meaning.as_str()), e)).collect()
}

/// The first difference, in words.
fn difference(a: &Observed, b: &Observed) -> String {
    let title = |o: &Observed| {
        let details = [o.class.clone(), o.code.map(|c| c.to_string()), o.stage.clone(), o.words.clone()];
        let details: Vec<_> = details.into_iter().flatten().collect();
        if details.is_empty() { o.outcome.clone() } else { format!("{} ({})", o.outcome, details.join(", ")) }
    };
    if title(a) != title(b) {
        return format!("{} -> {}", title(a), title(b));
    }
    let none = Memory::default();
    let (a, b) = (a.memory.as_ref().unwrap_or(&none), b.memory.as_ref().unwrap_or(&none));
    let kinds = [
        ("buffer", &a.buffers, &b.buffers),
        ("guard of", &a.guards, &b.guards),
        ("surface", &a.surfaces, &b.surfaces),
        ("variable", &a.variables, &b.variables),
    ];
    kinds
        .into_iter()
        .find_map(|(kind, a, b)| first_byte(kind, a, b))
        .unwrap_or_else(|| "another faulting thread".into())
}

fn first_byte(kind: &str, a: &BTreeMap<String, Hex>, b: &BTreeMap<String, Hex>) -> Option<String> {
    let name = a.keys().chain(b.keys()).find(|name| a.get(*name) != b.get(*name))?;
    let (Some(Hex(a)), Some(Hex(b))) = (a.get(name), b.get(name)) else {
        let verb = if a.contains_key(name) { "no longer written" } else { "now written" };
        return Some(format!("{kind} `{name}` is {verb}"));
    };
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    let shown = |bytes: &[u8]| crate::bytes::hex(&bytes[at..bytes.len().min(at + 8)]);
    Some(format!("{kind} `{name}`, byte {at}: {} -> {}", shown(a), shown(b)))
}
