//! `fuzz --corpus DIR`: keeps programs that reach a new combination of a form with its rulings, and makes later programs of them.
//!
//! A file of the folder has the bytes that the generator reads a program from, as the libFuzzer target `specimen` takes them. A program is made of
//! the corpus as it was when its chunk was begun, so that seed and folder decide it, whatever the number of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rayon::prelude::*;
use warpdiff_generator::mutate::{Parent, Way, mutated};
use warpdiff_rulings::Combination;

use super::corpus_folder::{self, CorpusFile};
use super::options::{FuzzError, Options};
use super::trial::CompiledTrial;

/// What a program reached.
type Reached = BTreeSet<Combination>;

/// A program of the corpus.
#[derive(Clone, Debug)]
struct Kept {
    bytes: Arc<[u8]>,
    reached: Reached,
    /// How many combinations it brought that were not known.
    gain: usize,
    /// Its file, once there is one.
    file: Option<PathBuf>,
}

impl Parent for Kept {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn gain(&self) -> usize {
        self.gain
    }
}

/// A program that was tried.
#[derive(Debug)]
pub(super) struct Tried {
    /// The bytes that it is made of.
    pub(super) bytes: Vec<u8>,
    /// How they were made.
    pub(super) way: Way,
    /// What it reached.
    pub(super) reached: Reached,
}

/// How many programs were made in a way, and how many combinations they brought.
#[derive(Clone, Copy, Debug, Default)]
struct Yield {
    programs: u64,
    gain: u64,
}

impl Yield {
    /// How often the way is to be taken. At first each is as good as any other; later those that bring most are taken most of the time.
    fn weight(self) -> u64 {
        let of_each = (16 * self.gain + 80) / (self.programs + 1);
        of_each.min(1 << 12).pow(4) + 1
    }
}

/// A chunk of programs: the first, of how many kept ones they are made, and how often in each way.
#[derive(Debug)]
struct Chunk {
    first: u64,
    kept: usize,
    weights: [u64; Way::ALL.len()],
}

/// A corpus that grows.
#[derive(Debug)]
pub(super) struct Guide {
    folder: PathBuf,
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    kept: Vec<Kept>,
    known: Reached,
    /// Combinations that were known in the beginning.
    old: usize,
    chunks: Vec<Chunk>,
    ways: [Yield; Way::ALL.len()],
    /// The programs whose chunk is not over.
    pending: BTreeMap<u64, Tried>,
    /// Why the corpus cannot grow.
    failure: Option<FuzzError>,
}

/// How many forms and combinations were reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Forms of instructions.
    pub forms: usize,
    /// Combinations of a form with its rulings.
    pub combinations: usize,
    /// Those of them that the corpus did not have in the beginning.
    pub new: usize,
    /// Programs that are kept.
    pub programs: usize,
}

impl Guide {
    /// The guide of a campaign; `None` without `--corpus`. The folder is created if it is not there, and the programs in it are run.
    ///
    /// # Errors
    /// If the folder or a file in it cannot be used.
    pub(super) fn of(options: &Options) -> Result<Option<Self>, FuzzError> {
        let Some(folder) = options.corpus.clone() else { return Ok(None) };
        let files = corpus_folder::read(&folder)?;
        let load = |CorpusFile { path, bytes }: CorpusFile| {
            let (specimen, used) = options.specimen_of(&bytes).map_err(FuzzError::Program)?;
            let reached = CompiledTrial::of_text(specimen).and_then(|program| program.combinations());
            let reached = reached.map_err(|why| FuzzError::Seed { path: path.clone(), why })?;
            Ok(Kept { bytes: bytes[..used].into(), gain: reached.len(), reached, file: Some(path) })
        };
        let kept: Vec<Kept> = files.into_par_iter().map(load).collect::<Result<_, FuzzError>>()?;
        let known: Reached = kept.iter().flat_map(|kept| kept.reached.iter().copied()).collect();
        let state = State { old: known.len(), kept, known, ..State::default() };
        Ok(Some(Self { folder, state: RwLock::new(state) }))
    }

    /// A chunk begins with this program: what is kept now is what its programs are made of.
    pub(super) fn begin(&self, first: u64) {
        let mut state = self.write();
        let (kept, weights) = (state.kept.len(), state.ways.map(Yield::weight));
        state.chunks.push(Chunk { first, kept, weights });
    }

    /// The bytes of a program of a chunk that has begun, and how they were made.
    pub(super) fn bytes(&self, seed: u64, index: u64) -> (Vec<u8>, Way) {
        let state = self.read();
        let begun = state.chunks.partition_point(|chunk| chunk.first <= index);
        let chunk = begun.checked_sub(1).and_then(|number| state.chunks.get(number));
        let (kept, weights) = chunk.map_or((0, [0; Way::ALL.len()]), |chunk| (chunk.kept, chunk.weights));
        mutated(seed, index, &state.kept[..kept], weights)
    }

    /// Notes what a program reached, once.
    pub(super) fn note(&self, index: u64, tried: Tried) {
        self.write().pending.entry(index).or_insert(tried);
    }

    /// Whether it is to be told what that program reached.
    pub(super) fn is_asked(&self, index: u64) -> bool {
        !self.read().pending.contains_key(&index)
    }

    /// The programs before this one were tried: keeps those that reached something new, in their order. Answers whether their files could be
    /// written; if not, [`Guide::finish`] says why.
    pub(super) fn grow(&self, before: u64) -> bool {
        let mut state = self.write();
        let grown = self.keep(&mut state, before);
        let has_grown = grown.is_ok();
        state.failure = grown.err();
        has_grown
    }

    fn keep(&self, state: &mut State, before: u64) -> Result<(), FuzzError> {
        let later = state.pending.split_off(&before);
        let tried = std::mem::replace(&mut state.pending, later);
        for Tried { bytes, way, reached } in tried.into_values() {
            let gain = reached.difference(&state.known).count();
            let of_way = &mut state.ways[way as usize];
            of_way.programs += 1;
            of_way.gain += gain as u64;
            if gain > 0 {
                let file = corpus_folder::write(&self.folder, &bytes)?;
                state.known.extend(reached.iter().copied());
                state.kept.push(Kept { bytes: bytes.into(), reached, gain, file: Some(file) });
            }
        }
        Ok(())
    }

    /// How far it is.
    pub(super) fn covered(&self) -> Covered {
        let state = self.read();
        let forms: BTreeSet<u64> = state.known.iter().map(|combination| combination.form).collect();
        Covered {
            forms: forms.len(),
            combinations: state.known.len(),
            new: state.known.len() - state.old,
            programs: state.kept.len(),
        }
    }

    /// Leaves out the programs without which the corpus reaches as much, the largest first, and gives each file the name of its content.
    ///
    /// # Errors
    /// If a file could not be written, or cannot be written or removed.
    pub(super) fn finish(&self) -> Result<(), FuzzError> {
        let mut state = self.write();
        state.failure.take().map_or(Ok(()), Err)?;
        let (kept, left_out) = fewest(std::mem::take(&mut state.kept));
        state.kept = kept;
        let mut named = BTreeSet::new();
        for one in &mut state.kept {
            let file = corpus_folder::write(&self.folder, &one.bytes)?;
            if let Some(old) = one.file.replace(file.clone()).filter(|old| *old != file) {
                corpus_folder::remove(&old)?;
            }
            named.insert(file);
        }
        let files = left_out.into_iter().filter_map(|one| one.file).filter(|file| !named.contains(file));
        files.collect::<BTreeSet<_>>().iter().try_for_each(|file| corpus_folder::remove(file))?;
        Ok(())
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Few programs that reach what all of them do, and the others. Of several that would do the smallest stay.
fn fewest(mut all: Vec<Kept>) -> (Vec<Kept>, Vec<Kept>) {
    let mut reaching: BTreeMap<Combination, usize> = BTreeMap::new();
    for combination in all.iter().flat_map(|kept| &kept.reached) {
        *reaching.entry(*combination).or_default() += 1;
    }
    all.sort_by(|a, b| (b.bytes.len(), &b.bytes).cmp(&(a.bytes.len(), &a.bytes)));
    let (mut needed, mut left_out) = (Vec::new(), Vec::new());
    for one in all {
        if one.reached.iter().all(|combination| reaching[combination] > 1) {
            one.reached.iter().for_each(|it| *reaching.entry(*it).or_default() -= 1);
            left_out.push(one);
        } else {
            needed.push(one);
        }
    }
    needed.reverse();
    (needed, left_out)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use warpdiff_rulings::Rulings;

    use super::super::campaign::Campaign;
    use super::super::options::Language;
    use super::super::programs::Programs;
    use super::*;

    /// Programs of a campaign of these tests: four chunks.
    const PROGRAMS: u64 = 1024;

    fn options(folder: &Path, count: u64) -> Options {
        Options { corpus: Some(folder.to_owned()), ..Options::of("emulator".parse().unwrap(), 3, count) }
    }

    /// Runs a campaign with that many threads; answers what it reached before its corpus became smaller, and the names of its files.
    fn guided(options: &Options, threads: usize) -> (Covered, Vec<PathBuf>) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let guide = Guide::of(options).unwrap().unwrap();
        let target = options.target().unwrap().open();
        let programs = Programs { options, guide: Some(&guide) };
        let campaigns = pool.install(|| Campaign::run_programs(programs, &[target.as_ref()]));
        assert!(campaigns[0].broken.is_none() && campaigns[0].groups.is_empty(), "{:?}", campaigns[0]);
        let covered = guide.covered();
        guide.finish().unwrap();
        let mut names: Vec<PathBuf> =
            fs::read_dir(&guide.folder).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
        names.sort();
        (covered, names)
    }

    #[test]
    fn a_corpus_guides_to_more_than_the_programs_of_a_seed_reach() {
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path(), PROGRAMS);
        let reached =
            |index| CompiledTrial::of_text(options.specimen(index).unwrap()).unwrap().combinations().unwrap();
        let of_seed: Vec<Reached> = (0..PROGRAMS).into_par_iter().map(reached).collect();
        let of_seed: Reached = of_seed.into_iter().flatten().collect();
        let (covered, _) = guided(&options, 2);
        let gained = (covered.combinations, of_seed.len());
        assert!(gained.0 > gained.1, "{gained:?}");
        assert_eq!(covered.new, covered.combinations);
    }

    #[test]
    fn a_corpus_is_the_same_whatever_the_number_of_threads_and_goes_on() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [(one, files), (other, others)] = [(0, 1), (1, 3)]
            .map(|(folder, threads)| guided(&options(folders[folder].path(), PROGRAMS), threads));
        assert_eq!((one, &files), (other, &others));
        assert!(files.len() < one.programs, "nothing was left out of {}", files.len());
        // What is left reaches as much, and nothing is left out of it again.
        let again = options(folders[0].path(), PROGRAMS);
        let guide = Guide::of(&again).unwrap().unwrap();
        let covered = guide.covered();
        assert_eq!((covered.combinations, covered.new, covered.programs), (one.combinations, 0, files.len()));
        guide.finish().unwrap();
        assert_eq!(fs::read_dir(folders[0].path()).unwrap().count(), files.len());
        // It goes on with what is there.
        let (more, _) = guided(&Options { first: PROGRAMS, ..again }, 2);
        assert!(more.new > 0 && more.combinations == one.combinations + more.new, "{more:?}");
    }

    #[test]
    fn machine_code_has_a_corpus_too_and_other_bytes_get_their_names() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("zeros"), [0; 9000]).unwrap();
        fs::write(folder.path().join("empty"), []).unwrap();
        let spa = Options { language: Language::Spa, ..options(folder.path(), 512) };
        let (covered, files) = guided(&spa, 2);
        assert!(covered.combinations > 20, "{covered:?}");
        assert!(files.iter().all(|name| name.as_os_str().len() == 32), "{files:?}");
    }

    fn kept(size: usize, forms: &[u64]) -> Kept {
        let reached = forms.iter().map(|form| Combination { form: *form, rulings: Rulings::default() });
        Kept { bytes: vec![0; size].into(), reached: reached.collect(), gain: 0, file: None }
    }

    fn sizes(kept: &[Kept]) -> Vec<usize> {
        kept.iter().map(|kept| kept.bytes.len()).collect()
    }

    #[test]
    fn small_programs_stay_that_reach_what_large_ones_do() {
        let (needed, left_out) =
            fewest(vec![kept(9, &[1, 2]), kept(3, &[1]), kept(4, &[2, 3]), kept(5, &[2])]);
        assert_eq!((sizes(&needed), sizes(&left_out)), (vec![3, 4], vec![9, 5]));
        // A large one stays that alone reaches something.
        let (needed, _) = fewest(vec![kept(9, &[1, 2, 7]), kept(3, &[1]), kept(4, &[2])]);
        assert_eq!(sizes(&needed), [9]);
        assert!(fewest(Vec::new()).0.is_empty());
    }
}
