//! Holds cubins against nvdisasm: `cargo run -p warpdiff-sass --example agree -- FILE.cubin…`, with what `nvdisasm -c -ndf -hex` prints
//! for each beside it in `FILE.sass`.
//!
//! Of each cubin: our listing is nvdisasm's; every word decodes and comes back from its instruction; our text of each kernel is read as
//! its words, control fields included; nvdisasm's whole listing is read as the words, up to bits that no
//! field has, with its encodings and, but for the control fields, without them.
//! `ci/words.py` compiles programs and calls this.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use warpdiff_sass::cubin::{Beside, Cubin, Kernel, listing};
use warpdiff_sass::{Decoded, Named, Program, decode, disassemble, encode, parse, programs};

fn main() -> ExitCode {
    let mut report = Report::default();
    for path in std::env::args().skip(1) {
        report.check(Path::new(&path));
    }
    for (what, (count, example)) in &report.differences {
        println!("{count}\t{what}\t{example}");
    }
    println!(
        "{} cubins, {} words, {} kinds of difference",
        report.cubins,
        report.words,
        report.differences.len()
    );
    if report.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Default)]
struct Report {
    cubins: usize,
    words: usize,
    /// By what differs: how often, and the first place.
    differences: BTreeMap<String, (usize, String)>,
}

impl Report {
    fn differs(&mut self, path: &Path, what: String) {
        let place = path.display().to_string();
        self.differences.entry(what).or_insert((0, place)).0 += 1;
    }

    fn check(&mut self, path: &Path) {
        self.cubins += 1;
        let read = |path: &Path| std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let file = read(path);
        let encoded = String::from_utf8_lossy(&read(&path.with_extension("sass"))).into_owned();
        let theirs = without_encodings(&encoded);
        match listing(&file, Beside::default()) {
            Ok((ours, all)) => {
                if !all {
                    self.differs(path, "listing: a word is no instruction".into());
                }
                if ours.lines().count() != theirs.lines().count() {
                    self.differs(path, "listing: the number of lines".into());
                }
                for (ours, theirs) in ours.lines().zip(theirs.lines()).filter(|(ours, theirs)| ours != theirs)
                {
                    let what = format!("listing: ours `{}`, nvdisasm's `{}`", ours.trim(), theirs.trim());
                    self.differs(path, what);
                }
            }
            Err(error) => self.differs(path, format!("listing: {error}")),
        }
        let (plain, encoded) = (self.programs(path, &theirs), self.programs(path, &encoded));
        match Cubin::read(&file) {
            Ok(cubin) => {
                for kernel in &cubin.kernels {
                    self.kernel(path, kernel, &plain, &encoded);
                }
            }
            Err(error) => self.differs(path, format!("reader: {error}")),
        }
    }

    /// The programs of a listing.
    fn programs(&mut self, path: &Path, listing: &str) -> Vec<Named> {
        programs(listing).unwrap_or_else(|errors| {
            let error = &errors[0];
            let line = listing[..error.span.start as usize].rfind('\n').map_or(0, |at| at + 1);
            let line = listing[line..].lines().next().unwrap_or_default().trim();
            self.differs(path, format!("nvdisasm's text: {} in `{line}`", error.message));
            Vec::new()
        })
    }

    fn kernel(&mut self, path: &Path, kernel: &Kernel, plain: &[Named], encoded: &[Named]) {
        for (_, decoded) in disassemble(&kernel.words).unwrap_or_default() {
            self.words += 1;
            if !matches!(decoded, Decoded::Legal(_)) {
                self.differs(path, format!("word {:#018x}: {decoded:?}", decoded.encode()));
            }
        }
        let program = match Program::from_words(&kernel.words) {
            Ok(program) => Program { header: kernel.header, ..program },
            Err(error) => return self.differs(path, format!("kernel: {error:?}")),
        };
        match parse(&program.to_string()) {
            Ok(again) if again.words() == kernel.words => {
                if let Err(errors) = programs(&program.to_string()) {
                    self.differs(path, format!("our text: {}", errors[0].message));
                }
            }
            Ok(again) => {
                let wrong = again.words().into_iter().zip(&kernel.words).find(|(a, b)| a != *b);
                self.differs(path, format!("our text: {:x?}", wrong));
            }
            Err(errors) => self.differs(path, format!("our text: {}", errors[0].message)),
        }
        let of = |all: &'_ [Named]| all.iter().position(|read| read.name == kernel.name);
        let (Some(read), Some(whole)) = (of(plain), of(encoded)) else {
            return self.differs(path, format!("nvdisasm's text: no {}", kernel.name));
        };
        let (read, whole) = (&plain[read].program, encoded[whole].program.words());
        if whole.len() != kernel.words.len() {
            self.differs(path, format!("nvdisasm's text: {} words, not {}", whole.len(), kernel.words.len()));
        }
        for (index, (ours, theirs)) in kernel.words.iter().zip(&whole).enumerate() {
            // Bits that no field has are not in the text, nor are those of a NaN; bit 63 of a control word belongs to no instruction.
            let kept = match decode(*ours) {
                Decoded::Legal(it) if index % 4 != 0 && it.to_string().contains("NAN") => 0,
                Decoded::Legal(it) if index % 4 != 0 => !it.form.ignored(),
                _ => u64::MAX >> 1,
            };
            if (ours ^ theirs) & kept != 0 {
                self.differs(path, format!("nvdisasm's text: {ours:#018x} becomes {theirs:#018x}"));
            }
        }
        let (theirs, ours) = (read.statements.len(), program.statements.len());
        // The padding of the last bundle is printed, and no statement of a program.
        if theirs.next_multiple_of(3) != ours.next_multiple_of(3) {
            self.differs(path, format!("nvdisasm's text: {theirs} statements, ours {ours}"));
        }
        if read.header.registers != kernel.header.registers {
            self.differs(path, "nvdisasm's text: the number of registers".into());
        }
        for (theirs, ours) in read.statements.iter().zip(&program.statements) {
            // Bits that no field has, and `.reuse` that no operand can show, are not in the text; that what it shows is the same is the
            // listing's matter.
            let word = encode(&ours.instruction) & !ours.instruction.form.ignored();
            let back = encode(&theirs.instruction);
            if back != word && !ours.instruction.to_string().contains("NAN") {
                let what = format!("nvdisasm's text: {word:#018x} {} becomes {back:#018x}", ours.instruction);
                self.differs(path, what);
            }
            if theirs.reuse & !ours.reuse != 0 {
                self.differs(path, format!("nvdisasm's text: reuse of {}", ours.instruction));
            }
        }
    }
}

/// A listing as nvdisasm prints it without `-hex`.
fn without_encodings(listing: &str) -> String {
    let mut out = String::new();
    for line in listing.lines() {
        let is_encoding =
            |comment: &str| comment.strip_suffix(" */").is_some_and(|digits| digits.len() == 16);
        match line.rsplit_once("/* 0x") {
            Some((text, comment)) if is_encoding(comment) => {
                let text = text.trim_end();
                if !text.is_empty() {
                    out.push_str(text);
                    out.push('\n');
                }
            }
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}
