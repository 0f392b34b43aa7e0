//! The corpus as NVIDIA compiled it: the machine code under `golden/compiled` runs on the engine for SPA 5.0 and is judged like any
//! target. Each variant conforms or has a named cause: deviations of ptxas that the report of the run names, or a line of
//! `causes.tsv`; none is given the name of a deviation that is not of ptxas. The profile `ptxas-12.9` and the files under `ci/expectations` say
//! the same: with them a run is green, no entry of them is out of date, and none of the latter says what the profile says.

use crate::cases::corpus;
use crate::results;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::copied_folder::copy;
use warpdiff_corpus::filter::Pattern;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_expectations::day::Day;
use warpdiff_expectations::entry::Selected;
use warpdiff_expectations::folder;
use warpdiff_expectations::in_force::InForce;
use warpdiff_expectations::profile::Profile;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::finding::Finding;
use warpdiff_judge::verdict_table::{Raw, Settled};
use warpdiff_session::expected::WholeCorpus;
use warpdiff_session::session::{self, Session, Settling};
use warpdiff_session::verdict::TargetVerdict;
use warpdiff_session::watch::VerdictsAlone;
use warpdiff_targets::{CompiledName, CompiledTarget, Layered, Level, MachineWords, Target, ThroughPtx};

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the folder exists")
}

/// A line of `causes.tsv`: levels, variants.
fn causes() -> Vec<(Vec<Level>, Pattern)> {
    let text = std::fs::read_to_string(top().join("golden/compiled/causes.tsv")).expect("the list exists");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let cause = |line: &str| {
        let cells: Vec<_> = line.split('\t').collect();
        let [levels, variants, why] = cells[..] else { panic!("three cells are expected: {line}") };
        assert!(!why.is_empty(), "{line}");
        let levels = levels.split(' ').map(|level| Level::from_name(level).expect(level)).collect();
        (levels, Pattern::new(variants))
    };
    lines.map(cause).collect()
}

/// The target at a level, by the kept machine code alone.
fn target(level: Level) -> Box<dyn Target> {
    let kept = MachineWords::read(&top().join(MachineWords::FOLDER)).expect("the machine code is kept");
    assert!(kept.compiler.starts_with("ptxas V12.9"), "{}", kept.compiler);
    let target = CompiledTarget::of_kept(kept, &CompiledName { path: None, level: Some(level) });
    Box::new(Layered::new(Box::new(target), ThroughPtx::default()))
}

/// Whether the report names a deviation of ptxas, or two together, and nothing else.
fn is_named(earned: &TargetVerdict) -> bool {
    let explained = |finding: &Finding| {
        let mut deviations = finding.explained.iter();
        !finding.explained.is_empty() && deviations.all(|deviation| deviation.entry().is_of_a_compiler())
    };
    !earned.findings.is_empty() && earned.findings.iter().all(explained)
}

/// What a level shows of the corpus.
#[derive(Default)]
struct Shown {
    /// Variants that ran to an answer.
    ran: usize,
    /// Those that did not, with the reason.
    stopped: Vec<String>,
    /// Wrong ones without a named cause.
    unnamed: Vec<String>,
}

#[test]
fn the_corpus_as_compiled_at_every_level() {
    let corpus = corpus();
    let launched = |variant: &&Variant| matches!(variant.work, Work::Launches(_));
    let variants: Vec<&Variant> = corpus.variants.iter().filter(launched).collect();
    let levels = ["O0", "O1", "O2", "O3"].map(|level| Level::from_name(level).expect("a level"));
    // All in one run: most of the time goes into what the reference allows.
    let targets = levels.map(target);
    let files = folder::read(&[top().join("ci/expectations")]).expect("the expectations can be read");
    let profile = Profile::read(&top().join("ci/profiles/ptxas-12.9.yaml")).expect("the profile can be read");
    let profiles = [profile];
    let in_force = |target: &dyn Target| {
        InForce::of(&files, target.name(), &target.device()).with_profile(&profiles, target.name())
    };
    let expected: Vec<InForce<'_>> = targets.iter().map(|target| in_force(target.as_ref())).collect();
    let (skipped, variants): (Vec<&Variant>, Vec<&Variant>) =
        variants.into_iter().partition(|variant| is_skipped(&expected[3], variant));
    let mut session = session::run_expecting(&variants, &targets, &expected, None, &VerdictsAlone);
    let causes = causes();
    for (index, level) in levels.into_iter().enumerate() {
        let mut shown = Shown::default();
        for (variant, verdict) in variants.iter().zip(&session.verdicts) {
            shown.add(variant, &verdict.targets[index], |variant| {
                causes.iter().any(|(levels, pattern)| levels.contains(&level) && pattern.matches(&variant.id))
            });
        }
        let Shown { ran, stopped, unnamed } = shown;
        let name = &session.targets[index];
        assert!(
            unnamed.is_empty(),
            "{name}: {} without a named cause:\n{}",
            unnamed.len(),
            unnamed.join("\n")
        );
        let share = ran as f64 / (ran + stopped.len()) as f64;
        assert!(share >= 0.97, "{name}: {ran} of {} ran:\n{}", ran + stopped.len(), stopped.join("\n"));
    }
    // The plain name runs at -O3, and has the same expectations.
    let plain = InForce::of(&files, "compiled", &targets[3].device());
    assert!(!plain.entries.is_empty() && std::ptr::eq(plain.entries[0], expected[3].entries[0]));
    for (entry, cause) in plain.entries.iter().filter_map(|entry| Some((entry, entry.cause()?))) {
        assert!(
            cause.deviations.is_empty(),
            "what a deviation reproduces is for the profile: {}",
            entry.words()
        );
    }
    let requirements: Vec<&str> = corpus.requirements.iter().map(|one| one.id.as_str()).collect();
    let whole = WholeCorpus { variants: &corpus.listed, requirements: &requirements };
    // The day on which the entries of `skips` were written: when they expire is for a person to say, not for a test.
    let settling = Settling::new(&expected, &mut session, whole, "2026-11-22".parse::<Day>().expect("a day"));
    let misfits = misfits(&session, &settling);
    // What is left out is what no machine code for sm_50 can be made of.
    let without = session::run(&skipped, &[target(levels[3])], &VerdictsAlone);
    for verdict in &without.verdicts {
        let (id, earned) = (&verdict.variant.id, &verdict.targets[0]);
        assert_eq!(
            earned.raw,
            Raw::Unsupported,
            "ci/expectations/compiled-sm_50.yaml skips {id}, which runs"
        );
    }
    assert!(skipped.len() >= 51, "{}", skipped.len());
    assert!(
        misfits.is_empty() && settling.exit(&session) == Exit::Conforms,
        "ci/profiles/ptxas-12.9.yaml and ci/expectations do not fit what ptxas made of the corpus. What a deviation reproduces is for the \
         profile; where another change is meant, renew the file:\n\
         \x20 warpdiff run --against compiled --profile ptxas-12.9 --expectations ci/expectations --no-golden --results night.jsonl\n\
         \x20 warpdiff expect --from night.jsonl --target compiled --bless ci/expectations/compiled.yaml\n\
         {misfits}"
    );
}

/// Whether the expectations leave a variant out. Entries that select by instructions are none of `compiled`.
fn is_skipped(expected: &InForce<'_>, variant: &Variant) -> bool {
    expected.skips(&Selected { id: &variant.id, covers: &variant.covers, instructions: None }).is_some()
}

/// What the expectations do not cover, and what is out of date in them, one a line.
fn misfits(session: &Session<'_>, settling: &Settling) -> String {
    let mut text = String::new();
    for verdict in &session.verdicts {
        for (target, earned) in session.targets.iter().zip(&verdict.targets) {
            let settled = settling.target(verdict, earned);
            let unjudged = earned.raw == Raw::Unsupported && !earned.unclaimed;
            if matches!(settled, Settled::Fail | Settled::OtherFailure) || unjudged {
                let said = earned.findings.first().map(Finding::explanation).unwrap_or_default();
                let _ =
                    writeln!(text, "{target}: no entry covers {}: {}{said}", verdict.variant.id, earned.raw);
            }
        }
    }
    for notice in &settling.notices {
        let _ = writeln!(text, "{}: {}", notice.kind, notice.words);
    }
    text
}

impl Shown {
    fn add(&mut self, variant: &Variant, earned: &TargetVerdict, is_listed: impl Fn(&Variant) -> bool) {
        let why = earned.why.clone().unwrap_or_default();
        match earned.raw {
            // Forms newer than sm_50, and programs of SPA 5.0 without a translation: ptxas is not asked.
            Raw::Unsupported if !why.contains("machine code:") => {}
            Raw::Unsupported | Raw::NotRun => self.stopped.push(format!("{}: {why}", variant.id)),
            Raw::Conforms | Raw::Inconsistent => self.ran += 1,
            // Programs of SPA 5.0 are characterised through their translation, not judged.
            _ if earned.unclaimed => self.ran += 1,
            raw => {
                self.ran += 1;
                let is_misnamed = earned.findings.iter().any(|finding| !finding.explained.is_empty());
                if !is_named(earned) && (is_misnamed || !is_listed(variant)) {
                    let said = earned.findings.first().map(Finding::explanation).unwrap_or_default();
                    self.unnamed.push(format!("{}: {raw}{said} {why}", variant.id));
                }
            }
        }
    }
}

/// `warpdiff` with these arguments in a folder, and without any ptxas.
fn warpdiff(folder: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    command.current_dir(folder).args(arguments).env("WARPDIFF_PTXAS", "/nonexistent/ptxas");
    let output = command.output().expect("warpdiff starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// `subc` of this case is compiled to two words, `LOP` and `IADD.X`, as nvdisasm lists them beside the line.
#[test]
fn a_mismatch_shows_the_machine_words_of_its_line() {
    const CASE: &str = "arithmetic/integer/subc subtracts the carry of add.cc";
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("report.html");
    let corpus = top().join("cases").display().to_string();
    let html = page.display().to_string();
    let run = |more: &[&str]| {
        let fixed = ["--corpus", &corpus, "run", "--no-golden", "--against", "compiled+O3", CASE];
        warpdiff(folder.path(), &[&fixed, more].concat()).0
    };
    let text = run(&["--html", &html]);
    let shown: Vec<_> =
        text.lines().skip_while(|line| !line.contains("its machine words, by ptxas V12.9")).collect();
    assert!(
        shown[1].contains("LOP.PASS_B R9, RZ, ~R9;") && shown[1].ends_with("/* 0x5c4707000097ff09 */"),
        "{text}"
    );
    assert!(shown[2].contains("IADD.X R9, R8, R9;"), "{text}");
    let page = std::fs::read_to_string(page).expect("the page");
    assert!(page.contains("Its machine words, by ptxas V12.9") && page.contains("IADD.X R9, R8, R9;"));
    let report = results::read(&run(&["--json"]));
    let code = &report["variants"][0]["targets"][0]["findings"][0]["machine_code"];
    assert_eq!(code["words"][0]["word"], "5c4707000097ff09", "{report}");
    assert_eq!(
        (code["words"][0]["address"].as_u64(), code["words"].as_array().map(Vec::len)),
        (Some(0xd0), Some(2))
    );
}

/// Kept machine code is that beside the corpus in use, wherever the command runs; where there is none, the message says where it
/// was looked for.
#[test]
fn kept_machine_code_is_looked_for_beside_the_corpus() {
    const CASE: &str = "arithmetic/integer/subc subtracts the carry of add.cc";
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = folder.path().canonicalize().expect("the folder");
    let corpus = top().join("cases").display().to_string();
    let run = |corpus: &str| {
        warpdiff(&elsewhere, &["--corpus", corpus, "run", "--no-golden", "--against", "compiled", CASE])
    };
    assert!(run(&corpus).1.contains("machine code of ptxas V12.9.86 at -O3, as kept"));
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases"), &elsewhere.join("cases"));
    let (out, said) =
        warpdiff(&elsewhere, &["--corpus", "cases", "run", "--no-golden", "--against", "compiled"]);
    let beside = elsewhere.join("golden/compiled");
    let expected = format!(
        "skipped: no machine code is kept: not in {} beside the corpus, and there is no golden/compiled in",
        beside.display()
    );
    assert!(said.contains(&expected), "{said}{out}");
}
