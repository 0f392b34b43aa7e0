//! Judges legality cases: which dialects accept a program, which reject it and where, and the initial bytes of its variables.

use std::fmt::Write;

use warpdiff_corpus::CorpusError;
use warpdiff_corpus::plan::Legality;
use warpdiff_ptx::Rules;
use warpdiff_ptx::checked::{Module, Variable};
use warpdiff_ptx::source::{Diagnostic, line_column};
use warpdiff_ptx::vocabulary::Space;

use crate::dialect::{AuthorityName, DialectName};
use crate::reference_verdict::ReferenceVerdict;
use crate::verdict_table::Raw;

/// The verdict over a legality case.
pub fn verdict(legality: &Legality) -> ReferenceVerdict {
    let mut found = Found::default();
    for who in &legality.accept {
        ask(legality, who, &mut found, |answer| refused(legality, who, answer));
    }
    for (who, fragment) in &legality.reject {
        ask(legality, who, &mut found, |answer| accepted(legality, who, fragment, answer));
    }
    initial_bytes(legality, &mut found);
    let Found { recording, problems, unknown } = found;
    let (raw, problems) = match (problems.is_empty(), unknown) {
        (true, None) => (Raw::Conforms, problems),
        (true, Some(unknown)) => (Raw::Unsupported, vec![unknown]),
        (false, _) => (Raw::Contradicted, problems),
    };
    ReferenceVerdict { raw, problems, recording }
}

/// What the judge of a legality case finds.
#[derive(Default)]
struct Found {
    /// The answers, as the golden records them.
    recording: String,
    /// What contradicts the case.
    problems: Vec<CorpusError>,
    /// The first place that nobody here knows to be legal or not, so that the case is not judged.
    unknown: Option<CorpusError>,
}

/// The answer of a dialect about a program.
enum DialectVerdict {
    /// It is legal, whether warpdiff can run it or not.
    Accepts,
    /// Nothing is known to be wrong, but it has what warpdiff does not check, here.
    Unknown(Vec<Diagnostic>),
    /// It is not.
    Rejects(Vec<Diagnostic>),
}

/// The answer of a dialect about a program; `Err` for an unknown dialect. Legal forms that warpdiff does not run are accepted.
fn answer(program: &str, who: &str) -> Result<DialectVerdict, String> {
    let compiled = if warpdiff_sass::is_spa(program) {
        let AuthorityName(authority) = who.parse()?;
        warpdiff_sass::compile_by(program, &warpdiff_sass::Header::default(), authority).map(drop)
    } else {
        let DialectName(dialect) = who.parse()?;
        warpdiff_ptx::compile(program, &Rules { dialect, ..Rules::default() }).map(drop)
    };
    Ok(match compiled {
        Ok(()) => DialectVerdict::Accepts,
        Err(diagnostics) => {
            let (unsupported, wrong): (Vec<_>, Vec<_>) = diagnostics.into_iter().partition(|d| d.unsupported);
            let unknown: Vec<_> = unsupported.into_iter().filter(|d| d.unchecked).collect();
            match (wrong.is_empty(), unknown.is_empty()) {
                (false, _) => DialectVerdict::Rejects(wrong),
                (true, false) => DialectVerdict::Unknown(unknown),
                (true, true) => DialectVerdict::Accepts,
            }
        }
    })
}

fn ask(
    legality: &Legality,
    who: &str,
    found: &mut Found,
    judge: impl Fn(&DialectVerdict) -> Option<CorpusError>,
) {
    match answer(&legality.program, who) {
        Ok(answer) => {
            record(&mut found.recording, who, &answer);
            match &answer {
                DialectVerdict::Unknown(unknown) => found.note_unknown(legality, unknown),
                _ => found.problems.extend(judge(&answer)),
            }
        }
        Err(message) => {
            found.problems.push(CorpusError::new(legality.location.clone(), message));
        }
    }
}

impl Found {
    /// Notes the first place of a program of which nobody here knows whether it is legal.
    fn note_unknown(&mut self, legality: &Legality, unsupported: &[Diagnostic]) {
        let Some(first) = unsupported.first() else { return };
        let what = first.message.strip_prefix(UNSUPPORTED).unwrap_or(&first.message);
        let error =
            || CorpusError { unsupported: true, ..at(legality, first, format!("{UNSUPPORTED}{what}")) };
        self.unknown.get_or_insert_with(error);
    }
}

/// The beginning of messages about what the front end does not know.
const UNSUPPORTED: &str = "unsupported: ";

fn record(recording: &mut String, who: &str, answer: &DialectVerdict) {
    let _ = match answer {
        DialectVerdict::Accepts => writeln!(recording, "  {who} accepts"),
        DialectVerdict::Unknown(diagnostics) => {
            writeln!(recording, "  {who} is not known to accept or reject: {}", messages(diagnostics))
        }
        DialectVerdict::Rejects(diagnostics) => {
            writeln!(recording, "  {who} rejects: {}", messages(diagnostics))
        }
    };
}

fn messages(diagnostics: &[Diagnostic]) -> String {
    let words: Vec<_> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    words.join("; ")
}

/// The problem with a dialect that should accept.
fn refused(legality: &Legality, who: &str, answer: &DialectVerdict) -> Option<CorpusError> {
    let DialectVerdict::Rejects(diagnostics) = answer else { return None };
    let first = diagnostics.first()?;
    Some(at(legality, first, format!("{who} should accept this program, but rejects it")))
}

/// The problem with a dialect that should reject, with this fragment in its message and its caret at the stated place.
fn accepted(legality: &Legality, who: &str, fragment: &str, answer: &DialectVerdict) -> Option<CorpusError> {
    let DialectVerdict::Rejects(diagnostics) = answer else {
        let message = format!("{who} should reject this program, but accepts it");
        return Some(CorpusError::new(legality.location.clone(), message));
    };
    if let Some(found) = diagnostics.iter().find(|d| worded(d).contains(fragment)) {
        return legality.at.as_deref().and_then(|stated| misplaced(legality, who, stated, found));
    }
    let first = diagnostics.first()?;
    Some(at(legality, first, format!("{who} rejects this program, but not because of `{fragment}`")))
}

/// The problem with a caret at another place than the case states.
fn misplaced(legality: &Legality, who: &str, stated: &str, found: &Diagnostic) -> Option<CorpusError> {
    let rest = legality.program.get(found.span.start as usize..).unwrap_or_default();
    let message = || format!("{who} rejects this program, but its caret is not at `{stated}`");
    (!rest.starts_with(stated)).then(|| at(legality, found, message()))
}

/// A problem at the place of a diagnostic, or at the case where the harness wrote the program.
fn at(legality: &Legality, found: &Diagnostic, message: String) -> CorpusError {
    let place = legality.map.locate(&found.span.range());
    CorpusError::new(place.unwrap_or_else(|| legality.location.clone()), message).label(worded(found))
}

fn worded(diagnostic: &Diagnostic) -> String {
    match &diagnostic.expected {
        Some(expected) => format!("{}: expected {expected}", diagnostic.message),
        None => diagnostic.message.clone(),
    }
}

/// Compares the initial bytes of variables with those of the case. Instructions do not matter to them, be they known or not.
fn initial_bytes(legality: &Legality, found: &mut Found) {
    if legality.bytes.is_empty() {
        return;
    }
    let module = match warpdiff_ptx::compile_variables(&legality.program, &Rules::TO_RUN) {
        Ok((module, _)) => module,
        Err(diagnostics) => {
            match diagnostics.iter().find(|diagnostic| !diagnostic.unsupported) {
                Some(wrong) => {
                    let message = "the declarations have no initial bytes, because the program is rejected";
                    found.problems.push(at(legality, wrong, message.into()));
                }
                None => found.note_unknown(legality, &diagnostics),
            }
            return;
        }
    };
    let Found { recording, problems, .. } = found;
    for (name, expected) in &legality.bytes {
        let bytes = variable(&module, name).map(|v| initial(v, expected.len() + 1));
        let shown = bytes.as_deref().map_or_else(|| "no such variable".into(), pattern);
        let _ = writeln!(recording, "  {name}: {shown}");
        if bytes.as_ref() != Some(expected) {
            let line = variable(&module, name).map(|v| line_column(&legality.program, v.span.start).line);
            let message =
                format!("the reference contradicts the bytes of `{name}`: expected {}", pattern(expected));
            let declared = line.map(|line| format!(" (program line {line})")).unwrap_or_default();
            let label = format!("the reference has {shown}{declared}");
            let place = legality.byte_places.get(name).unwrap_or(&legality.location);
            problems.push(CorpusError::new(place.clone(), message).label(label));
        }
    }
}

fn variable<'m>(module: &'m Module, name: &str) -> Option<&'m Variable> {
    module.variables.iter().find(|v| v.scope.is_none() && v.name == name)
}

/// The initial bytes; `None` for bytes of an address. A variable without initialiser is zero; of a large one no more than `most`
/// bytes are listed.
fn initial(variable: &Variable, most: usize) -> Vec<Option<u8>> {
    let mut bytes: Vec<_> = variable.initial.iter().copied().map(Some).collect();
    if bytes.is_empty() && matches!(variable.space, Space::Global | Space::Const) {
        bytes.resize(usize::try_from(variable.size).unwrap_or(usize::MAX).min(most), Some(0));
    }
    for relocation in &variable.relocations {
        let from = usize::try_from(relocation.offset).unwrap_or(usize::MAX).min(bytes.len());
        let to = from.saturating_add(relocation.width as usize).min(bytes.len());
        bytes[from..to].fill(None);
    }
    bytes
}

/// `01 00 ?? ??`
fn pattern(bytes: &[Option<u8>]) -> String {
    let words: Vec<_> = bytes.iter().map(|b| b.map_or_else(|| "??".into(), |b| format!("{b:02x}"))).collect();
    words.join(" ")
}
