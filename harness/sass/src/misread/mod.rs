//! Programs as an implementation misreads them: fields of words taken for others, sizes for others.
//!
//! A deviation that comes to this is a row here, and no rule of the machine knows of it. Each statement stays one statement in its place,
//! so that whatever refers to it by its number still does.
//!
//! * `rows` has the rows; `change` what a row can do to an instruction.
//! * `zero_register` makes a register like others of `RZ`; `sizes` has the sizes of memory.

mod change;
mod rows;
mod sizes;
mod zero_register;

use warpdiff_model::{Deviation, Semantics};

use crate::program::Program;

/// The deviations that are rows; one may be several.
pub fn by_rows() -> impl Iterator<Item = Deviation> {
    rows::ROWS.iter().map(|row| row.deviation)
}

/// The program as these semantics misread it; `None` if they read it as it is.
pub fn of(program: &Program, semantics: &Semantics) -> Option<Program> {
    if semantics.is_specification() {
        return None;
    }
    let mut misread = program.clone();
    let rows = || rows::ROWS.iter().filter(|row| semantics.has(row.deviation));
    for statement in &mut misread.statements {
        rows().for_each(|row| row.apply(&mut statement.instruction));
    }
    sizes::misread(&mut misread.header, semantics);
    zero_register::misread(&mut misread, semantics);
    (misread != *program).then_some(misread)
}
