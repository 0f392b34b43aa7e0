//! What became of the mutants, file by file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::known::Known;
use crate::mutation::Mutant;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The reference contradicts what a case states.
    Contradicted(String),
    /// A case is no longer decided: the reference fails, or says that it cannot tell.
    Undecided(String),
    /// It did not end in time.
    TimedOut,
    /// Its process died.
    Died,
    /// No case notices it.
    Survived,
    /// No case comes by its place.
    Unreached,
}

impl Fate {
    /// The fate in a line of the judge.
    pub(crate) fn of(word: &str, variant: &str) -> Self {
        match word {
            "contradicted" => Self::Contradicted(variant.to_owned()),
            "timed-out" => Self::TimedOut,
            "died" => Self::Died,
            "survived" => Self::Survived,
            "unreached" => Self::Unreached,
            other => Self::Undecided(format!("{variant}: {other}")),
        }
    }

    pub(crate) fn is_killed(&self) -> bool {
        !matches!(self, Self::Survived | Self::Unreached)
    }
}

/// The numbers of one file.
#[derive(Default)]
struct Counts {
    mutants: usize,
    by_hand: usize,
    undecided: usize,
    ended: usize,
    equivalent: usize,
    survivors: usize,
}

impl Counts {
    fn share(&self) -> f64 {
        let counted = self.mutants - self.equivalent;
        if counted == 0 { 100.0 } else { 100.0 * (counted - self.survivors) as f64 / counted as f64 }
    }

    fn add(&mut self, other: &Self) {
        self.mutants += other.mutants;
        self.by_hand += other.by_hand;
        self.undecided += other.undecided;
        self.ended += other.ended;
        self.equivalent += other.equivalent;
        self.survivors += other.survivors;
    }
}

/// The whole report.
pub(crate) struct Report<'a> {
    pub(crate) judged: &'a [(&'a Mutant, Fate)],
    pub(crate) known: &'a [Known],
    /// The group of each file.
    pub(crate) groups: &'a BTreeMap<String, String>,
    /// Whether all files were taken: a line of the list may else be about another.
    pub(crate) is_whole: bool,
}

impl Report<'_> {
    fn is_known(&self, mutant: &Mutant) -> bool {
        self.known.iter().any(|known| known.is_about(mutant))
    }

    /// Mutants that nothing notices and nobody has judged.
    pub(crate) fn survivors(&self) -> impl Iterator<Item = &(&Mutant, Fate)> {
        self.judged.iter().filter(|(mutant, fate)| !fate.is_killed() && !self.is_known(mutant))
    }

    /// A table in Markdown: a line for each file, and one for each group.
    pub(crate) fn table(&self) -> String {
        let mut groups: BTreeMap<&str, BTreeMap<&str, Counts>> = BTreeMap::new();
        for (mutant, fate) in self.judged {
            let group = self.groups.get(&mutant.file).map_or("", String::as_str);
            let counts = groups.entry(group).or_default().entry(&mutant.file).or_default();
            counts.mutants += 1;
            let slot = match fate {
                _ if !fate.is_killed() && self.is_known(mutant) => &mut counts.equivalent,
                Fate::Contradicted(_) => &mut counts.by_hand,
                Fate::Undecided(_) => &mut counts.undecided,
                Fate::TimedOut | Fate::Died => &mut counts.ended,
                Fate::Survived | Fate::Unreached => &mut counts.survivors,
            };
            *slot += 1;
        }
        let mut text =
            "| file | mutants | contradicted | undecided | hung or died | equivalent | survived | share |\n\
                        |---|---|---|---|---|---|---|---|\n"
                .to_owned();
        let mut line = |name: &str, of: &Counts| {
            let Counts { mutants, by_hand, undecided, ended, equivalent, survivors } = of;
            let share = of.share();
            let _ = writeln!(
                text,
                "| {name} | {mutants} | {by_hand} | {undecided} | {ended} | {equivalent} | {survivors} | {share:.1} % |"
            );
        };
        for (group, files) in &groups {
            let mut sum = Counts::default();
            for (file, counts) in files {
                line(&format!("`{file}`"), counts);
                sum.add(counts);
            }
            line(&format!("**{group}**"), &sum);
        }
        text
    }

    /// The mutants that nobody has judged, a line each.
    pub(crate) fn list(&self) -> String {
        let mut text = String::new();
        for (mutant, fate) in self.survivors() {
            let Mutant { file, line, function, change, .. } = mutant;
            let reached = if *fate == Fate::Unreached { ", no case comes by" } else { "" };
            let _ = writeln!(text, "{file}:{line}: {function}: {change}{reached}");
        }
        text
    }

    /// Lines of the list of equivalent mutants that are about none, or about one that a case notices.
    pub(crate) fn stale(&self) -> Vec<String> {
        let mut stale = Vec::new();
        for known in self.known {
            let about: Vec<_> = self.judged.iter().filter(|(mutant, _)| known.is_about(mutant)).collect();
            let Known { line, function, change, reason, .. } = known;
            match about.iter().find(|(_, fate)| fate.is_killed()) {
                _ if about.is_empty() && !self.is_whole => {}
                _ if about.is_empty() => stale.push(format!("line {line}: there is no {function}: {change}")),
                Some((_, fate)) if !known.is_whole() => {
                    stale.push(format!(
                        "line {line}: {function}: {change} is noticed ({fate:?}), though {reason}"
                    ));
                }
                _ => {}
            }
        }
        stale
    }

    /// The groups whose share is below `least`, in percent.
    pub(crate) fn below(&self, least: f64) -> Vec<String> {
        let mut groups: BTreeMap<&str, Counts> = BTreeMap::new();
        for (mutant, fate) in self.judged {
            let counts = groups.entry(self.groups.get(&mutant.file).map_or("", String::as_str)).or_default();
            counts.mutants += 1;
            let is_lost = !fate.is_killed();
            counts.equivalent += usize::from(is_lost && self.is_known(mutant));
            counts.survivors += usize::from(is_lost && !self.is_known(mutant));
        }
        let low = groups.into_iter().filter(|(_, counts)| counts.share() < least);
        low.map(|(group, counts)| format!("{group}: {:.1} %", counts.share())).collect()
    }
}
