//! The registers of a texture lookup: which part of its question each source holds, and which component each result gets.
//!
//! Ryujinx's and yuzu's decoders agree on the order, and Mesa's encoder but for the sample of `TLD`; ptxas compiles `tex` with
//! every one of the parts so.

use crate::instruction::{Instruction, Operand, Register};
use crate::mnemonic::Mnemonic as M;

/// What a source register of a lookup holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The handle of the texture.
    Handle,
    /// The index into an array, in the lower half.
    Layer,
    /// The first coordinate.
    X,
    /// The second coordinate.
    Y,
    /// The third coordinate.
    Z,
    /// The level of detail, or what is added to it.
    Level,
    /// Offsets in texels: one field of bits for each coordinate.
    Offset,
    /// The offsets of two of the texels of a gather: a byte for each coordinate.
    Offsets,
    /// What texels are compared with.
    Reference,
    /// The number of a sample.
    Sample,
    /// Of `TXD`: the index into an array in bits 15:0, and the offsets from bit 16 on.
    LayerAndOffset,
    /// A derivative of a coordinate.
    Derivative,
}

/// The dimension of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Whether it has an index into an array.
    pub array: bool,
    /// Its coordinates: 1 to 3.
    pub coordinates: u8,
    /// Whether the coordinates are a direction.
    pub cube: bool,
}

impl Dimension {
    fn named(name: &str) -> Option<Dimension> {
        let (array, name) = name.strip_prefix("ARRAY_").map_or((false, name), |rest| (true, rest));
        let coordinates = match name {
            "1D" => 1,
            "2D" => 2,
            "3D" | "CUBE" => 3,
            _ => return None,
        };
        Some(Dimension { array, coordinates, cube: name == "CUBE" })
    }
}

const COORDINATES: [Part; 3] = [Part::X, Part::Y, Part::Z];

/// The dimension of a texture lookup; `None` of a query and of other instructions. That of `TLD4S` is not written: it has two.
pub fn dimension(instruction: &Instruction) -> Option<Dimension> {
    if instruction.form.mnemonic == M::TLD4S {
        return Dimension::named("2D");
    }
    instruction.operands.iter().find_map(|operand| match operand {
        Operand::Word { names, value } => Dimension::named(names[usize::from(*value)]),
        _ => None,
    })
}

/// Whether its handle is in a register.
pub fn has_handle(instruction: &Instruction) -> bool {
    // Of a gather `.B` may be the component as well.
    let fixed = instruction.form.fixed_modifiers;
    match instruction.form.mnemonic {
        M::TLD4 => fixed.len() == 2,
        _ => fixed.contains(&"B"),
    }
}

/// What the registers from `Ra` on hold, and those from `Rb` on; `None` of what is no texture instruction.
pub fn sources(instruction: &Instruction) -> Option<[Vec<Part>; 2]> {
    let mnemonic = instruction.form.mnemonic;
    let has = |modifier: &str| {
        instruction.form.fixed_modifiers.contains(&modifier)
            || instruction
                .form
                .modifiers
                .iter()
                .zip(&instruction.modifiers)
                .any(|(field, value)| field.names.get(usize::from(*value)) == Some(&modifier))
    };
    let handle = has_handle(instruction).then_some(Part::Handle);
    if mnemonic == M::TXQ {
        return Some([handle.into_iter().chain([Part::Level]).collect(), Vec::new()]);
    }
    let dimension = dimension(instruction)?;
    let layer = dimension.array.then_some(Part::Layer);
    let coordinates = &COORDINATES[..usize::from(dimension.coordinates)];
    let place: Vec<Part> = layer.into_iter().chain(coordinates.iter().copied()).collect();
    let level = (has("LB") || has("LL") || has("LBA") || has("LLA")).then_some(Part::Level);
    let offset = has("AOFFI").then_some(Part::Offset);
    let reference = has("DC").then_some(Part::Reference);
    let sample = has("MS").then_some(Part::Sample);
    let further = || handle.into_iter().chain(level).chain(offset).chain(reference).chain(sample);
    Some(match mnemonic {
        M::TEX | M::TLD | M::TMML => [place, further().collect()],
        M::TLD4 => {
            let offsets = if has("PTP") { 2 } else { 0 };
            let offsets = std::iter::repeat_n(Part::Offsets, offsets);
            [place, handle.into_iter().chain(offset).chain(offsets).chain(reference).collect()]
        }
        M::TXD => {
            let word = (dimension.array || offset.is_some()).then_some(Part::LayerAndOffset);
            let first = handle.into_iter().chain(coordinates.iter().copied()).chain(word);
            [first.collect(), vec![Part::Derivative; 2 * usize::from(dimension.coordinates)]]
        }
        M::TEXS | M::TLDS | M::TLD4S => scalar(mnemonic, place, further().collect()),
        _ => return None,
    })
}

/// The parts of a scalar form: as many in one as in the other, the first one having one more, except that of an array that is
/// fetched from its coordinates stay together.
fn scalar(mnemonic: M, place: Vec<Part>, further: Vec<Part>) -> [Vec<Part>; 2] {
    let mut all = place;
    all.extend(further);
    let first = match (mnemonic, all.len()) {
        (M::TLDS, _) if all[0] == Part::Layer => 1,
        (_, 1 | 2) => 1,
        _ => 2,
    };
    let rest = all.split_off(first);
    [all, rest]
}

/// The components that a lookup writes, in the order of its registers, 0 being red; a gather's are its texels.
pub fn components(instruction: &Instruction) -> Vec<u8> {
    if instruction.form.mnemonic == M::TLD4S {
        return vec![0, 1, 2, 3];
    }
    match instruction.operands.last() {
        Some(Operand::Immediate(mask)) => (0..4).filter(|component| mask >> component & 1 == 1).collect(),
        Some(Operand::Word { names, value }) => {
            let place = |letter: u8| b"RGBA".iter().position(|name| *name == letter);
            let letters = names[usize::from(*value)].bytes();
            letters.filter_map(place).map(|component| component as u8).collect()
        }
        _ => Vec::new(),
    }
}

/// The component that a gather gives of four texels, 0 being red; `None` of other lookups.
pub fn gathered(instruction: &Instruction) -> Option<u8> {
    match instruction.form.mnemonic {
        M::TLD4S => instruction.modifier("component"),
        M::TLD4 => {
            let name = instruction.form.fixed_modifiers.first()?;
            ["R", "G", "B", "A"].iter().position(|component| component == name).map(|n| n as u8)
        }
        _ => None,
    }
}

/// Whether the results are halves, two in a register.
pub fn gives_halves(instruction: &Instruction) -> bool {
    instruction.form.fixed_modifiers.contains(&"F16")
}

/// How many registers the operand with this role has.
pub(crate) fn registers(instruction: &Instruction, role: &str) -> u32 {
    let sources = sources(instruction).unwrap_or_default();
    let components = components(instruction).len() as u32;
    let is_scalar = matches!(instruction.form.mnemonic, M::TEXS | M::TLDS | M::TLD4S);
    let in_register = if gives_halves(instruction) { 2 } else { 1 };
    let count = match role {
        "Ra" => sources[0].len() as u32,
        "Rb" => sources[1].len() as u32,
        "Rd" if is_scalar => components.min(2).div_ceil(in_register),
        "Rd2" => components.saturating_sub(2).div_ceil(in_register),
        _ => components,
    };
    count.max(1)
}

/// The registers that a lookup writes, in the order of its components; `None` where one does not exist or nothing is wanted.
pub fn results(instruction: &Instruction) -> Vec<Option<Register>> {
    let count = components(instruction).len() as u8;
    let at = |first: Option<Register>, n: u8| {
        let first = first.filter(|register| *register != Register::RZ)?;
        first.0.checked_add(n).map(Register).filter(|register| *register != Register::RZ)
    };
    let (rd, rd2) = (instruction.register("Rd"), instruction.register("Rd2"));
    let in_first = if rd2.is_some() { if gives_halves(instruction) { 1 } else { 2 } } else { u8::MAX };
    let registers = if gives_halves(instruction) { count.div_ceil(2) } else { count };
    (0..registers).map(|n| if n < in_first { at(rd, n) } else { at(rd2, n - in_first) }).collect()
}
