//! Megabytes of PTX a second through the lexer, the parser and the checker: `cargo run --release --example speed -- FILES`.

use std::hint::black_box;
use std::time::Instant;

use warpdiff_ptx::lexer::{Kind, Lexer};
use warpdiff_ptx::{Dialect, Rules, check, parse};

fn rate(name: &str, texts: &[String], mut run: impl FnMut(&str)) {
    let bytes: usize = texts.iter().map(String::len).sum();
    // The best of many rounds: what the machine does when nobody disturbs it.
    let mut best = f64::MAX;
    let start = Instant::now();
    while start.elapsed().as_millis() < 1500 {
        let round = Instant::now();
        texts.iter().for_each(|text| run(text));
        best = best.min(round.elapsed().as_secs_f64());
    }
    println!("{name}: {:.0} MB/s", bytes as f64 / best / 1e6);
}

fn main() {
    let texts: Vec<String> =
        std::env::args().skip(1).filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    rate("lexer", &texts, |text| {
        let mut lexer = Lexer::new(text);
        while black_box(lexer.next()).kind != Kind::End {}
    });
    rate("parser", &texts, |text| drop(black_box(parse(text))));
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    rate("checker", &texts, |text| {
        if let Ok(module) = parse(text) {
            drop(black_box(check(text, &module, &rules)));
        }
    });
}
