//! Programs as an implementation misreads them: instructions taken for other instructions.
//!
//! Many mistakes come to this: a modifier that is not decoded, a type taken for another, a guard or an offset that is lost. Such a
//! deviation is a row here, and no rule of the machine knows of it.
//!
//! * `rows` has the rows; `change` what a row can do to an instruction, `operands` to its operands.
//! * `references` has what takes more than one instruction to misread: which handle, which variable an access names.
//! * [`by_ptxas`] has what takes knowing what wrote the sources: what a compiler makes of two instructions.
//! * `alignment` does the same to declarations, [`initial`] to initial values, `literals` to the numbers in them.

mod alignment;
pub mod by_ptxas;
mod change;
pub mod initial;
mod literals;
mod operands;
mod references;
mod rows;

use warpdiff_model::{Deviation, Semantics};

use crate::checked::Module;
use change::Around;

/// The deviations that are rows; one may be several.
pub fn by_rows() -> impl Iterator<Item = Deviation> {
    rows::ROWS.iter().map(|row| row.deviation)
}

/// The module as these semantics misread it; `None` if they read it as it is.
pub fn of(module: &Module, semantics: &Semantics) -> Option<Module> {
    if semantics.is_specification() {
        return None;
    }
    let mistaken: Vec<&rows::Row> = rows::ROWS.iter().filter(|row| semantics.has(row.deviation)).collect();
    let is_joined = by_ptxas::are_joined(semantics);
    if mistaken.is_empty()
        && !is_joined
        && !references::are_misread(semantics)
        && !alignment::is_misread(semantics)
    {
        return None;
    }
    let mut read = module.clone();
    for function in &mut read.functions {
        for (index, instruction) in function.body.iter_mut().enumerate() {
            let around = Around { index: index as u32, variables: &module.variables };
            for row in &mistaken {
                row.apply(instruction, &around);
            }
        }
    }
    if is_joined {
        by_ptxas::join(&mut read, module, semantics);
    }
    references::misread(&mut read, semantics);
    alignment::misread(&mut read.variables, semantics);
    Some(read)
}
