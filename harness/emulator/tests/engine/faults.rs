//! Faults: class, thread, line, address; and that one does not hide another.

use crate::kernel::Kernel;
use warpdiff_model::{FaultClass, FaultKind};

/// The line of the first line of a body in its program.
fn line_of(kernel: &Kernel, text: &str) -> u32 {
    let program = kernel.text();
    program.lines().position(|line| line.contains(text)).expect("the text is there") as u32 + 1
}

#[test]
fn every_thread_that_faults_is_reported() {
    let body = "mul.wide.u32 %d2, %t, 0x1000000;\nadd.s64 %d2, %d2, %out;\nmov.u32 %r1, 1;\nst.global.u32 [%d2], %r1;\nst.global.u32 [%mine], %r1;";
    let kernel = Kernel::new(body, 3, 3);
    let faults = kernel.faults();
    // Thread 0 stores to the buffer, the others far behind its guard.
    assert_eq!(
        faults.iter().map(|fault| fault.thread).collect::<Vec<_>>(),
        [Some([0, 0, 0, 1, 0, 0]), Some([0, 0, 0, 2, 0, 0])]
    );
    for fault in &faults {
        assert_eq!((fault.class, fault.kind), (FaultClass::OutOfBounds, FaultKind::Must));
        assert_eq!(fault.line, Some(line_of(&kernel, "st.global.u32 [%d2], %r1;")));
        assert!(fault.detail.contains("buffer `out`"), "{}", fault.detail);
    }
    assert_eq!(faults[1].address.expect("an address") - faults[0].address.expect("an address"), 0x100_0000);
}

#[test]
fn the_lane_that_faulted_stops_and_the_others_go_on() {
    let body = "setp.eq.u32 %p1, %t, 0; mov.u64 %d2, 64; mov.u32 %r1, 5; @%p1 ld.global.u32 %r2, [%d2]; st.global.u32 [%mine], %r1;";
    let run = Kernel::new(body, 3, 3).run();
    assert_eq!(crate::kernel::words(&run.memory.regions[0].region.bytes), [0, 5, 5]);
}

#[test]
fn classes() {
    let class = |body: &str| {
        let faults = Kernel::new(body, 1, 1).faults();
        assert_eq!(faults.len(), 1, "{faults:?}");
        faults[0].class
    };
    assert_eq!(class("mov.u64 %d2, 0; ld.global.u32 %r1, [%d2];"), FaultClass::OutOfBounds);
    assert_eq!(class("add.s64 %d2, %out, 2; ld.global.u32 %r1, [%d2];"), FaultClass::Misaligned);
    assert_eq!(class("ld.global.v2.u32 {%r1, %r2}, [%out+4];"), FaultClass::Misaligned);
    assert_eq!(
        class(".shared .align 4 .b8 s[8];\nmov.u64 %d2, s; ld.shared.u32 %r1, [%d2+256];"),
        FaultClass::OutOfBounds
    );
    assert_eq!(
        class(".local .align 4 .b8 l[16];\nmov.u64 %d2, l; ld.local.u32 %r1, [%d2+-4];"),
        FaultClass::OutOfBounds
    );
    let shared = ".shared .align 4 .b8 s[8];\nmov.u64 %d2, s; cvta.shared.u64 %d3, %d2;";
    assert_eq!(class(&format!("{shared} ld.global.u32 %r1, [%d3];")), FaultClass::InvalidSpace);
    let local = ".local .align 4 .b8 l[16];\nmov.u64 %d2, l; cvta.local.u64 %d3, %d2;";
    assert_eq!(class(&format!("{local} atom.add.u32 %r1, [%d3], 1;")), FaultClass::InvalidSpace);
    assert_eq!(class("trap;"), FaultClass::Trap);
}

#[test]
fn constants_cannot_be_written_through_generic_addresses() {
    let body = "mov.u64 %d2, c; cvta.const.u64 %d3, %d2; mov.u32 %r1, 1; st.u32 [%d3], %r1;";
    let faults = Kernel::new(body, 1, 1).outside(".const .align 4 .u32 c[1] = {5};\n").faults();
    assert_eq!(faults[0].class, FaultClass::InvalidSpace);
}

#[test]
fn no_more_than_sixty_four_are_kept() {
    let faults = Kernel::new("mov.u64 %d2, 0; ld.global.u32 %r1, [%d2];", 128, 1).faults();
    assert_eq!(faults.len(), 64);
}

#[test]
fn launches_that_cannot_begin_say_why() {
    let refused = |change: &dyn Fn(&mut Kernel)| {
        let mut kernel = Kernel::new("", 1, 1);
        change(&mut kernel);
        warpdiff_emulator::run(&kernel.program(), &kernel.launch, &kernel.semantics, &kernel.options)
            .expect_err("it cannot begin")
            .to_string()
    };
    assert_eq!(refused(&|k| k.launch.entry = "other".into()), "no kernel is called `other`");
    assert_eq!(refused(&|k| k.launch.arguments.clear()), "`k` takes 1 arguments, not 0");
    assert_eq!(refused(&|k| k.launch.block = [1025, 1, 1]), "a block of 1025 x 1 x 1 threads is too large");
    assert_eq!(refused(&|k| k.launch.grid = [0, 1, 1]), "a dimension of the grid or block is zero");
    // 40,000 registers of 8 bytes in 32 warps of 32 lanes are 312 MiB for their values alone, and three times as much for what
    // is known of their bits.
    let used: String = (0..40_000).map(|n| format!("mov.u64 %many{n}, 0;\n")).collect();
    let many = format!(".reg .b64 %many<40000>;\n{used}");
    assert!(
        refused(&|k| *k = Kernel::new(&many, 1024, 1))
            .starts_with("registers and local memory of a block of 1024 threads take ")
    );
    let value = warpdiff_model::Argument::Value(vec![0; 4]);
    assert_eq!(
        refused(&|k| k.launch.arguments[0] = value.clone()),
        "argument 0 has not the 8 bytes of `out`"
    );
}

/// Nothing says how much memory there is behind the variables of a block: it is allocated in units of 128 or 256 bytes
/// (PTX ISA 10, `%total_smem_size`). An access there may fault, or find anything; it must leave the variables as they are.
#[test]
fn just_behind_shared_memory_an_access_may_fault() {
    let shared = ".shared .align 4 .b8 s[8];\nmov.u64 %d2, s; mov.u32 %r2, 7; st.shared.u32 [s], %r2; st.shared.u32 [s+4], %r2;";
    let of = |access: &str| {
        let body = format!(
            "{shared} mov.u32 %r1, 1; {access} ld.shared.u32 %r3, [s]; st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r3;"
        );
        let kernel = Kernel::new(&body, 1, 2);
        let run = kernel.run();
        let [fault] = &run.outcome.may[..] else { panic!("{access}: {:?}", run.outcome.may) };
        assert_eq!((fault.class, fault.kind), (FaultClass::OutOfBounds, FaultKind::May), "{access}");
        assert_eq!(crate::kernel::words(&run.memory.regions[0].region.bytes)[1], 7, "{access}");
        kernel.defined()
    };
    assert_eq!(of("ld.shared.u32 %r1, [%d2+8];"), [0, u32::MAX]);
    assert_eq!(of("ld.shared.u32 %r1, [%d2+252];"), [0, u32::MAX]);
    assert_eq!(of("st.shared.u32 [%d2+8], %r2;"), [u32::MAX; 2]);
    assert_eq!(of("atom.shared.add.u32 %r1, [%d2+8], 1;"), [0, u32::MAX]);
    assert_eq!(of("red.shared.add.u32 [%d2+8], 1;"), [u32::MAX; 2]);
    // A vector that begins inside may have been stored there or not.
    let body = format!("{shared} mov.u64 %d3, 0; st.shared.v2.u64 [s], {{%d3, %d3}}; ld.shared.u32 %r1, [s+4]; st.global.u32 [%out], %r1;")
        .replace(".align 4", ".align 16");
    assert_eq!(Kernel::new(&body, 1, 1).defined(), [0]);
}

#[test]
fn a_fault_that_may_happen_does_not_hide_one_that_must() {
    let body = ".shared .align 4 .b8 s[8];\nmov.u64 %d2, s; ld.shared.u32 %r1, [%d2+8]; trap;";
    let outcome = Kernel::new(body, 1, 1).run().outcome;
    assert_eq!(outcome.may.len(), 1);
    let warpdiff_model::Permitted::Faulted { faults } = outcome.permitted else { panic!("it must trap") };
    assert_eq!(faults[0].class, FaultClass::Trap);
}

#[test]
fn a_target_may_fault_or_go_on_where_a_fault_may_happen() {
    use warpdiff_model::{Admission, Observation};
    let body = ".shared .align 4 .b8 s[8];\nmov.u64 %d2, s; ld.shared.u32 %r1, [%d2+8]; mov.u32 %r1, 5; st.global.u32 [%out], %r1;";
    let allowed = Kernel::new(body, 1, 1).allowed();
    let faulted = Observation::faulted(FaultClass::OutOfBounds);
    assert!(matches!(allowed.admits(&faulted), Admission::Conforms { .. }));
    let regions = Kernel::new(body, 1, 1).untracked().run().memory.regions;
    let mut state =
        warpdiff_model::State { regions: regions.into_iter().map(|region| region.region).collect() };
    assert!(matches!(
        allowed.admits(&Observation::Completed { state: state.clone() }),
        Admission::Conforms { .. }
    ));
    state.regions[0].bytes[0] = 6;
    assert!(matches!(allowed.admits(&Observation::Completed { state }), Admission::Violates { .. }));
}
