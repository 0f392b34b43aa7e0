//! Counts of a self-check by kind of damage, and the wrong verdicts.

use std::collections::BTreeMap;

/// What was damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DamageKind {
    /// A compared bit of a buffer.
    Buffer,
    /// A compared bit of a surface.
    Surface,
    /// A compared bit of a module-scope variable.
    Variable,
    /// A bit of a region that the launch leaves as it was.
    Bystander,
    /// A bit of a guard band.
    Guard,
    /// An undefined bit: the verdict must not change.
    Masked,
    /// A bit that depends on the order of atomics.
    Unordered,
    /// A log of attempted atomics.
    History,
    /// A region missing, too short, too long, surplus or renamed.
    Shape,
    /// A fault, by class, instead of what happened.
    Fault,
    /// A hang, a crash, a rejection, or completion instead of a must-fault.
    Ending,
}

impl DamageKind {
    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Buffer => "bits of buffers",
            Self::Surface => "bits of surfaces",
            Self::Variable => "bits of variables",
            Self::Bystander => "bits of bystanders",
            Self::Guard => "bits of guard bands",
            Self::Masked => "undefined bits",
            Self::Unordered => "bits that depend on order",
            Self::History => "logged histories",
            Self::Shape => "shape of the state",
            Self::Fault => "fault classes",
            Self::Ending => "other endings",
        }
    }
}

/// Counts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Damages tried.
    pub tried: u64,
    /// Damages that made the verdict a violation, as they should.
    pub turned: u64,
    /// Damages after which the state is still allowed and was judged so.
    pub allowed: u64,
    /// Damages that the independent judge cannot decide; only the existence of a verdict was checked.
    pub unlisted: u64,
    /// Verdicts that were wrong.
    pub wrong_verdicts: u64,
}

/// Counts by kind, and the first wrong verdicts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DamageTally {
    /// Counts by kind.
    pub counts: BTreeMap<DamageKind, Count>,
    /// The first wrong verdicts, in words.
    pub wrong_verdicts: Vec<String>,
    /// Damaged bits that were judged with the whole state; the others with the part of it around them.
    pub whole: u64,
    /// Launches examined.
    pub launches: u64,
    /// Launches without a verdict to check: indeterminate or unsupported ones.
    pub skipped: u64,
}

/// Wrong verdicts that are kept in words.
const KEPT: usize = 20;

impl DamageTally {
    /// The count of a kind, to be changed.
    pub fn of(&mut self, kind: DamageKind) -> &mut Count {
        self.counts.entry(kind).or_default()
    }

    /// Notes a wrong verdict.
    pub fn wrong_verdict(&mut self, kind: DamageKind, words: impl FnOnce() -> String) {
        self.of(kind).wrong_verdicts += 1;
        if self.wrong_verdicts.len() < KEPT {
            self.wrong_verdicts.push(words());
        }
    }

    /// Adds the counts of another tally.
    pub fn merge(&mut self, other: DamageTally) {
        for (kind, count) in other.counts {
            let mine = self.of(kind);
            mine.tried += count.tried;
            mine.turned += count.turned;
            mine.allowed += count.allowed;
            mine.unlisted += count.unlisted;
            mine.wrong_verdicts += count.wrong_verdicts;
        }
        self.whole += other.whole;
        self.launches += other.launches;
        self.skipped += other.skipped;
        let room = KEPT.saturating_sub(self.wrong_verdicts.len());
        self.wrong_verdicts.extend(other.wrong_verdicts.into_iter().take(room));
    }

    /// Wrong verdicts of all kinds.
    pub fn total_wrong_verdicts(&self) -> u64 {
        self.counts.values().map(|count| count.wrong_verdicts).sum()
    }
}
