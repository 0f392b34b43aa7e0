//! Generated programs per second: made, run on the reference and on the emulator as a target, and compared; on one thread, each
//! measurement on the same programs. `cargo bench -p warpdiff --bench fuzz`.

use divan::Bencher;
use divan::counter::ItemsCount;
use warpdiff::fuzz::{Campaign, Language, Options};
use warpdiff_judge::exit_code::Exit;

/// The seed of the programs, which never changes: other programs take other time.
const SEED: u64 = 20_261_123;
/// Programs of a measurement.
const PROGRAMS: u64 = 4096;

fn main() {
    divan::main();
}

fn measure(bencher: Bencher<'_, '_>, language: Language, parse_every: u64) {
    let options = Options {
        language,
        parse_every,
        ..Options::of("emulator".parse().expect("a target"), SEED, PROGRAMS)
    };
    let target = options.target().expect("a target").open();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let run = || one.install(|| Campaign::run(&options, target.as_ref()));
    assert_eq!(run().exit(), Exit::Conforms);
    bencher.counter(ItemsCount::new(PROGRAMS)).bench_local(run);
}

/// As `warpdiff fuzz` does it: the text of every 32nd program is written and parsed.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn ptx(bencher: Bencher<'_, '_>) {
    measure(bencher, Language::Ptx, 32);
}

/// As the nightly does it: the text of every program is.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn ptx_all_parsed(bencher: Bencher<'_, '_>) {
    measure(bencher, Language::Ptx, 1);
}

/// Programs of SPA 5.0 are always text.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn spa(bencher: Bencher<'_, '_>) {
    measure(bencher, Language::Spa, 1);
}
