//! An instruction of SPA 5.0 with a modifier that has several spellings: printed it is another text, and the same instruction.

use std::sync::Arc;

use warpdiff_model::{Argument, Buffer, Launch};
use warpdiff_reducer::held::Held;
use warpdiff_reducer::{Size, reduce};
use warpdiff_targets::TargetName;

/// With its offset zero-extended the exchange would go 16 MB further, beyond shared memory.
const PROGRAM: &str = "\
.spa 5.0
.shader compute
.registers 24
.shared 64
.local 0
    MOV R2, c[0x0][0x140];
    MOV R3, c[0x0][0x144];
    MOV32I R7, 0x10;
    MOV32I R18, 0x1;
    MOV32I R19, 0x2;
    IADD R18, R18, R19;
    STS.64 [0x8], R18;
    ATOMS.EXCH.64 R20, [R7+-0x8], R18;
    STG.E.64 [R2], R20;
    EXIT;
";

#[test]
fn a_spelling_that_is_not_that_of_the_printer_is_the_same_instruction() {
    let target: TargetName = "emulator+spa.offset-zero-extended".parse().expect("a target");
    let target = target.open();
    let mut launch = Launch::new(Arc::from(PROGRAM), "k");
    launch.buffers = vec![Buffer::new("out", vec![0; 8])];
    launch.arguments = vec![Argument::Buffer { index: 0, offset: 0 }];
    let (mut held, whole) = Held::to(target.as_ref(), launch).unwrap_or_else(|why| panic!("{why}"));
    let left = reduce(whole, &mut held);
    let instruction = held.signature().instruction.clone();
    assert_eq!(instruction.as_deref(), Some("ATOMS.EXCH.U64"), "{}", held.signature());
    let size = Size::of(&left, instruction.as_deref()).expect("SPA");
    // The address, the exchange and the end.
    assert!(size.instructions <= 3, "{}", left.program);
    assert!(held.finished(left).is_some());
}
