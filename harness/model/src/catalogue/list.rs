//! The list of all deviations, and lookup by name.

use super::deviation::Deviation;
use super::entry::Entry;
use super::{
    arithmetic, atomics, comparison, compiler, control, conversion, float, memory, spa, surface,
    surface_values, texture, variables, warp,
};
use crate::MismatchClass;

/// The families in the order of the catalogue, which is that of their numbers.
const FAMILIES: [&[Entry]; 14] = [
    surface::ENTRIES,
    surface_values::ENTRIES,
    atomics::ENTRIES,
    memory::ENTRIES,
    arithmetic::ENTRIES,
    float::ENTRIES,
    conversion::ENTRIES,
    comparison::ENTRIES,
    warp::ENTRIES,
    control::ENTRIES,
    spa::ENTRIES,
    variables::ENTRIES,
    texture::ENTRIES,
    compiler::ENTRIES,
];

static CATALOGUE: [Entry; Deviation::COUNT] = {
    let mut all = [Entry::BLANK; Deviation::COUNT];
    let (mut family, mut next) = (0, 0);
    while family < FAMILIES.len() {
        let mut entry = 0;
        while entry < FAMILIES[family].len() {
            all[next] = FAMILIES[family][entry];
            assert!(all[next].deviation.0 as usize == next, "a family begins where the one before it ends");
            entry += 1;
            next += 1;
        }
        family += 1;
    }
    assert!(next == Deviation::COUNT, "the last family of the list ends the catalogue");
    all
};

impl Deviation {
    /// The number of deviations.
    pub const COUNT: usize = compiler::END as usize;

    /// Every entry of the catalogue, in its order.
    pub fn catalogue() -> &'static [Entry] {
        &CATALOGUE
    }

    /// Every deviation that the emulator can have, in the order of the catalogue.
    pub fn all() -> impl Iterator<Item = Self> {
        CATALOGUE.iter().filter(|entry| entry.runs).map(|entry| entry.deviation)
    }

    /// Its entry in the catalogue.
    pub fn entry(self) -> &'static Entry {
        &CATALOGUE[self.index()]
    }

    /// Its id, which is its name on the command line: `suld.clamp-as-zero`.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The class of the mismatches that it causes.
    pub fn class(self) -> MismatchClass {
        self.entry().class
    }

    /// Whether the specification leaves the behaviour open, so that a target with it conforms.
    pub fn is_permitted(self) -> bool {
        self.entry().permitted_by.is_some()
    }

    /// The deviation of that name, if the emulator can have it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|deviation| deviation.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_unique_found_again_and_of_a_shape_that_the_command_line_can_part() {
        let names: HashSet<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), Deviation::COUNT);
        for entry in Deviation::catalogue() {
            assert_eq!(Deviation::from_name(entry.name), entry.runs.then_some(entry.deviation));
            assert_eq!(entry.deviation.to_string(), entry.name);
            let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
            assert!(entry.name.contains('.') && entry.name.chars().all(legal), "{}", entry.name);
        }
        assert_eq!(Deviation::from_name("suld.clamp-as-one"), None);
    }

    #[test]
    fn every_entry_is_whole() {
        for entry in Deviation::catalogue() {
            let Entry { name, sentence, origins, breaks, permitted_by, .. } = *entry;
            assert!(sentence.ends_with('.') && !sentence.contains("  "), "{name}: {sentence}");
            assert!(!origins.is_empty(), "{name} has no origin");
            assert!(
                breaks.is_empty() == permitted_by.is_some(),
                "{name} either breaks requirements or is permitted"
            );
            assert!(entry.runs || entry.contrast.is_some(), "{name}: nothing acts on it");
        }
    }
}
