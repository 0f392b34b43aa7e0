//! Programs whose behaviour depends on undefined bits become programs that the specification decides.

use std::sync::Arc;

use warpdiff_emulator::compile;
use warpdiff_model::{Argument, Buffer, Launch, Outcome, Permitted, Semantics, Surface};
use warpdiff_reducer::held::Held;
use warpdiff_reducer::recondition::{indeterminate, recondition, recondition_within};
use warpdiff_reducer::{instructions, reduce};
use warpdiff_targets::TargetName;

fn launch(program: &str) -> Launch {
    let mut launch = Launch::new(Arc::from(program), "k");
    launch.buffers = vec![Buffer::new("out", vec![0; 64])];
    launch.arguments = vec![Argument::Buffer { index: 0, offset: 0 }];
    launch.step_budget = 10_000;
    launch
}

/// A kernel with that body and one buffer, `out`.
fn kernel(body: &str) -> Launch {
    launch(&format!(
        ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %d<9>;\n{body}\n}}\n"
    ))
}

/// The lines of the reconditioned program that are in none of the first.
fn added(launch: &Launch) -> Vec<String> {
    assert_eq!(indeterminate(launch), Some(true), "{}", launch.program);
    let wrapped = recondition(launch).unwrap_or_else(|| panic!("nothing helps:\n{}", launch.program));
    assert_eq!(indeterminate(&wrapped), Some(false), "{}", wrapped.program);
    assert_eq!(recondition(&wrapped).as_ref(), Some(&wrapped), "a determinate program changes");
    let before: Vec<&str> = launch.program.lines().map(str::trim).collect();
    let lines = wrapped.program.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !before.contains(line)).map(str::to_owned).collect()
}

#[test]
fn a_register_that_nothing_wrote_is_defined_where_it_is_declared() {
    let guard = kernel("setp.lt.s32 %p1, %r1, 5;\n@%p1 bra END;\nmov.u32 %r2, 1;\nEND: ret;");
    assert!(added(&guard).contains(&"mov.b32 %r1, 0;".to_owned()));
    let predicate = kernel("@%p3 trap;\nret;");
    assert_eq!(added(&predicate), ["setp.ne.u32 %p3, 0, 0;"]);
    let float = kernel("setp.lt.f32 %p1, %f1, 0f3F800000;\n@%p1 trap;\nret;");
    assert_eq!(added(&float), ["mov.f32 %f1, 0f00000000;"]);
    let half = kernel("setp.ne.u16 %p1, %h2, 0;\n@%p1 trap;\nret;");
    assert_eq!(added(&half), ["mov.b16 %h2, 0;"]);
}

/// The base of the address becomes a buffer of the launch, the distance from it zero.
#[test]
fn an_address_that_nothing_wrote_is_that_of_a_buffer() {
    let both = kernel("mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\nst.global.u32 [%d3], 7;\nret;");
    let mut lines = added(&both);
    lines.sort();
    assert_eq!(lines, ["ld.param.b64 %d1, [out];", "mov.b32 %r1, 0;"]);
    let distance = kernel("ld.param.u64 %d1, [out];\nadd.s64 %d3, %d1, %d2;\nst.global.u32 [%d3], 7;\nret;");
    assert_eq!(added(&distance), ["mov.b64 %d2, 0;"]);
}

/// "Division by zero yields an unspecified, machine-specific value."
#[test]
fn bits_that_an_instruction_leaves_undefined_are_cleared_behind_it() {
    let division =
        kernel("mov.u32 %r1, 0;\ndiv.u32 %r2, 7, %r1;\nsetp.eq.u32 %p1, %r2, 3;\n@%p1 trap;\nret;");
    assert_eq!(added(&division), ["mov.b32 %r2, 0;"]);
    // Of the four bytes one has no value.
    let mut loaded = kernel(
        "ld.param.u64 %d1, [out];\nld.global.u32 %r1, [%d1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 trap;\nret;",
    );
    loaded.buffers[0].defined = [vec![0xFF, 0, 0xFF, 0xFF], vec![0xFF; 60]].concat();
    assert_eq!(added(&loaded), ["and.b32 %r1, %r1, 0xffff00ff;"]);
}

/// Two threads store different values to one place without a barrier: its bytes are raced.
#[test]
fn raced_bytes_that_reach_a_branch_are_cleared() {
    let mut raced = kernel(
        "ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\nst.global.u32 [%d1], %r1;\nld.global.u32 %r2, [%d1];\n\
         setp.eq.u32 %p1, %r2, 99;\n@%p1 trap;\nret;",
    );
    raced.block = [64, 1, 1];
    let lines = added(&raced);
    assert!(lines.len() == 1 && lines[0].contains(" %r2, "), "{lines:?}");
}

#[test]
fn an_index_is_kept_within_its_table() {
    let branch = "mov.u32 %r1, 7;\nLIST: .branchtargets A, B;\nbrx.idx %r1, LIST;\nA:\ntrap;\nB:\nret;";
    assert_eq!(added(&kernel(branch)), ["min.u32 %r1, %r1, 1;"]);
}

#[test]
fn a_handle_that_names_nothing_becomes_that_of_a_surface() {
    let program = ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 image)\n{\n\
                   .reg .b32 %r<3>;\n.reg .b64 %d<3>;\nHANDLE\nsuld.b.1d.b32.trap %r1, [%d1, {0}];\nret;\n}\n";
    let with = |handle: &str| Launch {
        buffers: Vec::new(),
        arguments: vec![Argument::Surface { index: 0 }],
        surfaces: vec![Surface {
            name: "image".into(),
            geometry: warpdiff_model::Geometry::D1,
            extent: [4, 1, 1],
            layers: 1,
            format: "u32".parse().expect("a format"),
            bytes: vec![0; 16],
            bound_to: None,
        }],
        ..launch(&program.replace("HANDLE", handle))
    };
    assert_eq!(added(&with("")), ["ld.param.b64 %d1, [image];"]);
    assert_eq!(added(&with("mov.u64 %d1, 12345;")), ["ld.param.b64 %d1, [image];"]);
    // Without such an argument it becomes a pointer to a variable.
    let mut bound = with("");
    bound.program = Arc::from(
        bound
            .program
            .replace("(.param .u64 image)", "()")
            .replace(".visible", ".global .surfref picture;\n.visible"),
    );
    bound.arguments.clear();
    bound.surfaces[0].bound_to = Some("picture".into());
    assert_eq!(added(&bound), ["mov.u64 %d1, picture;"]);
}

/// "The behavior of bar.warp.sync is undefined if the executing thread is not in the membermask."
#[test]
fn what_no_value_of_a_register_makes_right_is_left_out() {
    let barrier = kernel("mov.u32 %r1, 5;\nbar.warp.sync 0;\nret;");
    assert_eq!(indeterminate(&barrier), Some(true));
    let wrapped = recondition(&barrier).expect("it is left out");
    assert!(!wrapped.program.contains("bar.warp.sync"), "{}", wrapped.program);
    assert_eq!(indeterminate(&wrapped), Some(false));
}

#[test]
fn registers_of_functions_and_of_inner_blocks_are_found_in_their_scopes() {
    let inner =
        kernel("{\n.reg .b32 %r1;\n{\n.reg .pred %q;\nsetp.eq.u32 %q, %r1, 3;\n@%q trap;\n}\n}\nret;");
    let wrapped = recondition(&inner).expect("it is defined in the inner block");
    let (declared, defined) =
        (wrapped.program.find(".reg .b32 %r1;"), wrapped.program.find("mov.b32 %r1, 0;"));
    assert!(declared.is_some() && declared < defined, "{}", wrapped.program);
    let called = launch(
        ".version 8.0\n.target sm_50\n.address_size 64\n.func f()\n{\n.reg .pred %p;\n@%p trap;\nret;\n}\n\
         .visible .entry k(.param .u64 out)\n{\n.reg .pred %p;\ncall f, ();\nret;\n}\n",
    );
    assert_eq!(added(&called), ["setp.ne.u32 %p, 0, 0;"]);
}

/// In SPA 5.0 a register, a predicate, an address; the schedule goes.
#[test]
fn programs_of_spa_are_reconditioned_too() {
    let head = ".spa 5.0\n.shader compute\n.registers 24\n.shared 64\n.local 0\n";
    let spa = |body: &str| launch(&format!("{head}{body}"));
    let branch = spa(
        "    ISETP.LT.AND P0, PT, R3, RZ, PT;\n    @P0 BRA AWAY;\n    MOV32I R1, 0x1;\nAWAY:\n    EXIT;\n",
    );
    assert!(added(&branch).contains(&"MOV32I R3, 0x0;".to_owned()));
    let guard = spa("    @P1 BRA AWAY;\n    MOV32I R1, 0x1;\nAWAY:\n    EXIT;\n");
    assert!(added(&guard).contains(&"PSETP.AND.AND P1, PT, !PT, PT, PT;".to_owned()));
    let shared = spa("    LDS R1, [R2];\n    EXIT;\n");
    // A loop at the top begins with a label, as the listing of a compiled kernel has it: the register is defined before, not in each round.
    let counted =
        ".L_0:\n    IADD R5, R5, 0x1;\n    ISETP.LT.AND P0, PT, R5, 0x4, PT;\n    @P0 BRA .L_0;\n    EXIT;\n";
    let counted = spa(counted);
    assert!(added(&counted).contains(&"MOV32I R5, 0x0;".to_owned()));
    let wrapped = recondition(&counted).expect("it is decided");
    let compiled = compile(&wrapped.program).expect("it is legal");
    let allowed =
        warpdiff_emulator::allowed(&compiled.program, &wrapped, &Semantics::default()).expect("it runs");
    let ends = |outcome: &Outcome| matches!(outcome.permitted, Permitted::Completed { .. });
    assert!(allowed.outcomes.iter().all(ends), "{}", wrapped.program);
    assert!(added(&shared).contains(&"MOV32I R2, 0x0;".to_owned()));
}

/// A loop of three instructions that runs 5,000 times, and a guard behind it that nothing wrote. The reference runs it up to the guard, a trace does the
/// same, and the reference runs it to its end: 45,000 thread-instructions at least.
#[test]
fn a_program_that_takes_too_long_is_not_reconditioned() {
    let looping = "mov.u32 %r1, 0;\nAGAIN: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 5000;\n@%p1 bra AGAIN;\n@%p2 trap;\nret;";
    let launch = Launch { step_budget: 1 << 20, ..kernel(looping) };
    assert_eq!(recondition_within(&launch, 45_000), None);
    // And two compilations of some 300 bytes, and what it takes to begin three runs.
    let decided = recondition_within(&launch, 55_000).expect("that is enough");
    assert_eq!(indeterminate(&decided), Some(false));
    assert_eq!(recondition(&launch), Some(decided));
    // Nor does it run longer than that: what never ends ends with the budget.
    let endless = Launch { step_budget: 1 << 20, ..kernel("AGAIN: @%p2 trap;\nbra AGAIN;") };
    assert_eq!(indeterminate(&endless), Some(true));
    assert_eq!(recondition_within(&endless, 100_000), None);
}

/// More than a hundred guards that nothing wrote, each of which the reference names alone.
#[test]
fn a_program_with_many_undefined_registers_is_reconditioned() {
    let guards: String =
        (0..150).map(|number| format!(".reg .pred %q{number};\n@%q{number} trap;\n")).collect();
    let launch = kernel(&format!("{guards}ret;"));
    let decided = recondition(&launch).expect("each of them is defined");
    assert_eq!(indeterminate(&decided), Some(false));
}

#[test]
fn what_is_no_program_is_not_reconditioned() {
    assert_eq!(recondition(&launch(".entry")), None);
    assert_eq!(recondition(&kernel("no.such %r1;")), None);
}

/// Each load of the chain gives the address of the next, and the store at its end needs one. No constant stands for an address, so that no
/// part of the chain can go unless the address at its end gets another definition.
#[test]
fn a_chain_of_addresses_goes_though_something_needs_its_end() {
    let chain: String = (1..90).map(|n| format!("ld.global.u64 %c{n}, [%c{}];\n", n - 1)).collect();
    let whole = kernel(&format!(
        ".reg .b64 %c<90>;\nld.param.u64 %c0, [out];\nst.global.u64 [%c0], %c0;\n{chain}\
         mov.b32 %r1, -8;\nshr.s32 %r2, %r1, 1;\nst.global.u32 [%c89+8], %r2;\nret;"
    ));
    let target: TargetName = "emulator+shr.unsigned".parse().expect("a target");
    let target = target.open();
    let (mut held, whole) = Held::to(target.as_ref(), whole).unwrap_or_else(|why| panic!("{why}"));
    let left = reduce(whole, &mut held);
    assert!(held.reconditioned() > 0);
    assert!(instructions(&left).is_some_and(|count| count <= 3), "{}", left.program);
    assert!(held.finished(left).is_some());
}
