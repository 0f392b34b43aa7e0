//! What reconditioning asks of a program, whatever its dialect is.

use warpdiff_model::Launch;

use super::wraps::{Place, Wrap};

/// What a register is defined for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// For any use.
    Value,
    /// To be the address of global memory.
    Address,
    /// To name a surface.
    Surface,
    /// To name a texture.
    Texture,
}

/// A program that gets more instructions. Lines are those of its text, from 1.
pub(super) trait Dialect {
    /// The text, with one statement a line.
    fn text(&self) -> &str;

    /// Where a register is defined that the instruction of this line reads before anything wrote it; `None` if there is no such place.
    fn definition(
        &self,
        launch: &Launch,
        line: u32,
        register: &str,
        purpose: Purpose,
    ) -> Option<(Place, Wrap)>;

    /// Whether an instruction can be added that changes that register at that line.
    fn can_change(&self, line: u32, register: &str) -> bool;

    /// A line with an added instruction. It is asked only of registers that can be changed.
    fn written(&self, place: &Place, wrap: &Wrap) -> String;

    /// What keeps the index of the branch at that line within its table of targets; `None` if it has none.
    fn index_in_table(&self, line: u32) -> Option<(Place, Wrap)>;
}
