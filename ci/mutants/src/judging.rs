//! Has the judge say what becomes of each mutant, and keeps what it said: a run of hours may be ended and begun again.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::mutation::Mutant;
use crate::report::Fate;
use crate::tree::Tree;

/// What the judge said, for a run with MUTANTS_RESUME.
const FATES: &str = "fates.txt";

/// What became of the mutants, by their numbers.
pub(crate) fn judged(
    judge: &Path,
    tree: &Tree<'_>,
    asked: &[&Mutant],
) -> Result<BTreeMap<u32, Fate>, String> {
    let setting = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let path = tree.copy.join(FATES);
    let mut fates = BTreeMap::new();
    if setting("MUTANTS_RESUME", "") == "1" {
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let known: HashMap<&str, &str> = kept.lines().filter_map(|line| line.split_once("\t:\t")).collect();
        fates.extend(asked.iter().filter_map(|mutant| {
            let (word, variant) = known.get(&*mutant.key())?.split_once('\t')?;
            Some((mutant.number, Fate::of(word, variant)))
        }));
    } else {
        let _ = fs::remove_file(&path);
    }
    let waiting: Vec<&&Mutant> = asked.iter().filter(|mutant| !fates.contains_key(&mutant.number)).collect();
    if waiting.is_empty() {
        return Ok(fates);
    }
    let open = File::options().create(true).append(true).open(&path);
    let mut kept = open.map_err(|e| format!("{}: {e}", path.display()))?;
    let mut command = Command::new(judge);
    command
        .args(["cases", "ci/mutants/undecided", "golden/compiled"].map(|folder| tree.root.join(folder)))
        .args([setting("MUTANTS_JOBS", "2"), setting("MUTANTS_SECONDS", "120")]);
    command.args(waiting.iter().map(|mutant| mutant.number.to_string())).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|e| format!("{}: {e}", judge.display()))?;
    for line in BufReader::new(child.stdout.take().ok_or("no output")?).lines() {
        let line = line.map_err(|e| format!("the judge: {e}"))?;
        let parts: Vec<&str> = line.split('\t').collect();
        let [number, word, variant] = &*parts else { continue };
        let Some(mutant) = waiting.iter().find(|mutant| mutant.number.to_string() == *number) else {
            continue;
        };
        fates.insert(mutant.number, Fate::of(word, variant));
        writeln!(kept, "{}\t:\t{word}\t{variant}", mutant.key())
            .map_err(|e| format!("{}: {e}", path.display()))?;
        if fates.len() % 100 == 0 {
            eprintln!("{} of {} mutants", fates.len(), asked.len());
        }
    }
    let status = child.wait().map_err(|e| format!("the judge: {e}"))?;
    if !status.success() || fates.len() != asked.len() {
        return Err(format!(
            "the judge ended with {status}, and judged {} of {} mutants",
            fates.len(),
            asked.len()
        ));
    }
    Ok(fates)
}
