//! The plan: variants, each with the launches, or the program and its legality, that decide it.
//!
//! The corpus loader ([`crate`]) builds these; running, judging and reporting start from them and know nothing of
//! YAML but the positions kept here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use warpdiff_model::{Argument, Buffer, FaultClass, Launch, Log, Permutation, RegionKind, Tolerance};

use crate::byte_strings::ByteStrings;
use crate::error::CorpusError;
use crate::expectation_list::Expectations;
pub use crate::location::{Location, SourceFile};
pub use crate::observations::{StatedBytes, StatedObservation};
pub use crate::program_map::ProgramMap;
pub use crate::row::{Row, RowInputs};
use crate::value_file::ValueFile;
use ecow::EcoBytes;

/// A case with its matrix bound: the unit that is listed, filtered, run and reported.
#[derive(Debug)]
pub struct Variant {
    /// Unique: `suld/clamp/suld.b.2d clamps to the nearest texel[cop=.ca]` (folder / file stem / title `[bindings]`).
    pub id: String,
    /// Title of the case.
    pub title: Arc<str>,
    /// Matrix bindings in the order of the matrix.
    pub bindings: Vec<(String, String)>,
    /// Requirement ids it covers. As its other texts, the variants of a case share them where they are the same.
    pub covers: Arc<[String]>,
    /// How its expectations follow from the specification.
    pub why: Option<Arc<str>>,
    /// Its question to hardware, one sentence.
    pub question: Option<Arc<str>>,
    /// First folder under the corpus root: `suld`, `atomics`, …
    pub subject: Arc<str>,
    /// The place of the case.
    pub location: Location,
    /// Its launches, or a program and its legality.
    pub work: Work,
}

/// The work that decides a variant.
#[derive(Debug)]
pub enum Work {
    /// Launches, each judged by itself.
    Launches(Vec<PlannedLaunch>),
    /// A program to accept or reject.
    Legality(Legality),
    /// Launches that the reference cannot run.
    Unsupported(Unsupported),
}

/// Launches of a program in which nothing is wrong, but that the reference cannot run. Targets may know it: they are judged by what the case
/// states alone.
#[derive(Debug)]
pub struct Unsupported {
    /// Why.
    pub problem: CorpusError,
    /// The launches; none for a case of legality, and where they cannot be made without the checked program.
    pub launches: Vec<PlannedLaunch>,
}

/// A launch with its expectations.
#[derive(Clone, Debug)]
pub struct PlannedLaunch {
    /// The launch.
    pub launch: Launch,
    /// How lines of `launch.program` map back to the corpus file.
    pub map: Arc<ProgramMap>,
    /// Rows of the table it runs, in thread order; empty for the long form.
    pub rows: Vec<Row>,
    /// The expectations.
    pub expectations: Expectations,
    /// Tolerances of values.
    pub tolerances: Vec<Tolerance>,
    /// Buffers in which its threads log atomic attempts.
    pub logs: Vec<Log>,
    /// What targets may have done, and what they may not, by the case.
    pub observations: Vec<StatedObservation>,
    /// The types of the elements of buffers and variables, for reports.
    pub types: Arc<[RegionType]>,
    /// Input columns of a table case, for reports: their offsets are in the row of buffer `in`.
    pub inputs: Arc<[Column]>,
    /// Output columns of a table case, for reports: name, type as PTX writes it, byte offset in the row of buffer `out`.
    pub columns: Arc<[Column]>,
    /// Whether the case asks that its expectations hold under several schedules (`schedules: all`).
    pub every_order: bool,
    /// Whether it is part of a table whose rows should share a launch unless one of them can fault: the alternative, one
    /// launch per row, is built by [`PlannedLaunch::split`].
    pub splittable: bool,
    /// Whether its rows must not share a launch, because one could see what another does. It then stands for the launches that
    /// [`PlannedLaunch::split`] builds, which need the memory of a copy for each row only while they are judged.
    pub apart: bool,
}

/// An output column of a table case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Type: `b32`, `f64`, `pred`.
    pub ty: String,
    /// Byte offset within a row of the buffer `out`.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// The type of the elements of a buffer or variable, as the case states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionType {
    /// Buffer or variable.
    pub kind: RegionKind,
    /// Its name.
    pub name: String,
    /// The type, as PTX names it: `f32`.
    pub ty: &'static str,
    /// Bytes of an element.
    pub size: u32,
}

/// An expectation, which the reference must not contradict.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// What.
    pub what: Expected,
    /// Where it stands.
    pub location: Location,
    /// For a person: "output `d` of row 3", "byte 12 of image `image`".
    pub subject: StatedSubject,
    /// The row that states it, by its position in [`PlannedLaunch::rows`]; `None` if it is about the launch as a whole.
    pub row: Option<u32>,
    /// The file with its bytes, if it states all elements of a region by one.
    pub file: Option<Box<ValueFile>>,
}

/// What an expectation is about, in words. A table has one for each output of each row, so they are made when they are printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatedSubject {
    /// An output of a row.
    Output {
        /// The column.
        column: Arc<str>,
        /// The index of the row.
        row: usize,
    },
    /// An element of an object.
    Element {
        /// Its index.
        index: usize,
        /// Kind of object.
        kind: RegionKind,
        /// Name of the object.
        name: Arc<str>,
    },
    /// Something else.
    Other(Box<str>),
}

impl fmt::Display for StatedSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output { column, row } => write!(f, "output `{column}` of row {row}"),
            Self::Element { index, kind, name } => write!(f, "element {index} of {} `{name}`", noun(*kind)),
            Self::Other(words) => f.write_str(words),
        }
    }
}

/// The kind of an object, in words.
pub(crate) fn noun(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Buffer => "buffer",
        RegionKind::Guard => "guard",
        RegionKind::Surface => "surface",
        RegionKind::Variable => "variable",
    }
}

/// The content of an expectation.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// These bytes in every outcome; all bits of `mask` are defined unless `or_undefined` says otherwise.
    Bytes {
        /// Kind of region.
        region: RegionKind,
        /// Name of the region.
        name: Arc<str>,
        /// Offset in bytes.
        offset: usize,
        /// Alternatives: in every outcome one of them, and each of them in some outcome.
        alternatives: ByteStrings,
        /// Compared bits; same length as each alternative.
        mask: EcoBytes,
        /// Whether undefined bits are an alternative, too, which some outcome must have.
        or_undefined: bool,
    },
    /// At least one bit of this range is undefined, or differs between outcomes.
    Undefined {
        /// Kind of region.
        region: RegionKind,
        /// Name of the region.
        name: Arc<str>,
        /// Bytes of the region.
        range: Range<usize>,
    },
    /// This range is a NaN in every outcome, quiet or signalling.
    Nan {
        /// Kind of region.
        region: RegionKind,
        /// Name of the region.
        name: Arc<str>,
        /// Bytes of the region.
        range: Range<usize>,
    },
    /// In every outcome a floating-point number of which all values from the least to the greatest are permitted, and no other.
    Between {
        /// Kind of region.
        region: RegionKind,
        /// Name of the region.
        name: Arc<str>,
        /// Offset in bytes.
        offset: usize,
        /// The least and the greatest number, of the same size.
        ends: [EcoBytes; 2],
    },
    /// Under every order these values are the numbers from 0 on, each once.
    Permutation(Permutation),
    /// Every outcome is a must-fault of this class.
    Fault(FaultClass),
    /// Some outcome permits a fault of this class (may-fault, or a must-fault under some assignment).
    MayFault(FaultClass),
    /// The step budget runs out.
    TimedOut,
}

/// A program that has to be accepted or rejected.
#[derive(Clone, Debug)]
pub struct Legality {
    /// The program text.
    pub program: Arc<str>,
    /// How its lines map back.
    pub map: Arc<ProgramMap>,
    /// The dialects that must accept it: `spec`, `ptxas-12.9`.
    pub accept: Vec<String>,
    /// The dialects that must reject it, each with a fragment of warpdiff's message (may be empty).
    pub reject: Vec<(String, String)>,
    /// Text at which the caret of warpdiff's error must stand, if stated.
    pub at: Option<String>,
    /// Initial bytes of variables (`declare:`), by name; bytes with `None` hold part of an address.
    pub bytes: BTreeMap<String, Vec<Option<u8>>>,
    /// The places of these variables in `bytes`.
    pub byte_places: BTreeMap<String, Location>,
    /// The place of `accept` or `reject`.
    pub location: Location,
}

impl Variant {
    /// Whether it launches programs of SPA 5.0.
    pub fn launches_spa(&self) -> bool {
        let Work::Launches(launches) = &self.work else { return false };
        launches.first().is_some_and(PlannedLaunch::is_spa)
    }

    /// Why nothing judges it, so that it covers no requirement: the reference cannot run it, and it states nothing that a target could be wrong in.
    pub fn unjudged(&self) -> Option<&CorpusError> {
        match &self.work {
            Work::Unsupported(of) => {
                let is_judged = of.launches.iter().any(PlannedLaunch::states_what_is_judged);
                (!is_judged).then_some(&of.problem)
            }
            Work::Launches(_) | Work::Legality(_) => None,
        }
    }

    /// Whether targets can be asked launches of it, those included that the reference cannot run.
    pub fn has_launches(&self) -> bool {
        match &self.work {
            Work::Launches(_) => true,
            Work::Unsupported(unsupported) => !unsupported.launches.is_empty(),
            Work::Legality(_) => false,
        }
    }

    /// Whether it is a whole program without expectations, so that the reference alone decides what is allowed.
    pub fn states_nothing(&self) -> bool {
        let Work::Launches(launches) = &self.work else { return false };
        !launches.is_empty() && launches.iter().all(PlannedLaunch::states_nothing)
    }
}

impl Column {
    /// Its bytes within a row of the buffer of outputs.
    pub fn bytes(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.size) as usize
    }
}

impl PlannedLaunch {
    /// Name of the buffer of inputs of a table case; its stride is the size of a row's record.
    pub const INPUTS: &'static str = "in";
    /// Name of the buffer of outputs of a table case; its stride is the size of a row's record.
    pub const OUTPUTS: &'static str = "out";

    /// A launch without rows and expectations.
    pub fn bare(launch: Launch, map: Arc<ProgramMap>) -> Self {
        Self {
            launch,
            map,
            rows: Vec::new(),
            expectations: Expectations::default(),
            tolerances: Vec::new(),
            logs: Vec::new(),
            observations: Vec::new(),
            types: Arc::default(),
            inputs: Arc::default(),
            columns: Arc::default(),
            every_order: false,
            splittable: false,
            apart: false,
        }
    }

    /// The launches that it stands for: one for each row where rows are launched apart, or else itself.
    pub fn launches(&self) -> Vec<Cow<'_, PlannedLaunch>> {
        match self.apart {
            true => self.split().into_iter().map(Cow::Owned).collect(),
            false => vec![Cow::Borrowed(self)],
        }
    }

    /// The values that, by its expectations, may be in any order.
    pub fn permutations(&self) -> Vec<Permutation> {
        let of = |expectation: &Expectation| match &expectation.what {
            Expected::Permutation(one) => Some(one.clone()),
            _ => None,
        };
        self.expectations.others().filter_map(of).collect()
    }

    /// Whether its program is of SPA 5.0.
    pub fn is_spa(&self) -> bool {
        warpdiff_sass::is_spa(&self.launch.program)
    }

    /// Whether it is a whole program without expectations.
    pub fn states_nothing(&self) -> bool {
        self.rows.is_empty() && self.expectations.is_empty()
    }

    /// Whether the case states something of this launch that an observation can contradict without the reference. Bytes that may be undefined are
    /// nothing of the kind, and neither is a fault that may happen.
    pub fn states_what_is_judged(&self) -> bool {
        self.expectations.iter().any(|expectation| match &expectation.what {
            Expected::Bytes { mask, or_undefined, .. } => !or_undefined && mask.iter().any(|bits| *bits != 0),
            Expected::Nan { .. } | Expected::Between { .. } | Expected::Permutation(_) => true,
            Expected::Fault(_) | Expected::TimedOut => true,
            Expected::Undefined { .. } | Expected::MayFault(_) => false,
        })
    }

    /// Bytes of a row's record in the buffer of outputs; 0 where there is no such buffer.
    pub fn record(&self) -> usize {
        self.launch.buffers.iter().find(|b| b.name == Self::OUTPUTS).map_or(0, |b| b.stride as usize)
    }

    /// One launch per row, for a launch of a table whose rows are independent: each has its row's records only, one thread, and
    /// that row's expectations. A launch that is not [`PlannedLaunch::splittable`] is returned unchanged.
    pub fn split(&self) -> Vec<PlannedLaunch> {
        self.each_row().collect()
    }

    /// The launches of [`PlannedLaunch::split`], each made when it is asked for: together they need the memory of a copy for each row.
    pub fn each_row(&self) -> impl Iterator<Item = PlannedLaunch> {
        let whole = (!self.splittable).then(|| self.clone());
        let apart = self.splittable.then(|| {
            let alone = self.launch_of_one_row();
            let of_rows = self.expectations.distributed(self.rows.len(), |position| (position, 0));
            of_rows.into_iter().enumerate().map(move |(position, row)| self.row(&alone, position, row))
        });
        whole.into_iter().chain(apart.into_iter().flatten())
    }

    /// The launch of one row, as yet without buffers.
    fn launch_of_one_row(&self) -> Launch {
        let mut alone = Launch { grid: [1; 3], block: [1; 3], ..self.launch.clone() };
        alone.buffers.clear();
        // Argument 0 of the kernel around a table is the number of rows.
        if let Some(rows) = alone.arguments.first_mut() {
            *rows = Argument::Value(1_u32.to_le_bytes().to_vec());
        }
        alone
    }

    fn row(&self, alone: &Launch, position: usize, expectations: Expectations) -> PlannedLaunch {
        let buffers = self.launch.buffers.iter().map(|buffer| record_of(buffer, position)).collect();
        PlannedLaunch {
            launch: Launch { buffers, ..alone.clone() },
            rows: vec![self.rows[position].clone()],
            expectations,
            splittable: false,
            apart: false,
            map: Arc::clone(&self.map),
            tolerances: self.tolerances.clone(),
            logs: self.logs.clone(),
            observations: Vec::new(),
            types: Arc::clone(&self.types),
            inputs: Arc::clone(&self.inputs),
            columns: Arc::clone(&self.columns),
            every_order: self.every_order,
        }
    }
}

/// A buffer with one row's record only; buffers that are not divided into rows stay as they are.
fn record_of(buffer: &Buffer, position: usize) -> Buffer {
    let stride = buffer.stride as usize;
    if stride == 0 {
        return buffer.clone();
    }
    let range = position * stride..(position + 1) * stride;
    let defined = buffer.defined.get(range.clone()).unwrap_or_default().to_vec();
    Buffer { bytes: buffer.bytes[range].to_vec(), defined, name: buffer.name.clone(), ..*buffer }
}
