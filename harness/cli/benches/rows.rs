//! Rows per second of `warpdiff run`: tables of surface instructions, loaded and checked beforehand, put to the reference and held
//! against what was derived by hand; and the same with the emulator as a target beside it. `cargo bench -p warpdiff`.

use std::path::Path;
use std::sync::OnceLock;

use divan::Bencher;
use divan::counter::ItemsCount;
use warpdiff_corpus::plan::Variant;
use warpdiff_corpus::{self, Corpus};
use warpdiff_model::Semantics;
use warpdiff_session::session;
use warpdiff_targets::{EmulatorTarget, Target};

/// Subjects of the corpus, each a folder.
const SUBJECTS: [&str; 3] = ["suld", "sust", "sured"];
/// Of the variants of a subject, each so many-th: all kinds of them, and no more than a measurement needs.
const EACH: usize = 4;

fn main() {
    divan::main();
}

fn corpus() -> &'static Corpus {
    static CORPUS: OnceLock<Corpus> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
        warpdiff_corpus::load(&root).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
    })
}

fn variants(subject: &str) -> Vec<&'static Variant> {
    let of = |variant: &&Variant| variant.id.split('/').next() == Some(subject);
    corpus().variants.iter().filter(of).step_by(EACH).collect()
}

/// Judges the variants of a subject, and counts their rows.
fn judge(bencher: Bencher<'_, '_>, subject: &str, targets: &[Box<dyn Target>]) {
    let variants = variants(subject);
    let run = || session::run(&variants, targets, &|| ());
    let rows: usize = run().verdicts.iter().map(|verdict| verdict.rows).sum();
    bencher.counter(ItemsCount::new(rows)).bench_local(run);
}

/// On as many threads as there are processors, as `run` does it.
#[divan::bench(args = SUBJECTS, sample_count = 20, sample_size = 1)]
fn reference(bencher: Bencher<'_, '_>, subject: &str) {
    judge(bencher, subject, &[]);
}

#[divan::bench(args = SUBJECTS, sample_count = 20, sample_size = 1)]
fn against_emulator(bencher: Bencher<'_, '_>, subject: &str) {
    let emulator: Box<dyn Target> = Box::new(EmulatorTarget::new(Semantics::default()));
    judge(bencher, subject, &[emulator]);
}
