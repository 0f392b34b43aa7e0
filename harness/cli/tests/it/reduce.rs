//! `warpdiff reduce`: what is left of a case that a target gets wrong, and that it is wrong in the same way.

mod kernel;
mod reproducer;
mod spa;

use std::path::{Path, PathBuf};
use std::process::Command;

use warpdiff_corpus::plan::Work;
use warpdiff_model::Launch;
use warpdiff_reducer::instructions;

/// How a command ends, and what it prints on the standard output and the standard error.
fn warpdiff(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    command.current_dir(root).args(arguments).env("NO_COLOR", "1").env("CUDA_VISIBLE_DEVICES", "");
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A folder for cases, reduced ones among them.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// Reduces a case; the launch that is left, and the text of its case.
    #[track_caller]
    fn reduced(&self, case: &str, target: &str) -> (Launch, String) {
        let path = self.path("reduced.yaml");
        let output = path.display().to_string();
        let (code, out, err) = warpdiff(&["reduce", case, "--against", target, "-o", &output]);
        assert_eq!(code, 1, "{out}{err}");
        let text = std::fs::read_to_string(&path).unwrap();
        (launch(&text), text)
    }

    /// Whether a target gets a case of a file wrong, as `run` judges it.
    fn is_wrong(&self, text: &str, target: &str) -> bool {
        let corpus = self.path("corpus");
        std::fs::create_dir_all(corpus.join("found")).unwrap();
        std::fs::write(corpus.join("requirements.yaml"), "[]\n").unwrap();
        std::fs::write(corpus.join("found/case.yaml"), text).unwrap();
        let folder = corpus.display().to_string();
        let (code, out, err) = warpdiff(&["run", "--corpus", &folder, "--no-golden", "--against", target]);
        match code {
            0 => false,
            1 => true,
            _ => panic!("{code}: {out}{err}\n{text}"),
        }
    }
}

fn launch(text: &str) -> Launch {
    let variants = warpdiff_corpus::load_text_as(Path::new("a/reduced.yaml"), text.into(), Path::new("."));
    let variants = variants.unwrap_or_else(|errors| panic!("{}\n{text}", errors.render(false)));
    let Work::Launches(launches) = &variants[0].work else { panic!("it launches nothing: {text}") };
    launches[0].launch.clone()
}

/// The signature that a reduced case states.
fn signature(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("# signature: ")).unwrap()
}

#[test]
fn a_long_kernel_with_a_planted_bug_becomes_a_dozen_instructions() {
    let place = Place::new();
    let case = place.write("long.yaml", &kernel::case(1500));
    let whole = launch(&kernel::case(1500));
    assert!(whole.program.lines().count() >= 1500, "{}", whole.program.lines().count());
    let (left, text) = place.reduced(&case, "emulator+suld.clamp-as-zero");
    assert!(instructions(&left).unwrap() <= 12, "{text}");
    // A load alone does not tell them apart.
    let both = "reproduced exactly by each of suld.clamp-as-zero, surface.mode-ignored";
    assert_eq!(signature(&text), format!("suld.b.2d.b32.clamp: clamp behaviour, {both}"));
    assert!(text.contains("long/a kernel as nvrtc emits it`"), "{text}");
    assert_eq!((left.grid, left.block), ([1; 3], [1; 3]));
    assert!(place.is_wrong(&text, "emulator+suld.clamp-as-zero"), "{text}");
    assert!(!place.is_wrong(&text, "emulator"), "{text}");
}

/// `cases/compiled/local_array.sm_50.ptx`: 1,008 lines that nvcc 12.9 made of `local_array.cu`.
#[test]
fn a_kernel_of_nvidias_compiler_is_reduced() {
    let place = Place::new();
    let (left, text) = place.reduced("compiled/compiled/local_array[sm=50,k=17]", "emulator+shr.unsigned");
    assert!(instructions(&left).unwrap() <= 12, "{text}");
    assert!(place.is_wrong(&text, "emulator+shr.unsigned"), "{text}");
}

#[test]
fn a_row_of_a_table_becomes_a_program() {
    let place = Place::new();
    let target = "emulator+atom.inc-off-by-one";
    let (left, text) = place.reduced("atomics/*inc*", target);
    assert!(instructions(&left).unwrap() <= 12, "{text}");
    assert!(signature(&text).contains("inc"), "{text}");
    assert!(signature(&text).ends_with("atomicity, reproduced exactly by atom.inc-off-by-one"), "{text}");
    assert!(place.is_wrong(&text, target) && !place.is_wrong(&text, "emulator"), "{text}");
}

/// The launches go to a worker many at a time.
#[test]
fn a_target_in_a_process_is_asked() {
    let place = Place::new();
    let case = place.write("long.yaml", &kernel::case(120));
    let program = env!("CARGO_BIN_EXE_warpdiff");
    let target = format!("process:{program} worker emulator+suld.clamp-as-zero");
    let (left, text) = place.reduced(&case, &target);
    assert!(instructions(&left).unwrap() <= 12, "{text}");
    assert!(signature(&text).contains("suld.clamp-as-zero"), "{text}");
}

/// The target has two bugs. The case shows one; without its guards it would show the other.
#[test]
fn a_reduction_does_not_slide_to_another_bug() {
    let place = Place::new();
    let case = place.write(
        "two.yaml",
        r"
- case: two bugs
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry k(.param .u64 out, .param .u64 in)
    {
        .reg .pred %p<3>;
        .reg .b32 %r<9>;
        .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [out];
        ld.param.u64 %rd2, [in];
        ld.global.u32 %r1, [%rd2];
        ld.global.u32 %r2, [%rd2+4];
        setp.eq.u32 %p1, %r1, 7;
        mov.u32 %r3, 0;
        @%p1 atom.global.inc.u32 %r3, [%rd2+8], 2;
        mul.hi.s32 %r4, %r2, -2;
        st.global.u32 [%rd1], %r3;
        st.global.u32 [%rd1+4], %r4;
        ret;
    }
  launch: {entry: k, arguments: [{buffer: out}, {buffer: in}]}
  buffers: {out: {type: u32, count: 2}, in: {type: u32, values: [5, 3, 2]}}
",
    );
    let targets = ["emulator+mul.hi-unsigned", "emulator+atom.inc-off-by-one,mul.hi-unsigned"];
    for target in targets {
        let (left, text) = place.reduced(&case, target);
        assert!(signature(&text).starts_with("mul.hi.s32: "), "{text}");
        assert!(!left.program.contains("atom"), "{text}");
        assert!(place.is_wrong(&text, "emulator+mul.hi-unsigned"), "{text}");
        assert!(!place.is_wrong(&text, "emulator+atom.inc-off-by-one"), "{text}");
    }
}

/// Without the loop's counter the branch would depend on an undefined bit, and without the barrier the threads would race. What is left is
/// decided by the specification.
#[test]
fn what_is_left_is_decided_by_the_specification() {
    let place = Place::new();
    let case = place.write(
        "shared.yaml",
        r"
- case: a loop over shared memory
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry k(.param .u64 out)
    {
        .shared .align 4 .b8 tile[128];
        .reg .pred %p<3>;
        .reg .b32 %r<12>;
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [out];
        mov.u32 %r1, %tid.x;
        shl.b32 %r2, %r1, 2;
        mov.u32 %r3, tile;
        add.u32 %r4, %r3, %r2;
        st.shared.u32 [%r4], %r1;
        bar.sync 0;
        mov.u32 %r5, 0;
        mov.u32 %r6, 0;
    L:
        xor.b32 %r7, %r2, 4;
        add.u32 %r8, %r3, %r7;
        ld.shared.u32 %r9, [%r8];
        sub.u32 %r10, %r9, 20;
        shr.s32 %r10, %r10, 3;
        add.u32 %r6, %r6, %r10;
        add.u32 %r5, %r5, 1;
        setp.lt.u32 %p1, %r5, 4;
        @%p1 bra L;
        mul.wide.u32 %rd2, %r2, 1;
        add.u64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r6;
        ret;
    }
  launch: {entry: k, block: [32], arguments: [{buffer: out}]}
  buffers: {out: {type: u32, count: 32}}
",
    );
    let target = "emulator+shr.unsigned";
    let (left, text) = place.reduced(&case, target);
    assert!(instructions(&left).unwrap() <= 5, "{text}");
    let compiled = warpdiff_emulator::compile(&left.program).unwrap();
    let run = warpdiff_emulator::allowed(&compiled.program, &left, &warpdiff_model::Semantics::default());
    for outcome in run.unwrap().outcomes {
        let warpdiff_model::Permitted::Completed { state } = outcome.permitted else { panic!("{text}") };
        assert!(state.regions.iter().all(|region| region.defined.iter().all(|mask| *mask == 0xff)), "{text}");
    }
}

#[test]
fn the_same_input_gives_the_same_case() {
    let place = Place::new();
    let case = place.write("long.yaml", &kernel::case(80));
    let one = place.reduced(&case, "emulator+suld.clamp-as-zero").1;
    assert_eq!(one, place.reduced(&case, "emulator+suld.clamp-as-zero").1);
    let dated = ["reduce", &case, "--against", "emulator+suld.clamp-as-zero", "--date", "2026-11-23"];
    let (_, out, _) = warpdiff(&dated);
    assert_eq!(out.replace("`, 2026-11-23.", "`."), one);
}

#[test]
fn a_folder_keeps_one_case_for_each_signature() {
    let place = Place::new();
    let case = place.write("long.yaml", &kernel::case(120));
    let folder = place.path("regressions").display().to_string();
    let keep = |target: &str| warpdiff(&["reduce", &case, "--against", target, "--keep", &folder]);
    let (code, out, err) = keep("emulator+suld.clamp-as-zero");
    assert_eq!(code, 1, "{err}");
    let first = format!("{folder}/suld.b.2d.b32.clamp-suld.clamp-as-zero.yaml\n");
    assert_eq!(out, first);
    let (code, out, _) = keep("emulator+suld.clamp-as-zero");
    assert_eq!((code, out), (1, first.replace('\n', " has this signature already\n")));
    let (_, out, _) = keep("emulator+mul.hi-unsigned");
    assert_ne!(out, first);
    let kept = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(kept, 2);
    for file in std::fs::read_dir(&folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!place.is_wrong(&text, "emulator"), "{text}");
    }
}

#[test]
fn where_nothing_is_wrong_there_is_nothing_to_reduce() {
    let (code, out, err) = warpdiff(&["reduce", "suld/bounds-2d/*", "--against", "emulator"]);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.starts_with("nothing to reduce: emulator conforms in all launches of"), "{err}");
    let (code, _, err) = warpdiff(&["reduce", "no such case", "--against", "emulator"]);
    assert_eq!(code, 2);
    assert!(err.contains("no variant matches `no such case`"), "{err}");
    let (code, _, err) = warpdiff(&["reduce", "nowhere.yaml", "--against", "emulator"]);
    assert_eq!((code, err.as_str()), (2, "error: nowhere.yaml: there is no such file\n"));
    let (code, _, err) = warpdiff(&["reduce", "suld", "--against", "process:true"]);
    assert_eq!(code, 4, "{err}");
    let legality = ["reduce", "declare/legality/*", "--against", "emulator"];
    let (code, _, err) = warpdiff(&legality);
    assert_eq!(code, 5, "{err}");
    assert!(err.contains("asks whether a program is legal, and launches nothing"), "{err}");
}
