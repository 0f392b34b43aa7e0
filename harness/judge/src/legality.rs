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
    let mut problems = Vec::new();
    let mut recording = String::new();
    for who in &legality.accept {
        ask(legality, who, &mut recording, &mut problems, |answer| refused(legality, who, answer));
    }
    for (who, fragment) in &legality.reject {
        ask(legality, who, &mut recording, &mut problems, |answer| accepted(legality, who, fragment, answer));
    }
    initial_bytes(legality, &mut recording, &mut problems);
    let raw = if problems.is_empty() { Raw::Conforms } else { Raw::Contradicted };
    ReferenceVerdict { raw, problems, recording }
}

/// The answer of a dialect about a program.
enum DialectVerdict {
    /// It is legal, whether warpdiff can run it or not.
    Accepts,
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
            let wrong: Vec<_> = diagnostics.into_iter().filter(|d| !d.unsupported).collect();
            if wrong.is_empty() { DialectVerdict::Accepts } else { DialectVerdict::Rejects(wrong) }
        }
    })
}

fn ask(
    legality: &Legality,
    who: &str,
    recording: &mut String,
    problems: &mut Vec<CorpusError>,
    judge: impl Fn(&DialectVerdict) -> Option<CorpusError>,
) {
    match answer(&legality.program, who) {
        Ok(answer) => {
            record(recording, who, &answer);
            problems.extend(judge(&answer));
        }
        Err(message) => {
            problems.push(CorpusError::new(legality.location.clone(), message));
        }
    }
}

fn record(recording: &mut String, who: &str, answer: &DialectVerdict) {
    let _ = match answer {
        DialectVerdict::Accepts => writeln!(recording, "  {who} accepts"),
        DialectVerdict::Rejects(diagnostics) => {
            let words: Vec<_> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            writeln!(recording, "  {who} rejects: {}", words.join("; "))
        }
    };
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

/// Compares the initial bytes of variables with those of the case.
fn initial_bytes(legality: &Legality, recording: &mut String, problems: &mut Vec<CorpusError>) {
    if legality.bytes.is_empty() {
        return;
    }
    let module = match warpdiff_ptx::compile(&legality.program, &Rules::TO_RUN) {
        Ok(module) => module,
        Err(diagnostics) => {
            let message = "the declarations have no initial bytes, because the program is rejected";
            problems.extend(diagnostics.first().map(|first| at(legality, first, message.into())));
            return;
        }
    };
    for (name, expected) in &legality.bytes {
        let found = variable(&module, name).map(|v| initial(v, expected.len() + 1));
        let shown = found.as_deref().map_or_else(|| "no such variable".into(), pattern);
        let _ = writeln!(recording, "  {name}: {shown}");
        if found.as_ref() != Some(expected) {
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
