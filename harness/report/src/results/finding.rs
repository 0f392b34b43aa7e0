//! A finding as data: the cause, the instruction and the differences of one launch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warpdiff_corpus::bytes::kind_name;
use warpdiff_corpus::plan::Location;
use warpdiff_files::hexadecimal;
use warpdiff_judge::difference::{Difference, DifferingElement};
use warpdiff_judge::finding::{Applied, Finding, RefutedBy, RefutedDeviation};
use warpdiff_judge::machine_code::{MachineCode, MachineWord};
use warpdiff_judge::mismatch_class::class_name;
use warpdiff_judge::surface_access::SurfaceAccess;
use warpdiff_judge::verdict_table::Raw;

/// What a target did wrong in one launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingLine {
    /// The status of the launch.
    pub status: Raw,
    /// Class of the mismatch: `clamp behaviour`, `alignment`, …
    pub class: String,
    /// Deviations that each reproduce everything observed: of every launch of the variant, right or wrong, and of the instruction
    /// in the run.
    pub reproduced_by: Vec<String>,
    /// Whether only all of `reproduced_by` together reproduce it. Left out if each does alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
    /// Why `reproduced_by` was not checked against everything observed of the instruction. Left out if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
    /// Of deviations that a compiler applies in some programs: in how many. Left out for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<AppliedLine>,
    /// The nearest deviation, if `reproduced_by` is empty. Left out if none explains any of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest_deviation: Option<NearestDeviation>,
    /// The instruction it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<Instruction>,
    /// The machine words that the target's compiler made of the instruction's line. Left out for targets that run no machine code,
    /// and where there is no line table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_code: Option<MachineCodeLine>,
    /// The nearest outcome, which `expected` belongs to, if several are permitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NearestOutcome>,
    /// The differences, first ones first.
    pub differences: Vec<DifferenceLine>,
}

/// In how many programs a compiler did what it does in some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppliedLine {
    /// The variants of the run in which it did.
    pub variants: usize,
    /// All variants of the run with the instruction that the target answered.
    pub of: usize,
    /// The family of the instruction: `ld`.
    pub instruction: String,
}

/// What a compiler made of a line of PTX.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineCodeLine {
    /// The compiler with its level: `ptxas V12.9.86 at -O3`.
    pub compiler: String,
    /// The words, by address. Empty if the compiler left the line out, or made it part of another line's words.
    pub words: Vec<MachineWordLine>,
}

/// A machine word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineWordLine {
    /// Address in bytes from the beginning of the kernel's code.
    pub address: u32,
    /// The word, 16 digits in hexadecimal.
    pub word: String,
    /// Its text, as assembler of SPA 5.0.
    pub text: String,
}

/// The instruction of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Instruction {
    /// Its text.
    pub text: String,
    /// Its family: opcode and operation without types, `suld.b`.
    #[serde(default)]
    pub family: String,
    /// The access to a surface that it is. Left out if it is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_access: Option<SurfaceAccess>,
    /// Its line in the program as `warpdiff show` prints it.
    pub program_line: u32,
    /// Its place in the corpus, if it was copied from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Place>,
}

/// The permitted outcome that is nearest to what was observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearestOutcome {
    /// Its alternatives of the choices in which the permitted outcomes differ: `sust.p.integer-range=wrapped`.
    pub under: Vec<String>,
    /// How many outcomes are permitted.
    pub of: usize,
}

/// A deviation that explains some of the mismatches, and what refutes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearestDeviation {
    /// Its name.
    pub name: String,
    /// How many rows of the variant refute it. Left out if another variant refutes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuting_rows: Option<usize>,
    /// Id of the variant that refutes it. Left out if it is this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuting_variant: Option<String>,
    /// A difference that refutes it: `expected` and `defined` are the deviation's prediction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuted_by: Option<DifferenceLine>,
}

/// Bytes that differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceLine {
    /// Row of the table, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// Its inputs: column and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<(String, String)>,
    /// The place of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Place>,
    /// Region of memory: `buffer out`, `surface image`, `guard band of out`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Output column the difference begins in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The element that differs, outside of output columns. Left out where the case gives the region no type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<ElementLine>,
    /// Coordinates of a surface access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<String>,
    /// First byte in the region.
    pub offset: usize,
    /// The allowed bytes, in hexadecimal.
    pub expected: String,
    /// Mask of the compared bits of `expected`.
    pub defined: String,
    /// The observed bytes.
    pub observed: String,
    /// `expected` as a number of its type, a floating-point number with its bits: `1.5 (0x3fc00000)`. Left out where bits of it are not
    /// compared, or it is no whole value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_value: Option<String>,
    /// `observed` as a number of its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_value: Option<String>,
    /// The difference in words.
    pub detail: String,
}

/// An element of a buffer, surface or variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ElementLine {
    /// Its index; elements of a surface are channels.
    pub index: usize,
    /// Its type: `f32`, or of a channel `unorm8`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its coordinates in a surface, in texels: those that the geometry has. Left out for buffers and variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coordinates: Vec<(String, u64)>,
    /// The channel, if the format has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<u64>,
    /// Where the case states its value: `cases/a.txt:12:3`. Left out where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_at: Option<String>,
    /// All of that in words: `element 38 at x = 1, y = 2, channel 2`.
    pub words: String,
}

impl ElementLine {
    fn new(element: &DifferingElement) -> Self {
        let axes = element.texel.iter().flat_map(warpdiff_corpus::elements::Texel::axes);
        Self {
            index: element.index,
            ty: element.ty.into(),
            coordinates: axes.map(|(name, value)| (name.into(), value)).collect(),
            channel: element.texel.and_then(|texel| texel.channel),
            stated_at: element.stated_at.clone(),
            words: element.words(),
        }
    }
}

/// A place in the corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// File, relative to the folder that holds the corpus.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl FindingLine {
    /// The data of a finding.
    pub fn new(finding: &Finding) -> Self {
        Self {
            status: finding.raw,
            class: class_name(finding.class()).into(),
            reproduced_by: finding.explained.iter().map(|d| d.name().into()).collect(),
            together: finding.together,
            unchecked: finding.unchecked.clone(),
            applied: finding.applied.as_ref().map(applied),
            nearest_deviation: finding.refuted.as_ref().map(nearest_deviation),
            instruction: finding.site.as_ref().map(|site| Instruction {
                text: site.text.clone(),
                family: site.family.clone(),
                surface_access: site.surface_access.clone(),
                program_line: site.line,
                location: site.location.as_ref().map(Place::new),
            }),
            machine_code: finding.machine_code.as_ref().map(machine_code),
            nearest: finding.nearest.as_ref().map(|n| NearestOutcome { under: n.under.clone(), of: n.of }),
            differences: finding.differences.iter().map(DifferenceLine::new).collect(),
        }
    }
}

pub(super) fn applied(applied: &Applied) -> AppliedLine {
    let Applied { variants, of, instruction } = applied;
    AppliedLine { variants: *variants, of: *of, instruction: instruction.to_string() }
}

fn machine_code(code: &MachineCode) -> MachineCodeLine {
    let word = |it: &MachineWord| MachineWordLine {
        address: it.address,
        word: format!("{:016x}", it.word),
        text: it.text.clone(),
    };
    MachineCodeLine { compiler: code.compiler.clone(), words: code.words.iter().map(word).collect() }
}

fn nearest_deviation(refuted: &RefutedDeviation) -> NearestDeviation {
    let (refuting_rows, refuting_variant) = match &refuted.by {
        RefutedBy::Rows(rows) => (Some(*rows), None),
        RefutedBy::Variant { id, .. } => (None, Some(id.clone())),
    };
    let refuted_by = refuted.example.as_deref().map(DifferenceLine::new);
    NearestDeviation { name: refuted.deviation.name().into(), refuting_rows, refuting_variant, refuted_by }
}

impl DifferenceLine {
    pub(super) fn new(difference: &Difference) -> Self {
        let inputs = difference.row.iter().flat_map(|row| row.inputs.iter());
        Self {
            row: difference.row.as_ref().map(|row| row.index),
            inputs: inputs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            location: difference.location().as_ref().map(Place::new),
            region: difference.region.as_ref().map(|(kind, name)| format!("{} {name}", kind_name(*kind))),
            column: difference.column.as_ref().map(|c| c.name.clone()),
            element: difference.element.as_ref().map(ElementLine::new),
            coordinates: difference.coordinates.clone(),
            offset: difference.offset,
            expected: hexadecimal::of(&difference.expected),
            defined: hexadecimal::of(&difference.defined),
            observed: hexadecimal::of(&difference.observed),
            expected_value: difference.expected_number(),
            observed_value: difference.observed_number(),
            detail: difference.detail.clone(),
        }
    }
}

impl Place {
    /// The place of a location.
    pub fn new(location: &Location) -> Self {
        let at = location.file.line_column(location.range.start);
        Self { file: location.file.path.display().to_string(), line: at.line, column: at.column }
    }
}
