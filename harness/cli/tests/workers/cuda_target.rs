//! The CUDA target, tried on a driver library that needs no device: our own, which serves the API from the emulator.

use crate::cases::corpus;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::driver_library::library;
use crate::every_subject::EVERY_SUBJECT;
use crate::library_run::{report_of, run_in};
use warpdiff_corpus::filter::Filter;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{Calls, FaultClass, Observation};
use warpdiff_session::session;
use warpdiff_targets::{CudaName, CudaTarget, Layered, Target, ThroughPtx};
use warpdiff_worker::known_launch;
use warpdiff_worker::launch_answer::WorkerLaunch;
use warpdiff_worker::limits::Limits;
use warpdiff_worker::supervisor::Supervisor;

/// Generous enough for a machine that is busy with other things.
fn patient() -> Limits {
    Limits { launch: Duration::from_secs(120), ..Limits::default() }
}

fn target(name: &CudaName) -> CudaTarget {
    CudaTarget::served_by(name, patient(), Ok(Path::new(env!("CARGO_BIN_EXE_warpdiff"))))
}

#[test]
fn programs_of_spa_are_characterised_through_the_driver_api() {
    let corpus = corpus();
    let variants: Vec<_> = corpus.variants.iter().filter(|variant| variant.launches_spa()).collect();
    let cuda = target(&CudaName { library: Some(library()), ..CudaName::default() });
    // The device it shows is none of compute capability 5.x.
    assert!(!cuda.claims_spa() && !cuda.takes_spa());
    let targets: [Box<dyn Target>; 1] = [Box::new(Layered::new(Box::new(cuda), ThroughPtx::default()))];
    let session = session::run(&variants, &targets, &|| {});
    let mut characterised = 0;
    for verdict in &session.verdicts {
        let (earned, id) = (&verdict.targets[0], &verdict.variant.id);
        let why = earned.why.as_deref().unwrap_or_default();
        assert!(earned.findings.is_empty(), "{id}: {:?}", earned.findings[0].differences);
        match earned.raw {
            Raw::Characterised => characterised += 1,
            Raw::Unsupported => assert!(why.starts_with("unsupported: SPA 5.0: no "), "{id}: {why}"),
            other => panic!("{id}: {other}, {why}"),
        }
    }
    assert!(characterised >= 100, "{characterised}");
    // Translations share modules as other programs do.
    assert!(targets[0].effort().unwrap().refused == 0);
}

#[test]
fn every_subject_conforms_through_the_driver_api() {
    let corpus = corpus();
    let filter = Filter::new(&EVERY_SUBJECT.map(str::to_owned));
    // Kernels as machine code are among the programs of SPA 5.0 above.
    let is_ptx = |variant: &&Variant| filter.selects(&variant.id) && !variant.launches_spa();
    let variants: Vec<_> = corpus.variants.iter().filter(is_ptx).collect();
    let cuda = target(&CudaName { library: Some(library()), ..CudaName::default() });
    let targets: [Box<dyn Target>; 1] = [Box::new(cuda)];
    let session = session::run(&variants, &targets, &|| {});
    let mut counts: BTreeMap<Raw, usize> = BTreeMap::new();
    for verdict in &session.verdicts {
        let earned = &verdict.targets[0];
        let id = &verdict.variant.id;
        // The reference itself conforms everywhere (tests/corpus.rs), so nothing else will do here: not even that the
        // target cannot do something. Questions of legality are none of a device's.
        let wanted = match &verdict.variant.work {
            Work::Legality(_) => Raw::NotRun,
            // The library advertises a device of sm_90.
            Work::Launches(launches)
                if launches.iter().any(|one| one.launch.program.contains(".target sm_100")) =>
            {
                Raw::Unsupported
            }
            Work::Launches(_) | Work::Unsupported(_) => Raw::Conforms,
        };
        assert_eq!(
            earned.raw,
            wanted,
            "{id}: {:?} {:?}",
            earned.why,
            earned.findings.first().map(|f| &f.differences)
        );
        *counts.entry(earned.raw).or_default() += 1;
    }
    assert!(counts[&Raw::Conforms] >= 500, "{counts:?}");
    // Declarations are among them, read back by a kernel, and through cuModuleGetGlobal where other modules can see them.
    let read_back = variants.iter().filter(|variant| variant.id.contains(", read back"));
    let by_driver = read_back.clone().filter(|variant| match &variant.work {
        Work::Launches(launches) => {
            launches.iter().any(|planned| !planned.launch.observed_variables.is_empty())
        }
        Work::Legality(_) | Work::Unsupported(_) => false,
    });
    assert!(read_back.count() >= 30 && by_driver.count() >= 2);
    // Programs share modules, and all modules load.
    let effort = targets[0].effort().unwrap();
    assert!(effort.largest >= 100 && effort.shared >= 100 && effort.refused == 0, "{effort:?}");
    assert!(effort.modules < effort.shared / 25, "{effort:?}");
}

/// Cases that each store a number; in those of `struck` something goes wrong, as the library is told.
fn numbered(count: usize) -> String {
    let mut text = String::new();
    for n in 0..count {
        let _ = write!(
            text,
            "- case: number {n}\n  covers: [store]\n  program: |\n    .version 8.0\n    .target sm_50\n    .address_size 64\n    .visible .entry k_{n}_(.param .u64 p) {{\n      .reg .u64 %rd<3>;\n      ld.param.u64 %rd1, [p];\n      cvta.to.global.u64 %rd2, %rd1;\n      st.global.u32 [%rd2], {n};\n      ret;\n    }}\n  launch: {{entry: k_{n}_, arguments: [{{buffer: out}}]}}\n  buffers: {{out: {{type: u32, values: zero, count: 1}}}}\n  expect: {{memory: {{out: [{n}]}}}}\n"
        );
    }
    text
}

/// A folder with a corpus of so many numbered cases.
pub(crate) fn corpus_of(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases/store");
    std::fs::create_dir_all(&cases).unwrap();
    std::fs::write(cases.join("numbers.yaml"), numbered(count)).unwrap();
    let requirement = "- {id: store, kind: must, section: \"9.7.9\", text: st stores a value.}\n";
    std::fs::write(folder.path().join("cases/requirements.yaml"), requirement).unwrap();
    folder
}

/// What becomes of a corpus of so many numbered cases where kernels are struck: the report, and what was said beside it.
fn run_struck(count: usize, list: &str, status: i32) -> (serde_json::Value, String) {
    let folder = corpus_of(count);
    let options = ["--json", "--time-limit", "5", "--jobs", "2"];
    let output = run_in(folder.path(), &[("WARPDIFF_CUDA_INJECT", list)], &options);
    let (report, words) = report_of(&output);
    assert_eq!(output.status.code(), Some(status), "{words}");
    assert_eq!(report["variants"].as_array().unwrap().len(), count);
    (report, words)
}

/// The numbers of the cases that do not conform, with their status.
fn blamed(report: &serde_json::Value) -> BTreeMap<String, String> {
    let variants = report["variants"].as_array().unwrap().iter();
    let statuses = variants.map(|variant| {
        let number = variant["id"].as_str().unwrap().rsplit(' ').next().unwrap();
        (number.to_owned(), variant["targets"][0]["status"].as_str().unwrap().to_owned())
    });
    statuses.filter(|(_, status)| status != "conforms").collect()
}

#[test]
fn exactly_the_culprits_are_blamed() {
    let struck = [
        ("crash", "k_17_", "crashed"),
        ("crash", "k_18_", "crashed"),
        ("hang", "k_111_", "hung"),
        ("fault", "k_200_", "violates"),
        ("fault", "k_333_", "violates"),
        ("wrong-byte", "k_404_", "violates"),
        ("code", "k_499_", "violates"),
    ];
    let list: Vec<_> = struck.iter().map(|(fault, kernel, _)| format!("{fault}:{kernel}")).collect();
    let (report, words) = run_struck(500, &list.join(","), 1);
    let wanted =
        struck.map(|(_, kernel, raw)| (kernel.trim_matches(['k', '_']).to_string(), raw.to_string()));
    assert_eq!(blamed(&report), BTreeMap::from(wanted));
    // They were struck in the company of a hundred others: 500 programs are five modules.
    assert!(words.contains(" modules of up to 100"), "{words}");
}

#[test]
fn of_programs_in_one_module_exactly_the_refused_are_rejected() {
    let refused = [0, 1, 64, 150, 151, 152, 299];
    let list: Vec<_> = refused.iter().map(|number| format!("refuse:k_{number}_")).collect();
    let (report, words) = run_struck(300, &list.join(","), 1);
    let wanted = refused.map(|number| (number.to_string(), "rejected".to_string()));
    assert_eq!(blamed(&report), BTreeMap::from(wanted));
    assert!(words.contains(" modules refused and split"), "{words}");
    // Each is rejected with what the compiler says of it alone, under the name that it has in the case.
    let text = report.to_string();
    for number in refused {
        assert!(text.contains(&format!("kernel `k_{number}_` is refused on demand")), "{number}");
    }
    assert!(!text.contains("__wdm"), "a name of a shared module is shown");
}

#[test]
fn launches_of_a_program_that_remembers_do_not_see_each_other() {
    let counter = |count: u32| {
        let text = format!(
            ".version 8.0\n.target sm_50\n.address_size 64\n.global .u32 counter = {count};\n.visible .entry count() {{ .reg .b32 %r; ld.global.u32 %r, [counter]; add.u32 %r, %r, 1; st.global.u32 [counter], %r; ret; }}\n"
        );
        let mut launch = warpdiff_model::Launch::new(text.into(), "count");
        launch.observed_variables = vec!["counter".into()];
        launch
    };
    // Three programs, all of whose names are the same, each launched four times.
    let launches: Vec<_> = (0..12).map(|n| counter(10 * (n % 3))).collect();
    let asked: Vec<_> = launches.iter().map(|launch| WorkerLaunch::new("count", launch)).collect();
    let (program, library) = (env!("CARGO_BIN_EXE_warpdiff"), library());
    let command = format!("'{program}' worker 'cuda@{}'", library.display());
    let workers = Supervisor::new(command.parse().unwrap(), Limits { address_space: None, ..patient() });
    workers.prepare().unwrap();
    for (n, answer) in workers.observe(&asked).into_iter().enumerate() {
        let Observation::Completed { state } = &answer.observation else { panic!("{answer:?}") };
        let counted = state.region(warpdiff_model::RegionKind::Variable, "counter").unwrap();
        let wanted = 10 * (n as u32 % 3) + 1;
        assert_eq!(counted.bytes, wanted.to_le_bytes(), "launch {n}");
    }
    let effort = workers.effort();
    assert_eq!((effort.modules, effort.shared, effort.launches), (1, 12, 12));
}

#[test]
fn a_code_that_nobody_knows_stays_a_number() {
    let launch = known_launch::store(64, 8, 7);
    let entry = &launch.entry;
    let (program, library) = (env!("CARGO_BIN_EXE_warpdiff"), library());
    let command =
        format!("env 'WARPDIFF_CUDA_INJECT=code:{entry}' '{program}' worker 'cuda@{}'", library.display());
    let limits = Limits { address_space: None, ..patient() };
    let workers = Supervisor::new(command.parse().unwrap(), limits);
    workers.prepare().unwrap();
    let asked = [WorkerLaunch::new("a", &launch), WorkerLaunch::new("b", &launch)];
    // cuda.h has no 4242; a synchronisation that answers it did not end well all the same.
    let calls = Calls { load: Some(0), launch: Some(0), synchronize: Some(4242), next: Some(4242) };
    let wanted =
        Observation::Faulted { class: FaultClass::Unspecified, code: 4242, thread: None, state: None, calls };
    let observed: Vec<_> = workers.observe(&asked).into_iter().map(|answer| answer.observation).collect();
    assert_eq!(observed, [wanted.clone(), wanted]);
}

#[test]
fn what_is_not_there_is_said_in_a_sentence() {
    let presence = |name: CudaName| target(&name).presence().clone().unwrap_err();
    let none = presence(CudaName { library: Some("/nowhere/libcuda.so".into()), ..CudaName::default() });
    assert!(none.starts_with("cannot open /nowhere/libcuda.so: "), "{none}");
    assert!(none.contains("No such file"), "the loader's reason is missing: {none}");
    assert_eq!(none.matches("/nowhere/libcuda.so").count(), 1, "{none}");
    let other =
        presence(CudaName { library: Some(env!("CARGO_BIN_EXE_warpdiff").into()), ..CudaName::default() });
    assert!(other.starts_with("cannot open "), "{other}");
    let far = presence(CudaName { ordinal: 99, library: Some(library()), ..CudaName::default() });
    assert!(far.starts_with("no device 99: "), "{far}");
    // A library that is no driver at all.
    let libc = presence(CudaName { library: Some("libc.so.6".into()), ..CudaName::default() });
    assert_eq!(libc, "the library has no function cuInit: it is not a CUDA driver, or it is too old");
}

/// What a worker of our own answers to launches, one line each.
fn answers(requests: &[serde_json::Value]) -> Vec<serde_json::Value> {
    answers_of(&library(), &[], requests)
}

/// The same of one with this library, in this environment.
fn answers_of(
    library: &Path,
    environment: &[(&str, &str)],
    requests: &[serde_json::Value],
) -> Vec<serde_json::Value> {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .args(["worker", &format!("cuda@{}", library.display())])
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: Vec<_> = requests.iter().map(|request| format!("{request}\n")).collect();
    worker.stdin.take().unwrap().write_all(lines.concat().as_bytes()).unwrap();
    let output = worker.wait_with_output().unwrap();
    let replies = String::from_utf8(output.stdout).unwrap();
    let replies = replies.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    replies.filter(|reply| reply["type"] == "observed").map(|reply| reply["outcome"].clone()).collect()
}

#[test]
fn what_was_stored_before_a_fault_is_seen_where_one_may_happen() {
    let program = ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .u64 %rd<3>; ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; st.global.u32 [%rd2+4], 5; trap; }\n";
    let launch = |may_fault: bool| {
        serde_json::json!({
            "type": "launch", "id": 1, "case": "", "program": program, "entry": "k", "grid": [1, 1, 1],
            "block": [1, 1, 1], "dynamic_shared": 0, "arguments": [{"kind": "buffer", "index": 0, "offset": 0}],
            "buffers": [{"name": "out", "bytes": "0102030405060708", "guard": 4}],
            "surfaces": [{"name": "image", "geometry": "1d", "extent": [1, 1, 1], "layers": 1, "format": "u32", "bytes": "00000000"}],
            "observed_variables": [], "step_budget": 1000, "time_limit_ms": 10000, "may_fault": may_fault,
        })
    };
    // cuda.h: 719 is CUDA_ERROR_LAUNCH_FAILED, which sticks to the process.
    let calls = serde_json::json!({"load": 0, "launch": 0, "synchronize": 719, "next": 719});
    let [seen] = &answers(&[launch(true)])[..] else { panic!("not one answer") };
    assert_eq!((&seen["kind"], &seen["code"], &seen["calls"]), (&"faulted".into(), &719.into(), &calls));
    // The surface went with the context; the buffer is whole, its guards as they were.
    let memory = serde_json::json!({
        "buffers": {"out": "0102030405000000"}, "guards": {"out": "a5a5a5a5a5a5a5a5"}, "surfaces": {}, "variables": {}
    });
    assert_eq!(seen["state"], memory);
    let [unseen] = &answers(&[launch(false)])[..] else { panic!("not one answer") };
    assert_eq!((&unseen["calls"], unseen.get("state")), (&calls, None));
}

/// A worker ends with the launch that made its device unusable. Only our own library, which says that it can, begins again in the process;
/// what a launch left behind is not there for the next.
#[test]
fn a_worker_of_our_own_library_outlives_faults_and_no_other_does() {
    let program = ".version 8.0\n.target sm_50\n.address_size 64\n.global .u32 counter = 3;\n.visible .entry k(.param .u64 p, .param .u32 stop) { .reg .u64 %rd<3>; .reg .u32 %r<4>; .reg .pred %p; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [stop]; cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r2, [counter]; add.u32 %r2, %r2, 1; st.global.u32 [counter], %r2; st.global.u32 [%rd2], %r2; setp.ne.u32 %p, %r1, 0; @%p trap; ret; }\n";
    let launch = |id: u32, stop: u32| {
        let stops = stop.to_le_bytes().map(|byte| format!("{byte:02x}")).concat();
        serde_json::json!({
            "type": "launch", "id": id, "case": "", "program": program, "entry": "k", "grid": [1, 1, 1],
            "block": [1, 1, 1], "dynamic_shared": 0,
            "arguments": [{"kind": "buffer", "index": 0, "offset": 0}, {"kind": "value", "bytes": stops}],
            "buffers": [{"name": "out", "bytes": "00000000", "guard": 0}], "surfaces": [],
            "observed_variables": ["counter"], "step_budget": 1000, "time_limit_ms": 10000, "may_fault": true,
        })
    };
    let requests = [launch(1, 0), launch(2, 1), launch(3, 0), launch(4, 1), launch(5, 0)];
    let observed = answers(&requests);
    let kinds: Vec<_> = observed.iter().map(|outcome| outcome["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["completed", "faulted", "completed", "faulted", "completed"], "{observed:?}");
    for outcome in &observed {
        assert_eq!(outcome["state"]["buffers"]["out"], "04000000", "{outcome}");
    }
    // What poses as hardware is treated as hardware, and so is a library that does not say that it can.
    let folder = tempfile::tempdir().unwrap();
    let older = library_without("warpdiffFreshDriver", folder.path());
    for (library, environment) in [(library(), &[("WARPDIFF_CUDA_NAME", "a GPU")][..]), (older, &[])] {
        assert_eq!(answers_of(&library, environment, &requests), observed[..2]);
    }
}

#[test]
fn the_device_tells_what_recordings_keep_of_it() {
    let name = CudaName { level: Some(0), library: Some(library()), ..CudaName::default() };
    let facts: Vec<_> = target(&name).device().into_iter().collect();
    let wanted = [
        ("cuda", "12.9"),
        ("device", "warpdiff reference emulator"),
        ("emulated", "yes"),
        ("level", "O0"),
        ("sm", "90"),
    ];
    assert_eq!(facts, wanted.map(|(name, fact)| (name.to_string(), fact.to_string())));
}

/// Three cases of three launches that trap, and one that does not.
fn trapping(folder: &Path) {
    let mut text = String::new();
    for family in ["first", "second", "third"] {
        let _ = write!(
            text,
            "- case: {family}\n  covers: [store]\n  matrix: {{n: [1, 2, 3]}}\n  program: |\n    .version 8.0\n    .target sm_50\n    .address_size 64\n    .visible .entry k() {{\n      .reg .u32 %r;\n      mov.u32 %r, ${{n}};\n      trap;\n    }}\n  launch: {{entry: k}}\n  expect: {{fault: trap}}\n"
        );
    }
    let cases = folder.join("cases/store");
    std::fs::create_dir_all(&cases).unwrap();
    std::fs::write(cases.join("traps.yaml"), text + &numbered(1)).unwrap();
    let requirement = "- {id: store, kind: must, section: \"9.7.9\", text: st stores a value.}\n";
    std::fs::write(folder.join("cases/requirements.yaml"), requirement).unwrap();
}

/// Variants of a report with this status, and the reason of the first.
pub(crate) fn with_status(report: &serde_json::Value, status: &str) -> (Vec<String>, String) {
    let variants = report["variants"].as_array().unwrap().iter();
    let found: Vec<_> = variants.filter(|variant| variant["targets"][0]["status"] == status).collect();
    let why = found.first().and_then(|variant| variant["targets"][0]["why"].as_str()).unwrap_or_default();
    (found.iter().map(|variant| variant["id"].as_str().unwrap().into()).collect(), why.into())
}

/// A run of the trapping cases against our library, which says that its device has this name.
fn run_trapping(device: &str, environment: &[(&str, &Path)], options: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    trapping(folder.path());
    run_in(folder.path(), &[environment, &[("WARPDIFF_CUDA_NAME", Path::new(device))]].concat(), options)
}

/// Its report, and what was said beside it.
fn judged(device: &str, environment: &[(&str, &Path)], options: &[&str]) -> (serde_json::Value, String) {
    report_of(&run_trapping(device, environment, &[&["--json"], options].concat()))
}

const EMULATED: &str = "warpdiff reference emulator";

#[test]
fn the_name_of_a_device_does_nothing_to_a_terminal() {
    let output = run_trapping("Tesla \u{1b}]0;owned\u{7}\u{202e}T4", &[], &[]);
    let words = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(words.contains(r"Tesla \u{1b}]0;owned\u{7}\u{202e}T4, device 0"), "{words}");
    assert!(!words.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{words:?}");
}

#[test]
fn a_budget_tries_every_case_before_any_twice() {
    let (report, _) = judged(EMULATED, &[], &["--fault-budget", "4"]);
    let (run, _) = with_status(&report, "conforms");
    let (left_out, why) = with_status(&report, "not-run");
    // Nine may fault; what may not is always run.
    assert_eq!((run.len(), left_out.len()), (5, 5), "{report}");
    for family in ["first", "second", "third", "number"] {
        assert!(run.iter().any(|id| id.contains(family)), "{family} was not run: {run:?}");
    }
    assert!(why.starts_with("fault budget: 4 of 9 launches that may fault are run"), "{why}");
    let reason = &report["summary"]["not_judged"][0];
    assert_eq!((&reason["variants"], &reason["status"]), (&5.into(), &"not-run".into()), "{report}");
    assert!(reason["why"].as_str().unwrap().starts_with("fault budget: 4 of 9"), "{reason}");
    let text = String::from_utf8(run_trapping(EMULATED, &[], &["--fault-budget", "4"]).stdout).unwrap();
    let line = "      5  not run: fault budget: 4 of 9 launches that may fault are run (--fault-budget N runs more)\n";
    assert!(text.contains(line) && text.contains("5 conform, 5 not judged"), "{text}");
    // Without a number there is no bound where no hardware is.
    let (report, _) = judged(EMULATED, &[], &[]);
    assert_eq!(with_status(&report, "conforms").0.len(), 10);
}

#[test]
fn where_a_fault_would_hurt_others_none_is_caused_unless_allowed() {
    let pipes = tempfile::tempdir().unwrap();
    std::fs::write(pipes.path().join("control"), "").unwrap();
    let service = [("CUDA_MPS_PIPE_DIRECTORY", pipes.path())];
    let (report, words) = judged("a GPU", &service, &[]);
    let (left_out, why) = with_status(&report, "not-run");
    assert_eq!((with_status(&report, "conforms").0.len(), left_out.len()), (1, 9), "{report}");
    assert!(why.starts_with("it may fault, and the multi-process service (MPS) is running ("), "{why}");
    assert!(words.contains("--allow-faults runs them"), "{words}");
    let (report, _) = judged("a GPU", &service, &["--allow-faults"]);
    assert_eq!(with_status(&report, "conforms").0.len(), 10);
    // Behind our own library there is nobody to be hurt.
    let (report, _) = judged(EMULATED, &service, &[]);
    assert_eq!(with_status(&report, "conforms").0.len(), 10);
}

/// A copy of our library that does not offer a function: its symbol is made a local one, which the library itself still finds and
/// nobody else does (System V ABI, "Symbol Table"; the layout is that of ELF64).
fn library_without(function: &str, at: &Path) -> PathBuf {
    let mut bytes = std::fs::read(library()).unwrap();
    let number = |bytes: &[u8], at: usize, size: usize| {
        bytes[at..at + size].iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte))
    };
    let (sections, count) = (number(&bytes, 0x28, 8), number(&bytes, 0x3C, 2));
    let section = |index: usize| sections + index * 64;
    const DYNAMIC_SYMBOLS: usize = 11;
    let table = (0..count).map(section).find(|at| number(&bytes, at + 4, 4) == DYNAMIC_SYMBOLS).unwrap();
    let names = number(&bytes, section(number(&bytes, table + 0x28, 4)) + 0x18, 8);
    let (start, size) = (number(&bytes, table + 0x18, 8), number(&bytes, table + 0x20, 8));
    let wanted = format!("{function}\0").into_bytes();
    let symbol = (start..start + size).step_by(24);
    let symbol =
        symbol.into_iter().find(|at| bytes[names + number(&bytes, *at, 4)..].starts_with(&wanted)).unwrap();
    // The upper half of the byte is the binding, of which 0 is local.
    bytes[symbol + 4] &= 0x0F;
    let path = at.join("libcuda.so.1");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_function_that_is_missing_is_a_sentence_and_a_visible_skip() {
    let folder = tempfile::tempdir().unwrap();
    let path = library_without("cuMemAlloc_v2", folder.path());
    let sentence = "the library has no function cuMemAlloc_v2: it is not a CUDA driver, or it is too old";
    let presence =
        target(&CudaName { library: Some(path.clone()), ..CudaName::default() }).presence().clone();
    assert_eq!(presence.unwrap_err(), sentence);
    let cases = folder.path().join("cases/store");
    std::fs::create_dir_all(&cases).unwrap();
    trapping(folder.path());
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
        command.current_dir(folder.path()).env("LD_LIBRARY_PATH", folder.path()).args(arguments);
        let output = command.output().unwrap();
        let words = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(words).unwrap())
    };
    let (code, words) = run(&["doctor"]);
    assert_eq!(code, Some(0));
    assert!(words.contains(&format!("missing cuda       {sentence}")), "{words}");
    let (code, words) = run(&["run", "--no-golden", "--against", "cuda"]);
    // 5: nothing is wrong, but nothing was judged.
    assert_eq!(code, Some(5), "{words}");
    assert!(words.contains(&format!("cuda: skipped: {sentence}")), "{words}");
}

#[test]
fn installed_libraries_that_cannot_be_opened_are_named_with_the_reason() {
    let folder = corpus_of(1);
    let path = folder.path().join("libcuda.so.1");
    let mut narrow = std::fs::read(library()).unwrap();
    // `e_ident[EI_CLASS]`: `ELFCLASS32`.
    narrow[4] = 1;
    let unusable: [(&[u8], &str, &str); 3] = [
        (b"not what you want\n", "file too short", "not a library"),
        (&[b'x'; 4096], "invalid ELF header", "not a library"),
        (&narrow, "wrong ELF class: ELFCLASS32", "not 64-bit"),
    ];
    // The loader looks in relative folders, too.
    for folders in [folder.path().to_str().unwrap(), "."] {
        for (bytes, reason, kind) in unusable {
            std::fs::write(&path, bytes).unwrap();
            let said = |arguments: &[&str]| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
                command.current_dir(folder.path()).env("LD_LIBRARY_PATH", folders).args(arguments);
                let output = command.output().unwrap();
                (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
            };
            let (code, words) = said(&["doctor"]);
            assert_eq!(code, Some(0), "{words}");
            assert!(words.contains(&format!("libcuda.so.1 ({kind})")), "{words}");
            assert!(words.contains("no CUDA driver: cannot open libcuda.so.1: "), "{words}");
            assert!(words.contains(reason), "{reason} is missing: {words}");
            let (code, words) = said(&["run", "--no-golden", "--against", "cuda"]);
            assert_eq!(code, Some(5), "{words}");
            assert!(words.contains("cuda: skipped: no CUDA driver: ") && words.contains(reason), "{words}");
        }
    }
}

#[test]
fn what_a_library_lacks_is_unsupported_where_it_is_needed_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = library_without("cuSurfRefSetArray", folder.path());
    let cuda = target(&CudaName { library: Some(path), ..CudaName::default() });
    let corpus = corpus();
    // The same case by a `.surfref` and by a handle.
    let title = "suld.b.2d clamps to the nearest texel";
    let variants: Vec<_> = corpus.variants.iter().filter(|variant| *variant.title == *title).collect();
    let session = session::run(&variants, &[Box::new(cuda) as Box<dyn Target>], &|| {});
    let earned = session.verdicts.iter().map(|verdict| (verdict.targets[0].raw, &verdict.targets[0].why));
    let (lacking, other): (Vec<_>, Vec<_>) = earned.partition(|(raw, _)| *raw == Raw::Unsupported);
    assert!(!lacking.is_empty() && !other.is_empty());
    for (_, why) in lacking {
        assert!(why.as_ref().unwrap().ends_with("the library has no function cuSurfRefSetArray"), "{why:?}");
    }
    assert!(other.iter().all(|(raw, _)| *raw == Raw::Conforms), "{other:?}");
}

#[test]
fn our_library_binds_opaque_parameters_and_counts_steps() {
    // The texel at byte 4 of a row that holds 1, 2; then an endless loop.
    let program = ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry load(.param .surfref s, .param .u64 p) { .reg .u32 %r; .reg .u64 %rd<3>; suld.b.1d.b32.trap %r, [s, {4}]; ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; st.global.u32 [%rd2], %r; ret; }\n.visible .entry spin() { L: bra L; }\n";
    let launch = |entry: &str, arguments: serde_json::Value| {
        serde_json::json!({
            "type": "launch", "id": 1, "case": "", "program": program, "entry": entry, "grid": [1, 1, 1],
            "block": [1, 1, 1], "dynamic_shared": 0, "arguments": arguments,
            "buffers": [{"name": "out", "bytes": "00000000", "guard": 0}],
            "surfaces": [{"name": "image", "geometry": "1d", "extent": [2, 1, 1], "layers": 1, "format": "u32", "bytes": "0100000002000000"}],
            "observed_variables": [], "step_budget": 1000, "time_limit_ms": 10000,
        })
    };
    let bound = serde_json::json!([{"kind": "surface-reference", "index": 0}, {"kind": "buffer", "index": 0, "offset": 0}]);
    let outcomes = answers(&[launch("load", bound), launch("spin", serde_json::json!([]))]);
    let [loaded, spun] = &outcomes[..] else { panic!("{outcomes:?}") };
    assert_eq!(loaded["state"]["buffers"]["out"], "02000000", "{loaded}");
    // cuda.h: 702 is CUDA_ERROR_LAUNCH_TIMEOUT.
    assert_eq!((&spun["kind"], &spun["calls"]["synchronize"]), (&"timed-out".into(), &702.into()), "{spun}");
}

/// A corpus of one case, which stores a number and traps, and how a run against a target ends that is to find `stated` there.
fn after_a_trap(title: &str, stated: u32, against: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases/store");
    std::fs::create_dir_all(&cases).unwrap();
    let text = format!(
        "- case: {title}\n  covers: [store]\n  program: |\n    .version 8.0\n    .target sm_50\n    .address_size 64\n    .visible .entry k(.param .u64 p) {{\n      .reg .u64 %rd<3>;\n      ld.param.u64 %rd1, [p];\n      cvta.to.global.u64 %rd2, %rd1;\n      st.global.u32 [%rd2], 5;\n      trap;\n    }}\n  launch: {{entry: k, arguments: [{{buffer: out}}]}}\n  buffers: {{out: {{type: u32, values: zero, count: 1}}}}\n  expect: {{fault: trap, memory: {{out: [{stated}]}}}}\n"
    );
    std::fs::write(cases.join("trap.yaml"), text).unwrap();
    let requirement = "- {id: store, kind: must, section: \"9.7.9\", text: st stores a value.}\n";
    std::fs::write(folder.path().join("cases/requirements.yaml"), requirement).unwrap();
    let program = match against {
        "mock" => env!("CARGO_BIN_EXE_warpdiff-misbehaving"),
        _ => env!("CARGO_BIN_EXE_warpdiff"),
    };
    let output = Command::new(program)
        .current_dir(folder.path())
        .args(["run", "--no-golden", "--against", against])
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn memory_after_a_fault_is_judged_where_a_case_states_it() {
    let cuda = format!("cuda@{}", library().display());
    for target in ["emulator", &cuda] {
        let (code, words) = after_a_trap("a trap", 5, target);
        assert_eq!(code, Some(0), "{words}");
    }
    // The mock inverts the first byte of what is there, and no deviation does that.
    let (code, words) = after_a_trap("mock-flip", 5, "mock");
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("observed fa") && words.contains("no known deviation"), "{words}");
    // A statement that the reference contradicts is an error of the corpus, as any other.
    let (code, words) = after_a_trap("a trap", 6, "emulator");
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("the reference has 05 00 00 00, 5 after the fault"), "{words}");
}

/// The form of the answers only: what a device answers is its own affair.
#[test]
fn probes_answer_in_processes_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("probes.yaml");
    let names = [
        "start",
        "arrays",
        "rebinding",
        "globals",
        "shared-addresses",
        "below-load",
        "below-store",
        "below-atomic",
        "null-query",
        "null-load",
        "unbound-query",
        "unbound-load",
        "recovery-address",
        "recovery-misaligned",
        "recovery-trap",
    ];
    let output = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .arg("probe")
        .args(names)
        .arg(format!("--against=cuda@{}", library().display()))
        .args(["--time-limit", "300", "-o", path.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(path).unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        names.iter().all(|name| text.contains(&format!("probe: {name}\n")) && printed.contains(name)),
        "{text}"
    );
    // Five geometries, twelve channel types, three counts of channels.
    let made = ["1d ", "2d ", "3d ", "a1d ", "a2d "]
        .map(|g| printed.lines().filter(|l| l.trim_start().starts_with(g)).count());
    assert_eq!(made, [36; 5], "{printed}");
    // "CUDA_ARRAY3D_SURFACE_LDST: this flag must be set in order to bind a surface reference to the CUDA array."
    let without = printed.lines().find(|line| line.contains("without surface load and store")).unwrap();
    assert!(without.contains("an array, but no surface object"), "{without}");
    // Our library keeps an error in its context, and a new context is a new one.
    let recovery = printed.split_once("recovery-address").unwrap().1;
    assert!(recovery.contains("the fault: ") && recovery.contains(" 700"), "{recovery}");
    assert!(printed.contains("then to one that holds 20: loads 20"), "{printed}");
    let unknown = Command::new(env!("CARGO_BIN_EXE_warpdiff")).args(["probe", "lunch"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    let nowhere =
        Command::new(env!("CARGO_BIN_EXE_warpdiff")).args(["probe", "--against", "cuda@/nowhere"]).output();
    assert_eq!(nowhere.unwrap().status.code(), Some(4));
}
