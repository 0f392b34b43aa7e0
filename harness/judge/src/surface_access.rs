//! Accesses to surfaces, as a table of results counts them: the family of the instruction, the geometry that it names, and what it does
//! out of bounds.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warpdiff_corpus::plan::ProgramMap;
use warpdiff_emulator::{Checked, Compiled};
use warpdiff_ptx::checked::Instruction;
use warpdiff_ptx::vocabulary::Modifier;

use crate::instruction_family;

/// An access to a surface, without its types, operands and cache operator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SurfaceAccess {
    /// Family of the instruction: `suld.b`, `SUST.D`.
    pub instruction: String,
    /// The geometry that it names, as PTX does: `1d`, `2d`, `3d`, `a1d`, `a2d`.
    pub geometry: String,
    /// What it does out of bounds: `trap`, `clamp` or `zero`, for which SPA 5.0 has `.TRAP`, nothing and `.IGN`. Left out where the
    /// instruction states nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clamp: Option<String>,
}

impl SurfaceAccess {
    /// The geometries, in the order of tables.
    pub const GEOMETRIES: [&str; 5] = ["1d", "2d", "3d", "a1d", "a2d"];
    /// What an access may do out of bounds, in the order of tables.
    pub const CLAMPS: [&str; 3] = ["trap", "clamp", "zero"];

    /// That of an instruction of PTX. `None` if it accesses no surface.
    pub(crate) fn of(instruction: &Instruction) -> Option<Self> {
        if !instruction.opcode.is_surface() {
            return None;
        }
        let first = |of: &[Modifier]| of.iter().find(|modifier| instruction.has(**modifier)).copied();
        // `suq` names no geometry.
        let geometry = first(&[Modifier::D1, Modifier::D2, Modifier::D3, Modifier::A1d, Modifier::A2d])?;
        let clamp = first(&[Modifier::Trap, Modifier::Clamp, Modifier::Zero]);
        Some(Self {
            instruction: instruction_family::of(instruction),
            geometry: geometry.to_string(),
            clamp: clamp.map(|clamp| clamp.to_string()),
        })
    }

    /// That of an instruction of SPA 5.0. `None` if it accesses no surface, or one of a geometry that PTX does not have.
    pub(crate) fn of_spa(instruction: &warpdiff_sass::Instruction) -> Option<Self> {
        let geometry = match instruction.modifier_name("dimension")? {
            "1D" => "1d",
            "2D" => "2d",
            "3D" => "3d",
            "1D_ARRAY" => "a1d",
            "2D_ARRAY" => "a2d",
            _ => return None,
        };
        // ptxas makes `.IGN` of `.zero`, and nothing of `.clamp`. Texture instructions have no such field.
        let clamp = match instruction.modifier_name("clamp")? {
            "IGN" => Some("zero"),
            "" => Some("clamp"),
            "TRAP" => Some("trap"),
            _ => None,
        };
        Some(Self {
            instruction: instruction_family::of_spa(instruction),
            geometry: geometry.into(),
            clamp: clamp.map(Into::into),
        })
    }
}

/// The accesses to surfaces that the author wrote.
pub fn all(compiled: &Compiled, map: &ProgramMap) -> BTreeSet<SurfaceAccess> {
    let is_authored = |start: u32| instruction_family::is_authored(map, start);
    match &compiled.checked {
        Checked::Ptx(module) => {
            let body = module.functions.iter().flat_map(|function| &function.body);
            // Few instructions access surfaces, and where one comes from takes longer to find out.
            let accesses = body.filter(|i| i.opcode.is_surface() && is_authored(i.span.start));
            accesses.filter_map(SurfaceAccess::of).collect()
        }
        Checked::Spa(program) => {
            let authored = program.statements.iter().filter(|s| is_authored(s.span.start));
            authored.filter_map(|s| SurfaceAccess::of_spa(&s.instruction)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_of_machine_code_has_the_words_of_ptx() {
        let access = |text: &str| {
            let program = warpdiff_sass::parse(text).unwrap();
            SurfaceAccess::of_spa(&program.statements[0].instruction)
        };
        let of = |instruction: &str, geometry: &str, clamp: &str| {
            let (instruction, geometry) = (instruction.to_owned(), geometry.to_owned());
            Some(SurfaceAccess { instruction, geometry, clamp: Some(clamp.into()) })
        };
        // As ptxas 12.9 emits them, of `.zero`, `.clamp` and `.trap`.
        assert_eq!(access("SULD.D.BA.1D.IGN R17, [R4], 0x50;"), of("SULD.D", "1d", "zero"));
        assert_eq!(access("SULD.D.BA.2D R0, [R12], 0x50;"), of("SULD.D", "2d", "clamp"));
        assert_eq!(access("SUST.P.2D.TRAP [R4], R8, 0x52;"), of("SUST.P", "2d", "trap"));
        assert_eq!(access("IADD R0, R1, R2;"), None);
    }
}
