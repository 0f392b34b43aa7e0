//! The corpus of the checkout, loaded once for all tests: that takes seconds in a build for tests.

use std::path::PathBuf;
use std::sync::OnceLock;

use warpdiff_corpus::Corpus;

/// The folder with its files.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

/// The corpus.
pub(crate) fn corpus() -> &'static Corpus {
    static CORPUS: OnceLock<Corpus> = OnceLock::new();
    CORPUS.get_or_init(|| {
        warpdiff_corpus::load(&folder()).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
    })
}
