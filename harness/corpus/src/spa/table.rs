//! The launches of a table of SPA 5.0.

use std::ops::Range;
use std::sync::Arc;

use warpdiff_model::{Argument, Buffer, Launch};
use warpdiff_sass::form::Form;
use warpdiff_sass::mnemonic::{Access, Space, Subject};

use super::address::Addresses;
use super::column_place::ColumnPlaces;
use super::header::header;
use super::kernel::SpaKernelFrame;
use crate::kernel::ENTRY;
use crate::observations;
use crate::plan::{Column, PlannedLaunch, RegionType};
use crate::program::Program;
use crate::reader::{Fields, Read, Reader};
use crate::resources::Resources;
use crate::returns;
use crate::rows::{ReadRows, TableContext};
use crate::table::{BLOCK, MAX_LAUNCHES, MAX_TOGETHER, expect_of_isolated_rows, in_order, outcome};
use crate::text::Text;

/// Keys of the form besides those that every case has.
pub(crate) const KEYS: [&str; 12] = [
    "limits",
    "sass",
    "buffers",
    "addresses",
    "inputs",
    "outputs",
    "body",
    "rows",
    "sweep",
    "launch",
    "expect",
    "observations",
];

/// Whether threads communicate by an instruction, or it reads a thread's place.
fn meets(form: &Form) -> bool {
    let reaches_others = |access: Access| match access.space {
        Space::Shared => true,
        Space::Local | Space::Constant => false,
        Space::Global | Space::Generic | Space::Surface | Space::Texture => access.writes(),
    };
    let is_access = form.traits.access.is_some_and(reaches_others);
    is_access || matches!(form.traits.subject, Subject::Warp | Subject::Special)
}

/// Reads a table whose body is of SPA 5.0.
pub(crate) fn launches(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    body: Option<Text>,
) -> Read<Vec<PlannedLaunch>> {
    for key in ["isa", "target"] {
        if let Some(range) = fields.key_range(key) {
            return reader.fail(&range, format!("`{key}` is for PTX programs"));
        }
    }
    let Some(body) = body else { return reader.fail(&fields.range, "this case lacks `body`") };
    let header = header(reader, fields)?;
    let inputs = ColumnPlaces::read(reader, fields, "inputs", &header)?;
    let outputs = ColumnPlaces::read(reader, fields, "outputs", &header)?;
    let together = match fields.get("launch") {
        Some(node) => reader.one_of(node, "launch", &[("isolated", false), ("together", true)])?,
        None => false,
    };
    if together && inputs.has_shared() {
        let range = fields.key_range("inputs").unwrap_or_else(|| fields.range.clone());
        return reader
            .fail(&range, "rows launched together share their memory, so it cannot be an input: let the body store the values");
    }
    let resources = Resources::read(reader, fields, &[PlannedLaunch::INPUTS, PlannedLaunch::OUTPUTS])?;
    let addresses = Addresses::read(reader, fields, &header, &inputs, &resources)?;
    let (inputs_read, outputs_read) = (&inputs.record, &outputs.record);
    let table = TableContext {
        inputs: inputs_read,
        outputs: outputs_read,
        resources: &resources,
        together,
        continues_after_fault: true,
    };
    let rows = table.rows(reader, fields);
    let frame = SpaKernelFrame {
        header: &header,
        inputs: &inputs,
        outputs: &outputs,
        addresses: &addresses,
        together,
    };
    let program = frame.program(reader, &body, &fields.range)?;
    let private = reader.privacy(|| rows_are_private(reader, &program, &fields.range))?;
    let rows = rows?;
    // What an instruction that the reference does not know does to other threads is not known either.
    let private = private == Some(true) && !inputs.has_shared() && !outputs.has_shared();
    reader.spend(&fields.range, resources.size())?;
    let plan = SpaTablePlan {
        program,
        inputs: &inputs,
        outputs: &outputs,
        addresses: &addresses,
        resources: &resources,
        types: resources.types().into(),
        input_columns: inputs.record.for_reports(),
        output_columns: outputs.record.for_reports(),
    };
    if together {
        let planned = plan.together(reader, fields, rows)?;
        return Ok(vec![planned]);
    }
    plan.isolated(reader, fields, rows, private)
}

/// Whether no instruction of the author's meets other threads, by the program, which is checked with it; `None`, with the errors noted, if nothing
/// is wrong but what the reference cannot run.
fn rows_are_private(reader: &Reader<'_>, program: &Program, case: &Range<usize>) -> Read<Option<bool>> {
    let Some(checked) = program.compile_spa_if_supported(reader, case)? else { return Ok(None) };
    let mut authored = checked.statements.iter().filter(|s| program.is_authored(s.span.start as usize));
    Ok(Some(!authored.any(|statement| meets(statement.instruction.form))))
}

/// The parts that all launches of a table share.
struct SpaTablePlan<'a> {
    program: Program,
    inputs: &'a ColumnPlaces,
    outputs: &'a ColumnPlaces,
    addresses: &'a Addresses,
    resources: &'a Resources,
    /// The types of the buffers' elements.
    types: Arc<[RegionType]>,
    /// The columns without their types: inputs, outputs.
    input_columns: Arc<[Column]>,
    output_columns: Arc<[Column]>,
}

impl SpaTablePlan<'_> {
    /// All rows as the threads of one block.
    fn together(&self, reader: &Reader<'_>, fields: &Fields<'_>, rows: ReadRows) -> Read<PlannedLaunch> {
        let count = rows.len();
        if count > MAX_TOGETHER {
            let at = fields.get("launch").map_or_else(|| fields.range.clone(), |node| node.range());
            let error =
                reader.error(&at, format!("{count} rows launched together, more than {MAX_TOGETHER}"));
            let note = "rows launched together are the threads of one block; a whole program (`program`, `launch`) may have a grid of blocks";
            return Err(reader.note(error.label("too many threads for a block").note(note)));
        }
        let mut planned = self.launch(rows);
        planned.splittable = false;
        if let Some(node) = fields.get("expect") {
            let known = ["memory", "returns", "fault", "may-fault", "timed-out", "undefined"];
            planned.expectations.extend(outcome(reader, node, self.resources, &known)?);
            let columns = Some((&self.outputs.record, count));
            planned.expectations.extend(returns::read(reader, node, self.resources, columns)?);
        }
        let columns = Some((&self.outputs.record, count));
        planned.observations = observations::read(reader, fields, self.resources, columns)?;
        Ok(planned)
    }

    /// Rows that cannot affect each other share launches; the others have one each.
    fn isolated(
        &self,
        reader: &Reader<'_>,
        fields: &Fields<'_>,
        rows: ReadRows,
        private: bool,
    ) -> Read<Vec<PlannedLaunch>> {
        if let Some(range) = fields.key_range("expect") {
            return Err(expect_of_isolated_rows(reader, &range));
        }
        observations::not_of_isolated_rows(reader, fields)?;
        let more: Vec<bool> = (0..rows.len()).map(|row| rows.states_more_than_outputs(row)).collect();
        let mut parts = rows.distributed(2, |row| usize::from(!private || more[row])).into_iter();
        let (Some(shared), Some(apart)) = (parts.next(), parts.next()) else { return Ok(Vec::new()) };
        let count = apart.len() + shared.len().div_ceil(BLOCK);
        self.afford(reader, &fields.range, count)?;
        let blocks = shared.len().div_ceil(BLOCK);
        let blocks = shared.distributed(blocks, |row| row / BLOCK);
        Ok(in_order(blocks, apart, |rows| self.launch(rows)))
    }

    fn afford(&self, reader: &Reader<'_>, range: &Range<usize>, launches: usize) -> Read<()> {
        if launches > MAX_LAUNCHES {
            return reader.fail(range, format!("{launches} launches, more than {MAX_LAUNCHES}"));
        }
        let each = self.resources.size() + 2048 + 64 * self.outputs.places.len();
        reader.spend(range, launches.saturating_mul(each))
    }

    fn launch(&self, rows: ReadRows) -> PlannedLaunch {
        let mut launch = Launch::new(self.program.text.clone(), ENTRY);
        let ReadRows { rows, inputs, expectations, .. } = rows;
        launch.block[0] = rows.len() as u32;
        launch.arguments.push(Argument::Value((rows.len() as u32).to_le_bytes().to_vec()));
        let stride = self.outputs.record.stride;
        let records = [
            (PlannedLaunch::INPUTS, inputs, self.inputs),
            (PlannedLaunch::OUTPUTS, vec![0; rows.len() * stride as usize], self.outputs),
        ];
        for (name, bytes, places) in records {
            if !places.places.is_empty() {
                launch.arguments.push(Argument::Buffer { index: launch.buffers.len(), offset: 0 });
                launch.buffers.push(Buffer { stride: places.record.stride, ..Buffer::new(name, bytes) });
            }
        }
        let first = launch.buffers.len();
        launch.buffers.extend(self.resources.buffers.iter().map(|(buffer, _)| buffer.clone()));
        for (_, buffer) in &self.addresses.pairs {
            launch.arguments.push(Argument::Buffer { index: first + buffer, offset: 0 });
        }
        let splittable = rows.len() > 1;
        PlannedLaunch {
            launch,
            map: self.program.map.clone(),
            rows,
            expectations,
            tolerances: Vec::new(),
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
}
