//! An instruction of a program, for reports, and how the one that a mismatch comes from is found.

use warpdiff_corpus::plan::{Location, PlannedLaunch};
use warpdiff_emulator::{Checked, Compiled};
use warpdiff_model::{Deviation, Mismatch};
use warpdiff_ptx::vocabulary::{Modifier, Opcode};

use super::surface_operand::SurfaceOperand;
use super::{ptx, spa};

/// An instruction of a program, for reports.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its text.
    pub text: String,
    /// Its line in the program, from 1.
    pub line: u32,
    /// The byte of the program that it begins at.
    pub start: u32,
    /// Where it stands in the corpus, if it was copied from there.
    pub location: Option<Location>,
    /// What it has in common with others that are likely to be right or wrong together: `suld.b`, `ATOMS.CAST`.
    pub family: String,
    /// Its opcode, of PTX programs.
    pub opcode: Option<Opcode>,
    /// Whether the access it makes may leave its surface: it has `.clamp`, `.zero` or `.trap`.
    pub surface_mode: Option<Modifier>,
    /// Whether it converts or rounds: `cvt`, `sust.p`, floating-point arithmetic.
    pub converts: bool,
    /// Bytes of a surface access, 0 for other instructions.
    pub access: u32,
    /// Bytes of one element of what it accesses: of a load, what lies beyond in a wider register is its extension.
    pub element: u32,
    /// Whether the x coordinate of a surface access counts bytes (`.b`); it counts texels otherwise.
    pub x_in_bytes: bool,
    /// The surface and the coordinates as operands, for a surface access.
    pub target: Option<SurfaceOperand>,
}

/// The instruction a mismatch comes from, as well as it can be told from the program: the last one the author wrote that
/// produces the register stored there, or that stores to the region concerned. `None` where no instruction of the author's
/// could have done it, or none did anything. A deviation that explains the mismatch
/// tells which family of instructions to look for.
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
