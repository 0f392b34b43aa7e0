//! The site of a mismatch in a program of SPA 5.0.

use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_corpus::without_prime;
use warpdiff_emulator::Compiled;
use warpdiff_model::{Deviation, Mismatch, RegionKind};
use warpdiff_ptx::source::line_column;
use warpdiff_sass::mnemonic::{Access, Space};
use warpdiff_sass::{Instruction, Operand, Program, Statement};

use super::columns::column_at;
use super::instruction::Site;
use crate::instruction_family;
use crate::shown_by::may_show_at_spa;
use crate::surface_access::SurfaceAccess;

/// As [`super::find`]. Where a column differs, it is the author's last instruction that wrote it; where a surface does, the last one that changed a surface;
/// else the first access to memory or to a surface.
pub(super) fn find(
    program: &Program,
    compiled: &Compiled,
    planned: &PlannedLaunch,
    mismatch: &Mismatch,
    explained: Option<Deviation>,
) -> Option<Site> {
    let is_authored = |statement: &&Statement| {
        let start = statement.span.start as usize;
        planned.map.is_empty() || planned.map.has(start)
    };
    let authored: Vec<&Statement> = program.statements.iter().filter(is_authored).collect();
    let fits = |s: &&&Statement| explained.is_none_or(|deviation| may_show_at_spa(deviation, &s.instruction));
    let in_outputs =
        matches!(&mismatch.region, Some((RegionKind::Buffer, name)) if name == PlannedLaunch::OUTPUTS);
    let in_surface = matches!(&mismatch.region, Some((RegionKind::Surface, _)));
    let blamed = match in_outputs.then(|| column_at(planned, mismatch)).flatten() {
        Some(column) => authored.iter().rev().find(|s| writes(&s.instruction, &column)),
        None if in_surface => authored.iter().rev().find(|s| writes_surface(&s.instruction)),
        None => authored.iter().find(|s| accesses(&s.instruction)),
    };
    let fitting = || explained.and_then(|_| authored.iter().rev().find(fits));
    let statement = blamed.filter(fits).or_else(fitting).or(blamed)?;
    let text = compiled.text.get(statement.span.range()).unwrap_or_default();
    Some(Site {
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        line: line_column(&compiled.text, statement.span.start).line,
        start: statement.span.start,
        location: planned.map.locate(&statement.span.range()),
        family: instruction_family::of_spa(&statement.instruction),
        surface_access: SurfaceAccess::of_spa(&statement.instruction),
        opcode: None,
        surface_mode: None,
        converts: false,
        access: 0,
        element: 0,
        x_in_bytes: false,
        target: None,
    })
}

/// Whether it accesses local or shared memory, or a surface.
fn accesses(instruction: &Instruction) -> bool {
    let access = instruction.form.traits.access;
    access.is_some_and(|access| matches!(access.space, Space::Local | Space::Shared | Space::Surface))
}

/// Whether it changes a surface.
fn writes_surface(instruction: &Instruction) -> bool {
    instruction.form.traits.access.is_some_and(|access| access.space == Space::Surface && access.writes())
}

/// Whether it writes the register, predicate or memory of a column.
fn writes(instruction: &Instruction, column: &str) -> bool {
    let column = without_prime(column);
    let access = instruction.form.traits.access;
    let writes_to = |space| access.is_some_and(|access| access.writes() && access.space == space);
    if column.starts_with("shared.") {
        return writes_to(Space::Shared);
    }
    if column.starts_with("local.") {
        return writes_to(Space::Local);
    }
    if let Some(number) = column.strip_prefix('P') {
        let leading =
            instruction.operands.iter().take_while(|operand| matches!(operand, Operand::Predicate { .. }));
        return leading.map(ToString::to_string).any(|predicate| predicate.strip_prefix('P') == Some(number));
    }
    let stores = access.is_some_and(Access::is_store);
    let wanted: Option<u8> = column.strip_prefix('R').and_then(|number| number.parse().ok());
    match (wanted, instruction.register("Rd")) {
        (Some(wanted), Some(rd)) if !stores => {
            let count = instruction.register_bytes().0.div_ceil(4);
            (rd.0..rd.0.saturating_add(count as u8)).contains(&wanted)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(text: &str) -> Instruction {
        warpdiff_sass::parse(text).unwrap().statements.remove(0).instruction
    }

    #[test]
    fn accesses_to_memory_and_surfaces() {
        for (text, accessed, written) in [
            ("LDS R2, [R0];", true, false),
            ("SULD.D.BA.1D R0, [R2], R4;", true, false),
            ("SUST.D.BA.1D [R0], R2, R4;", true, true),
            ("SURED.D.BA.1D.ADD [R0], R2, R4;", true, true),
            ("SUATOM.D.BA.1D.ADD R0, [R2], R3, R4;", true, true),
            ("STG.E [R0], R2;", false, false),
            ("MOV R0, R1;", false, false),
        ] {
            let read = instruction(text);
            assert_eq!((accesses(&read), writes_surface(&read)), (accessed, written), "{text}");
        }
    }

    #[test]
    fn columns_and_what_writes_them() {
        for (text, column, written) in [
            ("LDS.64 R2, [R0];", "R3", true),
            ("LDS.64 R2, [R0];", "R4", false),
            ("LDL.128 R4, [R0];", "R7", true),
            ("DADD R4, R0, R2;", "R5", true),
            ("F2F.F32.F64 R4, R0;", "R5", false),
            ("ATOMS.EXCH.U64 R2, [R0], R4;", "R3", true),
            ("ATOMS.ADD RZ, [R0], R4;", "shared.8", true),
            ("LDS R4, [R4];", "R4'", true),
            ("LDS R4, [R5];", "R5'", false),
            ("STL [R0], R1;", "R1", false),
            ("STL [R0], R1;", "local.0x8", true),
            ("ISETP.GT.AND P1, P2, R0, R1, P3;", "P2", true),
            ("ISETP.GT.AND P1, P2, R0, R1, P3;", "P3", false),
            ("SEL R0, R1, R2, P3;", "P3", false),
            ("MOV R12, R1;", "R1", false),
        ] {
            assert_eq!(writes(&instruction(text), column), written, "{text} {column}");
        }
    }
}
