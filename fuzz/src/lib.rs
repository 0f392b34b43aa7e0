//! Properties that must hold for any bytes. The libFuzzer targets in `fuzz_targets/` are thin shells around these functions; on stable
//! they replay files instead ([`replay`]), so that every recorded input stays a test.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use arbitrary::{Arbitrary, Unstructured};
use warpdiff_corpus::plan::SourceFile;
use warpdiff_emulator::Program;
use warpdiff_generator::{Mix, Specimen};
use warpdiff_model::{Admission, Launch, Semantics};
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

/// Any bytes → generator, of PTX and of SPA 5.0: the program is legal, the reference runs it, and its observation is allowed by itself; the
/// schedule of a program of SPA 5.0 waits for everything.
pub fn specimen(bytes: &[u8]) {
    if let Ok(specimen) = Specimen::arbitrary(&mut Unstructured::new(bytes)) {
        let launch = specimen.write().launch;
        let text = &launch.program;
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
        let module = warpdiff_ptx::compile(text, &rules).unwrap_or_else(|errors| {
            panic!("refused:\n{}", warpdiff_ptx::render(&errors, "specimen.ptx", text, false))
        });
        allows_itself(
            &Program::new(&module, text).unwrap_or_else(|error| panic!("{error}\n{text}")),
            &launch,
        );
    }
    if let Ok((specimen, _)) = warpdiff_generator::spa_specimen_of_bytes(bytes, Mix::All) {
        let launch = specimen.write().launch;
        let text = &launch.program;
        let checked =
            warpdiff_sass::compile(text, &warpdiff_sass::Header::default()).unwrap_or_else(|errors| {
                panic!("refused:\n{}", warpdiff_ptx::render(&errors, "specimen.sass", text, false))
            });
        let program = Program::spa(&checked, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        allows_itself(&program, &launch);
        let run = warpdiff_emulator::run(&program, &launch, &Semantics::default(), &Default::default());
        let hazards = run.unwrap_or_else(|error| panic!("{error}\n{text}")).hazards;
        assert!(hazards.is_empty(), "{hazards:?}\n{text}");
    }
}

/// The reference allows what it does itself.
fn allows_itself(program: &Program, launch: &Launch) {
    let text = &launch.program;
    let semantics = Semantics::default();
    let allowed = warpdiff_emulator::allowed(program, launch, &semantics)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let observation = warpdiff_emulator::observe(program, launch, &semantics)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let admission = allowed.admits(&observation);
    assert!(
        !matches!(admission, Admission::Violates { .. }),
        "the reference violates itself: {admission:?}\n{text}"
    );
}

/// Any bytes → front end of SPA 5.0: no panic; what parses is printed, and the print is the same program.
pub fn spa_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut program = match warpdiff_sass::parse(&text) {
        Ok(program) => program,
        Err(diagnostics) => return assert!(!diagnostics.is_empty(), "refused without a reason"),
    };
    let printed = program.place_in_listing();
    let mut again = warpdiff_sass::parse(&printed)
        .unwrap_or_else(|errors| panic!("the print does not parse: {errors:?}\n{printed}"));
    assert_eq!(again.place_in_listing(), printed, "printing is no fixpoint");
    let same = program
        .statements
        .iter()
        .map(|it| &it.instruction)
        .eq(again.statements.iter().map(|it| &it.instruction));
    assert!(same, "the print is another program:\n{printed}");
    if let Err(diagnostics) = warpdiff_sass::compile(&text, &warpdiff_sass::Header::default()) {
        assert!(!diagnostics.is_empty(), "refused without a reason");
    }
}

/// Any bytes → machine words, eight bytes each: each is an instruction with the same word, or none; as bundles they are a program with the
/// same words, or a reason.
pub fn machine_words(bytes: &[u8]) {
    let words: Vec<u64> =
        bytes.chunks_exact(8).filter_map(|chunk| Some(u64::from_le_bytes(chunk.try_into().ok()?))).collect();
    for word in &words {
        let decoded = warpdiff_sass::decode(*word);
        assert_eq!(decoded.encode(), *word, "{:?}", decoded.text());
    }
    if let Ok(program) = warpdiff_sass::Program::from_words(&words) {
        let text = program.to_string();
        // Some words have no text (fields with values that are none); where they have one, it is the same program.
        if let Ok(again) = warpdiff_sass::parse(&text) {
            let statements = again.statements.iter().zip(&program.statements);
            for (number, (read, made)) in statements.enumerate() {
                assert_eq!(meaning(&read.instruction), meaning(&made.instruction), "{text}");
                assert_eq!(again.target(number), program.target(number), "{text}");
                assert_eq!(read.control.map(waits), made.control.map(waits), "{text}");
            }
        }
    }
}

/// An instruction as text says it: without the bits that its form ignores. Where a branch goes is compared by itself: text names the
/// instruction there, and bits may have the control word in front of it, which stands for the same.
fn meaning(instruction: &warpdiff_sass::Instruction) -> warpdiff_sass::Instruction {
    let mut meaning = warpdiff_sass::Instruction { ignored: 0, ..instruction.clone() };
    for operand in &mut meaning.operands {
        if let warpdiff_sass::Operand::Target(offset) = operand {
            *offset = 0;
        }
    }
    meaning
}

/// A schedule as text says it: the barrier fields keep the value 6, which names no barrier any more than 7.
fn waits(control: warpdiff_sass::Control) -> warpdiff_sass::Control {
    let named = |barrier: u8| if barrier < 6 { barrier } else { warpdiff_sass::control::NO_BARRIER };
    warpdiff_sass::Control {
        write_barrier: named(control.write_barrier),
        read_barrier: named(control.read_barrier),
        ..control
    }
}

/// Any bytes → reader of cubins: a file, or why it is none; whoever asks further gets an answer, too.
pub fn cubin(bytes: &[u8]) {
    use warpdiff_sass::cubin::{Beside, Cubin, listing, variables, without_source};
    let beside = Beside { control: true, lines: true, source: &[] };
    for why in
        [Cubin::read(bytes).err(), listing(bytes, beside).err(), variables(bytes).err()].into_iter().flatten()
    {
        assert!(!why.is_empty(), "refused without a reason");
    }
    let bare = without_source(bytes);
    assert!(bare.len() <= bytes.len(), "it has grown");
}

/// Any bytes → messages of the worker protocol, a line each: what is read is written, and read as the same message.
pub fn protocol(bytes: &[u8]) {
    use warpdiff_worker::protocol::{Reply, Request, line};
    for message in bytes.split(|byte| *byte == b'\n') {
        if let Ok(request) = serde_json::from_slice::<Request>(message) {
            let written = line(&request).expect("what was read can be written");
            let again: Request = serde_json::from_slice(&written).expect("what was written can be read");
            assert_eq!(again, request);
        }
        if let Ok(reply) = serde_json::from_slice::<Reply>(message) {
            let written = line(&reply).expect("what was read can be written");
            let again: Reply = serde_json::from_slice(&written).expect("what was written can be read");
            assert_eq!(again, reply);
        }
    }
}

/// Any bytes → files of a recording: an archive of programs, observations as YAML. What is read is written and read as the same.
pub fn recording(bytes: &[u8]) {
    use warpdiff_recordings::archive::Archive;
    use warpdiff_recordings::folder::Section;
    if let Ok(archive) = Archive::read(&[bytes.to_vec()]) {
        let parts = archive.parts().expect("what was read can be written");
        assert_eq!(Archive::read(&parts).expect("what was written can be read"), archive);
    }
    let text = String::from_utf8_lossy(bytes);
    if let Ok(sections) = serde_yaml::from_str::<Vec<Section>>(&text) {
        let written = serde_yaml::to_string(&sections).expect("what was read can be written");
        let again: Vec<Section> = serde_yaml::from_str(&written).expect("what was written can be read");
        assert_eq!(again, sections);
    }
}

/// Any bytes → a file of numbers beside a case that reads it, as 32-bit integers: values or printable errors.
pub fn numbers_file(bytes: &[u8]) {
    const CASE: &str = "- case: numbers\n  why: any\n  buffers: {data: {type: s32, values: {numbers: data.txt}}}\n  program: |\n    .version 8.0\n    .target sm_50\n    .address_size 64\n    .visible .entry k() { ret; }\n  launch: {entry: k, grid: [1, 1, 1], block: [1, 1, 1], arguments: []}\n";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("data.txt"), bytes).expect("the file");
    let loaded = warpdiff_corpus::load_text_as(Path::new("input.yaml"), CASE.to_owned(), folder.path());
    if let Err(errors) = loaded {
        assert!(!errors.render(false).is_empty(), "refused without a reason");
    }
}

/// Any bytes → YAML as this project reads it: files of expectations and profiles, or printable errors.
pub fn yaml(bytes: &[u8]) {
    use warpdiff_expectations::{file, profile};
    let source = || Arc::new(SourceFile::new("input.yaml", String::from_utf8_lossy(bytes)));
    let errors = file::ExpectationFile::parse(source())
        .err()
        .into_iter()
        .chain(profile::Profile::parse(source()).err());
    for error in errors.flatten() {
        assert!(!error.render(false).is_empty(), "refused without a reason");
    }
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
