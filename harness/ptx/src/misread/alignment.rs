//! Alignments of variables as an implementation misreads them.

use warpdiff_model::{Deviation, Semantics};

use crate::checked::Variable;
use crate::vocabulary::Space;

/// What becomes of the alignment of a variable; 0 bytes are 1.
struct Row {
    deviation: Deviation,
    when: fn(&Variable) -> bool,
    align: fn(&Variable) -> u64,
}

const fn row(deviation: Deviation, when: fn(&Variable) -> bool, align: fn(&Variable) -> u64) -> Row {
    Row { deviation, when, align }
}

const ROWS: &[Row] = &[
    row(Deviation::AlignIgnored, |it| is_stated(it) && is_shared(it), natural),
    row(Deviation::AlignUnpadded, |it| is_shared(it) && !is_dynamic(it) || it.space == Space::Local, |_| 1),
    row(Deviation::AlignArrayOne, |it| !it.dimensions.is_empty() && !is_stated(it) && is_shared(it), |_| 1),
    row(Deviation::AlignVectorElement, |it| it.vector > 1 && !is_stated(it), |it| it.ty.size().into()),
    row(Deviation::AlignDynamicPacked, is_dynamic, |_| 1),
    row(Deviation::AlignInBits, is_stated, |it| natural(it).max(it.align / 8)),
    row(Deviation::AlignAtMost16, |it| it.align > 16, |_| 16),
];

/// The alignment that a variable has by its type.
fn natural(variable: &Variable) -> u64 {
    u64::from(variable.ty.size()) * u64::from(variable.vector.max(1)).next_power_of_two()
}

/// Whether it is aligned to more than its type is.
fn is_stated(variable: &Variable) -> bool {
    variable.align > natural(variable)
}

fn is_shared(variable: &Variable) -> bool {
    variable.space == Space::Shared
}

/// Whether it is an `.extern .shared` array without a size.
fn is_dynamic(variable: &Variable) -> bool {
    is_shared(variable) && variable.external && variable.size == 0
}

/// Whether these semantics misread alignments.
pub(super) fn is_misread(semantics: &Semantics) -> bool {
    ROWS.iter().any(|row| semantics.has(row.deviation))
}

/// Aligns variables as these semantics have it.
pub(super) fn misread(variables: &mut [Variable], semantics: &Semantics) {
    let rows = || ROWS.iter().filter(|row| semantics.has(row.deviation));
    for variable in variables.iter_mut().filter(|it| !it.ty.is_opaque() && it.space != Space::Param) {
        for row in rows() {
            if (row.when)(variable) {
                variable.align = (row.align)(variable).max(1);
                variable.least_align = variable.least_align.min(variable.align);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::of;
    use super::*;
    use crate::{Rules, compile};

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
}
