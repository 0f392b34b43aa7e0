//! Reproducers: drivers in C and in Python that need no warpdiff, on our libcuda with a mistake and without.

use std::path::Path;
use std::process::{Command, Output};

use super::{Place, warpdiff};
use crate::driver_library::library;

/// Cases with the mistake that shows in each, and a line of what their drivers print.
const CASES: [(&str, &str, &str); 4] = [
    ("buffers", "mul.hi-unsigned", "buffer `out`, byte "),
    ("surfaces", "suld.clamp-as-zero", "buffer `out`, byte "),
    ("stores", "sust.clamp-as-zero", "surface `image`, byte "),
    ("textures", "tex.signed-zero-extended", "buffer `out`, byte "),
];

fn case(name: &str) -> &'static str {
    match name {
        "buffers" => BUFFERS,
        "surfaces" => SURFACES,
        "stores" => STORES,
        _ => TEXTURES,
    }
}

/// Reduces the case for a mistake; the folder with the driver.
fn reproducer(place: &Place, name: &str, mistake: &str) -> std::path::PathBuf {
    let file = place.write(&format!("{name}.yaml"), case(name));
    let folder = place.path(name);
    let (target, to) = (format!("emulator+{mistake}"), folder.display().to_string());
    let (code, out, err) = warpdiff(&["reduce", &file, "--against", &target, "--reproducer", &to]);
    assert_eq!(code, 1, "{out}{err}");
    folder
}

/// A driver on our library, with the mistake or without: how it ends and what it prints.
fn driven(mut command: Command, folder: &Path, mistake: Option<&str>) -> (Option<i32>, String) {
    command.current_dir(folder).env("LIBCUDA", library()).env_remove("WARPDIFF_CUDA_DEVIATIONS");
    if let Some(mistake) = mistake {
        command.env("WARPDIFF_CUDA_DEVIATIONS", mistake);
    }
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

#[test]
fn the_driver_in_c_shows_what_is_wrong() {
    let place = Place::new();
    for (name, mistake, line) in CASES {
        let folder = reproducer(&place, name, mistake);
        let compiler = Command::new("cc")
            .current_dir(&folder)
            .args([
                "-std=c99",
                "-D_GNU_SOURCE",
                "-Wall",
                "-Werror",
                "-o",
                "reproducer",
                "reproducer.c",
                "-ldl",
            ])
            .output();
        let compiler = compiler.expect("a C compiler is there: cc, which Rust links with as well");
        assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
        let driver = || Command::new(folder.join("reproducer"));
        let (code, said) = driven(driver(), &folder, Some(mistake));
        assert_eq!(code, Some(1), "{name}: {said}");
        assert!(said.starts_with("wrong: ") && said.contains(line), "{name}: {said}");
        let (code, said) = driven(driver(), &folder, None);
        assert_eq!((code, said.as_str()), (Some(0), "as expected\n"), "{name}");
        let mut without = driver();
        without.current_dir(&folder).env("LIBCUDA", "/nowhere/libcuda.so");
        assert_eq!(without.output().unwrap().status.code(), Some(2));
    }
}

/// `WARPDIFF_PYTHON` names the interpreter, `python3` by default; with `WARPDIFF_REQUIRE_PYTHON=1` a missing package is a failure.
#[test]
fn the_driver_in_python_shows_what_is_wrong() {
    let python = std::env::var("WARPDIFF_PYTHON").unwrap_or_else(|_| "python3".into());
    let place = Place::new();
    let folders = CASES.map(|(name, mistake, _)| reproducer(&place, name, mistake));
    for folder in &folders {
        // Without the package at least its syntax is looked at.
        let compiled =
            Command::new(&python).args(["-m", "py_compile", "reproducer.py"]).current_dir(folder).output();
        if let Ok(compiled) = compiled {
            assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        }
    }
    let found = Command::new(&python).args(["-c", "import cuda.bindings.driver"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        let is_required = std::env::var_os("WARPDIFF_REQUIRE_PYTHON").is_some_and(|value| value == "1");
        assert!(!is_required, "`{python}` has no module cuda.bindings");
        eprintln!("skipped: `{python}` has no module cuda.bindings");
        return;
    }
    // The bindings open the library by its usual name.
    let libraries = place.path("libraries");
    std::fs::create_dir(&libraries).unwrap();
    for name in ["libcuda.so", "libcuda.so.1"] {
        std::os::unix::fs::symlink(library(), libraries.join(name)).unwrap();
    }
    for ((name, mistake, line), folder) in CASES.into_iter().zip(&folders) {
        let driver = || {
            let mut command = Command::new(&python);
            command
                .arg("reproducer.py")
                .env("LD_LIBRARY_PATH", &libraries)
                .env("PYTHONDONTWRITEBYTECODE", "1");
            command
        };
        let (code, said) = driven(driver(), folder, Some(mistake));
        assert_eq!(code, Some(1), "{name}: {said}");
        assert!(said.starts_with("wrong: ") && said.contains(line), "{name}: {said}");
        let (code, said) = driven(driver(), folder, None);
        assert_eq!((code, said.as_str()), (Some(0), "as expected\n"), "{name}");
    }
}

#[test]
fn what_no_driver_can_do_is_said() {
    let place = Place::new();
    let file = place.write("reference.yaml", REFERENCE);
    let folder = place.path("none").display().to_string();
    let target = "emulator+suld.clamp-as-zero";
    let (code, _, err) = warpdiff(&["reduce", &file, "--against", target, "--reproducer", &folder]);
    assert_eq!(code, 4, "{err}");
    assert!(
        err.contains("no reproducer: the driver API has no call that binds an opaque kernel parameter"),
        "{err}"
    );
}

#[test]
fn fuzz_writes_reproducers_and_one_case_for_each_signature() {
    let place = Place::new();
    let path = |name: &str| place.path(name).display().to_string();
    let (out, drivers) = (path("findings"), path("drivers"));
    let fuzz = || {
        let target = "emulator+atom.inc-off-by-one";
        let options = ["--seed", "1", "--count", "1000", "--out", &out, "--reproducer", &drivers];
        warpdiff(&[&["fuzz", "--against", target], &options[..]].concat())
    };
    let (code, said, err) = fuzz();
    assert_eq!(code, 1, "{said}{err}");
    let written = |folder: &str| {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut entries: Vec<_> = entries.collect();
        entries.sort();
        entries
    };
    let first = written(&out);
    assert!(!first.is_empty(), "{said}");
    let text = std::fs::read_to_string(&first[0]).unwrap();
    assert!(
        text.contains("# signature: ") && text.contains("reproduced exactly by atom.inc-off-by-one"),
        "{text}"
    );
    assert!(
        place.is_wrong(&text, "emulator+atom.inc-off-by-one") && !place.is_wrong(&text, "emulator"),
        "{text}"
    );
    let files: Vec<_> = written(&written(&drivers)[0].display().to_string());
    let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["reproducer.c", "reproducer.ptx", "reproducer.py"]);
    let stamps = |files: &[std::path::PathBuf]| -> Vec<_> {
        files.iter().map(|file| std::fs::metadata(file).unwrap().modified().unwrap()).collect()
    };
    let before = stamps(&first);
    assert_eq!(fuzz().0, 1);
    assert_eq!(written(&out), first);
    assert_eq!(stamps(&first), before, "a case with that signature is not written again");
}

const BUFFERS: &str = r"
- case: a product
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .global .u32 factor = 7;
    .visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)
    {
        .reg .b32 %r<5>;
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [out];
        ld.param.u64 %rd2, [in];
        ld.param.u32 %r1, [n];
        ld.global.s32 %r2, [%rd2+4];
        mul.hi.s32 %r3, %r1, %r2;
        st.global.u32 [%rd1+8], %r3;
        ret;
    }
  launch: {entry: k, arguments: [{buffer: out}, {buffer: in, offset: 4}, {s32: -3}]}
  buffers: {out: {type: u32, count: 4}, in: {type: s32, values: [1, 2, 1000000]}}
";

const SURFACES: &str = r"
- case: a load past the end of a row
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .global .surfref bound;
    .visible .entry k(.param .u64 out)
    {
        .reg .b32 %r<5>;
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [out];
        suld.b.2d.b32.clamp %r1, [bound, {16, 2}];
        st.global.u32 [%rd1], %r1;
        ret;
    }
  launch: {entry: k, arguments: [{buffer: out}]}
  buffers: {out: {type: u32, count: 2}}
  surfaces: {image: {geometry: 2d, extent: [4, 3], format: u32, texels: sequence, bind: bound}}
";

const STORES: &str = r"
- case: a store past the last layer
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry k(.param .u64 image)
    {
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [image];
        sust.b.a2d.b32.clamp [%rd1, {1, 16, 1, 1}], 77;
        ret;
    }
  launch: {entry: k, arguments: [{surface: image}]}
  surfaces: {image: {geometry: a2d, extent: [4, 3], layers: 2, format: u32, texels: sequence}}
";

const TEXTURES: &str = r"
- case: a lookup of a negative number
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .global .texref picture;
    .visible .entry k(.param .u64 out)
    {
        .reg .b32 %r<9>;
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [out];
        tex.2d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [picture, {1, 2}];
        st.global.u32 [%rd1], %r1;
        ret;
    }
  launch: {entry: k, arguments: [{buffer: out}]}
  buffers: {out: {type: u32, count: 2}}
  textures: {image: {geometry: 2d, extent: [2, 3], format: s8, texels: [1, 2, 3, 4, 5, -6], bind: picture}}
";

const REFERENCE: &str = r"
- case: a reference as a parameter
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry k(.param .u64 out, .param .surfref image)
    {
        .reg .b32 %r<5>;
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [out];
        suld.b.2d.b32.clamp %r1, [image, {16, 2}];
        st.global.u32 [%rd1], %r1;
        ret;
    }
  launch: {entry: k, arguments: [{buffer: out}, {surfref: image}]}
  buffers: {out: {type: u32, count: 2}}
  surfaces: {image: {geometry: 2d, extent: [4, 3], format: u32, texels: sequence}}
";
