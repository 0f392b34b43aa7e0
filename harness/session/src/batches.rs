//! Which variants are judged together, and which launches go to a target together. Chunks bound the memory for a corpus of any
//! size: in each chunk the reference answers first, then the targets, then both are judged.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rayon::prelude::*;
use warpdiff_corpus::plan::{PlannedLaunch, Variant, Work};
use warpdiff_expectations::in_force::InForce;
use warpdiff_judge::reference::{RecentPrograms, Unit};
use warpdiff_targets::{Answer, Question, Target};

use crate::asked_launch::AskedLaunch;
use crate::launch_answers::LaunchAnswers;
use crate::prepared_variant::{PreparedVariant, contained};
use crate::verdict::Verdict;
use crate::watch::Watch;

/// Variants of a chunk, at most.
const VARIANTS: usize = 1024;
/// Approximate limit of the memory for the launches of a chunk, in bytes. A single variant may exceed it.
const BYTES: usize = 256 << 20;
/// Copies of a launch's memory while it is judged: planned, allowed with two masks, observed.
const COPIES: usize = 6;
/// Approximate bytes of a launch beside its memory.
const LAUNCH: usize = 2 << 10;

/// The verdicts on the variants, in their order; `None` for a variant that was left out.
pub(crate) fn verdicts<'a>(
    variants: &[&'a Variant],
    targets: &[Box<dyn Target>],
    expected: &[InForce<'_>],
    watch: &dyn Watch,
) -> Vec<Option<Verdict<'a>>> {
    let recent = RecentPrograms::default();
    let judged = |chunk| judged(chunk, targets, expected, watch, &recent);
    chunks(variants).into_iter().flat_map(judged).collect()
}

/// The variants in chunks.
pub(crate) fn chunks<'v, 'a>(variants: &'v [&'a Variant]) -> Vec<&'v [&'a Variant]> {
    let mut chunks = Vec::new();
    let (mut begin, mut bytes) = (0, 0);
    for (index, variant) in variants.iter().enumerate() {
        let size = size(variant);
        if index > begin && (index - begin >= VARIANTS || bytes + size > BYTES) {
            chunks.push(&variants[begin..index]);
            (begin, bytes) = (index, 0);
        }
        bytes += size;
    }
    chunks.push(&variants[begin..]);
    chunks
}

/// Approximate memory for the launches of a variant, in bytes.
fn size(variant: &Variant) -> usize {
    let launches = match &variant.work {
        Work::Launches(launches) => launches,
        Work::Unsupported(unsupported) => &unsupported.launches,
        Work::Legality(_) => return 0,
    };
    let one = |planned: &PlannedLaunch| {
        let launch = &planned.launch;
        let textures = launch.textures.iter().map(|texture| &texture.image);
        let surfaces: usize = launch.surfaces.iter().chain(textures).map(|image| image.bytes.len()).sum();
        let buffers: usize = launch.buffers.iter().map(|b| b.bytes.len() + 2 * b.guard as usize).sum();
        // Rows that can fault have a launch each, with its own surfaces and guard bands.
        let copies = if planned.splittable { planned.rows.len().max(1) } else { 1 };
        copies * (LAUNCH + COPIES * (surfaces + buffers))
    };
    launches.iter().map(one).sum()
}

/// A prepared variant, or the verdict if warpdiff itself failed at it.
type PreparedOrBroken<'a> = Result<PreparedVariant<'a>, Box<Verdict<'a>>>;

fn judged<'a>(
    chunk: &[&'a Variant],
    targets: &[Box<dyn Target>],
    expected: &[InForce<'_>],
    watch: &dyn Watch,
    recent: &RecentPrograms,
) -> Vec<Option<Verdict<'a>>> {
    if watch.over().is_some() {
        return chunk.iter().map(|_| None).collect();
    }
    let prepared: Vec<PreparedOrBroken<'a>> = chunk
        .par_iter()
        .map(|variant| {
            contained(variant, targets, || PreparedVariant::new(variant, recent, watch.reads_recordings()))
        })
        .collect();
    // Launches that a target is asked: none of variants that are left out for it.
    let asked: Vec<Vec<Vec<AskedLaunch<'_, 'a>>>> = (0..targets.len())
        .map(|index| prepared.iter().map(|prepared| asked(prepared, expected.get(index))).collect())
        .collect();
    let batching = || targets.iter().zip(&asked).filter(|(target, _)| target.batches());
    let answers = |variant: usize| batching().map(|(_, asked)| asked[variant].len()).sum();
    let answered = || watch.answered();
    let waiting = Waiting::new((0..prepared.len()).map(answers), &answered);
    let seen: Vec<Option<Vec<Vec<LaunchAnswers>>>> = thread::scope(|scope| {
        let (prepared, waiting) = (&prepared, &waiting);
        let threads: Vec<_> = targets
            .iter()
            .zip(&asked)
            .map(|(target, asked)| {
                target.batches().then(|| scope.spawn(move || put(prepared, asked, target.as_ref(), waiting)))
            })
            .collect();
        // After a panic of a target its variants have no answers; they are run again one by one, and found broken.
        threads.into_iter().map(|thread| thread.and_then(|thread| thread.join().ok())).collect()
    });
    let seen = by_variant(seen, prepared.len());
    drop(asked);
    let judge = |(prepared, seen): (PreparedOrBroken<'a>, Vec<Option<Vec<LaunchAnswers>>>)| {
        let judged = match prepared {
            Ok(prepared) => {
                let variant = prepared.variant();
                let judged = contained(variant, targets, || prepared.judged(targets, expected, seen));
                judged.unwrap_or_else(|broken| *broken)
            }
            Err(broken) => *broken,
        };
        if judged.is_cut_short() {
            return None;
        }
        watch.judged(&judged);
        Some(judged)
    };
    prepared.into_par_iter().zip(seen).map(judge).collect()
}

/// The launches of a variant that a target with these expectations is asked.
fn asked<'p, 'a>(
    prepared: &'p PreparedOrBroken<'a>,
    expected: Option<&InForce<'_>>,
) -> Vec<AskedLaunch<'p, 'a>> {
    match prepared {
        Ok(prepared) if prepared.left_out(expected).is_none() => prepared.asked().collect(),
        _ => Vec::new(),
    }
}

/// Turns the answers by target into answers by variant.
fn by_variant(
    seen: Vec<Option<Vec<Vec<LaunchAnswers>>>>,
    variants: usize,
) -> Vec<Vec<Option<Vec<LaunchAnswers>>>> {
    let mut turned: Vec<Vec<Option<Vec<LaunchAnswers>>>> = (0..variants).map(|_| Vec::new()).collect();
    for target in seen {
        match target {
            Some(all) => turned.iter_mut().zip(all).for_each(|(variant, seen)| variant.push(Some(seen))),
            None => turned.iter_mut().for_each(|variant| variant.push(None)),
        }
    }
    turned
}

/// The number of answers that each variant still waits for.
pub(crate) struct Waiting<'d> {
    answers: Vec<AtomicUsize>,
    done: &'d (dyn Fn() + Sync),
}

impl<'d> Waiting<'d> {
    /// With the number of answers for each variant. `done` is called when a variant has all of its answers, at once if it needs
    /// none.
    pub(crate) fn new(answers: impl Iterator<Item = usize>, done: &'d (dyn Fn() + Sync)) -> Self {
        let answers: Vec<_> = answers.map(AtomicUsize::new).collect();
        answers.iter().filter(|answers| answers.load(Ordering::Relaxed) == 0).for_each(|_| done());
        Self { answers, done }
    }

    /// Counts one more answer.
    pub(crate) fn answered(&self, variant: usize) {
        if self.answers[variant].fetch_sub(1, Ordering::Relaxed) == 1 {
            (self.done)();
        }
    }
}

/// Runs the launches `asked` of each variant of a chunk on a target, and then the rows of launches that did not complete.
fn put(
    prepared: &[PreparedOrBroken<'_>],
    asked: &[Vec<AskedLaunch<'_, '_>>],
    target: &dyn Target,
    waiting: &Waiting<'_>,
) -> Vec<Vec<LaunchAnswers>> {
    let places: Vec<(usize, usize)> = (0..prepared.len())
        .flat_map(|variant| (0..asked[variant].len()).map(move |unit| (variant, unit)))
        .collect();
    let id =
        |variant: usize| prepared[variant].as_ref().map_or("", |prepared| prepared.variant().id.as_str());
    let launch = |(variant, launch): (usize, usize)| asked[variant][launch];
    let questions: Vec<Question<'_>> =
        places.iter().map(|place| launch(*place).question(id(place.0))).collect();
    let answers = answers(&questions, target, &|index| waiting.answered(places[index].0));
    let split: Vec<Vec<Unit<'static>>> =
        places.par_iter().zip(&answers).map(|(place, answer)| launch(*place).rows_instead(answer)).collect();
    let of_row = places.iter().zip(&split).flat_map(|(place, rows)| rows.iter().map(|row| (place.0, row)));
    let suspected: Vec<Question<'_>> =
        of_row.map(|(variant, row)| Question::suspicion(row, id(variant))).collect();
    let mut by_row = self::answers(&suspected, target, &|_| {}).into_iter();
    let mut seen: Vec<Vec<LaunchAnswers>> = prepared.iter().map(|_| Vec::new()).collect();
    for ((place, whole), rows) in places.iter().zip(answers).zip(split) {
        seen[place.0].push(LaunchAnswers { whole, rows: rows.into_iter().zip(by_row.by_ref()).collect() });
    }
    seen
}

/// The answers to the questions, in their order. A target that does not take batches gets the questions in parallel.
pub fn answers(
    questions: &[Question<'_>],
    target: &dyn Target,
    answered: &(dyn Fn(usize) + Sync),
) -> Vec<Answer> {
    if questions.is_empty() {
        return Vec::new();
    }
    if !target.batches() {
        let ask = |(index, question): (usize, &Question<'_>)| {
            let answer = target.observe(*question).into();
            answered(index);
            answer
        };
        return questions.par_iter().enumerate().map(ask).collect();
    }
    let slots: Vec<OnceLock<Answer>> = questions.iter().map(|_| OnceLock::new()).collect();
    target.observe_all(questions, &|index, answer| {
        if slots[index].set(answer).is_ok() {
            answered(index);
        }
    });
    slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(Answer::lost)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use warpdiff_corpus::Corpus;
    use warpdiff_judge::verdict_table::Raw;
    use warpdiff_model::{Observation, Semantics};
    use warpdiff_targets::EmulatorTarget;

    use super::*;

    /// The emulator, asked many launches at once and answering them backwards; rows that share a launch find that the device
    /// is gone if there are at least so many of them.
    struct Backwards {
        emulator: EmulatorTarget,
        gone_from: usize,
        asked: Mutex<Vec<usize>>,
    }

    impl Target for Backwards {
        fn name(&self) -> &str {
            "backwards"
        }

        fn observe(&self, _question: Question<'_>) -> Observation {
            panic!("it is to be asked many at once")
        }

        fn batches(&self) -> bool {
            true
        }

        fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
            self.asked.lock().unwrap().push(questions.len());
            for (index, question) in questions.iter().enumerate().rev() {
                let gone = question.planned.rows.len() >= self.gone_from;
                let observation = || self.emulator.observe(*question);
                answered(index, if gone { Observation::timed_out() } else { observation() }.into());
            }
        }
    }

    fn small() -> Corpus {
        let top = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/data/cases");
        warpdiff_corpus::load(&top).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
    }

    fn run(corpus: &Corpus, gone_from: usize) -> (Vec<(String, Raw, usize)>, usize) {
        let variants: Vec<_> = corpus.variants.iter().collect();
        let emulator = EmulatorTarget::new(Semantics::default());
        let target = Backwards { emulator, gone_from, asked: Mutex::default() };
        let targets: [Box<dyn Target>; 1] = [Box::new(target)];
        let done = AtomicUsize::new(0);
        let verdicts = verdicts(&variants, &targets, &[], &|| {
            done.fetch_add(1, Ordering::Relaxed);
        });
        let verdicts: Vec<_> = verdicts.into_iter().flatten().collect();
        let earned = verdicts.iter().map(|v| (v.variant.id.clone(), v.targets[0].raw, v.rows)).collect();
        (earned, done.into_inner())
    }

    #[test]
    fn verdicts_are_in_the_order_of_the_corpus_and_each_is_counted_once() {
        let corpus = small();
        let (earned, done) = run(&corpus, usize::MAX);
        assert_eq!(done, corpus.variants.len());
        let ids: Vec<_> = corpus.variants.iter().map(|v| &v.id).collect();
        assert_eq!(earned.iter().map(|(id, ..)| id).collect::<Vec<_>>(), ids);
        assert!(earned.iter().any(|(_, raw, _)| *raw == Raw::Conforms), "{earned:?}");
        assert!(earned.iter().all(|(_, raw, _)| matches!(raw, Raw::Conforms | Raw::NotRun)), "{earned:?}");
    }

    #[test]
    fn rows_of_a_launch_that_stopped_are_asked_one_by_one() {
        // Every launch of several rows stops, none of one row does: so every variant conforms in the end.
        let corpus = small();
        let (earned, done) = run(&corpus, 2);
        assert!(earned.iter().any(|(_, _, rows)| *rows > 1), "{earned:?}");
        assert!(earned.iter().all(|(_, raw, _)| matches!(raw, Raw::Conforms | Raw::NotRun)), "{earned:?}");
        assert_eq!(done, corpus.variants.len());
    }

    #[test]
    fn chunks_have_every_variant_once_and_end_in_time() {
        let corpus = small();
        let few: Vec<_> = corpus.variants.iter().collect();
        let many: Vec<&Variant> = few.iter().copied().cycle().take(3 * VARIANTS + 1).collect();
        let chunks = chunks(&many);
        assert_eq!(chunks.iter().map(|chunk| chunk.len()).sum::<usize>(), many.len());
        assert!(chunks.iter().all(|chunk| (1..=VARIANTS).contains(&chunk.len())));
        assert!(chunks.len() >= 4);
    }
}
