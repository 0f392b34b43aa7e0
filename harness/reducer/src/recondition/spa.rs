//! Added instructions in programs of SPA 5.0.
//!
//! A schedule goes: an added instruction has none, and without one each instruction waits for all before it, so that nothing is read too early.

use std::sync::Arc;

use warpdiff_model::Launch;

use super::dialect::{Dialect, Purpose};
use super::wraps::{Place, Side, Wrap};
use crate::spa::unscheduled;

/// The text of a program of SPA 5.0, a statement a line.
pub(super) struct SpaProgram {
    text: Arc<str>,
}

impl SpaProgram {
    /// `None` if it is no program of SPA 5.0.
    pub(super) fn of(launch: &Launch) -> Option<Self> {
        Some(Self { text: unscheduled(launch)?.program })
    }
}

impl Dialect for SpaProgram {
    fn text(&self) -> &str {
        &self.text
    }

    /// Before the first statement, and before its label: a loop may go there.
    fn definition(&self, _: &Launch, line: u32, register: &str, _: Purpose) -> Option<(Place, Wrap)> {
        let is_head =
            |line: &&str| line.is_empty() || line.starts_with('.') && !line.trim_end().ends_with(':');
        let head = self.text.lines().take_while(is_head).count();
        self.can_change(line, register).then(|| ((head as u32, Side::After, register.to_owned()), Wrap::Zero))
    }

    /// Nothing moves a constant to the condition codes.
    fn can_change(&self, _: u32, register: &str) -> bool {
        let is_numbered = |kind| {
            let number = register.strip_prefix(kind);
            number.is_some_and(|it| !it.is_empty() && it.bytes().all(|of| of.is_ascii_digit()))
        };
        is_numbered('R') || is_numbered('P')
    }

    fn written(&self, (.., register): &Place, wrap: &Wrap) -> String {
        let is_predicate = register.starts_with('P');
        match wrap {
            Wrap::Becomes(instruction) => instruction.clone(),
            Wrap::AtMost(most) => format!("    IMNMX.U32 {register}, {register}, {most:#x}, PT;\n"),
            Wrap::Clear(bits) if !is_predicate && *bits as u32 != u32::MAX => {
                format!("    LOP32I.AND {register}, {register}, {:#x};\n", !(*bits as u32))
            }
            Wrap::Clear(_) | Wrap::Zero if is_predicate => {
                format!("    PSETP.AND.AND {register}, PT, !PT, PT, PT;\n")
            }
            Wrap::Clear(_) | Wrap::Zero => format!("    MOV32I {register}, 0x0;\n"),
        }
    }

    /// A branch of SPA 5.0 goes to an address.
    fn index_in_table(&self, _: u32) -> Option<(Place, Wrap)> {
        None
    }
}
