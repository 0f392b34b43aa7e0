//! An instruction of a program, for reports, and how the one that a mismatch comes from is found.

use warpdiff_corpus::plan::{Location, PlannedLaunch};
use warpdiff_emulator::{Checked, Compiled};
use warpdiff_model::{Deviation, Mismatch};
use warpdiff_ptx::vocabulary::{Modifier, Opcode};

use super::surface_operand::SurfaceOperand;
use super::{ptx, spa};
use crate::shown_by::{may_show_at, may_show_at_spa};
use crate::surface_access::SurfaceAccess;

/// An instruction of a program, for reports.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its text.
    pub text: String,
    /// Its line in the program, from 1.
    pub line: u32,
    /// The byte of the program that it begins at.
    pub start: u32,
    /// Its place in the corpus, if it was copied from there.
    pub location: Option<Location>,
    /// Its family: `suld.b`, `ATOMS.CAST`.
    pub family: String,
    /// The access to a surface that it is.
    pub surface_access: Option<SurfaceAccess>,
    /// Its opcode, of PTX programs.
    pub opcode: Option<Opcode>,
    /// Its mode out of bounds: `.clamp`, `.zero` or `.trap`.
    pub surface_mode: Option<Modifier>,
    /// Whether it converts or rounds: `cvt`, `sust.p`, floating-point arithmetic.
    pub converts: bool,
    /// Bytes of a surface access, 0 for other instructions.
    pub access: u32,
    /// Bytes of one element of its access. The rest of a wider register is the extension of a loaded element.
    pub element: u32,
    /// Whether the x coordinate of a surface access counts bytes (`.b`); it counts texels otherwise.
    pub x_in_bytes: bool,
    /// The surface and the coordinates as operands, for a surface access.
    pub target: Option<SurfaceOperand>,
}

impl Site {
    /// Whether the instruction can show the deviation. Then [`find`] puts a mismatch down to it with the deviation as without; `compiled` is
    /// the program of the site.
    pub fn shows(&self, deviation: Deviation, compiled: &Compiled) -> bool {
        match &compiled.checked {
            Checked::Ptx(module) => {
                let mut all = module.functions.iter().flat_map(|function| &function.body);
                all.any(|it| it.span.start == self.start && may_show_at(deviation, it))
            }
            Checked::Spa(program) => {
                let mut all = program.statements.iter();
                all.any(|it| it.span.start == self.start && may_show_at_spa(deviation, &it.instruction))
            }
        }
    }
}

/// The instruction that a mismatch comes from: the last one of the author's that produces the stored register, or that stores to
/// the region. `None` if no instruction of the author's can have caused it. Only instructions in which `explained` can show are
/// candidates.
pub fn find(
    compiled: &Compiled,
    planned: &PlannedLaunch,
    mismatch: &Mismatch,
    explained: Option<Deviation>,
) -> Option<Site> {
    match &compiled.checked {
        Checked::Ptx(module) => ptx::find(module, compiled, planned, mismatch, explained),
        Checked::Spa(program) => spa::find(program, compiled, planned, mismatch, explained),
    }
}
