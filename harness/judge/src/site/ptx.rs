//! The site of a mismatch in a PTX program.

use warpdiff_corpus::plan::{PlannedLaunch, ProgramMap};
use warpdiff_emulator::{Checked, Compiled};
use warpdiff_model::{Deviation, Mismatch, RegionKind};
use warpdiff_ptx::checked::{Function, Instruction, Module, OpaqueBase, Operand, RegisterId};
use warpdiff_ptx::source::line_column;
use warpdiff_ptx::vocabulary::{Modifier, Opcode};

use super::columns::column_byte;
use super::instruction::Site;
use super::surface_operand::{Coordinate, SurfaceOperand};
use crate::byte_origin;
use crate::instruction_family;
use crate::shown_by::may_show_at;
use crate::surface_access::SurfaceAccess;

/// As [`super::find`].
pub(super) fn find(
    module: &Module,
    compiled: &Compiled,
    planned: &PlannedLaunch,
    mismatch: &Mismatch,
    explained: Option<Deviation>,
) -> Option<Site> {
    let entry = module.functions.iter().find(|f| f.name == planned.launch.entry)?;
    let authored: Vec<_> =
        entry.body.iter().filter(|i| planned.map.is_empty() || authored(&planned.map, i)).collect();
    let body = if authored.is_empty() { entry.body.iter().collect() } else { authored };
    let blamed = blamed(entry, &body, planned, mismatch);
    let fits = |i: &Instruction| explained.is_none_or(|deviation| may_show_at(deviation, i));
    // The producer of the column comes first, then any instruction in which the deviation can show.
    let wrong =
        blamed.filter(|i| fits(i)).or_else(|| explained.and_then(|_| last(&body, fits))).or(blamed)?;
    Some(describe(compiled, entry, wrong, &planned.map))
}

/// The checked module of a PTX program.
fn module(compiled: &Compiled) -> Option<&Module> {
    match &compiled.checked {
        Checked::Ptx(module) => Some(module),
        Checked::Spa(_) => None,
    }
}

/// Whether the instruction was copied from the corpus.
fn authored(map: &ProgramMap, instruction: &Instruction) -> bool {
    map.has(instruction.span.start as usize)
}

fn blamed<'m>(
    entry: &Function,
    body: &[&'m Instruction],
    planned: &PlannedLaunch,
    mismatch: &Mismatch,
) -> Option<&'m Instruction> {
    let Some((kind, name)) = &mismatch.region else {
        return body.iter().copied().find(|i| may_fault(i));
    };
    match kind {
        RegionKind::Surface => last(body, |i| matches!(i.opcode, Opcode::Sust | Opcode::Sured)),
        RegionKind::Buffer if name == PlannedLaunch::OUTPUTS && !planned.columns.is_empty() => {
            let byte = mismatch.offset.checked_rem(planned.record()).unwrap_or(mismatch.offset);
            let (column, byte) = column_byte(planned, byte)?;
            byte_origin::producer(entry, body, &column.name, byte).map(|produced| produced.by)
        }
        RegionKind::Buffer | RegionKind::Guard | RegionKind::Variable => last(body, stores_to_memory),
    }
}

/// For each byte of a row's record of outputs, the element of the access at the site that it comes from, and the byte of that
/// element's register. `None` if another instruction produces it.
pub(crate) fn elements(
    compiled: &Compiled,
    planned: &PlannedLaunch,
    site: &Site,
) -> Vec<Option<(usize, usize)>> {
    let entry = module(compiled).and_then(|m| m.functions.iter().find(|f| f.name == planned.launch.entry));
    let Some(entry) = entry else { return Vec::new() };
    let body: Vec<&Instruction> = entry.body.iter().filter(|i| authored(&planned.map, i)).collect();
    let source = |byte: usize| {
        let (column, byte) = column_byte(planned, byte)?;
        let produced = byte_origin::producer(entry, &body, &column.name, byte)?;
        (produced.by.span.start == site.start).then_some((produced.element, produced.byte))
    };
    (0..planned.record()).map(source).collect()
}

fn last<'m>(body: &[&'m Instruction], is: impl Fn(&Instruction) -> bool) -> Option<&'m Instruction> {
    body.iter().rev().copied().find(|i| is(i))
}

fn stores_to_memory(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::St | Opcode::Atom | Opcode::Red)
}

fn may_fault(instruction: &Instruction) -> bool {
    let memory =
        matches!(instruction.opcode, Opcode::Ld | Opcode::St | Opcode::Atom | Opcode::Red | Opcode::Trap);
    memory || instruction.opcode.is_surface()
}

fn describe(compiled: &Compiled, entry: &Function, instruction: &Instruction, map: &ProgramMap) -> Site {
    Site {
        text: compiled
            .text
            .get(instruction.span.range())
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        line: line_column(&compiled.text, instruction.span.start).line,
        start: instruction.span.start,
        location: map.locate(&instruction.span.range()),
        family: instruction_family::of(instruction),
        surface_access: SurfaceAccess::of(instruction),
        opcode: Some(instruction.opcode),
        surface_mode: [Modifier::Clamp, Modifier::Zero, Modifier::Trap]
            .into_iter()
            .find(|m| instruction.has(*m)),
        converts: converts(instruction),
        access: access_size(instruction),
        element: element_size(instruction),
        x_in_bytes: instruction.has(Modifier::B),
        target: surface_operand(compiled, entry, instruction),
    }
}

fn converts(instruction: &Instruction) -> bool {
    if instruction.opcode == Opcode::Cvt || instruction.opcode == Opcode::Sust && instruction.has(Modifier::P)
    {
        return true;
    }
    let memory =
        matches!(instruction.opcode, Opcode::Ld | Opcode::St | Opcode::Atom | Opcode::Red | Opcode::Mov);
    !memory && instruction.types.last().is_some_and(|ty| ty.is_float())
}

/// Bytes of one element of a load or a surface access; 0 for other instructions.
fn element_size(instruction: &Instruction) -> u32 {
    let accesses = instruction.opcode == Opcode::Ld || instruction.opcode.is_surface();
    instruction.types.last().filter(|_| accesses).map_or(0, |ty| ty.size())
}

/// Bytes a surface instruction accesses; 0 for other instructions.
fn access_size(instruction: &Instruction) -> u32 {
    if !instruction.opcode.is_surface() {
        return 0;
    }
    let elements = [(Modifier::V2, 2), (Modifier::V4, 4)].into_iter().find(|(m, _)| instruction.has(*m));
    instruction.types.last().map_or(0, |ty| ty.size()) * elements.map_or(1, |(_, n)| n)
}

fn surface_operand(
    compiled: &Compiled,
    entry: &Function,
    instruction: &Instruction,
) -> Option<SurfaceOperand> {
    let operand = instruction.operands.iter().find(|o| matches!(o, Operand::Opaque { .. }))?;
    let Operand::Opaque { object, coordinates, .. } = operand else { return None };
    let register = |id: RegisterId| {
        entry.registers.get(id.0 as usize).map(|r| r.name.trim_start_matches('%').to_string())
    };
    let surface = match object {
        OpaqueBase::Register(id) => register(*id)?,
        OpaqueBase::Variable(id) => module(compiled)?.variables.get(id.0 as usize)?.name.clone(),
    };
    let coordinate = |operand: &Operand| match operand {
        Operand::Register { id, .. } => register(*id).map_or(Coordinate::Other, Coordinate::Register),
        Operand::Immediate(warpdiff_ptx::checked::Immediate::Integer { bits, .. }) => {
            Coordinate::Constant(bits.cast_signed())
        }
        _ => Coordinate::Other,
    };
    Some(SurfaceOperand { surface, coordinates: coordinates.iter().map(coordinate).collect() })
}
