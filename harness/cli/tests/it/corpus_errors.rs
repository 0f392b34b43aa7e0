//! What is wrong with a corpus is said with file, line, column and a caret. One test per kind of mistake; each compares the
//! whole message, so that a caret that moves or a hint that vanishes is seen.

mod memory;
mod names;
mod numbers;
mod programs;
mod ptx;
mod requirements;
mod spa;
mod tables;
mod texts;
mod textures;
mod yaml;

use std::path::Path;

/// The errors of a case file with this text, rendered.
fn errors(text: &str) -> String {
    let root = tempfile::tempdir().expect("a temporary folder");
    match warpdiff_corpus::load_text_as(Path::new("cases/test.yaml"), text.to_owned(), root.path()) {
        Ok(variants) => format!("no error: {} variants", variants.len()),
        Err(errors) => errors.render(false),
    }
}

/// The errors of a case with these lines after its title, and nothing else wrong, rendered.
fn errors_of_lines(lines: &str) -> String {
    let right = "  outputs: {d: s32}\n  body: mov.b32 %d, 1;\n  rows: [{d: 1}]\n";
    errors(&format!("\n- case: adds{lines}{right}"))
}

/// The errors of a corpus of these files, rendered.
fn corpus_errors(files: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("cases");
    for (name, text) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(path, text).expect("written");
    }
    match warpdiff_corpus::load(&root) {
        Ok(corpus) => format!("no error: {} variants", corpus.variants.len()),
        Err(errors) => errors.render(false),
    }
}
