//! Holds cubins against nvdisasm: `cargo run -p warpdiff-sass --example agree -- FILE.cubin…`, with what `nvdisasm -c -ndf` prints for
//! each beside it in `FILE.sass`.
//!
//! Of each cubin: our listing is nvdisasm's; every word decodes and comes back from its instruction; our text of each kernel is read as
//! its words, control fields included; nvdisasm's text is read as the instructions and the `.reuse` of the words.
//! `ci/words.py` compiles programs and calls this.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use warpdiff_sass::cubin::{Beside, Cubin, Kernel, listing};
use warpdiff_sass::{Decoded, Program, disassemble, encode, parse};

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
        let theirs = String::from_utf8_lossy(&read(&path.with_extension("sass"))).into_owned();
        match listing(&file, Beside::default()) {
            Ok((ours, all)) => {
                if !all {
                    self.differs(path, "listing: a word is no instruction".into());
                }
                if ours != theirs {
                    let pair = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
                    let (ours, theirs) = pair.unwrap_or(("(end)", "(end)"));
                    self.differs(
                        path,
                        format!("listing: ours `{}`, nvdisasm's `{}`", ours.trim(), theirs.trim()),
                    );
                }
            }
            Err(error) => self.differs(path, format!("listing: {error}")),
        }
        match Cubin::read(&file) {
            Ok(cubin) => {
                for kernel in &cubin.kernels {
                    self.kernel(path, kernel, &theirs);
                }
            }
            Err(error) => self.differs(path, format!("reader: {error}")),
        }
    }

    fn kernel(&mut self, path: &Path, kernel: &Kernel, theirs: &str) {
        for (_, decoded) in disassemble(&kernel.words).unwrap_or_default() {
            self.words += 1;
            if !matches!(decoded, Decoded::Legal(_)) {
                self.differs(path, format!("word {:#018x}: {decoded:?}", decoded.encode()));
            }
        }
        let program = match Program::from_words(&kernel.words) {
            Ok(program) => program,
            Err(error) => return self.differs(path, format!("kernel: {error:?}")),
        };
        match parse(&program.to_string()) {
            Ok(again) if again.words() == kernel.words => {}
            Ok(again) => {
                let wrong = again.words().into_iter().zip(&kernel.words).find(|(a, b)| a != *b);
                self.differs(path, format!("our text: {:x?}", wrong));
            }
            Err(errors) => self.differs(path, format!("our text: {}", errors[0].message)),
        }
        let text = section(theirs, &kernel.name);
        match parse(&text) {
            Ok(read) => {
                let (theirs, ours) = (read.statements.len(), program.statements.len());
                // The padding of the last bundle is printed, and no statement of a program.
                if theirs.next_multiple_of(3) != ours.next_multiple_of(3) {
                    self.differs(path, format!("nvdisasm's text: {theirs} statements, ours {ours}"));
                }
                for (theirs, ours) in read.statements.iter().zip(&program.statements) {
                    // Bits that no field has, and `.reuse` that no operand can show, are not in the text; that what it shows is the same is the
                    // listing's matter.
                    let word = encode(&ours.instruction) & !ours.instruction.form.ignored();
                    let back = encode(&theirs.instruction);
                    if back != word {
                        self.differs(
                            path,
                            format!(
                                "nvdisasm's text: {word:#018x} {} becomes {back:#018x}",
                                ours.instruction
                            ),
                        );
                    }
                    if theirs.reuse & !ours.reuse != 0 {
                        self.differs(path, format!("nvdisasm's text: reuse of {}", ours.instruction));
                    }
                }
            }
            Err(errors) => {
                let error = &errors[0];
                let at = error.span.start as usize;
                let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
                let line = text[line..].lines().next().unwrap_or_default().trim();
                self.differs(path, format!("nvdisasm's text: {} in `{line}`", error.message));
            }
        }
    }
}

/// The instructions and labels of a section of code, without the assembler's directives.
fn section(listing: &str, kernel: &str) -> String {
    let head = format!("\t.section\t.text.{kernel},");
    let mut out = String::new();
    let lines = listing.lines().skip_while(|line| !line.starts_with(&head)).skip(1);
    for line in lines.take_while(|line| !line.starts_with("//-----") && !line.starts_with("\t.section\t")) {
        let is_label = line.ends_with(':') && !line.starts_with([' ', '\t']);
        if is_label || line.contains("/*") || line.contains(';') {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
