//! The output column that a byte belongs to.

use warpdiff_corpus::plan::{Column, PlannedLaunch};
use warpdiff_model::Mismatch;

/// Name of the output column that a mismatch in the buffer of outputs begins in.
pub(crate) fn column_at(planned: &PlannedLaunch, mismatch: &Mismatch) -> Option<String> {
    let within = mismatch.offset.checked_rem(planned.record()).unwrap_or(mismatch.offset);
    column_byte(planned, within).map(|(column, _)| column.name.clone())
}

/// The output column of a byte of a row's record, and the offset of the byte in it.
pub(crate) fn column_byte(planned: &PlannedLaunch, byte: usize) -> Option<(&Column, usize)> {
    let column = planned.columns.iter().find(|column| column.bytes().contains(&byte))?;
    Some((column, byte - column.offset as usize))
}
