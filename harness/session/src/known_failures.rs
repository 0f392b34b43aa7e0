//! Lists of known failures: their format, and which violations they excuse.
//!
//! A list is a text file with one entry on a line, of five fields:
//!
//! ```text
//! # target | status | class | deviations | variants
//! process:./emu | violates | clamp behaviour | suld.clamp-as-zero | suld/bounds-1d/*
//! process:./emu | crashed  | crash           | none               | atomics/cas/*
//! ```
//!
//! * `target`: its name, as `--against` writes it, or a pattern with `*`; one list serves several targets.
//! * `status`: what the failing launches earn: `violates`, `rejected`, `hung` or `crashed`.
//! * `class` and `deviations`: the cause, as the report prints it. Commas separate several deviations; `none` means that no known
//!   deviation reproduces the observations.
//! * `variants`: a pattern over ids, as for filters.
//!
//! An entry excuses only such failures: a variant with any failing launch that no entry covers fails as usual. If several
//! deviations reproduce the same, naming one is enough. `#` at the beginning of a line or after white space begins a comment.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use warpdiff_corpus::CorpusError;
use warpdiff_corpus::filter::Pattern;
use warpdiff_corpus::plan::{Location, SourceFile};
use warpdiff_judge::finding::Finding;
use warpdiff_judge::mismatch_class::class_name;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{Deviation, MismatchClass};
use warpdiff_terminal::suggest::closest;

use crate::session::Session;
use crate::verdict::Listing;

/// Every class, for reading their names.
const CLASSES: [MismatchClass; 12] = [
    MismatchClass::Clamp,
    MismatchClass::UnpredictableComponent,
    MismatchClass::OutOfBounds,
    MismatchClass::Addressing,
    MismatchClass::Alignment,
    MismatchClass::Conversion,
    MismatchClass::Atomicity,
    MismatchClass::Layout,
    MismatchClass::Legality,
    MismatchClass::Hang,
    MismatchClass::Crash,
    MismatchClass::Value,
];

/// The word for no deviation.
const NONE: &str = "none";

/// The format of an entry, for error messages.
const FORM: &str = "expected `TARGET | STATUS | CLASS | DEVIATIONS | VARIANTS`";

/// A list of known failures.
#[derive(Clone, Debug, Default)]
pub struct KnownFailures(Vec<KnownFailure>);

/// One known failure.
#[derive(Clone, Debug)]
struct KnownFailure {
    /// A name, or a pattern with `*`.
    target: String,
    status: Raw,
    class: MismatchClass,
    deviations: Vec<Deviation>,
    variants: Pattern,
    /// Where it stands.
    location: Location,
}

impl KnownFailures {
    /// Reads a list.
    ///
    /// # Errors
    /// Everything that is wrong with it, with its line and column.
    pub fn read(path: &Path) -> Result<Self, Vec<CorpusError>> {
        let file = |text| Arc::new(SourceFile { path: path.into(), text });
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&file(text)),
            Err(error) => {
                let location = Location { file: file(String::new()), range: 0..0 };
                let message = format!("cannot read {}: {error}", path.display());
                Err(vec![CorpusError::new(location, message)])
            }
        }
    }

    fn parse(file: &Arc<SourceFile>) -> Result<Self, Vec<CorpusError>> {
        let (mut entries, mut errors) = (Vec::new(), Vec::new());
        let mut start = 0;
        for line in file.text.split_inclusive('\n') {
            let entry = uncommented(line).trim_end();
            let range = start + (entry.len() - entry.trim_start().len())..start + entry.len();
            start += line.len();
            if range.is_empty() {
                continue;
            }
            match KnownFailure::parse(file, range) {
                Ok(entry) => entries.push(entry),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(Self(entries)) } else { Err(errors) }
    }

    /// The first entry that matches none of the ids.
    pub fn unmatched(&self, ids: &[&str]) -> Option<CorpusError> {
        let idle = |entry: &&KnownFailure| !ids.iter().any(|id| entry.variants.matches(id));
        self.0.iter().find(idle).map(|entry| {
            let message = format!("--known: no variant of the corpus matches `{}`", entry.variants.as_str());
            CorpusError::new(entry.location.clone(), message)
        })
    }

    /// Notes the entries in the verdicts of a session. Returns the entries whose failures no longer occur: every variant that they
    /// match was judged and did not fail like that. `ids` are those of the whole corpus.
    pub fn apply(&self, session: &mut Session<'_>, ids: &[&str]) -> Vec<String> {
        let mut uses = vec![Uses::default(); self.0.len()];
        for verdict in &mut session.verdicts {
            for (target, name) in verdict.targets.iter_mut().zip(&session.targets) {
                let about = self.0.iter().enumerate();
                let about: Vec<(usize, &KnownFailure)> =
                    about.filter(|(_, entry)| entry.is_about(name, &verdict.variant.id)).collect();
                if about.is_empty() {
                    continue;
                }
                for (index, entry) in &about {
                    // A missing answer does not show that a failure is gone.
                    let judged = !matches!(target.raw, Raw::NotRun | Raw::Unsupported);
                    uses[*index].judged += usize::from(judged);
                    uses[*index].excuses |= target.findings.iter().any(|finding| entry.covers(finding));
                }
                let covered = |finding: &Finding| about.iter().any(|(_, entry)| entry.covers(finding));
                let uncovered = target.findings.iter().position(|finding| !covered(finding));
                target.listed = Some(Listing {
                    entries: about.iter().map(|(_, entry)| entry.words()).collect(),
                    uncovered,
                    excused: uncovered.is_none() && !target.findings.is_empty(),
                });
            }
        }
        let targets = session.targets.as_slice();
        let all = |entry: &KnownFailure| {
            let variants = ids.iter().filter(|id| entry.variants.matches(id)).count();
            variants * targets.iter().filter(|name| entry.is_for(name)).count()
        };
        let idle = self.0.iter().zip(uses).filter(|(entry, uses)| {
            // A run of some of its variants does not judge the others.
            uses.judged > 0 && !uses.excuses && uses.judged == all(entry)
        });
        idle.map(|(entry, _)| entry.words()).collect()
    }
}

/// The uses of an entry in a session.
#[derive(Clone, Debug, Default)]
struct Uses {
    /// Verdicts that it matches.
    judged: usize,
    /// Whether it covers a failure of one of them.
    excuses: bool,
}

impl KnownFailure {
    /// Reads an entry from one line of a file.
    fn parse(file: &Arc<SourceFile>, range: Range<usize>) -> Result<Self, CorpusError> {
        let at = |range: Range<usize>| Location { file: Arc::clone(file), range };
        let line = &file.text[range.clone()];
        let mut fields = Vec::new();
        let mut start = range.start;
        // The last field may contain `|`, because ids contain titles.
        for field in line.splitn(5, '|') {
            let blank = field.len() - field.trim_start().len();
            fields.push((field.trim(), start + blank..start + blank + field.trim().len()));
            start += field.len() + 1;
        }
        let [target, status, class, deviations, variants] = fields.as_slice() else {
            return Err(not_an_entry(line, at(range)));
        };
        for ((text, place), what) in
            fields.iter().zip(["target", "status", "class", "deviations", "variants"])
        {
            if text.is_empty() {
                return Err(
                    CorpusError::new(at(place.clone()), format!("this entry has no {what}")).label(FORM)
                );
            }
        }
        let failing = Raw::from_name(status.0).filter(|raw| raw.is_failure());
        let status = failing.ok_or_else(|| {
            CorpusError::new(at(status.1.clone()), format!("unknown status `{}`", status.0))
                .label("expected `violates`, `rejected`, `hung` or `crashed`")
        })?;
        let found = CLASSES.into_iter().find(|known| class_name(*known) == class.0);
        let class = found.ok_or_else(|| {
            let names = CLASSES.map(|class| format!("`{}`", class_name(class)));
            CorpusError::new(at(class.1.clone()), format!("unknown class `{}`", class.0))
                .label(format!("expected one of {}", names.join(", ")))
        })?;
        let mut named = Vec::new();
        if deviations.0 != NONE {
            for name in deviations.0.split(',').map(str::trim) {
                named.push(deviation(name).map_err(|(message, label)| {
                    CorpusError::new(at(deviations.1.clone()), message).label(label)
                })?);
            }
        }
        // Deviations that only explain together may have several classes; the entry names one of them.
        if let Some(first) = named.first()
            && named.iter().all(|deviation| deviation.class() != class)
        {
            let other = class_name(first.class());
            let message = format!("`{}` has another class than the entry: {other}", first.name());
            let label = "a failure that this deviation reproduces never has the class of this entry";
            return Err(CorpusError::new(at(deviations.1.clone()), message).label(label));
        }
        Ok(Self {
            target: target.0.to_owned(),
            status,
            class,
            deviations: named,
            variants: Pattern::new(variants.0),
            location: at(range),
        })
    }

    /// Whether it matches a target.
    fn is_for(&self, target: &str) -> bool {
        if self.target.contains('*') {
            Pattern::new(self.target.as_str()).matches(target)
        } else {
            self.target == target
        }
    }

    fn is_about(&self, target: &str, id: &str) -> bool {
        self.is_for(target) && self.variants.matches(id)
    }

    /// Whether it covers a finding: status and cause are the same.
    fn covers(&self, finding: &Finding) -> bool {
        finding.raw == self.status
            && match (self.deviations.as_slice(), finding.explained.as_slice()) {
                ([], []) => finding.class() == self.class,
                (named, explained) if finding.together => explained.iter().all(|d| named.contains(d)),
                (named, explained) => explained.iter().any(|d| named.contains(d) && d.class() == self.class),
            }
    }

    /// `known.txt:3:1: violates, clamp behaviour, reproduced by suld.clamp-as-zero`
    fn words(&self) -> String {
        let names: Vec<_> = self.deviations.iter().map(|deviation| deviation.name()).collect();
        let by = if names.is_empty() { "no known deviation".into() } else { names.join(" or ") };
        let class = class_name(self.class);
        format!("{}: {}, {class}, reproduced by {by}", self.location, self.status)
    }
}

/// The deviation of that name; or a message and the label of its caret.
fn deviation(name: &str) -> Result<Deviation, (String, String)> {
    Deviation::from_name(name).ok_or_else(|| {
        let near = closest(name, Deviation::all().map(Deviation::name).chain([NONE]));
        let near = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        let label = format!("expected names of deviations, separated by commas, or `{NONE}`");
        (format!("unknown deviation `{name}`{near}"), label)
    })
}

/// The error for a line without the five fields of an entry.
fn not_an_entry(line: &str, location: Location) -> CorpusError {
    let first = line.split_whitespace().next().unwrap_or_default();
    match Raw::from_name(first) {
        Some(_) => CorpusError::new(
            location,
            "an entry in the old format: it lacks the target and the cause",
        )
        .label(FORM)
        .note(
            "copy the target from `--against`, and the class and the deviations (or `none`) from \"what differs\" at the end of a run",
        ),
        None => CorpusError::new(location, "not an entry of a list of known failures").label(FORM),
    }
}

/// A line without its comment.
fn uncommented(line: &str) -> &str {
    let begins = |(at, _): &(usize, &str)| line[..*at].chars().next_back().is_none_or(char::is_whitespace);
    line.match_indices('#').find(begins).map_or(line, |(at, _)| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<KnownFailures, Vec<CorpusError>> {
        KnownFailures::parse(&Arc::new(SourceFile { path: "known.txt".into(), text: text.into() }))
    }

    fn error(text: &str) -> String {
        parse(text).unwrap_err().iter().map(|error| error.render(false)).collect()
    }

    fn finding(raw: Raw, symptom: MismatchClass, explained: &[Deviation]) -> Finding {
        Finding {
            raw,
            symptom,
            site: None,
            explained: explained.to_vec(),
            together: false,
            unchecked: None,
            applied: None,
            refuted: None,
            differences: Vec::new(),
            nearest: None,
            program: "".into(),
            machine_code: None,
            evidence: warpdiff_judge::evidence::Evidence::default(),
        }
    }

    fn named(name: &str) -> Deviation {
        Deviation::from_name(name).unwrap()
    }

    #[test]
    fn an_entry_is_about_its_target_and_its_variants_alone() {
        let list = parse(
            "# a driver\n  mock | hung | hang | none | suld/x  # spins\n\nprocess:* | crashed|crash|none|a | b # c\n",
        );
        let KnownFailures(entries) = list.unwrap();
        assert_eq!(entries.len(), 2);
        assert!(entries[0].is_about("mock", "suld/x") && !entries[0].is_about("mock2", "suld/x"));
        assert!(!entries[0].is_about("mock", "suld/y"));
        assert!(
            entries[1].is_about("process:./emu | cat", "t/a | b/c") && !entries[1].is_about("mock", "a | b")
        );
        assert_eq!(entries[0].words(), "known.txt:2:3: hung, hang, reproduced by no known deviation");
    }

    #[test]
    fn an_entry_excuses_its_own_cause_alone() {
        let (zero, other) = (named("suld.clamp-as-zero"), named("sust.clamp-as-zero"));
        let class = class_name(zero.class());
        let KnownFailures(entries) = parse(&format!(
            "t | violates | {class} | suld.clamp-as-zero | *\nt | violates | {class} | none | *\n"
        ))
        .unwrap();
        let [by_name, by_none] = entries.as_slice() else { panic!("{entries:?}") };
        let of = |explained: &[Deviation]| finding(Raw::Violates, zero.class(), explained);
        assert!(by_name.covers(&of(&[zero])));
        // What cannot be told apart on this variant may be either.
        assert!(by_name.covers(&of(&[other, zero])));
        assert!(!by_name.covers(&of(&[other])) && !by_name.covers(&of(&[])));
        // What it takes both for is another failure than either.
        assert!(!by_name.covers(&Finding { together: true, ..of(&[other, zero]) }));
        assert!(by_none.covers(&of(&[])) && !by_none.covers(&of(&[zero])));
        assert!(!by_none.covers(&finding(Raw::Violates, MismatchClass::Value, &[])));
        assert!(!by_none.covers(&finding(Raw::Crashed, zero.class(), &[])));
    }

    /// Two deviations of two classes that a variant shows together have one entry; by themselves they are other failures.
    #[test]
    fn deviations_of_several_classes_are_excused_together() {
        let (zero, high) = (named("suld.clamp-as-zero"), named("mul.hi-unsigned"));
        let class = class_name(zero.class());
        let text = format!("t | violates | {class} | suld.clamp-as-zero, mul.hi-unsigned | *");
        let KnownFailures(entries) = parse(&text).unwrap();
        let of = |explained: &[Deviation]| finding(Raw::Violates, zero.class(), explained);
        assert!(entries[0].covers(&Finding { together: true, ..of(&[zero, high]) }));
        assert!(entries[0].covers(&of(&[zero])));
        assert!(!entries[0].covers(&of(&[high])), "it is of another class than the entry");
    }

    #[test]
    fn what_is_no_entry_is_said_with_its_place() {
        for (text, place, words) in [
            ("\nviolates suld/*", "known.txt:2:1", "an entry in the old format"),
            ("suld/*", "known.txt:1:1", "not an entry"),
            (
                "t | violates | value | none",
                "known.txt:1:1",
                "expected `TARGET | STATUS | CLASS | DEVIATIONS | VARIANTS`",
            ),
            ("t | violates || none | x", "known.txt:1:15", "this entry has no class"),
            ("t | conforms | value | none | x", "known.txt:1:5", "unknown status `conforms`"),
            ("t | violates | clamp | none | x", "known.txt:1:16", "unknown class `clamp`"),
            (
                "t | violates | value | suld.clamp-as-zer | x",
                "known.txt:1:24",
                "did you mean `suld.clamp-as-zero`?",
            ),
            ("t | violates | value | suld.clamp-as-zero | x", "known.txt:1:24", "has another class"),
        ] {
            let said = error(text);
            assert!(said.contains(place) && said.contains(words), "{text}: {said}");
        }
        assert_eq!(parse("violates a\nviolates b\n").unwrap_err().len(), 2);
    }

    #[test]
    fn every_class_can_be_named() {
        for class in CLASSES {
            // Without a number here, a class that is new does not compile.
            let place = match class {
                MismatchClass::Clamp => 0,
                MismatchClass::UnpredictableComponent => 1,
                MismatchClass::OutOfBounds => 2,
                MismatchClass::Addressing => 3,
                MismatchClass::Alignment => 4,
                MismatchClass::Conversion => 5,
                MismatchClass::Atomicity => 6,
                MismatchClass::Layout => 7,
                MismatchClass::Legality => 8,
                MismatchClass::Hang => 9,
                MismatchClass::Crash => 10,
                MismatchClass::Value => 11,
            };
            assert_eq!(CLASSES[place], class);
        }
    }
}
