//! Properties that must hold for any bytes. The libFuzzer targets in `fuzz_targets/` are thin shells around these functions; on stable
//! they replay files instead ([`replay`]), so that every recorded input stays a test.

use std::path::{Path, PathBuf};
use std::{fs, io};

use arbitrary::{Arbitrary, Unstructured};
use warpdiff_generator::Specimen;
use warpdiff_model::{Admission, Semantics};
use warpdiff_ptx::{Dialect, Rules};

/// Any bytes → PTX front end: it neither panics nor takes excessive memory. The print of a parsed program parses to the same tree and
/// prints as itself.
pub fn front_end(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let module = match warpdiff_ptx::parse(&text) {
        Ok(module) => module,
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "refused without a reason");
            let rendered = warpdiff_ptx::render(&diagnostics, "input.ptx", &text, false);
            assert!(!rendered.is_empty());
            return;
        }
    };
    let printed = warpdiff_ptx::print(&module);
    let again = warpdiff_ptx::parse(&printed)
        .unwrap_or_else(|errors| panic!("the print does not parse: {errors:?}\n{printed}"));
    assert!(module == again, "the print parses to another tree:\n{printed}");
    assert_eq!(warpdiff_ptx::print(&again), printed, "printing is no fixpoint");
    for dialect in [Dialect::Spec, Dialect::Ptxas(12, 9)] {
        let rules = Rules { dialect, ..Rules::default() };
        if let Err(diagnostics) = warpdiff_ptx::check(&text, &module, &rules) {
            assert!(!diagnostics.is_empty(), "refused without a reason");
            warpdiff_ptx::render(&diagnostics, "input.ptx", &text, false);
        }
    }
}

/// Any bytes → corpus loader: it returns cases or printable errors, and does not panic.
pub fn case_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    // No folder of that name exists: a case that names a file gets an error and nothing is read.
    let nowhere = Path::new("/nonexistent/warpdiff");
    if let Err(errors) = warpdiff_corpus::load_text_as(Path::new("input.yaml"), text, nowhere) {
        assert!(!errors.render(false).is_empty(), "refused without a reason");
    }
}

/// Any bytes → generator: the program is legal, the reference runs it, and its observation is allowed by itself.
pub fn specimen(bytes: &[u8]) {
    let Ok(specimen) = Specimen::arbitrary(&mut Unstructured::new(bytes)) else { return };
    let written = specimen.write();
    let text = &written.launch.program;
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    let module = warpdiff_ptx::compile(text, &rules).unwrap_or_else(|errors| {
        panic!("refused:\n{}", warpdiff_ptx::render(&errors, "specimen.ptx", text, false))
    });
    let program =
        warpdiff_emulator::Program::new(&module, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let semantics = Semantics::default();
    let allowed = warpdiff_emulator::allowed(&program, &written.launch, &semantics)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let observation = warpdiff_emulator::observe(&program, &written.launch, &semantics)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let admission = allowed.admits(&observation);
    assert!(
        !matches!(admission, Admission::Violates { .. }),
        "the reference violates itself: {admission:?}\n{text}"
    );
}

/// Passes every file in `paths`, and every file below their folders, to `check`; returns the number of files.
///
/// # Errors
/// If a file or folder cannot be read.
pub fn replay(paths: impl IntoIterator<Item = PathBuf>, check: fn(&[u8])) -> io::Result<usize> {
    let mut left: Vec<PathBuf> = paths.into_iter().collect();
    let mut count = 0;
    while let Some(path) = left.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                left.push(entry?.path());
            }
        } else {
            check(&fs::read(&path)?);
            count += 1;
        }
    }
    Ok(count)
}

/// Main function of a target on stable: replays the files in its arguments and prints their number. An unreadable file ends it with 4.
pub fn main(check: fn(&[u8])) -> std::process::ExitCode {
    match replay(std::env::args_os().skip(1).map(PathBuf::from), check) {
        Ok(count) => {
            println!("{count} files replayed");
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::from(4)
        }
    }
}
