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
