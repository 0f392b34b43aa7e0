//! `warpdiff-mutants ROOT [PART…]`: which small changes of the sources the corpus notices.
//!
//! The files of `files.txt` are rewritten in a copy of the repository so that one build holds all mutants, and the judge (`judge/`) runs the corpus on
//! the reference with each. With a PART only files are taken whose path has it. docs/mutants.md says more.

mod alternatives;
mod deviations;
mod finder;
mod judging;
mod known;
mod mutation;
mod report;
mod rewritten;
mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mutation::Mutant;
use report::{Fate, Report};
use tree::{Source, Tree};

/// The least share of mutants in a group that have to be noticed, in percent, of those that are not equivalent.
const LEAST: f64 = 95.0;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn run() -> Result<bool, String> {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().ok_or("usage: warpdiff-mutants ROOT [PART…]")?);
    let parts: Vec<String> = arguments.collect();
    let folder = root.join("ci/mutants");
    let known =
        known::read(&read(&folder.join("equivalent.txt"))?).map_err(|e| format!("equivalent.txt: {e}"))?;
    let groups = groups(&read(&folder.join("files.txt"))?, &parts)?;

    let (mut sources, mut mutants, mut constant) = (Vec::new(), Vec::new(), 0);
    for file in groups.keys() {
        let text = read(&root.join(file))?;
        let next = 1 + mutants.len() as u32;
        let found = finder::find(file, &text, next).map_err(|e| format!("{file}: {e}"))?;
        constant += found.constant;
        mutants.extend(found.mutants);
        sources.push(Source { file: file.clone(), text, places: found.places });
    }
    if std::env::var_os("MUTANTS_LIST").is_some() {
        mutants.iter().for_each(|mutant| println!("{}\t{}\t{}", mutant.number, mutant.line, mutant.key()));
        return Ok(true);
    }
    let copy = std::env::var_os("MUTANTS_TREE").map_or_else(|| root.join("target/mutants"), PathBuf::from);
    let tree = Tree { root: &root, copy };
    tree.copy()?;
    let (judge, left_out) = tree.build(&sources, &mutants)?;
    let asked: Vec<&Mutant> = mutants.iter().filter(|mutant| !left_out.contains(&mutant.number)).collect();
    let fates = judging::judged(&judge, &tree, &asked)?;

    let judged: Vec<(&Mutant, Fate)> =
        mutants.iter().filter_map(|mutant| Some((mutant, fates.get(&mutant.number)?.clone()))).collect();
    let report = Report { judged: &judged, known: &known, groups: &groups, is_whole: parts.is_empty() };
    print!("{}", report.table());
    println!(
        "\n{} mutants more do not compile; {constant} would stand in constants and patterns.",
        left_out.len()
    );
    let list = report.list();
    if !list.is_empty() {
        println!("\nNothing notices, and nobody has judged:\n{list}");
    }
    let (stale, low) = (report.stale(), report.below(LEAST));
    stale.iter().for_each(|line| println!("equivalent.txt: {line}"));
    low.iter().for_each(|line| println!("less than {LEAST} % are noticed of {line}"));
    Ok(stale.is_empty() && low.is_empty())
}

/// The files with the group of each: `GROUP FILE` in each line. Those behind a `?` nobody has looked at yet: they are taken only if they are asked for.
fn groups(text: &str, parts: &[String]) -> Result<BTreeMap<String, String>, String> {
    let mut groups = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (is_new, line) = line.strip_prefix("? ").map_or((false, line), |line| (true, line));
        let words: Vec<&str> = line.split_whitespace().collect();
        let [group, file] = &*words else {
            return Err(format!("files.txt: `GROUP FILE` was expected: {line}"));
        };
        let is_taken = if parts.is_empty() { !is_new } else { parts.iter().any(|part| file.contains(part)) };
        if is_taken {
            groups.insert((*file).to_owned(), (*group).to_owned());
        }
    }
    if groups.is_empty() {
        return Err(format!("files.txt has no file with {} in its path", parts.join(" or ")));
    }
    Ok(groups)
}
