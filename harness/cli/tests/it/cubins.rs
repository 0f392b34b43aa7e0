//! Cubins that `assemble --cubin` writes and `disassemble --as nvdisasm` prints, against NVIDIA's tools where they are installed:
//! `$WARPDIFF_NVDISASM`, or on the PATH; `cuobjdump` beside it. They have to be of CUDA 12: later ones know no sm_50.

use std::path::{Path, PathBuf};
use std::process::Command;

use warpdiff_sass::cubin::{Beside, Cubin, listing};

fn tool(path: &Path, arguments: &[&str], file: &Path) -> Option<String> {
    let output = Command::new(path).args(arguments).arg(file).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The installed nvdisasm, if it knows sm_50.
fn nvdisasm() -> Result<PathBuf, String> {
    let set = std::env::var_os("WARPDIFF_NVDISASM").map(PathBuf::from);
    let path = set.unwrap_or_else(|| "nvdisasm".into());
    let output =
        Command::new(&path).arg("--help").output().map_err(|e| format!("{}: {e}", path.display()))?;
    if String::from_utf8_lossy(&output.stdout).contains("'SM50'") {
        Ok(path)
    } else {
        Err(format!("{} does not know sm_50", path.display()))
    }
}

fn warpdiff(arguments: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_warpdiff")).args(arguments).output().expect("started");
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8(said).expect("text"), output.status.code().expect("a code"))
}

const PROGRAM: &str = ".spa 5.0\n.registers 9\n.shared 256\n.local 8
    MOV R4, c[0x0][0x140]; MOV R5, c[0x0][0x144];
    S2R R0, SR_CTAID.X; S2R R2, SR_TID.X;
    SSY join; ISETP.GT.AND P0, PT, R2, 0x3, PT; @P0 SYNC;
    SHL R3, R2, 0x2; STS [R3], R0; SYNC;
    join: BAR.SYNC 0x1; STG.E [R4], R2; @!P0 BRA end; IADD R2, R2, 0x1; end: EXIT;\n";

/// The words in the comments of a listing.
fn words(text: &str) -> Vec<u64> {
    let comments = text.split("/* 0x").skip(1);
    comments.filter_map(|rest| u64::from_str_radix(rest.get(..16)?, 16).ok()).collect()
}

/// A folder with the program, its cubin, and the words that `assemble` prints.
fn assembled() -> (tempfile::TempDir, PathBuf, Vec<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let (text, cubin) = (folder.path().join("probe.sass"), folder.path().join("probe.cubin"));
    std::fs::write(&text, PROGRAM).unwrap();
    let (text, path) = (text.to_str().unwrap(), cubin.to_str().unwrap());
    let (said, code) =
        warpdiff(&["assemble", "--cubin", "-o", path, "--entry", "probe", "--parameters", "8,4,16", text]);
    assert_eq!((said.as_str(), code), ("", 0));
    let (said, code) = warpdiff(&["assemble", text]);
    assert_eq!(code, 0, "{said}");
    let words = said.split_whitespace().map(|word| u64::from_str_radix(&word[2..], 16).unwrap()).collect();
    (folder, cubin, words)
}

#[test]
fn a_cubin_has_the_words_and_the_parameters() {
    let (_folder, path, words) = assembled();
    let cubin = Cubin::read(&std::fs::read(&path).unwrap()).unwrap();
    let kernel = cubin.kernel("probe").unwrap();
    assert_eq!(kernel.words, words);
    let places: Vec<_> = kernel.parameters.iter().map(|it| (it.offset, it.size)).collect();
    assert_eq!(places, [(0, 8), (8, 4), (16, 16)]);
    assert_eq!((kernel.header.registers, kernel.header.shared, kernel.header.local), (9, 256, 8));
    // Without a file, and without `--cubin`, the options mean nothing.
    for arguments in [["assemble", "--cubin", "-"], ["assemble", "--parameters=8", "-"]] {
        let (said, code) = warpdiff(&arguments);
        assert_eq!(code, 2, "{said}");
    }
}

#[test]
fn a_cubin_is_listed_with_what_stands_beside() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sass/tests/nvdisasm/cubins");
    let file = data.join("lines.cubin");
    let file = file.to_str().unwrap();
    let (said, code) = warpdiff(&["disassemble", "--as", "nvdisasm", file]);
    assert_eq!((said, code), (std::fs::read_to_string(data.join("lines.sass")).unwrap(), 0));
    let (said, code) = warpdiff(&["disassemble", "--as", "nvdisasm", "--control", "--lines", file]);
    assert_eq!(code, 0, "{said}");
    let line = said.lines().find(|line| line.contains("IADD32I R0, R0, 0x4d ;")).unwrap();
    assert!(line.contains("?WAIT") && line.ends_with("line 16: add.u32 x, x, 77;"), "{line}");
    let (_folder, path, _) = assembled();
    let (said, code) = warpdiff(&["disassemble", "--as", "nvdisasm", "--lines", path.to_str().unwrap()]);
    assert!(
        said.contains("the cubin has no line table: `ptxas -lineinfo` writes one") && code == 2,
        "{said}"
    );
}

#[test]
fn nvidias_tools_read_what_is_written() {
    let nvdisasm = match nvdisasm() {
        Ok(path) => path,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let (_folder, path, expected) = assembled();
    let listed = tool(&nvdisasm, &["-c", "-ndf"], &path).expect("nvdisasm reads the cubin");
    let (ours, code) = warpdiff(&["disassemble", "--as", "nvdisasm", path.to_str().unwrap()]);
    assert_eq!((ours.as_str(), code), (listed.as_str(), 0));
    assert_eq!(words(&tool(&nvdisasm, &["-c", "-ndf", "-hex"], &path).unwrap()), expected);
    let all = tool(&nvdisasm, &["-ndf"], &path).unwrap();
    for attribute in [
        "REGCOUNT",
        "FRAME_SIZE",
        "MIN_STACK_SIZE",
        "PARAM_CBANK",
        "KPARAM_INFO",
        "EXIT_INSTR_OFFSETS",
        "CRS_STACK_SIZE",
    ] {
        assert!(all.contains(&format!("EIATTR_{attribute}")), "{attribute}: {all}");
    }
    let cuobjdump = nvdisasm.with_file_name("cuobjdump");
    match tool(&cuobjdump, &["-sass"], &path) {
        Some(text) => {
            assert!(text.contains("Function : probe"), "{text}");
            assert_eq!(words(&text), expected);
            let elf = tool(&cuobjdump, &["-elf"], &path).expect("cuobjdump prints the file");
            assert!(
                elf.contains("toolkit=129, flags = 0x320532") && elf.contains(".nv.shared.probe"),
                "{elf}"
            );
        }
        None => eprintln!("skipped: no cuobjdump beside nvdisasm"),
    }
}

/// What ptxas made, taken apart and written again, is the same text for nvdisasm; and ours is nvdisasm's.
#[test]
fn cubins_of_ptxas_survive_being_written_again() {
    let nvdisasm = match nvdisasm() {
        Ok(path) => path,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sass/tests/nvdisasm/cubins");
    let folder = tempfile::tempdir().unwrap();
    for name in ["functions", "meetings", "lines", "shared", "jump_table"] {
        let original = data.join(name).with_extension("cubin");
        let file = std::fs::read(&original).unwrap();
        let (ours, _) = listing(&file, Beside::default()).unwrap();
        assert_eq!(Some(ours), tool(&nvdisasm, &["-c", "-ndf"], &original), "{name}");
        let again = folder.path().join(name);
        std::fs::write(&again, Cubin::read(&file).unwrap().write().unwrap()).unwrap();
        let words_of = |path: &Path| words(&tool(&nvdisasm, &["-c", "-ndf", "-hex"], path).unwrap());
        assert_eq!(words_of(&again), words_of(&original), "{name}");
    }
}
