//! The corpus of the checkout, loaded once for all tests: that takes seconds in a build for tests.

use std::path::PathBuf;
use std::sync::OnceLock;

use warpdiff_corpus::{Corpus, Loading, SoundFiles, load_what_is_right};
use warpdiff_files::tree::FileTree;

/// The folder with its files.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases").canonicalize().expect("the corpus is there")
}

/// The corpus.
pub(crate) fn corpus() -> &'static Corpus {
    &loaded().0
}

/// The corpus, and what is to be kept of its files that were found to be sound when it was read.
pub(crate) fn loaded() -> &'static (Corpus, Vec<String>) {
    static LOADED: OnceLock<(Corpus, Vec<String>)> = OnceLock::new();
    LOADED.get_or_init(|| {
        let sound = SoundFiles::default();
        let loading = Loading { sound: Some(&sound), ..Loading::WHOLE };
        let corpus = load_what_is_right(&[FileTree::on_disk(folder())], loading)
            .unwrap_or_else(|errors| panic!("{}", errors.render(false)));
        assert!(corpus.broken.is_empty(), "{}", corpus.errors().render(false));
        (corpus, sound.into_parts().1.into_iter().map(|found| found.line).collect())
    })
}
