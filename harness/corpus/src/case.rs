//! The keys that every case has, its form, and the variants it becomes.

use std::borrow::Cow;
use std::sync::Arc;

use warpdiff_ptx::{Dialect, Rules};
use warpdiff_terminal::foreign;

use super::blame::{self, OfVariant};
use super::error::{BrokenCase, CorpusError};
use super::kernel::Source;
use super::listed::{ListedVariant, Planned, SharedTexts};
use super::matrix::{self, Bindings};
use super::reader::{Fields, FileContext, Read, Reader};
use super::yaml::{Kind, Node};
use super::{body, legality, limits, read_back, spa, table, whole};
use crate::plan::{PlannedLaunch, Unsupported, Variant, Work};

/// Keys that every case has.
pub(crate) const KEYS: [&str; 8] =
    ["case", "covers", "why", "question", "isa", "target", "matrix", "exclude"];
/// Errors after which the further variants of a case are not read.
const ENOUGH_ERRORS: usize = 50;

/// The forms of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseForm {
    /// Rows.
    Table,
    /// Rows around a body of SPA 5.0.
    Spa,
    /// A whole program.
    Whole,
    /// Accept or reject.
    Legality,
    /// Initial bytes.
    Declare,
}

impl CaseForm {
    /// Every form.
    pub(crate) const ALL: [CaseForm; 5] =
        [CaseForm::Table, CaseForm::Spa, CaseForm::Whole, CaseForm::Legality, CaseForm::Declare];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Spa => "SPA 5.0 table",
            Self::Whole => "whole-program",
            Self::Legality => "legality",
            Self::Declare => "declare",
        }
    }

    /// Its keys, with those of every case.
    pub(crate) fn keys(self) -> Vec<&'static str> {
        let own: &[&str] = match self {
            Self::Table => &table::KEYS,
            Self::Spa => &spa::KEYS,
            Self::Whole => &whole::KEYS,
            Self::Legality => &legality::KEYS,
            Self::Declare => &legality::DECLARE_KEYS,
        };
        KEYS.iter().chain(own).copied().collect()
    }

    /// The form of a case, by its keys.
    fn of(fields: &Fields<'_>) -> Option<Self> {
        let any = |keys: &[&str]| keys.iter().any(|key| fields.has(key));
        if fields.has("declare") {
            Some(Self::Declare)
        } else if fields.has("sass") && !any(&["accept", "reject", "program", "file"]) {
            Some(Self::Spa)
        } else if any(&["rows", "sweep", "inputs", "outputs"]) {
            Some(Self::Table)
        } else if any(&["accept", "reject"]) {
            Some(Self::Legality)
        } else if any(&["program", "file"]) {
            Some(Self::Whole)
        } else {
            None
        }
    }
}

/// What a case becomes.
#[derive(Default)]
pub(crate) struct CaseRead {
    /// Its variants.
    pub(crate) listed: Vec<ListedVariant>,
    /// Those of them that are planned.
    pub(crate) variants: Vec<Variant>,
    /// What of it cannot be read.
    pub(crate) broken: Vec<BrokenCase>,
}

/// Reads a case. A variant that is not to be planned is let go at once: a corpus has tens of thousands of launches. If its file is known to
/// be sound, no more than the names of such a variant is read.
pub(crate) fn read(home: FileContext<'_>, node: &Node, planned: Planned<'_>) -> CaseRead {
    let is_sound = home.sound.is_some();
    let reader = Reader::new(home, &[]);
    let all = head(&reader, node).and_then(|(form, fields)| {
        let all = matrix::variants(&reader, fields.get("matrix"), fields.get("exclude"))?;
        let title = reader.verbatim(fields.required(&reader, "case", "this case")?, "`case`")?;
        Ok((form, fields, title, all))
    });
    let mut read = CaseRead::default();
    let whole = || format!("{}/{}", home.stem, title_of(node).unwrap_or_default());
    read.note(whole(), reader.errors.take());
    let Ok((form, fields, title, all)) = all else { return read };
    let mut count = 0;
    let mut tried = Vec::new();
    let mut texts = SharedTexts::default();
    for bindings in &all {
        home.notes.begin_variant();
        let reader = Reader::new(home, bindings);
        let id = format!("{}/{title}{}", home.stem, suffix(bindings));
        // A case of declarations may have one more variant, which its bytes decide.
        if is_sound && form != CaseForm::Declare && !planned.has(&id) {
            let covers = covers(&reader, &fields).unwrap_or_default();
            let (title, covers) = (texts.text(&title), texts.covers(&covers));
            let location = reader.location(&fields.range);
            read.listed.push(ListedVariant::by_name(id, title, covers, texts.text(home.subject), location));
            continue;
        }
        let facts = Facts { home, id: &id, title: &title, bindings };
        let variants = facts.variants(&reader, form, &fields, &mut texts);
        for variant in variants.into_iter().flatten() {
            read.listed.push(ListedVariant::of(&variant));
            if planned.has(&variant.id) {
                read.variants.push(variant);
            }
        }
        let errors = reader.errors.take();
        count += errors.len();
        tried.push(OfVariant { bindings, suffix: suffix(bindings), errors });
        if count >= ENOUGH_ERRORS {
            break;
        }
    }
    if count > 0 && fields.has("matrix") {
        blame::name_variants(&mut tried);
    }
    for variant in tried {
        read.note(format!("{}/{title}{}", home.stem, variant.suffix), variant.errors);
    }
    // A case with other errors may lack the text that uses a name.
    if read.broken.is_empty() && !is_sound {
        matrix::check_used(&reader, &fields);
        read.note(whole(), reader.errors.take());
    }
    read
}

impl CaseRead {
    fn note(&mut self, id: String, errors: Vec<CorpusError>) {
        if !errors.is_empty() {
            self.broken.push(BrokenCase { id, errors });
        }
    }
}

/// The title of a case that may be wrong otherwise.
fn title_of(case: &Node) -> Option<&str> {
    let Kind::Map(entries) = &case.kind else { return None };
    let (_, title) = entries.iter().find(|(key, _)| key.text == "case")?;
    match &title.kind {
        Kind::Scalar(scalar) => Some(&scalar.text),
        _ => None,
    }
}

/// The form of a case, and its keys.
fn head<'n>(reader: &Reader<'_>, node: &'n Node) -> Read<(CaseForm, Fields<'n>)> {
    let fields = reader.entries(node, "a case")?;
    let Some(form) = CaseForm::of(&fields) else {
        let all: std::collections::BTreeSet<&str> =
            CaseForm::ALL.iter().flat_map(|form| form.keys()).collect();
        let all: Vec<&str> = all.into_iter().collect();
        let _ = reader.fields(node, "a case", &all);
        let label = "expected `rows` or `sweep`, `program` or `file`, `accept` or `reject`, or `declare`";
        return Err(
            reader.note(reader.error(&node.range(), "the keys of this case fit no form").label(label))
        );
    };
    let what = format!("a {} case", form.name());
    Ok((form, reader.fields(node, &what, &form.keys())?))
}

/// The names of a variant.
#[derive(Clone, Copy)]
struct Facts<'r> {
    home: FileContext<'r>,
    id: &'r str,
    title: &'r str,
    bindings: &'r Bindings,
}

impl Facts<'_> {
    /// The variant, and for declarations with stated bytes the one that reads them back. A program that is right, but that the reference
    /// cannot run, becomes a variant without work.
    fn variants(
        self,
        reader: &Reader<'_>,
        form: CaseForm,
        fields: &Fields<'_>,
        texts: &mut SharedTexts,
    ) -> Read<Vec<Variant>> {
        let covers = texts.covers(&covers(reader, fields)?);
        let why = fields.get("why").map(|node| reader.verbatim(node, "`why`")).transpose()?;
        let question = fields.get("question").map(|node| reader.verbatim(node, "`question`")).transpose()?;
        let mut named = |title: String, work: Work| Variant {
            id: match title == self.title {
                true => self.id.to_owned(),
                false => format!("{}/{title}{}", self.home.stem, suffix(self.bindings)),
            },
            title: texts.text(&title),
            bindings: self.bindings.clone(),
            covers: Arc::clone(&covers),
            why: why.as_deref().map(|why| texts.text(why)),
            question: question.as_deref().map(|question| texts.text(question)),
            subject: texts.text(self.home.subject),
            location: reader.location(&fields.range),
            work,
        };
        let work = work(reader, form, fields);
        if let Some(problem) = only_unsupported(reader) {
            let launches = match work {
                // Targets are asked each launch as it stands: nothing splits those that the reference cannot run.
                Ok((Work::Launches(launches), _)) => {
                    launches.iter().flat_map(|planned| planned.launches()).map(Cow::into_owned).collect()
                }
                _ => Vec::new(),
            };
            let unsupported = Unsupported { problem, launches };
            return Ok(vec![named(self.title.to_owned(), Work::Unsupported(unsupported))]);
        }
        if !reader.errors.borrow().is_empty() {
            return Err(super::reader::ErrorNoted);
        }
        let (work, read_back) = work?;
        let read_back =
            read_back.map(|launch| named(format!("{}, read back", self.title), Work::Launches(vec![launch])));
        let itself = named(self.title.to_owned(), work);
        Ok(std::iter::once(itself).chain(read_back).collect())
    }
}

/// The first error, if all say that the reference cannot run the program. Then it is taken, with the others.
fn only_unsupported(reader: &Reader<'_>) -> Option<CorpusError> {
    let mut errors = reader.errors.borrow_mut();
    if !errors.iter().all(|error| error.unsupported) {
        return None;
    }
    std::mem::take(&mut *errors).into_iter().next()
}

/// The requirements that a case covers.
fn covers(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Vec<String>> {
    let Some(node) = fields.get("covers") else { return Ok(Vec::new()) };
    reader.list(node, "`covers`")?.iter().map(|node| reader.word(node, "a requirement")).collect()
}

/// The work of a variant, and the launch that reads declarations back.
fn work(reader: &Reader<'_>, form: CaseForm, fields: &Fields<'_>) -> Read<(Work, Option<PlannedLaunch>)> {
    let source = source(reader, fields)?;
    if form == CaseForm::Table {
        head_is_known(reader, fields, &source)?;
    }
    // A program with `reject` may be wrong in any way.
    if !fields.has("reject") && !fields.has("sass") {
        for text in [&source.declarations, &source.registers, &source.body].into_iter().flatten() {
            body::check(reader, text)?;
        }
    }
    let mut read_back = None;
    let mut work = match form {
        CaseForm::Table => Work::Launches(table::launches(reader, fields, source)?),
        CaseForm::Spa => Work::Launches(spa::launches(reader, fields, source.body)?),
        CaseForm::Whole => Work::Launches(whole::launches(reader, fields)?),
        CaseForm::Legality => Work::Legality(legality::legality(reader, fields, &source)?),
        CaseForm::Declare => {
            let legality = legality::declare(reader, fields, &source)?;
            read_back = read_back::launch(reader, &source, &legality, &fields.range)?;
            Work::Legality(legality)
        }
    };
    if let (Some(node), Work::Launches(launches)) = (fields.get("limits"), &mut work) {
        limits::set(reader, node, fields, launches)?;
    }
    Ok((work, read_back))
}

/// `[cop=.ca,v=2]`, or nothing without a matrix. A value with members is shown by its `name`, if it has one.
fn suffix(bindings: &Bindings) -> String {
    if bindings.is_empty() {
        return String::new();
    }
    let named = |axis: &str| bindings.iter().any(|(name, _)| name.strip_suffix(matrix::NAME) == Some(axis));
    let one = |name: &str, value: &str| format!("{name}={}", in_id(value));
    let shown = bindings.iter().filter_map(|(name, value)| match name.split_once('.') {
        Some((axis, _)) if named(axis) => name.strip_suffix(matrix::NAME).map(|axis| one(axis, value)),
        _ => Some(one(name, value)),
    });
    format!("[{}]", shown.collect::<Vec<_>>().join(","))
}

/// A text as a part of an id, which is printed on one line and is an argument of commands: line breaks, control characters and what
/// turns the direction of text are written as escapes.
pub(crate) fn in_id(text: &str) -> Cow<'_, str> {
    if !text.contains(foreign::is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match foreign::is_hostile(character) {
            true => safe.extend(character.escape_default()),
            false => safe.push(character),
        }
    }
    Cow::Owned(safe)
}

/// Reads the parts of a module of a case that is not a whole program.
fn source(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Source> {
    let text = |key: &str| fields.get(key).map(|node| reader.text(node, &format!("`{key}`"))).transpose();
    let isa = match fields.get("isa") {
        Some(node) => {
            let word = reader.word(node, "`isa`")?;
            let numbers = word.split_once('.').map(|(a, b)| (a.parse::<u8>(), b.parse::<u8>()));
            if !matches!(numbers, Some((Ok(_), Ok(_)))) {
                let error = reader.error(&node.range(), format!("`{word}` is not a PTX version"));
                return Err(reader.note(error.label("expected one like 8.0")));
            }
            word
        }
        None => "8.0".to_owned(),
    };
    let target = match fields.get("target") {
        Some(node) => {
            let word = reader.word(node, "`target`")?;
            if !word.starts_with("sm_") || word.contains(['\n', ';', '.']) {
                let error = reader.error(&node.range(), format!("`{word}` is not a target"));
                return Err(reader.note(error.label("expected one like sm_50")));
            }
            word
        }
        None => "sm_50".to_owned(),
    };
    let declarations = text(if fields.has("declare") { "declare" } else { "declarations" })?;
    Ok(Source { isa, target, declarations, registers: text("registers")?, body: text("body")? })
}

/// Checks the version and the target of a program by themselves, so that errors in them are reported at their keys, and not at half
/// of the instructions.
fn head_is_known(reader: &Reader<'_>, fields: &Fields<'_>, source: &Source) -> Read<()> {
    let target_line = format!(".target {}\n", source.target);
    let version_line = format!(".version {}\n", source.isa);
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    let text = format!("{version_line}{target_line}.address_size 64\n");
    let Err(diagnostics) = warpdiff_ptx::compile(&text, &rules) else { return Ok(()) };
    // One error is enough: an unknown version makes every target wrong.
    let Some(first) = diagnostics.first() else { return Ok(()) };
    let is_version = (first.span.start as usize) < version_line.len();
    let key = if is_version { "isa" } else { "target" };
    let node = fields.get(key).or(fields.get("target")).or(fields.get("isa"));
    let range = node.map_or_else(|| fields.range.clone(), Node::range);
    let label = first.expected.as_ref().map_or(String::new(), |words| format!("expected {words}"));
    Err(reader.note(reader.error(&range, first.message.clone()).label(label)))
}
