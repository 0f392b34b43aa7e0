//! The contents of the book: a corpus and a run of it, sorted into chapters with requirements and files with cases.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use warpdiff_corpus::plan::Location;
use warpdiff_corpus::{Corpus, Erratum, Requirement};
use warpdiff_model::choice::ChoiceInfo;
use warpdiff_model::{Choice, Deviation, Entry};
use warpdiff_report::results::summary;
use warpdiff_report::results::variant::VariantLine;
use warpdiff_report::standing::Statuses;
use warpdiff_session::session::{Session, Settling};
use warpdiff_session::verdict::Verdict;

use crate::mark::{self, Mark};
use crate::names::Names;
use crate::witness::{self, WitnessKind, Witnessed};

/// A target of the run, as the book names it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its name on the pages, which does not depend on where its files lie.
    pub title: String,
    /// What it says of itself, in words; may be empty.
    pub facts: String,
    /// The kind of witness that it is.
    pub kind: WitnessKind,
}

/// What the book is about.
pub struct Contents<'a> {
    /// The targets, in the order of the run.
    pub judged: &'a [Judged],
    /// The chapters, in the order of `requirements.yaml`.
    pub chapters: Vec<Chapter<'a>>,
    /// The files of cases, in the order of the corpus.
    pub files: Vec<CaseFile<'a>>,
    /// The page and the place of each requirement, by its id.
    places: HashMap<&'a str, String>,
}

/// A chapter.
pub struct Chapter<'a> {
    /// Its title.
    pub title: &'a str,
    /// The name of its page.
    pub page: String,
    /// Its requirements.
    pub requirements: Vec<RequirementEntry<'a>>,
}

/// A requirement with everything that hangs on it.
pub struct RequirementEntry<'a> {
    /// The requirement.
    pub requirement: &'a Requirement,
    /// The cases that cover it: the numbers of their file and of the case in the file.
    pub cases: Vec<(usize, usize)>,
    /// The number of variants that cover it.
    pub variants: usize,
    /// The choices that it opens.
    pub choices: Vec<&'static ChoiceInfo>,
    /// The deviations that break it, and those that it permits.
    pub deviations: Vec<&'static Entry>,
    /// Its witnesses.
    pub witnesses: Vec<Witnessed>,
    /// What it lacks.
    pub marks: Vec<Mark>,
    /// What each target did.
    pub done: Vec<Done>,
}

/// What a target did in some variants.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// The variants by status.
    pub statuses: Statuses,
    /// The causes of its mismatches, with the number of variants that have them.
    pub causes: BTreeMap<String, usize>,
}

/// A file of cases.
pub struct CaseFile<'a> {
    /// Its path: `cases/suld/bounds-2d.yaml`.
    pub path: String,
    /// Its first folder: `suld`.
    pub subject: &'a str,
    /// The name of its page.
    pub page: String,
    /// Its cases.
    pub cases: Vec<Case<'a>>,
}

/// A case with its variants.
pub struct Case<'a> {
    /// Its place in the page.
    pub name: String,
    /// Its title.
    pub title: &'a str,
    /// Its place in the corpus.
    pub location: &'a Location,
    /// The ids of the requirements that it covers.
    pub covers: &'a [String],
    /// Its variants.
    pub variants: Vec<VariantEntry<'a>>,
}

/// A variant with its verdicts.
pub struct VariantEntry<'a> {
    /// Its place in the page.
    pub name: String,
    /// The verdicts.
    pub verdict: &'a Verdict<'a>,
    /// The same as data.
    pub line: VariantLine,
}

impl<'a> Contents<'a> {
    /// Sorts a run of a whole corpus.
    pub fn new(corpus: &'a Corpus, session: &'a Session<'a>, judged: &'a [Judged]) -> Self {
        let files = files(session);
        let mut covering: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        for (number, file) in files.iter().enumerate() {
            for (place, case) in file.cases.iter().enumerate() {
                for id in case.covers {
                    covering.entry(id).or_default().push((number, place));
                }
            }
        }
        let mut names = Names::default();
        let mut chapters: Vec<Chapter<'a>> = Vec::new();
        for requirement in &corpus.requirements {
            let cases = covering.remove(requirement.id.as_str()).unwrap_or_default();
            let entry = RequirementEntry::new(requirement, cases, &files, judged);
            match chapters.last_mut() {
                Some(chapter) if chapter.title == requirement.chapter => chapter.requirements.push(entry),
                _ => chapters.push(Chapter {
                    title: match requirement.chapter.as_str() {
                        "" => "Requirements",
                        title => title,
                    },
                    page: format!("chapter-{}.html", names.name(&requirement.chapter)),
                    requirements: vec![entry],
                }),
            }
        }
        let places = chapters
            .iter()
            .flat_map(|chapter| chapter.requirements.iter().map(move |entry| (chapter, entry.requirement)))
            .map(|(chapter, requirement)| {
                (requirement.id.as_str(), format!("{}#{}", chapter.page, requirement.id))
            })
            .collect();
        Self { judged, chapters, files, places }
    }

    /// The link to a requirement; `None` if the corpus does not list it.
    pub fn link_of(&self, id: &str) -> Option<&str> {
        self.places.get(id).map(String::as_str)
    }

    /// Every requirement.
    pub fn requirements(&self) -> impl Iterator<Item = &RequirementEntry<'a>> {
        self.chapters.iter().flat_map(|chapter| &chapter.requirements)
    }

    /// Every erratum with its requirement, and its number among those of the requirement.
    pub fn errata(&self) -> impl Iterator<Item = (&RequirementEntry<'a>, usize, &'a Erratum)> {
        self.requirements().flat_map(|entry| {
            entry.requirement.errata.iter().enumerate().map(move |(number, erratum)| (entry, number, erratum))
        })
    }

    /// The deviations that NVIDIA's assembler has, which are errata, too.
    pub fn of_assembler() -> impl Iterator<Item = &'static Entry> {
        Deviation::catalogue().iter().filter(|entry| entry.is_of_a_compiler())
    }

    /// The number of errata, those of the assembler's deviations included.
    pub fn errata_count(&self) -> usize {
        self.errata().count() + Self::of_assembler().count()
    }

    /// A case by its numbers, with its file.
    pub fn case(&self, (file, case): (usize, usize)) -> (&CaseFile<'a>, &Case<'a>) {
        let file = &self.files[file];
        (file, &file.cases[case])
    }
}

impl<'a> RequirementEntry<'a> {
    fn new(
        requirement: &'a Requirement,
        cases: Vec<(usize, usize)>,
        files: &[CaseFile<'a>],
        judged: &[Judged],
    ) -> Self {
        let variants = || cases.iter().flat_map(|(file, case)| &files[*file].cases[*case].variants);
        let id = requirement.id.as_str();
        let choices: Vec<_> = Choice::ALL.iter().filter(|info| info.requirement == id).collect();
        let hangs = |entry: &&Entry| entry.breaks.contains(&id) || entry.permitted_by == Some(id);
        let deviations: Vec<_> = Deviation::catalogue().iter().filter(hangs).collect();
        let witnesses = witness::of(requirement, judged, variants());
        let lacks = mark::Known {
            requirement,
            covered: !cases.is_empty(),
            stated: variants().any(|variant| mark::states(variant.verdict.variant)),
            choices: !choices.is_empty(),
            deviations: !deviations.is_empty(),
            witnesses: &witnesses,
        };
        let done = (0..judged.len()).map(|place| Done::of(variants(), place)).collect();
        Self {
            marks: mark::marks(&lacks),
            variants: variants().count(),
            requirement,
            cases,
            choices,
            deviations,
            witnesses,
            done,
        }
    }
}

impl Done {
    fn of<'v>(variants: impl Iterator<Item = &'v VariantEntry<'v>>, place: usize) -> Self {
        let mut done = Self::default();
        for target in variants.filter_map(|variant| variant.line.targets.get(place)) {
            done.statuses.add(target.settled);
            if let Some(finding) = summary::cause(&target.findings) {
                *done.causes.entry(summary::words(finding)).or_default() += 1;
            }
        }
        done
    }
}

/// What follows the title of its case in the id of a variant: `[cop=.ca]`, `, read back`.
pub(crate) fn bindings<'i>(id: &'i str, title: &str) -> &'i str {
    id.find(&format!("/{title}")).map_or("", |at| &id[at + 1 + title.len()..])
}

/// The files with their cases.
fn files<'a>(session: &'a Session<'a>) -> Vec<CaseFile<'a>> {
    let settling = Settling::default();
    let mut pages = Names::default();
    let mut files: Vec<CaseFile<'a>> = Vec::new();
    // Names of places are unique in a page.
    let mut places = Names::default();
    for verdict in &session.verdicts {
        let variant = verdict.variant;
        let same = |location: &Location| Arc::ptr_eq(&location.file, &variant.location.file);
        let known = files.last().and_then(|file| file.cases.last()).map(|case| case.location);
        if !known.is_some_and(same) {
            let path = variant.location.file.path.to_string_lossy().replace('\\', "/");
            let inside = path.split_once('/').map_or(path.as_str(), |(_, inside)| inside);
            let stem = inside.rsplit_once('.').map_or(inside, |(stem, _)| stem);
            let page = format!("cases-{}.html", pages.name(stem));
            files.push(CaseFile { page, path, subject: &variant.subject, cases: Vec::new() });
            places = Names::default();
        }
        let Some(file) = files.last_mut() else { continue };
        if !file.cases.last().is_some_and(|case| case.location.range == variant.location.range) {
            file.cases.push(Case {
                name: places.name(&variant.title),
                title: &variant.title,
                location: &variant.location,
                covers: &variant.covers,
                variants: Vec::new(),
            });
        }
        let Some(case) = file.cases.last_mut() else { continue };
        let bound = bindings(&variant.id, case.title);
        let name = places.name(&format!("{} variant {bound}", case.name));
        let line = VariantLine::new(verdict, &session.targets, &settling);
        case.variants.push(VariantEntry { name, verdict, line });
    }
    files
}
