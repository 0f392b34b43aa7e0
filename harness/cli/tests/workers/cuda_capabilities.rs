//! The CUDA target on devices of other compute capabilities, older and newer: our own library poses as them.

use std::path::Path;

use crate::cuda_target::{corpus_of, with_status};
use crate::library_run::{report_of, run_in};

/// A case whose program is of this version and target, and stores 7 by this code; what it is to be on an older device.
fn of_age(title: &str, version: &str, target: &str, code: &str) -> String {
    let program = format!(
        ".version {version}\n    .target {target}\n    .address_size 64\n    .visible .entry k(.param .u64 p) {{\n      .reg .u64 %rd<3>;\n      .reg .b32 %r<4>;\n      ld.param.u64 %rd1, [p];\n      cvta.to.global.u64 %rd2, %rd1;\n      mov.b32 %r1, 7;\n      {code}\n      st.global.u32 [%rd2], %r1;\n      ret;\n    }}"
    );
    format!(
        "- case: {title}\n  covers: [store]\n  program: |\n    {program}\n  launch: {{entry: k, arguments: [{{buffer: out}}]}}\n  buffers: {{out: {{type: u32, values: zero, count: 1}}}}\n  expect: {{memory: {{out: [7]}}}}\n"
    )
}

/// The report of `warpdiff run --json` of these variants against our library, which poses as a device of that capability, with
/// deviations; and what the run says of the target.
fn run_on(capability: &str, deviations: &str, filter: &[&str]) -> (serde_json::Value, String) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut environment = vec![("WARPDIFF_CUDA_CAPABILITY", capability)];
    if !deviations.is_empty() {
        environment.push(("WARPDIFF_CUDA_DEVIATIONS", deviations));
    }
    let options = [&["--json", "--time-limit", "120", "--jobs", "2"], filter].concat();
    report_of(&run_in(&corpus, &environment, &options))
}

/// A device of compute capability 5.x is given the words of programs of SPA 5.0 in a cubin, and judged: accesses out of bounds and
/// misaligned ones, faults and schedules included, for which there is no translation.
#[test]
fn a_device_of_capability_5_is_given_machine_words_and_judged() {
    let words = ["spa/addresses/*", "spa/schedules/*", "spa/atoms/*", "spa/parameters/*", "spa/arithmetic/*"];
    let (report, said) = run_on("5.2", "", &words);
    assert!(said.contains("sm_52, CUDA 12.9, SPA 5.0 as machine words"), "{said}");
    let (conforming, _) = with_status(&report, "conforms");
    assert!(conforming.len() > 80, "{}", conforming.len());
    for status in ["violates", "rejected", "characterised", "crashed", "timed-out"] {
        assert_eq!(with_status(&report, status).0, Vec::<String>::new(), "{status}");
    }
    let titles = |part: &str| conforming.iter().filter(|id| id.contains(part)).count();
    assert!(titles("misaligned address of a load is forced to align") > 0, "{conforming:?}");
    assert!(titles("outside of what is allocated is an error") > 0, "{conforming:?}");
    // What does not fit into a cubin is unsupported, with the reason.
    let (unsupported, why) = with_status(&report, "unsupported");
    assert!(unsupported.len() <= 3 && why.contains("SPA 5.0: no cubin: "), "{why}");
    // A mistake of the device in what no PTX says is found.
    let (report, _) = run_on("5.2", "spa.misaligned-not-forced", &["spa/addresses/*"]);
    let (violating, _) = with_status(&report, "violates");
    assert!(violating.iter().any(|id| id.contains("is forced to align")), "{violating:?}");
    // Other devices are given the translation, and characterised.
    let (report, said) = run_on("6.1", "", &["spa/addresses/*"]);
    assert!(!said.contains("machine words"), "{said}");
    assert!(
        with_status(&report, "conforms").0.is_empty() && !with_status(&report, "characterised").0.is_empty()
    );
}

/// Written down to the device first and put into modules then: those that are too new are left out with the reason, and take no
/// other with them. That `.acquire` needs sm_70 is in the target notes of `ld` in the PTX manual.
#[test]
fn an_older_device_runs_what_can_be_written_down_to_it_and_says_why_the_rest_is_not() {
    let folder = corpus_of(0);
    let mut cases = String::new();
    for n in 0..30 {
        // Each its own program; half of them are newer by name only.
        let code = format!("add.u32 %r2, %r1, {n};");
        cases += &of_age(&format!("new in name {n}"), "8.5", "sm_90", &code);
        cases += &of_age(&format!("old {n}"), "7.4", "sm_61", &code);
    }
    cases += &of_age("too new an instruction", "8.0", "sm_90", "ld.acquire.gpu.global.u32 %r2, [%rd2];");
    cases += &of_age("another architecture's own", "8.0", "sm_90a", "");
    std::fs::write(folder.path().join("cases/store/numbers.yaml"), cases).unwrap();
    let device = [("WARPDIFF_CUDA_CAPABILITY", "6.1"), ("WARPDIFF_CUDA_VERSION", "11.4")];
    let options = ["--json", "--time-limit", "120", "--jobs", "2"];
    let (report, words) = report_of(&run_in(folder.path(), &device, &options));
    assert!(words.contains("sm_61, CUDA 11.4"), "{words}");
    let (conforming, _) = with_status(&report, "conforms");
    assert_eq!(conforming.len(), 60, "{report}");
    let (unsupported, _) = with_status(&report, "unsupported");
    assert_eq!(unsupported.len(), 2, "{report}");
    let why = |title: &str| {
        let variants = report["variants"].as_array().unwrap().iter();
        let of = variants.clone().find(|variant| variant["id"].as_str().unwrap().ends_with(title)).unwrap();
        of["targets"][0]["why"].as_str().unwrap_or_default().to_owned()
    };
    let newer = why("too new an instruction");
    assert!(
        newer.contains("the target takes at most sm_61 and PTX 7.4: `ld.acquire.gpu.global.u32` needs sm_70"),
        "{newer}"
    );
    assert!(why("architecture's own").contains("a program for sm_90a does not run on sm_61"), "{report}");
    // No module was refused because of one that is too new in it.
    assert!(words.contains(" programs in ") && !words.contains("refused and split"), "{words}");
}

/// The device is one of 9.0 and refuses what is for a newer one, unless it is told to be that: vectors of eight elements need sm_100 (`ld` in
/// the PTX manual). A version that no driver of CUDA 12.9 knows is ignored, and that is said.
#[test]
fn a_newer_device_takes_programs_for_newer_targets() {
    let folder = corpus_of(0);
    let case = "
- case: eight words
  covers: [store]
  why: element i of `m` holds i, so the eight from byte 32 on are 8 to 15, and the last of them is 15.
  isa: \"8.8\"
  target: sm_100
  buffers: {m: {type: b32, values: sequence, count: 16}}
  inputs: {x: b32}
  outputs: {d: b32}
  registers: .reg .b32 %r<8>;
  body: ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %d}, [%m + 32];
  rows: [{x: 0, d: 15}]
";
    std::fs::write(folder.path().join("cases/store/numbers.yaml"), case).unwrap();
    let run = |capability: &str| {
        let device = [("WARPDIFF_CUDA_CAPABILITY", capability)];
        report_of(&run_in(folder.path(), &device, &["--json", "--time-limit", "120", "--jobs", "1"]))
    };
    let (report, words) = run("12.0");
    assert!(words.contains("sm_120, CUDA 12.9"), "{words}");
    assert_eq!(with_status(&report, "conforms").0.len(), 1, "{report}");
    for capability in ["9.0", "13.0"] {
        let (report, words) = run(capability);
        assert!(words.contains("sm_90, CUDA 12.9"), "{words}");
        assert_eq!(with_status(&report, "unsupported").0.len(), 1, "{report}");
    }
}
