//! What a thread's trace says: every expected step is worked out by hand.

use warpdiff_emulator::trace::{Access, Control, MemoryKind, Register, Step, Thread, Trace, trace};
use warpdiff_emulator::{Options, Program, run};
use warpdiff_model::{Launch, Permitted, Semantics};

use crate::kernel::Kernel;
use crate::spa::kernel::Spa;

/// Steps of the kernel around a body, before the body.
const AROUND: usize = 5;

fn thread(number: u64, launch: &Launch) -> Thread {
    Thread::of_number(launch, number).expect("a thread")
}

fn traced(program: &Program, launch: &Launch, number: u64) -> Trace {
    trace(program, launch, &Semantics::default(), thread(number, launch)).expect("a trace")
}

fn kernel_trace(kernel: &Kernel, number: u64) -> Trace {
    traced(&kernel.program(), &kernel.launch, number)
}

fn written(register: &Register) -> String {
    let Register { name, value, undefined, float, .. } = register;
    let number = float.map(|ty| format!(" {ty}")).unwrap_or_default();
    let undefined = if *undefined == 0 { String::new() } else { format!(" ?{undefined:x}") };
    format!("{name}={value:x}{undefined}{number}")
}

fn accessed(access: &Access) -> String {
    let Access { kind, place, size, value, before, .. } = access;
    let before = before.map(|before| format!("{before:x}->")).unwrap_or_default();
    format!("{} {:?} {}+{}/{size} {before}{value:x}", kind.name(), place.kind, place.name, place.offset)
}

/// `instruction | effects`, the effects separated by commas.
fn line(step: &Step) -> String {
    let mut effects: Vec<String> = step.accesses.iter().map(accessed).collect();
    effects.extend(step.writes.iter().map(written));
    match &step.control {
        Control::Next if step.skipped => effects.push("skipped".into()),
        Control::Next => {}
        Control::NotTaken => effects.push("not taken".into()),
        Control::Branch(_) => effects.push("taken".into()),
        Control::Call(name) => effects.push(format!("calls {name}")),
        Control::Return(_) => effects.push("returns".into()),
        Control::Exit => effects.push("exits".into()),
        Control::Fault(_) => effects.push("faults".into()),
    }
    format!("{} | {}", step.instruction, effects.join(", "))
}

fn lines(trace: &Trace, from: usize) -> Vec<String> {
    trace.steps[from..].iter().map(line).collect()
}

#[test]
fn a_thread_writes_registers_and_memory() {
    let body = "add.u32 %r1, %t, 5;\nsetp.gt.u32 %p0, %r1, 5;\n@!%p0 bra END;\n@!%p0 mov.u32 %r1, 0;\n\
                st.global.u32 [%mine], %r1;\nEND:";
    let kernel = Kernel::new(body, 2, 2);
    // Thread 1: 1 + 5 is 6, which is greater than 5; its word is at byte 4.
    assert_eq!(
        lines(&kernel_trace(&kernel, 1), AROUND),
        [
            "add.u32 %r1, %t, 5 | %r1=6",
            "setp.gt.u32 %p0, %r1, 5 | %p0=1",
            "@!%p0 bra END | not taken",
            "@!%p0 mov.u32 %r1, 0 | skipped",
            "st.global.u32 [%mine], %r1 | store Buffer out+4/4 6",
            "ret | exits",
        ]
    );
    // Thread 0: 5 is not greater than 5.
    assert_eq!(
        lines(&kernel_trace(&kernel, 0), AROUND),
        [
            "add.u32 %r1, %t, 5 | %r1=5",
            "setp.gt.u32 %p0, %r1, 5 | %p0=0",
            "@!%p0 bra END | taken",
            "ret | exits",
        ]
    );
}

#[test]
fn each_turn_of_a_loop_is_recorded() {
    let body = "mov.u32 %r0, 0;\nLOOP: add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 2;\n@%p0 bra LOOP;";
    assert_eq!(
        lines(&kernel_trace(&Kernel::new(body, 1, 1), 0), AROUND),
        [
            "mov.u32 %r0, 0 | %r0=0",
            "add.u32 %r0, %r0, 1 | %r0=1",
            "setp.lt.u32 %p0, %r0, 2 | %p0=1",
            "@%p0 bra LOOP | taken",
            "add.u32 %r0, %r0, 1 | %r0=2",
            "setp.lt.u32 %p0, %r0, 2 | %p0=0",
            "@%p0 bra LOOP | not taken",
            "ret | exits",
        ]
    );
}

#[test]
fn undefined_bits_are_marked() {
    // %r5 is never written: of its bits, `and` leaves the lowest eight.
    let body = "and.b32 %r1, %r5, 0xff;\nmov.f32 %f0, 0f3F800000;\nadd.f32 %f1, %f0, %f0;";
    let trace = kernel_trace(&Kernel::new(body, 1, 1), 0);
    let lines = lines(&trace, AROUND);
    assert_eq!(lines[0], "and.b32 %r1, %r5, 0xff | %r1=0 ?ff");
    assert_eq!(lines[2], "add.f32 %f1, %f0, %f0 | %f1=40000000 f32");
    assert!(matches!(trace.run.outcome.permitted, Permitted::Completed { .. }));
}

#[test]
fn vectors_atomics_shared_and_local_memory_have_places() {
    let body = ".shared .align 8 .b32 s[4];\n.local .align 8 .b32 l[4];\nmov.u32 %r1, 7;\nmov.u32 %r2, 9;\n\
                st.shared.v2.u32 [s+8], {%r1, %r2};\nst.local.u32 [l+4], %r2;\nld.shared.u32 %r3, [s+12];\n\
                atom.global.add.u32 %r4, [%out+4], %r3;";
    assert_eq!(
        lines(&kernel_trace(&Kernel::new(body, 1, 2), 0), AROUND + 2)[..4],
        [
            "st.shared.v2.u32 [s+8], {%r1, %r2} | store Shared +8/4 7, store Shared +12/4 9",
            "st.local.u32 [l+4], %r2 | store Local +4/4 9",
            "ld.shared.u32 %r3, [s+12] | load Shared +12/4 9, %r3=9",
            "atom.global.add.u32 %r4, [%out+4], %r3 | atomic Buffer out+4/4 0->9, %r4=0",
        ]
    );
}

#[test]
fn the_sources_of_a_step_know_who_wrote_them() {
    let body =
        "mov.u32 %r1, 3;\nadd.u32 %r2, %r1, %r1;\nst.global.u32 [%out], %r2;\nld.global.u32 %r3, [%out];";
    let trace = kernel_trace(&Kernel::new(body, 1, 1), 0);
    let [add, store, load] = &trace.steps[AROUND + 1..AROUND + 4] else { panic!("three steps") };
    let sources = |step: &Step| -> Vec<_> {
        let of = |source: &warpdiff_emulator::trace::Source| {
            (source.register.name.clone(), source.addresses, source.written_by)
        };
        step.reads.iter().map(of).collect()
    };
    assert_eq!(sources(add), [("%r1".to_owned(), false, Some(AROUND))]);
    // `cvta` is the second step of the kernel.
    let out = ("%out".to_owned(), true, Some(1));
    assert_eq!(sources(store), [("%r2".to_owned(), false, Some(AROUND + 1)), out.clone()]);
    assert_eq!(sources(load), [out]);
    assert_eq!(load.accesses[0].written_by, Some(AROUND + 2));
}

#[test]
fn calls_and_returns_are_steps() {
    let outside = ".func (.reg .b32 r) twice(.reg .b32 n)\n{ add.u32 r, n, n; ret; }\n";
    let body = "mov.u32 %r0, 4;\ncall (%r1), twice, (%r0);\nst.global.u32 [%out], %r1;";
    assert_eq!(
        lines(&kernel_trace(&Kernel::new(body, 1, 1).outside(outside), 0), AROUND)[1..5],
        [
            "call (%r1), twice, (%r0) | calls twice",
            "add.u32 r, n, n | r=8",
            "ret | %r1=8, returns",
            "st.global.u32 [%out], %r1 | store Buffer out+0/4 8",
        ]
    );
}

/// The thread waits for the other warp at the barrier; the result is there when it goes on.
#[test]
fn the_result_of_a_barrier_belongs_to_its_step() {
    let body = "setp.lt.u32 %p0, %t, 40;\nbar.red.popc.u32 %r1, 0, %p0;\nst.global.u32 [%mine], %r1;";
    let lines = lines(&kernel_trace(&Kernel::new(body, 64, 64), 3), AROUND);
    assert_eq!(lines[1], "bar.red.popc.u32 %r1, 0, %p0 | %r1=28");
    assert_eq!(lines[2], "st.global.u32 [%mine], %r1 | store Buffer out+12/4 28");
    assert_eq!(lines.len(), 4);
}

#[test]
fn a_fault_ends_the_thread_at_its_step() {
    let body = "st.global.u32 [%mine+2], %t;";
    let trace = kernel_trace(&Kernel::new(body, 1, 1), 0);
    let last = trace.steps.last().expect("a step");
    assert_eq!(&*last.instruction, "st.global.u32 [%mine+2], %t");
    assert!(matches!(&last.control, Control::Fault(detail) if detail.contains("misaligned")), "{last:?}");
    assert!(matches!(trace.run.outcome.permitted, Permitted::Faulted { .. }));
}

/// `IADD R0.CC` of 0xffffffff and 1 carries, and its sum is 0; `IADD.X` adds the carry.
#[test]
fn machine_code_names_its_condition_codes() {
    let body =
        "MOV32I R1, 0xffffffff;\nMOV32I R2, 0x1;\nIADD R0.CC, R1, R2;\nIADD.X R3, RZ, RZ;\nSTG.E [R252], R3;";
    let spa = Spa::new(body, 1);
    let trace = traced(&spa.program(), &spa.launch, 0);
    let first = &trace.steps[0];
    assert_eq!((first.reads[0].register.name.as_str(), first.reads.len()), ("c[0x0][0x140]", 1));
    assert_eq!(first.reads[0].register.value, first.writes[0].value);
    // Six steps come before the body.
    assert_eq!(
        lines(&trace, 6),
        [
            "MOV32I R1, 0xffffffff | R1=ffffffff",
            "MOV32I R2, 0x1 | R2=1",
            "IADD R0.CC, R1, R2 | CC.C=1, R0=0",
            "IADD.X R3, RZ, RZ | R3=1",
            "STG.E [R252], R3 | store Buffer out+0/4 1",
            "EXIT | exits",
        ]
    );
    let store = &trace.steps[10];
    let values: Vec<_> =
        store.reads.iter().map(|source| (source.register.name.as_str(), source.addresses)).collect();
    assert_eq!(values, [("R3", false), ("R252", true), ("R253", true)]);
    assert_eq!(trace.steps[9].reads.iter().filter(|source| source.register.name == "CC.C").count(), 1);
}

/// A traced run is a run: it ends as one that is not traced.
#[test]
fn a_traced_run_has_the_same_outcome() {
    let body = "atom.global.add.u32 %r1, [%out], %t;\nst.global.u32 [%mine+4], %r1;";
    let kernel = Kernel::new(body, 40, 41);
    let program = kernel.program();
    let plain = run(&program, &kernel.launch, &Semantics::default(), &Options::default()).expect("a run");
    for number in [0, 1, 39] {
        let trace = traced(&program, &kernel.launch, number);
        assert_eq!((&trace.run.outcome, &trace.run.memory), (&plain.outcome, &plain.memory));
        assert_eq!(trace.run.steps, plain.steps);
        // The kernel around the body, the body, the end.
        assert_eq!((trace.taken, trace.steps.len()), (AROUND as u64 + 3, AROUND + 3));
    }
}

#[test]
fn a_thread_that_the_launch_lacks_is_an_error() {
    let kernel = Kernel::new("", 4, 1);
    assert_eq!(Thread::of_number(&kernel.launch, 4), None);
    let missing = Thread { block: [0; 3], thread: [4, 0, 0] };
    assert_eq!(missing.number(&kernel.launch), None);
    let error =
        trace(&kernel.program(), &kernel.launch, &Semantics::default(), missing).expect_err("an error");
    assert!(error.to_string().contains("no thread [4, 0, 0] of block [0, 0, 0]"), "{error}");
}

#[test]
fn texels_of_surfaces_have_places() {
    let image = crate::compiled::surface("image", warpdiff_model::Geometry::D1, [4, 1, 1], &[1, 2, 3, 4]);
    let body = "mov.u32 %r1, 8;\nsuld.b.1d.b32.trap %r2, [%surface, {%r1}];\nmov.u32 %r3, 12;\n\
                sust.b.1d.b32.trap [%surface, {%r3}], %r2;";
    let trace = kernel_trace(&Kernel::new(body, 1, 1).surface(image), 0);
    let lines = lines(&trace, AROUND + 1);
    assert_eq!(
        [&lines[1], &lines[3]],
        [
            "suld.b.1d.b32.trap %r2, [%surface, {%r1}] | load Surface image+8/4 3, %r2=3",
            "sust.b.1d.b32.trap [%surface, {%r3}], %r2 | store Surface image+12/4 3",
        ]
    );
    assert!(
        trace
            .steps
            .iter()
            .flat_map(|step| &step.accesses)
            .all(|access| { matches!(access.place.kind, MemoryKind::Surface | MemoryKind::Parameters) })
    );
}
