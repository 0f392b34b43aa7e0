//! Programs of SPA 5.0 on targets that take PTX alone: the translation is held against the reference of SPA 5.0, form by form against
//! what ptxas makes of it, and what comes of it is characterised.

use crate::cases::corpus;
use crate::results;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;
use warpdiff_corpus::filter::Filter;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{Deviation, Launch};
use warpdiff_sass::{Decoded, Header, Instruction, Mnemonic as M, disassemble};
use warpdiff_session::session;
use warpdiff_session::watch::VerdictsAlone;
use warpdiff_tables::lowering::{self, Lowered};
use warpdiff_targets::TargetName;
use warpdiff_targets::ptxas::assembler::Assembler;
use warpdiff_targets::translation::equivalent::{Equivalent, all, specimens};
use warpdiff_targets::translation::translate;

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The cases of SPA 5.0 in a folder of their own, which loads quickly.
fn few() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (root().join("cases"), folder.path());
        std::fs::create_dir(to.join("spa")).unwrap();
        for file in std::fs::read_dir(from.join("spa")).unwrap() {
            let path = file.unwrap().path();
            std::fs::copy(&path, to.join("spa").join(path.file_name().unwrap())).unwrap();
        }
        let requirements = std::fs::read_to_string(from.join("requirements.yaml")).unwrap();
        // A part of the corpus does not claim to be complete.
        let requirements = requirements.replace("complete: true\n", "");
        std::fs::write(to.join("requirements.yaml"), requirements).unwrap();
        folder
    });
    folder.path()
}

/// What the command says on these cases, and how it ends.
fn warpdiff(arguments: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    let output = command.args(arguments).arg("--corpus").arg(few()).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code != 2), "{output:?}");
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

/// What a target earned on a variant.
struct Earned {
    id: String,
    raw: Raw,
    why: String,
    /// For each launch that differs the deviations that explain it.
    explained: Vec<Vec<Deviation>>,
}

fn run(target: &str, pattern: &str) -> Vec<Earned> {
    let filter = Filter::new(&[pattern.to_owned()]);
    let launches = corpus().variants.iter().filter(|variant| variant.launches_spa());
    let variants: Vec<_> = launches.filter(|variant| filter.selects(&variant.id)).collect();
    let target = target.parse::<TargetName>().unwrap().open();
    let session = session::run(&variants, &[target], &VerdictsAlone);
    let earned = session.verdicts.iter().map(|verdict| Earned {
        id: verdict.variant.id.clone(),
        raw: verdict.targets[0].raw,
        why: verdict.targets[0].why.clone().unwrap_or_default(),
        explained: verdict.targets[0].findings.iter().map(|finding| finding.explained.clone()).collect(),
    });
    earned.collect()
}

/// Cases of which no launch has exact PTX, and a word of the reason.
const WITHOUT: [(&str, &str); 14] = [
    ("addresses/absolute addresses reach the upper half", "524288"),
    ("addresses/an absolute address of ATOMS in the upper half", "49152"),
    ("addresses/a misaligned address of a load is forced", "misaligned"),
    ("addresses/a misaligned address of a local load is forced", "misaligned"),
    ("addresses/a misaligned address of ATOMS on 64 bits", "misaligned"),
    ("addresses/a shared load outside", "out-of-bounds"),
    ("addresses/a local load outside", "out-of-bounds"),
    ("addresses/ATOMS outside", "out-of-bounds"),
    ("cache/last use of a whole line", "`.LU` may lose a local word"),
    ("cache/inconsistent loads", "`.CI`"),
    ("contention/.SPIN selects one thread of a location", "`.SPIN`"),
    ("contention/.SPIN selects one thread of a bank", "`.SPIN`"),
    ("schedules/a result that nobody waits for", "not waited for"),
    ("schedules/a load whose address is overwritten", "not waited for"),
];

#[test]
fn every_translation_does_what_the_reference_of_spa_does() {
    let earned = run("emulator:ptx", "spa/*");
    for Earned { id, raw, why, explained } in &earned {
        assert!(explained.is_empty(), "{id} differs");
        match raw {
            Raw::Characterised => {
                assert!(why.starts_with("the PTX translation behaves like SPA 5.0"), "{id}: {why}")
            }
            Raw::Unsupported => assert!(why.starts_with("unsupported: SPA 5.0: no "), "{id}: {why}"),
            other => panic!("{id}: {other}, {why}"),
        }
    }
    for (case, word) in WITHOUT {
        let variants: Vec<&Earned> =
            earned.iter().filter(|e| e.id.starts_with(&format!("spa/{case}"))).collect();
        assert!(!variants.is_empty(), "{case}");
        for Earned { id, raw, why, .. } in variants {
            assert!(*raw == Raw::Unsupported && why.contains(word), "{id}: {raw}, {why}");
        }
    }
    let characterised = earned.iter().filter(|e| e.raw == Raw::Characterised).count();
    assert!(characterised >= 100, "{characterised} of {}", earned.len());
}

#[test]
fn rows_without_exact_ptx_hide_none_of_the_others() {
    // Rows 0 and 1 are misaligned; row 2 is not.
    let earned = run("emulator:ptx", "spa/addresses/a misaligned address of ATOMS is an error*");
    assert_eq!(earned.len(), 3);
    for Earned { id, raw, why, .. } in &earned {
        assert_eq!(*raw, Raw::Characterised, "{id}");
        assert!(
            why.contains(
                "; 2 of 3 launches have no answer: unsupported: SPA 5.0: no exact PTX translation: "
            ),
            "{id}: {why}"
        );
    }
}

#[test]
fn what_a_target_does_otherwise_in_ptx_is_seen_and_no_violation() {
    for (deviation, case, differ) in [
        ("atom.inc-off-by-one", "spa/atoms/ATOMS.INC[*", 3),
        ("atom.dec-ignores-greater", "spa/atoms/ATOMS.DEC[*", 3),
        ("atom.min-max-unsigned", "spa/atoms/ATOMS.M* of signed numbers*", 2),
        ("ld.signed-zero-extended", "spa/loads/LD* loads each size*", 3),
    ] {
        let earned = run(&format!("emulator:ptx+{deviation}"), case);
        let of = Deviation::from_name(deviation).unwrap();
        let differing = earned.iter().filter(|e| e.explained.iter().any(|explained| explained.contains(&of)));
        assert_eq!(differing.count(), differ, "{deviation}");
        for Earned { id, raw, why, .. } in &earned {
            assert_eq!(*raw, Raw::Characterised, "{id}");
            assert!(why.starts_with("the PTX translation behaves differently"), "{id}: {why}");
        }
    }
    // The emulator claims SPA 5.0, and violates it.
    let judged = run("emulator+atom.inc-off-by-one", "spa/atoms/ATOMS.INC[*");
    assert!(judged.iter().all(|e| e.raw == Raw::Violates));
}

#[test]
fn a_run_does_not_fail_for_what_is_characterised() {
    let run = |arguments: &[&str]| warpdiff(&[&["run", "--no-golden"], arguments].concat());
    let against = "emulator:ptx+atom.inc-off-by-one";
    // A case with exact PTX that differs, and one without any.
    let cases = ["spa/atoms/ATOMS.INC[*", "spa/cache/inconsistent loads*"];
    let (said, code) = run(&["--against", against, cases[0], cases[1]]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("characterised: spa/atoms/ATOMS.INC[size=]"), "{said}");
    // `spa.lds-as-sts` fits these three variants as well, because it loses the results on their way out; but nothing differs at an `LDS`.
    assert!(said.contains("reproduced exactly by atom.inc-off-by-one\n"), "{said}");
    assert!(!said.contains("violate") && said.contains("3 characterised, 1 not judged ("), "{said}");
    // Nor for questions that such a target is not asked.
    assert_eq!(run(&["--against", against, cases[0], "spa/legality/*"]).1, 0);
    // Where there is nothing but that, nothing was learnt.
    assert_eq!(run(&["--against", against, cases[1]]).1, 5);
    assert_eq!(run(&["--against", against, "spa/legality/*"]).1, 5);
    // What a target claims is judged as ever.
    assert_eq!(run(&["--against", "emulator+atom.inc-off-by-one", cases[0]]).1, 1);
    let (said, code) = run(&["--against", "emulator", "--against", against, cases[0]]);
    assert!(code == 0 && said.contains(&format!("the odd one out is {against} on 3 variants")), "{said}");
    let (said, _) = run(&["--json", "--against", against, cases[0]]);
    let report = results::read(&said);
    let target = &report["variants"][0]["targets"][0];
    assert_eq!(target["specification"], "characterised");
    assert_eq!(target["findings"][0]["differences"].as_array().unwrap().len(), 1, "{target}");
}

#[test]
fn what_a_worker_says_in_its_hello_decides_who_is_judged() {
    let worker = |served: &str| format!("process:{} worker {served}", env!("CARGO_BIN_EXE_warpdiff"));
    let case = "spa/atoms/ATOMS.INC[*";
    let run = |served: &str| warpdiff(&["run", "--no-golden", "--against", &worker(served), case]);
    for (served, words, code) in [
        ("emulator", "all conform (3 variants", 0),
        ("emulator+atom.inc-off-by-one", "3 violate (3 variants", 1),
        ("emulator:ptx", "3 characterised (3 variants", 0),
        ("emulator:ptx+atom.inc-off-by-one", "3 characterised (3 variants", 0),
    ] {
        let (said, ended) = run(served);
        assert!(ended == code && said.contains(words), "{served}: {said}");
        assert_eq!(
            said.contains("reproduced exactly by atom.inc-off-by-one\n"),
            served.contains('+'),
            "{said}"
        );
    }
}

#[test]
fn a_recording_is_judged_as_what_was_recorded_is() {
    let folder = tempfile::tempdir().unwrap();
    let case = "spa/atoms/ATOMS.INC[*";
    let worker = format!("process:{} worker emulator", env!("CARGO_BIN_EXE_warpdiff"));
    let recordings =
        [("emulator:ptx", "3 characterised"), ("emulator", "all conform"), (&worker, "all conform")];
    for (number, (against, words)) in recordings.into_iter().enumerate() {
        let place = folder.path().join(number.to_string());
        let place = place.to_str().unwrap();
        let (said, code) = warpdiff(&["record", "--against", against, "--output", place, case]);
        assert_eq!(code, 0, "{said}");
        let recorded = format!("recording:{place}");
        let (said, code) = warpdiff(&["run", "--no-golden", "--against", &recorded, case]);
        assert!(code == 0 && said.contains(words), "{against}: {said}");
        // On the axis of the recording it is as any other.
        let other = format!("{against}+atom.inc-off-by-one");
        if !against.starts_with("process:") {
            let arguments = ["run", "--no-golden", "--against", &other, "--recorded", place, case];
            let (said, code) = warpdiff(&arguments);
            assert_eq!(code, if against == "emulator" { 1 } else { 3 }, "{said}");
        }
    }
}

#[test]
fn the_page_shows_what_is_characterised() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let against = "emulator:ptx+atom.inc-off-by-one";
    let (said, code) = warpdiff(&[
        "run",
        "--no-golden",
        "--against",
        against,
        "--html",
        page.to_str().unwrap(),
        "spa/atoms/ATOMS.INC[*",
    ]);
    assert_eq!(code, 0, "{said}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("characterised") && page.contains("atom.inc-off-by-one"));
    assert!(!page.contains("violates"), "{page}");
}

fn translation_table() -> String {
    std::fs::read_to_string(root().join("golden/ptxas/sass/translation.tsv")).unwrap()
}

/// The accesses that count in tables of this kind: stores do not.
fn counts(lowered: &str) -> bool {
    !lowered.starts_with("ST")
}

#[test]
fn ptxas_was_seen_to_make_the_instruction_meant_of_each_translation() {
    let table = translation_table();
    let comparison = lowering::compare(&table).unwrap();
    assert!(comparison.disagreements.is_empty() && comparison.skipped == 0, "{:?}", comparison.disagreements);
    // What was seen of loads and atomics as such is the same.
    let known = std::fs::read_to_string(root().join("golden/ptxas/sass/lowering.tsv")).unwrap();
    let known: Vec<Vec<&str>> = known.lines().map(|line| line.split('\t').collect()).collect();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    let of = |ptx: &str| rows.iter().find(|row| row[0] == ptx).map(|row| row[3]);
    let (mut used, mut seen) = (0, 0);
    for Equivalent { spa, ptx, without_result, lowered, .. } in all().iter().filter(|e| counts(&e.lowered)) {
        for statement in [Some(ptx), without_result.as_ref()].into_iter().flatten() {
            let Some(accesses) = of(statement) else { panic!("{spa}: no row for `{statement}`") };
            let meant = Lowered::To(vec![lowered.clone()]);
            assert_eq!(lowering::of_accesses(accesses), meant, "{spa}");
            for row in known.iter().filter(|row| row[0] == statement) {
                assert_eq!(lowering::of_accesses(row[3]), meant, "{spa}: {row:?}");
                seen += 1;
            }
            used += 1;
        }
        // It is the instruction meant, but for hints and signs that change no value.
        assert_eq!(without_hints(spa), without_hints(lowered));
    }
    assert!(used >= 60 && seen >= 30, "{used} {seen}");
}

/// An opcode without what PTX cannot express: cache operators, `.U`, the sign where there is none, `.SPIN`, and that of `CAST` the
/// comparison is what is returned.
fn without_hints(opcode: &str) -> String {
    let mut words: Vec<&str> = opcode.split('.').collect();
    let bitwise = words.iter().any(|word| ["AND", "OR", "XOR", "EXCH", "CAS", "CAST"].contains(word));
    let hints = ["U", "LU", "CI", "CV", "SPIN", "32"];
    words.retain(|word| !(hints.contains(word) || bitwise && *word == "S32"));
    words.iter_mut().filter(|word| **word == "CAST").for_each(|word| *word = "CAS");
    words.join(".")
}

/// The accesses that ptxas makes of the translation of a program, where it does not optimise.
fn accesses(assembler: &Assembler, ptx: &str) -> Vec<String> {
    let code = assembler.code_under(ptx, "sm_50", &["-O0"]).unwrap_or_else(|why| panic!("{why:?}\n{ptx}"));
    let of_windows = |instruction: &Instruction| {
        matches!(instruction.form.mnemonic, M::LDL | M::LDS | M::STL | M::STS | M::ATOMS)
    };
    let decoded = disassemble(&code[0].1).unwrap().into_iter();
    decoded
        .filter_map(|(_, decoded)| match decoded {
            Decoded::Legal(instruction) if of_windows(&instruction) => Some(instruction),
            _ => None,
        })
        .map(|instruction| instruction.to_string().split(' ').next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn the_assembler_of_this_machine_makes_the_instruction_meant_of_every_form() {
    let assembler = match Assembler::find(None) {
        Ok(assembler) => assembler,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let comparison = lowering::compare_with_assembler(&translation_table(), &assembler).unwrap();
    assert!(comparison.disagreements.is_empty() && comparison.skipped == 0, "{:?}", comparison.disagreements);
    // All forms in one program: the accesses are in its order. What is loaded has to be used, or the assembler leaves it.
    let forms: Vec<Instruction> = specimens();
    let text: String = forms.iter().map(|form| format!("{form}\nSTG.E.128 [R2], R8;\n")).collect();
    let header = Header { registers: 32, shared: 1024, local: 1024, ..Header::default() };
    let program = warpdiff_sass::compile(&format!("{text}EXIT;"), &header).unwrap();
    let translation = translate(&program, &Launch::new("".into(), "k")).unwrap();
    let wanted: Vec<String> = forms.iter().map(|form| Equivalent::of(form).unwrap().lowered).collect();
    assert_eq!(accesses(&assembler, &translation.text), wanted);
}

#[test]
fn every_form_has_an_equivalent() {
    // LDL and STL: seven sizes of four cache operators; LDS, LDS.U and STS: seven each; 17 atomics, and three compare-and-swaps of
    // two sizes, each with two ways to write its registers.
    let forms = specimens();
    let count = |mnemonic: M| forms.iter().filter(|form| form.form.mnemonic == mnemonic).count();
    assert_eq!([M::LDL, M::STL, M::LDS, M::STS, M::ATOMS].map(count), [28, 28, 14, 7, 17 + 3 * 2 * 2]);
    assert!(forms.iter().all(|form| Equivalent::of(form).is_some()));
}

/// Bodies that the corpus has no case for, or not with these values: R4 to R7, P0 and P1 are inputs, R0 to R3, P2 and P3 outputs.
const BODIES: [&str; 23] = [
    "IADD R0, R4, -R5; IADD R1, -R6, R7; IADD32I R2, -R4, -0x7; IADD R3, R5, -0x80000;",
    "IADD R0.CC, R4, R5; IADD.X R1.CC, R6, R7; IADD.X R2, RZ, RZ;",
    "IADD R0.CC, R4, -R5; IADD.X R1, R6, -R7; IADD R2.CC, -R4, R5; IADD.X R3, -R6, R7;",
    "@P0 IADD R0.CC, R4, -R5; MOV R1, RZ; @!P0 IADD R2.CC, R4, R5; IADD.X R3, RZ, RZ;",
    "IADD3 R0, R4, -R5, R6; IADD3 R1, -R4, R5, -R6; ISCADD R2, R4, R5, 0x5; ISCADD R3, -R4, 0x9, 0x1f;",
    "IMNMX R0, R4, R5, P0; IMNMX.U32 R1, R4, R5, !P0; IMNMX R2, R4, -0x1, PT; IMNMX.U32 R3, R4, R5, !PT;",
    "SHL R0, R4, R5; SHL.W R1, R4, R5; SHL R2, R4, 0x1f; SHL.W R3, R4, 0x21;",
    "SHR R0, R4, R5; SHR.U32 R1, R4, R5; SHR.W R2, R4, R5; SHR.U32.W R3, R4, 0x3f;",
    "LOP.AND R0, R4, ~R5; LOP.OR R1, ~R4, R5; LOP.XOR R2, R4, -0x10; LOP.PASS_B R3, R4, ~R5;",
    "LOP32I.AND R0, R4, 0xf0f0f0f0; LOP32I.XOR R1, R5, 0x80000001; SEL R2, R4, R5, P0; SEL R3, R4, R5, !P0;",
    "XMAD R0, R4, R5, R6; XMAD R1, R4.H1, R5, R6; XMAD.S16.U16 R2, R4, R5.H1, R6; XMAD.S16.S16 R3, R4.H1, R5.H1, R6;",
    "XMAD.MRG R0, R4, R5.H1, R6; XMAD.PSL.CBCC R1, R4.H1, R5.H1, R6; XMAD.PSL R2, R4, R5, R6; XMAD.CHI R3, R4, R5, R6;",
    "XMAD.CLO R0, R4, R5, R6; XMAD.U16.S16 R1, R4, -0x1, R6; XMAD R2, R4, 0xffff, RZ; MOV R3, R7;",
    "ISETP.LT.AND P2, P3, R4, R5, P0; ISETP.GE.U32.OR P0, P1, R4, R5, !P1; SEL R0, R4, R5, P0; SEL R1, R4, R5, P1;",
    "ISETP.F.OR P2, P3, R4, R5, P0; ISETP.T.XOR P0, P1, R4, R5, P1; SEL R0, R4, RZ, P0; SEL R1, RZ, R5, P1;",
    // A guard that is written by what it guards, in both places.
    "@P0 ISETP.NE.AND P0, P1, R4, R5, P0; SEL R0, R4, R5, P0; SEL R1, R4, R5, P1; @!P1 ISETP.LE.XOR P2, P1, R4, R5, !P0;",
    "PSETP.AND.OR P2, P3, P0, !P1, P0; PSETP.XOR.AND P0, P1, !P0, P1, PT; SEL R0, R4, R5, P0; SEL R1, R4, R5, P1;",
    "@!P0 PSETP.OR.XOR P0, P2, P0, P1, !PT; SEL R0, R4, R5, P0; @!PT MOV R1, R4; @PT MOV R2, R5;",
    "S2R R0, SR_LTMASK; S2R R1, SR_LANEID; S2R R2, SR_TID.Y; MOV R3, c[0x0][0x8];",
    "MOV R0, c[0x0][0x20]; MOV R1, c[0x0][0x18]; STL.64 [0x8], R4; LDL.128 R0, [RZ + 0x0]; STL.128 [0x10], RZ; LDL R3, [0x1c];",
    "ISCADD R0.CC, R4, R5, 0x3; IADD.X R1, R6, R7; LOP32I.PASS_B R2, R4, 0x5; IADD R3, -R4, 0x3;",
    "SSY a; @P0 BRA b; MOV R0, R4; SYNC; b: MOV R0, R5; @P1 SYNC; IADD R0, R0, 0x1; SYNC; a: IADD R0, R0, 0x10;",
    "MOV R0, RZ; PBK out; again: IADD R0, R0, 0x1; ISETP.GE.U32.AND P2, PT, R0, 0x5, PT; SSY join; @P0 BRK; SYNC; join: @P2 BRK; BRA again; out: IADD R1, R0, 0x1;",
];

#[test]
fn small_instructions_do_the_same_in_ptx_as_on_the_reference() {
    let values = ["0", "1", "0x7fffffff", "0x80000000", "0xffffffff", "0x1234abcd", "33"];
    let rows: String = (0..24)
        .map(|n| {
            // Every value meets every other one in one row or another.
            let value = |stride: usize| values[(n * stride + n / 7) % values.len()];
            let [r4, r5, r6, r7] = [1, 2, 3, 5].map(value);
            format!(
                "    - {{R4: {r4}, R5: {r5}, R6: {r6}, R7: {r7}, P0: {}, P1: {}}}\n",
                n % 2 == 0,
                n % 3 == 0
            )
        })
        .collect();
    let registers = "R4: u32, R5: u32, R6: u32, R7: u32, P0: pred, P1: pred";
    let target = || "emulator:ptx".parse::<TargetName>().unwrap().open();
    let targets = [target()];
    for body in BODIES {
        let case = format!(
            "- case: c\n  covers: []\n  sass: {{registers: 32, local: 64}}\n  inputs: {{{registers}}}\n  \
             outputs: {{R0: u32, R1: u32, R2: u32, R3: u32, P2: pred, P3: pred}}\n  body: |\n    {body}\n  rows:\n{rows}"
        );
        let folder = tempfile::tempdir().unwrap();
        let variants = warpdiff_corpus::load_text_as(Path::new("cases/a/b.yaml"), case, folder.path())
            .unwrap_or_else(|errors| panic!("{}", errors.render(false)));
        let verdict = warpdiff_session::prepared_variant::verdict(&variants[0], &targets);
        assert_eq!(verdict.reference.raw, Raw::Conforms, "{body}: {:?}", verdict.reference.problems);
        let earned = &verdict.targets[0];
        let first = earned.findings.first().map(|finding| &finding.differences);
        assert!(earned.findings.is_empty(), "{body}: {first:?}");
        assert_eq!(earned.raw, Raw::Characterised, "{body}: {:?}", earned.why);
    }
}

#[test]
fn programs_without_ptx_say_which_instruction_has_none() {
    for (text, why) in [
        ("POPC R0, R1; EXIT;", "no PTX for `POPC R0, R1;`: it has no translation yet"),
        ("IADD.PO R0, R1, R2; EXIT;", "no PTX for `IADD.PO R0, R1, R2;`: `.PO` has no PTX equivalent here"),
        (
            "IADD.SAT R0, R1, R2; EXIT;",
            "no PTX for `IADD.SAT R0, R1, R2;`: `.SAT` has no PTX equivalent here",
        ),
        (
            "S2R R0, SR_SMEMSZ; EXIT;",
            "no PTX for `S2R R0, SR_SMEMSZ;`: a special register that PTX does not have",
        ),
        (
            "MOV R0, c[0x3][0x0]; EXIT;",
            "no PTX for `MOV R0, c[0x3][0x0];`: constant memory beside the arguments",
        ),
        (
            "MOV R0, c[0x0][0x140]; EXIT;",
            "no PTX for `MOV R0, c[0x0][0x140];`: a word of constant bank 0 that is not an argument",
        ),
        ("SYNC; EXIT;", "no PTX for `SYNC;`: without the `SSY` or `PBK` that says where it goes"),
    ] {
        let program = warpdiff_sass::compile(text, &Header::default()).unwrap();
        let said = translate(&program, &Launch::new("".into(), "k")).unwrap_err().to_string();
        assert_eq!(said, why);
    }
    let program = warpdiff_sass::compile("EXIT;", &Header::default()).unwrap();
    let launch = Launch { dynamic_shared: 4, ..Launch::new("".into(), "k") };
    let said = translate(&program, &launch).unwrap_err().to_string();
    assert_eq!(said, "no PTX for this program: the launch adds dynamic shared memory");
}
