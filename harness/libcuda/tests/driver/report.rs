//! `WARPDIFF_CUDA_REPORT`: each kind of mistake is found, with its line and thread, and a program without mistakes has none.

use std::path::Path;

use warpdiff_sass::Header;
use warpdiff_sass::cubin::{Cubin, Kernel};

use crate::library::{Cuda, Handle};
use crate::surfaces::{array_of_u32, copy_array, create_array, surface_of};
use crate::{ILLEGAL_ADDRESS, LAUNCH_FAILED, LAUNCH_TIMEOUT, MISALIGNED_ADDRESS, module, words};

const REPORT: &str = "WARPDIFF_CUDA_REPORT";

/// Runs `body` in a process of its own, which reports to a file of this name; answers the report, or `None` in that process.
fn reported(test: &str, name: &str, body: impl FnOnce()) -> Option<String> {
    if std::env::var_os(REPORT).is_some() {
        body();
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = std::process::Command::new(std::env::current_exe().expect("the test knows where it is"))
        .args(["--exact", &format!("report::{test}"), "--nocapture", "--test-threads=1"])
        .env(REPORT, folder.path().join(name))
        .output()
        .expect("the test runs again");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    let only =
        std::fs::read_dir(folder.path()).expect("the folder").next().expect("a report").expect("a report");
    Some(std::fs::read_to_string(only.path()).expect("text"))
}

/// The number of the line of a program that has this in it.
fn line(text: &str, part: &str) -> usize {
    let mut found = text.lines().zip(1..).filter(|(line, _)| line.contains(part));
    let (_, line) = found.next().expect("the line is there");
    assert!(found.next().is_none(), "`{part}` is in several lines");
    line
}

/// A kernel of this body between declarations and the address of its thread's word of the first argument in `%rd0`.
fn kernel(body: &str) -> String {
    module(&format!(
        ".visible .entry k(.param .u64 out)
{{
    .shared .align 8 .b32 cells[2];
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd0, %r0, 4;
    add.u64 %rd0, %rd0, %rd1;
    mov.u32 %r1, cells;
    mad.lo.u32 %r1, %r0, 4, %r1;
    xor.b32 %r2, %r1, 4;
{body}
    ret;
}}
"
    ))
}

const EXCHANGE: &str = "st.shared.u32 [%r1], %r0;\nld.shared.u32 %r3, [%r2];\nst.global.u32 [%rd0], %r3;";
const EXCHANGE_WITH_BARRIER: &str =
    "st.shared.u32 [%r1], %r0;\nbar.sync 0;\nld.shared.u32 %r3, [%r2];\nst.global.u32 [%rd0], %r3;";
const TOGETHER: &str = "st.global.u32 [%rd1+4], %r0;";
const READ_THEN_WRITTEN: &str =
    "ld.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p, %r0, 0;\n@%p st.global.u32 [%rd1], 5;";
const ATOMICS: &str = "atom.global.add.u32 %r3, [%rd1], 1;\nst.shared.u32 [%r1], %r3;";
const UNWRITTEN: &str = "ld.global.u32 %r3, [%rd0];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd0], %r3;";
const UNWRITTEN_CELL: &str = "ld.shared.u32 %r3, [%r2];\nst.global.u32 [%rd0], %r3;";
const UNWRITTEN_REGISTER: &str = "setp.eq.u32 %p, %r7, 3;\n@%p st.global.u32 [%rd0], 5;";
const OUTSIDE: &str = "st.global.u32 [%rd0+4], 5;";
const MISALIGNED: &str = "st.global.u32 [%rd0+2], 5;";
const ATOMICS_AFTER_A_STORE: &str =
    "setp.eq.u32 %p, %r0, 0;\n@%p st.global.u32 [%rd1], 0;\nred.global.add.u32 [%rd1], 1;";
const READ_BESIDE_ATOMICS: &str = "red.global.add.u32 [%rd1], 1;\nld.global.u32 %r3, [%rd1];";
const READ_BY_BOTH: &str = "ld.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p, %r0, 0;\n@!%p bra end;\nld.global.u32 %r4, [%rd1];\nst.global.u32 [%rd1], 5;\nend:";
const DIVERGENT: &str = "setp.eq.u32 %p, %r0, 0;\n@%p bar.sync 0;\nst.global.u32 [%rd0], 5;";
const OTHER_MASK: &str = "setp.eq.u32 %p, %r0, 1;\n@%p bar.warp.sync 1;";
const DEADLOCK: &str = "bar.sync 0, 64;";

/// What is launched, in order: a body, how many threads, whether its memory of two words is written before, and the code.
const LAUNCHES: &[(&str, u32, bool, u32)] = &[
    (EXCHANGE_WITH_BARRIER, 2, true, 0),
    (ATOMICS, 2, true, 0),
    (EXCHANGE, 2, true, 0),
    (TOGETHER, 2, true, 0),
    (READ_THEN_WRITTEN, 2, true, 0),
    (UNWRITTEN, 2, false, 0),
    (UNWRITTEN_CELL, 1, true, 0),
    (UNWRITTEN_REGISTER, 1, true, 0),
    (OUTSIDE, 2, true, ILLEGAL_ADDRESS),
    (MISALIGNED, 1, true, MISALIGNED_ADDRESS),
    (DEADLOCK, 32, true, LAUNCH_TIMEOUT),
    (ATOMICS_AFTER_A_STORE, 2, true, 0),
    (READ_BESIDE_ATOMICS, 2, true, 0),
    (READ_BY_BOTH, 2, true, 0),
    (DIVERGENT, 2, true, 0),
    (OTHER_MASK, 2, true, LAUNCH_FAILED),
];

fn launch_all() {
    for (body, threads, written, code) in LAUNCHES {
        // A driver of its own: some errors stay.
        let cuda = Cuda::new();
        let kernel = cuda.kernel(cuda.module(&kernel(body)), "k");
        let mut out = 0u64;
        assert_eq!(cuda.call::<fn(*mut u64, usize)>("cuMemAlloc_v2")(&mut out, 8), 0);
        if *written {
            assert_eq!(cuda.call::<fn(u64, u32, usize)>("cuMemsetD32_v2")(out, 7, 2), 0);
        }
        assert_eq!(cuda.launch(kernel, *threads, &mut [out]), 0);
        assert_eq!(cuda.synchronize(), *code, "{body}");
        if *body == EXCHANGE_WITH_BARRIER {
            assert_eq!(cuda.read(out, 8), Ok(words(&[1, 0])));
        }
    }
}

/// A field of a line of JSON: what stands between its name and the next comma or brace outside of quotes and brackets.
fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let start = line.find(&format!("\"{name}\":"))? + name.len() + 3;
    let rest = &line[start..];
    let (mut quoted, mut depth) = (false, 0);
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => depth += 1,
            b']' | b'}' if !quoted && depth > 0 => depth -= 1,
            b',' | b'}' if !quoted && depth == 0 => return Some(&rest[..at]),
            _ => {}
        }
    }
    None
}

#[test]
fn each_kind_is_found_with_its_line_and_thread() {
    let name = "each_kind_is_found_with_its_line_and_thread";
    let Some(report) = reported(name, "report.jsonl", launch_all) else { return };
    // Each driver begins with a line of its own, then has one for its launch.
    let drivers: Vec<Vec<&str>> =
        report.split("{\"report\":").skip(1).map(|part| part.lines().skip(1).collect()).collect();
    assert_eq!(drivers.len(), LAUNCHES.len(), "{report}");
    for (lines, (body, _, _, code)) in drivers.iter().zip(LAUNCHES) {
        assert_eq!(field(lines[0], "code"), Some(code.to_string().as_str()), "{body}");
        let expected = if [EXCHANGE_WITH_BARRIER, ATOMICS].contains(body) { 0 } else { 1 };
        assert_eq!(lines.len(), 1 + expected, "{body}: {lines:#?}");
    }
    let finding = |body: &str| {
        let index = LAUNCHES.iter().position(|(other, ..)| *other == body).expect("launched");
        drivers[index][1]
    };
    let check = |body: &str, part: &str, kind: &str, thread: &str, times: &str| {
        let found = finding(body);
        let line = line(&kernel(body), part).to_string();
        let expected = [("finding", format!("\"{kind}\"")), ("line", line), ("block", "[0,0,0]".into())];
        for (name, value) in expected {
            assert_eq!(field(found, name), Some(value.as_str()), "{found}");
        }
        assert_eq!((field(found, "thread"), field(found, "times")), (Some(thread), Some(times)), "{found}");
    };
    let earlier = |body: &str, part: &str, access: &str, thread: &str| {
        let line = line(&kernel(body), part);
        let found = field(finding(body), "earlier").expect("an earlier access");
        let expected =
            format!("{{\"access\":\"{access}\",\"block\":[0,0,0],\"thread\":{thread},\"line\":{line},");
        assert!(found.starts_with(&expected), "{found}\n{expected}");
    };
    // All lanes store before any loads: each of the two reads what the other has written.
    check(EXCHANGE, "ld.shared", "race", "[0,0,0]", "2");
    earlier(EXCHANGE, "st.shared", "write", "[1,0,0]");
    assert_eq!(field(finding(EXCHANGE), "hazard"), Some("\"read-after-write\""));
    assert_eq!(
        (field(finding(EXCHANGE), "space"), field(finding(EXCHANGE), "address")),
        (Some("\"shared\""), Some("4"))
    );
    check(TOGETHER, "st.global", "race", "[1,0,0]", "1");
    earlier(TOGETHER, "st.global", "write", "[0,0,0]");
    assert_eq!(field(finding(TOGETHER), "hazard"), Some("\"write-after-write\""));
    check(READ_THEN_WRITTEN, "st.global", "race", "[0,0,0]", "1");
    earlier(READ_THEN_WRITTEN, "ld.global", "read", "[1,0,0]");
    assert_eq!(field(finding(READ_THEN_WRITTEN), "hazard"), Some("\"write-after-read\""));
    check(UNWRITTEN, "ld.global", "uninitialised-read", "[0,0,0]", "2");
    check(UNWRITTEN_CELL, "ld.shared", "uninitialised-read", "[0,0,0]", "1");
    check(UNWRITTEN_REGISTER, "@%p st.global", "undefined-use", "[0,0,0]", "1");
    assert!(
        finding(UNWRITTEN_REGISTER).contains("`%r7`, not written before"),
        "{}",
        finding(UNWRITTEN_REGISTER)
    );
    // Of two threads the second is outside.
    check(OUTSIDE, "st.global", "out-of-bounds", "[1,0,0]", "1");
    check(MISALIGNED, "st.global", "misaligned", "[0,0,0]", "1");
    check(DEADLOCK, "bar.sync", "deadlock", "[0,0,0]", "32");
    // Atomics do not race with one another, but with what is plain, by the thread of an atomic, too.
    check(ATOMICS_AFTER_A_STORE, "red.global", "race", "[1,0,0]", "1");
    earlier(ATOMICS_AFTER_A_STORE, "@%p st.global", "write", "[0,0,0]");
    // Thread 1 updates last: its atomic observes that of thread 0, which so comes before its load (PTX ISA 8.9, causality order). Nothing
    // orders the load of thread 0 after the atomic of thread 1.
    check(READ_BESIDE_ATOMICS, "ld.global", "race", "[0,0,0]", "1");
    earlier(READ_BESIDE_ATOMICS, "red.global", "write", "[1,0,0]");
    // The last to read is the one that writes; the other thread has read before.
    check(READ_BY_BOTH, "st.global", "race", "[0,0,0]", "1");
    earlier(READ_BY_BOTH, "ld.global.u32 %r3", "read", "[1,0,0]");
    check(DIVERGENT, "bar.sync", "divergent-barrier", "[0,0,0]", "1");
    assert!(finding(DIVERGENT).contains("thread (1, 0, 0) of the same warp does not execute it"));
    check(OTHER_MASK, "bar.warp.sync", "unspecified", "[1,0,0]", "1");
    let said = "the member mask without the executing lane leaves the behaviour undefined";
    assert!(finding(OTHER_MASK).contains(said), "{}", finding(OTHER_MASK));
}

fn launch_image_kernels() {
    let cuda = Cuda::new();
    let text = module(
        ".visible .entry load(.param .u64 out, .param .u64 image)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [out];
    ld.param.u64 %rd1, [image];
    suld.b.1d.b32.trap %r0, [%rd1, {4}];
    st.global.u32 [%rd0], %r0;
    ret;
}
.visible .entry store(.param .u64 out, .param .u64 image)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [image];
    mov.u32 %r0, %tid.x;
    sust.b.1d.b32.trap [%rd1, {8}], %r0;
    ret;
}
",
    );
    let loaded = cuda.module(&text);
    let array = create_array(&cuda, &array_of_u32(4, 0));
    let surface = surface_of(&cuda, array).expect("a surface");
    let out = cuda.buffer(&[0; 4]);
    let launch = |name: &str, threads: u32| {
        assert_eq!(cuda.launch(cuda.kernel(loaded, name), threads, &mut [out, surface]), 0);
        assert_eq!(cuda.synchronize(), 0);
    };
    // Nobody has written the texels; two threads store to one; then the host has written all of them.
    launch("load", 1);
    launch("store", 2);
    assert_eq!(copy_array(&cuda, array, &mut words(&[9, 8, 7, 6]), 16, 1, true), 0);
    launch("load", 1);
    assert_eq!(cuda.read(out, 4), Ok(words(&[8])));
}

#[test]
fn texels_are_watched_and_a_text_is_written_for_people() {
    let name = "texels_are_watched_and_a_text_is_written_for_people";
    let Some(report) = reported(name, "report-%p.txt", launch_image_kernels) else { return };
    let lines: Vec<&str> = report.lines().collect();
    let expected = [
        "launch 1 of `load`, grid 1 x 1 x 1, block 1 x 1 x 1, code 0: 1 finding",
        "  uninitialised read: line 10, `suld.b.1d.b32.trap %r0, [%rd1, {4}];`, thread (0, 0, 0) of block (0, 0, 0)",
        "      4 bytes at 0x4 of `array 0` (texels)",
        "launch 2 of `store`, grid 1 x 1 x 1, block 2 x 1 x 1, code 0: 1 finding",
        "  race (write after write): line 20, `sust.b.1d.b32.trap [%rd1, {8}], %r0;`, thread (1, 0, 0) of block (0, 0, 0)",
        "      4 bytes at 0x8 of `array 0` (texels)",
        "      after the write in line 20, `sust.b.1d.b32.trap [%rd1, {8}], %r0;`, thread (0, 0, 0) of block (0, 0, 0)",
    ];
    assert!(lines[0].starts_with("libwarpdiff_cuda "), "{report}");
    assert_eq!(lines[1..], expected, "{report}");
}

/// `S2R` says with barrier 0 when its result is there, and nobody waits for it.
fn launch_machine_code() {
    let text = "MOV R2, c[0x0][0x140];\nMOV R3, c[0x0][0x144];\nS2R R0, SR_TID.X &wr=0;\n\
        STG.E [R2], R0 &rd=1;\nEXIT &req={1};";
    let program =
        warpdiff_sass::compile(text, &Header { registers: 6, ..Header::default() }).expect("a program");
    let image =
        Cubin::of_kernels(vec![Kernel::of_program(&program, "hasty", &[8])]).write().expect("a cubin");
    let cuda = Cuda::new();
    let mut loaded: Handle = std::ptr::null_mut();
    assert_eq!(cuda.call::<fn(*mut Handle, *const u8)>("cuModuleLoadData")(&mut loaded, image.as_ptr()), 0);
    let out = cuda.buffer(&[0; 4]);
    assert_eq!(cuda.launch(cuda.kernel(loaded, "hasty"), 1, &mut [out]), 0);
    assert_eq!(cuda.synchronize(), 0);
}

#[test]
fn a_missing_wait_of_machine_code_is_found() {
    let name = "a_missing_wait_of_machine_code_is_found";
    let Some(report) = reported(name, "report.jsonl", launch_machine_code) else { return };
    let lines: Vec<&str> = report.lines().skip(2).collect();
    let [found] = lines[..] else { panic!("{report}") };
    assert_eq!(field(found, "finding"), Some("\"missing-wait\""), "{found}");
    assert_eq!(field(found, "thread"), Some("[0,0,0]"), "{found}");
    assert!(found.contains("reads `R0` without waiting for barrier 0"), "{found}");
}

/// Prints a word of local memory that nobody has written.
const PRINTS_UNWRITTEN: &str =
    ".extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 list);
.global .align 1 .b8 format[4] = {37, 100, 10, 0};
.visible .entry k(.param .u64 out)
{
    .local .align 8 .b8 list[8];
    .reg .b64 %rd<3>;
    cvta.global.u64 %rd1, format;
    cvta.local.u64 %rd2, list;
    {
        .param .b64 a;
        .param .b64 b;
        .param .b32 c;
        st.param.b64 [a], %rd1;
        st.param.b64 [b], %rd2;
        call.uni (c), vprintf, (a, b);
    }
    ret;
}
";

fn launch_printing() {
    let cuda = Cuda::new();
    let out = cuda.buffer(&[0; 4]);
    assert_eq!(cuda.launch(cuda.kernel(cuda.module(&module(PRINTS_UNWRITTEN)), "k"), 1, &mut [out]), 0);
    assert_eq!(cuda.synchronize(), 0);
}

#[test]
fn printing_unwritten_memory_is_found() {
    let Some(report) = reported("printing_unwritten_memory_is_found", "report.jsonl", launch_printing) else {
        return;
    };
    let lines: Vec<&str> = report.lines().skip(2).collect();
    let [found] = lines[..] else { panic!("{report}") };
    let line = line(&module(PRINTS_UNWRITTEN), "call.uni").to_string();
    let fields =
        ["finding", "line", "thread", "space", "size"].map(|name| field(found, name).unwrap_or_default());
    assert_eq!(fields, ["\"uninitialised-read\"", line.as_str(), "[0,0,0]", "\"local\"", "4"], "{found}");
}

/// Every other test passes with a report as well: what launches do is the same.
#[test]
fn a_report_changes_no_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = std::process::Command::new(std::env::current_exe().expect("the test knows where it is"))
        .args(["--skip", "report::"])
        .env(REPORT, folder.path().join("report.txt"))
        .output()
        .expect("the tests run again");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && out.contains("test result: ok. "), "{out}");
    let report = std::fs::read_to_string(folder.path().join("report.txt")).expect("a report");
    // `an_endless_loop_times_out`: its threads do nothing wrong.
    assert!(report.contains("code 702: 0 findings\n"), "{report}");
}

#[test]
fn a_report_that_cannot_be_written_goes_to_the_standard_error() {
    let name = "a_report_that_cannot_be_written_goes_to_the_standard_error";
    if std::env::var_os(REPORT).is_some() {
        let cuda = Cuda::new();
        let text = kernel(UNWRITTEN_CELL);
        let out = cuda.buffer(&[0; 4]);
        assert_eq!(cuda.launch(cuda.kernel(cuda.module(&text), "k"), 1, &mut [out]), 0);
        return;
    }
    for (path, complaint) in [("/no/such/folder/report", true), ("-", false)] {
        assert!(!Path::new("/no/such/folder").exists());
        let output = std::process::Command::new(std::env::current_exe().expect("the test knows where it is"))
            .args(["--exact", &format!("report::{name}"), "--nocapture"])
            .env(REPORT, path)
            .output()
            .expect("the test runs again");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && err.contains("uninitialised read"), "{err}");
        assert_eq!(err.contains("cannot be written"), complaint, "{err}");
    }
}
