//! Alignments of declarations, as they are misread.

use warpdiff_model::{Deviation, Semantics};
use warpdiff_ptx::misread::of;
use warpdiff_ptx::{Rules, compile};

/// The alignment of the first variable, by the specification and under a deviation.
fn aligned(deviation: Deviation, declaration: &str) -> (u64, u64) {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{declaration}\n");
    let module = compile(&text, &Rules::default()).unwrap_or_else(|errors| panic!("{errors:?}"));
    let misread = of(&module, &Semantics::default().with(deviation)).unwrap();
    (module.variables[0].align, misread.variables[0].align)
}

#[test]
fn alignments_are_misread_as_each_deviation_says() {
    use Deviation as D;
    for (deviation, declaration, expected) in [
        (D::AlignIgnored, ".shared .align 16 .b8 v[5];", (16, 1)),
        (D::AlignIgnored, ".shared .align 16 .u32 v;", (16, 4)),
        (D::AlignIgnored, ".const .align 16 .u32 v;", (16, 16)),
        (D::AlignUnpadded, ".shared .u64 v;", (8, 1)),
        (D::AlignUnpadded, ".const .u64 v;", (8, 8)),
        (D::AlignArrayOne, ".shared .u32 v[2];", (4, 1)),
        (D::AlignArrayOne, ".shared .align 8 .u32 v[2];", (8, 8)),
        (D::AlignArrayOne, ".shared .u32 v;", (4, 4)),
        (D::AlignVectorElement, ".const .v4 .u16 v;", (8, 2)),
        (D::AlignVectorElement, ".const .align 16 .v4 .u16 v;", (16, 16)),
        (D::AlignDynamicPacked, ".extern .shared .align 64 .b8 v[];", (64, 1)),
        (D::AlignDynamicPacked, ".shared .align 64 .b8 v[2];", (64, 64)),
        (D::AlignInBits, ".const .align 64 .u32 v;", (64, 8)),
        (D::AlignInBits, ".const .align 8 .u32 v;", (8, 4)),
        (D::AlignAtMost16, ".const .align 64 .u32 v;", (64, 16)),
    ] {
        assert_eq!(aligned(deviation, declaration), expected, "{deviation} {declaration}");
    }
}
