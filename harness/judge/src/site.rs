//! Where in the program a mismatch comes from: the instruction that produced the wrong bytes, as the author wrote it, and
//! the coordinates or the address it was given.

use warpdiff_corpus::plan::{Column, Location, PlannedLaunch, ProgramMap, Row};
use warpdiff_emulator::{Checked, Compiled};
use warpdiff_model::{Deviation, Geometry, Mismatch, RegionKind};
use warpdiff_ptx::checked::{Function, Instruction, Module, OpaqueBase, Operand, RegisterId};
use warpdiff_ptx::source::line_column;
use warpdiff_ptx::vocabulary::{Modifier, Opcode};

use crate::byte_origin;
use crate::concern::{concerns, is_surface};
use crate::instruction_family;
use crate::site_spa;

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

/// The operand `[surface, {x, y}]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceOperand {
    /// Name of the surface or register.
    pub surface: String,
    /// Coordinates, each a column, another register, or a number.
    pub coordinates: Vec<Coordinate>,
}

/// A direction in which a surface is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Along a row.
    X,
    /// From row to row.
    Y,
    /// From slice to slice of a 3d surface.
    Z,
    /// From layer to layer of an array.
    Layer,
}

impl Axis {
    /// The axes of a geometry in the order of the operand. Further elements of the operand are ignored.
    pub fn of(geometry: Geometry) -> &'static [Axis] {
        match geometry {
            Geometry::D1 => &[Self::X],
            Geometry::D2 => &[Self::X, Self::Y],
            Geometry::D3 => &[Self::X, Self::Y, Self::Z],
            Geometry::A1d => &[Self::Layer, Self::X],
            Geometry::A2d => &[Self::Layer, Self::X, Self::Y],
        }
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
            Self::Layer => "layer",
        }
    }
}

impl SurfaceOperand {
    /// The values of the coordinates of a surface of this geometry, in the order of the operand, as far as they are known
    /// in a row. A layer is unsigned ("unsigned integer index", PTX ISA 9.7.10), every other coordinate signed.
    pub fn values(&self, geometry: Geometry, row: Option<&Row>) -> Vec<(Axis, i64)> {
        let named = Axis::of(geometry).iter().zip(&self.coordinates);
        let read = |axis, value: i32| match axis {
            Axis::Layer => i64::from(value.cast_unsigned()),
            Axis::X | Axis::Y | Axis::Z => i64::from(value),
        };
        named.filter_map(|(axis, coordinate)| Some((*axis, read(*axis, coordinate.value(row)?)))).collect()
    }
}

/// A coordinate as far as the text of the program shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// A register, without its `%`.
    Register(String),
    /// A constant.
    Constant(i64),
    /// Anything else.
    Other,
}

impl Coordinate {
    /// Its value in a row, as a 32-bit signed number, if it is a constant or an input column.
    pub fn value(&self, row: Option<&Row>) -> Option<i32> {
        match self {
            Self::Constant(value) => i32::try_from(*value).ok(),
            Self::Register(name) => {
                let (_, text) = row?.inputs.iter().find(|(column, _)| column == name)?;
                parse_integer(text)
            }
            Self::Other => None,
        }
    }
}

/// Reads `-4`, `16` or `0xfffffffc` as 32 bits.
fn parse_integer(text: &str) -> Option<i32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok().map(u32::cast_signed),
        None => text
            .parse::<i64>()
            .ok()
            .and_then(|v| i32::try_from(v).or_else(|_| u32::try_from(v).map(u32::cast_signed)).ok()),
    }
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
    if let Checked::Spa(program) = &compiled.checked {
        return site_spa::find(program, compiled, planned, mismatch, explained);
    }
    let entry = module(compiled)?.functions.iter().find(|f| f.name == planned.launch.entry)?;
    let authored: Vec<_> =
        entry.body.iter().filter(|i| planned.map.pieces.is_empty() || authored(&planned.map, i)).collect();
    let body = if authored.is_empty() { entry.body.iter().collect() } else { authored };
    let blamed = blamed(entry, &body, planned, mismatch);
    let fits = |i: &Instruction| explained.is_none_or(|deviation| concerns(deviation, i));
    // What produced the column itself comes first; what fed it, if the deviation cannot be about that.
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
    map.pieces.iter().any(|(range, _)| range.contains(&(instruction.span.start as usize)))
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

/// Name of the output column that a mismatch in the buffer of outputs begins in.
pub(crate) fn column_at(planned: &PlannedLaunch, mismatch: &Mismatch) -> Option<String> {
    let within = mismatch.offset.checked_rem(planned.record()).unwrap_or(mismatch.offset);
    column_byte(planned, within).map(|(column, _)| column.name.clone())
}

/// The output column that a byte of a row's record belongs to, and which of its bytes that is.
pub(crate) fn column_byte(planned: &PlannedLaunch, byte: usize) -> Option<(&Column, usize)> {
    let column = planned.columns.iter().find(|column| column.bytes().contains(&byte))?;
    Some((column, byte - column.offset as usize))
}

/// For each byte of a row's record of outputs, which element of the access at the site it comes from, and which byte of that element's
/// register. `None` where another instruction produces it.
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
    memory || is_surface(instruction.opcode)
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

/// Bytes of one element of what a load or a surface instruction accesses; 0 for other instructions.
fn element_size(instruction: &Instruction) -> u32 {
    let accesses = instruction.opcode == Opcode::Ld || is_surface(instruction.opcode);
    instruction.types.last().filter(|_| accesses).map_or(0, |ty| ty.size())
}

/// Bytes a surface instruction accesses; 0 for other instructions.
fn access_size(instruction: &Instruction) -> u32 {
    if !is_surface(instruction.opcode) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layer_comes_first_and_elements_beyond_the_geometry_are_ignored() {
        let constant = |value| Coordinate::Constant(value);
        let operand = SurfaceOperand {
            surface: "image".into(),
            coordinates: vec![constant(1), constant(-4), constant(2), constant(9)],
        };
        let values = |geometry| operand.values(geometry, None);
        assert_eq!(values(Geometry::D1), [(Axis::X, 1)]);
        assert_eq!(values(Geometry::A1d), [(Axis::Layer, 1), (Axis::X, -4)]);
        assert_eq!(values(Geometry::A2d), [(Axis::Layer, 1), (Axis::X, -4), (Axis::Y, 2)]);
        assert_eq!(values(Geometry::D3), [(Axis::X, 1), (Axis::Y, -4), (Axis::Z, 2)]);
        // The layer is an unsigned index: all ones are the greatest, not -1.
        let far = SurfaceOperand { surface: "image".into(), coordinates: vec![constant(-1), constant(-1)] };
        assert_eq!(far.values(Geometry::A1d, None), [(Axis::Layer, 4_294_967_295), (Axis::X, -1)]);
    }

    #[test]
    fn coordinates_are_read_as_32_bits() {
        assert_eq!(parse_integer("-4"), Some(-4));
        assert_eq!(parse_integer("0xfffffffc"), Some(-4));
        assert_eq!(parse_integer("4294967292"), Some(-4));
        assert_eq!(parse_integer("1.5"), None);
    }
}
