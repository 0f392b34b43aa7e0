//! A feature: one thing that a target must know to run a program, by its kind and its name.

use std::collections::BTreeSet;

use serde::Serialize;

/// The kinds of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureKind {
    /// An instruction with its modifiers: `suld.b.2d.<type>.clamp`.
    Instruction,
    /// Something that instructions of several kinds have: a guard, a special register, a cache operator.
    Operand,
    /// A declaration or directive of the program: a `.shared` variable, a function.
    Declaration,
    /// Something that the launch needs: several threads, a capability of the protocol.
    Launch,
    /// A type of texels that an instruction converts.
    Texels,
    /// A setting of a sampler.
    Sampler,
    /// An ending other than completion that the case expects.
    Ending,
}

/// A feature. Features are equal if their names and kinds are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Feature {
    /// Its kind.
    pub kind: FeatureKind,
    /// Its name, unique among those of its kind.
    pub name: String,
}

/// A set of features, to which parts of a program add theirs.
#[derive(Debug, Default)]
pub(crate) struct Collected(pub(crate) BTreeSet<Feature>);

impl Collected {
    /// Adds a feature.
    pub(crate) fn add(&mut self, kind: FeatureKind, name: impl Into<String>) {
        self.0.insert(Feature { kind, name: name.into() });
    }

    /// Adds a feature if the condition holds.
    pub(crate) fn add_if(&mut self, condition: bool, kind: FeatureKind, name: &str) {
        if condition {
            self.add(kind, name);
        }
    }
}
