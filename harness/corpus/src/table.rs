//! The table form: how rows become launches, one thread each, isolated from the others unless the case says otherwise.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use warpdiff_model::{Argument, Buffer, Geometry, Launch, Surface, Texture, Tolerance, ToleranceUnit};

use super::columns::ColumnRecord;
use super::isolation;
use super::kernel::{self, KernelFrame, Source};
use super::observations;
use super::program::Program;
use super::reader::{ErrorNoted, Fields, Read, Reader};
use super::resources::Resources;
use super::returns;
use super::rows::{ReadRows, TableContext};
use super::value::Element;
use super::yaml::{Kind, Node};
use crate::expectations;
use crate::plan::{Column, Expectation, Expected, PlannedLaunch, RegionType, StatedSubject};

/// Keys of the form besides those that every case has.
pub(crate) const KEYS: [&str; 15] = [
    "limits",
    "surfaces",
    "textures",
    "buffers",
    "inputs",
    "outputs",
    "declarations",
    "registers",
    "body",
    "rows",
    "sweep",
    "launch",
    "tolerance",
    "expect",
    "observations",
];

/// Reserved names of buffers and surfaces.
const RESERVED: [&str; 5] = [PlannedLaunch::INPUTS, PlannedLaunch::OUTPUTS, "rows", "case", BYSTANDER];
/// Name of the buffer and the surface that no launch may change.
const BYSTANDER: &str = "bystander";
/// Threads of a block, when rows share a launch.
pub(super) const BLOCK: usize = 128;
/// Most threads of a block, and so most rows that are launched together.
pub(super) const MAX_TOGETHER: usize = 1024;
/// Most launches of one variant.
pub(super) const MAX_LAUNCHES: usize = 1 << 14;

/// Reads a case in table form.
pub(crate) fn launches(reader: &Reader<'_>, fields: &Fields<'_>, source: Source) -> Read<Vec<PlannedLaunch>> {
    let resources = Resources::read(reader, fields, &RESERVED)?;
    let bound = |textures: bool| {
        let mut images = resources.textures.iter().map(|t| &t.image);
        let mut surfaces = resources.surfaces.iter();
        if textures { images.any(|t| t.bound_to.is_some()) } else { surfaces.any(|s| s.bound_to.is_some()) }
    };
    for (key, textures) in [("surfaces", false), ("textures", true)] {
        if let Some(node) = fields.get(key).filter(|_| bound(textures)) {
            return reader
                .fail(&node.range(), "`bind` is for whole programs: a table binds what its body names");
        }
    }
    let inputs = ColumnRecord::read(reader, fields, "inputs", &[], &resources)?;
    let outputs = ColumnRecord::read(reader, fields, "outputs", &[&inputs], &resources)?;
    let together = match fields.get("launch") {
        Some(node) => reader.one_of(node, "launch", &[("isolated", false), ("together", true)])?,
        None => false,
    };
    let table = TableContext {
        inputs: &inputs,
        outputs: &outputs,
        resources: &resources,
        together,
        continues_after_fault: false,
    };
    let rows = table.rows(reader, fields);
    let plan = TablePlan::new(reader, &source, &fields.range, &inputs, &outputs, &resources)?;
    let private = reader.privacy(|| isolation::rows_are_private(reader, &plan.program, &fields.range));
    let tolerances = tolerances(reader, fields, &outputs, plan.output_region());
    let (rows, private, tolerances) = (rows?, private?, tolerances?);
    // What an instruction that the reference does not know does to other threads is not known either.
    if private.is_none() && rows.len() >= MAX_LAUNCHES {
        return Ok(Vec::new());
    }
    let private = private == Some(true) && !together;
    let plan = TablePlan { tolerances, private, ..plan };
    if together { plan.together(reader, fields, rows) } else { plan.isolated(reader, fields, rows) }
}

/// The parts that all launches of a table share.
struct TablePlan<'a> {
    program: Program,
    inputs: &'a ColumnRecord,
    outputs: &'a ColumnRecord,
    resources: &'a Resources,
    /// Names that the author's text mentions, with their `%`.
    mentions: BTreeSet<String>,
    tolerances: Vec<Tolerance>,
    /// The types of the buffers' elements.
    types: Arc<[RegionType]>,
    /// The columns without their types: inputs, outputs.
    input_columns: Arc<[Column]>,
    output_columns: Arc<[Column]>,
    /// Whether no row can see another.
    private: bool,
}

impl<'a> TablePlan<'a> {
    fn new(
        reader: &Reader<'_>,
        source: &Source,
        case: &Range<usize>,
        inputs: &'a ColumnRecord,
        outputs: &'a ColumnRecord,
        resources: &'a Resources,
    ) -> Read<Self> {
        let mentions = source.mentions();
        let surfaces = || resources.surfaces.iter().map(|s| s.name.as_str());
        let textures = || resources.textures.iter().map(|t| t.image.name.as_str());
        let by_register = |name: &&str| mentions.contains(&format!("%{name}"));
        let frame = KernelFrame {
            inputs: &inputs.columns,
            input_stride: inputs.stride,
            outputs: &outputs.columns,
            output_stride: outputs.stride,
            buffers: resources.buffers.iter().map(|(b, _)| b.name.as_str()).filter(by_register).collect(),
            handles: surfaces().chain(textures()).filter(by_register).collect(),
            references: surfaces().filter(|name| mentions.contains(*name)).collect(),
            texture_references: textures().filter(|name| mentions.contains(*name)).collect(),
        };
        let program = frame.program(reader, source, case)?;
        let types = resources.types().into();
        let (input_columns, output_columns) = (inputs.for_reports(), outputs.for_reports());
        let tolerances = Vec::new();
        Ok(Self {
            program,
            inputs,
            outputs,
            resources,
            mentions,
            tolerances,
            types,
            input_columns,
            output_columns,
            private: false,
        })
    }

    /// All rows in one launch of one block.
    fn together(&self, reader: &Reader<'_>, fields: &Fields<'_>, rows: ReadRows) -> Read<Vec<PlannedLaunch>> {
        let count = rows.len();
        if count > MAX_TOGETHER {
            let at = fields.get("launch").map_or_else(|| fields.range.clone(), |node| node.range());
            let error =
                reader.error(&at, format!("{count} rows launched together, more than {MAX_TOGETHER}"));
            let note = "rows launched together are the threads of one block; a whole program (`program`, `launch`) may have a grid of blocks";
            return Err(reader.note(error.label("too many threads for a block").note(note)));
        }
        reader.spend(&fields.range, self.resources.size())?;
        let mut planned = self.launch(rows, count);
        planned.splittable = false;
        if let Some(node) = fields.get("expect") {
            let known = ["memory", "image", "returns", "fault", "may-fault", "timed-out", "undefined"];
            planned.expectations.extend(outcome(reader, node, self.resources, &known)?);
            let columns = Some((self.outputs, count));
            planned.expectations.extend(returns::read(reader, node, self.resources, columns)?);
        }
        planned.observations =
            observations::read(reader, fields, self.resources, Some((self.outputs, count)))?;
        Ok(vec![planned])
    }

    /// Rows that cannot affect each other share a launch; the others have one each.
    fn isolated(&self, reader: &Reader<'_>, fields: &Fields<'_>, rows: ReadRows) -> Read<Vec<PlannedLaunch>> {
        if let Some(range) = fields.key_range("expect") {
            return Err(expect_of_isolated_rows(reader, &range));
        }
        observations::not_of_isolated_rows(reader, fields)?;
        let more: Vec<bool> = (0..rows.len()).map(|row| rows.states_more_than_outputs(row)).collect();
        let mut parts = rows.distributed(2, |row| usize::from(!self.private || more[row])).into_iter();
        let (Some(shared), Some(apart)) = (parts.next(), parts.next()) else { return Ok(Vec::new()) };
        if apart.len() >= MAX_LAUNCHES {
            let message = format!("{} rows that each need a launch, more than {MAX_LAUNCHES}", apart.len());
            return reader.fail(&fields.range, message);
        }
        let launches = apart.len() + usize::from(!shared.is_empty());
        reader.spend(
            &fields.range,
            launches.saturating_mul(self.resources.size() + 2048 + 64 * self.outputs.columns.len()),
        )?;
        let shared = if shared.is_empty() { Vec::new() } else { vec![shared] };
        Ok(in_order(shared, apart, |rows| self.launch(rows, BLOCK)))
    }

    fn launch(&self, rows: ReadRows, block: usize) -> PlannedLaunch {
        let mut launch = Launch::new(self.program.text.clone(), kernel::ENTRY);
        let ReadRows { rows, inputs, expectations, .. } = rows;
        let block = block.min(rows.len());
        launch.block[0] = block as u32;
        launch.grid[0] = rows.len().div_ceil(block) as u32;
        launch.arguments.push(Argument::Value((rows.len() as u32).to_le_bytes().to_vec()));
        self.records(&mut launch, inputs, rows.len());
        self.resources(&mut launch);
        let splittable = rows.len() > 1;
        PlannedLaunch {
            launch,
            map: self.program.map.clone(),
            rows,
            expectations,
            tolerances: self.tolerances.clone(),
            logs: Vec::new(),
            observations: Vec::new(),
            types: Arc::clone(&self.types),
            inputs: Arc::clone(&self.input_columns),
            columns: Arc::clone(&self.output_columns),
            every_order: false,
            splittable,
            apart: false,
        }
    }

    /// Index of the buffer of outputs among the regions of the state.
    fn output_region(&self) -> usize {
        usize::from(!self.inputs.columns.is_empty())
    }

    /// Adds the records of inputs and outputs.
    fn records(&self, launch: &mut Launch, inputs: Vec<u8>, rows: usize) {
        let outputs = vec![0; rows * self.outputs.stride as usize];
        for (name, bytes, record) in
            [(PlannedLaunch::INPUTS, inputs, self.inputs), (PlannedLaunch::OUTPUTS, outputs, self.outputs)]
        {
            if !record.columns.is_empty() {
                launch.arguments.push(Argument::Buffer { index: launch.buffers.len(), offset: 0 });
                launch.buffers.push(Buffer { stride: record.stride, ..Buffer::new(name, bytes) });
            }
        }
    }

    /// Adds the case's buffers, surfaces and textures, and the bystanders that no thread may change.
    fn resources(&self, launch: &mut Launch) {
        for (buffer, _) in &self.resources.buffers {
            if self.mentions.contains(&format!("%{}", buffer.name)) {
                launch.arguments.push(Argument::Buffer { index: launch.buffers.len(), offset: 0 });
            }
            launch.buffers.push(buffer.clone());
        }
        for surface in &self.resources.surfaces {
            if self.mentions.contains(&format!("%{}", surface.name)) {
                launch.arguments.push(Argument::Surface { index: launch.surfaces.len() });
            }
            let bound_to = self.mentions.contains(&surface.name).then(|| surface.name.clone());
            launch.surfaces.push(Surface { bound_to, ..surface.clone() });
        }
        for texture in &self.resources.textures {
            let name = &texture.image.name;
            if self.mentions.contains(&format!("%{name}")) {
                launch.arguments.push(Argument::Texture { index: launch.textures.len() });
            }
            let bound_to = self.mentions.contains(name).then(|| name.clone());
            let image = Surface { bound_to, ..texture.image.clone() };
            launch.textures.push(Texture { image, sampler: texture.sampler });
        }
        if !self.private {
            launch.buffers.push(Buffer::new(BYSTANDER, (0..64).collect()));
            launch.surfaces.extend(self.resources.surfaces.first().map(bystander));
        }
    }
}

/// A small surface of the same geometry and format.
fn bystander(like: &Surface) -> Surface {
    let extent = match like.geometry {
        Geometry::D1 | Geometry::A1d => [4, 1, 1],
        Geometry::D2 | Geometry::A2d => [4, 2, 1],
        Geometry::Cube | Geometry::Acube => [2, 2, 1],
        Geometry::D3 => [4, 2, 2],
    };
    let layers = like.layers.min(2);
    let mut surface =
        Surface { name: BYSTANDER.to_owned(), extent, layers, bytes: Vec::new(), ..like.clone() };
    surface.bound_to = None;
    surface.bytes = (0..surface.size()).map(|i| (i % 251) as u8).collect();
    surface
}

/// Plans launches in the order of their first rows: one for each of the lists of rows that share one, and one for each stretch of rows
/// between them that are launched apart.
pub(super) fn in_order(
    shared: Vec<ReadRows>,
    apart: ReadRows,
    launch: impl Fn(ReadRows) -> PlannedLaunch,
) -> Vec<PlannedLaunch> {
    // The rows apart by the list of rows before which they are launched.
    let first = |rows: &ReadRows| rows.rows.first().map_or(0, |row| row.index);
    let firsts: Vec<usize> = shared.iter().map(first).collect();
    let lists: Vec<u32> =
        apart.rows.iter().map(|row| firsts.partition_point(|f| *f <= row.index) as u32).collect();
    let mut before = apart.distributed(shared.len() + 1, |position| lists[position] as usize).into_iter();
    let mut planned = Vec::with_capacity(2 * shared.len() + 1);
    let mut launch_apart = |planned: &mut Vec<PlannedLaunch>| {
        if let Some(rows) = before.next().filter(|rows| !rows.is_empty()) {
            let apart = rows.len() > 1;
            planned.push(PlannedLaunch { apart, ..launch(rows) });
        }
    };
    for rows in shared {
        launch_apart(&mut planned);
        planned.push(launch(rows));
    }
    launch_apart(&mut planned);
    planned.shrink_to_fit();
    planned
}

/// Notes that a table of isolated rows has `expect`, and what says the same.
pub(crate) fn expect_of_isolated_rows(reader: &Reader<'_>, range: &Range<usize>) -> ErrorNoted {
    let error = reader.error(range, "`expect` is for rows launched together");
    let note = "each isolated row has memory of its own and states it itself: `{…, image: {NAME: …}}`, `{…, memory: {NAME: …}}`, \
                `{…, fault: CLASS}`; `launch: together` makes all rows the threads of one block";
    reader.note(error.label("these rows are isolated from each other").note(note))
}

/// Reads the keys of `expect` that tables and whole programs share.
pub(crate) fn outcome(
    reader: &Reader<'_>,
    node: &Node,
    resources: &Resources,
    known: &[&str],
) -> Read<Vec<Expectation>> {
    let fields = reader.fields(node, "`expect`", known)?;
    let mut found = expectations::faults(reader, &fields)?;
    if let Some(node) = fields.get("timed-out")
        && reader.boolean(node, "`timed-out`")?
    {
        found.push(expectations::expectation(
            reader,
            Expected::TimedOut,
            &node.range(),
            StatedSubject::Other("the time-out".into()),
        ));
    }
    found.extend(resources.after(reader, &fields)?);
    if let Some(node) = fields.get("undefined") {
        let fields = reader.fields(node, "`undefined`", &["memory", "image"])?;
        for (key, kind) in
            [("memory", warpdiff_model::RegionKind::Buffer), ("image", warpdiff_model::RegionKind::Surface)]
        {
            let Some(node) = fields.get(key) else { continue };
            resources.each(reader, node, kind, |memory, node| {
                found.extend(memory.undefined(reader, node)?);
                Ok(())
            })?;
        }
    }
    Ok(found)
}

/// Reads `tolerance`: for each column `2ulp` or `{absolute: 1e-6}`.
fn tolerances(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    outputs: &ColumnRecord,
    region: usize,
) -> Read<Vec<Tolerance>> {
    let Some(node) = fields.get("tolerance") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (key, node) in reader.entries(node, "`tolerance`")?.entries {
        let Some(position) = outputs.position(&key.text) else {
            let known: Vec<&str> = outputs.names().collect();
            let message = format!("no output is called `{}`", key.text);
            return Err(reader.unknown(&key.range(), &message, &key.text, &known));
        };
        let unit = tolerance_unit(reader, node, outputs.elements[position], &key.range())?;
        let Column { offset, size, .. } = outputs.columns[position].0;
        let (offset, stride, size) = (offset as usize, outputs.stride as usize, size as usize);
        found.push(Tolerance { region, offset, stride, size, unit });
    }
    Ok(found)
}

/// Reads the tolerance of a floating-point value.
pub(crate) fn tolerance_unit(
    reader: &Reader<'_>,
    node: &Node,
    element: Element,
    range: &Range<usize>,
) -> Read<ToleranceUnit> {
    if !matches!(element, Element::F16 | Element::F32 | Element::F64) {
        return reader.fail(range, "a tolerance is for values of type `f16`, `f32` or `f64`");
    }
    let (text_node, absolute) = match &node.kind {
        Kind::Map(_) => {
            let fields = reader.fields(node, "a tolerance", &["absolute"])?;
            (fields.required(reader, "absolute", "a tolerance")?, true)
        }
        _ => (node, false),
    };
    let word = reader.word(text_node, "a tolerance")?;
    let unit = if absolute {
        word.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0).map(ToleranceUnit::Absolute)
    } else {
        word.strip_suffix("ulp").and_then(|n| n.trim().parse().ok()).map(ToleranceUnit::Ulps)
    };
    unit.ok_or_else(|| {
        let error = reader.error(&text_node.range(), format!("`{word}` is not a tolerance"));
        reader.note(error.label("expected `2ulp` or `{absolute: 1e-6}`"))
    })
}
