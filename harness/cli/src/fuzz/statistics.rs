//! `fuzz --statistics`: which forms generated programs have, how often, and how many programs the specification decides.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use rayon::prelude::*;
use warpdiff_generator::NEWEST_TARGET;
use warpdiff_generator::census::{Census, Counted};

use super::options::{Language, Options};
use super::trial::PreparedTrial;

/// Programs that are counted at a time.
const CHUNK: u64 = 1024;
/// Programs of which every form is promised, and none starved.
const PROMISED: u64 = 100_000;
/// Forms that are listed of each kind.
const LISTED: usize = 20;

/// What programs are like.
#[derive(Clone, Debug)]
pub(super) struct Statistics {
    /// Programs, and how often each form occurs in them.
    programs: u64,
    census: Census,
    /// Programs that the specification does not decide as they are generated, and that are reconditioned.
    reconditioned: u64,
    /// Those that it does not decide, whatever is done.
    indeterminate: u64,
    /// Programs that the reference refuses, by the reason: a defect of the generator, or of the tables of forms.
    refused: BTreeMap<String, u64>,
}

impl Statistics {
    /// Draws the programs and runs each on the reference.
    ///
    /// # Errors
    /// A message, if a table of the generator is wrong.
    pub(super) fn of(options: &Options) -> Result<Self, String> {
        let end = options.first + options.count;
        let starts: Vec<u64> = (options.first..end).step_by(CHUNK as usize).collect();
        let chunk = |start: u64| Self::of_programs(options, start..end.min(start + CHUNK));
        let join = |mut one: Self, other: Self| {
            one.programs += other.programs;
            one.reconditioned += other.reconditioned;
            one.indeterminate += other.indeterminate;
            one.census.add(&other.census);
            for (reason, programs) in other.refused {
                *one.refused.entry(reason).or_default() += programs;
            }
            one
        };
        starts
            .into_par_iter()
            .map(chunk)
            .try_reduce(|| Self::none(options), |one, other| Ok(join(one, other)))
    }

    /// Of no program.
    fn none(options: &Options) -> Self {
        let census = match options.language {
            Language::Ptx => Census::up_to(options.arch.unwrap_or(NEWEST_TARGET)),
            Language::Spa => Census::of_spa(),
        };
        Self { programs: 0, census, reconditioned: 0, indeterminate: 0, refused: BTreeMap::new() }
    }

    fn of_programs(options: &Options, indices: Range<u64>) -> Result<Self, String> {
        let mut statistics = Self { programs: indices.end - indices.start, ..Self::none(options) };
        for index in indices {
            let specimen = options.specimen(index)?;
            statistics.census.count(&specimen);
            match PreparedTrial::new(specimen) {
                Ok(prepared) => {
                    statistics.reconditioned += u64::from(prepared.is_reconditioned());
                    statistics.indeterminate += u64::from(prepared.is_indeterminate());
                }
                Err(reason) => *statistics.refused.entry(reason).or_default() += 1,
            }
        }
        Ok(statistics)
    }

    /// What is printed.
    pub(super) fn text(&self, seed: u64) -> String {
        let Self { programs, census, reconditioned, indeterminate, refused } = self;
        let mut text = String::new();
        let expected: Vec<(&str, u64)> = census
            .forms()
            .filter(|(_, counted)| counted.left_out.is_none())
            .map(|(name, counted)| (name, counted.steps))
            .collect();
        let missing: Vec<&str> =
            expected.iter().filter(|(_, steps)| *steps == 0).map(|(name, _)| *name).collect();
        let share = |some: u64| 100.0 * some as f64 / (*programs).max(1) as f64;
        put(
            &mut text,
            format_args!("{programs} programs of seed {seed}, {} instructions under test\n", census.steps()),
        );
        put(
            &mut text,
            format_args!(
                "  {indeterminate} programs are not decided by the specification ({:.2} %)\n",
                share(*indeterminate)
            ),
        );
        put(
            &mut text,
            format_args!(
                "  {reconditioned} more would not be, and are reconditioned ({:.2} %)\n",
                share(*reconditioned)
            ),
        );
        put(
            &mut text,
            format_args!("  {} of {} forms occur\n", expected.len() - missing.len(), expected.len()),
        );
        histogram(&mut text, &expected);
        families(&mut text, census.forms());
        let starved: Vec<String> = census
            .starved(*programs)
            .iter()
            .map(|(name, counted)| format!("{name}: {}, of {}", counted.steps, counted.family))
            .collect();
        let starved: Vec<&str> = starved.iter().map(String::as_str).collect();
        list(
            &mut text,
            "are starved: they occur less than a sixteenth as often as half of their family, and in less than one of a thousand programs",
            &starved,
        );
        list(&mut text, "occur nowhere", &missing);
        let mut rarest: Vec<(&str, u64)> = expected.iter().filter(|(_, steps)| *steps > 0).copied().collect();
        rarest.sort_by_key(|(_, steps)| *steps);
        put(&mut text, format_args!("\nthe rarest\n"));
        for (name, steps) in rarest.iter().take(LISTED) {
            put(&mut text, format_args!("{steps:>10}  {name}\n"));
        }
        left_out(&mut text, census.forms());
        let strangers: Vec<&str> = census.strangers().map(|(opcode, _)| opcode).collect();
        list(&mut text, "are no form of the tables", &strangers);
        let reasons: Vec<&str> = refused.keys().map(String::as_str).collect();
        list(&mut text, "reasons why the reference refuses a program", &reasons);
        text
    }

    /// Whether every program is legal, every instruction of it is a form of the tables, and at most one of a hundred programs is not decided; of as many programs as
    /// that is promised of, whether every form occurs, and none is starved.
    pub(super) fn is_sound(&self) -> bool {
        let is_legal = self.refused.is_empty() && self.census.strangers().next().is_none();
        let is_decided = self.indeterminate * 100 <= self.programs;
        let mut promised = self.census.forms().filter(|(_, counted)| counted.left_out.is_none());
        let is_whole = self.programs < PROMISED
            || promised.all(|(_, counted)| counted.steps > 0)
                && self.census.starved(self.programs).is_empty();
        is_legal && is_decided && is_whole
    }
}

/// How many forms occur how often, by powers of ten.
fn histogram(text: &mut String, forms: &[(&str, u64)]) {
    let mut counts = [0_usize; 20];
    for (_, steps) in forms {
        counts[steps.checked_ilog10().map_or(0, |power| power as usize + 1)] += 1;
    }
    let last = counts.iter().rposition(|count| *count > 0).unwrap_or_default();
    put(text, format_args!("\n     forms  that occur\n"));
    for (place, count) in counts.iter().enumerate().take(last + 1) {
        match place {
            0 => put(text, format_args!("{count:>10}  nowhere\n")),
            _ => {
                let (from, to) = (10_u64.pow(place as u32 - 1), 10_u64.pow(place as u32) - 1);
                put(text, format_args!("{count:>10}  {from} to {to} times\n"));
            }
        }
    }
}

/// How often the forms of each family occur.
fn families<'f>(text: &mut String, forms: impl Iterator<Item = (&'f str, Counted)>) {
    let mut all: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (_, counted) in forms.filter(|(_, counted)| counted.left_out.is_none()) {
        all.entry(counted.family).or_default().push(counted.steps);
    }
    put(text, format_args!("\n     forms    fewest    median      most  times, of the family\n"));
    for (family, mut forms) in all {
        forms.sort_unstable();
        let (fewest, median) = (forms[0], forms[forms.len() / 2]);
        let most = forms[forms.len() - 1];
        let count = forms.len();
        put(text, format_args!("{count:>10}{fewest:>10}{median:>10}{most:>10}  {family}\n"));
    }
}

/// The forms that are not generated, by the reason.
fn left_out<'f>(text: &mut String, forms: impl Iterator<Item = (&'f str, Counted)>) {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, counted) in forms {
        if let Some(reason) = counted.left_out {
            reasons.entry(reason).or_default().push(name);
        }
    }
    let mut reasons: Vec<(&str, Vec<&str>)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, forms)| std::cmp::Reverse(forms.len()));
    put(text, format_args!("\nforms that are not generated\n"));
    for (reason, forms) in reasons {
        let first = forms.first().copied().unwrap_or_default();
        put(
            text,
            format_args!(
                "{:>10}  {reason}: {first}{}\n",
                forms.len(),
                if forms.len() > 1 { ", …" } else { "" }
            ),
        );
    }
}

fn list(text: &mut String, what: &str, names: &[&str]) {
    if names.is_empty() {
        return;
    }
    put(text, format_args!("\n{} {what}\n", names.len()));
    for name in names.iter().take(LISTED) {
        put(text, format_args!("            {name}\n"));
    }
    if names.len() > LISTED {
        put(text, format_args!("            and {} more\n", names.len() - LISTED));
    }
}

fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_have_the_fewest_the_median_and_the_most() {
        let counted = |steps, family| Counted { steps, left_out: None, family };
        let forms = [
            ("a", counted(9, "integers")),
            ("b", counted(10, "integers")),
            ("c", counted(100, "integers")),
            ("d", counted(101, "integers")),
            ("e", counted(200, "integers")),
            ("f", counted(5, "textures")),
            ("g", Counted { left_out: Some("a reason"), ..counted(0, "textures") }),
        ];
        let mut text = String::new();
        families(&mut text, forms.into_iter());
        assert!(text.contains("         5         9       100       200  integers\n"), "{text}");
        assert!(text.contains("         1         5         5         5  textures\n"), "{text}");
    }

    #[test]
    fn programs_that_are_not_decided_or_lack_forms_are_not_sound() {
        let statistics = |programs, indeterminate| Statistics {
            programs,
            census: Census::default(),
            reconditioned: 0,
            indeterminate,
            refused: BTreeMap::new(),
        };
        assert!(statistics(1000, 10).is_sound() && !statistics(1000, 11).is_sound());
        // Of few programs it is not asked whether every form occurs.
        assert!(statistics(99_999, 0).is_sound() && !statistics(100_000, 0).is_sound());
    }
}
