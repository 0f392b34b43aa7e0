//! Runs variants against deviations as mutants: which case notices each first, and whether what the case states notices it, or only what
//! the reference computes beside that.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use warpdiff_corpus::bytes::kind_name;
use warpdiff_corpus::plan::{PlannedLaunch, Variant, Work};
use warpdiff_emulator::{LaunchError, observe};
use warpdiff_judge::judgement;
use warpdiff_judge::mismatch_class::{class_name, row_of};
use warpdiff_judge::reference::{Programs, RecentPrograms, Unit, units};
use warpdiff_judge::shown_by::may_show;
use warpdiff_judge::stated_alone;
use warpdiff_model::{Admission, Entry, Mismatch, Observation, Semantics};

/// What became of a deviation.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The deviation.
    pub entry: &'static Entry,
    /// The first case that states what the deviation gets wrong.
    pub stated: Option<Kill>,
    /// The first case in which only the reference's own computation contradicts the deviation, if none states it.
    pub computed: Option<Kill>,
    /// The variants that were run with it: those with an instruction that can show it, until one states what it gets wrong.
    pub asked: usize,
    /// Those among them that could not be judged, by the reason.
    pub passed_over: BTreeMap<Reason, PassedOver>,
}

/// Why a variant cannot be judged with a deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The reference has no answer to it without the deviation either.
    NoReference,
    /// The emulator cannot decode the program or begin the launch with the deviation.
    Refused,
    /// The specification does not decide about what the launch does with the deviation: it depends on undefined bits, say, or ends where the
    /// reference ran out of steps.
    Undecided,
}

impl Reason {
    /// All of them, each with its meaning.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::NoReference, "the reference cannot run it"),
        (Self::Refused, "the emulator cannot run it with the deviation"),
        (Self::Undecided, "the specification does not decide about what it does with the deviation"),
    ];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoReference => "no-reference",
            Self::Refused => "refused",
            Self::Undecided => "undecided",
        }
    }

    /// Its meaning.
    pub fn meaning(self) -> &'static str {
        Self::ALL.iter().find(|(reason, _)| *reason == self).map_or("?", |(_, meaning)| meaning)
    }
}

/// Variants that could not be judged with a deviation, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// How many.
    pub variants: usize,
    /// The id of the first.
    pub first: String,
    /// What was said of the first.
    pub what: String,
}

/// A variant that notices a deviation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kill {
    /// The id of the variant.
    pub variant: String,
    /// The number of the row, from 0, where it is one row.
    pub row: Option<usize>,
    /// The place of the row, or else of the case: `cases/suld/clamp.yaml:17:7`.
    pub location: String,
    /// What is wrong, in words.
    pub what: String,
}

/// What a mutant is worth to know, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// No case notices it.
    Survived,
    /// The reference's own computation alone notices it: no case states what it gets wrong.
    Computed,
    /// The specification permits it, and a case reports it all the same.
    Reported,
    /// A case states what it gets wrong.
    Stated,
    /// The specification permits it, and no case reports it.
    Permitted,
    /// The emulator cannot be given it: it concerns what an assembler accepts alone.
    NotRun,
}

impl Fate {
    /// Its name, as reports and JSON have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Survived => "survived",
            Self::Computed => "killed-by-reference",
            Self::Reported => "reported-though-permitted",
            Self::Stated => "killed-by-hand",
            Self::Permitted => "permitted",
            Self::NotRun => "not-run",
        }
    }

    /// Whether the corpus lacks something.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Survived | Self::Computed | Self::Reported)
    }
}

impl Mutant {
    /// What became of it.
    pub fn fate(&self) -> Fate {
        let permitted = self.entry.permitted_by.is_some();
        match (&self.stated, &self.computed) {
            _ if !self.entry.runs => Fate::NotRun,
            (None, None) if permitted => Fate::Permitted,
            _ if permitted => Fate::Reported,
            (Some(_), _) => Fate::Stated,
            (None, Some(_)) => Fate::Computed,
            (None, None) => Fate::Survived,
        }
    }

    /// The case that decided its fate.
    pub fn kill(&self) -> Option<&Kill> {
        self.stated.as_ref().or(self.computed.as_ref())
    }
}

/// Runs the variants against the deviations. Cases of a requirement that a deviation breaks come first, then the others, both in the order of
/// the corpus: the same mutants are killed by the same cases on every machine. `judged` is called twice for each variant.
pub fn run(variants: &[&Variant], entries: &[&'static Entry], judged: &(dyn Fn() + Sync)) -> Vec<Mutant> {
    let mutants: Vec<InWork> = entries.iter().map(|entry| InWork::new(entry)).collect();
    let covers =
        |entry: &Entry, variant: &Variant| variant.covers.iter().any(|id| entry.breaks.contains(&&**id));
    pass(0, variants, &mutants, &covers, judged);
    pass(1, variants, &mutants, &|entry, variant| !covers(entry, variant), judged);
    mutants.into_iter().map(InWork::done).collect()
}

/// A deviation that is being looked for. Variants have numbers in the order in which they are asked.
struct InWork {
    entry: &'static Entry,
    /// The number of the first variant that states what it gets wrong: those behind it need not be asked.
    least: AtomicUsize,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    /// The kills by the variants of the least numbers.
    stated: Option<(usize, Kill)>,
    computed: Option<(usize, Kill)>,
    /// The variants that were run.
    asked: Vec<usize>,
    /// Those that could not be judged.
    passed: BTreeMap<usize, Passed>,
}

impl InWork {
    fn new(entry: &'static Entry) -> Self {
        let least = AtomicUsize::new(if entry.runs { usize::MAX } else { 0 });
        Self { entry, least, found: Mutex::default() }
    }

    fn is_open_at(&self, number: usize) -> bool {
        number < self.least.load(Ordering::Relaxed)
    }

    fn keep(&self, number: usize, kills: Kills) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.asked.push(number);
        if kills.stated.is_some() {
            self.least.fetch_min(number, Ordering::Relaxed);
        } else if let Some(passed) = kills.passed {
            found.passed.insert(number, passed);
        }
        keep_first(&mut found.stated, number, kills.stated);
        keep_first(&mut found.computed, number, kills.computed);
    }

    fn done(self) -> Mutant {
        let Found { stated, computed, asked, passed } =
            self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Threads may have taken on variants behind the one that decided.
        let last = stated.as_ref().map_or(usize::MAX, |(number, _)| *number);
        let asked = asked.iter().filter(|number| **number <= last).count();
        let mut passed_over: BTreeMap<Reason, PassedOver> = BTreeMap::new();
        for (_, Passed { reason, variant, what }) in passed.into_iter().filter(|(number, _)| *number <= last)
        {
            let of_reason =
                passed_over.entry(reason).or_insert(PassedOver { variants: 0, first: variant, what });
            of_reason.variants += 1;
        }
        let computed = if stated.is_some() { None } else { computed };
        let kill = |found: Option<(usize, Kill)>| found.map(|(_, kill)| kill);
        Mutant { entry: self.entry, stated: kill(stated), computed: kill(computed), asked, passed_over }
    }
}

fn keep_first(slot: &mut Option<(usize, Kill)>, number: usize, kill: Option<Kill>) {
    if let Some(kill) = kill
        && slot.as_ref().is_none_or(|(before, _)| number < *before)
    {
        *slot = Some((number, kill));
    }
}

/// Asks each variant for the deviations that it `takes`. The threads take variants in their order, so that what is found early saves most.
fn pass(
    number: usize,
    variants: &[&Variant],
    mutants: &[InWork],
    takes: &(dyn Fn(&Entry, &Variant) -> bool + Sync),
    judged: &(dyn Fn() + Sync),
) {
    let recent = RecentPrograms::default();
    let next = AtomicUsize::new(0);
    rayon::broadcast(|_| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(variant) = variants.get(index) else { return };
            let number = number * variants.len() + index;
            let is_open = |mutant: &&InWork| mutant.is_open_at(number) && takes(mutant.entry, variant);
            let open: Vec<&InWork> = mutants.iter().filter(is_open).collect();
            for (mutant, kills) in examined(variant, open, &recent) {
                mutant.keep(number, kills);
            }
            judged();
        }
    });
}

/// A variant that cannot be judged with a deviation.
struct Passed {
    reason: Reason,
    variant: String,
    what: String,
}

/// What of a variant contradicts a deviation first: what the case states, and what the reference computes beside that.
#[derive(Default)]
struct Kills {
    stated: Option<Kill>,
    computed: Option<Kill>,
    /// Why a launch of it could not be judged.
    passed: Option<Passed>,
}

impl Kills {
    fn or(self, later: impl FnOnce() -> Self) -> Self {
        if self.stated.is_some() {
            return self;
        }
        let later = later();
        Self {
            stated: later.stated,
            computed: self.computed.or(later.computed),
            passed: self.passed.or(later.passed),
        }
    }

    fn passed_over(variant: &Variant, reason: Reason, what: String) -> Self {
        let passed = Passed { reason, variant: variant.id.clone(), what };
        Self { passed: Some(passed), ..Self::default() }
    }
}

/// Runs a variant with each of the deviations that its programs can show.
fn examined<'m>(
    variant: &Variant,
    open: Vec<&'m InWork>,
    recent: &RecentPrograms,
) -> Vec<(&'m InWork, Kills)> {
    let Work::Launches(launches) = &variant.work else { return Vec::new() };
    if open.is_empty() {
        return Vec::new();
    }
    let mut programs = Programs::among(recent);
    let mut examined: Vec<(&InWork, Option<Kills>)> = open.into_iter().map(|mutant| (mutant, None)).collect();
    for planned in launches {
        // The reference is asked only where a deviation can show.
        // What does not compile cannot be asked what it can show; loading a corpus has checked its programs.
        let Ok(compiled) = programs.get(&planned.launch.program) else { continue };
        let mut shown: Vec<_> = examined
            .iter_mut()
            .filter(|(mutant, kills)| {
                kills.as_ref().is_none_or(|kills| kills.stated.is_none())
                    && may_show(mutant.entry.deviation, &compiled.checked)
            })
            .collect();
        if shown.is_empty() {
            continue;
        }
        let mut add = |of: &dyn Fn(Semantics) -> Kills| {
            for (mutant, kills) in &mut shown {
                let semantics = Semantics::default().with(mutant.entry.deviation);
                let before = kills.take().unwrap_or_default();
                *kills = Some(before.or(|| of(semantics)));
            }
        };
        let without = |error: &str| Kills::passed_over(variant, Reason::NoReference, error.to_owned());
        match units(planned, &mut programs) {
            Ok(units) => {
                for unit in units {
                    match seen(&unit, Semantics::default()) {
                        Ok(plain) => add(&|semantics| kills_of(variant, &unit, &plain, semantics)),
                        Err(error) => add(&|_| without(&error.to_string())),
                    }
                }
            }
            Err(error) => add(&|_| without(&error.to_string())),
        }
    }
    examined.into_iter().filter_map(|(mutant, kills)| Some((mutant, kills?))).collect()
}

fn seen(unit: &Unit<'_>, semantics: Semantics) -> Result<Observation, LaunchError> {
    observe(&unit.compiled.program, &unit.planned.launch, &semantics)
}

/// What contradicts the deviation in a launch that the specification's emulator answers with `plain`.
fn kills_of(variant: &Variant, unit: &Unit<'_>, plain: &Observation, semantics: Semantics) -> Kills {
    if !unit.compiled.program.has_decoding(&semantics) {
        let what = "it takes an instruction for one that does not exist".to_owned();
        return Kills::passed_over(variant, Reason::Refused, what);
    }
    let deviant = match seen(unit, semantics) {
        Ok(deviant) => deviant,
        Err(error) => return Kills::passed_over(variant, Reason::Refused, error.to_string()),
    };
    if deviant == *plain {
        return Kills::default();
    }
    let mismatches = match judgement::admission(unit, &deviant) {
        Admission::Violates { mismatches } => mismatches,
        Admission::Indeterminate { why } | Admission::NotJudged { why } => {
            return Kills::passed_over(variant, Reason::Undecided, why);
        }
        Admission::Conforms { .. } => return Kills::default(),
    };
    if unit.planned.splittable
        && unit.planned.rows.len() > 1
        && !matches!(deviant, Observation::Completed { .. })
        && let Ok(rows) = unit.split()
    {
        // A row that stops the launch takes the others with it: it is the one that notices.
        let of_row = |row: &Unit<'_>| match seen(row, Semantics::default()) {
            Ok(plain) => kills_of(variant, row, &plain, semantics),
            Err(error) => Kills::passed_over(variant, Reason::NoReference, error.to_string()),
        };
        let of_rows = rows.iter().fold(Kills::default(), |kills, row| kills.or(|| of_row(row)));
        if of_rows.stated.is_some() || of_rows.computed.is_some() {
            return of_rows;
        }
    }
    let stated = match stated_alone::admission(&unit.planned, &deviant) {
        // What the case states must hold for the specification's emulator to count against another.
        Admission::Violates { mismatches } if !contradicts(&unit.planned, plain) => {
            Some(kill(variant, unit, &mismatches))
        }
        _ => None,
    };
    Kills { computed: stated.is_none().then(|| kill(variant, unit, &mismatches)), stated, passed: None }
}

/// Whether the case contradicts the observation by what it states.
fn contradicts(planned: &PlannedLaunch, observation: &Observation) -> bool {
    matches!(stated_alone::admission(planned, observation), Admission::Violates { .. })
}

fn kill(variant: &Variant, unit: &Unit<'_>, mismatches: &[Mismatch]) -> Kill {
    let first = mismatches.first();
    let row = first.and_then(|mismatch| row_of(&unit.planned, mismatch));
    Kill {
        variant: variant.id.clone(),
        row: row.map(|row| row.index),
        location: row.map_or_else(|| variant.location.to_string(), |row| row.location().to_string()),
        what: first.map_or_else(String::new, words),
    }
}

/// A mismatch in words: `buffer out, byte 12: 00 00 00 00 in place of 0b 00 00 00`.
fn words(mismatch: &Mismatch) -> String {
    let hex = |bytes: &[u8]| bytes.iter().take(16).map(|byte| format!(" {byte:02x}")).collect::<String>();
    match &mismatch.region {
        Some((kind, name)) if !mismatch.observed.is_empty() => format!(
            "{} `{name}`, byte {}:{} in place of{}",
            kind_name(*kind),
            mismatch.offset,
            hex(&mismatch.observed),
            hex(&mismatch.expected)
        ),
        Some((kind, name)) => format!("{} `{name}`: {}", kind_name(*kind), mismatch.detail),
        None => format!("{}: {}", class_name(mismatch.class), mismatch.detail),
    }
}
