//! Programs of which parts are removed at random, generated ones and whole kernels of the corpus: reconditioned, each of them is decided by the
//! specification.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use warpdiff_corpus::plan::Work;
use warpdiff_generator::{seed, spa_specimen, specimen};
use warpdiff_model::Launch;
use warpdiff_reducer::recondition::{indeterminate, recondition};

/// Steps after which a program counts as one that does not end.
const STEPS: u64 = 20_000;

/// Programs with parts removed, and what became of them.
#[derive(Debug, Default)]
struct Counts {
    /// Those that are still legal.
    legal: usize,
    /// Those that were indeterminate before.
    indeterminate: usize,
    /// Those that are indeterminate still, or were not reconditioned.
    left: Vec<String>,
    /// Instructions that were added to all of those that were indeterminate, less those left out.
    grown: isize,
}

/// Whether a line is one or several instructions, and not the end of a function or a program, which stays.
fn is_instruction(line: &str) -> bool {
    let line = line.trim();
    let is_other = line.starts_with(['.', '{', '}', '/', '(', ')']) || line.contains([':', '=']);
    line.ends_with(';') && !is_other && !line.contains("ret;") && !line.contains("EXIT")
}

/// The program without about one in so many of its instructions, chosen by these bytes.
fn without_some(launch: &Launch, one_in: u8, bytes: &[u8]) -> Launch {
    let mut bytes = bytes.iter().cycle();
    let mut text = String::new();
    for line in launch.program.lines() {
        let goes = is_instruction(line) && bytes.next().is_some_and(|byte| byte % one_in == 0);
        if !goes {
            writeln!(text, "{line}").expect("writing to a string cannot fail");
        }
    }
    Launch { program: Arc::from(text), step_budget: STEPS, ..launch.clone() }
}

fn instructions(launch: &Launch) -> isize {
    warpdiff_reducer::instructions(launch).expect("a program").cast_signed()
}

fn count(programs: impl Iterator<Item = Launch>) -> Counts {
    let mut counts = Counts::default();
    for (index, whole) in (0..).zip(programs) {
        let mut bytes = [0; 256];
        seed::fill(&mut bytes, 77, index);
        let half = without_some(&whole, 2 + (index % 6) as u8, &bytes);
        let Some(before) = indeterminate(&half) else { continue };
        counts.legal += 1;
        let Some(after) = recondition(&half) else {
            counts.left.push(half.program.to_string());
            continue;
        };
        if !before {
            assert_eq!(after, half, "a determinate program changes");
            continue;
        }
        counts.indeterminate += 1;
        counts.grown += instructions(&after) - instructions(&half);
        match indeterminate(&after) {
            Some(false) => assert_eq!(recondition(&after).as_ref(), Some(&after), "it is not idempotent"),
            _ => counts.left.push(half.program.to_string()),
        }
    }
    let Counts { legal, indeterminate, left, grown } = &counts;
    println!(
        "{legal} programs that are legal without some instructions, {indeterminate} of them indeterminate, {} after reconditioning; {:.2} instructions added to each",
        left.len(),
        *grown as f64 / (*indeterminate).max(1) as f64
    );
    counts
}

#[test]
fn half_programs_of_ptx_are_decided() {
    let programs = (0..160).map(|index| specimen(5, index).expect("a specimen").write().launch);
    let counts = count(programs);
    assert!(counts.legal > 150 && counts.indeterminate > 100, "{} {}", counts.legal, counts.indeterminate);
    assert!(counts.left.is_empty(), "{}: {}", counts.left.len(), counts.left[0]);
}

#[test]
fn half_programs_of_spa_are_decided() {
    let programs = (0..160).map(|index| spa_specimen(5, index).expect("a specimen").write().launch);
    let counts = count(programs);
    assert!(counts.legal > 150 && counts.indeterminate > 100, "{} {}", counts.legal, counts.indeterminate);
    assert!(counts.left.is_empty(), "{}: {}", counts.left.len(), counts.left[0]);
}

/// Launches of a file of the corpus, a few of each.
fn of_corpus(file: &str) -> Vec<Launch> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let variants = warpdiff_corpus::load_file(&root.join(file), &root).expect("a file of the corpus");
    let launches = variants.into_iter().filter_map(|variant| match variant.work {
        Work::Launches(launches) => launches.into_iter().next(),
        Work::Legality(_) | Work::Unsupported(_) => None,
    });
    launches.take(40).map(|planned| planned.launch).collect()
}

/// As compilers emit them, and as people write them: with functions, loops, shared memory, barriers, votes.
#[test]
fn half_kernels_of_the_corpus_are_decided() {
    let files = [
        "compiled/compiled.yaml",
        "compiled/machine_code.yaml",
        "control/barriers.yaml",
        "control/branches.yaml",
        "control/calls.yaml",
        "control/several-warps.yaml",
        "control/warp.yaml",
        "atomics/locks.yaml",
        "opaque/pointers.yaml",
    ];
    let counts = count(files.iter().flat_map(|file| of_corpus(file)));
    assert!(counts.legal > 90 && counts.indeterminate > 60, "{} {}", counts.legal, counts.indeterminate);
    assert!(counts.left.is_empty(), "{}: {}", counts.left.len(), counts.left[0]);
}
