//! Mistakes that no deviation of the catalogue is: what stays is the wrong value.

use std::sync::Arc;

use warpdiff_emulator::compile;
use warpdiff_model::{Argument, Buffer, Launch, Observation, Semantics};
use warpdiff_reducer::held::{Held, Unreducible};
use warpdiff_reducer::{instructions, reduce};
use warpdiff_targets::{Question, Target};

/// Computes `or` in place of `xor`, and `clz` in place of `popc`.
struct TwoMistakes;

impl Target for TwoMistakes {
    fn name(&self) -> &str {
        "two-mistakes"
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let launch = &question.planned.launch;
        let text = launch.program.replace("xor.b32", "or.b32").replace("popc.b32", "clz.b32");
        let program: Arc<str> = Arc::from(text);
        let launch = Launch { program: Arc::clone(&program), ..launch.clone() };
        let compiled = compile(&program).unwrap_or_else(|error| panic!("{error:?}\n{program}"));
        warpdiff_emulator::observe(&compiled.program, &launch, &Semantics::default()).expect("it begins")
    }
}

/// Six and three have a bit in common, so that `or` is not `xor`; the guard of `popc` does not hold.
fn launch(first: u32, second: u32) -> Launch {
    let program = "\
.version 8.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [a];
    ld.param.u32 %r2, [b];
    setp.eq.u32 %p1, %r1, 99;
    mov.u32 %r5, 40;
    @%p1 popc.b32 %r5, %r2;
    add.u32 %r3, %r1, 0;
    xor.b32 %r4, %r3, %r2;
    mul.lo.u32 %r6, %r4, 5;
    add.u32 %r7, %r6, %r5;
    st.global.u32 [%rd1], %r7;
    ret;
}
";
    let value = |value: u32| Argument::Value(value.to_le_bytes().to_vec());
    let mut launch = Launch::new(Arc::from(program), "k");
    launch.buffers = vec![Buffer::new("out", vec![0; 8])];
    launch.arguments = vec![Argument::Buffer { index: 0, offset: 0 }, value(first), value(second)];
    launch
}

#[test]
fn a_mistake_that_nothing_explains_stays_itself() {
    let (mut held, whole) = Held::to(&TwoMistakes, launch(6, 3)).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(held.signature().cause, []);
    let left = reduce(whole, &mut held);
    assert!(left.program.contains("xor.b32") && !left.program.contains("popc"), "{}", left.program);
    assert!(instructions(&left).expect("PTX") <= 6, "{}", left.program);
    assert!(held.finished(left).is_some());
}

#[test]
fn where_it_does_not_show_there_is_nothing_to_reduce() {
    // Four and three have no bit in common.
    assert_eq!(Held::to(&TwoMistakes, launch(4, 3)).err(), Some(Unreducible::Conforms));
}
