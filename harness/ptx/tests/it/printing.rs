//! What lies beside the instructions: directives, debug information, attributes. Printed in full and read again.

use warpdiff_ptx::ast::{Item, Statement};
use warpdiff_ptx::{Rules, compile, parse, print, print_body_renamed, render};

/// As a compiler writes it with line and debug information, and every directive of 11.
const PROGRAM: &str = r#"
.version 8.8
.target sm_90, debug, texmode_independent
.address_size 64
/* block
   comment */
.file 1 "kernel.cu"
.file 2 "other \ kernel.cu", 1234567, 89
.pragma "nounroll";
.visible .global .attribute(.managed) .align 8 .u64 shared_with_host;
.global .attribute(.unified(19, 95)) .f32 unified;
.extern .shared .align 16 .b8 dynamic[];
.common .global .u32 pool;
.weak .const .v4 .f32 weights[2] = {{1.0, .5, -2.5e-3, 0f3F800000}, {0d3FF0000000000000, 1., 2.0, 3.0}};
.global .samplerref sampler = { addr_mode_0 = clamp_to_border, filter_mode = nearest };
.global .u64 sum = (1 + 2) * ~3 << 4 >= 5 ? -(.s64)6 : !7 % 2;
.extern .func (.param .b32 result) external(.param .b64 format, .param .align 8 .b8 packed[24]);
.func .attribute(.unified(0xAB, 0xCD)) stop() .noreturn
{
    trap;
}
.visible .entry k(
    .param .u64 .ptr .global .align 16 in,
    .param .align 4 .b8 config[12]
)
.maxntid 128, 1, 1
.minnctapersm 2
.maxnreg 64
.pragma "unroll 2";
{
    .reg .pred %p<3>;
    .reg .b32 %r<9>, %single;
    .loc 1 12 3
    ld.param.u32 %r1, [config+4];
    .loc 2 7 1, function_name $L__info_string0, inlined_at 1 12 3
    .loc 2 7 1, function_name $L__info_string0+16, inlined_at 1 12 3
$again:
    { .reg .b32 %r<2>; { mov.u32 %r1, WARP_SZ; } }
    setp.eq.and.s32 %p1|_, %r1, -1, !%p2;
    @!%p1 bra.uni $again;
targets: .branchtargets $again, $done;
    brx.idx %r2, targets;
$done: ret;
}
.section .debug_str
{
$L__info_string0:
.b8 107, 40, 0
.b64 $L__info_string0+4
}
"#;

#[test]
fn directives_survive_printing() {
    let module = parse(PROGRAM).unwrap_or_else(|d| panic!("{}", render(&d, "program", PROGRAM, false)));
    let printed = print(&module);
    let again = parse(&printed).unwrap_or_else(|d| panic!("{}", render(&d, "printed", &printed, false)));
    assert!(again == module, "{printed}");
    assert_eq!(print(&again), printed);
    let files = module.items.iter().filter(|item| matches!(item, Item::Raw(_))).count();
    assert_eq!(files, 3, "two files and a pragma");
    let Some(Item::Function(kernel)) = module.items.iter().rev().nth(1) else {
        panic!("the kernel stands before the section")
    };
    assert_eq!(kernel.directives.len(), 4);
    let raw = kernel.body.iter().flatten().filter(|statement| matches!(statement, Statement::Raw(_))).count();
    assert_eq!(raw, 3, "three lines of .loc");
}

#[test]
fn directives_are_checked() {
    let module = compile(PROGRAM, &Rules::default())
        .unwrap_or_else(|d| panic!("{}", render(&d, "program", PROGRAM, false)));
    assert!(module.texmode_independent);
    let kernel = module.functions.last().expect("the kernel");
    assert_eq!(kernel.max_threads, Some([128, 1, 1]));
    assert_eq!(kernel.branch_targets.len(), 1);
    assert!(module.functions.iter().any(|function| function.name == "stop" && function.noreturn));
    let managed = module.variables.iter().find(|variable| variable.managed).expect("a managed variable");
    assert_eq!(managed.name, "shared_with_host");
    let dynamic =
        module.variables.iter().find(|variable| variable.name == "dynamic").expect("dynamic shared memory");
    assert_eq!((dynamic.external, dynamic.size, dynamic.dimensions.as_slice()), (true, 0, &[0][..]));
    // (1 + 2) * ~3 << 4 is unsigned and huge, so that the condition holds: -6.
    let sum = module.variables.iter().find(|variable| variable.name == "sum").expect("sum");
    assert_eq!(sum.initial, (-6i64).to_le_bytes());
}

/// Two programs are the same if they differ in white space and comments alone.
#[test]
fn equality_of_modules() {
    let of = |text: &str| parse(text).expect("it parses");
    let a = of(".version 8.8\n.target sm_90\n.global .u32 x;");
    assert!(a == of(".version 8.8 .target sm_90 /* c */ .global\t.u32 x ; // d"));
    assert!(a != of(".version 8.8\n.target sm_90\n.global .u32 y;"));
    assert!(a != of(".version 8.8\n.target sm_90\n.global .u32 x; .global .u32 y;"));
}

#[test]
fn names_are_replaced_wherever_they_stand_and_nothing_else_is() {
    // Every name of module scope is also something else: an opcode, a member of an opaque variable, an enumerator, a register,
    // a label, a parameter.
    let text = ".version 8.0
.target sm_50
.address_size 64
.global .u32 nearest = 7;
.global .u64 pointer[2] = {generic(nearest), nearest+4};
.global .samplerref filter_mode = { filter_mode = nearest };
.func (.param .b32 nearest) add(.param .b32 filter_mode) { .reg .b32 pointer; pointer: add.u32 pointer, pointer, 1; @nearest bra pointer; ret; }
.visible .entry mov(.param .u64 add)
.maxntid 32
{ .reg .pred p; .reg .b32 r; mov.u32 r, nearest; @!p bra add; ld.global.u32 r, [pointer+8]; call (r), add, (r); add: ret; }
";
    let tree = parse(text).unwrap();
    let names = ["nearest", "pointer", "filter_mode", "add", "mov"];
    let renamed = print_body_renamed(&tree, &|name| names.contains(&name).then(|| format!("{name}_0")));
    let wanted = ".global .u32 nearest_0 = 7;
.global .u64 pointer_0[2] = {generic(nearest_0), nearest_0+4};
.global .samplerref filter_mode_0 = {filter_mode = nearest};
.func (.param .b32 nearest_0) add_0(.param .b32 filter_mode_0)
{
    .reg .b32 pointer_0;
pointer_0:
    add.u32 pointer_0, pointer_0, 1;
    @nearest_0 bra pointer_0;
    ret;
}

.visible .entry mov_0(.param .u64 add_0)
.maxntid 32
{
    .reg .pred p;
    .reg .b32 r;
    mov.u32 r, nearest_0;
    @!p bra add_0;
    ld.global.u32 r, [pointer_0+8];
    call (r), add_0, (r);
add_0:
    ret;
}

";
    assert_eq!(renamed, wanted);
    // Without other names it is the module, less its head.
    let same = print_body_renamed(&tree, &|_| None);
    assert!(print(&tree).ends_with(&same) && !same.contains(".version"));
}
