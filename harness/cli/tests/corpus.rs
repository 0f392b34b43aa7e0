//! The corpus as tests: one for each variant, or one for each file where every test is a process of its own (nextest); one for
//! the goldens that belong to no case; and for each variant that is launched another on the CUDA device, `cuda::…`, which is
//! ignored where there is none. `WARPDIFF_TEST_DEVICE` names another device, as `--against` does: `cuda:1`, `cuda@LIBRARY`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use warpdiff_corpus::Corpus;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::verdict_table::Raw;
use warpdiff_report::golden::compare::EntryChange;
use warpdiff_report::golden::diff::inline;
use warpdiff_report::golden::store::{Review, RunEntry, Store, golden_path, owners};
use warpdiff_report::mismatch;
use warpdiff_session::prepared_variant::verdict;
use warpdiff_targets::fault_budget;
use warpdiff_targets::{CudaName, CudaTarget, FaultBudget, Layered, Target};
use warpdiff_terminal::style::Style;
use warpdiff_worker::limits::Limits;

fn main() {
    let arguments = Arguments::from_args();
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cases = top.join("cases");
    let only = only_file(&arguments, &top);
    let loaded = match &only {
        Some(file) => {
            warpdiff_corpus::load_file(file, &cases).map(|variants| Corpus { variants, ..Corpus::default() })
        }
        None => warpdiff_corpus::load(&cases),
    };
    let trials = match loaded {
        Ok(corpus) => trials(Arc::new(corpus), &top, only.is_some()),
        Err(errors) => vec![failing("the corpus loads", errors.render(false))],
    };
    libtest_mimic::run(&arguments, with_wanted(&arguments, trials)).exit();
}

/// A trial that fails.
fn failing(name: &str, why: String) -> Trial {
    Trial::test(name, move || Err(Failed::from(why)))
}

/// The name of the only trial that this process of nextest is to run.
fn wanted(arguments: &Arguments) -> Option<&str> {
    arguments.filter.as_deref().filter(|_| is_nextest() && arguments.exact && !arguments.list)
}

/// Adds a trial that fails if nextest wants a trial by a name that none of these has, for example because the corpus does not load. Without it
/// the process would run nothing and pass.
fn with_wanted(arguments: &Arguments, mut trials: Vec<Trial>) -> Vec<Trial> {
    if let Some(name) = wanted(arguments)
        && !trials.iter().any(|trial| trial.name() == name)
    {
        trials.push(failing(name, "there is no such test; `cargo test --test corpus` says why".to_owned()));
    }
    trials
}

/// Whether every test is a process of its own.
fn is_nextest() -> bool {
    std::env::var_os("NEXTEST").is_some()
}

/// The file whose trial is the only one that this process is to run: the other files need not be read.
fn only_file(arguments: &Arguments, top: &Path) -> Option<PathBuf> {
    let name = wanted(arguments)?;
    let file = top.join(name.strip_prefix("cuda::").unwrap_or(name));
    file.is_file().then_some(file)
}

/// The trials of a corpus, or of one file of it.
fn trials(corpus: Arc<Corpus>, top: &Path, is_one_file: bool) -> Vec<Trial> {
    let golden = &top.join("golden/emulator");
    let store = match Store::read(golden) {
        Ok(store) => Arc::new(store),
        Err(error) => {
            return vec![failing("the goldens can be read", format!("{}: {error}", golden.display()))];
        }
    };
    let mut trials = variants(&corpus, &store);
    trials.extend(on_device(&corpus, is_one_file.then(|| top.join("cases"))));
    trials.push(Trial::test("the goldens belong to cases", move || orphans(&corpus, &store)));
    trials
}

/// The variants that become a trial together, by the trial's name.
fn groups(corpus: &Corpus, wanted: impl Fn(&Variant) -> bool) -> BTreeMap<String, Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, variant) in corpus.variants.iter().enumerate().filter(|(_, variant)| wanted(variant)) {
        let file = || variant.location.file.path.display().to_string();
        groups.entry(if is_nextest() { file() } else { variant.id.clone() }).or_default().push(index);
    }
    groups
}

/// A trial for each group of variants.
fn variants(corpus: &Arc<Corpus>, store: &Arc<Store>) -> Vec<Trial> {
    let trial = |(name, members): (String, Vec<usize>)| {
        let (corpus, store) = (Arc::clone(corpus), Arc::clone(store));
        Trial::test(name, move || {
            let failures: Vec<_> = members.iter().filter_map(|i| failure(&corpus, *i, &store)).collect();
            if failures.is_empty() { Ok(()) } else { Err(Failed::from(failures.join("\n"))) }
        })
    };
    groups(corpus, |_| true).into_iter().map(trial).collect()
}

/// The CUDA device, looked for when the first trial asks: listing tests starts nothing.
struct Device {
    corpus: Arc<Corpus>,
    /// The folder of all cases, if the corpus is one file of it.
    cases: Option<PathBuf>,
    found: OnceLock<Result<[Box<dyn Target>; 1], String>>,
}

impl Device {
    /// The device as a target, within the usual budget of faults, or why there is none.
    fn target(&self) -> Result<&[Box<dyn Target>], &str> {
        let found = self.found.get_or_init(|| self.look()).as_ref();
        found.map(|target| target.as_slice()).map_err(String::as_str)
    }

    fn look(&self) -> Result<[Box<dyn Target>; 1], String> {
        let name =
            std::env::var("WARPDIFF_TEST_DEVICE").map_or(Ok(CudaName::default()), |name| name.parse())?;
        let program = Path::new(env!("CARGO_BIN_EXE_warpdiff"));
        let target = CudaTarget::served_by(&name, Limits::default(), Ok(program));
        target.presence().clone()?;
        let exposure = target.exposure();
        let target: Box<dyn Target> = Box::new(target);
        if exposure.refusal.is_none() && exposure.budget.is_none() {
            return Ok([target]);
        }
        // All cases share the budget.
        let all = self.cases.as_ref().map(|cases| {
            warpdiff_corpus::load(cases).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
        });
        let variants: Vec<&Variant> = all.as_ref().unwrap_or(&self.corpus).variants.iter().collect();
        let candidates = fault_budget::candidates(&variants);
        let budget = exposure.budget.unwrap_or(usize::MAX);
        let budget = match exposure.refusal {
            Some(why) => FaultBudget::refusing(&candidates, &why),
            None => FaultBudget::new(&candidates, &BTreeSet::new(), budget),
        };
        Ok([Box::new(Layered::new(target, budget))])
    }
}

/// A trial on the device for each group of variants that are launched.
fn on_device(corpus: &Arc<Corpus>, cases: Option<PathBuf>) -> Vec<Trial> {
    let device = Arc::new(Device { corpus: Arc::clone(corpus), cases, found: OnceLock::new() });
    let trial = |(name, members): (String, Vec<usize>)| {
        let device = Arc::clone(&device);
        Trial::ignorable_test(format!("cuda::{name}"), move || judged(&device, &members))
    };
    let launched = |variant: &Variant| matches!(variant.work, Work::Launches(_));
    groups(&device.corpus, launched).into_iter().map(trial).collect()
}

/// What the device earns on these variants: ignored if there is none, or if it was judged on none of them.
fn judged(device: &Device, members: &[usize]) -> Result<Completion, Failed> {
    let target = match device.target() {
        Ok(target) => target,
        Err(why) => return Ok(Completion::ignored_with(why)),
    };
    let (mut failures, mut ignored) = (Vec::new(), Vec::new());
    for index in members {
        let variant = &device.corpus.variants[*index];
        let verdict = verdict(variant, target);
        let Some(earned) = verdict.targets.first() else { continue };
        let why = earned.why.clone().unwrap_or_default();
        match earned.raw {
            Raw::Conforms | Raw::Inconsistent => {}
            Raw::NotRun | Raw::Unsupported => ignored.push(format!("{}: {why}", earned.raw)),
            raw => {
                failures.push(format!("{}: {raw} {why}", variant.id));
                let name = target.first().map_or("cuda", |target| target.name());
                let text = |finding| mismatch::render(&variant.id, name, finding, Style::new(false));
                failures.extend(earned.findings.first().map(text));
            }
        }
    }
    match (failures.is_empty(), ignored.first()) {
        (false, _) => Err(Failed::from(failures.join("\n"))),
        (true, Some(why)) if ignored.len() == members.len() => Ok(Completion::ignored_with(why)),
        (true, _) => Ok(Completion::Completed),
    }
}

/// What is wrong with a variant, if anything: the reference contradicts it or cannot decide it, or its golden differs.
fn failure(corpus: &Corpus, index: usize, store: &Store) -> Option<String> {
    let variant = &corpus.variants[index];
    let verdict = verdict(variant, &[]);
    if verdict.reference.raw != Raw::Conforms {
        let problems: Vec<_> = verdict.reference.problems.iter().map(|p| p.render(false)).collect();
        return Some(format!("{}: {}\n{}", variant.id, verdict.reference.raw, problems.join("\n")));
    }
    let file: PathBuf = golden_path(&variant.location.file.path, Path::new("cases"));
    let recorded = RunEntry { file: &file, id: &variant.id, recording: &verdict.reference.recording };
    let change = store.change(&recorded)?;
    match change.comparison {
        EntryChange::Same | EntryChange::Drifted => None,
        EntryChange::Missing => {
            Some(format!("{}: not recorded; `warpdiff run --bless` records it", variant.id))
        }
        EntryChange::Differs => Some(format!(
            "{}: golden differs\n{}",
            variant.id,
            inline(&change.then, &change.now, Style::new(false))
        )),
    }
}

fn orphans(corpus: &Corpus, store: &Store) -> Result<(), Failed> {
    let Review { recorded, orphans, misplaced, damaged, .. } =
        store.review(&[], &owners(&corpus.listed, Path::new("cases")));
    let damaged = damaged.iter().map(|(path, error)| format!("{}: {error}", path.display()));
    let words: Vec<String> = orphans.into_iter().chain(misplaced).chain(damaged).collect();
    match (recorded, words.is_empty()) {
        (false, _) => Err(Failed::from("nothing is recorded; `warpdiff run --bless` records it")),
        (true, true) => Ok(()),
        (true, false) => Err(Failed::from(words.join("\n"))),
    }
}
