//! `warpdiff fuzz`: what it finds, how it names it, and what it writes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use warpdiff::fuzz::{Campaign, Language, Options};
use warpdiff_emulator::{Options as RunOptions, Program};
use warpdiff_generator::Mix;
use warpdiff_judge::shown_by::languages;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{Deviation, Launch, Outcome, Permitted, Semantics};
use warpdiff_targets::TargetName;

/// Programs within which every deviation must show, as is promised for the command. Most show within a tenth of them.
const BOUND: u64 = 100_000;

fn options(against: &str, count: u64) -> Options {
    Options::of(against.parse().expect("a target"), 1, count)
}

fn campaign(options: &Options) -> Campaign {
    let target: &TargetName = options.target().expect("a target");
    Campaign::run(options, target.open().as_ref())
}

#[test]
fn the_reference_conforms_to_itself() {
    let found = campaign(&options("emulator", 3000));
    assert_eq!(found.broken, None);
    assert!(found.groups.is_empty(), "{:#?}", found.groups);
    // A program that is not decided, or not run, tests nothing: few may be.
    assert!(found.count(Raw::Conforms) >= 2850, "{:?}", found.statuses);
}

#[test]
fn programs_of_every_mix_are_decided_and_conform() {
    for (mix, name) in Mix::ALL {
        let found = campaign(&Options { mix, ..options("emulator", 600) });
        assert_eq!(found.broken, None, "{name}");
        assert!(found.groups.is_empty(), "{name}: {:#?}", found.groups);
        // One in a hundred may be undecided.
        assert!(found.count(Raw::Conforms) >= 594, "{name}: {:?}", found.statuses);
    }
}

#[test]
fn programs_of_spa_of_every_mix_are_decided_and_conform() {
    for (mix, name) in Mix::ALL.into_iter().filter(|(mix, _)| *mix != Mix::Contended) {
        let found = campaign(&Options { mix, ..spa("emulator", 600) });
        assert_eq!(found.broken, None, "{name}");
        assert!(found.groups.is_empty(), "{name}: {:#?}", found.groups);
        assert!(found.count(Raw::Conforms) >= 594, "{name}: {:?}", found.statuses);
    }
}

/// A mix has no program that is not of it: one fault, no fault, every bit defined.
#[test]
fn programs_of_spa_end_as_their_mix_says() {
    for (mix, faults) in [(Mix::OneFault, true), (Mix::InBounds, false), (Mix::NoUndefined, false)] {
        for index in 0..300_u64 {
            let mut bytes = [0; warpdiff_generator::seed::SPECIMEN_BYTES];
            warpdiff_generator::seed::fill(&mut bytes, 31, index);
            let (specimen, _) = warpdiff_generator::spa_specimen_of_bytes(&bytes, mix).expect("a specimen");
            let launch = specimen.write().launch;
            let text = &*launch.program;
            let checked =
                warpdiff_sass::compile(text, &warpdiff_sass::Header::default()).expect("it is legal");
            let program = Program::spa(&checked, text).expect("it is supported");
            let allowed =
                warpdiff_emulator::allowed(&program, &launch, &Semantics::default()).expect("it fits");
            let does_fault =
                allowed.outcomes.iter().any(|outcome| matches!(outcome.permitted, Permitted::Faulted { .. }));
            assert_eq!(does_fault, faults, "{}: {text}", mix.name());
            let is_decided = |outcome: &Outcome| match &outcome.permitted {
                Permitted::Completed { state } => {
                    state.regions.iter().all(|region| region.defined.iter().all(|mask| *mask == 0xff))
                }
                _ => false,
            };
            if mix == Mix::NoUndefined {
                assert!(allowed.outcomes.len() == 1 && is_decided(&allowed.outcomes[0]), "{text}");
            }
        }
    }
}

#[test]
fn a_mix_finds_what_it_has_more_of() {
    for (mix, name) in [
        (Mix::ControlFlow, "bra.uniform"),
        (Mix::ControlFlow, "shfl.up-down-swapped"),
        (Mix::Contended, "bar.ignored"),
        (Mix::OneFault, "trap.continues"),
    ] {
        let found = campaign(&Options { mix, ..options(&format!("emulator+{name}"), 1024) });
        assert_eq!(found.broken, None, "{name}");
        let deviation = Deviation::all().find(|deviation| deviation.name() == name);
        assert!(found.groups.keys().any(|cause| cause.deviation == deviation), "{name}: {:#?}", found.groups);
    }
}

#[test]
fn programs_of_spa_that_contend_are_wrong_usage() {
    let output = warpdiff(&["--dialect", "spa", "--mix", "contended", "--against", "emulator"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--mix contended is for programs of PTX"));
}

/// The deviations that generated programs of a language show.
fn generated(language: &'static str) -> impl Iterator<Item = Deviation> {
    let shows = move |deviation: &Deviation| languages(*deviation).contains(&language);
    let entries = Deviation::all().filter(|it| it.entry().not_generated.is_none() && !it.is_permitted());
    entries.filter(shows)
}

/// Where to look first: of each deviation, a program of seed 1 that shows it. The file only saves time; what it does not know is searched for
/// from the first program on.
fn known() -> (PathBuf, BTreeMap<String, u64>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/first_programs.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let entry = |line: &str| {
        let (name, index) = line.split_once(' ')?;
        Some((name.to_owned(), index.trim().parse().ok()?))
    };
    (path, lines.map(|line| entry(line).expect("a name and a number")).collect())
}

/// The first program of these that shows the deviation and is named after it.
fn shows(deviation: Deviation, language: Language, first: u64, count: u64) -> Result<u64, String> {
    let name = deviation.name();
    let against = format!("emulator+{name}");
    let options = Options { stop: true, first, language, ..options(&against, count) };
    let found = campaign(&options);
    assert_eq!(found.broken, None);
    let mut named = found.groups.iter().filter(|(cause, _)| cause.deviation == Some(deviation));
    let group =
        named.next().ok_or_else(|| format!("{name}: {:#?}", found.groups.keys().collect::<Vec<_>>()))?;
    Ok(group.1.first[0])
}

#[test]
fn every_deviation_is_found_and_named() {
    let (path, known) = known();
    let mut lacking = Vec::new();
    let mut first = BTreeMap::new();
    let of_ptx = generated("ptx").map(|deviation| (deviation, Language::Ptx, BOUND));
    // Those that programs of PTX show are found there.
    let of_spa = generated("spa").filter(|deviation| languages(*deviation) == ["spa"]);
    for (deviation, language, bound) in of_ptx.chain(of_spa.map(|it| (it, Language::Spa, SPA_BOUND))) {
        // One program may fit a wider deviation as well; those after it tell them apart.
        let shows_from =
            |index| [1, 128].into_iter().find_map(|count| shows(deviation, language, index, count).ok());
        let hint = known.get(deviation.name()).filter(|index| **index < bound);
        // The first programs that are found may all fit a wider one: then others are.
        let anywhere = || {
            let parts = (0..8).map(|part| part * bound / 8);
            let mut why = String::new();
            for first in parts {
                match shows(deviation, language, first, bound - first) {
                    Ok(index) => return Ok(index),
                    Err(other) => why = other,
                }
            }
            Err(why)
        };
        match hint.and_then(|index| shows_from(*index)).map_or_else(anywhere, Ok) {
            Ok(index) => _ = first.insert(deviation.name(), index),
            Err(why) => lacking.push(why),
        }
    }
    if std::env::var_os("WARPDIFF_BLESS").is_some() {
        let head = "# Of each deviation that generated programs show, one of seed 1 that shows it. `fuzz::every_deviation_is_found_and_named`\n\
                    # looks there first and then everywhere; with WARPDIFF_BLESS=1 it writes this file.\n";
        let lines = first.iter().map(|(name, index)| format!("{name} {index}\n"));
        let text: String = std::iter::once(head.to_owned()).chain(lines).collect();
        std::fs::write(path, text).expect("the file");
    }
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
}

/// Programs of SPA 5.0 within which each deviation of it must show.
const SPA_BOUND: u64 = 1000;

fn spa(against: &str, count: u64) -> Options {
    Options { language: Language::Spa, ..options(against, count) }
}

#[test]
fn the_reference_conforms_to_itself_on_programs_of_spa() {
    let found = campaign(&spa("emulator", SPA_BOUND));
    assert_eq!(found.broken, None);
    assert!(found.groups.is_empty(), "{:#?}", found.groups);
    // One in a hundred may be undecided.
    assert!(found.count(Raw::Conforms) * 100 >= SPA_BOUND * 99, "{:?}", found.statuses);
}

/// The schedules of generated programs wait for everything that has to be waited for; without one of the waits something is missing.
#[test]
fn generated_schedules_have_no_hazards() {
    let hazards = |text: &str, launch: &Launch| {
        let checked = warpdiff_sass::compile(text, &warpdiff_sass::Header::default()).expect("it is legal");
        let program = Program::spa(&checked, text).expect("it is supported");
        let run = warpdiff_emulator::run(&program, launch, &Semantics::default(), &RunOptions::default());
        run.expect("it fits").hazards
    };
    let mut missed = 0;
    for index in 0..150 {
        let written = warpdiff_generator::spa_specimen(23, index).expect("a specimen").write();
        let text = &*written.launch.program;
        assert_eq!(hazards(text, &written.launch), [], "{index}: {text}");
        // Without one of its waits. Not all are needed: where control goes elsewhere, everything is waited for.
        missed += usize::from(text.match_indices("&req={").any(|(at, _)| {
            let end = at + text[at..].find('}').expect("it is closed") + 1;
            !hazards(&format!("{}{}", &text[..at], &text[end..]), &written.launch).is_empty()
        }));
    }
    assert!(missed > 50, "{missed}");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let options = options("emulator+surface.x-as-texel", 1500);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let found = pool.install(|| campaign(&options));
        (found.statuses, found.groups)
    };
    assert_eq!(with(1), with(3));
}

/// More than one chunk of programs, each given to the workers at once.
#[test]
fn a_target_in_processes_is_found_to_do_what_it_does_without_them() {
    let worker = env!("CARGO_BIN_EXE_warpdiff");
    let found = |against: &str| {
        let found = campaign(&options(against, 1500));
        assert_eq!(found.broken, None);
        (found.statuses, found.groups)
    };
    let deviating = "emulator+surface.x-as-texel";
    assert_eq!(found(&format!("process:'{worker}' worker {deviating}")), found(deviating));
}

#[test]
fn programs_are_counted_from_the_first_one() {
    let mut options = options("emulator+shift.amount-masked", 3000);
    let whole = campaign(&options);
    let first = whole.first().expect("a difference");
    options.first = first;
    options.count = 1;
    let one = campaign(&options);
    assert_eq!((one.programs, one.first()), (1, Some(first)));
}

fn warpdiff(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpdiff")).arg("fuzz").args(arguments).output().expect("warpdiff")
}

fn written(folder: &Path, against: &str, count: &str) -> (Output, Vec<std::path::PathBuf>) {
    let output =
        warpdiff(&["--against", against, "--count", count, "--out", folder.to_str().expect("utf-8")]);
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    (output, files)
}

#[test]
fn a_finding_is_a_case_of_one_instruction_that_shows_the_difference_again() {
    for against in
        ["emulator+suld.clamp-as-zero", "emulator+atom.inc-off-by-one", "emulator+st.predicate-ignored"]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let (output, files) = written(folder.path(), against, "1500");
        let summary = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{summary}");
        assert!(!files.is_empty(), "{summary}");
        for file in files {
            assert!(summary.contains(&*file.to_string_lossy()), "{summary}");
            let text = std::fs::read_to_string(&file).expect("the file");
            let signature = text.lines().find_map(|line| line.strip_prefix("# signature: "));
            let opcode = signature.and_then(|words| words.split(": ").next()).expect("a signature");
            let is_it = |line: &&str| {
                line.split_whitespace().find(|word| !word.starts_with('@')).is_some_and(|word| word == opcode)
            };
            assert_eq!(text.lines().filter(is_it).count(), 1, "{opcode} once:\n{text}");
            let verdict = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
                .args(["run", "--against", against, "--corpus"])
                .arg(folder.path())
                .output()
                .expect("warpdiff");
            assert_eq!(verdict.status.code(), Some(1), "{}", String::from_utf8_lossy(&verdict.stdout));
        }
    }
}

/// The reference faults where the target goes on: a whole program that cannot complete has to state its end.
#[test]
fn a_finding_that_ends_with_a_fault_is_a_case_that_states_it() {
    let (folder, against) = (tempfile::tempdir().expect("a folder"), "emulator+surface.trap-as-zero");
    let (output, files) = written(folder.path(), against, "200");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    let text: String = files.iter().map(|file| std::fs::read_to_string(file).expect("the file")).collect();
    assert!(text.contains("\n  expect: {fault: surface-trap}\n"), "{text}");
    for (target, code) in [("emulator", 0), (against, 1)] {
        let run = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
            .args(["run", "--no-golden", "--against", target, "--corpus"])
            .arg(folder.path())
            .output()
            .expect("warpdiff");
        assert_eq!(run.status.code(), Some(code), "{target}: {}", String::from_utf8_lossy(&run.stdout));
    }
}

/// The load of an address, `suld`, and the store of its result: two of them only bring data in and out.
#[test]
fn the_summary_says_how_large_a_reduced_program_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (output, _) = written(folder.path(), "emulator+suld.clamp-as-zero", "100");
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = summary.lines().find(|line| line.contains(".yaml: 3 of ")).expect("a case with its size");
    assert!(
        line.ends_with(" instructions are left, 1 beside loads of inputs and stores of outputs"),
        "{summary}"
    );
}

/// Where nearly every program differs, `--stop` tries few of them; where none does, all.
#[test]
fn a_campaign_that_stops_at_a_difference_tries_few_programs() {
    let tried = |against: &str, stop: bool| {
        let found = campaign(&Options { stop, ..options(against, 1500) });
        (found.programs, found.first())
    };
    let (few, first) = tried("emulator+surface.x-as-texel", true);
    assert!(few < 200 && first.is_some_and(|first| first < few), "{few}");
    assert_eq!(tried("emulator+surface.x-as-texel", false), (1500, first));
    assert_eq!(tried("emulator", true), (1500, None));
}

#[test]
fn a_finding_of_spa_is_a_case_that_shows_the_difference_again() {
    let (folder, against) = (tempfile::tempdir().expect("a folder"), "emulator+spa.wide-reversed");
    let out = folder.path().to_str().expect("utf-8");
    let output = warpdiff(&["--dialect", "spa", "--against", against, "--count", "60", "--out", out]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    let verdict = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .args(["run", "--against", against, "--corpus", out])
        .output()
        .expect("warpdiff");
    assert_eq!(verdict.status.code(), Some(1), "{}", String::from_utf8_lossy(&verdict.stdout));
    let found = String::from_utf8_lossy(&verdict.stdout).into_owned();
    assert!(found.contains("reproduced exactly by spa.wide-reversed"), "{found}");
}

#[test]
fn findings_are_the_same_every_time() {
    let read = || {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, files) = written(folder.path(), "emulator+suld.b8-sign-extended", "1500");
        let named = |path: &std::path::PathBuf| {
            (path.file_name().expect("a name").to_owned(), std::fs::read(path).expect("a file"))
        };
        files.iter().map(named).collect::<Vec<_>>()
    };
    let once = read();
    assert!(!once.is_empty());
    assert_eq!(once, read());
}

#[test]
fn nothing_found_is_exit_code_0_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (output, files) = written(folder.path(), "emulator", "200");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(files.is_empty());
}

#[test]
fn an_unknown_target_is_wrong_usage() {
    let output = warpdiff(&["--against", "emulator+suld.clamp-as-zer"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean `suld.clamp-as-zero`"));
}
