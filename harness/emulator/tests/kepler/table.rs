//! The table: how Kepler's code for each form reads coordinates and accesses memory.

use std::path::Path;

use warpdiff_model::Geometry;

/// How a `SUCLAMP` reads a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clamp {
    /// As a signed number; as an unsigned one with `.U32`.
    pub(crate) signed: bool,
    /// What the bound is rounded down to a multiple of: R1 to R16.
    pub(crate) multiple: u32,
}

/// What becomes of an access out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    /// The predicate is ignored: the access goes to the clamped place.
    Clamped,
    /// It loads zero, or stores nothing.
    Dropped,
    /// It traps.
    Trapped,
}

/// What is computed of the number found and the number given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    Add,
    Min,
    Max,
    And,
    Or,
}

/// What accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    /// `SULDGA.B` of so many bytes.
    Load(usize),
    /// `SUSTGA.B` of so many bytes.
    Store(usize),
    /// `SUSTGA.P` of so many components.
    StoreTexel(usize),
    /// `RED` on so many bytes.
    Reduce { reduction: Reduction, size: usize, signed: bool },
}

/// A line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// The instruction of PTX, without operands.
    pub(crate) text: String,
    pub(crate) geometry: Geometry,
    pub(crate) x: Clamp,
    pub(crate) y: Option<Clamp>,
    pub(crate) z: Option<Clamp>,
    pub(crate) layer: Option<Clamp>,
    pub(crate) outside: Outside,
    pub(crate) instruction: Instruction,
    /// Whether x counts texels (`.p`): no `.SD`, the descriptor scales.
    pub(crate) in_texels: bool,
}

impl Form {
    /// The parts of the instruction's name.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        self.text.split('.')
    }

    /// Bytes of an access; those of the texel, of which the table says nothing, where it is formatted.
    pub(crate) fn size(&self, texel: usize) -> usize {
        match self.instruction {
            Instruction::Load(size) | Instruction::Store(size) => size,
            Instruction::StoreTexel(_) => texel,
            Instruction::Reduce { size, .. } => size,
        }
    }

    /// Whether it changes memory.
    pub(crate) fn stores(&self) -> bool {
        !matches!(self.instruction, Instruction::Load(_))
    }
}

/// All forms.
pub(crate) fn forms() -> Vec<Form> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/ptxas/sass/kepler-surface.tsv");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).skip(1);
    lines
        .map(|(index, line)| {
            form(line).unwrap_or_else(|| panic!("line {} of the table is no form: {line}", index + 1))
        })
        .collect()
}

fn form(line: &str) -> Option<Form> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [text, x, y, z, layer, bound, access] = columns[..] else { return None };
    let geometries = [
        ("1d", Geometry::D1),
        ("2d", Geometry::D2),
        ("3d", Geometry::D3),
        ("a1d", Geometry::A1d),
        ("a2d", Geometry::A2d),
    ];
    let geometry = text.split('.').find_map(|part| geometries.iter().find(|(name, _)| *name == part))?.1;
    let checked = match bound.split_once(' ')? {
        ("SUBFM" | "SUBFM.3D", "checked") => true,
        ("SUBFM" | "SUBFM.3D", "unchecked") => false,
        _ => return None,
    };
    let layer_checked = layer.ends_with('!');
    // The predicate of the layer does not go through SUBFM: both are used, or neither.
    if layer != "-" && layer_checked != checked {
        return None;
    }
    let (access, guarded) = match access.strip_suffix(" guard:BPT.TRAP") {
        Some(access) => (access, true),
        None => (access, false),
    };
    let outside = match (checked, guarded || access.contains(".TRAP.")) {
        (false, false) => Outside::Clamped,
        (true, false) => Outside::Dropped,
        (true, true) => Outside::Trapped,
        (false, true) => return None,
    };
    let form = Form {
        text: text.to_owned(),
        geometry,
        x: clamp(x)??,
        y: clamp(y)?,
        z: clamp(z)?,
        layer: clamp(layer.trim_end_matches('!'))?,
        outside,
        instruction: instruction(text, access)?,
        in_texels: text.contains(".p."),
    };
    // "R is the size of the whole access, vectors included": the two columns say so independently of each other.
    let size = form.size(1);
    let sized = form.in_texels || form.x.multiple as usize == size && x.contains("SD") == (size > 1);
    sized.then_some(form)
}

/// The column of a coordinate; none inside where the form has no such one.
fn clamp(column: &str) -> Option<Option<Clamp>> {
    if column == "-" {
        return Some(None);
    }
    let (sign, modifiers) = column.split_once(':').unwrap_or((column, ""));
    let signed = match sign {
        "s32" => true,
        "u32" => false,
        _ => return None,
    };
    let multiple = match modifiers {
        "" | "PL.R1" => 1,
        _ => modifiers.strip_prefix("SD.R")?.parse().ok()?,
    };
    Some(Some(Clamp { signed, multiple }))
}

fn instruction(text: &str, access: &str) -> Option<Instruction> {
    let size = |part: &str| match part {
        "U8" => Some(1),
        "U16" => Some(2),
        "32" => Some(4),
        "64" => Some(8),
        "128" => Some(16),
        _ => None,
    };
    let parts: Vec<&str> = access.split('.').collect();
    match parts[..] {
        ["SULDGA", "B", "CA", width, "Z" | "TRAP", "U8"] => Some(Instruction::Load(size(width)?)),
        ["SUSTGA", "B", width, "IGN" | "TRAP", "U8"] => Some(Instruction::Store(size(width)?)),
        ["SUSTGA", "P", "IGN" | "TRAP", "U8"] => {
            let components = text.split('.').find_map(|part| part.strip_prefix('v')?.parse().ok());
            Some(Instruction::StoreTexel(components.unwrap_or(1)))
        }
        _ => {
            let mut alternatives = access.split(" | ").map(reduction);
            let first = alternatives.next()??;
            alternatives.all(|other| other == Some(first)).then_some(first)
        }
    }
}

/// A `RED`, whatever its guard.
fn reduction(text: &str) -> Option<Instruction> {
    let text = text.rsplit(' ').next()?;
    let mut parts = text.strip_prefix("RED.E.")?.split('.');
    let reduction = match parts.next()? {
        "ADD" => Reduction::Add,
        "MIN" => Reduction::Min,
        "MAX" => Reduction::Max,
        "AND" => Reduction::And,
        "OR" => Reduction::Or,
        _ => return None,
    };
    let (size, signed) = match parts.next() {
        None => (4, false),
        Some("S32") => (4, true),
        Some("U64") => (8, false),
        Some(_) => return None,
    };
    Some(Instruction::Reduce { reduction, size, signed })
}
