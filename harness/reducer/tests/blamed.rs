//! A deviation that is known to be the cause, though another one reproduces the first launch as well.

use std::sync::Arc;

use warpdiff_model::{Argument, Buffer, Deviation, Launch};
use warpdiff_reducer::held::Held;
use warpdiff_reducer::{Size, reduce};
use warpdiff_targets::TargetName;

/// One modulo minus one is 0. As numbers without a sign it is 1 modulo 2^64 - 1, which is 1; and with the offset of the second load taken for 8 elements
/// it would be 1 modulo 0, which is no number.
const PROGRAM: &str = "\
.version 8.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %d<5>;
    ld.param.u64 %d1, [in];
    ld.param.u64 %d2, [out];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %d1, %r1, 16, %d1;
    ld.global.b64 %d3, [%d1];
    ld.global.b64 %d4, [%d1+8];
    rem.s64 %d3, %d3, %d4;
    st.global.b64 [%d2], %d3;
    ret;
}
";

#[test]
fn it_is_held_to_its_own_instruction() {
    let target: TargetName = "emulator+rem.unsigned".parse().expect("a target");
    let target = target.open();
    let mut launch = Launch::new(Arc::from(PROGRAM), "k");
    let input = [1_i64, -1].iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    launch.buffers = vec![Buffer::new("in", input), Buffer::new("out", vec![0; 8])];
    launch.arguments =
        vec![Argument::Buffer { index: 0, offset: 0 }, Argument::Buffer { index: 1, offset: 0 }];
    let (mut held, whole) = Held::to(target.as_ref(), launch).unwrap_or_else(|why| panic!("{why}"));
    let rem = Deviation::all().find(|deviation| deviation.name() == "rem.unsigned").expect("it is known");
    // A deviation of loads reproduces it, too, and comes first; so the launch parts at a load under it.
    assert!(held.signature().cause.len() > 1 && held.signature().cause[0] != rem, "{}", held.signature());
    held.blame(rem, &whole);
    let left = reduce(whole, &mut held);
    assert_eq!(held.signature().instruction.as_deref(), Some("rem.s64"), "{}", left.program);
    assert_eq!(held.signature().cause, [rem]);
    let size = Size::of(&left, held.signature().instruction.as_deref()).expect("PTX");
    assert_eq!((size.instructions, size.beside_data), (3, 1), "{}", left.program);
    assert!(held.finished(left).is_some());
}
