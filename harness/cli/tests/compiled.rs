//! The corpus as NVIDIA compiled it: the machine code under `golden/compiled` runs on the engine for SPA 5.0 and is judged like any
//! target. Each variant conforms or has a named cause: deviations of ptxas that the report of the run names, or a line of
//! `causes.tsv`; none is given the name of a deviation that is not of ptxas.

use std::path::{Path, PathBuf};

use warpdiff_corpus::filter::Pattern;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::finding::Finding;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_session::session;
use warpdiff_session::verdict::TargetVerdict;
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

fn corpus_at(level: &str) {
    let level = Level::from_name(level).expect("a level");
    let corpus = warpdiff_corpus::load(&top().join("cases")).expect("the corpus loads");
    let launched = |variant: &&Variant| matches!(variant.work, Work::Launches(_));
    let variants: Vec<&Variant> = corpus.variants.iter().filter(launched).collect();
    let targets = [target(level)];
    let session = session::run(&variants, &targets, &|| {});
    let causes = causes();
    let (mut ran, mut stopped, mut unnamed) = (0, Vec::new(), Vec::new());
    for (variant, verdict) in variants.iter().zip(&session.verdicts) {
        let earned = &verdict.targets[0];
        let why = earned.why.clone().unwrap_or_default();
        match earned.raw {
            // Forms newer than sm_50, and programs of SPA 5.0 without a translation: ptxas is not asked.
            Raw::Unsupported if !why.contains("machine code:") => continue,
            Raw::Unsupported | Raw::NotRun => stopped.push(format!("{}: {why}", variant.id)),
            Raw::Conforms | Raw::Inconsistent => ran += 1,
            _ => {
                ran += 1;
                let listed = causes
                    .iter()
                    .any(|(levels, pattern)| levels.contains(&level) && pattern.matches(&variant.id));
                // Programs of SPA 5.0 are characterised through their translation, not judged.
                let named = is_named(earned);
                let names = earned.findings.iter().flat_map(|finding| &finding.explained);
                let other = !named && !earned.unclaimed && names.count() > 0;
                if other || !(earned.unclaimed || listed || named) {
                    let said = earned.findings.first().map(Finding::explanation).unwrap_or_default();
                    unnamed.push(format!("{}: {}{said} {why}", variant.id, earned.raw));
                }
            }
        }
    }
    assert!(unnamed.is_empty(), "{} without a named cause:\n{}", unnamed.len(), unnamed.join("\n"));
    let share = ran as f64 / (ran + stopped.len()) as f64;
    assert!(share >= 0.97, "{ran} of {} variants ran:\n{}", ran + stopped.len(), stopped.join("\n"));
}

#[test]
fn the_corpus_as_compiled_without_optimisation() {
    corpus_at("O0");
}

#[test]
fn the_corpus_as_compiled_with_few_optimisations() {
    corpus_at("O1");
}

#[test]
fn the_corpus_as_compiled_with_more_optimisations() {
    corpus_at("O2");
}

#[test]
fn the_corpus_as_compiled_with_all_optimisations() {
    corpus_at("O3");
}
