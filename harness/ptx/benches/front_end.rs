//! Megabytes of PTX a second through the lexer, the parser and the checker, over the kernels of `cases/compiled/` as
//! NVIDIA's compiler emits them. `cargo bench -p warpdiff-ptx`.

use std::path::Path;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use warpdiff_ptx::lexer::{Kind, Lexer};
use warpdiff_ptx::{Dialect, Rules, check, compile, parse, print};

fn main() {
    divan::main();
}

/// The texts of the compiled kernels.
fn kernels() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/compiled");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.sort();
    assert!(!paths.is_empty(), "no .ptx files in {}", folder.display());
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a text file")).collect()
}

/// Measures one pass over all texts, counted in bytes of source.
fn measure(bencher: Bencher<'_, '_>, mut pass: impl FnMut(&str)) {
    let texts = kernels();
    let bytes: usize = texts.iter().map(String::len).sum();
    bencher
        .counter(BytesCount::new(bytes))
        .bench_local(|| texts.iter().for_each(|text| pass(black_box(text))));
}

#[divan::bench]
fn lexer(bencher: Bencher<'_, '_>) {
    measure(bencher, |text| {
        let mut lexer = Lexer::new(text);
        while black_box(lexer.next()).kind != Kind::End {}
    });
}

#[divan::bench]
fn parser(bencher: Bencher<'_, '_>) {
    measure(bencher, |text| drop(black_box(parse(text))));
}

#[divan::bench]
fn checker(bencher: Bencher<'_, '_>) {
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    let texts = kernels();
    let bytes: usize = texts.iter().map(String::len).sum();
    let modules: Vec<_> = texts.iter().map(|text| parse(text).expect("a compiled kernel parses")).collect();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        texts.iter().zip(&modules).for_each(|(text, module)| drop(black_box(check(text, module, &rules))));
    });
}

#[divan::bench]
fn parser_and_checker(bencher: Bencher<'_, '_>) {
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    measure(bencher, |text| drop(black_box(compile(text, &rules))));
}

#[divan::bench]
fn printer(bencher: Bencher<'_, '_>) {
    let texts = kernels();
    let bytes: usize = texts.iter().map(String::len).sum();
    let modules: Vec<_> = texts.iter().map(|text| parse(text).expect("a compiled kernel parses")).collect();
    bencher
        .counter(BytesCount::new(bytes))
        .bench_local(|| modules.iter().for_each(|module| drop(black_box(print(module)))));
}
